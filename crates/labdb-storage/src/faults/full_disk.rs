//! A disk that is full at so many bytes.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;

use crate::file_layer::{FileHandle, FileLayer};

/// A disk on which all counted files together have at most so many bytes: what would make a file
/// longer than that fails with "no space left on device". Files that are removed give their bytes
/// back.
pub struct FullDisk {
    inner: Arc<dyn FileLayer>,
    capacity: u64,
    spared: Vec<PathBuf>,
    sizes: Arc<Mutex<BTreeMap<PathBuf, u64>>>,
}

impl FullDisk {
    /// `capacity` in bytes.
    #[must_use]
    pub fn new(inner: Arc<dyn FileLayer>, capacity: u64) -> Self {
        Self {
            inner,
            capacity,
            spared: Vec::new(),
            sizes: Arc::default(),
        }
    }

    /// Does not count these files, nor fail their writes.
    #[must_use]
    pub fn sparing(mut self, files: impl IntoIterator<Item = PathBuf>) -> Self {
        self.spared.extend(files);
        self
    }

    fn wrap(&self, path: &Path, inner: Arc<dyn FileHandle>) -> io::Result<Arc<dyn FileHandle>> {
        if self.spared.iter().any(|spared| spared == path) {
            return Ok(inner);
        }
        self.sizes.lock().insert(path.to_owned(), inner.size()?);
        Ok(Arc::new(FullDiskFile {
            inner,
            path: path.to_owned(),
            capacity: self.capacity,
            sizes: Arc::clone(&self.sizes),
        }))
    }
}

impl FileLayer for FullDisk {
    fn create(&self, path: &Path) -> io::Result<Arc<dyn FileHandle>> {
        self.wrap(path, self.inner.create(path)?)
    }

    fn open(&self, path: &Path) -> io::Result<Arc<dyn FileHandle>> {
        self.wrap(path, self.inner.open(path)?)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.inner.remove(path)?;
        self.sizes.lock().remove(path);
        Ok(())
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        self.inner.sync_folder(folder)
    }

    fn room(&self) -> Option<u64> {
        let used = self.sizes.lock().values().sum();
        Some(self.capacity.saturating_sub(used))
    }
}

struct FullDiskFile {
    inner: Arc<dyn FileHandle>,
    path: PathBuf,
    capacity: u64,
    sizes: Arc<Mutex<BTreeMap<PathBuf, u64>>>,
}

impl FullDiskFile {
    /// Takes the room that the file needs to reach `end`.
    fn reach(&self, end: u64) -> io::Result<()> {
        let mut sizes = self.sizes.lock();
        let size = sizes.get(&self.path).copied().unwrap_or(0);
        if end <= size {
            return Ok(());
        }
        let used: u64 = sizes.values().sum();
        if used.saturating_add(end - size) > self.capacity {
            return Err(io::ErrorKind::StorageFull.into());
        }
        sizes.insert(self.path.clone(), end);
        Ok(())
    }
}

impl FileHandle for FullDiskFile {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        self.inner.read_at(buffer, offset)
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        self.reach(offset.saturating_add(bytes.len() as u64))?;
        self.inner.write_at(bytes, offset)
    }

    fn sync(&self) -> io::Result<()> {
        self.inner.sync()
    }

    fn set_size(&self, size: u64) -> io::Result<()> {
        self.reach(size)?;
        self.inner.set_size(size)?;
        if let Some(counted) = self.sizes.lock().get_mut(&self.path) {
            *counted = size;
        }
        Ok(())
    }

    fn size(&self) -> io::Result<u64> {
        self.inner.size()
    }

    fn size_on_disk(&self) -> io::Result<u64> {
        self.inner.size_on_disk()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file_layer::UnlockedFiles;

    #[test]
    fn removed_files_give_their_room_back_and_spared_files_take_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let disk = FullDisk::new(Arc::new(UnlockedFiles), 1000).sparing([path("system database")]);
        let spared = disk.create(&path("system database")).unwrap();
        spared.write_at(&[1; 5000], 0).unwrap();
        let a = disk.create(&path("a")).unwrap();
        a.write_at(&[1; 600], 0).unwrap();
        // Within its size a file is written as ever.
        a.write_at(&[2; 600], 0).unwrap();
        let b = disk.create(&path("b")).unwrap();
        b.write_at(&[1; 400], 0).unwrap();
        let full = b.write_at(&[1; 1], 400).unwrap_err();
        assert_eq!(full.kind(), io::ErrorKind::StorageFull);
        assert_eq!(b.size().unwrap(), 400);
        assert_eq!(disk.room(), Some(0));
        disk.remove(&path("a")).unwrap();
        assert_eq!(disk.room(), Some(600));
        b.set_size(1000).unwrap();
        assert!(b.set_size(1001).is_err());
        b.set_size(10).unwrap();
        b.write_at(&[1; 990], 10).unwrap();
    }

    #[test]
    fn files_that_were_there_before_count() {
        let folder = tempfile::tempdir().unwrap();
        let old = folder.path().join("old");
        std::fs::write(&old, [0; 700]).unwrap();
        let disk = FullDisk::new(Arc::new(UnlockedFiles), 1000);
        let file = disk.open(&old).unwrap();
        file.write_at(&[1; 300], 700).unwrap();
        assert!(file.write_at(&[1], 1000).is_err());
        // Opened twice, it is one file.
        disk.open(&old).unwrap();
        assert!(
            disk.create(&folder.path().join("new"))
                .unwrap()
                .write_at(&[1], 0)
                .is_err()
        );
    }
}
