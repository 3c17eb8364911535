//! To bit, integers, floating point, decimal and money.

use super::{as_i64, clash, conversion_failed, error_converting, overflow, text_of};
use crate::eval::parse::{self, NumberFault};
use crate::eval::types::{is_number, is_text, type_name};
use crate::eval::wide;
use labdb_types::{Decimal, SqlError, SqlResult, SqlType, Value};

/// A whole number as a value of a whole-number type; `None` where it does not fit.
pub(crate) fn integer_value(n: i64, target: SqlType) -> Option<Value> {
    Some(match target {
        SqlType::Bit => Value::Bit(n != 0),
        SqlType::TinyInt => Value::TinyInt(u8::try_from(n).ok()?),
        SqlType::SmallInt => Value::SmallInt(i16::try_from(n).ok()?),
        SqlType::Int => Value::Int(i32::try_from(n).ok()?),
        SqlType::BigInt => Value::BigInt(n),
        _ => return None,
    })
}

pub(super) fn to_bit(value: &Value, from: SqlType) -> SqlResult<Value> {
    if is_text(from) {
        return match text_of(value)
            .trim_matches(' ')
            .to_ascii_lowercase()
            .as_str()
        {
            "true" => Ok(Value::Bit(true)),
            "false" => Ok(Value::Bit(false)),
            other => parse::integer(other)
                .map(|n| Value::Bit(n != 0))
                .map_err(|_| conversion_failed(value, from, SqlType::Bit)),
        };
    }
    Ok(Value::Bit(match value {
        Value::Real(f) => *f != 0.0,
        Value::Float(f) => *f != 0.0,
        Value::Decimal(d) => d.mantissa != 0,
        Value::Money(m) => *m != 0,
        Value::Binary(b) => b.iter().any(|byte| *byte != 0),
        other => match as_i64(other) {
            Some(n) => n != 0,
            None => return Err(clash(from, SqlType::Bit, true)),
        },
    }))
}

pub(super) fn to_integer(value: &Value, from: SqlType, to: SqlType) -> SqlResult<Value> {
    let small = |n: i64| -> SqlResult<Value> {
        integer_value(n, to).ok_or_else(|| {
            if matches!(to, SqlType::TinyInt | SqlType::SmallInt) {
                SqlError::new(
                    220,
                    format!(
                        "Arithmetic overflow error for data type {}, value = {n}.",
                        type_name(to)
                    ),
                )
                .state(2)
            } else {
                overflow(to)
            }
        })
    };
    match value {
        Value::Text(text) => match parse::integer(text) {
            Ok(n) => integer_value(n, to).ok_or_else(|| text_overflow(value, from, to)),
            Err(NumberFault::Overflow) => Err(text_overflow(value, from, to)),
            Err(NumberFault::NotANumber) if to == SqlType::BigInt => {
                Err(error_converting(from, to))
            }
            Err(NumberFault::NotANumber) => Err(conversion_failed(value, from, to)),
        },
        Value::Real(f) => float_to_integer(f64::from(*f), to),
        Value::Float(f) => float_to_integer(*f, to),
        Value::Decimal(d) => wide::truncate(*d, 0)
            .and_then(|whole| i64::try_from(whole.mantissa).ok())
            .and_then(|n| integer_value(n, to))
            .ok_or_else(|| overflow(to)),
        Value::Money(m) => {
            let whole = wide::rescale(Decimal::new(i128::from(*m), 4), 0);
            whole
                .and_then(|w| i64::try_from(w.mantissa).ok())
                .and_then(|n| integer_value(n, to))
                .ok_or_else(|| overflow(to))
        }
        Value::Binary(bytes) => {
            let width = match to {
                SqlType::TinyInt => 1,
                SqlType::SmallInt => 2,
                SqlType::Int => 4,
                _ => 8,
            };
            let tail = bytes
                .get(bytes.len().saturating_sub(width)..)
                .unwrap_or(&[]);
            let unsigned = tail.iter().fold(0_u64, |n, b| (n << 8) | u64::from(*b));
            let value = match to {
                SqlType::SmallInt => i64::from(unsigned as u16 as i16),
                SqlType::Int => i64::from(unsigned as u32 as i32),
                _ => unsigned as i64,
            };
            small(value)
        }
        Value::DateTime { .. } | Value::SmallDateTime { .. } => {
            let days = datetime_as_days(value).round();
            small(days as i64)
        }
        other => match as_i64(other) {
            Some(n) => small(n),
            None => Err(clash(from, to, true)),
        },
    }
}

/// A `datetime` as a number: days since 1900-01-01 with the time as fraction.
pub(super) fn datetime_as_days(value: &Value) -> f64 {
    match value {
        Value::DateTime { days, ticks } => f64::from(*days) + f64::from(*ticks) / 25_920_000.0,
        Value::SmallDateTime { days, minutes } => f64::from(*days) + f64::from(*minutes) / 1440.0,
        _ => 0.0,
    }
}

fn float_to_integer(value: f64, to: SqlType) -> SqlResult<Value> {
    let whole = value.trunc();
    if !(-9.3e18..=9.3e18).contains(&whole) || whole >= 9_223_372_036_854_775_808.0 {
        return Err(overflow(to));
    }
    integer_value(whole as i64, to).ok_or_else(|| {
        SqlError::new(
            232,
            format!(
                "Arithmetic overflow error for type {}, value = {value:.6}.",
                type_name(to)
            ),
        )
        .state(3)
    })
}

fn text_overflow(value: &Value, from: SqlType, to: SqlType) -> SqlError {
    match to {
        SqlType::Int => SqlError::new(
            248,
            format!(
                "The conversion of the {} value '{}' overflowed an int column.",
                type_name(from),
                text_of(value)
            ),
        ),
        SqlType::TinyInt | SqlType::SmallInt => SqlError::new(
            244,
            format!(
                "The conversion of the {} value '{}' overflowed an {} column. Use a larger \
                 integer column.",
                type_name(from),
                text_of(value),
                if to == SqlType::TinyInt {
                    "INT1"
                } else {
                    "INT2"
                }
            ),
        ),
        _ => overflow(to),
    }
}

pub(super) fn to_float(value: &Value, from: SqlType, to: SqlType) -> SqlResult<Value> {
    let number = match value {
        Value::Text(text) => parse::float(text).ok_or_else(|| error_converting(from, to))?,
        Value::Real(f) => f64::from(*f),
        Value::Float(f) => *f,
        Value::Decimal(d) => wide::to_f64(*d),
        Value::Money(m) => wide::to_f64(Decimal::new(i128::from(*m), 4)),
        Value::DateTime { .. } | Value::SmallDateTime { .. } => datetime_as_days(value),
        other => as_i64(other).ok_or_else(|| clash(from, to, true))? as f64,
    };
    if to == SqlType::Real {
        let narrow = number as f32;
        if !narrow.is_finite() {
            return Err(SqlError::new(
                232,
                format!("Arithmetic overflow error for type real, value = {number:.6}."),
            )
            .state(2));
        }
        return Ok(Value::Real(narrow));
    }
    if number.is_finite() {
        Ok(Value::Float(number))
    } else {
        Err(overflow(to))
    }
}

/// Whether a decimal has no more digits than a precision allows.
pub(crate) fn fits_precision(d: Decimal, precision: u8) -> bool {
    wide::pow10(u32::from(precision)).is_none_or(|limit| d.mantissa.abs() < limit)
}

pub(super) fn to_decimal(
    value: &Value,
    from: SqlType,
    precision: u8,
    scale: u8,
) -> SqlResult<Value> {
    let target = SqlType::Decimal { precision, scale };
    let exact = match value {
        Value::Text(text) => match parse::decimal(text) {
            Ok(d) => wide::rescale(d, scale),
            Err(NumberFault::Overflow) => None,
            Err(NumberFault::NotANumber) => return Err(error_converting(from, target)),
        },
        Value::Real(f) => wide::from_f64(f64::from(*f), scale),
        Value::Float(f) => wide::from_f64(*f, scale),
        Value::Decimal(d) => wide::rescale(*d, scale),
        Value::Money(m) => wide::rescale(Decimal::new(i128::from(*m), 4), scale),
        Value::DateTime { .. } | Value::SmallDateTime { .. } => {
            wide::from_f64(datetime_as_days(value), scale)
        }
        other => match as_i64(other) {
            Some(n) => wide::rescale(Decimal::new(i128::from(n), 0), scale),
            None => return Err(clash(from, target, true)),
        },
    };
    match exact {
        Some(d) if fits_precision(d, precision) => Ok(Value::Decimal(d)),
        _ => Err(SqlError::new(
            8115,
            format!(
                "Arithmetic overflow error converting {} to data type numeric.",
                if is_text(from) || is_number(from) {
                    type_name(from)
                } else {
                    "expression"
                }
            ),
        )
        .state(if is_text(from) { 6 } else { 8 })),
    }
}

/// An amount in ten-thousandths as `money` or `smallmoney`; `None` where it is out of range.
pub(crate) fn money_value(amount: i128, sql_type: SqlType) -> Option<Value> {
    let amount = i64::try_from(amount).ok()?;
    let fits = sql_type != SqlType::SmallMoney || i32::try_from(amount).is_ok();
    fits.then_some(Value::Money(amount))
}

pub(super) fn to_money(value: &Value, from: SqlType, to: SqlType) -> SqlResult<Value> {
    let amount = match value {
        Value::Text(text) => {
            let amount = parse::money(text).ok_or_else(|| {
                SqlError::new(
                    235,
                    "Cannot convert a char value to money. The char value has incorrect syntax.",
                )
            })?;
            return money_value(i128::from(amount), to).ok_or_else(|| overflow(to));
        }
        Value::Real(f) => wide::from_f64(f64::from(*f), 4),
        Value::Float(f) => wide::from_f64(*f, 4),
        Value::Decimal(d) => wide::rescale(*d, 4),
        Value::Money(m) => Some(Decimal::new(i128::from(*m), 4)),
        other => match as_i64(other) {
            Some(n) => wide::rescale(Decimal::new(i128::from(n), 0), 4),
            None => return Err(clash(from, to, true)),
        },
    };
    amount
        .and_then(|d| money_value(d.mantissa, to))
        .ok_or_else(|| overflow(to))
}
