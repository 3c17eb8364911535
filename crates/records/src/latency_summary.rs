//! Latencies of all rounds of a variant.

use crate::Header;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The latencies of all requests of one variant: the distributions of its rounds added up, and
/// percentiles of the sum. A mean or median of the rounds' percentiles would be another number.
///
/// A percentile is null where no request lies above it: the 99.9th of fewer than 1,000 requests
/// would be the longest one under a grander name. Requests of one round share its minute of the
/// machine, so there is no interval here; `comparison` has what rounds can show.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LatencySummary {
    /// When and where.
    #[serde(flatten)]
    pub header: Header,
    /// The experiment.
    pub experiment: String,
    /// The variant.
    pub variant: String,
    /// Rounds whose distributions are in it.
    pub n: u64,
    /// Rounds that were set aside (invalid, partial, without a distribution or with one that
    /// cannot be read).
    pub set_aside: u64,
    /// Requests in these rounds.
    pub requests: u64,
    /// The shortest, in microseconds, as are all that follow; each is exact to the histograms'
    /// resolution, one part in a thousand as `loadgen` makes them.
    pub min_us: Option<u64>,
    /// The median.
    pub p50_us: Option<u64>,
    /// The 90th percentile.
    pub p90_us: Option<u64>,
    /// The 99th percentile.
    pub p99_us: Option<u64>,
    /// The 99.9th percentile.
    pub p999_us: Option<u64>,
    /// The longest.
    pub max_us: Option<u64>,
}
