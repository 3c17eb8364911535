//! What `loadgen` did and saw.

use crate::{Header, Reason, Validity};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How [`Latency::histogram`] is encoded.
pub const HISTOGRAM_ENCODING: &str = "HdrHistogram V2+DEFLATE, base64, microseconds";

/// `loadgen` put load on the database.
///
/// The round's clock starts at the first worker's first statement and stops at the last worker's
/// last answer; all connections are open before.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Load {
    /// When, where, which round.
    #[serde(flatten)]
    pub header: Header,
    /// What was asked for.
    pub shape: LoadShape,
    /// Whether the numbers may be used.
    pub validity: Validity,
    /// Why they may not; also remarks on numbers that may (`client_bound`).
    pub reasons: Vec<Reason>,
    /// First start to last end, in milliseconds.
    pub elapsed_ms: f64,
    /// Transactions that the server acknowledged.
    pub transactions: u64,
    /// Rows that they inserted; of a script, those that its statements reported (affected or
    /// selected), and null where none were reported (SET NOCOUNT ON).
    pub rows: Option<u64>,
    /// How long flushing the log after the run took (`sys.sp_flush_log`), in milliseconds, outside
    /// `elapsed_ms`; null where it was not asked for.
    #[serde(default)]
    pub flush_ms: Option<f64>,
    /// Errors by number.
    pub errors: Vec<CountedError>,
    /// The sessions' own waits during the run, by type, summed over the workers: deltas inside
    /// each session. Null without permission.
    pub waits: Option<Vec<Wait>>,
    /// Why `waits` is null.
    pub waits_unavailable: Option<String>,
    /// Latency of a transaction as the client saw it; null where none was acknowledged.
    pub latency: Option<Latency>,
    /// CPU time of this program during the run over `elapsed_ms`: 1.0 is one core. Near the
    /// number of cores the client, not the server, was measured.
    pub client_cpu_share: Option<f64>,
    /// Each worker.
    pub workers: Vec<WorkerLoad>,
    /// The file with every acknowledgement, as it was named; null where none was asked for.
    #[serde(default)]
    pub journal: Option<String>,
}

/// What was asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LoadShape {
    /// Connections.
    pub workers: u32,
    /// Rows each worker inserts; null where the run is by time, or a script's own.
    pub rows_per_worker: Option<u64>,
    /// Transactions each worker runs; null where the run is by time.
    #[serde(default)]
    pub transactions_per_worker: Option<u64>,
    /// How long the run is, in milliseconds; null where it is by rows.
    pub duration_ms: Option<u64>,
    /// Rows in one transaction; null where a script decides it.
    pub rows_per_transaction: Option<u32>,
    /// Transactions that one request commits on the server: 1, or the turns of a loop that runs
    /// there. Latency is that of a request.
    #[serde(default = "one")]
    pub transactions_per_request: u32,
    /// The statement that one transaction sends; of a script, its whole file.
    pub statement: String,
    /// Where the transaction is a script of the user's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub script: Option<ScriptShape>,
}

/// A transaction of the user's own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ScriptShape {
    /// The file's name, as it was given.
    pub name: String,
    /// What the random values of its variables are drawn from.
    pub seed: u32,
}

fn one() -> u32 {
    1
}

/// One worker: one connection, one session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WorkerLoad {
    /// Its number, from 1.
    pub worker: u32,
    /// `@@SPID`.
    pub session_id: i32,
    /// When its first statement went out, in milliseconds after the round's clock started.
    pub start_ms: f64,
    /// When its last answer came, in milliseconds after the round's clock started.
    pub end_ms: f64,
    /// Transactions that the server acknowledged.
    pub transactions: u64,
    /// Errors by number.
    pub errors: Vec<CountedError>,
    /// Its session's waits during the run, by type; null without permission.
    pub waits: Option<Vec<Wait>>,
}

/// Errors of one number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CountedError {
    /// SQL Server's number; null where the connection itself failed.
    pub number: Option<u32>,
    /// The first one's text.
    pub message: String,
    /// How many.
    pub count: u64,
}

/// Waits of one type during a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Wait {
    /// `wait_type`.
    pub wait_type: String,
    /// How many waits ended.
    pub waiting_tasks: i64,
    /// How long they took, in milliseconds, signal time included.
    pub wait_ms: i64,
    /// How much of it was spent waiting for a scheduler, in milliseconds.
    pub signal_wait_ms: i64,
}

/// A latency distribution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Latency {
    /// How many were measured.
    pub count: u64,
    /// The shortest, in microseconds.
    pub min_us: u64,
    /// The mean, in microseconds.
    pub mean_us: f64,
    /// The median, in microseconds.
    pub p50_us: u64,
    /// The 90th percentile, in microseconds.
    pub p90_us: u64,
    /// The 95th percentile, in microseconds.
    pub p95_us: u64,
    /// The 99th percentile, in microseconds.
    pub p99_us: u64,
    /// The 99.9th percentile, in microseconds.
    pub p999_us: u64,
    /// The longest, in microseconds.
    pub max_us: u64,
    /// The whole distribution ([`HISTOGRAM_ENCODING`]), so that distributions can be merged.
    pub histogram: String,
}
