//! Values larger than a page: chains of pieces in overflow pages.
//!
//! Each heap has a companion, whose id differs in one bit, for the pieces of its large values. A
//! piece is a row of the companion: the value's stamp, the row id of the next piece, and bytes.
//! So pieces are logged, undone, redone, purged, backed up and restored as rows are, and a scan of
//! the heap itself never reads them. All pieces but the first fill a page; the first, which is
//! stored last, has what is left over and shares its page with others of its kind.

use std::sync::Arc;

use crate::database::Database;
use crate::error::{Result, StorageError};
use crate::heap::Heap;
use crate::id::{HeapId, PageId, RowId};
use crate::log::record::Extent;
use crate::page::{PageKind, WHOLE_PAGE_ROW};
use crate::transaction::Transaction;
use crate::wait::NoWaits;
use crate::{MAX_LARGE, allocation};

/// The bit that tells a companion from its heap.
const COMPANION: u32 = 1 << 31;
/// Stamp and next piece.
const PIECE_HEADER: usize = 16;
/// Bytes of a value in a piece that fills its page.
const PIECE: usize = WHOLE_PAGE_ROW - PIECE_HEADER;
/// "No next piece."
const LAST: u64 = u64::MAX;
/// Extents left by an earlier run that are looked through for room before a new one is taken.
pub(crate) const SURVEYED_PER_EXTENT: usize = 4;

impl HeapId {
    /// Where the pieces of the heap's large values are.
    pub(crate) const fn companion(self) -> Self {
        Self(self.0 | COMPANION)
    }

    pub(crate) const fn is_companion(self) -> bool {
        self.0 & COMPANION != 0
    }

    /// The heap that a companion belongs to.
    pub(crate) const fn without_companion(self) -> Self {
        Self(self.0 & !COMPANION)
    }
}

/// Where a large value is: what its owner keeps in place of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LargeValue {
    first: RowId,
    length: u32,
    /// What all its pieces carry, and no other value's pieces at the same place.
    stamp: u64,
}

impl LargeValue {
    /// Bytes that [`Self::to_bytes`] gives.
    pub const ENCODED: usize = 20;

    /// The value's length in bytes.
    #[must_use]
    pub const fn length(&self) -> u32 {
        self.length
    }

    /// To keep in a row.
    #[must_use]
    pub fn to_bytes(self) -> [u8; Self::ENCODED] {
        let mut bytes = [0; Self::ENCODED];
        bytes[..4].copy_from_slice(&self.length.to_le_bytes());
        bytes[4..12].copy_from_slice(&self.first.to_bits().to_le_bytes());
        bytes[12..].copy_from_slice(&self.stamp.to_le_bytes());
        bytes
    }

    /// From what [`Self::to_bytes`] gave.
    #[must_use]
    pub fn from_bytes(bytes: [u8; Self::ENCODED]) -> Self {
        let number = |at| crate::bytes::get_u64(&bytes, at);
        Self {
            length: crate::bytes::get_u32(&bytes, 0),
            first: RowId::from_bits(number(4)),
            stamp: number(12),
        }
    }
}

impl Database {
    /// Stores a value of at most [`MAX_LARGE`] bytes beside a heap. It belongs to no row by
    /// itself: the caller keeps what is returned, and deletes it with [`Self::delete_large`].
    ///
    /// # Errors
    /// `ValueTooLong`, `LogFull`, `DataFull`, `Io`. The transaction stays usable; nothing changed.
    pub fn insert_large(
        &self,
        txn: &mut Transaction,
        heap: HeapId,
        bytes: &[u8],
    ) -> Result<LargeValue> {
        let too_long = StorageError::ValueTooLong {
            length: bytes.len(),
            limit: MAX_LARGE,
        };
        if bytes.len() > MAX_LARGE {
            return Err(too_long);
        }
        let length = u32::try_from(bytes.len()).map_err(|_| too_long)?;
        let heap = self.heap(heap.companion());
        // A transaction's number is never used again, and its changes are never fewer here unless
        // what they stored is gone.
        let stamp = (txn.id.0 << 24) | (txn.undo.len() as u64 & 0xFF_FFFF);
        let mark = self.mark(txn);
        match self.insert_pieces(txn, &heap, stamp, bytes) {
            Ok(first) => Ok(LargeValue {
                first,
                length,
                stamp,
            }),
            Err(error) => {
                self.rollback_to_mark(txn, mark)?;
                Err(error)
            }
        }
    }

    fn insert_pieces(
        &self,
        txn: &mut Transaction,
        heap: &Heap,
        stamp: u64,
        bytes: &[u8],
    ) -> Result<RowId> {
        let waits = Arc::clone(&txn.waits);
        let (first, rest) = bytes.split_at(bytes.len() % PIECE);
        let mut next = LAST;
        let mut row = Vec::with_capacity(WHOLE_PAGE_ROW);
        for piece in rest.rchunks(PIECE) {
            fill_piece(&mut row, stamp, next, piece);
            let id = self.with_log_space(&waits, || self.insert_whole_page(txn, heap, &row))?;
            next = id.to_bits();
        }
        if first.is_empty() && !rest.is_empty() {
            return Ok(RowId::from_bits(next));
        }
        fill_piece(&mut row, stamp, next, first);
        self.with_log_space(&waits, || self.insert_row(txn, heap, &row))
    }

    /// A row that fills a page goes past the lanes: the page in a lane has room for small ones.
    fn insert_whole_page(&self, txn: &mut Transaction, heap: &Heap, row: &[u8]) -> Result<RowId> {
        loop {
            let page = self.next_page(heap, row.len())?;
            match self.insert_into(txn, heap, page, row) {
                Ok(Some(id)) => return Ok(id),
                Ok(None) => {}
                Err(error) => {
                    heap.make_reusable(page, []);
                    return Err(error);
                }
            }
        }
    }

    /// A large value's bytes; `None` when it is gone. Whoever holds its owner's row (shared is
    /// enough) finds it; a dirty reader looks at the owner again.
    ///
    /// # Errors
    /// `Io`, `DamagedPage`.
    pub fn read_large(&self, value: &LargeValue) -> Result<Option<Vec<u8>>> {
        let length = value.length as usize;
        if length > MAX_LARGE {
            return Ok(None);
        }
        let mut bytes = Vec::with_capacity(length);
        let mut at = value.first.to_bits();
        while at != LAST {
            let next = self.with_piece(RowId::from_bits(at), value.stamp, |next, piece| {
                bytes.extend_from_slice(piece);
                next
            })?;
            match next {
                Some(next) if bytes.len() <= length => at = next,
                _ => return Ok(None),
            }
        }
        Ok((bytes.len() == length).then_some(bytes))
    }

    /// Looks at a piece; `None` when there is none with this stamp.
    fn with_piece<T>(
        &self,
        id: RowId,
        stamp: u64,
        look: impl FnOnce(u64, &[u8]) -> T,
    ) -> Result<Option<T>> {
        let frame = self.pool.frame(id.page, &self.log)?;
        let page = self.pool.read(&frame, &NoWaits)?;
        if !page.is(PageKind::Heap) || !page.heap().is_companion() {
            return Ok(None);
        }
        let Some(row) = page.row(id.slot).filter(|row| !row.ghost) else {
            return Ok(None);
        };
        let Some((header, piece)) = row.bytes.split_at_checked(PIECE_HEADER) else {
            return Ok(None);
        };
        if crate::bytes::get_u64(header, 0) != stamp {
            return Ok(None);
        }
        Ok(Some(look(crate::bytes::get_u64(header, 8), piece)))
    }

    /// Deletes a large value. Its pages can be used again once the transaction has ended. The
    /// caller holds the row that owns it exclusively.
    ///
    /// # Errors
    /// `LogFull`, `Io`, `DamagedPage` when its pieces are not there. The transaction stays usable;
    /// nothing changed.
    pub fn delete_large(
        &self,
        txn: &mut Transaction,
        heap: HeapId,
        value: &LargeValue,
    ) -> Result<()> {
        let mark = self.mark(txn);
        let done = self.delete_pieces(txn, heap.companion(), value);
        if done.is_err() {
            self.rollback_to_mark(txn, mark)?;
        }
        done
    }

    fn delete_pieces(&self, txn: &mut Transaction, heap: HeapId, value: &LargeValue) -> Result<()> {
        let waits = Arc::clone(&txn.waits);
        let mut at = value.first.to_bits();
        while at != LAST {
            let id = RowId::from_bits(at);
            let next = self.with_piece(id, value.stamp, |next, _| next)?;
            at = next.ok_or(StorageError::DamagedPage {
                file_id: id.page.file,
                page: id.page.page,
                reason: "a piece of a large value is not there",
            })?;
            self.with_log_space(&waits, || self.ghost_row(txn, heap, id))?;
        }
        Ok(())
    }

    /// Looks through an extent that a companion had when the database was opened, for room and for
    /// ghosts; false when none is left to look through. (Heaps learn of theirs by a scan.)
    pub(crate) fn survey(&self, heap: &Heap) -> Result<bool> {
        let Some(extent) = heap.unsurveyed.lock().pop() else {
            return Ok(false);
        };
        for page in allocation::pages(extent) {
            if heap.owns(page) {
                self.survey_page(heap, page)?;
            }
        }
        Ok(true)
    }

    fn survey_page(&self, heap: &Heap, id: PageId) -> Result<()> {
        let frame = self.pool.frame(id, &self.log)?;
        let page = self.pool.read(&frame, &NoWaits)?;
        // A page that was changed since is known, or in a lane.
        if page.lsn() >= self.opened_at || !page.is(PageKind::Heap) || page.heap() != heap.id {
            return Ok(());
        }
        let ghosts: Vec<u16> = (0..page.slot_count())
            .filter(|&slot| page.row(slot).is_some_and(|row| row.ghost))
            .collect();
        if !ghosts.is_empty() || page.free() > crate::heap::WORTH_REUSING {
            heap.reusable.lock().entry(id).or_insert(ghosts);
        }
        Ok(())
    }
}

impl Heap {
    /// What a companion had when the database was opened is looked through when room is needed.
    pub(crate) fn survey_later(&self, extents: impl IntoIterator<Item = Extent>) {
        if self.id.is_companion() {
            self.unsurveyed.lock().extend(extents);
        }
    }
}

fn fill_piece(row: &mut Vec<u8>, stamp: u64, next: u64, bytes: &[u8]) {
    row.clear();
    row.extend_from_slice(&stamp.to_le_bytes());
    row.extend_from_slice(&next.to_le_bytes());
    row.extend_from_slice(bytes);
}
