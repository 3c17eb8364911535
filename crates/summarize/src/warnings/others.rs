//! What others did on the server while rounds ran.

use super::{labels, warning};
use crate::experiment::{Experiment, Run};
use crate::metric::MB;
use records::{OtherActivity, SummaryWarning, WarningCode};

/// CPU time of others from this share of the elapsed time on is told: a tenth of one processor.
const CPU_SHARE: f64 = 0.1;

/// Bytes in other databases' files from this share of the round's own on are told.
const BYTES_SHARE: f64 = 0.1;

/// Fewer bytes than this are what a server does by itself.
const LEAST_BYTES: f64 = MB;

/// Says which rounds others may have disturbed.
pub(super) fn others(experiment: &Experiment, found: &mut Vec<SummaryWarning>) {
    let mut disturbed: Vec<&Run> = Vec::new();
    let (mut most_cpu, mut most_bytes) = (0.0_f64, 0.0_f64);
    for run in experiment.counting() {
        let (cpu, bytes) = (busy_cpu(run), busy_bytes(run));
        if cpu.is_some() || bytes.is_some() {
            disturbed.push(run);
        }
        most_cpu = most_cpu.max(cpu.unwrap_or_default());
        most_bytes = most_bytes.max(bytes.unwrap_or_default());
    }
    if disturbed.is_empty() {
        return;
    }
    let mut what = Vec::new();
    if most_cpu > 0.0 {
        what.push(format!(
            "up to {:.0} % of a processor in other sessions",
            most_cpu * 100.0
        ));
    }
    if most_bytes > 0.0 {
        what.push(format!(
            "up to {:.0} MB a round in other databases' files",
            most_bytes / MB
        ));
    }
    found.push(warning(
        WarningCode::OthersBusy,
        format!(
            "others used the server during {}: {}. Measure while it is quiet, or run more pairs.",
            labels(disturbed.into_iter()),
            what.join(", ")
        ),
    ));
}

fn activity(run: &Run) -> Option<&OtherActivity> {
    run.round.conditions.as_ref()?.others.as_ref()
}

/// The share of one processor that others used, where it is enough to be told.
#[expect(clippy::cast_precision_loss, reason = "milliseconds, far below 2^53")]
fn busy_cpu(run: &Run) -> Option<f64> {
    let used = activity(run)?.cpu_ms? as f64;
    let elapsed = run.round.elapsed_ms.filter(|elapsed| *elapsed > 0.0)?;
    Some(used / elapsed).filter(|share| *share >= CPU_SHARE)
}

/// The bytes in others' files, where they are enough to be told.
#[expect(
    clippy::cast_precision_loss,
    reason = "a share bears the rounding above 2^53"
)]
fn busy_bytes(run: &Run) -> Option<f64> {
    let bytes = activity(run)?.other_databases_bytes? as f64;
    // A restore takes no counters; what it writes at least are the pages of the backup.
    let own = match &run.round.restore {
        Some(restore) => restore.backup_bytes? as f64,
        None => run.round.log_bytes_written? as f64 + run.round.data_bytes_written? as f64,
    };
    Some(bytes).filter(|bytes| *bytes >= LEAST_BYTES && *bytes >= own * BYTES_SHARE)
}
