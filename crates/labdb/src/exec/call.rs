//! EXEC and calls by protocol: procedures, system procedures, texts.

use super::parameters::{self, Argument, OutputValue, Returned};
use super::{Executor, Outcome, system_procedures};
use crate::bind::Binder;
use crate::catalog::{DataPermission, Procedure};
use crate::instance::Database;
use crate::session::{Command, Done, EnvChange, Frame};
use labdb_tsql::ast::{Execute, ExecuteTarget, Expr, ObjectName, ProcedureParameter};
use labdb_types::{SqlError, SqlResult, SqlType, Value};
use std::any::Any;
use std::sync::Arc;

impl Executor<'_> {
    /// EXEC.
    pub(crate) fn execute(&mut self, execute: &Execute) -> SqlResult<Outcome> {
        let name = match &execute.target {
            ExecuteTarget::Text(text) => {
                let text = self.evaluate_text(text)?.unwrap_or_default();
                return self.nested(|e| e.text(&text, &[], &[]).map(|(outcome, _)| outcome));
            }
            ExecuteTarget::Procedure(name) => name.clone(),
            ExecuteTarget::Variable(variable) => {
                match self.frame.variable(&crate::catalog::fold(variable))? {
                    Value::Text(text) => ObjectName {
                        parts: crate::functions::split_name(&text),
                    },
                    _ => {
                        return Err(
                            SqlError::new(2812, "Could not find stored procedure ''.").state(62)
                        );
                    }
                }
            }
        };
        let mut arguments = Vec::with_capacity(execute.arguments.len());
        for argument in &execute.arguments {
            let (value, sql_type) = if matches!(argument.value, Expr::Default) {
                (None, SqlType::Int)
            } else {
                let (value, sql_type) = self.evaluate(&argument.value)?;
                (Some(value), sql_type)
            };
            arguments.push(Argument {
                name: argument.name.clone(),
                sql_type,
                value,
                output: argument.output,
            });
        }
        self.client.begin_procedure();
        let returned = match procedure(self, &name, &arguments) {
            Ok(returned) => returned,
            Err(e) => {
                let e = self.at_call(e);
                if self.frame.tries.get() == 0 {
                    let outcome = self.failed(e, None)?;
                    self.client.end_procedure(
                        None,
                        &Done {
                            rows: None,
                            error: true,
                            in_transaction: self.session.tran_count.get() > 0,
                            command: Command::Other,
                        },
                    )?;
                    return Ok(outcome);
                }
                self.client.end_procedure(
                    None,
                    &Done {
                        rows: None,
                        error: true,
                        in_transaction: self.session.tran_count.get() > 0,
                        command: Command::Other,
                    },
                )?;
                return Err(e);
            }
        };
        for (place, output) in &returned.outputs {
            if let Some(Expr::Variable(variable)) =
                execute.arguments.get(usize::from(*place)).map(|a| &a.value)
            {
                let target = self
                    .frame
                    .variable_type(variable)
                    .ok_or_else(|| Frame::undeclared(variable))?;
                self.frame.set(
                    variable,
                    crate::eval::convert::convert(&output.value, output.sql_type, target, None)?,
                )?;
            }
        }
        if let Some(variable) = &execute.return_variable {
            let target = self
                .frame
                .variable_type(variable)
                .ok_or_else(|| Frame::undeclared(variable))?;
            let status = Value::Int(returned.status.unwrap_or(0));
            self.frame.set(
                variable,
                crate::eval::convert::convert(&status, SqlType::Int, target, None)?,
            )?;
        }
        self.client.end_procedure(
            returned.status,
            &Done {
                rows: None,
                error: false,
                in_transaction: self.session.tran_count.get() > 0,
                command: Command::Other,
            },
        )?;
        Ok(if returned.status.is_none() && self.aborted {
            Outcome::Abort
        } else {
            Outcome::Next
        })
    }

    /// Runs a text as a batch inside this one, with parameters of its own.
    pub(crate) fn text(
        &mut self,
        text: &str,
        declared: &[ProcedureParameter],
        arguments: &[Argument],
    ) -> SqlResult<(Outcome, Returned)> {
        let parsed = self.session.plans.borrow_mut().batch(text);
        let frame = Frame::called(None, self.frame.level + 1, self.frame.tries.get());
        let batch = match parsed {
            Ok(batch) => batch,
            Err(e) => {
                let owner: Arc<dyn Any + Send + Sync> = Arc::new(());
                Executor::new(self.session, &frame, &mut *self.client, owner).not_compiled(e)?;
                return Ok((Outcome::Next, Returned::default()));
            }
        };
        frame.scope_identity.set(None);
        let targets = parameters::bind("sp_executesql", declared, arguments, &frame, |_| {
            Ok((Value::Null, SqlType::Int))
        })?;
        let owner: Arc<dyn Any + Send + Sync> = Arc::clone(&batch) as Arc<dyn Any + Send + Sync>;
        let before = self.session.database();
        let options = self.session.options.borrow().clone();
        let count = self.session.tran_count.get();
        let outcome = {
            let mut inner = Executor::new(self.session, &frame, &mut *self.client, owner);
            let outcome = inner.compile_and_run(&batch.statements);
            self.aborted = inner.aborted || matches!(outcome, Ok(Outcome::Abort));
            self.thrown |= inner.thrown;
            outcome
        };
        // USE and SET last until the end of the text.
        self.restore_context(&before, options)?;
        self.session.drop_temp_tables(self.frame.level + 1);
        let outcome = outcome?;
        self.check_count(count, None)?;
        let returned = Returned {
            status: Some(0),
            outputs: outputs(&frame, &targets, arguments)?,
        };
        Ok((
            if outcome == Outcome::Abort {
                Outcome::Abort
            } else {
                Outcome::Next
            },
            returned,
        ))
    }

    /// Error 266 where a call left more or fewer transactions than it found; it ends nothing.
    fn check_count(&mut self, before: u32, procedure: Option<&str>) -> SqlResult<()> {
        let now = self.session.tran_count.get();
        if now == before || self.aborted || self.session.options.borrow().implicit_transactions {
            return Ok(());
        }
        let error = SqlError::new(
            266,
            format!(
                "Transaction count after EXECUTE indicates a mismatching number of BEGIN and \
                 COMMIT statements. Previous count = {before}, current count = {now}."
            ),
        )
        .state(2);
        let error = match procedure {
            Some(name) => SqlError {
                procedure: Some(name.to_owned()),
                ..error
            },
            None => error.at_line(self.line),
        };
        if self.frame.tries.get() > 0 {
            return Err(error);
        }
        self.client.error(&error)
    }

    /// An error of the call itself stands at its line, one of the procedure's parameters at the
    /// procedure's line 0.
    fn at_call(&self, error: SqlError) -> SqlError {
        if error.procedure.is_none() {
            error.at_line(self.line)
        } else {
            error
        }
    }

    fn restore_context(
        &mut self,
        database: &Arc<crate::instance::Database>,
        options: crate::session::SetOptions,
    ) -> SqlResult<()> {
        let now = self.session.database();
        if now.id != database.id {
            self.session.use_database(&database.name())?;
            self.client
                .env_change(&EnvChange::Database(now.name(), database.name()))?;
        }
        self.session.shared.publish_options(&options);
        *self.session.options.borrow_mut() = options;
        Ok(())
    }
}

/// The values of OUTPUT arguments after a call.
pub(crate) fn outputs(
    frame: &Frame,
    targets: &[String],
    arguments: &[Argument],
) -> SqlResult<Vec<(u16, OutputValue)>> {
    let mut out = Vec::new();
    for (place, (argument, target)) in arguments.iter().zip(targets).enumerate() {
        if argument.output {
            let sql_type = frame.variable_type(target).unwrap_or(argument.sql_type);
            out.push((
                place as u16,
                OutputValue {
                    name: target.clone(),
                    sql_type,
                    value: frame.variable(&crate::catalog::fold(target))?,
                },
            ));
        }
    }
    Ok(out)
}

/// Calls a procedure by name.
pub(crate) fn procedure(
    executor: &mut Executor<'_>,
    name: &ObjectName,
    arguments: &[Argument],
) -> SqlResult<Returned> {
    executor.aborted = false;
    let found = Binder::new(executor.session, executor.frame).procedure(name)?;
    let Some((procedure, database)) = found else {
        if let Some(procedure) = super::catalog_procedures::find(name)? {
            let database = executor.database_for(name)?;
            return run_procedure(executor, &procedure, &database, arguments);
        }
        if let Some(outcome) = system_procedures::call(executor, name, arguments) {
            return outcome;
        }
        return Err(SqlError::new(
            2812,
            format!(
                "Could not find stored procedure '{}'.",
                name.parts.join(".")
            ),
        )
        .state(62));
    };
    super::permission::check_object(
        executor.session,
        &database,
        DataPermission::Execute,
        (&procedure.schema, &procedure.name, procedure.object_id),
    )
    .or_else(|e| {
        // A procedure calls its owner's others for whoever may call it.
        let chained = crate::catalog::is_temporary(&procedure.name)
            || executor.frame.procedure_id.is_some()
                && executor.session.database_id() == database.id;
        if chained { Ok(()) } else { Err(e) }
    })?;
    run_procedure(executor, &procedure, &database, arguments)
}

/// Runs a procedure in its database.
fn run_procedure(
    executor: &mut Executor<'_>,
    procedure: &Arc<Procedure>,
    database: &Arc<Database>,
    arguments: &[Argument],
) -> SqlResult<Returned> {
    executor.nested(|executor| {
        let session = executor.session;
        let frame = Frame::called(
            Some((procedure.name.clone(), procedure.object_id)),
            executor.frame.level + 1,
            executor.frame.tries.get(),
        );
        let owner: Arc<dyn Any + Send + Sync> = Arc::clone(procedure) as Arc<dyn Any + Send + Sync>;
        let before = session.database();
        let options = session.options.borrow().clone();
        let count = session.tran_count.get();
        if before.id != database.id {
            session.use_database(&database.name())?;
        }
        if super::catalog_procedures::is_system(frame.procedure_id) {
            session.options.borrow_mut().no_count = true;
        }
        let (outcome, targets, aborted) = {
            let mut inner = Executor::new(session, &frame, &mut *executor.client, owner);
            let targets = parameters::bind(
                &procedure.name,
                &procedure.parameters,
                arguments,
                &frame,
                |e| inner.evaluate(e),
            );
            match targets {
                Ok(targets) => {
                    let outcome = inner.compile_and_run(&procedure.body);
                    executor.thrown |= inner.thrown;
                    (outcome, targets, inner.aborted)
                }
                Err(e) => {
                    let procedure = Some(procedure.name.clone());
                    (Err(SqlError { procedure, ..e }), Vec::new(), false)
                }
            }
        };
        executor.aborted = aborted || matches!(outcome, Ok(Outcome::Abort));
        if session.database_id() != before.id {
            session.use_database(&before.name())?;
        }
        session.shared.publish_options(&options);
        *session.options.borrow_mut() = options;
        session.drop_temp_tables(frame.level);
        let status = match outcome? {
            Outcome::Abort => None,
            Outcome::Return(status) => status.or(Some(-6)),
            _ => Some(0),
        };
        executor.check_count(count, Some(&procedure.name))?;
        Ok(Returned {
            status,
            outputs: outputs(&frame, &targets, arguments)?,
        })
    })
}
