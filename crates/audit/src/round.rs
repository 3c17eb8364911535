//! The record of an audit.

use crate::PROGRAM;
use crate::journal::Journal;
use crate::table::Found;
use crate::upstream::Before;
use records::stage::Stage;
use records::{
    CommitDurability, Conditions, Load, LossFigures, Reason, Round, Snapshot, Unavailable,
    Validity, Wait,
};

/// Whether the commits were promised to be on disk before they were answered, where that is known:
/// the database's setting goes before what the commit asks for.
pub(crate) fn promise(setting: Option<&str>, asked: CommitDurability) -> Option<bool> {
    match setting? {
        "DISABLED" => Some(true),
        "ALLOWED" => Some(asked == CommitDurability::Full),
        "FORCED" => Some(false),
        _ => None,
    }
}

/// What the figures mean, and whether they may be used.
pub(crate) struct Judgement {
    pub(crate) validity: Validity,
    pub(crate) reasons: Vec<Reason>,
}

/// Judges an audit by the records before the crash and by what was found after it.
pub(crate) fn judge(
    before: &Before,
    found: &Found,
    journal: &Journal,
    loss: &LossFigures,
) -> Judgement {
    let load = before.load.as_deref();
    let mut validity = load.map_or(Validity::Valid, validity_of);
    let mut reasons = Vec::new();
    if loss.promised_durable && loss.missing > 0 {
        reasons.push(Reason::new(
            "durable_commits_lost",
            format!(
                "{} of {} commits that were promised to be durable are gone",
                loss.missing, loss.acknowledged
            ),
        ));
    }
    if loss.gaps > 0 {
        reasons.push(Reason::new(
            "log_hole",
            format!(
                "{} commits are gone that had been acknowledged before one that is there was sent: \
                 not the end of the log is lost, but a part of it",
                loss.gaps
            ),
        ));
    }
    let now = found.database.delayed_durability.as_deref();
    match (before.delayed_durability(), now) {
        (Some(then), Some(now)) if then != now => {
            validity = Validity::Invalid;
            reasons.push(Reason::new(
                "delayed_durability_changed",
                format!("delayed durability was {then} and is {now}: what was promised is unknown"),
            ));
        }
        (_, now) if promise(now, journal.header.durability).is_none() => {
            validity = Validity::Invalid;
            reasons.push(Reason::new(
                "promise_unknown",
                "the database's setting of delayed durability cannot be read: what was promised is \
                 unknown",
            ));
        }
        _ => {}
    }
    match (
        before.server_start_time(),
        found.server_start_time.as_deref(),
    ) {
        (Some(then), Some(now)) if then == now => {
            validity = Validity::Invalid;
            reasons.push(Reason::new(
                "not_restarted",
                format!(
                    "the server runs since {then}, before the load: it did not crash, so nothing \
                     could be lost"
                ),
            ));
        }
        (Some(_), Some(_)) => {}
        _ => reasons.push(Reason::new(
            "restart_unproven",
            "that the server was started again is not proven: it takes a snapshot before the load, \
             and VIEW SERVER STATE",
        )),
    }
    if journal.torn {
        reasons.push(Reason::new(
            "journal_torn",
            "the journal's last line is cut off; its acknowledgement is not counted",
        ));
    }
    // That the load ended with the crash is what was asked for.
    let of_load = load.into_iter().flat_map(|load| &load.reasons);
    reasons.extend(of_load.filter(|reason| reason.code != "crashed").cloned());
    Judgement { validity, reasons }
}

/// A load that the crash ended, and nothing else, is what was to be.
fn validity_of(load: &Load) -> Validity {
    let has = |code: &str| load.reasons.iter().any(|reason| reason.code == code);
    if load.validity == Validity::Partial && has("crashed") && !has("interrupted") {
        Validity::Valid
    } else {
        load.validity
    }
}

/// The round. Counters do not outlive a server, so there are none.
pub(crate) fn round(
    stage: &Stage,
    before: &Before,
    found: Found,
    journal: &Journal,
    loss: LossFigures,
) -> Round {
    let judgement = judge(before, &found, journal, &loss);
    let load = before.load.as_deref();
    let snapshot = before.snapshot.as_deref();
    let header = stage.header();
    let latency = load.and_then(|load| load.latency.as_ref());
    let waits = load.and_then(|load| load.waits.clone());
    let conditions = conditions(snapshot, found.conditions);
    let database = found.database;
    let started = snapshot.map_or(journal.header.at, |snapshot| snapshot.header.at);
    let ended = header.at;
    Round {
        validity: judgement.validity,
        reasons: judgement.reasons,
        elapsed_ms: load.map(|load| load.elapsed_ms),
        workers: Some(journal.header.workers),
        transactions: Some(loss.acknowledged),
        rows: Some(loss.acknowledged),
        transactions_per_s: load.and_then(per_second),
        errors: load.map(|load| load.errors.iter().map(|error| error.count).sum()),
        writelog_wait_ms: writelog(waits.as_deref()).map(|wait| wait.wait_ms),
        writelog_waits: writelog(waits.as_deref()).map(|wait| wait.waiting_tasks),
        recovery_model: database.recovery_model,
        armed: database.armed,
        delayed_durability: database.delayed_durability,
        log_reuse_wait_before: snapshot
            .map(|snapshot| snapshot.database.log_reuse_wait.clone())
            .unwrap_or_default(),
        log_reuse_wait: database.log_reuse_wait,
        log_used_bytes_before: snapshot.and_then(|snapshot| snapshot.database.log_used_bytes),
        log_used_bytes: database.log_used_bytes,
        vlf_count: database.vlf_count,
        latency_p50_us: latency.map(|latency| latency.p50_us),
        latency_p99_us: latency.map(|latency| latency.p99_us),
        latency_max_us: latency.map(|latency| latency.max_us),
        latency_histogram: latency.map(|latency| latency.histogram.clone()),
        client_cpu_share: load.and_then(|load| load.client_cpu_share),
        session_waits: waits,
        conditions: Some(conditions),
        loss: Some(loss),
        ..Round::without_counters(header, started, ended)
    }
}

/// What surrounded the load: as it was before it, where a snapshot says so, else as it was found
/// after the crash. What others did is not to be had: their totals ended with the server.
fn conditions(before: Option<&Snapshot>, found: Conditions) -> Conditions {
    let read_before = before.and_then(|snapshot| {
        Some(Conditions {
            unavailable: snapshot.unavailable_conditions(),
            ..snapshot.conditions.clone()?
        })
    });
    let mut conditions = read_before.unwrap_or(found);
    conditions
        .unavailable
        .retain(|gap| !gap.field.starts_with("others."));
    conditions.unavailable.push(Unavailable {
        field: "others".to_owned(),
        reason: "the server was started again in between: its totals began anew".to_owned(),
        sql_error: None,
        remedy: None,
    });
    conditions
}

/// WRITELOG, where it occurred; a session that was lost took its waits with it.
fn writelog(waits: Option<&[Wait]>) -> Option<&Wait> {
    waits?.iter().find(|wait| wait.wait_type == "WRITELOG")
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a run has far less than 2^53 transactions"
)]
fn per_second(load: &Load) -> Option<f64> {
    let rate = load.transactions as f64 / load.elapsed_ms * 1000.0;
    rate.is_finite().then_some(rate)
}

/// What is said loudly where a promise was broken.
pub(crate) fn alarm(round: &Round) -> Option<String> {
    let broken: Vec<&str> = round
        .reasons
        .iter()
        .filter(|reason| ["durable_commits_lost", "log_hole"].contains(&reason.code.as_str()))
        .map(|reason| reason.detail.as_str())
        .collect();
    (!broken.is_empty()).then(|| format!("COMMITS ARE LOST: {}", broken.join("; ")))
}

/// What is said in one line where all is as promised.
pub(crate) fn summary(loss: &LossFigures) -> String {
    let LossFigures {
        acknowledged,
        missing,
        ..
    } = loss;
    let of = if loss.promised_durable {
        "promised to be durable"
    } else {
        "delayed"
    };
    let time = loss
        .missing_ms
        .map_or_else(String::new, |ms| format!(", {ms:.1} ms of commits"));
    format!("{missing} of {acknowledged} acknowledged commits ({of}) are gone{time}")
}

/// The failure of a round that cannot be trusted.
pub(crate) fn distrust(round: &Round) -> records::Failure {
    records::Failure::new(
        records::FailureCode::InvalidRound,
        format!(
            "the round cannot be trusted: {}",
            Reason::first_details(&round.reasons).join("; ")
        ),
    )
    .remedy(format!(
        "The round is in the output, marked; summarize sets it aside. Run it again, then {PROGRAM}."
    ))
}

#[cfg(test)]
mod tests {
    use super::promise;
    use records::CommitDurability::{Delayed, Full};

    #[test]
    fn the_databases_setting_goes_before_what_the_commit_asks_for() {
        for (setting, full, delayed) in [
            (Some("DISABLED"), Some(true), Some(true)),
            (Some("ALLOWED"), Some(true), Some(false)),
            (Some("FORCED"), Some(false), Some(false)),
            (Some("SOMETIMES"), None, None),
            (None, None, None),
        ] {
            assert_eq!(promise(setting, Full), full, "{setting:?}");
            assert_eq!(promise(setting, Delayed), delayed, "{setting:?}");
        }
    }
}
