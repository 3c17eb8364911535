//! What a crash cost.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Acknowledged commits beside what is in the table after a crash.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct LossFigures {
    /// Commits that the server had acknowledged before it went.
    pub acknowledged: u64,
    /// Acknowledged commits that are in the table.
    pub present: u64,
    /// Acknowledged commits that are not.
    pub missing: u64,
    /// Commits that were sent, never acknowledged, and are in the table all the same: allowed.
    pub unacknowledged_present: u64,
    /// From the first acknowledgement that is missing to the last one before the crash, in
    /// milliseconds by the client's monotonic clock; null where none is missing.
    pub missing_ms: Option<f64>,
    /// Missing commits that were acknowledged before one that is there, by the same worker: a
    /// delayed commit may be lost, but only from the end. Above 0 the database is damaged.
    pub gaps: u64,
}
