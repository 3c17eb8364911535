//! Changes of a database's catalog: its records on disk and its place in memory, both undone by a
//! rollback.

use super::permission::require_role;
use super::{Executor, catalog_record};
use crate::catalog::{Catalog, DatabaseRole, ObjectRecord};
use crate::instance::Database;
use crate::session::Undo;
use labdb_storage::RowId;
use labdb_tsql::ast::ObjectName;
use labdb_types::{SqlError, SqlResult};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Error 2714.
pub(crate) fn exists_already(name: &str) -> SqlError {
    SqlError::new(
        2714,
        format!("There is already an object named '{name}' in the database."),
    )
    .state(6)
}

/// Error 3701.
pub(crate) fn cannot_drop(what: &str, name: &str) -> SqlError {
    SqlError::new(
        3701,
        format!(
            "Cannot drop the {what} '{name}', because it does not exist or you do not have \
             permission."
        ),
    )
    .severity(11)
    .state(5)
}

/// A new database-wide state of the catalog, under way to be the current one.
pub(crate) struct Change {
    pub(crate) database: Arc<Database>,
    pub(crate) catalog: Catalog,
}

impl Executor<'_> {
    /// Begins a change of a database's objects, as the statement `what`.
    pub(crate) fn change(&self, database: &Arc<Database>, what: &str) -> SqlResult<Change> {
        require_role(self.session, database, DatabaseRole::DdlAdmin, what)?;
        self.begin_change(database)
    }

    /// Begins a change of a database's catalog by a session that may.
    pub(crate) fn begin_change(&self, database: &Arc<Database>) -> SqlResult<Change> {
        if database.read_only.load(Ordering::Relaxed) {
            return Err(SqlError::new(
                3906,
                format!(
                    "Failed to update database \"{}\" because the database is read-only.",
                    database.name()
                ),
            ));
        }
        super::locking::schema(self.session, database.id)?;
        // The lock counts as work of the transaction, so that its end releases it.
        super::table::with_transaction(self.session, |_| Ok(()))?;
        Ok(Change {
            database: Arc::clone(database),
            catalog: (*database.catalog()).clone(),
        })
    }

    /// Puts a changed catalog in place; a rollback puts the old one back.
    pub(crate) fn publish(&self, change: Change) -> SqlResult<()> {
        let before = std::mem::replace(
            &mut *change.database.catalog.write(),
            Arc::new(change.catalog),
        );
        super::table::with_transaction(self.session, |t| {
            t.push(Undo::Catalog(Arc::clone(&change.database), before));
            Ok(())
        })?;
        self.session.instance.bump_schema();
        Ok(())
    }

    /// Writes a record to the catalog heap.
    pub(crate) fn write_record(
        &self,
        database: &Arc<Database>,
        record: &ObjectRecord,
    ) -> SqlResult<RowId> {
        super::table::with_transaction(self.session, |t| {
            let storage = t.storage(self.session, database);
            catalog_record::write(database, storage, None, record)
        })
    }

    /// Replaces a record of the catalog heap.
    pub(crate) fn rewrite_record(
        &self,
        database: &Arc<Database>,
        at: RowId,
        record: &ObjectRecord,
    ) -> SqlResult<RowId> {
        super::table::with_transaction(self.session, |t| {
            let storage = t.storage(self.session, database);
            catalog_record::write(database, storage, Some(at), record)
        })
    }

    /// Removes a record of the catalog heap.
    pub(crate) fn delete_record(
        &self,
        database: &Arc<Database>,
        at: Option<RowId>,
    ) -> SqlResult<()> {
        let Some(at) = at else { return Ok(()) };
        super::table::with_transaction(self.session, |t| {
            let storage = t.storage(self.session, database);
            catalog_record::delete(database, storage, at)
        })
    }

    /// The database that a name for a new object means.
    pub(crate) fn database_for(&self, name: &ObjectName) -> SqlResult<Arc<Database>> {
        match self.session.database_of_name(name) {
            None => Ok(self.session.database()),
            Some(other) => {
                let instance = &self.session.instance;
                instance
                    .database(other)
                    .ok_or_else(|| instance.not_usable(other))
            }
        }
    }
}
