//! What a session waited for, by SQL Server's names of wait types.

use std::time::Duration;

use crate::locks::LockMode;

/// A wait that really happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WaitType {
    /// A commit waited for its log block to be hardened.
    WriteLog,
    /// A writer waited for a log buffer to become free.
    LogBuffer,
    /// A page's latch was held by another session.
    PageLatchEx,
    /// As above, to read.
    PageLatchSh,
    /// A page was read from disk.
    PageIoLatchSh,
    /// A file was being zeroed.
    WriteFileGather,
    /// A lock of this mode was held by another session.
    Lock(LockMode),
}

impl WaitType {
    /// The name in `sys.dm_os_wait_stats`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::WriteLog => "WRITELOG",
            Self::LogBuffer => "LOGBUFFER",
            Self::PageLatchEx => "PAGELATCH_EX",
            Self::PageLatchSh => "PAGELATCH_SH",
            Self::PageIoLatchSh => "PAGEIOLATCH_SH",
            Self::WriteFileGather => "PREEMPTIVE_OS_WRITEFILEGATHER",
            Self::Lock(mode) => mode.wait_type(),
        }
    }
}

/// Where a session's waits are counted.
pub trait WaitObserver: Send + Sync {
    /// A wait ended after `waited`.
    fn waited(&self, wait: WaitType, waited: Duration);
}

/// Counts nothing: for system work that belongs to no session.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoWaits;

impl WaitObserver for NoWaits {
    fn waited(&self, _: WaitType, _: Duration) {}
}
