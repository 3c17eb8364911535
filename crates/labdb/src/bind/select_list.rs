//! The items of a select list and of OUTPUT.

use super::{Binder, Scope};
use crate::catalog::fold;
use crate::plan::Typed;
use labdb_tsql::ast::{self, Expr, SelectItem};
use labdb_types::{Column, SqlError, SqlResult};

/// The most columns that a result has.
const MOST_ITEMS: usize = 4_096;

impl Binder<'_> {
    pub(super) fn select_item(
        &self,
        item: &SelectItem,
        scope: &Scope<'_>,
        values: &mut Vec<Typed>,
        columns: &mut Vec<Column>,
    ) -> SqlResult<()> {
        if values.len() >= MOST_ITEMS {
            return Err(SqlError::new(
                1056,
                format!(
                    "The number of elements in the select list exceeds the maximum allowed number \
                     of {MOST_ITEMS} elements."
                ),
            )
            .severity(15));
        }
        match item {
            SelectItem::Star(table) => {
                let wanted = table.as_ref().map(|t| fold(t.object()));
                let before = values.len();
                for column in &scope.columns {
                    if column.hidden || wanted.as_ref().is_some_and(|w| *w != column.table) {
                        continue;
                    }
                    let parts = if column.table.is_empty() {
                        vec![column.name.clone()]
                    } else {
                        vec![column.table.clone(), column.name.clone()]
                    };
                    let name = ast::ObjectName { parts };
                    let value = self.expression(&Expr::Column(name), scope)?;
                    columns.push(Column {
                        name: column.name.clone(),
                        sql_type: value.sql_type,
                        nullable: value.nullable,
                        identity: column.identity,
                    });
                    values.push(value);
                }
                if values.len() == before {
                    return Err(match table {
                        Some(table) => SqlError::new(
                            107,
                            format!(
                                "The column prefix '{}' does not match with a table name or alias \
                                 name used in the query.",
                                table.parts.join(".")
                            ),
                        )
                        .severity(15),
                        None => {
                            SqlError::new(263, "Must specify table to select from.").severity(15)
                        }
                    });
                }
            }
            SelectItem::Expr { value, alias } => {
                let bound = self.expression(value, scope)?;
                let mut identity = false;
                let name = match (alias, value) {
                    (Some(alias), _) => alias.clone(),
                    (None, Expr::Column(name)) => name.object().to_owned(),
                    _ => String::new(),
                };
                if let Expr::Column(column) = value
                    && let Ok(Some((0, at))) = scope.find(column)
                {
                    let source = scope.columns.get(at);
                    identity = source.is_some_and(|c| c.identity) && scope.grouping.is_none();
                    if alias.is_none() {
                        let name = source.map_or(name, |c| c.name.clone());
                        columns.push(Column {
                            name,
                            sql_type: bound.sql_type,
                            nullable: bound.nullable,
                            identity,
                        });
                        values.push(bound);
                        return Ok(());
                    }
                }
                columns.push(Column {
                    name,
                    sql_type: bound.sql_type,
                    nullable: bound.nullable,
                    identity,
                });
                values.push(bound);
            }
            SelectItem::Assign {
                variable,
                op,
                value,
            } => {
                let target = self
                    .frame
                    .variable_type(variable)
                    .ok_or_else(|| crate::session::Frame::undeclared(variable))?;
                let value = self.expression(value, scope)?;
                let value = crate::exec::assign::combine(*op, variable, target, value)?;
                columns.push(Column::new(variable.clone(), target));
                values.push(value);
            }
        }
        Ok(())
    }
}
