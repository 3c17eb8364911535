//! Brings a database to a declared state and says what it changed.
//!
//! [`args`] is the declaration. [`run`] goes through the steps in order: `create` (the database
//! and its mark), `files`, `options` (recovery model, delayed `durability`, arming), `table`,
//! `loops` (the stored procedures that insert into it), `source` (the rows that a load copies),
//! `apply` (T-SQL of the user's); or `drop`. Each step reads first, changes only what differs, and
//! notes it in `workshop`; `apply` runs what it was given.
//!
//! Other shapes of table are another arm in `table`.

mod apply;
pub mod args;
mod create;
mod drop;
pub mod durability;
mod files;
mod loops;
mod options;
mod run;
pub mod size;
mod source;
mod table;
mod workshop;

pub use args::Args;
pub use run::run;

use clap::Parser;
use std::process::ExitCode;

/// The program.
#[must_use]
pub fn main() -> ExitCode {
    let args = Args::parse();
    records::stage::run("setup-db", |stage| run(stage, &args))
}
