//! Before a full backup is restored: which database it makes or replaces, and whether its files
//! may go where they are to go.

use super::Executor;
use super::database::datetime_now;
use super::media::{media_error, other_database};
use super::restore::{Request, restoring};
use crate::instance::{Database, DatabaseRecord};
use labdb_storage::{RestoreFault, RestoreOptions, StorageError};
use labdb_types::{SqlError, SqlResult};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What RESTORE DATABASE is about to do.
pub(super) struct Plan {
    /// The online database that is replaced.
    pub(super) existing: Option<Arc<Database>>,
    /// The record of the database while it is being restored.
    pub(super) record: DatabaseRecord,
    /// There was no database of this name.
    pub(super) is_new: bool,
    /// REPLACE was said.
    pub(super) replace: bool,
    /// The primary file.
    pub(super) primary: PathBuf,
}

impl Plan {
    pub(super) fn make(
        executor: &Executor<'_>,
        request: &Request<'_>,
        storage: &RestoreOptions,
    ) -> SqlResult<Self> {
        let instance = &executor.session.instance;
        let name = &request.name;
        let replace = request.options.has("REPLACE");
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
        let existing = instance.database(name);
        if let Some(database) = &existing {
            check_existing(executor, request, database, replace)?;
        }
        let restoring_record = instance.restoring(name);
        let mut files = request.contents.files.clone();
        for (file, to) in &storage.moves {
            let found = files.iter_mut().find(|f| f.spec.name == *file);
            let Some(found) = found else {
                let fault = StorageError::from(RestoreFault::NoFile(file.clone()));
                return Err(media_error(&fault, &request.device, name));
            };
            found.spec.path.clone_from(to);
        }
        let own = own_files(existing.as_deref(), restoring_record.as_ref());
        for (at, file) in files.iter().enumerate() {
            let path = &file.spec.path;
            let twin = files.iter().take(at).find(|f| f.spec.path == *path);
            if let Some(twin) = twin {
                return Err(SqlError::new(
                    3176,
                    format!(
                        "File '{}' is claimed by '{}'({}) and '{}'({}). The WITH MOVE clause can \
                         be used to relocate one or more files.",
                        path.display(),
                        file.spec.name,
                        file.file_id,
                        twin.spec.name,
                        twin.file_id
                    ),
                ));
            }
            if !own.contains(path) {
                check_target(executor, path, &file.spec.name, replace)?;
            }
        }
        let primary = files
            .iter()
            .find(|f| f.file_id == 1)
            .map(|f| f.spec.path.clone())
            .unwrap_or_default();
        let known = existing
            .as_ref()
            .and_then(|d| {
                let state = instance.state.lock();
                state.databases.iter().find(|r| r.id == d.id).cloned()
            })
            .or(restoring_record);
        let is_new = known.is_none();
        let (id, owner, shown) = match known {
            Some(record) => (record.id, record.owner, record.name),
            None => (
                instance.free_database_id(),
                instance
                    .login_id(&executor.session.shared.login_name)
                    .unwrap_or(1),
                name.clone(),
            ),
        };
        Ok(Self {
            existing,
            record: DatabaseRecord {
                id,
                name: shown,
                primary: primary.clone(),
                created: datetime_now(),
                owner,
                restoring: Some(restoring(&files, request.contents.recovery_model.number())),
            },
            is_new,
            replace,
            primary,
        })
    }
}

/// Whether an online database may be replaced.
fn check_existing(
    executor: &Executor<'_>,
    request: &Request<'_>,
    database: &Database,
    replace: bool,
) -> SqlResult<()> {
    let name = database.name();
    if database.is_system() {
        return Err(SqlError::new(
            40510,
            format!("RESTORE of the system database {name} is outside labdb's subset."),
        ));
    }
    let status = database.storage.recovery_status();
    if !replace {
        if status.family_guid != request.contents.set.family_guid {
            return Err(other_database(&name));
        }
        if status.last_log_backup_lsn.is_some() && request.stop_at.is_none() {
            return Err(SqlError::new(
                3159,
                format!(
                    "The tail of the log for the database \"{name}\" has not been backed up. Use \
                     BACKUP LOG WITH NORECOVERY to backup the log if it contains work you do not \
                     want to lose. Use the WITH REPLACE or WITH STOPAT clause of the RESTORE \
                     statement to just overwrite the contents of the log."
                ),
            ));
        }
    }
    if !executor.others_in(database).is_empty() {
        return Err(SqlError::new(
            3101,
            "Exclusive access could not be obtained because the database is in use.",
        ));
    }
    Ok(())
}

fn own_files(existing: Option<&Database>, restoring: Option<&DatabaseRecord>) -> Vec<PathBuf> {
    let online = existing.map(|d| d.storage.files()).unwrap_or_default();
    let waiting = restoring.and_then(|r| r.restoring.as_ref());
    online
        .into_iter()
        .map(|f| f.path)
        .chain(
            waiting
                .iter()
                .flat_map(|r| &r.files)
                .map(|f| f.path.clone()),
        )
        .collect()
}

/// Whether a file that is not the database's own may be made or overwritten here.
fn check_target(
    executor: &Executor<'_>,
    path: &Path,
    logical: &str,
    replace: bool,
) -> SqlResult<()> {
    let instance = &executor.session.instance;
    let online = instance.databases();
    let mut user = online
        .iter()
        .find(|d| d.storage.files().iter().any(|f| f.path == path))
        .map(|d| d.name());
    if user.is_none() {
        user = instance
            .restoring_databases()
            .into_iter()
            .find(|r| {
                let files = r.restoring.iter().flat_map(|r| &r.files);
                files.into_iter().any(|f| f.path == path)
            })
            .map(|r| r.name);
    }
    if let Some(user) = user {
        return Err(SqlError::new(
            1834,
            format!(
                "The file '{}' cannot be overwritten. It is being used by database '{user}'.",
                path.display()
            ),
        ));
    }
    let folder = path.parent().filter(|f| !f.as_os_str().is_empty());
    if let Some(folder) = folder
        && let Err(error) = std::fs::metadata(folder)
    {
        return Err(SqlError::new(
            5133,
            format!(
                "Directory lookup for the file \"{}\" failed with the operating system error \
                 {}({error}).",
                path.display(),
                error.raw_os_error().unwrap_or(0)
            ),
        ));
    }
    if path.exists() && !replace {
        return Err(SqlError::new(
            3142,
            format!(
                "File \"{logical}\" cannot be restored over the existing \"{}\". Reissue the \
                 RESTORE statement using WITH REPLACE to overwrite pre-existing files, or WITH \
                 MOVE to identify an alternate location.",
                path.display()
            ),
        ));
    }
    Ok(())
}
