//! Puts load on a database and measures it from the client's side.
//!
//! [`run`] is the whole stage. The parts, in the order in which a run goes through them:
//! [`args`], `crew` (all workers, the gate, stopping), `worker` (one connection's timed loop),
//! `outcome` (figures), `assess` (whether they may be used).
//!
//! What a transaction is stands in [`workload`]; [`script`] is a transaction of the user's own. The loop is closed; an open loop at a given rate would be another way to
//! choose the next transaction's start in `worker`. The place where a transaction is known to be
//! acknowledged is in `worker`, too, where `journal` writes it down and `intervals` counts it by time. `expected_crash` judges a run that
//! is to end with the server's.

pub mod args;
mod assess;
mod client_cpu;
mod control;
mod crew;
mod durability;
mod expected_crash;
mod intervals;
mod journal;
mod latency;
mod outcome;
mod progress;
mod request;
mod run;
pub mod script;
mod session;
mod session_waits;
mod trouble;
mod worker;
pub mod workload;

pub use args::Args;
pub use progress::ProgressMode;
pub use run::run;

use clap::Parser;
use std::process::ExitCode;

/// The program.
#[must_use]
pub fn main() -> ExitCode {
    let args = Args::parse();
    records::stage::run("loadgen", |stage| run(stage, &args))
}
