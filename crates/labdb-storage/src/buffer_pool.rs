//! The buffer pool: pages in memory, read on demand, written before they are evicted.
//!
//! The write-ahead rule is kept here: no page is written before the log is durable up to the
//! page's LSN.

use std::collections::HashMap;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

use parking_lot::{Mutex, RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::counted_file::CountedFile;
use crate::error::{Result, StorageError};
use crate::id::PageId;
use crate::log::lsn::Lsn;
use crate::log::writer::Log;
use crate::page::{PAGE, Page};
use crate::wait::{WaitObserver, WaitType};

const SHARDS: usize = 64;
/// Pages written in one call by a checkpoint, at most: 256 KB.
const GATHER: usize = 32;

struct Slot {
    page: Page,
    loaded: bool,
}

/// A page's place in the pool.
pub(crate) struct Frame {
    id: PageId,
    slot: RwLock<Slot>,
    /// The log's end when the page was first changed since it was last written; 0 when clean.
    first_change: AtomicU64,
    referenced: AtomicBool,
}

impl Frame {
    /// Which page it is for.
    pub(crate) fn id(&self) -> PageId {
        self.id
    }
}

/// A page latched to read.
pub(crate) struct ReadLatch<'a>(RwLockReadGuard<'a, Slot>);

impl Deref for ReadLatch<'_> {
    type Target = Page;

    fn deref(&self) -> &Page {
        &self.0.page
    }
}

/// A page latched to change. `touch` must come before the change's log record.
pub(crate) struct WriteLatch<'a> {
    slot: RwLockWriteGuard<'a, Slot>,
    frame: &'a Frame,
}

impl WriteLatch<'_> {
    /// Says that the page is about to be changed by a record at `end` or later.
    pub(crate) fn touch(&self, end: Lsn) {
        let _ = self.frame.first_change.compare_exchange(
            0,
            end.to_bits(),
            Ordering::SeqCst,
            Ordering::SeqCst,
        );
    }
}

impl Deref for WriteLatch<'_> {
    type Target = Page;

    fn deref(&self) -> &Page {
        &self.slot.page
    }
}

impl DerefMut for WriteLatch<'_> {
    fn deref_mut(&mut self) -> &mut Page {
        &mut self.slot.page
    }
}

/// All pages of a database that are in memory.
pub(crate) struct BufferPool {
    files: Vec<Arc<CountedFile>>,
    shards: Vec<Mutex<HashMap<PageId, Arc<Frame>, foldhash::fast::RandomState>>>,
    capacity: usize,
    frames: AtomicUsize,
    hand: AtomicUsize,
    pub(crate) lazy_writes: AtomicU64,
    pub(crate) page_reads: AtomicU64,
}

impl BufferPool {
    /// A pool of so many bytes over these data files.
    pub(crate) fn new(files: Vec<Arc<CountedFile>>, bytes: u64) -> Self {
        let pages = usize::try_from(bytes / PAGE as u64).unwrap_or(usize::MAX);
        Self {
            files,
            shards: (0..SHARDS).map(|_| Mutex::default()).collect(),
            capacity: pages.max(SHARDS * 2),
            frames: AtomicUsize::new(0),
            hand: AtomicUsize::new(0),
            lazy_writes: AtomicU64::new(0),
            page_reads: AtomicU64::new(0),
        }
    }

    fn file(&self, id: PageId) -> Result<&CountedFile> {
        self.files
            .iter()
            .find(|f| f.file_id == id.file)
            .map(|f| &**f)
            .ok_or(StorageError::DamagedPage {
                file_id: id.file,
                page: id.page,
                reason: "there is no such file",
            })
    }

    fn shard(id: PageId) -> usize {
        // Neighbours go to different shards, so that one extent never crowds one of them.
        (id.page as usize).wrapping_add(usize::from(id.file) * 7) % SHARDS
    }

    /// The frame of a page; its content is read when it is latched.
    ///
    /// # Errors
    /// `Io` when room had to be made and a page could not be written.
    pub(crate) fn frame(&self, id: PageId, log: &Log) -> Result<Arc<Frame>> {
        let shard = Self::shard(id);
        if let Some(frame) = self.shards[shard].lock().get(&id) {
            frame.referenced.store(true, Ordering::Relaxed);
            return Ok(Arc::clone(frame));
        }
        if self.frames.load(Ordering::Relaxed) >= self.capacity {
            self.evict(log)?;
        }
        let mut map = self.shards[shard].lock();
        let frame = map.entry(id).or_insert_with(|| {
            self.frames.fetch_add(1, Ordering::Relaxed);
            Arc::new(Frame {
                id,
                slot: RwLock::new(Slot {
                    page: Page::zeroed(),
                    loaded: false,
                }),
                first_change: AtomicU64::new(0),
                referenced: AtomicBool::new(true),
            })
        });
        Ok(Arc::clone(frame))
    }

    fn load(&self, frame: &Frame, slot: &mut Slot, waits: &dyn WaitObserver) -> Result<()> {
        if slot.loaded {
            return Ok(());
        }
        let start = Instant::now();
        let file = self.file(frame.id)?;
        file.read_at(&mut slot.page.0[..], u64::from(frame.id.page) * PAGE as u64)?;
        waits.waited(WaitType::PageIoLatchSh, start.elapsed());
        self.page_reads.fetch_add(1, Ordering::Relaxed);
        if let Some(reason) = slot.page.fault(frame.id) {
            return Err(StorageError::DamagedPage {
                file_id: frame.id.file,
                page: frame.id.page,
                reason,
            });
        }
        slot.loaded = true;
        Ok(())
    }

    /// Latches a page to read it.
    ///
    /// # Errors
    /// `Io`, `DamagedPage`.
    pub(crate) fn read<'a>(
        &self,
        frame: &'a Frame,
        waits: &dyn WaitObserver,
    ) -> Result<ReadLatch<'a>> {
        loop {
            let slot = frame.slot.try_read().unwrap_or_else(|| {
                let start = Instant::now();
                let slot = frame.slot.read();
                waits.waited(WaitType::PageLatchSh, start.elapsed());
                slot
            });
            if slot.loaded {
                return Ok(ReadLatch(slot));
            }
            drop(slot);
            self.load(frame, &mut frame.slot.write(), waits)?;
        }
    }

    /// Latches a page to change it.
    ///
    /// # Errors
    /// `Io`, `DamagedPage`.
    pub(crate) fn write<'a>(
        &self,
        frame: &'a Frame,
        waits: &dyn WaitObserver,
    ) -> Result<WriteLatch<'a>> {
        let mut slot = frame.slot.try_write().unwrap_or_else(|| {
            let start = Instant::now();
            let slot = frame.slot.write();
            waits.waited(WaitType::PageLatchEx, start.elapsed());
            slot
        });
        self.load(frame, &mut slot, waits)?;
        Ok(WriteLatch { slot, frame })
    }

    /// Latches a page whose whole content is about to be made anew: it is not read.
    pub(crate) fn write_fresh(frame: &Frame) -> WriteLatch<'_> {
        let mut slot = frame.slot.write();
        slot.loaded = true;
        WriteLatch { slot, frame }
    }

    /// Makes room: writes and drops pages that nobody uses and that were not used lately.
    fn evict(&self, log: &Log) -> Result<()> {
        for _ in 0..SHARDS * 3 {
            let shard = self.hand.fetch_add(1, Ordering::Relaxed) % SHARDS;
            let victim = {
                let map = self.shards[shard].lock();
                map.values()
                    .find(|f| {
                        Arc::strong_count(f) == 1 && !f.referenced.swap(false, Ordering::Relaxed)
                    })
                    .map(Arc::clone)
            };
            let Some(victim) = victim else { continue };
            if self.write_back(&victim, log)? {
                self.lazy_writes.fetch_add(1, Ordering::Relaxed);
            }
            let mut map = self.shards[shard].lock();
            // The map's and ours: nobody else has come to it, and it is still clean.
            if Arc::strong_count(&victim) == 2 && victim.first_change.load(Ordering::SeqCst) == 0 {
                map.remove(&victim.id);
                self.frames.fetch_sub(1, Ordering::Relaxed);
                return Ok(());
            }
        }
        Ok(())
    }

    /// Writes a page if it is dirty; says whether it was.
    fn write_back(&self, frame: &Frame, log: &Log) -> Result<bool> {
        // The latch is held over the write: an older image must never follow a newer one.
        let slot = frame.slot.read();
        let first = frame.first_change.load(Ordering::SeqCst);
        if first == 0 {
            return Ok(false);
        }
        let mut bytes = slot.page.0.clone();
        log.flusher.check()?;
        log.harden(slot.page.lsn())?;
        Page::seal(&mut bytes[..]);
        self.file(frame.id)?
            .write_at(&bytes[..], u64::from(frame.id.page) * PAGE as u64)?;
        frame.first_change.store(0, Ordering::SeqCst);
        Ok(true)
    }

    /// All pages that are dirty now, in file order, with the log's end at their first change.
    pub(crate) fn dirty(&self) -> Vec<(Arc<Frame>, Lsn)> {
        let mut dirty = Vec::new();
        for shard in &self.shards {
            for frame in shard.lock().values() {
                let first = frame.first_change.load(Ordering::SeqCst);
                if first != 0 {
                    dirty.push((Arc::clone(frame), Lsn::from_bits(first)));
                }
            }
        }
        dirty.sort_by_key(|(frame, _)| frame.id);
        dirty
    }

    /// Writes these pages, neighbours in one call; returns how many.
    ///
    /// # Errors
    /// `Io`; pages not written stay dirty.
    pub(crate) fn write_all(&self, frames: &[(Arc<Frame>, Lsn)], log: &Log) -> Result<u64> {
        let mut written = 0;
        let mut rest = frames;
        while let Some((first, _)) = rest.first() {
            let mut run = 1;
            while run < GATHER
                && rest.get(run).is_some_and(|(next, _)| {
                    next.id.file == first.id.file
                        && next.id.page as usize == first.id.page as usize + run
                })
            {
                run += 1;
            }
            let (now, later) = rest.split_at(run);
            written += self.write_run(now, log)?;
            rest = later;
        }
        Ok(written)
    }

    fn write_run(&self, run: &[(Arc<Frame>, Lsn)], log: &Log) -> Result<u64> {
        let mut bytes = Vec::with_capacity(run.len() * PAGE);
        let mut newest = Lsn::ZERO;
        let mut cleaned = Vec::with_capacity(run.len());
        for (frame, _) in run {
            let slot = frame.slot.read();
            // Clean from this image on: a change after the latch goes makes it dirty again.
            cleaned.push(frame.first_change.swap(0, Ordering::SeqCst));
            newest = newest.max(slot.page.lsn());
            let at = bytes.len();
            bytes.extend_from_slice(&slot.page.0[..]);
            drop(slot);
            Page::seal(&mut bytes[at..]);
        }
        let Some((first, _)) = run.first() else {
            return Ok(0);
        };
        let done = log.harden(newest).and_then(|_| {
            self.file(first.id)?
                .write_at(&bytes, u64::from(first.id.page) * PAGE as u64)
        });
        if let Err(error) = done {
            for ((frame, _), first) in run.iter().zip(cleaned) {
                frame.first_change.fetch_min(first, Ordering::SeqCst);
                let _ = frame.first_change.compare_exchange(
                    0,
                    first,
                    Ordering::SeqCst,
                    Ordering::SeqCst,
                );
            }
            return Err(error);
        }
        Ok(run.len() as u64)
    }
}
