//! `sql_variant`: a value that brings its base type (\[MS-TDS\] 2.2.5.5.4).

use super::code_page::{self, CodePage};
use super::declared::{Content, Declared, Shape, decimal, fixed, scaled, sized};
use super::decode::interpret;
use super::encode::{Fault, push_content};
use super::{COLLATION, TypeFailure, push_utf16, token_type as t};
use crate::Error;
use crate::wire::Reader;
use labdb_types::{Length, SqlType, Value};

/// The most bytes that a variant's value may have.
const MAX_VALUE_BYTES: usize = 8000;

pub(super) fn read_variant(reader: &mut Reader<'_>) -> Result<Value, TypeFailure> {
    let length = reader.length32()?;
    if length == 0 {
        return Ok(Value::Null);
    }
    let mut reader = Reader::new(reader.bytes(length)?);
    let token = reader.u8()?;
    let property_length = reader.u8()?;
    let mut properties = Reader::new(reader.bytes(usize::from(property_length))?);
    let declared = base_type(token, &mut properties)?;
    let mut rest = length.saturating_sub(2 + usize::from(property_length));
    if let Shape::Fixed(expected) = declared.shape
        && expected != rest
    {
        rest = usize::MAX;
    }
    let value = interpret(declared.content, reader.bytes(rest)?)?;
    Ok(Value::Variant(Box::new((declared.sql_type, value))))
}

fn base_type(token: u8, properties: &mut Reader<'_>) -> Result<Declared, TypeFailure> {
    if token != t::NULL
        && let Some(declared) = fixed(token)
    {
        return Ok(declared);
    }
    Ok(match token {
        t::GUID => Declared::new(SqlType::UniqueIdentifier, Shape::Fixed(16), Content::Guid),
        t::DATEN => Declared::new(SqlType::Date, Shape::Fixed(3), Content::Date),
        t::TIMEN | t::DATETIME2N | t::DATETIMEOFFSETN => scaled(token, properties.u8()?)?,
        t::DECIMALN | t::NUMERICN => decimal(properties.u8()?, properties.u8()?)?,
        t::BIGVARBINARY | t::BIGBINARY => {
            sized(token, limited(properties.u16()?)?, CodePage::Windows1252)
        }
        t::BIGVARCHAR | t::BIGCHAR | t::NVARCHAR | t::NCHAR => {
            let page = CodePage::from_collation(properties.array()?);
            sized(token, limited(properties.u16()?)?, page)
        }
        _ => {
            return Err(Error::protocol(format!("a sql_variant of base type {token:#04x}")).into());
        }
    })
}

fn limited(length: u16) -> Result<u16, Error> {
    if length > 8000 {
        return Err(Error::protocol("a sql_variant of more than 8000 bytes"));
    }
    Ok(length)
}

/// Appends a variant with its length.
pub(super) fn push_variant(out: &mut Vec<u8>, base: SqlType, value: &Value) -> Result<(), Fault> {
    let start = out.len();
    out.extend_from_slice(&[0; 4]);
    match base {
        SqlType::Bit => out.extend_from_slice(&[t::BIT, 0]),
        SqlType::TinyInt => out.extend_from_slice(&[t::INT1, 0]),
        SqlType::SmallInt => out.extend_from_slice(&[t::INT2, 0]),
        SqlType::Int => out.extend_from_slice(&[t::INT4, 0]),
        SqlType::BigInt => out.extend_from_slice(&[t::INT8, 0]),
        SqlType::Real => out.extend_from_slice(&[t::FLOAT4, 0]),
        SqlType::Float => out.extend_from_slice(&[t::FLOAT8, 0]),
        SqlType::SmallMoney => out.extend_from_slice(&[t::MONEY4, 0]),
        SqlType::Money => out.extend_from_slice(&[t::MONEY, 0]),
        SqlType::SmallDateTime => out.extend_from_slice(&[t::DATETIME4, 0]),
        SqlType::DateTime => out.extend_from_slice(&[t::DATETIME, 0]),
        SqlType::UniqueIdentifier => out.extend_from_slice(&[t::GUID, 0]),
        SqlType::Date => out.extend_from_slice(&[t::DATEN, 0]),
        SqlType::Time(scale) => out.extend_from_slice(&[t::TIMEN, 1, scale]),
        SqlType::DateTime2(scale) => out.extend_from_slice(&[t::DATETIME2N, 1, scale]),
        SqlType::DateTimeOffset(scale) => out.extend_from_slice(&[t::DATETIMEOFFSETN, 1, scale]),
        SqlType::Decimal { precision, scale } => {
            out.extend_from_slice(&[t::NUMERICN, 2, precision, scale]);
        }
        SqlType::Binary(length) => {
            out.extend_from_slice(&[t::BIGBINARY, 2]);
            out.extend_from_slice(&length.to_le_bytes());
        }
        SqlType::VarBinary(Length::Limited(length)) => {
            out.extend_from_slice(&[t::BIGVARBINARY, 2]);
            out.extend_from_slice(&length.to_le_bytes());
        }
        SqlType::Char(length) => push_text_base(out, t::BIGCHAR, length),
        SqlType::VarChar(Length::Limited(length)) => push_text_base(out, t::BIGVARCHAR, length),
        SqlType::NChar(length) => push_text_base(out, t::NCHAR, length.saturating_mul(2)),
        SqlType::NVarChar(Length::Limited(length)) => {
            push_text_base(out, t::NVARCHAR, length.saturating_mul(2));
        }
        SqlType::VarChar(Length::Max)
        | SqlType::NVarChar(Length::Max)
        | SqlType::VarBinary(Length::Max)
        | SqlType::SqlVariant => {
            return Err(Fault::new("it is no base type of a sql_variant"));
        }
    }
    let before_value = out.len();
    match (base, value) {
        (SqlType::Char(_) | SqlType::VarChar(_), Value::Text(text)) => {
            out.extend_from_slice(&code_page::encode(text));
        }
        (SqlType::NChar(_) | SqlType::NVarChar(_), Value::Text(text)) => {
            push_utf16(out, text);
        }
        (SqlType::Binary(_) | SqlType::VarBinary(_), Value::Binary(bytes)) => {
            out.extend_from_slice(bytes);
        }
        _ => push_content(out, base, value)?,
    }
    if out.len() - before_value > MAX_VALUE_BYTES {
        return Err(Fault::new("it is longer than 8000 bytes"));
    }
    let length = u32::try_from(out.len() - start - 4).unwrap_or(0);
    if let Some(field) = out.get_mut(start..start + 4) {
        field.copy_from_slice(&length.to_le_bytes());
    }
    Ok(())
}

fn push_text_base(out: &mut Vec<u8>, token: u8, length: u16) {
    out.extend_from_slice(&[token, 7]);
    out.extend_from_slice(&COLLATION);
    out.extend_from_slice(&length.to_le_bytes());
}
