//! The SQL Server side of writelog.
//!
//! [`connect`] turns sqlcmd's flags and environment into [`connect::Settings`] and opens a
//! [`Connection`]; every statement goes through it, so every result is drained and every wait has
//! a deadline. Every T-SQL text is in [`texts`], written once.

pub mod connect;
mod connection;
pub mod error;
mod remedies;
mod runtime;

pub use connect::{ConnectionArgs, Environment, Settings};
pub use connection::{Connection, Results};
pub use error::{ServerError, SqlError};
pub use runtime::block_on;
pub use tiberius::Row;
