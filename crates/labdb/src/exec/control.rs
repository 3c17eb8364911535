//! Control of flow: the order of statements, errors, TRY, loops, and the transaction around each
//! statement.

use super::compile::is_compile_error;
use super::{Executor, Outcome};
use crate::plan::Env;
use crate::session::{ActiveTransaction, CANCELLED, CLIENT_GONE, Command, Done, EnvChange};
use labdb_tsql::ast::{Expr, Statement, StatementKind};
use labdb_types::{SqlError, SqlResult, SqlType, Value};
use std::sync::atomic::Ordering;

/// How deep statements may be nested while they run.
pub(super) const MAX_DEPTH: u32 = 32;

/// Errors that end the batch and roll the transaction back.
fn ends_batch(number: i32) -> bool {
    matches!(number, 241 | 242 | 245 | 248 | 8114 | 8169 | 1205 | 530)
}

/// Errors that end the batch (or procedure) without touching the transaction.
fn ends_scope(error: &SqlError) -> bool {
    error.number < 50_000 && (error.severity == 15 || is_compile_error(error.number))
        || error.number == 911
}

impl Executor<'_> {
    /// Runs statements to the end, following GOTO.
    pub(crate) fn run_all(&mut self, statements: &[Statement]) -> SqlResult<Outcome> {
        let mut from = 0;
        loop {
            match self.run(statements, from)? {
                Outcome::Goto(label) => match find_label(statements, &label) {
                    Some(at) => from = at,
                    None => {
                        return Err(SqlError::new(
                            133,
                            format!(
                                "A GOTO statement references the label '{label}' but the label \
                                 has not been declared."
                            ),
                        )
                        .severity(15));
                    }
                },
                other => return Ok(other),
            }
        }
    }

    fn run(&mut self, statements: &[Statement], from: usize) -> SqlResult<Outcome> {
        let mut next = from;
        while let Some(statement) = statements.get(next) {
            match self.statement(statement)? {
                Outcome::Next => next += 1,
                Outcome::Goto(label) => match find_label(statements, &label) {
                    Some(at) => {
                        // A label behind is a loop.
                        self.poll_client()?;
                        next = at;
                    }
                    None => return Ok(Outcome::Goto(label)),
                },
                other => return Ok(other),
            }
        }
        Ok(Outcome::Next)
    }

    fn statement(&mut self, statement: &Statement) -> SqlResult<Outcome> {
        self.session.check_cancelled()?;
        self.line = statement.line;
        self.modifies = super::dispatch::modifies(&statement.kind);
        self.session.forget_time();
        match &statement.kind {
            StatementKind::Block(inner) => self.run(inner, 0),
            StatementKind::If {
                condition,
                then,
                otherwise,
            } => match self.guarded(|e| e.condition(condition))? {
                Guarded::Done(true) => self.statement(then),
                Guarded::Done(false) => otherwise
                    .as_ref()
                    .map_or(Ok(Outcome::Next), |s| self.statement(s)),
                Guarded::Failed(outcome) => Ok(outcome),
            },
            StatementKind::While { condition, body } => loop {
                self.poll_client()?;
                self.line = statement.line;
                match self.guarded(|e| e.condition(condition))? {
                    Guarded::Done(true) => {}
                    Guarded::Done(false) => return Ok(Outcome::Next),
                    Guarded::Failed(outcome) => return Ok(outcome),
                }
                match self.statement(body)? {
                    Outcome::Next | Outcome::Continue => {}
                    Outcome::Break => return Ok(Outcome::Next),
                    other => return Ok(other),
                }
            },
            StatementKind::Break => Ok(Outcome::Break),
            StatementKind::Continue => Ok(Outcome::Continue),
            StatementKind::Goto(label) => Ok(Outcome::Goto(label.to_lowercase())),
            StatementKind::Label(_) => Ok(Outcome::Next),
            StatementKind::TryCatch { body, handler } => self.try_catch(body, handler),
            StatementKind::Return(value) => {
                match self.guarded(|e| e.return_value(value.as_ref()))? {
                    Guarded::Done(value) => Ok(Outcome::Return(value)),
                    Guarded::Failed(outcome) => Ok(outcome),
                }
            }
            StatementKind::Execute(execute) => {
                let line = statement.line;
                match self.execute(execute) {
                    Ok(outcome) => {
                        self.line = line;
                        Ok(outcome)
                    }
                    Err(e) => {
                        self.line = line;
                        let error = if e.procedure.is_none() {
                            e.at_line(line)
                        } else {
                            e
                        };
                        self.failed(error, None)
                    }
                }
            }
            kind => match self.guarded(|e| e.single(kind))? {
                Guarded::Done(()) => Ok(Outcome::Next),
                Guarded::Failed(outcome) => Ok(outcome),
            },
        }
    }

    /// Runs one piece of work as a statement of its own: all of it happens or nothing; without a
    /// transaction of the user's it is committed at its end.
    fn guarded<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> SqlResult<T>,
    ) -> SqlResult<Guarded<T>> {
        let mark = self
            .session
            .transaction
            .borrow()
            .as_ref()
            .map(ActiveTransaction::mark);
        let outcome = work(self).and_then(|value| {
            self.end_statement()?;
            Ok(value)
        });
        match outcome {
            Ok(value) => {
                self.session.last_error.set(0);
                Ok(Guarded::Done(value))
            }
            Err(e) => {
                let line = self.line;
                let outcome = self.failed(e.at_line(line), mark.as_ref())?;
                Ok(Guarded::Failed(outcome))
            }
        }
    }

    /// Commits what a statement did if no transaction is open.
    pub(super) fn end_statement(&mut self) -> SqlResult<()> {
        if self.session.tran_count.get() > 0 || self.session.atomic.get() > 0 {
            return Ok(());
        }
        let transaction = self.session.transaction.borrow_mut().take();
        match transaction {
            Some(transaction) => transaction.commit(self.session, None),
            None => Ok(()),
        }
    }

    /// Takes a failed statement back, tells the client unless a TRY will, and says where to go on.
    pub(crate) fn failed(
        &mut self,
        mut error: SqlError,
        mark: Option<&crate::session::Mark>,
    ) -> SqlResult<Outcome> {
        let session = self.session;
        if error.procedure.is_none() {
            error.procedure.clone_from(&self.frame.procedure);
        }
        let fatal = error.severity >= 20 || matches!(error.number, CANCELLED | CLIENT_GONE);
        session.last_error.set(error.number);
        session
            .shared
            .previous_error
            .store(error.number, Ordering::Relaxed);
        session.row_count.set(0);
        let open = session.tran_count.get() > 0 || session.atomic.get() > 0;
        if open {
            let mut slot = session.transaction.borrow_mut();
            if let (Some(transaction), Some(mark)) = (slot.as_mut(), mark) {
                transaction.rollback_to(session, mark)?;
            } else if let (Some(transaction), None) = (slot.as_mut(), mark)
                && session.tran_count.get() == 0
            {
                transaction.doomed = true;
            }
        } else if let Some(transaction) = session.transaction.borrow_mut().take() {
            transaction.rollback(session);
        }
        if session.atomic.get() > 0 {
            return Err(error);
        }
        if fatal {
            return Err(error);
        }
        let compiling = self.recompiling.take() && is_compile_error(error.number);
        let raised = error.number >= 50_000;
        let abort_transaction = !compiling && ends_batch(error.number)
            || (session.options.borrow().xact_abort && (!raised || self.thrown));
        let in_try = if compiling {
            self.for_callers = self.frame.is_tried_by_caller();
            self.for_callers
        } else {
            self.frame.tries.get() > 0
        };
        if error.number == 1205 {
            self.rollback_all_and_tell()?;
        } else if abort_transaction && session.tran_count.get() > 0 {
            if in_try {
                if let Some(transaction) = session.transaction.borrow_mut().as_mut() {
                    transaction.doomed = true;
                }
            } else {
                self.rollback_all_and_tell()?;
            }
        }
        if in_try {
            return Err(error);
        }
        let ends = abort_transaction
            || self.thrown
            || ends_scope(&error) && self.frame.level == 0
            || error.number == 1205;
        self.thrown = false;
        self.client.error(&error)?;
        if let Some(second) = super::permission::follower(&error) {
            self.client.error(&second.at_line(error.line))?;
        } else if self.modifies
            && matches!(
                error.number,
                515 | 547 | 2601 | 2627 | 2628 | 8152 | 220 | 8115 | 8134
            )
        {
            self.client.info(&SqlError {
                procedure: error.procedure.clone(),
                ..SqlError::new(3621, "The statement has been terminated.")
                    .severity(0)
                    .at_line(error.line)
            })?;
        } else if !self.backup_verb.is_empty() && error.number != 40510 && !error.message.is_empty()
        {
            for more in super::media::consequences(error.number) {
                self.client.error(&more.at_line(error.line))?;
            }
            let what = self.backup_verb;
            self.client.error(
                &SqlError::new(3013, format!("{what} is terminating abnormally."))
                    .at_line(error.line),
            )?;
        }
        self.client.done(&Done {
            rows: None,
            error: true,
            in_transaction: session.tran_count.get() > 0,
            command: Command::Other,
        })?;
        if ends_scope(&error) && self.frame.level > 0 {
            return Ok(Outcome::Return(None));
        }
        Ok(if ends { Outcome::Abort } else { Outcome::Next })
    }

    fn rollback_all_and_tell(&mut self) -> SqlResult<()> {
        let number = self
            .session
            .transaction
            .borrow()
            .as_ref()
            .map_or(0, |t| t.number);
        let open = self.session.tran_count.get() > 0;
        self.session.rollback_everything();
        if open {
            self.client.env_change(&EnvChange::Rollback(number))?;
        }
        Ok(())
    }

    fn try_catch(&mut self, body: &[Statement], handler: &[Statement]) -> SqlResult<Outcome> {
        self.frame.tries.set(self.frame.tries.get() + 1);
        let outcome = self.run(body, 0);
        self.frame
            .tries
            .set(self.frame.tries.get().saturating_sub(1));
        self.thrown = false;
        let error = match outcome {
            Ok(outcome) => return Ok(outcome),
            Err(e) if self.for_callers => return Err(e),
            Err(e) if e.severity >= 20 || matches!(e.number, CANCELLED | CLIENT_GONE) => {
                return Err(e);
            }
            Err(e) => e,
        };
        self.session.last_error.set(error.number);
        self.frame.caught.borrow_mut().push(error);
        let outcome = self.run(handler, 0);
        self.frame.caught.borrow_mut().pop();
        outcome
    }

    fn condition(&self, condition: &Expr) -> SqlResult<bool> {
        self.condition_plan(condition)?
            .holds(&self.context(), &Env::empty())
    }

    /// Evaluates an expression that stands outside a query.
    pub(crate) fn evaluate(&self, expression: &Expr) -> SqlResult<(Value, SqlType)> {
        let plan = self.scalar_plan(expression)?;
        Ok((plan.eval(&self.context(), &Env::empty())?, plan.sql_type))
    }

    /// The same, converted.
    pub(crate) fn evaluate_as(&self, expression: &Expr, target: SqlType) -> SqlResult<Value> {
        let (value, from) = self.evaluate(expression)?;
        crate::eval::convert::convert(&value, from, target, None)
    }

    /// The same as text; `None` for NULL.
    pub(crate) fn evaluate_text(&self, expression: &Expr) -> SqlResult<Option<String>> {
        match self.evaluate_as(expression, SqlType::NVarChar(labdb_types::Length::Max))? {
            Value::Text(text) => Ok(Some(text.to_string())),
            _ => Ok(None),
        }
    }

    /// The same as a whole number; `None` for NULL.
    pub(crate) fn evaluate_int(&self, expression: &Expr) -> SqlResult<Option<i64>> {
        Ok(crate::eval::convert::as_i64(
            &self.evaluate_as(expression, SqlType::BigInt)?,
        ))
    }

    fn return_value(&self, value: Option<&Expr>) -> SqlResult<Option<i32>> {
        match value {
            None => Ok(Some(0)),
            Some(value) => Ok(Some(
                self.evaluate_int(value)?
                    .and_then(|n| i32::try_from(n).ok())
                    .unwrap_or(0),
            )),
        }
    }

    /// Looks whether the client cancelled.
    pub(crate) fn poll_client(&mut self) -> SqlResult<()> {
        self.polls = self.polls.wrapping_add(1);
        if self.polls.is_multiple_of(64) && self.client.cancel_requested() {
            return Err(crate::session::cancelled());
        }
        self.session.check_cancelled()
    }
}

enum Guarded<T> {
    Done(T),
    Failed(Outcome),
}

fn find_label(statements: &[Statement], label: &str) -> Option<usize> {
    statements
        .iter()
        .position(|s| matches!(&s.kind, StatementKind::Label(l) if l.to_lowercase() == label))
}
