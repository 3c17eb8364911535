//! The error log: a file of lines, and the same in memory for `sp_readerrorlog`.

use crate::eval::calendar::{self, Moment};
use labdb_types::{SqlError, SqlResult};
use parking_lot::Mutex;
use std::io::Write as _;
use std::path::Path;

/// The most lines that are kept in memory.
const KEPT: usize = 20_000;

/// One line.
#[derive(Clone, Debug)]
pub struct LogEntry {
    /// When, in the server's local time.
    pub at: Moment,
    /// `spid51`, or `Server`.
    pub process: String,
    /// What.
    pub text: String,
}

/// The log since the start.
pub(super) struct ErrorLog {
    file: Mutex<std::fs::File>,
    entries: Mutex<Vec<LogEntry>>,
}

impl ErrorLog {
    /// Begins a new log; the one before becomes `errorlog.1`.
    pub(super) fn open(folder: &Path) -> SqlResult<Self> {
        let path = folder.join("errorlog");
        let failed = |e: std::io::Error| {
            SqlError::new(
                17058,
                format!(
                    "The error log '{}' cannot be opened: {e}. Check the folder's permissions and \
                     free space.",
                    path.display()
                ),
            )
        };
        if path.exists() {
            std::fs::rename(&path, folder.join("errorlog.1")).map_err(failed)?;
        }
        let file = std::fs::File::create(&path).map_err(failed)?;
        Ok(Self {
            file: Mutex::new(file),
            entries: Mutex::new(Vec::new()),
        })
    }

    pub(super) fn write(&self, spid: i16, text: &str) {
        let at = calendar::now_local();
        let process = if spid == 0 {
            "Server".to_owned()
        } else {
            format!("spid{spid}")
        };
        let (year, month, day) = calendar::date_from_days(at.days);
        let hundredths = at.ticks / 100_000;
        let seconds = hundredths / 100;
        let line = format!(
            "{year:04}-{month:02}-{day:02} {:02}:{:02}:{:02}.{:02} {process:<11} {text}\n",
            seconds / 3600,
            seconds / 60 % 60,
            seconds % 60,
            hundredths % 100
        );
        // A log that cannot be written must not stop the server; the line stays in memory.
        let _ = self.file.lock().write_all(line.as_bytes());
        let mut entries = self.entries.lock();
        if entries.len() >= KEPT {
            entries.drain(..KEPT / 10);
        }
        entries.push(LogEntry {
            at,
            process,
            text: text.to_owned(),
        });
    }

    pub(super) fn entries(&self) -> Vec<LogEntry> {
        self.entries.lock().clone()
    }
}
