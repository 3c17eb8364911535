//! Rows of values as bytes of the storage engine, and back.
//!
//! Layout: the number of columns (u16), a NULL bitmap, then each value that is not NULL: numbers
//! at their width, little-endian; text and binary with a u32 length before them. Text and binary
//! that lie outside the row have [`OUTSIDE`] for their length and then where they are; a row with
//! such values has [`HAS_OUTSIDE`] in its number of columns.

use crate::catalog::TableColumn;
use crate::eval::types;
use crate::plan::expression::internal;
use labdb_storage::LargeValue;
use labdb_types::{Decimal, SqlError, SqlResult, SqlType, Value};
use std::sync::Arc;

/// The length of a value that lies outside its row.
const OUTSIDE: u32 = u32::MAX;
/// In the number of columns: some value lies outside.
const HAS_OUTSIDE: u16 = 1 << 15;
/// What a value that lies outside leaves in its row: a length and where it is.
pub(super) const POINTER: usize = 4 + LargeValue::ENCODED;

/// The bytes of a row, all values in it.
pub fn encode(row: &[Value]) -> Vec<u8> {
    encode_around(row, &[])
}

/// The bytes of a row whose values at the places with `Some` in `outside` lie outside it.
pub(super) fn encode_around(row: &[Value], outside: &[Option<LargeValue>]) -> Vec<u8> {
    let mut out = Vec::with_capacity(16 + row.len() * 12);
    let mark = if outside.iter().any(Option::is_some) {
        HAS_OUTSIDE
    } else {
        0
    };
    out.extend_from_slice(&(row.len() as u16 | mark).to_le_bytes());
    let bitmap = out.len();
    out.resize(bitmap + row.len().div_ceil(8), 0);
    for (at, value) in row.iter().enumerate() {
        if value.is_null() {
            if let Some(byte) = out.get_mut(bitmap + at / 8) {
                *byte |= 1 << (at % 8);
            }
            continue;
        }
        match outside.get(at) {
            Some(Some(large)) => push_pointer(&mut out, value, large),
            _ => push(&mut out, value),
        }
    }
    out
}

/// The bytes of a value that can lie outside its row: of text and binary, also in a variant.
pub(super) fn long_bytes(value: &Value) -> Option<&[u8]> {
    match value {
        Value::Text(text) => Some(text.as_bytes()),
        Value::Binary(bytes) => Some(bytes),
        Value::Variant(inner) => long_bytes(&inner.1),
        _ => None,
    }
}

fn push_pointer(out: &mut Vec<u8>, value: &Value, large: &LargeValue) {
    if let Value::Variant(inner) = value {
        push_base(out, inner.0);
    }
    out.extend_from_slice(&OUTSIDE.to_le_bytes());
    out.extend_from_slice(&large.to_bytes());
}

fn push_base(out: &mut Vec<u8>, sql_type: SqlType) {
    let name = types::declaration(sql_type);
    out.push(name.len() as u8);
    out.extend_from_slice(name.as_bytes());
}

fn push(out: &mut Vec<u8>, value: &Value) {
    match value {
        Value::Null => {}
        Value::Bit(b) => out.push(u8::from(*b)),
        Value::TinyInt(n) => out.push(*n),
        Value::SmallInt(n) => out.extend_from_slice(&n.to_le_bytes()),
        Value::Int(n) => out.extend_from_slice(&n.to_le_bytes()),
        Value::BigInt(n) | Value::Money(n) => out.extend_from_slice(&n.to_le_bytes()),
        Value::Real(f) => out.extend_from_slice(&f.to_le_bytes()),
        Value::Float(f) => out.extend_from_slice(&f.to_le_bytes()),
        Value::Decimal(d) => {
            out.push(d.scale);
            out.extend_from_slice(&d.mantissa.to_le_bytes());
        }
        Value::Text(text) => {
            out.extend_from_slice(&(text.len() as u32).to_le_bytes());
            out.extend_from_slice(text.as_bytes());
        }
        Value::Binary(bytes) => {
            out.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
            out.extend_from_slice(bytes);
        }
        Value::Date(days) => out.extend_from_slice(&days.to_le_bytes()),
        Value::Time(ticks) => out.extend_from_slice(&ticks.to_le_bytes()),
        Value::DateTime { days, ticks } => {
            out.extend_from_slice(&days.to_le_bytes());
            out.extend_from_slice(&ticks.to_le_bytes());
        }
        Value::SmallDateTime { days, minutes } => {
            out.extend_from_slice(&days.to_le_bytes());
            out.extend_from_slice(&minutes.to_le_bytes());
        }
        Value::DateTime2 { days, ticks } => {
            out.extend_from_slice(&days.to_le_bytes());
            out.extend_from_slice(&ticks.to_le_bytes());
        }
        Value::DateTimeOffset {
            days,
            ticks,
            offset_minutes,
        } => {
            out.extend_from_slice(&days.to_le_bytes());
            out.extend_from_slice(&ticks.to_le_bytes());
            out.extend_from_slice(&offset_minutes.to_le_bytes());
        }
        Value::Uuid(bytes) => out.extend_from_slice(bytes),
        Value::Variant(inner) => {
            push_base(out, inner.0);
            push(out, &inner.1);
        }
    }
}

/// Where values outside their rows come from.
pub trait Outside {
    /// The bytes of the value of a column; `None` where it is gone, because the row is not held.
    ///
    /// # Errors
    /// Storage.
    fn load(&self, column: usize, value: &LargeValue) -> SqlResult<Loaded>;
}

/// What [`Outside`] has for a value.
pub enum Loaded {
    /// Its bytes.
    Bytes(Vec<u8>),
    /// It is not wanted: NULL stands in for it.
    Unwanted,
    /// It is gone.
    Gone,
}

/// Text or binary as its row has it.
enum Long<'a> {
    Inside(&'a [u8]),
    Outside(LargeValue),
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let end = self.at.checked_add(length)?;
        let part = self.bytes.get(self.at..end)?;
        self.at = end;
        Some(part)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    fn long(&mut self) -> Option<Long<'a>> {
        let length = u32::from_le_bytes(self.array()?);
        if length == OUTSIDE {
            return Some(Long::Outside(LargeValue::from_bytes(self.array()?)));
        }
        Some(Long::Inside(self.take(length as usize)?))
    }

    fn base(&mut self) -> Option<SqlType> {
        let [length] = self.array::<1>()?;
        let name = std::str::from_utf8(self.take(usize::from(length))?).ok()?;
        crate::catalog::parse_type(name).ok()
    }

    /// A value without a length of its own.
    fn value(&mut self, sql_type: SqlType) -> Option<Value> {
        Some(match sql_type {
            SqlType::Bit => Value::Bit(self.array::<1>()? != [0]),
            SqlType::TinyInt => Value::TinyInt(u8::from_le_bytes(self.array()?)),
            SqlType::SmallInt => Value::SmallInt(i16::from_le_bytes(self.array()?)),
            SqlType::Int => Value::Int(i32::from_le_bytes(self.array()?)),
            SqlType::BigInt => Value::BigInt(i64::from_le_bytes(self.array()?)),
            SqlType::Money | SqlType::SmallMoney => Value::Money(i64::from_le_bytes(self.array()?)),
            SqlType::Real => Value::Real(f32::from_le_bytes(self.array()?)),
            SqlType::Float => Value::Float(f64::from_le_bytes(self.array()?)),
            SqlType::Decimal { .. } => {
                let [scale] = self.array::<1>()?;
                Value::Decimal(Decimal::new(i128::from_le_bytes(self.array()?), scale))
            }
            SqlType::Date => Value::Date(i32::from_le_bytes(self.array()?)),
            SqlType::Time(_) => Value::Time(u64::from_le_bytes(self.array()?)),
            SqlType::DateTime => Value::DateTime {
                days: i32::from_le_bytes(self.array()?),
                ticks: u32::from_le_bytes(self.array()?),
            },
            SqlType::SmallDateTime => Value::SmallDateTime {
                days: u16::from_le_bytes(self.array()?),
                minutes: u16::from_le_bytes(self.array()?),
            },
            SqlType::DateTime2(_) => Value::DateTime2 {
                days: i32::from_le_bytes(self.array()?),
                ticks: u64::from_le_bytes(self.array()?),
            },
            SqlType::DateTimeOffset(_) => Value::DateTimeOffset {
                days: i32::from_le_bytes(self.array()?),
                ticks: u64::from_le_bytes(self.array()?),
                offset_minutes: i16::from_le_bytes(self.array()?),
            },
            SqlType::UniqueIdentifier => Value::Uuid(self.array()?),
            SqlType::Char(_)
            | SqlType::VarChar(_)
            | SqlType::NChar(_)
            | SqlType::NVarChar(_)
            | SqlType::Binary(_)
            | SqlType::VarBinary(_)
            | SqlType::SqlVariant => return None,
        })
    }

    /// A column's value; the inner `None`: it lies outside and is gone.
    fn column(
        &mut self,
        sql_type: SqlType,
        column: usize,
        outside: &dyn Outside,
    ) -> SqlResult<Option<Value>> {
        if sql_type == SqlType::SqlVariant {
            let base = self.base().ok_or_else(damaged)?;
            return Ok(self
                .column(base, column, outside)?
                .map(|value| match value {
                    Value::Null => Value::Null,
                    value => Value::Variant(Box::new((base, value))),
                }));
        }
        if !types::is_text(sql_type) && !types::is_binary(sql_type) {
            return self.value(sql_type).map(Some).ok_or_else(damaged);
        }
        match self.long().ok_or_else(damaged)? {
            Long::Inside(bytes) => long_value(sql_type, bytes).map(Some).ok_or_else(damaged),
            Long::Outside(large) => match outside.load(column, &large)? {
                Loaded::Bytes(bytes) => long_value(sql_type, &bytes).map(Some).ok_or_else(damaged),
                Loaded::Unwanted => Ok(Some(Value::Null)),
                Loaded::Gone => Ok(None),
            },
        }
    }
}

fn long_value(sql_type: SqlType, bytes: &[u8]) -> Option<Value> {
    Some(if types::is_binary(sql_type) {
        Value::Binary(Arc::from(bytes))
    } else {
        Value::Text(Arc::from(std::str::from_utf8(bytes).ok()?))
    })
}

fn damaged() -> SqlError {
    internal("a row does not fit its table's columns")
}

/// The values of a row; `None` when one that lies outside is gone.
///
/// # Errors
/// When the bytes are not a row of these columns; storage.
pub fn decode(
    columns: &[TableColumn],
    bytes: &[u8],
    outside: &dyn Outside,
) -> SqlResult<Option<Vec<Value>>> {
    let mut reader = Reader { bytes, at: 0 };
    let count = u16::from_le_bytes(reader.array().ok_or_else(damaged)?) & !HAS_OUTSIDE;
    let count = usize::from(count);
    let bitmap = reader.take(count.div_ceil(8)).ok_or_else(damaged)?;
    if count != columns.len() {
        return Err(damaged());
    }
    let mut row = Vec::with_capacity(count);
    for (at, column) in columns.iter().enumerate() {
        let null = bitmap
            .get(at / 8)
            .is_some_and(|byte| byte >> (at % 8) & 1 == 1);
        if null {
            row.push(Value::Null);
            continue;
        }
        match reader.column(column.sql_type, at, outside)? {
            Some(value) => row.push(value),
            None => return Ok(None),
        }
    }
    Ok(Some(row))
}

/// Where the values of a row are that lie outside it, by column.
///
/// # Errors
/// As [`decode`].
pub(super) fn outside_values(
    columns: &[TableColumn],
    bytes: &[u8],
) -> SqlResult<Vec<Option<LargeValue>>> {
    /// Notes what it is asked for.
    struct Notes(std::cell::RefCell<Vec<Option<LargeValue>>>);
    impl Outside for Notes {
        fn load(&self, column: usize, value: &LargeValue) -> SqlResult<Loaded> {
            if let Some(place) = self.0.borrow_mut().get_mut(column) {
                *place = Some(*value);
            }
            Ok(Loaded::Unwanted)
        }
    }
    let mark = bytes
        .get(1)
        .is_some_and(|b| b & (HAS_OUTSIDE >> 8) as u8 != 0);
    if !mark {
        return Ok(Vec::new());
    }
    let notes = Notes(vec![None; columns.len()].into());
    decode(columns, bytes, &notes)?;
    Ok(notes.0.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;
    use labdb_types::Length;

    #[test]
    fn a_row_comes_back_as_it_was_stored() {
        let cases = [
            (SqlType::Int, Value::Int(-5)),
            (SqlType::VarChar(Length::Limited(10)), Value::text("grüße")),
            (
                SqlType::Decimal {
                    precision: 9,
                    scale: 2,
                },
                Value::Decimal(Decimal::new(-12345, 2)),
            ),
            (SqlType::UniqueIdentifier, Value::Uuid([7; 16])),
            (SqlType::DateTime, Value::DateTime { days: -3, ticks: 9 }),
            (SqlType::Bit, Value::Null),
            (
                SqlType::SqlVariant,
                Value::Variant(Box::new((
                    SqlType::NVarChar(Length::Limited(4)),
                    Value::text("x"),
                ))),
            ),
            (SqlType::Float, Value::Float(0.1)),
            (
                SqlType::VarBinary(Length::Max),
                Value::Binary(Arc::from([1_u8, 0, 2])),
            ),
        ];
        let columns: Vec<TableColumn> = cases
            .iter()
            .map(|(sql_type, _)| TableColumn {
                column_id: 1,
                name: "c".into(),
                sql_type: *sql_type,
                declared: String::new(),
                nullable: true,
                identity: None,
                default: None,
            })
            .collect();
        let row: Vec<Value> = cases.iter().map(|(_, v)| v.clone()).collect();
        let bytes = encode(&row);
        assert_eq!(decode(&columns, &bytes, &Nowhere).unwrap(), Some(row));
        assert_eq!(outside_values(&columns, &bytes).unwrap(), []);
        for cut in 0..bytes.len() {
            assert!(decode(&columns, &bytes[..cut], &Nowhere).is_err());
        }
    }

    struct Nowhere;

    impl Outside for Nowhere {
        fn load(&self, _: usize, _: &LargeValue) -> SqlResult<Loaded> {
            Ok(Loaded::Gone)
        }
    }

    /// Has one value, for column 2.
    struct Somewhere(LargeValue, &'static [u8]);

    impl Outside for Somewhere {
        fn load(&self, column: usize, value: &LargeValue) -> SqlResult<Loaded> {
            assert_eq!((column, value), (2, &self.0));
            Ok(Loaded::Bytes(self.1.to_vec()))
        }
    }

    #[test]
    fn a_value_outside_is_asked_for_where_it_is_and_its_row_stays_short() {
        let large = LargeValue::from_bytes(std::array::from_fn(|at| at as u8));
        let variant = SqlType::NVarChar(Length::Limited(4000));
        for (sql_type, value) in [
            (SqlType::VarChar(Length::Max), Value::text("großer Text")),
            (
                SqlType::SqlVariant,
                Value::Variant(Box::new((variant, Value::text("großer Text")))),
            ),
        ] {
            let column = |sql_type| TableColumn {
                column_id: 1,
                name: "c".into(),
                sql_type,
                declared: String::new(),
                nullable: true,
                identity: None,
                default: None,
            };
            let columns = [
                column(SqlType::Int),
                column(SqlType::VarChar(Length::Max)),
                column(sql_type),
                column(SqlType::Int),
            ];
            let row = vec![Value::Int(1), Value::text("in"), value, Value::Int(2)];
            let outside = [None, None, Some(large), None];
            let bytes = encode_around(&row, &outside);
            assert_eq!(outside_values(&columns, &bytes).unwrap(), outside);
            assert_eq!(decode(&columns, &bytes, &Nowhere).unwrap(), None);
            let there = Somewhere(large, "großer Text".as_bytes());
            assert_eq!(decode(&columns, &bytes, &there).unwrap(), Some(row));
        }
    }
}
