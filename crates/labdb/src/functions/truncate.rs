//! DATETRUNC.

use super::Parameter::{DatePart, Moment as MomentParameter};
use super::date::moment_of;
use super::date_part::{Part, not_supported, part_of};
use super::{Call, Scalar};
use crate::eval::calendar::{self, Moment, TICKS_PER_SECOND};
use crate::plan::Typed;
use labdb_types::{SqlResult, SqlType, Value};

fn date_trunc(call: &Call<'_>) -> SqlResult<Value> {
    let part = part_of(call)?;
    let moment = moment_of(call, 1)?;
    let (year, month, _) = calendar::date_from_days(moment.days);
    let date = |year: i32, month: i32| calendar::days_from_date(year, month, 1);
    let date_first = i32::from(call.ctx.session.options.borrow().date_first);
    let day = |days: Option<i32>| {
        days.map(|days| Moment {
            days,
            ticks: 0,
            ..moment
        })
    };
    let clock = |unit: i64| {
        Some(Moment {
            ticks: moment.ticks - moment.ticks % unit,
            ..moment
        })
    };
    let truncated = match part {
        Part::Year => day(date(year, 1)),
        Part::Quarter => day(date(year, (month - 1) / 3 * 3 + 1)),
        Part::Month => day(date(year, month)),
        Part::Day | Part::DayOfYear => day(Some(moment.days)),
        Part::Week => day(Some(
            moment.days - (moment.days - (date_first - 1)).rem_euclid(7),
        )),
        Part::IsoWeek => day(Some(moment.days - moment.days.rem_euclid(7))),
        Part::Hour => clock(3600 * TICKS_PER_SECOND),
        Part::Minute => clock(60 * TICKS_PER_SECOND),
        Part::Second => clock(TICKS_PER_SECOND),
        Part::Millisecond => clock(10_000),
        Part::Microsecond => clock(10),
        Part::Weekday | Part::Nanosecond | Part::Offset => {
            return Err(not_supported(call.text(0), "datetrunc", call.result));
        }
    };
    Ok(truncated
        .and_then(|m| calendar::value_from_moment(m, call.result))
        .unwrap_or(Value::Null))
}

fn date_type(arguments: &[Typed]) -> SqlType {
    arguments
        .get(1)
        .map_or(SqlType::DateTime2(7), |a| a.sql_type)
}

/// The functions of this module.
pub(super) const ALL: &[Scalar] = &[Scalar {
    name: "DATETRUNC",
    min: 2,
    max: 2,
    parameters: &[DatePart, MomentParameter],
    result: date_type,
    null_in_null_out: true,
    run: date_trunc,
}];
