//! Faults on purpose, so that instruments can be held against a known truth.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

use crate::file_layer::{FileHandle, FileLayer};

/// A delay that every log flush takes besides what the disk takes.
#[derive(Clone, Debug)]
pub struct FlushDelay(Arc<DelayKind>);

#[derive(Debug)]
enum DelayKind {
    Fixed(Duration),
    Uniform {
        least: Duration,
        most: Duration,
        random: Box<Mutex<StdRng>>,
    },
}

impl FlushDelay {
    /// Always the same.
    #[must_use]
    pub fn fixed(delay: Duration) -> Self {
        Self(Arc::new(DelayKind::Fixed(delay)))
    }

    /// Drawn evenly from `least` to `most` (inclusive) by a generator with this seed.
    #[must_use]
    pub fn uniform(least: Duration, most: Duration, seed: u64) -> Self {
        Self(Arc::new(DelayKind::Uniform {
            least: least.min(most),
            most: most.max(least),
            random: Box::new(Mutex::new(StdRng::seed_from_u64(seed))),
        }))
    }

    fn next(&self) -> Duration {
        match &*self.0 {
            DelayKind::Fixed(delay) => *delay,
            DelayKind::Uniform {
                least,
                most,
                random,
            } => random.lock().random_range(*least..=*most),
        }
    }

    pub(crate) fn sleep(&self) {
        std::thread::sleep(self.next());
    }
}

/// A disk that is full after so many bytes: writes beyond files' sizes at that point, and growth,
/// fail with "no space left on device".
pub struct FullDisk {
    inner: Arc<dyn FileLayer>,
    left: Arc<AtomicU64>,
}

impl FullDisk {
    /// `capacity` is what files may grow by in all, in bytes, counted from now on.
    #[must_use]
    pub fn new(inner: Arc<dyn FileLayer>, capacity: u64) -> Self {
        Self {
            inner,
            left: Arc::new(AtomicU64::new(capacity)),
        }
    }

    fn wrap(&self, file: Arc<dyn FileHandle>) -> io::Result<Arc<dyn FileHandle>> {
        let size = AtomicU64::new(file.size()?);
        Ok(Arc::new(FullDiskFile {
            inner: file,
            size,
            left: Arc::clone(&self.left),
        }))
    }
}

impl FileLayer for FullDisk {
    fn create(&self, path: &Path) -> io::Result<Arc<dyn FileHandle>> {
        self.wrap(self.inner.create(path)?)
    }

    fn open(&self, path: &Path) -> io::Result<Arc<dyn FileHandle>> {
        self.wrap(self.inner.open(path)?)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.inner.remove(path)
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        self.inner.sync_folder(folder)
    }
}

struct FullDiskFile {
    inner: Arc<dyn FileHandle>,
    size: AtomicU64,
    left: Arc<AtomicU64>,
}

impl FullDiskFile {
    fn reach(&self, end: u64) -> io::Result<()> {
        let size = self.size.fetch_max(end, Ordering::SeqCst);
        let more = end.saturating_sub(size);
        self.left
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| {
                left.checked_sub(more)
            })
            .map(drop)
            .map_err(|_| {
                self.size.store(size, Ordering::SeqCst);
                io::Error::from(io::ErrorKind::StorageFull)
            })
    }
}

impl FileHandle for FullDiskFile {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        self.inner.read_at(buffer, offset)
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        self.reach(offset + bytes.len() as u64)?;
        self.inner.write_at(bytes, offset)
    }

    fn sync(&self) -> io::Result<()> {
        self.inner.sync()
    }

    fn set_size(&self, size: u64) -> io::Result<()> {
        self.reach(size)?;
        self.inner.set_size(size)
    }

    fn size(&self) -> io::Result<u64> {
        self.inner.size()
    }

    fn size_on_disk(&self) -> io::Result<u64> {
        self.inner.size_on_disk()
    }
}
