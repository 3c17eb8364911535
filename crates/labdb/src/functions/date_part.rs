//! Parts of a date: DATEPART, DATENAME, YEAR and their kin.

use super::Call;
use super::date::moment_of;
use crate::eval::calendar::{self, DAYS, MONTHS, Moment, TICKS_PER_SECOND};
use crate::eval::types::type_name;
use labdb_types::{SqlError, SqlResult, SqlType, Value};

/// A part of a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Year,
    Quarter,
    Month,
    DayOfYear,
    Day,
    Week,
    IsoWeek,
    Weekday,
    Hour,
    Minute,
    Second,
    Millisecond,
    Microsecond,
    Nanosecond,
    Offset,
}

/// A date part by its name or abbreviation.
pub(super) fn part(name: &str) -> Option<Part> {
    Some(match name.to_ascii_lowercase().as_str() {
        "year" | "yy" | "yyyy" => Part::Year,
        "quarter" | "qq" | "q" => Part::Quarter,
        "month" | "mm" | "m" => Part::Month,
        "dayofyear" | "dy" | "y" => Part::DayOfYear,
        "day" | "dd" | "d" => Part::Day,
        "week" | "wk" | "ww" => Part::Week,
        "iso_week" | "isowk" | "isoww" => Part::IsoWeek,
        "weekday" | "dw" | "w" => Part::Weekday,
        "hour" | "hh" => Part::Hour,
        "minute" | "mi" | "n" => Part::Minute,
        "second" | "ss" | "s" => Part::Second,
        "millisecond" | "ms" => Part::Millisecond,
        "microsecond" | "mcs" => Part::Microsecond,
        "nanosecond" | "ns" => Part::Nanosecond,
        "tzoffset" | "tz" => Part::Offset,
        _ => return None,
    })
}

/// Whether a bare word is a date part.
pub(crate) fn is_part(name: &str) -> bool {
    part(name).is_some()
}

pub(super) fn part_of(call: &Call<'_>) -> SqlResult<Part> {
    part(call.text(0)).ok_or_else(|| {
        SqlError::new(
            155,
            format!("'{}' is not a recognized datepart option.", call.text(0)),
        )
        .severity(15)
    })
}

pub(super) fn not_supported(part: &str, function: &str, sql_type: SqlType) -> SqlError {
    SqlError::new(
        9810,
        format!(
            "The datepart {part} is not supported by date function {function} for data type {}.",
            type_name(sql_type)
        ),
    )
}

/// Refuses a part that the type has not: a time of day of a date, a day of a time.
pub(super) fn check_supported(
    call: &Call<'_>,
    part: Part,
    function: &str,
    sql_type: SqlType,
) -> SqlResult<()> {
    let of_time = matches!(
        part,
        Part::Hour
            | Part::Minute
            | Part::Second
            | Part::Millisecond
            | Part::Microsecond
            | Part::Nanosecond
    );
    let missing = match sql_type {
        SqlType::Date => of_time || part == Part::Offset,
        SqlType::Time(_) => !of_time,
        _ => false,
    };
    if missing {
        return Err(not_supported(call.text(0), function, sql_type));
    }
    Ok(())
}

fn week_of_year(days: i32, date_first: i32) -> i32 {
    let (year, _, _) = calendar::date_from_days(days);
    let first = calendar::days_from_date(year, 1, 1).unwrap_or(days);
    // Days since the last first-day-of-week before or on January 1st.
    let lead = (first - (date_first - 1)).rem_euclid(7);
    (days - first + lead) / 7 + 1
}

fn iso_week(days: i32) -> i32 {
    let thursday = days - days.rem_euclid(7) + 3;
    let (year, _, _) = calendar::date_from_days(thursday.clamp(0, calendar::LAST_DAY));
    let first = calendar::days_from_date(year, 1, 1).unwrap_or(0);
    (thursday - first) / 7 + 1
}

fn part_value(part: Part, m: Moment, date_first: i32) -> i64 {
    let (year, month, day) = calendar::date_from_days(m.days);
    let seconds = m.ticks / TICKS_PER_SECOND;
    let fraction = m.ticks % TICKS_PER_SECOND;
    match part {
        Part::Year => i64::from(year),
        Part::Quarter => i64::from((month - 1) / 3 + 1),
        Part::Month => i64::from(month),
        Part::DayOfYear => i64::from(calendar::day_of_year(year, month, day)),
        Part::Day => i64::from(day),
        Part::Week => i64::from(week_of_year(m.days, date_first)),
        Part::IsoWeek => i64::from(iso_week(m.days)),
        Part::Weekday => i64::from((m.days - (date_first - 1)).rem_euclid(7) + 1),
        Part::Hour => seconds / 3600,
        Part::Minute => seconds / 60 % 60,
        Part::Second => seconds % 60,
        Part::Millisecond => fraction / 10_000,
        Part::Microsecond => fraction / 10,
        Part::Nanosecond => fraction * 100,
        Part::Offset => i64::from(m.offset_minutes),
    }
}

pub(super) fn date_part(call: &Call<'_>) -> SqlResult<Value> {
    let date_first = i32::from(call.ctx.session.options.borrow().date_first);
    let part = part_of(call)?;
    check_supported(call, part, "datepart", call.type_of(1))?;
    Ok(Value::Int(
        part_value(part, moment_of(call, 1)?, date_first) as i32,
    ))
}

pub(super) fn date_name(call: &Call<'_>) -> SqlResult<Value> {
    let part = part_of(call)?;
    check_supported(call, part, "datename", call.type_of(1))?;
    let m = moment_of(call, 1)?;
    let name = match part {
        Part::Month => MONTHS
            .get(part_value(part, m, 7) as usize - 1)
            .copied()
            .unwrap_or("")
            .to_owned(),
        Part::Weekday => DAYS
            .get(m.days.rem_euclid(7) as usize)
            .copied()
            .unwrap_or("")
            .to_owned(),
        Part::Offset => format!(
            "{}{:02}:{:02}",
            if m.offset_minutes < 0 { '-' } else { '+' },
            m.offset_minutes.abs() / 60,
            m.offset_minutes.abs() % 60
        ),
        other => part_value(
            other,
            m,
            i32::from(call.ctx.session.options.borrow().date_first),
        )
        .to_string(),
    };
    Ok(Value::text(name))
}

pub(super) fn simple_part(call: &Call<'_>, part: Part) -> SqlResult<Value> {
    Ok(Value::Int(part_value(part, moment_of(call, 0)?, 7) as i32))
}
