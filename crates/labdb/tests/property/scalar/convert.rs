//! Conversions: "CAST and CONVERT" of the T-SQL reference, with its table of what is rounded and
//! what is cut off.

use super::types::Ty;
use super::value::{Fail, Out, Val, error, open, plain, power_of_ten, whole};
use jiff::civil;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed, ToPrimitive, Zero};

/// Half away from zero.
pub(crate) fn round(n: &BigRational, scale: u32) -> BigRational {
    let unit = whole(power_of_ten(scale));
    // BigRational rounds halves away from zero.
    (n * &unit).round() / unit
}

pub(crate) fn truncate(n: &BigRational, scale: u32) -> BigRational {
    let unit = whole(power_of_ten(scale));
    (n * &unit).trunc() / unit
}

/// The nearest float: reading a decimal number is rounded correctly.
pub(crate) fn to_float(n: &BigRational) -> f64 {
    let scale = (0..=60)
        .find(|s| (n * whole(power_of_ten(*s))).is_integer())
        .unwrap();
    plain(n, scale).parse().unwrap()
}

fn range(ty: Ty) -> (BigInt, BigInt) {
    match ty {
        Ty::Bit => (0.into(), 1.into()),
        Ty::TinyInt => (0.into(), 255.into()),
        Ty::SmallInt => (i16::MIN.into(), i16::MAX.into()),
        Ty::Int => (i32::MIN.into(), i32::MAX.into()),
        _ => (i64::MIN.into(), i64::MAX.into()),
    }
}

/// Whether an exact number is one of the type.
pub(crate) fn fits(n: &BigRational, ty: Ty) -> bool {
    match ty {
        Ty::Dec(precision, scale) => {
            (n * whole(power_of_ten(scale))).abs() < whole(power_of_ten(precision))
        }
        Ty::Money => {
            let (low, high) = range(Ty::BigInt);
            let n = n * whole(10_000);
            n >= whole(low) && n <= whole(high)
        }
        _ => {
            let (low, high) = range(ty);
            *n >= whole(low) && *n <= whole(high)
        }
    }
}

fn exact(n: &BigRational, from: Ty, to: Ty) -> Out {
    let n = match to {
        Ty::Bit => whole(i32::from(!n.is_zero())),
        Ty::Dec(_, scale) => round(n, scale),
        Ty::Money => round(n, 4),
        _ if from == Ty::Money => n.round(),
        _ => n.trunc(),
    };
    if fits(&n, to) {
        return Ok(Val::Exact(n));
    }
    match (from, to) {
        (Ty::SmallInt | Ty::Int, Ty::TinyInt | Ty::SmallInt) => error(220),
        // The messages exist in both forms, and the documentation does not say which is whose.
        (Ty::BigInt | Ty::Money, Ty::TinyInt | Ty::SmallInt) => Err(Fail::Error(vec![220, 8115])),
        _ => error(8115),
    }
}

fn from_float(x: f64, to: Ty) -> Out {
    let Some(n) = BigRational::from_float(x) else {
        return open("a float that is no number");
    };
    match to {
        Ty::Bit => Ok(Val::Exact(whole(i32::from(x != 0.0)))),
        Ty::Float => Ok(Val::Float(x)),
        Ty::Dec(..) | Ty::Money => {
            let scale = if let Ty::Dec(_, scale) = to { scale } else { 4 };
            if round(&n, scale) != n || n.abs() >= whole(power_of_ten(15)) {
                return open("a float of many digits as a decimal");
            }
            if fits(&n, to) {
                Ok(Val::Exact(n))
            } else {
                Err(Fail::Error(vec![8115, 232]))
            }
        }
        _ => {
            let n = n.trunc();
            if fits(&n, to) {
                Ok(Val::Exact(n))
            } else {
                Err(Fail::Error(vec![232, 8115, 220]))
            }
        }
    }
}

/// `[+-]digits[.digits]`, with blanks around it.
fn read_number(text: &str) -> Option<(BigRational, bool)> {
    let text = text.trim_matches(' ');
    let (negative, digits) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let (before, after) = digits.split_once('.').unwrap_or((digits, ""));
    if !(before.bytes().chain(after.bytes())).all(|b| b.is_ascii_digit()) {
        return None;
    }
    if before.is_empty() && after.is_empty() {
        return None;
    }
    let digits: BigInt = format!("{before}{after}").parse().unwrap();
    let n = BigRational::new(digits, power_of_ten(u32::try_from(after.len()).unwrap()));
    Some((if negative { -n } else { n }, text.contains('.')))
}

fn from_text(text: &str, to: Ty) -> Out {
    if let Ty::VarChar(n) | Ty::NVarChar(n) = to {
        return Ok(Val::Text(text.chars().take(n as usize).collect()));
    }
    if text.trim_matches(' ').is_empty() && !matches!(to, Ty::Dec(..)) {
        return if to.is_integer() {
            Ok(Val::Exact(whole(0)))
        } else {
            open("an empty text as a number")
        };
    }
    if matches!(to, Ty::Date | Ty::DateTime2(_)) {
        return read_time(text, to);
    }
    let number = read_number(text);
    match (to, number) {
        (Ty::Bit, _) if text.trim_matches(' ').eq_ignore_ascii_case("true") => {
            Ok(Val::Exact(whole(1)))
        }
        (Ty::Bit, _) if text.trim_matches(' ').eq_ignore_ascii_case("false") => {
            Ok(Val::Exact(whole(0)))
        }
        (Ty::TinyInt | Ty::SmallInt | Ty::Int, Some((n, false))) => {
            if fits(&n, to) {
                Ok(Val::Exact(n))
            } else if to == Ty::Int {
                error(248)
            } else {
                error(244)
            }
        }
        (Ty::TinyInt | Ty::SmallInt | Ty::Int, _) => error(245),
        (Ty::Bit, Some((n, false))) if fits(&n, Ty::Int) => {
            Ok(Val::Exact(whole(i32::from(!n.is_zero()))))
        }
        (Ty::Bit, None) => error(245),
        (Ty::BigInt, Some((n, false))) if fits(&n, to) => Ok(Val::Exact(n)),
        (Ty::BigInt, Some((_, false))) => Err(Fail::Error(vec![8115, 8114])),
        (Ty::BigInt, _) => error(8114),
        (Ty::Dec(_, scale), Some((n, _))) => {
            let n = round(&n, scale);
            if fits(&n, to) {
                Ok(Val::Exact(n))
            } else {
                error(8115)
            }
        }
        (Ty::Money, Some((n, _))) => {
            let n = round(&n, 4);
            if fits(&n, to) {
                Ok(Val::Exact(n))
            } else {
                Err(Fail::Error(vec![8115, 235, 237, 238]))
            }
        }
        (Ty::Money, None) => error(235),
        (Ty::Float, Some((n, _))) => Ok(Val::Float(to_float(&n))),
        (_, None) => error(8114),
        _ => open("a text as that"),
    }
}

/// `yyyy-mm-dd`, with `hh:mm:ss[.fffffff]` behind it or not.
fn read_time(text: &str, to: Ty) -> Out {
    let text = text.trim_matches(' ');
    let (date, time) = text.split_once(' ').unwrap_or((text, "00:00:00"));
    let shaped = date.len() == 10 && time.len() >= 8;
    let (Ok(date), Ok(time), true) = (
        date.parse::<civil::Date>(),
        time.parse::<civil::Time>(),
        shaped,
    ) else {
        return if text.chars().any(|c| c.is_ascii_alphabetic()) || shaped {
            error(241)
        } else {
            open("a text as a date")
        };
    };
    time_to(date.to_datetime(time), to)
}

/// A moment as date or datetime2.
fn time_to(t: civil::DateTime, to: Ty) -> Out {
    match to {
        Ty::Date => Ok(Val::Time(t.date().to_datetime(civil::Time::midnight()))),
        Ty::DateTime2(scale) => {
            let unit = i64::from(10_i32.pow(9 - scale));
            let nanoseconds = i64::from(t.subsec_nanosecond());
            let rounded = (nanoseconds + unit / 2) / unit * unit;
            match t.checked_add(jiff::Span::new().nanoseconds(rounded - nanoseconds)) {
                Ok(t) if t.year() <= 9999 => Ok(Val::Time(t)),
                _ => open("a moment rounded beyond the last year"),
            }
        }
        _ => open("a date as that"),
    }
}

fn to_text(value: &Val, from: Ty, to: Ty) -> Out {
    let (Ty::VarChar(length) | Ty::NVarChar(length)) = to else {
        return open("no text");
    };
    let text = match (value, from) {
        (Val::Exact(n), Ty::Money) => plain(&round(n, 2), 2),
        (Val::Exact(n), Ty::Dec(_, scale)) => plain(n, scale),
        (Val::Exact(n), _) => plain(n, 0),
        (Val::Float(x), _) => {
            // Up to six digits; the form beyond is not documented well enough.
            if x.fract() == 0.0 && x.abs() < 1e6 && (*x != 0.0 || x.is_sign_positive()) {
                format!("{}", x.to_i64().unwrap())
            } else {
                return open("a float as a text");
            }
        }
        (Val::Time(t), Ty::Date) => t.date().to_string(),
        (Val::Time(t), Ty::DateTime2(scale)) => {
            let whole = format!(
                "{} {:02}:{:02}:{:02}",
                t.date(),
                t.hour(),
                t.minute(),
                t.second()
            );
            let fraction = format!("{:09}", t.subsec_nanosecond());
            match scale {
                0 => whole,
                _ => format!("{whole}.{}", &fraction[..scale as usize]),
            }
        }
        _ => return open("that as a text"),
    };
    if text.len() <= length as usize {
        return Ok(Val::Text(text));
    }
    match (from, to) {
        (Ty::TinyInt | Ty::SmallInt | Ty::Int, Ty::VarChar(_)) => Ok(Val::Text("*".into())),
        _ if from.is_time() => Ok(Val::Text(text.chars().take(length as usize).collect())),
        (Ty::Float | Ty::Money, _) => Err(Fail::Error(vec![8115, 8152, 2628, 234])),
        _ => error(8115),
    }
}

/// A value of one type as one of another.
pub(crate) fn convert(value: &Val, from: Ty, to: Ty) -> Out {
    match value {
        Val::Null => Ok(Val::Null),
        Val::Text(t) => from_text(t, to),
        _ if to.is_text() => to_text(value, from, to),
        Val::Exact(n) if to == Ty::Float => Ok(Val::Float(to_float(n))),
        Val::Exact(n) if to.is_number() => exact(n, from, to),
        Val::Float(x) if to.is_number() => from_float(*x, to),
        Val::Time(t) => time_to(*t, to),
        _ => open("a conversion between kinds"),
    }
}
