//! The answers behind SQL Server's views of files, log, counters and transactions.

use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, UNIX_EPOCH};

use crate::allocation::EXTENT_BYTES;
use crate::database::Database;
use crate::log::lsn::Lsn;
use crate::log::vlf::{HEADER, Vlf};
use crate::log::writer::Append;
use crate::settings::FileKind;
use crate::views::{
    Counters, FileRow, FileStatsRow, LogSpace, LogStats, RecoveryStatus, TransactionRow, VlfRow,
};

impl Append {
    fn in_use(&self, index: usize) -> bool {
        index == self.current
            || self
                .vlfs
                .get(index)
                .is_some_and(|v| v.sequence != 0 && v.sequence >= self.needed)
    }

    fn used_vlf_bytes(&self, file: Option<usize>) -> u64 {
        (0..self.vlfs.len())
            .filter(|&i| self.in_use(i) && file.is_none_or(|f| f == self.vlfs[i].file))
            .map(|i| self.vlfs[i].size)
            .sum()
    }

    /// Log bytes, headers included, from `lsn` to the log's end.
    fn bytes_since(&self, lsn: Lsn) -> u64 {
        let end = self.next_lsn();
        self.vlfs
            .iter()
            .filter(|v| v.sequence >= lsn.vlf_sequence() && v.sequence <= end.vlf_sequence())
            .map(|v| {
                let from = if v.sequence == lsn.vlf_sequence() {
                    lsn.block()
                } else {
                    Vlf::FIRST_SECTOR
                };
                let to = if v.sequence == end.vlf_sequence() {
                    end.block()
                } else {
                    v.sectors()
                };
                u64::from(to.saturating_sub(from)) * 512
            })
            .sum()
    }

    fn vlfs_since(&self, lsn: Lsn) -> u64 {
        self.vlfs
            .iter()
            .filter(|v| v.sequence >= lsn.vlf_sequence().max(1))
            .count() as u64
    }
}

impl Database {
    /// The files.
    #[must_use]
    pub fn files(&self) -> Vec<FileRow> {
        let mut files = self.boot.lock().boot.files.clone();
        files.sort_by_key(|f| f.file_id);
        let append = self.log.append.lock();
        let space = self.space.lock();
        files
            .into_iter()
            .map(|file| {
                let used = match file.kind {
                    FileKind::Rows => space
                        .iter()
                        .find(|f| f.file_id == file.file_id)
                        .map_or(0, |f| u64::from(f.total() - f.free) * EXTENT_BYTES),
                    FileKind::Log => {
                        let index = self
                            .log
                            .files
                            .iter()
                            .position(|f| f.file_id == file.file_id);
                        HEADER + append.used_vlf_bytes(index)
                    }
                };
                FileRow {
                    file_id: file.file_id,
                    kind: file.kind,
                    name: file.name,
                    path: file.path,
                    size: file.size,
                    growth: file.growth,
                    max_size: file.max_size,
                    used,
                }
            })
            .collect()
    }

    /// What was read and written, per file.
    #[must_use]
    pub fn file_stats(&self) -> Vec<FileStatsRow> {
        let data = self.data_files.iter().map(|f| (FileKind::Rows, f));
        let log = self.log.files.iter().map(|f| (FileKind::Log, f));
        let mut rows: Vec<FileStatsRow> = data
            .chain(log)
            .map(|(kind, file)| FileStatsRow {
                file_id: file.file_id,
                kind,
                io: file.stats(),
                size_on_disk: file.size_on_disk(),
            })
            .collect();
        rows.sort_by_key(|row| row.file_id);
        rows
    }

    /// The VLFs, in order of file and offset.
    #[must_use]
    pub fn vlfs(&self) -> Vec<VlfRow> {
        let append = self.log.append.lock();
        let mut rows: Vec<VlfRow> = (0..append.vlfs.len())
            .map(|index| {
                let vlf = &append.vlfs[index];
                let active = append.in_use(index);
                VlfRow {
                    file_id: self.log.files[vlf.file].file_id,
                    begin_offset: vlf.offset,
                    size: vlf.size,
                    sequence_number: vlf.sequence,
                    active,
                    status: if active { 2 } else { 0 },
                    parity: vlf.parity,
                    first_lsn: (vlf.sequence != 0)
                        .then(|| Lsn::new(vlf.sequence, Vlf::FIRST_SECTOR, 1)),
                    create_lsn: vlf.create_lsn,
                }
            })
            .collect();
        rows.sort_by_key(|row| (row.file_id, row.begin_offset));
        rows
    }

    /// The log as a whole.
    #[must_use]
    pub fn log_stats(&self) -> LogStats {
        let boot = self.boot.lock().boot.clone();
        let holders = self.holders(&boot);
        let log_min_lsn = [Some(holders.scan), holders.backup, holders.log_backup]
            .into_iter()
            .flatten()
            .min()
            .unwrap_or(holders.scan);
        let append = self.log.append.lock();
        let current = append.vlfs[append.current];
        let since = |then: u64| append.sealed_total.saturating_sub(then);
        LogStats {
            recovery_model: boot.recovery_model,
            log_min_lsn,
            log_end_lsn: append.next_lsn(),
            log_flushed_lsn: self.log.flusher.flushed(),
            log_backup_lsn: boot.last_log_backup,
            log_backup_time: boot
                .last_log_backup_us
                .map(|us| UNIX_EPOCH + Duration::from_micros(us)),
            log_checkpoint_lsn: boot.checkpoint,
            log_recovery_lsn: boot.scan,
            current_vlf_sequence_number: current.sequence,
            current_vlf_size: current.size,
            total_vlf_count: append.vlfs.len() as u64,
            active_vlf_count: (0..append.vlfs.len()).filter(|&i| append.in_use(i)).count() as u64,
            recovery_vlf_count: append.vlfs_since(boot.scan),
            total_log_size: boot
                .files
                .iter()
                .filter(|f| f.kind == FileKind::Log)
                .map(|f| f.size)
                .sum(),
            active_log_size: append.bytes_since(log_min_lsn),
            log_since_last_log_backup: match boot.last_log_backup {
                Some(lsn) => append.bytes_since(lsn),
                None => 0,
            },
            log_since_last_checkpoint: since(self.totals.sealed_at_checkpoint.load(Relaxed)),
            log_recovery_size: append.bytes_since(boot.scan),
            log_reuse_wait: append.reuse_wait,
        }
    }

    /// How full the log is.
    #[must_use]
    pub fn log_space(&self) -> LogSpace {
        let boot = self.boot.lock().boot.clone();
        let total = boot
            .files
            .iter()
            .filter(|f| f.kind == FileKind::Log)
            .map(|f| f.size)
            .sum();
        let append = self.log.append.lock();
        LogSpace {
            total,
            used: total.saturating_sub(append.free()),
            since_last_backup: boot
                .last_log_backup
                .map_or(0, |lsn| append.bytes_since(lsn)),
        }
    }

    /// Counters since the database was opened.
    #[must_use]
    pub fn counters(&self) -> Counters {
        let log = &self.log.counters;
        let totals = &self.totals;
        Counters {
            log_flushes: log.flushes.load(Relaxed),
            log_bytes_flushed: log.bytes_flushed.load(Relaxed),
            log_flush_waits: log.flush_waits.load(Relaxed),
            log_flush_wait_ns: log.flush_wait_ns.load(Relaxed),
            log_flush_write_ns: log.flush_write_ns.load(Relaxed),
            log_syncs: log.syncs.load(Relaxed),
            log_growths: log.growths.load(Relaxed),
            log_growth_bytes: log.growth_bytes.load(Relaxed),
            log_truncations: log.truncations.load(Relaxed),
            write_transactions: totals.write_transactions.load(Relaxed),
            transactions: totals.transactions.load(Relaxed),
            log_records: log.records.load(Relaxed),
            log_record_bytes: log.record_bytes.load(Relaxed),
            checkpoints: totals.checkpoints.load(Relaxed),
            checkpoint_pages: totals.checkpoint_pages.load(Relaxed),
            lazy_writes: self.pool.lazy_writes.load(Relaxed),
            page_reads: self.pool.page_reads.load(Relaxed),
        }
    }

    /// Where the backup chain stands.
    #[must_use]
    pub fn recovery_status(&self) -> RecoveryStatus {
        let pages = self.boot.lock();
        RecoveryStatus {
            database_guid: pages.boot.database_guid,
            family_guid: pages.boot.family_guid,
            recovery_fork_guid: pages.boot.recovery_fork_guid,
            last_log_backup_lsn: pages
                .boot
                .last_log_backup
                .filter(|_| pages.boot.keeps_log()),
        }
    }

    /// Transactions that have written and are open.
    #[must_use]
    pub fn transactions(&self) -> Vec<TransactionRow> {
        let table = self.active.lock();
        let mut rows: Vec<TransactionRow> = table
            .iter()
            .map(|(&id, active)| TransactionRow {
                id,
                begin_lsn: Some(active.begin),
                begin_time: active.begin_time,
                log_record_count: active.records.load(Relaxed),
                log_bytes_used: active.bytes.load(Relaxed),
                log_bytes_reserved: active.reserved.load(Relaxed),
            })
            .collect();
        rows.sort_by_key(|row| row.id);
        rows
    }
}
