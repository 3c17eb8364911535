//! What SQL Server's documentation says about data types: names, precedence, and the type of a
//! combination.

use labdb_types::{Length, SqlError, SqlResult, SqlType};

/// The longest value, in bytes.
pub const LONGEST_VALUE: usize = 64 << 20;

/// Whether a value of so many bytes can be made.
///
/// # Errors
/// 7119.
pub fn check_long(bytes: usize) -> SqlResult<()> {
    if bytes <= LONGEST_VALUE {
        return Ok(());
    }
    Err(SqlError::new(
        7119,
        format!("Attempting to grow LOB beyond maximum allowed size of {LONGEST_VALUE} bytes."),
    ))
}

/// The largest precision of `decimal`.
pub(crate) const MAX_PRECISION: u8 = 38;

/// The type's name as error texts give it, without length (`varchar`, `decimal`).
pub fn type_name(sql_type: SqlType) -> &'static str {
    match sql_type {
        SqlType::Bit => "bit",
        SqlType::TinyInt => "tinyint",
        SqlType::SmallInt => "smallint",
        SqlType::Int => "int",
        SqlType::BigInt => "bigint",
        SqlType::Real => "real",
        SqlType::Float => "float",
        SqlType::Decimal { .. } => "numeric",
        SqlType::Money => "money",
        SqlType::SmallMoney => "smallmoney",
        SqlType::Char(_) => "char",
        SqlType::VarChar(_) => "varchar",
        SqlType::NChar(_) => "nchar",
        SqlType::NVarChar(_) => "nvarchar",
        SqlType::Binary(_) => "binary",
        SqlType::VarBinary(_) => "varbinary",
        SqlType::Date => "date",
        SqlType::Time(_) => "time",
        SqlType::SmallDateTime => "smalldatetime",
        SqlType::DateTime => "datetime",
        SqlType::DateTime2(_) => "datetime2",
        SqlType::DateTimeOffset(_) => "datetimeoffset",
        SqlType::UniqueIdentifier => "uniqueidentifier",
        SqlType::SqlVariant => "sql_variant",
    }
}

/// The type as a declaration spells it, with its length or precision.
pub fn declaration(sql_type: SqlType) -> String {
    let name = type_name(sql_type);
    match sql_type {
        SqlType::Decimal { precision, scale } => format!("decimal({precision},{scale})"),
        SqlType::Char(n) | SqlType::NChar(n) | SqlType::Binary(n) => format!("{name}({n})"),
        SqlType::VarChar(length) | SqlType::NVarChar(length) | SqlType::VarBinary(length) => {
            match length {
                Length::Limited(n) => format!("{name}({n})"),
                Length::Max => format!("{name}(max)"),
            }
        }
        SqlType::Time(s) | SqlType::DateTime2(s) | SqlType::DateTimeOffset(s) => {
            format!("{name}({s})")
        }
        _ => name.to_owned(),
    }
}

/// Resolves a type as written: its name (any case), the numbers in parentheses and `max`.
///
/// # Errors
/// 2715 for an unknown type, 1001 and 2750/2717 for lengths out of range.
pub fn resolve_type(name: &str, arguments: &[u32], max: bool) -> SqlResult<SqlType> {
    resolve_type_with_default(name, arguments, max, 1)
}

/// As [`resolve_type`], where a missing length means 30 (CAST and CONVERT) and not 1.
///
/// # Errors
/// As [`resolve_type`].
pub fn resolve_cast_type(name: &str, arguments: &[u32], max: bool) -> SqlResult<SqlType> {
    resolve_type_with_default(name, arguments, max, 30)
}

fn resolve_type_with_default(
    name: &str,
    arguments: &[u32],
    max: bool,
    default_length: u16,
) -> SqlResult<SqlType> {
    let lower = name.to_ascii_lowercase();
    let first = arguments.first().copied();
    let limited = |limit: u32| -> SqlResult<u16> {
        match first {
            None => Ok(default_length),
            Some(0) => Err(
                SqlError::new(1001, "Length or precision specification 0 is invalid.").severity(15),
            ),
            Some(n) if n > limit => Err(SqlError::new(
                131,
                format!(
                    "The size ({n}) given to the type '{lower}' exceeds the maximum allowed for \
                     any data type ({limit})."
                ),
            )
            .severity(15)),
            Some(n) => Ok(n as u16),
        }
    };
    let length = |limit: u32| -> SqlResult<Length> {
        if max {
            Ok(Length::Max)
        } else {
            limited(limit).map(Length::Limited)
        }
    };
    let fraction = || -> SqlResult<u8> {
        match first {
            None => Ok(7),
            Some(n) if n <= 7 => Ok(n as u8),
            Some(n) => Err(
                SqlError::new(1002, format!("Line 1: Specified scale {n} is invalid."))
                    .severity(15),
            ),
        }
    };
    Ok(match lower.as_str() {
        "bit" => SqlType::Bit,
        "tinyint" => SqlType::TinyInt,
        "smallint" => SqlType::SmallInt,
        "int" | "integer" => SqlType::Int,
        "bigint" => SqlType::BigInt,
        "real" => SqlType::Real,
        "float" | "double precision" => match first {
            Some(n) if n <= 24 => SqlType::Real,
            _ => SqlType::Float,
        },
        "decimal" | "numeric" | "dec" => {
            let precision = first.unwrap_or(18);
            let scale = arguments.get(1).copied().unwrap_or(0);
            if precision == 0 || precision > u32::from(MAX_PRECISION) {
                return Err(SqlError::new(
                    2750,
                    format!(
                        "Column or parameter: Specified column precision {precision} is greater \
                         than the maximum precision of 38."
                    ),
                ));
            }
            if scale > precision {
                return Err(SqlError::new(
                    192,
                    "The scale must be less than or equal to the precision.",
                )
                .severity(15));
            }
            SqlType::Decimal {
                precision: precision as u8,
                scale: scale as u8,
            }
        }
        "money" => SqlType::Money,
        "smallmoney" => SqlType::SmallMoney,
        "char" | "character" => SqlType::Char(limited(8000)?),
        "varchar" | "char varying" | "character varying" => SqlType::VarChar(length(8000)?),
        "text" => SqlType::VarChar(Length::Max),
        "nchar" => SqlType::NChar(limited(4000)?),
        "nvarchar" => SqlType::NVarChar(length(4000)?),
        "ntext" => SqlType::NVarChar(Length::Max),
        "timestamp" | "rowversion" => {
            return Err(SqlError::new(
                40510,
                format!(
                    "The type {name} is outside labdb's subset: no column numbers its changes."
                ),
            ));
        }
        "xml" => {
            return Err(SqlError::new(
                40510,
                "The type xml is outside labdb's subset; nvarchar(max) holds the text.",
            ));
        }
        "sysname" => SqlType::NVarChar(Length::Limited(128)),
        "binary" => SqlType::Binary(limited(8000)?),
        "varbinary" => SqlType::VarBinary(length(8000)?),
        "image" => SqlType::VarBinary(Length::Max),
        "date" => SqlType::Date,
        "time" => SqlType::Time(fraction()?),
        "smalldatetime" => SqlType::SmallDateTime,
        "datetime" => SqlType::DateTime,
        "datetime2" => SqlType::DateTime2(fraction()?),
        "datetimeoffset" => SqlType::DateTimeOffset(fraction()?),
        "uniqueidentifier" => SqlType::UniqueIdentifier,
        "sql_variant" => SqlType::SqlVariant,
        _ => {
            return Err(SqlError::new(
                2715,
                format!("Column, parameter, or variable #1: Cannot find data type {name}."),
            ));
        }
    })
}

/// Data type precedence; the higher one wins. Source: "Data type precedence (Transact-SQL)".
pub fn precedence(sql_type: SqlType) -> u8 {
    match sql_type {
        SqlType::SqlVariant => 30,
        SqlType::DateTimeOffset(_) => 28,
        SqlType::DateTime2(_) => 27,
        SqlType::DateTime => 26,
        SqlType::SmallDateTime => 25,
        SqlType::Date => 24,
        SqlType::Time(_) => 23,
        SqlType::Float => 22,
        SqlType::Real => 21,
        SqlType::Decimal { .. } => 20,
        SqlType::Money => 19,
        SqlType::SmallMoney => 18,
        SqlType::BigInt => 17,
        SqlType::Int => 16,
        SqlType::SmallInt => 15,
        SqlType::TinyInt => 14,
        SqlType::Bit => 13,
        SqlType::UniqueIdentifier => 9,
        SqlType::NVarChar(_) => 7,
        SqlType::NChar(_) => 6,
        SqlType::VarChar(_) => 5,
        SqlType::Char(_) => 4,
        SqlType::VarBinary(_) => 3,
        SqlType::Binary(_) => 2,
    }
}

/// Whether this is a character type.
pub fn is_text(sql_type: SqlType) -> bool {
    matches!(
        sql_type,
        SqlType::Char(_) | SqlType::VarChar(_) | SqlType::NChar(_) | SqlType::NVarChar(_)
    )
}

/// Whether this is `nchar` or `nvarchar`.
pub fn is_unicode(sql_type: SqlType) -> bool {
    matches!(sql_type, SqlType::NChar(_) | SqlType::NVarChar(_))
}

/// Whether this is a binary type.
pub fn is_binary(sql_type: SqlType) -> bool {
    matches!(sql_type, SqlType::Binary(_) | SqlType::VarBinary(_))
}

/// Whether this is one of the whole-number types.
pub fn is_integer(sql_type: SqlType) -> bool {
    matches!(
        sql_type,
        SqlType::Bit | SqlType::TinyInt | SqlType::SmallInt | SqlType::Int | SqlType::BigInt
    )
}

/// Whether this is a number of any kind.
pub fn is_number(sql_type: SqlType) -> bool {
    is_integer(sql_type)
        || matches!(
            sql_type,
            SqlType::Real
                | SqlType::Float
                | SqlType::Decimal { .. }
                | SqlType::Money
                | SqlType::SmallMoney
        )
}

/// Whether this has a date or a time in it.
pub fn is_temporal(sql_type: SqlType) -> bool {
    matches!(
        sql_type,
        SqlType::Date
            | SqlType::Time(_)
            | SqlType::SmallDateTime
            | SqlType::DateTime
            | SqlType::DateTime2(_)
            | SqlType::DateTimeOffset(_)
    )
}

/// The length of a character or binary type in its own unit; `None` for `max`.
pub fn text_length(sql_type: SqlType) -> Option<u16> {
    match sql_type {
        SqlType::Char(n) | SqlType::NChar(n) | SqlType::Binary(n) => Some(n),
        SqlType::VarChar(Length::Limited(n))
        | SqlType::NVarChar(Length::Limited(n))
        | SqlType::VarBinary(Length::Limited(n)) => Some(n),
        _ => None,
    }
}

/// Precision and scale as which a number enters decimal arithmetic.
pub fn decimal_shape(sql_type: SqlType) -> (u8, u8) {
    match sql_type {
        SqlType::Bit => (1, 0),
        SqlType::TinyInt => (3, 0),
        SqlType::SmallInt => (5, 0),
        SqlType::BigInt => (19, 0),
        SqlType::Decimal { precision, scale } => (precision, scale),
        SqlType::Money => (19, 4),
        SqlType::SmallMoney => (10, 4),
        _ => (10, 0),
    }
}

/// Makes a character type of the given length, `max` beyond what the type can hold.
pub fn text_type(unicode: bool, length: Option<u32>) -> SqlType {
    let limit = if unicode { 4000 } else { 8000 };
    let length = match length {
        Some(n) if n <= limit => Length::Limited(n.max(1) as u16),
        _ => Length::Max,
    };
    if unicode {
        SqlType::NVarChar(length)
    } else {
        SqlType::VarChar(length)
    }
}

/// The type of a value that may come from either expression (CASE, COALESCE, UNION, IN).
///
/// # Errors
/// 206 where no implicit conversion joins the two.
pub fn common_type(a: SqlType, b: SqlType) -> SqlResult<SqlType> {
    if a == b {
        return Ok(a);
    }
    if is_text(a) && is_text(b) {
        let unicode = is_unicode(a) || is_unicode(b);
        let length = match (text_length(a), text_length(b)) {
            (Some(x), Some(y)) => Some(u32::from(x.max(y))),
            _ => None,
        };
        let fixed = matches!(a, SqlType::Char(_) | SqlType::NChar(_))
            && matches!(b, SqlType::Char(_) | SqlType::NChar(_));
        return Ok(match (fixed, length) {
            (true, Some(n)) if unicode => SqlType::NChar(n.min(4000) as u16),
            (true, Some(n)) => SqlType::Char(n as u16),
            _ => text_type(unicode, length),
        });
    }
    if is_binary(a) && is_binary(b) {
        return Ok(match (text_length(a), text_length(b)) {
            (Some(x), Some(y)) => SqlType::VarBinary(Length::Limited(x.max(y))),
            _ => SqlType::VarBinary(Length::Max),
        });
    }
    let (high, low) = if precedence(a) >= precedence(b) {
        (a, b)
    } else {
        (b, a)
    };
    match high {
        SqlType::Decimal { precision, scale } if is_number(low) => {
            let (p2, s2) = decimal_shape(low);
            let s = scale.max(s2);
            let p = (precision - scale).max(p2 - s2) + s;
            Ok(if p > MAX_PRECISION {
                SqlType::Decimal {
                    precision: MAX_PRECISION,
                    scale: s.saturating_sub(p - MAX_PRECISION),
                }
            } else {
                SqlType::Decimal {
                    precision: p,
                    scale: s,
                }
            })
        }
        SqlType::DateTime2(s) => Ok(SqlType::DateTime2(s.max(fraction_digits(low)))),
        SqlType::DateTimeOffset(s) => Ok(SqlType::DateTimeOffset(s.max(fraction_digits(low)))),
        SqlType::Time(s) => match low {
            SqlType::Time(t) => Ok(SqlType::Time(s.max(t))),
            low if is_text(low) => Ok(high),
            low => Err(type_clash(low, high)),
        },
        SqlType::Date if is_number(low) => Err(type_clash(low, high)),
        SqlType::Date if matches!(low, SqlType::Time(_)) => Err(type_clash(low, high)),
        SqlType::UniqueIdentifier if !is_text(low) && !is_binary(low) => Err(type_clash(low, high)),
        _ => Ok(high),
    }
}

fn fraction_digits(sql_type: SqlType) -> u8 {
    match sql_type {
        SqlType::Time(s) | SqlType::DateTime2(s) | SqlType::DateTimeOffset(s) => s,
        SqlType::DateTime => 3,
        _ => 0,
    }
}

/// Error 206.
pub fn type_clash(from: SqlType, to: SqlType) -> SqlError {
    SqlError::new(
        206,
        format!(
            "Operand type clash: {} is incompatible with {}",
            type_name(from),
            type_name(to)
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_higher_precedence_wins_and_text_grows() {
        assert_eq!(
            common_type(SqlType::Int, SqlType::VarChar(Length::Limited(3))).unwrap(),
            SqlType::Int
        );
        assert_eq!(
            common_type(
                SqlType::VarChar(Length::Limited(3)),
                SqlType::NVarChar(Length::Limited(2))
            )
            .unwrap(),
            SqlType::NVarChar(Length::Limited(3))
        );
        assert_eq!(
            common_type(SqlType::Date, SqlType::Int).unwrap_err().number,
            206
        );
    }
}
