//! Making files larger, by themselves or when told, and finding room in the log.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use crate::database::Database;
use crate::error::{Result, StorageError};
use crate::extents::grown_size;
use crate::log::lsn::Lsn;
use crate::log::reuse::LogReuseWait;
use crate::log::vlf::{self, Vlf};
use crate::log::writer::BUFFER_BYTES;
use crate::page::PAGE;
use crate::settings::{FileKind, Growth};
use crate::wait::{WaitObserver, WaitType};

impl Database {
    /// Does an operation that writes log; when the log is full, makes room and does it again.
    /// Called without latches, because a checkpoint needs them.
    pub(crate) fn with_log_space<T>(
        &self,
        waits: &Arc<dyn WaitObserver>,
        mut operation: impl FnMut() -> Result<T>,
    ) -> Result<T> {
        self.check_open()?;
        if self.log.pending_bytes.load(Ordering::Relaxed) > BUFFER_BYTES {
            let waited = self.log.harden_all()?;
            waits.waited(WaitType::LogBuffer, waited);
        }
        loop {
            let before = self.log.append.lock().free();
            match operation() {
                Err(StorageError::LogFull { .. }) => {
                    let start = Instant::now();
                    let grown = self.make_log_space(before)?;
                    if grown {
                        waits.waited(WaitType::WriteFileGather, start.elapsed());
                    }
                }
                done => return done,
            }
        }
    }

    /// Frees log by a checkpoint where that can help, or grows it (then true).
    fn make_log_space(&self, before: u64) -> Result<bool> {
        let _growing = self.growing.lock();
        if self.log.append.lock().free() > before {
            return Ok(false);
        }
        let boot = self.boot.lock().boot.clone();
        let (_, holder) = self.holders(&boot).decide();
        if !matches!(
            holder,
            LogReuseWait::LogBackup | LogReuseWait::ActiveBackupOrRestore
        ) {
            match self.checkpoint() {
                // Not even its own records had room.
                Ok(()) | Err(StorageError::LogFull { .. }) => {}
                Err(error) => return Err(error),
            }
            if self.log.append.lock().free() > before {
                return Ok(false);
            }
        }
        let candidate = boot
            .files
            .iter()
            .filter(|f| f.kind == FileKind::Log)
            .find_map(|f| Some((f.name.clone(), grown_size(f.size, f.growth, f.max_size)?)));
        let Some((name, size)) = candidate else {
            self.truncate_log();
            let reuse_wait = self.log_reuse_wait();
            return Err(StorageError::LogFull { reuse_wait });
        };
        if let Err(error) = self.resize_file(&name, size) {
            if !error.is_full_disk() {
                return Err(error);
            }
            let reuse_wait = self.log_reuse_wait();
            return Err(StorageError::LogFull { reuse_wait });
        }
        self.log.counters.growths.fetch_add(1, Ordering::Relaxed);
        Ok(true)
    }

    /// Enlarges a file to `size` bytes, or changes its growth or limit (MODIFY FILE). A file never
    /// shrinks.
    ///
    /// # Errors
    /// `Invalid` for an unknown name or a smaller size; `Io`.
    pub fn modify_file(
        &self,
        name: &str,
        size: Option<u64>,
        growth: Option<Growth>,
        max_size: Option<Option<u64>>,
    ) -> Result<()> {
        self.check_open()?;
        let _growing = self.growing.lock();
        let current = {
            let boot = self.boot.lock();
            let file = boot.boot.files.iter().find(|f| f.name == name);
            file.map(|f| f.size)
                .ok_or_else(|| StorageError::Invalid(format!("there is no file named {name}")))?
        };
        if let Some(size) = size {
            if size < current {
                return Err(StorageError::Invalid(format!(
                    "file {name} has {current} bytes already and cannot shrink to {size}"
                )));
            }
            if size > current {
                self.resize_file(name, size)?;
            }
        }
        self.change_boot(|boot| {
            if let Some(file) = boot.files.iter_mut().find(|f| f.name == name) {
                file.growth = growth.unwrap_or(file.growth);
                file.max_size = max_size.unwrap_or(file.max_size);
            }
            Ok(())
        })
    }

    /// Extends a file: on disk, in the boot record, then for use. The caller holds `growing`.
    pub(crate) fn resize_file(&self, name: &str, size: u64) -> Result<()> {
        let Some(file) = self
            .boot
            .lock()
            .boot
            .files
            .iter()
            .find(|f| f.name == name)
            .cloned()
        else {
            return Err(StorageError::Invalid(format!(
                "there is no file named {name}"
            )));
        };
        let size = size / PAGE as u64 * PAGE as u64;
        let more = size.saturating_sub(file.size);
        if file.kind == FileKind::Rows {
            if let Some(data) = self.data_files.iter().find(|f| f.file_id == file.file_id) {
                if self.options.initializes_instantly() {
                    data.extend(size)?;
                } else {
                    crate::zeroing::zero(data, file.size, more, &self.options)?;
                }
            }
            self.note_size(name, size, None)?;
            let mut space = self.space.lock();
            if let Some(free) = space.iter_mut().find(|f| f.file_id == file.file_id) {
                free.grow(size);
            }
            return Ok(());
        }
        let Some(index) = self
            .log
            .files
            .iter()
            .position(|f| f.file_id == file.file_id)
        else {
            return Ok(());
        };
        crate::zeroing::zero(&self.log.files[index], file.size, more, &self.options)?;
        let total = self.log.append.lock().vlfs.iter().map(|v| v.size).sum();
        let count = vlf::vlfs_at_growth(total, more);
        self.note_size(name, size, Some((file.file_id, more, count)))?;
        self.log
            .add_vlfs(lay_out(index, file.size, &vlf::cut(more, count)));
        self.log
            .counters
            .growth_bytes
            .fetch_add(more, Ordering::Relaxed);
        Ok(())
    }

    fn note_size(&self, name: &str, size: u64, vlfs: Option<(u16, u64, u64)>) -> Result<()> {
        self.change_boot(|boot| {
            if let Some(file) = boot.files.iter_mut().find(|f| f.name == name) {
                file.size = size;
            }
            if let Some((file_id, bytes, count)) = vlfs {
                boot.add_vlfs(file_id, bytes, count);
            }
            Ok(())
        })
    }
}

/// VLFs of these sizes, one after the other from `offset` on.
pub(crate) fn lay_out(file: usize, offset: u64, sizes: &[u64]) -> Vec<Vlf> {
    let mut at = offset;
    sizes
        .iter()
        .map(|&size| {
            let vlf = Vlf {
                file,
                offset: at,
                size,
                sequence: 0,
                parity: 0,
                create_lsn: Lsn::ZERO,
            };
            at += size;
            vlf
        })
        .collect()
}
