//! A disk in memory that loses power or fails in another way at the n-th operation, and what is
//! left on it then.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

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

/// What goes wrong at an operation: a write, a sync or a change of size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It fails, once. After a failed sync the system shows what was written, takes it for
    /// written, and never writes it (as Linux does).
    Fails,
    /// A write stops half-way (of data pages, between two: see [`Fate::Torn`]) and fails, once;
    /// others as `Fails`.
    Short,
    /// From here on no file can grow.
    FullForGrowth,
    /// From here on there is no space for any write.
    Full,
    /// It takes long, and succeeds.
    Delayed,
}

fn failed() -> io::Error {
    io::Error::from_raw_os_error(5)
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
    log_writes: u64,
    crash_at: Option<u64>,
    fault: Option<(u64, Fault)>,
    fired: bool,
}

/// Where log writes stand still for as long as a test wants.
#[derive(Default)]
struct Gate {
    state: Mutex<GateState>,
    changed: Condvar,
}

#[derive(Default)]
struct GateState {
    shut: bool,
    waiting: usize,
}

impl Gate {
    fn shut(&self, shut: bool) {
        self.state.lock().unwrap().shut = shut;
        self.changed.notify_all();
    }

    fn pass(&self) {
        let mut state = self.state.lock().unwrap();
        state.waiting += 1;
        self.changed.notify_all();
        let mut state = self.changed.wait_while(state, |s| s.shut).unwrap();
        state.waiting -= 1;
    }
}

#[derive(Clone, Default)]
pub(crate) struct SimDisk {
    state: Arc<Mutex<State>>,
    log_gate: Arc<Gate>,
}

impl SimDisk {
    /// A copy with the same files, without pending writes, that will lose power at operation `n`.
    pub(crate) fn copy(&self, crash_at: Option<u64>) -> Self {
        let mut state = self.state.lock().unwrap().clone();
        state.operations = 0;
        state.crash_at = crash_at;
        state.fault = None;
        Self {
            state: Arc::new(Mutex::new(state)),
            ..Self::default()
        }
    }

    /// A copy with the same files that will fail at operation `at`.
    pub(crate) fn failing(&self, at: u64, fault: Fault) -> Self {
        let copy = self.copy(None);
        copy.state.lock().unwrap().fault = Some((at, fault));
        copy
    }

    /// Whether the fault came.
    pub(crate) fn has_failed(&self) -> bool {
        self.state.lock().unwrap().fired
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
                for (piece, at) in write
                    .chunks(unit.max(1))
                    .zip((*offset..).step_by(unit.max(1)))
                {
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
            ..Self::default()
        }
    }

    /// Writes to files that end in `ldf`.
    pub(crate) fn log_writes(&self) -> u64 {
        self.state.lock().unwrap().log_writes
    }

    pub(crate) fn operations(&self) -> u64 {
        self.state.lock().unwrap().operations
    }

    /// Runs `first` on a thread of its own until it stands in a log write, then `rest`; the write
    /// goes on when that has ended.
    pub(crate) fn during_a_log_write(&self, first: impl FnOnce() + Send, rest: impl FnOnce()) {
        self.log_gate.shut(true);
        std::thread::scope(|scope| {
            scope.spawn(first);
            let state = self.log_gate.state.lock().unwrap();
            let writing = self.log_gate.changed.wait_while(state, |s| s.waiting == 0);
            drop(writing.unwrap());
            rest();
            self.log_gate.shut(false);
        });
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
        writes: bool,
        work: impl FnOnce(&mut SimFile, Option<Fault>) -> io::Result<T>,
    ) -> io::Result<T> {
        let mut state = self.state.lock().unwrap();
        if state.crash_at.is_some_and(|n| state.operations >= n) {
            return Err(io::Error::other("the power is off"));
        }
        let number = state.operations;
        state.operations += 1;
        if writes && path.extension().is_some_and(|e| e == "ldf") {
            state.log_writes += 1;
        }
        let fault = state.fault.and_then(|(at, fault)| {
            let lasts = matches!(fault, Fault::Full | Fault::FullForGrowth);
            (number == at || lasts && number > at).then_some(fault)
        });
        state.fired |= fault.is_some();
        if fault == Some(Fault::Delayed) {
            drop(state);
            std::thread::sleep(Duration::from_millis(2));
            state = self.state.lock().unwrap();
        }
        work(state.files.get_mut(path).unwrap(), fault)
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
        if self.path.extension().is_some_and(|e| e == "ldf") {
            self.disk.log_gate.pass();
        }
        let data = offset >= 65_536 && self.path.extension().is_none_or(|e| e != "ldf");
        self.disk.operate(&self.path, true, |file, fault| {
            let end = offset + bytes.len();
            let (bytes, done) = match fault {
                Some(Fault::Fails) => return Err(failed()),
                Some(Fault::Short) => {
                    let unit = if data { 8192 } else { 1 };
                    (&bytes[..bytes.len() / 2 / unit * unit], Err(failed()))
                }
                Some(Fault::Full) => return Err(io::ErrorKind::StorageFull.into()),
                Some(Fault::FullForGrowth) if end > file.now.len() => {
                    return Err(io::ErrorKind::StorageFull.into());
                }
                _ => (bytes, Ok(())),
            };
            let end = offset + bytes.len();
            if file.now.len() < end {
                file.now.resize(end, 0);
            }
            file.now[offset..end].copy_from_slice(bytes);
            file.pending.push((offset, bytes.to_vec()));
            done
        })
    }

    fn sync(&self) -> io::Result<()> {
        self.disk.operate(&self.path, false, |file, fault| {
            file.durable.resize(file.now.len(), 0);
            if matches!(fault, Some(Fault::Fails | Fault::Short | Fault::Full)) {
                file.pending.clear();
                return Err(failed());
            }
            for (offset, bytes) in file.pending.drain(..) {
                file.durable[offset..offset + bytes.len()].copy_from_slice(&bytes);
            }
            Ok(())
        })
    }

    fn set_size(&self, size: u64) -> io::Result<()> {
        self.disk.operate(&self.path, false, |file, fault| {
            let size = usize::try_from(size).unwrap();
            match fault {
                Some(Fault::Fails | Fault::Short) => return Err(failed()),
                Some(Fault::Full | Fault::FullForGrowth) if size > file.now.len() => {
                    return Err(io::ErrorKind::StorageFull.into());
                }
                _ => {}
            }
            file.now.resize(size, 0);
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
