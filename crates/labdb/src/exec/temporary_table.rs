//! Temporary tables and table variables.

use super::Executor;
use super::catalog_change::exists_already;
use super::table_definition::build;
use crate::bind::Binder;
use crate::catalog::{Catalog, MemoryRows, Store, Table, fold};
use crate::session::Undo;
use labdb_tsql::ast::{ColumnDefinition, TableConstraint};
use labdb_types::{SqlError, SqlResult};
use std::sync::Arc;

impl Executor<'_> {
    pub(super) fn temporary(
        &self,
        name: &str,
        columns: &[ColumnDefinition],
        constraints: &[TableConstraint],
    ) -> SqlResult<Table> {
        let mut scratch = Catalog::default();
        let transactional = name.starts_with('#');
        let store = Store::Memory(MemoryRows {
            transactional,
            ..MemoryRows::default()
        });
        let mut table = build(&mut scratch, 2, "dbo", name, columns, constraints, store)?;
        table.object_id = self.session.take_temp_id();
        Binder::new(self.session, self.frame).rules(&table)?;
        Ok(table)
    }

    pub(super) fn add_temporary(&self, name: &str, table: Table) -> SqlResult<Arc<Table>> {
        if name.starts_with("##") {
            return Err(SqlError::new(
                40510,
                "Global temporary tables (##name) are outside labdb's subset: use a table in \
                 tempdb.",
            ));
        }
        let key = fold(name);
        if self.session.temp_tables.borrow().contains_key(&key) {
            return Err(exists_already(name));
        }
        let table = Arc::new(table);
        self.session
            .temp_tables
            .borrow_mut()
            .insert(key.clone(), (Arc::clone(&table), self.frame.level));
        self.session.bump_temp();
        super::table::with_transaction(self.session, |t| {
            t.push(Undo::TempTable(key, None));
            Ok(())
        })?;
        Ok(table)
    }

    /// DECLARE @t TABLE.
    pub(crate) fn declare_table(
        &mut self,
        name: &str,
        columns: &[ColumnDefinition],
        constraints: &[TableConstraint],
    ) -> SqlResult<()> {
        if self.frame.table_variable(name).is_ok() {
            // DECLARE in a loop runs again without effect.
            return Ok(());
        }
        let table = self.temporary(name, columns, constraints)?;
        self.frame
            .declare_table(name, Arc::new(table), self.session.take_frame_key());
        Ok(())
    }
}
