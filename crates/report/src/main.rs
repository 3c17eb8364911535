//! `report`: rounds become one page.

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    report::run(&report::Args::parse())
}
