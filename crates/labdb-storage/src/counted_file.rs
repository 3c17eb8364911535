//! A database file whose every I/O is counted where it happens.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

use crate::error::{Result, StorageError};
use crate::file_layer::FileHandle;
use crate::views::IoStats;

const ZEROES: usize = 1 << 20;

/// An open file with its counters.
pub(crate) struct CountedFile {
    pub(crate) file_id: u16,
    path: PathBuf,
    handle: Arc<dyn FileHandle>,
    reads: AtomicU64,
    bytes_read: AtomicU64,
    read_stall_ns: AtomicU64,
    writes: AtomicU64,
    bytes_written: AtomicU64,
    write_stall_ns: AtomicU64,
    syncs: AtomicU64,
    bytes_zeroed: AtomicU64,
    zeroing_ns: AtomicU64,
}

fn nanos(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

impl CountedFile {
    pub(crate) fn new(file_id: u16, path: &Path, handle: Arc<dyn FileHandle>) -> Self {
        Self {
            file_id,
            path: path.to_owned(),
            handle,
            reads: AtomicU64::new(0),
            bytes_read: AtomicU64::new(0),
            read_stall_ns: AtomicU64::new(0),
            writes: AtomicU64::new(0),
            bytes_written: AtomicU64::new(0),
            write_stall_ns: AtomicU64::new(0),
            syncs: AtomicU64::new(0),
            bytes_zeroed: AtomicU64::new(0),
            zeroing_ns: AtomicU64::new(0),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<()> {
        let start = Instant::now();
        let done = self.handle.read_at(buffer, offset);
        self.read_stall_ns.fetch_add(nanos(start), Relaxed);
        self.reads.fetch_add(1, Relaxed);
        self.bytes_read.fetch_add(buffer.len() as u64, Relaxed);
        done.map_err(|e| StorageError::io("cannot read", &self.path, e))
    }

    pub(crate) fn write_at(&self, bytes: &[u8], offset: u64) -> Result<()> {
        let start = Instant::now();
        let done = self.handle.write_at(bytes, offset);
        self.write_stall_ns.fetch_add(nanos(start), Relaxed);
        self.writes.fetch_add(1, Relaxed);
        self.bytes_written.fetch_add(bytes.len() as u64, Relaxed);
        done.map_err(|e| StorageError::io("cannot write", &self.path, e))
    }

    pub(crate) fn sync(&self) -> Result<()> {
        self.sync_after(|| {})
    }

    /// The same; what `before` takes counts as the flush's time.
    pub(crate) fn sync_after(&self, before: impl FnOnce()) -> Result<()> {
        let start = Instant::now();
        before();
        let done = self.handle.sync();
        self.write_stall_ns.fetch_add(nanos(start), Relaxed);
        self.syncs.fetch_add(1, Relaxed);
        done.map_err(|e| StorageError::io("cannot flush", &self.path, e))
    }

    /// Writes zeroes from `offset` on, in large pieces, and syncs.
    pub(crate) fn zero(&self, offset: u64, length: u64) -> Result<()> {
        let start = Instant::now();
        let zeroes = vec![0_u8; ZEROES];
        let mut done = 0;
        while done < length {
            let piece = usize::try_from(length - done).unwrap_or(ZEROES).min(ZEROES);
            self.handle
                .write_at(&zeroes[..piece], offset + done)
                .map_err(|e| StorageError::io("cannot zero", &self.path, e))?;
            self.bytes_zeroed.fetch_add(piece as u64, Relaxed);
            done += piece as u64;
        }
        self.handle
            .sync()
            .map_err(|e| StorageError::io("cannot flush", &self.path, e))?;
        self.zeroing_ns.fetch_add(nanos(start), Relaxed);
        Ok(())
    }

    /// Sets the size without writing.
    pub(crate) fn extend(&self, size: u64) -> Result<()> {
        self.handle
            .set_size(size)
            .and_then(|()| self.handle.sync())
            .map_err(|e| StorageError::io("cannot grow", &self.path, e))
    }

    pub(crate) fn size_on_disk(&self) -> u64 {
        self.handle.size_on_disk().unwrap_or(0)
    }

    pub(crate) fn stats(&self) -> IoStats {
        IoStats {
            reads: self.reads.load(Relaxed),
            bytes_read: self.bytes_read.load(Relaxed),
            read_stall_ns: self.read_stall_ns.load(Relaxed),
            writes: self.writes.load(Relaxed),
            bytes_written: self.bytes_written.load(Relaxed),
            write_stall_ns: self.write_stall_ns.load(Relaxed),
            syncs: self.syncs.load(Relaxed),
            bytes_zeroed: self.bytes_zeroed.load(Relaxed),
            zeroing_ns: self.zeroing_ns.load(Relaxed),
        }
    }
}
