//! The SQL Server side of writelog.
//!
//! [`connect`] turns sqlcmd's flags and environment into [`connect::Settings`] and opens a
//! [`Connection`]; every statement goes through it, so every result is drained and every wait has
//! a deadline. Every T-SQL text is in [`texts`], written once.

pub mod connect;
mod connection;
pub mod error;
pub mod mark;
pub mod names;
pub mod parameterized;
pub mod permission;
pub mod probe;
pub mod readings;
mod remedies;
mod row;
mod runtime;
pub mod source;
pub mod texts;

pub use connect::{ConnectionArgs, Environment, Settings};
pub use connection::{Connection, Results};
pub use error::{ServerError, SqlError};
pub use names::{DatabaseName, NameError, TableName};
pub use row::Columns;
pub use runtime::block_on;
pub use tiberius::Row;
