//! Giving extents to heaps and taking them back; heaps come, go and are emptied.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::allocation::{self, EXTENT_BYTES, EXTENT_PAGES, map_place};
use crate::backup::HeapSpace;
use crate::buffer_pool::BufferPool;
use crate::database::Database;
use crate::error::{Result, StorageError};
use crate::heap::Heap;
use crate::id::{HeapId, PageId, TransactionId};
use crate::log::record::{EXTENTS_PER_RECORD, Extent, RECORD_HEADER, Record, SYSTEM};
use crate::log::writer::Space;
use crate::page::{Page, PageKind};
use crate::settings::{FileKind, Growth};
use crate::transaction::{Transaction, Undo};
use crate::wait::NoWaits;

/// The owner that means nobody.
pub(crate) const NOBODY: HeapId = HeapId(0);

impl Database {
    /// Makes an empty heap with an id that was never used.
    ///
    /// # Errors
    /// `LogFull`, `Io`.
    pub fn create_heap(&self, txn: &mut Transaction) -> Result<HeapId> {
        let heap = HeapId(self.next_heap.fetch_add(1, Ordering::SeqCst));
        self.with_log_space(&Arc::clone(&txn.waits), || {
            self.log_change(txn, &Record::CreateHeap { heap }, RECORD_HEADER as u64 + 4)
        })?;
        txn.undo.push(Undo::CreateHeap(heap));
        Ok(heap)
    }

    /// Drops a heap and, at commit, frees its space. The caller holds it exclusively.
    ///
    /// # Errors
    /// `LogFull`, `Io`.
    pub fn drop_heap(&self, txn: &mut Transaction, heap: HeapId) -> Result<()> {
        self.truncate(txn, heap)
    }

    /// Empties a heap by freeing its extents and those of its large values (at commit), not row by
    /// row. The caller holds it exclusively.
    ///
    /// # Errors
    /// `LogFull`, `Io`: the heap is as before.
    pub fn truncate(&self, txn: &mut Transaction, heap: HeapId) -> Result<()> {
        let mark = self.mark(txn);
        for part in [heap, heap.companion()] {
            let heap = self.heap(part);
            heap.forget_pages();
            let extents: Vec<Extent> = heap.extents.read().iter().copied().collect();
            for group in by_map_page(&extents) {
                let waits = Arc::clone(&txn.waits);
                let done = self.with_log_space(&waits, || self.free_group(txn, &heap, &group));
                if let Err(error) = done {
                    self.rollback_to_mark(txn, mark)?;
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    /// Takes extents of one map page from a heap. They can be used again once the transaction has
    /// committed.
    fn free_group(&self, txn: &mut Transaction, heap: &Heap, group: &[Extent]) -> Result<()> {
        let Some(&first) = group.first() else {
            return Ok(());
        };
        let frame = self.pool.frame(map_place(first).0, &self.log)?;
        let mut map = self.pool.write(&frame, &*txn.waits)?;
        map.touch(self.log.end());
        let record = Record::FreeExtents {
            heap: heap.id,
            extents: group.to_vec(),
        };
        let lsn = self.log_change(txn, &record, record.length() as u64)?;
        for &extent in group {
            map.set_owner(map_place(extent).1, NOBODY);
        }
        map.set_lsn(lsn);
        drop(map);
        let freed: BTreeSet<Extent> = group.iter().copied().collect();
        heap.extents.write().retain(|e| !freed.contains(e));
        txn.undo.push(Undo::FreeExtents(heap.id, group.to_vec()));
        Ok(())
    }

    /// Gives freed extents back to their heap, compensating a `FreeExtents`.
    pub(crate) fn undo_free(
        &self,
        txn: TransactionId,
        heap: HeapId,
        extents: &[Extent],
    ) -> Result<()> {
        let heap = self.heap(heap);
        let Some(&first) = extents.first() else {
            return Ok(());
        };
        let frame = self.pool.frame(map_place(first).0, &self.log)?;
        let mut map = self.pool.write(&frame, &NoWaits)?;
        map.touch(self.log.end());
        let record = Record::UndoFreeExtents {
            heap: heap.id,
            extents: extents.to_vec(),
        };
        let lsn = self.log.append(txn, &record, Space::Reserved)?;
        for &extent in extents {
            map.set_owner(map_place(extent).1, heap.id);
        }
        map.set_lsn(lsn);
        drop(map);
        heap.extents.write().extend(extents);
        heap.survey_later(extents.iter().copied());
        let mut space = self.space.lock();
        for &extent in extents {
            if let Some(file) = space.iter_mut().find(|f| f.file_id == extent.file) {
                file.mark_used(extent);
            }
        }
        Ok(())
    }

    /// Frees all that a heap has, at once: its creation is being taken back.
    pub(crate) fn undo_create(&self, txn: TransactionId, heap: HeapId) -> Result<()> {
        let mut extents = self.free_all(heap)?;
        extents.extend(self.free_all(heap.companion())?);
        let record = Record::UndoCreateHeap { heap };
        self.log.append(txn, &record, Space::Reserved)?;
        self.give_back(&extents);
        let mut heaps = self.heaps.write();
        heaps.remove(&heap);
        heaps.remove(&heap.companion());
        Ok(())
    }

    /// Frees a heap's extents without a way back; the caller gives them back.
    fn free_all(&self, heap: HeapId) -> Result<Vec<Extent>> {
        let state = self.heap(heap);
        state.forget_pages();
        let extents = std::mem::take(&mut *state.extents.write());
        let extents: Vec<Extent> = extents.into_iter().collect();
        for group in by_map_page(&extents) {
            let Some(&first) = group.first() else {
                continue;
            };
            let frame = self.pool.frame(map_place(first).0, &self.log)?;
            let mut map = self.pool.write(&frame, &NoWaits)?;
            map.touch(self.log.end());
            let record = Record::FreeExtents {
                heap,
                extents: group.clone(),
            };
            let lsn = self.log.append(SYSTEM, &record, Space::Reserved)?;
            for &extent in &group {
                map.set_owner(map_place(extent).1, NOBODY);
            }
            map.set_lsn(lsn);
        }
        Ok(extents)
    }

    /// Extents can be used again.
    pub(crate) fn give_back(&self, extents: &[Extent]) {
        let mut space = self.space.lock();
        for &extent in extents {
            if let Some(file) = space.iter_mut().find(|f| f.file_id == extent.file) {
                file.give_back(extent);
            }
        }
    }

    /// Gives a heap one more extent, of empty pages.
    pub(crate) fn allocate_extent(&self, heap: &Heap) -> Result<()> {
        let extent = self.take_extent()?;
        let done = self.format_extent(heap, extent);
        if done.is_err() {
            self.give_back(&[extent]);
        }
        done
    }

    fn take_extent(&self) -> Result<Extent> {
        loop {
            let before = {
                let mut space = self.space.lock();
                // The file with the most free extents first, as proportional fill would.
                let fullest = space.iter_mut().max_by_key(|f| f.free);
                if let Some(extent) = fullest.and_then(super::allocation::FreeExtents::take) {
                    return Ok(extent);
                }
                space.iter().map(|f| u64::from(f.total())).sum::<u64>()
            };
            self.grow_data(before)?;
        }
    }

    fn format_extent(&self, heap: &Heap, extent: Extent) -> Result<()> {
        let (map_page, index) = map_place(extent);
        let map_frame = self.pool.frame(map_page, &self.log)?;
        let frames = allocation::pages(extent)
            .map(|page| Ok((page, self.pool.frame(page, &self.log)?)))
            .collect::<Result<Vec<_>>>()?;
        let mut map = self.pool.write(&map_frame, &NoWaits)?;
        map.touch(self.log.end());
        let mut latches: Vec<_> = frames
            .iter()
            .map(|(page, frame)| {
                let latch = BufferPool::write_fresh(frame);
                latch.touch(self.log.end());
                (*page, latch)
            })
            .collect();
        let record = Record::AllocateExtent {
            heap: heap.id,
            extent,
        };
        let lsn = self
            .log
            .append(SYSTEM, &record, Space::Normal { undo: 0 })?;
        set_map_owner(&mut map, map_page, index, heap.id);
        map.set_lsn(lsn);
        for (page, latch) in &mut latches {
            latch.format(*page, PageKind::Heap, heap.id);
            latch.set_lsn(lsn);
        }
        drop(latches);
        drop(map);
        heap.extents.write().insert(extent);
        heap.fresh.lock().extend(allocation::pages(extent));
        Ok(())
    }

    /// Grows a data file, unless another session has done it since the files had `seen` extents.
    fn grow_data(&self, seen: u64) -> Result<()> {
        let _growing = self.growing.lock();
        let now: u64 = self.space.lock().iter().map(|f| u64::from(f.total())).sum();
        if now > seen {
            return Ok(());
        }
        let files = self.boot.lock().boot.files.clone();
        let candidate = files
            .iter()
            .filter(|f| f.kind == FileKind::Rows)
            .find_map(|f| Some((f.name.clone(), grown_size(f.size, f.growth, f.max_size)?)));
        let Some((name, size)) = candidate else {
            return Err(StorageError::DataFull);
        };
        self.resize_file(&name, size).map_err(|error| {
            if error.is_full_disk() {
                StorageError::DataFull
            } else {
                error
            }
        })
    }

    /// What a heap occupies, its large values included.
    #[must_use]
    pub fn heap_space(&self, heap: HeapId) -> HeapSpace {
        let extents: u64 = [heap, heap.companion()]
            .iter()
            .map(|&part| self.heap(part).extents.read().len() as u64)
            .sum();
        HeapSpace {
            heap,
            reserved_pages: extents * u64::from(EXTENT_PAGES),
        }
    }
}

/// The size of a file after one growth; `None` when it may not grow.
pub(crate) fn grown_size(size: u64, growth: Growth, max_size: Option<u64>) -> Option<u64> {
    let step = match growth {
        Growth::Bytes(bytes) => bytes,
        Growth::Percent(percent) => size / 100 * u64::from(percent),
    };
    let step = if step == 0 {
        return None;
    } else {
        step.next_multiple_of(EXTENT_BYTES)
    };
    let grown = (size + step).min(max_size.unwrap_or(u64::MAX));
    (grown >= size + EXTENT_BYTES).then_some(grown)
}

/// Sets an owner in a map page, which may never have been used.
pub(crate) fn set_map_owner(map: &mut Page, id: PageId, index: usize, heap: HeapId) {
    if map.is(PageKind::Empty) {
        map.format(id, PageKind::Map, NOBODY);
    }
    map.set_owner(index, heap);
}

/// Extents in groups that one map page describes and one record can hold.
fn by_map_page(extents: &[Extent]) -> Vec<Vec<Extent>> {
    let mut groups: BTreeMap<PageId, Vec<Extent>> = BTreeMap::new();
    for &extent in extents {
        groups.entry(map_place(extent).0).or_default().push(extent);
    }
    groups
        .into_values()
        .flat_map(|group| {
            group
                .chunks(EXTENTS_PER_RECORD)
                .map(<[Extent]>::to_vec)
                .collect::<Vec<_>>()
        })
        .collect()
}
