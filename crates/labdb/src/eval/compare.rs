//! Comparison under `SQL_Latin1_General_CP1_CI_AS`: case does not count, blanks at the end do
//! not count; NULL compares as unknown.

use super::{calendar, convert, wide};
use labdb_types::{Decimal, Value};
use std::cmp::Ordering;

/// Compares two values of one common type; `None` where either is NULL.
pub fn compare(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::Null, _) | (_, Value::Null) => None,
        (Value::Text(x), Value::Text(y)) => Some(compare_text(x, y)),
        (Value::Int(x), Value::Int(y)) => Some(x.cmp(y)),
        (Value::BigInt(x), Value::BigInt(y)) => Some(x.cmp(y)),
        (Value::Float(x), Value::Float(y)) => x.partial_cmp(y),
        (Value::Real(x), Value::Real(y)) => x.partial_cmp(y),
        (Value::Decimal(x), Value::Decimal(y)) => Some(compare_decimal(*x, *y)),
        (Value::Money(x), Value::Money(y)) => Some(x.cmp(y)),
        (Value::Binary(x), Value::Binary(y)) => Some(compare_binary(x, y)),
        (Value::Uuid(x), Value::Uuid(y)) => Some(uuid_order(x).cmp(&uuid_order(y))),
        (Value::Variant(x), Value::Variant(y)) => compare_variant(x, y),
        (
            Value::DateTimeOffset { days, ticks, .. },
            Value::DateTimeOffset {
                days: d, ticks: t, ..
            },
        ) => Some((days, ticks).cmp(&(d, t))),
        _ => {
            if let (Some(x), Some(y)) = (convert::as_i64(a), convert::as_i64(b)) {
                return Some(x.cmp(&y));
            }
            let (x, y) = (calendar::moment(a)?, calendar::moment(b)?);
            Some((x.days, x.ticks).cmp(&(y.days, y.ticks)))
        }
    }
}

fn compare_variant(
    x: &(labdb_types::SqlType, Value),
    y: &(labdb_types::SqlType, Value),
) -> Option<Ordering> {
    let common = super::types::common_type(x.0, y.0).ok()?;
    let a = convert::convert(&x.1, x.0, common, None).ok()?;
    let b = convert::convert(&y.1, y.0, common, None).ok()?;
    compare(&a, &b)
}

/// Compares with NULL before everything, as ORDER BY does.
pub fn order(a: &Value, b: &Value) -> Ordering {
    match (a.is_null(), b.is_null()) {
        (true, true) => Ordering::Equal,
        (true, false) => Ordering::Less,
        (false, true) => Ordering::Greater,
        _ => compare(a, b).unwrap_or(Ordering::Equal),
    }
}

fn compare_decimal(a: Decimal, b: Decimal) -> Ordering {
    if a.scale == b.scale {
        return a.mantissa.cmp(&b.mantissa);
    }
    let scale = a.scale.max(b.scale);
    match (wide::rescale(a, scale), wide::rescale(b, scale)) {
        (Some(x), Some(y)) => x.mantissa.cmp(&y.mantissa),
        _ => wide::to_f64(a).total_cmp(&wide::to_f64(b)),
    }
}

fn compare_binary(a: &[u8], b: &[u8]) -> Ordering {
    let length = a.len().max(b.len());
    let byte = |bytes: &[u8], i: usize| bytes.get(i).copied().unwrap_or(0);
    (0..length)
        .map(|i| byte(a, i).cmp(&byte(b, i)))
        .find(|o| o.is_ne())
        .unwrap_or(Ordering::Equal)
}

/// Compares two texts: blanks at the end and case do not count.
pub fn compare_text(a: &str, b: &str) -> Ordering {
    let (a, b) = (a.trim_end_matches(' '), b.trim_end_matches(' '));
    if a.is_ascii() && b.is_ascii() {
        let fold = |t: &str| {
            t.bytes()
                .map(|c| weight(char::from(c.to_ascii_lowercase())))
                .collect::<Vec<_>>()
        };
        return if a.eq_ignore_ascii_case(b) {
            Ordering::Equal
        } else {
            fold(a).cmp(&fold(b))
        };
    }
    let left = a.chars().flat_map(char::to_lowercase).map(weight);
    let right = b.chars().flat_map(char::to_lowercase).map(weight);
    left.cmp(right)
}

/// Whether two texts are equal under the collation.
pub fn equal_text(a: &str, b: &str) -> bool {
    compare_text(a, b).is_eq()
}

/// Where a folded character stands: signs, then digits, then letters.
pub(crate) fn weight(c: char) -> u32 {
    let class = if c.is_alphabetic() {
        2
    } else {
        u32::from(c.is_numeric())
    };
    (class << 24) | u32::from(c)
}

/// The order of GUIDs: the last group of six bytes counts first. The last three groups are in
/// stored order, the first three are compared last.
pub(crate) fn uuid_order(b: &[u8; 16]) -> [u8; 16] {
    let w = convert::wire_uuid(*b);
    [
        w[10], w[11], w[12], w[13], w[14], w[15], w[8], w[9], w[6], w[7], w[4], w[5], w[0], w[1],
        w[2], w[3],
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_and_blanks_at_the_end_do_not_count() {
        assert!(equal_text("Abc  ", "aBC"));
        assert!(!equal_text(" abc", "abc"));
        assert_eq!(compare_text("a1", "ab"), Ordering::Less);
        assert_eq!(compare_text("_", "0"), Ordering::Less);
    }

    #[test]
    fn null_is_unknown_to_a_comparison_and_first_in_an_order() {
        assert_eq!(compare(&Value::Null, &Value::Int(1)), None);
        assert_eq!(order(&Value::Null, &Value::Int(i32::MIN)), Ordering::Less);
    }
}
