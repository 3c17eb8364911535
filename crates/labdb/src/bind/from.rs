//! FROM: tables, joins, APPLY, derived tables, functions.

use super::coercion::unify_rows;
use super::common_table::named;
use super::push_down::{equality_of_sides, joined};
use super::{Binder, Scope, ScopeColumn, Source, TableUse, invalid_object};
use crate::catalog::{DataPermission, Table, fold};
use crate::plan::source::{Access, ReadMode};
use crate::plan::{Condition, JoinType, Plan};
use crate::views;
use labdb_tsql::ast::{self, Apply, Expr, JoinKind, TableHint, TableSource};
use labdb_types::{Column, SqlError, SqlResult};
use std::sync::Arc;

/// A bound entry of FROM.
pub(crate) struct Bound {
    pub(crate) plan: Plan,
    pub(crate) columns: Vec<ScopeColumn>,
    pub(crate) tables: Vec<String>,
}

fn read_mode(hints: &[TableHint]) -> SqlResult<ReadMode> {
    let mut mode = ReadMode::default();
    for hint in hints {
        match hint.0.as_str() {
            "NOLOCK" | "READUNCOMMITTED" => mode.dirty = true,
            "UPDLOCK" => mode.update = true,
            "XLOCK" => mode.update = true,
            "HOLDLOCK" | "SERIALIZABLE" | "REPEATABLEREAD" => mode.hold = true,
            "READPAST" => mode.skip_locked = true,
            "TABLOCKX" => mode.table_exclusive = true,
            "TABLOCK" | "ROWLOCK" | "PAGLOCK" | "READCOMMITTED" | "READCOMMITTEDLOCK"
            | "NOWAIT" | "NOEXPAND" | "FORCESEEK" | "FORCESCAN" | "KEEPIDENTITY"
            | "KEEPDEFAULTS" | "IGNORE_CONSTRAINTS" | "IGNORE_TRIGGERS" => {}
            other if other.starts_with("INDEX") => {}
            other => {
                return Err(SqlError::new(
                    321,
                    format!(
                        "\"{other}\" is not a recognized table hints option. If it is intended as \
                         a parameter to a table-valued function or to the CHANGETABLE function, \
                         ensure that your database compatibility mode is set to 90."
                    ),
                )
                .severity(15));
            }
        }
    }
    Ok(mode)
}

/// Whether the hints of the table that an INSERT fills lock it exclusively: there TABLOCK does as
/// TABLOCKX.
///
/// # Errors
/// 321 for what is no hint.
pub(crate) fn locks_target(hints: &[TableHint]) -> SqlResult<bool> {
    let mode = read_mode(hints)?;
    Ok(mode.table_exclusive || hints.iter().any(|hint| hint.0 == "TABLOCK"))
}

/// The columns of a table as a scope sees them.
pub(crate) fn table_columns(table: &Table, alias: Option<&str>) -> Vec<ScopeColumn> {
    let name = fold(alias.unwrap_or(&table.name));
    let shown: Arc<str> = alias.unwrap_or(&table.name).into();
    let schema = if alias.is_none() {
        Some(fold(&table.schema))
    } else {
        None
    };
    table
        .columns
        .iter()
        .map(|c| ScopeColumn {
            table: name.clone(),
            shown: Arc::clone(&shown),
            schema: schema.clone(),
            name: c.name.clone(),
            folded: fold(&c.name),
            sql_type: c.sql_type,
            nullable: c.nullable,
            identity: c.identity.is_some(),
            hidden: false,
        })
        .collect()
}

/// Columns of a query under a table's name.
pub(crate) fn output_columns(columns: &[Column], alias: &str) -> Vec<ScopeColumn> {
    let table = fold(alias);
    let shown: Arc<str> = alias.into();
    columns
        .iter()
        .map(|c| ScopeColumn {
            table: table.clone(),
            shown: Arc::clone(&shown),
            schema: None,
            name: c.name.clone(),
            folded: fold(&c.name),
            sql_type: c.sql_type,
            nullable: c.nullable,
            identity: c.identity,
            hidden: false,
        })
        .collect()
}

fn address_column(table: &str) -> ScopeColumn {
    ScopeColumn {
        table: table.to_owned(),
        shown: table.into(),
        schema: None,
        name: String::new(),
        folded: "\0address".to_owned(),
        sql_type: labdb_types::SqlType::BigInt,
        nullable: true,
        identity: false,
        hidden: true,
    }
}

impl Binder<'_> {
    /// Binds FROM; without it there is one row of no columns.
    pub(super) fn from<'s>(
        &self,
        sources: &[TableSource],
        parent: Option<&'s Scope<'s>>,
    ) -> SqlResult<(Plan, Scope<'s>)> {
        let mut scope = Scope::inside(parent);
        let mut bound: Option<Bound> = None;
        for source in sources {
            let next = self.table_source(source, parent, None)?;
            bound = Some(match bound {
                None => next,
                Some(before) => cross(before, next)?,
            });
        }
        match bound {
            None => Ok((Plan::Single, scope)),
            Some(bound) => {
                scope.columns = bound.columns;
                scope.tables = bound.tables;
                Ok((bound.plan, scope))
            }
        }
    }

    /// Binds one entry of FROM. `target` is the alias of a table whose rows' addresses are wanted.
    pub(crate) fn table_source(
        &self,
        source: &TableSource,
        parent: Option<&Scope<'_>>,
        target: Option<(&str, TableUse)>,
    ) -> SqlResult<Bound> {
        match source {
            TableSource::Table { name, alias, hints } => {
                let mut bound = self.named_table(name, alias.as_deref(), hints, target)?;
                let written = name.parts.join(".");
                let shown: Arc<str> = alias.as_deref().unwrap_or(&written).into();
                for column in &mut bound.columns {
                    column.shown = Arc::clone(&shown);
                }
                Ok(bound)
            }
            TableSource::Variable { name, alias } => {
                let table = self.frame.table_variable(name)?;
                let shown = fold(alias.as_deref().unwrap_or(name));
                let mut columns = table_columns(&table, Some(&shown));
                let with_address = target.is_some_and(|(t, _)| t == shown);
                if with_address {
                    columns.push(address_column(&shown));
                }
                Ok(Bound {
                    plan: Plan::Variable {
                        name: fold(name).into(),
                        with_address,
                    },
                    columns,
                    tables: vec![shown],
                })
            }
            TableSource::Function {
                call,
                alias,
                columns,
            } => {
                let scope = Scope::inside(parent);
                if let Some(bound) = self.rowset(call, alias.as_deref(), columns, &scope)? {
                    return Ok(bound);
                }
                let schema = call.name.schema().unwrap_or("sys");
                let view = views::find_function(schema, call.name.object())
                    .ok_or_else(|| invalid_object(&call.name))?;
                let arguments = views::bind_arguments(
                    view,
                    self.expressions(
                        &call
                            .arguments
                            .iter()
                            .map(default_as_null)
                            .collect::<Vec<_>>(),
                        &scope,
                    )?,
                )?;
                let shown = alias
                    .clone()
                    .unwrap_or_else(|| call.name.object().to_owned());
                let output = named(view.columns(), columns, &shown)?;
                Ok(Bound {
                    plan: Plan::View(view, arguments),
                    columns: output_columns(&output, &shown),
                    tables: vec![fold(&shown)],
                })
            }
            TableSource::Derived {
                query,
                alias,
                columns,
            } => {
                let bound = self.bind_query(query, parent)?;
                let shown = alias.clone().unwrap_or_default();
                let output = named(bound.columns, columns, &shown)?;
                Ok(Bound {
                    plan: bound.plan,
                    columns: output_columns(&output, &shown),
                    tables: vec![fold(&shown)],
                })
            }
            TableSource::Values {
                rows,
                alias,
                columns,
            } => {
                let scope = Scope::inside(parent);
                let mut bound = Vec::with_capacity(rows.len());
                for row in rows {
                    bound.push(self.expressions(row, &scope)?);
                }
                let (rows, types) = unify_rows(bound)?;
                let shown = alias.clone().unwrap_or_default();
                let output = named(
                    types.into_iter().map(|t| Column::new("", t)).collect(),
                    columns,
                    &shown,
                )?;
                Ok(Bound {
                    plan: Plan::Values(rows),
                    columns: output_columns(&output, &shown),
                    tables: vec![fold(&shown)],
                })
            }
            TableSource::Join {
                kind,
                left,
                right,
                on,
            } => self.join(*kind, left, right, on.as_ref(), parent, target),
            TableSource::Apply { kind, left, right } => {
                let left = self.table_source(left, parent, target)?;
                let inner = Scope {
                    columns: left.columns.clone(),
                    parent,
                    grouping: None,
                    tables: left.tables.clone(),
                };
                let right = self.table_source(right, Some(&inner), None)?;
                let right_width = right.columns.len();
                let outer = *kind == Apply::Outer;
                let mut columns = left.columns;
                columns.extend(right.columns.into_iter().map(|c| ScopeColumn {
                    nullable: c.nullable || outer,
                    ..c
                }));
                let mut tables = left.tables;
                tables.extend(right.tables);
                Ok(Bound {
                    plan: Plan::Apply {
                        left: Box::new(left.plan),
                        right: Box::new(right.plan),
                        outer,
                        right_width,
                    },
                    columns,
                    tables,
                })
            }
        }
    }

    fn named_table(
        &self,
        name: &ast::ObjectName,
        alias: Option<&str>,
        hints: &[TableHint],
        target: Option<(&str, TableUse)>,
    ) -> SqlResult<Bound> {
        if name.parts.len() == 1
            && let Some((plan, columns)) = self.common_source(name.object())
        {
            let shown = alias.unwrap_or(name.object());
            return Ok(Bound {
                plan,
                columns: output_columns(&columns, shown),
                tables: vec![fold(shown)],
            });
        }
        let called = fold(alias.unwrap_or(name.object()));
        let wanted = target
            .filter(|(target, _)| *target == called)
            .map_or(TableUse::Data(DataPermission::Select), |(_, wanted)| wanted);
        match self.source(name, wanted)? {
            Source::Table(table) => {
                let shown = fold(alias.unwrap_or(&table.name));
                let mut columns = table_columns(&table, alias);
                // A temporary table is called by the name it was made with.
                for column in &mut columns {
                    column.table.clone_from(&shown);
                }
                let with_address = target.is_some_and(|(t, _)| t == shown);
                if with_address {
                    columns.push(address_column(&shown));
                }
                let mode = read_mode(hints)?;
                Ok(Bound {
                    plan: Plan::Table {
                        table,
                        access: Access::Scan,
                        mode,
                        with_address,
                    },
                    columns,
                    tables: vec![shown],
                })
            }
            Source::View(view) => {
                let shown = alias.unwrap_or(name.object());
                let arguments = views::database_argument(view, name, self.session)?;
                let mut columns = output_columns(&view.columns(), shown);
                if alias.is_none() {
                    for column in &mut columns {
                        column.schema = Some(fold(view.schema));
                    }
                }
                Ok(Bound {
                    plan: Plan::View(view, arguments),
                    columns,
                    tables: vec![fold(shown)],
                })
            }
        }
    }

    fn join(
        &self,
        kind: JoinKind,
        left: &TableSource,
        right: &TableSource,
        on: Option<&Expr>,
        parent: Option<&Scope<'_>>,
        target: Option<(&str, TableUse)>,
    ) -> SqlResult<Bound> {
        let left = self.table_source(left, parent, target)?;
        let right = self.table_source(right, parent, target)?;
        let mut bound = cross(left, right)?;
        let join_type = match kind {
            JoinKind::Inner | JoinKind::Cross => JoinType::Inner,
            JoinKind::Left => JoinType::Left,
            JoinKind::Right => JoinType::Right,
            JoinKind::Full => JoinType::Full,
        };
        let condition = match on {
            Some(on) => {
                let scope = Scope {
                    columns: bound.columns.clone(),
                    parent,
                    grouping: None,
                    tables: bound.tables.clone(),
                };
                self.condition(on, &scope)?
            }
            None => Condition::Always,
        };
        if let Plan::Join {
            kind,
            equal,
            on,
            left_width,
            ..
        } = &mut bound.plan
        {
            *kind = join_type;
            let parts = match condition {
                Condition::Always => Vec::new(),
                Condition::And(parts) => parts,
                other => vec![other],
            };
            let mut rest = Vec::new();
            for part in parts {
                match equality_of_sides(&part, *left_width) {
                    Some(pair) => equal.push(pair),
                    None => rest.push(part),
                }
            }
            *on = joined(rest);
            let left_nullable = matches!(join_type, JoinType::Right | JoinType::Full);
            let right_nullable = matches!(join_type, JoinType::Left | JoinType::Full);
            for (at, column) in bound.columns.iter_mut().enumerate() {
                column.nullable |= if at < *left_width {
                    left_nullable
                } else {
                    right_nullable
                };
            }
        }
        Ok(bound)
    }
}

fn default_as_null(argument: &Expr) -> Expr {
    if matches!(argument, Expr::Default) {
        Expr::Literal(ast::Literal::Null)
    } else {
        argument.clone()
    }
}

pub(super) fn cross(left: Bound, right: Bound) -> SqlResult<Bound> {
    let mut tables = left.tables;
    for table in right.tables {
        if !table.is_empty() && tables.contains(&table) {
            return Err(SqlError::new(
                1011,
                format!(
                    "The correlation name '{table}' is specified multiple times in a FROM clause."
                ),
            ));
        }
        tables.push(table);
    }
    let (left_width, right_width) = (left.columns.len(), right.columns.len());
    let mut columns = left.columns;
    columns.extend(right.columns);
    let plan = Plan::Join {
        kind: JoinType::Inner,
        left: Box::new(left.plan),
        right: Box::new(right.plan),
        equal: Vec::new(),
        on: Condition::Always,
        left_width,
        right_width,
    };
    Ok(Bound {
        plan,
        columns,
        tables,
    })
}
