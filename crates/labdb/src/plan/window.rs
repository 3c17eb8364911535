//! Window functions: ranking and aggregates OVER.

use super::{Aggregate, Context, Env, Node, Plan, SortKey, Typed};
use crate::eval::{compare, convert, key};
use labdb_tsql::ast::FrameBound;
use labdb_types::{SqlResult, SqlType, Value};
use std::collections::HashMap;

/// What a window function works out.
#[derive(Clone, Debug, PartialEq)]
pub enum WindowFunction {
    /// `ROW_NUMBER`.
    RowNumber,
    /// RANK.
    Rank,
    /// `DENSE_RANK`.
    DenseRank,
    /// NTILE(n).
    Ntile(Typed),
    /// LAG (negative) and LEAD: value, distance and default.
    Shift {
        /// The value.
        value: Typed,
        /// Rows ahead.
        distance: Typed,
        /// Where there is no such row.
        default: Option<Typed>,
        /// LAG.
        back: bool,
    },
    /// `FIRST_VALUE`.
    First(Typed),
    /// `LAST_VALUE`.
    Last(Typed),
    /// An aggregate.
    Aggregate(Aggregate),
}

/// The names of the functions that need OVER, for the documentation's test.
pub const NAMES: &[&str] = &[
    "DENSE_RANK",
    "FIRST_VALUE",
    "LAG",
    "LAST_VALUE",
    "LEAD",
    "NTILE",
    "RANK",
    "ROW_NUMBER",
];

/// A window function with its window.
#[derive(Clone, Debug, PartialEq)]
pub struct WindowCall {
    /// The function.
    pub function: WindowFunction,
    /// PARTITION BY.
    pub partition: Vec<Typed>,
    /// ORDER BY.
    pub order: Vec<SortKey>,
    /// ROWS BETWEEN; without it an ordered aggregate runs from the first row to the last peer.
    pub frame: Option<(FrameBound, FrameBound)>,
    /// The result's type.
    pub sql_type: SqlType,
}

/// Whether a value is the same for all rows: a constant, also as `(SELECT NULL)`.
fn is_constant(value: &Typed) -> bool {
    match &value.node {
        Node::Literal(_) | Node::Constant(_) | Node::Variable(_) => true,
        Node::Convert { value, style, .. } => {
            is_constant(value) && style.as_ref().is_none_or(|s| is_constant(s))
        }
        Node::Subquery(plan) => match &**plan {
            Plan::Project(input, values) => {
                matches!(**input, Plan::Single) && values.iter().all(is_constant)
            }
            _ => false,
        },
        _ => false,
    }
}

impl WindowCall {
    /// Whether it numbers the rows as they come: `ROW_NUMBER` over all, in no order.
    pub fn counts_rows(&self) -> bool {
        self.function == WindowFunction::RowNumber
            && self.partition.is_empty()
            && self.order.iter().all(|key| is_constant(&key.value))
    }

    /// The function's value for each of the rows.
    ///
    /// # Errors
    /// Those of its expressions.
    pub fn values(
        &self,
        rows: &[Vec<Value>],
        ctx: &Context<'_>,
        outer: Option<&Env<'_>>,
    ) -> SqlResult<Vec<Value>> {
        let mut partitions: HashMap<Vec<u8>, Vec<usize>> = HashMap::new();
        let mut order_keys = Vec::with_capacity(rows.len());
        let mut names = Vec::new();
        for (at, row) in rows.iter().enumerate() {
            let env = Env::new(row, outer);
            let mut partition = Vec::new();
            for expression in &self.partition {
                key::push(&mut partition, &expression.eval(ctx, &env)?, false);
            }
            let mut order = Vec::new();
            for item in &self.order {
                key::push(&mut order, &item.value.eval(ctx, &env)?, item.descending);
            }
            order_keys.push(order);
            let members = partitions.entry(partition.clone()).or_default();
            if members.is_empty() {
                names.push(partition);
            }
            members.push(at);
        }
        let mut out = vec![Value::Null; rows.len()];
        for name in names {
            let Some(mut members) = partitions.remove(&name) else {
                continue;
            };
            members.sort_by(|a, b| order_keys.get(*a).cmp(&order_keys.get(*b)));
            self.partition_values(&members, &order_keys, rows, ctx, outer, &mut out)?;
        }
        Ok(out)
    }

    fn number(&self, n: usize) -> Value {
        convert::integer_value(n as i64, self.sql_type).unwrap_or(Value::Null)
    }

    fn partition_values(
        &self,
        members: &[usize],
        order_keys: &[Vec<u8>],
        rows: &[Vec<Value>],
        ctx: &Context<'_>,
        outer: Option<&Env<'_>>,
        out: &mut [Value],
    ) -> SqlResult<()> {
        let count = members.len();
        let order_of = |place: usize| members.get(place).and_then(|at| order_keys.get(*at));
        let value_at = |expression: &Typed, place: usize| -> SqlResult<Value> {
            let row = members.get(place).and_then(|at| rows.get(*at));
            row.map_or(Ok(Value::Null), |row| {
                expression.eval(ctx, &Env::new(row, outer))
            })
        };
        let (mut rank, mut dense) = (0, 0);
        let mut running = Vec::new();
        if let WindowFunction::Aggregate(aggregate) = &self.function {
            running = self.aggregate_values(aggregate, members, order_keys, rows, ctx, outer)?;
        }
        for (place, at) in members.iter().enumerate() {
            let new_peer = place == 0 || order_of(place) != order_of(place - 1);
            if new_peer {
                rank = place + 1;
                dense += 1;
            }
            let value = match &self.function {
                WindowFunction::RowNumber => self.number(place + 1),
                WindowFunction::Rank => self.number(rank),
                WindowFunction::DenseRank => self.number(dense),
                WindowFunction::Ntile(buckets) => {
                    let n = convert::as_i64(&value_at(buckets, place)?)
                        .unwrap_or(1)
                        .max(1) as usize;
                    let (size, extra) = (count / n, count % n);
                    let large = extra * (size + 1);
                    self.number(if place < large {
                        place / (size + 1) + 1
                    } else {
                        extra + (place - large) / size.max(1) + 1
                    })
                }
                WindowFunction::Shift {
                    value,
                    distance,
                    default,
                    back,
                } => {
                    let distance = convert::as_i64(&value_at(distance, place)?)
                        .unwrap_or(1)
                        .max(0) as usize;
                    let target = if *back {
                        place.checked_sub(distance)
                    } else {
                        place.checked_add(distance)
                    };
                    match (target.filter(|t| *t < count), default) {
                        (Some(target), _) => value_at(value, target)?,
                        (None, Some(default)) => value_at(default, place)?,
                        (None, None) => Value::Null,
                    }
                }
                WindowFunction::First(value) | WindowFunction::Last(value) => {
                    let (from, to) = match self.frame {
                        Some(frame) => frame_at(frame, place, count),
                        None => {
                            let peers = (place..count)
                                .take_while(|p| order_of(*p) == order_of(place))
                                .count();
                            (0, place + peers)
                        }
                    };
                    if from >= to {
                        Value::Null
                    } else if matches!(self.function, WindowFunction::First(_)) {
                        value_at(value, from)?
                    } else {
                        value_at(value, to - 1)?
                    }
                }
                WindowFunction::Aggregate(_) => running.get(place).cloned().unwrap_or(Value::Null),
            };
            if let Some(slot) = out.get_mut(*at) {
                *slot = value;
            }
        }
        Ok(())
    }

    fn aggregate_values(
        &self,
        aggregate: &Aggregate,
        members: &[usize],
        order_keys: &[Vec<u8>],
        rows: &[Vec<Value>],
        ctx: &Context<'_>,
        outer: Option<&Env<'_>>,
    ) -> SqlResult<Vec<Value>> {
        let count = members.len();
        let over = |from: usize, to: usize| -> SqlResult<Value> {
            let mut grant = crate::session::memory::Grant::default();
            let mut state = aggregate.start();
            for at in members.get(from..to).unwrap_or(&[]) {
                if let Some(row) = rows.get(*at) {
                    state.add(aggregate, ctx, &Env::new(row, outer), &mut grant)?;
                }
            }
            state.finish(aggregate, ctx)
        };
        if self.order.is_empty() {
            return Ok(vec![over(0, count)?; count]);
        }
        let mut out = Vec::with_capacity(count);
        if let Some(frame) = self.frame {
            for place in 0..count {
                let (from, to) = frame_at(frame, place, count);
                out.push(over(from, to)?);
            }
            return Ok(out);
        }
        // From the first row to the last peer of the current one.
        let mut place = 0;
        while place < count {
            let current = members.get(place).and_then(|at| order_keys.get(*at));
            let mut end = place + 1;
            while end < count && members.get(end).and_then(|at| order_keys.get(*at)) == current {
                end += 1;
            }
            let value = over(0, end)?;
            out.extend(std::iter::repeat_n(value, end - place));
            place = end;
        }
        Ok(out)
    }
}

/// The rows of a frame around a row: from one place up to before another, none where both are one.
fn frame_at((low, high): (FrameBound, FrameBound), place: usize, count: usize) -> (usize, usize) {
    let bound = |bound: FrameBound, after: usize| match bound {
        FrameBound::UnboundedPreceding => 0,
        FrameBound::UnboundedFollowing => count,
        FrameBound::CurrentRow => place + after,
        FrameBound::Preceding(n) => (place + after).saturating_sub(n as usize),
        FrameBound::Following(n) => (place + after).saturating_add(n as usize).min(count),
    };
    let (from, to) = (bound(low, 0), bound(high, 1));
    (from.min(to), to)
}

/// Compares two rows by keys that were worked out before.
pub fn compare_keys(a: &[Value], b: &[Value], keys: &[SortKey]) -> std::cmp::Ordering {
    for ((x, y), item) in a.iter().zip(b).zip(keys) {
        let order = compare::order(x, y);
        if order.is_ne() {
            return if item.descending {
                order.reverse()
            } else {
                order
            };
        }
    }
    std::cmp::Ordering::Equal
}
