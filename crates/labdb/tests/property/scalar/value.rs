//! Values, exact where SQL Server's are.

use super::types::Ty;
use jiff::civil;
use labdb_types::Value;
use num_bigint::BigInt;
use num_rational::BigRational;
use std::fmt;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Val {
    Null,
    /// Whole numbers, decimals, money.
    Exact(BigRational),
    Float(f64),
    Text(String),
    /// date and datetime2.
    Time(civil::DateTime),
}

/// What is not a value: one of these errors, or nothing that the documentation settles.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Fail {
    Error(Vec<i32>),
    Open(&'static str),
}

pub(crate) type Out = Result<Val, Fail>;

pub(crate) fn error<T>(number: i32) -> Result<T, Fail> {
    Err(Fail::Error(vec![number]))
}

pub(crate) fn open<T>(why: &'static str) -> Result<T, Fail> {
    Err(Fail::Open(why))
}

pub(crate) fn whole(n: impl Into<BigInt>) -> BigRational {
    BigRational::from_integer(n.into())
}

pub(crate) fn power_of_ten(exponent: u32) -> BigInt {
    BigInt::from(10).pow(exponent)
}

/// The digits of a number at a scale that holds it.
pub(crate) fn plain(number: &BigRational, scale: u32) -> String {
    let scaled = number * whole(power_of_ten(scale));
    assert!(scaled.is_integer(), "{number} at scale {scale}");
    let digits = scaled.to_integer();
    let sign = if digits < BigInt::ZERO { "-" } else { "" };
    let digits = digits.magnitude().to_string();
    let scale = scale as usize;
    if scale == 0 {
        return format!("{sign}{digits}");
    }
    let digits = format!("{digits:0>width$}", width = scale + 1);
    let (before, after) = digits.split_at(digits.len() - scale);
    format!("{sign}{before}.{after}")
}

impl fmt::Display for Val {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Val::Null => write!(f, "NULL"),
            Val::Exact(n) => write!(f, "{n}"),
            Val::Float(x) => write!(f, "{x:e}"),
            Val::Text(t) => write!(f, "'{t}'"),
            Val::Time(t) => write!(f, "{t}"),
        }
    }
}

fn ticks(days: i32, ticks: u64) -> Option<civil::DateTime> {
    let first = civil::date(1, 1, 1).at(0, 0, 0, 0);
    let span = jiff::Span::new()
        .days(days)
        .nanoseconds(i64::try_from(ticks).ok()? * 100);
    first.checked_add(span).ok()
}

/// The engine's value; `None` where it is not one of its type.
pub(crate) fn from_engine(value: &Value, ty: Ty) -> Option<Val> {
    Some(match (value, ty) {
        (Value::Null, _) => Val::Null,
        (Value::Bit(b), Ty::Bit) => Val::Exact(whole(i32::from(*b))),
        (Value::TinyInt(n), Ty::TinyInt) => Val::Exact(whole(*n)),
        (Value::SmallInt(n), Ty::SmallInt) => Val::Exact(whole(*n)),
        (Value::Int(n), Ty::Int) => Val::Exact(whole(*n)),
        (Value::BigInt(n), Ty::BigInt) => Val::Exact(whole(*n)),
        (Value::Money(n), Ty::Money) => Val::Exact(BigRational::new((*n).into(), 10_000.into())),
        (Value::Decimal(d), Ty::Dec(precision, scale)) if u32::from(d.scale) == scale => {
            let mantissa = BigInt::from(d.mantissa);
            if mantissa.magnitude() >= power_of_ten(precision).magnitude() {
                return None;
            }
            Val::Exact(BigRational::new(mantissa, power_of_ten(scale)))
        }
        (Value::Float(x), Ty::Float) => Val::Float(*x),
        (Value::Text(t), Ty::VarChar(n) | Ty::NVarChar(n)) if t.len() <= n as usize => {
            Val::Text(t.to_string())
        }
        (Value::Date(days), Ty::Date) => Val::Time(ticks(*days, 0)?),
        (Value::DateTime2 { days, ticks: t }, Ty::DateTime2(_)) => Val::Time(ticks(*days, *t)?),
        _ => return None,
    })
}
