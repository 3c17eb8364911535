//! Full and log backups, and what is known about each: the facts behind `msdb.dbo.backupset`.

mod log_copy;
mod media;
mod page_copy;
mod restore;
mod take;

use std::path::PathBuf;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use crate::id::HeapId;
use crate::log::lsn::Lsn;
use crate::settings::{FileKind, FileSpec, RecoveryModel};

pub use restore::read_header;

/// Where a backup goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BackupTarget {
    /// A new file; an existing one is replaced.
    File(PathBuf),
    /// Nowhere: everything is read and thrown away, and counts as backed up ('NUL').
    Nul,
}

/// What a backup does besides.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BackupOptions {
    /// Leaves the chain as it was (`COPY_ONLY`).
    pub copy_only: bool,
    /// The name to keep in the header.
    pub name: Option<String>,
}

/// Full or log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BackupKind {
    /// All allocated pages and the log needed to make them consistent ('D').
    Full,
    /// The log since the last log backup ('L').
    Log,
}

/// A backup that was made.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BackupSet {
    /// Full or log.
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
    /// Bytes of the backup: pages, log and headers.
    pub backup_size: u64,
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

/// A backup file's contents, as its header and end tell.
#[derive(Clone, Debug)]
pub struct BackupContents {
    /// The backup set.
    pub set: BackupSet,
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
    /// Pages are being copied from the full backup.
    CopyingPages,
    /// So many were.
    PagesCopied(u64),
    /// Log is being applied and open transactions rolled back.
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
