//! Typed expressions and their evaluation.

use super::condition::Condition;
use super::{Context, Env, Plan};
use crate::eval::{arithmetic, compare, convert};
use crate::functions::Scalar;
use labdb_tsql::ast::BinaryOp;
use labdb_types::{SqlError, SqlResult, SqlType, Value};
use std::sync::Arc;

/// An expression with its static type.
#[derive(Clone, Debug, PartialEq)]
pub struct Typed {
    /// What it does.
    pub node: Node,
    /// The type of its value.
    pub sql_type: SqlType,
    /// Whether it may be NULL.
    pub nullable: bool,
}

/// An expression's operation.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// A constant as the text has it. It alone has a length of its own, and its NULL no type.
    Literal(Value),
    /// A value worked out while binding, of the expression's type.
    Constant(Value),
    /// A column of a row, `depth` queries further out.
    Column {
        /// 0 is the query that the expression stands in.
        depth: usize,
        /// The place in the row.
        index: usize,
    },
    /// A variable, by its folded name.
    Variable(Arc<str>),
    /// `-e`.
    Negate(Box<Typed>),
    /// `~e`.
    BitNot(Box<Typed>),
    /// An arithmetic operation whose sides have the types that it needs.
    Arithmetic(BinaryOp, Box<Typed>, Box<Typed>),
    /// A conversion to the expression's type.
    Convert {
        /// The value.
        value: Box<Typed>,
        /// CONVERT's style.
        style: Option<Box<Typed>>,
        /// A failure gives NULL (`TRY_CAST`).
        or_null: bool,
    },
    /// CASE, with the operand already compared.
    Case {
        /// Condition and value of each WHEN.
        arms: Vec<(Condition, Typed)>,
        /// ELSE.
        otherwise: Option<Box<Typed>>,
    },
    /// The first of the values that is not NULL.
    Coalesce(Vec<Typed>),
    /// NULLIF: NULL when both are equal.
    NullIf(Box<Typed>, Box<Typed>),
    /// A function.
    Call(&'static Scalar, Vec<Typed>),
    /// A query of one column and at most one row.
    Subquery(Arc<Plan>),
}

impl Typed {
    /// A constant.
    pub fn constant(value: Value, sql_type: SqlType) -> Self {
        let nullable = value.is_null();
        Self {
            node: Node::Constant(value),
            sql_type,
            nullable,
        }
    }

    /// A constant as the text has it.
    pub fn literal(value: Value, sql_type: SqlType) -> Self {
        Self {
            nullable: value.is_null(),
            node: Node::Literal(value),
            sql_type,
        }
    }

    /// An untyped NULL.
    pub fn null() -> Self {
        Self::literal(Value::Null, SqlType::Int)
    }

    /// Whether this is the literal NULL.
    pub fn is_null_literal(&self) -> bool {
        matches!(self.node, Node::Literal(Value::Null))
    }

    /// The value, where it is known already.
    pub fn known(&self) -> Option<&Value> {
        match &self.node {
            Node::Literal(value) | Node::Constant(value) => Some(value),
            _ => None,
        }
    }

    /// A column of the innermost row.
    pub fn column(index: usize, sql_type: SqlType, nullable: bool) -> Self {
        Self {
            node: Node::Column { depth: 0, index },
            sql_type,
            nullable,
        }
    }

    /// The same converted to a type, if it does not have it already.
    ///
    /// # Errors
    /// Where no implicit conversion exists.
    pub fn coerced(self, target: SqlType) -> SqlResult<Self> {
        if self.sql_type == target {
            return Ok(self);
        }
        if self.is_null_literal() {
            return Ok(Self::constant(Value::Null, target));
        }
        convert::check_convertible(self.sql_type, target, false)?;
        Ok(self.converted(target, None, false))
    }

    /// The same under an explicit conversion.
    #[must_use]
    pub fn converted(self, target: SqlType, style: Option<Typed>, or_null: bool) -> Self {
        let nullable = self.nullable || or_null;
        if let (Some(value), None) = (self.known(), &style) {
            // A constant is converted once; a failure is left for run time.
            if let Ok(value) = convert::convert(value, self.sql_type, target, None) {
                return Self {
                    node: Node::Constant(value),
                    sql_type: target,
                    nullable,
                };
            }
        }
        Self {
            node: Node::Convert {
                value: Box::new(self),
                style: style.map(Box::new),
                or_null,
            },
            sql_type: target,
            nullable,
        }
    }

    /// Evaluates to a value of the expression's type.
    ///
    /// # Errors
    /// The run-time errors of the operations in it.
    pub fn eval(&self, ctx: &Context<'_>, env: &Env<'_>) -> SqlResult<Value> {
        match &self.node {
            Node::Literal(value) | Node::Constant(value) => Ok(value.clone()),
            Node::Column { depth, index } => env
                .get(*depth, *index)
                .cloned()
                .ok_or_else(|| internal("a column is outside its row")),
            Node::Variable(name) => ctx.frame.variable(name),
            Node::Negate(inner) => arithmetic::negate(&inner.eval(ctx, env)?, self.sql_type),
            Node::BitNot(inner) => {
                let value = inner.eval(ctx, env)?;
                match (&value, convert::as_i64(&value)) {
                    (Value::Null, _) => Ok(Value::Null),
                    (Value::Bit(b), _) => Ok(Value::Bit(!b)),
                    (Value::TinyInt(n), _) => Ok(Value::TinyInt(!n)),
                    (_, Some(n)) => convert::integer_value(!n, self.sql_type)
                        .ok_or_else(|| convert::overflow(self.sql_type)),
                    _ => Err(arithmetic::invalid_operand(self.sql_type, "'~'")),
                }
            }
            Node::Arithmetic(op, left, right) => {
                let (a, b) = (left.eval(ctx, env)?, right.eval(ctx, env)?);
                arithmetic::apply(*op, &a, &b, self.sql_type)
            }
            Node::Convert {
                value,
                style,
                or_null,
            } => {
                let inner = value.eval(ctx, env)?;
                let style = match style {
                    Some(style) => convert::as_i64(&style.eval(ctx, env)?).map(|n| n as i32),
                    None => None,
                };
                match convert::convert(&inner, value.sql_type, self.sql_type, style) {
                    Err(_) if *or_null => Ok(Value::Null),
                    other => other,
                }
            }
            Node::Case { arms, otherwise } => {
                for (condition, value) in arms {
                    if condition.holds(ctx, env)? {
                        return value.eval(ctx, env);
                    }
                }
                otherwise
                    .as_ref()
                    .map_or(Ok(Value::Null), |value| value.eval(ctx, env))
            }
            Node::Coalesce(values) => {
                for value in values {
                    let value = value.eval(ctx, env)?;
                    if !value.is_null() {
                        return Ok(value);
                    }
                }
                Ok(Value::Null)
            }
            Node::NullIf(left, right) => {
                let (a, b) = (left.eval(ctx, env)?, right.eval(ctx, env)?);
                let common = crate::eval::types::common_type(left.sql_type, right.sql_type)?;
                let (x, y) = (
                    convert::convert(&a, left.sql_type, common, None)?,
                    convert::convert(&b, right.sql_type, common, None)?,
                );
                Ok(
                    if compare::compare(&x, &y) == Some(std::cmp::Ordering::Equal) {
                        Value::Null
                    } else {
                        a
                    },
                )
            }
            Node::Call(function, arguments) => {
                let mut values = Vec::with_capacity(arguments.len());
                for argument in arguments {
                    values.push(argument.eval(ctx, env)?);
                }
                if function.null_in_null_out && values.iter().any(Value::is_null) {
                    return Ok(Value::Null);
                }
                (function.run)(&crate::functions::Call {
                    ctx,
                    arguments,
                    values: &values,
                    result: self.sql_type,
                })
            }
            Node::Subquery(plan) => {
                let mut found: Option<Value> = None;
                plan.run(ctx, Some(env), &mut |row| {
                    if found.is_some() {
                        return Err(SqlError::new(
                            512,
                            "Subquery returned more than 1 value. This is not permitted when the \
                             subquery follows =, !=, <, <= , >, >= or when the subquery is used \
                             as an expression.",
                        ));
                    }
                    found = Some(row.into_iter().next().unwrap_or(Value::Null));
                    Ok(super::Flow::More)
                })?;
                Ok(found.unwrap_or(Value::Null))
            }
        }
    }
}

/// An error that only a fault of labdb itself can cause.
pub fn internal(what: &str) -> SqlError {
    SqlError::new(
        8624,
        format!("Internal labdb error: {what}. Please report the statement."),
    )
    .severity(17)
}
