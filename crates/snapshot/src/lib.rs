//! One reading of the counters and states that matter, as one record.
//!
//! [`args`] is the command line, [`clock`] the client's clock, [`run`] the stage: pass the input
//! on, then read.

pub mod args;
pub mod clock;
mod run;

pub use args::Args;
pub use run::run;

use clap::Parser;
use std::process::ExitCode;

/// The program.
#[must_use]
pub fn main() -> ExitCode {
    let args = Args::parse();
    records::stage::run("snapshot", |stage| run(stage, &args))
}
