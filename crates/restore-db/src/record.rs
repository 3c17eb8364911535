//! The records: a round for a restore, a set-up for a backup alone.

use crate::media::{BackupSet, Placed};
use crate::restore::Measured;
use records::{
    Conditions, DatabaseState, Header, Reason, RestoreFigures, Round, Validity, milliseconds,
};
use std::time::Duration;

/// What is known of a restore.
pub(crate) struct Restored {
    /// The clock and the phases.
    pub measured: Measured,
    /// The backup.
    pub set: BackupSet,
    /// The files.
    pub files: Vec<Placed>,
    /// How long the backup took, where this run took it.
    pub backup: Option<Duration>,
    /// Whether the server has instant file initialization on, or why that is not known.
    pub server_instant: Result<bool, String>,
    /// Whether it was to zero data files all the same.
    pub zero_data_files: bool,
    /// The restored database.
    pub state: DatabaseState,
    /// What surrounded the restore.
    pub conditions: Conditions,
}

pub(crate) fn round(header: Header, restored: &Restored) -> Round {
    let phases = restored.measured.phases.as_ref();
    let (instant, mut reasons, validity) = initialization(restored);
    let from = match &phases {
        Ok(phases) => {
            let mut text = "the error log, trace flags 3004 and 3605, in steps of 10 ms".to_owned();
            for why in &phases.missing {
                text.push_str("; ");
                text.push_str(why);
            }
            text
        }
        Err(why) => (*why).clone(),
    };
    if phases.is_err() {
        reasons.push(Reason::new("phases_unavailable", from.clone()));
    }
    let phases = phases.ok();
    let bytes_of = |log: bool| {
        let of_kind = restored
            .files
            .iter()
            .filter(|file| file.file.is_log() == log);
        of_kind.map(|file| file.file.bytes).sum::<i64>()
    };
    let measured = &restored.measured;
    Round {
        validity,
        reasons,
        elapsed_ms: Some(milliseconds(measured.elapsed)),
        recovery_model: restored.state.recovery_model.clone(),
        armed: restored.state.armed,
        delayed_durability: restored.state.delayed_durability.clone(),
        log_reuse_wait: restored.state.log_reuse_wait.clone(),
        log_used_bytes: restored.state.log_used_bytes,
        vlf_count: restored.state.vlf_count,
        conditions: Some(restored.conditions.clone()),
        restore: Some(RestoreFigures {
            data_file_bytes: Some(bytes_of(false)),
            log_file_bytes: Some(bytes_of(true)),
            backup_bytes: restored.set.bytes,
            backup_compressed_bytes: restored.set.compressed_bytes,
            backup_ms: restored.backup.map(milliseconds),
            create_ms: phases.and_then(|phases| phases.create_ms),
            zero_data_ms: phases.and_then(|phases| phases.zero_data_ms),
            copy_ms: phases.and_then(|phases| phases.copy_ms),
            zero_log_ms: phases.and_then(|phases| phases.zero_log_ms),
            recover_ms: phases.and_then(|phases| phases.recover_ms),
            instant_file_initialization: instant,
            vlf_count: restored.state.vlf_count,
            phases_from: Some(from),
        }),
        ..Round::without_counters(header, measured.started, measured.ended)
    }
}

/// Whether data files were made without zeroing, as far as it is known, and whether that is what
/// was asked for: what trace flag 1806 does is documented nowhere, so it is seen in the error log
/// or not believed.
fn initialization(restored: &Restored) -> (Option<bool>, Vec<Reason>, Validity) {
    let zeroed = match &restored.measured.phases {
        Ok(phases) => phases.zero_data_ms.map(|ms| ms > 0.0),
        Err(_) => None,
    };
    if restored.zero_data_files {
        return match zeroed {
            Some(true) => (Some(false), Vec::new(), Validity::Valid),
            Some(false) => (
                Some(true),
                vec![Reason::new(
                    "data_files_not_zeroed",
                    "trace flag 1806 was on, but the error log shows that no data file was zeroed",
                )],
                Validity::Invalid,
            ),
            None => (
                None,
                vec![Reason::new(
                    "zeroing_unproven",
                    "trace flag 1806 was on, but the error log does not show whether data files \
                     were zeroed",
                )],
                Validity::Invalid,
            ),
        };
    }
    match &restored.server_instant {
        Ok(instant) => (Some(*instant), Vec::new(), Validity::Valid),
        // Where the error log shows what was done, it need not be asked.
        Err(_) if zeroed.is_some() => (zeroed.map(|zeroed| !zeroed), Vec::new(), Validity::Valid),
        Err(why) => (
            None,
            vec![Reason::new(
                "instant_initialization_unknown",
                format!("whether instant file initialization is on could not be read: {why}"),
            )],
            Validity::Valid,
        ),
    }
}
