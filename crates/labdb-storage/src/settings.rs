//! What a database is told: its files, its recovery model, its buffer pool.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::faults::FlushDelay;
use crate::zeroing::ZeroingObserver;

/// When the log may be reused: `sys.databases.recovery_model`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum RecoveryModel {
    /// After a log backup.
    #[default]
    Full = 1,
    /// After a log backup; bulk operations may log less (here they log the same).
    BulkLogged = 2,
    /// After a checkpoint.
    Simple = 3,
}

impl RecoveryModel {
    /// `recovery_model`.
    #[must_use]
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// `recovery_model_desc`.
    #[must_use]
    pub const fn description(self) -> &'static str {
        match self {
            Self::Full => "FULL",
            Self::BulkLogged => "BULK_LOGGED",
            Self::Simple => "SIMPLE",
        }
    }
}

/// By how much a file grows when it is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Growth {
    /// By this many bytes; 0 means never.
    Bytes(u64),
    /// By this many percent of its size.
    Percent(u32),
}

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FileKind {
    /// Data pages: type 0, ROWS.
    Rows,
    /// Log: type 1, LOG.
    Log,
}

/// A file of a database, as declared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileSpec {
    /// The logical name.
    pub name: String,
    /// The physical path.
    pub path: PathBuf,
    /// The size in bytes; a multiple of 8,192.
    pub size: u64,
    /// How it grows.
    pub growth: Growth,
    /// The most bytes it may have; `None` until the disk is full.
    pub max_size: Option<u64>,
}

impl FileSpec {
    /// A file with SQL Server's default growth of 64 MB and no limit.
    #[must_use]
    pub fn new(name: impl Into<String>, path: impl Into<PathBuf>, size: u64) -> Self {
        Self {
            name: name.into(),
            path: path.into(),
            size,
            growth: Growth::Bytes(64 << 20),
            max_size: None,
        }
    }
}

/// What to create.
#[derive(Clone, Debug)]
pub struct DatabaseSpec {
    /// Data files; at least one, of at least 2 MB. The first is the primary file, which knows the
    /// others.
    pub data: Vec<FileSpec>,
    /// Log files; at least one, of at least 512 KB.
    pub log: Vec<FileSpec>,
    /// The recovery model to start with.
    pub recovery_model: RecoveryModel,
}

/// How an opened database behaves; nothing of it is kept in its files.
#[derive(Clone, Debug)]
pub struct Options {
    /// The buffer pool's size in bytes.
    pub buffer_pool_bytes: u64,
    /// Instant file initialization: data files are not zeroed when they are created or grow.
    /// Log files always are.
    pub instant_file_initialization: bool,
    /// While it is set, data files are zeroed all the same (trace flag 1806).
    pub zero_data_files: Arc<AtomicBool>,
    /// Log bytes after which a checkpoint starts by itself; under SIMPLE also when the log is 70 %
    /// full. 0: never.
    pub checkpoint_log_bytes: u64,
    /// The longest that a delayed commit waits for the background flush.
    pub lazy_flush_interval: Duration,
    /// Is told when files are zeroed.
    pub zeroing: Option<ZeroingObserver>,
    /// A delay on purpose in every log flush, for calibration.
    pub log_flush_delay: Option<FlushDelay>,
}

impl Options {
    /// Whether a data file that is made or grows now need not be zeroed.
    #[must_use]
    pub fn initializes_instantly(&self) -> bool {
        self.instant_file_initialization && !self.zero_data_files.load(Ordering::Relaxed)
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            buffer_pool_bytes: 256 << 20,
            instant_file_initialization: false,
            zero_data_files: Arc::default(),
            checkpoint_log_bytes: 64 << 20,
            lazy_flush_interval: Duration::from_millis(5),
            zeroing: None,
            log_flush_delay: None,
        }
    }
}
