//! What the tests that span programs share: the programs' paths, a labdb of one's own, pipelines.
#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a failed step of a test or a benchmark ends it"
)]

pub mod bench;
mod labdb;
mod pipeline;
mod query;

pub use labdb::{Labdb, LabdbOptions};
pub use pipeline::{Outcome, checkout, program, program_folder, run, run_with_input};
pub use query::query_text;
