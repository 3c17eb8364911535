//! Text to numbers, dates and GUIDs, with the forms that SQL Server's documentation lists.

use super::calendar::{self, Moment, TICKS_PER_SECOND};
use labdb_types::Decimal;

/// Why a text is not a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberFault {
    /// Not a number at all.
    NotANumber,
    /// A number that is too large.
    Overflow,
}

/// A whole number with blanks around it; the empty text is 0.
///
/// # Errors
/// Where the text is anything else.
pub fn integer(text: &str) -> Result<i64, NumberFault> {
    let trimmed = text.trim_matches(' ');
    if trimmed.is_empty() {
        return Ok(0);
    }
    let digits = trimmed.strip_prefix(['+', '-']).unwrap_or(trimmed);
    let digits = digits.trim_start_matches(' ');
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(NumberFault::NotANumber);
    }
    let magnitude: i128 = digits.parse().map_err(|_| NumberFault::Overflow)?;
    let value = if trimmed.starts_with('-') {
        -magnitude
    } else {
        magnitude
    };
    i64::try_from(value).map_err(|_| NumberFault::Overflow)
}

/// A decimal number with as many digits behind the point as the text has.
///
/// # Errors
/// Where the text is no number or has more than 38 digits.
pub fn decimal(text: &str) -> Result<Decimal, NumberFault> {
    let trimmed = text.trim_matches(' ');
    let (negative, body) = match trimmed.as_bytes().first() {
        Some(b'-') => (true, trimmed.get(1..).unwrap_or("")),
        Some(b'+') => (false, trimmed.get(1..).unwrap_or("")),
        _ => (false, trimmed),
    };
    let (whole, fraction) = body.split_once('.').unwrap_or((body, ""));
    if (whole.is_empty() && fraction.is_empty())
        || !whole
            .bytes()
            .chain(fraction.bytes())
            .all(|b| b.is_ascii_digit())
    {
        return Err(NumberFault::NotANumber);
    }
    let whole = whole.trim_start_matches('0');
    let fraction = fraction.get(..fraction.len().min(38)).unwrap_or(fraction);
    let digits = format!("{whole}{fraction}");
    if whole.len() > 38 {
        return Err(NumberFault::Overflow);
    }
    // More digits than 38 in all: those furthest behind the point go.
    let keep = digits.len().min(38);
    let scale = fraction.len() - (digits.len() - keep);
    let mantissa: i128 = if keep == 0 {
        0
    } else {
        digits
            .get(..keep)
            .unwrap_or("0")
            .parse()
            .map_err(|_| NumberFault::Overflow)?
    };
    Ok(Decimal::new(
        if negative { -mantissa } else { mantissa },
        scale as u8,
    ))
}

/// A float; the empty text is 0.
pub fn float(text: &str) -> Option<f64> {
    let trimmed = text.trim_matches(' ');
    if trimmed.is_empty() {
        return Some(0.0);
    }
    if !trimmed
        .bytes()
        .all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'+' | b'-' | b'e' | b'E'))
    {
        return None;
    }
    trimmed.parse().ok()
}

/// Money: an optional currency sign, thousands separated by commas.
pub fn money(text: &str) -> Option<i64> {
    let cleaned: String = text
        .trim_matches(' ')
        .chars()
        .filter(|c| !matches!(c, '$' | ',' | '€' | '£'))
        .collect();
    if cleaned.is_empty() {
        return Some(0);
    }
    let d = super::wide::rescale(decimal(&cleaned).ok()?, 4)?;
    i64::try_from(d.mantissa).ok()
}

/// A GUID with or without braces.
pub fn uuid(text: &str) -> Option<[u8; 16]> {
    let trimmed = text.trim_matches(' ');
    let inner = trimmed
        .strip_prefix('{')
        .map_or(Some(trimmed), |rest| rest.get(..36))?;
    let inner = inner.get(..36)?;
    uuid::Uuid::try_parse(inner)
        .ok()
        .map(uuid::Uuid::into_bytes)
}

/// How a text that shall be a date or a time fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DateFault {
    /// Not a date or time.
    NotADate,
    /// The form is right and the day does not exist.
    OutOfRange,
}

/// Parses a date, a time, or both. `style` is CONVERT's; 103, 104 and 105 put the day first.
///
/// # Errors
/// Where the text is no date or the day does not exist.
pub fn moment(text: &str, style: i32) -> Result<Moment, DateFault> {
    let trimmed = text.trim();
    if trimmed.is_empty() {
        return Ok(Moment {
            days: calendar::DAYS_TO_1900,
            ticks: 0,
            offset_minutes: 0,
        });
    }
    let (rest, offset_minutes) = split_offset(trimmed);
    let (date_text, time_text) = split_date_and_time(rest);
    let days = match date_text {
        Some(date) => date_part(date, style)?,
        None => calendar::DAYS_TO_1900,
    };
    let ticks = match time_text {
        Some(time) => time_part(time).ok_or(DateFault::NotADate)?,
        None => 0,
    };
    Ok(Moment {
        days,
        ticks,
        offset_minutes: offset_minutes.unwrap_or(0),
    })
}

fn split_offset(text: &str) -> (&str, Option<i16>) {
    if let Some(rest) = text.strip_suffix(['Z', 'z'])
        && rest.contains(':')
    {
        return (rest.trim_end(), Some(0));
    }
    let Some(at) = text.rfind(['+', '-']) else {
        return (text, None);
    };
    let (rest, sign_and_offset) = text.split_at(at);
    if !rest.contains(':') {
        return (text, None);
    }
    let negative = sign_and_offset.starts_with('-');
    let body = sign_and_offset.get(1..).unwrap_or("");
    let Some((hours, minutes)) = body.split_once(':') else {
        return (text, None);
    };
    match (hours.parse::<i16>(), minutes.parse::<i16>()) {
        (Ok(h), Ok(m)) if h <= 14 && m < 60 => {
            let total = h * 60 + m;
            (rest.trim_end(), Some(if negative { -total } else { total }))
        }
        _ => (text, None),
    }
}

fn split_date_and_time(text: &str) -> (Option<&str>, Option<&str>) {
    let Some(colon) = text.find(':') else {
        let upper = text.to_ascii_uppercase();
        if (upper.ends_with("AM") || upper.ends_with("PM"))
            && text.bytes().next().is_some_and(|b| b.is_ascii_digit())
            && !text.contains(['-', '/', '.'])
        {
            return (None, Some(text));
        }
        return (Some(text), None);
    };
    let head = text.get(..colon).unwrap_or("");
    match head.rfind([' ', 'T', 't']) {
        Some(at) => (
            Some(head.get(..at).unwrap_or("").trim()),
            text.get(at + 1..).map(str::trim),
        ),
        None => (None, Some(text)),
    }
}

fn month_from_name(name: &str) -> Option<i32> {
    const MONTHS: [&str; 12] = [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ];
    let lower = name.to_ascii_lowercase();
    if lower.len() < 3 {
        return None;
    }
    MONTHS
        .iter()
        .position(|m| *m == lower || (lower.len() == 3 && m.starts_with(&lower)))
        .map(|i| i as i32 + 1)
}

fn full_year(text: &str) -> Option<i32> {
    let year: i32 = text.parse().ok()?;
    match text.len() {
        4 => Some(year),
        // "two digit year cutoff" is 2049.
        1 | 2 => Some(if year < 50 { 2000 + year } else { 1900 + year }),
        _ => None,
    }
}

fn date_part(text: &str, style: i32) -> Result<i32, DateFault> {
    let make = |year: i32, month: i32, day: i32| {
        calendar::days_from_date(year, month, day).ok_or(DateFault::OutOfRange)
    };
    let all_digits = text.bytes().all(|b| b.is_ascii_digit());
    if all_digits {
        let number =
            |range: std::ops::Range<usize>| -> Option<i32> { text.get(range)?.parse().ok() };
        return match text.len() {
            8 => match (number(0..4), number(4..6), number(6..8)) {
                (Some(y), Some(m), Some(d)) => make(y, m, d),
                _ => Err(DateFault::NotADate),
            },
            6 => match (
                text.get(0..2).and_then(full_year),
                number(2..4),
                number(4..6),
            ) {
                (Some(y), Some(m), Some(d)) => make(y, m, d),
                _ => Err(DateFault::NotADate),
            },
            4 => match number(0..4) {
                Some(y) => make(y, 1, 1),
                None => Err(DateFault::NotADate),
            },
            _ => Err(DateFault::NotADate),
        };
    }
    let parts: Vec<&str> = text
        .split(['-', '/', '.', ' ', ','])
        .filter(|p| !p.is_empty())
        .collect();
    let [a, b, c] = parts.as_slice() else {
        return Err(DateFault::NotADate);
    };
    let number = |t: &str| t.parse::<i32>().map_err(|_| DateFault::NotADate);
    let year = |t: &str| full_year(t).ok_or(DateFault::NotADate);
    if let Some(month) = month_from_name(a) {
        return make(year(c)?, month, number(b)?);
    }
    if let Some(month) = month_from_name(b) {
        return if a.len() == 4 {
            make(year(a)?, month, number(c)?)
        } else {
            make(year(c)?, month, number(a)?)
        };
    }
    if a.len() == 4 {
        return make(year(a)?, number(b)?, number(c)?);
    }
    let day_first = matches!(style, 3 | 4 | 5 | 103 | 104 | 105);
    if day_first {
        make(year(c)?, number(b)?, number(a)?)
    } else {
        make(year(c)?, number(a)?, number(b)?)
    }
}

fn time_part(text: &str) -> Option<i64> {
    let upper = text.trim().to_ascii_uppercase();
    let (clock, half) = if let Some(clock) = upper.strip_suffix("AM") {
        (clock.trim_end(), Some(false))
    } else if let Some(clock) = upper.strip_suffix("PM") {
        (clock.trim_end(), Some(true))
    } else {
        (upper.as_str(), None)
    };
    let mut parts = clock.split(':');
    let mut hours: i64 = parts.next()?.trim().parse().ok()?;
    let minutes: i64 = match parts.next() {
        Some(m) => m.parse().ok()?,
        None if half.is_some() => 0,
        None => return None,
    };
    let (mut seconds, mut fraction) = (0_i64, 0_i64);
    if let Some(rest) = parts.next() {
        let (whole, digits) = rest.split_once('.').unwrap_or((rest, ""));
        seconds = whole.parse().ok()?;
        let mut digits = digits.to_owned();
        // hh:mi:ss:mmm is also a form of datetime.
        if let Some(milliseconds) = parts.next() {
            digits = format!("{milliseconds:0>3}");
        }
        if !digits.is_empty() {
            if digits.len() > 9 || !digits.bytes().all(|b| b.is_ascii_digit()) {
                return None;
            }
            fraction = format!("{digits:0<7}").get(..7)?.parse().ok()?;
        }
    }
    match half {
        Some(_) if !(1..=12).contains(&hours) => return None,
        Some(true) if hours < 12 => hours += 12,
        Some(false) if hours == 12 => hours = 0,
        _ => {}
    }
    if !(0..24).contains(&hours) || !(0..60).contains(&minutes) || !(0..60).contains(&seconds) {
        return None;
    }
    Some(((hours * 60 + minutes) * 60 + seconds) * TICKS_PER_SECOND + fraction)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_forms_of_a_date_are_the_same_day() {
        let day = calendar::days_from_date(2024, 2, 29).unwrap();
        for text in [
            "20240229",
            "2024-02-29",
            "2024/02/29",
            "02/29/2024",
            "Feb 29 2024",
            "29 February 2024",
            "2024-02-29T00:00:00",
            "2024-02-29 00:00:00.000",
            "2024-02-29 12:00 AM",
        ] {
            assert_eq!(
                moment(text, 0).map(|m| (m.days, m.ticks)),
                Ok((day, 0)),
                "{text}"
            );
        }
        assert_eq!(moment("29/02/2024", 103).unwrap().days, day);
        assert_eq!(moment("2023-02-29", 0), Err(DateFault::OutOfRange));
        assert_eq!(moment("hello", 0), Err(DateFault::NotADate));
    }

    #[test]
    fn a_number_keeps_the_digits_it_was_written_with() {
        assert_eq!(decimal(" -12.50 "), Ok(Decimal::new(-1250, 2)));
        assert_eq!(decimal("."), Err(NumberFault::NotANumber));
        assert_eq!(integer("12x"), Err(NumberFault::NotANumber));
        assert_eq!(integer(""), Ok(0));
    }

    #[test]
    fn an_offset_belongs_to_the_time_and_not_to_the_date() {
        let m = moment("2024-01-02 03:04:05.5 +02:00", 0).unwrap();
        assert_eq!(m.offset_minutes, 120);
        assert_eq!(
            m.ticks,
            ((3 * 60 + 4) * 60 + 5) * TICKS_PER_SECOND + 5_000_000
        );
    }
}
