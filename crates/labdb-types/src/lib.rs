//! The types, values and errors that every part of labdb speaks: the wire, the parser, the
//! evaluator.
//!
//! Nothing here does I/O. Layouts and limits follow the documentation of SQL Server's data
//! types; where a limit comes from there, the item says so.

mod decimal;
mod error;
mod types;
mod value;

pub use decimal::Decimal;
pub use error::{Message, SqlError, SqlResult};
pub use types::{Column, Length, SqlType};
pub use value::Value;
