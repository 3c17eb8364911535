//! The flow of statements: order, errors, TRY, loops, and the transaction around each statement.

use super::{Executor, Outcome};
use crate::plan::Env;
use crate::session::{ActiveTransaction, CANCELLED, CLIENT_GONE, Command, Done, EnvChange};
use labdb_tsql::ast::{Expr, Statement, StatementKind, Waiting};
use labdb_types::{SqlError, SqlResult, SqlType, Value};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// How deep statements may be nested while they run.
const MAX_DEPTH: u32 = 32;

/// Errors that end the batch and roll the transaction back.
fn ends_batch(number: i32) -> bool {
    matches!(number, 241 | 242 | 245 | 248 | 8114 | 8169 | 1205 | 530)
}

/// Errors of names and types that end the batch (or procedure) without touching the transaction.
fn ends_scope(error: &SqlError) -> bool {
    error.severity == 15
        || matches!(
            error.number,
            137 | 207
                | 208
                | 209
                | 911
                | 4104
                | 8120
                | 107
                | 195
                | 206
                | 213
                | 402
                | 529
                | 257
                | 4121
                | 1087
        )
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
        for statement in statements.get(from..).unwrap_or(&[]) {
            match self.statement(statement)? {
                Outcome::Next => {}
                Outcome::Goto(label) => match find_label(statements, &label) {
                    Some(at) => return self.run_all(statements.get(at..).unwrap_or(&[])),
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
                    Err(e) => self.failed(e.at_line(line), None),
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
    fn end_statement(&mut self) -> SqlResult<()> {
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
        let raised = error.number >= 50_000;
        let abort_transaction = ends_batch(error.number)
            || (session.options.borrow().xact_abort && (!raised || self.thrown));
        let in_try = self.frame.tries.get() > 0;
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
        } else if matches!(
            error.number,
            515 | 547 | 2601 | 2627 | 2628 | 8152 | 220 | 8115 | 8134
        ) {
            self.client.info(
                &SqlError::new(3621, "The statement has been terminated.")
                    .severity(0)
                    .at_line(error.line),
            )?;
        } else if matches!(
            error.number,
            3201 | 3202 | 3203 | 4208 | 4214 | 3102 | 3101 | 3154 | 3159 | 3241 | 3234 | 3021
        ) && !error.message.is_empty()
        {
            let what = self.backup_verb;
            if !what.is_empty() {
                self.client.error(
                    &SqlError::new(3013, format!("{what} is terminating abnormally."))
                        .at_line(error.line),
                )?;
            }
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

    fn single(&mut self, kind: &StatementKind) -> SqlResult<()> {
        self.poll_client()?;
        match kind {
            StatementKind::Select(query) => {
                self.implicit_begin()?;
                self.select(query)
            }
            StatementKind::Insert(insert) => {
                self.implicit_begin()?;
                self.insert(insert)
            }
            StatementKind::Update(update) => {
                self.implicit_begin()?;
                self.update(update)
            }
            StatementKind::Delete(delete) => {
                self.implicit_begin()?;
                self.delete(delete)
            }
            StatementKind::Truncate(name) => {
                self.implicit_begin()?;
                self.truncate(name)
            }
            StatementKind::Declare(list) => self.declare(list),
            StatementKind::DeclareTable {
                name,
                columns,
                constraints,
            } => self.declare_table(name, columns, constraints),
            StatementKind::SetVariable(assignment) => self.set_variable(assignment),
            StatementKind::SetOption {
                names,
                table,
                value,
            } => self.set_option(names, table.as_ref(), value),
            StatementKind::Throw(parts) => self.throw(parts.as_ref()),
            StatementKind::Raiserror {
                message,
                severity,
                state,
                arguments,
                options,
            } => self.raise(message, severity, state, arguments, options),
            StatementKind::Print(value) => {
                let text = self.evaluate_text(value)?.unwrap_or_default();
                self.client.info(
                    &SqlError::new(0, text)
                        .severity(0)
                        .state(1)
                        .at_line(self.line),
                )
            }
            StatementKind::Waitfor(waiting) => self.wait_for(waiting),
            StatementKind::Use(name) => self.use_database(name),
            StatementKind::BeginTransaction { name } => self.begin(name.as_ref()),
            StatementKind::Commit {
                name: _,
                delayed_durability,
            } => self.commit(*delayed_durability),
            StatementKind::Rollback { name } => self.rollback(name.as_ref()),
            StatementKind::SaveTransaction(name) => self.save(name),
            StatementKind::Checkpoint => {
                let database = self.session.database();
                database
                    .storage
                    .checkpoint()
                    .map_err(|e| super::failure::storage_error(&e, &database.name()))
            }
            StatementKind::Backup(backup) => self.backup(backup),
            StatementKind::Restore(restore) => self.restore(restore),
            StatementKind::CreateDatabase(create) => self.create_database(create),
            StatementKind::AlterDatabase(alter) => self.alter_database(alter),
            StatementKind::DropDatabase { names, if_exists } => {
                self.drop_database(names, *if_exists)
            }
            StatementKind::CreateTable(definition) => self.create_table(definition),
            StatementKind::AlterTableAdd {
                table,
                columns,
                constraints,
            } => self.alter_add(table, columns, constraints),
            StatementKind::AlterTableDrop {
                table,
                columns,
                constraints,
                if_exists,
            } => self.alter_drop(table, columns, constraints, *if_exists),
            StatementKind::AlterColumn { table, column } => self.alter_column(table, column),
            StatementKind::DropTable { names, if_exists } => self.drop_tables(names, *if_exists),
            StatementKind::CreateIndex {
                name,
                unique,
                clustered,
                table,
                columns,
                include,
                filter,
                options,
            } => self.create_index(
                name,
                *unique,
                *clustered,
                table,
                columns,
                include,
                filter.as_ref(),
                options,
            ),
            StatementKind::AlterIndex {
                name,
                table,
                action,
                options,
            } => self.alter_index(name.as_deref(), table, action, options),
            StatementKind::DropIndex { indexes, if_exists } => self.drop_index(indexes, *if_exists),
            StatementKind::CreateProcedure {
                name,
                parameters,
                body,
                text,
                create,
                alter,
            } => self.create_procedure(name, parameters, body, text, *create, *alter),
            StatementKind::DropProcedure { names, if_exists } => {
                self.drop_procedures(names, *if_exists)
            }
            StatementKind::CreateSchema(name) => self.create_schema(name),
            StatementKind::DropSchema { name, if_exists } => self.drop_schema(name, *if_exists),
            StatementKind::Dbcc {
                command,
                arguments,
                options,
            } => self.dbcc(command, arguments, options),
            StatementKind::Kill(id) => self.kill(id),
            StatementKind::Permission { verb } => Err(SqlError::new(
                40510,
                format!(
                    "{verb} is outside labdb's subset: give logins their rights with labdb's \
                     --login option."
                ),
            )
            .severity(16)),
            StatementKind::UpdateStatistics(name) => {
                crate::bind::Binder::new(self.session, self.frame)
                    .table(name)
                    .map(|_| ())
            }
            StatementKind::Reconfigure => Ok(()),
            StatementKind::Block(_)
            | StatementKind::If { .. }
            | StatementKind::While { .. }
            | StatementKind::Break
            | StatementKind::Continue
            | StatementKind::Goto(_)
            | StatementKind::Label(_)
            | StatementKind::TryCatch { .. }
            | StatementKind::Return(_)
            | StatementKind::Execute(_) => Ok(()),
        }
    }

    fn throw(&mut self, parts: Option<&(Expr, Expr, Expr)>) -> SqlResult<()> {
        self.thrown = true;
        match parts {
            None => {
                let caught = self.frame.caught.borrow().last().cloned();
                Err(caught.unwrap_or_else(|| {
                    SqlError::new(
                        10704,
                        "To rethrow an error, a THROW statement must be used inside a CATCH \
                         block. Insert the THROW statement inside a CATCH block, or add error \
                         parameters to the THROW statement.",
                    )
                    .severity(15)
                }))
            }
            Some((number, message, state)) => {
                let number = self.evaluate_int(number)?.unwrap_or(0);
                if !(50_000..=2_147_483_647).contains(&number) {
                    return Err(SqlError::new(
                        35100,
                        format!(
                            "Error number {number} in the THROW statement is outside the valid \
                             range. Specify an error number in the valid range of 50000 to \
                             2147483647."
                        ),
                    )
                    .state(10));
                }
                let text = self.evaluate_text(message)?.unwrap_or_default();
                let state = self.evaluate_int(state)?.unwrap_or(1).clamp(0, 255) as u8;
                Err(SqlError::new(number as i32, text).state(state))
            }
        }
    }

    fn raise(
        &mut self,
        message: &Expr,
        severity: &Expr,
        state: &Expr,
        arguments: &[Expr],
        options: &[String],
    ) -> SqlResult<()> {
        let (value, from) = self.evaluate(message)?;
        let mut values = Vec::with_capacity(arguments.len());
        for argument in arguments {
            values.push(self.evaluate(argument)?.0);
        }
        let severity = self.evaluate_int(severity)?.unwrap_or(0).clamp(0, 25) as u8;
        let state = self.evaluate_int(state)?.unwrap_or(1).clamp(0, 255) as u8;
        if severity > 18 && !options.iter().any(|o| o == "LOG") {
            return Err(SqlError::new(
                2754,
                "Error severity levels greater than 18 can only be specified by members of the \
                 sysadmin role, using the WITH LOG option.",
            ));
        }
        let (number, text) = match crate::eval::convert::as_i64(&value) {
            Some(n) => {
                return Err(SqlError::new(
                    18054,
                    format!(
                        "Error {n}, severity {severity}, state {state} was raised, but no message \
                         with that error number was found in sys.messages. labdb keeps no \
                         user-defined messages: give RAISERROR a text."
                    ),
                ));
            }
            None => {
                let text = crate::eval::format::text(&value, from, None).unwrap_or_default();
                (50_000, super::messages::format(&text, &values)?)
            }
        };
        if options.iter().any(|o| o == "LOG") {
            self.session.instance.log_error(self.session.id(), &text);
        }
        let error = SqlError::new(number, text)
            .severity(severity)
            .state(state)
            .at_line(self.line);
        if severity <= 10 {
            self.client.info(&error)?;
        } else {
            return Err(error);
        }
        if options.iter().any(|o| o == "NOWAIT") {
            self.client.flush()?;
        }
        Ok(())
    }

    fn wait_for(&mut self, waiting: &Waiting) -> SqlResult<()> {
        let (expression, delay) = match waiting {
            Waiting::Delay(e) => (e, true),
            Waiting::Time(e) => (e, false),
        };
        let bad = |text: &str| {
            SqlError::new(
                148,
                format!("Incorrect time syntax in time string '{text}' used with WAITFOR."),
            )
            .severity(15)
        };
        let (value, from) = self.evaluate(expression)?;
        let ticks = match &value {
            Value::Text(text) => match crate::eval::parse::moment(text, 0) {
                Ok(m) if text.contains(':') => m.ticks,
                _ => return Err(bad(text)),
            },
            other => crate::eval::calendar::moment(other)
                .map(|m| m.ticks)
                .ok_or_else(|| bad(crate::eval::types::type_name(from)))?,
        };
        let wait = if delay {
            ticks
        } else {
            (ticks - crate::eval::calendar::now_local().ticks)
                .rem_euclid(crate::eval::calendar::TICKS_PER_DAY)
        };
        let begun = Instant::now();
        let end = begun + Duration::from_nanos(wait as u64 * 100);
        self.client.flush()?;
        loop {
            let now = Instant::now();
            if now >= end {
                break;
            }
            std::thread::sleep((end - now).min(Duration::from_millis(20)));
            if self.client.cancel_requested() {
                return Err(crate::session::cancelled());
            }
            self.session.check_cancelled()?;
        }
        self.session.shared.waited_for("WAITFOR", begun.elapsed());
        Ok(())
    }

    fn use_database(&mut self, name: &str) -> SqlResult<()> {
        let old = self.session.database().name();
        let database = self.session.use_database(name)?;
        let new = database.name();
        self.client
            .env_change(&EnvChange::Database(old, new.clone()))?;
        self.client.info(
            &SqlError::new(5701, format!("Changed database context to '{new}'."))
                .severity(0)
                .state(1)
                .at_line(self.line),
        )
    }

    fn kill(&mut self, id: &Expr) -> SqlResult<()> {
        super::permission::require_sysadmin(self.session, "KILL")?;
        let id = self.evaluate_int(id)?.unwrap_or(0);
        if i64::from(self.session.id()) == id {
            return Err(SqlError::new(
                6104,
                "Cannot use KILL to kill your own process.",
            ));
        }
        let session = i16::try_from(id)
            .ok()
            .and_then(|id| self.session.instance.session(id))
            .ok_or_else(|| {
                SqlError::new(
                    6106,
                    format!("Process ID {id} is not an active process ID."),
                )
            })?;
        self.session.instance.log_error(
            self.session.id(),
            &format!(
                "Process ID {id} was killed by session {}.",
                self.session.id()
            ),
        );
        self.session.instance.kill(&session);
        Ok(())
    }

    /// Checks the depth of calls and counts one more while `work` runs.
    pub(crate) fn nested<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> SqlResult<T>,
    ) -> SqlResult<T> {
        let depth = self.session.nesting.get() + 1;
        if depth > MAX_DEPTH {
            return Err(SqlError::new(
                217,
                "Maximum stored procedure, function, trigger, or view nesting level exceeded \
                 (limit 32).",
            ));
        }
        self.session.nesting.set(depth);
        let outcome = work(self);
        self.session.nesting.set(depth - 1);
        outcome
    }

    /// DONE of a statement that counts no rows.
    pub(crate) fn done(&mut self, command: Command, rows: Option<u64>) -> SqlResult<()> {
        let counted = rows.filter(|_| !self.session.options.borrow().no_count);
        self.client.done(&Done {
            rows: counted,
            error: false,
            in_transaction: self.session.tran_count.get() > 0,
            command,
        })
    }

    /// Commits a statement that counts no rows, if nothing else does, and sends DONE.
    pub(crate) fn end_and_done(&mut self) -> SqlResult<()> {
        self.end_statement()?;
        self.done(Command::Other, None)
    }

    /// Sets `@@ROWCOUNT` and sends DONE.
    pub(crate) fn finish(&mut self, command: Command, rows: u64) -> SqlResult<()> {
        self.session.row_count.set(rows as i64);
        self.session
            .shared
            .row_count
            .store(rows as i64, Ordering::Relaxed);
        // The commit comes before the answer: a client that reads DONE has a durable row.
        self.end_statement()?;
        self.done(command, Some(rows))
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
