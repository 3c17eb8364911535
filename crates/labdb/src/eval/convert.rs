//! Conversions between types, implicit and explicit, with SQL Server's errors.

use super::parse::{self, DateFault, NumberFault};
use super::types::{
    is_binary, is_integer, is_number, is_temporal, is_text, is_unicode, text_length, type_name,
};
use super::{calendar, format, wide};
use labdb_types::{Decimal, Length, SqlError, SqlResult, SqlType, Value};
use std::sync::Arc;

/// Error 8115.
pub fn overflow(target: SqlType) -> SqlError {
    SqlError::new(
        8115,
        format!(
            "Arithmetic overflow error converting expression to data type {}.",
            type_name(target)
        ),
    )
    .state(2)
}

fn clash(from: SqlType, to: SqlType, explicit: bool) -> SqlError {
    if explicit {
        SqlError::new(
            529,
            format!(
                "Explicit conversion from data type {} to {} is not allowed.",
                type_name(from),
                type_name(to)
            ),
        )
    } else {
        super::types::type_clash(from, to)
    }
}

/// Whether a conversion exists at all; `explicit` allows those that only CAST does.
///
/// # Errors
/// 206, 257 or 529.
pub fn check_convertible(from: SqlType, to: SqlType, explicit: bool) -> SqlResult<()> {
    let bad = match (from, to) {
        (a, b) if a == b => false,
        (SqlType::SqlVariant, _) | (_, SqlType::SqlVariant) => false,
        (a, b) if is_text(a) && is_binary(b) => {
            if explicit {
                return Ok(());
            }
            return Err(implicit_not_allowed(a, b));
        }
        (
            SqlType::Date | SqlType::Time(_) | SqlType::DateTime2(_) | SqlType::DateTimeOffset(_),
            b,
        ) if is_number(b) => true,
        (
            a,
            SqlType::Date | SqlType::Time(_) | SqlType::DateTime2(_) | SqlType::DateTimeOffset(_),
        ) if is_number(a) => true,
        (SqlType::Date, SqlType::Time(_)) | (SqlType::Time(_), SqlType::Date) => true,
        (SqlType::UniqueIdentifier, b) => !is_text(b) && !is_binary(b),
        (a, SqlType::UniqueIdentifier) => !is_text(a) && !is_binary(a),
        (a, b) if is_temporal(a) && is_number(b) && !explicit => {
            return Err(implicit_not_allowed(a, b));
        }
        (a, b) if is_binary(a) && matches!(b, SqlType::Float | SqlType::Real) => true,
        _ => false,
    };
    if bad {
        Err(clash(from, to, explicit))
    } else {
        Ok(())
    }
}

fn implicit_not_allowed(from: SqlType, to: SqlType) -> SqlError {
    SqlError::new(
        257,
        format!(
            "Implicit conversion from data type {} to {} is not allowed. Use the CONVERT function \
             to run this query.",
            type_name(from),
            type_name(to)
        ),
    )
    .state(3)
}

/// Converts a value from one static type to another. Text that is too long is cut off, as CAST
/// does; storing into a column checks the length first (see [`fits`]).
///
/// # Errors
/// 245, 8114, 241, 242, 8115, 220, 8169 and the like.
pub fn convert(value: &Value, from: SqlType, to: SqlType, style: Option<i32>) -> SqlResult<Value> {
    if value.is_null() {
        return Ok(Value::Null);
    }
    if let Value::Variant(inner) = value {
        return if to == SqlType::SqlVariant {
            Ok(value.clone())
        } else {
            convert(&inner.1, inner.0, to, style)
        };
    }
    match to {
        SqlType::Bit => to_bit(value, from),
        SqlType::TinyInt | SqlType::SmallInt | SqlType::Int | SqlType::BigInt => {
            to_integer(value, from, to)
        }
        SqlType::Real | SqlType::Float => to_float(value, from, to),
        SqlType::Decimal { precision, scale } => to_decimal(value, from, precision, scale),
        SqlType::Money => to_money(value, from),
        SqlType::Char(_) | SqlType::VarChar(_) | SqlType::NChar(_) | SqlType::NVarChar(_) => {
            to_text(value, from, to, style)
        }
        SqlType::Binary(_) | SqlType::VarBinary(_) => to_binary(value, from, to, style),
        SqlType::Date
        | SqlType::Time(_)
        | SqlType::SmallDateTime
        | SqlType::DateTime
        | SqlType::DateTime2(_)
        | SqlType::DateTimeOffset(_) => to_temporal(value, from, to, style),
        SqlType::UniqueIdentifier => to_uuid(value, from),
        SqlType::SqlVariant => Ok(Value::Variant(Box::new((from, value.clone())))),
    }
}

/// The number of a whole-number value.
pub fn as_i64(value: &Value) -> Option<i64> {
    Some(match value {
        Value::Bit(b) => i64::from(*b),
        Value::TinyInt(n) => i64::from(*n),
        Value::SmallInt(n) => i64::from(*n),
        Value::Int(n) => i64::from(*n),
        Value::BigInt(n) => *n,
        _ => return None,
    })
}

/// A whole number as a value of a whole-number type; `None` where it does not fit.
pub fn integer_value(n: i64, target: SqlType) -> Option<Value> {
    Some(match target {
        SqlType::Bit => Value::Bit(n != 0),
        SqlType::TinyInt => Value::TinyInt(u8::try_from(n).ok()?),
        SqlType::SmallInt => Value::SmallInt(i16::try_from(n).ok()?),
        SqlType::Int => Value::Int(i32::try_from(n).ok()?),
        SqlType::BigInt => Value::BigInt(n),
        _ => return None,
    })
}

fn text_of(value: &Value) -> &str {
    match value {
        Value::Text(t) => t,
        _ => "",
    }
}

fn conversion_failed(value: &Value, from: SqlType, to: SqlType) -> SqlError {
    SqlError::new(
        245,
        format!(
            "Conversion failed when converting the {} value '{}' to data type {}.",
            type_name(from),
            text_of(value).trim_end_matches(' '),
            type_name(to)
        ),
    )
}

fn error_converting(from: SqlType, to: SqlType) -> SqlError {
    SqlError::new(
        8114,
        format!(
            "Error converting data type {} to {}.",
            type_name(from),
            type_name(to)
        ),
    )
    .state(5)
}

fn to_bit(value: &Value, from: SqlType) -> SqlResult<Value> {
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

fn to_integer(value: &Value, from: SqlType, to: SqlType) -> SqlResult<Value> {
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
pub fn datetime_as_days(value: &Value) -> f64 {
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

fn to_float(value: &Value, from: SqlType, to: SqlType) -> SqlResult<Value> {
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
pub fn fits_precision(d: Decimal, precision: u8) -> bool {
    wide::pow10(u32::from(precision)).is_none_or(|limit| d.mantissa.abs() < limit)
}

fn to_decimal(value: &Value, from: SqlType, precision: u8, scale: u8) -> SqlResult<Value> {
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

fn to_money(value: &Value, from: SqlType) -> SqlResult<Value> {
    let amount = match value {
        Value::Text(text) => {
            return parse::money(text).map(Value::Money).ok_or_else(|| {
                SqlError::new(
                    235,
                    "Cannot convert a char value to money. The char value has incorrect syntax.",
                )
            });
        }
        Value::Real(f) => wide::from_f64(f64::from(*f), 4),
        Value::Float(f) => wide::from_f64(*f, 4),
        Value::Decimal(d) => wide::rescale(*d, 4),
        Value::Money(m) => return Ok(Value::Money(*m)),
        other => match as_i64(other) {
            Some(n) => wide::rescale(Decimal::new(i128::from(n), 0), 4),
            None => return Err(clash(from, SqlType::Money, true)),
        },
    };
    amount
        .and_then(|d| i64::try_from(d.mantissa).ok())
        .map(Value::Money)
        .ok_or_else(|| overflow(SqlType::Money))
}

/// The length in the unit of the type: UTF-16 code units for `nvarchar`, else characters, each
/// of which counts as one byte of the code page.
pub fn length_in(text: &str, unicode: bool) -> usize {
    if text.is_ascii() {
        text.len()
    } else if unicode {
        text.encode_utf16().count()
    } else {
        text.chars().count()
    }
}

/// The first `limit` units of a text.
pub fn prefix(text: &str, limit: usize, unicode: bool) -> &str {
    if text.is_ascii() {
        return text.get(..limit).unwrap_or(text);
    }
    let mut units = 0;
    for (at, c) in text.char_indices() {
        units += if unicode { c.len_utf16() } else { 1 };
        if units > limit {
            return text.get(..at).unwrap_or("");
        }
    }
    text
}

/// Text of exactly the length of a `char` or `nchar` type, and at most that of the others.
pub fn sized_text(text: Arc<str>, to: SqlType) -> Value {
    let unicode = is_unicode(to);
    let Some(limit) = text_length(to) else {
        return Value::Text(text);
    };
    let limit = usize::from(limit);
    let length = length_in(&text, unicode);
    if length > limit {
        return Value::text(prefix(&text, limit, unicode));
    }
    if matches!(to, SqlType::Char(_) | SqlType::NChar(_)) && length < limit {
        let mut padded = String::with_capacity(text.len() + limit - length);
        padded.push_str(&text);
        padded.extend(std::iter::repeat_n(' ', limit - length));
        return Value::text(padded);
    }
    Value::Text(text)
}

fn to_text(value: &Value, from: SqlType, to: SqlType, style: Option<i32>) -> SqlResult<Value> {
    if let Value::Text(text) = value {
        return Ok(sized_text(Arc::clone(text), to));
    }
    if let Value::Binary(bytes) = value {
        let text = match style {
            Some(1) => format::hex(bytes),
            Some(2) => format::hex(bytes).trim_start_matches("0x").to_owned(),
            _ if is_unicode(to) => {
                let units: Vec<u16> = bytes
                    .chunks(2)
                    .map(|pair| match pair {
                        [low, high] => u16::from_le_bytes([*low, *high]),
                        [low] => u16::from(*low),
                        _ => 0,
                    })
                    .collect();
                String::from_utf16_lossy(&units)
            }
            _ => bytes.iter().map(|b| char::from(*b)).collect(),
        };
        return Ok(sized_text(Arc::from(text), to));
    }
    let text = format::text(value, from, style).ok_or_else(|| {
        SqlError::new(
            281,
            format!(
                "{} is not a valid style number when converting from {} to a character string.",
                style.unwrap_or(0),
                type_name(from)
            ),
        )
    })?;
    if let Some(limit) = text_length(to)
        && text.len() > usize::from(limit)
    {
        if is_integer(from) && from != SqlType::Bit {
            // A whole number that does not fit becomes an asterisk in char and varchar.
            return if is_unicode(to) || from == SqlType::BigInt {
                Err(overflow(to))
            } else {
                Ok(sized_text(Arc::from("*"), to))
            };
        }
        if is_number(from) {
            return Err(SqlError::new(
                8115,
                format!(
                    "Arithmetic overflow error converting {} to data type {}.",
                    type_name(from),
                    type_name(to)
                ),
            )
            .state(5));
        }
        if from == SqlType::UniqueIdentifier {
            return Err(SqlError::new(
                8170,
                "Insufficient result space to convert uniqueidentifier value to char.",
            )
            .state(2));
        }
    }
    Ok(sized_text(Arc::from(text), to))
}

fn to_binary(value: &Value, from: SqlType, to: SqlType, style: Option<i32>) -> SqlResult<Value> {
    let limit = text_length(to).map(usize::from);
    let fixed = matches!(to, SqlType::Binary(_));
    let (bytes, number) = match value {
        Value::Binary(bytes) => (bytes.to_vec(), false),
        Value::Text(text) if matches!(style, Some(1 | 2)) => {
            let digits = if style == Some(1) {
                text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"))
            } else {
                Some(&**text)
            };
            let parsed = digits
                .and_then(unhex)
                .ok_or_else(|| error_converting(from, to))?;
            (parsed, false)
        }
        Value::Text(text) if is_unicode(from) => (
            text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
            false,
        ),
        Value::Text(text) => (
            text.chars()
                .map(|c| u8::try_from(u32::from(c)).unwrap_or(b'?'))
                .collect(),
            false,
        ),
        Value::Bit(b) => (vec![u8::from(*b)], true),
        Value::TinyInt(n) => (vec![*n], true),
        Value::SmallInt(n) => (n.to_be_bytes().to_vec(), true),
        Value::Int(n) => (n.to_be_bytes().to_vec(), true),
        Value::BigInt(n) | Value::Money(n) => (n.to_be_bytes().to_vec(), true),
        Value::Real(f) => (f.to_be_bytes().to_vec(), true),
        Value::Float(f) => (f.to_be_bytes().to_vec(), true),
        Value::Uuid(bytes) => (wire_uuid(*bytes).to_vec(), false),
        Value::DateTime { days, ticks } => {
            let mut out = days.to_be_bytes().to_vec();
            out.extend_from_slice(&ticks.to_be_bytes());
            (out, true)
        }
        Value::Decimal(d) => {
            let mut out = vec![
                match from {
                    SqlType::Decimal { precision, .. } => precision,
                    _ => 38,
                },
                d.scale,
                0,
                u8::from(d.mantissa >= 0),
            ];
            out.extend_from_slice(&d.mantissa.unsigned_abs().to_le_bytes());
            (out, false)
        }
        _ => return Err(clash(from, to, true)),
    };
    Ok(Value::Binary(Arc::from(sized_binary(
        bytes, limit, fixed, number,
    ))))
}

/// Numbers keep their right end and are padded on the left; everything else the other way.
fn sized_binary(mut bytes: Vec<u8>, limit: Option<usize>, fixed: bool, number: bool) -> Vec<u8> {
    let Some(limit) = limit else { return bytes };
    if bytes.len() > limit {
        if number {
            bytes.drain(..bytes.len() - limit);
        } else {
            bytes.truncate(limit);
        }
    } else if fixed && bytes.len() < limit {
        if number {
            let mut padded = vec![0; limit - bytes.len()];
            padded.extend_from_slice(&bytes);
            return padded;
        }
        bytes.resize(limit, 0);
    }
    bytes
}

fn unhex(digits: &str) -> Option<Vec<u8>> {
    if !digits.len().is_multiple_of(2) {
        return None;
    }
    digits
        .as_bytes()
        .chunks(2)
        .map(|pair| {
            let text = std::str::from_utf8(pair).ok()?;
            u8::from_str_radix(text, 16).ok()
        })
        .collect()
}

/// A GUID's bytes as SQL Server stores them: the first three groups little-endian.
pub fn wire_uuid(b: [u8; 16]) -> [u8; 16] {
    [
        b[3], b[2], b[1], b[0], b[5], b[4], b[7], b[6], b[8], b[9], b[10], b[11], b[12], b[13],
        b[14], b[15],
    ]
}

fn to_uuid(value: &Value, from: SqlType) -> SqlResult<Value> {
    match value {
        Value::Uuid(_) => Ok(value.clone()),
        Value::Text(text) => parse::uuid(text).map(Value::Uuid).ok_or_else(|| {
            SqlError::new(
                8169,
                "Conversion failed when converting from a character string to uniqueidentifier.",
            )
            .state(2)
        }),
        Value::Binary(bytes) => {
            let mut out = [0; 16];
            for (slot, byte) in out.iter_mut().zip(bytes.iter()) {
                *slot = *byte;
            }
            Ok(Value::Uuid(wire_uuid(out)))
        }
        _ => Err(clash(from, SqlType::UniqueIdentifier, true)),
    }
}

fn to_temporal(value: &Value, from: SqlType, to: SqlType, style: Option<i32>) -> SqlResult<Value> {
    let out_of_range = || {
        SqlError::new(
            242,
            format!(
                "The conversion of a {} data type to a {} data type resulted in an out-of-range \
                 value.",
                type_name(from),
                type_name(to)
            ),
        )
        .state(3)
    };
    let moment = match value {
        Value::Text(text) => match parse::moment(text, style.unwrap_or(0)) {
            Ok(moment) => moment,
            Err(DateFault::OutOfRange)
                if matches!(to, SqlType::DateTime | SqlType::SmallDateTime) =>
            {
                return Err(out_of_range());
            }
            Err(_) => {
                return Err(SqlError::new(
                    241,
                    "Conversion failed when converting date and/or time from character string.",
                ));
            }
        },
        Value::Binary(bytes) if to == SqlType::DateTime => {
            let mut raw = [0_u8; 8];
            for (slot, byte) in raw.iter_mut().rev().zip(bytes.iter().rev()) {
                *slot = *byte;
            }
            let (days, ticks) = raw.split_at(4);
            let days = days.iter().fold(0_u32, |n, b| (n << 8) | u32::from(*b)) as i32;
            let ticks = ticks.iter().fold(0_u32, |n, b| (n << 8) | u32::from(*b));
            return Ok(Value::DateTime { days, ticks });
        }
        other if is_number(from) => {
            // A number is days since 1900-01-01.
            let days = match other {
                Value::Float(f) => *f,
                Value::Real(f) => f64::from(*f),
                Value::Decimal(d) => wide::to_f64(*d),
                Value::Money(m) => *m as f64 / 10_000.0,
                other => as_i64(other).unwrap_or(0) as f64,
            };
            if !(-53_690.0..2_958_464.0).contains(&days) {
                return Err(overflow(to));
            }
            calendar::Moment {
                days: calendar::DAYS_TO_1900 + days.floor() as i32,
                ticks: ((days - days.floor()) * calendar::TICKS_PER_DAY as f64).round() as i64,
                offset_minutes: 0,
            }
        }
        other => calendar::moment(other).ok_or_else(|| clash(from, to, true))?,
    };
    calendar::value_from_moment(moment, to).ok_or_else(out_of_range)
}

/// Whether storing a text or binary value in a column of this type keeps all of it; trailing
/// blanks do not count.
pub fn fits(value: &Value, to: SqlType) -> bool {
    let Some(limit) = text_length(to) else {
        return true;
    };
    let limit = usize::from(limit);
    match value {
        Value::Text(text) => {
            text.len() <= limit || length_in(text.trim_end_matches(' '), is_unicode(to)) <= limit
        }
        Value::Binary(bytes) => bytes.len() <= limit,
        _ => true,
    }
}

/// The longest text that a type prints as, for the type of a concatenation.
pub fn display_length(sql_type: SqlType) -> Option<u32> {
    Some(match sql_type {
        SqlType::Bit => 1,
        SqlType::TinyInt => 3,
        SqlType::SmallInt => 6,
        SqlType::Int => 12,
        SqlType::BigInt => 20,
        SqlType::Real | SqlType::Float => 23,
        SqlType::Decimal { .. } => 41,
        SqlType::Money => 30,
        SqlType::UniqueIdentifier => 36,
        SqlType::Date => 10,
        SqlType::Time(_) => 16,
        SqlType::SmallDateTime | SqlType::DateTime => 26,
        SqlType::DateTime2(_) => 27,
        SqlType::DateTimeOffset(_) => 34,
        SqlType::SqlVariant => 4000,
        SqlType::VarChar(Length::Max)
        | SqlType::NVarChar(Length::Max)
        | SqlType::VarBinary(Length::Max) => return None,
        other => u32::from(text_length(other)?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn varchar(n: u16) -> SqlType {
        SqlType::VarChar(Length::Limited(n))
    }

    #[test]
    fn bad_text_gives_the_number_that_the_target_type_has() {
        let bad = Value::text("abc");
        let number = |to| convert(&bad, varchar(3), to, None).unwrap_err().number;
        assert_eq!(number(SqlType::Int), 245);
        assert_eq!(number(SqlType::BigInt), 8114);
        assert_eq!(
            number(SqlType::Decimal {
                precision: 5,
                scale: 1
            }),
            8114
        );
        assert_eq!(number(SqlType::DateTime), 241);
        assert_eq!(number(SqlType::UniqueIdentifier), 8169);
    }

    #[test]
    fn numbers_out_of_range_overflow_with_their_type_s_number() {
        let big = Value::Int(300);
        assert_eq!(
            convert(&big, SqlType::Int, SqlType::TinyInt, None)
                .unwrap_err()
                .number,
            220
        );
        let huge = Value::BigInt(3_000_000_000);
        assert_eq!(
            convert(&huge, SqlType::BigInt, SqlType::Int, None)
                .unwrap_err()
                .number,
            8115
        );
    }

    #[test]
    fn decimals_are_cut_to_int_and_rounded_to_a_scale() {
        let value = Value::Decimal(Decimal::new(1999, 3));
        let from = SqlType::Decimal {
            precision: 4,
            scale: 3,
        };
        assert_eq!(convert(&value, from, SqlType::Int, None), Ok(Value::Int(1)));
        assert_eq!(
            convert(
                &value,
                from,
                SqlType::Decimal {
                    precision: 3,
                    scale: 2
                },
                None
            ),
            Ok(Value::Decimal(Decimal::new(200, 2)))
        );
    }

    #[test]
    fn char_is_padded_and_a_number_that_does_not_fit_is_a_star() {
        assert_eq!(
            convert(&Value::text("ab"), varchar(2), SqlType::Char(4), None),
            Ok(Value::text("ab  "))
        );
        assert_eq!(
            convert(&Value::Int(12345), SqlType::Int, varchar(3), None),
            Ok(Value::text("*"))
        );
    }
}
