//! What comes down the pipe and bears on the audit.

use records::{Load, Record, Snapshot};

/// The records before the crash.
#[derive(Debug, Default)]
pub(crate) struct Before {
    /// The last load.
    pub(crate) load: Option<Box<Load>>,
    /// The last snapshot before it.
    pub(crate) snapshot: Option<Box<Snapshot>>,
    /// `delayed_durability` as setup-db left it.
    set_up: Option<String>,
}

impl Before {
    /// Takes a record in.
    pub(crate) fn note(&mut self, record: Record) {
        match record {
            Record::Setup(setup) => {
                self.set_up = setup
                    .settings
                    .and_then(|settings| settings.delayed_durability);
            }
            Record::Snapshot(snapshot) => self.snapshot = Some(snapshot),
            Record::Load(load) => self.load = Some(load),
            _ => {}
        }
    }

    /// The database's `delayed_durability` before the load, by the last that read it.
    pub(crate) fn delayed_durability(&self) -> Option<&str> {
        self.snapshot
            .as_ref()
            .and_then(|snapshot| snapshot.database.delayed_durability.as_deref())
            .or(self.set_up.as_deref())
    }

    /// When the server had started, by the snapshot before the load.
    pub(crate) fn server_start_time(&self) -> Option<&str> {
        self.snapshot.as_ref()?.server_start_time.as_deref()
    }
}
