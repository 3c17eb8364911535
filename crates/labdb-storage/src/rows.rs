//! Changing and reading rows.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use crate::MAX_ROW;
use crate::buffer_pool::WriteLatch;
use crate::database::Database;
use crate::error::{Result, StorageError};
use crate::heap::{Heap, WORTH_REUSING, own_lane};
use crate::id::{HeapId, PageId, RowId};
use crate::log::lsn::Lsn;
use crate::log::record::{RECORD_HEADER, Record, SYSTEM};
use crate::log::writer::Space;
use crate::overflow::SURVEYED_PER_EXTENT;
use crate::page::{PageKind, WHOLE_PAGE_ROW};
use crate::transaction::{Active, Transaction, Undo};
use crate::wait::{NoWaits, WaitType};

/// Log bytes of a compensation without row bytes.
const COMPENSATION: u64 = RECORD_HEADER as u64 + 8;

impl Database {
    /// Stores a row. Rows are at most [`crate::MAX_ROW`] bytes.
    ///
    /// # Errors
    /// `RowTooLong`, `LogFull`, `DataFull`, `Io`. The transaction stays usable; nothing changed.
    pub fn insert(&self, txn: &mut Transaction, heap: HeapId, row: &[u8]) -> Result<RowId> {
        check_length(row)?;
        let heap = self.heap(heap);
        self.with_log_space(&Arc::clone(&txn.waits), || self.insert_row(txn, &heap, row))
    }

    /// Replaces a row; returns its id, which is another one when it had to move to another page.
    /// (A scan that runs at the same time may then meet the row twice: collect first, then
    /// update.) The caller holds the row exclusively.
    ///
    /// # Errors
    /// As [`Self::insert`], and `NoSuchRow`.
    pub fn update(
        &self,
        txn: &mut Transaction,
        heap: HeapId,
        row_id: RowId,
        row: &[u8],
    ) -> Result<RowId> {
        check_length(row)?;
        let heap = self.heap(heap);
        let waits = Arc::clone(&txn.waits);
        let in_place = self.with_log_space(&waits, || self.replace_row(txn, row_id, row))?;
        if in_place {
            return Ok(row_id);
        }
        let new = self.with_log_space(&waits, || self.insert_row(txn, &heap, row))?;
        let gone = self.with_log_space(&waits, || self.ghost_row(txn, heap.id, row_id));
        if let Err(error) = gone {
            self.rollback_to_mark(txn, crate::database::UndoMark(txn.undo.len() - 1))?;
            return Err(error);
        }
        Ok(new)
    }

    /// Deletes a row. Its slot stays reserved as a ghost until the transaction ends. The caller
    /// holds the row exclusively.
    ///
    /// # Errors
    /// `NoSuchRow`, `LogFull`, `Io`.
    pub fn delete(&self, txn: &mut Transaction, heap: HeapId, row_id: RowId) -> Result<()> {
        self.with_log_space(&Arc::clone(&txn.waits), || {
            self.ghost_row(txn, heap, row_id)
        })
    }

    /// A row's bytes, committed or not; `None` when there is none, or it is a ghost. What may be
    /// seen by whom is decided by locks above.
    ///
    /// # Errors
    /// `Io`, `DamagedPage`, `Unavailable`.
    pub fn read(&self, row_id: RowId) -> Result<Option<Vec<u8>>> {
        // Once the log has failed, what is in memory may be committed or not, and nobody can
        // take it back.
        self.check_open()?;
        let frame = self.pool.frame(row_id.page, &self.log)?;
        let page = self.pool.read(&frame, &NoWaits)?;
        if !page.is(PageKind::Heap) {
            return Ok(None);
        }
        Ok(page
            .row(row_id.slot)
            .filter(|row| !row.ghost)
            .map(|row| row.bytes.to_vec()))
    }

    /// Makes the transaction one that writes: from here on its first record holds the log.
    pub(crate) fn start_writing(&self, txn: &mut Transaction) -> Arc<Active> {
        if let Some(active) = &txn.active {
            return Arc::clone(active);
        }
        // The log's end is read before the first record is appended, and a checkpoint reads this
        // table after its begin record: so no record can slip between.
        let mut table = self.active.lock();
        let active = Arc::new(Active {
            begin: self.log.end(),
            begin_time: crate::clock::now(),
            records: 0.into(),
            bytes: 0.into(),
            reserved: 0.into(),
        });
        table.insert(txn.id, Arc::clone(&active));
        txn.active = Some(Arc::clone(&active));
        active
    }

    /// Appends a change of a transaction's, with `undo` bytes set aside to take it back.
    pub(crate) fn log_change(
        &self,
        txn: &mut Transaction,
        record: &Record<'_>,
        undo: u64,
    ) -> Result<Lsn> {
        let active = self.start_writing(txn);
        let lsn = self.log.append(txn.id, record, Space::Normal { undo })?;
        active.records.fetch_add(1, Ordering::Relaxed);
        active
            .bytes
            .fetch_add(record.length() as u64, Ordering::Relaxed);
        active.reserved.fetch_add(undo, Ordering::Relaxed);
        Ok(lsn)
    }

    /// A change that was logged could not be made to the page: memory and log disagree, so
    /// nothing may go on until recovery has put them together again.
    pub(crate) fn inconsistent(&self, page: PageId) -> StorageError {
        let error = StorageError::DamagedPage {
            file_id: page.file,
            page: page.page,
            reason: "a logged change does not fit it",
        };
        self.log.flusher.fail(error.clone());
        error
    }

    pub(crate) fn insert_row(
        &self,
        txn: &mut Transaction,
        heap: &Heap,
        row: &[u8],
    ) -> Result<RowId> {
        let waits = Arc::clone(&txn.waits);
        let lane = &heap.lanes[own_lane()];
        let mut lane = lane.try_lock().unwrap_or_else(|| {
            let start = Instant::now();
            let lane = lane.lock();
            waits.waited(WaitType::PageLatchEx, start.elapsed());
            lane
        });
        loop {
            let page_id = match *lane {
                Some(page) => page,
                None => *lane.insert(self.next_page(heap, row.len())?),
            };
            if let Some(id) = self.insert_into(txn, heap, page_id, row)? {
                // Only now, or the loop would meet them again.
                heap.reuse_held();
                return Ok(id);
            }
            *lane = None;
        }
    }

    /// Stores a row in a page; `None` when it does not fit there, or the page left the heap.
    pub(crate) fn insert_into(
        &self,
        txn: &mut Transaction,
        heap: &Heap,
        page_id: PageId,
        row: &[u8],
    ) -> Result<Option<RowId>> {
        let waits = Arc::clone(&txn.waits);
        let frame = self.pool.frame(page_id, &self.log)?;
        let mut page = self.pool.write(&frame, &*waits)?;
        let usable = page.is(PageKind::Heap) && page.heap() == heap.id;
        if !usable {
            return Ok(None);
        }
        let Some(slot) = page.slot_for(row.len()) else {
            return Ok(None);
        };
        let mut id = RowId {
            page: page_id,
            slot,
        };
        if !txn.takes(heap.id, id) {
            // Whoever deleted the row that was there has not let go of its place yet.
            let unused = page.unused_slot_for(row.len());
            let Some(slot) = unused.filter(|&slot| txn.takes(heap.id, RowId { slot, ..id })) else {
                heap.hold_back(page_id);
                return Ok(None);
            };
            id.slot = slot;
        }
        page.touch(self.log.end());
        let record = Record::Insert {
            row: id,
            bytes: row,
        };
        let lsn = self.log_change(txn, &record, COMPENSATION)?;
        if !page.insert(id.slot, row) {
            return Err(self.inconsistent(page_id));
        }
        page.set_lsn(lsn);
        txn.undo.push(Undo::Insert(heap.id, id));
        Ok(Some(id))
    }

    /// A page that takes rows of this length.
    pub(crate) fn next_page(&self, heap: &Heap, length: usize) -> Result<PageId> {
        if length < WHOLE_PAGE_ROW {
            let partly = heap.partly.lock().pop_first();
            if let Some(page) = partly.filter(|&page| heap.owns(page)) {
                return Ok(page);
            }
        }
        let mut surveyed = 0;
        loop {
            if let Some(page) = heap.fresh.lock().pop_front() {
                return Ok(page);
            }
            let candidate = heap.reusable.lock().pop_first();
            let Some((page_id, ghosts)) = candidate else {
                surveyed += 1;
                if surveyed > SURVEYED_PER_EXTENT || !self.survey(heap)? {
                    self.allocate_extent(heap)?;
                }
                continue;
            };
            // Its extent may have left the heap since, by a truncate after the delete.
            if !heap.owns(page_id) {
                continue;
            }
            if let Err(error) = self.purge(heap, page_id, &ghosts) {
                heap.make_reusable(page_id, ghosts);
                return Err(error);
            }
            let frame = self.pool.frame(page_id, &self.log)?;
            let page = self.pool.read(&frame, &NoWaits)?;
            if page.slot_for(length).is_some() {
                return Ok(page_id);
            }
            if length == WHOLE_PAGE_ROW && page.free() > WORTH_REUSING {
                heap.partly.lock().insert(page_id);
            }
        }
    }

    /// Frees the slots of ghosts whose transactions have ended.
    fn purge(&self, heap: &Heap, page_id: PageId, ghosts: &[u16]) -> Result<()> {
        let frame = self.pool.frame(page_id, &self.log)?;
        let mut page = self.pool.write(&frame, &NoWaits)?;
        if !page.is(PageKind::Heap) || page.heap() != heap.id {
            return Ok(());
        }
        let mut slots: Vec<u16> = ghosts
            .iter()
            .copied()
            .filter(|&slot| page.row(slot).is_some_and(|row| row.ghost))
            .collect();
        slots.sort_unstable();
        slots.dedup();
        if slots.is_empty() {
            return Ok(());
        }
        page.touch(self.log.end());
        let record = Record::Purge {
            page: page_id,
            slots: slots.clone(),
        };
        let lsn = self
            .log
            .append(SYSTEM, &record, Space::Normal { undo: 0 })?;
        for slot in slots {
            if !page.remove(slot) {
                return Err(self.inconsistent(page_id));
            }
        }
        page.set_lsn(lsn);
        Ok(())
    }

    /// Replaces a row where it is; false when it does not fit there.
    fn replace_row(&self, txn: &mut Transaction, id: RowId, row: &[u8]) -> Result<bool> {
        let waits = Arc::clone(&txn.waits);
        let frame = self.pool.frame(id.page, &self.log)?;
        let mut page = self.pool.write(&frame, &*waits)?;
        let old: Box<[u8]> = live_row(&page, id)?.into();
        if !page.can_replace(id.slot, row.len()) {
            return Ok(false);
        }
        page.touch(self.log.end());
        let record = Record::Update {
            row: id,
            old: &old,
            new: row,
        };
        let undo = COMPENSATION + old.len() as u64;
        let lsn = self.log_change(txn, &record, undo)?;
        if !page.replace(id.slot, row) {
            return Err(self.inconsistent(id.page));
        }
        page.set_lsn(lsn);
        txn.undo.push(Undo::Update(id, old));
        Ok(true)
    }

    pub(crate) fn ghost_row(&self, txn: &mut Transaction, heap: HeapId, id: RowId) -> Result<()> {
        let waits = Arc::clone(&txn.waits);
        let frame = self.pool.frame(id.page, &self.log)?;
        let mut page = self.pool.write(&frame, &*waits)?;
        live_row(&page, id)?;
        page.touch(self.log.end());
        let lsn = self.log_change(txn, &Record::Delete { row: id }, COMPENSATION)?;
        if !page.set_ghost(id.slot, true) {
            return Err(self.inconsistent(id.page));
        }
        page.set_lsn(lsn);
        txn.undo.push(Undo::Delete(heap, id));
        Ok(())
    }
}

fn live_row<'a>(page: &'a WriteLatch<'_>, id: RowId) -> Result<&'a [u8]> {
    page.row(id.slot)
        .filter(|row| page.is(PageKind::Heap) && !row.ghost)
        .map(|row| row.bytes)
        .ok_or(StorageError::NoSuchRow(id))
}

fn check_length(row: &[u8]) -> Result<()> {
    if row.len() > MAX_ROW {
        return Err(StorageError::RowTooLong {
            length: row.len(),
            limit: MAX_ROW,
        });
    }
    Ok(())
}
