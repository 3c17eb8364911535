//! Restoring: a full backup into new files, then a differential one and log backups, then recovery.
//!
//! Every step applies the log of its backup to the pages. The boot record is written last, by
//! recovery: files of a restore that did not end are never taken for a database. What a later step
//! needs is kept beside the primary file; a step that is to recover at once keeps nothing, and when
//! it is interrupted, the restore begins again.

use std::path::Path;
use std::sync::Arc;

use crate::backup::contents::files_of;
use crate::backup::fault::RestoreFault;
use crate::backup::media::{MediaHeader, MediaReader};
use crate::backup::restoring::{RestoreState, state_path};
use crate::backup::roll_forward::{
    Files, Work, blocks_of, check_sizes, micros, new_log, primary_of, replay,
};
use crate::backup::{BackupKind, BackupSet, BackupSource, RestoreOptions, RestoreStep, Restored};
use crate::boot::BootPages;
use crate::buffer_pool::BufferPool;
use crate::database::Database;
use crate::error::{Result, StorageError};
use crate::file_layer::FileLayer;
use crate::lifecycle::{new_guid, recover};
use crate::log::lsn::Lsn;
use crate::redo::Replay;
use crate::settings::{FileKind, Options};

/// Is told what goes on; an error ends the restore.
type Steps<'a> = &'a mut dyn FnMut(RestoreStep) -> Result<()>;

fn read_set(source: &BackupSource, restore: &RestoreOptions) -> Result<(MediaHeader, MediaHeader)> {
    let mut media = MediaReader::open(&source.path, source.position)?;
    let begin = media.header()?;
    let end = media.end()?;
    if restore.checksum && !end.set.has_checksums {
        return Err(RestoreFault::NoChecksums.into());
    }
    check_sizes(&end.boot, source)?;
    Ok((begin, end))
}

impl Database {
    /// Restores a full backup into new files. With `recovery` the database is opened; without,
    /// more backups can be applied with [`Self::restore_next`]. On failure the files that were made
    /// are deleted. What comes of it has a GUID and a recovery fork of its own and no log chain
    /// until its first full backup.
    ///
    /// # Errors
    /// `Restore` for a backup that is damaged or of the wrong kind; `Io`, also when a file exists
    /// and `replace` is not set; those of `step`.
    pub fn restore_full(
        source: &BackupSource,
        restore: &RestoreOptions,
        recovery: bool,
        options: &Options,
        layer: &Arc<dyn FileLayer>,
        step: Steps<'_>,
    ) -> Result<Restored> {
        let (begin, end) = read_set(source, restore)?;
        if end.set.kind != BackupKind::Full {
            return Err(RestoreFault::WrongKind.into());
        }
        if restore.stop_at.is_some_and(|at| at < end.set.finished) {
            return Err(RestoreFault::StopBeforeBackup.into());
        }
        let mut work = Work {
            restore,
            options,
            layer,
            step,
            made: Vec::new(),
        };
        let mut boot = begin.boot;
        boot.files.clone_from(&end.boot.files);
        boot.vlf_runs.clone_from(&end.boot.vlf_runs);
        work.relocate(&mut boot.files)?;
        boot.database_guid = new_guid();
        boot.recovery_fork_guid = new_guid();
        boot.log_reaches = Lsn::ZERO;
        boot.last_log_backup = None;
        boot.last_log_backup_us = None;
        boot.last_full_backup = None;
        boot.last_full_guid = None;
        let state = RestoreState {
            boot,
            reached: Lsn::ZERO,
            reached_at: end.set.finished,
            source: (end.set.database_guid, end.set.recovery_fork_guid),
            base: (end.set.checkpoint_lsn, end.set.backup_set_guid),
            halted: false,
            stop_us: None,
            in_doubt: None,
            recovering: false,
        };
        let done = work.full(source, end.set, state, recovery);
        if done.is_err() {
            for path in work.made {
                // The first failure is the one to tell.
                let _ = layer.remove(&path);
            }
        }
        done
    }

    /// Applies a differential or log backup to a database that was restored without recovery;
    /// `primary` is its primary data file. A step that failed may be repeated.
    ///
    /// # Errors
    /// `Restore` when the backup does not follow, is damaged, or a point in time forbids it; `Io`.
    pub fn restore_next(
        primary: &Path,
        source: &BackupSource,
        restore: &RestoreOptions,
        recovery: bool,
        options: &Options,
        layer: &Arc<dyn FileLayer>,
        step: Steps<'_>,
    ) -> Result<Restored> {
        let state = RestoreState::load(primary)?;
        let (begin, end) = read_set(source, restore)?;
        check_next(&state, &end.set, restore)?;
        let mut work = Work {
            restore,
            options,
            layer,
            step,
            made: Vec::new(),
        };
        work.next(source, &begin, end, state, recovery)
    }

    /// Recovers a database that was restored without recovery: open transactions are rolled back
    /// and the database is opened.
    ///
    /// # Errors
    /// `Restore` when it was not restored, or a step was interrupted; `Io`.
    pub fn restore_finish(
        primary: &Path,
        options: &Options,
        layer: &Arc<dyn FileLayer>,
        step: Steps<'_>,
    ) -> Result<Arc<Self>> {
        let state = RestoreState::load(primary)?;
        if state.in_doubt.is_some() || state.recovering {
            // Recovery may have ended just before the state could be removed.
            let done = Self::open(primary, options, Arc::clone(layer));
            return match done {
                Ok(database)
                    if database.recovery_status().database_guid == state.boot.database_guid =>
                {
                    RestoreState::remove(primary);
                    Ok(database)
                }
                _ => Err(RestoreFault::Interrupted.into()),
            };
        }
        let restore = RestoreOptions::default();
        let mut work = Work {
            restore: &restore,
            options,
            layer,
            step,
            made: Vec::new(),
        };
        let files = work.open_all(&state.boot, &state.boot)?;
        work.recover(state, None, files, true)
    }

    /// Restores a full backup and the backups after it, in order, and recovers: all steps at once.
    /// On failure nothing is left.
    ///
    /// # Errors
    /// Those of the steps.
    #[allow(clippy::needless_pass_by_value, reason = "like open, which keeps it")]
    pub fn restore(
        backups: &[&Path],
        restore: &RestoreOptions,
        options: &Options,
        layer: Arc<dyn FileLayer>,
        step: &mut dyn FnMut(RestoreStep),
    ) -> Result<Arc<Self>> {
        let mut steps = |s| {
            step(s);
            Ok(())
        };
        let mut sources = backups.iter().map(|path| BackupSource {
            path: (*path).to_owned(),
            position: 1,
        });
        let Some(full) = sources.next() else {
            return Err(StorageError::Invalid("no backup was named".to_owned()));
        };
        let rest: Vec<_> = sources.collect();
        let first = RestoreOptions {
            stop_at: restore.stop_at.filter(|_| rest.is_empty()),
            ..restore.clone()
        };
        let mut done =
            Self::restore_full(&full, &first, rest.is_empty(), options, &layer, &mut steps)?;
        let next = RestoreOptions {
            moves: Vec::new(),
            ..restore.clone()
        };
        let files = done.files.clone();
        let primary = files.iter().find(|f| f.file_id == 1);
        let primary = primary.map_or_else(Default::default, |f| f.spec.path.clone());
        let finished = (|| {
            for source in &rest {
                let step = &mut steps;
                done = Self::restore_next(&primary, source, &next, false, options, &layer, step)?;
            }
            match done.database.take() {
                Some(database) => Ok(database),
                None => Self::restore_finish(&primary, options, &layer, &mut steps),
            }
        })();
        if finished.is_err() {
            RestoreState::remove(&primary);
            for file in files {
                // The first failure is the one to tell.
                let _ = layer.remove(&file.spec.path);
            }
        }
        finished
    }
}

/// Whether a backup set can be applied now.
fn check_next(state: &RestoreState, set: &BackupSet, restore: &RestoreOptions) -> Result<()> {
    let refuse = |fault: RestoreFault| Err(fault.into());
    if state.recovering {
        return refuse(RestoreFault::Interrupted);
    }
    if set.family_guid != state.boot.family_guid {
        return refuse(RestoreFault::OtherDatabase);
    }
    if (set.database_guid, set.recovery_fork_guid) != state.source {
        return refuse(RestoreFault::OtherFork);
    }
    if state.halted {
        return refuse(RestoreFault::Halted);
    }
    if state.in_doubt.is_some_and(|wanted| set.last_lsn < wanted) {
        return refuse(RestoreFault::Interrupted);
    }
    match set.kind {
        BackupKind::Full => return refuse(RestoreFault::WrongKind),
        BackupKind::Differential => {
            if set.differential_base != Some(state.base) {
                return refuse(RestoreFault::OtherBase);
            }
            if set.last_lsn < state.reached {
                return refuse(RestoreFault::TooEarly {
                    ends: set.last_lsn,
                    wanted: state.reached,
                });
            }
            if restore.stop_at.is_some_and(|at| at < set.finished) {
                return refuse(RestoreFault::StopBeforeBackup);
            }
        }
        BackupKind::Log => {
            if set.first_lsn > state.reached {
                return refuse(RestoreFault::TooRecent {
                    begins: set.first_lsn,
                    wanted: state.reached,
                });
            }
            if set.last_lsn < state.reached {
                return refuse(RestoreFault::TooEarly {
                    ends: set.last_lsn,
                    wanted: state.reached,
                });
            }
            if restore.stop_at.is_some_and(|at| at < state.reached_at) {
                return refuse(RestoreFault::StopTooEarly);
            }
        }
    }
    Ok(())
}

impl Work<'_> {
    fn full(
        &mut self,
        source: &BackupSource,
        set: BackupSet,
        mut state: RestoreState,
        recovery: bool,
    ) -> Result<Restored> {
        // What an earlier restore into the same place left is void.
        RestoreState::remove(&primary_of(&state.boot));
        (self.step)(RestoreStep::Planned)?;
        let data = self.make_all(&state.boot, FileKind::Rows)?;
        (self.step)(RestoreStep::ContainersReady)?;
        self.copy_pages(source, &data, set.data_pages)?;
        let log = self.make_all(&state.boot, FileKind::Log)?;
        (self.step)(RestoreStep::LogReady)?;
        state.reached = set.last_lsn;
        self.roll_forward(source, set, state, Files { data, log }, recovery, false)
    }

    fn next(
        &mut self,
        source: &BackupSource,
        begin: &MediaHeader,
        end: MediaHeader,
        mut state: RestoreState,
        recovery: bool,
    ) -> Result<Restored> {
        let primary = primary_of(&state.boot);
        let set = end.set;
        let before = state.boot.clone();
        // Files that have grown or were added meanwhile.
        let mut files = end.boot.files;
        for file in &mut files {
            if let Some(known) = before.files.iter().find(|f| f.file_id == file.file_id) {
                file.path.clone_from(&known.path);
                file.size = file.size.max(known.size);
            }
        }
        self.relocate(&mut files)?;
        (self.step)(RestoreStep::Planned)?;
        state.in_doubt = Some(set.last_lsn);
        state.mark(&primary)?;
        state.boot.files = files;
        state.boot.vlf_runs = end.boot.vlf_runs;
        state.boot.settings = end.boot.settings;
        state.boot.recovery_model = end.boot.recovery_model;
        let files = self.open_all(&before, &state.boot)?;
        let mut kept = true;
        if set.kind == BackupKind::Differential {
            self.copy_pages(source, &files.data, set.data_pages)?;
            state.boot.scan = begin.boot.scan;
            state.boot.redo = begin.boot.redo;
            state.boot.checkpoint = begin.boot.checkpoint;
            state.boot.next_heap = begin.boot.next_heap;
            state.boot.next_transaction = begin.boot.next_transaction;
            kept = false;
        }
        state.reached = set.last_lsn;
        state.reached_at = match set.kind {
            BackupKind::Log => set.started,
            _ => set.finished,
        };
        self.roll_forward(source, set, state, files, recovery, kept)
    }

    /// Applies the log of a backup set, and recovers or keeps what the next step needs.
    fn roll_forward(
        &mut self,
        source: &BackupSource,
        set: BackupSet,
        mut state: RestoreState,
        files: Files,
        recovery: bool,
        kept: bool,
    ) -> Result<Restored> {
        (self.step)(RestoreStep::RollingForward)?;
        // The log of a log backup is complete up to its beginning, that of others to their end.
        let passes = self
            .restore
            .stop_at
            .is_some_and(|at| at <= state.reached_at);
        let ends_before_stop = recovery && self.restore.stop_at.is_some() && !passes && {
            // Only reading tells whether a commit lies behind the point in time.
            !self.meets_stop(source)?
        };
        if recovery && !ends_before_stop {
            let listed = files_of(&state.boot);
            let database = self.recover(state, Some(source), files, kept)?;
            return Ok(Restored {
                database: Some(database),
                set,
                files: listed,
                ends_before_stop: false,
            });
        }
        let primary = primary_of(&state.boot);
        let pool = BufferPool::new(files.data.clone(), self.options.buffer_pool_bytes);
        let log = new_log(&mut state.boot, state.reached, files.log, self.options)?;
        let mut pass = self.replay_from(&state);
        replay(&mut pass, &state, Some(source), &log, &pool, kept)?;
        pool.write_all(&pool.dirty(), &log)?;
        files.data.iter().try_for_each(|file| file.sync())?;
        let oldest = pass.oldest_begin();
        state.boot.next_heap = pass.next_heap;
        state.boot.next_transaction = pass.next_transaction;
        state.halted |= pass.stopped || passes;
        state.in_doubt = None;
        let old_scan = state.boot.scan;
        let scan = oldest.unwrap_or(state.reached).min(state.reached);
        state.boot.redo = state.reached;
        state.boot.scan = scan;
        let first = Lsn::new(scan.vlf_sequence(), scan.block(), 0);
        if pass.stopped {
            state.stop_us = pass.stop_at_us;
        }
        state.store(&primary, |out| {
            let mut written = Lsn::ZERO;
            let mut keep = |header: crate::log::block::BlockHeader, bytes: &[u8]| {
                if header.lsn < first || header.lsn <= written {
                    return Ok(());
                }
                written = header.lsn;
                out.write_all(bytes)
                    .map_err(|e| StorageError::io("cannot write", state_path(&primary), e))
            };
            if kept && old_scan < state.reached {
                RestoreState::kept_blocks(&primary, &mut keep)?;
            }
            blocks_of(source, keep)
        })?;
        (self.step)(RestoreStep::RolledForward)?;
        Ok(Restored {
            database: None,
            set,
            files: files_of(&state.boot),
            ends_before_stop,
        })
    }

    fn replay_from(&self, state: &RestoreState) -> Replay {
        Replay {
            next_heap: state.boot.next_heap,
            next_transaction: state.boot.next_transaction,
            stop_at_us: state.stop_us.or(self.restore.stop_at.and_then(micros)),
            ..Replay::default()
        }
    }

    /// Whether a backup's log has a commit behind the point in time.
    fn meets_stop(&self, source: &BackupSource) -> Result<bool> {
        let Some(stop) = self.restore.stop_at.and_then(micros) else {
            return Ok(false);
        };
        let mut met = false;
        blocks_of(source, |header, bytes| {
            let mut at = crate::log::block::BLOCK_HEADER;
            for _ in 0..header.records {
                let Some((_, record, next)) = crate::log::record::decode(bytes, at) else {
                    break;
                };
                at = next;
                if let crate::log::record::Record::Commit { at_us } = record {
                    met |= at_us > stop;
                }
            }
            Ok(())
        })?;
        Ok(met)
    }

    fn recover(
        &mut self,
        mut state: RestoreState,
        source: Option<&BackupSource>,
        files: Files,
        kept: bool,
    ) -> Result<Arc<Database>> {
        let primary = primary_of(&state.boot);
        if state_path(&primary).exists() {
            // Taking back changes cannot be done twice: should it be cut short, the restore has to
            // begin again.
            state.recovering = true;
            state.mark(&primary)?;
        }
        state.boot.epoch += 1;
        let log = new_log(&mut state.boot, state.reached, files.log, self.options)?;
        let boot = state.boot.clone();
        let stop_at_us = state.stop_us.or(self.restore.stop_at.and_then(micros));
        let mut told = Ok(());
        let database = recover(
            BootPages::new(boot),
            files.data,
            log,
            self.options,
            Arc::clone(self.layer),
            |pass, log, pool| {
                pass.stop_at_us = stop_at_us;
                replay(pass, &state, source, log, pool, kept)?;
                if source.is_some() {
                    (self.step)(RestoreStep::RolledForward)?;
                }
                told = (self.step)(RestoreStep::Recovering);
                told.clone()
            },
        )?;
        RestoreState::remove(&primary);
        (self.step)(RestoreStep::Finished)?;
        Ok(database)
    }
}
