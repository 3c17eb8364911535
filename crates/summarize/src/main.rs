//! `summarize`: rounds become statistics.

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    summarize::run(&summarize::Args::parse())
}
