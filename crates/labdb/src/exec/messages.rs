//! RAISERROR's format strings.

use crate::eval::convert;
use labdb_types::{SqlError, SqlResult, Value};
use std::fmt::Write as _;

/// Fills the `%` places of a text: `%d %i %u %s %x %X %o %%`, with flags, width and precision.
///
/// # Errors
/// 2787 for a place that is none of these, 2786 for an argument of the wrong type.
pub fn format(text: &str, arguments: &[Value]) -> SqlResult<String> {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    let mut rest = arguments.iter();
    let mut number = 0;
    while let Some(c) = chars.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        if chars.peek() == Some(&'%') {
            chars.next();
            out.push('%');
            continue;
        }
        let (mut left, mut zero, mut sign, mut alternate) = (false, false, None, false);
        while let Some(flag) = chars.peek().copied() {
            match flag {
                '-' => left = true,
                '0' => zero = true,
                '+' => sign = Some('+'),
                ' ' => sign = Some(' '),
                '#' => alternate = true,
                _ => break,
            }
            chars.next();
        }
        let take = |chars: &mut std::iter::Peekable<std::str::Chars<'_>>,
                    rest: &mut std::slice::Iter<'_, Value>|
         -> Option<usize> {
            if chars.peek() == Some(&'*') {
                chars.next();
                return rest
                    .next()
                    .and_then(convert::as_i64)
                    .and_then(|n| usize::try_from(n).ok());
            }
            let mut digits = String::new();
            while let Some(d) = chars.peek().copied().filter(char::is_ascii_digit) {
                digits.push(d);
                chars.next();
            }
            digits.parse().ok()
        };
        let width = take(&mut chars, &mut rest).unwrap_or(0).min(8000);
        let precision = if chars.peek() == Some(&'.') {
            chars.next();
            Some(take(&mut chars, &mut rest).unwrap_or(0))
        } else {
            None
        };
        let mut long = false;
        while let Some(size) = chars
            .peek()
            .copied()
            .filter(|c| matches!(c, 'h' | 'l' | 'I' | '6' | '4'))
        {
            long |= matches!(size, 'I' | 'l');
            chars.next();
        }
        let Some(kind) = chars
            .next()
            .filter(|k| matches!(k, 'd' | 'i' | 'u' | 's' | 'x' | 'X' | 'o'))
        else {
            return Err(SqlError::new(
                2787,
                format!("Invalid format specification: '{text}'."),
            ));
        };
        number += 1;
        let value = rest.next();
        let body = match (value, kind) {
            (None | Some(Value::Null), _) => "(null)".to_owned(),
            (Some(Value::Text(t)), 's') => match precision {
                Some(n) => t.chars().take(n).collect(),
                None => t.to_string(),
            },
            (Some(value), kind) => {
                let Some(n) = convert::as_i64(value).filter(|_| kind != 's') else {
                    return Err(SqlError::new(
                        2786,
                        format!(
                            "The data type of substitution parameter {number} does not match the \
                             expected type of the format specification."
                        ),
                    ));
                };
                let unsigned = if long || i32::try_from(n).is_err() {
                    n as u64
                } else {
                    u64::from(n as i32 as u32)
                };
                match kind {
                    'd' | 'i' => match sign {
                        Some(s) if n >= 0 => format!("{s}{n}"),
                        _ => n.to_string(),
                    },
                    'u' => unsigned.to_string(),
                    'x' => format!("{}{unsigned:x}", if alternate { "0x" } else { "" }),
                    'X' => format!("{}{unsigned:X}", if alternate { "0X" } else { "" }),
                    _ => format!("{}{unsigned:o}", if alternate { "0" } else { "" }),
                }
            }
        };
        if left {
            let _ = write!(out, "{body:<width$}");
        } else if zero && kind != 's' {
            let (sign, digits) = body
                .strip_prefix('-')
                .map_or(("", body.as_str()), |d| ("-", d));
            let room = width.saturating_sub(sign.len());
            let _ = write!(out, "{sign}{digits:0>room$}");
        } else {
            let _ = write!(out, "{body:>width$}");
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_filled_as_c_would() {
        let filled = format(
            "%s has %5d|%-5d|%05d|%x %% %i",
            &[
                Value::text("t"),
                Value::Int(42),
                Value::Int(7),
                Value::Int(-3),
                Value::Int(255),
                Value::Int(1),
            ],
        );
        assert_eq!(filled.unwrap(), "t has    42|7    |-0003|ff % 1");
        assert_eq!(format("%f", &[]).unwrap_err().number, 2787);
        assert_eq!(format("%d", &[Value::text("x")]).unwrap_err().number, 2786);
        assert_eq!(format("%d", &[]).unwrap(), "(null)");
    }
}
