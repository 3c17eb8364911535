//! Temporary tables and table variables.

use super::Executor;
use super::catalog_change::exists_already;
use super::table_definition::build;
use crate::bind::Binder;
use crate::catalog::{Catalog, MemoryRows, Store, Table, fold};
use crate::session::{Discard, Frame, Session, Undo};
use labdb_tsql::ast::{ColumnDefinition, ObjectName, TableConstraint};
use labdb_types::SqlResult;
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

/// Drops the `##` tables of a session that ends, and those of ended ones that somebody still used
/// then. One that is still in use stays until the next session ends.
pub(crate) fn drop_global_temporary(session: &Session) {
    let mine = std::mem::take(&mut *session.global_temp_tables.borrow_mut());
    let instance = &session.instance;
    let left = std::mem::take(&mut *instance.left_tables.lock());
    if mine.is_empty() && left.is_empty() {
        return;
    }
    let Some(tempdb) = instance.database("tempdb") else {
        return;
    };
    session.options.borrow_mut().lock_timeout = 0;
    session
        .shared
        .cancel
        .store(false, std::sync::atomic::Ordering::Relaxed);
    for (name, object_id) in mine.into_iter().chain(left) {
        let known = tempdb.catalog().table("dbo", &name).map(|t| t.object_id);
        if known != Some(object_id) {
            continue;
        }
        let frame = Frame::new();
        let mut client = Discard;
        let dropped = Executor::new(session, &frame, &mut client, Arc::new(())).drop_tables(
            &[ObjectName {
                parts: vec![name.clone()],
            }],
            true,
        );
        if dropped.is_err() {
            session.rollback_everything();
            instance.left_tables.lock().push((name, object_id));
        }
    }
}
