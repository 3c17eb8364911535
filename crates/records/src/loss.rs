//! What a crash cost.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Acknowledged commits beside what is in the table after a crash.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct LossFigures {
    /// Whether every one of these commits was promised to be on disk before it was answered: by the
    /// commit, or by a database that allows no delay. If so, `missing` must be 0.
    pub promised_durable: bool,
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
    /// Missing commits whose acknowledgement had come before a commit that is there was sent, by
    /// whichever worker. A delayed commit may be lost, but only from the end of the log; above 0
    /// the log has a hole. Where two commits were under way at the same time, the client cannot
    /// know their order in the log, and they are not counted here.
    pub gaps: u64,
}
