//! What limits a result, and what to do about it.

use crate::cli::TableName;
use crate::experiment::{Experiment, Run};
use crate::metric::Metric;
use crate::pairs::Pairs;
use records::{Comparison, ComparisonVerdict, SummaryWarning, WarningCode};
use statistics::{StatisticsError, drift, outliers, slot_effect};
use std::collections::{BTreeMap, BTreeSet};

/// The client is called busy from this share of one core on.
const BUSY_CLIENT: f64 = 0.9;

/// Drift is reported at this p; it is looked for on every metric, so 5 % would cry wolf.
const DRIFT_P: f64 = 0.01;

/// A slot effect is reported at this p; six pairs cannot go below 10 %.
const SLOT_P: f64 = 0.05;

/// What a comparison was made of.
pub(crate) struct Evidence<'a> {
    pub(crate) pairs: &'a Pairs<'a>,
    pub(crate) metric: Metric,
    pub(crate) log_ratios: Option<&'a [f64]>,
    pub(crate) no_ratio: Option<StatisticsError>,
    /// The fewest pairs that can be significant.
    pub(crate) least: usize,
}

fn warning(code: WarningCode, text: String) -> SummaryWarning {
    SummaryWarning { code, text }
}

/// Warnings about an experiment as a whole.
pub(crate) fn of_experiment(experiment: &Experiment, repeated: usize) -> Vec<SummaryWarning> {
    let mut found = Vec::new();
    not_sql_server(experiment, &mut found);
    set_aside(experiment, &mut found);
    if repeated > 0 {
        found.push(warning(
            WarningCode::DuplicateRounds,
            format!("{repeated} rounds came twice, word for word; each was taken once. Name each file once."),
        ));
    }
    settings(experiment, &mut found);
    busy_client(experiment, &mut found);
    growth(experiment, &mut found);
    remarks(experiment, &mut found);
    not_filled(experiment, &mut found);
    found
}

/// Whether a warning is about what a table shows.
pub(crate) fn concerns(code: WarningCode, table: TableName) -> bool {
    match code {
        WarningCode::TooFewPairs
        | WarningCode::UnpairedRounds
        | WarningCode::NotAlternating
        | WarningCode::NoRatio
        | WarningCode::Drift
        | WarningCode::SlotEffect => table == TableName::Comparison,
        WarningCode::LogNotFilled => table == TableName::Rounds,
        WarningCode::Outliers
        | WarningCode::RoundsSetAside
        | WarningCode::DuplicateRounds
        | WarningCode::ClientBound
        | WarningCode::Remark
        | WarningCode::FilesGrew
        | WarningCode::SettingsDiffer
        | WarningCode::InjectedFaults
        | WarningCode::NotSqlServer => true,
    }
}

/// Warnings about one comparison.
pub(crate) fn of_comparison(evidence: &Evidence, comparison: &Comparison) -> Vec<SummaryWarning> {
    let mut found = Vec::new();
    too_few(evidence, comparison, &mut found);
    let Evidence { pairs, .. } = evidence;
    if !pairs.unpaired.is_empty() {
        found.push(warning(
            WarningCode::UnpairedRounds,
            format!(
                "{} without a partner in the same block, left out of the comparison: {}. Run one \
                 round of each variant in every block.",
                rounds(pairs.unpaired.len()),
                labels(pairs.unpaired.iter().copied())
            ),
        ));
    }
    if pairs.apart > 0 {
        found.push(warning(
            WarningCode::NotAlternating,
            format!(
                "{} of {} pairs are of rounds that did not run next to each other: what drifted \
                 in between counts as a difference. Alternate the variants (ABBA).",
                pairs.apart,
                pairs.complete.len()
            ),
        ));
    }
    if let Some(StatisticsError::NotPositive { .. }) = evidence.no_ratio {
        found.push(warning(
            WarningCode::NoRatio,
            format!(
                "{} is zero in some rounds, so it has no ratio. Compare the medians.",
                evidence.metric.words
            ),
        ));
    }
    far_values(evidence, &mut found);
    drifting(evidence, &mut found);
    slot(evidence, &mut found);
    found
}

fn too_few(evidence: &Evidence, comparison: &Comparison, found: &mut Vec<SummaryWarning>) {
    let pairs = comparison.pairs;
    let least = evidence.least as u64;
    if pairs >= least || comparison.verdict != ComparisonVerdict::Inconclusive {
        return;
    }
    let spread = match comparison.pairs_needed {
        Some(needed) if needed > least => {
            format!(" By the spread seen it would take {needed}.")
        }
        _ => String::new(),
    };
    let subject = if comparison.headline {
        String::new()
    } else {
        format!(
            " {} (one of several further metrics)",
            evidence.metric.words
        )
    };
    found.push(warning(
        WarningCode::TooFewPairs,
        format!(
            "{} cannot decide{subject}: {least} are the least that can.{spread} Run at least {} more.",
            count_of_pairs(pairs),
            least - pairs
        ),
    ));
}

/// `1 pair`, `2 pairs`.
pub(crate) fn count_of_pairs(pairs: u64) -> String {
    if pairs == 1 {
        "1 pair".to_owned()
    } else {
        format!("{pairs} pairs")
    }
}

fn rounds(count: usize) -> String {
    if count == 1 {
        "1 round".to_owned()
    } else {
        format!("{count} rounds")
    }
}

fn labels<'a>(runs: impl Iterator<Item = &'a Run>) -> String {
    let labels: Vec<&str> = runs.map(|run| run.label.as_str()).collect();
    match labels.split_at_checked(8) {
        Some((shown, rest)) if !rest.is_empty() => {
            format!("runs {} and {} more", shown.join(", "), rest.len())
        }
        _ if labels.len() == 1 => format!("run {}", labels.join("")),
        _ => format!("runs {}", labels.join(", ")),
    }
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

/// Whatever should be the same in all rounds and is not.
fn settings(experiment: &Experiment, found: &mut Vec<SummaryWarning>) {
    let mut differing = Vec::new();
    let mut check = |what: &str, of: &dyn Fn(&Run) -> Option<String>| {
        let values: BTreeSet<String> = experiment.counting().filter_map(of).collect();
        if values.len() > 1 {
            let values: Vec<String> = values.into_iter().take(3).collect();
            differing.push(format!("{what} ({})", values.join(", ")));
        }
    };
    check("server", &|run| {
        let server = run.round.header.server.as_ref()?;
        Some(format!("{} {}", server.product, server.version))
    });
    check("edition", &|run| {
        Some(run.round.header.server.as_ref()?.edition.clone())
    });
    check("address", &|run| {
        Some(run.round.header.target.as_ref()?.server.clone())
    });
    check("database", &|run| {
        Some(run.round.header.target.as_ref()?.database.clone())
    });
    check("workers", &|run| {
        run.round.workers.map(|count| count.to_string())
    });
    check("rows", &|run| run.round.rows.map(|count| count.to_string()));
    if !differing.is_empty() {
        found.push(warning(
            WarningCode::SettingsDiffer,
            format!(
                "the rounds differ in more than the variant: {}. Compare rounds of one series.",
                differing.join("; ")
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

/// Counting rounds of the two variants and their values above zero, in order.
fn values<'a>(evidence: &'a Evidence) -> Vec<(&'a Run, f64)> {
    let mut runs: Vec<&Run> = evidence
        .pairs
        .complete
        .iter()
        .flat_map(|pair| [pair.baseline, pair.variant])
        .chain(evidence.pairs.unpaired.iter().copied())
        .collect();
    runs.sort_by_key(|run| run.round.started);
    runs.into_iter()
        .filter_map(|run| {
            Some((
                run,
                evidence
                    .metric
                    .of(&run.round)
                    .filter(|value| *value > 0.0)?,
            ))
        })
        .collect()
}

/// Log values less the median of their variant: what is left is noise and drift.
fn residuals(values: &[(&Run, f64)]) -> Vec<f64> {
    let mut by_variant: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for (run, value) in values {
        by_variant.entry(&run.variant).or_default().push(value.ln());
    }
    let medians: BTreeMap<&str, f64> = by_variant
        .into_iter()
        .filter_map(|(variant, logs)| Some((variant, statistics::quantile(&logs, 0.5).ok()?)))
        .collect();
    values
        .iter()
        .map(|(run, value)| {
            value.ln()
                - medians
                    .get(run.variant.as_str())
                    .copied()
                    .unwrap_or_default()
        })
        .collect()
}

fn far_values(evidence: &Evidence, found: &mut Vec<SummaryWarning>) {
    let values = values(evidence);
    let far = outliers(&residuals(&values)).unwrap_or_default();
    if !far.is_empty() {
        let runs = far
            .iter()
            .filter_map(|index| values.get(*index).map(|(run, _)| *run));
        found.push(warning(
            WarningCode::Outliers,
            format!(
                "{} is far from the others in {}; it is kept. See what else ran then, and run \
                 more pairs.",
                evidence.metric.words,
                labels(runs)
            ),
        ));
    }
}

fn drifting(evidence: &Evidence, found: &mut Vec<SummaryWarning>) {
    let residuals = residuals(&values(evidence));
    let Ok(Some(drift)) = drift(&residuals) else {
        return;
    };
    if drift.p.p > DRIFT_P {
        return;
    }
    let steps = u32::try_from(residuals.len().saturating_sub(1)).unwrap_or(u32::MAX);
    let percent = (drift.slope * f64::from(steps)).exp_m1() * 100.0;
    let direction = if percent < 0.0 { "falls" } else { "rises" };
    found.push(warning(
        WarningCode::Drift,
        format!(
            "{} {direction} by about {:.0} % from the first round to the last (p {:.3}). Pairs \
             cancel most of it; ABBA order cancels it best. Let the server warm up first.",
            evidence.metric.words,
            percent.abs(),
            drift.p.p
        ),
    ));
}

fn slot(evidence: &Evidence, found: &mut Vec<SummaryWarning>) {
    let Some(logs) = evidence.log_ratios else {
        return;
    };
    let with_values = evidence.pairs.complete.iter().filter(|pair| {
        evidence.metric.of(&pair.baseline.round).is_some()
            && evidence.metric.of(&pair.variant.round).is_some()
    });
    let (second, first): (Vec<_>, Vec<_>) = with_values
        .zip(logs)
        .partition(|(pair, _)| pair.variant_second());
    let logs_of =
        |pairs: Vec<(_, &f64)>| -> Vec<f64> { pairs.into_iter().map(|(_, log)| *log).collect() };
    if let Ok(Some(effect)) = slot_effect(&logs_of(second), &logs_of(first))
        && effect.p.p <= SLOT_P
    {
        found.push(warning(
            WarningCode::SlotEffect,
            format!(
                "{} depends on the place in the pair: the second round has {:.3} times the \
                 first's (p {:.3}). ABBA order cancels it; see what the first leaves behind.",
                evidence.metric.words,
                effect.log_ratio.exp(),
                effect.p.p
            ),
        ));
    }
}
