//! Granting, queueing and releasing locks.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::error::Result;
use crate::id::{HeapId, RowId};
use crate::locks::LockMode;
use crate::wait::WaitObserver;

/// What can be locked. The database's id is the instance's.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Resource {
    /// A whole database.
    Database(u32),
    /// A table or another object, by the upper layer's id.
    Object(u32, u32),
    /// A row.
    Row(u32, HeapId, RowId),
    /// A key of an index, by the index's id and a hash of the key.
    Key(u32, u32, u64),
    /// A name of the application's (`sp_getapplock`).
    Application(u32, String),
}

/// Who holds locks: a transaction or a session, by a number that the caller chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LockOwner(pub u64);

/// How long a request may wait: `SET LOCK_TIMEOUT`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockTimeout {
    /// Until granted (-1).
    Never,
    /// At most this long; zero fails at once.
    After(Duration),
}

/// Ends a session's waits from outside (attention, KILL, shutdown). Setting it wakes nobody:
/// use [`LockManager::cancel`].
pub type CancelFlag = Arc<AtomicBool>;

/// A request for one lock.
#[derive(Clone, Copy)]
pub struct LockRequest<'a> {
    /// Who asks.
    pub owner: LockOwner,
    /// How long it may wait.
    pub timeout: LockTimeout,
    /// `SET DEADLOCK_PRIORITY`, -10 to 10: the lowest in a cycle is the victim.
    pub deadlock_priority: i8,
    /// Cancels the wait when it becomes true.
    pub cancel: &'a CancelFlag,
    /// Where the wait is counted.
    pub waits: &'a dyn WaitObserver,
}

/// A lock that is held or waited for: a row of `sys.dm_tran_locks`.
#[derive(Clone, Debug)]
pub struct LockRow {
    /// Who.
    pub owner: LockOwner,
    /// What.
    pub resource: Resource,
    /// How.
    pub mode: LockMode,
    /// Whether it is granted; otherwise it waits.
    pub granted: bool,
}

/// All locks of an instance.
#[derive(Debug, Default)]
pub struct LockManager {}

impl LockManager {
    /// A manager without locks.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes (or converts) a lock; returns when it is granted. A lock that is held in a mode at
    /// least as strong costs a lookup.
    ///
    /// # Errors
    /// `LockTimeout`, `Deadlock` or `Cancelled`; what was held before stays held.
    pub fn lock(
        &self,
        _request: &LockRequest<'_>,
        _resource: &Resource,
        _mode: LockMode,
    ) -> Result<()> {
        unimplemented!()
    }

    /// Releases one lock, in whatever mode, if it is held. For READ COMMITTED's shared locks.
    pub fn unlock(&self, _owner: LockOwner, _resource: &Resource) {
        unimplemented!()
    }

    /// Releases all locks of an owner.
    pub fn unlock_all(&self, _owner: LockOwner) {
        unimplemented!()
    }

    /// Sets the flag and wakes the owner if it waits.
    pub fn cancel(&self, _owner: LockOwner, _flag: &CancelFlag) {
        unimplemented!()
    }

    /// All locks, held and waited for.
    #[must_use]
    pub fn rows(&self) -> Vec<LockRow> {
        unimplemented!()
    }
}
