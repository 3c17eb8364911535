//! Dates and times as text, for clients older than their types.

use super::decode::DAY_TICKS;
use labdb_types::{SqlType, Value};

/// The length of a date or time type's text; `None` for other types.
pub(super) fn text_length(sql_type: SqlType) -> Option<u16> {
    let fraction = |scale: u8| if scale == 0 { 0 } else { u16::from(scale) + 1 };
    Some(match sql_type {
        SqlType::Date => 10,
        SqlType::Time(scale) => 8 + fraction(scale),
        SqlType::DateTime2(scale) => 19 + fraction(scale),
        SqlType::DateTimeOffset(scale) => 26 + fraction(scale),
        _ => return None,
    })
}

/// The text of a date or time value of a type; `None` for other values.
pub(super) fn text(sql_type: SqlType, value: &Value) -> Option<String> {
    match (sql_type, value) {
        (SqlType::Date, Value::Date(days)) => Some(date(*days)),
        (SqlType::Time(scale), Value::Time(ticks)) => Some(time(*ticks, scale)),
        (SqlType::DateTime2(scale), Value::DateTime2 { days, ticks }) => {
            Some(format!("{} {}", date(*days), time(*ticks, scale)))
        }
        (
            SqlType::DateTimeOffset(scale),
            Value::DateTimeOffset {
                days,
                ticks,
                offset_minutes,
            },
        ) => {
            const MINUTE: i64 = 600_000_000;
            let day = i64::try_from(DAY_TICKS).ok()?;
            let local = i64::from(*days) * day
                + i64::try_from(*ticks).ok()?
                + i64::from(*offset_minutes) * MINUTE;
            let days = i32::try_from(local.div_euclid(day)).ok()?;
            let ticks = u64::try_from(local.rem_euclid(day)).ok()?;
            let sign = if *offset_minutes < 0 { '-' } else { '+' };
            let offset = offset_minutes.unsigned_abs();
            Some(format!(
                "{} {} {sign}{:02}:{:02}",
                date(days),
                time(ticks, scale),
                offset / 60,
                offset % 60
            ))
        }
        _ => None,
    }
}

fn time(ticks: u64, scale: u8) -> String {
    let seconds = ticks / 10_000_000;
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let clock = format!("{hour:02}:{minute:02}:{second:02}");
    if scale == 0 {
        return clock;
    }
    let fraction = format!("{:07}", ticks % 10_000_000);
    let digits = fraction.get(..usize::from(scale)).unwrap_or(&fraction);
    format!("{clock}.{digits}")
}

/// The Gregorian date of a day number, counted from 0001-01-01 = 0, in cycles of 400 years.
fn date(days: i32) -> String {
    const CYCLE: i32 = 146_097;
    let cycle = days.div_euclid(CYCLE);
    let mut left = days.rem_euclid(CYCLE);
    // The last day of a cycle (and of four years) belongs to the year before.
    let centuries = (left / 36_524).min(3);
    left -= centuries * 36_524;
    let fours = left / 1_461;
    left -= fours * 1_461;
    let ones = (left / 365).min(3);
    left -= ones * 365;
    let year = cycle * 400 + centuries * 100 + fours * 4 + ones + 1;
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let mut month = 1;
    for length in [
        31,
        28 + i32::from(leap),
        31,
        30,
        31,
        30,
        31,
        31,
        30,
        31,
        30,
        31,
    ] {
        if left < length {
            break;
        }
        left -= length;
        month += 1;
    }
    format!("{year:04}-{month:02}-{:02}", left + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn day_numbers_become_the_dates_of_the_calendar() {
        // 1900-01-01 is day 693595, the base of datetime; 9999-12-31 is the last day.
        let known = [
            (0, "0001-01-01"),
            (58, "0001-02-28"),
            (59, "0001-03-01"),
            (693_595, "1900-01-01"),
            (730_119, "2000-01-01"),
            (730_178, "2000-02-29"),
            (730_484, "2000-12-31"),
            (3_652_058, "9999-12-31"),
        ];
        for (days, text) in known {
            assert_eq!(date(days), text);
        }
    }

    #[test]
    fn an_offset_shows_local_time() {
        let value = Value::DateTimeOffset {
            days: 0,
            ticks: 23 * 36_000_000_000 + 5_000_000,
            offset_minutes: 90,
        };
        assert_eq!(
            text(SqlType::DateTimeOffset(1), &value).unwrap(),
            "0001-01-02 00:30:00.5 +01:30"
        );
        assert_eq!(text_length(SqlType::DateTimeOffset(1)), Some(28));
    }
}
