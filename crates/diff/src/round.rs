//! Putting the round together.

use crate::conditions;
use crate::counters::{check, why_unavailable};
use crate::figures::{Written, files, quotient, real, server_waits, written};
use records::{
    CountersStatus, Failure, FailureCode, FileKind, Header, Load, Reason, Round, Snapshot,
    Validity, Wait,
};

/// The wait of a commit for its log block to be durable.
const WRITELOG: &str = "WRITELOG";

/// Makes the round of two snapshots and the load between them; `more_loads` is how many others
/// ran between them too.
///
/// # Errors
/// The snapshots are of different servers or databases.
pub fn make_round(
    before: &Snapshot,
    load: Option<&Load>,
    more_loads: usize,
    after: &Snapshot,
) -> Result<Round, Failure> {
    same_target(&before.header, &after.header)?;
    two_moments(before, after)?;
    let (counters, counter_reasons) = check(before, after);
    let mut validity = load.map_or(Validity::Valid, |load| load.validity);
    let mut reasons = load.map_or_else(Vec::new, |load| load.reasons.clone());
    let mut spoilt = spoiled(before, more_loads, after);
    spoilt.extend(conditions::changed(before, after));
    if !matches!(
        counters,
        CountersStatus::Continuous | CountersStatus::Unavailable | CountersStatus::Unproven
    ) || !spoilt.is_empty()
    {
        validity = Validity::Invalid;
    }
    // What is wrong with the round explains what is wrong with its counters.
    reasons.append(&mut spoilt);
    reasons.extend(counter_reasons);

    let elapsed_ms = elapsed(before, load, after, &mut reasons);
    let transactions = load.map(|load| load.transactions);
    let per_transaction = transactions.and_then(|count| real(i64::try_from(count).ok()));
    let continuous = counters == CountersStatus::Continuous;
    let (log, data, each_file) = match (&before.files, &after.files) {
        (Some(old), Some(new)) if continuous => (
            written(old, new, FileKind::Log, &mut reasons),
            written(old, new, FileKind::Rows, &mut reasons),
            files(old, new),
        ),
        _ => (Written::default(), Written::default(), None),
    };
    not_armed(before, after, &mut reasons);
    growth("log", log.growth_bytes, &mut reasons);
    growth("data", data.growth_bytes, &mut reasons);
    let server_waits = if continuous {
        server_waits(before, after)
    } else {
        None
    };
    let session_waits = load.and_then(|load| load.waits.clone());
    missing_waits(before, load, after, continuous, &mut reasons);
    let latency = load.and_then(|load| load.latency.as_ref());
    let state = &after.database;
    Ok(Round {
        header: Header::now(crate::PROGRAM)
            .in_trial(after.header.trial.clone())
            .on(after.header.target.clone(), after.header.server.clone()),
        validity,
        counters,
        started: before.header.at,
        ended: after.header.at,
        elapsed_ms,
        workers: load.map(|load| load.shape.workers),
        transactions,
        rows: load.and_then(|load| load.rows),
        scripted: load.map(|load| load.shape.script.is_some()),
        flush_ms: load.and_then(|load| load.flush_ms),
        elapsed_with_flush_ms: load
            .and_then(|load| load.flush_ms)
            .zip(elapsed_ms)
            .map(|(flush, elapsed)| elapsed + flush),
        transactions_per_s: quotient(per_transaction, elapsed_ms.map(|ms| ms / 1000.0)),
        errors: load.map(|load| {
            load.errors
                .iter()
                .fold(0_u64, |sum, e| sum.saturating_add(e.count))
        }),
        writelog_wait_ms: writelog(session_waits.as_deref(), |wait| wait.wait_ms),
        writelog_waits: writelog(session_waits.as_deref(), |wait| wait.waiting_tasks),
        log_bytes_written: log.bytes,
        log_writes: log.writes,
        log_write_stall_ms: log.stall_ms,
        log_write_stall_mean_ms: quotient(real(log.stall_ms), real(log.writes)),
        log_bytes_per_transaction: quotient(real(log.bytes), per_transaction),
        transactions_per_log_write: quotient(per_transaction, real(log.writes)),
        data_bytes_written: data.bytes,
        data_writes: data.writes,
        data_write_stall_ms: data.stall_ms,
        log_growth_bytes: log.growth_bytes,
        data_growth_bytes: data.growth_bytes,
        recovery_model: state.recovery_model.clone(),
        armed: state.armed,
        delayed_durability: state.delayed_durability.clone(),
        log_reuse_wait_before: before.database.log_reuse_wait.clone(),
        log_reuse_wait: state.log_reuse_wait.clone(),
        log_used_bytes_before: before.database.log_used_bytes,
        log_used_bytes: state.log_used_bytes,
        vlf_count: state.vlf_count,
        latency_p50_us: latency.map(|latency| latency.p50_us),
        latency_p99_us: latency.map(|latency| latency.p99_us),
        latency_max_us: latency.map(|latency| latency.max_us),
        latency_histogram: latency.map(|latency| latency.histogram.clone()),
        client_cpu_share: load.and_then(|load| load.client_cpu_share),
        session_waits,
        server_waits,
        files: each_file,
        conditions: conditions::of_round(before, after, continuous),
        restore: None,
        loss: None,
        reasons,
    })
}

/// Refuses snapshots of different databases.
fn same_target(before: &Header, after: &Header) -> Result<(), Failure> {
    if let (Some(old), Some(new)) = (&before.target, &after.target)
        && old != new
    {
        return Err(Failure::new(
            FailureCode::BadInput,
            format!(
                "the snapshots are of different databases: {} on {}, then {} on {}",
                old.database, old.server, new.database, new.server
            ),
        )
        .remedy("Take both snapshots of the same database, on the same server."));
    }
    Ok(())
}

/// Refuses one snapshot taken for both: no time and no work is no round.
fn two_moments(before: &Snapshot, after: &Snapshot) -> Result<(), Failure> {
    if before == after {
        return Err(Failure::new(
            FailureCode::BadInput,
            format!(
                "both snapshots are the same one, taken at {}",
                before.header.at
            ),
        )
        .remedy("Take one before and one after what is to be measured."));
    }
    Ok(())
}

/// What makes the figures mean something else, besides the counters.
fn spoiled(before: &Snapshot, more_loads: usize, after: &Snapshot) -> Vec<Reason> {
    let mut reasons = Vec::new();
    if more_loads > 0 {
        reasons.push(Reason::new(
            "several_loads",
            format!("{} loads ran between the snapshots", more_loads + 1),
        ));
    }
    if before.client_boot_id.is_some()
        && before.client_boot_id == after.client_boot_id
        && after.client_monotonic_ns < before.client_monotonic_ns
    {
        reasons.push(Reason::new(
            "snapshots_swapped",
            format!(
                "the second snapshot was taken before the first (at {}, the first at {}): they \
                 are the wrong way round",
                after.header.at, before.header.at
            ),
        ));
    }
    let (old, new) = (&before.database, &after.database);
    if old.recovery_model != new.recovery_model {
        reasons.push(Reason::new(
            "recovery_model_changed",
            format!(
                "the recovery model changed from {} to {}",
                old.recovery_model, new.recovery_model
            ),
        ));
    }
    if let (Some(old), Some(new)) = (&old.delayed_durability, &new.delayed_durability)
        && old != new
    {
        reasons.push(Reason::new(
            "delayed_durability_changed",
            format!("delayed durability changed from {old} to {new}"),
        ));
    }
    reasons
}

/// The load's own time; without a load, the monotonic clock of one boot of one machine.
fn elapsed(
    before: &Snapshot,
    load: Option<&Load>,
    after: &Snapshot,
    reasons: &mut Vec<Reason>,
) -> Option<f64> {
    if let Some(load) = load {
        if load.elapsed_ms.is_finite() && load.elapsed_ms >= 0.0 {
            return Some(load.elapsed_ms);
        }
        reasons.push(Reason::new(
            "elapsed_unusable",
            format!("the load says it took {} ms", load.elapsed_ms),
        ));
        return None;
    }
    let mut unknown = |why: &str| {
        reasons.push(Reason::new(
            "elapsed_unknown",
            format!("there was no load, and {why}"),
        ));
        None
    };
    match (&before.client_boot_id, &after.client_boot_id) {
        (Some(old), Some(new)) if old == new => {
            match after
                .client_monotonic_ns
                .checked_sub(before.client_monotonic_ns)
            {
                Some(ns) => Some(records::milliseconds(std::time::Duration::from_nanos(ns))),
                None => unknown("the monotonic clock went back"),
            }
        }
        (Some(_), Some(_)) => unknown(
            "the snapshots are from different machines, or the machine was started in between",
        ),
        _ => unknown("the system has no boot id, so its monotonic clock cannot be compared"),
    }
}

/// Remarks on waits that could not be read.
fn missing_waits(
    before: &Snapshot,
    load: Option<&Load>,
    after: &Snapshot,
    continuous: bool,
    reasons: &mut Vec<Reason>,
) {
    if continuous && (before.waits.is_none() || after.waits.is_none()) {
        let why = why_unavailable(before, "waits").or_else(|| why_unavailable(after, "waits"));
        reasons.push(Reason::new(
            "server_waits_unavailable",
            format!(
                "the server's waits could not be read{}",
                why.unwrap_or_default()
            ),
        ));
    }
    if let Some(load) = load
        && load.waits.is_none()
    {
        let why = load
            .waits_unavailable
            .as_deref()
            .unwrap_or("no reason given");
        reasons.push(Reason::new(
            "session_waits_unavailable",
            format!("the sessions' waits could not be read: {why}"),
        ));
    }
}

/// Until a full backup was taken the log is reused as under SIMPLE, whatever the model says: a
/// remark, because the counters are as good as ever.
fn not_armed(before: &Snapshot, after: &Snapshot, reasons: &mut Vec<Reason>) {
    let unarmed = |snapshot: &&Snapshot| {
        snapshot.database.recovery_model != "SIMPLE" && snapshot.database.armed == Some(false)
    };
    if let Some(snapshot) = [before, after].into_iter().find(unarmed) {
        let model = &snapshot.database.recovery_model;
        reasons.push(Reason::new(
            "not_armed",
            format!(
                "the database was in {model}, but no log backup was possible yet, so its log was \
                 reused as under SIMPLE. A full backup arms it: setup-db --recovery {} takes one",
                model.to_lowercase().replace('_', "-")
            ),
        ));
    }
}

/// Growth inside a round is a remark: the round stays, but its time holds the growth.
fn growth(which: &str, bytes: Option<i64>, reasons: &mut Vec<Reason>) {
    match bytes {
        Some(bytes) if bytes > 0 => reasons.push(Reason::new(
            format!("{which}_grew"),
            format!("the {which} files grew by {bytes} bytes inside the round"),
        )),
        Some(bytes) if bytes < 0 => reasons.push(Reason::new(
            format!("{which}_shrank"),
            format!(
                "the {which} files shrank by {} bytes inside the round",
                bytes.unsigned_abs()
            ),
        )),
        _ => {}
    }
}

/// A figure of the WRITELOG waits; 0 where waits were read and none was WRITELOG.
fn writelog(waits: Option<&[Wait]>, figure: fn(&Wait) -> i64) -> Option<i64> {
    let waits = waits?;
    Some(
        waits
            .iter()
            .find(|wait| wait.wait_type == WRITELOG)
            .map_or(0, figure),
    )
}
