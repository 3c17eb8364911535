//! Backs a database up and restores it under another name, timed phase by phase.
//!
//! [`run`] goes through the steps: `backup`, then `media` (what the file holds and where its files
//! go), `target` (whether the name may be taken), `space`, `restore` (the statement and its clock,
//! with the trace flags of `trace`), and [`phases`] out of the error log.

pub mod args;
mod backup;
mod media;
mod open_transaction;
pub mod phases;
mod record;
mod restore;
mod run;
mod server;
mod space;
mod target;
mod trace;

pub use args::Args;
pub use run::run;

use clap::Parser;
use std::process::ExitCode;

/// The program.
#[must_use]
pub fn main() -> ExitCode {
    let args = Args::parse();
    records::stage::run("restore-db", |stage| run(stage, &args))
}
