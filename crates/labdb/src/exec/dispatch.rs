//! One statement that is not control of flow: to the module that runs it, and its end.

use super::Executor;
use super::control::MAX_DEPTH;
use crate::session::{Command, Done};
use labdb_tsql::ast::StatementKind;
use labdb_types::{SqlError, SqlResult};
use std::sync::atomic::Ordering;

/// Whether a statement changes rows: one of those is "terminated" by an error.
pub(super) fn modifies(kind: &StatementKind) -> bool {
    match kind {
        StatementKind::Insert(_) | StatementKind::Update(_) | StatementKind::Delete(_) => true,
        StatementKind::Select(query) => super::query::makes_a_table(query),
        _ => false,
    }
}

impl Executor<'_> {
    pub(super) fn single(&mut self, kind: &StatementKind) -> SqlResult<()> {
        self.poll_client()?;
        self.backup_verb = "";
        crate::instance::serve_session(self.session.id());
        match kind {
            StatementKind::Select(query) => {
                if super::query::makes_a_table(query) {
                    self.check_writable()?;
                }
                self.implicit_begin_reading()?;
                self.select(query)
            }
            StatementKind::Insert(insert) => {
                self.implicit_begin()?;
                self.insert(insert)
            }
            StatementKind::InsertBulk(bulk) => self.insert_bulk(bulk),
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
            StatementKind::DeclareCursor(declared) => self.declare_cursor(declared),
            StatementKind::OpenCursor(name) => {
                self.implicit_begin_reading()?;
                self.open_cursor(name)
            }
            StatementKind::FetchCursor(cursor, into) => {
                self.implicit_begin_reading()?;
                self.fetch_cursor(cursor, into)
            }
            StatementKind::CloseCursor(name) => self.close_cursor(name),
            StatementKind::DeallocateCursor(name) => self.deallocate_cursor(name),
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
                super::permission::require_role(
                    self.session,
                    &database,
                    crate::catalog::DatabaseRole::BackupOperator,
                    "CHECKPOINT",
                )?;
                database
                    .storage
                    .checkpoint()
                    .map_err(|e| super::failure::storage_error(&e, &database.name()))
            }
            StatementKind::Backup(backup) => {
                self.backup(backup)?;
                self.backup_verb = "";
                Ok(())
            }
            StatementKind::Restore(restore) => {
                self.restore(restore)?;
                self.backup_verb = "";
                Ok(())
            }
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
            StatementKind::Permission(permission) => self.permission(permission),
            StatementKind::CreateLogin(create) => self.create_login(create),
            StatementKind::AlterLogin { name, change } => self.alter_login(name, change),
            StatementKind::DropLogin(name) => self.drop_login(name),
            StatementKind::AlterServerRole(change) => self.alter_server_role(change),
            StatementKind::CreateUser { name, login } => self.create_user(name, login.as_deref()),
            StatementKind::DropUser { name, if_exists } => self.drop_user(name, *if_exists),
            StatementKind::AlterRole(change) => self.alter_role(change),
            StatementKind::UpdateStatistics(name) => {
                crate::bind::Binder::new(self.session, self.frame)
                    .table(name, crate::bind::TableUse::Alter)
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
