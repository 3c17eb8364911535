//! TOP and FETCH: the first rows, by count or percent, with ties or without.

use super::rows::{Flow, Kept, Sink, whole};
use super::window::compare_keys;
use super::{Context, Env, Plan, SortKey, Typed};
use labdb_types::{SqlError, SqlResult, Value};

pub(super) fn top(
    input: &Plan,
    count: &Typed,
    percent: bool,
    ties: Option<&[SortKey]>,
    ctx: &Context<'_>,
    outer: Option<&Env<'_>>,
    sink: Sink<'_>,
) -> SqlResult<Flow> {
    let env = outer.copied().unwrap_or_else(Env::empty);
    let value = count.eval(ctx, &env)?;
    if value.is_null() {
        return Err(SqlError::new(
            1060,
            "The number of rows provided for a TOP or FETCH clauses row count parameter must be \
             an integer.",
        )
        .severity(15));
    }
    if percent {
        let share = match value {
            Value::Float(f) if (0.0..=100.0).contains(&f) => f,
            _ => {
                return Err(
                    SqlError::new(1031, "Percent values must be between 0 and 100.").severity(15),
                );
            }
        };
        let Kept {
            rows,
            grant: _grant,
        } = input.collect(ctx, outer)?;
        let keep = (rows.len() as f64 * share / 100.0).ceil() as usize;
        for row in rows.into_iter().take(keep) {
            if sink(row)? == Flow::Enough {
                return Ok(Flow::Enough);
            }
        }
        return Ok(Flow::More);
    }
    let limit = whole(
        &value,
        "A TOP N or FETCH rowcount value may not be negative.",
        127,
    )?;
    if limit == 0 {
        return Ok(Flow::More);
    }
    let mut given = 0_u64;
    let mut last: Option<Vec<Value>> = None;
    let mut above = Flow::More;
    input.run(ctx, outer, &mut |row| {
        if given >= limit {
            // Only WITH TIES comes here.
            let keys = ties.unwrap_or(&[]);
            let current = tie_values(keys, &row, ctx, outer)?;
            if last
                .as_deref()
                .is_none_or(|last| compare_keys(last, &current, keys).is_ne())
            {
                return Ok(Flow::Enough);
            }
            above = sink(row)?;
            return Ok(above);
        }
        given += 1;
        if given < limit {
            above = sink(row)?;
            return Ok(above);
        }
        if let Some(keys) = ties {
            last = Some(tie_values(keys, &row, ctx, outer)?);
            above = sink(row)?;
            return Ok(above);
        }
        above = sink(row)?;
        Ok(Flow::Enough)
    })?;
    // Enough for this node is not enough for those above.
    Ok(above)
}

fn tie_values(
    keys: &[SortKey],
    row: &[Value],
    ctx: &Context<'_>,
    outer: Option<&Env<'_>>,
) -> SqlResult<Vec<Value>> {
    let env = Env::new(row, outer);
    keys.iter().map(|item| item.value.eval(ctx, &env)).collect()
}
