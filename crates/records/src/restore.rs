//! What a restore took.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A restore, phase by phase. The phases come from the server's error log (trace flags 3004 and
/// 3605) and are null where it cannot be read or does not say; they need not add up to the elapsed
/// time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct RestoreFigures {
    /// Size of all data files after the restore, in bytes.
    pub data_file_bytes: Option<i64>,
    /// Size of all log files after the restore, in bytes.
    pub log_file_bytes: Option<i64>,
    /// `backup_size` of the backup that was restored, in bytes.
    pub backup_bytes: Option<i64>,
    /// `compressed_backup_size`, in bytes.
    pub backup_compressed_bytes: Option<i64>,
    /// How long the backup took, in milliseconds, where the same run took it.
    pub backup_ms: Option<f64>,
    /// Creating the files, in milliseconds.
    pub create_ms: Option<f64>,
    /// Zeroing data files, in milliseconds; 0 where instant file initialization made it needless.
    pub zero_data_ms: Option<f64>,
    /// Copying the pages, in milliseconds.
    pub copy_ms: Option<f64>,
    /// Zeroing log files, in milliseconds.
    pub zero_log_ms: Option<f64>,
    /// Redo and undo, in milliseconds.
    pub recover_ms: Option<f64>,
    /// Whether instant file initialization is on.
    pub instant_file_initialization: Option<bool>,
    /// Virtual log files of the restored database.
    pub vlf_count: Option<i64>,
    /// Where the phases come from, or why they are null.
    pub phases_from: Option<String>,
}
