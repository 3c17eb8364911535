//! Log records: what each change is, as bytes.
//!
//! A record is its length (u16), a type (u8), a spare byte, the transaction (u64) and a body.
//! A compensation takes back the transaction's latest change that is not taken back yet, so
//! recovery needs no chain of LSNs: it keeps a stack for each open transaction.

use crate::bytes::{get_u16, get_u32, get_u64};
use crate::id::{HeapId, PageId, RowId, TransactionId};
use crate::log::lsn::Lsn;

/// Length, type, spare byte, transaction.
pub(crate) const RECORD_HEADER: usize = 12;
/// The transaction number of system work, which is never taken back.
pub(crate) const SYSTEM: TransactionId = TransactionId(0);
/// The most extents in one record.
pub(crate) const EXTENTS_PER_RECORD: usize = 2_000;

/// An extent of eight pages: its first page.
pub(crate) type Extent = PageId;

/// A log record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Record<'a> {
    /// A row into a slot.
    Insert { row: RowId, bytes: &'a [u8] },
    /// A row becomes a ghost.
    Delete { row: RowId },
    /// A row replaced in its place.
    Update {
        row: RowId,
        old: &'a [u8],
        new: &'a [u8],
    },
    /// The transaction is committed, at this time in microseconds since 1970.
    Commit { at_us: u64 },
    /// The transaction is rolled back.
    Abort,
    /// A heap's id is taken.
    CreateHeap { heap: HeapId },
    /// Extents leave a heap.
    FreeExtents { heap: HeapId, extents: Vec<Extent> },
    /// System: an extent joins a heap, and its pages are formatted.
    AllocateExtent { heap: HeapId, extent: Extent },
    /// System: ghosts leave their slots.
    Purge { page: PageId, slots: Vec<u16> },
    /// Compensates an insert.
    UndoInsert { row: RowId },
    /// Compensates a delete.
    UndoDelete { row: RowId },
    /// Compensates an update: the bytes are the old ones.
    UndoUpdate { row: RowId, bytes: &'a [u8] },
    /// Compensates the creation of a heap; what it had is freed by `FreeExtents` of the system.
    UndoCreateHeap { heap: HeapId },
    /// Compensates a `FreeExtents`.
    UndoFreeExtents { heap: HeapId, extents: Vec<Extent> },
    /// A checkpoint begins.
    BeginCheckpoint { at_us: u64 },
    /// A checkpoint ended that began at `begin`; redo starts at `redo`, analysis at `scan`.
    EndCheckpoint {
        begin: Lsn,
        redo: Lsn,
        scan: Lsn,
        next_transaction: u64,
        active: u32,
        dirty: u32,
    },
}

impl Record<'_> {
    const fn kind(&self) -> u8 {
        match self {
            Self::Insert { .. } => 1,
            Self::Delete { .. } => 2,
            Self::Update { .. } => 3,
            Self::Commit { .. } => 4,
            Self::Abort => 5,
            Self::CreateHeap { .. } => 6,
            Self::FreeExtents { .. } => 7,
            Self::AllocateExtent { .. } => 8,
            Self::Purge { .. } => 9,
            Self::UndoInsert { .. } => 10,
            Self::UndoDelete { .. } => 11,
            Self::UndoUpdate { .. } => 12,
            Self::UndoCreateHeap { .. } => 13,
            Self::UndoFreeExtents { .. } => 14,
            Self::BeginCheckpoint { .. } => 15,
            Self::EndCheckpoint { .. } => 16,
        }
    }

    /// Its bytes in a block.
    pub(crate) fn length(&self) -> usize {
        RECORD_HEADER
            + match self {
                Self::Insert { bytes, .. } | Self::UndoUpdate { bytes, .. } => 8 + bytes.len(),
                Self::Delete { .. }
                | Self::UndoInsert { .. }
                | Self::UndoDelete { .. }
                | Self::Commit { .. }
                | Self::BeginCheckpoint { .. } => 8,
                Self::Update { old, new, .. } => 10 + old.len() + new.len(),
                Self::Abort => 0,
                Self::CreateHeap { .. } | Self::UndoCreateHeap { .. } => 4,
                Self::FreeExtents { extents, .. } | Self::UndoFreeExtents { extents, .. } => {
                    4 + extents.len() * 6
                }
                Self::AllocateExtent { .. } => 10,
                Self::Purge { slots, .. } => 6 + slots.len() * 2,
                Self::EndCheckpoint { .. } => 40,
            }
    }

    /// Appends it to a block.
    #[allow(
        clippy::cast_possible_truncation,
        reason = "a record is shorter than a block"
    )]
    pub(crate) fn encode(&self, transaction: TransactionId, out: &mut Vec<u8>) {
        out.extend_from_slice(&(self.length() as u16).to_le_bytes());
        out.extend_from_slice(&[self.kind(), 0]);
        out.extend_from_slice(&transaction.0.to_le_bytes());
        match self {
            Self::Insert { row, bytes } | Self::UndoUpdate { row, bytes } => {
                put_row(out, *row);
                out.extend_from_slice(bytes);
            }
            Self::Delete { row } | Self::UndoInsert { row } | Self::UndoDelete { row } => {
                put_row(out, *row);
            }
            Self::Update { row, old, new } => {
                put_row(out, *row);
                out.extend_from_slice(&(old.len() as u16).to_le_bytes());
                out.extend_from_slice(old);
                out.extend_from_slice(new);
            }
            Self::Commit { at_us } | Self::BeginCheckpoint { at_us } => {
                out.extend_from_slice(&at_us.to_le_bytes());
            }
            Self::Abort => {}
            Self::CreateHeap { heap } | Self::UndoCreateHeap { heap } => {
                out.extend_from_slice(&heap.0.to_le_bytes());
            }
            Self::FreeExtents { heap, extents } | Self::UndoFreeExtents { heap, extents } => {
                out.extend_from_slice(&heap.0.to_le_bytes());
                for extent in extents {
                    put_page(out, *extent);
                }
            }
            Self::AllocateExtent { heap, extent } => {
                out.extend_from_slice(&heap.0.to_le_bytes());
                put_page(out, *extent);
            }
            Self::Purge { page, slots } => {
                put_page(out, *page);
                for slot in slots {
                    out.extend_from_slice(&slot.to_le_bytes());
                }
            }
            Self::EndCheckpoint {
                begin,
                redo,
                scan,
                next_transaction,
                active,
                dirty,
            } => {
                for lsn in [begin, redo, scan] {
                    out.extend_from_slice(&lsn.to_bits().to_le_bytes());
                }
                out.extend_from_slice(&next_transaction.to_le_bytes());
                out.extend_from_slice(&active.to_le_bytes());
                out.extend_from_slice(&dirty.to_le_bytes());
            }
        }
    }
}

fn put_page(out: &mut Vec<u8>, page: PageId) {
    out.extend_from_slice(&page.file.to_le_bytes());
    out.extend_from_slice(&page.page.to_le_bytes());
}

fn put_row(out: &mut Vec<u8>, row: RowId) {
    put_page(out, row.page);
    out.extend_from_slice(&row.slot.to_le_bytes());
}

fn page(bytes: &[u8], at: usize) -> PageId {
    PageId {
        file: get_u16(bytes, at),
        page: get_u32(bytes, at + 2),
    }
}

/// A record read from a block: its transaction, itself, and where the next one begins. `None`
/// when the bytes are no record.
pub(crate) fn decode(block: &[u8], at: usize) -> Option<(TransactionId, Record<'_>, usize)> {
    let length = usize::from(get_u16(block, at));
    let bytes = block.get(at..at + length)?;
    let body = bytes.get(RECORD_HEADER..)?;
    let row = RowId {
        page: page(body, 0),
        slot: get_u16(body, 6),
    };
    let heap = HeapId(get_u32(body, 0));
    let extents = || {
        body.get(4..)
            .unwrap_or_default()
            .chunks_exact(6)
            .map(|e| page(e, 0))
            .collect()
    };
    let record = match bytes.get(2)? {
        1 => Record::Insert {
            row,
            bytes: body.get(8..)?,
        },
        2 => Record::Delete { row },
        3 => {
            let old = usize::from(get_u16(body, 8));
            Record::Update {
                row,
                old: body.get(10..10 + old)?,
                new: body.get(10 + old..)?,
            }
        }
        4 => Record::Commit {
            at_us: get_u64(body, 0),
        },
        5 => Record::Abort,
        6 => Record::CreateHeap { heap },
        7 => Record::FreeExtents {
            heap,
            extents: extents(),
        },
        8 => Record::AllocateExtent {
            heap,
            extent: page(body, 4),
        },
        9 => Record::Purge {
            page: page(body, 0),
            slots: body
                .get(6..)?
                .chunks_exact(2)
                .map(|s| get_u16(s, 0))
                .collect(),
        },
        10 => Record::UndoInsert { row },
        11 => Record::UndoDelete { row },
        12 => Record::UndoUpdate {
            row,
            bytes: body.get(8..)?,
        },
        13 => Record::UndoCreateHeap { heap },
        14 => Record::UndoFreeExtents {
            heap,
            extents: extents(),
        },
        15 => Record::BeginCheckpoint {
            at_us: get_u64(body, 0),
        },
        16 => Record::EndCheckpoint {
            begin: Lsn::from_bits(get_u64(body, 0)),
            redo: Lsn::from_bits(get_u64(body, 8)),
            scan: Lsn::from_bits(get_u64(body, 16)),
            next_transaction: get_u64(body, 24),
            active: get_u32(body, 32),
            dirty: get_u32(body, 36),
        },
        _ => return None,
    };
    Some((TransactionId(get_u64(bytes, 4)), record, at + length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_record_reads_back_as_written_and_has_the_length_it_says() {
        let page = PageId {
            file: 3,
            page: 70_000,
        };
        let row = RowId { page, slot: 9 };
        let heap = HeapId(77);
        let bytes = &b"some bytes"[..];
        let records = [
            Record::Insert { row, bytes },
            Record::Delete { row },
            Record::Update {
                row,
                old: b"old",
                new: bytes,
            },
            Record::Commit { at_us: 1 << 50 },
            Record::Abort,
            Record::CreateHeap { heap },
            Record::FreeExtents {
                heap,
                extents: vec![page, page],
            },
            Record::AllocateExtent { heap, extent: page },
            Record::Purge {
                page,
                slots: vec![1, 2, 300],
            },
            Record::UndoInsert { row },
            Record::UndoDelete { row },
            Record::UndoUpdate { row, bytes },
            Record::UndoCreateHeap { heap },
            Record::UndoFreeExtents {
                heap,
                extents: vec![],
            },
            Record::BeginCheckpoint { at_us: 5 },
            Record::EndCheckpoint {
                begin: Lsn::new(1, 2, 3),
                redo: Lsn::new(1, 2, 2),
                scan: Lsn::new(1, 1, 1),
                next_transaction: 12,
                active: 1,
                dirty: 2,
            },
        ];
        let mut block = vec![0; 40];
        for record in &records {
            record.encode(TransactionId(42), &mut block);
        }
        assert_eq!(
            block.len() - 40,
            records.iter().map(Record::length).sum::<usize>()
        );
        let mut at = 40;
        for record in &records {
            let (transaction, read, next) = decode(&block, at).unwrap();
            assert_eq!((transaction, &read), (TransactionId(42), record));
            at = next;
        }
    }

    #[test]
    fn a_one_row_insert_and_its_commit_leave_room_for_400_bytes_in_a_sector() {
        let row = RowId {
            page: PageId { file: 1, page: 1 },
            slot: 1,
        };
        let bytes = [0; 400];
        let both =
            Record::Insert { row, bytes: &bytes }.length() + Record::Commit { at_us: 0 }.length();
        assert!(both + super::super::block::BLOCK_HEADER <= 512);
    }

    #[test]
    fn bytes_that_are_no_record_are_refused() {
        assert_eq!(decode(&[0; 100], 0), None);
        assert_eq!(decode(&[255; 100], 0), None);
        assert_eq!(decode(&[], 5), None);
    }
}
