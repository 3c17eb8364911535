//! Databases that are being restored: known by name and number, without anything to open.

use super::{Database, DatabaseRecord, Instance};
use crate::catalog::fold;
use labdb_types::{SqlError, SqlResult};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Arc;

/// A file of a database that is being restored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RestoringFile {
    /// `file_id`.
    pub id: u16,
    /// A log file.
    pub log: bool,
    /// The logical name.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
    /// Its size in bytes.
    pub size: u64,
}

/// What is known of a database while it is being restored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Restoring {
    /// Its files.
    pub files: Vec<RestoringFile>,
    /// The recovery model of the database that was backed up, as a number.
    pub recovery_model: u8,
}

/// The error of entering a database that is being restored.
pub(crate) fn in_restore(name: &str) -> SqlError {
    SqlError::new(
        927,
        format!("Database '{name}' cannot be opened. It is in the middle of a restore."),
    )
    .severity(14)
    .state(2)
}

/// Keeps other restores of a database out for as long as it lives.
pub(crate) struct RestoreAlone {
    instance: Arc<Instance>,
    name: String,
}

impl Drop for RestoreAlone {
    fn drop(&mut self) {
        self.instance.restores.lock().retain(|n| *n != self.name);
    }
}

impl Instance {
    /// Makes sure that no other session restores the database meanwhile.
    ///
    /// # Errors
    /// 3101 when one does.
    pub(crate) fn restore_alone(self: &Arc<Self>, name: &str) -> SqlResult<RestoreAlone> {
        let name = fold(name);
        let mut restores = self.restores.lock();
        if restores.contains(&name) {
            return Err(SqlError::new(
                3101,
                "Exclusive access could not be obtained because the database is in use.",
            ));
        }
        restores.push(name.clone());
        Ok(RestoreAlone {
            instance: Arc::clone(self),
            name,
        })
    }

    /// A database that is being restored, by name.
    pub fn restoring(&self, name: &str) -> Option<DatabaseRecord> {
        let wanted = fold(name);
        let state = self.state.lock();
        let mut records = state.databases.iter();
        records
            .find(|d| d.restoring.is_some() && fold(&d.name) == wanted)
            .cloned()
    }

    /// All databases that are being restored.
    pub fn restoring_databases(&self) -> Vec<DatabaseRecord> {
        let state = self.state.lock();
        let records = state.databases.iter();
        records.filter(|d| d.restoring.is_some()).cloned().collect()
    }

    /// The number of a database, open or being restored.
    pub fn id_of(&self, name: &str) -> Option<i32> {
        let open = self.database(name).map(|d| d.id);
        open.or_else(|| self.restoring(name).map(|r| r.id))
    }

    /// The name of a database, open or being restored.
    pub fn name_of(&self, id: i32) -> Option<String> {
        let open = self.database_by_id(id).map(|d| d.name());
        open.or_else(|| {
            let mut records = self.restoring_databases().into_iter();
            records.find(|r| r.id == id).map(|r| r.name)
        })
    }

    /// Why a name is no database that can be used: it does not exist, or is being restored.
    pub(crate) fn not_usable(&self, name: &str) -> SqlError {
        match self.restoring(name) {
            Some(record) => in_restore(&record.name),
            None => SqlError::new(
                911,
                format!(
                    "Database '{name}' does not exist. Make sure that the name is entered \
                     correctly."
                ),
            ),
        }
    }

    /// Notes, durably, that a database is being restored. An open one of this number is no longer
    /// to be found.
    ///
    /// # Errors
    /// When the instance's state cannot be written.
    pub(crate) fn begin_restore(&self, record: DatabaseRecord) -> SqlResult<()> {
        self.databases.write().retain(|d| d.id != record.id);
        self.put(record)
    }

    /// Notes, durably, that a restored database is there.
    ///
    /// # Errors
    /// When the instance's state cannot be written.
    pub(crate) fn end_restore(
        &self,
        database: Database,
        mut record: DatabaseRecord,
    ) -> SqlResult<Arc<Database>> {
        let database = Arc::new(database);
        record.restoring = None;
        self.put(record)?;
        self.databases.write().push(Arc::clone(&database));
        self.bump_schema();
        Ok(database)
    }

    fn put(&self, record: DatabaseRecord) -> SqlResult<()> {
        let mut state = self.state.lock();
        match state.databases.iter_mut().find(|d| d.id == record.id) {
            Some(known) => *known = record,
            None => state.databases.push(record),
        }
        state.save(&self.options.data)?;
        drop(state);
        self.bump_schema();
        Ok(())
    }
}
