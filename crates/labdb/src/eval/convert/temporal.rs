//! To dates and times.

use super::{as_i64, clash, overflow};
use crate::eval::parse::{self, DateFault};
use crate::eval::types::{is_number, type_name};
use crate::eval::{calendar, wide};
use labdb_types::{SqlError, SqlResult, SqlType, Value};

pub(super) fn to_temporal(
    value: &Value,
    from: SqlType,
    to: SqlType,
    style: Option<i32>,
) -> SqlResult<Value> {
    let out_of_range = || {
        SqlError::new(
            242,
            format!(
                "The conversion of a {} data type to a {} data type resulted in an out-of-range \
                 value.",
                type_name(from),
                type_name(to)
            ),
        )
        .state(3)
    };
    let moment = match value {
        Value::Text(text) => match parse::moment(text, style.unwrap_or(0)) {
            Ok(moment) => moment,
            Err(DateFault::OutOfRange)
                if matches!(to, SqlType::DateTime | SqlType::SmallDateTime) =>
            {
                return Err(out_of_range());
            }
            Err(_) => {
                return Err(SqlError::new(
                    241,
                    "Conversion failed when converting date and/or time from character string.",
                ));
            }
        },
        Value::Binary(bytes) if to == SqlType::DateTime => {
            let mut raw = [0_u8; 8];
            for (slot, byte) in raw.iter_mut().rev().zip(bytes.iter().rev()) {
                *slot = *byte;
            }
            let (days, ticks) = raw.split_at(4);
            let days = days.iter().fold(0_u32, |n, b| (n << 8) | u32::from(*b)) as i32;
            let ticks = ticks.iter().fold(0_u32, |n, b| (n << 8) | u32::from(*b));
            return Ok(Value::DateTime { days, ticks });
        }
        other if is_number(from) => {
            // A number is days since 1900-01-01.
            let days = match other {
                Value::Float(f) => *f,
                Value::Real(f) => f64::from(*f),
                Value::Decimal(d) => wide::to_f64(*d),
                Value::Money(m) => *m as f64 / 10_000.0,
                other => as_i64(other).unwrap_or(0) as f64,
            };
            if !(-53_690.0..2_958_464.0).contains(&days) {
                return Err(overflow(to));
            }
            calendar::Moment {
                days: calendar::DAYS_TO_1900 + days.floor() as i32,
                ticks: ((days - days.floor()) * calendar::TICKS_PER_DAY as f64).round() as i64,
                offset_minutes: 0,
            }
        }
        other => calendar::moment(other).ok_or_else(|| clash(from, to, true))?,
    };
    calendar::value_from_moment(moment, to).ok_or_else(out_of_range)
}
