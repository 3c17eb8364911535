//! What `setup-db` did and what it left behind.

use crate::{FileKind, Header};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `setup-db` brought a database to a declared state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Setup {
    /// When, where, which round.
    #[serde(flatten)]
    pub header: Header,
    /// Every change that was made, in order; empty when all was as declared.
    pub changes: Vec<Change>,
    /// What the database is now, as read back from the server; null after `--drop`.
    pub settings: Option<DatabaseSettings>,
    /// The table under load; null after `--drop` or where none was asked for.
    pub table: Option<String>,
    /// The table of prepared rows beside it, for a load that copies them; null where none was asked
    /// for.
    #[serde(default)]
    pub source_table: Option<String>,
    /// The databases of the server whose delayed durability is not DISABLED, of those that the login
    /// may see; null where it was not asked for.
    #[serde(default)]
    pub delayed_durability_databases: Option<Vec<DatabaseDurability>>,
}

/// A database's setting of delayed durability.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DatabaseDurability {
    /// Its name.
    pub database: String,
    /// `ALLOWED` or `FORCED`.
    pub delayed_durability: String,
}

/// One change that was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Change {
    /// What was changed: `database`, `recovery_model`, `log_file_size_bytes`, `table` and so on.
    pub what: String,
    /// What it was; null where there was nothing.
    pub from: Option<String>,
    /// What it is now; null where it is gone.
    pub to: Option<String>,
}

/// What decides the result of a run, as read from the server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DatabaseSettings {
    /// `FULL`, `BULK_LOGGED` or `SIMPLE`.
    pub recovery_model: String,
    /// Whether a log backup is possible (`last_log_backup_lsn` is not NULL). A FULL database that
    /// is not armed reuses its log as SIMPLE does.
    pub armed: Option<bool>,
    /// `DISABLED`, `ALLOWED` or `FORCED`; null before SQL Server 2014.
    pub delayed_durability: Option<String>,
    /// `is_read_committed_snapshot_on`.
    pub read_committed_snapshot: Option<bool>,
    /// `is_accelerated_database_recovery_on`; null before SQL Server 2019.
    pub accelerated_database_recovery: Option<bool>,
    /// The compatibility level.
    pub compatibility_level: Option<u32>,
    /// `target_recovery_time_in_seconds`.
    pub target_recovery_time_s: Option<i64>,
    /// Virtual log files; null where they cannot be read.
    pub vlf_count: Option<u64>,
    /// The files.
    pub files: Vec<FileSettings>,
}

/// One file as the catalogue has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileSettings {
    /// `file_id`.
    pub file_id: i32,
    /// Rows or log.
    pub kind: FileKind,
    /// The logical name.
    pub logical_name: String,
    /// The path, as the server sees it.
    pub physical_name: String,
    /// The size, in bytes.
    pub size_bytes: u64,
    /// The growth step in bytes; null where it is a percentage; 0 is no growth.
    pub growth_bytes: Option<u64>,
    /// The growth step in percent; null where it is in bytes.
    pub growth_percent: Option<u32>,
    /// The largest size, in bytes; null is until the disk is full.
    pub max_size_bytes: Option<u64>,
}
