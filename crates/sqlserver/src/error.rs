//! What can go wrong with a statement, and what to do about it.

use crate::remedies;
use records::{Failure, FailureCode};
use std::time::Duration;
use thiserror::Error;

/// An error that SQL Server sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerError {
    /// Its number: 9002 is a full log.
    pub number: u32,
    /// Its severity, 11 to 25; from 20 on the connection is gone.
    pub class: u8,
    /// Its state.
    pub state: u8,
    /// The line of the batch or of the procedure, from 1.
    pub line: u32,
    /// The procedure that it happened in; none where it is the batch itself.
    pub procedure: Option<String>,
    /// Its text.
    pub message: String,
}

/// A statement that did not succeed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SqlError {
    /// The server sent an error. Where it sent several, this is the first, which is the one that
    /// names the cause (300 before 297, 3201 before 3013).
    #[error("Msg {}, level {}, state {}: {}", .0.number, .0.class, .0.state, .0.message)]
    Server(ServerError),
    /// The statement took longer than it may and was cancelled.
    #[error("no answer within {} s; the statement was cancelled", .after.as_secs_f64())]
    Deadline {
        /// How long it was waited for.
        after: Duration,
    },
    /// The caller did not want the answer any more, and the statement was cancelled.
    #[error("the statement was cancelled before its answer came")]
    Stopped,
    /// The connection broke.
    #[error("the connection to the server was lost ({0})")]
    Lost(String),
    /// The answer is not what the driver or this program can read.
    #[error("the answer could not be read: {0}")]
    Unreadable(String),
    /// The connection was closed before.
    #[error("the connection is closed since an earlier failure")]
    Closed,
}

impl SqlError {
    /// SQL Server's error number, where it sent one.
    #[must_use]
    pub fn number(&self) -> Option<u32> {
        match self {
            Self::Server(error) => Some(error.number),
            _ => None,
        }
    }

    /// Whether the login lacks a permission.
    #[must_use]
    pub fn is_permission(&self) -> bool {
        self.number().is_some_and(remedies::is_permission)
    }

    /// Whether the connection is of no use afterwards.
    #[must_use]
    pub fn ends_connection(&self) -> bool {
        match self {
            Self::Server(error) => error.class >= 20,
            Self::Deadline { .. }
            | Self::Stopped
            | Self::Lost(_)
            | Self::Unreadable(_)
            | Self::Closed => true,
        }
    }

    /// The failure of a program that was `doing` something: "sizing the log of [lab]".
    #[must_use]
    pub fn failure(&self, doing: &str) -> Failure {
        let code = match self {
            Self::Lost(_) | Self::Closed => FailureCode::NoConnection,
            _ if self.is_permission() => FailureCode::Permission,
            _ => FailureCode::Failed,
        };
        let mut failure = Failure::new(code, format!("{doing} failed: {self}"));
        failure.sql_error = self.number();
        failure.remedy = match self {
            Self::Server(error) => remedies::for_number(error.number).map(str::to_owned),
            Self::Deadline { .. } => Some(
                "Allow more time with -t SECONDS (0 is without limit), or find out what blocks it."
                    .to_owned(),
            ),
            Self::Lost(_) => Some(
                "See the server's error log for why it closed the connection; check the network."
                    .to_owned(),
            ),
            Self::Stopped | Self::Unreadable(_) | Self::Closed => None,
        };
        failure
    }
}

impl From<tiberius::error::Error> for SqlError {
    fn from(error: tiberius::error::Error) -> Self {
        use tiberius::error::Error as Driver;
        match error {
            Driver::Server(token) => Self::Server(ServerError {
                number: token.code(),
                class: token.class(),
                state: token.state(),
                line: token.line(),
                procedure: Some(token.procedure())
                    .filter(|name| !name.is_empty() && *name != "sp_executesql")
                    .map(str::to_owned),
                message: token.message().to_owned(),
            }),
            Driver::Io { message, .. } => Self::Lost(how_it_was_lost(&message)),
            other => Self::Unreadable(other.to_string()),
        }
    }
}

/// The driver's text for a lost connection, without its wrapping and its advice for programmers.
fn how_it_was_lost(message: &str) -> String {
    const END_OF_STREAM: [&str; 3] = ["close_notify", "No more packets", "unexpected end of file"];
    if END_OF_STREAM.iter().any(|text| message.contains(text)) {
        return "the server closed it".to_owned();
    }
    message
        .trim_start_matches("An error occurred during the attempt of performing I/O: ")
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::{ServerError, SqlError};
    use records::FailureCode;
    use std::time::Duration;

    fn server(number: u32, class: u8) -> SqlError {
        SqlError::Server(ServerError {
            number,
            class,
            state: 1,
            line: 1,
            procedure: None,
            message: "text of the server".to_owned(),
        })
    }

    #[test]
    fn each_kind_of_error_has_its_exit_code_and_keeps_the_servers_number_and_text() {
        for (number, class, code) in [
            (229, 14, FailureCode::Permission),
            (297, 16, FailureCode::Permission),
            (300, 14, FailureCode::Permission),
            (262, 14, FailureCode::Permission),
            (9002, 17, FailureCode::Failed),
            (1105, 17, FailureCode::Failed),
            (1205, 13, FailureCode::Failed),
            (208, 16, FailureCode::Failed),
        ] {
            let failure = server(number, class).failure("reading");
            assert_eq!(failure.code, code, "{number}");
            assert_eq!(failure.sql_error, Some(number));
            assert!(failure.message.contains("text of the server"));
            assert!(failure.message.contains(&number.to_string()));
        }
        assert_eq!(
            SqlError::Lost("eof".into()).failure("x").code,
            FailureCode::NoConnection
        );
        let late = SqlError::Deadline {
            after: Duration::from_secs(5),
        }
        .failure("CHECKPOINT");
        assert_eq!(late.code, FailureCode::Failed);
        assert!(late.remedy.unwrap().contains("-t"));
    }

    #[test]
    fn only_severity_20_and_more_ends_a_session() {
        assert!(!server(9002, 17).ends_connection());
        assert!(server(596, 21).ends_connection());
    }
}
