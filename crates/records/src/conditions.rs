//! What decides a round's result besides the setting under test.

use crate::FileSettings;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What decides a round's result besides the setting under test, as read from the server before
/// the round. A value is null where the server does not have it or the login may not read it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Conditions {
    /// `is_read_committed_snapshot_on`.
    pub read_committed_snapshot: Option<bool>,
    /// `is_accelerated_database_recovery_on`; null before SQL Server 2019.
    pub accelerated_database_recovery: Option<bool>,
    /// The compatibility level.
    pub compatibility_level: Option<u32>,
    /// `target_recovery_time_in_seconds`.
    pub target_recovery_time_s: Option<i64>,
    /// Virtual log files.
    pub vlf_count: Option<i64>,
    /// `instant_file_initialization_enabled` of `sys.dm_server_services`.
    pub instant_file_initialization: Option<bool>,
    /// Trace flags that are on for the whole server (`DBCC TRACESTATUS(-1)`), in ascending order.
    pub global_trace_flags: Option<Vec<i32>>,
    /// Whether the database is a replica of an availability group.
    pub availability_group: Option<bool>,
    /// Logical processors that the server schedules on.
    pub server_cpus: Option<i32>,
    /// The memory of the machine that the server sees (`physical_memory_kb`), in bytes.
    pub server_memory_bytes: Option<i64>,
    /// `max server memory (MB)`, in bytes; 2,147,483,647 MB is no limit.
    pub max_server_memory_bytes: Option<i64>,
    /// The files: layout, sizes, growth.
    pub files: Option<Vec<FileSettings>>,
    /// What other sessions did during the round.
    pub others: Option<OtherActivity>,
}

/// What others did on the server during a round. A value is null where it could not be read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct OtherActivity {
    /// User sessions that are not writelog's, at the snapshot that saw more of them.
    pub sessions: Option<i64>,
    /// CPU time that those sessions used between the snapshots, in milliseconds; what a session
    /// used that had left by the second snapshot is not in it.
    pub cpu_ms: Option<i64>,
    /// Bytes that were read from and written to the files of other databases between the
    /// snapshots, tempdb left out, which the load itself may use.
    pub other_databases_bytes: Option<i64>,
}

/// What a snapshot saw of others: totals, of which two snapshots give an [`OtherActivity`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct OthersReading {
    /// User sessions that are not writelog's.
    pub session_count: Option<i64>,
    /// Those of them that used CPU time.
    pub sessions: Option<Vec<OtherSession>>,
    /// Bytes read from and written to the files of other databases but tempdb, since the server
    /// started.
    pub other_databases_bytes: Option<i64>,
}

/// A session of somebody else.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OtherSession {
    /// `session_id`; the server gives it again once it is free.
    pub session_id: i32,
    /// `login_time`, in the server's local time, as text.
    pub login_time: String,
    /// `cpu_time`, in milliseconds.
    pub cpu_ms: i64,
}
