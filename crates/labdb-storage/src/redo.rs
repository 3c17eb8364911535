//! Repeating changes from the log on pages that do not have them yet.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::allocation::{self, map_place};
use crate::buffer_pool::{BufferPool, Frame};
use crate::error::{Result, StorageError};
use crate::extents::{NOBODY, set_map_owner};
use crate::id::{HeapId, PageId, TransactionId};
use crate::log::block::BLOCK_HEADER;
use crate::log::lsn::Lsn;
use crate::log::reader::{Block, LogReader};
use crate::log::record::{Extent, Record, SYSTEM, decode};
use crate::log::writer::Log;
use crate::page::{Page, PageKind};
use crate::transaction::Undo;
use crate::wait::NoWaits;

/// Pages that changes were repeated on last and that the next ones probably need.
const RECENT_PAGES: usize = 16;
/// Lists of ended transactions that are kept for others, and the longest that is.
const SPARE_LISTS: usize = 64;
const SPARE_LENGTH: usize = 64;

/// A transaction that has no end so far.
pub(crate) struct Loser {
    /// Its first record.
    begin: Lsn,
    /// What is not taken back yet, oldest first.
    undo: Vec<Undo>,
}

/// What the log said.
#[derive(Default)]
pub(crate) struct Replay {
    pub(crate) losers: HashMap<TransactionId, Loser, foldhash::fast::RandomState>,
    pub(crate) spare: Vec<Vec<Undo>>,
    pub(crate) recent: [Option<Arc<Frame>>; RECENT_PAGES],
    pub(crate) next_heap: u32,
    pub(crate) next_transaction: u64,
    pub(crate) log_bytes: u64,
    pub(crate) records: u64,
    pub(crate) redone: u64,
    /// Nothing from the first commit after this time on counts (microseconds since 1970).
    pub(crate) stop_at_us: Option<u64>,
    /// That commit was met.
    pub(crate) stopped: bool,
}

/// Changes one row as a record says; false when the page cannot take it.
pub(crate) fn apply_row(page: &mut Page, record: &Record<'_>) -> bool {
    match record {
        Record::Insert { row, bytes } => page.insert(row.slot, bytes),
        Record::Delete { row } => page.set_ghost(row.slot, true),
        Record::Update { row, new, .. } => page.replace(row.slot, new),
        Record::UndoInsert { row } => page.remove(row.slot),
        Record::UndoDelete { row } => page.set_ghost(row.slot, false),
        Record::UndoUpdate { row, bytes } => page.replace(row.slot, bytes),
        Record::Purge { slots, .. } => slots.iter().all(|&slot| page.remove(slot)),
        _ => true,
    }
}

/// A page must not be newer than the log: the log is on disk before the page.
fn check_age(log: &Log, id: PageId, lsn: Lsn) -> Result<()> {
    if lsn < log.end() {
        return Ok(());
    }
    Err(StorageError::DamagedPage {
        file_id: id.file,
        page: id.page,
        reason: "it has changes from beyond the end of the log",
    })
}

impl Replay {
    /// Reads the log from `scan` to its end; applies what is at `redo` or later.
    pub(crate) fn run(&mut self, log: &Log, pool: &BufferPool, scan: Lsn, redo: Lsn) -> Result<()> {
        let vlfs = log.append.lock().vlfs.clone();
        let mut reader = LogReader::new(&log.files, &vlfs, scan);
        while let Some(block) = reader.next()? {
            self.block(log, pool, redo, &block)?;
        }
        Ok(())
    }

    /// Goes through the records of one block.
    pub(crate) fn block(
        &mut self,
        log: &Log,
        pool: &BufferPool,
        redo: Lsn,
        block: &Block<'_>,
    ) -> Result<()> {
        self.log_bytes += block.bytes.len() as u64;
        let mut at = BLOCK_HEADER;
        for slot in 1..=block.header.records {
            let Some((txn, record, next)) = decode(block.bytes, at) else {
                return Err(StorageError::Corrupt {
                    path: log.files[0].path().to_owned(),
                    reason: format!("log block {} has a record that is none", block.header.lsn),
                });
            };
            at = next;
            if let (Record::Commit { at_us }, Some(stop)) = (&record, self.stop_at_us) {
                self.stopped |= *at_us > stop;
            }
            if self.stopped {
                return Ok(());
            }
            let lsn = Lsn::from_bits(block.header.lsn.to_bits() + u64::from(slot));
            self.records += 1;
            self.analyse(txn, lsn, &record);
            if lsn >= redo {
                self.redo(log, pool, lsn, &record)?;
            }
        }
        Ok(())
    }

    fn analyse(&mut self, txn: TransactionId, lsn: Lsn, record: &Record<'_>) {
        if let Record::CreateHeap { heap } = record {
            self.next_heap = self.next_heap.max(heap.0.saturating_add(1));
        }
        if let Record::EndCheckpoint {
            next_transaction, ..
        } = record
        {
            self.next_transaction = self.next_transaction.max(*next_transaction);
        }
        if txn == SYSTEM {
            return;
        }
        self.next_transaction = self.next_transaction.max(txn.0.saturating_add(1));
        let undo = match record {
            Record::Insert { row, .. } => Undo::Insert(NOBODY, *row),
            Record::Delete { row } => Undo::Delete(NOBODY, *row),
            Record::Update { row, old, .. } => Undo::Update(*row, (*old).into()),
            Record::CreateHeap { heap } => Undo::CreateHeap(*heap),
            Record::FreeExtents { heap, extents } => Undo::FreeExtents(*heap, extents.clone()),
            Record::Commit { .. } | Record::Abort => {
                if let Some(mut ended) = self.losers.remove(&txn)
                    && ended.undo.capacity() <= SPARE_LENGTH
                    && self.spare.len() < SPARE_LISTS
                {
                    ended.undo.clear();
                    self.spare.push(ended.undo);
                }
                return;
            }
            Record::UndoInsert { .. }
            | Record::UndoDelete { .. }
            | Record::UndoUpdate { .. }
            | Record::UndoCreateHeap { .. }
            | Record::UndoFreeExtents { .. } => {
                if let Some(loser) = self.losers.get_mut(&txn) {
                    loser.undo.pop();
                }
                return;
            }
            _ => return,
        };
        let spare = &mut self.spare;
        let loser = self.losers.entry(txn).or_insert_with(|| Loser {
            begin: lsn,
            undo: spare.pop().unwrap_or_default(),
        });
        loser.undo.push(undo);
    }

    /// The first record of the oldest transaction without an end.
    pub(crate) fn oldest_begin(&self) -> Option<Lsn> {
        self.losers.values().map(|loser| loser.begin).min()
    }

    /// Transactions without an end, with what is not taken back yet, oldest first.
    pub(crate) fn take_losers(&mut self) -> BTreeMap<TransactionId, Vec<Undo>> {
        let losers = self.losers.drain();
        losers.map(|(txn, loser)| (txn, loser.undo)).collect()
    }

    /// A page's frame, out of those used last if it is one of them. It goes back there with
    /// [`Self::keep`].
    fn frame(&mut self, log: &Log, pool: &BufferPool, id: PageId) -> Result<Arc<Frame>> {
        let recent = self.recent[id.page as usize % RECENT_PAGES].take();
        match recent.filter(|frame| frame.id() == id) {
            Some(frame) => Ok(frame),
            None => pool.frame(id, log),
        }
    }

    fn keep(&mut self, frame: Arc<Frame>) {
        let place = frame.id().page as usize % RECENT_PAGES;
        self.recent[place] = Some(frame);
    }

    fn redo(&mut self, log: &Log, pool: &BufferPool, lsn: Lsn, record: &Record<'_>) -> Result<()> {
        match record {
            Record::Insert { row, .. }
            | Record::Delete { row }
            | Record::Update { row, .. }
            | Record::UndoInsert { row }
            | Record::UndoDelete { row }
            | Record::UndoUpdate { row, .. } => self.redo_page(log, pool, lsn, row.page, record),
            Record::Purge { page, .. } => self.redo_page(log, pool, lsn, *page, record),
            Record::AllocateExtent { heap, extent } => {
                self.redo_map(log, pool, lsn, &[*extent], *heap)?;
                for page in allocation::pages(*extent) {
                    self.redo_format(log, pool, lsn, page, *heap)?;
                }
                Ok(())
            }
            Record::FreeExtents { extents, .. } => self.redo_map(log, pool, lsn, extents, NOBODY),
            Record::UndoFreeExtents { heap, extents } => {
                self.redo_map(log, pool, lsn, extents, *heap)
            }
            _ => Ok(()),
        }
    }

    fn redo_page(
        &mut self,
        log: &Log,
        pool: &BufferPool,
        lsn: Lsn,
        id: PageId,
        record: &Record<'_>,
    ) -> Result<()> {
        let frame = self.frame(log, pool, id)?;
        let mut page = pool.write(&frame, &NoWaits)?;
        check_age(log, id, page.lsn())?;
        // Also a page that has the change is written again: after a failed flush the system may
        // show it and never have written it.
        page.touch(lsn);
        if page.lsn() < lsn {
            if !apply_row(&mut page, record) {
                return Err(StorageError::DamagedPage {
                    file_id: id.file,
                    page: id.page,
                    reason: "a change from the log does not fit it",
                });
            }
            page.set_lsn(lsn);
            self.redone += 1;
        }
        drop(page);
        self.keep(frame);
        Ok(())
    }

    fn redo_map(
        &mut self,
        log: &Log,
        pool: &BufferPool,
        lsn: Lsn,
        extents: &[Extent],
        owner: HeapId,
    ) -> Result<()> {
        let Some(&first) = extents.first() else {
            return Ok(());
        };
        let id = map_place(first).0;
        let frame = pool.frame(id, log)?;
        let mut map = pool.write(&frame, &NoWaits)?;
        check_age(log, id, map.lsn())?;
        map.touch(lsn);
        if map.lsn() >= lsn {
            return Ok(());
        }
        for &extent in extents {
            set_map_owner(&mut map, id, map_place(extent).1, owner);
        }
        map.set_lsn(lsn);
        self.redone += 1;
        Ok(())
    }

    /// Formats a page; what is there now may be anything, even torn.
    fn redo_format(
        &mut self,
        log: &Log,
        pool: &BufferPool,
        lsn: Lsn,
        id: PageId,
        heap: HeapId,
    ) -> Result<()> {
        let frame = pool.frame(id, log)?;
        match pool.write(&frame, &NoWaits) {
            Ok(page) if page.lsn() >= lsn => {
                check_age(log, id, page.lsn())?;
                page.touch(lsn);
                return Ok(());
            }
            Ok(_) | Err(StorageError::DamagedPage { .. }) => {}
            Err(error) => return Err(error),
        }
        let mut page = BufferPool::write_fresh(&frame);
        page.touch(lsn);
        page.format(id, PageKind::Heap, heap);
        page.set_lsn(lsn);
        self.redone += 1;
        Ok(())
    }
}
