//! A disk in memory that loses power at the n-th operation, and what is left on it then.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::Mutex;

use labdb_storage::{FileHandle, FileLayer};
use rand::Rng;
use rand::rngs::StdRng;

/// What happens to writes that were not synced when the power went.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fate {
    /// All are there: a process was killed, the system lived.
    Kept,
    /// None is.
    Lost,
    /// Each is there or not, whatever the order.
    Reordered,
    /// Each sector of a log or boot write, and each page of a data write, is there or not. (A
    /// data page that is half there is detected, not repaired, and so not part of this.)
    Torn,
}

#[derive(Clone, Default)]
struct SimFile {
    durable: Vec<u8>,
    now: Vec<u8>,
    pending: Vec<(usize, Vec<u8>)>,
}

#[derive(Clone, Default)]
struct State {
    files: HashMap<PathBuf, SimFile>,
    operations: u64,
    crash_at: Option<u64>,
}

#[derive(Clone, Default)]
pub(crate) struct SimDisk {
    state: Arc<Mutex<State>>,
}

impl SimDisk {
    /// A copy with the same files, without pending writes, that will lose power at operation `n`.
    pub(crate) fn copy(&self, crash_at: Option<u64>) -> Self {
        let mut state = self.state.lock().unwrap().clone();
        state.operations = 0;
        state.crash_at = crash_at;
        Self {
            state: Arc::new(Mutex::new(state)),
        }
    }

    /// The disk as it is found when the power is back.
    pub(crate) fn after_crash(&self, fate: Fate, random: &mut StdRng) -> Self {
        let old = self.state.lock().unwrap();
        let mut new = State::default();
        for (path, file) in &old.files {
            let mut bytes = file.durable.clone();
            bytes.resize(file.now.len(), 0);
            let log = path.extension().is_some_and(|e| e == "ldf");
            for (offset, write) in &file.pending {
                let boot = !log && *offset < 65_536;
                let unit = match fate {
                    Fate::Kept | Fate::Lost | Fate::Reordered => write.len(),
                    Fate::Torn if log || boot => 512,
                    Fate::Torn => 8192,
                };
                for (piece, at) in write.chunks(unit).zip((*offset..).step_by(unit)) {
                    let there = match fate {
                        Fate::Kept => true,
                        Fate::Lost => false,
                        Fate::Reordered | Fate::Torn => random.random(),
                    };
                    if there {
                        bytes[at..at + piece.len()].copy_from_slice(piece);
                    }
                }
            }
            new.files.insert(
                path.clone(),
                SimFile {
                    durable: bytes.clone(),
                    now: bytes,
                    pending: Vec::new(),
                },
            );
        }
        Self {
            state: Arc::new(Mutex::new(new)),
        }
    }

    pub(crate) fn operations(&self) -> u64 {
        self.state.lock().unwrap().operations
    }

    /// Changes bytes of a file behind the engine's back.
    pub(crate) fn damage(&self, path: &Path, change: impl FnOnce(&mut [u8])) {
        let mut state = self.state.lock().unwrap();
        let file = state.files.get_mut(path).unwrap();
        change(&mut file.durable);
        file.now = file.durable.clone();
    }

    fn operate<T>(
        &self,
        path: &Path,
        work: impl FnOnce(&mut SimFile) -> io::Result<T>,
    ) -> io::Result<T> {
        let mut state = self.state.lock().unwrap();
        if state.crash_at.is_some_and(|n| state.operations >= n) {
            return Err(io::Error::other("the power is off"));
        }
        state.operations += 1;
        work(state.files.get_mut(path).unwrap())
    }
}

impl FileLayer for SimDisk {
    fn create(&self, path: &Path) -> io::Result<Arc<dyn FileHandle>> {
        let mut state = self.state.lock().unwrap();
        if state.files.contains_key(path) {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        state.files.insert(path.to_owned(), SimFile::default());
        drop(state);
        self.open(path)
    }

    fn open(&self, path: &Path) -> io::Result<Arc<dyn FileHandle>> {
        if !self.state.lock().unwrap().files.contains_key(path) {
            return Err(io::ErrorKind::NotFound.into());
        }
        Ok(Arc::new(SimHandle {
            disk: self.clone(),
            path: path.to_owned(),
        }))
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.state.lock().unwrap().files.remove(path);
        Ok(())
    }

    fn sync_folder(&self, _: &Path) -> io::Result<()> {
        Ok(())
    }
}

struct SimHandle {
    disk: SimDisk,
    path: PathBuf,
}

impl FileHandle for SimHandle {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        let state = self.disk.state.lock().unwrap();
        let offset = usize::try_from(offset).unwrap();
        match state.files[&self.path]
            .now
            .get(offset..offset + buffer.len())
        {
            Some(bytes) => buffer.copy_from_slice(bytes),
            None => return Err(io::ErrorKind::UnexpectedEof.into()),
        }
        Ok(())
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        let offset = usize::try_from(offset).unwrap();
        self.disk.operate(&self.path, |file| {
            let end = offset + bytes.len();
            if file.now.len() < end {
                file.now.resize(end, 0);
            }
            file.now[offset..end].copy_from_slice(bytes);
            file.pending.push((offset, bytes.to_vec()));
            Ok(())
        })
    }

    fn sync(&self) -> io::Result<()> {
        self.disk.operate(&self.path, |file| {
            file.durable.resize(file.now.len(), 0);
            for (offset, bytes) in file.pending.drain(..) {
                file.durable[offset..offset + bytes.len()].copy_from_slice(&bytes);
            }
            Ok(())
        })
    }

    fn set_size(&self, size: u64) -> io::Result<()> {
        self.disk.operate(&self.path, |file| {
            file.now.resize(usize::try_from(size).unwrap(), 0);
            Ok(())
        })
    }

    fn size(&self) -> io::Result<u64> {
        Ok(self.disk.state.lock().unwrap().files[&self.path].now.len() as u64)
    }

    fn size_on_disk(&self) -> io::Result<u64> {
        self.size()
    }
}
