//! Creating, opening, closing and deleting a database.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use parking_lot::{Mutex, RwLock};
use rand::Rng;

use crate::allocation::{
    EXTENT_BYTES, EXTENT_PAGES, FreeExtents, INTERVAL, MIN_DATA_FILE, map_place,
};
use crate::boot::{Boot, BootFile, BootPages};
use crate::buffer_pool::BufferPool;
use crate::counted_file::CountedFile;
use crate::database::{Database, Totals};
use crate::error::{Result, StorageError};
use crate::extents::NOBODY;
use crate::file_growth::lay_out;
use crate::file_layer::FileLayer;
use crate::heap::Heap;
use crate::id::{HeapId, PageId};
use crate::log::flush::Flusher;
use crate::log::lsn::Lsn;
use crate::log::tail;
use crate::log::vlf::{self, HEADER, MIN_LOG_FILE, Vlf};
use crate::log::writer::{FIRST_SEQUENCE, Log, LogEnd};
use crate::page::PAGE;
use crate::redo::Replay;
use crate::settings::{DatabaseSpec, FileKind, FileSpec, Options};
use crate::undo::roll_back_losers;
use crate::views::RecoveryReport;
use crate::wait::NoWaits;

/// A number for a database, a family, a branch or a backup.
pub(crate) fn new_guid() -> u128 {
    rand::rng().random()
}

impl Database {
    /// Makes the files at their declared sizes (the log zeroed, the data files too unless instant
    /// file initialization is on), and opens the database.
    ///
    /// # Errors
    /// `Io` when a file exists already or cannot be made (what was made is removed again);
    /// `Invalid` for sizes that cannot work.
    #[allow(clippy::needless_pass_by_value, reason = "like open, which keeps it")]
    pub fn create(
        spec: &DatabaseSpec,
        options: &Options,
        layer: Arc<dyn FileLayer>,
    ) -> Result<Arc<Self>> {
        let files = number_files(spec)?;
        let mut made: Vec<PathBuf> = Vec::new();
        let done = write_files(spec, &files, options, &*layer, &mut made)
            .and_then(|primary| Self::open(&primary, options, Arc::clone(&layer)));
        if done.is_err() {
            for path in made {
                // The first failure is the one to tell.
                let _ = layer.remove(&path);
            }
        }
        done
    }

    /// Opens the database of a primary data file and recovers it: committed changes are redone,
    /// open transactions rolled back. A file that is not where it was is looked for beside the
    /// primary one, so a folder may move as a whole.
    ///
    /// # Errors
    /// `Io` (also when a server has the files open), `Corrupt`, `DamagedPage`.
    pub fn open(primary: &Path, options: &Options, layer: Arc<dyn FileLayer>) -> Result<Arc<Self>> {
        let handle = layer
            .open(primary)
            .map_err(|e| StorageError::io("cannot open", primary, e))?;
        let first = Arc::new(CountedFile::new(1, primary, handle));
        let mut boot = BootPages::load(&first)?;
        let mut data_files = vec![Arc::clone(&first)];
        let mut log_files = Vec::new();
        for file in &mut boot.boot.files {
            if file.file_id == 1 {
                primary.clone_into(&mut file.path);
                continue;
            }
            let handle = match (layer.open(&file.path), file.path.file_name()) {
                (Err(error), Some(name)) if error.kind() == std::io::ErrorKind::NotFound => {
                    let beside = primary.with_file_name(name);
                    let handle = layer.open(&beside);
                    if handle.is_ok() {
                        file.path = beside;
                    }
                    handle
                }
                (handle, _) => handle,
            };
            let handle = handle.map_err(|e| StorageError::io("cannot open", &file.path, e))?;
            let counted = Arc::new(CountedFile::new(file.file_id, &file.path, handle));
            match file.kind {
                FileKind::Rows => data_files.push(counted),
                FileKind::Log => log_files.push(counted),
            }
        }
        boot.boot.epoch += 1;
        boot.store(&first)?;
        let log = open_log(&boot.boot, log_files, options)?;
        let (scan, redo) = (boot.boot.scan, boot.boot.redo);
        recover(
            boot,
            data_files,
            log,
            options,
            layer,
            |replay, log, pool| replay.run(log, pool, scan, redo),
        )
    }

    /// Flushes the log, takes a checkpoint, stops the background threads and closes the files.
    /// Transactions that are still open are rolled back by the next open. Later calls fail with
    /// `Unavailable`.
    ///
    /// # Errors
    /// `Io`.
    pub fn close(&self) -> Result<()> {
        let done = self.checkpoint();
        self.stop();
        done
    }

    fn stop(&self) {
        self.closed.store(true, Ordering::SeqCst);
        self.log.flusher.stop();
        // From here on nothing is written: somebody else may open the files next.
        self.log.flusher.close();
        self.signal.stop();
        for thread in self.threads.lock().drain(..) {
            if thread.thread().id() != std::thread::current().id() {
                let _ = thread.join();
            }
        }
    }

    /// Closes without a checkpoint and deletes the files (DROP DATABASE).
    ///
    /// # Errors
    /// `Io`, after trying all files.
    pub fn drop_files(&self) -> Result<()> {
        self.stop();
        let files = self.boot.lock().boot.files.clone();
        let mut done = Ok(());
        for file in files {
            if let Err(error) = self.layer.remove(&file.path) {
                done = Err(StorageError::io("cannot delete", &file.path, error));
            }
        }
        done
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        self.log.flusher.stop();
        self.signal.stop();
    }
}

/// The files with their ids: the primary is 1, the first log file 2, then the rest.
fn number_files(spec: &DatabaseSpec) -> Result<Vec<BootFile>> {
    let (Some(primary), Some(log)) = (spec.data.first(), spec.log.first()) else {
        return Err(StorageError::Invalid(
            "a database needs a data file and a log file at least".to_owned(),
        ));
    };
    let rest = spec.data.iter().skip(1).map(|f| (f, FileKind::Rows));
    let more_log = spec.log.iter().skip(1).map(|f| (f, FileKind::Log));
    let all = [(primary, FileKind::Rows), (log, FileKind::Log)]
        .into_iter()
        .chain(rest)
        .chain(more_log);
    all.zip(1_u16..)
        .map(|((file, kind), file_id)| boot_file(file, kind, file_id))
        .collect()
}

fn boot_file(file: &FileSpec, kind: FileKind, file_id: u16) -> Result<BootFile> {
    let least = match kind {
        FileKind::Rows => MIN_DATA_FILE,
        FileKind::Log => MIN_LOG_FILE,
    };
    if file.size < least {
        return Err(StorageError::Invalid(format!(
            "file {} has a size of {} bytes and the least is {least}",
            file.name, file.size
        )));
    }
    Ok(BootFile {
        file_id,
        kind,
        name: file.name.clone(),
        path: file.path.clone(),
        size: file.size / PAGE as u64 * PAGE as u64,
        growth: file.growth,
        max_size: file.max_size,
    })
}

/// Makes the files and the first boot record; returns the primary's path.
fn write_files(
    spec: &DatabaseSpec,
    files: &[BootFile],
    options: &Options,
    layer: &dyn FileLayer,
    made: &mut Vec<PathBuf>,
) -> Result<PathBuf> {
    let guid = new_guid();
    let start = Lsn::new(FIRST_SEQUENCE, Vlf::FIRST_SECTOR, 1);
    let mut boot = Boot {
        database_guid: guid,
        family_guid: guid,
        recovery_fork_guid: new_guid(),
        epoch: 0,
        files: files.to_vec(),
        vlf_runs: Vec::new(),
        recovery_model: spec.recovery_model,
        checkpoint: start,
        redo: start,
        scan: start,
        next_heap: HeapId::CATALOG.0 + 1,
        next_transaction: 1,
        last_log_backup: None,
        last_log_backup_us: None,
        last_full_backup: None,
        last_full_guid: None,
        settings: BTreeMap::new(),
        log_reaches: Lsn::ZERO,
    };
    let mut primary = None;
    for file in files {
        let handle = layer
            .create(&file.path)
            .map_err(|e| StorageError::io("cannot create", &file.path, e))?;
        made.push(file.path.clone());
        let counted = CountedFile::new(file.file_id, &file.path, handle);
        if file.kind == FileKind::Rows && options.initializes_instantly() {
            counted.extend(file.size)?;
        } else {
            crate::zeroing::zero(&counted, 0, file.size, options)?;
        }
        if file.kind == FileKind::Log {
            let count = vlf::vlfs_at_creation(file.size);
            let bytes = file.size - HEADER;
            if file.file_id == 2 {
                let mut vlfs = lay_out(0, HEADER, &vlf::cut(bytes, count));
                if let Some(first) = vlfs.first_mut() {
                    first.reuse(FIRST_SEQUENCE);
                    counted.write_at(&first.encode(), first.offset)?;
                    counted.sync()?;
                }
            }
            boot.add_vlfs(file.file_id, bytes, count);
        }
        if file.file_id == 1 {
            primary = Some(counted);
        }
    }
    let primary = primary.ok_or_else(|| StorageError::Invalid("no primary file".to_owned()))?;
    BootPages::new(boot).store(&primary)?;
    for folder in made.iter().filter_map(|p| p.parent()) {
        layer
            .sync_folder(folder)
            .map_err(|e| StorageError::io("cannot flush", folder, e))?;
    }
    Ok(primary.path().to_owned())
}

/// Finds the VLFs and the end of the log.
fn open_log(boot: &Boot, files: Vec<Arc<CountedFile>>, options: &Options) -> Result<Log> {
    let mut vlfs = Vec::new();
    let mut ends: HashMap<u16, u64> = HashMap::new();
    for run in &boot.vlf_runs {
        let Some(file) = files.iter().position(|f| f.file_id == run.file_id) else {
            continue;
        };
        for _ in 0..run.times {
            let at = ends.entry(run.file_id).or_insert(HEADER);
            vlfs.extend(lay_out(file, *at, &vlf::cut(run.bytes, run.vlfs)));
            *at += run.bytes;
        }
    }
    for vlf in &mut vlfs {
        let mut sector = vec![0; 512];
        files[vlf.file].read_at(&mut sector, vlf.offset)?;
        vlf.decode(&sector);
    }
    let tail = tail::settle(&files, &vlfs, boot.scan, boot.log_reaches)?;
    let (current, sector, previous) = (tail.vlf, tail.sector, tail.previous);
    if previous.is_none() && boot.checkpoint > Lsn::new(FIRST_SEQUENCE, Vlf::FIRST_SECTOR, 1) {
        return Err(StorageError::Corrupt {
            path: files[vlfs[current].file].path().to_owned(),
            reason: format!(
                "the log has no block at {}, where recovery starts",
                boot.scan
            ),
        });
    }
    let sequence = vlfs[current].sequence;
    // VLFs that were begun but whose log did not reach the disk are begun again.
    for vlf in vlfs.iter_mut().filter(|v| v.sequence > sequence) {
        vlf.sequence = 0;
        files[vlf.file].write_at(&vlf.encode(), vlf.offset)?;
        files[vlf.file].sync()?;
    }
    let needed = boot
        .last_log_backup
        .filter(|_| boot.keeps_log())
        .map_or(boot.scan, |lsn| lsn.min(boot.scan));
    let end = LogEnd {
        vlf: current,
        sector,
        previous: previous.unwrap_or(Lsn::ZERO),
        epoch: boot.epoch,
        needed: needed.vlf_sequence(),
    };
    let flusher = Flusher::new(options.log_flush_delay.clone());
    Ok(Log::new(files, vlfs, end, flusher))
}

/// Builds the database from its parts: `replay` brings the pages up to date, then what is open is
/// rolled back. The boot record is stored last, by a checkpoint.
pub(crate) fn recover(
    pages: BootPages,
    data_files: Vec<Arc<CountedFile>>,
    log: Log,
    options: &Options,
    layer: Arc<dyn FileLayer>,
    redo: impl FnOnce(&mut Replay, &Log, &BufferPool) -> Result<()>,
) -> Result<Arc<Database>> {
    let boot = pages.boot.clone();
    let pool = BufferPool::new(data_files.clone(), options.buffer_pool_bytes);
    let start = Instant::now();
    let mut replay = Replay {
        next_heap: boot.next_heap,
        next_transaction: boot.next_transaction,
        ..Replay::default()
    };
    redo(&mut replay, &log, &pool)?;
    let redo_time = start.elapsed();
    let opened_at = log.end();
    let mut database = Database {
        layer,
        options: options.clone(),
        data_files,
        log,
        pool,
        boot: Mutex::new(pages),
        heaps: RwLock::default(),
        space: Mutex::default(),
        active: Mutex::default(),
        next_transaction: replay.next_transaction.into(),
        next_heap: replay.next_heap.into(),
        checkpointing: Mutex::default(),
        growing: Mutex::default(),
        backups: Mutex::default(),
        log_backup: Mutex::default(),
        closed: false.into(),
        signal: Arc::default(),
        threads: Mutex::default(),
        opened_at,
        report: RecoveryReport {
            log_bytes: replay.log_bytes,
            records: replay.records,
            redone: replay.redone,
            redo_time,
            ..RecoveryReport::default()
        },
        totals: Totals::default(),
    };
    database.load_extents(&boot)?;
    let start = Instant::now();
    let (rolled_back, undone) = roll_back_losers(&database, replay.take_losers())?;
    database.report.rolled_back = rolled_back;
    database.report.undone = undone;
    database.report.undo_time = start.elapsed();
    database.opened_at = database.log.end();
    let database = Arc::new(database);
    database.checkpoint()?;
    database.start_threads()?;
    Ok(database)
}

impl Database {
    /// Reads the map pages: which heap has which extents, and which are free.
    fn load_extents(&self, boot: &Boot) -> Result<()> {
        let mut by_heap: HashMap<HeapId, Vec<PageId>> = HashMap::new();
        let mut space = Vec::new();
        for file in boot.files.iter().filter(|f| f.kind == FileKind::Rows) {
            let mut free = FreeExtents::new(file.file_id, file.size);
            let total = u32::try_from(file.size / EXTENT_BYTES).unwrap_or(u32::MAX);
            for interval in (0..total).step_by(INTERVAL as usize) {
                let extent = |number: u32| PageId {
                    file: file.file_id,
                    page: number * EXTENT_PAGES,
                };
                if interval + 1 >= total {
                    continue;
                }
                let frame = self.pool.frame(map_place(extent(interval)).0, &self.log)?;
                let page = self.pool.read(&frame, &NoWaits)?;
                for number in interval..total.min(interval + INTERVAL) {
                    let owner = page.owner((number - interval) as usize);
                    if owner != NOBODY {
                        free.mark_used(extent(number));
                        by_heap.entry(owner).or_default().push(extent(number));
                    }
                }
            }
            space.push(free);
        }
        *self.space.lock() = space;
        let mut heaps = self.heaps.write();
        for (id, extents) in by_heap {
            self.next_heap
                .fetch_max(id.without_companion().0 + 1, Ordering::SeqCst);
            let heap = Heap::new(id);
            heap.survey_later(extents.iter().copied());
            *heap.extents.write() = extents.into_iter().collect();
            heaps.insert(id, Arc::new(heap));
        }
        Ok(())
    }
}
