//! FORMAT: numbers and dates under .NET's format strings, in the culture en-US or the invariant
//! one.

mod date;
mod number;

use super::Parameter::{Any, Name};
use super::{Call, Scalar};
use crate::eval::{calendar, types};
use labdb_types::{Length, SqlError, SqlResult, SqlType, Value};

fn format(call: &Call<'_>) -> SqlResult<Value> {
    if let Some(culture) = call.optional_text(2) {
        check_culture(culture)?;
    }
    let Some(pattern) = call.optional_text(1) else {
        return Ok(Value::Null);
    };
    let sql_type = call.type_of(0);
    let value = call.value(0);
    if value.is_null() {
        return Ok(Value::Null);
    }
    let text = if matches!(sql_type, SqlType::Time(_)) {
        calendar::moment(value).and_then(|m| date::time_span(m, pattern))
    } else if types::is_temporal(sql_type) {
        calendar::moment(value)
            .and_then(|m| date::format(m, pattern, matches!(sql_type, SqlType::DateTimeOffset(_))))
    } else if types::is_number(sql_type) && sql_type != SqlType::Bit {
        number::Exact::of(value)
            .and_then(|n| number::format(&n, pattern, types::is_integer(sql_type)))
    } else {
        return Err(SqlError::new(
            8116,
            format!(
                "Argument data type {} is invalid for argument 1 of format function.",
                types::type_name(sql_type)
            ),
        ));
    };
    Ok(text.map_or(Value::Null, |t| call.give(t)))
}

fn check_culture(culture: &str) -> SqlResult<()> {
    let known = ["", "en-us", "en", "iv"];
    if known.iter().any(|k| culture.eq_ignore_ascii_case(k)) {
        return Ok(());
    }
    let shaped = culture.len() >= 2
        && culture
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || c == '-');
    Err(if shaped {
        SqlError::new(
            40510,
            format!(
                "The culture '{culture}' of FORMAT is outside labdb's subset, which has en-US \
                 and the invariant culture."
            ),
        )
    } else {
        SqlError::new(
            9818,
            format!(
                "The culture parameter '{culture}' provided in the function call is not supported."
            ),
        )
    })
}

/// The functions of this module.
pub(super) const ALL: &[Scalar] = &[Scalar {
    name: "FORMAT",
    min: 2,
    max: 3,
    parameters: &[Any, Name],
    result: |_| SqlType::NVarChar(Length::Limited(4000)),
    null_in_null_out: false,
    run: format,
}];
