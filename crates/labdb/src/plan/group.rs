//! GROUP BY: rows of one key become one.

use super::aggregate::{Accumulator, Aggregate};
use super::rows::{Flow, Sink};
use super::{Context, Env, Plan, Typed};
use crate::eval::key;
use crate::session::memory::Grant;
use labdb_types::{SqlResult, Value};
use std::collections::HashMap;

pub(super) fn group(
    input: &Plan,
    keys: &[Typed],
    aggregates: &[Aggregate],
    ctx: &Context<'_>,
    outer: Option<&Env<'_>>,
    sink: Sink<'_>,
) -> SqlResult<Flow> {
    let mut places: HashMap<Vec<u8>, usize> = HashMap::new();
    let mut groups: Vec<(Vec<Value>, Vec<Accumulator>)> = Vec::new();
    if keys.is_empty() {
        groups.push((
            Vec::new(),
            aggregates.iter().map(Aggregate::start).collect(),
        ));
    }
    let mut count = 0_u64;
    let mut grant = Grant::default();
    input.run(ctx, outer, &mut |row| {
        count += 1;
        if count.is_multiple_of(1024) {
            ctx.check_cancelled()?;
        }
        let env = Env::new(&row, outer);
        let place = if keys.is_empty() {
            0
        } else {
            let mut values = Vec::with_capacity(keys.len());
            for expression in keys {
                values.push(expression.eval(ctx, &env)?);
            }
            let name = key::of(&values);
            match places.get(&name) {
                Some(place) => *place,
                None => {
                    ctx.hold_key(&mut grant, &name)?;
                    ctx.hold(&mut grant, &values)?;
                    let states = aggregates.len() * size_of::<Accumulator>();
                    grant.take(&ctx.session.instance.memory, states as u64)?;
                    places.insert(name, groups.len());
                    groups.push((values, aggregates.iter().map(Aggregate::start).collect()));
                    groups.len() - 1
                }
            }
        };
        if let Some((_, states)) = groups.get_mut(place) {
            for (state, aggregate) in states.iter_mut().zip(aggregates) {
                state.add(aggregate, ctx, &env, &mut grant)?;
            }
        }
        Ok(Flow::More)
    })?;
    for (mut row, states) in groups {
        for (state, aggregate) in states.into_iter().zip(aggregates) {
            row.push(state.finish(aggregate, ctx)?);
        }
        if sink(row)? == Flow::Enough {
            return Ok(Flow::Enough);
        }
    }
    Ok(Flow::More)
}
