//! Values as text: what CAST and CONVERT to a character type give.

use super::calendar::{self, Moment, TICKS_PER_SECOND};
use labdb_types::{SqlType, Value};
use std::fmt::Write as _;

const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

/// The text of a value of the given type; `style` is CONVERT's (0 where none is written).
/// `None` where the style does not exist for the type.
pub fn text(value: &Value, from: SqlType, style: Option<i32>) -> Option<String> {
    Some(match value {
        Value::Null => String::new(),
        Value::Bit(b) => if *b { "1" } else { "0" }.to_owned(),
        Value::TinyInt(n) => n.to_string(),
        Value::SmallInt(n) => n.to_string(),
        Value::Int(n) => n.to_string(),
        Value::BigInt(n) => n.to_string(),
        Value::Real(n) => float(f64::from(*n), style, 8, 7),
        Value::Float(n) => float(*n, style, 16, 15),
        Value::Decimal(d) => d.to_string(),
        Value::Money(m) => money(*m, style),
        Value::Text(t) => t.to_string(),
        Value::Binary(b) => hex(b),
        Value::Uuid(bytes) => uuid::Uuid::from_bytes(*bytes)
            .hyphenated()
            .to_string()
            .to_uppercase(),
        Value::Variant(inner) => return text(&inner.1, inner.0, style),
        _ => return date_time(calendar::moment(value)?, from, style),
    })
}

/// Upper-case digits after `0x`.
pub fn hex(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len() * 2 + 2);
    out.push_str("0x");
    for byte in bytes {
        let _ = write!(out, "{byte:02X}");
    }
    out
}

/// Six significant digits by default, 8 or 16 with style 1 and 2 (in scientific notation).
fn float(value: f64, style: Option<i32>, digits: usize, lossless: usize) -> String {
    match style {
        Some(1) => scientific(value, digits - 1),
        Some(2) => scientific(value, digits - 1),
        Some(3) => scientific(value, lossless + 1),
        _ => general(value),
    }
}

fn scientific(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:03}", exponent.abs())
}

/// C's `%g` with six digits, as style 0.
fn general(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let text = scientific(value, 5);
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..6).contains(&exponent) {
        let decimals = (5 - exponent).max(0) as usize;
        return trim_zeros(&format!("{value:.decimals$}"));
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:03}", trim_zeros(mantissa), exponent.abs())
}

fn trim_zeros(text: &str) -> String {
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text.to_owned()
    }
}

fn money(value: i64, style: Option<i32>) -> String {
    let digits = if style == Some(2) { 4 } else { 2 };
    let amount = labdb_types::Decimal::new(i128::from(value), 4);
    let text = super::wide::rescale(amount, digits).map_or_else(String::new, |d| d.to_string());
    if style == Some(1) {
        let (whole, fraction) = text.split_once('.').unwrap_or((&text, "00"));
        let (sign, digits) = whole.strip_prefix('-').map_or(("", whole), |w| ("-", w));
        let mut grouped = String::new();
        for (i, c) in digits.chars().enumerate() {
            if i > 0 && (digits.len() - i) % 3 == 0 {
                grouped.push(',');
            }
            grouped.push(c);
        }
        return format!("{sign}{grouped}.{fraction}");
    }
    text
}

fn date_time(m: Moment, from: SqlType, style: Option<i32>) -> Option<String> {
    let (year, month, day) = calendar::date_from_days(m.days);
    let seconds = m.ticks / TICKS_PER_SECOND;
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let fraction = m.ticks % TICKS_PER_SECOND;
    let digits: usize = match from {
        SqlType::DateTime => 3,
        SqlType::Time(s) | SqlType::DateTime2(s) | SqlType::DateTimeOffset(s) => usize::from(s),
        _ => 0,
    };
    let fraction_text = |separator: char| -> String {
        if digits == 0 {
            return String::new();
        }
        let all = format!("{fraction:07}");
        format!("{separator}{}", all.get(..digits).unwrap_or(&all))
    };
    let offset = if matches!(from, SqlType::DateTimeOffset(_)) {
        let sign = if m.offset_minutes < 0 { '-' } else { '+' };
        let minutes = m.offset_minutes.abs();
        format!(" {sign}{:02}:{:02}", minutes / 60, minutes % 60)
    } else {
        String::new()
    };
    let has_date = !matches!(from, SqlType::Time(_));
    let has_time = !matches!(from, SqlType::Date);
    let clock = format!("{hour:02}:{minute:02}:{second:02}");
    let twelve = match hour % 12 {
        0 => 12,
        h => h,
    };
    let half = if hour < 12 { "AM" } else { "PM" };
    let month_name = MONTHS.get(month as usize - 1).copied().unwrap_or("");
    let short_year = year % 100;
    // Source: the table of date and time styles on the page of CAST and CONVERT.
    let default_style = match from {
        SqlType::DateTime | SqlType::SmallDateTime => 0,
        _ => 121,
    };
    let style = style.unwrap_or(default_style);
    let iso_date = format!("{year:04}-{month:02}-{day:02}");
    let both = |date: &str, time: &str| match (has_date, has_time) {
        (true, true) => format!("{date} {time}"),
        (true, false) => date.to_owned(),
        _ => time.to_owned(),
    };
    let seconds_and_fraction = format!("{clock}{}", fraction_text('.'));
    Some(match style {
        0 | 100 => both(
            &format!("{month_name} {day:>2} {year:04}"),
            &format!("{twelve:>2}:{minute:02}{half}"),
        ),
        1 => format!("{month:02}/{day:02}/{short_year:02}"),
        101 => format!("{month:02}/{day:02}/{year:04}"),
        2 => format!("{short_year:02}.{month:02}.{day:02}"),
        102 => format!("{year:04}.{month:02}.{day:02}"),
        3 => format!("{day:02}/{month:02}/{short_year:02}"),
        103 => format!("{day:02}/{month:02}/{year:04}"),
        4 => format!("{day:02}.{month:02}.{short_year:02}"),
        104 => format!("{day:02}.{month:02}.{year:04}"),
        5 => format!("{day:02}-{month:02}-{short_year:02}"),
        105 => format!("{day:02}-{month:02}-{year:04}"),
        6 => format!("{day:02} {month_name} {short_year:02}"),
        106 => format!("{day:02} {month_name} {year:04}"),
        7 => format!("{month_name} {day:02}, {short_year:02}"),
        107 => format!("{month_name} {day:02}, {year:04}"),
        8 | 24 | 108 => clock,
        9 | 109 => both(
            &format!("{month_name} {day:>2} {year:04}"),
            &format!(
                "{twelve:>2}:{minute:02}:{second:02}{}{half}",
                fraction_text(if from == SqlType::DateTime { ':' } else { '.' })
            ),
        ),
        10 => format!("{month:02}-{day:02}-{short_year:02}"),
        110 => format!("{month:02}-{day:02}-{year:04}"),
        11 => format!("{short_year:02}/{month:02}/{day:02}"),
        111 => format!("{year:04}/{month:02}/{day:02}"),
        12 => format!("{short_year:02}{month:02}{day:02}"),
        112 => format!("{year:04}{month:02}{day:02}"),
        13 | 113 => both(
            &format!("{day:02} {month_name} {year:04}"),
            &format!(
                "{clock}{}",
                fraction_text(if from == SqlType::DateTime { ':' } else { '.' })
            ),
        ),
        14 | 114 => format!(
            "{clock}{}",
            fraction_text(if from == SqlType::DateTime { ':' } else { '.' })
        ),
        20 | 120 => format!("{}{offset}", both(&iso_date, &clock)),
        21 | 25 | 121 => format!("{}{offset}", both(&iso_date, &seconds_and_fraction)),
        22 => both(
            &format!("{month:02}/{day:02}/{short_year:02}"),
            &format!("{twelve:>2}:{minute:02}:{second:02} {half}"),
        ),
        23 => iso_date,
        126 | 127 => {
            // ISO 8601 leaves out a fraction of nothing.
            let time = if fraction == 0 {
                clock
            } else {
                seconds_and_fraction
            };
            let zone = if style == 127 && !offset.is_empty() {
                "Z".to_owned()
            } else {
                offset.trim_start().to_owned()
            };
            match (has_date, has_time) {
                (true, true) => format!("{iso_date}T{time}{zone}"),
                (true, false) => iso_date,
                _ => time,
            }
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_have_six_digits_unless_a_style_asks_for_more() {
        assert_eq!(general(0.1), "0.1");
        assert_eq!(general(1_234_567.0), "1.23457e+006");
        assert_eq!(general(123_456.0), "123456");
        assert_eq!(general(-2.5), "-2.5");
        assert_eq!(general(1e10), "1e+010");
        assert_eq!(general(0.000_01), "1e-005");
    }

    #[test]
    fn a_datetime_prints_in_the_documented_styles() {
        let days = calendar::days_from_date(2024, 3, 5).unwrap() - calendar::DAYS_TO_1900;
        // 14:07:09.123 is 15_248_737 three-hundredths.
        let value = Value::DateTime {
            days,
            ticks: 15_248_737,
        };
        let print = |style| text(&value, SqlType::DateTime, style).unwrap();
        assert_eq!(print(None), "Mar  5 2024  2:07PM");
        assert_eq!(print(Some(112)), "20240305");
        assert_eq!(print(Some(120)), "2024-03-05 14:07:09");
        assert_eq!(print(Some(121)), "2024-03-05 14:07:09.123");
        assert_eq!(print(Some(126)), "2024-03-05T14:07:09.123");
        assert_eq!(print(Some(103)), "05/03/2024");
        assert_eq!(print(Some(113)), "05 Mar 2024 14:07:09:123");
    }

    #[test]
    fn money_prints_two_digits_and_commas_on_request() {
        assert_eq!(money(12_345_678, None), "1234.57");
        assert_eq!(money(12_345_678, Some(1)), "1,234.57");
        assert_eq!(money(12_345_678, Some(2)), "1234.5678");
    }
}
