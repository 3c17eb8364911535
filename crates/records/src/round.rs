//! One round: what changed between two snapshots, and whether the number can be trusted.

use crate::{Conditions, FileRound, Header, LossFigures, RestoreFigures, Wait};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Two snapshots and the load between them. Flat, so that it is a row of a table.
///
/// A figure that cannot be trusted is null, and [`Round::counters`] and [`Round::reasons`] say
/// why; it is never 0 and never a guess.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Round {
    /// When, where, which round.
    #[serde(flatten)]
    pub header: Header,
    /// Whether the round may be used.
    pub validity: Validity,
    /// Why it may not; also remarks on null figures.
    pub reasons: Vec<Reason>,
    /// Whether the server's counters ran through from the first snapshot to the second.
    pub counters: CountersStatus,
    /// When the first snapshot was taken.
    pub started: Timestamp,
    /// When the second snapshot was taken.
    pub ended: Timestamp,
    /// The load's first start to last end, in milliseconds; without a load in between, the time
    /// from the first snapshot to the second by the client's monotonic clock.
    pub elapsed_ms: Option<f64>,
    /// Connections that put on the load; null without a load.
    pub workers: Option<u32>,
    /// Acknowledged transactions; null without a load.
    pub transactions: Option<u64>,
    /// Inserted rows; null without a load.
    pub rows: Option<u64>,
    /// Whether each transaction was a script of the user's (`loadgen --script`), which decides how
    /// many rows; null where no load says.
    #[serde(default)]
    pub scripted: Option<bool>,
    /// How long flushing the log after the load took (`sys.sp_flush_log`), in milliseconds; null
    /// where it was not asked for.
    #[serde(default)]
    pub flush_ms: Option<f64>,
    /// The load and the flush after it, in milliseconds: what delayed commits cost once they are
    /// durable.
    #[serde(default)]
    pub elapsed_with_flush_ms: Option<f64>,
    /// Transactions a second; null without a load.
    pub transactions_per_s: Option<f64>,
    /// Errors in the load.
    pub errors: Option<u64>,
    /// WRITELOG, summed over the load's sessions, in milliseconds.
    pub writelog_wait_ms: Option<i64>,
    /// How many WRITELOG waits the load's sessions had.
    pub writelog_waits: Option<i64>,
    /// Bytes written to all log files, padding included.
    pub log_bytes_written: Option<i64>,
    /// Writes to all log files.
    pub log_writes: Option<i64>,
    /// Write stall of all log files, in milliseconds: a sum over writes.
    pub log_write_stall_ms: Option<i64>,
    /// Log write stall divided by log writes, in milliseconds; null without a write.
    pub log_write_stall_mean_ms: Option<f64>,
    /// Log bytes a transaction; null without a transaction.
    pub log_bytes_per_transaction: Option<f64>,
    /// Transactions a log write: how well commits were grouped; null without a write.
    pub transactions_per_log_write: Option<f64>,
    /// Bytes written to all data files.
    pub data_bytes_written: Option<i64>,
    /// Writes to all data files.
    pub data_writes: Option<i64>,
    /// Write stall of all data files, in milliseconds: a sum over writes.
    pub data_write_stall_ms: Option<i64>,
    /// How much the log files grew, in bytes.
    pub log_growth_bytes: Option<i64>,
    /// How much the data files grew, in bytes.
    pub data_growth_bytes: Option<i64>,
    /// Recovery model.
    pub recovery_model: String,
    /// Whether a FULL database was armed after the round.
    pub armed: Option<bool>,
    /// Delayed durability.
    pub delayed_durability: Option<String>,
    /// Why the log could not be reused, at the first snapshot.
    pub log_reuse_wait_before: String,
    /// Why the log could not be reused, at the second snapshot.
    pub log_reuse_wait: String,
    /// Log in use at the first snapshot, in bytes.
    pub log_used_bytes_before: Option<i64>,
    /// Log in use at the second snapshot, in bytes.
    pub log_used_bytes: Option<i64>,
    /// Virtual log files at the second snapshot.
    pub vlf_count: Option<i64>,
    /// Median latency of a transaction, in microseconds.
    pub latency_p50_us: Option<u64>,
    /// 99th percentile, in microseconds.
    pub latency_p99_us: Option<u64>,
    /// The longest, in microseconds.
    pub latency_max_us: Option<u64>,
    /// The whole latency distribution ([`crate::HISTOGRAM_ENCODING`]), so that rounds can be merged.
    #[serde(default)]
    pub latency_histogram: Option<String>,
    /// CPU time of the load's client over the elapsed time: 1.0 is one core.
    pub client_cpu_share: Option<f64>,
    /// Waits of the load's sessions, by type.
    pub session_waits: Option<Vec<Wait>>,
    /// Waits of the whole server between the snapshots, by type, those that occurred.
    pub server_waits: Option<Vec<Wait>>,
    /// Each file; null where the counters did not run through.
    #[serde(default)]
    pub files: Option<Vec<FileRound>>,
    /// What decides the result besides the setting under test.
    #[serde(default)]
    pub conditions: Option<Conditions>,
    /// Where the round is a restore (`restore-db`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restore: Option<RestoreFigures>,
    /// Where the round ended with a crash (`audit`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loss: Option<LossFigures>,
}

impl Round {
    /// A round without a figure, valid: what takes no counters fills in what it has.
    #[must_use]
    pub fn without_counters(header: Header, started: Timestamp, ended: Timestamp) -> Self {
        Self {
            header,
            validity: Validity::Valid,
            reasons: Vec::new(),
            counters: CountersStatus::NotTaken,
            started,
            ended,
            elapsed_ms: None,
            workers: None,
            transactions: None,
            rows: None,
            scripted: None,
            flush_ms: None,
            elapsed_with_flush_ms: None,
            transactions_per_s: None,
            errors: None,
            writelog_wait_ms: None,
            writelog_waits: None,
            log_bytes_written: None,
            log_writes: None,
            log_write_stall_ms: None,
            log_write_stall_mean_ms: None,
            log_bytes_per_transaction: None,
            transactions_per_log_write: None,
            data_bytes_written: None,
            data_writes: None,
            data_write_stall_ms: None,
            log_growth_bytes: None,
            data_growth_bytes: None,
            recovery_model: String::new(),
            armed: None,
            delayed_durability: None,
            log_reuse_wait_before: String::new(),
            log_reuse_wait: String::new(),
            log_used_bytes_before: None,
            log_used_bytes: None,
            vlf_count: None,
            latency_p50_us: None,
            latency_p99_us: None,
            latency_max_us: None,
            latency_histogram: None,
            client_cpu_share: None,
            session_waits: None,
            server_waits: None,
            files: None,
            conditions: None,
            restore: None,
            loss: None,
        }
    }
}

/// Whether a measurement may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Validity {
    /// All went as asked.
    Valid,
    /// It was interrupted: the numbers are of a shorter run than asked for.
    Partial,
    /// Something happened that makes the numbers mean something else.
    Invalid,
}

/// A reason, for programs and for people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Reason {
    /// A short name that does not change: `deadlock`, `connection_lost`, `log_grew`.
    pub code: String,
    /// What happened, naming the thing.
    pub detail: String,
}

impl Reason {
    /// A reason.
    #[must_use]
    pub fn new(code: impl Into<String>, detail: impl Into<String>) -> Self {
        Self {
            code: code.into(),
            detail: detail.into(),
        }
    }

    /// The details for a message: the first three, and how many more there are. The record holds
    /// them all.
    #[must_use]
    pub fn first_details(reasons: &[Self]) -> Vec<String> {
        const SHOWN: usize = 3;
        let mut details: Vec<String> = reasons
            .iter()
            .take(SHOWN)
            .map(|reason| reason.detail.clone())
            .collect();
        if reasons.len() > SHOWN {
            details.push(format!("and {} more in the record", reasons.len() - SHOWN));
        }
        details
    }
}

/// Whether the server's counters ran through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CountersStatus {
    /// They ran through: differences are what happened in between.
    Continuous,
    /// The server started again in between.
    ServerRestarted,
    /// A counter is lower than it was.
    WentBack,
    /// A file is another one than before, or the database was restored or made anew.
    Replaced,
    /// A file was added or removed.
    FilesChanged,
    /// They could not be read.
    Unavailable,
    /// It cannot be told, because the server's start time could not be read.
    Unproven,
    /// None were taken: a restore or a crash leaves nothing to subtract.
    NotTaken,
}

#[cfg(test)]
mod tests {
    use super::Reason;

    #[test]
    fn a_message_names_three_reasons_and_counts_the_rest() {
        let reasons: Vec<Reason> = (1..=16)
            .map(|worker| Reason::new("connection_lost", format!("worker {worker}")))
            .collect();
        let told = |count: usize| Reason::first_details(&reasons[..count]).join("; ");
        assert_eq!(told(3), "worker 1; worker 2; worker 3");
        assert_eq!(
            told(16),
            "worker 1; worker 2; worker 3; and 13 more in the record"
        );
        assert_eq!(told(0), "");
    }
}
