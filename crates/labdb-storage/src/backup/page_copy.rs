//! Copying allocated extents into a backup, straight from the data files.

use crate::allocation::{EXTENT_BYTES, EXTENT_PAGES, INTERVAL, SYSTEM_EXTENTS};
use crate::backup::Progress;
use crate::backup::media::{MediaWriter, Tag};
use crate::counted_file::CountedFile;
use crate::database::Database;
use crate::error::{Result, StorageError};
use crate::id::PageId;
use crate::log::lsn::Lsn;
use crate::log::record::Extent;
use crate::page::{PAGE, Page, PageKind};

/// How often a page that was caught half-written is read again.
const RETRIES: usize = 100;

impl Database {
    /// Every extent with content: those of heaps and those with map pages. The boot record's is
    /// left out: a restore writes its own.
    fn extents_to_copy(&self) -> Vec<Extent> {
        let mut extents: Vec<Extent> = self
            .heaps
            .read()
            .values()
            .flat_map(|heap| heap.extents.read().clone())
            .collect();
        for file in self.space.lock().iter() {
            for interval in (0..file.total()).step_by(INTERVAL as usize) {
                for number in interval..(interval + SYSTEM_EXTENTS).min(file.total()) {
                    if number != 0 {
                        extents.push(PageId {
                            file: file.file_id,
                            page: number * EXTENT_PAGES,
                        });
                    }
                }
            }
        }
        extents.sort_unstable();
        extents.dedup();
        extents
    }

    /// Copies all extents, or those with a page changed at `since` or later and all map pages;
    /// returns how many pages, by file.
    pub(super) fn copy_pages(
        &self,
        since: Option<Lsn>,
        media: &mut MediaWriter,
        progress: Progress<'_>,
    ) -> Result<Vec<(u16, u64)>> {
        let extents = self.extents_to_copy();
        let total = extents.len() as u64 * u64::from(EXTENT_PAGES);
        let length = usize::try_from(EXTENT_BYTES).unwrap_or(usize::MAX);
        let mut section = vec![0; 6 + length];
        let mut copied: Vec<(u16, u64)> = self.data_files.iter().map(|f| (f.file_id, 0)).collect();
        let mut done = 0;
        for &extent in &extents {
            let Some(file) = self.data_files.iter().find(|f| f.file_id == extent.file) else {
                continue;
            };
            section[..2].copy_from_slice(&extent.file.to_le_bytes());
            section[2..6].copy_from_slice(&extent.page.to_le_bytes());
            file.read_at(&mut section[6..], u64::from(extent.page) * PAGE as u64)?;
            let mut changed = since.is_none();
            for (number, bytes) in (0..EXTENT_PAGES).zip(section[6..].chunks_exact_mut(PAGE)) {
                let id = PageId {
                    file: extent.file,
                    page: extent.page + number,
                };
                let (lsn, map) = whole_page(file, id, bytes)?;
                changed |= map || since.is_some_and(|since| lsn >= since);
            }
            if changed {
                media.section(Tag::Extent, &section)?;
                for (file, pages) in &mut copied {
                    if *file == extent.file {
                        *pages += u64::from(EXTENT_PAGES);
                    }
                }
            }
            done += u64::from(EXTENT_PAGES);
            progress(done, total)?;
        }
        Ok(copied)
    }
}

/// Reads a page again until it is whole: a checkpoint may be writing it. Returns its LSN, and
/// whether it is a map page.
fn whole_page(file: &CountedFile, id: PageId, bytes: &mut [u8]) -> Result<(Lsn, bool)> {
    let mut page = Page::zeroed();
    page.0.copy_from_slice(bytes);
    let mut fault = page.fault(id);
    for _ in 0..RETRIES {
        let Some(_) = fault else {
            bytes.copy_from_slice(&page.0[..]);
            return Ok((page.lsn(), page.is(PageKind::Map)));
        };
        std::thread::yield_now();
        file.read_at(&mut page.0[..], u64::from(id.page) * PAGE as u64)?;
        fault = page.fault(id);
    }
    Err(StorageError::DamagedPage {
        file_id: id.file,
        page: id.page,
        reason: fault.unwrap_or("it changes all the time"),
    })
}
