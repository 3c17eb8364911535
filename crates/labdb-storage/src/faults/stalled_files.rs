//! Files whose every read, write and flush stands still during stalls.

use std::io;
use std::path::Path;
use std::sync::Arc;

use super::stall::Stall;
use crate::file_layer::{FileHandle, FileLayer};

/// A file layer that stalls.
pub struct StalledFiles {
    inner: Arc<dyn FileLayer>,
    stalls: Arc<[Stall]>,
}

impl StalledFiles {
    /// The files of `inner`, with stalls.
    #[must_use]
    pub fn new(inner: Arc<dyn FileLayer>, stalls: Vec<Stall>) -> Self {
        Self {
            inner,
            stalls: stalls.into(),
        }
    }

    fn wrap(&self, inner: Arc<dyn FileHandle>) -> Arc<dyn FileHandle> {
        Arc::new(StalledFile {
            inner,
            stalls: Arc::clone(&self.stalls),
        })
    }
}

impl FileLayer for StalledFiles {
    fn create(&self, path: &Path) -> io::Result<Arc<dyn FileHandle>> {
        Ok(self.wrap(self.inner.create(path)?))
    }

    fn open(&self, path: &Path) -> io::Result<Arc<dyn FileHandle>> {
        Ok(self.wrap(self.inner.open(path)?))
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.inner.remove(path)
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        self.inner.sync_folder(folder)
    }

    fn room(&self) -> Option<u64> {
        self.inner.room()
    }
}

struct StalledFile {
    inner: Arc<dyn FileHandle>,
    stalls: Arc<[Stall]>,
}

impl StalledFile {
    fn wait(&self) {
        for stall in self.stalls.iter() {
            stall.wait();
        }
    }
}

impl FileHandle for StalledFile {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        self.wait();
        self.inner.read_at(buffer, offset)
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        self.wait();
        self.inner.write_at(bytes, offset)
    }

    fn sync(&self) -> io::Result<()> {
        self.wait();
        self.inner.sync()
    }

    fn set_size(&self, size: u64) -> io::Result<()> {
        self.wait();
        self.inner.set_size(size)
    }

    fn size(&self) -> io::Result<u64> {
        self.inner.size()
    }

    fn size_on_disk(&self) -> io::Result<u64> {
        self.inner.size_on_disk()
    }
}
