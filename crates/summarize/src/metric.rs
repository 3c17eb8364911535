//! What can be compared: the numbers of a round.

use crate::loss;
use records::Round;

/// A number that every round has or could have.
#[derive(Clone, Copy, Debug)]
pub struct Metric {
    /// The field of the round, with its unit.
    pub name: &'static str,
    /// In words, for people.
    pub words: &'static str,
    /// The value, in the unit of the name; none where the round has none.
    value: fn(&Round) -> Option<f64>,
    /// Which way is better, for the words of a verdict.
    pub sense: Sense,
}

/// What less of a metric means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sense {
    /// A time that the user waits: less is faster.
    Time,
    /// Work done per time: more is faster.
    Speed,
    /// Neither: less is lower.
    Amount,
}

/// A unit that people read, and what to divide by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DisplayUnit {
    /// Its name; empty for a plain number.
    pub name: &'static str,
    /// The divisor.
    pub divisor: f64,
}

/// Bytes in the MB of tables for people.
pub const MB: f64 = 1_048_576.0;

/// Bytes in a GB, as the published tables count it.
pub(crate) const GB: f64 = 1_073_741_824.0;

impl Metric {
    /// The metric of a name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        METRICS.iter().find(|metric| metric.name == name).copied()
    }

    /// All names.
    #[must_use]
    pub fn names() -> Vec<&'static str> {
        METRICS.iter().map(|metric| metric.name).collect()
    }

    /// Those that are compared in an experiment where none was asked for; the first is the
    /// headline.
    #[must_use]
    pub fn defaults(experiment: &str) -> Vec<Self> {
        let names: &[&str] = match experiment {
            "delayed-durability" | "delayed-durability-roundtrips" | "durability-procs" => &[
                "elapsed_ms",
                "elapsed_with_flush_ms",
                "log_writes",
                "writelog_wait_ms",
            ],
            "write-speed" => &[
                "elapsed_ms",
                "data_bytes_written",
                "data_write_stall_mean_ms",
            ],
            "crash-loss" => &[loss::MISSING_COMMITS, loss::MISSING_MS],
            "restore-time-growth" => &["elapsed_ms", "recover_ms"],
            name if name.starts_with("restore-time") => &["elapsed_ms"],
            _ => &["elapsed_ms", "log_bytes_written", "writelog_wait_ms"],
        };
        names.iter().copied().filter_map(Self::named).collect()
    }

    /// The round's value; none where it has none, or one that cannot be (below zero where only
    /// sizes may shrink).
    #[must_use]
    pub fn of(&self, round: &Round) -> Option<f64> {
        (self.value)(round)
            .filter(|value| value.is_finite() && (*value >= 0.0 || self.name.contains("growth")))
    }

    /// The first field of a round that holds what cannot be: less than nothing where only sizes may
    /// shrink, or a time of no length. Such a record is damaged, and nothing in it is to be trusted.
    #[must_use]
    pub fn impossible(round: &Round) -> Option<&'static str> {
        if round.elapsed_ms.is_some_and(|ms| ms <= 0.0) {
            return Some("elapsed_ms");
        }
        let impossible = |metric: &&Self| {
            let below = (metric.value)(round).is_some_and(|value| value < 0.0);
            below && metric.of(round).is_none()
        };
        METRICS.iter().find(impossible).map(|metric| metric.name)
    }

    /// How many decimals its values have in the unit that people read; none where as many as
    /// there are. A wait in whole milliseconds is not known to the microsecond, and counts are whole.
    #[must_use]
    pub fn most_decimals(&self) -> Option<usize> {
        match self.name {
            "writelog_wait_ms" | "data_write_stall_mean_ms" => Some(3),
            "log_writes" | "data_writes" | "writelog_waits" => Some(0),
            _ => None,
        }
    }

    /// Whether it is a percentile of what happened inside a round. A variant's own percentile is
    /// that of all its requests ([`crate::latency`]), and no mean of these.
    #[must_use]
    pub fn is_percentile(&self) -> bool {
        ["latency_p50_us", "latency_p99_us"].contains(&self.name)
    }

    /// The unit that people read it in.
    #[must_use]
    pub fn unit(&self) -> DisplayUnit {
        let (name, divisor) = match self.name {
            "elapsed_ms" | "elapsed_ms_per_gb" | "elapsed_with_flush_ms" | "writelog_wait_ms" => {
                ("s", 1000.0)
            }
            "log_bytes_per_transaction" => ("bytes", 1.0),
            "transactions_per_s" => ("per s", 1.0),
            "data_bytes_written_per_s" => ("MB/s", MB),
            name if name.contains("bytes") => ("MB", MB),
            name if name.ends_with("_ms") => ("ms", 1.0),
            name if name.ends_with("_us") => ("ms", 1000.0),
            _ => ("", 1.0),
        };
        DisplayUnit { name, divisor }
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "statistics bear the rounding above 2^53"
)]
pub(crate) fn signed(value: Option<i64>) -> Option<f64> {
    value.map(|value| value as f64)
}

#[expect(
    clippy::cast_precision_loss,
    reason = "statistics bear the rounding above 2^53"
)]
fn unsigned(value: Option<u64>) -> Option<f64> {
    value.map(|value| value as f64)
}

/// A quotient; none where either is missing or the divisor is not above zero.
pub(crate) fn over(dividend: Option<f64>, divisor: Option<f64>) -> Option<f64> {
    Some(dividend? / divisor.filter(|divisor| *divisor > 0.0)?)
}

/// Bytes written to the data files over elapsed time, a second.
pub(crate) const WRITE_SPEED: &str = "data_bytes_written_per_s";

const fn metric(
    name: &'static str,
    words: &'static str,
    sense: Sense,
    value: fn(&Round) -> Option<f64>,
) -> Metric {
    Metric {
        name,
        words,
        value,
        sense,
    }
}

use Sense::{Amount, Speed, Time};

const METRICS: &[Metric] = &[
    metric("elapsed_ms", "elapsed time", Time, |r| r.elapsed_ms),
    metric("transactions_per_s", "transactions", Speed, |r| {
        r.transactions_per_s
    }),
    metric("writelog_wait_ms", "WRITELOG wait", Amount, |r| {
        signed(r.writelog_wait_ms)
    }),
    metric("writelog_waits", "WRITELOG waits", Amount, |r| {
        signed(r.writelog_waits)
    }),
    metric("log_bytes_written", "log written", Amount, |r| {
        signed(r.log_bytes_written)
    }),
    metric("log_writes", "log writes", Amount, |r| signed(r.log_writes)),
    metric("log_write_stall_ms", "log write stall", Amount, |r| {
        signed(r.log_write_stall_ms)
    }),
    metric(
        "log_write_stall_mean_ms",
        "mean log write stall",
        Amount,
        |r| r.log_write_stall_mean_ms,
    ),
    metric(
        "log_bytes_per_transaction",
        "log a transaction",
        Amount,
        |r| r.log_bytes_per_transaction,
    ),
    metric(
        "transactions_per_log_write",
        "transactions a log write",
        Amount,
        |r| r.transactions_per_log_write,
    ),
    metric("data_bytes_written", "data written", Amount, |r| {
        signed(r.data_bytes_written)
    }),
    metric("data_writes", "data writes", Amount, |r| {
        signed(r.data_writes)
    }),
    metric("data_write_stall_ms", "data write stall", Amount, |r| {
        signed(r.data_write_stall_ms)
    }),
    metric("log_growth_bytes", "log growth", Amount, |r| {
        signed(r.log_growth_bytes)
    }),
    metric("data_growth_bytes", "data growth", Amount, |r| {
        signed(r.data_growth_bytes)
    }),
    metric("log_used_bytes", "log in use", Amount, |r| {
        signed(r.log_used_bytes)
    }),
    metric("latency_p50_us", "median latency of a round", Time, |r| {
        unsigned(r.latency_p50_us)
    }),
    metric("latency_p99_us", "p99 latency of a round", Time, |r| {
        unsigned(r.latency_p99_us)
    }),
    metric("latency_max_us", "longest latency of a round", Time, |r| {
        unsigned(r.latency_max_us)
    }),
    metric("client_cpu_share", "client CPU share", Amount, |r| {
        r.client_cpu_share
    }),
    metric("elapsed_with_flush_ms", "elapsed + flush", Time, |r| {
        r.elapsed_with_flush_ms
    }),
    metric(loss::MISSING_COMMITS, "missing commits", Amount, |r| {
        unsigned(r.loss.as_ref().map(|loss| loss.missing))
    }),
    metric(loss::MISSING_MS, "commits lost", Amount, loss::missing_ms),
    metric(
        "data_write_stall_mean_ms",
        "mean data write stall",
        Amount,
        |r| over(signed(r.data_write_stall_ms), signed(r.data_writes)),
    ),
    metric("elapsed_ms_per_gb", "time a GB", Time, |r| {
        over(r.elapsed_ms.map(|ms| ms * GB), signed(r.data_bytes_written))
    }),
    metric(WRITE_SPEED, "write speed", Speed, |r| {
        over(
            signed(r.data_bytes_written),
            r.elapsed_ms.map(|ms| ms / 1000.0),
        )
    }),
    metric("zero_data_ms", "zeroing data files", Time, |r| {
        r.restore.as_ref()?.zero_data_ms
    }),
    metric("copy_ms", "copying pages", Time, |r| {
        r.restore.as_ref()?.copy_ms
    }),
    metric("zero_log_ms", "zeroing the log", Time, |r| {
        r.restore.as_ref()?.zero_log_ms
    }),
    metric("recover_ms", "recovery", Time, |r| {
        r.restore.as_ref()?.recover_ms
    }),
    metric("backup_ms", "backup", Time, |r| {
        r.restore.as_ref()?.backup_ms
    }),
    metric("backup_bytes", "backup size", Amount, |r| {
        signed(r.restore.as_ref()?.backup_bytes)
    }),
    metric(
        "backup_compressed_bytes",
        "compressed backup size",
        Amount,
        |r| signed(r.restore.as_ref()?.backup_compressed_bytes),
    ),
    metric("data_file_bytes", "data files", Amount, |r| {
        signed(r.restore.as_ref()?.data_file_bytes)
    }),
    metric("log_file_bytes", "log files", Amount, |r| {
        signed(r.restore.as_ref()?.log_file_bytes)
    }),
    metric("vlf_count", "virtual log files", Amount, |r| {
        signed(r.vlf_count)
    }),
];
