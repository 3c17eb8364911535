//! To text.

use super::overflow;
use crate::eval::format;
use crate::eval::types::{is_integer, is_number, is_unicode, text_length, type_name};
use labdb_types::{SqlError, SqlResult, SqlType, Value};
use std::sync::Arc;

/// The length in the unit of the type: UTF-16 code units for `nvarchar`, else characters, each
/// of which counts as one byte of the code page.
pub(crate) fn length_in(text: &str, unicode: bool) -> usize {
    if text.is_ascii() {
        text.len()
    } else if unicode {
        text.encode_utf16().count()
    } else {
        text.chars().count()
    }
}

/// The first `limit` units of a text.
pub(crate) fn prefix(text: &str, limit: usize, unicode: bool) -> &str {
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
pub(crate) fn sized_text(text: Arc<str>, to: SqlType) -> Value {
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

pub(super) fn to_text(
    value: &Value,
    from: SqlType,
    to: SqlType,
    style: Option<i32>,
) -> SqlResult<Value> {
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
