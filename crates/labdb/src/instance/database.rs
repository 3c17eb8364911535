//! A database of the instance: storage, catalog and settings.

use super::{DatabaseRecord, Instance};
use crate::catalog::{self, Catalog};
use crate::exec::failure::storage_error;
use crate::session::{Session, SessionShared, Status};
use labdb_types::{SqlError, SqlResult, Value};
use parking_lot::{Mutex, RwLock};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::time::SystemTime;

/// `DELAYED_DURABILITY`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum DelayedDurability {
    /// Every commit is durable.
    Disabled = 0,
    /// COMMIT decides.
    Allowed = 1,
    /// No commit waits.
    Forced = 2,
}

/// Who may be in the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum UserAccess {
    /// Everybody.
    Multi = 0,
    /// One session.
    Single = 1,
    /// Owners only.
    Restricted = 2,
}

/// Settings that are kept with the database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatabaseSettings {
    /// `compatibility_level`.
    pub compatibility_level: u8,
    /// `target_recovery_time_in_seconds`.
    pub target_recovery_time: i32,
    /// Switches such as `AUTO_CLOSE` that are ON; they are remembered and do nothing.
    pub switches: Vec<String>,
    /// `page_verify_option_desc`.
    pub page_verify: String,
    /// `create_date`.
    pub created: (i32, u32),
}

/// The session that has a database to itself, and the request in which it took it.
#[derive(Clone, Copy, Debug)]
struct Holder {
    session: i16,
    request: Option<SystemTime>,
}

/// When the request began that a session is working on.
fn running(session: &SessionShared) -> Option<SystemTime> {
    let running = session.status.load(Ordering::Relaxed) == Status::Running as u8;
    let request = *session.request.lock();
    request.filter(|_| running).map(|(begun, _)| begun)
}

/// An open database.
pub struct Database {
    /// `database_id`.
    pub id: i32,
    name: RwLock<String>,
    /// The primary data file.
    pub primary: PathBuf,
    /// Files, log and rows.
    pub storage: Arc<labdb_storage::Database>,
    /// The catalog as of now.
    pub catalog: RwLock<Arc<Catalog>>,
    /// Settings.
    pub settings: RwLock<DatabaseSettings>,
    delayed_durability: AtomicU8,
    /// [`UserAccess`] as a number.
    user_access: AtomicU8,
    /// Who holds a `SINGLE_USER` database.
    single_user: Mutex<Option<Holder>>,
    /// `READ_ONLY`.
    pub read_only: AtomicBool,
    /// Dropped: sessions that still hold it get errors.
    pub dropped: AtomicBool,
    /// Open storage transactions and the sessions they belong to.
    pub storage_transactions: Mutex<HashMap<u64, i16>>,
}

const CREATED: &str = "create_date";

impl Database {
    /// Opens a database that exists.
    ///
    /// # Errors
    /// Those of storage and catalog.
    pub fn open(instance: &Instance, record: &DatabaseRecord) -> SqlResult<Self> {
        let storage = labdb_storage::Database::open(
            &record.primary,
            &instance.options.storage,
            Arc::clone(&instance.options.files),
        )
        .map_err(|e| storage_error(&e, &record.name))?;
        Self::adopt(storage, record)
    }

    /// Takes an open storage database in and reads its catalog and settings.
    ///
    /// # Errors
    /// Those of the catalog.
    pub fn adopt(
        storage: Arc<labdb_storage::Database>,
        record: &DatabaseRecord,
    ) -> SqlResult<Self> {
        let catalog = catalog::load(&storage, record.id)?;
        let created = storage.setting(CREATED).and_then(|t| {
            let (days, ticks) = t.split_once(' ')?;
            Some((days.parse().ok()?, ticks.parse().ok()?))
        });
        let number = |name: &str| storage.setting(name).and_then(|t| t.parse::<i32>().ok());
        let settings = DatabaseSettings {
            compatibility_level: number("compatibility_level").map_or(160, |n| n as u8),
            target_recovery_time: number("target_recovery_time").unwrap_or(60),
            switches: storage
                .setting("switches")
                .map(|t| {
                    t.split(',')
                        .filter(|s| !s.is_empty())
                        .map(str::to_owned)
                        .collect()
                })
                .unwrap_or_default(),
            page_verify: storage
                .setting("page_verify")
                .unwrap_or_else(|| "CHECKSUM".to_owned()),
            created: created.unwrap_or(record.created),
        };
        let delayed = number("delayed_durability").map_or(0, |n| n.clamp(0, 2) as u8);
        let access = number("user_access").map_or(0, |n| n.clamp(0, 2) as u8);
        let read_only = number("read_only") == Some(1);
        Ok(Self {
            id: record.id,
            name: RwLock::new(record.name.clone()),
            primary: record.primary.clone(),
            storage,
            catalog: RwLock::new(Arc::new(catalog)),
            settings: RwLock::new(settings),
            delayed_durability: AtomicU8::new(delayed),
            user_access: AtomicU8::new(access),
            single_user: Mutex::new(None),
            read_only: AtomicBool::new(read_only),
            dropped: AtomicBool::new(false),
            storage_transactions: Mutex::new(HashMap::new()),
        })
    }

    /// Its name.
    pub fn name(&self) -> String {
        self.name.read().clone()
    }

    /// Gives it another name; the caller writes the instance's state.
    pub fn rename(&self, name: &str) {
        name.clone_into(&mut self.name.write());
    }

    /// Whether it is master, tempdb, model or msdb.
    pub fn is_system(&self) -> bool {
        self.id <= 4
    }

    /// The catalog as of now.
    pub fn catalog(&self) -> Arc<Catalog> {
        Arc::clone(&self.catalog.read())
    }

    fn keep(&self, name: &str, value: &str) -> SqlResult<()> {
        self.storage
            .set_setting(name, Some(value))
            .map_err(|e| storage_error(&e, &self.name()))
    }

    /// Sets `create_date`.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn set_created(&self, created: (i32, u32)) -> SqlResult<()> {
        self.settings.write().created = created;
        self.keep(CREATED, &format!("{} {}", created.0, created.1))
    }

    /// `create_date` as a value.
    pub fn created(&self) -> Value {
        let (days, ticks) = self.settings.read().created;
        Value::DateTime { days, ticks }
    }

    /// `DELAYED_DURABILITY`.
    pub fn delayed_durability(&self) -> DelayedDurability {
        match self.delayed_durability.load(Ordering::Relaxed) {
            1 => DelayedDurability::Allowed,
            2 => DelayedDurability::Forced,
            _ => DelayedDurability::Disabled,
        }
    }

    /// Sets `DELAYED_DURABILITY`.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn set_delayed_durability(&self, value: DelayedDurability) -> SqlResult<()> {
        self.keep("delayed_durability", &(value as u8).to_string())?;
        self.delayed_durability
            .store(value as u8, Ordering::Relaxed);
        Ok(())
    }

    /// Whether a commit waits for the disk: the database's setting wins over COMMIT's option.
    /// tempdb never waits.
    pub fn commits_durably(&self, delayed: Option<bool>) -> bool {
        if self.id == 2 {
            return false;
        }
        match self.delayed_durability() {
            DelayedDurability::Disabled => true,
            DelayedDurability::Allowed => delayed != Some(true),
            DelayedDurability::Forced => false,
        }
    }

    /// Who may be in it.
    pub fn user_access(&self) -> UserAccess {
        match self.user_access.load(Ordering::Relaxed) {
            1 => UserAccess::Single,
            2 => UserAccess::Restricted,
            _ => UserAccess::Multi,
        }
    }

    /// Sets who may be in it. A session that sets `SINGLE_USER` has the database to itself until
    /// its request ends, also from another one, and then for as long as it is in it.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn set_user_access(&self, access: UserAccess, session: &Session) -> SqlResult<()> {
        self.keep("user_access", &(access as u8).to_string())?;
        let mut holder = self.single_user.lock();
        self.user_access.store(access as u8, Ordering::Relaxed);
        *holder = (access == UserAccess::Single).then(|| Holder {
            session: session.id(),
            request: running(&session.shared),
        });
        Ok(())
    }

    /// Sets `READ_ONLY` or `READ_WRITE`.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn set_read_only(&self, read_only: bool) -> SqlResult<()> {
        self.keep("read_only", if read_only { "1" } else { "0" })?;
        self.read_only.store(read_only, Ordering::Relaxed);
        Ok(())
    }

    /// Changes and keeps the other settings.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn change_settings(&self, change: impl FnOnce(&mut DatabaseSettings)) -> SqlResult<()> {
        let mut settings = self.settings.write();
        change(&mut settings);
        self.keep(
            "compatibility_level",
            &settings.compatibility_level.to_string(),
        )?;
        self.keep(
            "target_recovery_time",
            &settings.target_recovery_time.to_string(),
        )?;
        self.keep("page_verify", &settings.page_verify)?;
        self.keep("switches", &settings.switches.join(","))
    }

    /// Whether a session may work in it.
    ///
    /// # Errors
    /// 916 without a right to, 924 where it is another session's alone.
    pub fn check_access(&self, session: &Session) -> SqlResult<()> {
        self.admit(session, &mut self.single_user.lock())
    }

    /// Makes it the session's current database. Nobody comes in between the check and that, so
    /// that whoever takes it for itself alone sees everybody who is in it.
    ///
    /// # Errors
    /// As [`Self::check_access`].
    pub fn enter(&self, session: &Session) -> SqlResult<()> {
        let mut holder = self.single_user.lock();
        self.admit(session, &mut holder)?;
        session.shared.database_id.store(self.id, Ordering::Relaxed);
        Ok(())
    }

    fn admit(&self, session: &Session, holder: &mut Option<Holder>) -> SqlResult<()> {
        if self.dropped.load(Ordering::Relaxed) {
            return Err(SqlError::new(
                911,
                format!(
                    "Database '{}' does not exist. Make sure that the name is entered correctly.",
                    self.name()
                ),
            ));
        }
        if !crate::exec::permission::may_enter(session, self) {
            return Err(SqlError::new(
                916,
                format!(
                    "The server principal \"{}\" is not able to access the database \"{}\" under \
                     the current security context.",
                    session.shared.login_name,
                    self.name()
                ),
            )
            .severity(14));
        }
        if self.user_access() != UserAccess::Single {
            return Ok(());
        }
        let held = holder.is_some_and(|holder| {
            holder.session != session.id()
                && session
                    .instance
                    .session(holder.session)
                    .is_some_and(|other| {
                        other.database_id.load(Ordering::Relaxed) == self.id
                            || (holder.request.is_some() && running(&other) == holder.request)
                    })
        });
        if held {
            return Err(SqlError::new(
                924,
                format!(
                    "Database '{}' is already open and can only have one user at a time.",
                    self.name()
                ),
            )
            .severity(14));
        }
        let request = holder
            .filter(|holder| holder.session == session.id())
            .and_then(|holder| holder.request);
        *holder = Some(Holder {
            session: session.id(),
            request,
        });
        Ok(())
    }
}
