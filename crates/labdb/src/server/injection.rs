//! Puts faults where they belong: into the log flush, the files, the connections, the clock.

use super::faults::{DropAfter, Fault, Window};
use crate::instance::system_files;
use labdb_storage::{FileLayer, FlushDelay, FullDisk, Stall, StalledFiles, SystemFiles, clock};
use std::path::Path;
use std::sync::Arc;

fn stall(window: &Window) -> Stall {
    if window.every {
        Stall::every(window.at, window.length)
    } else {
        Stall::once(window.at, window.length)
    }
}

/// The files under the faults of disks. `data` is the folder of the system databases.
pub(super) fn files(faults: &[Fault], data: &Path) -> Arc<dyn FileLayer> {
    let mut layer: Arc<dyn FileLayer> = Arc::new(SystemFiles);
    let capacity = faults.iter().find_map(|fault| match fault {
        Fault::DiskFull(bytes) => Some(*bytes),
        _ => None,
    });
    if let Some(bytes) = capacity {
        layer = Arc::new(FullDisk::new(layer, bytes).sparing(system_files(data)));
    }
    let stalls: Vec<Stall> = faults
        .iter()
        .filter_map(|fault| match fault {
            Fault::StallIo(window) => Some(stall(window)),
            _ => None,
        })
        .collect();
    if !stalls.is_empty() {
        layer = Arc::new(StalledFiles::new(layer, stalls));
    }
    layer
}

/// What log flushes take longer.
///
/// # Errors
/// Parameters that a distribution does not have.
pub(super) fn flush_delay(faults: &[Fault]) -> Result<Option<FlushDelay>, String> {
    let drawn = faults.iter().find_map(|fault| match fault {
        Fault::FlushDelay(distribution, seed) => Some((*distribution, *seed)),
        _ => None,
    });
    let stalls: Vec<Stall> = faults
        .iter()
        .filter_map(|fault| match fault {
            Fault::Stall(window) => Some(stall(window)),
            _ => None,
        })
        .collect();
    if drawn.is_none() && stalls.is_empty() {
        return Ok(None);
    }
    FlushDelay::new(drawn, stalls)
        .map(Some)
        .map_err(|error| error.to_string())
}

/// Makes the clock jump where a fault says so.
pub(super) fn step_clock(faults: &[Fault]) {
    for fault in faults {
        if let Fault::ClockStep(by, at) = fault {
            clock::step(*by, *at);
        }
    }
}

/// What happens to connections, by their number: the first that is accepted is 1.
#[derive(Clone, Debug, Default)]
pub struct ConnectionFaults {
    refused: Vec<u64>,
    dropped: Vec<(u64, DropAfter)>,
}

impl ConnectionFaults {
    /// Those among these faults.
    pub fn new(faults: &[Fault]) -> Self {
        let mut found = Self::default();
        for fault in faults {
            match fault {
                Fault::RefuseConnection(number) => found.refused.push(*number),
                Fault::DropConnection(number, after) => found.dropped.push((*number, *after)),
                _ => {}
            }
        }
        found
    }

    pub(super) fn refuses(&self, number: u64) -> bool {
        self.refused.contains(&number)
    }

    pub(super) fn drops(&self, number: u64) -> Option<DropAfter> {
        self.dropped
            .iter()
            .find(|(dropped, _)| *dropped == number)
            .map(|(_, after)| *after)
    }
}

/// A fault that can be given once was given twice.
///
/// # Errors
/// Names it.
pub(super) fn check(faults: &[Fault]) -> Result<(), String> {
    let count = |of: fn(&Fault) -> bool| faults.iter().filter(|fault| of(fault)).count();
    for (name, many) in [
        ("flush-delay", count(|f| matches!(f, Fault::FlushDelay(..)))),
        ("disk-full", count(|f| matches!(f, Fault::DiskFull(_)))),
        ("clock-step", count(|f| matches!(f, Fault::ClockStep(..)))),
    ] {
        if many > 1 {
            return Err(format!(
                "--fault {name} is given {many} times: give it once"
            ));
        }
    }
    Ok(())
}
