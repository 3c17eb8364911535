//! Search conditions: three-valued logic.

use super::{Context, Env, Flow, Plan, Typed};
use crate::eval::{compare, like};
use labdb_tsql::ast::BinaryOp;
use labdb_types::{SqlResult, Value};
use std::cmp::Ordering;
use std::sync::Arc;

/// A condition over typed expressions whose sides have a common type.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// Always so; for a missing WHERE.
    Always,
    /// All of them.
    And(Vec<Condition>),
    /// Any of them.
    Or(Vec<Condition>),
    /// The opposite.
    Not(Box<Condition>),
    /// `a op b`.
    Compare(BinaryOp, Typed, Typed),
    /// `e IS NULL`.
    IsNull(Typed),
    /// `e IN (list)`.
    InList(Typed, Vec<Typed>),
    /// `e LIKE pattern ESCAPE c`.
    Like(Typed, Typed, Option<Typed>),
    /// `EXISTS (query)`.
    Exists(Arc<Plan>),
    /// `e op ANY (query)` or, with `all`, `e op ALL (query)`; the query's column is converted.
    Quantified {
        /// The left side.
        value: Typed,
        /// The comparison.
        op: BinaryOp,
        /// ALL instead of ANY.
        all: bool,
        /// A query of one column.
        plan: Arc<Plan>,
    },
}

fn verdict(op: BinaryOp, order: Ordering) -> bool {
    match op {
        BinaryOp::Equal => order.is_eq(),
        BinaryOp::NotEqual => order.is_ne(),
        BinaryOp::Less => order.is_lt(),
        BinaryOp::LessOrEqual => order.is_le(),
        BinaryOp::Greater => order.is_gt(),
        BinaryOp::GreaterOrEqual => order.is_ge(),
        _ => false,
    }
}

impl Condition {
    /// Whether it is true; unknown is not.
    ///
    /// # Errors
    /// Those of its expressions.
    pub fn holds(&self, ctx: &Context<'_>, env: &Env<'_>) -> SqlResult<bool> {
        Ok(self.eval(ctx, env)? == Some(true))
    }

    /// True, false or unknown.
    ///
    /// # Errors
    /// Those of its expressions.
    pub fn eval(&self, ctx: &Context<'_>, env: &Env<'_>) -> SqlResult<Option<bool>> {
        match self {
            Self::Always => Ok(Some(true)),
            Self::And(parts) => {
                let mut result = Some(true);
                for part in parts {
                    match part.eval(ctx, env)? {
                        Some(false) => return Ok(Some(false)),
                        None => result = None,
                        Some(true) => {}
                    }
                }
                Ok(result)
            }
            Self::Or(parts) => {
                let mut result = Some(false);
                for part in parts {
                    match part.eval(ctx, env)? {
                        Some(true) => return Ok(Some(true)),
                        None => result = None,
                        Some(false) => {}
                    }
                }
                Ok(result)
            }
            Self::Not(inner) => Ok(inner.eval(ctx, env)?.map(|b| !b)),
            Self::Compare(op, left, right) => {
                let (a, b) = (left.eval(ctx, env)?, right.eval(ctx, env)?);
                Ok(compare::compare(&a, &b).map(|order| verdict(*op, order)))
            }
            Self::IsNull(value) => Ok(Some(value.eval(ctx, env)?.is_null())),
            Self::InList(value, list) => {
                let needle = value.eval(ctx, env)?;
                let mut unknown = needle.is_null();
                for candidate in list {
                    match compare::compare(&needle, &candidate.eval(ctx, env)?) {
                        Some(Ordering::Equal) => return Ok(Some(true)),
                        None => unknown = true,
                        Some(_) => {}
                    }
                }
                Ok(if unknown && !list.is_empty() {
                    None
                } else {
                    Some(false)
                })
            }
            Self::Like(value, pattern, escape) => {
                let (text, pattern) = (value.eval(ctx, env)?, pattern.eval(ctx, env)?);
                let escape = match escape {
                    Some(escape) => match escape.eval(ctx, env)? {
                        Value::Text(t) => t.chars().next(),
                        _ => return Ok(None),
                    },
                    None => None,
                };
                Ok(match (&text, &pattern) {
                    (Value::Text(text), Value::Text(pattern)) => {
                        Some(like::matches(text, pattern, escape))
                    }
                    _ => None,
                })
            }
            Self::Exists(plan) => {
                let mut found = false;
                plan.run(ctx, Some(env), &mut |_| {
                    found = true;
                    Ok(Flow::Enough)
                })?;
                Ok(Some(found))
            }
            Self::Quantified {
                value,
                op,
                all,
                plan,
            } => {
                let needle = value.eval(ctx, env)?;
                let mut decided = None;
                let mut unknown = false;
                plan.run(ctx, Some(env), &mut |row| {
                    let candidate = row.into_iter().next().unwrap_or(Value::Null);
                    match compare::compare(&needle, &candidate) {
                        None => unknown = true,
                        Some(order) => {
                            if verdict(*op, order) != *all {
                                decided = Some(!*all);
                                return Ok(Flow::Enough);
                            }
                        }
                    }
                    Ok(Flow::More)
                })?;
                Ok(match decided {
                    Some(result) => Some(result),
                    None if unknown => None,
                    None => Some(*all),
                })
            }
        }
    }
}
