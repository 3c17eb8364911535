//! Values to a client.

use super::decode::{DAY_TICKS, swap_guid, tick_factor};
use super::encode_type::{decimal_magnitude_bytes, is_legacy_long};
use super::variant::push_variant;
use super::{calendar, code_page, push_utf16};
use crate::login::TdsVersion;
use labdb_types::{Decimal, Length, SqlType, Value};

/// Why a value does not fit its column.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Fault(pub(crate) String);

impl Fault {
    pub(super) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

/// Appends a value with its length as a column or parameter of `sql_type` has it. What was
/// appended before a fault is the caller's to remove.
pub(crate) fn push_value(
    out: &mut Vec<u8>,
    sql_type: SqlType,
    value: &Value,
    version: TdsVersion,
) -> Result<(), Fault> {
    if value.is_null() {
        push_null(out, sql_type, version);
        return Ok(());
    }
    match sql_type {
        SqlType::Char(length) => push_char(out, length, value),
        SqlType::VarChar(length) => {
            let bytes = code_page::encode(text(value)?);
            push_variable(out, sql_type, length, 1, &bytes, version)
        }
        SqlType::NChar(length) => push_nchar(out, length, value),
        SqlType::NVarChar(Length::Limited(length)) => push_nvarchar(out, length, text(value)?),
        SqlType::NVarChar(Length::Max) => {
            let mut bytes = Vec::new();
            push_utf16(&mut bytes, text(value)?);
            push_variable(out, sql_type, Length::Max, 2, &bytes, version)
        }
        SqlType::Binary(length) => {
            let start = out.len();
            push_variable(
                out,
                sql_type,
                Length::Limited(length),
                1,
                binary(value)?,
                version,
            )?;
            pad(out, start, length, &[0]);
            Ok(())
        }
        SqlType::VarBinary(length) => {
            push_variable(out, sql_type, length, 1, binary(value)?, version)
        }
        SqlType::SqlVariant => match value {
            Value::Variant(variant) => push_variant(out, variant.0, &variant.1),
            other => Err(mismatch(other)),
        },
        date if !version.has_date_types() && calendar::text_length(date).is_some() => {
            let text = calendar::text(date, value).ok_or_else(|| mismatch(value))?;
            push_nvarchar(out, 4000, &text)
        }
        _ => {
            let start = out.len();
            out.push(0);
            push_content(out, sql_type, value)?;
            let length = u8::try_from(out.len() - start - 1).unwrap_or(0);
            if let Some(field) = out.get_mut(start) {
                *field = length;
            }
            Ok(())
        }
    }
}

fn push_null(out: &mut Vec<u8>, sql_type: SqlType, version: TdsVersion) {
    match sql_type {
        SqlType::VarChar(Length::Max)
        | SqlType::NVarChar(Length::Max)
        | SqlType::VarBinary(Length::Max)
            if version.is_wide() =>
        {
            out.extend_from_slice(&u64::MAX.to_le_bytes());
        }
        SqlType::VarChar(Length::Max)
        | SqlType::NVarChar(Length::Max)
        | SqlType::VarBinary(Length::Max) => out.push(0),
        SqlType::Char(_)
        | SqlType::VarChar(_)
        | SqlType::NChar(_)
        | SqlType::NVarChar(_)
        | SqlType::Binary(_)
        | SqlType::VarBinary(_) => out.extend_from_slice(&u16::MAX.to_le_bytes()),
        SqlType::SqlVariant => out.extend_from_slice(&0_u32.to_le_bytes()),
        date if !version.has_date_types() && calendar::text_length(date).is_some() => {
            out.extend_from_slice(&u16::MAX.to_le_bytes());
        }
        _ => out.push(0),
    }
}

/// Appends the bytes of a value whose type has no length of its own: numbers, dates, identifiers.
pub(super) fn push_content(
    out: &mut Vec<u8>,
    sql_type: SqlType,
    value: &Value,
) -> Result<(), Fault> {
    match (sql_type, value) {
        (SqlType::Bit, _) => out.push(u8::from(integer(value)? != 0)),
        (SqlType::TinyInt, _) => out.push(narrow(value)?),
        (SqlType::SmallInt, _) => out.extend_from_slice(&narrow::<i16>(value)?.to_le_bytes()),
        (SqlType::Int, _) => out.extend_from_slice(&narrow::<i32>(value)?.to_le_bytes()),
        (SqlType::BigInt, _) => out.extend_from_slice(&integer(value)?.to_le_bytes()),
        (SqlType::Real, Value::Real(number)) => out.extend_from_slice(&number.to_le_bytes()),
        (SqlType::Float, Value::Float(number)) => out.extend_from_slice(&number.to_le_bytes()),
        (SqlType::Float, Value::Real(number)) => {
            out.extend_from_slice(&f64::from(*number).to_le_bytes());
        }
        (SqlType::Money, Value::Money(amount)) => {
            // The high half first, each half little-endian.
            out.extend_from_slice(&amount.rotate_left(32).to_le_bytes());
        }
        (SqlType::SmallMoney, Value::Money(amount)) => {
            let amount = i32::try_from(*amount)
                .map_err(|_| Fault(format!("{amount} is too large for smallmoney")))?;
            out.extend_from_slice(&amount.to_le_bytes());
        }
        (SqlType::Decimal { precision, scale }, _) => push_decimal(out, precision, scale, value)?,
        (SqlType::SmallDateTime, Value::SmallDateTime { days, minutes }) => {
            out.extend_from_slice(&days.to_le_bytes());
            out.extend_from_slice(&minutes.to_le_bytes());
        }
        (SqlType::DateTime, Value::DateTime { days, ticks }) => {
            out.extend_from_slice(&days.to_le_bytes());
            out.extend_from_slice(&ticks.to_le_bytes());
        }
        (SqlType::UniqueIdentifier, Value::Uuid(guid)) => {
            out.extend_from_slice(&swap_guid(*guid));
        }
        (SqlType::Date, Value::Date(days)) => push_days(out, *days)?,
        (SqlType::Time(scale), Value::Time(ticks)) => {
            push_time(out, *ticks, scale)?;
        }
        (SqlType::DateTime2(scale), Value::DateTime2 { days, ticks }) => {
            let carry = push_time(out, *ticks, scale)?;
            push_days(out, days.saturating_add(carry))?;
        }
        (
            SqlType::DateTimeOffset(scale),
            Value::DateTimeOffset {
                days,
                ticks,
                offset_minutes,
            },
        ) => {
            let carry = push_time(out, *ticks, scale)?;
            push_days(out, days.saturating_add(carry))?;
            out.extend_from_slice(&offset_minutes.to_le_bytes());
        }
        (_, other) => return Err(mismatch(other)),
    }
    Ok(())
}

fn mismatch(value: &Value) -> Fault {
    let kind = format!("{value:?}");
    let kind = kind.split(['(', ' ', '{']).next().unwrap_or_default();
    Fault::new(format!("the value is a {kind}"))
}

fn integer(value: &Value) -> Result<i64, Fault> {
    Ok(match value {
        Value::Bit(bit) => i64::from(*bit),
        Value::TinyInt(number) => i64::from(*number),
        Value::SmallInt(number) => i64::from(*number),
        Value::Int(number) => i64::from(*number),
        Value::BigInt(number) => *number,
        other => return Err(mismatch(other)),
    })
}

fn narrow<T: TryFrom<i64>>(value: &Value) -> Result<T, Fault> {
    T::try_from(integer(value)?).map_err(|_| Fault::new("the number is too large"))
}

fn text(value: &Value) -> Result<&str, Fault> {
    match value {
        Value::Text(text) => Ok(text),
        other => Err(mismatch(other)),
    }
}

fn binary(value: &Value) -> Result<&[u8], Fault> {
    match value {
        Value::Binary(bytes) => Ok(bytes),
        other => Err(mismatch(other)),
    }
}

fn push_decimal(out: &mut Vec<u8>, precision: u8, scale: u8, value: &Value) -> Result<(), Fault> {
    let decimal = match value {
        Value::Decimal(decimal) => *decimal,
        other => Decimal::new(i128::from(integer(other)?), 0),
    };
    let steps = scale
        .checked_sub(decimal.scale)
        .ok_or_else(|| Fault::new("it has more digits behind the point than its type"))?;
    let magnitude = 10_u128
        .checked_pow(u32::from(steps))
        .and_then(|factor| decimal.mantissa.unsigned_abs().checked_mul(factor))
        .filter(|magnitude| {
            10_u128
                .checked_pow(u32::from(precision.min(38)))
                .is_some_and(|limit| *magnitude < limit)
        })
        .ok_or_else(|| Fault::new("it has more digits than its type"))?;
    out.push(u8::from(decimal.mantissa >= 0));
    let bytes = magnitude.to_le_bytes();
    let length = usize::from(decimal_magnitude_bytes(precision));
    out.extend_from_slice(bytes.get(..length).unwrap_or(&bytes));
    Ok(())
}

fn push_days(out: &mut Vec<u8>, days: i32) -> Result<(), Fault> {
    if !(0..=3_652_058).contains(&days) {
        return Err(Fault::new(
            "the day is not between 0001-01-01 and 9999-12-31",
        ));
    }
    let [a, b, c, _] = days.to_le_bytes();
    out.extend_from_slice(&[a, b, c]);
    Ok(())
}

/// Rounds to the scale, half up; 1 when that is the next day's midnight.
fn push_time(out: &mut Vec<u8>, ticks: u64, scale: u8) -> Result<i32, Fault> {
    if ticks >= DAY_TICKS {
        return Err(Fault::new("the time is not below 24 hours"));
    }
    let factor = tick_factor(scale);
    let rounded = (ticks + factor / 2) / factor;
    let (units, carry) = if rounded * factor >= DAY_TICKS {
        (0, 1)
    } else {
        (rounded, 0)
    };
    let length = match scale {
        0..=2 => 3,
        3..=4 => 4,
        _ => 5,
    };
    let bytes = units.to_le_bytes();
    out.extend_from_slice(bytes.get(..length).unwrap_or(&bytes));
    Ok(carry)
}

/// Bytes with a length of two bytes, or in one chunk, or (for old clients) behind a text pointer.
fn push_variable(
    out: &mut Vec<u8>,
    sql_type: SqlType,
    limit: Length,
    bytes_per_unit: usize,
    bytes: &[u8],
    version: TdsVersion,
) -> Result<(), Fault> {
    if let Length::Limited(limit) = limit {
        if bytes.len() > usize::from(limit) * bytes_per_unit {
            return Err(too_long(limit));
        }
        let length = u16::try_from(bytes.len()).map_err(|_| too_long(limit))?;
        out.extend_from_slice(&length.to_le_bytes());
        out.extend_from_slice(bytes);
        return Ok(());
    }
    let length = u32::try_from(bytes.len())
        .ok()
        .filter(|length| *length <= 0x7FFF_FFFF)
        .ok_or_else(|| Fault::new("it is longer than 2^31-1 bytes"))?;
    if is_legacy_long(sql_type, version) {
        const POINTER_AND_TIMESTAMP: [u8; 24] = [0x64; 24];
        out.push(16);
        out.extend_from_slice(&POINTER_AND_TIMESTAMP);
        out.extend_from_slice(&length.to_le_bytes());
        out.extend_from_slice(bytes);
        return Ok(());
    }
    out.extend_from_slice(&u64::from(length).to_le_bytes());
    if length > 0 {
        out.extend_from_slice(&length.to_le_bytes());
        out.extend_from_slice(bytes);
    }
    out.extend_from_slice(&0_u32.to_le_bytes());
    Ok(())
}

fn too_long(limit: u16) -> Fault {
    Fault::new(format!("it is longer than {limit}"))
}

fn push_char(out: &mut Vec<u8>, length: u16, value: &Value) -> Result<(), Fault> {
    let bytes = code_page::encode(text(value)?);
    if bytes.len() > usize::from(length) {
        return Err(too_long(length));
    }
    let start = out.len();
    out.extend_from_slice(&length.to_le_bytes());
    out.extend_from_slice(&bytes);
    pad(out, start, length, b" ");
    Ok(())
}

fn push_nchar(out: &mut Vec<u8>, length: u16, value: &Value) -> Result<(), Fault> {
    let start = out.len();
    push_nvarchar(out, length, text(value)?)?;
    pad(out, start, length.saturating_mul(2), b" \0");
    Ok(())
}

fn push_nvarchar(out: &mut Vec<u8>, limit: u16, text: &str) -> Result<(), Fault> {
    let start = out.len();
    out.extend_from_slice(&[0; 2]);
    let bytes = push_utf16(out, text);
    if bytes > usize::from(limit) * 2 {
        return Err(too_long(limit));
    }
    let length = u16::try_from(bytes).map_err(|_| too_long(limit))?;
    set_length(out, start, length);
    Ok(())
}

/// Fills a value of two-byte length that begins at `start` up to `length` bytes.
fn pad(out: &mut Vec<u8>, start: usize, length: u16, with: &[u8]) {
    let end = start + 2 + usize::from(length);
    while out.len() < end {
        out.extend_from_slice(with);
    }
    set_length(out, start, length);
}

fn set_length(out: &mut [u8], start: usize, length: u16) {
    if let Some(field) = out.get_mut(start..start + 2) {
        field.copy_from_slice(&length.to_le_bytes());
    }
}
