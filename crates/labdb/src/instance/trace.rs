//! Trace flags: 1806, which has data files zeroed, and what 3004 with 3605 writes into the error log,
//! zeroing and the phases of backups and restores.

use super::errorlog::ErrorLog;
use labdb_storage::{Zeroing, ZeroingObserver};
use parking_lot::Mutex;
use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Tells what backups, restores and zeroing do.
const BACKUP_PROGRESS: i32 = 3004;
/// Sends trace output to the error log.
const TO_ERROR_LOG: i32 = 3605;
/// Zeroes data files although initialization is instant.
const ZERO_DATA_FILES: i32 = 1806;

thread_local! {
    /// The session that this thread serves; 0 for none.
    static SESSION: Cell<i16> = const { Cell::new(0) };
    /// Trace flags that are on in this thread's session only.
    static OWN: RefCell<Vec<i32>> = const { RefCell::new(Vec::new()) };
}

/// From now on this thread works for a session.
pub(crate) fn serve_session(id: i16) {
    SESSION.with(|session| session.set(id));
}

/// The trace flags of the instance and of the thread's own session.
#[derive(Default)]
pub struct TraceFlags {
    global: Mutex<Vec<i32>>,
    /// Whether 1806 is on everywhere.
    zero_data_files: Arc<AtomicBool>,
}

impl TraceFlags {
    /// Follows trace flag 1806, for those that make files.
    pub(super) fn zero_data_files(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.zero_data_files)
    }

    /// Turns a flag on or off, everywhere or in this thread's session.
    pub fn set(&self, flag: i32, global: bool, on: bool) {
        let change = |flags: &mut Vec<i32>| {
            flags.retain(|f| *f != flag);
            if on {
                flags.push(flag);
                flags.sort_unstable();
            }
        };
        if global {
            change(&mut self.global.lock());
            if flag == ZERO_DATA_FILES {
                self.zero_data_files.store(on, Ordering::Relaxed);
            }
        } else {
            OWN.with_borrow_mut(change);
        }
    }

    /// Whether it is on everywhere, and in this thread's session.
    pub fn status(&self, flag: i32) -> (bool, bool) {
        (
            self.global.lock().contains(&flag),
            OWN.with_borrow(|flags| flags.contains(&flag)),
        )
    }

    /// All flags that are on.
    pub fn all(&self) -> Vec<i32> {
        let mut flags = self.global.lock().clone();
        OWN.with_borrow(|own| flags.extend(own));
        flags.sort_unstable();
        flags.dedup();
        flags
    }

    fn is_on(&self, flag: i32) -> bool {
        let (global, own) = self.status(flag);
        global || own
    }

    fn traces(&self) -> bool {
        self.is_on(BACKUP_PROGRESS) && self.is_on(TO_ERROR_LOG)
    }
}

/// Writes progress into the error log while the trace flags say so.
#[derive(Clone)]
pub(crate) struct BackupTrace {
    flags: Arc<TraceFlags>,
    log: Arc<ErrorLog>,
}

impl BackupTrace {
    pub(super) fn new(flags: Arc<TraceFlags>, log: Arc<ErrorLog>) -> Self {
        Self { flags, log }
    }

    /// Writes a line for the session that this thread serves.
    pub(crate) fn line(&self, text: &str) {
        if self.flags.traces() {
            self.log.write(SESSION.with(Cell::get), text);
        }
    }

    /// Tells of zeroing in pages of 8 KB.
    pub(super) fn zeroing(self) -> ZeroingObserver {
        ZeroingObserver::new(move |what| match what {
            Zeroing::Begins { path, from, to } => self.line(&format!(
                "Zeroing {} from page {} to {} (0x{from:x} to 0x{to:x})",
                path.display(),
                from / 8192,
                to / 8192,
            )),
            Zeroing::Completed { path, elapsed } => self.line(&format!(
                "Zeroing completed on {} (elapsed = {} ms)",
                path.display(),
                elapsed.as_millis()
            )),
        })
    }
}
