//! Running a plan: every node pushes its rows into the one above and stops when told so.

use super::group::group;
use super::join;
use super::top::top;
use super::window::{WindowCall, compare_keys};
use super::{Condition, Context, Env, Plan, SortKey};
use crate::eval::{convert, key};
use crate::session::memory::Grant;
use labdb_types::{Column, SqlError, SqlResult, Value};
use std::collections::HashSet;

/// Whether a consumer wants more rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Yes.
    More,
    /// No: stop without an error.
    Enough,
}

/// What takes rows.
pub type Sink<'s> = &'s mut dyn FnMut(Vec<Value>) -> SqlResult<Flow>;

/// Rows that are kept, with the memory that they take.
#[derive(Debug, Default)]
pub struct Kept {
    /// The rows.
    pub rows: Vec<Vec<Value>>,
    /// Their memory.
    pub grant: Grant,
}

/// A plan with the columns that it gives.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    /// The tree.
    pub plan: Plan,
    /// Its columns.
    pub columns: Vec<Column>,
}

impl Plan {
    /// Runs the plan; `outer` is the row of the query around it.
    ///
    /// # Errors
    /// Run-time errors of expressions and storage; 3621-class cancellations.
    pub fn run(
        &self,
        ctx: &Context<'_>,
        outer: Option<&Env<'_>>,
        sink: Sink<'_>,
    ) -> SqlResult<Flow> {
        match self {
            Self::Single => sink(Vec::new()),
            Self::Table {
                table,
                access,
                mode,
                with_address,
            } => {
                crate::exec::table_read::read(ctx, table, access, mode, *with_address, outer, sink)
            }
            Self::Variable { name, with_address } => {
                let table = ctx.frame.table_variable(name)?;
                crate::exec::table_read::read(
                    ctx,
                    &table,
                    &super::source::Access::Scan,
                    &super::source::ReadMode::default(),
                    *with_address,
                    outer,
                    sink,
                )
            }
            Self::View(view, arguments) => {
                // The arguments are bound in a scope of their own, inside those around.
                let env = Env::new(&[], outer);
                let mut values = Vec::with_capacity(arguments.len());
                for argument in arguments {
                    values.push(argument.eval(ctx, &env)?);
                }
                for row in crate::views::rows(view, ctx, &values)? {
                    ctx.check_cancelled()?;
                    if sink(row)? == Flow::Enough {
                        return Ok(Flow::Enough);
                    }
                }
                Ok(Flow::More)
            }
            Self::Rowset(rowset, arguments) => {
                rowset.run(arguments, ctx, &Env::new(&[], outer), sink)
            }
            Self::Values(rows) => {
                let env = Env::new(&[], outer);
                for row in rows {
                    let mut values = Vec::with_capacity(row.len());
                    for value in row {
                        values.push(value.eval(ctx, &env)?);
                    }
                    if sink(values)? == Flow::Enough {
                        return Ok(Flow::Enough);
                    }
                }
                Ok(Flow::More)
            }
            Self::Filter(input, condition) => input.run(ctx, outer, &mut |row| {
                if condition.holds(ctx, &Env::new(&row, outer))? {
                    sink(row)
                } else {
                    Ok(Flow::More)
                }
            }),
            Self::Project(input, expressions) => input.run(ctx, outer, &mut |row| {
                let env = Env::new(&row, outer);
                let mut values = Vec::with_capacity(expressions.len());
                for expression in expressions {
                    values.push(expression.eval(ctx, &env)?);
                }
                sink(values)
            }),
            Self::Join { .. } => join::run(self, ctx, outer, sink),
            Self::Apply {
                left,
                right,
                outer: keep,
                right_width,
            } => left.run(ctx, outer, &mut |row| {
                let env = Env::new(&row, outer);
                let mut any = false;
                let flow = right.run(ctx, Some(&env), &mut |other| {
                    any = true;
                    let mut joined = row.clone();
                    joined.extend(other);
                    sink(joined)
                })?;
                if !any && *keep {
                    let mut joined = row.clone();
                    joined.extend(std::iter::repeat_n(Value::Null, *right_width));
                    return sink(joined);
                }
                Ok(flow)
            }),
            Self::Group {
                input,
                keys,
                aggregates,
            } => group(input, keys, aggregates, ctx, outer, sink),
            // Numbers that follow no order are given as the rows come, and none is kept.
            Self::Window(input, calls) if calls.iter().all(WindowCall::counts_rows) => {
                let mut number = 0_i64;
                input.run(ctx, outer, &mut |mut row| {
                    number += 1;
                    if number % 1024 == 0 {
                        ctx.check_cancelled()?;
                    }
                    row.extend(calls.iter().map(|_| Value::BigInt(number)));
                    sink(row)
                })
            }
            Self::Window(input, calls) => {
                let Kept {
                    mut rows,
                    mut grant,
                } = input.collect(ctx, outer)?;
                let mut columns = Vec::with_capacity(calls.len());
                for call in calls {
                    let values = call.values(&rows, ctx, outer)?;
                    ctx.hold(&mut grant, &values)?;
                    columns.push(values.into_iter());
                }
                for mut row in rows.drain(..) {
                    for column in &mut columns {
                        row.push(column.next().unwrap_or(Value::Null));
                    }
                    if sink(row)? == Flow::Enough {
                        return Ok(Flow::Enough);
                    }
                }
                Ok(Flow::More)
            }
            Self::Sort(input, keys) => {
                let (sorted, _grant) = sorted(input, keys, ctx, outer)?;
                for row in sorted {
                    if sink(row)? == Flow::Enough {
                        return Ok(Flow::Enough);
                    }
                }
                Ok(Flow::More)
            }
            Self::Trim(input, width) => input.run(ctx, outer, &mut |mut row| {
                row.truncate(*width);
                sink(row)
            }),
            Self::Distinct(input) => {
                let mut seen = HashSet::new();
                let mut grant = Grant::default();
                input.run(ctx, outer, &mut |row| {
                    let name = key::of(&row);
                    if seen.contains(&name) {
                        Ok(Flow::More)
                    } else {
                        ctx.hold_key(&mut grant, &name)?;
                        seen.insert(name);
                        sink(row)
                    }
                })
            }
            Self::Top {
                input,
                count,
                percent,
                ties,
            } => top(input, count, *percent, ties.as_deref(), ctx, outer, sink),
            Self::Offset { input, skip, fetch } => {
                let env = outer.copied().unwrap_or_else(Env::empty);
                let skip = whole(
                    &skip.eval(ctx, &env)?,
                    "The offset specified in a OFFSET clause may not be negative.",
                    10742,
                )?;
                let fetch = match fetch {
                    Some(fetch) => Some(whole(
                        &fetch.eval(ctx, &env)?,
                        "The number of rows provided for a FETCH clause must be greater then zero.",
                        10744,
                    )?),
                    None => None,
                };
                let (mut seen, mut given) = (0_u64, 0_u64);
                let mut above = Flow::More;
                if fetch == Some(0) {
                    return Err(SqlError::new(
                        10744,
                        "The number of rows provided for a FETCH clause must be greater then zero.",
                    )
                    .severity(15));
                }
                input.run(ctx, outer, &mut |row| {
                    seen += 1;
                    if seen <= skip {
                        return Ok(Flow::More);
                    }
                    given += 1;
                    above = sink(row)?;
                    Ok(if fetch.is_some_and(|limit| given >= limit) {
                        Flow::Enough
                    } else {
                        above
                    })
                })?;
                // Enough for this node is not enough for those above.
                Ok(above)
            }
            Self::Concat(left, right) => {
                if left.run(ctx, outer, sink)? == Flow::Enough {
                    return Ok(Flow::Enough);
                }
                right.run(ctx, outer, sink)
            }
            Self::Matching { left, right, keep } => {
                let mut others = HashSet::new();
                let mut grant = Grant::default();
                right.run(ctx, outer, &mut |row| {
                    let name = key::of(&row);
                    ctx.hold_key(&mut grant, &name)?;
                    others.insert(name);
                    Ok(Flow::More)
                })?;
                let mut seen = HashSet::new();
                left.run(ctx, outer, &mut |row| {
                    let name = key::of(&row);
                    if others.contains(&name) == *keep && !seen.contains(&name) {
                        ctx.hold_key(&mut grant, &name)?;
                        seen.insert(name);
                        sink(row)
                    } else {
                        Ok(Flow::More)
                    }
                })
            }
            Self::Recursive {
                anchor,
                step,
                id,
                limit,
            } => {
                let mut last = anchor.collect(ctx, outer)?;
                let mut depth = 0;
                loop {
                    for row in &last.rows {
                        ctx.check_cancelled()?;
                        if sink(row.clone())? == Flow::Enough {
                            return Ok(Flow::Enough);
                        }
                    }
                    if last.rows.is_empty() {
                        return Ok(Flow::More);
                    }
                    // The memory of these rows is held until the next are there.
                    let Kept {
                        rows,
                        grant: _grant,
                    } = std::mem::take(&mut last);
                    let previous = ctx.frame.set_working(*id, std::rc::Rc::new(rows));
                    let next = step.collect(ctx, outer);
                    ctx.frame.restore_working(*id, previous);
                    last = next?;
                    depth += 1;
                    if *limit > 0 && depth > *limit && !last.rows.is_empty() {
                        return Err(SqlError::new(
                            530,
                            format!(
                                "The statement terminated. The maximum recursion {limit} has been \
                                 exhausted before statement completion."
                            ),
                        ));
                    }
                }
            }
            Self::Working(id) => {
                let rows = ctx.frame.working(*id);
                for row in rows.iter() {
                    if sink(row.clone())? == Flow::Enough {
                        return Ok(Flow::Enough);
                    }
                }
                Ok(Flow::More)
            }
        }
    }

    /// All rows at once.
    ///
    /// # Errors
    /// As [`Plan::run`].
    pub fn collect(&self, ctx: &Context<'_>, outer: Option<&Env<'_>>) -> SqlResult<Kept> {
        let mut kept = Kept::default();
        self.run(ctx, outer, &mut |row| {
            if kept.rows.len() % 1024 == 0 {
                ctx.check_cancelled()?;
            }
            ctx.hold(&mut kept.grant, &row)?;
            kept.rows.push(row);
            Ok(Flow::More)
        })?;
        Ok(kept)
    }
}

pub(super) fn whole(value: &Value, message: &str, number: i32) -> SqlResult<u64> {
    convert::as_i64(value)
        .and_then(|n| u64::try_from(n).ok())
        .ok_or_else(|| SqlError::new(number, message).severity(15))
}

fn sorted(
    input: &Plan,
    keys: &[SortKey],
    ctx: &Context<'_>,
    outer: Option<&Env<'_>>,
) -> SqlResult<(impl Iterator<Item = Vec<Value>>, Grant)> {
    let mut rows = Vec::new();
    let mut grant = Grant::default();
    input.run(ctx, outer, &mut |row| {
        if rows.len() % 1024 == 0 {
            ctx.check_cancelled()?;
        }
        let env = Env::new(&row, outer);
        let mut values = Vec::with_capacity(keys.len());
        for item in keys {
            values.push(item.value.eval(ctx, &env)?);
        }
        ctx.hold(&mut grant, &values)?;
        ctx.hold(&mut grant, &row)?;
        rows.push((values, row));
        Ok(Flow::More)
    })?;
    rows.sort_by(|(a, _), (b, _)| compare_keys(a, b, keys));
    Ok((rows.into_iter().map(|(_, row)| row), grant))
}

/// Whether a condition is certain to hold for every row.
pub fn is_always(condition: &Condition) -> bool {
    matches!(condition, Condition::Always)
}
