//! How a program fails: the error record, the message for people, the exit code.

use crate::Header;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The exit codes that all programs share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum ExitStatus {
    /// All done; also when the reader of standard output went away.
    Success = 0,
    /// The work failed: a SQL error, a full log, a full disk.
    Failed = 1,
    /// The command line is wrong.
    Usage = 2,
    /// The input is wrong: not JSON, cut off, a snapshot without its twin.
    BadInput = 3,
    /// An upstream stage failed; this one did nothing.
    Upstream = 4,
    /// No connection: unreachable, login refused, certificate not trusted, no such database.
    NoConnection = 5,
    /// The login lacks a permission.
    Permission = 6,
    /// Refused: the database does not carry writelog's mark.
    NotOurs = 7,
    /// It was measured, but the round cannot be trusted.
    InvalidRound = 8,
    /// `summarize --fail-if`: the verdict is one that was to fail.
    Gate = 9,
    /// `audit`: a commit that was promised to be durable is gone, or the log has a hole.
    Lost = 10,
    /// Interrupted (Ctrl-C); what was measured is written, marked partial.
    Interrupted = 130,
}

impl ExitStatus {
    /// The table for every program's `--help`.
    pub const HELP: &'static str = "\
Exit codes (the same in every writelog program):
  0    done; also when the reader of standard output went away
  1    the work failed (a SQL error, a full log, a full disk)
  2    the command line is wrong
  3    the input is wrong (not JSON, cut off, a snapshot without its twin)
  4    an upstream stage failed; this one did nothing
  5    no connection (unreachable, login, certificate, no such database)
  6    the login lacks a permission
  7    refused: the database does not carry writelog's mark
  8    measured, but the round cannot be trusted (a worker failed, a deadlock)
  9    the verdict is one that --fail-if named
  10   audit: a commit that was promised to be durable is gone, or the log has a hole
  130  interrupted; what was measured is written, marked partial";
}

impl From<ExitStatus> for std::process::ExitCode {
    fn from(status: ExitStatus) -> Self {
        Self::from(status as u8)
    }
}

/// What kind of failure it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FailureCode {
    /// A SQL error or another failure of the work itself.
    Failed,
    /// The command line is wrong.
    Usage,
    /// The input is wrong.
    BadInput,
    /// An upstream stage failed.
    Upstream,
    /// The server could not be reached or refused the login or the database.
    NoConnection,
    /// The login lacks a permission.
    Permission,
    /// The database does not carry writelog's mark.
    NotOurs,
    /// It was measured, but the round cannot be trusted.
    InvalidRound,
    /// Interrupted.
    Interrupted,
}

impl FailureCode {
    /// The exit code that goes with it.
    #[must_use]
    pub fn exit_status(self) -> ExitStatus {
        match self {
            Self::Failed => ExitStatus::Failed,
            Self::Usage => ExitStatus::Usage,
            Self::BadInput => ExitStatus::BadInput,
            Self::Upstream => ExitStatus::Upstream,
            Self::NoConnection => ExitStatus::NoConnection,
            Self::Permission => ExitStatus::Permission,
            Self::NotOurs => ExitStatus::NotOurs,
            Self::InvalidRound => ExitStatus::InvalidRound,
            Self::Interrupted => ExitStatus::Interrupted,
        }
    }
}

/// A failure: what happened, to what, and what to do next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Its kind.
    pub code: FailureCode,
    /// What happened, naming the thing. No secret.
    pub message: String,
    /// What to do next.
    pub remedy: Option<String>,
    /// SQL Server's error number, where there is one.
    pub sql_error: Option<u32>,
    /// The line of the input, from 1, where the input is at fault.
    pub input_line: Option<u64>,
}

impl Failure {
    /// A failure of a kind.
    #[must_use]
    pub fn new(code: FailureCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            remedy: None,
            sql_error: None,
            input_line: None,
        }
    }

    /// The same with advice.
    #[must_use]
    pub fn remedy(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = Some(remedy.into());
        self
    }

    /// The same with SQL Server's error number.
    #[must_use]
    pub fn sql_error(mut self, number: u32) -> Self {
        self.sql_error = Some(number);
        self
    }

    /// The same with the line of the input.
    #[must_use]
    pub fn input_line(mut self, line: u64) -> Self {
        self.input_line = Some(line);
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        if let Some(remedy) = &self.remedy {
            write!(f, "\n  {remedy}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Failure {}

/// A stage failed. A stage that reads one does not act and exits non-zero.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ErrorRecord {
    /// When, where, which round.
    #[serde(flatten)]
    pub header: Header,
    /// Its kind.
    pub code: FailureCode,
    /// What happened, naming the thing.
    pub message: String,
    /// What to do next.
    pub remedy: Option<String>,
    /// SQL Server's error number, where there is one.
    pub sql_error: Option<u32>,
    /// The line of the input, from 1, where the input is at fault.
    pub input_line: Option<u64>,
}

impl ErrorRecord {
    /// The record of a failure.
    #[must_use]
    pub fn new(header: Header, failure: &Failure) -> Self {
        Self {
            header,
            code: failure.code,
            message: failure.message.clone(),
            remedy: failure.remedy.clone(),
            sql_error: failure.sql_error,
            input_line: failure.input_line,
        }
    }
}
