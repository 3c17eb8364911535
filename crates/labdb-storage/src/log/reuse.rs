//! Why the log cannot be reused: the values of `sys.databases.log_reuse_wait`.

use std::fmt;

/// What holds the log, as of the last attempt to truncate it. Numbers and names are those of
/// `sys.databases.log_reuse_wait` and `log_reuse_wait_desc`; only the ones that can occur here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum LogReuseWait {
    /// Nothing holds a VLF other than the one being written.
    #[default]
    Nothing = 0,
    /// No checkpoint has passed the oldest VLF yet.
    Checkpoint = 1,
    /// The log waits for a log backup.
    LogBackup = 2,
    /// A backup is running.
    ActiveBackupOrRestore = 3,
    /// A transaction that began in an older VLF is still open.
    ActiveTransaction = 4,
}

impl LogReuseWait {
    /// `log_reuse_wait`.
    #[must_use]
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// `log_reuse_wait_desc`.
    #[must_use]
    pub const fn description(self) -> &'static str {
        match self {
            Self::Nothing => "NOTHING",
            Self::Checkpoint => "CHECKPOINT",
            Self::LogBackup => "LOG_BACKUP",
            Self::ActiveBackupOrRestore => "ACTIVE_BACKUP_OR_RESTORE",
            Self::ActiveTransaction => "ACTIVE_TRANSACTION",
        }
    }
}

impl fmt::Display for LogReuseWait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.description())
    }
}
