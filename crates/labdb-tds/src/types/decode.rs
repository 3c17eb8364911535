//! Values from a client.

use super::TypeFailure;
use super::declared::{Content, Declared, Shape};
use super::variant::read_variant;
use crate::wire::Reader;
use crate::{Error, Result};
use labdb_types::{Decimal, SqlType, Value};
use std::sync::Arc;

/// The days from 0001-01-01 to 9999-12-31.
const LAST_DAY: i32 = 3_652_058;
/// Ticks of 100 ns in a day.
pub(super) const DAY_TICKS: u64 = 864_000_000_000;
/// Ticks of 1/300 s in a day.
const DAY_THREE_HUNDREDTHS: u32 = 25_920_000;

/// Reads a value and gives it with its type (a variant's own is in the value).
pub(crate) fn read_value(
    reader: &mut Reader<'_>,
    declared: &Declared,
) -> std::result::Result<(SqlType, Value), TypeFailure> {
    let sql_type = declared.sql_type;
    let null = Ok((sql_type, Value::Null));
    let length = match declared.shape {
        Shape::Variant => return Ok((sql_type, read_variant(reader)?)),
        Shape::Chunks => {
            return Ok(match read_chunks(reader)? {
                None => (sql_type, Value::Null),
                Some(bytes) => (sql_type, interpret(declared.content, &bytes)?),
            });
        }
        Shape::Fixed(length) => length,
        Shape::Byte => match reader.u8()? {
            0 => return null,
            length => usize::from(length),
        },
        Shape::Short => match reader.u16()? {
            u16::MAX => return null,
            length => usize::from(length),
        },
        Shape::Long => match reader.length32()? {
            0xFFFF_FFFF => return null,
            length => length,
        },
    };
    Ok((
        sql_type,
        interpret(declared.content, reader.bytes(length)?)?,
    ))
}

/// Reads a `text`, `ntext` or `image` as rows have it: behind a text pointer (whose length 0 is
/// NULL) and a timestamp.
pub(crate) fn read_long_value(
    reader: &mut Reader<'_>,
    declared: &Declared,
) -> std::result::Result<Value, TypeFailure> {
    const TIMESTAMP: usize = 8;
    let pointer = reader.u8()?;
    if pointer == 0 {
        return Ok(Value::Null);
    }
    reader.bytes(usize::from(pointer) + TIMESTAMP)?;
    read_value(reader, declared).map(|(_, value)| value)
}

/// A value in chunks; `None` is NULL. Memory grows with the bytes that are there.
fn read_chunks(reader: &mut Reader<'_>) -> Result<Option<Vec<u8>>> {
    if reader.u64()? == u64::MAX {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    loop {
        let length = reader.length32()?;
        if length == 0 {
            return Ok(Some(bytes));
        }
        bytes.extend_from_slice(reader.bytes(length)?);
    }
}

/// What bytes of a known length mean.
pub(super) fn interpret(content: Content, bytes: &[u8]) -> Result<Value> {
    let mut reader = Reader::new(bytes);
    let value = match content {
        Content::Null | Content::Variant => Value::Null,
        Content::Bit => Value::Bit(reader.u8()? != 0),
        Content::Integer => return integer(bytes),
        Content::Float => match bytes.len() {
            4 => Value::Real(f32::from_le_bytes(reader.array()?)),
            _ => Value::Float(f64::from_le_bytes(reader.array()?)),
        },
        Content::Money if bytes.len() == 4 => {
            Value::Money(i64::from(i32::from_le_bytes(reader.array()?)))
        }
        // The high half first.
        Content::Money => Value::Money(i64::from_le_bytes(reader.array()?).rotate_left(32)),
        Content::Decimal { scale } => return decimal(bytes, scale),
        Content::DateTime => match bytes.len() {
            4 => Value::SmallDateTime {
                days: reader.u16()?,
                minutes: below(reader.u16()?, 1440, "minutes of a day")?,
            },
            _ => Value::DateTime {
                days: day_since_1900(i32::from_le_bytes(reader.array()?))?,
                ticks: below(reader.u32()?, DAY_THREE_HUNDREDTHS, "ticks of a day")?,
            },
        },
        Content::Date => Value::Date(read_days(&mut reader)?),
        Content::Time { scale } => Value::Time(read_ticks(&mut reader, bytes.len(), scale)?),
        Content::DateTime2 { scale } => Value::DateTime2 {
            ticks: read_ticks(&mut reader, bytes.len().saturating_sub(3), scale)?,
            days: read_days(&mut reader)?,
        },
        Content::DateTimeOffset { scale } => {
            let ticks = read_ticks(&mut reader, bytes.len().saturating_sub(5), scale)?;
            let days = read_days(&mut reader)?;
            let offset_minutes = i16::from_le_bytes(reader.array()?);
            if !(-840..=840).contains(&offset_minutes) {
                return Err(invalid("an offset from UTC"));
            }
            Value::DateTimeOffset {
                days,
                ticks,
                offset_minutes,
            }
        }
        Content::Guid => Value::Uuid(swap_guid(reader.array()?)),
        Content::Text(page) => return Ok(Value::Text(Arc::from(&*page.decode(bytes)))),
        Content::WideText => return Ok(Value::text(reader.utf16_bytes(bytes.len())?)),
        Content::Binary => return Ok(Value::Binary(Arc::from(bytes))),
    };
    if reader.is_empty() || content == Content::Null {
        Ok(value)
    } else {
        Err(invalid("the length of a value"))
    }
}

fn invalid(what: &str) -> Error {
    Error::protocol(format!("{what} is out of range"))
}

fn below<T: PartialOrd + Copy>(value: T, limit: T, what: &str) -> Result<T> {
    if value < limit {
        Ok(value)
    } else {
        Err(invalid(what))
    }
}

/// `datetime` goes from 1753-01-01 to 9999-12-31.
fn day_since_1900(days: i32) -> Result<i32> {
    if (-53_690..=2_958_463).contains(&days) {
        Ok(days)
    } else {
        Err(invalid("the day of a datetime"))
    }
}

fn integer(bytes: &[u8]) -> Result<Value> {
    let mut reader = Reader::new(bytes);
    Ok(match bytes.len() {
        1 => Value::TinyInt(reader.u8()?),
        2 => Value::SmallInt(i16::from_le_bytes(reader.array()?)),
        4 => Value::Int(i32::from_le_bytes(reader.array()?)),
        8 => Value::BigInt(i64::from_le_bytes(reader.array()?)),
        _ => return Err(invalid("the length of an integer")),
    })
}

/// A sign byte (1 is positive) and a little-endian magnitude of 4, 8, 12 or 16 bytes.
fn decimal(bytes: &[u8], scale: u8) -> Result<Value> {
    const DIGITS_38: u128 = 10_u128.pow(38);
    let Some((sign, magnitude)) = bytes.split_first() else {
        return Err(invalid("the length of a decimal"));
    };
    let mut padded = [0; 16];
    padded
        .get_mut(..magnitude.len())
        .ok_or_else(|| invalid("the length of a decimal"))?
        .copy_from_slice(magnitude);
    let magnitude = below(u128::from_le_bytes(padded), DIGITS_38, "a decimal")?;
    let magnitude = i128::try_from(magnitude).map_err(|_| invalid("a decimal"))?;
    let mantissa = if *sign == 0 { -magnitude } else { magnitude };
    Ok(Value::Decimal(Decimal::new(mantissa, scale)))
}

/// Three bytes: days since 0001-01-01.
fn read_days(reader: &mut Reader<'_>) -> Result<i32> {
    let [a, b, c] = reader.array::<3>()?;
    let days = i32::from_le_bytes([a, b, c, 0]);
    if days > LAST_DAY {
        return Err(invalid("a day"));
    }
    Ok(days)
}

/// A count of 10^-scale seconds, in 3 to 5 bytes, as ticks of 100 ns.
fn read_ticks(reader: &mut Reader<'_>, length: usize, scale: u8) -> Result<u64> {
    if !(3..=5).contains(&length) {
        return Err(invalid("the length of a time"));
    }
    let mut padded = [0; 8];
    for byte in padded.iter_mut().take(length) {
        *byte = reader.u8()?;
    }
    let ticks = u64::from_le_bytes(padded)
        .checked_mul(tick_factor(scale))
        .ok_or_else(|| invalid("a time"))?;
    below(ticks, DAY_TICKS, "a time")
}

/// Ticks of 100 ns in a unit of a scale.
pub(super) fn tick_factor(scale: u8) -> u64 {
    10_u64.pow(u32::from(7_u8.saturating_sub(scale)))
}

/// Between the order as text and the order on the wire: the first three groups are little-endian.
pub(super) fn swap_guid(mut guid: [u8; 16]) -> [u8; 16] {
    guid[..4].reverse();
    guid[4..6].reverse();
    guid[6..8].reverse();
    guid
}
