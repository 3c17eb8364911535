//! After a crash: which acknowledged commits are really there.
//!
//! [`journal`] reads what loadgen wrote down, [`ledger`] holds it against the table, [`table`]
//! waits for the server and reads the table, [`round`] makes the record, [`run`] is the stage.

pub mod args;
pub mod journal;
pub mod ledger;
mod round;
mod run;
mod table;
mod upstream;

pub use args::Args;
pub use run::run;

use clap::Parser;
use std::process::ExitCode;

const PROGRAM: &str = "audit";

/// The program.
#[must_use]
pub fn main() -> ExitCode {
    let args = Args::parse();
    records::stage::run(PROGRAM, |stage| run(stage, &args))
}
