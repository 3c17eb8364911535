//! Files in memory, small enough to be copied for every input.

use labdb_storage::{FileHandle, FileLayer};
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

type Bytes = Arc<Mutex<Vec<u8>>>;

/// The most bytes a file may have: more is a disk that is full.
const LARGEST: u64 = 64 << 20;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Files by path.
#[derive(Clone, Default)]
pub struct MemoryFiles {
    files: Arc<Mutex<HashMap<PathBuf, Bytes>>>,
}

impl MemoryFiles {
    /// The same files, on their own.
    #[must_use]
    pub fn copy(&self) -> Self {
        let copied = lock(&self.files)
            .iter()
            .map(|(path, bytes)| (path.clone(), Arc::new(Mutex::new(lock(bytes).clone()))))
            .collect();
        Self {
            files: Arc::new(Mutex::new(copied)),
        }
    }

    /// Changes a file behind the engine's back.
    pub fn change(&self, path: &Path, change: impl FnOnce(&mut [u8])) {
        if let Some(bytes) = lock(&self.files).get(path) {
            change(&mut lock(bytes));
        }
    }
}

impl FileLayer for MemoryFiles {
    fn create(&self, path: &Path) -> io::Result<Arc<dyn FileHandle>> {
        let mut files = lock(&self.files);
        if files.contains_key(path) {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        let bytes = Bytes::default();
        files.insert(path.to_owned(), Arc::clone(&bytes));
        Ok(Arc::new(MemoryFile(bytes)))
    }

    fn open(&self, path: &Path) -> io::Result<Arc<dyn FileHandle>> {
        let bytes = lock(&self.files).get(path).cloned();
        let bytes = bytes.ok_or(io::ErrorKind::NotFound)?;
        Ok(Arc::new(MemoryFile(bytes)))
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        lock(&self.files).remove(path);
        Ok(())
    }

    fn sync_folder(&self, _: &Path) -> io::Result<()> {
        Ok(())
    }
}

struct MemoryFile(Bytes);

impl MemoryFile {
    fn grown(&self, end: u64) -> io::Result<MutexGuard<'_, Vec<u8>>> {
        if end > LARGEST {
            return Err(io::ErrorKind::StorageFull.into());
        }
        let mut bytes = lock(&self.0);
        let end = usize::try_from(end).unwrap_or(usize::MAX);
        if bytes.len() < end {
            bytes.resize(end, 0);
        }
        Ok(bytes)
    }
}

impl FileHandle for MemoryFile {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        let bytes = lock(&self.0);
        let from = usize::try_from(offset).unwrap_or(usize::MAX);
        let there = from
            .checked_add(buffer.len())
            .and_then(|end| bytes.get(from..end));
        buffer.copy_from_slice(there.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        let end = offset.saturating_add(bytes.len() as u64);
        let mut file = self.grown(end)?;
        let from = usize::try_from(offset).unwrap_or(usize::MAX);
        file[from..from + bytes.len()].copy_from_slice(bytes);
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        Ok(())
    }

    fn set_size(&self, size: u64) -> io::Result<()> {
        let mut bytes = self.grown(size)?;
        bytes.truncate(usize::try_from(size).unwrap_or(usize::MAX));
        Ok(())
    }

    fn size(&self) -> io::Result<u64> {
        Ok(lock(&self.0).len() as u64)
    }

    fn size_on_disk(&self) -> io::Result<u64> {
        self.size()
    }
}
