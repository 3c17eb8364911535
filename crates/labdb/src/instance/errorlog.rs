//! The error log: a file of lines, and the six before it.

use super::{Database, Instance};
use crate::eval::calendar::{self, Moment};
use labdb_storage::Options;
use labdb_types::{SqlError, SqlResult};
use parking_lot::Mutex;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};

/// Logs that are kept besides the current one, as in SQL Server.
const ARCHIVES: usize = 6;
/// Ticks of 100 ns in a hundredth of a second, which is what a line's time has.
const HUNDREDTH: i64 = 100_000;
/// `2026-11-30 18:33:53.21 spid51      `.
const STAMP: usize = 22;
const PROCESS: usize = 11;

/// One line; a text of several lines is several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogEntry {
    /// When, in the server's local time.
    pub at: Moment,
    /// `spid51`, or `Server`.
    pub process: String,
    /// What.
    pub text: String,
}

/// The log that is written.
pub(crate) struct ErrorLog {
    folder: PathBuf,
    file: Mutex<std::fs::File>,
}

impl ErrorLog {
    /// Begins a new log; the one before becomes `errorlog.1`, and so on.
    pub(super) fn open(folder: &Path) -> SqlResult<Self> {
        let file = begin(folder)?;
        Ok(Self {
            folder: folder.to_owned(),
            file: Mutex::new(file),
        })
    }

    /// Begins a new log while the server runs (`sp_cycle_errorlog`).
    pub(super) fn cycle(&self) -> SqlResult<()> {
        let mut file = self.file.lock();
        *file = begin(&self.folder)?;
        Ok(())
    }

    pub(crate) fn write(&self, spid: i16, text: &str) {
        let process = if spid == 0 {
            "Server".to_owned()
        } else {
            format!("spid{spid}")
        };
        // Under the lock, so that times never run back from line to line.
        let mut file = self.file.lock();
        let at = calendar::now_local();
        let (year, month, day) = calendar::date_from_days(at.days);
        let hundredths = at.ticks / HUNDREDTH;
        let seconds = hundredths / 100;
        let mut lines = String::new();
        for text in text.lines() {
            let line = format!(
                "{year:04}-{month:02}-{day:02} {:02}:{:02}:{:02}.{:02} {process:<PROCESS$} {text}\n",
                seconds / 3600,
                seconds / 60 % 60,
                seconds % 60,
                hundredths % 100
            );
            lines.push_str(&line);
        }
        // A log that cannot be written must not stop the server.
        let _ = file.write_all(lines.as_bytes());
    }

    /// The lines of a log: 0 is the current one, 1 the one before.
    pub(super) fn read(&self, number: u32) -> std::io::Result<Vec<LogEntry>> {
        let file = std::fs::File::open(path(&self.folder, number as usize))?;
        let mut entries: Vec<LogEntry> = Vec::new();
        for line in BufReader::new(file).split(b'\n') {
            let line = line?;
            let line = String::from_utf8_lossy(&line);
            if let Some(entry) = parse(&line) {
                entries.push(entry);
            }
        }
        Ok(entries)
    }
}

impl Instance {
    /// Writes a line to the error log.
    pub fn log_error(&self, spid: i16, text: &str) {
        self.log.write(spid, text);
    }

    /// Writes what recovery did, where there was anything to do.
    pub fn log_recovery(&self, spid: i16, database: &Database) {
        let report = database.storage.recovery_report();
        if report.records == 0 {
            return;
        }
        let (name, id) = (database.name(), database.id);
        let spent = report.redo_time + report.undo_time;
        self.log_error(
            spid,
            &format!(
                "{} transactions rolled back in database '{name}' ({id}:0). This is an \
                 informational message only. No user action is required.",
                report.rolled_back
            ),
        );
        // Analysis and redo are one pass over the log, and count as redo.
        self.log_error(
            spid,
            &format!(
                "Recovery completed for database {name} (database ID {id}) in {} second(s) \
                 (analysis 0 ms, redo {} ms, undo {} ms.) This is an informational message only. \
                 No user action is required.",
                spent.as_secs(),
                report.redo_time.as_millis(),
                report.undo_time.as_millis()
            ),
        );
    }

    /// Begins a new error log.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn cycle_log(&self) -> SqlResult<()> {
        self.log.cycle()
    }

    /// The lines of an error log: 0 is the current one, 1 the one before.
    ///
    /// # Errors
    /// When there is none of this number.
    pub fn log_entries(&self, number: u32) -> std::io::Result<Vec<LogEntry>> {
        self.log.read(number)
    }
}

/// What the log says at a start about instant file initialization.
pub(super) fn file_initialization(options: &Options) -> String {
    format!(
        "Database Instant File Initialization: {}. For security and performance considerations see \
         the topic 'Database Instant File Initialization' in SQL Server Books Online. This is an \
         informational message only. No user action is required.",
        if options.instant_file_initialization {
            "enabled"
        } else {
            "disabled"
        }
    )
}

fn path(folder: &Path, number: usize) -> PathBuf {
    match number {
        0 => folder.join("errorlog"),
        n => folder.join(format!("errorlog.{n}")),
    }
}

fn begin(folder: &Path) -> SqlResult<std::fs::File> {
    let current = path(folder, 0);
    let failed = |e: std::io::Error| {
        SqlError::new(
            17058,
            format!(
                "The error log '{}' cannot be opened: {e}. Check the folder's permissions and free \
                 space.",
                current.display()
            ),
        )
    };
    for number in (0..ARCHIVES).rev() {
        match std::fs::rename(path(folder, number), path(folder, number + 1)) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => return Err(failed(e)),
            _ => {}
        }
    }
    std::fs::File::create(&current).map_err(failed)
}

/// A line of the log; `None` for what is none.
fn parse(line: &str) -> Option<LogEntry> {
    let number = |from: usize, to: usize| line.get(from..to)?.parse::<i32>().ok();
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    let hundredths = number(20, 22)?;
    let hundredths = i64::from(((hour * 60 + minute) * 60 + second) * 100 + hundredths);
    let rest = line.get(STAMP + 1..)?;
    let (process, text) = rest.split_once(' ')?;
    // The process is padded.
    let padding = PROCESS.saturating_sub(process.len());
    Some(LogEntry {
        at: Moment {
            days: calendar::days_from_date(year, month, day)?,
            ticks: hundredths * HUNDREDTH,
            ..calendar::now_local()
        },
        process: process.to_owned(),
        text: text.get(padding..).unwrap_or_default().to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read_back_and_old_logs_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let log = ErrorLog::open(folder.path()).unwrap();
        log.write(51, "first");
        log.write(0, "two\nlines");
        log.cycle().unwrap();
        log.write(52, "  indented text ");
        let texts = |number| -> Vec<(String, String)> {
            let entries = log.read(number).unwrap();
            entries.into_iter().map(|e| (e.process, e.text)).collect()
        };
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(texts(0), [pair("spid52", "  indented text ")]);
        assert_eq!(
            texts(1),
            [
                pair("spid51", "first"),
                pair("Server", "two"),
                pair("Server", "lines")
            ]
        );
        for _ in 0..10 {
            log.cycle().unwrap();
        }
        assert!(log.read(6).is_ok() && log.read(7).is_err());
    }

    #[test]
    fn a_time_is_read_to_the_hundredth() {
        let entry = parse("2026-11-30 18:33:53.21 spid51      Starting up database 'd'.").unwrap();
        assert_eq!(calendar::date_from_days(entry.at.days), (2026, 11, 30));
        assert_eq!(
            entry.at.ticks,
            (((18 * 60 + 33) * 60 + 53) * 100 + 21) * 100_000
        );
        assert_eq!(entry.text, "Starting up database 'd'.");
        assert!(parse("no line").is_none());
    }
}
