//! What `summarize` makes of the intervals of a variant.

use crate::Header;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The intervals of the rounds of one variant that count: how even the load ran inside them.
///
/// Rates are those of whole intervals only (see [`crate::Interval::whole`]); transactions, time,
/// errors and latencies are those of all. It describes: intervals of one round share its minute, so
/// no test is made of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct IntervalSummary {
    /// When and where.
    #[serde(flatten)]
    pub header: Header,
    /// The experiment.
    pub experiment: String,
    /// The variant.
    pub variant: String,
    /// Rounds that count and have intervals that add up to them.
    pub rounds: u64,
    /// Rounds that count and are not here: they have no intervals, or some are missing.
    pub rounds_without: u64,
    /// Intervals.
    pub intervals: u64,
    /// Intervals in which every worker was at work to the end.
    pub whole_intervals: u64,
    /// Transactions.
    pub transactions: u64,
    /// Errors.
    pub errors: u64,
    /// How long the intervals are together, in milliseconds.
    pub length_ms: f64,
    /// The lowest rate of a whole interval, in transactions a second.
    pub transactions_per_s_min: Option<f64>,
    /// Transactions of all intervals over their time, a second.
    pub transactions_per_s_mean: Option<f64>,
    /// The highest rate of a whole interval, in transactions a second.
    pub transactions_per_s_max: Option<f64>,
    /// The round with the lowest rate, by its id.
    pub slowest_trial_id: Option<String>,
    /// When the interval with the lowest rate began, in milliseconds after its round's clock started.
    pub slowest_start_ms: Option<f64>,
    /// Median latency of a transaction, in microseconds, of all intervals' distributions added up;
    /// null where one is missing or cannot be read.
    pub latency_p50_us: Option<u64>,
    /// 99th percentile, in microseconds.
    pub latency_p99_us: Option<u64>,
    /// The longest, in microseconds.
    pub latency_max_us: Option<u64>,
    /// The highest 99th percentile of one interval, in microseconds.
    pub latency_p99_us_worst: Option<u64>,
}
