//! The work of a restore step: making the files, copying pages, applying log.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::allocation::{EXTENT_PAGES, MIN_DATA_FILE};
use crate::backup::contents::check_extent;
use crate::backup::fault::RestoreFault;
use crate::backup::media::{MediaReader, Tag};
use crate::backup::restoring::RestoreState;
use crate::backup::{BackupSource, RestoreOptions, RestoreStep};
use crate::boot::{Boot, BootFile};
use crate::buffer_pool::BufferPool;
use crate::counted_file::CountedFile;
use crate::error::{Result, StorageError};
use crate::file_growth::lay_out;
use crate::file_layer::FileLayer;
use crate::log::block::BlockHeader;
use crate::log::flush::Flusher;
use crate::log::lsn::Lsn;
use crate::log::reader::Block;
use crate::log::vlf::{self, HEADER, MIN_LOG_FILE, Vlf};
use crate::log::writer::{Log, LogEnd};
use crate::page::PAGE;
use crate::redo::Replay;
use crate::settings::{FileKind, Options};

/// The open files of a database that is being restored.
pub(crate) struct Files {
    pub(crate) data: Vec<Arc<CountedFile>>,
    pub(crate) log: Vec<Arc<CountedFile>>,
}

/// What a step works with.
pub(crate) struct Work<'a> {
    pub(crate) restore: &'a RestoreOptions,
    pub(crate) options: &'a Options,
    pub(crate) layer: &'a Arc<dyn FileLayer>,
    pub(crate) step: &'a mut dyn FnMut(RestoreStep) -> Result<()>,
    /// Files that were made, to be removed should it fail.
    pub(crate) made: Vec<PathBuf>,
}

/// Microseconds since 1970.
pub(crate) fn micros(at: SystemTime) -> Option<u64> {
    let since = at.duration_since(UNIX_EPOCH).ok()?;
    u64::try_from(since.as_micros()).ok()
}

/// Refuses sizes that no database can have: the record comes from outside.
pub(crate) fn check_sizes(boot: &Boot, source: &BackupSource) -> Result<()> {
    let wrong = boot.files.iter().any(|file| {
        let least = match file.kind {
            FileKind::Rows => MIN_DATA_FILE,
            FileKind::Log => MIN_LOG_FILE,
        };
        file.size < least || file.size % PAGE as u64 != 0
    });
    let primary = boot.files.iter().any(|f| f.file_id == 1);
    let log = boot.files.iter().any(|f| f.kind == FileKind::Log);
    if wrong || !primary || !log {
        return Err(RestoreFault::Damaged {
            path: source.path.clone(),
            reason: "its list of files cannot be true",
        }
        .into());
    }
    Ok(())
}

/// The path of the primary data file.
pub(crate) fn primary_of(boot: &Boot) -> PathBuf {
    boot.files
        .iter()
        .find(|f| f.file_id == 1)
        .map_or_else(PathBuf::new, |f| f.path.clone())
}

fn of_kind(boot: &Boot, kind: FileKind) -> Vec<BootFile> {
    let mut files: Vec<BootFile> = boot.files.clone();
    files.retain(|f| f.kind == kind);
    files.sort_by_key(|f| f.file_id);
    files
}

impl Work<'_> {
    /// Puts files where MOVE says.
    pub(crate) fn relocate(&self, files: &mut [BootFile]) -> Result<()> {
        for (name, path) in &self.restore.moves {
            let file = files.iter_mut().find(|f| f.name == *name);
            let Some(file) = file else {
                return Err(RestoreFault::NoFile(name.clone()).into());
            };
            file.path.clone_from(path);
        }
        Ok(())
    }

    pub(crate) fn make_all(
        &mut self,
        boot: &Boot,
        kind: FileKind,
    ) -> Result<Vec<Arc<CountedFile>>> {
        let mut files = Vec::new();
        for file in of_kind(boot, kind) {
            files.push(self.make(&file)?);
        }
        Ok(files)
    }

    /// Opens the files that are there, enlarges those that have grown, and makes those that are
    /// new.
    pub(crate) fn open_all(&mut self, old: &Boot, new: &Boot) -> Result<Files> {
        let mut files = Files {
            data: Vec::new(),
            log: Vec::new(),
        };
        for kind in [FileKind::Rows, FileKind::Log] {
            for file in of_kind(new, kind) {
                let before = old.files.iter().find(|f| f.file_id == file.file_id);
                let handle = match before {
                    None => self.make(&file)?,
                    Some(before) => {
                        let handle = self
                            .layer
                            .open(&file.path)
                            .map_err(|e| StorageError::io("cannot open", &file.path, e))?;
                        let handle = CountedFile::new(file.file_id, &file.path, handle);
                        if file.size > before.size {
                            self.initialize(&handle, &file, before.size)?;
                        }
                        Arc::new(handle)
                    }
                };
                match kind {
                    FileKind::Rows => files.data.push(handle),
                    FileKind::Log => files.log.push(handle),
                }
            }
        }
        Ok(files)
    }

    fn make(&mut self, file: &BootFile) -> Result<Arc<CountedFile>> {
        let path = &file.path;
        if self.restore.replace {
            match self.layer.remove(path) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(StorageError::io("cannot replace", path, error));
                }
                _ => {}
            }
        }
        let handle = self
            .layer
            .create(path)
            .map_err(|e| StorageError::io("cannot create", path, e))?;
        self.made.push(path.clone());
        let counted = CountedFile::new(file.file_id, path, handle);
        self.initialize(&counted, file, 0)?;
        if let Some(folder) = path.parent() {
            self.layer
                .sync_folder(folder)
                .map_err(|e| StorageError::io("cannot flush", folder, e))?;
        }
        Ok(Arc::new(counted))
    }

    fn initialize(&mut self, handle: &CountedFile, file: &BootFile, from: u64) -> Result<()> {
        let path = file.path.clone();
        if file.kind == FileKind::Rows && self.options.initializes_instantly() {
            handle.extend(file.size)?;
            return (self.step)(RestoreStep::NotZeroed { path });
        }
        (self.step)(RestoreStep::Zeroing {
            path: path.clone(),
            kind: file.kind,
            from,
            to: file.size,
        })?;
        crate::zeroing::zero(handle, from, file.size - from, self.options)?;
        (self.step)(RestoreStep::ZeroingCompleted { path })
    }

    /// Copies the pages of a backup set into the files, each page checked.
    pub(crate) fn copy_pages(
        &mut self,
        source: &BackupSource,
        data: &[Arc<CountedFile>],
        total: u64,
    ) -> Result<()> {
        let mut media = MediaReader::open(&source.path, source.position)?;
        let mut done = 0;
        loop {
            let (tag, bytes) = media.next()?;
            match tag {
                Tag::Header => {}
                // Pages come before the log.
                Tag::Log | Tag::End => break,
                Tag::Extent => {
                    let (file_id, page) = check_extent(bytes)?;
                    let file = data.iter().find(|f| f.file_id == file_id);
                    let Some(file) = file else {
                        return Err(media.damaged("it has pages of a file that it does not list"));
                    };
                    let pages = bytes.get(6..).unwrap_or_default();
                    file.write_at(pages, u64::from(page) * PAGE as u64)?;
                    done += u64::from(EXTENT_PAGES);
                    (self.step)(RestoreStep::Copying { done, total })?;
                }
            }
        }
        data.iter().try_for_each(|file| file.sync())?;
        (self.step)(RestoreStep::PagesCopied(done))
    }
}

/// An empty log with the VLFs that the backed up one had, whose first one comes after all log that
/// was applied.
pub(crate) fn new_log(
    boot: &mut Boot,
    reached: Lsn,
    files: Vec<Arc<CountedFile>>,
    options: &Options,
) -> Result<Log> {
    let mut vlfs: Vec<Vlf> = Vec::new();
    let mut runs = Vec::new();
    for (index, file) in files.iter().enumerate() {
        let size = boot
            .files
            .iter()
            .find(|f| f.file_id == file.file_id)
            .map_or(0, |f| f.size);
        let of_file = boot.vlf_runs.iter().filter(|r| r.file_id == file.file_id);
        let mut own: Vec<_> = of_file.copied().collect();
        let described: Option<u64> = own
            .iter()
            .map(|r| r.bytes.checked_mul(u64::from(r.times)))
            .sum();
        let sound = own.iter().all(|r| r.vlfs > 0 && r.bytes / r.vlfs > HEADER);
        if !sound || described != Some(size.saturating_sub(HEADER)) {
            own = vec![crate::boot::VlfRun {
                file_id: file.file_id,
                bytes: size.saturating_sub(HEADER),
                vlfs: vlf::vlfs_at_creation(size),
                times: 1,
            }];
        }
        let mut at = HEADER;
        for run in &own {
            for _ in 0..run.times {
                vlfs.extend(lay_out(index, at, &vlf::cut(run.bytes, run.vlfs)));
                at += run.bytes;
            }
        }
        runs.extend(own);
    }
    boot.vlf_runs = runs;
    let sequence = reached.vlf_sequence() + 1;
    if let (Some(first), Some(file)) = (vlfs.first_mut(), files.first()) {
        first.reuse(sequence);
        file.write_at(&first.encode(), first.offset)?;
    }
    let end = LogEnd {
        vlf: 0,
        sector: Vlf::FIRST_SECTOR,
        previous: Lsn::ZERO,
        epoch: boot.epoch,
        needed: sequence,
    };
    let flusher = Flusher::new(options.log_flush_delay.clone());
    Ok(Log::new(files, vlfs, end, flusher))
}

/// Gives each log block of a backup set.
pub(crate) fn blocks_of(
    source: &BackupSource,
    mut each: impl FnMut(BlockHeader, &[u8]) -> Result<()>,
) -> Result<()> {
    let mut media = MediaReader::open(&source.path, source.position)?;
    loop {
        let (tag, bytes) = media.next()?;
        match tag {
            Tag::End => return Ok(()),
            Tag::Header | Tag::Extent => {}
            Tag::Log => {
                let lsn = BlockHeader::own_lsn(bytes);
                let header = BlockHeader::decode(bytes, lsn).filter(|h| h.intact(bytes));
                let Some(header) = header else {
                    return Err(media.damaged("a log block in it is damaged"));
                };
                each(header, bytes)?;
            }
        }
    }
}

/// Reads the log that was kept and then that of a backup set, if one is given, and applies what
/// pages do not have.
pub(crate) fn replay(
    replay: &mut Replay,
    state: &RestoreState,
    source: Option<&BackupSource>,
    log: &Log,
    pool: &BufferPool,
    kept: bool,
) -> Result<()> {
    let (scan, redo) = (state.boot.scan, state.boot.redo);
    let mut last: Option<BlockHeader> = None;
    let mut apply = |header: BlockHeader, bytes: &[u8]| {
        match last {
            // What was kept and the backup overlap.
            Some(last) if header.lsn <= last.lsn => return Ok(()),
            Some(last) if header.previous != last.lsn => {
                return Err(StorageError::LogChain(format!(
                    "log block {} does not follow {}",
                    header.lsn, last.lsn
                )));
            }
            None if header.lsn > scan && header.previous >= scan => {
                return Err(StorageError::LogChain(format!(
                    "the log begins at {} and not at {scan}",
                    header.lsn
                )));
            }
            _ => {}
        }
        last = Some(header);
        if replay.stopped {
            return Ok(());
        }
        replay.block(log, pool, redo, &Block { header, bytes })
    };
    if kept {
        RestoreState::kept_blocks(&primary_of(&state.boot), &mut apply)?;
    }
    match source {
        Some(source) => blocks_of(source, apply),
        None => Ok(()),
    }
}
