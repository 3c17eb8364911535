//! Full and log backups, and what is known about each: the facts behind `msdb.dbo.backupset`.

mod contents;
mod fault;
mod log_copy;
mod media;
mod page_copy;
mod restore;
mod restoring;
mod roll_forward;
mod take;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use crate::database::Database;
use crate::error::Result;
use crate::id::HeapId;
use crate::log::lsn::Lsn;
use crate::settings::{FileKind, FileSpec, RecoveryModel};

pub use contents::{read_header, read_headers, verify_backup};
pub use fault::RestoreFault;
pub use media::MediaLabel;
pub use restoring::state_path as restore_state_path;

/// Is told how many pages of how many were read; an error ends the backup.
pub(crate) type Progress<'a> = &'a mut dyn FnMut(u64, u64) -> Result<()>;

/// Where a backup goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BackupTarget {
    /// A file; the backup set is added to those that it has.
    File(PathBuf),
    /// Nowhere: everything is read and thrown away, and counts as backed up ('NUL').
    Nul,
}

/// What a backup does besides.
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is an option or a fact of its own"
)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BackupOptions {
    /// Leaves the chain as it was (`COPY_ONLY`).
    pub copy_only: bool,
    /// The name to keep in the header.
    pub name: Option<String>,
    /// Overwrites what the file has (`INIT`, `FORMAT`) and does not add to it.
    pub init: bool,
    /// Compresses pages and log (LZ4).
    pub compress: bool,
    /// Every page read is checked, and the backup set says that it has checksums. (The sections of
    /// a backup always have them.)
    pub checksum: bool,
    /// Facts of the layer above that are kept with the backup set.
    pub notes: BTreeMap<String, String>,
}

/// Full, differential or log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BackupKind {
    /// All allocated pages and the log needed to make them consistent ('D').
    Full,
    /// The extents that were changed since the last full backup, and the log ('I').
    Differential,
    /// The log since the last log backup ('L').
    Log,
}

/// A backup that was made.
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is an option or a fact of its own"
)]
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BackupSet {
    /// Full, differential or log.
    pub kind: BackupKind,
    /// The first record in it.
    pub first_lsn: Lsn,
    /// The record after its last.
    pub last_lsn: Lsn,
    /// The last checkpoint's begin record.
    pub checkpoint_lsn: Lsn,
    /// The checkpoint of the full backup that it builds on.
    pub database_backup_lsn: Option<Lsn>,
    /// When it began.
    pub started: SystemTime,
    /// When it ended.
    pub finished: SystemTime,
    /// Bytes of the backup before compression: pages, log and headers.
    pub backup_size: u64,
    /// Bytes as they are stored.
    pub stored_size: u64,
    /// Whether pages and log are compressed.
    pub compressed: bool,
    /// Whether it says that it has checksums.
    pub has_checksums: bool,
    /// Its place in the file, from 1.
    pub position: u16,
    /// Data pages in it, by file.
    pub file_pages: Vec<(u16, u64)>,
    /// What a differential backup is based on: the full backup's checkpoint and number.
    pub differential_base: Option<(Lsn, u128)>,
    /// Where the log chain begins, if this backup begins one.
    pub begins_log_chain: bool,
    /// The family: the same in all restored copies.
    pub family_guid: u128,
    /// The media set that it is in.
    pub media_set_guid: u128,
    /// Facts of the layer above.
    pub notes: BTreeMap<String, String>,
    /// Data pages in it.
    pub data_pages: u64,
    /// Log bytes in it.
    pub log_bytes: u64,
    /// The database, and the branch of its history.
    pub database_guid: u128,
    /// The branch of its history.
    pub recovery_fork_guid: u128,
    /// A number of its own.
    pub backup_set_guid: u128,
    /// Left the chain as it was.
    pub copy_only: bool,
    /// The name that was given.
    pub name: Option<String>,
}

/// A backup set in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackupSource {
    /// The file.
    pub path: PathBuf,
    /// The set's place in it, from 1 (`FILE = n`).
    pub position: u16,
}

/// What a backup set contains, as its end tells.
#[derive(Clone, Debug)]
pub struct BackupContents {
    /// The backup set.
    pub set: BackupSet,
    /// The file's label.
    pub label: MediaLabel,
    /// The recovery model that the database had.
    pub recovery_model: RecoveryModel,
    /// The database's files when the backup ended.
    pub files: Vec<BackupFile>,
}

/// A file of the database that was backed up.
#[derive(Clone, Debug)]
pub struct BackupFile {
    /// The file's id.
    pub file_id: u16,
    /// Rows or log.
    pub kind: FileKind,
    /// As it was declared, with the size that it had.
    pub spec: FileSpec,
}

/// How to restore.
#[derive(Clone, Debug, Default)]
pub struct RestoreOptions {
    /// Where files go, by logical name; others go back to where they were.
    pub moves: Vec<(String, PathBuf)>,
    /// Existing files are deleted first (REPLACE); otherwise they are an error.
    pub replace: bool,
    /// Restores the state just before the first commit after this time (STOPAT).
    pub stop_at: Option<SystemTime>,
    /// The backup set must say that it has checksums (CHECKSUM).
    pub checksum: bool,
}

/// What a step of a restore came to.
pub struct Restored {
    /// The recovered database; `None` while more can be applied.
    pub database: Option<Arc<Database>>,
    /// The backup set.
    pub set: BackupSet,
    /// The database's files as they are now.
    pub files: Vec<BackupFile>,
    /// RECOVERY was asked for, but the backup ends before the point in time: more log is needed.
    pub ends_before_stop: bool,
}

/// What a restore is doing, in order. Pages are 8 KB.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RestoreStep {
    /// A file gets zeroes from byte `from` to byte `to`.
    Zeroing {
        /// The file.
        path: PathBuf,
        /// Rows or log.
        kind: FileKind,
        /// The first byte.
        from: u64,
        /// The byte after the last.
        to: u64,
    },
    /// It has them.
    ZeroingCompleted {
        /// The file.
        path: PathBuf,
    },
    /// A data file was made without zeroes: instant file initialization.
    NotZeroed {
        /// The file.
        path: PathBuf,
    },
    /// The backup fits: the work begins.
    Planned,
    /// The data files are there.
    ContainersReady,
    /// So many pages of so many are copied from the backup; told now and then, and at the end.
    Copying {
        /// Pages copied.
        done: u64,
        /// Pages in the backup set.
        total: u64,
    },
    /// All pages are on disk.
    PagesCopied(u64),
    /// The log files are there.
    LogReady,
    /// Log is being applied.
    RollingForward,
    /// The backup set's log is applied.
    RolledForward,
    /// Open transactions are being rolled back.
    Recovering,
    /// The database is open.
    Finished,
}

/// The state that a heap's pages are in: what `sp_spaceused` asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeapSpace {
    /// The heap.
    pub heap: HeapId,
    /// Pages in its extents.
    pub reserved_pages: u64,
}
