//! An open database: the one handle through which the upper layer works.

use std::path::Path;
use std::sync::Arc;

use crate::backup::{BackupOptions, BackupSet, BackupTarget, HeapSpace, MoveFiles};
use crate::error::Result;
use crate::file_layer::FileLayer;
use crate::heap::{Scan, ScanRow};
use crate::id::{HeapId, RowId};
use crate::log::reuse::LogReuseWait;
use crate::settings::{DatabaseSpec, Options, RecoveryModel};
use crate::transaction::{Commit, Transaction};
use crate::views::{
    Counters, FileRow, FileStatsRow, LogSpace, LogStats, RecoveryReport, RecoveryStatus,
    TransactionRow, VlfRow,
};
use crate::wait::WaitObserver;

/// An open database. Shared by all sessions; every method may be called from any thread.
///
/// The heap [`HeapId::CATALOG`] exists from the start: the upper layer keeps its own metadata in
/// it as rows, so that DDL is logged and rolled back like data.
pub struct Database {}

impl Database {
    /// Makes the files at their declared sizes (the log zeroed, the data files too unless instant
    /// file initialization is on), and opens the database.
    ///
    /// # Errors
    /// `Io` when a file exists already or cannot be made (what was made is removed again);
    /// `Invalid` for sizes that cannot work.
    pub fn create(
        _spec: &DatabaseSpec,
        _options: &Options,
        _layer: Arc<dyn FileLayer>,
    ) -> Result<Arc<Self>> {
        unimplemented!()
    }

    /// Opens the database of a primary data file and recovers it: committed changes are redone,
    /// open transactions rolled back.
    ///
    /// # Errors
    /// `Io`, `Corrupt`, `DamagedPage`.
    pub fn open(
        _primary: &Path,
        _options: &Options,
        _layer: Arc<dyn FileLayer>,
    ) -> Result<Arc<Self>> {
        unimplemented!()
    }

    /// What recovery did when this database was opened.
    #[must_use]
    pub fn recovery_report(&self) -> RecoveryReport {
        unimplemented!()
    }

    /// Flushes the log, takes a checkpoint, stops the background threads and closes the files.
    /// Transactions that are still open are rolled back by the next open. Later calls fail with
    /// `Unavailable`.
    ///
    /// # Errors
    /// `Io`.
    pub fn close(&self) -> Result<()> {
        unimplemented!()
    }

    /// Closes without a checkpoint and deletes the files (DROP DATABASE).
    ///
    /// # Errors
    /// `Io`, after trying all files.
    pub fn drop_files(&self) -> Result<()> {
        unimplemented!()
    }

    /// Begins a transaction, whose waits are counted with `waits`. Costs no I/O.
    #[must_use]
    pub fn begin(self: &Arc<Self>, _waits: Arc<dyn WaitObserver>) -> Transaction {
        unimplemented!()
    }

    /// Commits. `durable`: returns when the commit record and everything before it is on disk;
    /// otherwise at once, and a background flush hardens it within
    /// [`Options::lazy_flush_interval`] or when a log block is full. A transaction that changed
    /// nothing writes nothing.
    ///
    /// # Errors
    /// `Io` when the log could not be written: the database is then unavailable, and whether the
    /// transaction is there is known after the next open.
    pub fn commit(&self, _txn: Transaction, _durable: bool) -> Result<Commit> {
        unimplemented!()
    }

    /// Takes back all changes of the transaction.
    ///
    /// # Errors
    /// `Io`: the database is then unavailable and the next open rolls the transaction back.
    pub fn rollback(&self, _txn: Transaction) -> Result<()> {
        unimplemented!()
    }

    /// Sets a savepoint; a name that exists already is moved here.
    pub fn savepoint(&self, _txn: &mut Transaction, _name: &str) {
        unimplemented!()
    }

    /// Takes back the changes since the savepoint of this name, which stays set.
    ///
    /// # Errors
    /// `NoSuchSavepoint`; `Io`.
    pub fn rollback_to_savepoint(&self, _txn: &mut Transaction, _name: &str) -> Result<()> {
        unimplemented!()
    }

    /// A mark for statement-level rollback: changes after it can be taken back with
    /// [`Self::rollback_to_mark`].
    #[must_use]
    pub fn mark(&self, _txn: &Transaction) -> UndoMark {
        unimplemented!()
    }

    /// Takes back the changes since the mark.
    ///
    /// # Errors
    /// `Io`.
    pub fn rollback_to_mark(&self, _txn: &mut Transaction, _mark: UndoMark) -> Result<()> {
        unimplemented!()
    }

    /// Makes an empty heap with an id that was never used.
    ///
    /// # Errors
    /// `LogFull`, `Io`.
    pub fn create_heap(&self, _txn: &mut Transaction) -> Result<HeapId> {
        unimplemented!()
    }

    /// Drops a heap and, at commit, frees its space. The caller holds it exclusively.
    ///
    /// # Errors
    /// `LogFull`, `Io`.
    pub fn drop_heap(&self, _txn: &mut Transaction, _heap: HeapId) -> Result<()> {
        unimplemented!()
    }

    /// Empties a heap by freeing its extents (at commit), not row by row. The caller holds it
    /// exclusively.
    ///
    /// # Errors
    /// `LogFull`, `Io`.
    pub fn truncate(&self, _txn: &mut Transaction, _heap: HeapId) -> Result<()> {
        unimplemented!()
    }

    /// Stores a row. Rows are at most [`crate::MAX_ROW`] bytes.
    ///
    /// # Errors
    /// `RowTooLong`, `LogFull`, `DataFull`, `Io`. The transaction stays usable; nothing changed.
    pub fn insert(&self, _txn: &mut Transaction, _heap: HeapId, _row: &[u8]) -> Result<RowId> {
        unimplemented!()
    }

    /// Replaces a row; returns its id, which is another one when it had to move to another page.
    /// (A scan that runs at the same time may then meet the row twice: collect first, then
    /// update.) The caller holds the row exclusively.
    ///
    /// # Errors
    /// As [`Self::insert`], and `NoSuchRow`.
    pub fn update(
        &self,
        _txn: &mut Transaction,
        _heap: HeapId,
        _row_id: RowId,
        _row: &[u8],
    ) -> Result<RowId> {
        unimplemented!()
    }

    /// Deletes a row. Its slot stays reserved as a ghost until the transaction ends. The caller
    /// holds the row exclusively.
    ///
    /// # Errors
    /// `NoSuchRow`, `LogFull`, `Io`.
    pub fn delete(&self, _txn: &mut Transaction, _heap: HeapId, _row_id: RowId) -> Result<()> {
        unimplemented!()
    }

    /// A row's bytes, committed or not; `None` when there is none, or it is a ghost. What may be
    /// seen by whom is decided by locks above.
    ///
    /// # Errors
    /// `Io`, `DamagedPage`.
    pub fn read(&self, _row_id: RowId) -> Result<Option<Vec<u8>>> {
        unimplemented!()
    }

    /// All rows of a heap in the order of its extents, page by page: committed and uncommitted,
    /// and ghosts marked as such. No latch is held between rows.
    #[must_use]
    pub fn scan(self: &Arc<Self>, _heap: HeapId) -> Scan {
        unimplemented!()
    }

    /// What a heap occupies.
    #[must_use]
    pub fn heap_space(&self, _heap: HeapId) -> HeapSpace {
        unimplemented!()
    }

    /// Hardens all delayed commits (`sys.sp_flush_log`).
    ///
    /// # Errors
    /// `Io`.
    pub fn flush_log(&self, _waits: &dyn WaitObserver) -> Result<()> {
        unimplemented!()
    }

    /// Takes a checkpoint; under SIMPLE (and FULL without a full backup) it truncates the log.
    ///
    /// # Errors
    /// `Io`, `LogFull`.
    pub fn checkpoint(&self) -> Result<()> {
        unimplemented!()
    }

    /// The recovery model.
    #[must_use]
    pub fn recovery_model(&self) -> RecoveryModel {
        unimplemented!()
    }

    /// Changes the recovery model. To SIMPLE: the log chain ends, `last_log_backup_lsn` is gone.
    ///
    /// # Errors
    /// `Io`.
    pub fn set_recovery_model(&self, _model: RecoveryModel) -> Result<()> {
        unimplemented!()
    }

    /// A setting of the upper layer's that is kept with the database (durable when set).
    #[must_use]
    pub fn setting(&self, _name: &str) -> Option<String> {
        unimplemented!()
    }

    /// Sets, or with `None` removes, a setting: durable when this returns, not part of any
    /// transaction. All settings together are at most about 8 KB.
    ///
    /// # Errors
    /// `Io`, `Invalid` when there is too much.
    pub fn set_setting(&self, _name: &str, _value: Option<&str>) -> Result<()> {
        unimplemented!()
    }

    /// Enlarges a file to `size` bytes, or changes its growth or limit (MODIFY FILE). A file never
    /// shrinks.
    ///
    /// # Errors
    /// `Invalid` for an unknown name or a smaller size; `Io`.
    pub fn modify_file(
        &self,
        _name: &str,
        _size: Option<u64>,
        _growth: Option<crate::Growth>,
        _max_size: Option<Option<u64>>,
    ) -> Result<()> {
        unimplemented!()
    }

    /// A full backup: allocated pages and the log to make them consistent. Takes a checkpoint.
    /// Unless it is copy-only it starts the log chain.
    ///
    /// # Errors
    /// `Io`.
    pub fn backup_full(
        &self,
        _target: &BackupTarget,
        _options: &BackupOptions,
    ) -> Result<BackupSet> {
        unimplemented!()
    }

    /// A log backup; truncates the log up to what a checkpoint has passed.
    ///
    /// # Errors
    /// `NoLogBackup` under SIMPLE or before the first full backup; `Io`.
    pub fn backup_log(
        &self,
        _target: &BackupTarget,
        _options: &BackupOptions,
    ) -> Result<BackupSet> {
        unimplemented!()
    }

    /// Restores a full backup and the log backups after it into new files and opens the result.
    ///
    /// # Errors
    /// `NotBuilt`.
    pub fn restore(
        _backups: &[&Path],
        _moves: &MoveFiles,
        _options: &Options,
        _layer: Arc<dyn FileLayer>,
    ) -> Result<Arc<Self>> {
        unimplemented!()
    }

    /// The files.
    #[must_use]
    pub fn files(&self) -> Vec<FileRow> {
        unimplemented!()
    }

    /// What was read and written, per file.
    #[must_use]
    pub fn file_stats(&self) -> Vec<FileStatsRow> {
        unimplemented!()
    }

    /// The VLFs, in order of file and offset.
    #[must_use]
    pub fn vlfs(&self) -> Vec<VlfRow> {
        unimplemented!()
    }

    /// The log as a whole.
    #[must_use]
    pub fn log_stats(&self) -> LogStats {
        unimplemented!()
    }

    /// How full the log is.
    #[must_use]
    pub fn log_space(&self) -> LogSpace {
        unimplemented!()
    }

    /// Why the log cannot be reused, as of the last attempt to truncate it.
    #[must_use]
    pub fn log_reuse_wait(&self) -> LogReuseWait {
        unimplemented!()
    }

    /// Counters since the database was opened.
    #[must_use]
    pub fn counters(&self) -> Counters {
        unimplemented!()
    }

    /// Where the backup chain stands.
    #[must_use]
    pub fn recovery_status(&self) -> RecoveryStatus {
        unimplemented!()
    }

    /// Transactions that are open.
    #[must_use]
    pub fn transactions(&self) -> Vec<TransactionRow> {
        unimplemented!()
    }
}

/// A place in a transaction to roll back to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UndoMark(pub(crate) usize);

impl Iterator for Scan {
    type Item = Result<ScanRow>;

    fn next(&mut self) -> Option<Self::Item> {
        unimplemented!()
    }
}
