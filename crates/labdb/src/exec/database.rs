//! CREATE, ALTER and DROP DATABASE.

use super::Executor;
use super::database_file::{DEFAULT_SIZE, file_spec, modify_file};
use super::failure::storage_error;
use super::permission::{denied_in, has_server, owns};
use crate::eval::calendar;
use crate::instance::{Database, DatabaseRecord, ServerPermission};
use labdb_storage::{DatabaseSpec, FileSpec, RecoveryModel, StorageError};
use labdb_tsql::ast::{AlterDatabase, CreateDatabase};
use labdb_types::{SqlError, SqlResult, SqlType, Value};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

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

impl Executor<'_> {
    pub(crate) fn create_database(&mut self, create: &CreateDatabase) -> SqlResult<()> {
        self.outside_transaction("CREATE DATABASE")?;
        if !has_server(self.session, ServerPermission::CreateAnyDatabase) {
            return Err(denied_in("CREATE DATABASE", "master"));
        }
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
        if instance.database(name).is_some() || instance.restoring(name).is_some() {
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
        // A file that is there already is somebody else's, and makes the creation fail.
        let made: Vec<PathBuf> = spec
            .data
            .iter()
            .chain(&spec.log)
            .map(|file| file.path.clone())
            .filter(|path| !path.exists())
            .collect();
        instance.files_unsettled(&made)?;
        let storage = match labdb_storage::Database::create(
            &spec,
            &instance.options.storage,
            Arc::clone(&instance.options.files),
        ) {
            Ok(storage) => storage,
            Err(error) => {
                instance.files_settled(&made)?;
                return Err(creation_error(&error, name));
            }
        };
        let record = DatabaseRecord {
            id: instance.free_database_id(),
            name: name.clone(),
            primary,
            created: datetime_now(),
            restoring: None,
            owner: instance
                .login_id(&self.session.shared.login_name)
                .unwrap_or(1),
        };
        let database = Database::adopt(storage, &record)?;
        database.set_created(record.created)?;
        instance.add_database(database, record)?;
        instance.files_settled(&made)?;
        instance.log_error(
            self.session.id(),
            &format!("Starting up database '{name}'."),
        );
        self.end_and_done()
    }

    fn altered(&self, name: Option<&String>) -> SqlResult<Arc<Database>> {
        let current = self.session.database().name();
        let name = name.unwrap_or(&current);
        if self.session.instance.restoring(name).is_some() {
            return Err(SqlError::new(
                5052,
                "ALTER DATABASE is not permitted while a database is in the Restoring state.",
            ));
        }
        let found = self.session.instance.database(name).filter(|database| {
            has_server(self.session, ServerPermission::AlterAnyDatabase)
                || owns(self.session, database)
        });
        found.ok_or_else(|| {
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
            AlterDatabase::Collate {
                database,
                collation,
            } => {
                self.altered(database.as_ref())?;
                check_collation(collation)?;
            }
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
        let instance = &self.session.instance;
        if instance.database(name).is_some() || instance.restoring(name).is_some() {
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

    pub(crate) fn drop_database(&mut self, names: &[String], if_exists: bool) -> SqlResult<()> {
        self.outside_transaction("DROP DATABASE")?;
        for name in names {
            if let Some(record) = self.session.instance.restoring(name)
                && has_server(self.session, ServerPermission::AlterAnyDatabase)
            {
                self.drop_restoring(&record)?;
                continue;
            }
            let known = self.session.instance.database(name);
            let exists = known.is_some();
            let Some(database) = known.filter(|database| {
                has_server(self.session, ServerPermission::AlterAnyDatabase)
                    || owns(self.session, database)
            }) else {
                if if_exists && !exists {
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
            let files: Vec<PathBuf> = database
                .storage
                .files()
                .into_iter()
                .map(|file| file.path)
                .collect();
            self.session.instance.files_unsettled(&files)?;
            database.dropped.store(true, Ordering::Relaxed);
            self.session.instance.remove_database(database.id)?;
            database
                .storage
                .drop_files()
                .map_err(|e| storage_error(&e, name))?;
            self.session.instance.files_settled(&files)?;
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
            .ok_or_else(|| self.session.instance.not_usable(name))
    }
}
