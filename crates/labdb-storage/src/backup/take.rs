//! Taking backups.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::backup::fault::RestoreFault;
use crate::backup::media::{MediaHeader, MediaWriter, Tag};
use crate::backup::{BackupKind, BackupOptions, BackupSet, BackupTarget, Progress};
use crate::database::Database;
use crate::error::{Result, StorageError};
use crate::lifecycle::new_guid;
use crate::log::lsn::Lsn;
use crate::settings::RecoveryModel;
use crate::undo::now_us;

/// Holds the log from a place on for as long as it lives.
struct LogHold<'a> {
    database: &'a Database,
    number: u64,
}

impl Drop for LogHold<'_> {
    fn drop(&mut self) {
        self.database.backups.lock().remove(&self.number);
    }
}

impl Database {
    fn hold_log(&self, from: Lsn) -> LogHold<'_> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        self.backups.lock().insert(number, from);
        LogHold {
            database: self,
            number,
        }
    }

    fn new_set(&self, kind: BackupKind, options: &BackupOptions) -> BackupSet {
        let pages = self.boot.lock();
        let now = crate::clock::now();
        BackupSet {
            kind,
            first_lsn: pages.boot.scan,
            last_lsn: pages.boot.scan,
            checkpoint_lsn: pages.boot.checkpoint,
            database_backup_lsn: pages.boot.last_full_backup,
            started: now,
            finished: now,
            backup_size: 0,
            stored_size: 0,
            compressed: options.compress,
            has_checksums: options.checksum,
            position: 1,
            file_pages: Vec::new(),
            differential_base: None,
            begins_log_chain: false,
            family_guid: pages.boot.family_guid,
            media_set_guid: 0,
            notes: options.notes.clone(),
            data_pages: 0,
            log_bytes: 0,
            database_guid: pages.boot.database_guid,
            recovery_fork_guid: pages.boot.recovery_fork_guid,
            backup_set_guid: new_guid(),
            copy_only: options.copy_only,
            name: options.name.clone(),
        }
    }

    /// A full backup: allocated pages and the log to make them consistent. Takes a checkpoint.
    /// Unless it is copy-only (or the model is SIMPLE) it starts the log chain where there is none.
    ///
    /// # Errors
    /// `Io`, `DamagedPage`; `Restore` when the file has something else in it.
    pub fn backup_full(&self, target: &BackupTarget, options: &BackupOptions) -> Result<BackupSet> {
        self.backup_pages(BackupKind::Full, target, options, &mut |_, _| Ok(()))
    }

    /// A full or differential backup that tells how far it is. A differential one has the extents
    /// changed since the last full backup that was not copy-only.
    ///
    /// # Errors
    /// As [`Self::backup_full`], and those of `progress`.
    pub fn backup_pages(
        &self,
        kind: BackupKind,
        target: &BackupTarget,
        options: &BackupOptions,
        progress: Progress<'_>,
    ) -> Result<BackupSet> {
        self.check_open()?;
        let base = {
            let pages = self.boot.lock();
            pages.boot.last_full_backup.zip(pages.boot.last_full_guid)
        };
        let base = match (kind, base) {
            (BackupKind::Differential, None) => return Err(RestoreFault::NoBase.into()),
            (BackupKind::Differential, base) => base,
            _ => None,
        };
        // The log is held before the checkpoint, so that no truncation can come between.
        let _hold = self.hold_log(self.boot.lock().boot.scan);
        self.checkpoint()?;
        let mut media = MediaWriter::open(target, options.init, options.compress)?;
        let mut set = self.new_set(kind, options);
        set.differential_base = base;
        self.begin_set(&mut set, &mut media)?;
        set.file_pages = self.copy_pages(base.map(|(lsn, _)| lsn), &mut media, progress)?;
        set.data_pages = set.file_pages.iter().map(|(_, pages)| pages).sum();
        self.log.harden_all()?;
        set.last_lsn = self.log.flusher.flushed();
        set.log_bytes = self.copy_log(set.first_lsn, set.last_lsn, &mut media)?;
        let full = kind == BackupKind::Full && !options.copy_only;
        set.begins_log_chain = full && {
            let boot = &self.boot.lock().boot;
            boot.recovery_model != RecoveryModel::Simple && boot.last_log_backup.is_none()
        };
        self.finish(&mut set, media)?;
        if full {
            self.change_boot(|boot| {
                boot.last_full_backup = Some(set.checkpoint_lsn);
                boot.last_full_guid = Some(set.backup_set_guid);
                if set.begins_log_chain && boot.last_log_backup.is_none() {
                    boot.last_log_backup = Some(set.last_lsn);
                }
                Ok(())
            })?;
        }
        Ok(set)
    }

    /// A log backup: all that is hardened since the last one. Truncates the log up to what a
    /// checkpoint has passed, unless it is copy-only.
    ///
    /// # Errors
    /// `NoLogBackup` under SIMPLE or before the first full backup; `Io`.
    pub fn backup_log(&self, target: &BackupTarget, options: &BackupOptions) -> Result<BackupSet> {
        self.check_open()?;
        let _one = self.log_backup.lock();
        let started_us = now_us();
        let mut set = self.new_set(BackupKind::Log, options);
        set.first_lsn = {
            let pages = self.boot.lock();
            if pages.boot.recovery_model == RecoveryModel::Simple {
                return Err(StorageError::NoLogBackup("the recovery model is SIMPLE"));
            }
            pages.boot.last_log_backup.ok_or(StorageError::NoLogBackup(
                "there is no current full backup of the database: take one first",
            ))?
        };
        let hold = self.hold_log(set.first_lsn);
        let mut media = MediaWriter::open(target, options.init, options.compress)?;
        self.begin_set(&mut set, &mut media)?;
        self.log.harden_all()?;
        set.last_lsn = self.log.flusher.flushed();
        set.log_bytes = self.copy_log(set.first_lsn, set.last_lsn, &mut media)?;
        self.finish(&mut set, media)?;
        drop(hold);
        if !options.copy_only {
            self.change_boot(|boot| {
                // The chain may have been ended meanwhile, by a change to SIMPLE.
                if boot.last_log_backup.is_some() {
                    boot.last_log_backup = Some(set.last_lsn);
                    boot.last_log_backup_us = Some(started_us);
                }
                Ok(())
            })?;
            self.truncate_log();
        }
        Ok(set)
    }

    fn begin_set(&self, set: &mut BackupSet, media: &mut MediaWriter) -> Result<()> {
        set.position = media.position;
        set.media_set_guid = media.label.media_set_guid;
        let header = MediaHeader {
            set: set.clone(),
            boot: self.boot.lock().boot.clone(),
        };
        media.json(Tag::Header, &header)
    }

    /// Ends a backup with the final figures, and the files as they are now: they may have grown.
    fn finish(&self, set: &mut BackupSet, media: MediaWriter) -> Result<()> {
        set.finished = crate::clock::now();
        set.backup_size = media.bytes;
        set.stored_size = media.stored;
        let boot = self.boot.lock().boot.clone();
        media.finish(&MediaHeader {
            set: set.clone(),
            boot,
        })
    }
}
