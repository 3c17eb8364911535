//! The differences between two snapshots whose counters ran through.

use records::{FileKind, FileReading, FileRound, Reason, Snapshot, Wait, WaitReading};
use std::collections::BTreeMap;

/// What was written to the files of one kind between the snapshots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Written {
    pub(crate) bytes: Option<i64>,
    pub(crate) writes: Option<i64>,
    pub(crate) stall_ms: Option<i64>,
    pub(crate) growth_bytes: Option<i64>,
}

/// Sums the differences over the files of one kind. A sum that no `i64` holds is none, with a
/// reason.
pub(crate) fn written(
    before: &[FileReading],
    after: &[FileReading],
    kind: FileKind,
    reasons: &mut Vec<Reason>,
) -> Written {
    let pairs: Vec<(&FileReading, &FileReading)> = before
        .iter()
        .filter(|old| old.kind == kind)
        .filter_map(|old| {
            let same = |new: &&FileReading| {
                (new.database_id, new.file_id) == (old.database_id, old.file_id)
            };
            Some((old, after.iter().find(same)?))
        })
        .collect();
    let mut sum = |what: &str, of: fn(&FileReading) -> Option<i64>| {
        let total = pairs.iter().try_fold(0_i64, |sum, (old, new)| {
            sum.checked_add(of(new)?.checked_sub(of(old)?)?)
        });
        if total.is_none() {
            reasons.push(Reason::new(
                "overflow",
                format!("the {what} of the {kind:?} files cannot be summed in 64 bits"),
            ));
        }
        total
    };
    Written {
        bytes: sum("bytes written", |file| Some(file.bytes_written)),
        writes: sum("writes", |file| Some(file.writes)),
        stall_ms: sum("write stalls", |file| Some(file.write_stall_ms)),
        growth_bytes: sum("sizes", |file| i64::try_from(file.size_bytes).ok()),
    }
}

/// What was done to each file between the snapshots. None where a difference passes 64 bits, which
/// the sum over its kind says too.
pub(crate) fn files(before: &[FileReading], after: &[FileReading]) -> Option<Vec<FileRound>> {
    after
        .iter()
        .filter_map(|new| {
            let same = |old: &&FileReading| {
                (old.database_id, old.file_id) == (new.database_id, new.file_id)
            };
            Some((before.iter().find(same)?, new))
        })
        .map(|(old, new)| file(old, new))
        .collect()
}

fn file(old: &FileReading, new: &FileReading) -> Option<FileRound> {
    let writes = new.writes.checked_sub(old.writes)?;
    let write_stall_ms = new.write_stall_ms.checked_sub(old.write_stall_ms)?;
    let size = |file: &FileReading| i64::try_from(file.size_bytes).ok();
    Some(FileRound {
        file_id: new.file_id,
        kind: new.kind,
        logical_name: new.logical_name.clone(),
        physical_name: new.physical_name.clone(),
        bytes_written: new.bytes_written.checked_sub(old.bytes_written)?,
        writes,
        write_stall_ms,
        write_stall_mean_ms: quotient(real(Some(write_stall_ms)), real(Some(writes))),
        bytes_read: new.bytes_read.checked_sub(old.bytes_read)?,
        size_bytes: new.size_bytes,
        growth_bytes: size(new)?.checked_sub(size(old)?)?,
    })
}

/// The server's waits between the snapshots, those that occurred, by type. None where a snapshot
/// has none or a difference passes 64 bits.
pub(crate) fn server_waits(before: &Snapshot, after: &Snapshot) -> Option<Vec<Wait>> {
    let (before, after) = (before.waits.as_ref()?, after.waits.as_ref()?);
    let old: BTreeMap<&str, &WaitReading> = before
        .iter()
        .map(|wait| (wait.wait_type.as_str(), wait))
        .collect();
    let mut waits = Vec::new();
    for new in after {
        // All types are listed, also those that never occurred: a new one was at zero before.
        let (tasks, wait_ms, signal_ms) =
            old.get(new.wait_type.as_str()).map_or((0, 0, 0), |old| {
                (old.waiting_tasks, old.wait_ms, old.signal_wait_ms)
            });
        let wait = Wait {
            wait_type: new.wait_type.clone(),
            waiting_tasks: new.waiting_tasks.checked_sub(tasks)?,
            wait_ms: new.wait_ms.checked_sub(wait_ms)?,
            signal_wait_ms: new.signal_wait_ms.checked_sub(signal_ms)?,
        };
        if wait.waiting_tasks != 0 || wait.wait_ms != 0 {
            waits.push(wait);
        }
    }
    waits.sort_by(|left, right| left.wait_type.cmp(&right.wait_type));
    Some(waits)
}

/// A quotient; none where either is missing or the divisor is not above zero.
pub(crate) fn quotient(dividend: Option<f64>, divisor: Option<f64>) -> Option<f64> {
    let quotient = dividend? / divisor.filter(|divisor| *divisor > 0.0)?;
    quotient.is_finite().then_some(quotient)
}

/// A count as a number; above 2^53 it is rounded, which a mean bears.
#[expect(clippy::cast_precision_loss, reason = "said above")]
pub(crate) fn real(count: Option<i64>) -> Option<f64> {
    count.map(|count| count as f64)
}

#[cfg(test)]
mod tests {
    use super::quotient;

    #[test]
    fn nothing_is_divided_by_zero() {
        assert_eq!(quotient(Some(6.0), Some(4.0)), Some(1.5));
        assert_eq!(quotient(Some(6.0), Some(0.0)), None);
        assert_eq!(quotient(Some(f64::MAX), Some(f64::MIN_POSITIVE)), None);
        assert_eq!(quotient(None, Some(1.0)), None);
    }
}
