//! One reading of the counters and states.

use crate::{Conditions, Header, OthersReading};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `snapshot` read the counters and states that matter.
///
/// Counters are read first. With `--checkpoint` a CHECKPOINT follows and then the states are
/// read, because `log_reuse_wait_desc` is as of the last checkpoint; the checkpoint's own writes
/// are therefore in no counter of this record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Snapshot {
    /// When, where, which round.
    #[serde(flatten)]
    pub header: Header,
    /// The client's monotonic clock when the counters had been read, in nanoseconds; only
    /// differences between records of one `client_boot_id` mean anything.
    pub client_monotonic_ns: u64,
    /// The boot of the client machine that the monotonic clock counts from; null where the
    /// system has none to read.
    pub client_boot_id: Option<String>,
    /// The server's clock (`SYSUTCDATETIME`).
    pub server_time: Timestamp,
    /// `sqlserver_start_time`, in the server's local time, as text; null without permission.
    pub server_start_time: Option<String>,
    /// Whether a CHECKPOINT was issued between the counters and the states.
    pub checkpoint: bool,
    /// `sys.dm_io_virtual_file_stats` of every file of the database; null without permission.
    pub files: Option<Vec<FileReading>>,
    /// `sys.dm_os_wait_stats`, all wait types, also those that never occurred; null without
    /// permission.
    pub waits: Option<Vec<WaitReading>>,
    /// The log counters of `sys.dm_os_performance_counters` for the database; null without
    /// permission, empty where the server has its counters switched off.
    pub performance_counters: Option<Vec<PerformanceCounter>>,
    /// The database's states.
    pub database: DatabaseState,
    /// What decides a result besides the setting under test: read before the counters of the first
    /// snapshot of a round and after those of the second.
    #[serde(default)]
    pub conditions: Option<Conditions>,
    /// What others on the server had done by then.
    #[serde(default)]
    pub others: Option<OthersReading>,
    /// Every reading that is null, and why.
    pub unavailable: Vec<Unavailable>,
}

impl Snapshot {
    /// Those of `unavailable` that are about conditions and about others.
    #[must_use]
    pub fn unavailable_conditions(&self) -> Vec<Unavailable> {
        let gaps = self
            .unavailable
            .iter()
            .filter(|gap| gap.field.starts_with("conditions.") || gap.field.starts_with("others."));
        gaps.cloned().collect()
    }
}

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FileKind {
    /// `ROWS`, type 0.
    Rows,
    /// `LOG`, type 1.
    Log,
    /// `FILESTREAM` (2), `FULLTEXT` (4) and whatever comes.
    Other,
}

/// One row of `sys.dm_io_virtual_file_stats`, with the file's names. All counters are since the
/// server started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileReading {
    /// `database_id`.
    pub database_id: i32,
    /// `file_id`.
    pub file_id: i32,
    /// Rows or log.
    pub kind: FileKind,
    /// The logical name.
    pub logical_name: String,
    /// The path, as the server sees it.
    pub physical_name: String,
    /// The size in the catalogue, in bytes.
    pub size_bytes: u64,
    /// `sample_ms`: milliseconds since the server's computer started.
    pub sample_ms: i64,
    /// `num_of_reads`.
    pub reads: i64,
    /// `num_of_bytes_read`.
    pub bytes_read: i64,
    /// `io_stall_read_ms`: a sum over reads, can pass the elapsed time.
    pub read_stall_ms: i64,
    /// `io_stall_queued_read_ms`; null before SQL Server 2014.
    pub queued_read_stall_ms: Option<i64>,
    /// `num_of_writes`.
    pub writes: i64,
    /// `num_of_bytes_written`.
    pub bytes_written: i64,
    /// `io_stall_write_ms`: a sum over writes, can pass the elapsed time.
    pub write_stall_ms: i64,
    /// `io_stall_queued_write_ms`; null before SQL Server 2014.
    pub queued_write_stall_ms: Option<i64>,
    /// `io_stall`.
    pub stall_ms: i64,
    /// `size_on_disk_bytes`.
    pub size_on_disk_bytes: i64,
    /// `file_handle`, in hexadecimal: another handle is another file.
    pub file_handle: Option<String>,
}

/// One row of `sys.dm_os_wait_stats`, since the server started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WaitReading {
    /// `wait_type`.
    pub wait_type: String,
    /// `waiting_tasks_count`.
    pub waiting_tasks: i64,
    /// `wait_time_ms`, signal time included.
    pub wait_ms: i64,
    /// `max_wait_time_ms`.
    pub max_wait_ms: i64,
    /// `signal_wait_time_ms`.
    pub signal_wait_ms: i64,
}

/// One performance counter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PerformanceCounter {
    /// `counter_name`, without trailing blanks.
    pub counter_name: String,
    /// `cntr_value`.
    pub value: i64,
    /// `cntr_type`: 65792 is a level; 272696320 and 272696576 are totals under a `/sec` name.
    pub cntr_type: i32,
}

/// The database's states.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DatabaseState {
    /// `database_id`.
    pub database_id: i32,
    /// `create_date` in the server's local time, as text: another one is another database.
    pub create_date: Option<String>,
    /// `FULL`, `BULK_LOGGED` or `SIMPLE`.
    pub recovery_model: String,
    /// Whether a log backup is possible: `last_log_backup_lsn` is not NULL.
    pub armed: Option<bool>,
    /// `last_log_backup_lsn` as text.
    pub last_log_backup_lsn: Option<String>,
    /// `database_guid`.
    pub database_guid: Option<String>,
    /// `recovery_fork_guid`: changes with a restore.
    pub recovery_fork_guid: Option<String>,
    /// `log_reuse_wait_desc`, as of the last checkpoint.
    pub log_reuse_wait: String,
    /// `DISABLED`, `ALLOWED` or `FORCED`; null before SQL Server 2014.
    pub delayed_durability: Option<String>,
    /// `is_read_committed_snapshot_on`.
    pub read_committed_snapshot: Option<bool>,
    /// `is_accelerated_database_recovery_on`; null before SQL Server 2019.
    pub accelerated_database_recovery: Option<bool>,
    /// `total_log_size_in_bytes`.
    pub log_size_bytes: Option<i64>,
    /// `used_log_space_in_bytes`.
    pub log_used_bytes: Option<i64>,
    /// `log_space_in_bytes_since_last_backup`.
    pub log_since_backup_bytes: Option<i64>,
    /// Virtual log files.
    pub vlf_count: Option<i64>,
    /// Virtual log files that are active.
    pub active_vlf_count: Option<i64>,
}

/// A reading that could not be had.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Unavailable {
    /// Which field of the record: `waits`, `database.vlf_count`.
    pub field: String,
    /// Why.
    pub reason: String,
    /// SQL Server's error number, where there is one.
    pub sql_error: Option<u32>,
    /// What to do about it: the exact GRANT.
    pub remedy: Option<String>,
}
