//! The answer to one request: tokens into packets (\[MS-TDS\] 2.2.7).

use crate::connection::Connection;
use crate::tokens::{self, DoneKind, done_status, env};
use crate::types::{Fault, push_value, wire_type};
use crate::{Error, Result, TdsVersion};
use labdb_types::{Column, Message, SqlError, SqlType, Value};

/// When so much waits, whole packets are sent.
const SEND_BYTES: usize = 64 << 10;

/// How a statement ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Done {
    /// Rows affected or returned; `None` for statements without a count (or `SET NOCOUNT ON`).
    pub rows: Option<u64>,
    /// The statement failed; its error was sent before.
    pub error: bool,
    /// The session is in a transaction.
    pub in_transaction: bool,
    /// The kind of statement: 0xC1 SELECT, 0xC3 INSERT, 0xC4 DELETE, 0xC5 UPDATE, …, 0 if unknown.
    pub command: u16,
}

/// A change of the session that the client must know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EnvChange {
    /// `USE`: the new and the old database.
    Database {
        /// The new name.
        new: String,
        /// The old name.
        old: String,
    },
    /// `SET LANGUAGE`: the new and the old language.
    Language {
        /// The new name.
        new: String,
        /// The old name.
        old: String,
    },
    /// A transaction began; the client sends its descriptor with each request.
    BeginTransaction(u64),
    /// The transaction was committed.
    CommitTransaction(u64),
    /// The transaction was rolled back.
    RollbackTransaction(u64),
    /// The session was reset as the request asked.
    ResetDone,
}

/// An OUTPUT parameter's value, or a function's result.
#[derive(Clone, Debug, PartialEq)]
pub struct ReturnValue<'a> {
    /// The parameter's position in the call, from 0.
    pub ordinal: u16,
    /// Its name with the `@`.
    pub name: &'a str,
    /// Whether it is the result of a user-defined function.
    pub function_result: bool,
    /// Its type.
    pub sql_type: SqlType,
    /// Its value.
    pub value: &'a Value,
}

/// What of a response is not in its payload yet.
#[derive(Debug, Default)]
pub(crate) struct ResponseState {
    /// A request was read and its response is not finished.
    pub(crate) open: bool,
    /// The types of the result set's columns, as the client's version has them.
    types: Vec<SqlType>,
    /// The same as the server has them.
    source_types: Vec<SqlType>,
    procedures: u32,
    /// Where the status of the last DONE is, if nothing was written after it.
    last_done: Option<usize>,
    /// The client's attention was seen.
    pub(crate) attention: bool,
}

/// Writes the answer to one request. Nothing is sent until the answer is finished, flushed or
/// large; then whole packets are. [`Response::finish`] must be called, or the connection is dead.
///
/// All calls fail with [`crate::Error::Io`] when the client went away.
pub struct Response<'c> {
    connection: &'c mut Connection,
}

impl<'c> Response<'c> {
    pub(crate) fn new(connection: &'c mut Connection) -> Self {
        let state = &mut connection.state;
        state.procedures = 0;
        state.last_done = None;
        state.types.clear();
        state.source_types.clear();
        Self { connection }
    }

    fn state(&mut self) -> &mut ResponseState {
        &mut self.connection.state
    }

    /// Where a token goes; the last DONE is not the last token any more.
    fn out(&mut self) -> &mut Vec<u8> {
        self.connection.state.last_done = None;
        self.connection.packets.payload()
    }

    /// Sends whole packets when enough of them wait.
    fn written(&mut self) -> Result<()> {
        if self.connection.packets.waiting() < SEND_BYTES {
            return Ok(());
        }
        self.connection.state.last_done = None;
        let packets = self.connection.packets.take_full_packets();
        self.connection.transport.send(packets)
    }

    /// Begins a result set.
    ///
    /// # Errors
    /// Only those of sending.
    pub fn columns(&mut self, columns: &[Column]) -> Result<()> {
        let version = self.connection.version;
        let state = self.state();
        state.source_types.clear();
        state
            .source_types
            .extend(columns.iter().map(|column| column.sql_type));
        let mut types = std::mem::take(&mut state.types);
        types.clear();
        types.extend(
            columns
                .iter()
                .map(|column| wire_type(column.sql_type, version)),
        );
        tokens::push_columns(self.out(), version, columns, &types);
        self.state().types = types;
        self.written()
    }

    /// One row of the result set begun last.
    ///
    /// # Errors
    /// [`Error::Value`] when the values do not fit the columns: nothing of the row is sent, and the
    /// response can go on.
    pub fn row(&mut self, values: &[Value]) -> Result<()> {
        let version = self.connection.version;
        let types = std::mem::take(&mut self.state().source_types);
        let out = self.out();
        let start = out.len();
        let encoded = push_row(out, version, &types, values);
        if encoded.is_err() {
            out.truncate(start);
        }
        self.state().source_types = types;
        encoded?;
        self.written()
    }

    /// A statement's end: DONE, or DONEINPROC between [`Response::begin_procedure`] and
    /// [`Response::end_procedure`]. The flag that more follows is put right by `finish`.
    ///
    /// # Errors
    /// Only those of sending.
    pub fn statement_done(&mut self, done: &Done) -> Result<()> {
        let kind = if self.connection.state.procedures > 0 {
            DoneKind::InProcedure
        } else {
            DoneKind::Statement
        };
        self.push_done(kind, done)
    }

    /// From here on statements belong to a procedure. Call it for each call of an RPC request, and
    /// for EXECUTE in a batch; it nests.
    pub fn begin_procedure(&mut self) {
        let state = self.state();
        state.procedures = state.procedures.saturating_add(1);
    }

    /// The end of a procedure: DONEPROC. Return status and return values go before.
    ///
    /// # Errors
    /// Only those of sending.
    pub fn end_procedure(&mut self, done: &Done) -> Result<()> {
        let state = self.state();
        state.procedures = state.procedures.saturating_sub(1);
        self.push_done(DoneKind::Procedure, done)
    }

    fn push_done(&mut self, kind: DoneKind, done: &Done) -> Result<()> {
        let mut status = done_status::MORE;
        if done.error {
            status |= done_status::ERROR;
        }
        if done.in_transaction {
            status |= done_status::IN_TRANSACTION;
        }
        if done.rows.is_some() {
            status |= done_status::COUNT;
        }
        let version = self.connection.version;
        let out = self.out();
        let at = out.len() + 1;
        let rows = done.rows.unwrap_or(0);
        tokens::push_done(out, version, kind, status, done.command, rows);
        // DONEINPROC is always followed by the procedure's own end.
        self.state().last_done = (kind != DoneKind::InProcedure).then_some(at);
        self.written()
    }

    /// An error message.
    ///
    /// # Errors
    /// Only those of sending.
    pub fn error(&mut self, error: &SqlError) -> Result<()> {
        self.message(true, error)
    }

    /// An information message.
    ///
    /// # Errors
    /// Only those of sending.
    pub fn info(&mut self, message: &Message) -> Result<()> {
        self.message(false, message)
    }

    fn message(&mut self, error: bool, message: &SqlError) -> Result<()> {
        let version = self.connection.version;
        let server = std::sync::Arc::clone(&self.connection.server_name);
        tokens::push_message(self.out(), version, error, message, &server);
        self.written()
    }

    /// A change of the session.
    ///
    /// # Errors
    /// Only those of sending.
    pub fn env_change(&mut self, change: &EnvChange) -> Result<()> {
        let out = self.out();
        match change {
            EnvChange::Database { new, old } => {
                tokens::push_env_text(out, env::DATABASE, new, old);
            }
            EnvChange::Language { new, old } => {
                tokens::push_env_text(out, env::LANGUAGE, new, old);
            }
            EnvChange::BeginTransaction(id) => {
                tokens::push_env_bytes(out, env::BEGIN, &id.to_le_bytes(), &[]);
            }
            EnvChange::CommitTransaction(id) => {
                tokens::push_env_bytes(out, env::COMMIT, &[], &id.to_le_bytes());
            }
            EnvChange::RollbackTransaction(id) => {
                tokens::push_env_bytes(out, env::ROLLBACK, &[], &id.to_le_bytes());
            }
            EnvChange::ResetDone => tokens::push_env_bytes(out, env::RESET_DONE, &[], &[]),
        }
        self.written()
    }

    /// A procedure's return status.
    ///
    /// # Errors
    /// Only those of sending.
    pub fn return_status(&mut self, status: i32) -> Result<()> {
        tokens::push_return_status(self.out(), status);
        self.written()
    }

    /// An OUTPUT parameter.
    ///
    /// # Errors
    /// [`Error::Value`] when the value does not fit its type: nothing of it is sent.
    pub fn return_value(&mut self, value: &ReturnValue<'_>) -> Result<()> {
        let version = self.connection.version;
        let out = self.out();
        let start = out.len();
        tokens::push_return_value_header(
            out,
            version,
            value.ordinal,
            value.name,
            value.function_result,
            wire_type(value.sql_type, version),
        );
        if let Err(Fault(reason)) = push_value(out, value.sql_type, value.value, version) {
            out.truncate(start);
            return Err(Error::Value {
                column: usize::from(value.ordinal) + 1,
                sql_type: format!("{:?}", value.sql_type),
                reason,
            });
        }
        self.written()
    }

    /// Sends what is there (`RAISERROR … WITH NOWAIT`).
    ///
    /// # Errors
    /// Only those of sending.
    pub fn flush(&mut self) -> Result<()> {
        self.connection.state.last_done = None;
        let packets = self.connection.packets.take_unfinished();
        self.connection.transport.send(packets)
    }

    /// Whether the client cancelled the request; one cheap system call that never waits. Once true
    /// it stays so, and `finish` acknowledges the attention.
    ///
    /// # Errors
    /// When the client went away.
    pub fn attention_pending(&mut self) -> Result<bool> {
        self.connection.attention_pending()
    }

    /// Ends the answer and sends it: in one write if it is short.
    ///
    /// # Errors
    /// Only those of sending.
    pub fn finish(self) -> Result<()> {
        let connection = self.connection;
        let version = connection.version;
        let last_done = connection.state.last_done.take();
        let attention = std::mem::take(&mut connection.state.attention);
        let out = connection.packets.payload();
        if let Some(status) = last_done.and_then(|at| out.get_mut(at)) {
            *status &= !done_status::MORE.to_le_bytes()[0];
        } else {
            let status = if attention { done_status::ERROR } else { 0 };
            tokens::push_done(out, version, DoneKind::Statement, status, 0, 0);
        }
        connection.send_message()?;
        if attention {
            // A message of its own, as SQL Server sends it; some clients read it only so.
            connection.send_done(done_status::ATTENTION)?;
        }
        connection.state.open = false;
        Ok(())
    }
}

fn push_row(
    out: &mut Vec<u8>,
    version: TdsVersion,
    types: &[SqlType],
    values: &[Value],
) -> Result<()> {
    if values.len() != types.len() {
        return Err(Error::Value {
            column: values.len().min(types.len()) + 1,
            sql_type: "a column".to_owned(),
            reason: format!(
                "there are {} values for {} columns",
                values.len(),
                types.len()
            ),
        });
    }
    out.push(tokens::ROW);
    for (position, (sql_type, value)) in types.iter().zip(values).enumerate() {
        push_value(out, *sql_type, value, version).map_err(|Fault(reason)| Error::Value {
            column: position + 1,
            sql_type: format!("{sql_type:?}"),
            reason,
        })?;
    }
    Ok(())
}
