//! What `summarize` makes of one file over the rounds of a variant.

use crate::{FileKind, Header};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One file over the rounds of one variant: totals, and averages a round. A sum that no 64 bits
/// hold is null.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FileSummary {
    /// When and where; the target names the database.
    #[serde(flatten)]
    pub header: Header,
    /// The experiment.
    pub experiment: String,
    /// The variant.
    pub variant: String,
    /// `file_id`.
    pub file_id: i32,
    /// Rows or log.
    pub file_kind: FileKind,
    /// The logical name.
    pub logical_name: String,
    /// The path, as the server sees it.
    pub physical_name: String,
    /// Rounds that count.
    pub n: u64,
    /// Rounds of the variant in this database that were set aside (invalid, partial, without
    /// figures of files).
    pub set_aside: u64,
    /// Bytes written.
    pub bytes_written: Option<i64>,
    /// Writes.
    pub writes: Option<i64>,
    /// Write stall, in milliseconds: the sum over all writes of all rounds.
    pub write_stall_ms: Option<i64>,
    /// How much the file grew, in bytes.
    pub growth_bytes: Option<i64>,
    /// The rounds' elapsed times, in milliseconds; null where one has none.
    pub elapsed_ms: Option<f64>,
    /// Write stall of all rounds divided by writes of all rounds, in milliseconds (no mean of
    /// means); null without a write.
    pub write_stall_mean_ms: Option<f64>,
    /// Bytes written a round.
    pub bytes_written_mean: Option<f64>,
    /// Writes a round.
    pub writes_mean: Option<f64>,
    /// Growth a round, in bytes.
    pub growth_bytes_mean: Option<f64>,
    /// Elapsed time a round, in milliseconds.
    pub elapsed_mean_ms: Option<f64>,
    /// Bytes written over elapsed time, a second. The rounds' time is that of all files together.
    pub bytes_written_per_s: Option<f64>,
    /// Elapsed time for each 1,073,741,824 bytes written to this file, in milliseconds; null where
    /// nothing was written.
    pub elapsed_ms_per_gb: Option<f64>,
}
