//! To binary and uniqueidentifier.

use super::{clash, error_converting};
use crate::eval::parse;
use crate::eval::types::{is_unicode, text_length};
use labdb_types::{SqlError, SqlResult, SqlType, Value};
use std::sync::Arc;

pub(super) fn to_binary(
    value: &Value,
    from: SqlType,
    to: SqlType,
    style: Option<i32>,
) -> SqlResult<Value> {
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
pub(crate) fn wire_uuid(b: [u8; 16]) -> [u8; 16] {
    [
        b[3], b[2], b[1], b[0], b[5], b[4], b[7], b[6], b[8], b[9], b[10], b[11], b[12], b[13],
        b[14], b[15],
    ]
}

pub(super) fn to_uuid(value: &Value, from: SqlType) -> SqlResult<Value> {
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
