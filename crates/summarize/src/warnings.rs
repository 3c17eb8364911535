//! What limits a result, and what to do about it.

mod others;
mod settings;
mod whole;

pub(crate) use whole::{of_experiment, unreadable_latencies};

use crate::cli::TableName;
use crate::experiment::Run;
use crate::metric::Metric;
use crate::number::p_value;
use crate::pairs::Pairs;
use records::{Comparison, ComparisonMethod, ComparisonVerdict, SummaryWarning, WarningCode};
use statistics::{StatisticsError, drift, outliers, slot_effect};
use std::collections::BTreeMap;

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

/// Whether a warning is about what a table shows.
pub(crate) fn concerns(code: WarningCode, table: TableName) -> bool {
    match code {
        WarningCode::TooFewPairs
        | WarningCode::UnpairedRounds
        | WarningCode::NotAlternating
        | WarningCode::Unpaired
        | WarningCode::NoRatio
        | WarningCode::Drift
        | WarningCode::SlotEffect => table == TableName::Comparison,
        WarningCode::LogNotFilled => table == TableName::Rounds,
        WarningCode::Outliers
        | WarningCode::RoundsSetAside
        | WarningCode::LatencyUnreadable
        | WarningCode::DuplicateRounds
        | WarningCode::ClientBound
        | WarningCode::Remark
        | WarningCode::FilesGrew
        | WarningCode::SettingsDiffer
        | WarningCode::OthersBusy
        | WarningCode::InjectedFaults
        | WarningCode::NotSqlServer => true,
    }
}

/// Warnings about one comparison.
pub(crate) fn of_comparison(evidence: &Evidence, comparison: &Comparison) -> Vec<SummaryWarning> {
    let mut found = Vec::new();
    let Evidence { pairs, .. } = evidence;
    if comparison.method == ComparisonMethod::Unpaired {
        if comparison.ratio.is_some() {
            found.push(unpaired(comparison));
        }
    } else {
        too_few(evidence, comparison, &mut found);
    }
    if comparison.method == ComparisonMethod::Paired && !pairs.unpaired.is_empty() {
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
    if comparison.method == ComparisonMethod::Paired && pairs.apart > 0 {
        found.push(warning(
            WarningCode::NotAlternating,
            format!(
                "{} of {} pairs are of rounds that did not run next to each other: what drifted \
                 in between counts as a difference. Alternate the variants.",
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

fn unpaired(comparison: &Comparison) -> SummaryWarning {
    let Comparison {
        baseline, variant, ..
    } = comparison;
    warning(
        WarningCode::Unpaired,
        format!(
            "Rounds of {baseline} and {variant} did not alternate, so they are compared as two \
             lists (rank-sum test). Whatever changed between them looks like a difference, and the \
             interval does not cover that. Run the variants in turn, in pairs."
        ),
    )
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
    named(runs.map(|run| run.label.as_str()).collect())
}

/// `run 1`, `runs 1, 2`; of many the first.
fn named(labels: Vec<&str>) -> String {
    match labels.split_at_checked(8) {
        Some((shown, rest)) if !rest.is_empty() => {
            format!("runs {} and {} more", shown.join(", "), rest.len())
        }
        _ if labels.len() == 1 => format!("run {}", labels.join("")),
        _ => format!("runs {}", labels.join(", ")),
    }
}

/// Counting rounds of the two variants and their values above zero, in order.
fn values<'a>(evidence: &'a Evidence) -> Vec<(&'a Run, f64)> {
    let mut runs: Vec<&Run> = evidence.pairs.all().collect();
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
            "{} {direction} by about {:.0} % from the first round to the last (p {}). Pairs \
             cancel most of it, and a random order lets the rest favour neither. Let the server \
             warm up first.",
            evidence.metric.words,
            percent.abs(),
            p_value(drift.p.p)
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
                 first's (p {}). A random order favours neither; see what the first leaves behind.",
                evidence.metric.words,
                effect.log_ratio.exp(),
                p_value(effect.p.p)
            ),
        ));
    }
}
