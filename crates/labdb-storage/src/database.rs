//! An open database: the one handle through which the upper layer works.
//!
//! This file has the state that its parts share; each part is an `impl Database` in a file of its
//! own: rows, transactions, extents, checkpoints, recovery, backups, views.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::thread::JoinHandle;

use parking_lot::{Mutex, RwLock};

use crate::allocation::FreeExtents;
use crate::boot::BootPages;
use crate::buffer_pool::BufferPool;
use crate::checkpoint::CheckpointSignal;
use crate::counted_file::CountedFile;
use crate::error::{Result, StorageError};
use crate::file_layer::FileLayer;
use crate::heap::Heap;
use crate::id::{HeapId, TransactionId};
use crate::log::lsn::Lsn;
use crate::log::writer::Log;
use crate::settings::{Options, RecoveryModel};
use crate::transaction::{Active, Transaction};
use crate::views::RecoveryReport;
use crate::wait::WaitObserver;

/// An open database. Shared by all sessions; every method may be called from any thread.
///
/// The heap [`HeapId::CATALOG`] exists from the start: the upper layer keeps its own metadata in
/// it as rows, so that DDL is logged and rolled back like data.
pub struct Database {
    pub(crate) layer: Arc<dyn FileLayer>,
    pub(crate) options: Options,
    pub(crate) data_files: Vec<Arc<CountedFile>>,
    pub(crate) log: Log,
    pub(crate) pool: BufferPool,
    pub(crate) boot: Mutex<BootPages>,
    pub(crate) heaps: RwLock<HashMap<HeapId, Arc<Heap>>>,
    pub(crate) space: Mutex<Vec<FreeExtents>>,
    pub(crate) active: Mutex<HashMap<TransactionId, Arc<Active>>>,
    pub(crate) next_transaction: AtomicU64,
    pub(crate) next_heap: AtomicU32,
    pub(crate) checkpointing: Mutex<()>,
    pub(crate) growing: Mutex<()>,
    /// Where running backups began, by a number of their own.
    pub(crate) backups: Mutex<HashMap<u64, Lsn>>,
    /// One log backup at a time.
    pub(crate) log_backup: Mutex<()>,
    pub(crate) closed: AtomicBool,
    pub(crate) signal: Arc<CheckpointSignal>,
    pub(crate) threads: Mutex<Vec<JoinHandle<()>>>,
    /// Pages with an LSN below this were last changed before the database was opened.
    pub(crate) opened_at: Lsn,
    pub(crate) report: RecoveryReport,
    pub(crate) totals: Totals,
}

/// Counters that belong to no smaller part.
#[derive(Default)]
pub(crate) struct Totals {
    pub(crate) transactions: AtomicU64,
    pub(crate) write_transactions: AtomicU64,
    pub(crate) checkpoints: AtomicU64,
    pub(crate) checkpoint_pages: AtomicU64,
    /// Log bytes flushed at which the next automatic checkpoint is due.
    pub(crate) checkpoint_due: AtomicU64,
    /// Log bytes sealed at the last checkpoint.
    pub(crate) sealed_at_checkpoint: AtomicU64,
}

impl Database {
    /// What recovery did when this database was opened.
    #[must_use]
    pub fn recovery_report(&self) -> RecoveryReport {
        self.report
    }

    /// Begins a transaction, whose waits are counted with `waits`. Costs no I/O.
    #[must_use]
    pub fn begin(self: &Arc<Self>, waits: Arc<dyn WaitObserver>) -> Transaction {
        self.totals.transactions.fetch_add(1, Ordering::Relaxed);
        Transaction {
            id: TransactionId(self.next_transaction.fetch_add(1, Ordering::SeqCst)),
            database: Arc::clone(self),
            waits,
            active: None,
            undo: Vec::new(),
            savepoints: Vec::new(),
            ended: false,
            places: None,
        }
    }

    pub(crate) fn check_open(&self) -> Result<()> {
        if self.closed.load(Ordering::SeqCst) {
            return Err(StorageError::Unavailable("it was closed".to_owned()));
        }
        self.log.flusher.check()
    }

    /// Hardens all delayed commits (`sys.sp_flush_log`).
    ///
    /// # Errors
    /// `Io`.
    pub fn flush_log(&self, waits: &dyn WaitObserver) -> Result<()> {
        self.check_open()?;
        let waited = self.log.harden_all()?;
        if !waited.is_zero() {
            waits.waited(crate::wait::WaitType::WriteLog, waited);
        }
        Ok(())
    }

    /// The recovery model.
    #[must_use]
    pub fn recovery_model(&self) -> RecoveryModel {
        self.boot.lock().boot.recovery_model
    }

    /// Changes the recovery model. To SIMPLE: the log chain ends, `last_log_backup_lsn` is gone.
    ///
    /// # Errors
    /// `Io`; the model is then unchanged.
    pub fn set_recovery_model(&self, model: RecoveryModel) -> Result<()> {
        self.check_open()?;
        self.change_boot(|boot| {
            boot.recovery_model = model;
            if model == RecoveryModel::Simple {
                boot.last_log_backup = None;
                boot.last_log_backup_us = None;
            }
            Ok(())
        })
    }

    /// A setting of the upper layer's that is kept with the database (durable when set).
    #[must_use]
    pub fn setting(&self, name: &str) -> Option<String> {
        self.boot.lock().boot.settings.get(name).cloned()
    }

    /// Sets, or with `None` removes, a setting: durable when this returns, not part of any
    /// transaction. All settings together are at most 8 KB.
    ///
    /// # Errors
    /// `Io`, `Invalid` when there is too much; the setting is then unchanged.
    pub fn set_setting(&self, name: &str, value: Option<&str>) -> Result<()> {
        self.check_open()?;
        self.change_boot(|boot| {
            match value {
                Some(value) => boot.settings.insert(name.to_owned(), value.to_owned()),
                None => boot.settings.remove(name),
            };
            let bytes: usize = boot.settings.iter().map(|(k, v)| k.len() + v.len()).sum();
            if bytes > crate::boot::MAX_SETTINGS {
                return Err(StorageError::Invalid(format!(
                    "the database's settings would have {bytes} bytes and the most is {}",
                    crate::boot::MAX_SETTINGS
                )));
            }
            Ok(())
        })
    }

    /// Changes the boot record: durable when this returns, unchanged when it fails.
    pub(crate) fn change_boot(
        &self,
        change: impl FnOnce(&mut crate::boot::Boot) -> Result<()>,
    ) -> Result<()> {
        let mut pages = self.boot.lock();
        let before = pages.boot.clone();
        pages.boot.log_reaches = self.log.flusher.flushed();
        let done = change(&mut pages.boot).and_then(|()| match self.data_files.first() {
            Some(primary) => pages.store(primary),
            None => Ok(()),
        });
        if done.is_err() {
            pages.boot = before;
        }
        done
    }
}

/// A place in a transaction to roll back to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UndoMark(pub(crate) usize);
