//! GREATEST and LEAST: of values that the binder brought to one type.

use super::Parameter::Any;
use super::{Call, Scalar, first};
use crate::eval::compare;
use labdb_types::{SqlResult, Value};
use std::cmp::Ordering;

fn extreme(call: &Call<'_>, wanted: Ordering) -> SqlResult<Value> {
    let mut best = Value::Null;
    for value in call.values {
        if value.is_null() {
            continue;
        }
        if best.is_null() || compare::compare(value, &best) == Some(wanted) {
            best = value.clone();
        }
    }
    Ok(best)
}

/// The functions of this module.
pub(super) const ALL: &[Scalar] = &[
    Scalar {
        name: "GREATEST",
        min: 1,
        max: 254,
        parameters: &[Any],
        result: first,
        null_in_null_out: false,
        run: |c| extreme(c, Ordering::Greater),
    },
    Scalar {
        name: "LEAST",
        min: 1,
        max: 254,
        parameters: &[Any],
        result: first,
        null_in_null_out: false,
        run: |c| extreme(c, Ordering::Less),
    },
];
