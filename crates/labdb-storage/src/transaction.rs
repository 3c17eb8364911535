//! A transaction as its session holds it.

use std::sync::Arc;
use std::time::Duration;

use crate::id::TransactionId;
use crate::log::lsn::Lsn;
use crate::wait::WaitObserver;

/// An open transaction. It writes nothing to the log until its first change. Ended by
/// `Database::commit` or `Database::rollback`; one that is dropped open is rolled back.
pub struct Transaction {
    pub(crate) id: TransactionId,
    pub(crate) waits: Arc<dyn WaitObserver>,
}

impl Transaction {
    /// Its number.
    #[must_use]
    pub fn id(&self) -> TransactionId {
        self.id
    }

    /// Whether it has changed anything.
    #[must_use]
    pub fn has_written(&self) -> bool {
        unimplemented!()
    }

    /// Log records written so far.
    #[must_use]
    pub fn log_record_count(&self) -> u64 {
        unimplemented!()
    }

    /// Their bytes, without block headers and padding.
    #[must_use]
    pub fn log_bytes_used(&self) -> u64 {
        unimplemented!()
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
