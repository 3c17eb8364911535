//! Errors and messages with SQL Server's numbers.

use thiserror::Error;

/// What a statement that fails says: SQL Server's number, severity, state and text.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("Msg {number}, Level {severity}, State {state}, Line {line}: {message}")]
pub struct SqlError {
    /// SQL Server's message number; 50000 and up for the user's own.
    pub number: i32,
    /// 0 to 25; up to 10 is information, 20 and up ends the connection.
    pub severity: u8,
    /// The state, 0 to 255.
    pub state: u8,
    /// The text, in SQL Server's words where it has some.
    pub message: String,
    /// The line of the batch or procedure, from 1; 0 where not known yet.
    pub line: u32,
    /// The procedure in which it happened.
    pub procedure: Option<String>,
}

impl SqlError {
    /// An error of severity 16, state 1, with no line yet.
    #[must_use]
    pub fn new(number: i32, message: impl Into<String>) -> Self {
        Self {
            number,
            severity: 16,
            state: 1,
            message: message.into(),
            line: 0,
            procedure: None,
        }
    }

    /// The same with another severity.
    #[must_use]
    pub fn severity(mut self, severity: u8) -> Self {
        self.severity = severity;
        self
    }

    /// The same with another state.
    #[must_use]
    pub fn state(mut self, state: u8) -> Self {
        self.state = state;
        self
    }

    /// The same at a line, unless it has one already.
    #[must_use]
    pub fn at_line(mut self, line: u32) -> Self {
        if self.line == 0 {
            self.line = line;
        }
        self
    }
}

/// An information message (PRINT, RAISERROR up to severity 10, BACKUP's report); it has the
/// shape of an error and ends nothing.
pub type Message = SqlError;

/// The result of anything that may fail with a SQL error.
pub type SqlResult<T> = Result<T, SqlError>;
