//! What a database tells about itself, in the terms of SQL Server's views.

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use crate::id::TransactionId;
use crate::log::lsn::Lsn;
use crate::log::reuse::LogReuseWait;
use crate::settings::{FileKind, Growth, RecoveryModel};

/// A file: `sys.database_files`.
#[derive(Clone, Debug)]
pub struct FileRow {
    /// The id: 1 is the primary data file, 2 the first log file, then in order of creation.
    pub file_id: u16,
    /// Rows or log.
    pub kind: FileKind,
    /// The logical name.
    pub name: String,
    /// The physical path.
    pub path: PathBuf,
    /// The size in bytes.
    pub size: u64,
    /// The declared growth.
    pub growth: Growth,
    /// The limit in bytes.
    pub max_size: Option<u64>,
    /// Bytes in allocated extents (data files) or in VLFs that are in use (log files).
    pub used: u64,
}

/// What was read from and written to a file since it was opened:
/// `sys.dm_io_virtual_file_stats`. Every I/O on the file is counted, except zeroing, which has
/// counters of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IoStats {
    /// Read calls.
    pub reads: u64,
    /// Bytes read.
    pub bytes_read: u64,
    /// Nanoseconds in read calls, summed over calls.
    pub read_stall_ns: u64,
    /// Write calls.
    pub writes: u64,
    /// Bytes written, as handed to the system: whole sectors for the log.
    pub bytes_written: u64,
    /// Nanoseconds in write and sync calls, summed over calls.
    pub write_stall_ns: u64,
    /// Sync calls.
    pub syncs: u64,
    /// Bytes of zeroes written at creation and growth, not part of `bytes_written`.
    pub bytes_zeroed: u64,
    /// Nanoseconds spent zeroing, not part of `write_stall_ns`.
    pub zeroing_ns: u64,
}

/// A file's I/O with the file it belongs to.
#[derive(Clone, Debug)]
pub struct FileStatsRow {
    /// The file's id.
    pub file_id: u16,
    /// Rows or log.
    pub kind: FileKind,
    /// The counters.
    pub io: IoStats,
    /// Bytes on disk now (a sparse file's are fewer than its size).
    pub size_on_disk: u64,
}

/// A virtual log file: `sys.dm_db_log_info`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VlfRow {
    /// The log file's id.
    pub file_id: u16,
    /// Where it begins in the file, in bytes.
    pub begin_offset: u64,
    /// Its size in bytes.
    pub size: u64,
    /// Its place in the log's order; 0 when it was never used.
    pub sequence_number: u32,
    /// Whether it holds log that is still needed.
    pub active: bool,
    /// 0 inactive, 1 initialised but unused, 2 active.
    pub status: u8,
    /// 64 or 128, changing with every reuse; 0 when never used.
    pub parity: u8,
    /// The first record's LSN, when it was ever used.
    pub first_lsn: Option<Lsn>,
    /// The LSN at which it was made; zero for those of the file's creation.
    pub create_lsn: Lsn,
}

/// The log as a whole: `sys.dm_db_log_stats`. Sizes are in bytes.
#[derive(Clone, Debug)]
pub struct LogStats {
    /// The configured recovery model.
    pub recovery_model: RecoveryModel,
    /// The oldest record that is still needed.
    pub log_min_lsn: Lsn,
    /// The LSN that the next record gets at the earliest.
    pub log_end_lsn: Lsn,
    /// Up to where the log is durable.
    pub log_flushed_lsn: Lsn,
    /// Up to where the last log backup went (exclusive).
    pub log_backup_lsn: Option<Lsn>,
    /// When that backup started.
    pub log_backup_time: Option<SystemTime>,
    /// The last checkpoint's begin record.
    pub log_checkpoint_lsn: Lsn,
    /// Where recovery would start.
    pub log_recovery_lsn: Lsn,
    /// The VLF being written.
    pub current_vlf_sequence_number: u32,
    /// Its size.
    pub current_vlf_size: u64,
    /// All VLFs.
    pub total_vlf_count: u64,
    /// Those in use.
    pub active_vlf_count: u64,
    /// Those that recovery would read.
    pub recovery_vlf_count: u64,
    /// The size of all log files.
    pub total_log_size: u64,
    /// The log from `log_min_lsn` to its end.
    pub active_log_size: u64,
    /// Log written since the last log backup (or the full backup that started the chain).
    pub log_since_last_log_backup: u64,
    /// Log written since the last checkpoint.
    pub log_since_last_checkpoint: u64,
    /// Log that recovery would read.
    pub log_recovery_size: u64,
    /// Why the log cannot be reused, as of the last attempt to truncate it.
    pub log_reuse_wait: LogReuseWait,
}

/// `sys.dm_db_log_space_usage`, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogSpace {
    /// The size of all log files.
    pub total: u64,
    /// The part that cannot be reused now, headers included.
    pub used: u64,
    /// Log written since the last log backup.
    pub since_last_backup: u64,
}

/// Counters of the database object that this layer counts, since the database was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Log blocks handed to the system ("Log Flushes").
    pub log_flushes: u64,
    /// Their bytes ("Log Bytes Flushed").
    pub log_bytes_flushed: u64,
    /// Commits that waited for a flush ("Log Flush Waits").
    pub log_flush_waits: u64,
    /// How long they waited, in nanoseconds ("Log Flush Wait Time").
    pub log_flush_wait_ns: u64,
    /// Time in log writes and their syncs, in nanoseconds ("Log Flush Write Time").
    pub log_flush_write_ns: u64,
    /// Sync calls on the log; one hardens several commits.
    pub log_syncs: u64,
    /// Growths of log files ("Log Growths").
    pub log_growths: u64,
    /// The bytes they added.
    pub log_growth_bytes: u64,
    /// Truncations that freed a VLF ("Log Truncations").
    pub log_truncations: u64,
    /// Transactions that wrote and committed ("Write Transactions").
    pub write_transactions: u64,
    /// Transactions begun ("Transactions").
    pub transactions: u64,
    /// Log records appended.
    pub log_records: u64,
    /// Their bytes, without block headers and padding.
    pub log_record_bytes: u64,
    /// Checkpoints finished.
    pub checkpoints: u64,
    /// Pages written by checkpoints ("Checkpoint pages/sec").
    pub checkpoint_pages: u64,
    /// Pages written to make room in the buffer pool ("Lazy writes/sec").
    pub lazy_writes: u64,
    /// Pages read ("Page reads/sec").
    pub page_reads: u64,
}

/// Where the backup chain stands: `sys.database_recovery_status`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecoveryStatus {
    /// The database's id for life.
    pub database_guid: u128,
    /// The family: the same in all its restored copies.
    pub family_guid: u128,
    /// The branch of its history: a restore without all of the log starts a new one.
    pub recovery_fork_guid: u128,
    /// Where the next log backup starts; `None` when none is possible (SIMPLE, or no full backup
    /// since).
    pub last_log_backup_lsn: Option<Lsn>,
}

/// An open transaction's log: `sys.dm_tran_database_transactions`.
#[derive(Clone, Copy, Debug)]
pub struct TransactionRow {
    /// The transaction.
    pub id: TransactionId,
    /// The log's end just before its first record.
    pub begin_lsn: Option<Lsn>,
    /// When it wrote first.
    pub begin_time: SystemTime,
    /// Its records.
    pub log_record_count: u64,
    /// Their bytes.
    pub log_bytes_used: u64,
    /// Bytes set aside to roll it back.
    pub log_bytes_reserved: u64,
}

/// What recovery did when the database was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RecoveryReport {
    /// Log bytes read.
    pub log_bytes: u64,
    /// Records read.
    pub records: u64,
    /// Records applied to pages.
    pub redone: u64,
    /// Transactions rolled back.
    pub rolled_back: u64,
    /// Changes taken back.
    pub undone: u64,
    /// How long analysis and redo took.
    pub redo_time: Duration,
    /// How long undo took.
    pub undo_time: Duration,
}
