//! Days, months and clocks: the proleptic Gregorian calendar from 0001-01-01 on, as SQL Server
//! counts it.

use labdb_storage::clock;
use labdb_types::{SqlType, Value};

/// The months in English, January first.
pub(crate) const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// The days of the week in English, Monday first.
pub(crate) const DAYS: [&str; 7] = [
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
    "Sunday",
];

/// Ticks of 100 ns in a second.
pub const TICKS_PER_SECOND: i64 = 10_000_000;
/// Ticks of 100 ns in a day.
pub const TICKS_PER_DAY: i64 = 86_400 * TICKS_PER_SECOND;
/// Days from 0001-01-01 to 1900-01-01.
pub const DAYS_TO_1900: i32 = 693_595;
/// Days from 0001-01-01 to 1970-01-01.
pub const DAYS_TO_1970: i32 = 719_162;
/// Days from 0001-01-01 to 9999-12-31.
pub const LAST_DAY: i32 = 3_652_058;
/// Days from 0001-01-01 to 1753-01-01, where `datetime` begins.
pub const DAYS_TO_1753: i32 = 639_905;

/// A point in time as the date functions take it apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// Days since 0001-01-01, local to `offset_minutes`.
    pub days: i32,
    /// Ticks of 100 ns since midnight.
    pub ticks: i64,
    /// Minutes east of UTC.
    pub offset_minutes: i16,
}

/// Whether a year has 366 days.
pub fn is_leap(year: i32) -> bool {
    (year % 4 == 0 && year % 100 != 0) || year % 400 == 0
}

/// The number of days of a month (1 to 12).
pub fn days_in_month(year: i32, month: i32) -> i32 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days since 0001-01-01; `None` where there is no such day between years 1 and 9999.
pub fn days_from_date(year: i32, month: i32, day: i32) -> Option<i32> {
    if !(1..=9999).contains(&year)
        || !(1..=12).contains(&month)
        || day < 1
        || day > days_in_month(year, month)
    {
        return None;
    }
    let y = year - 1;
    let before_year = y * 365 + y / 4 - y / 100 + y / 400;
    Some(before_year + day_of_year(year, month, day) - 1)
}

/// The day's number in its year, from 1.
pub fn day_of_year(year: i32, month: i32, day: i32) -> i32 {
    (1..month).map(|m| days_in_month(year, m)).sum::<i32>() + day
}

/// Year, month and day of a day count since 0001-01-01.
pub fn date_from_days(days: i32) -> (i32, i32, i32) {
    // Howard Hinnant's civil-from-days, counted from 0000-03-01.
    let z = days + 306;
    let era = z.div_euclid(146_097);
    let day_of_era = z.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 {
        shifted_month + 3
    } else {
        shifted_month - 9
    };
    let year = year_of_era + era * 400 + i32::from(month <= 2);
    (year, month, day)
}

/// Splits any date or time value; a `time` is on 1900-01-01. `None` for other values.
pub fn moment(value: &Value) -> Option<Moment> {
    let (days, ticks, offset_minutes) = match value {
        Value::Date(days) => (*days, 0, 0),
        Value::Time(ticks) => (DAYS_TO_1900, *ticks as i64, 0),
        Value::DateTime { days, ticks } => (
            days.checked_add(DAYS_TO_1900)?,
            // 1/300 s to 100 ns, as datetime2 shows it: 3.3333333 ms steps.
            (i64::from(*ticks) * TICKS_PER_SECOND + 150) / 300,
            0,
        ),
        Value::SmallDateTime { days, minutes } => (
            i32::from(*days) + DAYS_TO_1900,
            i64::from(*minutes) * 60 * TICKS_PER_SECOND,
            0,
        ),
        Value::DateTime2 { days, ticks } => (*days, *ticks as i64, 0),
        Value::DateTimeOffset {
            days,
            ticks,
            offset_minutes,
        } => {
            let local = *ticks as i64 + i64::from(*offset_minutes) * 60 * TICKS_PER_SECOND;
            (
                *days + local.div_euclid(TICKS_PER_DAY) as i32,
                local.rem_euclid(TICKS_PER_DAY),
                *offset_minutes,
            )
        }
        Value::Variant(inner) => return moment(&inner.1),
        _ => return None,
    };
    Some(Moment {
        days,
        ticks,
        offset_minutes,
    })
}

/// Rounds ticks to `digits` decimal places of a second.
fn round_ticks(ticks: i64, digits: u8) -> i64 {
    let unit = 10_i64.pow(u32::from(7 - digits.min(7)));
    (ticks + unit / 2) / unit * unit
}

/// Makes a value of a date or time type; `None` where the moment is outside the type's range.
pub fn value_from_moment(moment: Moment, target: SqlType) -> Option<Value> {
    let carry = |ticks: i64| -> (i32, i64) {
        (
            moment.days + ticks.div_euclid(TICKS_PER_DAY) as i32,
            ticks.rem_euclid(TICKS_PER_DAY),
        )
    };
    Some(match target {
        SqlType::Date => Value::Date(in_range(moment.days)?),
        SqlType::Time(digits) => {
            let ticks = round_ticks(moment.ticks, digits);
            Value::Time(ticks.rem_euclid(TICKS_PER_DAY) as u64)
        }
        SqlType::DateTime => {
            if moment.days < DAYS_TO_1753 {
                return None;
            }
            let ticks = (moment.ticks * 300 + TICKS_PER_SECOND / 2) / TICKS_PER_SECOND;
            let per_day = 86_400 * 300;
            Value::DateTime {
                days: in_range(moment.days + (ticks / per_day) as i32)? - DAYS_TO_1900,
                ticks: (ticks % per_day) as u32,
            }
        }
        SqlType::SmallDateTime => {
            let minute = 60 * TICKS_PER_SECOND;
            // 29.998 s and less round down, 29.999 s and more round up.
            let minutes = (moment.ticks + 300_010_000) / minute;
            let days = moment.days - DAYS_TO_1900 + (minutes / 1440) as i32;
            Value::SmallDateTime {
                days: u16::try_from(days).ok()?,
                minutes: (minutes % 1440) as u16,
            }
        }
        SqlType::DateTime2(digits) => {
            let (days, ticks) = carry(round_ticks(moment.ticks, digits));
            Value::DateTime2 {
                days: in_range(days)?,
                ticks: ticks as u64,
            }
        }
        SqlType::DateTimeOffset(digits) => {
            let local = round_ticks(moment.ticks, digits);
            let (days, ticks) =
                carry(local - i64::from(moment.offset_minutes) * 60 * TICKS_PER_SECOND);
            Value::DateTimeOffset {
                days: in_range(days)?,
                ticks: ticks as u64,
                offset_minutes: moment.offset_minutes,
            }
        }
        _ => return None,
    })
}

fn in_range(days: i32) -> Option<i32> {
    (0..=LAST_DAY).contains(&days).then_some(days)
}

/// The current time in the server's time zone.
pub fn now_local() -> Moment {
    let now = jiff::Zoned::try_from(clock::now()).unwrap_or_else(|_| jiff::Zoned::now());
    let offset_seconds = now.offset().seconds();
    let mut moment = from_timestamp(now.timestamp(), offset_seconds);
    moment.offset_minutes = (offset_seconds / 60) as i16;
    moment
}

/// The current time in UTC.
pub fn now_utc() -> Moment {
    let now = jiff::Timestamp::try_from(clock::now());
    from_timestamp(now.unwrap_or_else(|_| jiff::Timestamp::now()), 0)
}

/// A timestamp as local time at an offset.
pub fn from_timestamp(timestamp: jiff::Timestamp, offset_seconds: i32) -> Moment {
    let ticks =
        (timestamp.as_nanosecond() / 100) as i64 + i64::from(offset_seconds) * TICKS_PER_SECOND;
    Moment {
        days: DAYS_TO_1970 + ticks.div_euclid(TICKS_PER_DAY) as i32,
        ticks: ticks.rem_euclid(TICKS_PER_DAY),
        offset_minutes: (offset_seconds / 60) as i16,
    }
}

/// The system clock's time as a `datetime` in the server's time zone.
pub fn datetime_from_system(time: std::time::SystemTime) -> Value {
    let Ok(timestamp) = jiff::Timestamp::try_from(time) else {
        return Value::Null;
    };
    let zoned = timestamp.to_zoned(jiff::tz::TimeZone::system());
    value_from_moment(
        from_timestamp(timestamp, zoned.offset().seconds()),
        SqlType::DateTime,
    )
    .unwrap_or(Value::Null)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_days_have_known_numbers() {
        assert_eq!(days_from_date(1, 1, 1), Some(0));
        assert_eq!(days_from_date(1900, 1, 1), Some(DAYS_TO_1900));
        assert_eq!(days_from_date(1970, 1, 1), Some(DAYS_TO_1970));
        assert_eq!(days_from_date(1753, 1, 1), Some(DAYS_TO_1753));
        assert_eq!(days_from_date(9999, 12, 31), Some(LAST_DAY));
        assert_eq!(days_from_date(1900, 2, 29), None);
    }

    #[test]
    fn every_day_of_ten_thousand_years_splits_and_joins_again() {
        for days in (0..=LAST_DAY).step_by(17) {
            let (year, month, day) = date_from_days(days);
            assert_eq!(days_from_date(year, month, day), Some(days));
        }
    }

    #[test]
    fn a_datetime_is_rounded_to_a_three_hundredth_of_a_second() {
        let moment = Moment {
            days: DAYS_TO_1900,
            ticks: 9_990_000,
            offset_minutes: 0,
        };
        assert_eq!(
            value_from_moment(moment, SqlType::DateTime),
            Some(Value::DateTime {
                days: 0,
                ticks: 300
            })
        );
    }
}
