//! Aggregate functions.

use super::{Context, Env, SortKey, Typed};
use crate::eval::{arithmetic, compare, convert, key, wide};
use crate::session::memory::Grant;
use labdb_tsql::ast::BinaryOp;
use labdb_types::{Decimal, SqlError, SqlResult, SqlType, Value};
use std::collections::HashSet;
use std::sync::Arc;

/// Which aggregate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AggregateKind {
    /// COUNT(*) and `COUNT_BIG`(*).
    CountRows,
    /// COUNT(e).
    Count,
    /// SUM.
    Sum,
    /// AVG.
    Avg,
    /// MIN.
    Min,
    /// MAX.
    Max,
    /// STDEV.
    StDev,
    /// STDEVP.
    StDevP,
    /// VAR.
    Var,
    /// VARP.
    VarP,
    /// `STRING_AGG`.
    StringAgg,
    /// `CHECKSUM_AGG`.
    ChecksumAgg,
}

impl AggregateKind {
    /// The aggregate of this name, upper case.
    pub fn by_name(name: &str) -> Option<Self> {
        Some(match name {
            "COUNT" | "COUNT_BIG" => Self::Count,
            "SUM" => Self::Sum,
            "AVG" => Self::Avg,
            "MIN" => Self::Min,
            "MAX" => Self::Max,
            "STDEV" => Self::StDev,
            "STDEVP" => Self::StDevP,
            "VAR" => Self::Var,
            "VARP" => Self::VarP,
            "STRING_AGG" => Self::StringAgg,
            "CHECKSUM_AGG" => Self::ChecksumAgg,
            _ => return None,
        })
    }
}

/// The names of all aggregates, for the documentation's test.
pub const NAMES: &[&str] = &[
    "AVG",
    "CHECKSUM_AGG",
    "COUNT",
    "COUNT_BIG",
    "MAX",
    "MIN",
    "STDEV",
    "STDEVP",
    "STRING_AGG",
    "SUM",
    "VAR",
    "VARP",
];

/// An aggregate over an input's rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Aggregate {
    /// Which.
    pub kind: AggregateKind,
    /// Its argument, converted to what the aggregate adds up.
    pub argument: Option<Typed>,
    /// `STRING_AGG`'s separator.
    pub separator: Option<Typed>,
    /// `STRING_AGG`'s order.
    pub order: Vec<SortKey>,
    /// DISTINCT.
    pub distinct: bool,
    /// The result's type.
    pub sql_type: SqlType,
}

impl Aggregate {
    /// Works out the argument's and the result's type.
    ///
    /// # Errors
    /// 8117 for a type that the aggregate does not take.
    pub fn new(
        kind: AggregateKind,
        name: &str,
        argument: Option<Typed>,
        separator: Option<Typed>,
        order: Vec<SortKey>,
        distinct: bool,
    ) -> SqlResult<Self> {
        let int = if name == "COUNT_BIG" {
            SqlType::BigInt
        } else {
            SqlType::Int
        };
        let Some(argument) = argument else {
            return Ok(Self {
                kind: AggregateKind::CountRows,
                argument: None,
                separator,
                order,
                distinct,
                sql_type: int,
            });
        };
        let from = argument.sql_type;
        let invalid = || arithmetic::invalid_operand(from, &name.to_ascii_lowercase());
        let (converted, sql_type) = match kind {
            AggregateKind::Count | AggregateKind::CountRows => (from, int),
            AggregateKind::Min | AggregateKind::Max => {
                if from == SqlType::Bit {
                    return Err(invalid());
                }
                (from, from)
            }
            AggregateKind::Sum | AggregateKind::Avg => match from {
                SqlType::TinyInt | SqlType::SmallInt | SqlType::Int => (SqlType::Int, SqlType::Int),
                SqlType::BigInt => (from, from),
                SqlType::Decimal {
                    precision: _,
                    scale,
                } => {
                    let out = if kind == AggregateKind::Avg {
                        scale.max(6)
                    } else {
                        scale
                    };
                    (
                        from,
                        SqlType::Decimal {
                            precision: 38,
                            scale: out,
                        },
                    )
                }
                SqlType::Money | SqlType::SmallMoney => (SqlType::Money, SqlType::Money),
                SqlType::Real | SqlType::Float => (SqlType::Float, SqlType::Float),
                _ => return Err(invalid()),
            },
            AggregateKind::StDev
            | AggregateKind::StDevP
            | AggregateKind::Var
            | AggregateKind::VarP => {
                if !crate::eval::types::is_number(from) || from == SqlType::Bit {
                    return Err(invalid());
                }
                (SqlType::Float, SqlType::Float)
            }
            AggregateKind::StringAgg => {
                let unicode = crate::eval::types::is_unicode(from);
                let to = if crate::eval::types::is_text(from) {
                    from
                } else {
                    SqlType::NVarChar(labdb_types::Length::Limited(4000))
                };
                let long = crate::eval::types::text_length(to).is_none();
                let limit = if unicode || !crate::eval::types::is_text(from) {
                    4000
                } else {
                    8000
                };
                (
                    to,
                    crate::eval::types::text_type(
                        unicode || !crate::eval::types::is_text(from),
                        if long { None } else { Some(limit) },
                    ),
                )
            }
            AggregateKind::ChecksumAgg => (SqlType::Int, SqlType::Int),
        };
        Ok(Self {
            kind,
            argument: Some(argument.coerced(converted)?),
            separator,
            order,
            distinct,
            sql_type,
        })
    }

    /// A fresh accumulator.
    pub fn start(&self) -> Accumulator {
        Accumulator {
            rows: 0,
            sum: Value::Null,
            integer: 0,
            mean: 0.0,
            squares: 0.0,
            best: None,
            texts: Vec::new(),
            seen: self.distinct.then(HashSet::new),
        }
    }
}

/// The state of one aggregate of one group.
#[derive(Debug)]
pub struct Accumulator {
    rows: i64,
    sum: Value,
    integer: i128,
    mean: f64,
    squares: f64,
    best: Option<Value>,
    texts: Vec<(Vec<Value>, Arc<str>)>,
    seen: Option<HashSet<Vec<u8>>>,
}

impl Accumulator {
    /// Takes one row in.
    ///
    /// # Errors
    /// Those of the argument; 8115 when a sum overflows.
    pub fn add(
        &mut self,
        aggregate: &Aggregate,
        ctx: &Context<'_>,
        env: &Env<'_>,
        grant: &mut Grant,
    ) -> SqlResult<()> {
        let Some(argument) = &aggregate.argument else {
            self.rows += 1;
            return Ok(());
        };
        let value = argument.eval(ctx, env)?;
        if value.is_null() {
            return Ok(());
        }
        if let Some(seen) = &mut self.seen {
            let name = key::of(std::slice::from_ref(&value));
            if seen.contains(&name) {
                return Ok(());
            }
            ctx.hold_key(grant, &name)?;
            seen.insert(name);
        }
        self.rows += 1;
        match aggregate.kind {
            AggregateKind::Count | AggregateKind::CountRows => {}
            AggregateKind::Min | AggregateKind::Max => {
                let better = self.best.as_ref().is_none_or(|best| {
                    let order = compare::order(&value, best);
                    if aggregate.kind == AggregateKind::Min {
                        order.is_lt()
                    } else {
                        order.is_gt()
                    }
                });
                if better {
                    self.best = Some(value);
                }
            }
            AggregateKind::Sum | AggregateKind::Avg => match (&value, convert::as_i64(&value)) {
                (_, Some(n)) => self.integer += i128::from(n),
                (Value::Money(m), _) => self.integer += i128::from(*m),
                (Value::Decimal(d), _) => {
                    let total = match &self.sum {
                        Value::Decimal(total) => wide::add(*total, *d, d.scale),
                        _ => Some(*d),
                    };
                    self.sum =
                        Value::Decimal(total.ok_or_else(|| convert::overflow(aggregate.sql_type))?);
                }
                (Value::Float(f), _) => {
                    let total = match &self.sum {
                        Value::Float(total) => total + f,
                        _ => *f,
                    };
                    self.sum = Value::Float(total);
                }
                _ => {}
            },
            AggregateKind::StDev
            | AggregateKind::StDevP
            | AggregateKind::Var
            | AggregateKind::VarP => {
                // Welford's method keeps its digits where a sum of squares would lose them.
                if let Value::Float(f) = value {
                    let delta = f - self.mean;
                    self.mean += delta / self.rows as f64;
                    self.squares += delta * (f - self.mean);
                }
            }
            AggregateKind::StringAgg => {
                let mut order = Vec::with_capacity(aggregate.order.len());
                for item in &aggregate.order {
                    order.push(item.value.eval(ctx, env)?);
                }
                ctx.hold(grant, &order)?;
                ctx.hold(grant, std::slice::from_ref(&value))?;
                if let Value::Text(text) = value {
                    self.texts.push((order, text));
                }
            }
            AggregateKind::ChecksumAgg => {
                self.integer ^= i128::from(convert::as_i64(&value).unwrap_or(0));
            }
        }
        Ok(())
    }

    /// The aggregate's value.
    ///
    /// # Errors
    /// 8115 when a sum or count does not fit its type.
    pub fn finish(mut self, aggregate: &Aggregate, ctx: &Context<'_>) -> SqlResult<Value> {
        let sql_type = aggregate.sql_type;
        let too_large = || convert::overflow(sql_type);
        match aggregate.kind {
            AggregateKind::Count | AggregateKind::CountRows => {
                convert::integer_value(self.rows, sql_type).ok_or_else(too_large)
            }
            AggregateKind::Min | AggregateKind::Max => Ok(self.best.unwrap_or(Value::Null)),
            _ if self.rows == 0 => Ok(Value::Null),
            AggregateKind::Sum | AggregateKind::Avg => {
                let average = aggregate.kind == AggregateKind::Avg;
                match (sql_type, &self.sum) {
                    (SqlType::Decimal { scale, .. }, Value::Decimal(total)) => {
                        let result = if average {
                            wide::quotient(*total, Decimal::new(i128::from(self.rows), 0), scale)
                        } else {
                            wide::rescale(*total, scale)
                        };
                        result.map(Value::Decimal).ok_or_else(too_large)
                    }
                    (_, Value::Float(total)) => Ok(Value::Float(if average {
                        total / self.rows as f64
                    } else {
                        *total
                    })),
                    _ => {
                        let n = i64::try_from(self.integer).map_err(|_| too_large())?;
                        if sql_type == SqlType::Money {
                            return Ok(Value::Money(if average { n / self.rows } else { n }));
                        }
                        // The sum of an int column must fit an int, also under AVG.
                        convert::integer_value(n, sql_type).ok_or_else(too_large)?;
                        convert::integer_value(if average { n / self.rows } else { n }, sql_type)
                            .ok_or_else(too_large)
                    }
                }
            }
            AggregateKind::StDev | AggregateKind::Var if self.rows < 2 => Ok(Value::Null),
            AggregateKind::StDev => {
                Ok(Value::Float((self.squares / (self.rows - 1) as f64).sqrt()))
            }
            AggregateKind::StDevP => Ok(Value::Float((self.squares / self.rows as f64).sqrt())),
            AggregateKind::Var => Ok(Value::Float(self.squares / (self.rows - 1) as f64)),
            AggregateKind::VarP => Ok(Value::Float(self.squares / self.rows as f64)),
            AggregateKind::StringAgg => {
                let separator = match &aggregate.separator {
                    Some(separator) => match separator.eval(ctx, &Env::empty())? {
                        Value::Text(t) => t.to_string(),
                        _ => String::new(),
                    },
                    None => String::new(),
                };
                self.texts.sort_by(|(a, _), (b, _)| {
                    for ((x, y), item) in a.iter().zip(b).zip(&aggregate.order) {
                        let order = compare::order(x, y);
                        if order.is_ne() {
                            return if item.descending {
                                order.reverse()
                            } else {
                                order
                            };
                        }
                    }
                    std::cmp::Ordering::Equal
                });
                let texts: Vec<&str> = self.texts.iter().map(|(_, t)| &**t).collect();
                let length: usize = texts.iter().map(|t| t.len() + separator.len()).sum();
                crate::eval::types::check_long(length)?;
                let joined = texts.join(&separator);
                if !convert::fits(&Value::text(&joined), sql_type) {
                    return Err(SqlError::new(
                        9829,
                        "STRING_AGG aggregation result exceeded the limit of 8000 bytes. Use LOB \
                         types to avoid result truncation.",
                    ));
                }
                Ok(Value::text(joined))
            }
            AggregateKind::ChecksumAgg => Ok(Value::Int(self.integer as i32)),
        }
    }
}

/// The sum of two values of an aggregate's own type, for running totals.
///
/// # Errors
/// 8115.
pub fn plus(a: &Value, b: &Value, sql_type: SqlType) -> SqlResult<Value> {
    match (a, b) {
        (Value::Null, other) | (other, Value::Null) => Ok(other.clone()),
        _ => arithmetic::apply(BinaryOp::Add, a, b, sql_type),
    }
}
