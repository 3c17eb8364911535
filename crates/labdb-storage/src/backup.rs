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
    /// Leaves the chain as it was (COPY_ONLY).
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

/// Where restored files go: logical name to path.
pub type MoveFiles = Vec<(String, PathBuf)>;

/// The state that a heap's pages are in: what `sp_spaceused` asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeapSpace {
    /// The heap.
    pub heap: HeapId,
    /// Pages in its extents.
    pub reserved_pages: u64,
}
