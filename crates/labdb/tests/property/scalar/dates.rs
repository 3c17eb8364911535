//! DATEADD, DATEDIFF and DATEPART, with jiff's calendar.

use super::types::Ty;
use super::value::{Fail, Out, Val, error, open, whole};
use jiff::{Span, civil};

fn in_range(t: civil::DateTime) -> bool {
    (1..=9999).contains(&t.year())
}

/// `n` parts more.
pub(crate) fn add(part: &str, n: i64, t: civil::DateTime, ty: Ty) -> Out {
    if ty == Ty::Date && !matches!(part, "year" | "quarter" | "month" | "day" | "week") {
        return error(9810);
    }
    if let Ty::DateTime2(scale) = ty {
        let needed = match part {
            "millisecond" => 3,
            "microsecond" => 6,
            "nanosecond" => 7,
            _ => 0,
        };
        if scale < needed {
            return open("parts finer than the type's");
        }
    }
    let span = match part {
        "year" => Span::new().try_years(n),
        "quarter" => Span::new().try_months(n * 3),
        "month" => Span::new().try_months(n),
        "week" => Span::new().try_days(n * 7),
        "day" => Span::new().try_days(n),
        "hour" => Span::new().try_hours(n),
        "minute" => Span::new().try_minutes(n),
        "second" => Span::new().try_seconds(n),
        "millisecond" => Span::new().try_milliseconds(n),
        "microsecond" => Span::new().try_microseconds(n),
        _ if n < 0 && n % 100 != 0 => return open("rounding of negative nanoseconds"),
        _ => Span::new().try_nanoseconds((n + 50).div_euclid(100) * 100),
    };
    match span.and_then(|span| t.checked_add(span)) {
        Ok(t) if in_range(t) => Ok(Val::Time(t)),
        _ => error(517),
    }
}

/// How many boundaries of the part lie between two moments.
pub(crate) fn difference(part: &str, a: civil::DateTime, b: civil::DateTime) -> Out {
    let months = |t: civil::DateTime| i128::from(t.year()) * 12 + i128::from(t.month()) - 1;
    let first = civil::date(1, 1, 1);
    let days = |t: civil::DateTime| i128::from((t.date() - first).get_days());
    // 0001-01-01 was a Monday; weeks begin on Sundays here, always.
    let weeks = |t: civil::DateTime| (days(t) + 1).div_euclid(7);
    let nanoseconds = |t: civil::DateTime| {
        let in_day = t.time().duration_since(civil::Time::midnight()).as_nanos();
        days(t) * 86_400_000_000_000 + in_day
    };
    let units = |unit: i128| nanoseconds(b).div_euclid(unit) - nanoseconds(a).div_euclid(unit);
    let n = match part {
        "year" => i128::from(b.year()) - i128::from(a.year()),
        "quarter" => months(b).div_euclid(3) - months(a).div_euclid(3),
        "month" => months(b) - months(a),
        "week" => weeks(b) - weeks(a),
        "day" => days(b) - days(a),
        "hour" => units(3_600_000_000_000),
        "minute" => units(60_000_000_000),
        "second" => units(1_000_000_000),
        "millisecond" => units(1_000_000),
        "microsecond" => units(1_000),
        _ => units(1),
    };
    match i32::try_from(n) {
        Ok(n) => Ok(Val::Exact(whole(n))),
        Err(_) => error(535),
    }
}

/// A part of a moment.
pub(crate) fn part(part: &str, t: civil::DateTime, ty: Ty) -> Out {
    let time_of_day = matches!(
        part,
        "hour" | "minute" | "second" | "millisecond" | "nanosecond"
    );
    if ty == Ty::Date && time_of_day {
        return Err(Fail::Error(vec![9810]));
    }
    let n: i64 = match part {
        "year" => t.year().into(),
        "quarter" => i64::from((t.month() - 1) / 3 + 1),
        "month" => t.month().into(),
        "day" => t.day().into(),
        "dayofyear" => t.day_of_year().into(),
        "weekday" => t.weekday().to_sunday_one_offset().into(),
        "iso_week" => t.iso_week_date().week().into(),
        "hour" => t.hour().into(),
        "minute" => t.minute().into(),
        "second" => t.second().into(),
        "millisecond" => t.millisecond().into(),
        _ => i64::from(t.subsec_nanosecond()),
    };
    Ok(Val::Exact(whole(n)))
}
