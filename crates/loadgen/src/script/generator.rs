//! Where a variable's values come from.

use super::declaration::Constant;
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Normal, Zipf};
use sqlserver::parameterized::Value;

/// What `random_text` draws from; each is as likely.
const LETTERS: &[u8; 62] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

/// The longest text for a `max` type.
const LONGEST_TEXT: usize = 1_000_000;

/// Above it a `float` does not hold every whole number.
const EXACT: i128 = 1 << 53;

const TYPES: &str = "tinyint, smallint, int, bigint, decimal(p, s), float, char(n), varchar(n), \
                     nchar(n), nvarchar(n), varchar(max), nvarchar(max), uniqueidentifier";

/// What a type holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `tinyint` to `bigint`.
    Whole(Width),
    /// `decimal` and `numeric`.
    Decimal { precision: u8, scale: u8 },
    /// `float`.
    Float,
    /// Text of so many characters at most.
    Text(usize),
    /// `uniqueidentifier`.
    Guid,
}

/// The whole numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Width {
    Tiny,
    Small,
    Int,
    Big,
}

/// Where values come from.
#[derive(Clone, Debug)]
pub(crate) enum Generator {
    /// Each as likely, both ends included; as unscaled digits for a decimal.
    Uniform { kind: Kind, low: i128, high: i128 },
    /// The same for `float`, without the upper end.
    UniformFloat { low: f64, high: f64 },
    /// `low` most often, then `low + 1` and so on.
    Zipf {
        kind: Kind,
        low: i128,
        ranks: Zipf<f64>,
    },
    /// Drawn again until it lies between `low` and `high`.
    Normal {
        kind: Kind,
        low: f64,
        high: f64,
        around: Normal<f64>,
    },
    /// Letters and digits.
    Text { shortest: usize, longest: usize },
    /// One of these, each as likely.
    Choice(Vec<Value>),
    /// A GUID of version 4.
    Guid,
}

impl Kind {
    /// What a type of this name and these sizes holds.
    pub(crate) fn of_type(name: &str, sizes: &[String]) -> Result<Self, String> {
        let number = |at: usize, most: usize| {
            let size = sizes.get(at)?.parse().ok()?;
            (size <= most).then_some(size)
        };
        let kind = match (name, sizes.len()) {
            ("tinyint", 0) => Some(Self::Whole(Width::Tiny)),
            ("smallint", 0) => Some(Self::Whole(Width::Small)),
            ("int", 0) => Some(Self::Whole(Width::Int)),
            ("bigint", 0) => Some(Self::Whole(Width::Big)),
            ("float", 0) => Some(Self::Float),
            ("uniqueidentifier", 0) => Some(Self::Guid),
            ("decimal" | "numeric", 0) => Some(Self::Decimal {
                precision: 18,
                scale: 0,
            }),
            ("decimal" | "numeric", 1 | 2) => {
                let precision = number(0, 37).filter(|precision| *precision > 0);
                let scale = if sizes.len() == 1 {
                    Some(0)
                } else {
                    number(1, 37)
                };
                precision
                    .zip(scale)
                    .filter(|(precision, scale)| scale <= precision)
                    .and_then(|(precision, scale)| {
                        Some(Self::Decimal {
                            precision: u8::try_from(precision).ok()?,
                            scale: u8::try_from(scale).ok()?,
                        })
                    })
                    .ok_or_else(|| {
                        format!(
                            "{name}({}) is no type here: 37 digits at most",
                            sizes.join(", ")
                        )
                    })
                    .map(Some)?
            }
            ("char" | "varchar" | "nchar" | "nvarchar", 0) => {
                return Err(format!("{name} needs its length: {name}(50)"));
            }
            ("varchar" | "nvarchar", 1) if sizes.iter().all(|s| s.eq_ignore_ascii_case("max")) => {
                Some(Self::Text(LONGEST_TEXT))
            }
            ("char" | "varchar", 1) => number(0, 8_000).filter(|n| *n > 0).map(Self::Text),
            ("nchar" | "nvarchar", 1) => number(0, 4_000).filter(|n| *n > 0).map(Self::Text),
            _ => None,
        };
        kind.ok_or_else(|| {
            let sizes = if sizes.is_empty() {
                String::new()
            } else {
                format!("({})", sizes.join(", "))
            };
            format!("`{name}{sizes}` is no type of a variable here; there are {TYPES}")
        })
    }

    /// A function's generator.
    pub(crate) fn generator(self, name: &str, arguments: &[Constant]) -> Result<Generator, String> {
        let form = |form: &str| format!("it is written {form}");
        match (name, self) {
            ("random", Self::Whole(_) | Self::Decimal { .. }) => {
                let [low, high] = arguments else {
                    return Err(form("random(low, high)"));
                };
                let (low, high) = self.range(low, high)?;
                Ok(Generator::Uniform {
                    kind: self,
                    low,
                    high,
                })
            }
            ("random", Self::Float) => {
                let [low, high] = arguments else {
                    return Err(form("random(low, high)"));
                };
                let (low, high) = (float(low)?, float(high)?);
                ordered(low, high)?;
                Ok(Generator::UniformFloat { low, high })
            }
            ("zipf", Self::Whole(_)) => {
                let [low, high, exponent] = arguments else {
                    return Err(form("zipf(low, high, exponent)"));
                };
                let (low, high) = self.range(low, high)?;
                let exponent = float(exponent)?;
                let ranks = Some(high - low + 1)
                    .filter(|count| *count <= EXACT)
                    .and_then(|count| Zipf::new(real(count), exponent).ok())
                    .ok_or(
                        "the exponent of zipf is 0 or more, and its range 2^53 numbers at most",
                    )?;
                Ok(Generator::Zipf {
                    kind: self,
                    low,
                    ranks,
                })
            }
            ("normal", Self::Whole(_) | Self::Float) => {
                let [low, high, mean, deviation] = arguments else {
                    return Err(form("normal(low, high, mean, deviation)"));
                };
                if matches!(self, Self::Whole(_)) {
                    self.range(low, high)?;
                }
                let (low, high) = (float(low)?, float(high)?);
                ordered(low, high)?;
                normal(self, low, high, float(mean)?, float(deviation)?)
            }
            ("random_text", Self::Text(most)) => {
                let lengths: Vec<usize> = arguments.iter().map(length).collect::<Result<_, _>>()?;
                let (shortest, longest) = match lengths.as_slice() {
                    [length] => (*length, *length),
                    [shortest, longest] if shortest <= longest => (*shortest, *longest),
                    _ => {
                        return Err(form(
                            "random_text(length) or random_text(shortest, longest)",
                        ));
                    }
                };
                fits(longest, most)?;
                Ok(Generator::Text { shortest, longest })
            }
            ("random_guid", Self::Guid) if arguments.is_empty() => Ok(Generator::Guid),
            ("choice", _) if !arguments.is_empty() => self.constants(arguments),
            ("choice", _) => Err(form("choice(one, another, …)")),
            ("random" | "zipf" | "normal" | "random_text" | "random_guid", _) => {
                Err(format!("{name} makes no values of this type"))
            }
            _ => Err(format!(
                "there is no function `{name}`; there are random, zipf, normal, random_text, \
                 random_guid and choice"
            )),
        }
    }

    /// One of several constants.
    pub(crate) fn constants(self, constants: &[Constant]) -> Result<Generator, String> {
        constants
            .iter()
            .map(|constant| self.constant(constant))
            .collect::<Result<_, _>>()
            .map(Generator::Choice)
    }

    fn constant(self, constant: &Constant) -> Result<Value, String> {
        match (self, constant) {
            (Self::Whole(_) | Self::Decimal { .. }, Constant::Number(_)) => {
                self.unscaled(constant).map(|value| self.exact(value))
            }
            (Self::Float, Constant::Number(_)) => float(constant).map(Value::Float),
            (Self::Text(most), Constant::Text(text)) => {
                fits(text.encode_utf16().count(), most)?;
                Ok(Value::Text(text.clone()))
            }
            (Self::Text(_), Constant::Number(number)) => {
                Err(format!("{number} is no text; write it in quotes"))
            }
            (Self::Guid, _) => Err("a uniqueidentifier comes from random_guid()".to_owned()),
            (_, Constant::Text(text)) => Err(format!("'{text}' is no number")),
        }
    }

    fn range(self, low: &Constant, high: &Constant) -> Result<(i128, i128), String> {
        let range = (self.unscaled(low)?, self.unscaled(high)?);
        if range.0 > range.1 {
            let (low, high) = (written(low), written(high));
            return Err(format!(
                "{low} to {high} is empty: the lower end comes first"
            ));
        }
        Ok(range)
    }

    /// A number as digits without their point, which the type can hold.
    fn unscaled(self, constant: &Constant) -> Result<i128, String> {
        let Constant::Number(text) = constant else {
            return Err(format!("{} is no number", written(constant)));
        };
        let (scale, low, high) = match self {
            Self::Whole(width) => (0, width.least(), width.most()),
            Self::Decimal { precision, scale } => {
                let most = 10_i128.pow(u32::from(precision)) - 1;
                (scale, -most, most)
            }
            _ => return Err(format!("{text} cannot be a value of this type")),
        };
        fixed(text, scale)
            .filter(|value| (low..=high).contains(value))
            .ok_or_else(|| format!("{text} cannot be a value of this type"))
    }

    /// The value of digits without their point.
    fn exact(self, unscaled: i128) -> Value {
        match self {
            Self::Decimal { scale, .. } => Value::Decimal { unscaled, scale },
            Self::Whole(width) => width.value(unscaled),
            _ => Value::Float(real(unscaled)),
        }
    }
}

impl Width {
    fn least(self) -> i128 {
        match self {
            Self::Tiny => 0,
            Self::Small => i16::MIN.into(),
            Self::Int => i32::MIN.into(),
            Self::Big => i64::MIN.into(),
        }
    }

    fn most(self) -> i128 {
        match self {
            Self::Tiny => u8::MAX.into(),
            Self::Small => i16::MAX.into(),
            Self::Int => i32::MAX.into(),
            Self::Big => i64::MAX.into(),
        }
    }

    /// The value; what the range was checked for beforehand cannot be cut off.
    fn value(self, value: i128) -> Value {
        match self {
            Self::Tiny => Value::TinyInt(value.try_into().unwrap_or(u8::MAX)),
            Self::Small => Value::SmallInt(value.try_into().unwrap_or(i16::MAX)),
            Self::Int => Value::Int(value.try_into().unwrap_or(i32::MAX)),
            Self::Big => Value::BigInt(value.try_into().unwrap_or(i64::MAX)),
        }
    }
}

impl Generator {
    /// The next value.
    pub(crate) fn draw(&self, random: &mut ChaCha8Rng) -> Value {
        match self {
            Self::Uniform { kind, low, high } => kind.exact(random.random_range(*low..=*high)),
            Self::UniformFloat { low, high } => {
                Value::Float(low + (high - low) * random.random::<f64>())
            }
            Self::Zipf { kind, low, ranks } => kind.exact(low - 1 + whole(ranks.sample(random))),
            Self::Normal {
                kind,
                low,
                high,
                around,
            } => loop {
                let drawn = around.sample(random);
                let drawn = if *kind == Kind::Float {
                    drawn
                } else {
                    drawn.round()
                };
                if (*low..=*high).contains(&drawn) {
                    break match kind {
                        Kind::Float => Value::Float(drawn),
                        _ => kind.exact(whole(drawn)),
                    };
                }
            },
            Self::Text { shortest, longest } => {
                let length = random.random_range(*shortest..=*longest);
                let mut letter = || {
                    let at = random.random_range(0..LETTERS.len());
                    char::from(LETTERS.get(at).copied().unwrap_or(b'a'))
                };
                Value::Text((0..length).map(|_| letter()).collect())
            }
            Self::Choice(values) => {
                let at = if values.len() > 1 {
                    random.random_range(0..values.len())
                } else {
                    0
                };
                // A choice without a value cannot be declared.
                values.get(at).cloned().unwrap_or(Value::Int(0))
            }
            Self::Guid => {
                let mut bytes: [u8; 16] = random.random();
                bytes[6] = bytes[6] & 0x0F | 0x40;
                bytes[8] = bytes[8] & 0x3F | 0x80;
                Value::Guid(bytes)
            }
        }
    }
}

fn normal(kind: Kind, low: f64, high: f64, mean: f64, deviation: f64) -> Result<Generator, String> {
    if !(low..=high).contains(&mean) {
        return Err(format!(
            "the mean {mean} does not lie between {low} and {high}"
        ));
    }
    // So that about a third of all draws lie inside at the least.
    if !(deviation > 0.0 && deviation <= high - low) {
        return Err(format!(
            "the deviation {deviation} is not above 0 and at most {}, the width of the range",
            high - low
        ));
    }
    let around = Normal::new(mean, deviation).map_err(|error| error.to_string())?;
    Ok(Generator::Normal {
        kind,
        low,
        high,
        around,
    })
}

fn ordered(low: f64, high: f64) -> Result<(), String> {
    if low <= high {
        return Ok(());
    }
    Err(format!(
        "{low} to {high} is empty: the lower end comes first"
    ))
}

fn fits(length: usize, most: usize) -> Result<(), String> {
    if length <= most {
        return Ok(());
    }
    Err(format!(
        "{length} characters do not fit: the type holds {most}"
    ))
}

fn length(constant: &Constant) -> Result<usize, String> {
    match constant {
        Constant::Number(text) => text.parse().map_err(|_| format!("{text} is no length")),
        Constant::Text(_) => Err(format!("{} is no length", written(constant))),
    }
}

fn float(constant: &Constant) -> Result<f64, String> {
    match constant {
        Constant::Number(text) => text
            .parse()
            .ok()
            .filter(|value: &f64| value.is_finite())
            .ok_or_else(|| format!("{text} is no number")),
        Constant::Text(_) => Err(format!("{} is no number", written(constant))),
    }
}

fn written(constant: &Constant) -> String {
    match constant {
        Constant::Number(text) => text.clone(),
        Constant::Text(text) => format!("'{text}'"),
    }
}

/// `1.5` with two digits behind the point is 150; none where more are written than that.
fn fixed(text: &str, scale: u8) -> Option<i128> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let zeros = usize::from(scale).checked_sub(part.len())?;
    let all = format!("{whole}{part}{}", "0".repeat(zeros));
    if !all.bytes().all(|byte| byte.is_ascii_digit()) || whole.len() + part.len() == 0 {
        return None;
    }
    let value: i128 = all.parse().ok()?;
    Some(if negative { -value } else { value })
}

#[expect(
    clippy::cast_precision_loss,
    reason = "ranges above 2^53 are refused before"
)]
fn real(value: i128) -> f64 {
    value as f64
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the range is one of whole numbers of 64 bits"
)]
fn whole(value: f64) -> i128 {
    value as i128
}

#[cfg(test)]
mod tests;
