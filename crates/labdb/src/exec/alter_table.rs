//! ALTER TABLE … DROP and ALTER COLUMN, and what every ALTER TABLE shares.

use super::Executor;
use super::index::copy_index;
use super::row_rules::store_value;
use super::table_definition::column;
use crate::bind::{Binder, TableUse};
use crate::catalog::{Index, IndexKey, KeyKind, Store, Table, fold, is_temporary};
use crate::plan::Flow;
use crate::plan::source::{Access, ReadMode};
use labdb_storage::RowId;
use labdb_tsql::ast::{ColumnDefinition, ObjectName};
use labdb_types::{SqlError, SqlResult, Value};
use std::sync::Arc;

impl Executor<'_> {
    pub(super) fn altered_table(&self, name: &ObjectName) -> SqlResult<Arc<Table>> {
        Binder::new(self.session, self.frame)
            .table(name, TableUse::Alter)
            .map_err(|e| {
                if e.number == 208 {
                    SqlError::new(
                        4902,
                        format!(
                            "Cannot find the object \"{}\" because it does not exist or you do \
                             not have permissions.",
                            name.parts.join(".")
                        ),
                    )
                } else {
                    e
                }
            })
    }

    pub(super) fn all_rows(&self, table: &Arc<Table>) -> SqlResult<Vec<(u64, Vec<Value>)>> {
        let mut rows = Vec::new();
        super::table_read::read(
            &self.context(),
            table,
            &Access::Scan,
            &ReadMode {
                dirty: true,
                ..ReadMode::default()
            },
            true,
            None,
            &mut |mut row| {
                if let Some(Value::BigInt(address)) = row.pop() {
                    rows.push((address as u64, row));
                }
                Ok(Flow::More)
            },
        )?;
        Ok(rows)
    }

    /// Writes rows in their new shape; indexes keep their keys, not their addresses.
    fn rewrite(
        &self,
        old: &Arc<Table>,
        new: &Table,
        rows: Vec<(u64, Vec<Value>)>,
    ) -> SqlResult<()> {
        let mut moved = Vec::with_capacity(rows.len());
        for (address, row) in rows {
            let at = match &*old.store {
                Store::Heap(heap) => {
                    let database = self
                        .session
                        .instance
                        .database_by_id(old.database_id)
                        .ok_or_else(|| {
                            SqlError::new(911, "The table's database does not exist any more.")
                        })?;
                    super::table::with_transaction(self.session, |t| {
                        let mut change = super::large::Change {
                            database: &database,
                            storage: t.storage(self.session, &database),
                            heap: *heap,
                        };
                        let id = RowId::from_bits(address);
                        change.update(id, &old.columns, None, &new.columns, &row)
                    })?
                    .to_bits()
                }
                Store::Memory(memory) => {
                    let before = memory.rows.lock().insert(address, row.clone());
                    super::table::with_transaction(self.session, |t| {
                        t.push(crate::session::Undo::Memory(
                            Arc::clone(&old.store),
                            address,
                            before,
                        ));
                        Ok(())
                    })?;
                    address
                }
            };
            moved.push((at, row));
        }
        for index in &new.indexes {
            let mut entries = crate::catalog::KeyMap::default();
            for (address, row) in &moved {
                entries.insert(&index.entry_key(index.key_of(row), *address), *address);
            }
            *index.entries.write() = entries;
        }
        Ok(())
    }

    pub(super) fn put_altered(
        &mut self,
        name: &ObjectName,
        old: &Arc<Table>,
        altered: Table,
        rows: Option<Vec<(u64, Vec<Value>)>>,
    ) -> SqlResult<()> {
        Binder::new(self.session, self.frame).rules(&altered)?;
        super::large::check_columns(&altered)?;
        if let Some(rows) = rows {
            self.rewrite(old, &altered, rows)?;
        }
        if is_temporary(&altered.name) {
            return self.replace_temporary(altered);
        }
        let database = self.database_for(name)?;
        let mut change = self.begin_change(&database)?;
        change.catalog.last_object_id = change.catalog.last_object_id.max(self.scratch_id);
        self.replace_table(change, altered).map(|_| ())
    }

    /// DROP COLUMN and DROP CONSTRAINT.
    pub(crate) fn alter_drop(
        &mut self,
        name: &ObjectName,
        columns: &[String],
        constraints: &[String],
        if_exists: bool,
    ) -> SqlResult<()> {
        let table = self.altered_table(name)?;
        self.lock_table(&table)?;
        let mut altered = table.altered();
        for constraint in constraints {
            let wanted = fold(constraint);
            let before = (altered.indexes.len(), altered.checks.len());
            altered
                .indexes
                .retain(|i| i.kind == KeyKind::Plain || fold(&i.name) != wanted);
            altered.checks.retain(|c| fold(&c.name) != wanted);
            let mut found = before != (altered.indexes.len(), altered.checks.len());
            for column in &mut altered.columns {
                if column
                    .default
                    .as_ref()
                    .is_some_and(|d| fold(&d.name) == wanted)
                {
                    column.default = None;
                    found = true;
                }
            }
            if !found && !if_exists {
                return Err(SqlError::new(
                    3728,
                    format!("'{constraint}' is not a constraint."),
                ));
            }
        }
        let mut rows = None;
        for column in columns {
            let Some(at) = altered.column_index(column) else {
                if if_exists {
                    continue;
                }
                return Err(SqlError::new(
                    4924,
                    format!(
                        "ALTER TABLE DROP COLUMN failed because column '{column}' does not exist \
                         in table '{}'.",
                        table.name
                    ),
                ));
            };
            let used = altered
                .indexes
                .iter()
                .find(|i| i.keys.iter().any(|k| k.column == at) || i.include.contains(&at))
                .map(|i| {
                    let what = if i.kind == KeyKind::Plain {
                        "index"
                    } else {
                        "object"
                    };
                    (what, i.name.clone())
                })
                .or_else(|| {
                    altered
                        .columns
                        .get(at)
                        .and_then(|c| c.default.as_ref().map(|d| ("object", d.name.clone())))
                });
            if let Some((what, user)) = used {
                return Err(SqlError::new(
                    5074,
                    format!("The {what} '{user}' is dependent on column '{column}'."),
                ));
            }
            if altered.columns.len() == 1 {
                return Err(SqlError::new(
                    4923,
                    format!(
                        "ALTER TABLE DROP COLUMN failed because '{column}' is the only data \
                         column in table '{}'. A table must have at least one data column.",
                        table.name
                    ),
                ));
            }
            altered.columns.remove(at);
            let shift = |place: usize| if place > at { place - 1 } else { place };
            altered.indexes = altered
                .indexes
                .iter()
                .map(|i: &Arc<Index>| {
                    let keys = i
                        .keys
                        .iter()
                        .map(|k| IndexKey {
                            column: shift(k.column),
                            descending: k.descending,
                        })
                        .collect();
                    Arc::new(copy_index(
                        i,
                        keys,
                        i.include.iter().map(|p| shift(*p)).collect(),
                        i.settings,
                    ))
                })
                .collect();
            let mut all = match rows.take() {
                Some(all) => all,
                None => self.all_rows(&table)?,
            };
            for (_, row) in &mut all {
                row.remove(at);
            }
            rows = Some(all);
        }
        self.scratch_id = 0;
        self.put_altered(name, &table, altered, rows)?;
        self.end_and_done()
    }

    /// ALTER COLUMN: the type and whether it takes NULL.
    pub(crate) fn alter_column(
        &mut self,
        name: &ObjectName,
        definition: &ColumnDefinition,
    ) -> SqlResult<()> {
        let table = self.altered_table(name)?;
        self.lock_table(&table)?;
        let at = table.column_index(&definition.name).ok_or_else(|| {
            SqlError::new(
                4924,
                format!(
                    "ALTER TABLE ALTER COLUMN failed because column '{}' does not exist in table \
                     '{}'.",
                    definition.name, table.name
                ),
            )
        })?;
        let mut scratch = crate::catalog::Catalog::default();
        let fresh = column(&mut scratch, &table.name, 1, definition)?;
        let mut altered = table.altered();
        let Some(target) = altered.columns.get_mut(at) else {
            return Ok(());
        };
        let from = target.sql_type;
        target.sql_type = fresh.sql_type;
        target.declared = fresh.declared;
        target.nullable = fresh.nullable && target.identity.is_none();
        let (target, nullable) = (target.clone(), target.nullable);
        if table
            .indexes
            .iter()
            .any(|i| i.kind == KeyKind::Primary && i.keys.iter().any(|k| k.column == at))
            && nullable
        {
            return Err(SqlError::new(
                5074,
                format!(
                    "The object is dependent on column '{}': a primary key's column cannot take \
                     NULL.",
                    definition.name
                ),
            ));
        }
        let mut rows = self.all_rows(&table)?;
        for (_, row) in &mut rows {
            if let Some(value) = row.get_mut(at) {
                if value.is_null() && !nullable {
                    return Err(SqlError::new(
                        515,
                        format!(
                            "Cannot insert the value NULL into column '{}', table '{}'; column \
                             does not allow nulls. UPDATE fails.",
                            definition.name,
                            table.full_name()
                        ),
                    )
                    .state(2));
                }
                *value = store_value(self.session, &table, &target, value, from)?;
            }
        }
        altered.indexes = altered
            .indexes
            .iter()
            .map(|i| Arc::new(copy_index(i, i.keys.clone(), i.include.clone(), i.settings)))
            .collect();
        self.scratch_id = 0;
        self.put_altered(name, &table, altered, Some(rows))?;
        self.end_and_done()
    }
}
