//! The ends of transactions: commit, rollback, savepoints, and taking back single changes.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, UNIX_EPOCH};

use crate::database::{Database, UndoMark};
use crate::error::{Result, StorageError};
use crate::id::{HeapId, PageId, RowId, TransactionId};
use crate::log::record::Record;
use crate::log::writer::Space;
use crate::transaction::{Commit, Transaction, Undo};
use crate::wait::{NoWaits, WaitType};

/// Microseconds since 1970.
pub(crate) fn now_us() -> u64 {
    crate::clock::now()
        .duration_since(UNIX_EPOCH)
        .ok()
        .and_then(|d| u64::try_from(d.as_micros()).ok())
        .unwrap_or(0)
}

impl Database {
    /// Commits. `durable`: returns when the commit record and everything before it is on disk;
    /// otherwise at once, and a background flush hardens it within
    /// [`crate::Options::lazy_flush_interval`] or when a log block is full. A transaction that
    /// changed nothing writes nothing.
    ///
    /// # Errors
    /// `Io` when the log could not be written: the database is then unavailable, and whether the
    /// transaction is there is known after the next open. `LogFull`, or `Io` from a log file that
    /// could not grow, when not even the commit record has room: the transaction is rolled back
    /// and the database goes on.
    pub fn commit(&self, mut txn: Transaction, durable: bool) -> Result<Commit> {
        let Some(active) = txn.active.clone() else {
            txn.ended = true;
            return Ok(Commit {
                lsn: None,
                write_log: Duration::ZERO,
            });
        };
        self.check_open()?;
        let record = Record::Commit { at_us: now_us() };
        let lsn = match self.log.append(txn.id, &record, Space::Reserved) {
            Err(StorageError::LogFull { .. }) => {
                let waits = Arc::clone(&txn.waits);
                self.with_log_space(&waits, || self.log.append(txn.id, &record, Space::Reserved))?
            }
            done => done?,
        };
        txn.ended = true;
        self.active.lock().remove(&txn.id);
        self.log.release(active.reserved.load(Ordering::Relaxed));
        self.reuse_space(&mut txn);
        self.totals
            .write_transactions
            .fetch_add(1, Ordering::Relaxed);
        let mut write_log = Duration::ZERO;
        if durable {
            write_log = self.log.harden(lsn)?;
            txn.waits.waited(WaitType::WriteLog, write_log);
            let counters = &self.log.counters;
            counters.flush_waits.fetch_add(1, Ordering::Relaxed);
            let ns = u64::try_from(write_log.as_nanos()).unwrap_or(u64::MAX);
            counters.flush_wait_ns.fetch_add(ns, Ordering::Relaxed);
        } else {
            self.log.flusher.commit_is_delayed();
        }
        self.ask_for_checkpoint_if_due();
        Ok(Commit {
            lsn: Some(lsn),
            write_log,
        })
    }

    /// What the transaction deleted and freed is nobody's from now on.
    fn reuse_space(&self, txn: &mut Transaction) {
        let mut ghosts: BTreeMap<(HeapId, PageId), Vec<u16>> = BTreeMap::new();
        for undo in txn.undo.drain(..) {
            match undo {
                Undo::Delete(heap, row) => {
                    ghosts.entry((heap, row.page)).or_default().push(row.slot);
                }
                Undo::FreeExtents(_, extents) => self.give_back(&extents),
                Undo::Insert(..) | Undo::Update(..) | Undo::CreateHeap(_) => {}
            }
        }
        for ((heap, page), slots) in ghosts {
            self.heap(heap).make_reusable(page, slots);
        }
    }

    /// Takes back all changes of the transaction.
    ///
    /// # Errors
    /// `Io`: the database is then unavailable and the next open rolls the transaction back.
    pub fn rollback(&self, mut txn: Transaction) -> Result<()> {
        self.take_back(&mut txn)
    }

    pub(crate) fn take_back(&self, txn: &mut Transaction) -> Result<()> {
        txn.ended = true;
        let Some(active) = txn.active.clone() else {
            return Ok(());
        };
        self.check_open()?;
        self.undo_to(txn, 0)?;
        self.log.append(txn.id, &Record::Abort, Space::Reserved)?;
        self.active.lock().remove(&txn.id);
        self.log.release(active.reserved.load(Ordering::Relaxed));
        self.ask_for_checkpoint_if_due();
        Ok(())
    }

    /// Sets a savepoint; a name that exists already is moved here.
    pub fn savepoint(&self, txn: &mut Transaction, name: &str) {
        txn.savepoints.retain(|(n, _)| n != name);
        txn.savepoints.push((name.to_owned(), txn.undo.len()));
    }

    /// Takes back the changes since the savepoint of this name, which stays set; later ones go.
    ///
    /// # Errors
    /// `NoSuchSavepoint`; `Io`.
    pub fn rollback_to_savepoint(&self, txn: &mut Transaction, name: &str) -> Result<()> {
        let Some(at) = txn.savepoints.iter().position(|(n, _)| n == name) else {
            return Err(StorageError::NoSuchSavepoint(name.to_owned()));
        };
        let mark = txn.savepoints[at].1;
        txn.savepoints.truncate(at + 1);
        self.undo_to(txn, mark)
    }

    /// A mark for statement-level rollback: changes after it can be taken back with
    /// [`Self::rollback_to_mark`].
    #[must_use]
    pub fn mark(&self, txn: &Transaction) -> UndoMark {
        UndoMark(txn.undo.len())
    }

    /// Takes back the changes since the mark.
    ///
    /// # Errors
    /// `Io`.
    pub fn rollback_to_mark(&self, txn: &mut Transaction, mark: UndoMark) -> Result<()> {
        self.undo_to(txn, mark.0)?;
        txn.savepoints.retain(|(_, at)| *at <= mark.0);
        Ok(())
    }

    fn undo_to(&self, txn: &mut Transaction, mark: usize) -> Result<()> {
        while txn.undo.len() > mark {
            let Some(undo) = txn.undo.pop() else { break };
            if let Err(error) = self.compensate(txn.id, &undo) {
                // Half a rollback must not be mistaken for anything else.
                self.log.flusher.fail(error.clone());
                return Err(error);
            }
        }
        Ok(())
    }

    /// Takes back one change and logs that it did.
    pub(crate) fn compensate(&self, txn: TransactionId, undo: &Undo) -> Result<()> {
        if self.log.pending_bytes.load(Ordering::Relaxed) > crate::log::writer::BUFFER_BYTES {
            self.log.harden_all()?;
        }
        match undo {
            Undo::Insert(heap, row) => {
                self.undo_row(txn, *row, &Record::UndoInsert { row: *row })?;
                self.heap(*heap).make_reusable(row.page, []);
                Ok(())
            }
            Undo::Delete(_, row) => self.undo_row(txn, *row, &Record::UndoDelete { row: *row }),
            Undo::Update(row, old) => self.undo_row(
                txn,
                *row,
                &Record::UndoUpdate {
                    row: *row,
                    bytes: old,
                },
            ),
            Undo::CreateHeap(heap) => self.undo_create(txn, *heap),
            Undo::FreeExtents(heap, extents) => self.undo_free(txn, *heap, extents),
        }
    }

    fn undo_row(&self, txn: TransactionId, row: RowId, record: &Record<'_>) -> Result<()> {
        let frame = self.pool.frame(row.page, &self.log)?;
        let mut page = self.pool.write(&frame, &NoWaits)?;
        page.touch(self.log.end());
        let lsn = self.log.append(txn, record, Space::Reserved)?;
        if !crate::redo::apply_row(&mut page, record) {
            return Err(self.inconsistent(row.page));
        }
        page.set_lsn(lsn);
        Ok(())
    }
}

/// Which heap a page belongs to, for an undo that was read from the log.
pub(crate) fn heap_of(database: &Database, page: PageId) -> Result<HeapId> {
    let frame = database.pool.frame(page, &database.log)?;
    let latch = database.pool.read(&frame, &NoWaits)?;
    Ok(latch.heap())
}

/// Rolls back what a crash left open.
pub(crate) fn roll_back_losers(
    database: &Database,
    losers: BTreeMap<TransactionId, Vec<Undo>>,
) -> Result<(u64, u64)> {
    let mut transactions = 0;
    let mut changes = 0;
    for (id, mut undo) in losers {
        while let Some(mut change) = undo.pop() {
            if let Undo::Insert(heap, row) | Undo::Delete(heap, row) = &mut change {
                *heap = heap_of(database, row.page)?;
            }
            database.compensate(id, &change)?;
            changes += 1;
        }
        database.log.append(id, &Record::Abort, Space::Reserved)?;
        transactions += 1;
    }
    Ok((transactions, changes))
}
