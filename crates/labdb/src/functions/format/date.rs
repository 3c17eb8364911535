//! Dates and times: the standard formats of one letter and custom ones of `yyyy MM dd HH …`.

use crate::eval::calendar::{self, DAYS, MONTHS, Moment, TICKS_PER_SECOND};

/// What a standard format of one letter stands for.
fn standard(letter: &str) -> Option<&'static str> {
    Some(match letter {
        "d" => "M/d/yyyy",
        "D" => "dddd, MMMM d, yyyy",
        "t" => "h:mm tt",
        "T" => "h:mm:ss tt",
        "f" => "dddd, MMMM d, yyyy h:mm tt",
        "F" | "U" => "dddd, MMMM d, yyyy h:mm:ss tt",
        "g" => "M/d/yyyy h:mm tt",
        "G" | "" => "M/d/yyyy h:mm:ss tt",
        "m" | "M" => "MMMM d",
        "y" | "Y" => "MMMM yyyy",
        "s" => "yyyy'-'MM'-'dd'T'HH':'mm':'ss",
        "u" => "yyyy'-'MM'-'dd HH':'mm':'ss'Z'",
        "o" | "O" => "yyyy'-'MM'-'dd'T'HH':'mm':'ss'.'fffffffK",
        "r" | "R" => "ddd, dd MMM yyyy HH':'mm':'ss 'GMT'",
        _ => return None,
    })
}

/// A number with zeros before it.
fn pad(out: &mut String, number: impl Into<i64>, width: usize) {
    let digits = number.into().to_string();
    out.extend(std::iter::repeat_n('0', width.saturating_sub(digits.len())));
    out.push_str(&digits);
}

/// A moment under a format; `None` where .NET would refuse it.
pub(super) fn format(moment: Moment, pattern: &str, with_offset: bool) -> Option<String> {
    let pattern = match pattern.len() {
        0 | 1 => standard(pattern)?,
        _ => pattern,
    };
    let (year, month, day) = calendar::date_from_days(moment.days);
    let seconds = moment.ticks / TICKS_PER_SECOND;
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let fraction = format!("{:07}", moment.ticks % TICKS_PER_SECOND);
    let twelve = if hour % 12 == 0 { 12 } else { hour % 12 };
    let weekday = DAYS
        .get(moment.days.rem_euclid(7) as usize)
        .copied()
        .unwrap_or("");
    let month_name = MONTHS.get(month as usize - 1).copied().unwrap_or("");
    let mut out = String::new();
    for token in tokens(pattern)? {
        let (letter, count) = match token {
            Token::Literal(text) => {
                out.push_str(&text);
                continue;
            }
            Token::Letters(letter, count) => (letter, count),
        };
        match (letter, count) {
            ('y', 1) => out.push_str(&(year % 100).to_string()),
            ('y', 2) => pad(&mut out, year % 100, 2),
            ('y', n) => pad(&mut out, year, n),
            ('M', 1 | 2) => pad(&mut out, month, count),
            ('M', 3) => out.push_str(month_name.get(..3).unwrap_or("")),
            ('M', _) => out.push_str(month_name),
            ('d', 1 | 2) => pad(&mut out, day, count),
            ('d', 3) => out.push_str(weekday.get(..3).unwrap_or("")),
            ('d', _) => out.push_str(weekday),
            ('H', n) => pad(&mut out, hour, n.min(2)),
            ('h', n) => pad(&mut out, twelve, n.min(2)),
            ('m', n) => pad(&mut out, minute, n.min(2)),
            ('s', n) => pad(&mut out, second, n.min(2)),
            ('f', n) => out.push_str(fraction.get(..n)?),
            ('F', n) => out.push_str(fraction.get(..n)?.trim_end_matches('0')),
            ('t', 1) => out.push(if hour < 12 { 'A' } else { 'P' }),
            ('t', _) => out.push_str(if hour < 12 { "AM" } else { "PM" }),
            ('z' | 'K', n) if with_offset || letter == 'z' => {
                let sign = if moment.offset_minutes < 0 { '-' } else { '+' };
                let (h, m) = (
                    moment.offset_minutes.unsigned_abs() / 60,
                    moment.offset_minutes.unsigned_abs() % 60,
                );
                out.push(sign);
                pad(&mut out, h, if letter == 'z' && n == 1 { 1 } else { 2 });
                if letter != 'z' || n > 2 {
                    out.push(':');
                    pad(&mut out, m, 2);
                }
            }
            ('g', _) => out.push_str("A.D."),
            _ => {}
        }
    }
    Some(out)
}

/// A time of day under a format of time spans, where all but letters is escaped.
pub(super) fn time_span(moment: Moment, pattern: &str) -> Option<String> {
    let seconds = moment.ticks / TICKS_PER_SECOND;
    let fraction = format!("{:07}", moment.ticks % TICKS_PER_SECOND);
    if matches!(pattern, "c" | "t" | "T") {
        let (h, m, s) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        let behind = if fraction.bytes().all(|b| b == b'0') {
            String::new()
        } else {
            format!(".{fraction}")
        };
        return Some(format!("{h:02}:{m:02}:{s:02}{behind}"));
    }
    let escaped_only = pattern
        .chars()
        .fold((true, false, None), |(ok, escaped, quote), c| match quote {
            Some(q) => (ok, false, (c != q).then_some(q)),
            None if escaped => (ok, false, None),
            None if c == '\'' || c == '"' => (ok, false, Some(c)),
            None => (ok && (c == '\\' || "hmsfFd".contains(c)), c == '\\', None),
        });
    if !escaped_only.0 || pattern.len() < 2 {
        return None;
    }
    let mut out = String::new();
    for token in tokens(pattern)? {
        match token {
            Token::Literal(text) => out.push_str(&text),
            Token::Letters('h', n) => {
                pad(&mut out, seconds / 3600, n.min(2));
            }
            Token::Letters('m', n) => {
                pad(&mut out, seconds / 60 % 60, n.min(2));
            }
            Token::Letters('s', n) => {
                pad(&mut out, seconds % 60, n.min(2));
            }
            Token::Letters('f', n) => out.push_str(fraction.get(..n)?),
            Token::Letters('F', n) => out.push_str(fraction.get(..n)?.trim_end_matches('0')),
            Token::Letters('d', n) => out.push_str(&"0".repeat(n)),
            Token::Letters(..) => return None,
        }
    }
    Some(out)
}

enum Token {
    Literal(String),
    Letters(char, usize),
}

fn tokens(pattern: &str) -> Option<Vec<Token>> {
    let mut out = Vec::new();
    let mut chars = pattern.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' => out.push(Token::Literal(chars.next()?.to_string())),
            '\'' | '"' => {
                let mut text = String::new();
                loop {
                    match chars.next()? {
                        end if end == c => break,
                        other => text.push(other),
                    }
                }
                out.push(Token::Literal(text));
            }
            '%' => {}
            c if "yMdHhmsfFtzKg".contains(c) => {
                let mut count = 1;
                while chars.peek() == Some(&c) && c != 'K' {
                    chars.next();
                    count += 1;
                }
                out.push(Token::Letters(c, count));
            }
            other => out.push(Token::Literal(other.to_string())),
        }
    }
    Some(out)
}
