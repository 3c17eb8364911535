//! Mathematical functions, CHECKSUM, NEWID.

use super::Parameter::{Any, Float, Int, Number};
use super::{Call, Scalar, first, float, int};
use crate::eval::{arithmetic, convert, key, types, wide};
use crate::plan::Typed;
use labdb_types::{SqlError, SqlResult, SqlType, Value};

/// The type of ABS, CEILING and their kin: small whole numbers become `int`.
fn number_type(arguments: &[Typed]) -> SqlType {
    match first(arguments) {
        SqlType::TinyInt | SqlType::SmallInt | SqlType::Bit => SqlType::Int,
        SqlType::Real => SqlType::Float,
        other => other,
    }
}

fn whole_type(arguments: &[Typed]) -> SqlType {
    match number_type(arguments) {
        SqlType::Decimal { precision, .. } => SqlType::Decimal {
            precision,
            scale: 0,
        },
        other => other,
    }
}

/// POWER of a decimal has room for all digits.
fn power_type(arguments: &[Typed]) -> SqlType {
    match number_type(arguments) {
        SqlType::Decimal { scale, .. } => SqlType::Decimal {
            precision: 38,
            scale,
        },
        other => other,
    }
}

fn cast(call: &Call<'_>, value: &Value, from: SqlType) -> SqlResult<Value> {
    convert::convert(value, from, call.result, None)
}

fn abs(call: &Call<'_>) -> SqlResult<Value> {
    let value = cast(call, call.value(0), call.type_of(0))?;
    let negative = match &value {
        Value::Float(f) => *f < 0.0,
        Value::Decimal(d) => d.mantissa < 0,
        Value::Money(m) => *m < 0,
        other => convert::as_i64(other).is_some_and(|n| n < 0),
    };
    if negative {
        arithmetic::negate(&value, call.result)
    } else {
        Ok(value)
    }
}

fn round_whole(call: &Call<'_>, up: bool) -> SqlResult<Value> {
    Ok(match call.value(0) {
        Value::Real(f) => Value::Float(if up {
            f64::from(*f).ceil()
        } else {
            f64::from(*f).floor()
        }),
        Value::Float(f) => Value::Float(if up { f.ceil() } else { f.floor() }),
        Value::Decimal(d) => {
            let unit = wide::pow10(u32::from(d.scale)).unwrap_or(1);
            let mut whole = d.mantissa.div_euclid(unit);
            if up && d.mantissa.rem_euclid(unit) != 0 {
                whole += 1;
            }
            Value::Decimal(labdb_types::Decimal::new(whole, 0))
        }
        Value::Money(m) => {
            let whole = m.div_euclid(10_000) + i64::from(up && m.rem_euclid(10_000) != 0);
            Value::Money(whole * 10_000)
        }
        other => cast(call, other, call.type_of(0))?,
    })
}

fn round(call: &Call<'_>) -> SqlResult<Value> {
    let digits = call.int(1).clamp(-40, 40) as i32;
    let cut = call.values.len() > 2 && call.int(2) != 0;
    let round_mantissa = |mantissa: i128, scale: u8| -> Option<i128> {
        let drop = i32::from(scale) - digits;
        if drop <= 0 {
            return Some(mantissa);
        }
        let Some(unit) = wide::pow10(drop.unsigned_abs()) else {
            return Some(0);
        };
        let rest = mantissa % unit;
        let mut out = mantissa - rest;
        if !cut && rest.unsigned_abs() * 2 >= unit.unsigned_abs() {
            out = out.checked_add(unit * mantissa.signum())?;
        }
        Some(out)
    };
    let too_large = || convert::overflow(call.result);
    Ok(match call.value(0) {
        Value::Float(_) | Value::Real(_) => {
            let f = match call.value(0) {
                Value::Real(f) => f64::from(*f),
                Value::Float(f) => *f,
                _ => 0.0,
            };
            let unit = 10_f64.powi(digits);
            let scaled = f * unit;
            let rounded = if cut {
                scaled.trunc()
            } else {
                (scaled.abs() + 0.5 + f64::EPSILON * scaled.abs()).floor() * scaled.signum()
            };
            Value::Float(if rounded.is_finite() {
                rounded / unit
            } else {
                f
            })
        }
        Value::Decimal(d) => {
            let mantissa = round_mantissa(d.mantissa, d.scale).ok_or_else(too_large)?;
            convert::convert(
                &Value::Decimal(labdb_types::Decimal::new(mantissa, d.scale)),
                call.result,
                call.result,
                None,
            )?
        }
        Value::Money(m) => Value::Money(
            round_mantissa(i128::from(*m), 4)
                .and_then(|n| i64::try_from(n).ok())
                .ok_or_else(too_large)?,
        ),
        other => {
            let n = convert::as_i64(other).unwrap_or(0);
            let rounded = round_mantissa(i128::from(n), 0)
                .and_then(|n| i64::try_from(n).ok())
                .ok_or_else(too_large)?;
            convert::integer_value(rounded, call.result).ok_or_else(too_large)?
        }
    })
}

fn domain(name: &str) -> SqlError {
    SqlError::new(
        3623,
        format!("An invalid floating point operation occurred in {name}."),
    )
}

fn finite(f: f64, name: &str) -> SqlResult<Value> {
    if f.is_nan() {
        Err(domain(name))
    } else if f.is_infinite() {
        Err(convert::overflow(SqlType::Float))
    } else {
        Ok(Value::Float(f))
    }
}

fn power(call: &Call<'_>) -> SqlResult<Value> {
    let base = convert::convert(call.value(0), call.type_of(0), SqlType::Float, None)?;
    let Value::Float(base) = base else {
        return Ok(Value::Null);
    };
    let value = finite(base.powf(call.float(1)), "POWER")?;
    if let (Value::Float(f), SqlType::Int | SqlType::BigInt) = (&value, call.result) {
        return convert::convert(&Value::Float(f.round()), SqlType::Float, call.result, None)
            .map_err(|_| convert::overflow(call.result));
    }
    convert::convert(&value, SqlType::Float, call.result, None)
}

fn sign(call: &Call<'_>) -> SqlResult<Value> {
    let n = match call.value(0) {
        Value::Float(f) => {
            if *f > 0.0 {
                1
            } else if *f < 0.0 {
                -1
            } else {
                0
            }
        }
        Value::Real(f) => {
            if *f > 0.0 {
                1
            } else if *f < 0.0 {
                -1
            } else {
                0
            }
        }
        Value::Decimal(d) => d.mantissa.signum() as i64,
        Value::Money(m) => m.signum(),
        other => convert::as_i64(other).unwrap_or(0).signum(),
    };
    convert::convert(&Value::BigInt(n), SqlType::BigInt, call.result, None)
}

fn rand_function(call: &Call<'_>) -> SqlResult<Value> {
    use rand::{Rng, SeedableRng};
    let mut random = call.ctx.session.random.borrow_mut();
    if !call.value(0).is_null() {
        *random = rand::rngs::StdRng::seed_from_u64(call.int(0) as u64);
    }
    Ok(Value::Float(random.random::<f64>()))
}

fn checksum(call: &Call<'_>) -> SqlResult<Value> {
    // The same for texts that the collation holds equal; the numbers are not SQL Server's.
    let bytes = key::of(call.values);
    let hash = bytes.iter().fold(0x811c_9dc5_u32, |h, b| {
        (h ^ u32::from(*b)).wrapping_mul(0x0100_0193)
    });
    Ok(Value::Int(hash as i32))
}

fn new_id(_: &Call<'_>) -> SqlResult<Value> {
    Ok(Value::Uuid(uuid::Uuid::new_v4().into_bytes()))
}

fn log(call: &Call<'_>) -> SqlResult<Value> {
    if call.values.len() > 1 {
        finite(call.float(0).log(call.float(1)), "LOG")
    } else {
        finite(call.float(0).ln(), "LOG")
    }
}

fn is_numeric(call: &Call<'_>) -> SqlResult<Value> {
    let yes = match call.value(0) {
        Value::Null => false,
        Value::Text(t) => {
            !t.trim().is_empty()
                && (crate::eval::parse::float(t).is_some()
                    || crate::eval::parse::money(t).is_some())
        }
        _ => types::is_number(call.type_of(0)),
    };
    Ok(Value::Int(i32::from(yes)))
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
    scalar!("ABS", 1, 1, &[Number], number_type, abs),
    scalar!("CEILING", 1, 1, &[Number], whole_type, |c| round_whole(
        c, true
    )),
    scalar!("FLOOR", 1, 1, &[Number], whole_type, |c| round_whole(
        c, false
    )),
    scalar!("ROUND", 2, 3, &[Number, Int], number_type, round),
    scalar!("POWER", 2, 2, &[Number, Float], power_type, power),
    scalar!("SQRT", 1, 1, &[Float], float, |c| finite(
        c.float(0).sqrt(),
        "SQRT"
    )),
    scalar!("SQUARE", 1, 1, &[Float], float, |c| finite(
        c.float(0) * c.float(0),
        "SQUARE"
    )),
    scalar!("EXP", 1, 1, &[Float], float, |c| finite(
        c.float(0).exp(),
        "EXP"
    )),
    scalar!("LOG", 1, 2, &[Float], float, log),
    scalar!("LOG10", 1, 1, &[Float], float, |c| finite(
        c.float(0).log10(),
        "LOG10"
    )),
    scalar!("PI", 0, 0, &[], float, |_| Ok(Value::Float(
        std::f64::consts::PI
    ))),
    scalar!("SIN", 1, 1, &[Float], float, |c| finite(
        c.float(0).sin(),
        "SIN"
    )),
    scalar!("COS", 1, 1, &[Float], float, |c| finite(
        c.float(0).cos(),
        "COS"
    )),
    scalar!("TAN", 1, 1, &[Float], float, |c| finite(
        c.float(0).tan(),
        "TAN"
    )),
    scalar!("SIGN", 1, 1, &[Number], number_type, sign),
    Scalar {
        name: "RAND",
        min: 0,
        max: 1,
        parameters: &[Int],
        result: float,
        null_in_null_out: false,
        run: rand_function,
    },
    Scalar {
        name: "CHECKSUM",
        min: 1,
        max: 254,
        parameters: &[Any],
        result: int,
        null_in_null_out: false,
        run: checksum,
    },
    Scalar {
        name: "BINARY_CHECKSUM",
        min: 1,
        max: 254,
        parameters: &[Any],
        result: int,
        null_in_null_out: false,
        run: checksum,
    },
    Scalar {
        name: "NEWID",
        min: 0,
        max: 0,
        parameters: &[],
        result: |_| SqlType::UniqueIdentifier,
        null_in_null_out: false,
        run: new_id,
    },
    Scalar {
        name: "NEWSEQUENTIALID",
        min: 0,
        max: 0,
        parameters: &[],
        result: |_| SqlType::UniqueIdentifier,
        null_in_null_out: false,
        run: |_| Ok(Value::Uuid(uuid::Uuid::now_v7().into_bytes())),
    },
    Scalar {
        name: "ISNUMERIC",
        min: 1,
        max: 1,
        parameters: &[Any],
        result: int,
        null_in_null_out: false,
        run: is_numeric,
    },
];
