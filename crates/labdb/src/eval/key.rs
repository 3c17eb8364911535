//! Values as bytes that sort as the values do: for indexes, grouping, DISTINCT and hash joins.

use super::compare::{uuid_order, weight};
use super::{calendar, convert};
use labdb_types::Value;

/// Appends one value; NULL sorts before everything, `descending` turns the order round.
pub fn push(out: &mut Vec<u8>, value: &Value, descending: bool) {
    let start = out.len();
    match value {
        Value::Null => out.push(0),
        Value::Bit(_)
        | Value::TinyInt(_)
        | Value::SmallInt(_)
        | Value::Int(_)
        | Value::BigInt(_) => {
            out.push(1);
            push_i64(out, convert::as_i64(value).unwrap_or(0));
        }
        Value::Money(m) => {
            out.push(1);
            push_i64(out, *m);
        }
        Value::Real(f) => {
            out.push(1);
            push_f64(out, f64::from(*f));
        }
        Value::Float(f) => {
            out.push(1);
            push_f64(out, *f);
        }
        Value::Decimal(d) => {
            out.push(1);
            out.extend_from_slice(&((d.mantissa as u128) ^ (1 << 127)).to_be_bytes());
        }
        Value::Text(text) => {
            out.push(1);
            push_text(out, text);
        }
        Value::Binary(bytes) => {
            out.push(1);
            push_escaped(out, bytes);
        }
        Value::Uuid(bytes) => {
            out.push(1);
            out.extend_from_slice(&uuid_order(bytes));
        }
        Value::DateTimeOffset { days, ticks, .. } => {
            out.push(1);
            push_i64(
                out,
                i64::from(*days) * calendar::TICKS_PER_DAY + *ticks as i64,
            );
        }
        Value::Variant(inner) => {
            out.push(1);
            out.push(super::types::precedence(inner.0));
            push(out, &inner.1, false);
        }
        other => {
            out.push(1);
            let moment = calendar::moment(other);
            push_i64(
                out,
                moment.map_or(0, |m| i64::from(m.days) * calendar::TICKS_PER_DAY + m.ticks),
            );
        }
    }
    if descending {
        for byte in out.iter_mut().skip(start) {
            *byte = !*byte;
        }
    }
}

/// The key of a whole row of values, ascending.
pub fn of(values: &[Value]) -> Vec<u8> {
    let mut out = Vec::with_capacity(values.len() * 10);
    for value in values {
        push(&mut out, value, false);
    }
    out
}

fn push_i64(out: &mut Vec<u8>, n: i64) {
    out.extend_from_slice(&((n as u64) ^ (1 << 63)).to_be_bytes());
}

fn push_f64(out: &mut Vec<u8>, f: f64) {
    // -0.0 and 0.0 are one value.
    let bits = if f == 0.0 {
        0.0_f64.to_bits()
    } else {
        f.to_bits()
    };
    let ordered = if bits >> 63 == 1 {
        !bits
    } else {
        bits | (1 << 63)
    };
    out.extend_from_slice(&ordered.to_be_bytes());
}

fn push_text(out: &mut Vec<u8>, text: &str) {
    let text = text.trim_end_matches(' ');
    for c in text.chars().flat_map(char::to_lowercase) {
        let w = weight(c);
        // Class and character, never 0: so that a shorter text sorts first.
        out.push((w >> 24) as u8 + 1);
        out.extend_from_slice(&w.to_be_bytes()[1..]);
    }
    out.push(0);
}

fn push_escaped(out: &mut Vec<u8>, bytes: &[u8]) {
    let end = bytes.iter().rposition(|b| *b != 0).map_or(0, |at| at + 1);
    for byte in bytes.iter().take(end) {
        out.push(*byte);
        if *byte == 0 {
            out.push(0xFF);
        }
    }
    out.extend_from_slice(&[0, 0]);
}

#[cfg(test)]
mod tests {
    use super::super::compare::order;
    use super::*;
    use labdb_types::Decimal;

    #[test]
    fn keys_sort_as_their_values_compare() {
        let groups = [
            vec![
                Value::Null,
                Value::Int(i32::MIN),
                Value::Int(-1),
                Value::Int(0),
                Value::Int(7),
                Value::Int(i32::MAX),
            ],
            vec![
                Value::Float(-1e300),
                Value::Float(-0.5),
                Value::Float(0.0),
                Value::Float(1e-9),
                Value::Float(2.0),
            ],
            vec![
                Value::text(""),
                Value::text("_"),
                Value::text("1"),
                Value::text("A"),
                Value::text("ab"),
                Value::text("B"),
            ],
            vec![
                Value::Decimal(Decimal::new(-5, 2)),
                Value::Decimal(Decimal::new(0, 2)),
                Value::Decimal(Decimal::new(9, 2)),
            ],
        ];
        for group in groups {
            for pair in group.windows(2) {
                let [a, b] = pair else { continue };
                assert!(
                    of(std::slice::from_ref(a)) < of(std::slice::from_ref(b)),
                    "{a:?} {b:?}"
                );
                assert!(order(a, b).is_lt(), "{a:?} {b:?}");
                let (mut x, mut y) = (Vec::new(), Vec::new());
                push(&mut x, a, true);
                push(&mut y, b, true);
                assert!(x > y);
            }
        }
        assert_eq!(of(&[Value::text("Ab ")]), of(&[Value::text("aB")]));
    }
}
