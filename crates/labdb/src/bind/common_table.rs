//! WITH: common tables, and those that see themselves.

use super::set_operation::is_null_column;
use super::{Binder, CommonTable, duplicate_name};
use crate::catalog::fold;
use crate::plan::{Plan, Typed};
use labdb_tsql::ast::{self, QueryBody, SetOp};
use labdb_types::{Column, SqlError, SqlResult};

impl Binder<'_> {
    /// Binds common tables and makes them visible.
    pub(super) fn add_common(&self, tables: &[ast::CommonTable]) -> SqlResult<()> {
        for table in tables {
            let bound = match recursive_parts(table) {
                Some((anchor, step)) => self.recursive(table, anchor, step)?,
                None => {
                    let bound = self.bind_query(&table.query, None)?;
                    CommonTable {
                        plan: bound.plan,
                        columns: named(bound.columns, &table.columns, &table.name)?,
                    }
                }
            };
            self.common.borrow_mut().push((fold(&table.name), bound));
        }
        Ok(())
    }

    fn recursive(
        &self,
        table: &ast::CommonTable,
        anchor: &QueryBody,
        step: &QueryBody,
    ) -> SqlResult<CommonTable> {
        let anchor = self.body(anchor, None)?;
        let columns = named(anchor.columns.clone(), &table.columns, &table.name)?;
        let id = self.recursive_ids.get();
        self.recursive_ids.set(id + 1);
        let working = CommonTable {
            plan: Plan::Working(id),
            columns: columns
                .iter()
                .map(|c| Column {
                    nullable: true,
                    ..c.clone()
                })
                .collect(),
        };
        self.common.borrow_mut().push((fold(&table.name), working));
        let step = self.body(step, None);
        self.common.borrow_mut().pop();
        let step = step?;
        if step.columns.len() != columns.len() {
            return Err(SqlError::new(
                205,
                "All queries combined using a UNION, INTERSECT or EXCEPT operator must have an \
                 equal number of expressions in their target lists.",
            ));
        }
        let mut conversions = Vec::with_capacity(columns.len());
        for (at, (from, to)) in step.columns.iter().zip(&columns).enumerate() {
            if from.sql_type != to.sql_type && !(is_null_column(&step.plan, at)) {
                return Err(SqlError::new(
                    240,
                    format!(
                        "Types don't match between the anchor and the recursive part in column \
                         \"{}\" of recursive query \"{}\".",
                        to.name, table.name
                    ),
                ));
            }
            conversions.push(Typed::column(at, from.sql_type, true).coerced(to.sql_type)?);
        }
        let plan = Plan::Recursive {
            anchor: Box::new(anchor.plan),
            step: Box::new(Plan::Project(Box::new(step.plan), conversions)),
            id,
            limit: self.max_recursion.get(),
        };
        Ok(CommonTable {
            plan,
            columns: columns
                .into_iter()
                .map(|c| Column {
                    nullable: true,
                    ..c
                })
                .collect(),
        })
    }

    /// A common table in FROM.
    pub(super) fn common_source(&self, name: &str) -> Option<(Plan, Vec<Column>)> {
        self.common_table(name).map(|t| (t.plan, t.columns))
    }
}

/// Gives columns the names that were written behind a table.
pub(super) fn named(
    mut columns: Vec<Column>,
    names: &[String],
    table: &str,
) -> SqlResult<Vec<Column>> {
    if !names.is_empty() {
        if names.len() < columns.len() {
            return Err(SqlError::new(
                8158,
                format!("'{table}' has more columns than were specified in the column list."),
            ));
        }
        if names.len() > columns.len() {
            return Err(SqlError::new(
                8159,
                format!("'{table}' has fewer columns than were specified in the column list."),
            ));
        }
        for (column, name) in columns.iter_mut().zip(names) {
            column.name.clone_from(name);
        }
    }
    if let Some(at) = columns.iter().position(|c| c.name.is_empty()) {
        return Err(SqlError::new(
            8155,
            format!(
                "No column name was specified for column {} of '{table}'.",
                at + 1
            ),
        ));
    }
    if let Some(name) = duplicate_name(&columns) {
        return Err(SqlError::new(
            8156,
            format!("The column '{name}' was specified multiple times for '{table}'."),
        ));
    }
    Ok(columns)
}

/// The anchor and the recursive part of a common table that sees itself.
fn recursive_parts(table: &ast::CommonTable) -> Option<(&QueryBody, &QueryBody)> {
    match &table.query.body {
        QueryBody::Set {
            op: SetOp::Union,
            all: true,
            left,
            right,
        } if mentions(right, &fold(&table.name)) => Some((left, right)),
        _ => None,
    }
}

fn mentions(body: &QueryBody, name: &str) -> bool {
    match body {
        QueryBody::Select(select) => select.from.iter().any(|s| source_mentions(s, name)),
        QueryBody::Nested(query) => mentions(&query.body, name),
        QueryBody::Set { left, right, .. } => mentions(left, name) || mentions(right, name),
    }
}

fn source_mentions(source: &ast::TableSource, name: &str) -> bool {
    match source {
        ast::TableSource::Table { name: table, .. } => {
            table.parts.len() == 1 && fold(table.object()) == name
        }
        ast::TableSource::Join { left, right, .. }
        | ast::TableSource::Apply { left, right, .. } => {
            source_mentions(left, name) || source_mentions(right, name)
        }
        ast::TableSource::Derived { query, .. } => mentions(&query.body, name),
        _ => false,
    }
}
