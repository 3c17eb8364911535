//! Calls of functions, and the expressions that are written like one.

use super::aggregates::aggregate_of;
use super::coercion::unify;
use super::{Binder, Scope};
use crate::eval::convert;
use crate::eval::types::{self, common_type, is_number, is_temporal, is_text};
use crate::functions::{self, Parameter, Scalar};
use crate::plan::{Condition, Node, Typed};
use labdb_tsql::ast::{BinaryOp, Expr, FunctionCall};
use labdb_types::{Length, SqlError, SqlResult, SqlType, Value};

impl Binder<'_> {
    pub(super) fn call(&self, call: &FunctionCall, scope: &Scope<'_>) -> SqlResult<Typed> {
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
            "GREATEST" | "LEAST" if count > 0 => {
                let (values, sql_type) = unify(self.expressions(&call.arguments, scope)?)?;
                let nullable = values.iter().all(|v| v.nullable);
                if let Some(function) = functions::find(&name) {
                    return Ok(Typed {
                        node: Node::Call(function, values),
                        sql_type,
                        nullable,
                    });
                }
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

    pub(super) fn apply(
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
            if !functions::date_part::is_part(&word) {
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
}
