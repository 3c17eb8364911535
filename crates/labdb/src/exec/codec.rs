//! Rows of values as bytes of the storage engine, and back.
//!
//! Layout: the number of columns (u16), a NULL bitmap, then each value that is not NULL: numbers
//! at their width, little-endian; text and binary with a u32 length before them.

use crate::catalog::TableColumn;
use crate::eval::types;
use crate::plan::expression::internal;
use labdb_types::{Decimal, SqlResult, SqlType, Value};
use std::sync::Arc;

/// The bytes of a row.
pub fn encode(row: &[Value]) -> Vec<u8> {
    let mut out = Vec::with_capacity(16 + row.len() * 12);
    out.extend_from_slice(&(row.len() as u16).to_le_bytes());
    let bitmap = out.len();
    out.resize(bitmap + row.len().div_ceil(8), 0);
    for (at, value) in row.iter().enumerate() {
        if value.is_null() {
            if let Some(byte) = out.get_mut(bitmap + at / 8) {
                *byte |= 1 << (at % 8);
            }
            continue;
        }
        push(&mut out, value);
    }
    out
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
            let name = types::declaration(inner.0);
            out.push(name.len() as u8);
            out.extend_from_slice(name.as_bytes());
            push(out, &inner.1);
        }
    }
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

    fn blob(&mut self) -> Option<&'a [u8]> {
        let length = u32::from_le_bytes(self.array()?);
        self.take(length as usize)
    }

    fn value(&mut self, sql_type: SqlType) -> Option<Value> {
        Some(match sql_type {
            SqlType::Bit => Value::Bit(self.array::<1>()? != [0]),
            SqlType::TinyInt => Value::TinyInt(u8::from_le_bytes(self.array()?)),
            SqlType::SmallInt => Value::SmallInt(i16::from_le_bytes(self.array()?)),
            SqlType::Int => Value::Int(i32::from_le_bytes(self.array()?)),
            SqlType::BigInt => Value::BigInt(i64::from_le_bytes(self.array()?)),
            SqlType::Money => Value::Money(i64::from_le_bytes(self.array()?)),
            SqlType::Real => Value::Real(f32::from_le_bytes(self.array()?)),
            SqlType::Float => Value::Float(f64::from_le_bytes(self.array()?)),
            SqlType::Decimal { .. } => {
                let [scale] = self.array::<1>()?;
                Value::Decimal(Decimal::new(i128::from_le_bytes(self.array()?), scale))
            }
            SqlType::Char(_) | SqlType::VarChar(_) | SqlType::NChar(_) | SqlType::NVarChar(_) => {
                Value::Text(Arc::from(std::str::from_utf8(self.blob()?).ok()?))
            }
            SqlType::Binary(_) | SqlType::VarBinary(_) => Value::Binary(Arc::from(self.blob()?)),
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
            SqlType::SqlVariant => {
                let [length] = self.array::<1>()?;
                let name = std::str::from_utf8(self.take(usize::from(length))?).ok()?;
                let base = crate::catalog::parse_type(name).ok()?;
                Value::Variant(Box::new((base, self.value(base)?)))
            }
        })
    }
}

/// The values of a row.
///
/// # Errors
/// When the bytes are not a row of these columns.
pub fn decode(columns: &[TableColumn], bytes: &[u8]) -> SqlResult<Vec<Value>> {
    let mut reader = Reader { bytes, at: 0 };
    let damaged = || internal("a row does not fit its table's columns");
    let count = usize::from(u16::from_le_bytes(reader.array().ok_or_else(damaged)?));
    let bitmap = reader.take(count.div_ceil(8)).ok_or_else(damaged)?;
    if count != columns.len() {
        return Err(damaged());
    }
    let mut row = Vec::with_capacity(count);
    for (at, column) in columns.iter().enumerate() {
        let null = bitmap
            .get(at / 8)
            .is_some_and(|byte| byte >> (at % 8) & 1 == 1);
        row.push(if null {
            Value::Null
        } else {
            reader.value(column.sql_type).ok_or_else(damaged)?
        });
    }
    Ok(row)
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
        assert_eq!(decode(&columns, &bytes).unwrap(), row);
        for cut in 0..bytes.len() {
            assert!(decode(&columns, &bytes[..cut]).is_err());
        }
    }
}
