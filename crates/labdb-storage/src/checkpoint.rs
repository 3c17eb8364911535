//! Checkpoints, log truncation, and the threads that do both in the background.
//!
//! A checkpoint logs its beginning, writes every page that is dirty at that moment, syncs the
//! data files, logs its end, and only then moves the boot record: redo starts at the begin
//! record, analysis at the first record of the oldest transaction that was open.
//!
//! An automatic checkpoint is due after [`crate::Options::checkpoint_log_bytes`] of log; where a
//! checkpoint truncates the log (SIMPLE, or no full backup yet) also when the log is 70 % full.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};

use parking_lot::{Condvar, Mutex};

use crate::boot::Boot;
use crate::database::Database;
use crate::error::{Result, StorageError};
use crate::log::flush::LazyWork;
use crate::log::lsn::Lsn;
use crate::log::record::{Record, SYSTEM};
use crate::log::reuse::LogReuseWait;
use crate::log::writer::Space;
use crate::undo::now_us;

/// Wakes the checkpoint thread.
#[derive(Default)]
pub(crate) struct CheckpointSignal {
    state: Mutex<SignalState>,
    changed: Condvar,
}

#[derive(Default)]
struct SignalState {
    due: bool,
    stop: bool,
}

impl CheckpointSignal {
    fn ask(&self) {
        self.state.lock().due = true;
        self.changed.notify_one();
    }

    pub(crate) fn stop(&self) {
        self.state.lock().stop = true;
        self.changed.notify_all();
    }

    /// True when a checkpoint is due, false when the database closes.
    fn wait(&self) -> bool {
        let mut state = self.state.lock();
        while !state.due && !state.stop {
            self.changed.wait(&mut state);
        }
        state.due = false;
        !state.stop
    }
}

/// Where a log stands when somebody wants to truncate it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Holders {
    /// Where analysis would start after a crash now.
    pub(crate) scan: Lsn,
    /// Where redo would start.
    pub(crate) redo: Lsn,
    /// The first record of the oldest open transaction.
    pub(crate) oldest_active: Option<Lsn>,
    /// Where the oldest running backup began.
    pub(crate) backup: Option<Lsn>,
    /// Where the next log backup starts, if the log is kept for one.
    pub(crate) log_backup: Option<Lsn>,
    /// The VLF being written.
    pub(crate) current_vlf: u32,
}

impl Holders {
    /// The oldest VLF that is needed, and what needs it. `NOTHING` when that is the VLF being
    /// written: every other one can be reused.
    pub(crate) fn decide(&self) -> (u32, LogReuseWait) {
        let recovery = if self.scan < self.redo && self.oldest_active.is_some_and(|a| a < self.redo)
        {
            LogReuseWait::ActiveTransaction
        } else {
            LogReuseWait::Checkpoint
        };
        let mut oldest = (self.scan.vlf_sequence(), recovery);
        let others = [
            (self.backup, LogReuseWait::ActiveBackupOrRestore),
            (self.log_backup, LogReuseWait::LogBackup),
        ];
        for (lsn, reason) in others {
            if let Some(lsn) = lsn
                && (lsn.vlf_sequence() < oldest.0
                    || (lsn.vlf_sequence() == oldest.0 && oldest.1 == LogReuseWait::Checkpoint))
            {
                oldest = (lsn.vlf_sequence(), reason);
            }
        }
        if oldest.0 >= self.current_vlf {
            oldest.1 = LogReuseWait::Nothing;
        }
        oldest
    }
}

impl Database {
    /// Takes a checkpoint; under SIMPLE (and FULL without a full backup) it truncates the log.
    ///
    /// # Errors
    /// `Io`, `LogFull`.
    pub fn checkpoint(&self) -> Result<()> {
        let _one = self.checkpointing.lock();
        self.check_open()?;
        let begin = self.log.append(
            SYSTEM,
            &Record::BeginCheckpoint { at_us: now_us() },
            Space::Reserved,
        )?;
        let dirty = self.pool.dirty();
        let (oldest, active) = {
            let table = self.active.lock();
            (table.values().map(|a| a.begin).min(), table.len())
        };
        let pages = self.pool.write_all(&dirty, &self.log)?;
        for file in &self.data_files {
            if let Err(error) = file.sync() {
                // What was written may be lost, and the system would call a second flush good. Only
                // redo knows what to write again.
                self.log.flusher.fail(error.clone());
                return Err(error);
            }
        }
        let scan = oldest.map_or(begin, |lsn| lsn.min(begin));
        let next_transaction = self.next_transaction.load(Ordering::SeqCst);
        let end = Record::EndCheckpoint {
            begin,
            redo: begin,
            scan,
            next_transaction,
            active: u32::try_from(active).unwrap_or(u32::MAX),
            dirty: u32::try_from(dirty.len()).unwrap_or(u32::MAX),
        };
        // The boot record moves only when the log is durable up to here: a transaction that ended
        // meanwhile is not among the open ones, so its end must be there after a crash.
        let end = self.log.append(SYSTEM, &end, Space::Reserved)?;
        self.log.harden(end)?;
        let next_heap = self.next_heap.load(Ordering::SeqCst);
        self.change_boot(|boot| {
            boot.checkpoint = begin;
            boot.redo = begin;
            boot.scan = scan;
            boot.next_heap = next_heap;
            boot.next_transaction = next_transaction;
            Ok(())
        })?;
        let totals = &self.totals;
        totals.checkpoints.fetch_add(1, Ordering::Relaxed);
        totals.checkpoint_pages.fetch_add(pages, Ordering::Relaxed);
        let sealed = self.log.append.lock().sealed_total;
        totals.sealed_at_checkpoint.store(sealed, Ordering::Relaxed);
        self.truncate_log();
        Ok(())
    }

    /// Marks VLFs that nobody needs as reusable and notes what holds the rest.
    pub(crate) fn truncate_log(&self) {
        let boot = self.boot.lock().boot.clone();
        let holders = self.holders(&boot);
        let (needed, wait) = holders.decide();
        if self.log.truncate(needed, wait) {
            self.log
                .counters
                .truncations
                .fetch_add(1, Ordering::Relaxed);
        }
        self.plan_checkpoint(boot.keeps_log());
    }

    pub(crate) fn holders(&self, boot: &Boot) -> Holders {
        let current_vlf = self.log.end().vlf_sequence();
        Holders {
            scan: boot.scan,
            redo: boot.redo,
            oldest_active: self.active.lock().values().map(|a| a.begin).min(),
            backup: self.backups.lock().values().copied().min(),
            log_backup: boot.last_log_backup.filter(|_| boot.keeps_log()),
            current_vlf,
        }
    }

    /// Why the log cannot be reused, as of the last attempt to truncate it.
    #[must_use]
    pub fn log_reuse_wait(&self) -> LogReuseWait {
        self.log.append.lock().reuse_wait
    }

    /// Sets when the next automatic checkpoint is due.
    pub(crate) fn plan_checkpoint(&self, keeps_log: bool) {
        let configured = self.options.checkpoint_log_bytes;
        let mut distance = if configured == 0 {
            u64::MAX
        } else {
            configured
        };
        if !keeps_log && configured != 0 {
            let append = self.log.append.lock();
            let total: u64 = append.vlfs.iter().map(|v| v.size).sum();
            let until_70 = append.free().saturating_sub(total / 10 * 3);
            // A log held by an open transaction would otherwise be checkpointed at every commit.
            distance = distance.min(until_70.max(total / 20));
        }
        let now = self.log.counters.bytes_flushed.load(Ordering::Relaxed);
        self.totals
            .checkpoint_due
            .store(now.saturating_add(distance), Ordering::Relaxed);
    }

    /// Wakes the checkpoint thread when enough log was written since the last one.
    pub(crate) fn ask_for_checkpoint_if_due(&self) {
        let due = self.totals.checkpoint_due.load(Ordering::Relaxed);
        if self.log.counters.bytes_flushed.load(Ordering::Relaxed) >= due {
            self.totals
                .checkpoint_due
                .store(u64::MAX, Ordering::Relaxed);
            self.signal.ask();
        }
    }

    /// Starts the background flush and the checkpoint thread. Both end with the database.
    ///
    /// # Errors
    /// `Io` when the system gives no thread.
    pub(crate) fn start_threads(self: &Arc<Self>) -> Result<()> {
        let flush = spawn("log writer", Arc::downgrade(self), flush_in_background)?;
        let checkpoint = spawn("checkpoint", Arc::downgrade(self), checkpoint_in_background)?;
        self.threads.lock().extend([flush, checkpoint]);
        Ok(())
    }
}

fn spawn(
    name: &str,
    database: Weak<Database>,
    work: fn(&Weak<Database>),
) -> Result<std::thread::JoinHandle<()>> {
    std::thread::Builder::new()
        .name(name.to_owned())
        .spawn(move || work(&database))
        .map_err(|e| StorageError::io("cannot start a thread for", name, e))
}

fn flush_in_background(database: &Weak<Database>) {
    let Some(flusher) = database.upgrade().map(|d| d.log.flusher.lazy_handle()) else {
        return;
    };
    let Some(interval) = database.upgrade().map(|d| d.options.lazy_flush_interval) else {
        return;
    };
    while flusher.wait_for_work(interval) == LazyWork::Flush {
        let Some(database) = database.upgrade() else {
            return;
        };
        // A failure is kept by the log and met by the next session that writes.
        let _ = database.log.harden_all();
        database.ask_for_checkpoint_if_due();
    }
}

fn checkpoint_in_background(database: &Weak<Database>) {
    let Some(signal) = database.upgrade().map(|d| Arc::clone(&d.signal)) else {
        return;
    };
    while signal.wait() {
        let Some(database) = database.upgrade() else {
            return;
        };
        if database.checkpoint().is_err() {
            let keeps_log = database.boot.lock().boot.keeps_log();
            database.plan_checkpoint(keeps_log);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lsn(vlf: u32) -> Lsn {
        Lsn::new(vlf, 16, 1)
    }

    const QUIET: Holders = Holders {
        scan: Lsn::new(40, 16, 1),
        redo: Lsn::new(40, 16, 1),
        oldest_active: None,
        backup: None,
        log_backup: None,
        current_vlf: 40,
    };

    #[test]
    fn what_holds_the_log_is_named_by_the_oldest_need() {
        let at_40 = Some(lsn(40));
        let at_35 = Some(lsn(35));
        let cases = [
            (
                "all in the VLF being written",
                QUIET,
                40,
                LogReuseWait::Nothing,
            ),
            (
                "no checkpoint since an older VLF",
                Holders {
                    scan: lsn(36),
                    redo: lsn(36),
                    ..QUIET
                },
                36,
                LogReuseWait::Checkpoint,
            ),
            (
                "a transaction open since an older VLF",
                Holders {
                    scan: lsn(34),
                    oldest_active: Some(lsn(34)),
                    ..QUIET
                },
                34,
                LogReuseWait::ActiveTransaction,
            ),
            (
                "a transaction that was open at the checkpoint and has ended",
                Holders {
                    scan: lsn(34),
                    ..QUIET
                },
                34,
                LogReuseWait::Checkpoint,
            ),
            (
                "log not backed up, in an older VLF",
                Holders {
                    log_backup: at_35,
                    ..QUIET
                },
                35,
                LogReuseWait::LogBackup,
            ),
            (
                "log not backed up, but all in the VLF being written",
                Holders {
                    log_backup: at_40,
                    ..QUIET
                },
                40,
                LogReuseWait::Nothing,
            ),
            (
                "a running backup",
                Holders {
                    backup: at_35,
                    log_backup: at_40,
                    ..QUIET
                },
                35,
                LogReuseWait::ActiveBackupOrRestore,
            ),
            (
                "backed up beyond the last checkpoint",
                Holders {
                    scan: lsn(36),
                    redo: lsn(36),
                    log_backup: at_40,
                    ..QUIET
                },
                36,
                LogReuseWait::Checkpoint,
            ),
        ];
        for (case, holders, vlf, wait) in cases {
            assert_eq!(holders.decide(), (vlf, wait), "{case}");
        }
    }
}
