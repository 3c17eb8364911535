//! Which extent of eight pages belongs to which heap.
//!
//! Map pages hold the owner of every extent; in memory the free extents of each file are a set of
//! bits. In each interval of 2,000 extents the first two are the system's: the boot record (in
//! the first interval of the primary file) and the interval's map page.

use crate::id::PageId;
use crate::log::record::Extent;
use crate::page::PAGE;

/// Pages of an extent.
pub(crate) const EXTENT_PAGES: u32 = 8;
/// Bytes of an extent.
pub(crate) const EXTENT_BYTES: u64 = EXTENT_PAGES as u64 * PAGE as u64;
/// Extents that one map page describes.
pub(crate) const INTERVAL: u32 = 2_000;
/// Extents at the start of each interval that hold no rows.
pub(crate) const SYSTEM_EXTENTS: u32 = 2;
/// The least size of a data file: room for the system and some heaps.
pub(crate) const MIN_DATA_FILE: u64 = 2 << 20;

/// The map page that describes an extent, and the extent's place in it.
pub(crate) fn map_place(extent: Extent) -> (PageId, usize) {
    let number = extent.page / EXTENT_PAGES;
    let interval = number / INTERVAL;
    let page = PageId {
        file: extent.file,
        page: interval * INTERVAL * EXTENT_PAGES + EXTENT_PAGES,
    };
    (page, (number % INTERVAL) as usize)
}

/// The extent that a page lies in.
pub(crate) fn extent_of(page: PageId) -> Extent {
    PageId {
        file: page.file,
        page: page.page / EXTENT_PAGES * EXTENT_PAGES,
    }
}

/// The pages of an extent.
pub(crate) fn pages(extent: Extent) -> impl Iterator<Item = PageId> {
    (0..EXTENT_PAGES).map(move |i| PageId {
        file: extent.file,
        page: extent.page + i,
    })
}

/// The free extents of one file.
#[derive(Debug)]
pub(crate) struct FreeExtents {
    pub(crate) file_id: u16,
    used: Vec<bool>,
    /// Every extent below is used.
    first_free: usize,
    pub(crate) free: u32,
}

impl FreeExtents {
    /// All extents of a file of this size are free, except the system's.
    pub(crate) fn new(file_id: u16, size: u64) -> Self {
        let mut extents = Self {
            file_id,
            used: Vec::new(),
            first_free: 0,
            free: 0,
        };
        extents.grow(size);
        extents
    }

    /// Extents in the file.
    pub(crate) fn total(&self) -> u32 {
        u32::try_from(self.used.len()).unwrap_or(u32::MAX)
    }

    /// The file has this size now.
    pub(crate) fn grow(&mut self, size: u64) {
        let total = u32::try_from(size / EXTENT_BYTES).unwrap_or(u32::MAX);
        for number in self.total()..total {
            let system = number % INTERVAL < SYSTEM_EXTENTS;
            self.used.push(system);
            self.free += u32::from(!system);
        }
    }

    /// Takes the first free extent.
    pub(crate) fn take(&mut self) -> Option<Extent> {
        let start = self.first_free;
        let found = self.used.get(start..)?.iter().position(|used| !used)? + start;
        self.used[found] = true;
        self.first_free = found + 1;
        self.free -= 1;
        Some(PageId {
            file: self.file_id,
            page: u32::try_from(found).ok()? * EXTENT_PAGES,
        })
    }

    /// Marks an extent that the map says is used.
    pub(crate) fn mark_used(&mut self, extent: Extent) {
        if let Some(used) = self.used.get_mut((extent.page / EXTENT_PAGES) as usize)
            && !std::mem::replace(used, true)
        {
            self.free -= 1;
        }
    }

    /// Gives an extent back.
    pub(crate) fn give_back(&mut self, extent: Extent) {
        let number = (extent.page / EXTENT_PAGES) as usize;
        if let Some(used) = self.used.get_mut(number)
            && std::mem::replace(used, false)
        {
            self.free += 1;
            self.first_free = self.first_free.min(number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_extents_of_every_interval_are_never_given_out() {
        let mut extents = FreeExtents::new(1, 4_500 * EXTENT_BYTES);
        let mut count = 0;
        while let Some(extent) = extents.take() {
            assert!(extent.page / EXTENT_PAGES % INTERVAL >= 2);
            count += 1;
        }
        // Three intervals begin in 4,500 extents, each with two of the system's.
        assert_eq!(count, 4_500 - 6);
    }

    #[test]
    fn the_lowest_free_extent_is_taken_first() {
        let mut extents = FreeExtents::new(1, MIN_DATA_FILE);
        let first = extents.take().unwrap();
        extents.take().unwrap();
        extents.give_back(first);
        assert_eq!(extents.take(), Some(first));
    }

    #[test]
    fn a_map_page_lies_in_the_second_extent_of_its_interval() {
        let extent = |number: u32| PageId {
            file: 1,
            page: number * 8,
        };
        assert_eq!(map_place(extent(2)), (PageId { file: 1, page: 8 }, 2));
        assert_eq!(
            map_place(extent(2_003)),
            (
                PageId {
                    file: 1,
                    page: 16_008
                },
                3
            )
        );
    }
}
