//! The instance: its databases, logins and sessions.

mod database;
mod errorlog;
mod identity;
mod logins;
mod restoring;
mod server_permission;
mod serving;
mod state;
mod trace;
mod unfinished;

pub use database::{Database, DatabaseSettings, DelayedDurability, UserAccess};
pub use errorlog::LogEntry;
pub use identity::{
    EDITION, EDITION_ID, ENGINE_EDITION, PRODUCT_LEVEL, PRODUCT_VERSION, version_text,
};
pub use logins::{Login, PasswordHash};
pub(crate) use restoring::in_restore;
pub use restoring::{Restoring, RestoringFile};
pub use server_permission::{SERVER_PERMISSIONS, Said, ServerPermission};
pub(crate) use serving::Serving;
pub use state::{BackupFileRow, BackupRow, DatabaseRecord, RestoreRow, State};
pub use trace::TraceFlags;
pub(crate) use trace::{BackupTrace, serve_session};

use crate::exec::failure::storage_error;
use crate::session::memory::MemoryBudget;
use crate::session::{SessionShared, WaitCounter};
use labdb_storage::{DatabaseSpec, FileLayer, FileSpec, LockManager, Options, RecoveryModel};
use labdb_types::{SqlError, SqlResult};
use parking_lot::{Mutex, RwLock};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::SystemTime;

/// The files of the system databases, which are always in the instance's own folder.
pub fn system_files(data: &Path) -> impl Iterator<Item = PathBuf> {
    SYSTEM_DATABASES
        .into_iter()
        .flat_map(|(name, ..)| [format!("{name}.mdf"), format!("{name}_log.ldf")])
        .map(move |name| data.join(name))
}

/// How an instance is started.
#[derive(Clone)]
pub struct InstanceOptions {
    /// The folder with all its files.
    pub data: PathBuf,
    /// `@@SERVERNAME`.
    pub server_name: String,
    /// How databases are opened.
    pub storage: Options,
    /// Access to files; another one injects faults.
    pub files: Arc<dyn FileLayer>,
    /// Faults that are injected on purpose, for `@@VERSION`; empty where there are none.
    pub faults: String,
    /// The most connections at a time.
    pub max_connections: usize,
}

/// A running instance.
pub struct Instance {
    /// How it was started.
    pub options: InstanceOptions,
    /// When.
    pub started: SystemTime,
    /// Locks between sessions.
    pub locks: LockManager,
    databases: RwLock<Vec<Arc<Database>>>,
    sessions: RwLock<BTreeMap<i16, Arc<SessionShared>>>,
    pub(crate) serving: Arc<Serving>,
    ended_waits: Mutex<BTreeMap<&'static str, WaitCounter>>,
    /// What is durable beside the databases themselves.
    pub state: Mutex<State>,
    schema_version: AtomicU64,
    /// Trace flags.
    pub trace_flags: Arc<TraceFlags>,
    restores: Mutex<Vec<String>>,
    /// `##` tables of ended sessions that others still used then, with their object ids.
    pub(crate) left_tables: Mutex<Vec<(String, i32)>>,
    /// What trace flags 3004 and 3605 write.
    pub(crate) backup_trace: BackupTrace,
    log: Arc<errorlog::ErrorLog>,
    password_cache: logins::PasswordCache,
    /// What statements may use of the machine's memory.
    pub memory: Arc<MemoryBudget>,
    /// No new connections.
    pub stopping: AtomicBool,
    /// The address it listens on: host and port, once it does.
    pub listening: Mutex<Option<std::net::SocketAddr>>,
}

const SYSTEM_DATABASES: [(&str, i32, RecoveryModel); 4] = [
    ("master", 1, RecoveryModel::Simple),
    ("tempdb", 2, RecoveryModel::Simple),
    ("model", 3, RecoveryModel::Full),
    ("msdb", 4, RecoveryModel::Simple),
];

impl Instance {
    /// Opens the instance of a folder, or makes it.
    ///
    /// # Errors
    /// When the folder cannot be used, or a system database cannot be opened. A user database
    /// that cannot be opened is `RECOVERY_PENDING` and named in the log.
    pub fn open(mut options: InstanceOptions) -> SqlResult<Arc<Self>> {
        std::fs::create_dir_all(&options.data).map_err(|e| startup(&options.data, &e))?;
        let state = State::load(&options.data)?;
        let log = Arc::new(errorlog::ErrorLog::open(&options.data)?);
        let trace_flags = Arc::<TraceFlags>::default();
        let backup_trace = BackupTrace::new(Arc::clone(&trace_flags), Arc::clone(&log));
        options.storage.zeroing = Some(backup_trace.clone().zeroing());
        options.storage.zero_data_files = trace_flags.zero_data_files();
        let instance = Arc::new(Self {
            started: labdb_storage::clock::now(),
            locks: LockManager::new(),
            databases: RwLock::new(Vec::new()),
            sessions: RwLock::new(BTreeMap::new()),
            serving: Arc::default(),
            ended_waits: Mutex::new(BTreeMap::new()),
            state: Mutex::new(state),
            schema_version: AtomicU64::new(1),
            trace_flags,
            restores: Mutex::new(Vec::new()),
            left_tables: Mutex::default(),
            backup_trace,
            log,
            password_cache: logins::PasswordCache::default(),
            memory: Arc::default(),
            stopping: AtomicBool::new(false),
            listening: Mutex::new(None),
            options,
        });
        instance.log_error(0, &version_text(&instance));
        instance.log_error(0, &errorlog::file_initialization(&instance.options.storage));
        for (name, id, model) in SYSTEM_DATABASES {
            instance.open_system(name, id, model)?;
        }
        instance.remove_unsettled()?;
        let records = instance.state.lock().databases.clone();
        for record in records {
            if record.restoring.is_some() {
                let text = format!(
                    "The database '{}' is marked RESTORING and is in a state that does not allow \
                     recovery to be run.",
                    record.name
                );
                instance.log_error(0, &text);
                continue;
            }
            instance.log_error(0, &format!("Starting up database '{}'.", record.name));
            match Database::open(&instance, &record) {
                Ok(database) => {
                    instance.log_recovery(0, &database);
                    instance.databases.write().push(Arc::new(database));
                }
                Err(e) => instance.log_error(
                    0,
                    &format!("Database '{}' cannot be opened: {}", record.name, e.message),
                ),
            }
        }
        instance.log_error(
            0,
            "Recovery is complete. This is an informational message only. No user action is \
             required.",
        );
        Ok(instance)
    }

    fn open_system(self: &Arc<Self>, name: &str, id: i32, model: RecoveryModel) -> SqlResult<()> {
        let primary = self.options.data.join(format!("{name}.mdf"));
        let log = self.options.data.join(format!("{name}_log.ldf"));
        if name == "tempdb" {
            let _ = self.options.files.remove(&primary);
            let _ = self.options.files.remove(&log);
        }
        let (data_name, log_name) = match name {
            "master" => ("master".to_owned(), "mastlog".to_owned()),
            "tempdb" => ("tempdev".to_owned(), "templog".to_owned()),
            "model" => ("modeldev".to_owned(), "modellog".to_owned()),
            _ => (format!("{name}Data"), format!("{name}Log")),
        };
        let record = DatabaseRecord {
            id,
            name: name.to_owned(),
            primary: primary.clone(),
            created: self.started_parts(),
            owner: state::first_login(),
            restoring: None,
        };
        let storage_options = Options {
            buffer_pool_bytes: 4 << 20,
            ..self.options.storage.clone()
        };
        if !primary.exists() {
            let spec = DatabaseSpec {
                data: vec![FileSpec::new(data_name, &primary, 2 << 20)],
                log: vec![FileSpec::new(log_name, &log, 1 << 20)],
                recovery_model: model,
            };
            let _ = self.options.files.remove(&log);
            let storage = labdb_storage::Database::create(
                &spec,
                &storage_options,
                Arc::clone(&self.options.files),
            )
            .map_err(|e| storage_error(&e, name))?;
            let database = Database::adopt(storage, &record)?;
            database.set_created(self.started_parts())?;
            self.databases.write().push(Arc::new(database));
            return Ok(());
        }
        let storage = labdb_storage::Database::open(
            &primary,
            &storage_options,
            Arc::clone(&self.options.files),
        )
        .map_err(|e| storage_error(&e, name))?;
        self.databases
            .write()
            .push(Arc::new(Database::adopt(storage, &record)?));
        Ok(())
    }

    fn started_parts(&self) -> (i32, u32) {
        match crate::eval::calendar::datetime_from_system(self.started) {
            labdb_types::Value::DateTime { days, ticks } => (days, ticks),
            _ => (0, 0),
        }
    }

    /// A database by name.
    pub fn database(&self, name: &str) -> Option<Arc<Database>> {
        let wanted = crate::catalog::fold(name);
        self.databases
            .read()
            .iter()
            .find(|d| crate::catalog::fold(&d.name()) == wanted)
            .cloned()
    }

    /// A database by id.
    pub fn database_by_id(&self, id: i32) -> Option<Arc<Database>> {
        self.databases.read().iter().find(|d| d.id == id).cloned()
    }

    /// All databases, by id.
    pub fn databases(&self) -> Vec<Arc<Database>> {
        let mut list = self.databases.read().clone();
        list.sort_by_key(|d| d.id);
        list
    }

    /// Adds a database that was made, and remembers it.
    ///
    /// # Errors
    /// When the instance's state cannot be written.
    pub fn add_database(
        &self,
        database: Database,
        record: DatabaseRecord,
    ) -> SqlResult<Arc<Database>> {
        let database = Arc::new(database);
        {
            let mut state = self.state.lock();
            state.databases.push(record);
            state.save(&self.options.data)?;
        }
        self.databases.write().push(Arc::clone(&database));
        self.bump_schema();
        Ok(database)
    }

    /// Forgets a database; its files are the caller's.
    ///
    /// # Errors
    /// When the instance's state cannot be written.
    pub fn remove_database(&self, id: i32) -> SqlResult<()> {
        self.databases.write().retain(|d| d.id != id);
        let mut state = self.state.lock();
        state.databases.retain(|d| d.id != id);
        state.save(&self.options.data)?;
        drop(state);
        self.bump_schema();
        Ok(())
    }

    /// The lowest database id from 5 that is free.
    pub fn free_database_id(&self) -> i32 {
        let used: Vec<i32> = self.state.lock().databases.iter().map(|d| d.id).collect();
        (5..i32::MAX)
            .find(|id| !used.contains(id))
            .unwrap_or(i32::MAX)
    }

    /// Changes when any schema does: bound plans are as of one version.
    pub fn schema_version(&self) -> u64 {
        self.schema_version.load(Ordering::Acquire)
    }

    /// Makes bound plans stale.
    pub fn bump_schema(&self) {
        self.schema_version.fetch_add(1, Ordering::AcqRel);
    }

    /// Registers a session under a free number from 51.
    ///
    /// # Errors
    /// 17809 when there are too many.
    pub fn begin_session(
        &self,
        make: impl FnOnce(i16) -> SessionShared,
    ) -> SqlResult<Arc<SessionShared>> {
        let mut sessions = self.sessions.write();
        if sessions.len() >= self.options.max_connections {
            return Err(SqlError::new(
                17809,
                format!(
                    "Could not connect because the maximum number of '{}' user connections has \
                     already been reached. Close connections, or start labdb with a higher \
                     --max-connections.",
                    self.options.max_connections
                ),
            )
            .severity(20));
        }
        let id = (51..i16::MAX)
            .find(|id| !sessions.contains_key(id))
            .unwrap_or(i16::MAX);
        let shared = Arc::new(make(id));
        sessions.insert(id, Arc::clone(&shared));
        Ok(shared)
    }

    /// Takes a session off the list; its waits stay in the instance's sum.
    pub fn end_session(&self, shared: &SessionShared) {
        // Both under one lock, so that a reader of the sum never misses or doubles a session.
        let mut sessions = self.sessions.write();
        let mut totals = self.ended_waits.lock();
        for (name, counter) in shared.wait_rows() {
            totals.entry(name).or_default().merge(&counter);
        }
        sessions.remove(&shared.id);
    }

    /// All sessions, by number.
    pub fn sessions(&self) -> Vec<Arc<SessionShared>> {
        self.sessions.read().values().cloned().collect()
    }

    /// A session by number.
    pub fn session(&self, id: i16) -> Option<Arc<SessionShared>> {
        self.sessions.read().get(&id).cloned()
    }

    /// The waits of all sessions since the start, by name.
    pub fn wait_totals(&self) -> BTreeMap<&'static str, WaitCounter> {
        let sessions = self.sessions.read();
        let mut totals = self.ended_waits.lock().clone();
        for session in sessions.values() {
            for (name, counter) in session.wait_rows() {
                totals.entry(name).or_default().merge(&counter);
            }
        }
        totals
    }

    /// Ends a session: its work is cancelled and its connection closed.
    pub fn kill(&self, session: &SessionShared) {
        session.killed.store(true, Ordering::Relaxed);
        self.locks.cancel(
            labdb_storage::LockOwner(u64::from(session.id.unsigned_abs())),
            &session.cancel,
        );
        if let Some(close) = session.closer.lock().as_ref() {
            close();
        }
    }

    /// Checks a login.
    pub fn login(&self, name: &str, password: &str) -> Option<Login> {
        let login = self
            .state
            .lock()
            .logins
            .iter()
            .find(|l| l.name.eq_ignore_ascii_case(name))
            .cloned();
        match login {
            Some(login) => {
                (!login.disabled && self.password_cache.verify(&login, password)).then_some(login)
            }
            None => {
                // As much work as for a name that exists, so that time does not tell names.
                logins::PasswordCache::waste(password);
                None
            }
        }
    }

    /// Whether a login has a permission at the scope of the server.
    pub fn has_permission(&self, login: &str, permission: ServerPermission) -> bool {
        self.state
            .lock()
            .login(login)
            .is_some_and(|l| l.has(permission))
    }

    /// Whether a login is a member of sysadmin.
    pub fn is_sysadmin(&self, login: &str) -> bool {
        self.state.lock().login(login).is_some_and(|l| l.sysadmin)
    }

    /// A login's `principal_id`.
    pub fn login_id(&self, login: &str) -> Option<i32> {
        self.state.lock().login(login).map(|l| l.principal_id)
    }

    /// The `principal_id` of the login that owns a database.
    pub fn database_owner(&self, database_id: i32) -> i32 {
        self.state
            .lock()
            .databases
            .iter()
            .find(|d| d.id == database_id)
            .map_or(state::first_login(), |d| d.owner)
    }

    /// Changes the logins, durably; on an error nothing is changed.
    ///
    /// # Errors
    /// What the change says; when the instance's state cannot be written.
    pub fn change_logins(&self, change: impl FnOnce(&mut State) -> SqlResult<()>) -> SqlResult<()> {
        let mut state = self.state.lock();
        let mut changed = state.clone();
        change(&mut changed)?;
        changed.save(&self.options.data)?;
        *state = changed;
        drop(state);
        // What was checked when a plan was bound may no longer hold.
        self.bump_schema();
        Ok(())
    }

    /// Ends all sessions and closes all databases, with a checkpoint in each. No thread of a
    /// connection holds the instance then, unless one has not ended within 5 s.
    pub fn close(&self) {
        self.stopping.store(true, Ordering::Relaxed);
        for session in self.sessions() {
            self.kill(&session);
        }
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(5);
        while !self.sessions.read().is_empty() && std::time::Instant::now() < deadline {
            std::thread::sleep(std::time::Duration::from_millis(2));
        }
        // A thread lets go of the files a moment after its session is off the list.
        self.serving.close(deadline);
        for database in self.databases() {
            if let Err(e) = database.storage.close() {
                self.log_error(
                    0,
                    &format!("Closing database '{}' failed: {e}", database.name()),
                );
            }
        }
        self.log_error(
            0,
            "labdb is terminating in response to a stop request. This is an informational message \
             only. No user action is required.",
        );
    }
}

fn startup(path: &Path, error: &std::io::Error) -> SqlError {
    SqlError::new(
        17204,
        format!(
            "The data folder '{}' cannot be used: {error}. Give --data a folder that this user \
             may write to.",
            path.display()
        ),
    )
    .severity(16)
}
