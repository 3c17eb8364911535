//! `TYPE_INFO` from a client: which type, and how its values are written.

use super::TypeFailure;
use super::code_page::CodePage;
use super::token_type as t;
use crate::Error;
use crate::wire::Reader;
use labdb_types::{Length, SqlType};

/// A type as a client declared it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Declared {
    pub(super) sql_type: SqlType,
    pub(super) shape: Shape,
    pub(super) content: Content,
}

/// How a value's length is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// No length: so many bytes.
    Fixed(usize),
    /// One byte; 0 is NULL.
    Byte,
    /// Two bytes; 0xFFFF is NULL.
    Short,
    /// Four bytes; 0xFFFFFFFF is NULL.
    Long,
    /// Chunks.
    Chunks,
    /// A length, then the base type.
    Variant,
}

/// What a value's bytes mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    Null,
    Bit,
    Integer,
    Float,
    Money,
    Decimal { scale: u8 },
    DateTime,
    Date,
    Time { scale: u8 },
    DateTime2 { scale: u8 },
    DateTimeOffset { scale: u8 },
    Guid,
    Text(CodePage),
    WideText,
    Binary,
    Variant,
}

impl Declared {
    /// The type itself.
    pub(crate) fn sql_type(&self) -> SqlType {
        self.sql_type
    }

    /// `text`, `ntext` or `image`.
    pub(crate) fn is_legacy_long(&self) -> bool {
        self.shape == Shape::Long
    }

    pub(super) fn new(sql_type: SqlType, shape: Shape, content: Content) -> Self {
        Self {
            sql_type,
            shape,
            content,
        }
    }
}

/// Reads a `TYPE_INFO`.
pub(crate) fn read_declared(reader: &mut Reader<'_>) -> Result<Declared, TypeFailure> {
    let token = reader.u8()?;
    if let Some(fixed) = fixed(token) {
        return Ok(fixed);
    }
    match token {
        t::INTN | t::FLOATN | t::MONEYN | t::DATETIMEN | t::BITN | t::GUID => {
            nullable(token, reader.u8()?).ok_or_else(|| broken(token))
        }
        t::DATEN => Ok(Declared::new(SqlType::Date, Shape::Byte, Content::Date)),
        t::TIMEN | t::DATETIME2N | t::DATETIMEOFFSETN => scaled(token, reader.u8()?),
        t::DECIMAL | t::NUMERIC | t::DECIMALN | t::NUMERICN => {
            reader.u8()?;
            decimal(reader.u8()?, reader.u8()?)
        }
        t::CHAR | t::VARCHAR => {
            let length = u16::from(reader.u8()?);
            let page = CodePage::from_collation(reader.array()?);
            let sql_type = SqlType::VarChar(Length::Limited(length.max(1)));
            Ok(Declared::new(sql_type, Shape::Byte, Content::Text(page)))
        }
        t::BINARY | t::VARBINARY => {
            let length = u16::from(reader.u8()?).max(1);
            let sql_type = SqlType::VarBinary(Length::Limited(length));
            Ok(Declared::new(sql_type, Shape::Byte, Content::Binary))
        }
        t::BIGCHAR | t::BIGVARCHAR | t::NCHAR | t::NVARCHAR => {
            let length = reader.u16()?;
            let page = CodePage::from_collation(reader.array()?);
            Ok(sized(token, length, page))
        }
        t::BIGBINARY | t::BIGVARBINARY => {
            let length = reader.u16()?;
            Ok(sized(token, length, CodePage::Windows1252))
        }
        t::TEXT | t::NTEXT => {
            reader.u32()?;
            let page = CodePage::from_collation(reader.array()?);
            let (sql_type, content) = if token == t::TEXT {
                (SqlType::VarChar(Length::Max), Content::Text(page))
            } else {
                (SqlType::NVarChar(Length::Max), Content::WideText)
            };
            Ok(Declared::new(sql_type, Shape::Long, content))
        }
        t::IMAGE => {
            reader.u32()?;
            let sql_type = SqlType::VarBinary(Length::Max);
            Ok(Declared::new(sql_type, Shape::Long, Content::Binary))
        }
        t::VARIANT => {
            reader.u32()?;
            Ok(Declared::new(
                SqlType::SqlVariant,
                Shape::Variant,
                Content::Variant,
            ))
        }
        t::XML => xml(reader),
        t::UDT => Err(TypeFailure::Unsupported("a CLR type")),
        t::TABLE => Err(TypeFailure::Unsupported("a table-valued type")),
        t::JSON => Err(TypeFailure::Unsupported("the type json")),
        t::VECTOR => Err(TypeFailure::Unsupported("the type vector")),
        _ => Err(broken(token)),
    }
}

fn broken(token: u8) -> TypeFailure {
    Error::protocol(format!(
        "a type {token:#04x} that is unknown or ill declared"
    ))
    .into()
}

/// The types of fixed length, which cannot be NULL.
pub(super) fn fixed(token: u8) -> Option<Declared> {
    let (sql_type, length, content) = match token {
        t::NULL => (SqlType::Int, 0, Content::Null),
        t::INT1 => (SqlType::TinyInt, 1, Content::Integer),
        t::BIT => (SqlType::Bit, 1, Content::Bit),
        t::INT2 => (SqlType::SmallInt, 2, Content::Integer),
        t::INT4 => (SqlType::Int, 4, Content::Integer),
        t::INT8 => (SqlType::BigInt, 8, Content::Integer),
        t::DATETIME4 => (SqlType::SmallDateTime, 4, Content::DateTime),
        t::DATETIME => (SqlType::DateTime, 8, Content::DateTime),
        t::FLOAT4 => (SqlType::Real, 4, Content::Float),
        t::FLOAT8 => (SqlType::Float, 8, Content::Float),
        t::MONEY4 => (SqlType::SmallMoney, 4, Content::Money),
        t::MONEY => (SqlType::Money, 8, Content::Money),
        _ => return None,
    };
    Some(Declared::new(sql_type, Shape::Fixed(length), content))
}

fn nullable(token: u8, length: u8) -> Option<Declared> {
    let (sql_type, content) = match (token, length) {
        (t::INTN, 1) => (SqlType::TinyInt, Content::Integer),
        (t::INTN, 2) => (SqlType::SmallInt, Content::Integer),
        (t::INTN, 4) => (SqlType::Int, Content::Integer),
        (t::INTN, 8) => (SqlType::BigInt, Content::Integer),
        (t::FLOATN, 4) => (SqlType::Real, Content::Float),
        (t::FLOATN, 8) => (SqlType::Float, Content::Float),
        (t::MONEYN, 4) => (SqlType::SmallMoney, Content::Money),
        (t::MONEYN, 8) => (SqlType::Money, Content::Money),
        (t::DATETIMEN, 4) => (SqlType::SmallDateTime, Content::DateTime),
        (t::DATETIMEN, 8) => (SqlType::DateTime, Content::DateTime),
        (t::BITN, 1) => (SqlType::Bit, Content::Bit),
        (t::GUID, 16) => (SqlType::UniqueIdentifier, Content::Guid),
        _ => return None,
    };
    Some(Declared::new(sql_type, Shape::Byte, content))
}

pub(super) fn scaled(token: u8, scale: u8) -> Result<Declared, TypeFailure> {
    if scale > 7 {
        return Err(broken(token));
    }
    let (sql_type, content) = match token {
        t::TIMEN => (SqlType::Time(scale), Content::Time { scale }),
        t::DATETIME2N => (SqlType::DateTime2(scale), Content::DateTime2 { scale }),
        _ => (
            SqlType::DateTimeOffset(scale),
            Content::DateTimeOffset { scale },
        ),
    };
    Ok(Declared::new(sql_type, Shape::Byte, content))
}

pub(super) fn decimal(precision: u8, scale: u8) -> Result<Declared, TypeFailure> {
    if !(1..=38).contains(&precision) || scale > precision {
        return Err(broken(t::DECIMALN));
    }
    let sql_type = SqlType::Decimal { precision, scale };
    Ok(Declared::new(
        sql_type,
        Shape::Byte,
        Content::Decimal { scale },
    ))
}

/// The types whose values have a length of two bytes, or chunks if declared as `max`.
pub(super) fn sized(token: u8, length: u16, page: CodePage) -> Declared {
    const MAX: u16 = 0xFFFF;
    let bytes = length.clamp(1, 8000);
    let units = (length / 2).clamp(1, 4000);
    let limit = |size: u16| {
        if length == MAX {
            Length::Max
        } else {
            Length::Limited(size)
        }
    };
    let (sql_type, content) = match token {
        t::BIGCHAR => (SqlType::Char(bytes), Content::Text(page)),
        t::BIGVARCHAR => (SqlType::VarChar(limit(bytes)), Content::Text(page)),
        t::NCHAR => (SqlType::NChar(units), Content::WideText),
        t::NVARCHAR => (SqlType::NVarChar(limit(units)), Content::WideText),
        t::BIGBINARY => (SqlType::Binary(bytes), Content::Binary),
        _ => (SqlType::VarBinary(limit(bytes)), Content::Binary),
    };
    let shape = if length == MAX {
        Shape::Chunks
    } else {
        Shape::Short
    };
    Declared::new(sql_type, shape, content)
}

fn xml(reader: &mut Reader<'_>) -> Result<Declared, TypeFailure> {
    if reader.u8()? != 0 {
        for _ in 0..2 {
            let length = reader.u8()?;
            reader.utf16(usize::from(length))?;
        }
        let length = reader.u16()?;
        reader.utf16(usize::from(length))?;
    }
    let sql_type = SqlType::NVarChar(Length::Max);
    Ok(Declared::new(sql_type, Shape::Chunks, Content::WideText))
}
