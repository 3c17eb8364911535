//! Joins: by hash where expressions must be equal, otherwise every pair is looked at.

use super::rows::{Flow, Kept, Sink};
use super::source::JoinType;
use super::{Condition, Context, Env, Plan, Typed};
use crate::eval::key;
use crate::session::memory::Grant;
use labdb_types::{SqlResult, Value};
use std::collections::HashMap;

struct Right {
    rows: Vec<Vec<Value>>,
    matched: Vec<bool>,
    by_key: HashMap<Vec<u8>, Vec<usize>>,
    _grant: Grant,
}

/// Runs a [`Plan::Join`].
pub(super) fn run(
    plan: &Plan,
    ctx: &Context<'_>,
    outer: Option<&Env<'_>>,
    sink: Sink<'_>,
) -> SqlResult<Flow> {
    let Plan::Join {
        kind,
        left,
        right,
        equal,
        on,
        left_width,
        right_width,
    } = plan
    else {
        return Ok(Flow::More);
    };
    let mut other = load(right, equal, ctx, outer)?;
    let keep_left = matches!(kind, JoinType::Left | JoinType::Full);
    let keep_right = matches!(kind, JoinType::Right | JoinType::Full);
    let mut pairs = 0_u64;
    let flow = left.run(ctx, outer, &mut |row| {
        let mut any = false;
        let candidates = if equal.is_empty() {
            None
        } else {
            let env = Env::new(&row, outer);
            match key_of(equal.iter().map(|(l, _)| l), ctx, &env)? {
                Some(name) => Some(other.by_key.get(&name).map_or(&[][..], Vec::as_slice)),
                None => Some(&[][..]),
            }
        };
        let (count, at) = match candidates {
            Some(list) => (list.len(), Some(list)),
            None => (other.rows.len(), None),
        };
        for i in 0..count {
            pairs += 1;
            if pairs.is_multiple_of(4096) {
                ctx.check_cancelled()?;
            }
            let place = match at {
                Some(list) => list.get(i).copied().unwrap_or(0),
                None => i,
            };
            let Some(partner) = other.rows.get(place) else {
                continue;
            };
            let mut joined = Vec::with_capacity(left_width + right_width);
            joined.extend(row.iter().cloned());
            joined.extend(partner.iter().cloned());
            if !matches!(on, Condition::Always) && !on.holds(ctx, &Env::new(&joined, outer))? {
                continue;
            }
            any = true;
            if keep_right && let Some(flag) = other.matched.get_mut(place) {
                *flag = true;
            }
            if sink(joined)? == Flow::Enough {
                return Ok(Flow::Enough);
            }
        }
        if !any && keep_left {
            let mut joined = row;
            joined.extend(std::iter::repeat_n(Value::Null, *right_width));
            return sink(joined);
        }
        Ok(Flow::More)
    })?;
    if flow == Flow::Enough || !keep_right {
        return Ok(flow);
    }
    for (row, matched) in other.rows.into_iter().zip(other.matched) {
        if !matched {
            let mut joined = vec![Value::Null; *left_width];
            joined.extend(row);
            if sink(joined)? == Flow::Enough {
                return Ok(Flow::Enough);
            }
        }
    }
    Ok(Flow::More)
}

fn load(
    right: &Plan,
    equal: &[(Typed, Typed)],
    ctx: &Context<'_>,
    outer: Option<&Env<'_>>,
) -> SqlResult<Right> {
    let Kept { rows, mut grant } = right.collect(ctx, outer)?;
    let mut by_key: HashMap<Vec<u8>, Vec<usize>> = HashMap::new();
    if !equal.is_empty() {
        for (place, row) in rows.iter().enumerate() {
            if let Some(name) = key_of(equal.iter().map(|(_, r)| r), ctx, &Env::new(row, outer))? {
                ctx.hold_key(&mut grant, &name)?;
                by_key.entry(name).or_default().push(place);
            }
        }
    }
    let matched = vec![false; rows.len()];
    Ok(Right {
        rows,
        matched,
        by_key,
        _grant: grant,
    })
}

/// The key of a row; none where a part is NULL, which equals nothing.
fn key_of<'e>(
    parts: impl Iterator<Item = &'e Typed>,
    ctx: &Context<'_>,
    env: &Env<'_>,
) -> SqlResult<Option<Vec<u8>>> {
    let mut out = Vec::new();
    for part in parts {
        let value = part.eval(ctx, env)?;
        if value.is_null() {
            return Ok(None);
        }
        key::push(&mut out, &value, false);
    }
    Ok(Some(out))
}
