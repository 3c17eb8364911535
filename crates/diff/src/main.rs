//! `diff`: two snapshots, and the load between them, become one round.

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    diff::run(&diff::Args::parse())
}
