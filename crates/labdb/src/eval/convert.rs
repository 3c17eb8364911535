//! Conversions between types, implicit and explicit, with SQL Server's errors.

mod binary;
mod number;
mod temporal;
mod text;

pub(crate) use binary::wire_uuid;
pub(crate) use number::{fits_precision, integer_value, money_value};
pub(crate) use text::{length_in, prefix, sized_text};

use super::types::{
    is_binary, is_number, is_temporal, is_text, is_unicode, text_length, type_name,
};
use binary::{to_binary, to_uuid};
use labdb_types::{Length, SqlError, SqlResult, SqlType, Value};
use number::{to_bit, to_decimal, to_float, to_integer, to_money};
use temporal::to_temporal;
use text::to_text;

/// Error 8115.
pub fn overflow(target: SqlType) -> SqlError {
    SqlError::new(
        8115,
        format!(
            "Arithmetic overflow error converting expression to data type {}.",
            type_name(target)
        ),
    )
    .state(2)
}

pub(super) fn clash(from: SqlType, to: SqlType, explicit: bool) -> SqlError {
    if explicit {
        SqlError::new(
            529,
            format!(
                "Explicit conversion from data type {} to {} is not allowed.",
                type_name(from),
                type_name(to)
            ),
        )
    } else {
        super::types::type_clash(from, to)
    }
}

/// Whether a conversion exists at all; `explicit` allows those that only CAST does.
///
/// # Errors
/// 206, 257 or 529.
pub fn check_convertible(from: SqlType, to: SqlType, explicit: bool) -> SqlResult<()> {
    let bad = match (from, to) {
        (a, b) if a == b => false,
        (SqlType::SqlVariant, _) | (_, SqlType::SqlVariant) => false,
        (a, b) if is_text(a) && is_binary(b) => {
            if explicit {
                return Ok(());
            }
            return Err(implicit_not_allowed(a, b));
        }
        (
            SqlType::Date | SqlType::Time(_) | SqlType::DateTime2(_) | SqlType::DateTimeOffset(_),
            b,
        ) if is_number(b) => true,
        (
            a,
            SqlType::Date | SqlType::Time(_) | SqlType::DateTime2(_) | SqlType::DateTimeOffset(_),
        ) if is_number(a) => true,
        (SqlType::Date, SqlType::Time(_)) | (SqlType::Time(_), SqlType::Date) => true,
        (SqlType::UniqueIdentifier, b) => !is_text(b) && !is_binary(b),
        (a, SqlType::UniqueIdentifier) => !is_text(a) && !is_binary(a),
        (a, b) if is_temporal(a) && is_number(b) && !explicit => {
            return Err(implicit_not_allowed(a, b));
        }
        (a, b) if is_binary(a) && matches!(b, SqlType::Float | SqlType::Real) => true,
        _ => false,
    };
    if bad {
        Err(clash(from, to, explicit))
    } else {
        Ok(())
    }
}

fn implicit_not_allowed(from: SqlType, to: SqlType) -> SqlError {
    SqlError::new(
        257,
        format!(
            "Implicit conversion from data type {} to {} is not allowed. Use the CONVERT function \
             to run this query.",
            type_name(from),
            type_name(to)
        ),
    )
    .state(3)
}

/// Converts a value from one static type to another. Text that is too long is cut off, as CAST
/// does; storing into a column checks the length first (see [`fits`]).
///
/// # Errors
/// 245, 8114, 241, 242, 8115, 220, 8169 and the like.
pub fn convert(value: &Value, from: SqlType, to: SqlType, style: Option<i32>) -> SqlResult<Value> {
    if value.is_null() {
        return Ok(Value::Null);
    }
    if let Value::Variant(inner) = value {
        return if to == SqlType::SqlVariant {
            Ok(value.clone())
        } else {
            convert(&inner.1, inner.0, to, style)
        };
    }
    match to {
        SqlType::Bit => to_bit(value, from),
        SqlType::TinyInt | SqlType::SmallInt | SqlType::Int | SqlType::BigInt => {
            to_integer(value, from, to)
        }
        SqlType::Real | SqlType::Float => to_float(value, from, to),
        SqlType::Decimal { precision, scale } => to_decimal(value, from, precision, scale),
        SqlType::Money | SqlType::SmallMoney => to_money(value, from, to),
        SqlType::Char(_) | SqlType::VarChar(_) | SqlType::NChar(_) | SqlType::NVarChar(_) => {
            to_text(value, from, to, style)
        }
        SqlType::Binary(_) | SqlType::VarBinary(_) => to_binary(value, from, to, style),
        SqlType::Date
        | SqlType::Time(_)
        | SqlType::SmallDateTime
        | SqlType::DateTime
        | SqlType::DateTime2(_)
        | SqlType::DateTimeOffset(_) => to_temporal(value, from, to, style),
        SqlType::UniqueIdentifier => to_uuid(value, from),
        SqlType::SqlVariant => Ok(Value::Variant(Box::new((from, value.clone())))),
    }
}

/// The number of a whole-number value.
pub fn as_i64(value: &Value) -> Option<i64> {
    Some(match value {
        Value::Bit(b) => i64::from(*b),
        Value::TinyInt(n) => i64::from(*n),
        Value::SmallInt(n) => i64::from(*n),
        Value::Int(n) => i64::from(*n),
        Value::BigInt(n) => *n,
        _ => return None,
    })
}

pub(super) fn text_of(value: &Value) -> &str {
    match value {
        Value::Text(t) => t,
        _ => "",
    }
}

pub(super) fn conversion_failed(value: &Value, from: SqlType, to: SqlType) -> SqlError {
    SqlError::new(
        245,
        format!(
            "Conversion failed when converting the {} value '{}' to data type {}.",
            type_name(from),
            text_of(value).trim_end_matches(' '),
            type_name(to)
        ),
    )
}

pub(super) fn error_converting(from: SqlType, to: SqlType) -> SqlError {
    SqlError::new(
        8114,
        format!(
            "Error converting data type {} to {}.",
            type_name(from),
            type_name(to)
        ),
    )
    .state(5)
}

/// Whether storing a text or binary value in a column of this type keeps all of it; trailing
/// blanks do not count.
pub fn fits(value: &Value, to: SqlType) -> bool {
    let Some(limit) = text_length(to) else {
        return true;
    };
    let limit = usize::from(limit);
    match value {
        Value::Text(text) => {
            text.len() <= limit || length_in(text.trim_end_matches(' '), is_unicode(to)) <= limit
        }
        Value::Binary(bytes) => bytes.len() <= limit,
        _ => true,
    }
}

/// The longest text that a type prints as, for the type of a concatenation.
pub fn display_length(sql_type: SqlType) -> Option<u32> {
    Some(match sql_type {
        SqlType::Bit => 1,
        SqlType::TinyInt => 3,
        SqlType::SmallInt => 6,
        SqlType::Int => 12,
        SqlType::BigInt => 20,
        SqlType::Real | SqlType::Float => 23,
        SqlType::Decimal { .. } => 41,
        SqlType::Money | SqlType::SmallMoney => 30,
        SqlType::UniqueIdentifier => 36,
        SqlType::Date => 10,
        SqlType::Time(_) => 16,
        SqlType::SmallDateTime | SqlType::DateTime => 26,
        SqlType::DateTime2(_) => 27,
        SqlType::DateTimeOffset(_) => 34,
        SqlType::SqlVariant => 4000,
        SqlType::VarChar(Length::Max)
        | SqlType::NVarChar(Length::Max)
        | SqlType::VarBinary(Length::Max) => return None,
        other => u32::from(text_length(other)?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use labdb_types::Decimal;

    fn varchar(n: u16) -> SqlType {
        SqlType::VarChar(Length::Limited(n))
    }

    #[test]
    fn bad_text_gives_the_number_that_the_target_type_has() {
        let bad = Value::text("abc");
        let number = |to| convert(&bad, varchar(3), to, None).unwrap_err().number;
        assert_eq!(number(SqlType::Int), 245);
        assert_eq!(number(SqlType::BigInt), 8114);
        assert_eq!(
            number(SqlType::Decimal {
                precision: 5,
                scale: 1
            }),
            8114
        );
        assert_eq!(number(SqlType::DateTime), 241);
        assert_eq!(number(SqlType::UniqueIdentifier), 8169);
    }

    #[test]
    fn numbers_out_of_range_overflow_with_their_type_s_number() {
        let big = Value::Int(300);
        assert_eq!(
            convert(&big, SqlType::Int, SqlType::TinyInt, None)
                .unwrap_err()
                .number,
            220
        );
        let huge = Value::BigInt(3_000_000_000);
        assert_eq!(
            convert(&huge, SqlType::BigInt, SqlType::Int, None)
                .unwrap_err()
                .number,
            8115
        );
    }

    #[test]
    fn decimals_are_cut_to_int_and_rounded_to_a_scale() {
        let value = Value::Decimal(Decimal::new(1999, 3));
        let from = SqlType::Decimal {
            precision: 4,
            scale: 3,
        };
        assert_eq!(convert(&value, from, SqlType::Int, None), Ok(Value::Int(1)));
        assert_eq!(
            convert(
                &value,
                from,
                SqlType::Decimal {
                    precision: 3,
                    scale: 2
                },
                None
            ),
            Ok(Value::Decimal(Decimal::new(200, 2)))
        );
    }

    #[test]
    fn char_is_padded_and_a_number_that_does_not_fit_is_a_star() {
        assert_eq!(
            convert(&Value::text("ab"), varchar(2), SqlType::Char(4), None),
            Ok(Value::text("ab  "))
        );
        assert_eq!(
            convert(&Value::Int(12345), SqlType::Int, varchar(3), None),
            Ok(Value::text("*"))
        );
    }
}
