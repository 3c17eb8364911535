//! Numbers: the standard formats C, D, E, F, G, N, P, X and custom ones of `0 # . , %`.

use crate::eval::convert;
use labdb_types::Value;

/// A number's decimal digits: `0.d1d2d3… × 10^point`, exact for whole numbers and decimals, 15
/// digits of a float.
#[derive(Clone, Debug)]
pub(super) struct Exact {
    negative: bool,
    digits: Vec<u8>,
    point: i32,
}

impl Exact {
    pub(super) fn of(value: &Value) -> Option<Self> {
        let exact = |mantissa: i128, scale: i32| {
            let text = mantissa.unsigned_abs().to_string();
            Self {
                negative: mantissa < 0,
                point: text.len() as i32 - scale,
                digits: text.bytes().map(|b| b - b'0').collect(),
            }
        };
        match value {
            Value::Decimal(d) => Some(exact(d.mantissa, i32::from(d.scale))),
            Value::Money(m) => Some(exact(i128::from(*m), 4)),
            Value::Float(f) => Self::of_float(*f, 14),
            Value::Real(f) => Self::of_float(f64::from(*f), 6),
            other => convert::as_i64(other).map(|n| exact(i128::from(n), 0)),
        }
    }

    fn of_float(value: f64, decimals: usize) -> Option<Self> {
        if !value.is_finite() {
            return None;
        }
        let text = format!("{:.decimals$e}", value.abs());
        let (mantissa, exponent) = text.split_once('e')?;
        Some(Self {
            negative: value < 0.0,
            digits: mantissa
                .bytes()
                .filter(u8::is_ascii_digit)
                .map(|b| b - b'0')
                .collect(),
            point: exponent.parse::<i32>().ok()? + 1,
        })
    }

    fn is_zero(&self) -> bool {
        self.digits.iter().all(|d| *d == 0)
    }

    /// Rounded half away from zero to so many digits behind the point; the digits before and
    /// behind it.
    fn fixed(&self, decimals: usize) -> (String, String) {
        let keep = self.point + decimals as i32;
        let mut digits: Vec<u8> = Vec::new();
        if keep >= 0 {
            digits.push(0);
            for at in 0..keep {
                digits.push(self.digits.get(at as usize).copied().unwrap_or(0));
            }
            let up = usize::try_from(keep)
                .ok()
                .and_then(|k| self.digits.get(k))
                .is_some_and(|d| *d >= 5);
            if up {
                for digit in digits.iter_mut().rev() {
                    if *digit == 9 {
                        *digit = 0;
                    } else {
                        *digit += 1;
                        break;
                    }
                }
            }
        }
        while digits.len() < decimals + 1 {
            digits.insert(0, 0);
        }
        let text: String = digits.iter().map(|d| char::from(b'0' + d)).collect();
        let (whole, fraction) = text.split_at(text.len() - decimals);
        let whole = whole.trim_start_matches('0');
        (
            if whole.is_empty() { "0" } else { whole }.to_owned(),
            fraction.to_owned(),
        )
    }

    fn times_100(&self) -> Self {
        Self {
            point: self.point + 2,
            ..self.clone()
        }
    }
}

fn grouped(whole: &str) -> String {
    let mut out = String::with_capacity(whole.len() * 4 / 3);
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

fn joined(whole: &str, fraction: &str) -> String {
    if fraction.is_empty() {
        whole.to_owned()
    } else {
        format!("{whole}.{fraction}")
    }
}

fn all_zero(text: &str) -> bool {
    !text.bytes().any(|b| (b'1'..=b'9').contains(&b))
}

/// The number under a format; `None` where .NET would refuse it.
pub(super) fn format(number: &Exact, pattern: &str, is_integer: bool) -> Option<String> {
    let mut chars = pattern.chars();
    let standard = chars
        .next()
        .filter(char::is_ascii_alphabetic)
        .and_then(|letter| {
            let rest = chars.as_str();
            (rest.len() <= 2 && rest.bytes().all(|b| b.is_ascii_digit()))
                .then(|| (letter, rest.parse::<usize>().ok()))
        });
    match standard {
        Some((letter, precision)) => standard_format(number, letter, precision, is_integer),
        None if pattern.is_empty() => standard_format(number, 'G', None, is_integer),
        None => custom_format(number, pattern),
    }
}

fn standard_format(
    number: &Exact,
    letter: char,
    precision: Option<usize>,
    is_integer: bool,
) -> Option<String> {
    let signed = |text: String| {
        if number.negative && !all_zero(&text) {
            format!("-{text}")
        } else {
            text
        }
    };
    Some(match letter.to_ascii_uppercase() {
        'N' => {
            let (whole, fraction) = number.fixed(precision.unwrap_or(2));
            signed(joined(&grouped(&whole), &fraction))
        }
        'F' => {
            let (whole, fraction) = number.fixed(precision.unwrap_or(2));
            signed(joined(&whole, &fraction))
        }
        'C' => {
            let (whole, fraction) = number.fixed(precision.unwrap_or(2));
            let text = format!("${}", joined(&grouped(&whole), &fraction));
            if number.negative && !all_zero(&text) {
                format!("({text})")
            } else {
                text
            }
        }
        'P' => {
            let (whole, fraction) = number.times_100().fixed(precision.unwrap_or(2));
            signed(format!("{} %", joined(&grouped(&whole), &fraction)))
        }
        'D' if is_integer => {
            let (whole, _) = number.fixed(0);
            signed(format!("{whole:0>width$}", width = precision.unwrap_or(0)))
        }
        'X' if is_integer => {
            let (whole, _) = number.fixed(0);
            let value: i128 = whole.parse().ok()?;
            let bits = if number.negative { -value } else { value } as i64;
            let bits = i32::try_from(bits).map_or(bits as u64, |n| u64::from(n as u32));
            let width = precision.unwrap_or(0);
            if letter == 'X' {
                format!("{bits:0>width$X}")
            } else {
                format!("{bits:0>width$x}")
            }
        }
        'E' => signed(scientific(number, precision.unwrap_or(6), letter)),
        'G' | 'R' => {
            let wanted = precision.filter(|p| *p > 0);
            let shown = match wanted {
                Some(digits) => Exact {
                    negative: number.negative,
                    digits: number.digits.iter().copied().take(digits).collect(),
                    point: number.point,
                },
                None => number.clone(),
            };
            let decimals = (shown.digits.len() as i32 - shown.point).max(0) as usize;
            let (whole, fraction) = number.fixed(decimals);
            let fraction = if is_integer {
                ""
            } else {
                fraction.trim_end_matches('0')
            };
            signed(joined(&whole, fraction))
        }
        _ => return None,
    })
}

fn scientific(number: &Exact, decimals: usize, letter: char) -> String {
    let shifted = Exact {
        negative: false,
        digits: number
            .digits
            .iter()
            .copied()
            .skip_while(|d| *d == 0)
            .collect(),
        point: 1,
    };
    let skipped = (number.digits.len() - shifted.digits.len()) as i32;
    let mut exponent = if number.is_zero() {
        0
    } else {
        number.point - skipped - 1
    };
    let (mut whole, mut fraction) = shifted.fixed(decimals);
    if whole.len() > 1 {
        fraction = format!("{}{fraction}", whole.get(1..).unwrap_or(""));
        fraction.truncate(decimals);
        whole.truncate(1);
        exponent += 1;
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!(
        "{}{letter}{sign}{:03}",
        joined(&whole, &fraction),
        exponent.abs()
    )
}

/// What a custom format asks for, read from one of its sections.
#[derive(Default)]
struct Custom {
    whole_places: usize,
    whole_zeros: usize,
    fraction_zeros: usize,
    fraction_places: usize,
    group: bool,
    percent: bool,
}

/// The sections of a custom format, at semicolons outside literals.
fn sections(pattern: &str) -> Vec<String> {
    let mut out = vec![String::new()];
    let mut quote = None;
    let mut escaped = false;
    for c in pattern.chars() {
        if c == ';' && quote.is_none() && !escaped {
            out.push(String::new());
            continue;
        }
        if !escaped && (c == '\'' || c == '"') {
            quote = match quote {
                Some(q) if q == c => None,
                None => Some(c),
                other => other,
            };
        }
        escaped = c == '\\' && !escaped;
        if let Some(last) = out.last_mut() {
            last.push(c);
        }
    }
    out
}

fn custom_format(number: &Exact, pattern: &str) -> Option<String> {
    let parts = sections(pattern);
    let pick = |at: usize| parts.get(at).filter(|p| !p.is_empty());
    let (section, minus) = if number.is_zero() {
        (pick(2).or(pick(0))?, false)
    } else if number.negative {
        match pick(1) {
            Some(own) => (own, false),
            None => (pick(0)?, true),
        }
    } else {
        (pick(0)?, false)
    };
    let wanted = read(section);
    let scaled = if wanted.percent {
        number.times_100()
    } else {
        number.clone()
    };
    let (whole, fraction) = scaled.fixed(wanted.fraction_places);
    let whole = if whole == "0" { "" } else { whole.as_str() };
    let whole = format!("{whole:0>width$}", width = wanted.whole_zeros);
    let keep = fraction
        .trim_end_matches('0')
        .len()
        .max(wanted.fraction_zeros);
    let fraction = fraction.get(..keep).unwrap_or(&fraction);
    let minus = minus && !(all_zero(&whole) && all_zero(fraction));
    Some(format!(
        "{}{}",
        if minus { "-" } else { "" },
        fill(section, &whole, fraction, &wanted)
    ))
}

/// Each character of a section, `true` where it is a literal.
fn marked(section: &str) -> Vec<(char, bool)> {
    let mut out = Vec::new();
    let mut chars = section.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                if let Some(next) = chars.next() {
                    out.push((next, true));
                }
            }
            '\'' | '"' => {
                for next in chars.by_ref() {
                    if next == c {
                        break;
                    }
                    out.push((next, true));
                }
            }
            other => out.push((other, !matches!(other, '0' | '#' | '.' | ',' | '%'))),
        }
    }
    out
}

fn read(section: &str) -> Custom {
    let mut wanted = Custom::default();
    let (mut behind, mut zero_seen) = (false, false);
    for (c, literal) in marked(section) {
        match c {
            _ if literal => {}
            '.' => behind = true,
            ',' => wanted.group |= !behind,
            '%' => wanted.percent = true,
            '0' if behind => {
                wanted.fraction_places += 1;
                wanted.fraction_zeros = wanted.fraction_places;
            }
            '#' if behind => wanted.fraction_places += 1,
            '0' => {
                zero_seen = true;
                wanted.whole_places += 1;
                wanted.whole_zeros += 1;
            }
            _ => {
                wanted.whole_places += 1;
                wanted.whole_zeros += usize::from(zero_seen);
            }
        }
    }
    wanted
}

/// Puts digits in their places, one in each, the surplus in the first, and all literals around.
fn fill(section: &str, whole: &str, fraction: &str, wanted: &Custom) -> String {
    let mut out = String::new();
    let digits: Vec<char> = whole.chars().collect();
    let mut next = 0;
    let mut place = 0;
    let mut put = |out: &mut String, place: usize| {
        // So many digits belong to the places behind this one.
        let behind = wanted.whole_places - place - 1;
        while digits.len() - next > behind {
            let Some(digit) = digits.get(next) else { break };
            out.push(*digit);
            next += 1;
            let left = digits.len() - next;
            if wanted.group && left > 0 && left.is_multiple_of(3) {
                out.push(',');
            }
        }
    };
    let mut decimals = fraction.chars();
    let mut behind = false;
    for (c, literal) in marked(section) {
        match c {
            _ if literal => out.push(c),
            '%' => out.push('%'),
            ',' => {}
            '.' => {
                if !behind && wanted.whole_places == 0 {
                    out.push_str(whole);
                }
                if !behind && !fraction.is_empty() {
                    out.push('.');
                }
                behind = true;
            }
            _ if behind => out.extend(decimals.next()),
            _ => {
                put(&mut out, place);
                place += 1;
            }
        }
    }
    out
}
