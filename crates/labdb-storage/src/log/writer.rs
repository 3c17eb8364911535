//! Appending records: the current block, the VLF it lies in, and how much space is left.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use parking_lot::Mutex;

use crate::counted_file::CountedFile;
use crate::error::{Result, StorageError};
use crate::id::TransactionId;
use crate::log::block::{BLOCK_HEADER, BlockHeader, MAX_BLOCK, SECTOR};
use crate::log::flush::Flusher;
use crate::log::lsn::Lsn;
use crate::log::record::Record;
use crate::log::reuse::LogReuseWait;
use crate::log::vlf::Vlf;

/// Blocks that may wait for a flush before writers must wait (LOGBUFFER): 32 of 60 KB.
pub(crate) const BUFFER_BYTES: usize = 32 * MAX_BLOCK;
/// The sequence number of a new log's first VLF.
pub(crate) const FIRST_SEQUENCE: u32 = 32;

/// Which space a record may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Space {
    /// What is not set aside. `undo` bytes are set aside with it, for taking the change back.
    Normal {
        /// Bytes that the compensation will need.
        undo: u64,
    },
    /// Also what was set aside: compensations, ends of transactions, checkpoints.
    Reserved,
}

/// A write that waits for the flush.
pub(crate) struct PendingWrite {
    pub(crate) file: usize,
    pub(crate) offset: u64,
    pub(crate) bytes: Vec<u8>,
    /// The header of a block, to be sealed; `None` for a VLF's header.
    pub(crate) block: Option<BlockHeader>,
}

/// What a flush has to write, and up to where the log is durable after it.
pub(crate) struct Batch {
    pub(crate) writes: VecDeque<PendingWrite>,
    pub(crate) end: Lsn,
}

/// The log's growing end.
pub(crate) struct Append {
    pub(crate) vlfs: Vec<Vlf>,
    pub(crate) current: usize,
    block: Vec<u8>,
    sector: u32,
    records: u16,
    previous: Lsn,
    epoch: u32,
    pending: VecDeque<PendingWrite>,
    spare: Vec<Vec<u8>>,
    /// VLFs below this sequence number can be reused.
    pub(crate) needed: u32,
    free_vlf_bytes: u64,
    pub(crate) reuse_wait: LogReuseWait,
    /// Bytes of blocks sealed since the database was opened.
    pub(crate) sealed_total: u64,
    fixed_reserve: u64,
}

/// Where the log ends when it is opened.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LogEnd {
    /// The VLF, by its place among the VLFs.
    pub(crate) vlf: usize,
    /// The first free sector in it.
    pub(crate) sector: u32,
    /// The last block.
    pub(crate) previous: Lsn,
    /// How often the database was opened, this time included.
    pub(crate) epoch: u32,
    /// The oldest VLF that is needed.
    pub(crate) needed: u32,
}

/// Counters of the log.
#[derive(Default)]
pub(crate) struct LogCounters {
    pub(crate) flushes: AtomicU64,
    pub(crate) bytes_flushed: AtomicU64,
    pub(crate) flush_waits: AtomicU64,
    pub(crate) flush_wait_ns: AtomicU64,
    pub(crate) flush_write_ns: AtomicU64,
    pub(crate) syncs: AtomicU64,
    pub(crate) growths: AtomicU64,
    pub(crate) growth_bytes: AtomicU64,
    pub(crate) truncations: AtomicU64,
    pub(crate) records: AtomicU64,
    pub(crate) record_bytes: AtomicU64,
}

/// The log of an open database.
pub(crate) struct Log {
    pub(crate) files: Vec<Arc<CountedFile>>,
    pub(crate) append: Mutex<Append>,
    pub(crate) flusher: Flusher,
    pub(crate) counters: LogCounters,
    end: AtomicU64,
    reserved: AtomicU64,
    pub(crate) pending_bytes: AtomicUsize,
}

impl Log {
    pub(crate) fn new(
        files: Vec<Arc<CountedFile>>,
        vlfs: Vec<Vlf>,
        end: LogEnd,
        flusher: Flusher,
    ) -> Self {
        let total: u64 = vlfs.iter().map(|v| v.size).sum();
        let mut append = Append {
            vlfs,
            current: end.vlf,
            block: Vec::new(),
            sector: end.sector,
            records: 0,
            previous: end.previous,
            epoch: end.epoch,
            pending: VecDeque::new(),
            spare: Vec::new(),
            needed: end.needed,
            free_vlf_bytes: 0,
            reuse_wait: LogReuseWait::Nothing,
            sealed_total: 0,
            fixed_reserve: (total / 16).min(256 << 10),
        };
        append.start_block();
        append.count_free();
        let next = append.next_lsn();
        flusher.start_at(append.block_lsn());
        Self {
            files,
            append: Mutex::new(append),
            flusher,
            counters: LogCounters::default(),
            end: AtomicU64::new(next.to_bits()),
            reserved: AtomicU64::new(0),
            pending_bytes: AtomicUsize::new(0),
        }
    }

    /// The LSN that the next record gets at the earliest.
    pub(crate) fn end(&self) -> Lsn {
        Lsn::from_bits(self.end.load(Ordering::SeqCst))
    }

    /// Gives back bytes that were set aside.
    pub(crate) fn release(&self, bytes: u64) {
        self.reserved.fetch_sub(bytes, Ordering::SeqCst);
    }

    /// Appends a record to the log in memory.
    ///
    /// # Errors
    /// `LogFull`: nothing was appended. `Unavailable` after a failed log write.
    pub(crate) fn append(
        &self,
        transaction: TransactionId,
        record: &Record<'_>,
        space: Space,
    ) -> Result<Lsn> {
        self.flusher.check()?;
        let length = record.length();
        let mut append = self.append.lock();
        if let Space::Normal { undo } = space {
            let reserved = self.reserved.load(Ordering::SeqCst) + undo;
            let keep = reserved + reserved / 8 + append.fixed_reserve;
            if append.free() < keep + (length + SECTOR) as u64 {
                return Err(append.full());
            }
            self.reserved.fetch_add(undo, Ordering::SeqCst);
        }
        let sealed_before = append.pending.len();
        if let Err(full) = append.make_room(length) {
            drop(append);
            if let Space::Normal { undo } = space {
                self.release(undo);
            }
            return Err(full);
        }
        let lsn = append.next_lsn();
        record.encode(transaction, &mut append.block);
        append.records += 1;
        self.end
            .store(append.next_lsn().to_bits(), Ordering::SeqCst);
        let sealed = append.pending.len() > sealed_before;
        if sealed {
            let bytes = append.pending.iter().map(|w| w.bytes.len()).sum();
            self.pending_bytes.store(bytes, Ordering::Relaxed);
        }
        drop(append);
        self.counters.records.fetch_add(1, Ordering::Relaxed);
        self.counters
            .record_bytes
            .fetch_add(length as u64, Ordering::Relaxed);
        if sealed {
            self.flusher.block_is_full();
        }
        Ok(lsn)
    }

    /// Takes everything that is not written yet, the current block included.
    pub(crate) fn take_batch(&self) -> Batch {
        let mut append = self.append.lock();
        append.seal_block();
        self.pending_bytes.store(0, Ordering::Relaxed);
        self.end
            .store(append.next_lsn().to_bits(), Ordering::SeqCst);
        Batch {
            end: append.block_lsn(),
            writes: std::mem::take(&mut append.pending),
        }
    }

    /// Gives buffers back for new blocks.
    pub(crate) fn recycle(&self, batch: Batch) {
        let mut append = self.append.lock();
        for write in batch.writes {
            if append.spare.len() < 64 {
                append.spare.push(write.bytes);
            }
        }
    }

    /// VLFs below `needed` can be reused from now on; says whether any became free.
    pub(crate) fn truncate(&self, needed: u32, wait: LogReuseWait) -> bool {
        let mut append = self.append.lock();
        append.reuse_wait = wait;
        let old = append.needed;
        append.needed = old.max(needed);
        append.count_free();
        append
            .vlfs
            .iter()
            .any(|v| v.sequence >= old && v.sequence < append.needed)
    }

    /// Adds VLFs after a file has grown.
    pub(crate) fn add_vlfs(&self, vlfs: impl IntoIterator<Item = Vlf>) {
        let mut append = self.append.lock();
        let at = append.next_lsn();
        append.vlfs.extend(vlfs.into_iter().map(|vlf| Vlf {
            create_lsn: at,
            ..vlf
        }));
        append.count_free();
    }
}

impl Append {
    fn vlf(&self) -> &Vlf {
        &self.vlfs[self.current]
    }

    /// The current block's LSN, slot 0: all records before it are in sealed blocks.
    pub(crate) fn block_lsn(&self) -> Lsn {
        Lsn::new(self.vlf().sequence, self.sector, 0)
    }

    pub(crate) fn next_lsn(&self) -> Lsn {
        Lsn::new(self.vlf().sequence, self.sector, self.records + 1)
    }

    /// Bytes that can still be appended without reusing what is needed.
    pub(crate) fn free(&self) -> u64 {
        let here = u64::from(self.vlf().sectors().saturating_sub(self.sector)) * SECTOR as u64;
        self.free_vlf_bytes + here.saturating_sub(self.block.len() as u64)
    }

    fn is_free(&self, index: usize) -> bool {
        index != self.current
            && self
                .vlfs
                .get(index)
                .is_some_and(|v| v.sequence < self.needed)
    }

    fn count_free(&mut self) {
        self.free_vlf_bytes = (0..self.vlfs.len())
            .filter(|&index| self.is_free(index))
            .map(|index| self.vlfs[index].capacity())
            .sum();
    }

    fn full(&self) -> StorageError {
        StorageError::LogFull {
            reuse_wait: self.reuse_wait,
        }
    }

    /// The most bytes that the current block may have.
    fn block_limit(&self) -> usize {
        let left = self.vlf().sectors().saturating_sub(self.sector) as usize * SECTOR;
        left.min(MAX_BLOCK)
    }

    fn start_block(&mut self) {
        let mut block = self.spare.pop().unwrap_or_default();
        block.clear();
        block.resize(BLOCK_HEADER, 0);
        self.block = block;
        self.records = 0;
    }

    fn make_room(&mut self, length: usize) -> Result<()> {
        if self.block.len() + length > self.block_limit() {
            self.seal_block();
            if self.block.len() + length > self.block_limit() {
                self.next_vlf()?;
            }
        }
        Ok(())
    }

    /// Closes the current block, if it has records, and starts the next one after it.
    fn seal_block(&mut self) {
        if self.records == 0 {
            return;
        }
        let header = BlockHeader {
            lsn: self.block_lsn(),
            previous: self.previous,
            epoch: self.epoch,
            used: u16::try_from(self.block.len()).unwrap_or(u16::MAX),
            records: self.records,
            hardened: Lsn::ZERO,
        };
        let vlf = *self.vlf();
        let length = header.length();
        let mut bytes = std::mem::take(&mut self.block);
        bytes.resize(length, 0);
        self.pending.push_back(PendingWrite {
            file: vlf.file,
            offset: vlf.offset + u64::from(self.sector) * SECTOR as u64,
            bytes,
            block: Some(header),
        });
        self.sealed_total += length as u64;
        self.previous = header.lsn;
        self.sector += u32::try_from(length / SECTOR).unwrap_or(0);
        self.start_block();
    }

    /// Moves to the next free VLF in the order of the files, starting again at the first.
    fn next_vlf(&mut self) -> Result<()> {
        let count = self.vlfs.len();
        let free = (1..count)
            .map(|step| (self.current + step) % count)
            .find(|&index| self.is_free(index))
            .ok_or_else(|| self.full())?;
        let sequence = self.vlf().sequence + 1;
        let vlf = &mut self.vlfs[free];
        vlf.reuse(sequence);
        let write = PendingWrite {
            file: vlf.file,
            offset: vlf.offset,
            bytes: vlf.encode(),
            block: None,
        };
        self.free_vlf_bytes -= vlf.capacity();
        self.pending.push_back(write);
        self.current = free;
        self.sector = Vlf::FIRST_SECTOR;
        Ok(())
    }
}
