//! 8-KB pages: header, checksum, and rows in slots.
//!
//! Rows grow from the header up, the slot directory from the end down. A slot keeps its number
//! for as long as its row lives, and the space that a row ever had (its capacity) until the row
//! is gone, so that a rollback always finds room. Fitting depends only on the set of capacities,
//! never on where rows lie: redo, which repeats changes by slot, always fits too.

use crate::bytes::{get_u16, get_u32, get_u64, put};
use crate::id::{HeapId, PageId};
use crate::log::lsn::Lsn;

/// A page's size in bytes.
pub(crate) const PAGE: usize = 8_192;
const HEADER: usize = 96;
const SLOT: usize = 6;
/// The length of a row that fills a page.
pub(crate) const WHOLE_PAGE_ROW: usize = PAGE - HEADER - SLOT;
const GHOST: u16 = 0x8000;

static NEVER_WRITTEN: [u8; PAGE] = [0; PAGE];

const CRC: usize = 0;
const FILE: usize = 4;
const KIND: usize = 6;
const LSN: usize = 8;
const NUMBER: usize = 16;
const HEAP: usize = 20;
const SLOTS: usize = 24;
const FREE_START: usize = 26;
const LIVE: usize = 28;
const FREE_SLOTS: usize = 30;

/// What a page holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum PageKind {
    /// Nothing: never formatted.
    Empty = 0,
    /// Rows of a heap.
    Heap = 1,
    /// Owners of extents.
    Map = 2,
}

/// A row as its slot shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RowRef<'a> {
    pub(crate) ghost: bool,
    pub(crate) bytes: &'a [u8],
}

/// A page in memory.
pub(crate) struct Page(pub(crate) Box<[u8; PAGE]>);

impl Page {
    pub(crate) fn zeroed() -> Self {
        Self(Box::new([0; PAGE]))
    }

    fn u16(&self, at: usize) -> u16 {
        get_u16(&self.0[..], at)
    }

    fn set_u16(&mut self, at: usize, value: u16) {
        put(&mut self.0[..], at, &value.to_le_bytes());
    }

    #[allow(
        clippy::cast_possible_truncation,
        reason = "offsets in a page are below 8,192"
    )]
    fn set_size(&mut self, at: usize, value: usize) {
        self.set_u16(at, value as u16);
    }

    pub(crate) fn lsn(&self) -> Lsn {
        Lsn::from_bits(get_u64(&self.0[..], LSN))
    }

    pub(crate) fn set_lsn(&mut self, lsn: Lsn) {
        put(&mut self.0[..], LSN, &lsn.to_bits().to_le_bytes());
    }

    pub(crate) fn heap(&self) -> HeapId {
        HeapId(get_u32(&self.0[..], HEAP))
    }

    pub(crate) fn is(&self, kind: PageKind) -> bool {
        self.0[KIND] == kind as u8
    }

    /// Makes the page an empty one of this kind.
    pub(crate) fn format(&mut self, id: PageId, kind: PageKind, heap: HeapId) {
        self.0.fill(0);
        put(&mut self.0[..], FILE, &id.file.to_le_bytes());
        self.0[KIND] = kind as u8;
        put(&mut self.0[..], NUMBER, &id.page.to_le_bytes());
        put(&mut self.0[..], HEAP, &heap.0.to_le_bytes());
        self.set_size(FREE_START, HEADER);
    }

    /// Sets the checksum before the page is written. A page that was never formatted stays all
    /// zeroes: it can be dirty when its extent was about to join a heap and the log was full.
    pub(crate) fn seal(bytes: &mut [u8]) {
        if bytes.get(KIND) == Some(&(PageKind::Empty as u8)) {
            return;
        }
        if let Some(body) = bytes.get(FILE..) {
            let crc = crc32fast::hash(body);
            put(bytes, CRC, &crc.to_le_bytes());
        }
    }

    /// What is wrong with a page that was read, if anything. A page of zeroes was never written.
    pub(crate) fn fault(&self, id: PageId) -> Option<&'static str> {
        if get_u32(&self.0[..], CRC) != crc32fast::hash(&self.0[FILE..]) {
            return (*self.0 != NEVER_WRITTEN).then_some("its checksum does not match");
        }
        let same = self.u16(FILE) == id.file && get_u32(&self.0[..], NUMBER) == id.page;
        (!same).then_some("it names another page")
    }

    fn slots(&self) -> usize {
        usize::from(self.u16(SLOTS))
    }

    pub(crate) fn slot_count(&self) -> u16 {
        self.u16(SLOTS)
    }

    fn slot_at(slot: usize) -> usize {
        PAGE.saturating_sub((slot + 1) * SLOT)
    }

    /// Offset, capacity, length and ghost mark of a slot in use.
    fn entry(&self, slot: u16) -> Option<(usize, usize, usize, bool)> {
        let slot = usize::from(slot);
        if slot >= self.slots() {
            return None;
        }
        let at = Self::slot_at(slot);
        let offset = usize::from(self.u16(at));
        let length = self.u16(at + 4);
        (offset != 0).then_some((
            offset,
            usize::from(self.u16(at + 2)),
            usize::from(length & !GHOST),
            length & GHOST != 0,
        ))
    }

    fn set_entry(&mut self, slot: u16, offset: usize, capacity: usize, length: usize) {
        let at = Self::slot_at(usize::from(slot));
        self.set_size(at, offset);
        self.set_size(at + 2, capacity);
        self.set_size(at + 4, length);
    }

    /// The row in a slot.
    pub(crate) fn row(&self, slot: u16) -> Option<RowRef<'_>> {
        let (offset, _, length, ghost) = self.entry(slot)?;
        let bytes = self.0.get(offset..offset + length)?;
        Some(RowRef { ghost, bytes })
    }

    /// Bytes that are not taken by capacities, slots and header.
    pub(crate) fn free(&self) -> usize {
        (PAGE - HEADER).saturating_sub(usize::from(self.u16(LIVE)) + self.slots() * SLOT)
    }

    /// The slot that a new row of this length would get; `None` when it does not fit.
    pub(crate) fn slot_for(&self, length: usize) -> Option<u16> {
        if self.u16(FREE_SLOTS) > 0 && length <= self.free() {
            return (0..self.slot_count()).find(|&slot| self.entry(slot).is_none());
        }
        (length + SLOT <= self.free()).then(|| self.slot_count())
    }

    /// A slot that no row has had since the page was formatted, for a new row of this length.
    pub(crate) fn unused_slot_for(&self, length: usize) -> Option<u16> {
        (length + SLOT <= self.free()).then(|| self.slot_count())
    }

    /// Moves rows together so that all free bytes lie between them and the slots.
    fn compact(&mut self) {
        let old = self.0.clone();
        let mut at = HEADER;
        for slot in 0..self.slot_count() {
            let Some((offset, capacity, _, _)) = self.entry(slot) else {
                continue;
            };
            if let Some(row) = old.get(offset..offset + capacity) {
                put(&mut self.0[..], at, row);
            }
            self.set_size(Self::slot_at(usize::from(slot)), at);
            at += capacity;
        }
        self.set_size(FREE_START, at);
    }

    fn take(&mut self, length: usize) -> Option<usize> {
        let end = Self::slot_at(self.slots().saturating_sub(1));
        let end = if self.slots() == 0 { PAGE } else { end };
        if usize::from(self.u16(FREE_START)) + length > end {
            self.compact();
        }
        let at = usize::from(self.u16(FREE_START));
        if at + length > end {
            return None;
        }
        self.set_size(FREE_START, at + length);
        self.set_size(LIVE, usize::from(self.u16(LIVE)) + length);
        Some(at)
    }

    /// Puts a row into a free slot. False when it cannot: the slot is in use or there is no room.
    #[must_use]
    pub(crate) fn insert(&mut self, slot: u16, row: &[u8]) -> bool {
        if self.entry(slot).is_some() {
            return false;
        }
        let new_slots = (usize::from(slot) + 1).saturating_sub(self.slots());
        if self.free() < row.len() + new_slots * SLOT {
            return false;
        }
        if new_slots > 0 {
            // The directory grows over what may be row space now.
            let end = Self::slot_at(usize::from(slot));
            if usize::from(self.u16(FREE_START)) > end {
                self.compact();
            }
            for fresh in self.slot_count()..=slot {
                self.set_entry(fresh, 0, 0, 0);
            }
            self.set_size(FREE_SLOTS, usize::from(self.u16(FREE_SLOTS)) + new_slots);
            self.set_u16(SLOTS, slot + 1);
        }
        let Some(at) = self.take(row.len()) else {
            return false;
        };
        put(&mut self.0[..], at, row);
        self.set_entry(slot, at, row.len(), row.len());
        self.set_u16(FREE_SLOTS, self.u16(FREE_SLOTS).saturating_sub(1));
        true
    }

    /// Frees a slot and its space.
    #[must_use]
    pub(crate) fn remove(&mut self, slot: u16) -> bool {
        let Some((_, capacity, _, _)) = self.entry(slot) else {
            return false;
        };
        self.set_entry(slot, 0, 0, 0);
        self.set_size(LIVE, usize::from(self.u16(LIVE)).saturating_sub(capacity));
        self.set_u16(FREE_SLOTS, self.u16(FREE_SLOTS) + 1);
        true
    }

    /// Marks a row deleted, or not.
    #[must_use]
    pub(crate) fn set_ghost(&mut self, slot: u16, ghost: bool) -> bool {
        let Some((_, _, length, _)) = self.entry(slot) else {
            return false;
        };
        let at = Self::slot_at(usize::from(slot)) + 4;
        self.set_size(at, length);
        if ghost {
            self.set_u16(at, self.u16(at) | GHOST);
        }
        true
    }

    /// Whether a row could be replaced by one of this length without moving to another page.
    pub(crate) fn can_replace(&self, slot: u16, length: usize) -> bool {
        self.entry(slot)
            .is_some_and(|(_, capacity, _, _)| length <= capacity + self.free())
    }

    /// Replaces a row. The ghost mark goes.
    #[must_use]
    pub(crate) fn replace(&mut self, slot: u16, row: &[u8]) -> bool {
        let Some((offset, capacity, _, _)) = self.entry(slot) else {
            return false;
        };
        if row.len() <= capacity {
            put(&mut self.0[..], offset, row);
            self.set_entry(slot, offset, capacity, row.len());
            return true;
        }
        if row.len() > capacity + self.free() {
            return false;
        }
        // The old space must go first, or the page could be too full to take the new one.
        self.set_entry(slot, 0, 0, 0);
        self.set_size(LIVE, usize::from(self.u16(LIVE)).saturating_sub(capacity));
        let Some(at) = self.take(row.len()) else {
            return false;
        };
        put(&mut self.0[..], at, row);
        self.set_entry(slot, at, row.len(), row.len());
        true
    }

    /// The owner of an extent in a map page; 0 is nobody.
    pub(crate) fn owner(&self, index: usize) -> HeapId {
        HeapId(get_u32(&self.0[..], HEADER + index * 4))
    }

    pub(crate) fn set_owner(&mut self, index: usize, heap: HeapId) {
        put(&mut self.0[..], HEADER + index * 4, &heap.0.to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: PageId = PageId { file: 1, page: 40 };

    fn page() -> Page {
        let mut page = Page::zeroed();
        page.format(ID, PageKind::Heap, HeapId(7));
        page
    }

    fn bytes(page: &Page, slot: u16) -> Option<&[u8]> {
        page.row(slot).map(|row| row.bytes)
    }

    #[test]
    fn a_page_of_zeroes_is_whole_and_one_wrong_bit_is_seen() {
        let mut zeroes = Page::zeroed();
        Page::seal(&mut zeroes.0[..]);
        assert_eq!(zeroes.fault(ID), None);
        let mut page = page();
        assert!(page.insert(0, b"row"));
        Page::seal(&mut page.0[..]);
        assert_eq!(page.fault(ID), None);
        assert!(page.fault(PageId { file: 1, page: 41 }).is_some());
        page.0[5_000] ^= 1;
        assert!(page.fault(ID).is_some());
    }

    #[test]
    fn the_longest_row_fits_an_empty_page_and_nothing_fits_beside_it() {
        let mut page = page();
        let row = [1; crate::MAX_ROW];
        assert_eq!(page.slot_for(row.len()), Some(0));
        assert!(page.insert(0, &row));
        assert_eq!(bytes(&page, 0), Some(&row[..]));
        assert_eq!(page.slot_for(100), None);
    }

    #[test]
    fn a_page_takes_as_many_rows_as_the_arithmetic_says() {
        // 8,192 less a header of 96; each row of 100 also needs a slot of 6.
        let mut page = page();
        let mut count = 0;
        while let Some(slot) = page.slot_for(100) {
            assert!(page.insert(slot, &[2; 100]));
            count += 1;
        }
        assert_eq!(count, (8_192 - 96) / 106);
    }

    #[test]
    fn holes_are_closed_when_room_is_needed_and_slots_keep_their_rows() {
        let mut page = page();
        for slot in 0..8_u8 {
            assert!(page.insert(u16::from(slot), &[slot; 1_000]));
        }
        assert!(page.remove(2) && page.remove(5));
        assert!(page.replace(0, &[9; 1_900]));
        assert_eq!(bytes(&page, 0), Some(&[9; 1_900][..]));
        for slot in [1, 3, 4, 6, 7_u8] {
            assert_eq!(bytes(&page, u16::from(slot)), Some(&[slot; 1_000][..]));
        }
        assert_eq!(page.slot_for(500), Some(2));
    }

    #[test]
    fn a_row_that_shrank_can_always_grow_back() {
        let mut page = page();
        assert!(page.insert(0, &[1; 4_000]));
        assert!(page.replace(0, &[2; 10]));
        while let Some(slot) = page.slot_for(300) {
            assert!(page.insert(slot, &[3; 300]));
        }
        assert!(page.replace(0, &[1; 4_000]));
        assert_eq!(bytes(&page, 0), Some(&[1; 4_000][..]));
    }

    #[test]
    fn a_ghost_keeps_its_bytes() {
        let mut page = page();
        assert!(page.insert(0, b"row"));
        assert!(page.set_ghost(0, true));
        assert!(
            page.row(0)
                .is_some_and(|row| row.ghost && row.bytes == b"row")
        );
        assert!(page.set_ghost(0, false));
        assert!(page.row(0).is_some_and(|row| !row.ghost));
        assert!(!page.insert(0, b"other"), "the slot is in use");
    }
}
