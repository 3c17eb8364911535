//! What limits a result, and what to do about it.

mod findings;
mod others;
mod settings;
mod whole;

pub(crate) use findings::{Finding, merged};
pub(crate) use whole::{of_experiment, unreadable_latencies};

use crate::cli::TableName;
use crate::experiment::Run;
use crate::metric::Metric;
use crate::pairs::Pairs;
use findings::{Seen, TooFew};
use jiff::Timestamp;
use records::{
    Comparison, ComparisonMethod, ComparisonVerdict, Drawn, SummaryWarning, WarningCode,
};
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
    if table == TableName::Verdict {
        return false;
    }
    match code {
        WarningCode::TooFewPairs
        | WarningCode::UnpairedRounds
        | WarningCode::NotAlternating
        | WarningCode::Unpaired
        | WarningCode::DrawnP
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

/// What limits one comparison.
pub(crate) fn of_comparison(evidence: &Evidence, comparison: &Comparison) -> Vec<Finding> {
    let mut seen = Vec::new();
    let Evidence { pairs, .. } = evidence;
    if comparison.method == ComparisonMethod::Unpaired {
        if comparison.ratio.is_some() {
            seen.push(Seen::Said(unpaired(comparison)));
        }
    } else {
        seen.extend(too_few(evidence, comparison));
    }
    if comparison.method == ComparisonMethod::Paired && !pairs.unpaired.is_empty() {
        seen.push(Seen::Said(warning(
            WarningCode::UnpairedRounds,
            format!(
                "{} without a partner in the same block, left out of the comparison: {}. Run one \
                 round of each variant in every block.",
                rounds(pairs.unpaired.len()),
                labels(pairs.unpaired.iter().copied())
            ),
        )));
    }
    if comparison.method == ComparisonMethod::Paired && pairs.apart > 0 {
        seen.push(Seen::Said(warning(
            WarningCode::NotAlternating,
            format!(
                "{} of {} pairs are of rounds that did not run next to each other: what drifted \
                 in between counts as a difference. Alternate the variants.",
                pairs.apart,
                pairs.complete.len()
            ),
        )));
    }
    if let Some(StatisticsError::NotPositive { .. }) = evidence.no_ratio {
        seen.push(Seen::Said(warning(
            WarningCode::NoRatio,
            format!(
                "{} is zero in some rounds, so it has no ratio. Compare the medians.",
                evidence.metric.words
            ),
        )));
    }
    if let Some(drawn) = comparison.p_drawn {
        seen.push(Seen::Said(drawn_p(comparison, drawn)));
    }
    seen.extend(far_values(evidence));
    seen.extend(drifting(evidence));
    seen.extend(slot(evidence));
    let finding = |seen| Finding {
        metric: evidence.metric.words,
        variant: comparison.variant.clone(),
        baseline: comparison.baseline.clone(),
        seen,
    };
    seen.into_iter().map(finding).collect()
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

fn drawn_p(comparison: &Comparison, drawn: Drawn) -> SummaryWarning {
    let (what, patterns) = match comparison.method {
        ComparisonMethod::Paired => (count_of_pairs(comparison.pairs), "sign patterns"),
        ComparisonMethod::Unpaired => (
            format!(
                "{} unpaired rounds",
                comparison.baseline_rounds + comparison.variant_rounds
            ),
            "divisions",
        ),
    };
    warning(
        WarningCode::DrawnP,
        format!(
            "{what} have too many {patterns} to try them all: p is of {} drawn by seed {}, with a \
             standard error of {:.1e}.",
            thousands(drawn.draws),
            drawn.seed,
            drawn.standard_error
        ),
    )
}

/// `200,000`.
fn thousands(count: u64) -> String {
    match (count / 1000, count % 1000) {
        (0, rest) => rest.to_string(),
        (above, rest) => format!("{},{rest:03}", thousands(above)),
    }
}

fn too_few(evidence: &Evidence, comparison: &Comparison) -> Option<Seen> {
    let pairs = comparison.pairs;
    let least = evidence.least as u64;
    // Where there is no ratio, more pairs would have none either.
    let no_ratio = matches!(evidence.no_ratio, Some(StatisticsError::NotPositive { .. }));
    if pairs >= least || no_ratio || comparison.verdict != ComparisonVerdict::Inconclusive {
        return None;
    }
    Some(Seen::TooFew(TooFew {
        pairs,
        least,
        needed: comparison.pairs_needed.filter(|needed| *needed > least),
        headline: comparison.headline,
    }))
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
    named(&runs.map(|run| run.label.as_str()).collect::<Vec<_>>())
}

/// `run 1`, `runs 1, 2`; of many the first.
fn named(labels: &[&str]) -> String {
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

fn far_values(evidence: &Evidence) -> Option<Seen> {
    let values = values(evidence);
    let far = outliers(&residuals(&values)).unwrap_or_default();
    let runs: Vec<(Timestamp, String)> = far
        .iter()
        .filter_map(|index| values.get(*index))
        .map(|(run, _)| (run.round.started, run.label.clone()))
        .collect();
    (!runs.is_empty()).then_some(Seen::Far(runs))
}

fn drifting(evidence: &Evidence) -> Option<Seen> {
    let residuals = residuals(&values(evidence));
    let drift = drift(&residuals).ok()??;
    if drift.p.p > DRIFT_P {
        return None;
    }
    let steps = u32::try_from(residuals.len().saturating_sub(1)).unwrap_or(u32::MAX);
    Some(Seen::Drift {
        percent: (drift.slope * f64::from(steps)).exp_m1() * 100.0,
        p: drift.p.p,
    })
}

fn slot(evidence: &Evidence) -> Option<Seen> {
    let logs = evidence.log_ratios?;
    let with_values = evidence.pairs.complete.iter().filter(|pair| {
        evidence.metric.of(&pair.baseline.round).is_some()
            && evidence.metric.of(&pair.variant.round).is_some()
    });
    let (second, first): (Vec<_>, Vec<_>) = with_values
        .zip(logs)
        .partition(|(pair, _)| pair.variant_second());
    let logs_of =
        |pairs: Vec<(_, &f64)>| -> Vec<f64> { pairs.into_iter().map(|(_, log)| *log).collect() };
    let effect = slot_effect(&logs_of(second), &logs_of(first)).ok()??;
    (effect.p.p <= SLOT_P).then_some(Seen::Slot {
        times: effect.log_ratio.exp(),
        p: effect.p.p,
    })
}
