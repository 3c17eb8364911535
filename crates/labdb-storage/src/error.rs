//! What can go wrong in the storage engine, typed so that the layer above can map each case to
//! SQL Server's error number.

use std::path::PathBuf;
use std::sync::Arc;

use crate::log::reuse::LogReuseWait;

/// The result of a storage operation.
pub type Result<T> = std::result::Result<T, StorageError>;

/// A failure of the storage engine.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StorageError {
    /// The operating system refused an I/O (823 in SQL Server; 5149 when a file could not grow).
    #[error("{action} {}: {source}", path.display())]
    Io {
        /// What was being done, as a verb: "write", "create".
        action: &'static str,
        /// The file it was done to.
        path: PathBuf,
        /// The system's own error.
        #[source]
        source: Arc<std::io::Error>,
    },
    /// No log space is left, and the log may not grow or the disk is full (9002).
    #[error(
        "the transaction log is full and cannot grow; it is not reusable because of {reuse_wait}: \
         free it (log backup, checkpoint, end the oldest transaction) or enlarge it"
    )]
    LogFull {
        /// What holds the log, as `log_reuse_wait_desc` says it.
        reuse_wait: LogReuseWait,
    },
    /// No data file has a free extent, and none may grow or the disk is full (1105).
    #[error("no free space is left in the data files and none can grow: enlarge a data file")]
    DataFull,
    /// A page failed its checksum or names another page (824).
    #[error("page ({file_id}:{page}) is damaged: {reason}; restore it from a backup")]
    DamagedPage {
        /// The file's id, from 1.
        file_id: u16,
        /// The page's number in the file, from 0.
        page: u32,
        /// What did not match.
        reason: &'static str,
    },
    /// A file does not hold what it should.
    #[error("{}: {reason}", path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// What did not match.
        reason: String,
    },
    /// A row is longer than a page can hold (511).
    #[error("a row of {length} bytes does not fit a page: the most is {limit}")]
    RowTooLong {
        /// The row's length in bytes.
        length: usize,
        /// The longest row that fits, in bytes.
        limit: usize,
    },
    /// A value is longer than the engine stores (7119).
    #[error("a value of {length} bytes cannot be stored: the most is {limit}")]
    ValueTooLong {
        /// The value's length in bytes.
        length: usize,
        /// The longest value, in bytes.
        limit: usize,
    },
    /// There is no row with this id (any more).
    #[error("there is no row {0}")]
    NoSuchRow(crate::RowId),
    /// A savepoint of this name was never set in the transaction (628).
    #[error("the transaction has no savepoint named {0}")]
    NoSuchSavepoint(String),
    /// The lock was not granted in the session's `LOCK_TIMEOUT` (1222).
    #[error("the lock request timed out after {waited_ms} ms")]
    LockTimeout {
        /// How long the request waited, in milliseconds.
        waited_ms: u64,
    },
    /// Granting would close a cycle of waiters and this one was chosen to give way (1205).
    #[error("chosen as the victim of a deadlock: roll back and run the transaction again")]
    Deadlock,
    /// The wait was ended from outside: an attention, a kill or a shutdown.
    #[error("the request was cancelled")]
    Cancelled,
    /// A log backup was asked for where the log is not kept (4208 in SIMPLE, 4214 without a full
    /// backup).
    #[error("a log backup is not possible: {0}")]
    NoLogBackup(&'static str),
    /// A backup or restore step does not follow from the one before it (4305, 4326).
    #[error("the log chain does not fit: {0}")]
    LogChain(String),
    /// A backup cannot be read, or does not fit what was restored before it.
    #[error(transparent)]
    Restore(#[from] crate::backup::RestoreFault),
    /// The database was closed, or an earlier failure stopped it; the reason says which.
    #[error("the database is not available: {0}")]
    Unavailable(String),
    /// The parameters cannot work; says which and why.
    #[error("{0}")]
    Invalid(String),
    /// This build has no such function yet; the text names it.
    #[error("not built yet: {0}")]
    NotBuilt(&'static str),
}

impl StorageError {
    /// Whether the disk has no space left.
    pub(crate) fn is_full_disk(&self) -> bool {
        matches!(self, Self::Io { source, .. } if source.kind() == std::io::ErrorKind::StorageFull)
    }

    pub(crate) fn io(
        action: &'static str,
        path: impl Into<PathBuf>,
        source: std::io::Error,
    ) -> Self {
        Self::Io {
            action,
            path: path.into(),
            source: Arc::new(source),
        }
    }
}
