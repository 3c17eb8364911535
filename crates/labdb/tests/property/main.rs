//! labdb held to independent references: a small evaluator written from SQL Server's
//! documentation, SQLite, and a model of locks.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::missing_panics_doc,
    clippy::print_stdout,
    reason = "a test says what is wrong by panicking, in helpers too"
)]
#![allow(
    clippy::match_same_arms,
    clippy::single_match_else,
    clippy::cast_possible_truncation,
    clippy::format_push_string,
    clippy::format_collect,
    clippy::assigning_clones,
    clippy::doc_markdown,
    reason = "tables of cases read best as one match; texts and numbers here are small"
)]

mod choices;
mod engine;
mod found;
mod locking;
mod relational;
mod scalar;
