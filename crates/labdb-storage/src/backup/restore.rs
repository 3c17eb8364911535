//! Reading backups back: a full backup, then the log backups that follow it, into new files.
//!
//! The log of the backups is replayed straight from them; the new log begins in a VLF after all
//! of it. The boot record is written last, so files of a restore that did not end are never taken
//! for a database.

use std::path::Path;
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use crate::allocation::MIN_DATA_FILE;
use crate::backup::media::{MediaHeader, MediaReader, Tag};
use crate::backup::{BackupContents, BackupFile, BackupKind, RestoreOptions, RestoreStep};
use crate::boot::{Boot, BootFile, BootPages};
use crate::buffer_pool::BufferPool;
use crate::bytes::{get_u16, get_u32};
use crate::counted_file::CountedFile;
use crate::database::Database;
use crate::error::{Result, StorageError};
use crate::file_growth::lay_out;
use crate::file_layer::FileLayer;
use crate::lifecycle::{new_guid, recover};
use crate::log::block::BlockHeader;
use crate::log::flush::Flusher;
use crate::log::lsn::Lsn;
use crate::log::reader::Block;
use crate::log::vlf::{self, HEADER, MIN_LOG_FILE, Vlf};
use crate::log::writer::{Log, LogEnd};
use crate::page::PAGE;
use crate::redo::Replay;
use crate::settings::{FileKind, FileSpec, Options};

/// The facts of a backup file, after reading all of it and checking every section
/// (`RESTORE HEADERONLY`, `FILELISTONLY` and `VERIFYONLY`).
///
/// # Errors
/// `Io`; `Corrupt` when it is no complete backup.
pub fn read_header(path: &Path) -> Result<BackupContents> {
    let MediaHeader { set, boot } = read_end(path)?;
    let files = boot
        .files
        .into_iter()
        .map(|file| BackupFile {
            file_id: file.file_id,
            kind: file.kind,
            spec: FileSpec {
                name: file.name,
                path: file.path,
                size: file.size,
                growth: file.growth,
                max_size: file.max_size,
            },
        })
        .collect();
    Ok(BackupContents {
        set,
        recovery_model: boot.recovery_model,
        files,
    })
}

fn read_end(path: &Path) -> Result<MediaHeader> {
    let mut media = MediaReader::open(path)?;
    media.header()?;
    media.end()
}

impl Database {
    /// Restores a full backup and the log backups after it (in order) into new files, recovers,
    /// and opens the result, which has a GUID and a recovery fork of its own and no log chain
    /// until its first full backup. `step` is told what goes on. On failure the files that were
    /// made are deleted.
    ///
    /// # Errors
    /// `Corrupt` for a backup that is damaged or incomplete; `LogChain` when the backups do not
    /// follow one another; `Io`, also when a file exists and `replace` is not set.
    #[allow(clippy::needless_pass_by_value, reason = "like open, which keeps it")]
    pub fn restore(
        backups: &[&Path],
        restore: &RestoreOptions,
        options: &Options,
        layer: Arc<dyn FileLayer>,
        step: &mut dyn FnMut(RestoreStep),
    ) -> Result<Arc<Self>> {
        // Everything is read once before anything is made.
        let ends = backups
            .iter()
            .map(|path| read_end(path))
            .collect::<Result<Vec<_>>>()?;
        check_chain(&ends)?;
        let (Some(full), Some(last)) = (ends.first(), ends.last()) else {
            return Err(StorageError::Invalid("no backup was named".to_owned()));
        };
        let mut header = MediaReader::open(backups[0])?.header()?.boot;
        header.files.clone_from(&last.boot.files);
        let too_small = header.files.iter().find(|file| match file.kind {
            FileKind::Rows => file.size < MIN_DATA_FILE,
            FileKind::Log => file.size < MIN_LOG_FILE,
        });
        if let Some(file) = too_small {
            return Err(StorageError::Corrupt {
                path: backups[0].to_owned(),
                reason: format!("it says that file {} has {} bytes", file.name, file.size),
            });
        }
        for file in &mut header.files {
            let to = restore.moves.iter().find(|(name, _)| *name == file.name);
            if let Some((_, path)) = to {
                file.path.clone_from(path);
            }
        }
        if let Some((name, _)) = restore
            .moves
            .iter()
            .find(|(name, _)| header.files.iter().all(|f| f.name != *name))
        {
            return Err(StorageError::Invalid(format!(
                "the backup has no file named {name}"
            )));
        }
        let work = Work {
            backups,
            boot: header,
            restore,
            options,
            newest: last.set.last_lsn,
            pages: full.set.data_pages,
        };
        let mut made = Vec::new();
        let done = work.run(&layer, &mut made, step);
        if done.is_err() {
            for path in made {
                // The first failure is the one to tell.
                let _ = layer.remove(&path);
            }
        }
        done
    }
}

/// A full backup first, then log backups of the same database that leave no gap.
fn check_chain(ends: &[MediaHeader]) -> Result<()> {
    let wrong = |text: String| Err(StorageError::LogChain(text));
    let Some(full) = ends.first() else {
        return Ok(());
    };
    if full.set.kind != BackupKind::Full {
        return wrong("the first backup must be a full one".to_owned());
    }
    let mut end = full.set.last_lsn;
    for log in &ends[1..] {
        let set = &log.set;
        if set.kind != BackupKind::Log {
            return wrong("after the full backup only log backups can follow".to_owned());
        }
        let other = (set.database_guid, set.recovery_fork_guid)
            != (full.set.database_guid, full.set.recovery_fork_guid);
        if other {
            return wrong("a log backup is of another database or recovery fork".to_owned());
        }
        if set.first_lsn > end {
            return wrong(format!(
                "a log backup begins at {}, which is too late: one that includes {end} must be \
                 restored before it",
                set.first_lsn
            ));
        }
        end = end.max(set.last_lsn);
    }
    Ok(())
}

struct Work<'a> {
    backups: &'a [&'a Path],
    boot: Boot,
    restore: &'a RestoreOptions,
    options: &'a Options,
    newest: Lsn,
    pages: u64,
}

impl Work<'_> {
    fn run(
        mut self,
        layer: &Arc<dyn FileLayer>,
        made: &mut Vec<std::path::PathBuf>,
        step: &mut dyn FnMut(RestoreStep),
    ) -> Result<Arc<Database>> {
        let (scan, redo) = (self.boot.scan, self.boot.redo);
        let mut data = Vec::new();
        for file in self.files(FileKind::Rows) {
            data.push(self.make(&file, &**layer, made, step)?);
        }
        step(RestoreStep::CopyingPages);
        self.copy_pages(&data)?;
        step(RestoreStep::PagesCopied(self.pages));
        let mut logs = Vec::new();
        for file in self.files(FileKind::Log) {
            logs.push(self.make(&file, &**layer, made, step)?);
        }
        step(RestoreStep::Recovering);
        let log = self.new_log(logs)?;
        let database = recover(
            BootPages::new(self.boot.clone()),
            data,
            log,
            self.options,
            Arc::clone(layer),
            |replay, log, pool| self.replay(replay, log, pool, scan, redo),
        )?;
        step(RestoreStep::Finished);
        Ok(database)
    }

    fn files(&self, kind: FileKind) -> Vec<BootFile> {
        let mut files: Vec<BootFile> = self.boot.files.clone();
        files.retain(|f| f.kind == kind);
        files.sort_by_key(|f| f.file_id);
        files
    }

    fn make(
        &self,
        file: &BootFile,
        layer: &dyn FileLayer,
        made: &mut Vec<std::path::PathBuf>,
        step: &mut dyn FnMut(RestoreStep),
    ) -> Result<Arc<CountedFile>> {
        let path = &file.path;
        if self.restore.replace {
            match layer.remove(path) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(StorageError::io("cannot replace", path, error));
                }
                _ => {}
            }
        }
        let handle = layer
            .create(path)
            .map_err(|e| StorageError::io("cannot create", path, e))?;
        made.push(path.clone());
        let counted = CountedFile::new(file.file_id, path, handle);
        if file.kind == FileKind::Rows && self.options.instant_file_initialization {
            counted.extend(file.size)?;
            step(RestoreStep::NotZeroed { path: path.clone() });
        } else {
            step(RestoreStep::Zeroing {
                path: path.clone(),
                kind: file.kind,
                from: 0,
                to: file.size,
            });
            counted.zero(0, file.size)?;
            step(RestoreStep::ZeroingCompleted { path: path.clone() });
        }
        Ok(Arc::new(counted))
    }

    fn copy_pages(&self, data: &[Arc<CountedFile>]) -> Result<()> {
        let mut media = MediaReader::open(self.backups[0])?;
        loop {
            let (tag, bytes) = media.next()?;
            match tag {
                Tag::Header | Tag::Log => {}
                Tag::End => break,
                Tag::Extent => {
                    let file = data.iter().find(|f| f.file_id == get_u16(bytes, 0));
                    let offset = u64::from(get_u32(bytes, 2)) * PAGE as u64;
                    let (Some(file), Some(pages)) = (file, bytes.get(6..)) else {
                        return Err(media.damaged("it has pages of a file that it does not list"));
                    };
                    file.write_at(pages, offset)?;
                }
            }
        }
        data.iter().try_for_each(|file| file.sync())
    }

    /// An empty log whose first VLF comes after all that is in the backups.
    fn new_log(&mut self, files: Vec<Arc<CountedFile>>) -> Result<Log> {
        let boot = &mut self.boot;
        boot.vlf_runs.clear();
        let mut vlfs: Vec<Vlf> = Vec::new();
        for (index, file) in files.iter().enumerate() {
            let size = boot
                .files
                .iter()
                .find(|f| f.file_id == file.file_id)
                .map_or(0, |f| f.size);
            let (count, bytes) = (vlf::vlfs_at_creation(size), size.saturating_sub(HEADER));
            vlfs.extend(lay_out(index, HEADER, &vlf::cut(bytes, count)));
            boot.add_vlfs(file.file_id, bytes, count);
        }
        let sequence = self.newest.vlf_sequence() + 1;
        if let (Some(first), Some(file)) = (vlfs.first_mut(), files.first()) {
            first.reuse(sequence);
            file.write_at(&first.encode(), first.offset)?;
        }
        boot.database_guid = new_guid();
        boot.recovery_fork_guid = new_guid();
        boot.epoch += 1;
        boot.last_log_backup = None;
        boot.last_log_backup_us = None;
        boot.last_full_backup = None;
        boot.log_reaches = Lsn::ZERO;
        let end = LogEnd {
            vlf: 0,
            sector: Vlf::FIRST_SECTOR,
            previous: Lsn::ZERO,
            epoch: boot.epoch,
            needed: sequence,
        };
        let flusher = Flusher::new(self.options.log_flush_delay.clone());
        Ok(Log::new(files, vlfs, end, flusher))
    }

    /// Applies the log of all backups in order.
    fn replay(
        &self,
        replay: &mut Replay,
        log: &Log,
        pool: &BufferPool,
        scan: Lsn,
        redo: Lsn,
    ) -> Result<()> {
        replay.stop_at_us = self
            .restore
            .stop_at
            .and_then(|at| at.duration_since(UNIX_EPOCH).ok())
            .and_then(|at| u64::try_from(at.as_micros()).ok());
        let mut last: Option<BlockHeader> = None;
        for path in self.backups {
            let mut media = MediaReader::open(path)?;
            loop {
                let (tag, bytes) = media.next()?;
                if tag == Tag::End || replay.stopped {
                    break;
                }
                if tag != Tag::Log {
                    continue;
                }
                let lsn = Lsn::from_bits(crate::bytes::get_u64(bytes, 8));
                let header = BlockHeader::decode(bytes, lsn).filter(|h| h.intact(bytes));
                let Some(header) = header else {
                    return Err(media.damaged("a log block in it is damaged"));
                };
                match last {
                    // The backups overlap.
                    Some(last) if header.lsn <= last.lsn => continue,
                    Some(last) if header.previous != last.lsn => {
                        return Err(StorageError::LogChain(format!(
                            "log block {} does not follow {}",
                            header.lsn, last.lsn
                        )));
                    }
                    None if header.lsn > scan && header.previous >= scan => {
                        return Err(StorageError::LogChain(format!(
                            "the full backup's log begins at {} and not at {scan}",
                            header.lsn
                        )));
                    }
                    _ => {}
                }
                last = Some(header);
                replay.block(log, pool, redo, &Block { header, bytes })?;
            }
        }
        Ok(())
    }
}
