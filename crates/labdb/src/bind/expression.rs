//! Expressions that give a value.

use super::coercion::{arithmetic, compare, unify};
use super::condition::is_comparison;
use super::literal::literal;
use super::{Binder, Scope};
use crate::eval::arithmetic::invalid_operand;
use crate::eval::convert;
use crate::eval::types::{self, is_integer, is_number, is_text, resolve_cast_type};
use crate::functions;
use crate::plan::{Node, Typed};
use labdb_tsql::ast::{self, BinaryOp, Expr, Literal, UnaryOp};
use labdb_types::{SqlError, SqlResult, SqlType, Value};
use std::sync::Arc;

/// Functions that are written without parentheses.
const NILADIC: &[&str] = &[
    "CURRENT_TIMESTAMP",
    "CURRENT_USER",
    "SESSION_USER",
    "SYSTEM_USER",
    "USER",
];

impl Binder<'_> {
    /// Binds an expression.
    pub(crate) fn expression(&self, expression: &Expr, scope: &Scope<'_>) -> SqlResult<Typed> {
        if let Some(grouping) = scope.grouping
            && let Some(found) = self.grouped(expression, scope, grouping)?
        {
            return Ok(found);
        }
        match expression {
            Expr::Literal(l) => literal(l),
            Expr::Variable(name) => {
                let sql_type = self.frame.variable_type(name).ok_or_else(|| {
                    if self.frame.table_variable(name).is_ok() {
                        SqlError::new(137, format!("Must declare the scalar variable \"{name}\"."))
                            .severity(15)
                            .state(2)
                    } else {
                        crate::session::Frame::undeclared(name)
                    }
                })?;
                Ok(Typed {
                    node: Node::Variable(crate::catalog::fold(name).into()),
                    sql_type,
                    nullable: true,
                })
            }
            Expr::GlobalVariable(name) => {
                let function = functions::global(name)
                    .ok_or_else(|| crate::session::Frame::undeclared(name))?;
                Ok(Typed {
                    node: Node::Call(function, Vec::new()),
                    sql_type: (function.result)(&[]),
                    nullable: true,
                })
            }
            Expr::Column(name) => match scope.column(name) {
                Ok(column) => Ok(column),
                Err(e) => {
                    let bare = name.parts.len() == 1
                        && NILADIC
                            .iter()
                            .any(|n| n.eq_ignore_ascii_case(name.object()));
                    match functions::find(name.object()).filter(|_| bare) {
                        Some(function) => Ok(Typed {
                            node: Node::Call(function, Vec::new()),
                            sql_type: (function.result)(&[]),
                            nullable: true,
                        }),
                        None => Err(e),
                    }
                }
            },
            Expr::Default => {
                Err(SqlError::new(156, "Incorrect syntax near the keyword 'DEFAULT'.").severity(15))
            }
            Expr::Unary(op, inner) => self.unary(*op, inner, scope),
            Expr::Binary(op, left, right)
                if matches!(op, BinaryOp::And | BinaryOp::Or) || is_comparison(*op) =>
            {
                let _ = (left, right);
                Err(SqlError::new(
                    102,
                    "Incorrect syntax: a condition stands where a value is expected.",
                )
                .severity(15))
            }
            Expr::Binary(op, left, right) => {
                let (a, b) = (
                    self.expression(left, scope)?,
                    self.expression(right, scope)?,
                );
                arithmetic(*op, a, b)
            }
            Expr::Function(call) => self.call(call, scope),
            Expr::Cast {
                value,
                target,
                style,
                or_null,
            } => {
                let value = self.expression(value, scope)?;
                let to = resolve_cast_type(&target.name, &target.arguments, target.max).map_err(
                    |e| {
                        if e.number == 2715 {
                            SqlError::new(
                                243,
                                format!("Type {} is not a defined system type.", target.name),
                            )
                        } else {
                            e
                        }
                    },
                )?;
                let style = match style {
                    Some(style) => Some(self.expression(style, scope)?.coerced(SqlType::Int)?),
                    None => None,
                };
                if value.is_null_literal() {
                    return Ok(Typed::constant(Value::Null, to));
                }
                convert::check_convertible(value.sql_type, to, true)?;
                Ok(if value.sql_type == to && style.is_none() {
                    match value.node {
                        Node::Literal(known) => Typed::constant(known, to),
                        _ => value,
                    }
                } else {
                    value.converted(to, style, *or_null)
                })
            }
            Expr::Case {
                operand,
                arms,
                otherwise,
            } => self.case(operand.as_deref(), arms, otherwise.as_deref(), scope),
            Expr::Subquery(query) => {
                let bound = self.bind_query(query, Some(scope))?;
                let [column] = bound.columns.as_slice() else {
                    return Err(SqlError::new(
                        116,
                        "Only one expression can be specified in the select list when the \
                         subquery is not introduced with EXISTS.",
                    ));
                };
                let sql_type = column.sql_type;
                Ok(Typed {
                    node: Node::Subquery(Arc::new(bound.plan)),
                    sql_type,
                    nullable: true,
                })
            }
            Expr::Collate(inner, name) => {
                let value = self.expression(inner, scope)?;
                if !is_text(value.sql_type) {
                    return Err(SqlError::new(
                        447,
                        format!(
                            "Expression type {} is invalid for COLLATE clause.",
                            types::type_name(value.sql_type)
                        ),
                    ));
                }
                crate::exec::database::check_collation(name)?;
                Ok(value)
            }
            Expr::IsNull { .. }
            | Expr::Between { .. }
            | Expr::InList { .. }
            | Expr::InQuery { .. }
            | Expr::Like { .. }
            | Expr::Exists(_)
            | Expr::Quantified { .. } => Err(SqlError::new(
                102,
                "Incorrect syntax: a condition stands where a value is expected.",
            )
            .severity(15)),
        }
    }

    fn unary(&self, op: UnaryOp, inner: &Expr, scope: &Scope<'_>) -> SqlResult<Typed> {
        // -2147483648 is an int, though 2147483648 is not.
        if let (UnaryOp::Minus, Expr::Literal(Literal::Integer(digits))) = (op, inner)
            && let Ok(n) = format!("-{digits}").parse::<i32>()
        {
            return Ok(Typed::literal(Value::Int(n), SqlType::Int));
        }
        let value = self.expression(inner, scope)?;
        let sql_type = value.sql_type;
        let nullable = value.nullable;
        match op {
            UnaryOp::Plus => Ok(value),
            UnaryOp::Minus => {
                if !is_number(sql_type) || sql_type == SqlType::Bit {
                    return Err(invalid_operand(sql_type, "minus"));
                }
                let result = if sql_type == SqlType::TinyInt {
                    SqlType::SmallInt
                } else {
                    sql_type
                };
                let value = value.coerced(result)?;
                if let Some(constant) = value.known()
                    && let Ok(negative) = crate::eval::arithmetic::negate(constant, result)
                {
                    return Ok(Typed::constant(negative, result));
                }
                Ok(Typed {
                    node: Node::Negate(Box::new(value)),
                    sql_type: result,
                    nullable,
                })
            }
            UnaryOp::BitNot => {
                if !is_integer(sql_type) {
                    return Err(invalid_operand(sql_type, "'~'"));
                }
                Ok(Typed {
                    node: Node::BitNot(Box::new(value)),
                    sql_type,
                    nullable,
                })
            }
            UnaryOp::Not => Err(SqlError::new(
                102,
                "Incorrect syntax: a condition stands where a value is expected.",
            )
            .severity(15)),
        }
    }

    fn case(
        &self,
        operand: Option<&Expr>,
        arms: &[ast::WhenThen],
        otherwise: Option<&Expr>,
        scope: &Scope<'_>,
    ) -> SqlResult<Typed> {
        let mut conditions = Vec::with_capacity(arms.len());
        let mut values = Vec::with_capacity(arms.len() + 1);
        for arm in arms {
            conditions.push(match operand {
                Some(operand) => compare(
                    BinaryOp::Equal,
                    self.expression(operand, scope)?,
                    self.expression(&arm.when, scope)?,
                )?,
                None => self.condition(&arm.when, scope)?,
            });
            values.push(self.expression(&arm.then, scope)?);
        }
        if let Some(otherwise) = otherwise {
            values.push(self.expression(otherwise, scope)?);
        }
        if values.iter().all(Typed::is_null_literal) {
            return Err(SqlError::new(
                8133,
                "At least one of the result expressions in a CASE specification must be an \
                 expression other than the NULL constant.",
            ));
        }
        let (mut values, sql_type) = unify(values)?;
        let nullable = otherwise.is_none() || values.iter().any(|v| v.nullable);
        let otherwise = otherwise.and_then(|_| values.pop()).map(Box::new);
        Ok(Typed {
            node: Node::Case {
                arms: conditions.into_iter().zip(values).collect(),
                otherwise,
            },
            sql_type,
            nullable,
        })
    }

    /// Binds several expressions.
    pub(crate) fn expressions(&self, list: &[Expr], scope: &Scope<'_>) -> SqlResult<Vec<Typed>> {
        list.iter().map(|e| self.expression(e, scope)).collect()
    }
}
