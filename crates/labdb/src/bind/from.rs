//! FROM: tables, joins, APPLY, derived tables, functions.

use super::query::{named, unify_rows};
use super::{Binder, Scope, ScopeColumn, Source, invalid_object};
use crate::catalog::{Table, fold};
use crate::plan::source::{Access, ReadMode};
use crate::plan::{Condition, JoinType, Node, Plan, Typed};
use crate::views;
use labdb_tsql::ast::{self, Apply, BinaryOp, Expr, JoinKind, TableHint, TableSource};
use labdb_types::{Column, SqlError, SqlResult};
use std::sync::Arc;

/// Puts a condition over a plan: as a seek where it fixes the first columns of an index, as part
/// of a join where it compares its sides, as a filter otherwise.
pub(crate) fn filtered(plan: Plan, condition: Condition) -> Plan {
    let parts = match condition {
        Condition::Always => return plan,
        Condition::And(parts) => parts,
        other => vec![other],
    };
    push_down(plan, parts)
}

fn push_down(plan: Plan, parts: Vec<Condition>) -> Plan {
    match plan {
        Plan::Table {
            table,
            access: Access::Scan,
            mode,
            with_address,
        } => {
            let access = seek(&table, &parts).unwrap_or(Access::Scan);
            let plan = Plan::Table {
                table,
                access,
                mode,
                with_address,
            };
            Plan::Filter(Box::new(plan), joined(parts))
        }
        Plan::Join {
            kind: JoinType::Inner,
            left,
            right,
            mut equal,
            on,
            left_width,
            right_width,
        } => {
            let mut rest = Vec::new();
            for part in parts {
                match equality_of_sides(&part, left_width) {
                    Some(pair) => equal.push(pair),
                    None => rest.push(part),
                }
            }
            let plan = Plan::Join {
                kind: JoinType::Inner,
                left,
                right,
                equal,
                on,
                left_width,
                right_width,
            };
            if rest.is_empty() {
                plan
            } else {
                Plan::Filter(Box::new(plan), joined(rest))
            }
        }
        other => Plan::Filter(Box::new(other), joined(parts)),
    }
}

fn joined(mut parts: Vec<Condition>) -> Condition {
    match parts.len() {
        0 => Condition::Always,
        1 => parts.pop().unwrap_or(Condition::Always),
        _ => Condition::And(parts),
    }
}

/// Whether an expression looks at the innermost row, and where.
fn columns_used(value: &Typed, visit: &mut dyn FnMut(usize)) -> bool {
    match &value.node {
        Node::Constant(_) | Node::Variable(_) => true,
        Node::Column { depth: 0, index } => {
            visit(*index);
            true
        }
        Node::Column { .. } => true,
        Node::Negate(inner) | Node::BitNot(inner) => columns_used(inner, visit),
        Node::Arithmetic(_, a, b) | Node::NullIf(a, b) => {
            columns_used(a, visit) && columns_used(b, visit)
        }
        Node::Convert { value, style, .. } => {
            columns_used(value, visit) && style.as_ref().is_none_or(|s| columns_used(s, visit))
        }
        Node::Coalesce(values) | Node::Call(_, values) => {
            values.iter().all(|v| columns_used(v, visit))
        }
        // Not looked into: treated as using everything.
        Node::Case { .. } | Node::Subquery(_) => false,
    }
}

fn uses_no_column(value: &Typed) -> bool {
    let mut any = false;
    columns_used(value, &mut |_| any = true) && !any
}

/// The index whose first columns the conditions fix, with the values.
fn seek(table: &Table, parts: &[Condition]) -> Option<Access> {
    for (place, index) in table.indexes.iter().enumerate() {
        let mut values = Vec::new();
        for part in &index.keys {
            let found = parts.iter().find_map(|condition| {
                let Condition::Compare(BinaryOp::Equal, a, b) = condition else {
                    return None;
                };
                let is_key = |side: &Typed| match side.node {
                    Node::Column { depth: 0, index } => index == part.column,
                    _ => false,
                };
                match (is_key(a), is_key(b)) {
                    (true, _) if uses_no_column(b) => Some(outside(b)),
                    (_, true) if uses_no_column(a) => Some(outside(a)),
                    _ => None,
                }
            });
            match found {
                Some(value) => values.push(value),
                None => break,
            }
        }
        if !values.is_empty() {
            return Some(Access::Seek {
                index: place,
                values,
            });
        }
    }
    None
}

/// The same expression as seen from the query around the table: one level less deep.
fn outside(value: &Typed) -> Typed {
    let node = match &value.node {
        Node::Column { depth, index } => Node::Column {
            depth: depth.saturating_sub(1),
            index: *index,
        },
        Node::Negate(inner) => Node::Negate(Box::new(outside(inner))),
        Node::BitNot(inner) => Node::BitNot(Box::new(outside(inner))),
        Node::Arithmetic(op, a, b) => {
            Node::Arithmetic(*op, Box::new(outside(a)), Box::new(outside(b)))
        }
        Node::NullIf(a, b) => Node::NullIf(Box::new(outside(a)), Box::new(outside(b))),
        Node::Convert {
            value,
            style,
            or_null,
        } => Node::Convert {
            value: Box::new(outside(value)),
            style: style.as_ref().map(|s| Box::new(outside(s))),
            or_null: *or_null,
        },
        Node::Coalesce(values) => Node::Coalesce(values.iter().map(outside).collect()),
        Node::Call(function, values) => Node::Call(function, values.iter().map(outside).collect()),
        other => other.clone(),
    };
    Typed {
        node,
        sql_type: value.sql_type,
        nullable: value.nullable,
    }
}

/// `left side = right side` of a join, as expressions over each side's own row.
fn equality_of_sides(condition: &Condition, left_width: usize) -> Option<(Typed, Typed)> {
    let Condition::Compare(BinaryOp::Equal, a, b) = condition else {
        return None;
    };
    let side = |value: &Typed| -> Option<bool> {
        let (mut left, mut right) = (false, false);
        let known = columns_used(value, &mut |index| {
            if index < left_width {
                left = true;
            } else {
                right = true;
            }
        });
        match (known, left, right) {
            (true, true, false) => Some(true),
            (true, false, true) => Some(false),
            _ => None,
        }
    };
    match (side(a)?, side(b)?) {
        (true, false) => Some((a.clone(), shifted(b, left_width))),
        (false, true) => Some((b.clone(), shifted(a, left_width))),
        _ => None,
    }
}

/// An expression over a joined row as one over the right side's row.
fn shifted(value: &Typed, by: usize) -> Typed {
    let node = match &value.node {
        Node::Column { depth: 0, index } => Node::Column {
            depth: 0,
            index: index.saturating_sub(by),
        },
        Node::Negate(inner) => Node::Negate(Box::new(shifted(inner, by))),
        Node::BitNot(inner) => Node::BitNot(Box::new(shifted(inner, by))),
        Node::Arithmetic(op, a, b) => {
            Node::Arithmetic(*op, Box::new(shifted(a, by)), Box::new(shifted(b, by)))
        }
        Node::NullIf(a, b) => Node::NullIf(Box::new(shifted(a, by)), Box::new(shifted(b, by))),
        Node::Convert {
            value,
            style,
            or_null,
        } => Node::Convert {
            value: Box::new(shifted(value, by)),
            style: style.as_ref().map(|s| Box::new(shifted(s, by))),
            or_null: *or_null,
        },
        Node::Coalesce(values) => Node::Coalesce(values.iter().map(|v| shifted(v, by)).collect()),
        Node::Call(function, values) => {
            Node::Call(function, values.iter().map(|v| shifted(v, by)).collect())
        }
        other => other.clone(),
    };
    Typed {
        node,
        sql_type: value.sql_type,
        nullable: value.nullable,
    }
}

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

/// The columns of a table as a scope sees them.
pub(crate) fn table_columns(table: &Table, alias: Option<&str>) -> Vec<ScopeColumn> {
    let name = fold(alias.unwrap_or(&table.name));
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
    columns
        .iter()
        .map(|c| ScopeColumn {
            table: table.clone(),
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
        target: Option<&str>,
    ) -> SqlResult<Bound> {
        match source {
            TableSource::Table { name, alias, hints } => {
                self.named_table(name, alias.as_deref(), hints, target)
            }
            TableSource::Variable { name, alias } => {
                let table = self.frame.table_variable(name)?;
                let shown = fold(alias.as_deref().unwrap_or(name));
                let mut columns = table_columns(&table, Some(&shown));
                let with_address = target == Some(shown.as_str());
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
        target: Option<&str>,
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
        match self.source(name)? {
            Source::Table(table) => {
                let shown = fold(alias.unwrap_or(&table.name));
                let mut columns = table_columns(&table, alias);
                // A temporary table is called by the name it was made with.
                for column in &mut columns {
                    column.table.clone_from(&shown);
                }
                let with_address = target == Some(shown.as_str());
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
        target: Option<&str>,
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

    /// Binds the target of UPDATE or DELETE: a plan whose rows have the address of the target's
    /// row at the returned place, the scope, and the table.
    pub(crate) fn target(
        &self,
        target: &TableSource,
        from: &[TableSource],
    ) -> SqlResult<(Bound, usize, Arc<Table>)> {
        let (shown, table) = match target {
            TableSource::Variable { name, .. } => {
                (fold(name), Some(self.frame.table_variable(name)?))
            }
            TableSource::Table { name, .. } => {
                let direct = name.object();
                (fold(direct), None)
            }
            _ => {
                return Err(
                    SqlError::new(102, "Only a table or table variable can be changed.")
                        .severity(15),
                );
            }
        };
        let mut sources: Vec<TableSource> = from.to_vec();
        let alias = find_alias(from, &shown, target);
        let (wanted, table) = match (alias, table) {
            (Some((wanted, source)), _) => {
                let table = match &source {
                    TableSource::Variable { name, .. } => self.frame.table_variable(name)?,
                    TableSource::Table { name, .. } => self.table(name)?,
                    _ => {
                        return Err(SqlError::new(
                            4421,
                            "Derived table is not updatable because a column of the derived table \
                             is derived or constant.",
                        ));
                    }
                };
                (wanted, table)
            }
            (None, table) => {
                sources.push(target.clone());
                let table = match (table, target) {
                    (Some(table), _) => table,
                    (None, TableSource::Table { name, .. }) => self.table(name)?,
                    _ => {
                        return Err(SqlError::new(
                            102,
                            "Only a table or table variable can be changed.",
                        )
                        .severity(15));
                    }
                };
                (shown, table)
            }
        };
        let mut bound: Option<Bound> = None;
        for source in &sources {
            let next = self.table_source(source, None, Some(&wanted))?;
            bound = Some(match bound {
                None => next,
                Some(before) => cross(before, next)?,
            });
        }
        let bound = bound.ok_or_else(|| {
            SqlError::new(102, "Only a table or table variable can be changed.").severity(15)
        })?;
        let place = bound
            .columns
            .iter()
            .position(|c| c.hidden && c.table == wanted)
            .ok_or_else(|| SqlError::new(208, format!("Invalid object name '{wanted}'.")))?;
        Ok((bound, place, table))
    }
}

/// The entry of FROM that UPDATE's or DELETE's target names, and the name it goes by.
fn find_alias(
    from: &[TableSource],
    shown: &str,
    target: &TableSource,
) -> Option<(String, TableSource)> {
    fn visit(
        source: &TableSource,
        shown: &str,
        target: &TableSource,
    ) -> Option<(String, TableSource)> {
        match source {
            TableSource::Table { name, alias, .. } => {
                let own = fold(alias.as_deref().unwrap_or(name.object()));
                let same_table = match target {
                    TableSource::Table { name: wanted, .. } => {
                        fold(wanted.object()) == fold(name.object())
                    }
                    _ => false,
                };
                let chosen =
                    own == shown || (same_table && alias.is_some() && fold(name.object()) == shown);
                chosen.then(|| (own, source.clone()))
            }
            TableSource::Variable { name, alias } => {
                let own = fold(alias.as_deref().unwrap_or(name));
                (own == shown || fold(name) == shown).then(|| (own, source.clone()))
            }
            TableSource::Join { left, right, .. } | TableSource::Apply { left, right, .. } => {
                visit(left, shown, target).or_else(|| visit(right, shown, target))
            }
            _ => None,
        }
    }
    from.iter().find_map(|s| visit(s, shown, target))
}

fn default_as_null(argument: &Expr) -> Expr {
    if matches!(argument, Expr::Default) {
        Expr::Literal(ast::Literal::Null)
    } else {
        argument.clone()
    }
}

fn cross(left: Bound, right: Bound) -> SqlResult<Bound> {
    let mut tables = left.tables;
    for table in right.tables {
        if !table.is_empty() && tables.contains(&table) {
            return Err(SqlError::new(
                1011,
                format!(
                    "The correlation name '{table}' is specified multiple times in a FROM clause. \
                     Give each table an alias of its own."
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
