//! The only way to a database's files, so that tests can put another one in its place.

use std::io;
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
    fn set_len(&self, size: u64) -> io::Result<()>;

    /// The size in bytes.
    ///
    /// # Errors
    /// The system's.
    fn len(&self) -> io::Result<u64>;

    /// Bytes that the file occupies on disk.
    ///
    /// # Errors
    /// The system's.
    fn size_on_disk(&self) -> io::Result<u64>;
}

/// The operating system's files: `pwrite`, `pread`, `fdatasync`.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemFiles;

impl FileLayer for SystemFiles {
    fn create(&self, _path: &Path) -> io::Result<Arc<dyn FileHandle>> {
        unimplemented!()
    }

    fn open(&self, _path: &Path) -> io::Result<Arc<dyn FileHandle>> {
        unimplemented!()
    }

    fn remove(&self, _path: &Path) -> io::Result<()> {
        unimplemented!()
    }
}
