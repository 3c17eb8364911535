//! `+ - * / %` and the bit operators on values of one already common type.

use super::decimal_type::{DecimalOp, decimal_result};
use super::types::{
    decimal_shape, is_binary, is_integer, is_number, is_text, is_unicode, precedence, text_length,
    text_type, type_name,
};
use super::{calendar, convert, wide};
use labdb_tsql::ast::BinaryOp;
use labdb_types::{Decimal, Length, SqlError, SqlResult, SqlType, Value};
use std::sync::Arc;

/// The type of an arithmetic expression and the types to which its sides are converted first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArithmeticTypes {
    /// The left side's.
    pub left: SqlType,
    /// The right side's.
    pub right: SqlType,
    /// The result's.
    pub result: SqlType,
}

/// The word for an operator in errors 402, 8117 and 403.
pub fn operator_name(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "add",
        BinaryOp::Subtract => "subtract",
        BinaryOp::Multiply => "multiply",
        BinaryOp::Divide => "divide",
        BinaryOp::Modulo => "modulo",
        BinaryOp::BitAnd => "'&'",
        BinaryOp::BitOr => "'|'",
        BinaryOp::BitXor => "'^'",
        BinaryOp::And => "AND",
        BinaryOp::Or => "OR",
        BinaryOp::Equal => "equal to",
        BinaryOp::NotEqual => "not equal to",
        BinaryOp::Less => "less than",
        BinaryOp::LessOrEqual => "less than or equal to",
        BinaryOp::Greater => "greater than",
        BinaryOp::GreaterOrEqual => "greater than or equal to",
    }
}

fn incompatible(a: SqlType, b: SqlType, op: BinaryOp) -> SqlError {
    SqlError::new(
        402,
        format!(
            "The data types {} and {} are incompatible in the {} operator.",
            type_name(a),
            type_name(b),
            operator_name(op)
        ),
    )
}

/// Error 8117.
pub fn invalid_operand(a: SqlType, op: &str) -> SqlError {
    SqlError::new(
        8117,
        format!(
            "Operand data type {} is invalid for {op} operator.",
            type_name(a)
        ),
    )
}

/// Works out the types of `left op right`.
///
/// # Errors
/// 402, 8117 or 206 where the operator does not take these types.
pub fn arithmetic_types(op: BinaryOp, left: SqlType, right: SqlType) -> SqlResult<ArithmeticTypes> {
    let same = |t: SqlType| ArithmeticTypes {
        left: t,
        right: t,
        result: t,
    };
    if matches!(op, BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor) {
        let high = if precedence(left) >= precedence(right) {
            left
        } else {
            right
        };
        let number_like = |t| is_integer(t) || is_text(t) || is_binary(t);
        return if is_integer(high) && number_like(left) && number_like(right) {
            Ok(same(high))
        } else {
            Err(incompatible(left, right, op))
        };
    }
    if is_text(left) && is_text(right) {
        if op != BinaryOp::Add {
            return Err(invalid_operand(left, operator_name(op)));
        }
        let unicode = is_unicode(left) || is_unicode(right);
        let length = match (text_length(left), text_length(right)) {
            (Some(a), Some(b)) => {
                // Without a `max` side the result stays within 8000 bytes.
                Some((u32::from(a) + u32::from(b)).min(if unicode { 4000 } else { 8000 }))
            }
            _ => None,
        };
        let result = text_type(unicode, length);
        return Ok(ArithmeticTypes {
            left: text_type(unicode, text_length(left).map(u32::from)),
            right: text_type(unicode, text_length(right).map(u32::from)),
            result,
        });
    }
    if is_binary(left) && is_binary(right) {
        if op != BinaryOp::Add {
            return Err(invalid_operand(left, operator_name(op)));
        }
        let result = match (text_length(left), text_length(right)) {
            (Some(a), Some(b)) => {
                SqlType::VarBinary(Length::Limited(a.saturating_add(b).min(8000)))
            }
            _ => SqlType::VarBinary(Length::Max),
        };
        return Ok(ArithmeticTypes {
            left,
            right,
            result,
        });
    }
    let dated = |t| matches!(t, SqlType::DateTime | SqlType::SmallDateTime);
    if dated(left) || dated(right) {
        if !matches!(op, BinaryOp::Add | BinaryOp::Subtract) {
            let bad = if dated(left) { left } else { right };
            return Err(invalid_operand(bad, operator_name(op)));
        }
        let high = if precedence(left) >= precedence(right) {
            left
        } else {
            right
        };
        if dated(high) {
            return Ok(same(high));
        }
    }
    for side in [left, right] {
        if matches!(
            side,
            SqlType::Date | SqlType::Time(_) | SqlType::DateTime2(_) | SqlType::DateTimeOffset(_)
        ) {
            if is_number(left) || is_number(right) {
                let number = if is_number(left) { left } else { right };
                return Err(super::types::type_clash(side, number));
            }
            return Err(if left == right || !is_text(left) && !is_text(right) {
                invalid_operand(side, operator_name(op))
            } else {
                incompatible(left, right, op)
            });
        }
        if matches!(side, SqlType::UniqueIdentifier | SqlType::SqlVariant) {
            return Err(invalid_operand(side, operator_name(op)));
        }
    }
    let high = if precedence(left) >= precedence(right) {
        left
    } else {
        right
    };
    match high {
        SqlType::Float | SqlType::Real if op == BinaryOp::Modulo => {
            Err(incompatible(left, right, op))
        }
        SqlType::Decimal { .. } => {
            let shape = |t: SqlType| {
                if is_text(t) || is_binary(t) {
                    decimal_shape(high)
                } else {
                    decimal_shape(t)
                }
            };
            let (a, b) = (shape(left), shape(right));
            let operation = match op {
                BinaryOp::Multiply => DecimalOp::Multiply,
                BinaryOp::Divide => DecimalOp::Divide,
                BinaryOp::Modulo => DecimalOp::Modulo,
                _ => DecimalOp::Add,
            };
            let as_type = |(precision, scale)| SqlType::Decimal { precision, scale };
            Ok(ArithmeticTypes {
                left: as_type(a),
                right: as_type(b),
                result: decimal_result(operation, a, b),
            })
        }
        SqlType::Bit => Err(
            if matches!(op, BinaryOp::Divide | BinaryOp::Modulo) && left != right {
                incompatible(left, right, op)
            } else {
                invalid_operand(SqlType::Bit, operator_name(op))
            },
        ),
        SqlType::Binary(_)
        | SqlType::VarBinary(_)
        | SqlType::Char(_)
        | SqlType::VarChar(_)
        | SqlType::NChar(_)
        | SqlType::NVarChar(_) => Err(incompatible(left, right, op)),
        _ => Ok(same(high)),
    }
}

/// Error 8134.
pub fn divide_by_zero() -> SqlError {
    SqlError::new(8134, "Divide by zero error encountered.")
}

/// Applies an operator to two values that already have the types of [`arithmetic_types`].
///
/// # Errors
/// 8115 on overflow, 8134 on division by zero.
pub fn apply(op: BinaryOp, left: &Value, right: &Value, result: SqlType) -> SqlResult<Value> {
    match (left, right) {
        (Value::Null, _) | (_, Value::Null) => Ok(Value::Null),
        (Value::Text(a), Value::Text(b)) => {
            super::types::check_long(a.len() + b.len())?;
            let mut joined = String::with_capacity(a.len() + b.len());
            joined.push_str(a);
            joined.push_str(b);
            Ok(convert::sized_text(Arc::from(joined), result))
        }
        (Value::Binary(a), Value::Binary(b)) => {
            super::types::check_long(a.len() + b.len())?;
            Ok(Value::Binary(a.iter().chain(b.iter()).copied().collect()))
        }
        (Value::Float(a), Value::Float(b)) => float(op, *a, *b),
        (Value::Real(a), Value::Real(b)) => match float(op, f64::from(*a), f64::from(*b))? {
            Value::Float(f) if (f as f32).is_finite() => Ok(Value::Real(f as f32)),
            _ => Err(convert::overflow(SqlType::Real)),
        },
        (Value::Decimal(a), Value::Decimal(b)) => decimal(op, *a, *b, result),
        (Value::Money(a), Value::Money(b)) => money(op, *a, *b, result),
        (
            Value::DateTime { .. } | Value::SmallDateTime { .. },
            Value::DateTime { .. } | Value::SmallDateTime { .. },
        ) => dates(op, left, right, result),
        _ => match (convert::as_i64(left), convert::as_i64(right)) {
            (Some(a), Some(b)) => integers(op, a, b, result),
            _ => Err(incompatible(result, result, op)),
        },
    }
}

fn integers(op: BinaryOp, a: i64, b: i64, result: SqlType) -> SqlResult<Value> {
    let (a, b) = (i128::from(a), i128::from(b));
    let n = match op {
        BinaryOp::Add => a + b,
        BinaryOp::Subtract => a - b,
        BinaryOp::Multiply => a * b,
        BinaryOp::Divide | BinaryOp::Modulo if b == 0 => return Err(divide_by_zero()),
        BinaryOp::Divide => a / b,
        BinaryOp::Modulo => a % b,
        BinaryOp::BitAnd => a & b,
        BinaryOp::BitOr => a | b,
        BinaryOp::BitXor => a ^ b,
        _ => return Err(incompatible(result, result, op)),
    };
    i64::try_from(n)
        .ok()
        .and_then(|n| convert::integer_value(n, result))
        .ok_or_else(|| convert::overflow(result))
}

fn float(op: BinaryOp, a: f64, b: f64) -> SqlResult<Value> {
    let f = match op {
        BinaryOp::Add => a + b,
        BinaryOp::Subtract => a - b,
        BinaryOp::Multiply => a * b,
        BinaryOp::Divide if b == 0.0 => return Err(divide_by_zero()),
        BinaryOp::Divide => a / b,
        _ => return Err(incompatible(SqlType::Float, SqlType::Float, op)),
    };
    if f.is_finite() {
        Ok(Value::Float(f))
    } else {
        Err(convert::overflow(SqlType::Float))
    }
}

fn decimal(op: BinaryOp, a: Decimal, b: Decimal, result: SqlType) -> SqlResult<Value> {
    let (precision, scale) = decimal_shape(result);
    let d = match op {
        BinaryOp::Add => wide::add(a, b, scale),
        BinaryOp::Subtract => wide::add(a, Decimal::new(-b.mantissa, b.scale), scale),
        BinaryOp::Multiply => wide::product(a, b, scale),
        BinaryOp::Divide | BinaryOp::Modulo if b.mantissa == 0 => return Err(divide_by_zero()),
        BinaryOp::Divide => wide::quotient(a, b, scale),
        BinaryOp::Modulo => wide::remainder(a, b, scale),
        _ => None,
    };
    match d {
        Some(d) if convert::fits_precision(d, precision) => Ok(Value::Decimal(d)),
        _ => Err(convert::overflow(result)),
    }
}

fn money(op: BinaryOp, a: i64, b: i64, result: SqlType) -> SqlResult<Value> {
    let (a, b) = (i128::from(a), i128::from(b));
    let n = match op {
        BinaryOp::Add => a + b,
        BinaryOp::Subtract => a - b,
        BinaryOp::Multiply => {
            let full = a * b;
            (full + full.signum() * 5000) / 10_000
        }
        BinaryOp::Divide | BinaryOp::Modulo if b == 0 => return Err(divide_by_zero()),
        BinaryOp::Divide => a * 10_000 / b,
        BinaryOp::Modulo => a % b,
        _ => return Err(incompatible(result, result, op)),
    };
    convert::money_value(n, result).ok_or_else(|| convert::overflow(result))
}

fn dates(op: BinaryOp, left: &Value, right: &Value, result: SqlType) -> SqlResult<Value> {
    // Both are counts from 1900-01-01; the sum is again one.
    let parts = |value: &Value| -> (i64, i64) {
        match value {
            Value::DateTime { days, ticks } => (i64::from(*days), i64::from(*ticks)),
            Value::SmallDateTime { days, minutes } => {
                (i64::from(*days), i64::from(*minutes) * 60 * 300)
            }
            _ => (0, 0),
        }
    };
    let per_day = 86_400 * 300;
    let ((d1, t1), (d2, t2)) = (parts(left), parts(right));
    let total = match op {
        BinaryOp::Add => (d1 + d2) * per_day + t1 + t2,
        _ => (d1 - d2) * per_day + t1 - t2,
    };
    let moment = calendar::Moment {
        days: i32::try_from(total.div_euclid(per_day) + i64::from(calendar::DAYS_TO_1900))
            .unwrap_or(-1),
        ticks: total.rem_euclid(per_day) * calendar::TICKS_PER_SECOND / 300,
        offset_minutes: 0,
    };
    calendar::value_from_moment(moment, result).ok_or_else(|| {
        SqlError::new(
            517,
            format!(
                "Adding a value to a '{}' column caused an overflow.",
                type_name(result)
            ),
        )
    })
}

/// `-value`.
///
/// # Errors
/// 8115 where the type's smallest number has no opposite; 8117 for other types.
pub fn negate(value: &Value, sql_type: SqlType) -> SqlResult<Value> {
    Ok(match value {
        Value::Null => Value::Null,
        Value::Float(f) => Value::Float(-f),
        Value::Real(f) => Value::Real(-f),
        Value::Decimal(d) => Value::Decimal(Decimal::new(-d.mantissa, d.scale)),
        Value::Money(m) => convert::money_value(-i128::from(*m), sql_type)
            .ok_or_else(|| convert::overflow(sql_type))?,
        other => {
            let n = convert::as_i64(other).ok_or_else(|| invalid_operand(sql_type, "minus"))?;
            n.checked_neg()
                .and_then(|n| convert::integer_value(n, sql_type))
                .ok_or_else(|| convert::overflow(sql_type))?
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_divide_to_whole_numbers_and_overflow() {
        let two = |op, a, b| apply(op, &Value::Int(a), &Value::Int(b), SqlType::Int);
        assert_eq!(two(BinaryOp::Divide, 7, 2), Ok(Value::Int(3)));
        assert_eq!(two(BinaryOp::Divide, -7, 2), Ok(Value::Int(-3)));
        assert_eq!(two(BinaryOp::Modulo, -7, 2), Ok(Value::Int(-1)));
        assert_eq!(two(BinaryOp::Add, i32::MAX, 1).unwrap_err().number, 8115);
        assert_eq!(two(BinaryOp::Divide, 1, 0).unwrap_err().number, 8134);
    }

    #[test]
    fn a_number_and_a_text_make_a_number_and_two_texts_a_text() {
        let types = arithmetic_types(
            BinaryOp::Add,
            SqlType::Int,
            SqlType::VarChar(Length::Limited(2)),
        )
        .unwrap();
        assert_eq!(types.result, SqlType::Int);
        let types = arithmetic_types(
            BinaryOp::Add,
            SqlType::VarChar(Length::Limited(3)),
            SqlType::NVarChar(Length::Limited(2)),
        )
        .unwrap();
        assert_eq!(types.result, SqlType::NVarChar(Length::Limited(5)));
        assert_eq!(
            arithmetic_types(BinaryOp::Add, SqlType::Date, SqlType::Int)
                .unwrap_err()
                .number,
            206
        );
    }

    #[test]
    fn money_multiplies_at_four_digits() {
        assert_eq!(
            money(BinaryOp::Multiply, 15_000, 25_000, SqlType::Money),
            Ok(Value::Money(37_500))
        );
        assert_eq!(
            money(BinaryOp::Divide, 10_000, 30_000, SqlType::Money),
            Ok(Value::Money(3_333))
        );
    }
}
