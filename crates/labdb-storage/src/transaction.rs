//! A transaction as its session holds it.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, SystemTime};

use crate::database::Database;
use crate::id::{HeapId, RowId, TransactionId};
use crate::log::lsn::Lsn;
use crate::log::record::Extent;
use crate::wait::WaitObserver;

/// How to take back one change.
#[derive(Debug)]
pub(crate) enum Undo {
    Insert(HeapId, RowId),
    Delete(HeapId, RowId),
    Update(RowId, Box<[u8]>),
    CreateHeap(HeapId),
    FreeExtents(HeapId, Vec<Extent>),
}

/// What others may see of a transaction that has written.
#[derive(Debug)]
pub(crate) struct Active {
    /// The log's end just before its first record.
    pub(crate) begin: Lsn,
    pub(crate) begin_time: SystemTime,
    pub(crate) records: AtomicU64,
    pub(crate) bytes: AtomicU64,
    pub(crate) reserved: AtomicU64,
}

/// Asked for every place that a new row would get, before anybody can read the row there.
pub trait PlaceLock: Send + Sync {
    /// Locks the place for the transaction. `false` where somebody else has it: the row goes
    /// elsewhere. Called under a page's latch: it must not wait.
    fn take(&self, heap: HeapId, row: RowId) -> bool;
}

/// An open transaction. It writes nothing to the log until its first change. Ended by
/// [`Database::commit`] or [`Database::rollback`]; one that is dropped open is rolled back.
pub struct Transaction {
    pub(crate) id: TransactionId,
    pub(crate) database: Arc<Database>,
    pub(crate) waits: Arc<dyn WaitObserver>,
    pub(crate) active: Option<Arc<Active>>,
    pub(crate) undo: Vec<Undo>,
    pub(crate) savepoints: Vec<(String, usize)>,
    pub(crate) ended: bool,
    pub(crate) places: Option<Arc<dyn PlaceLock>>,
}

impl Transaction {
    /// Has places of new rows locked from now on, or no more.
    pub fn lock_places(&mut self, places: Option<Arc<dyn PlaceLock>>) {
        self.places = places;
    }

    /// Whether a new row may have this place.
    pub(crate) fn takes(&self, heap: HeapId, row: RowId) -> bool {
        self.places
            .as_ref()
            .is_none_or(|places| heap.is_companion() || places.take(heap, row))
    }

    /// Its number.
    #[must_use]
    pub fn id(&self) -> TransactionId {
        self.id
    }

    /// Whether it has changed anything.
    #[must_use]
    pub fn has_written(&self) -> bool {
        self.active.is_some()
    }

    /// Log records written so far.
    #[must_use]
    pub fn log_record_count(&self) -> u64 {
        self.active
            .as_ref()
            .map_or(0, |a| a.records.load(std::sync::atomic::Ordering::Relaxed))
    }

    /// Their bytes, without block headers and padding.
    #[must_use]
    pub fn log_bytes_used(&self) -> u64 {
        self.active
            .as_ref()
            .map_or(0, |a| a.bytes.load(std::sync::atomic::Ordering::Relaxed))
    }
}

impl Drop for Transaction {
    fn drop(&mut self) {
        if !self.ended {
            let database = Arc::clone(&self.database);
            // A failure makes the database unavailable; the next open rolls back.
            let _ = database.take_back(self);
        }
    }
}

/// How a commit ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Commit {
    /// The commit record; `None` when the transaction changed nothing.
    pub lsn: Option<Lsn>,
    /// How long it waited for the log; already reported to the observer as WRITELOG.
    pub write_log: Duration,
}
