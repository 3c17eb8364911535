//! CREATE, ALTER and DROP DATABASE.

use super::Executor;
use super::failure::storage_error;
use crate::catalog::fold;
use crate::eval::calendar;
use crate::instance::{Database, DatabaseRecord, DelayedDurability, UserAccess};
use labdb_storage::{
    DatabaseSpec, FileKind, FileRow, FileSpec, Growth, RecoveryModel, StorageError,
};
use labdb_tsql::ast::{
    AlterDatabase, CreateDatabase, DatabaseOption, FileOptions, FileSize, SizeUnit, Termination,
};
use labdb_types::{SqlError, SqlResult, SqlType, Value};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Default sizes of new files, as SQL Server 2016 and later.
const DEFAULT_SIZE: u64 = 8 << 20;

/// Refuses collations other than the one that labdb compares by.
pub(crate) fn check_collation(name: &str) -> SqlResult<()> {
    let known = [
        crate::functions::COLLATION,
        "DATABASE_DEFAULT",
        "CATALOG_DEFAULT",
        "Latin1_General_CI_AS",
    ];
    if known.iter().any(|k| k.eq_ignore_ascii_case(name)) {
        return Ok(());
    }
    Err(SqlError::new(
        40510,
        format!(
            "Collation '{name}' is outside labdb's subset: it compares by {} only.",
            crate::functions::COLLATION
        ),
    ))
}

fn bytes(size: FileSize) -> Option<u64> {
    match size {
        FileSize::Size(n, unit) => n.checked_mul(match unit {
            SizeUnit::Kb => 1 << 10,
            SizeUnit::Mb => 1 << 20,
            SizeUnit::Gb => 1 << 30,
            SizeUnit::Tb => 1 << 40,
        }),
        FileSize::Percent(_) | FileSize::Unlimited => None,
    }
}

fn growth(size: FileSize) -> SqlResult<Growth> {
    match size {
        FileSize::Percent(n) => Ok(Growth::Percent(n)),
        FileSize::Unlimited => {
            Err(SqlError::new(102, "Incorrect syntax near 'UNLIMITED'.").severity(15))
        }
        // Rounded up to 64 KB, as SQL Server does.
        sized @ FileSize::Size(..) => Ok(Growth::Bytes(
            bytes(sized).unwrap_or(0).div_ceil(65_536) * 65_536,
        )),
    }
}

fn file_spec(
    options: &FileOptions,
    default_name: &str,
    default_path: PathBuf,
) -> SqlResult<FileSpec> {
    let name = options
        .name
        .clone()
        .unwrap_or_else(|| default_name.to_owned());
    let path = options
        .file_name
        .as_ref()
        .map_or(default_path, PathBuf::from);
    let size = options
        .size
        .and_then(bytes)
        .unwrap_or(DEFAULT_SIZE)
        .div_ceil(8192)
        * 8192;
    let mut spec = FileSpec::new(name, path, size);
    if let Some(size) = options.growth {
        spec.growth = growth(size)?;
    }
    spec.max_size = options.max_size.and_then(bytes);
    Ok(spec)
}

/// The error of a file that cannot be made.
pub(crate) fn creation_error(error: &StorageError, name: &str) -> SqlError {
    match error {
        StorageError::Io { path, source, .. }
            if source.kind() == std::io::ErrorKind::AlreadyExists =>
        {
            SqlError::new(
                5170,
                format!(
                    "Cannot create file '{}' because it already exists. Change the file path or \
                     the file name, and retry the operation.",
                    path.display()
                ),
            )
        }
        StorageError::Io { path, source, .. } if source.kind() == std::io::ErrorKind::NotFound => {
            SqlError::new(
                5133,
                format!(
                    "Directory lookup for the file \"{}\" failed with the operating system error \
                     {source}.",
                    path.display()
                ),
            )
        }
        StorageError::Io { path, source, .. } => SqlError::new(
            5123,
            format!(
                "CREATE FILE encountered operating system error {source} while attempting to open \
                 or create the physical file '{}'.",
                path.display()
            ),
        ),
        StorageError::Invalid(text) => SqlError::new(
            1803,
            format!("The CREATE DATABASE statement failed for '{name}': {text}."),
        ),
        other => storage_error(other, name),
    }
}

pub(crate) fn datetime_now() -> (i32, u32) {
    match calendar::value_from_moment(calendar::now_local(), SqlType::DateTime) {
        Some(Value::DateTime { days, ticks }) => (days, ticks),
        _ => (0, 0),
    }
}

fn no_database(name: &str) -> SqlError {
    SqlError::new(
        911,
        format!("Database '{name}' does not exist. Make sure that the name is entered correctly."),
    )
}

impl Executor<'_> {
    pub(crate) fn create_database(&mut self, create: &CreateDatabase) -> SqlResult<()> {
        self.outside_transaction("CREATE DATABASE")?;
        super::permission::require_sysadmin(self.session, "CREATE DATABASE")?;
        let instance = Arc::clone(&self.session.instance);
        let name = &create.name;
        if name.is_empty()
            || crate::eval::convert::length_in(name, true) > 123
            || name.contains(['/', '\0'])
        {
            return Err(SqlError::new(
                1038,
                format!(
                    "'{name}' cannot be the name of a database in labdb: names have 1 to 123 \
                     characters and no '/'."
                ),
            )
            .severity(15));
        }
        if let Some(collation) = &create.collation {
            check_collation(collation)?;
        }
        if instance.database(name).is_some() {
            return Err(SqlError::new(
                1801,
                format!("Database '{name}' already exists. Choose a different database name."),
            )
            .state(3));
        }
        let folder = &instance.options.data;
        let mut data = Vec::new();
        for (at, file) in create.data_files.iter().enumerate() {
            let default_name = if at == 0 {
                name.clone()
            } else {
                format!("{name}_{}", at + 1)
            };
            let extension = if at == 0 { "mdf" } else { "ndf" };
            data.push(file_spec(
                file,
                &default_name,
                folder.join(format!("{default_name}.{extension}")),
            )?);
        }
        if data.is_empty() {
            data.push(FileSpec::new(
                name,
                folder.join(format!("{name}.mdf")),
                DEFAULT_SIZE,
            ));
        }
        let mut log = Vec::new();
        for (at, file) in create.log_files.iter().enumerate() {
            let default_name = if at == 0 {
                format!("{name}_log")
            } else {
                format!("{name}_log{}", at + 1)
            };
            log.push(file_spec(
                file,
                &default_name,
                folder.join(format!("{default_name}.ldf")),
            )?);
        }
        if log.is_empty() {
            log.push(FileSpec::new(
                format!("{name}_log"),
                folder.join(format!("{name}_log.ldf")),
                DEFAULT_SIZE,
            ));
        }
        let model = instance
            .database_by_id(3)
            .map_or(RecoveryModel::Full, |d| d.storage.recovery_model());
        let primary = data.first().map(|f| f.path.clone()).unwrap_or_default();
        let spec = DatabaseSpec {
            data,
            log,
            recovery_model: model,
        };
        let storage = labdb_storage::Database::create(
            &spec,
            &instance.options.storage,
            Arc::clone(&instance.options.files),
        )
        .map_err(|e| creation_error(&e, name))?;
        let record = DatabaseRecord {
            id: instance.free_database_id(),
            name: name.clone(),
            primary,
            created: datetime_now(),
        };
        let database = Database::adopt(storage, &record)?;
        database.set_created(record.created)?;
        instance.add_database(database, record)?;
        instance.log_error(
            self.session.id(),
            &format!("Starting up database '{name}'."),
        );
        self.end_and_done()
    }

    fn altered(&self, name: Option<&String>) -> SqlResult<Arc<Database>> {
        let Some(name) = name else {
            return Ok(self.session.database());
        };
        self.session.instance.database(name).ok_or_else(|| {
            SqlError::new(
                5011,
                format!(
                    "User does not have permission to alter database '{name}', the database does \
                     not exist, or the database is not in a state that allows access checks."
                ),
            )
            .severity(14)
            .state(5)
        })
    }

    pub(crate) fn alter_database(&mut self, alter: &AlterDatabase) -> SqlResult<()> {
        self.outside_transaction("ALTER DATABASE")?;
        super::permission::require_sysadmin(self.session, "ALTER DATABASE")?;
        match alter {
            AlterDatabase::Set {
                database,
                options,
                termination,
            } => {
                let database = self.altered(database.as_ref())?;
                for option in options {
                    self.set_database_option(&database, option, *termination)?;
                }
            }
            AlterDatabase::ModifyFile { database, file } => {
                let database = self.altered(database.as_ref())?;
                modify_file(&database, file)?;
            }
            AlterDatabase::ModifyName { database, name } => {
                let database = self.altered(database.as_ref())?;
                self.rename_database(&database, name)?;
            }
            AlterDatabase::Collate { collation, .. } => check_collation(collation)?,
            AlterDatabase::AddFile { .. } => {
                return Err(SqlError::new(
                    40510,
                    "ALTER DATABASE … ADD FILE is outside labdb's subset: name all files in \
                     CREATE DATABASE.",
                ));
            }
            AlterDatabase::RemoveFile { .. } => {
                return Err(SqlError::new(
                    40510,
                    "ALTER DATABASE … REMOVE FILE is outside labdb's subset.",
                ));
            }
        }
        self.end_and_done()
    }

    fn rename_database(&self, database: &Arc<Database>, name: &str) -> SqlResult<()> {
        if database.is_system() {
            return Err(SqlError::new(
                5045,
                format!(
                    "Cannot change the name of the system database {}.",
                    database.name()
                ),
            ));
        }
        if self.session.instance.database(name).is_some() {
            return Err(SqlError::new(
                1801,
                format!("Database '{name}' already exists. Choose a different database name."),
            )
            .state(3));
        }
        let mut state = self.session.instance.state.lock();
        if let Some(record) = state.databases.iter_mut().find(|d| d.id == database.id) {
            name.clone_into(&mut record.name);
        }
        state.save(&self.session.instance.options.data)?;
        drop(state);
        database.rename(name);
        self.session.instance.bump_schema();
        Ok(())
    }

    fn set_database_option(
        &mut self,
        database: &Arc<Database>,
        option: &DatabaseOption,
        termination: Option<Termination>,
    ) -> SqlResult<()> {
        let word = option.words.first().map_or("", String::as_str);
        let bad = || SqlError::new(102, format!("Incorrect syntax near '{word}'.")).severity(15);
        match option.name.as_str() {
            "RECOVERY" => {
                let model = match word {
                    "FULL" => RecoveryModel::Full,
                    "SIMPLE" => RecoveryModel::Simple,
                    "BULK_LOGGED" => RecoveryModel::BulkLogged,
                    _ => return Err(bad()),
                };
                if database.id == 2 {
                    return Err(SqlError::new(
                        5058,
                        "Option 'RECOVERY' cannot be set in database 'tempdb'.",
                    ));
                }
                database
                    .storage
                    .set_recovery_model(model)
                    .map_err(|e| storage_error(&e, &database.name()))?;
                self.session.instance.log_error(
                    self.session.id(),
                    &format!(
                        "Setting database option RECOVERY to {word} for database '{}'.",
                        database.name()
                    ),
                );
            }
            "DELAYED_DURABILITY" => {
                let value = match word {
                    "DISABLED" => DelayedDurability::Disabled,
                    "ALLOWED" => DelayedDurability::Allowed,
                    "FORCED" => DelayedDurability::Forced,
                    _ => return Err(bad()),
                };
                database.set_delayed_durability(value)?;
                // What was committed lazily before is not left behind by the change.
                database
                    .storage
                    .flush_log(&*self.session.shared)
                    .map_err(|e| storage_error(&e, &database.name()))?;
                self.session.instance.log_error(
                    self.session.id(),
                    &format!(
                        "Setting database option delayed_durability to {word} for database '{}'.",
                        database.name()
                    ),
                );
            }
            "SINGLE_USER" | "RESTRICTED_USER" | "MULTI_USER" => {
                if database.is_system() {
                    return Err(SqlError::new(
                        5058,
                        format!(
                            "Option '{}' cannot be set in database '{}'.",
                            option.name,
                            database.name()
                        ),
                    ));
                }
                if database.user_access() == UserAccess::Single {
                    database.check_access(self.session).map_err(|_| {
                        SqlError::new(
                            5064,
                            format!(
                                "Changes to the state or options of database '{}' cannot be made \
                                 at this time. The database is in single-user mode, and a user is \
                                 currently connected to it.",
                                database.name()
                            ),
                        )
                    })?;
                }
                let access = match option.name.as_str() {
                    "SINGLE_USER" => UserAccess::Single,
                    "RESTRICTED_USER" => UserAccess::Restricted,
                    _ => UserAccess::Multi,
                };
                if access != UserAccess::Multi {
                    self.clear_sessions(database, termination)?;
                }
                database.set_user_access(access, self.session.id())?;
                self.session.instance.log_error(
                    self.session.id(),
                    &format!(
                        "Setting database option {} to ON for database '{}'.",
                        option.name,
                        database.name()
                    ),
                );
            }
            "READ_ONLY" | "READ_WRITE" => {
                if database.is_system() {
                    return Err(SqlError::new(
                        5058,
                        format!(
                            "Option '{}' cannot be set in database '{}'.",
                            option.name,
                            database.name()
                        ),
                    ));
                }
                self.clear_sessions(database, termination)?;
                database
                    .storage
                    .checkpoint()
                    .map_err(|e| storage_error(&e, &database.name()))?;
                database.set_read_only(option.name == "READ_ONLY")?;
            }
            "ONLINE" => {}
            "TARGET_RECOVERY_TIME" => {
                let n: i32 = word.parse().map_err(|_| bad())?;
                let seconds = if option.words.iter().any(|w| w == "MINUTES") {
                    n.saturating_mul(60)
                } else {
                    n
                };
                database.change_settings(|s| s.target_recovery_time = seconds)?;
            }
            "COMPATIBILITY_LEVEL" => {
                let level: u8 = word.parse().map_err(|_| bad())?;
                if ![100, 110, 120, 130, 140, 150, 160].contains(&level) {
                    return Err(SqlError::new(
                        15048,
                        "Valid values of the database compatibility level are 100, 110, 120, 130, \
                         140, 150, or 160.",
                    ));
                }
                database.change_settings(|s| s.compatibility_level = level)?;
            }
            "PAGE_VERIFY" => {
                if word != "CHECKSUM" {
                    return Err(SqlError::new(
                        40510,
                        format!(
                            "PAGE_VERIFY {word} is outside labdb's subset: its pages always carry \
                             a checksum."
                        ),
                    ));
                }
            }
            "AUTO_CLOSE"
            | "AUTO_SHRINK"
            | "AUTO_CREATE_STATISTICS"
            | "AUTO_UPDATE_STATISTICS"
            | "AUTO_UPDATE_STATISTICS_ASYNC"
            | "QUERY_STORE"
            | "TRUSTWORTHY"
            | "DB_CHAINING"
            | "ANSI_NULL_DEFAULT"
            | "ANSI_NULLS"
            | "ANSI_PADDING"
            | "ANSI_WARNINGS"
            | "ARITHABORT"
            | "CONCAT_NULL_YIELDS_NULL"
            | "NUMERIC_ROUNDABORT"
            | "QUOTED_IDENTIFIER"
            | "RECURSIVE_TRIGGERS"
            | "CURSOR_CLOSE_ON_COMMIT"
            | "DATE_CORRELATION_OPTIMIZATION" => {
                let name = option.name.clone();
                let on = word == "ON";
                if name == "AUTO_CLOSE" && on {
                    return Err(SqlError::new(
                        40510,
                        "AUTO_CLOSE ON is outside labdb's subset: its databases stay open.",
                    ));
                }
                database.change_settings(|s| {
                    s.switches.retain(|n| *n != name);
                    if on {
                        s.switches.push(name);
                    }
                })?;
            }
            "READ_COMMITTED_SNAPSHOT"
            | "ALLOW_SNAPSHOT_ISOLATION"
            | "ACCELERATED_DATABASE_RECOVERY"
            | "MEMORY_OPTIMIZED_ELEVATE_TO_SNAPSHOT"
            | "CHANGE_TRACKING"
            | "ENCRYPTION"
                if word == "OFF" => {}
            other => {
                return Err(SqlError::new(
                    40510,
                    format!(
                        "ALTER DATABASE … SET {other} {} is outside labdb's subset.",
                        option.words.join(" ")
                    ),
                ));
            }
        }
        Ok(())
    }

    fn others_in(&self, database: &Database) -> Vec<Arc<crate::session::SessionShared>> {
        self.session
            .instance
            .sessions()
            .into_iter()
            .filter(|s| {
                s.id != self.session.id() && s.database_id.load(Ordering::Relaxed) == database.id
            })
            .collect()
    }

    /// Gets other sessions out of a database, as the termination clause says.
    fn clear_sessions(
        &mut self,
        database: &Database,
        termination: Option<Termination>,
    ) -> SqlResult<()> {
        let patience = match termination {
            Some(Termination::RollbackImmediate) => Some(Duration::ZERO),
            Some(Termination::RollbackAfter(seconds)) => {
                Some(Duration::from_secs(u64::from(seconds)))
            }
            Some(Termination::NoWait) => {
                return if self.others_in(database).is_empty() {
                    Ok(())
                } else {
                    Err(SqlError::new(
                        5070,
                        format!(
                            "Database state cannot be changed while other users are using the \
                             database '{}'",
                            database.name()
                        ),
                    )
                    .state(2))
                };
            }
            None => None,
        };
        let begun = Instant::now();
        let mut told = false;
        loop {
            let others = self.others_in(database);
            if others.is_empty() {
                return Ok(());
            }
            if patience.is_some_and(|p| begun.elapsed() >= p) {
                if !told {
                    told = true;
                    self.client.info(
                        &SqlError::new(
                            5060,
                            "Nonqualified transactions are being rolled back. Estimated rollback \
                             completion: 100%.",
                        )
                        .severity(10)
                        .at_line(self.line),
                    )?;
                }
                for other in &others {
                    self.session.instance.kill(other);
                }
            }
            std::thread::sleep(Duration::from_millis(2));
            self.poll_client()?;
        }
    }

    pub(crate) fn drop_database(&mut self, names: &[String], if_exists: bool) -> SqlResult<()> {
        self.outside_transaction("DROP DATABASE")?;
        super::permission::require_sysadmin(self.session, "DROP DATABASE")?;
        for name in names {
            let Some(database) = self.session.instance.database(name) else {
                if if_exists {
                    continue;
                }
                return Err(SqlError::new(
                    3701,
                    format!(
                        "Cannot drop the database '{name}', because it does not exist or you do \
                         not have permission."
                    ),
                )
                .severity(11));
            };
            if database.is_system() {
                return Err(SqlError::new(
                    3708,
                    format!("Cannot drop the database '{name}' because it is a system database."),
                ));
            }
            if self.session.database_id() == database.id || !self.others_in(&database).is_empty() {
                return Err(SqlError::new(
                    3702,
                    format!("Cannot drop database \"{name}\" because it is currently in use."),
                )
                .state(4));
            }
            database.dropped.store(true, Ordering::Relaxed);
            self.session.instance.remove_database(database.id)?;
            database
                .storage
                .drop_files()
                .map_err(|e| storage_error(&e, name))?;
            self.session.instance.log_error(
                self.session.id(),
                &format!("Database '{name}' was dropped."),
            );
        }
        self.end_and_done()
    }

    /// A database by name, for statements that take one.
    pub(crate) fn named_database(&self, name: &str) -> SqlResult<Arc<Database>> {
        self.session
            .instance
            .database(name)
            .ok_or_else(|| no_database(name))
    }
}

fn modify_file(database: &Database, options: &FileOptions) -> SqlResult<()> {
    let name = options.name.clone().unwrap_or_default();
    let file: FileRow = database
        .storage
        .files()
        .into_iter()
        .find(|f| fold(&f.name) == fold(&name))
        .ok_or_else(|| {
            SqlError::new(
                5041,
                format!("MODIFY FILE failed. File '{name}' does not exist."),
            )
        })?;
    if options.new_name.is_some() || options.file_name.is_some() {
        return Err(SqlError::new(
            40510,
            "MODIFY FILE with NEWNAME or FILENAME is outside labdb's subset.",
        ));
    }
    let size = match options.size {
        Some(size) => {
            let wanted = bytes(size)
                .ok_or_else(|| {
                    SqlError::new(102, "MODIFY FILE needs a SIZE in KB, MB, GB or TB.").severity(15)
                })?
                .div_ceil(8192)
                * 8192;
            if wanted <= file.size {
                return Err(SqlError::new(
                    5039,
                    "MODIFY FILE failed. Specified size is less than or equal to current size.",
                ));
            }
            if file.max_size.is_some_and(|max| wanted > max) && options.max_size.is_none() {
                return Err(SqlError::new(
                    5040,
                    "MODIFY FILE failed. Size is greater than MAXSIZE.",
                ));
            }
            Some(wanted)
        }
        None => None,
    };
    let new_growth = options.growth.map(growth).transpose()?;
    let max = match options.max_size {
        Some(FileSize::Unlimited) => Some(None),
        Some(size) => Some(bytes(size)),
        None => None,
    };
    let kind = if file.kind == FileKind::Log {
        "log"
    } else {
        "data"
    };
    database
        .storage
        .modify_file(&file.name, size, new_growth, max)
        .map_err(|e| match &e {
            StorageError::Io { source, .. } => SqlError::new(
                5149,
                format!(
                    "MODIFY FILE encountered operating system error {source} while attempting to \
                     expand the physical {kind} file '{}'.",
                    file.path.display()
                ),
            )
            .state(3),
            other => storage_error(other, &database.name()),
        })
}
