//! The answer to one request: tokens into packets (\[MS-TDS\] 2.2.7).

use crate::Result;
use crate::connection::Connection;
use labdb_types::{Column, Message, SqlError, SqlType, Value};

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

/// Writes the answer to one request. Nothing is sent until the answer is finished, flushed or
/// large; then whole packets are. [`Response::finish`] must be called, or the connection is dead.
pub struct Response<'c> {
    connection: &'c mut Connection,
}

impl<'c> Response<'c> {
    /// Begins a result set.
    pub fn columns(&mut self, columns: &[Column]) -> Result<()> { todo!() }
    /// One row of the result set begun last. On [`crate::Error::Value`] nothing of it is sent.
    pub fn row(&mut self, values: &[Value]) -> Result<()> { todo!() }
    /// A statement's end: DONE, or DONEINPROC between [`Response::begin_procedure`] and
    /// [`Response::end_procedure`]. The flag that more follows is put right by `finish`.
    pub fn statement_done(&mut self, done: &Done) -> Result<()> { todo!() }
    /// From here on statements belong to a procedure. Call it for each call of an RPC request, and
    /// for EXECUTE in a batch; it nests.
    pub fn begin_procedure(&mut self) { todo!() }
    /// The end of a procedure: DONEPROC. Return status and return values go before.
    pub fn end_procedure(&mut self, done: &Done) -> Result<()> { todo!() }
    /// An error message.
    pub fn error(&mut self, error: &SqlError) -> Result<()> { todo!() }
    /// An information message.
    pub fn info(&mut self, message: &Message) -> Result<()> { todo!() }
    /// A change of the session.
    pub fn env_change(&mut self, change: &EnvChange) -> Result<()> { todo!() }
    /// A procedure's return status.
    pub fn return_status(&mut self, status: i32) -> Result<()> { todo!() }
    /// An OUTPUT parameter.
    pub fn return_value(&mut self, value: &ReturnValue<'_>) -> Result<()> { todo!() }
    /// Sends what is there (`RAISERROR … WITH NOWAIT`).
    pub fn flush(&mut self) -> Result<()> { todo!() }
    /// Whether the client cancelled the request; one cheap system call that never waits. Once true
    /// it stays so, and `finish` acknowledges the attention. Fails when the client went away.
    pub fn attention_pending(&mut self) -> Result<bool> { todo!() }
    /// Ends the answer and sends it.
    pub fn finish(self) -> Result<()> { todo!() }
}
