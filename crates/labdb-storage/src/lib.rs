//! The storage engine under labdb: heaps of byte rows on a write-ahead log.
//!
//! Knows nothing of SQL or of the wire. A [`Database`] is one set of files; a [`Transaction`]
//! changes heaps in it; a [`LockManager`] keeps sessions apart (the engine takes no row locks by
//! itself: the layer above does). Counters count what was done where it was done, and waits go to
//! the session's [`WaitObserver`].
//!
//! Rows are at most [`MAX_ROW`] bytes; larger values lie beside them ([`Database::insert_large`]).
//!
//! What it is not: a page that
//! is half written when the power fails is detected when it is read, not repaired, as in SQL
//! Server; a killed process leaves none. Indexes are the upper layer's, rebuilt by a scan. Values
//! that must survive a rollback and a restart, like identities, are the upper layer's too: it can
//! take them from the rows when it opens a table, or keep a row in a heap that it updates once for
//! many values in a transaction of its own, committed with delayed durability.

mod allocation;
mod backup;
mod boot;
mod buffer_pool;
mod bytes;
mod checkpoint;
pub mod clock;
mod counted_file;
mod database;
mod describe;
mod error;
mod extents;
mod faults;
mod file_growth;
mod file_layer;
mod heap;
mod id;
mod lifecycle;
mod locks;
mod log;
mod overflow;
mod page;
mod redo;
mod rows;
mod settings;
mod transaction;
mod undo;
mod views;
mod wait;
mod zeroing;

pub use backup::{
    BackupContents, BackupFile, BackupKind, BackupOptions, BackupSet, BackupSource, BackupTarget,
    HeapSpace, MediaLabel, RestoreFault, RestoreOptions, RestoreStep, Restored, read_header,
    read_headers, restore_state_path, verify_backup,
};
pub use database::{Database, UndoMark};
pub use error::{Result, StorageError};
pub use faults::{Distribution, FlushDelay, FullDisk, LONGEST_DRAW, Stall, StalledFiles};
pub use file_layer::{FileHandle, FileLayer, SystemFiles, UnlockedFiles};
pub use heap::{Scan, ScanRow};
pub use id::{HeapId, PageId, RowId, TransactionId};
pub use locks::{
    CancelFlag, LockManager, LockMode, LockOwner, LockRequest, LockRow, LockTimeout, Resource,
};
pub use log::lsn::Lsn;
pub use log::reuse::LogReuseWait;
pub use overflow::LargeValue;
pub use settings::{DatabaseSpec, FileKind, FileSpec, Growth, Options, RecoveryModel};
pub use transaction::{Commit, PlaceLock, Transaction};
pub use views::{
    Counters, FileRow, FileStatsRow, IoStats, LogSpace, LogStats, RecoveryReport, RecoveryStatus,
    TransactionRow, VlfRow,
};
pub use wait::{NoWaits, WaitObserver, WaitType};
pub use zeroing::{Zeroing, ZeroingObserver};

/// The longest row, in bytes.
pub const MAX_ROW: usize = 8_000;
/// The longest value beside a row, in bytes.
pub const MAX_LARGE: usize = 64 << 20;
