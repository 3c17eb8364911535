//! labdb held to independent references: a small evaluator written from SQL Server's
//! documentation, SQLite, and a model of locks.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::missing_panics_doc,
    clippy::print_stdout,
    reason = "a test says what is wrong by panicking, in helpers too"
)]

mod choices;
mod engine;
mod found;
mod locking;
mod relational;
mod scalar;
