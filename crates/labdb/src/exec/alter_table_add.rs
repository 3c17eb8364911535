//! ALTER TABLE … ADD.

use super::Executor;
use super::index::copy_index;
use super::row_rules::{database_of, of_column, store_value};
use super::table_definition::{check_constraint, column, default_constraint, key_index};
use crate::bind::{Binder, Scope};
use crate::catalog::Table;
use crate::plan::Env;
use labdb_tsql::ast::{ColumnDefinition, ObjectName, TableConstraint};
use labdb_types::{SqlError, SqlResult, Value};
use std::sync::Arc;

impl Executor<'_> {
    /// ADD columns and constraints.
    pub(crate) fn alter_add(
        &mut self,
        name: &ObjectName,
        columns: &[ColumnDefinition],
        constraints: &[TableConstraint],
    ) -> SqlResult<()> {
        let table = self.altered_table(name)?;
        self.lock_table(&table)?;
        let mut scratch = crate::catalog::Catalog {
            last_object_id: self.database_for(name)?.catalog().last_object_id,
            ..crate::catalog::Catalog::default()
        };
        let mut altered = table.altered();
        let mut rows = None;
        if !columns.is_empty() {
            let before = altered.columns.len();
            for definition in columns {
                if altered.column_index(&definition.name).is_some() {
                    return Err(SqlError::new(
                        2705,
                        format!(
                            "Column names in each table must be unique. Column name '{}' in table \
                             '{}' is specified more than once.",
                            definition.name, table.name
                        ),
                    )
                    .state(4));
                }
                let id = altered
                    .columns
                    .iter()
                    .map(|c| c.column_id)
                    .max()
                    .unwrap_or(0)
                    + 1;
                altered
                    .columns
                    .push(column(&mut scratch, &table.name, id, definition)?);
                if let Some(condition) = &definition.check {
                    altered.checks.push(check_constraint(
                        &mut scratch,
                        &table.name,
                        None,
                        condition,
                    )?);
                }
            }
            let rules = Binder::new(self.session, self.frame).rules(&altered)?;
            let mut all = self.all_rows(&table)?;
            for (_, row) in &mut all {
                for (at, column) in altered.columns.iter().enumerate().skip(before) {
                    let value = if let Some(identity) = &column.identity {
                        crate::eval::convert::convert(
                            &Value::BigInt(identity.take().unwrap_or(0)),
                            labdb_types::SqlType::BigInt,
                            column.sql_type,
                            None,
                        )?
                    } else if column.nullable {
                        // WITH VALUES would fill it; without, existing rows get NULL.
                        Value::Null
                    } else {
                        let value = rules.default(at, &self.context())?;
                        if value.is_null() {
                            return Err(SqlError::new(
                                4901,
                                format!(
                                    "ALTER TABLE only allows columns to be added that can contain \
                                     nulls, or have a DEFAULT definition specified, or the column \
                                     being added is an identity or timestamp column, or \
                                     alternatively if none of the previous conditions are \
                                     satisfied the table must be empty to allow addition of this \
                                     column. Column '{}' cannot be added to non-empty table '{}' \
                                     because it does not satisfy these conditions.",
                                    column.name, table.name
                                ),
                            ));
                        }
                        store_value(self.session, &altered, column, &value, column.sql_type)?
                    };
                    row.push(value);
                }
            }
            rows = Some(all);
            for definition in columns {
                if let Some(key) = &definition.key {
                    let mut own = altered.columns.clone();
                    let index = key_index(
                        &mut scratch,
                        &table.name,
                        &mut own,
                        &altered.indexes,
                        key,
                        Some(&definition.name),
                    )?;
                    altered.columns = own;
                    altered.indexes.push(Arc::new(index));
                }
            }
            // Indexes are rebuilt on copies, so that a rollback finds the old ones untouched.
            altered.indexes = altered
                .indexes
                .iter()
                .map(|i| Arc::new(copy_index(i, i.keys.clone(), i.include.clone(), i.settings)))
                .collect();
        }
        for constraint in constraints {
            self.add_constraint(&table, &mut altered, &mut scratch, constraint)?;
        }
        altered.indexes.sort_by_key(|i| i.index_id);
        self.scratch_id = scratch.last_object_id;
        self.put_altered(name, &table, altered, rows)?;
        self.end_and_done()
    }

    fn add_constraint(
        &self,
        table: &Arc<Table>,
        altered: &mut Table,
        scratch: &mut crate::catalog::Catalog,
        constraint: &TableConstraint,
    ) -> SqlResult<()> {
        match constraint {
            TableConstraint::Key(key) => {
                if key.primary {
                    for part in &key.columns {
                        let nullable = altered
                            .column_index(&part.name)
                            .and_then(|at| altered.columns.get(at))
                            .is_some_and(|c| c.nullable);
                        if nullable {
                            return Err(SqlError::new(
                                8111,
                                format!(
                                    "Cannot define PRIMARY KEY constraint on nullable column in \
                                     table '{}'.",
                                    table.name
                                ),
                            ));
                        }
                    }
                }
                let mut own = altered.columns.clone();
                let index = key_index(scratch, &table.name, &mut own, &altered.indexes, key, None)?;
                altered.columns = own;
                self.fill_index(table, &index)?;
                altered.indexes.push(Arc::new(index));
            }
            TableConstraint::Check { name, condition } => {
                let check = check_constraint(scratch, &table.name, name.as_ref(), condition)?;
                let binder = Binder::new(self.session, self.frame);
                let scope = Scope {
                    columns: crate::bind::table_columns(table, None),
                    ..Scope::none()
                };
                let bound = binder.condition(condition, &scope)?;
                for (_, row) in self.all_rows(table)? {
                    if bound.eval(&self.context(), &Env::new(&row, None))? == Some(false) {
                        return Err(SqlError::new(
                            547,
                            format!(
                                "The ALTER TABLE statement conflicted with the CHECK constraint \
                                 \"{}\". The conflict occurred in database \"{}\", table \"{}\"{}.",
                                check.name,
                                database_of(self.session, table),
                                table.full_name(),
                                of_column(binder.only_column(table, condition).as_deref())
                            ),
                        )
                        .state(0));
                    }
                }
                altered.checks.push(check);
            }
            TableConstraint::Default {
                name,
                value,
                column,
            } => {
                let default =
                    default_constraint(scratch, &table.name, column, name.as_ref(), value)?;
                let at = altered
                    .column_index(column)
                    .ok_or_else(|| crate::bind::invalid_column(column))?;
                if let Some(target) = altered.columns.get_mut(at) {
                    if target.default.is_some() {
                        return Err(SqlError::new(
                            1781,
                            "Column already has a DEFAULT bound to it.",
                        ));
                    }
                    target.default = Some(default);
                }
            }
            TableConstraint::Index { .. } => {
                return Err(SqlError::new(102, "Incorrect syntax near 'INDEX'.").severity(15));
            }
        }
        Ok(())
    }
}
