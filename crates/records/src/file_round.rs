//! One file in a round.

use crate::FileKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a round did to one file of the database: differences between the two snapshots.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FileRound {
    /// `file_id`.
    pub file_id: i32,
    /// Rows or log.
    pub kind: FileKind,
    /// The logical name.
    pub logical_name: String,
    /// The path, as the server sees it.
    pub physical_name: String,
    /// Bytes written.
    pub bytes_written: i64,
    /// Writes.
    pub writes: i64,
    /// Write stall, in milliseconds: a sum over writes, which can pass the elapsed time.
    pub write_stall_ms: i64,
    /// Write stall divided by writes, in milliseconds; null without a write.
    pub write_stall_mean_ms: Option<f64>,
    /// Bytes read.
    pub bytes_read: i64,
    /// The size at the second snapshot, in bytes.
    pub size_bytes: u64,
    /// How much it grew, in bytes.
    pub growth_bytes: i64,
}
