//! Arguments and parameters of procedures.

use super::Executor;
use crate::catalog::fold;
use crate::eval::{convert, types};
use crate::session::Frame;
use labdb_tsql::ast::{Expr, ProcedureParameter};
use labdb_types::{SqlError, SqlResult, SqlType, Value};

/// An argument with its value.
#[derive(Clone, Debug)]
pub(crate) struct Argument {
    /// With the `@`; none where it goes by position.
    pub(crate) name: Option<String>,
    pub(crate) sql_type: SqlType,
    /// None for DEFAULT.
    pub(crate) value: Option<Value>,
    pub(crate) output: bool,
}

/// The value of an OUTPUT parameter after the call.
#[derive(Clone, Debug)]
pub(crate) struct OutputValue {
    pub(crate) name: String,
    pub(crate) sql_type: SqlType,
    pub(crate) value: Value,
}

/// What a call left.
#[derive(Clone, Debug, Default)]
pub(crate) struct Returned {
    pub(crate) status: Option<i32>,
    /// Values of OUTPUT arguments with the argument's place in the call.
    pub(crate) outputs: Vec<(u16, OutputValue)>,
}

/// Declares the parameters in the callee's frame and sets them from the arguments. Gives, for
/// each argument, the parameter that it went to.
pub(crate) fn bind(
    procedure: &str,
    parameters: &[ProcedureParameter],
    arguments: &[Argument],
    frame: &Frame,
    mut default: impl FnMut(&Expr) -> SqlResult<(Value, SqlType)>,
) -> SqlResult<Vec<String>> {
    let mut targets = Vec::with_capacity(arguments.len());
    let mut given: Vec<Option<&Argument>> = vec![None; parameters.len()];
    let mut named = false;
    for (place, argument) in arguments.iter().enumerate() {
        let at = match &argument.name {
            Some(name) => {
                named = true;
                let wanted = fold(name);
                parameters
                    .iter()
                    .position(|p| fold(&p.name) == wanted)
                    .ok_or_else(|| {
                        SqlError::new(
                            8145,
                            format!("{name} is not a parameter for procedure {procedure}."),
                        )
                        .state(2)
                    })?
            }
            None if named => {
                return Err(SqlError::new(
                    119,
                    format!(
                        "Must pass parameter number {} and subsequent parameters as '@name = \
                         value'. After the form '@name = value' has been used, all subsequent \
                         parameters must be passed in the form '@name = value'.",
                        place + 1
                    ),
                )
                .severity(15));
            }
            None => place,
        };
        let Some(slot) = given.get_mut(at) else {
            return Err(SqlError::new(
                8144,
                format!("Procedure or function {procedure} has too many arguments specified."),
            )
            .state(2));
        };
        if slot.is_some() {
            return Err(SqlError::new(
                8143,
                format!(
                    "Parameter '{}' was supplied multiple times.",
                    argument.name.as_deref().unwrap_or("")
                ),
            ));
        }
        *slot = Some(argument);
        if argument.output && !parameters.get(at).is_some_and(|p| p.output) {
            return Err(SqlError::new(
                8162,
                format!(
                    "The formal parameter \"{}\" was not declared as an OUTPUT parameter, but the \
                     actual parameter passed in requested output.",
                    parameters.get(at).map_or("", |p| p.name.as_str())
                ),
            )
            .state(2));
        }
        targets.push(
            parameters
                .get(at)
                .map_or_else(String::new, |p| p.name.clone()),
        );
    }
    for (parameter, argument) in parameters.iter().zip(given) {
        let sql_type = types::resolve_type(
            &parameter.type_name.name,
            &parameter.type_name.arguments,
            parameter.type_name.max,
        )?;
        frame.declare(&parameter.name, sql_type)?;
        let value = match (argument, &parameter.default) {
            (
                Some(Argument {
                    value: Some(value),
                    sql_type: from,
                    ..
                }),
                _,
            ) => {
                convert::check_convertible(*from, sql_type, false)
                    .or_else(|e| if value.is_null() { Ok(()) } else { Err(e) })?;
                convert::convert(value, *from, sql_type, None).map_err(|e| {
                    if e.number == 245 || e.number == 241 {
                        SqlError::new(
                            8114,
                            format!(
                                "Error converting data type {} to {}.",
                                types::type_name(*from),
                                types::type_name(sql_type)
                            ),
                        )
                        .state(5)
                    } else {
                        e
                    }
                })?
            }
            (_, Some(expression)) => {
                let (value, from) = default(expression)?;
                convert::convert(&value, from, sql_type, None)?
            }
            (Some(_) | None, None) => {
                return Err(SqlError::new(
                    201,
                    format!(
                        "Procedure or function '{procedure}' expects parameter '{}', which was \
                         not supplied.",
                        parameter.name
                    ),
                )
                .state(4));
            }
        };
        frame.set(&parameter.name, value)?;
    }
    Ok(targets)
}

impl Executor<'_> {
    /// Declares variables.
    pub(crate) fn declare(
        &mut self,
        list: &[labdb_tsql::ast::VariableDeclaration],
    ) -> SqlResult<()> {
        for declaration in list {
            let sql_type = types::resolve_type(
                &declaration.type_name.name,
                &declaration.type_name.arguments,
                declaration.type_name.max,
            )?;
            self.frame.declare(&declaration.name, sql_type)?;
            if let Some(value) = &declaration.value {
                let value = self.assigned(value, sql_type)?;
                self.frame.set(&declaration.name, value)?;
            }
        }
        Ok(())
    }

    fn assigned(&self, expression: &Expr, target: SqlType) -> SqlResult<Value> {
        let (value, from) = self.evaluate(expression)?;
        if !value.is_null() {
            convert::check_convertible(from, target, false)?;
        }
        convert::convert(&value, from, target, None)
    }

    /// SET @v = e.
    pub(crate) fn set_variable(
        &mut self,
        assignment: &labdb_tsql::ast::Assignment,
    ) -> SqlResult<()> {
        let target = self
            .frame
            .variable_type(&assignment.target)
            .ok_or_else(|| Frame::undeclared(&assignment.target))?;
        let value = match super::assign::operator(assignment.op) {
            None => self.assigned(&assignment.value, target)?,
            Some(_) => {
                let value = (*self.scalar_plan(&assignment.value)?).clone();
                let combined =
                    super::assign::combine(assignment.op, &assignment.target, target, value)?;
                combined.eval(&self.context(), &crate::plan::Env::empty())?
            }
        };
        self.frame.set(&assignment.target, value)
    }
}
