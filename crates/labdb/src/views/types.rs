//! `sys.types` and what the catalog says of a type.

use crate::eval::types::type_name;
use labdb_types::{Length, SqlType};

/// Name, `system_type_id`, `user_type_id`, `max_length`, `precision`, `scale`.
pub(crate) const TYPES: &[(&str, u8, i32, i16, u8, u8)] = &[
    ("image", 34, 34, 16, 0, 0),
    ("text", 35, 35, 16, 0, 0),
    ("uniqueidentifier", 36, 36, 16, 0, 0),
    ("date", 40, 40, 3, 10, 0),
    ("time", 41, 41, 5, 16, 7),
    ("datetime2", 42, 42, 8, 27, 7),
    ("datetimeoffset", 43, 43, 10, 34, 7),
    ("tinyint", 48, 48, 1, 3, 0),
    ("smallint", 52, 52, 2, 5, 0),
    ("int", 56, 56, 4, 10, 0),
    ("smalldatetime", 58, 58, 4, 16, 0),
    ("real", 59, 59, 4, 24, 0),
    ("money", 60, 60, 8, 19, 4),
    ("datetime", 61, 61, 8, 23, 3),
    ("float", 62, 62, 8, 53, 0),
    ("sql_variant", 98, 98, 8016, 0, 0),
    ("ntext", 99, 99, 16, 0, 0),
    ("bit", 104, 104, 1, 1, 0),
    ("decimal", 106, 106, 17, 38, 38),
    ("numeric", 108, 108, 17, 38, 38),
    ("smallmoney", 122, 122, 4, 10, 4),
    ("bigint", 127, 127, 8, 19, 0),
    ("varbinary", 165, 165, 8000, 0, 0),
    ("varchar", 167, 167, 8000, 0, 0),
    ("binary", 173, 173, 8000, 0, 0),
    ("char", 175, 175, 8000, 0, 0),
    ("timestamp", 189, 189, 8, 0, 0),
    ("nvarchar", 231, 231, 8000, 0, 0),
    ("sysname", 231, 256, 256, 0, 0),
    ("nchar", 239, 239, 8000, 0, 0),
];

/// `TYPE_ID(name)`.
pub(crate) fn type_id(name: &str) -> Option<i32> {
    TYPES
        .iter()
        .find(|(n, ..)| n.eq_ignore_ascii_case(name))
        .map(|t| t.2)
}

/// `TYPE_NAME(id)`.
pub(crate) fn name_of_id(id: i32) -> Option<&'static str> {
    TYPES.iter().find(|t| t.2 == id).map(|t| t.0)
}

/// The name under which a column was declared, as `sys.types` has it.
pub(crate) fn catalog_name(sql_type: SqlType, declared: &str) -> &'static str {
    let known = TYPES.iter().find(|(n, ..)| *n == declared).map(|t| t.0);
    match known {
        // A declared alias of the same storage stays; a name that was widened does not.
        Some(name @ ("sysname" | "decimal" | "numeric")) => name,
        _ => type_name(sql_type),
    }
}

/// `max_length`, in bytes; -1 for `max`.
pub(crate) fn max_length(sql_type: SqlType) -> i16 {
    let bytes = |length: Length, unit: i16| match length {
        Length::Limited(n) => i16::try_from(n).unwrap_or(i16::MAX) * unit,
        Length::Max => -1,
    };
    match sql_type {
        SqlType::Char(n) | SqlType::Binary(n) => n as i16,
        SqlType::NChar(n) => n as i16 * 2,
        SqlType::VarChar(length) | SqlType::VarBinary(length) => bytes(length, 1),
        SqlType::NVarChar(length) => bytes(length, 2),
        SqlType::Decimal { precision, .. } => match precision {
            0..=9 => 5,
            10..=19 => 9,
            20..=28 => 13,
            _ => 17,
        },
        SqlType::Time(s) => 3 + i16::from(s.div_ceil(2).saturating_sub(1)),
        SqlType::DateTime2(s) => 6 + i16::from(s.div_ceil(2).saturating_sub(1)),
        SqlType::DateTimeOffset(s) => 8 + i16::from(s.div_ceil(2).saturating_sub(1)),
        other => TYPES
            .iter()
            .find(|(n, ..)| *n == type_name(other))
            .map_or(0, |t| t.3),
    }
}

/// `precision`.
pub(crate) fn precision(sql_type: SqlType) -> i32 {
    match sql_type {
        SqlType::Decimal { precision, .. } => i32::from(precision),
        SqlType::Time(s) => {
            if s == 0 {
                8
            } else {
                9 + i32::from(s)
            }
        }
        SqlType::DateTime2(s) => {
            if s == 0 {
                19
            } else {
                20 + i32::from(s)
            }
        }
        SqlType::DateTimeOffset(s) => {
            if s == 0 {
                26
            } else {
                27 + i32::from(s)
            }
        }
        other => TYPES
            .iter()
            .find(|(n, ..)| *n == type_name(other))
            .map_or(0, |t| i32::from(t.4)),
    }
}

/// `scale`.
pub(crate) fn scale(sql_type: SqlType) -> i32 {
    match sql_type {
        SqlType::Decimal { scale, .. } => i32::from(scale),
        SqlType::Time(s) | SqlType::DateTime2(s) | SqlType::DateTimeOffset(s) => i32::from(s),
        other => TYPES
            .iter()
            .find(|(n, ..)| *n == type_name(other))
            .map_or(0, |t| i32::from(t.5)),
    }
}
