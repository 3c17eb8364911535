//! The only way to a database's files, so that tests can put another one in its place.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;
use std::sync::Arc;

/// Opens and removes files.
pub trait FileLayer: Send + Sync {
    /// Makes a file that must not exist yet, for reading and writing.
    ///
    /// # Errors
    /// The system's.
    fn create(&self, path: &Path) -> io::Result<Arc<dyn FileHandle>>;

    /// Opens a file that exists, for reading and writing.
    ///
    /// # Errors
    /// The system's.
    fn open(&self, path: &Path) -> io::Result<Arc<dyn FileHandle>>;

    /// Removes a file.
    ///
    /// # Errors
    /// The system's.
    fn remove(&self, path: &Path) -> io::Result<()>;

    /// Returns when the folder's list of files (creations and removals) is on disk.
    ///
    /// # Errors
    /// The system's.
    fn sync_folder(&self, folder: &Path) -> io::Result<()>;

    /// How many bytes files can still take, where that is less than the disk itself has.
    fn room(&self) -> Option<u64> {
        None
    }
}

/// An open file. Positions are explicit; several threads may use it at once.
pub trait FileHandle: Send + Sync {
    /// Reads exactly `buffer.len()` bytes.
    ///
    /// # Errors
    /// The system's; `UnexpectedEof` past the end.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()>;

    /// Writes all of `bytes`.
    ///
    /// # Errors
    /// The system's.
    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()>;

    /// Returns when everything written so far, and the file's size, is on disk.
    ///
    /// # Errors
    /// The system's.
    fn sync(&self) -> io::Result<()>;

    /// Sets the size; new bytes read as zero.
    ///
    /// # Errors
    /// The system's.
    fn set_size(&self, size: u64) -> io::Result<()>;

    /// The size in bytes.
    ///
    /// # Errors
    /// The system's.
    fn size(&self) -> io::Result<u64>;

    /// Bytes that the file occupies on disk.
    ///
    /// # Errors
    /// The system's.
    fn size_on_disk(&self) -> io::Result<u64>;
}

/// The operating system's files: `pread`, `pwrite`, `fdatasync`. A file is locked while it is
/// open, so that no second process (and no second handle) writes to it.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemFiles;

/// The operating system's files without locks: for tests that open what a killed process would
/// leave behind, while it still runs.
#[derive(Clone, Copy, Debug, Default)]
pub struct UnlockedFiles;

fn locked(file: File) -> io::Result<Arc<dyn FileHandle>> {
    match file.try_lock() {
        Ok(()) => Ok(Arc::new(SystemFile(file))),
        Err(TryLockError::Error(error)) => Err(error),
        Err(TryLockError::WouldBlock) => Err(io::Error::new(
            io::ErrorKind::ResourceBusy,
            "the file is in use by a running server",
        )),
    }
}

impl FileLayer for SystemFiles {
    fn create(&self, path: &Path) -> io::Result<Arc<dyn FileHandle>> {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create_new(true)
            .open(path)?;
        locked(file)
    }

    fn open(&self, path: &Path) -> io::Result<Arc<dyn FileHandle>> {
        locked(OpenOptions::new().read(true).write(true).open(path)?)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        std::fs::remove_file(path)
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        let here = Path::new(".");
        let folder = if folder.as_os_str().is_empty() {
            here
        } else {
            folder
        };
        File::open(folder)?.sync_all()
    }
}

impl FileLayer for UnlockedFiles {
    fn create(&self, path: &Path) -> io::Result<Arc<dyn FileHandle>> {
        SystemFiles.create(path).and_then(|_| self.open(path))
    }

    fn open(&self, path: &Path) -> io::Result<Arc<dyn FileHandle>> {
        let file = OpenOptions::new().read(true).write(true).open(path)?;
        Ok(Arc::new(SystemFile(file)))
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        SystemFiles.remove(path)
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        SystemFiles.sync_folder(folder)
    }
}

struct SystemFile(File);

impl Drop for SystemFile {
    fn drop(&mut self) {
        // Closing is not enough: the lock is the open file's, and a child process that is being
        // started has that open too, until it runs its own program.
        let _ = self.0.unlock();
    }
}

impl FileHandle for SystemFile {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        self.0.read_exact_at(buffer, offset)
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        self.0.write_all_at(bytes, offset)
    }

    fn sync(&self) -> io::Result<()> {
        self.0.sync_data()
    }

    fn set_size(&self, size: u64) -> io::Result<()> {
        self.0.set_len(size)
    }

    fn size(&self) -> io::Result<u64> {
        Ok(self.0.metadata()?.len())
    }

    fn size_on_disk(&self) -> io::Result<u64> {
        Ok(self.0.metadata()?.blocks() * 512)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_was_closed_can_be_opened_again_while_a_child_still_holds_a_copy_of_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.mdf");
        let file = File::create_new(&path).unwrap();
        // The same open file twice, as between fork and exec.
        let copy = file.try_clone().unwrap();
        let handle = locked(file).unwrap();
        let busy = SystemFiles.open(&path).map(drop).unwrap_err();
        assert_eq!(busy.kind(), io::ErrorKind::ResourceBusy);
        drop(handle);
        SystemFiles.open(&path).map(drop).unwrap();
        drop(copy);
    }
}
