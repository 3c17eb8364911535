//! Expressions and conditions.

use super::aggregates::aggregate_of;
use super::{Binder, Scope};
use crate::eval::arithmetic::{arithmetic_types, invalid_operand};
use crate::eval::types::{
    self, common_type, is_integer, is_number, is_temporal, is_text, resolve_cast_type,
};
use crate::eval::{convert, parse};
use crate::functions::{self, Parameter, Scalar};
use crate::plan::{Condition, Node, Plan, Typed};
use labdb_tsql::ast::{self, BinaryOp, ComparisonQuantifier, Expr, FunctionCall, Literal, UnaryOp};
use labdb_types::{Length, SqlError, SqlResult, SqlType, Value};
use std::sync::Arc;

/// Functions that are written without parentheses.
const NILADIC: &[&str] = &[
    "CURRENT_TIMESTAMP",
    "CURRENT_USER",
    "SESSION_USER",
    "SYSTEM_USER",
    "USER",
];

fn literal(literal: &Literal) -> SqlResult<Typed> {
    let overflow = || {
        SqlError::new(
            1007,
            "The number is out of the range for numeric representation (maximum precision 38).",
        )
        .severity(15)
    };
    Ok(match literal {
        Literal::Null => Typed::null(),
        Literal::Integer(digits) => match digits.parse::<i32>() {
            Ok(n) => Typed::constant(Value::Int(n), SqlType::Int),
            Err(_) => {
                let d = parse::decimal(digits).map_err(|_| overflow())?;
                let precision = d.mantissa.to_string().len().min(38) as u8;
                Typed::constant(
                    Value::Decimal(d),
                    SqlType::Decimal {
                        precision,
                        scale: 0,
                    },
                )
            }
        },
        Literal::Decimal(digits) => {
            let d = parse::decimal(digits).map_err(|_| overflow())?;
            let precision = d
                .mantissa
                .unsigned_abs()
                .to_string()
                .trim_start_matches('0')
                .len()
                .max(usize::from(d.scale))
                .max(1) as u8;
            Typed::constant(
                Value::Decimal(d),
                SqlType::Decimal {
                    precision,
                    scale: d.scale,
                },
            )
        }
        Literal::Float(f) => Typed::constant(Value::Float(*f), SqlType::Float),
        Literal::Money(text) => Typed::constant(
            Value::Money(parse::money(text).ok_or_else(overflow)?),
            SqlType::Money,
        ),
        Literal::Varchar(text) => {
            let length = convert::length_in(text, false) as u32;
            Typed::constant(
                Value::text(text),
                types::text_type(false, Some(length.max(1))),
            )
        }
        Literal::NVarchar(text) => {
            let length = convert::length_in(text, true) as u32;
            Typed::constant(
                Value::text(text),
                types::text_type(true, Some(length.max(1))),
            )
        }
        Literal::Binary(bytes) => {
            let length = if bytes.len() > 8000 {
                Length::Max
            } else {
                Length::Limited(bytes.len().max(1) as u16)
            };
            Typed::constant(
                Value::Binary(Arc::from(bytes.as_slice())),
                SqlType::VarBinary(length),
            )
        }
    })
}

/// Error 4145.
fn not_a_condition() -> SqlError {
    SqlError::new(
        4145,
        "An expression of non-boolean type specified in a context where a condition is expected.",
    )
    .severity(15)
}

fn is_comparison(op: BinaryOp) -> bool {
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
                    value
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
            return Ok(Typed::constant(Value::Int(n), SqlType::Int));
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
                if let Node::Constant(constant) = &value.node
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

    fn call(&self, call: &FunctionCall, scope: &Scope<'_>) -> SqlResult<Typed> {
        let name = call.name.object().to_ascii_uppercase();
        if call.over.is_some() {
            return Err(SqlError::new(
                4108,
                "Windowed functions can only appear in the SELECT or ORDER BY clauses.",
            )
            .severity(15));
        }
        if aggregate_of(call).is_some() {
            return Err(SqlError::new(
                147,
                "An aggregate may not appear in the WHERE clause unless it is in a subquery \
                 contained in a HAVING clause or a select list, and the column being aggregated \
                 is an outer reference.",
            )
            .severity(15));
        }
        let schema_ok = call.name.parts.len() == 1
            || call
                .name
                .schema()
                .is_some_and(|s| s.eq_ignore_ascii_case("sys"));
        let count = call.arguments.len();
        let wrong_count = |wanted: usize| {
            SqlError::new(
                174,
                format!(
                    "The {} function requires {wanted} argument(s).",
                    name.to_ascii_lowercase()
                ),
            )
            .severity(15)
        };
        match name.as_str() {
            "ISNULL" => {
                let [value, instead] = call.arguments.as_slice() else {
                    return Err(wrong_count(2));
                };
                let (value, instead) = (
                    self.expression(value, scope)?,
                    self.expression(instead, scope)?,
                );
                let sql_type = if value.is_null_literal() {
                    instead.sql_type
                } else {
                    value.sql_type
                };
                let nullable = value.nullable && instead.nullable;
                return Ok(Typed {
                    node: Node::Coalesce(vec![
                        value.coerced(sql_type)?,
                        instead.coerced(sql_type)?,
                    ]),
                    sql_type,
                    nullable,
                });
            }
            "COALESCE" => {
                if count < 2 {
                    return Err(wrong_count(2));
                }
                let values = self.expressions(&call.arguments, scope)?;
                if values.iter().all(Typed::is_null_literal) {
                    return Err(SqlError::new(
                        4127,
                        "At least one of the arguments to COALESCE must be an expression that is \
                         not the NULL constant.",
                    ));
                }
                let (values, sql_type) = unify(values)?;
                let nullable = values.iter().all(|v| v.nullable);
                return Ok(Typed {
                    node: Node::Coalesce(values),
                    sql_type,
                    nullable,
                });
            }
            "NULLIF" => {
                let [left, right] = call.arguments.as_slice() else {
                    return Err(wrong_count(2));
                };
                let (left, right) = (
                    self.expression(left, scope)?,
                    self.expression(right, scope)?,
                );
                common_type(left.sql_type, right.sql_type)?;
                let sql_type = left.sql_type;
                return Ok(Typed {
                    node: Node::NullIf(Box::new(left), Box::new(right)),
                    sql_type,
                    nullable: true,
                });
            }
            "IIF" => {
                let [condition, yes, no] = call.arguments.as_slice() else {
                    return Err(wrong_count(3));
                };
                let condition = self.condition(condition, scope)?;
                let (values, sql_type) = unify(vec![
                    self.expression(yes, scope)?,
                    self.expression(no, scope)?,
                ])?;
                let nullable = values.iter().any(|v| v.nullable);
                let mut values = values.into_iter();
                let (Some(yes), Some(no)) = (values.next(), values.next()) else {
                    return Err(wrong_count(3));
                };
                return Ok(Typed {
                    node: Node::Case {
                        arms: vec![(condition, yes)],
                        otherwise: Some(Box::new(no)),
                    },
                    sql_type,
                    nullable,
                });
            }
            "CHOOSE" => {
                let Some((index, values)) = call.arguments.split_first() else {
                    return Err(wrong_count(2));
                };
                let index = self.expression(index, scope)?.coerced(SqlType::Int)?;
                let (values, sql_type) = unify(self.expressions(values, scope)?)?;
                let arms = values
                    .into_iter()
                    .enumerate()
                    .map(|(at, value)| {
                        (
                            Condition::Compare(
                                BinaryOp::Equal,
                                index.clone(),
                                Typed::constant(Value::Int(at as i32 + 1), SqlType::Int),
                            ),
                            value,
                        )
                    })
                    .collect();
                return Ok(Typed {
                    node: Node::Case {
                        arms,
                        otherwise: None,
                    },
                    sql_type,
                    nullable: true,
                });
            }
            _ => {}
        }
        let function = functions::find(&name)
            .filter(|_| schema_ok)
            .ok_or_else(|| {
                if call.name.parts.len() > 1 {
                    SqlError::new(
                        4121,
                        format!(
                            "Cannot find either column \"{}\" or the user-defined function or \
                             aggregate \"{}\", or the name is ambiguous.",
                            call.name.parts.first().map_or("", String::as_str),
                            call.name.parts.join(".")
                        ),
                    )
                } else {
                    SqlError::new(
                        195,
                        format!(
                            "'{}' is not a recognized built-in function name.",
                            call.name.object()
                        ),
                    )
                    .severity(15)
                    .state(10)
                }
            })?;
        if count < function.min || count > function.max {
            return Err(if function.min == function.max {
                wrong_count(function.min)
            } else {
                SqlError::new(
                    189,
                    format!(
                        "The {} function requires {} to {} arguments.",
                        name.to_ascii_lowercase(),
                        function.min,
                        function.max
                    ),
                )
                .severity(15)
            });
        }
        self.apply(function, &call.arguments, scope)
    }

    fn apply(
        &self,
        function: &'static Scalar,
        arguments: &[Expr],
        scope: &Scope<'_>,
    ) -> SqlResult<Typed> {
        let mut bound = Vec::with_capacity(arguments.len());
        for (at, argument) in arguments.iter().enumerate() {
            let parameter = function
                .parameters
                .get(at)
                .or(function.parameters.last())
                .copied()
                .unwrap_or(Parameter::Any);
            bound.push(self.argument(function, parameter, argument, scope)?);
        }
        let sql_type = (function.result)(&bound);
        let nullable = bound.iter().any(|a| a.nullable) || !function.null_in_null_out;
        Ok(Typed {
            node: Node::Call(function, bound),
            sql_type,
            nullable,
        })
    }

    fn argument(
        &self,
        function: &'static Scalar,
        parameter: Parameter,
        argument: &Expr,
        scope: &Scope<'_>,
    ) -> SqlResult<Typed> {
        if parameter == Parameter::DatePart {
            let word = match argument {
                Expr::Column(name) if name.parts.len() == 1 => name.object().to_owned(),
                _ => String::new(),
            };
            if !functions::date::is_part(&word) {
                return Err(SqlError::new(
                    155,
                    format!(
                        "'{word}' is not a recognized {} option.",
                        function.name.to_ascii_lowercase()
                    ),
                )
                .severity(15));
            }
            return Ok(Typed::constant(
                Value::text(&word),
                SqlType::VarChar(Length::Limited(30)),
            ));
        }
        let value = self.expression(argument, scope)?;
        let from = value.sql_type;
        let target = match parameter {
            Parameter::Any | Parameter::DatePart => return Ok(value),
            Parameter::Text if is_text(from) => return Ok(value),
            Parameter::Text => types::text_type(false, convert::display_length(from)),
            Parameter::Name => SqlType::NVarChar(Length::Limited(4000)),
            Parameter::Int => SqlType::Int,
            Parameter::BigInt => SqlType::BigInt,
            Parameter::Float => SqlType::Float,
            Parameter::Number if is_number(from) => return Ok(value),
            Parameter::Number => SqlType::Float,
            Parameter::Moment if is_temporal(from) => return Ok(value),
            // A literal with more than three digits of a second keeps them.
            Parameter::Moment if function.name != "DATEADD" && is_text(from) => {
                SqlType::DateTime2(7)
            }
            Parameter::Moment => SqlType::DateTime,
        };
        if from == SqlType::SqlVariant {
            return Err(SqlError::new(
                8116,
                format!(
                    "Argument data type sql_variant is invalid for argument of {} function.",
                    function.name.to_ascii_lowercase()
                ),
            ));
        }
        if value.is_null_literal() {
            return Ok(Typed::constant(Value::Null, target));
        }
        convert::check_convertible(from, target, true)?;
        Ok(if from == target {
            value
        } else {
            value.converted(target, None, false)
        })
    }

    /// Binds several expressions.
    pub(crate) fn expressions(&self, list: &[Expr], scope: &Scope<'_>) -> SqlResult<Vec<Typed>> {
        list.iter().map(|e| self.expression(e, scope)).collect()
    }

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

/// Binds `a op b` for an arithmetic operator.
pub(crate) fn arithmetic(op: BinaryOp, a: Typed, b: Typed) -> SqlResult<Typed> {
    // An untyped NULL takes the other side's type; a literal number enters decimal arithmetic
    // with the digits that it has.
    let (left, right) = match (a.is_null_literal(), b.is_null_literal()) {
        (true, false) => (b.sql_type, b.sql_type),
        (false, true) => (a.sql_type, a.sql_type),
        _ => (literal_shape(&a, b.sql_type), literal_shape(&b, a.sql_type)),
    };
    let plan = arithmetic_types(op, left, right)?;
    let nullable = a.nullable || b.nullable;
    let (a, b) = (a.coerced(plan.left)?, b.coerced(plan.right)?);
    if let (Node::Constant(x), Node::Constant(y)) = (&a.node, &b.node)
        && let Ok(value) = crate::eval::arithmetic::apply(op, x, y, plan.result)
    {
        return Ok(Typed {
            node: Node::Constant(value),
            sql_type: plan.result,
            nullable,
        });
    }
    Ok(Typed {
        node: Node::Arithmetic(op, Box::new(a), Box::new(b)),
        sql_type: plan.result,
        nullable,
    })
}

fn literal_shape(side: &Typed, other: SqlType) -> SqlType {
    match (&side.node, other) {
        (Node::Constant(Value::Int(n)), SqlType::Decimal { .. }) => SqlType::Decimal {
            precision: n.unsigned_abs().to_string().len() as u8,
            scale: 0,
        },
        _ => side.sql_type,
    }
}

/// Binds `a op b` for a comparison.
pub(crate) fn compare(op: BinaryOp, a: Typed, b: Typed) -> SqlResult<Condition> {
    if is_text(a.sql_type) && is_text(b.sql_type) {
        // Lengths do not matter to a comparison, and converting would hide a column from seeks.
        return Ok(Condition::Compare(op, a, b));
    }
    let common = if a.is_null_literal() {
        b.sql_type
    } else if b.is_null_literal() {
        a.sql_type
    } else {
        comparison_type(op, a.sql_type, b.sql_type)?
    };
    Ok(Condition::Compare(
        op,
        a.coerced(common)?,
        b.coerced(common)?,
    ))
}

fn comparison_type(op: BinaryOp, a: SqlType, b: SqlType) -> SqlResult<SqlType> {
    common_type(a, b).map_err(|e| {
        if e.number == 206 && is_temporal(a) && is_temporal(b) {
            SqlError::new(
                402,
                format!(
                    "The data types {} and {} are incompatible in the {} operator.",
                    types::type_name(a),
                    types::type_name(b),
                    crate::eval::arithmetic::operator_name(op)
                ),
            )
        } else {
            e
        }
    })
}

/// Converts all to their common type; untyped NULLs take it.
pub(crate) fn unify(values: Vec<Typed>) -> SqlResult<(Vec<Typed>, SqlType)> {
    let mut common: Option<SqlType> = None;
    for value in values.iter().filter(|v| !v.is_null_literal()) {
        common = Some(match common {
            Some(so_far) => common_type(so_far, value.sql_type)?,
            None => value.sql_type,
        });
    }
    let sql_type = common.unwrap_or(SqlType::Int);
    let values = values
        .into_iter()
        .map(|v| v.coerced(sql_type))
        .collect::<SqlResult<Vec<_>>>()?;
    Ok((values, sql_type))
}
