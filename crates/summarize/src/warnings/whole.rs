//! Warnings about an experiment as a whole: the server, the rounds, the client.

use super::others::others;
use super::settings::settings;
use super::{labels, named, rounds, warning};
use crate::experiment::{Experiment, Run};
use crate::latency::Latencies;
use records::{SummaryWarning, WarningCode};
use std::collections::{BTreeMap, BTreeSet};

/// The client is called busy from this share of one core on.
const BUSY_CLIENT: f64 = 0.9;

/// Warnings about an experiment as a whole.
pub(crate) fn of_experiment(experiment: &Experiment, repeated: usize) -> Vec<SummaryWarning> {
    let mut found = Vec::new();
    not_sql_server(experiment, &mut found);
    set_aside(experiment, &mut found);
    if repeated > 0 {
        found.push(warning(
            WarningCode::DuplicateRounds,
            format!(
                "{} came twice, word for word: taken once. Name each file once.",
                rounds(repeated)
            ),
        ));
    }
    settings(experiment, &mut found);
    others(experiment, &mut found);
    busy_client(experiment, &mut found);
    growth(experiment, &mut found);
    remarks(experiment, &mut found);
    not_filled(experiment, &mut found);
    found
}

fn not_sql_server(experiment: &Experiment, found: &mut Vec<SummaryWarning>) {
    let servers = || {
        experiment
            .rounds
            .iter()
            .filter_map(|run| run.round.header.server.as_ref())
    };
    if servers().any(records::Server::is_labdb) {
        found.push(warning(
            WarningCode::NotSqlServer,
            "labdb is not SQL Server: this says what labdb does on this machine's disk. For an \
             answer about SQL Server, run the same script against one."
                .to_owned(),
        ));
    }
    let faults: BTreeSet<&str> = servers()
        .filter_map(|server| server.injected_faults.as_deref())
        .collect();
    if !faults.is_empty() {
        let faults: Vec<&str> = faults.into_iter().collect();
        found.push(warning(
            WarningCode::InjectedFaults,
            format!(
                "the server was told to misbehave ({}): the figures hold that. Start it without \
                 faults to measure.",
                faults.join("; ")
            ),
        ));
    }
}

fn set_aside(experiment: &Experiment, found: &mut Vec<SummaryWarning>) {
    let mut by_reason: BTreeMap<&str, usize> = BTreeMap::new();
    for reason in experiment
        .rounds
        .iter()
        .filter_map(|run| run.set_aside.as_deref())
    {
        *by_reason.entry(reason).or_default() += 1;
    }
    let count: usize = by_reason.values().sum();
    if count > 0 {
        let reasons: Vec<String> = by_reason
            .iter()
            .map(|(reason, count)| format!("{count} {reason}"))
            .collect();
        found.push(warning(
            WarningCode::RoundsSetAside,
            format!(
                "{} of {} set aside ({}). Mend the cause and run these blocks again.",
                count,
                rounds(experiment.rounds.len()),
                reasons.join("; ")
            ),
        ));
    }
}

fn busy_client(experiment: &Experiment, found: &mut Vec<SummaryWarning>) {
    let busy: Vec<&Run> = experiment
        .counting()
        .filter(|run| {
            run.round
                .client_cpu_share
                .is_some_and(|share| share >= BUSY_CLIENT)
        })
        .collect();
    if !busy.is_empty() {
        found.push(warning(
            WarningCode::ClientBound,
            format!(
                "the client used a core or more in {}: it may be the client that was measured. \
                 Use fewer workers or another machine for the client.",
                labels(busy.into_iter())
            ),
        ));
    }
}

fn growth(experiment: &Experiment, found: &mut Vec<SummaryWarning>) {
    let grew = |bytes: Option<i64>| bytes.is_some_and(|bytes| bytes > 0);
    let growing: Vec<&Run> = experiment
        .counting()
        .filter(|run| grew(run.round.log_growth_bytes) || grew(run.round.data_growth_bytes))
        .collect();
    if !growing.is_empty() {
        found.push(warning(
            WarningCode::FilesGrew,
            format!(
                "files grew inside {}: the times hold the growth. Size the files up front \
                 (setup-db --data-size, --log-size).",
                labels(growing.into_iter())
            ),
        ));
    }
}

/// Reasons of rounds that count and that no other warning words better.
const SAID_OTHERWISE: [&str; 3] = ["client_bound", "log_grew", "data_grew"];

/// What the rounds say of themselves, each remark once: it is why a figure is missing, or why it
/// means less than it seems to.
fn remarks(experiment: &Experiment, found: &mut Vec<SummaryWarning>) {
    let mut by_code: BTreeMap<&str, (&str, Vec<&Run>)> = BTreeMap::new();
    for run in experiment.counting() {
        for reason in &run.round.reasons {
            if SAID_OTHERWISE.contains(&reason.code.as_str()) {
                continue;
            }
            let (_, runs) = by_code
                .entry(&reason.code)
                .or_insert_with(|| (&reason.detail, Vec::new()));
            if runs.last().is_none_or(|last| !std::ptr::eq(*last, run)) {
                runs.push(run);
            }
        }
    }
    for (detail, runs) in by_code.into_values() {
        found.push(warning(
            WarningCode::Remark,
            format!(
                "{}: {}.",
                labels(runs.into_iter()),
                detail.trim_end_matches('.')
            ),
        ));
    }
}

/// Under an armed FULL the log waits for a backup as soon as a virtual log file was filled. Where
/// a round wrote less, it says NOTHING as under SIMPLE, and that must not be taken for a finding.
fn not_filled(experiment: &Experiment, found: &mut Vec<SummaryWarning>) {
    let (mut filled_none, mut log_files) = (Vec::new(), BTreeSet::new());
    for run in experiment.counting() {
        let round = &run.round;
        let waits_for_nothing = round.recovery_model != "SIMPLE"
            && round.armed == Some(true)
            && round.log_reuse_wait == "NOTHING"
            && round.transactions.is_some_and(|count| count > 0);
        // Where less log is in use than was written, a log backup inside the round freed it.
        let kept = round
            .log_used_bytes
            .zip(round.log_used_bytes_before)
            .and_then(|(after, before)| after.checked_sub(before))
            .zip(round.log_bytes_written)
            .is_some_and(|(more, written)| written > 0 && more >= written / 2);
        if waits_for_nothing && kept {
            filled_none.push(run);
            log_files.extend(round.vlf_count);
        }
    }
    if filled_none.is_empty() {
        return;
    }
    let count = log_files
        .last()
        .map_or_else(String::new, |count| format!(" (the log has {count})"));
    found.push(warning(
        WarningCode::LogNotFilled,
        format!(
            "the log of {} waits for NOTHING although a log backup is due: it did not fill one \
             virtual log file{count}. To see LOG_BACKUP, insert more (--rows, ROWS) into \
             a smaller log (LOG_SIZE, in a new database: a log is never shrunk).",
            labels(filled_none.into_iter())
        ),
    ));
}

/// Distributions that cannot be read: the round counts, its latencies do not.
pub(crate) fn unreadable_latencies(latencies: &Latencies) -> Option<SummaryWarning> {
    let (_, why) = latencies.unreadable.first()?;
    let runs = latencies.unreadable.iter().map(|(run, _)| run.as_str());
    Some(warning(
        WarningCode::LatencyUnreadable,
        format!(
            "the latency distribution of {} cannot be read ({why}) and is in no latency shown; the \
             rounds count otherwise. It should be {}.",
            named(&runs.collect::<Vec<_>>()),
            records::HISTOGRAM_ENCODING
        ),
    ))
}
