//! Search conditions.

use super::coercion::{compare, unify};
use super::{Binder, Scope};
use crate::eval::convert;
use crate::eval::types::{self, common_type, is_number, is_temporal, is_text};
use crate::plan::{Condition, Plan, Typed};
use labdb_tsql::ast::{self, BinaryOp, ComparisonQuantifier, Expr, UnaryOp};
use labdb_types::{SqlError, SqlResult, SqlType};
use std::sync::Arc;

/// Error 4145.
fn not_a_condition() -> SqlError {
    SqlError::new(
        4145,
        "An expression of non-boolean type specified in a context where a condition is expected.",
    )
    .severity(15)
}

pub(super) fn is_comparison(op: BinaryOp) -> bool {
    matches!(
        op,
        BinaryOp::Equal
            | BinaryOp::NotEqual
            | BinaryOp::Less
            | BinaryOp::LessOrEqual
            | BinaryOp::Greater
            | BinaryOp::GreaterOrEqual
    )
}

impl Binder<'_> {
    /// Binds a search condition.
    pub(crate) fn condition(&self, condition: &Expr, scope: &Scope<'_>) -> SqlResult<Condition> {
        let negate = |condition: Condition, negated: bool| {
            if negated {
                Condition::Not(Box::new(condition))
            } else {
                condition
            }
        };
        Ok(match condition {
            Expr::Binary(BinaryOp::And, left, right) => {
                let mut parts = Vec::new();
                for side in [left, right] {
                    match self.condition(side, scope)? {
                        Condition::And(more) => parts.extend(more),
                        other => parts.push(other),
                    }
                }
                Condition::And(parts)
            }
            Expr::Binary(BinaryOp::Or, left, right) => Condition::Or(vec![
                self.condition(left, scope)?,
                self.condition(right, scope)?,
            ]),
            Expr::Unary(UnaryOp::Not, inner) => {
                Condition::Not(Box::new(self.condition(inner, scope)?))
            }
            Expr::Binary(op, left, right) if is_comparison(*op) => compare(
                *op,
                self.expression(left, scope)?,
                self.expression(right, scope)?,
            )?,
            Expr::IsNull { value, negated } => {
                negate(Condition::IsNull(self.expression(value, scope)?), *negated)
            }
            Expr::Between {
                value,
                low,
                high,
                negated,
            } => {
                let low = compare(
                    BinaryOp::GreaterOrEqual,
                    self.expression(value, scope)?,
                    self.expression(low, scope)?,
                )?;
                let high = compare(
                    BinaryOp::LessOrEqual,
                    self.expression(value, scope)?,
                    self.expression(high, scope)?,
                )?;
                negate(Condition::And(vec![low, high]), *negated)
            }
            Expr::InList {
                value,
                list,
                negated,
            } => {
                let mut all = vec![self.expression(value, scope)?];
                all.extend(self.expressions(list, scope)?);
                let (all, _) = unify(all)?;
                let mut all = all.into_iter();
                let Some(value) = all.next() else {
                    return Err(not_a_condition());
                };
                negate(Condition::InList(value, all.collect()), *negated)
            }
            Expr::InQuery {
                value,
                query,
                negated,
            } => negate(
                self.quantified(value, BinaryOp::Equal, false, query, scope)?,
                *negated,
            ),
            Expr::Quantified {
                value,
                op,
                quantifier,
                query,
            } => self.quantified(
                value,
                *op,
                *quantifier == ComparisonQuantifier::All,
                query,
                scope,
            )?,
            Expr::Like {
                value,
                pattern,
                escape,
                negated,
            } => {
                let text = |e: &Expr| -> SqlResult<Typed> {
                    let value = self.expression(e, scope)?;
                    if is_text(value.sql_type) {
                        return Ok(value);
                    }
                    if is_number(value.sql_type)
                        || is_temporal(value.sql_type)
                        || value.sql_type == SqlType::UniqueIdentifier
                    {
                        let target =
                            types::text_type(false, convert::display_length(value.sql_type));
                        return value.coerced(target);
                    }
                    Err(SqlError::new(
                        8116,
                        format!(
                            "Argument data type {} is invalid for argument 1 of like function.",
                            types::type_name(value.sql_type)
                        ),
                    ))
                };
                let escape = match escape {
                    Some(escape) => Some(text(escape)?),
                    None => None,
                };
                negate(
                    Condition::Like(text(value)?, text(pattern)?, escape),
                    *negated,
                )
            }
            Expr::Exists(query) => {
                Condition::Exists(Arc::new(self.bind_query(query, Some(scope))?.plan))
            }
            _ => {
                // Report what is wrong with the expression itself first.
                self.expression(condition, scope)?;
                return Err(not_a_condition());
            }
        })
    }

    fn quantified(
        &self,
        value: &Expr,
        op: BinaryOp,
        all: bool,
        query: &ast::Query,
        scope: &Scope<'_>,
    ) -> SqlResult<Condition> {
        let value = self.expression(value, scope)?;
        let bound = self.bind_query(query, Some(scope))?;
        let [column] = bound.columns.as_slice() else {
            return Err(SqlError::new(
                116,
                "Only one expression can be specified in the select list when the subquery is not \
                 introduced with EXISTS.",
            ));
        };
        let common = common_type(value.sql_type, column.sql_type)?;
        let right = Typed::column(0, column.sql_type, column.nullable).coerced(common)?;
        let plan = if column.sql_type == common {
            bound.plan
        } else {
            Plan::Project(Box::new(bound.plan), vec![right])
        };
        Ok(Condition::Quantified {
            value: value.coerced(common)?,
            op,
            all,
            plan: Arc::new(plan),
        })
    }
}
