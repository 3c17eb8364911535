//! Date and time functions.

use super::Parameter::{DatePart, Int, Moment as MomentParameter};
use super::date_part::{
    Part, check_supported, date_name, date_part, not_supported, part_of, simple_part,
};
use super::{Call, Scalar, bigint, first, int};
use crate::eval::calendar::{self, Moment, TICKS_PER_DAY, TICKS_PER_SECOND};
use crate::eval::types::type_name;
use crate::plan::Typed;
use labdb_types::{Length, SqlError, SqlResult, SqlType, Value};

pub(super) fn moment_of(call: &Call<'_>, at: usize) -> SqlResult<Moment> {
    calendar::moment(call.value(at))
        .ok_or_else(|| crate::plan::expression::internal("a date argument is no date"))
}

/// Ticks of 100 ns in a unit, for the parts that are fixed spans of a day or less.
fn ticks_in(part: Part) -> Option<i64> {
    Some(match part {
        Part::Hour => 3600 * TICKS_PER_SECOND,
        Part::Minute => 60 * TICKS_PER_SECOND,
        Part::Second => TICKS_PER_SECOND,
        Part::Millisecond => 10_000,
        Part::Microsecond => 10,
        _ => return None,
    })
}

fn overflow(sql_type: SqlType) -> SqlError {
    SqlError::new(
        517,
        format!(
            "Adding a value to a '{}' column caused an overflow.",
            type_name(sql_type)
        ),
    )
}

fn date_add(call: &Call<'_>) -> SqlResult<Value> {
    let part = part_of(call)?;
    check_supported(call, part, "dateadd", call.result)?;
    if matches!(call.result, SqlType::DateTime | SqlType::SmallDateTime)
        && matches!(part, Part::Microsecond | Part::Nanosecond)
    {
        return Err(not_supported(call.text(0), "dateadd", call.result));
    }
    let (n, from) = (call.int(1), moment_of(call, 2)?);
    let too_far = || overflow(call.result);
    let moment = match part {
        Part::Year | Part::Quarter | Part::Month => {
            let months = n.checked_mul(match part {
                Part::Year => 12,
                Part::Quarter => 3,
                _ => 1,
            });
            let (year, month, day) = calendar::date_from_days(from.days);
            let total = months
                .and_then(|m| m.checked_add(i64::from(year) * 12 + i64::from(month) - 1))
                .ok_or_else(too_far)?;
            let year = i32::try_from(total.div_euclid(12)).map_err(|_| too_far())?;
            let month = total.rem_euclid(12) as i32 + 1;
            if !(1..=9999).contains(&year) {
                return Err(too_far());
            }
            let day = day.min(calendar::days_in_month(year, month));
            Moment {
                days: calendar::days_from_date(year, month, day).ok_or_else(too_far)?,
                ..from
            }
        }
        Part::Day | Part::DayOfYear | Part::Weekday | Part::Week | Part::IsoWeek => {
            let days = if matches!(part, Part::Week | Part::IsoWeek) {
                n.checked_mul(7)
            } else {
                Some(n)
            };
            let total = days
                .and_then(|d| d.checked_add(i64::from(from.days)))
                .and_then(|d| i32::try_from(d).ok());
            Moment {
                days: total
                    .filter(|d| (0..=calendar::LAST_DAY).contains(d))
                    .ok_or_else(too_far)?,
                ..from
            }
        }
        // Rounded to the 100 ns that a type can hold.
        Part::Nanosecond => {
            add_ticks(from, (i128::from(n) + 50).div_euclid(100)).ok_or_else(too_far)?
        }
        Part::Offset => return Err(not_supported("tzoffset", "dateadd", call.result)),
        other => add_ticks(
            from,
            i128::from(n) * i128::from(ticks_in(other).unwrap_or(1)),
        )
        .ok_or_else(too_far)?,
    };
    calendar::value_from_moment(moment, call.result).ok_or_else(too_far)
}

fn add_ticks(from: Moment, ticks: i128) -> Option<Moment> {
    let total = i128::from(from.days) * i128::from(TICKS_PER_DAY) + i128::from(from.ticks) + ticks;
    let days = i32::try_from(total.div_euclid(i128::from(TICKS_PER_DAY))).ok()?;
    (0..=calendar::LAST_DAY).contains(&days).then_some(Moment {
        days,
        ticks: total.rem_euclid(i128::from(TICKS_PER_DAY)) as i64,
        ..from
    })
}

fn boundaries(part: Part, a: Moment, b: Moment) -> Option<i128> {
    let date = |m: Moment| calendar::date_from_days(m.days);
    let ticks = |m: Moment| i128::from(m.days) * i128::from(TICKS_PER_DAY) + i128::from(m.ticks);
    let ((y1, m1, _), (y2, m2, _)) = (date(a), date(b));
    Some(match part {
        Part::Year => i128::from(y2 - y1),
        Part::Quarter => i128::from((y2 * 4 + (m2 - 1) / 3) - (y1 * 4 + (m1 - 1) / 3)),
        Part::Month => i128::from((y2 * 12 + m2) - (y1 * 12 + m1)),
        Part::Day | Part::DayOfYear | Part::Weekday => i128::from(b.days - a.days),
        // Weeks begin on Sunday, whatever DATEFIRST says; 0001-01-01 was a Monday.
        Part::Week | Part::IsoWeek => {
            i128::from((b.days + 1).div_euclid(7) - (a.days + 1).div_euclid(7))
        }
        Part::Nanosecond => (ticks(b) - ticks(a)) * 100,
        Part::Offset => return None,
        other => {
            let unit = i128::from(ticks_in(other)?);
            ticks(b).div_euclid(unit) - ticks(a).div_euclid(unit)
        }
    })
}

fn utc(m: Moment) -> Moment {
    add_ticks(
        m,
        -i128::from(m.offset_minutes) * 60 * i128::from(TICKS_PER_SECOND),
    )
    .unwrap_or(m)
}

fn date_diff(call: &Call<'_>) -> SqlResult<Value> {
    let part = part_of(call)?;
    let n = boundaries(part, utc(moment_of(call, 1)?), utc(moment_of(call, 2)?))
        .ok_or_else(|| not_supported("tzoffset", "datediff", call.type_of(1)))?;
    i64::try_from(n)
        .ok()
        .and_then(|n| crate::eval::convert::integer_value(n, call.result))
        .ok_or_else(|| {
            let name = if call.result == SqlType::BigInt {
                "datediff_big"
            } else {
                "datediff"
            };
            SqlError::new(
                535,
                format!(
                    "The {name} function resulted in an overflow. The number of dateparts \
                     separating two date/time instances is too large. Try to use {name} with a \
                     less precise datepart."
                ),
            )
        })
}

fn end_of_month(call: &Call<'_>) -> SqlResult<Value> {
    if call.value(0).is_null() {
        return Ok(Value::Null);
    }
    let (year, month, _) = calendar::date_from_days(moment_of(call, 0)?.days);
    let total = i64::from(year) * 12 + i64::from(month) - 1 + call.int(1);
    let (year, month) = (total.div_euclid(12) as i32, total.rem_euclid(12) as i32 + 1);
    calendar::days_from_date(year, month, calendar::days_in_month(year, month))
        .map(Value::Date)
        .ok_or_else(|| overflow(SqlType::Date))
}

fn add_type(arguments: &[Typed]) -> SqlType {
    arguments.get(2).map_or(SqlType::DateTime, |a| a.sql_type)
}

fn from_parts(call: &Call<'_>) -> SqlResult<Value> {
    let number = |at: usize| i32::try_from(call.int(at)).unwrap_or(-1);
    let bad = || {
        SqlError::new(
            289,
            format!(
                "Cannot construct data type {}, some of the arguments have values which are not \
                 valid.",
                type_name(call.result)
            ),
        )
    };
    let days = calendar::days_from_date(number(0), number(1), number(2)).ok_or_else(bad)?;
    let clock = [call.int(3), call.int(4), call.int(5)];
    if !(0..24).contains(&clock[0]) || !(0..60).contains(&clock[1]) || !(0..60).contains(&clock[2])
    {
        return Err(bad());
    }
    let fraction = match call.result {
        SqlType::DateTime => call.int(6) * 10_000,
        SqlType::DateTime2(s) => call.int(6) * 10_i64.pow(u32::from(7 - s.min(7))),
        _ => 0,
    };
    if !(0..TICKS_PER_SECOND).contains(&fraction) {
        return Err(bad());
    }
    let ticks = ((clock[0] * 60 + clock[1]) * 60 + clock[2]) * TICKS_PER_SECOND + fraction;
    calendar::value_from_moment(
        Moment {
            days,
            ticks,
            offset_minutes: 0,
        },
        call.result,
    )
    .ok_or_else(bad)
}

fn datetime2_parts_type(arguments: &[Typed]) -> SqlType {
    let precision = match arguments.get(7).and_then(Typed::known) {
        Some(v) => crate::eval::convert::as_i64(v).unwrap_or(7),
        _ => 7,
    };
    SqlType::DateTime2(precision.clamp(0, 7) as u8)
}

fn is_date(call: &Call<'_>) -> SqlResult<Value> {
    let yes = match call.value(0) {
        Value::Text(t) => crate::eval::parse::moment(t, 0)
            .ok()
            .and_then(|m| calendar::value_from_moment(m, SqlType::DateTime))
            .is_some(),
        other => matches!(other, Value::DateTime { .. } | Value::SmallDateTime { .. }),
    };
    Ok(Value::Int(i32::from(yes)))
}

fn switch_offset(call: &Call<'_>) -> SqlResult<Value> {
    let Value::DateTimeOffset { days, ticks, .. } = call.value(0) else {
        return Ok(Value::Null);
    };
    let text = call.text(1);
    let minutes = text
        .get(1..3)
        .and_then(|h| h.parse::<i16>().ok())
        .zip(text.get(4..6).and_then(|m| m.parse::<i16>().ok()))
        .map(|(h, m)| h * 60 + m);
    let offset = match (minutes, text.as_bytes().first()) {
        (Some(m), Some(b'+')) if m <= 840 => m,
        (Some(m), Some(b'-')) if m <= 840 => -m,
        _ => {
            return Err(SqlError::new(
                9812,
                "The timezone provided to builtin function switchoffset is invalid.",
            ));
        }
    };
    Ok(Value::DateTimeOffset {
        days: *days,
        ticks: *ticks,
        offset_minutes: offset,
    })
}

/// The current moment as a type.
fn now(call: &Call<'_>, in_utc: bool) -> SqlResult<Value> {
    let local = call.ctx.session.now();
    let moment = if in_utc {
        Moment {
            offset_minutes: 0,
            ..utc(local)
        }
    } else {
        local
    };
    Ok(calendar::value_from_moment(moment, call.result).unwrap_or(Value::Null))
}

fn datetime(_: &[Typed]) -> SqlType {
    SqlType::DateTime
}

fn datetime2(_: &[Typed]) -> SqlType {
    SqlType::DateTime2(7)
}

fn name30(_: &[Typed]) -> SqlType {
    SqlType::NVarChar(Length::Limited(30))
}

macro_rules! scalar {
    ($name:literal, $min:literal, $max:literal, $parameters:expr, $result:expr, $run:expr) => {
        Scalar {
            name: $name,
            min: $min,
            max: $max,
            parameters: $parameters,
            result: $result,
            null_in_null_out: true,
            run: $run,
        }
    };
}

/// The functions of this module.
pub(super) const ALL: &[Scalar] = &[
    scalar!("GETDATE", 0, 0, &[], datetime, |c| now(c, false)),
    scalar!("CURRENT_TIMESTAMP", 0, 0, &[], datetime, |c| now(c, false)),
    scalar!("GETUTCDATE", 0, 0, &[], datetime, |c| now(c, true)),
    scalar!("SYSDATETIME", 0, 0, &[], datetime2, |c| now(c, false)),
    scalar!("SYSUTCDATETIME", 0, 0, &[], datetime2, |c| now(c, true)),
    scalar!(
        "SYSDATETIMEOFFSET",
        0,
        0,
        &[],
        |_| SqlType::DateTimeOffset(7),
        |c| now(c, false)
    ),
    scalar!(
        "DATEADD",
        3,
        3,
        &[DatePart, Int, MomentParameter],
        add_type,
        date_add
    ),
    scalar!(
        "DATEDIFF",
        3,
        3,
        &[DatePart, MomentParameter],
        int,
        date_diff
    ),
    scalar!(
        "DATEDIFF_BIG",
        3,
        3,
        &[DatePart, MomentParameter],
        bigint,
        date_diff
    ),
    scalar!(
        "DATEPART",
        2,
        2,
        &[DatePart, MomentParameter],
        int,
        date_part
    ),
    scalar!(
        "DATENAME",
        2,
        2,
        &[DatePart, MomentParameter],
        name30,
        date_name
    ),
    scalar!("YEAR", 1, 1, &[MomentParameter], int, |c| simple_part(
        c,
        Part::Year
    )),
    scalar!("MONTH", 1, 1, &[MomentParameter], int, |c| simple_part(
        c,
        Part::Month
    )),
    scalar!("DAY", 1, 1, &[MomentParameter], int, |c| simple_part(
        c,
        Part::Day
    )),
    Scalar {
        name: "EOMONTH",
        min: 1,
        max: 2,
        parameters: &[MomentParameter, Int],
        result: |_| SqlType::Date,
        null_in_null_out: false,
        run: end_of_month,
    },
    scalar!("DATEFROMPARTS", 3, 3, &[Int], |_| SqlType::Date, from_parts),
    scalar!("DATETIMEFROMPARTS", 7, 7, &[Int], datetime, from_parts),
    scalar!(
        "DATETIME2FROMPARTS",
        8,
        8,
        &[Int],
        datetime2_parts_type,
        from_parts
    ),
    Scalar {
        name: "ISDATE",
        min: 1,
        max: 1,
        parameters: &[super::Parameter::Any],
        result: int,
        null_in_null_out: false,
        run: is_date,
    },
    scalar!(
        "SWITCHOFFSET",
        2,
        2,
        &[MomentParameter, super::Parameter::Text],
        first,
        switch_offset
    ),
];
