//! A part of a round's load, so that a stall inside the round shows.

use crate::Header;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `loadgen --interval`: what was answered in one interval of a round. Flat and small: a round may
/// have thousands.
///
/// A transaction counts in the interval in which its answer came. The intervals of a round follow
/// each other without a gap, one in which nothing was answered too: their transactions, their errors
/// and their distributions add up to the load's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Interval {
    /// When it was written (after the load), and which round. Target and server are the load's.
    #[serde(flatten)]
    pub header: Header,
    /// Its number in the round, from 1.
    pub number: u32,
    /// When it began, in milliseconds after the round's clock started.
    pub start_ms: f64,
    /// How long it was, in milliseconds; the last one ends with the last answer.
    pub length_ms: f64,
    /// Whether every worker was at work to its end. The rate of one that is not whole says when
    /// workers were done, not how fast the server was.
    pub whole: bool,
    /// Transactions that the server acknowledged.
    pub transactions: u64,
    /// The same a second, to a thousandth; null where it has no length.
    pub transactions_per_s: Option<f64>,
    /// Errors.
    pub errors: u64,
    /// Median latency of a transaction, in microseconds; null where none was acknowledged.
    pub latency_p50_us: Option<u64>,
    /// 99th percentile, in microseconds.
    pub latency_p99_us: Option<u64>,
    /// The longest, in microseconds.
    pub latency_max_us: Option<u64>,
    /// The whole latency distribution: `HdrHistogram` V2, base64, microseconds; deflated
    /// ([`crate::HISTOGRAM_ENCODING`]) or not.
    pub latency_histogram: Option<String>,
}
