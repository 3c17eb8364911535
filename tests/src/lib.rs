//! What the tests that span programs share: the programs' paths, a labdb of one's own, pipelines.

pub mod bench;
mod labdb;
mod pipeline;
mod query;

pub use labdb::{Labdb, LabdbOptions};
pub use pipeline::{Outcome, checkout, program, program_folder, run, run_with_input};
pub use query::query_text;
