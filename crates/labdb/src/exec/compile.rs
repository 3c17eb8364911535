//! A batch or procedure is compiled before its first statement runs: variables are declared, names
//! and types are checked. A statement that names a missing object waits until it runs (deferred
//! name resolution).

use super::{Executor, Outcome};
use crate::eval::types;
use labdb_tsql::ast::{ExecuteTarget, InsertSource, Statement, StatementKind, Waiting};
use labdb_types::{SqlError, SqlResult};
use std::sync::Arc;

/// Errors that SQL Server finds when it compiles a statement. Such an error, found while a
/// statement runs, ends its batch or procedure, and no CATCH of the same batch or procedure sees
/// it.
pub(super) fn is_compile_error(number: i32) -> bool {
    matches!(
        number,
        102 | 105
            | 107
            | 109
            | 110
            | 116
            | 120
            | 121
            | 127
            | 132
            | 133
            | 134
            | 135
            | 136
            | 137
            | 141
            | 145
            | 147
            | 156
            | 164
            | 174
            | 178
            | 189
            | 195
            | 205
            | 206
            | 207
            | 208
            | 209
            | 213
            | 243
            | 257
            | 264
            | 306
            | 321
            | 402
            | 529
            | 1011
            | 1013
            | 1087
            | 2715
            | 4104
            | 4108
            | 4121
            | 8114
            | 8116
            | 8117
            | 8120
            | 8121
            | 8127
            | 8155
            | 8156
            | 8158
            | 8159
    )
}

/// A missing object is looked for again when the statement runs; so is what labdb does not have,
/// and what the login may not do. The rest of a batch may never come to it.
fn waits_until_it_runs(error: &SqlError) -> bool {
    error.number == 208 || !is_compile_error(error.number) && error.number != 911
}

impl Executor<'_> {
    /// Compiles the statements of a batch, text or procedure and runs them.
    pub(crate) fn compile_and_run(&mut self, statements: &[Statement]) -> SqlResult<Outcome> {
        match self.compile(statements) {
            Ok(()) => self.run_all(statements),
            Err(e) => self.not_compiled(e),
        }
    }

    /// Tells of an error because of which nothing of the text ran.
    pub(super) fn not_compiled(&mut self, error: SqlError) -> SqlResult<Outcome> {
        self.recompiling.set(true);
        self.failed(error.at_line(1), None)
    }

    /// Declares the variables of a batch, text or procedure and checks its statements.
    ///
    /// # Errors
    /// The first error, with its line. Nothing has run then.
    pub(super) fn compile(&mut self, statements: &[Statement]) -> SqlResult<()> {
        self.frame.seal();
        let known = self.compiled(statements);
        if known == Some(false) {
            return Ok(());
        }
        let before = self.session.database();
        let mut pass = Pass {
            check: known.is_none(),
            declares: false,
            loops: 0,
        };
        let outcome =
            check_labels(statements).and_then(|()| self.compile_list(statements, &mut pass));
        if self.session.database_id() != before.id {
            self.session.use_database(&before.name())?;
        }
        self.recompiling.set(false);
        outcome?;
        if pass.check {
            self.note_compiled(statements, pass.declares);
        }
        Ok(())
    }

    fn compile_list(&mut self, statements: &[Statement], pass: &mut Pass) -> SqlResult<()> {
        statements
            .iter()
            .try_for_each(|s| self.compile_one(s, pass).map_err(|e| e.at_line(s.line)))
    }

    fn compile_one(&mut self, statement: &Statement, pass: &mut Pass) -> SqlResult<()> {
        self.line = statement.line;
        match &statement.kind {
            StatementKind::Block(inner) => self.compile_list(inner, pass),
            StatementKind::If {
                condition,
                then,
                otherwise,
            } => {
                pass.check(|| self.condition_plan(condition))?;
                self.compile_list(std::slice::from_ref(then), pass)?;
                match otherwise {
                    Some(otherwise) => self.compile_list(std::slice::from_ref(otherwise), pass),
                    None => Ok(()),
                }
            }
            StatementKind::While { condition, body } => {
                pass.check(|| self.condition_plan(condition))?;
                pass.loops += 1;
                let outcome = self.compile_list(std::slice::from_ref(body), pass);
                pass.loops -= 1;
                outcome
            }
            StatementKind::Break if pass.loops == 0 => Err(SqlError::new(
                135,
                "Cannot use a BREAK statement outside the scope of a WHILE statement.",
            )
            .severity(15)),
            StatementKind::Continue if pass.loops == 0 => Err(SqlError::new(
                136,
                "Cannot use a CONTINUE statement outside the scope of a WHILE statement.",
            )
            .severity(15)),
            StatementKind::Return(Some(_)) if self.frame.procedure.is_none() => Err(SqlError::new(
                178,
                "A RETURN statement with a return value cannot be used in this context.",
            )
            .severity(15)),
            StatementKind::TryCatch { body, handler } => {
                self.compile_list(body, pass)?;
                self.compile_list(handler, pass)
            }
            StatementKind::Declare(list) => {
                pass.declares = true;
                for declaration in list {
                    if let Some(value) = &declaration.value {
                        pass.check(|| self.scalar_plan(value))?;
                    }
                }
                for declaration in list {
                    let wanted = &declaration.type_name;
                    let sql_type =
                        types::resolve_type(&wanted.name, &wanted.arguments, wanted.max)?;
                    self.frame.declare_once(&declaration.name, sql_type)?;
                }
                Ok(())
            }
            StatementKind::DeclareTable {
                name,
                columns,
                constraints,
            } => {
                pass.declares = true;
                self.frame.check_undeclared(name)?;
                let table = self.temporary(name, columns, constraints)?;
                self.frame
                    .declare_table(name, Arc::new(table), self.session.take_frame_key());
                Ok(())
            }
            StatementKind::Use(name) => match self.session.use_database(name) {
                Err(e) if !waits_until_it_runs(&e) => Err(e),
                _ => Ok(()),
            },
            kind if pass.check => self.check_statement(kind),
            _ => Ok(()),
        }
    }

    fn check_statement(&self, kind: &StatementKind) -> SqlResult<()> {
        match kind {
            StatementKind::Select(query) => deferred(self.query_plan(query)),
            StatementKind::Insert(insert) => {
                if let InsertSource::Execute(execute) = &insert.source {
                    self.check_execute(execute)?;
                }
                deferred(self.insert_plan(insert))
            }
            StatementKind::Update(update) => deferred(self.update_plan(update)),
            StatementKind::Delete(delete) => deferred(self.delete_plan(delete)),
            StatementKind::DeclareCursor(declared) => {
                super::query::check_gives_rows(&declared.query)?;
                deferred(self.query_plan(&declared.query))
            }
            StatementKind::FetchCursor(_, into) => {
                into.iter().try_for_each(|v| self.check_target(v))
            }
            StatementKind::SetVariable(assignment) => {
                self.check_target(&assignment.target)?;
                deferred(self.scalar_plan(&assignment.value))
            }
            StatementKind::Print(value)
            | StatementKind::Return(Some(value))
            | StatementKind::Waitfor(Waiting::Delay(value) | Waiting::Time(value)) => {
                deferred(self.scalar_plan(value))
            }
            StatementKind::Throw(Some((number, message, state))) => [number, message, state]
                .into_iter()
                .try_for_each(|e| deferred(self.scalar_plan(e))),
            StatementKind::Raiserror {
                message,
                severity,
                state,
                arguments,
                ..
            } => [message, severity, state]
                .into_iter()
                .chain(arguments)
                .try_for_each(|e| deferred(self.scalar_plan(e))),
            StatementKind::Execute(execute) => self.check_execute(execute),
            _ => Ok(()),
        }
    }

    fn check_execute(&self, execute: &labdb_tsql::ast::Execute) -> SqlResult<()> {
        if let Some(variable) = &execute.return_variable {
            self.check_target(variable)?;
        }
        match &execute.target {
            ExecuteTarget::Text(text) => deferred(self.scalar_plan(text))?,
            ExecuteTarget::Variable(variable) => self.check_target(variable)?,
            ExecuteTarget::Procedure(_) => {}
        }
        for argument in &execute.arguments {
            if !matches!(argument.value, labdb_tsql::ast::Expr::Default) {
                deferred(self.scalar_plan(&argument.value))?;
            }
        }
        Ok(())
    }

    fn check_target(&self, variable: &str) -> SqlResult<()> {
        match self.frame.variable_type(variable) {
            Some(_) => Ok(()),
            None => Err(crate::session::Frame::undeclared(variable).state(1)),
        }
    }
}

/// One walk over the statements.
struct Pass {
    /// Names and types are to be checked, too: nobody did it since the schema changed.
    check: bool,
    /// There were declarations.
    declares: bool,
    /// How many loops are around.
    loops: u32,
}

impl Pass {
    fn check<T>(&self, bind: impl FnOnce() -> SqlResult<T>) -> SqlResult<()> {
        if self.check { deferred(bind()) } else { Ok(()) }
    }
}

/// Labels and the GOTOs to them, anywhere in the statements.
fn collect_labels<'s>(
    statements: &'s [Statement],
    labels: &mut Vec<(String, u32)>,
    targets: &mut Vec<(&'s str, u32)>,
) {
    for statement in statements {
        match &statement.kind {
            StatementKind::Label(name) => labels.push((name.to_lowercase(), statement.line)),
            StatementKind::Goto(name) => targets.push((name, statement.line)),
            StatementKind::Block(inner) => collect_labels(inner, labels, targets),
            StatementKind::If {
                then, otherwise, ..
            } => {
                collect_labels(std::slice::from_ref(then), labels, targets);
                if let Some(otherwise) = otherwise {
                    collect_labels(std::slice::from_ref(otherwise), labels, targets);
                }
            }
            StatementKind::While { body, .. } => {
                collect_labels(std::slice::from_ref(body), labels, targets);
            }
            StatementKind::TryCatch { body, handler } => {
                collect_labels(body, labels, targets);
                collect_labels(handler, labels, targets);
            }
            _ => {}
        }
    }
}

fn check_labels(statements: &[Statement]) -> SqlResult<()> {
    let (mut labels, mut targets) = (Vec::new(), Vec::new());
    collect_labels(statements, &mut labels, &mut targets);
    for (at, (label, line)) in labels.iter().enumerate() {
        if labels.iter().take(at).any(|(l, _)| l == label) {
            return Err(SqlError::new(
                132,
                format!(
                    "The label '{label}' has already been declared. Label names must be unique \
                     within a query batch or stored procedure."
                ),
            )
            .severity(15)
            .at_line(*line));
        }
    }
    for (target, line) in targets {
        let wanted = target.to_lowercase();
        if !labels.iter().any(|(label, _)| *label == wanted) {
            return Err(SqlError::new(
                133,
                format!(
                    "A GOTO statement references the label '{target}' but the label has not been \
                     declared."
                ),
            )
            .severity(15)
            .at_line(line));
        }
    }
    Ok(())
}

fn deferred<T>(bound: SqlResult<T>) -> SqlResult<()> {
    match bound {
        Err(e) if !waits_until_it_runs(&e) => Err(e),
        _ => Ok(()),
    }
}
