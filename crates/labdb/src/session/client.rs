//! What the executor tells the client; the wire, a test or INSERT … EXEC stands behind it.

use labdb_types::{Column, Message, SqlError, SqlResult, SqlType, Value};

/// The number of the error that ends a cancelled request; it is never sent.
pub const CANCELLED: i32 = -2;
/// The number of the error that ends the work of a client that went away.
pub const CLIENT_GONE: i32 = -3;

/// The request was cancelled.
pub fn cancelled() -> SqlError {
    SqlError::new(CANCELLED, "The request was cancelled.").severity(20)
}

/// The kind of a finished statement, as DONE tokens number it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
pub enum Command {
    /// Anything else.
    Other = 0,
    /// SELECT.
    Select = 0xC1,
    /// INSERT.
    Insert = 0xC3,
    /// DELETE.
    Delete = 0xC4,
    /// UPDATE.
    Update = 0xC5,
}

/// How a statement ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Done {
    /// Rows, where they are counted and NOCOUNT is off.
    pub rows: Option<u64>,
    /// It failed.
    pub error: bool,
    /// A transaction is open.
    pub in_transaction: bool,
    /// What it was.
    pub command: Command,
}

/// A change of the session that a client keeps track of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EnvChange {
    /// USE: old and new.
    Database(String, String),
    /// SET LANGUAGE: old and new.
    Language(String, String),
    /// BEGIN TRANSACTION.
    Begin(u64),
    /// COMMIT of the outermost.
    Commit(u64),
    /// ROLLBACK.
    Rollback(u64),
}

/// Takes results. A method fails only when the client is gone ([`CLIENT_GONE`]) or has cancelled
/// the request ([`CANCELLED`]).
#[allow(clippy::missing_errors_doc)]
pub trait Client {
    /// A result set begins.
    fn columns(&mut self, columns: &[Column]) -> SqlResult<()>;
    /// A row of it.
    fn row(&mut self, row: &[Value]) -> SqlResult<()>;
    /// A statement ended.
    fn done(&mut self, done: &Done) -> SqlResult<()>;
    /// An error.
    fn error(&mut self, error: &SqlError) -> SqlResult<()>;
    /// A message.
    fn info(&mut self, message: &Message) -> SqlResult<()>;
    /// The session changed.
    fn env_change(&mut self, _change: &EnvChange) -> SqlResult<()> {
        Ok(())
    }
    /// A procedure begins.
    fn begin_procedure(&mut self) {}
    /// A procedure ended.
    fn end_procedure(&mut self, _status: Option<i32>, _done: &Done) -> SqlResult<()> {
        Ok(())
    }
    /// An OUTPUT parameter of a call by protocol.
    fn return_value(
        &mut self,
        _ordinal: u16,
        _name: &str,
        _sql_type: SqlType,
        _value: &Value,
    ) -> SqlResult<()> {
        Ok(())
    }
    /// Sends what is there.
    fn flush(&mut self) -> SqlResult<()> {
        Ok(())
    }
    /// Whether the client cancelled.
    fn cancel_requested(&mut self) -> bool {
        false
    }
}

/// Throws everything away.
#[derive(Debug, Default)]
pub struct Discard;

impl Client for Discard {
    fn columns(&mut self, _: &[Column]) -> SqlResult<()> {
        Ok(())
    }
    fn row(&mut self, _: &[Value]) -> SqlResult<()> {
        Ok(())
    }
    fn done(&mut self, _: &Done) -> SqlResult<()> {
        Ok(())
    }
    fn error(&mut self, _: &SqlError) -> SqlResult<()> {
        Ok(())
    }
    fn info(&mut self, _: &Message) -> SqlResult<()> {
        Ok(())
    }
}
