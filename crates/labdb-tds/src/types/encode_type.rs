//! `TYPE_INFO` to a client.

use super::token_type as t;
use super::{COLLATION, calendar};
use crate::login::TdsVersion;
use labdb_types::{Length, SqlType};

const MAX: u16 = 0xFFFF;

/// The type as a client of a version can take it: before TDS 7.3 the newer date and time types go
/// as text.
pub(crate) fn wire_type(sql_type: SqlType, version: TdsVersion) -> SqlType {
    if version.has_date_types() {
        return sql_type;
    }
    match calendar::text_length(sql_type) {
        Some(length) => SqlType::NVarChar(Length::Limited(length)),
        None => sql_type,
    }
}

/// Appends the `TYPE_INFO` of a type that [`wire_type`] gave.
pub(crate) fn push_type(out: &mut Vec<u8>, sql_type: SqlType, version: TdsVersion) {
    match sql_type {
        SqlType::Bit => out.extend_from_slice(&[t::BITN, 1]),
        SqlType::TinyInt => out.extend_from_slice(&[t::INTN, 1]),
        SqlType::SmallInt => out.extend_from_slice(&[t::INTN, 2]),
        SqlType::Int => out.extend_from_slice(&[t::INTN, 4]),
        SqlType::BigInt => out.extend_from_slice(&[t::INTN, 8]),
        SqlType::Real => out.extend_from_slice(&[t::FLOATN, 4]),
        SqlType::Float => out.extend_from_slice(&[t::FLOATN, 8]),
        SqlType::SmallMoney => out.extend_from_slice(&[t::MONEYN, 4]),
        SqlType::Money => out.extend_from_slice(&[t::MONEYN, 8]),
        SqlType::SmallDateTime => out.extend_from_slice(&[t::DATETIMEN, 4]),
        SqlType::DateTime => out.extend_from_slice(&[t::DATETIMEN, 8]),
        SqlType::UniqueIdentifier => out.extend_from_slice(&[t::GUID, 16]),
        SqlType::Date => out.push(t::DATEN),
        SqlType::Time(scale) => out.extend_from_slice(&[t::TIMEN, scale]),
        SqlType::DateTime2(scale) => out.extend_from_slice(&[t::DATETIME2N, scale]),
        SqlType::DateTimeOffset(scale) => out.extend_from_slice(&[t::DATETIMEOFFSETN, scale]),
        SqlType::Decimal { precision, scale } => {
            let length = 1 + decimal_magnitude_bytes(precision);
            out.extend_from_slice(&[t::NUMERICN, length, precision, scale]);
        }
        SqlType::Char(length) => push_text(out, t::BIGCHAR, length),
        SqlType::NChar(length) => push_text(out, t::NCHAR, length.saturating_mul(2)),
        SqlType::VarChar(Length::Limited(length)) => push_text(out, t::BIGVARCHAR, length),
        SqlType::NVarChar(Length::Limited(length)) => {
            push_text(out, t::NVARCHAR, length.saturating_mul(2));
        }
        SqlType::Binary(length) => push_sized(out, t::BIGBINARY, length),
        SqlType::VarBinary(Length::Limited(length)) => push_sized(out, t::BIGVARBINARY, length),
        SqlType::VarChar(Length::Max) if version.is_wide() => push_text(out, t::BIGVARCHAR, MAX),
        SqlType::NVarChar(Length::Max) if version.is_wide() => push_text(out, t::NVARCHAR, MAX),
        SqlType::VarBinary(Length::Max) if version.is_wide() => {
            push_sized(out, t::BIGVARBINARY, MAX);
        }
        SqlType::VarChar(Length::Max) => push_legacy(out, t::TEXT, &COLLATION),
        SqlType::NVarChar(Length::Max) => push_legacy(out, t::NTEXT, &COLLATION),
        SqlType::VarBinary(Length::Max) => push_legacy(out, t::IMAGE, &[]),
        SqlType::SqlVariant => {
            out.push(t::VARIANT);
            out.extend_from_slice(&8009_u32.to_le_bytes());
        }
    }
}

/// Whether a client gets the type as `text`, `ntext` or `image`.
pub(super) fn is_legacy_long(sql_type: SqlType, version: TdsVersion) -> bool {
    !version.is_wide()
        && matches!(
            sql_type,
            SqlType::VarChar(Length::Max)
                | SqlType::NVarChar(Length::Max)
                | SqlType::VarBinary(Length::Max)
        )
}

/// Bytes of a decimal's magnitude by its precision.
pub(super) fn decimal_magnitude_bytes(precision: u8) -> u8 {
    match precision {
        0..=9 => 4,
        10..=19 => 8,
        20..=28 => 12,
        _ => 16,
    }
}

fn push_sized(out: &mut Vec<u8>, token: u8, length: u16) {
    out.push(token);
    out.extend_from_slice(&length.to_le_bytes());
}

fn push_text(out: &mut Vec<u8>, token: u8, length: u16) {
    push_sized(out, token, length);
    out.extend_from_slice(&COLLATION);
}

fn push_legacy(out: &mut Vec<u8>, token: u8, collation: &[u8]) {
    out.push(token);
    out.extend_from_slice(&0x7FFF_FFFF_u32.to_le_bytes());
    out.extend_from_slice(collation);
    // The table's name, which COLMETADATA has for these types.
    out.extend_from_slice(&0_u16.to_le_bytes());
}
