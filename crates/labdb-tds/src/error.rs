//! What ends a connection, or a call of this crate.

use std::io;
use thiserror::Error;

/// The result of this crate's calls.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a connection, or a call, failed. After any error but [`Error::Value`] the connection is of
/// no more use: drop it.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// The socket failed.
    #[error("the connection's socket failed: {0}")]
    Io(#[from] io::Error),
    /// The client closed its side in the middle of a message.
    #[error("the client closed the connection in the middle of a message")]
    Truncated,
    /// What the client sent is not TDS as the specification has it.
    #[error("the client broke the TDS protocol: {0}")]
    Protocol(String),
    /// A message is longer than the server's limit.
    #[error("the client sent a message of more than {limit} bytes, the server's limit")]
    MessageTooLarge {
        /// The limit, in bytes.
        limit: usize,
    },
    /// The client took longer than the limit for its log-in, or for the rest of a message.
    #[error("the client took too long to send {0}")]
    TimedOut(&'static str),
    /// The TLS handshake or a TLS record failed.
    #[error("TLS with the client failed: {0}")]
    Tls(#[from] rustls::Error),
    /// A certificate or key is not usable.
    #[error("the server's certificate cannot be used: {0}")]
    Certificate(String),
    /// The log-in asked for something that this server does not offer; the client was told.
    #[error("the log-in was refused: {0}")]
    Refused(String),
    /// A value does not fit the column that it is for. The row was not sent.
    #[error("a value of column {column} cannot be sent as {sql_type}: {reason}")]
    Value {
        /// Position of the column, from 1.
        column: usize,
        /// The column's type.
        sql_type: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The caller dropped a response without finishing it.
    #[error("the response to the request before was never finished")]
    Unfinished,
}

impl Error {
    pub(crate) fn protocol(text: impl Into<String>) -> Self {
        Self::Protocol(text.into())
    }
}
