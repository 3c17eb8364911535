//! OUTPUT: the rows that a change inserted or deleted.

use super::Executor;
use crate::bind::{Binder, Scope, ScopeColumn, TableUse};
use crate::catalog::{DataPermission, Table, fold};
use crate::plan::{Env, Typed};
use labdb_tsql::ast::{OutputClause, SelectItem, TableSource};
use labdb_types::{Column, SqlError, SqlResult, Value};
use std::sync::Arc;

/// A bound OUTPUT clause, over rows of inserted columns, deleted columns and the statement's own.
#[derive(Clone, Debug)]
pub(crate) struct OutputPlan {
    pub(crate) values: Vec<Typed>,
    pub(crate) columns: Vec<Column>,
    pub(crate) into: Option<(Arc<Table>, Vec<usize>)>,
}

/// Columns of `inserted` and then of `deleted`.
fn change_scope(
    table: &Table,
    inserted: bool,
    deleted: bool,
    rest: &[ScopeColumn],
) -> Scope<'static> {
    let mut scope = Scope::none();
    for (name, shown) in [("inserted", inserted), ("deleted", deleted)] {
        for column in &table.columns {
            let label = if shown {
                name.to_owned()
            } else {
                format!("\0{name}")
            };
            scope.columns.push(ScopeColumn {
                table: label,
                shown: "".into(),
                schema: None,
                name: column.name.clone(),
                folded: if shown {
                    fold(&column.name)
                } else {
                    format!("\0{}", column.name)
                },
                sql_type: column.sql_type,
                nullable: true,
                identity: false,
                hidden: !shown,
            });
        }
        if shown {
            scope.tables.push(name.to_owned());
        }
    }
    scope.columns.extend(rest.iter().cloned());
    scope
}

impl Binder<'_> {
    pub(crate) fn output(
        &self,
        clause: &OutputClause,
        table: &Table,
        inserted: bool,
        deleted: bool,
        rest: &[ScopeColumn],
    ) -> SqlResult<OutputPlan> {
        let scope = change_scope(table, inserted, deleted, rest);
        let (mut values, mut columns) = (Vec::new(), Vec::new());
        for item in &clause.items {
            if matches!(item, SelectItem::Assign { .. }) {
                return Err(SqlError::new(102, "Incorrect syntax near '='.").severity(15));
            }
            self.output_item(item, &scope, &mut values, &mut columns)?;
        }
        let into = match &clause.into {
            None => None,
            Some(target) => {
                let table = match target {
                    TableSource::Variable { name, .. } => self.frame_table(name)?,
                    TableSource::Table { name, .. } => {
                        self.table(name, TableUse::Data(DataPermission::Insert))?
                    }
                    _ => {
                        return Err(SqlError::new(
                            102,
                            "OUTPUT INTO needs a table or table variable.",
                        )
                        .severity(15));
                    }
                };
                let places = super::insert::target_places(&table, &clause.into_columns)?;
                if places.len() != values.len() {
                    return Err(super::insert::wrong_count(places.len() > values.len()));
                }
                Some((table, places))
            }
        };
        Ok(OutputPlan {
            values,
            columns,
            into,
        })
    }
}

impl Executor<'_> {
    /// Sends the rows of an OUTPUT clause, or stores them where INTO says.
    pub(crate) fn put_out(&mut self, plan: &OutputPlan, rows: &[Vec<Value>]) -> SqlResult<()> {
        if plan.into.is_none() {
            self.client.columns(&plan.columns)?;
        }
        for row in rows {
            let env = Env::new(row, None);
            let mut values = Vec::with_capacity(plan.values.len());
            for value in &plan.values {
                values.push(value.eval(&self.context(), &env)?);
            }
            match &plan.into {
                None => self.client.row(&values)?,
                Some((table, places)) => {
                    let types: Vec<_> = plan.values.iter().map(|v| v.sql_type).collect();
                    self.insert_values(table, places, &values, &types)?;
                }
            }
        }
        Ok(())
    }
}

/// One row for OUTPUT: inserted, deleted, and what else the statement sees.
pub(crate) fn change_row(
    width: usize,
    inserted: Option<&[Value]>,
    deleted: Option<&[Value]>,
    rest: &[Value],
) -> Vec<Value> {
    let mut row = Vec::with_capacity(width * 2 + rest.len());
    for side in [inserted, deleted] {
        match side {
            Some(values) => row.extend_from_slice(values),
            None => row.extend(std::iter::repeat_n(Value::Null, width)),
        }
    }
    row.extend_from_slice(rest);
    row
}
