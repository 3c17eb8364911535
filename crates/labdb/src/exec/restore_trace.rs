//! The phases of a restore as trace flag 3004 shows them. Zeroing tells of itself.

use crate::instance::BackupTrace;
use labdb_storage::RestoreStep;

/// Writes the lines of a step that begins or ends.
pub(super) fn trace_step(trace: &BackupTrace, name: &str, id: i32, step: &RestoreStep) {
    let line = |text: &str| trace.line(&format!("Restore({name}): {text}"));
    match step {
        RestoreStep::Planned => {
            line("Planning is complete");
            line("Beginning OFFLINE restore");
            line(&format!("Attached database as DB_ID={id}"));
            line("Preparing containers");
        }
        RestoreStep::ContainersReady => {
            line("Containers are ready");
            line("Restoring the backup set");
            line("Transferring data");
        }
        RestoreStep::PagesCopied(_) => {
            line("Data transfer is complete");
            line("Waiting for log zeroing to complete");
        }
        RestoreStep::LogReady => line("Log zeroing is complete"),
        RestoreStep::RollingForward => {
            line("Backup set is restored");
            line("Offline roll-forward begins");
        }
        RestoreStep::RolledForward => line("Offline roll-forward is complete"),
        RestoreStep::Recovering => line("Transitioning database to ONLINE"),
        RestoreStep::Finished => line("Database is restarted"),
        RestoreStep::Copying { .. }
        | RestoreStep::Zeroing { .. }
        | RestoreStep::ZeroingCompleted { .. }
        | RestoreStep::NotZeroed { .. } => {}
    }
}
