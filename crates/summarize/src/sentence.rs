//! A verdict in one plain sentence.

use crate::metric::{Metric, Sense};
use crate::number::{p_value, percent, ratio};
use crate::warnings::count_of_pairs;
use records::{Comparison, ComparisonMethod, ComparisonVerdict, SummaryWarning, WarningCode};

/// The verdict in a word: faster and slower of what is a time or a speed, lower and higher of
/// what is not; and that there is no ratio, where there is none.
#[must_use]
pub fn verdict_word(comparison: &Comparison) -> &'static str {
    let amount =
        Metric::named(&comparison.metric).is_some_and(|metric| metric.sense == Sense::Amount);
    match (comparison.verdict, amount) {
        (ComparisonVerdict::Faster, false) => "faster",
        (ComparisonVerdict::Slower, false) => "slower",
        (ComparisonVerdict::Faster, true) => "lower",
        (ComparisonVerdict::Slower, true) => "higher",
        (ComparisonVerdict::Equivalent, _) => "equivalent",
        (ComparisonVerdict::Inconclusive, _) if no_ratio(comparison) => "no ratio",
        (ComparisonVerdict::Inconclusive, _) => "inconclusive",
    }
}

/// Whether there are rounds, but no ratio of their values.
fn no_ratio(comparison: &Comparison) -> bool {
    comparison.ratio.is_none() && (comparison.pairs > 0 || comparison.variant_rounds > 0)
}

/// What was found, with ratio, interval and number of pairs.
#[must_use]
pub fn sentence(comparison: &Comparison) -> String {
    let Comparison {
        variant, baseline, ..
    } = comparison;
    let Some(estimate) = comparison.ratio else {
        let words = Metric::named(&comparison.metric)
            .map_or(comparison.metric.as_str(), |metric| metric.words);
        let zero = |warning: &SummaryWarning| warning.code == WarningCode::NoRatio;
        return if comparison.warnings.iter().any(zero) {
            format!(
                "Inconclusive: {words} is zero in some rounds of {variant} or {baseline}, so it has \
                 no ratio."
            )
        } else if no_ratio(comparison) {
            format!("Inconclusive: the {words} of {variant} and {baseline} has no ratio.")
        } else {
            format!("Inconclusive: there are no rounds of {variant} and {baseline} to compare.")
        };
    };
    let finding = finding(comparison, estimate);
    let evidence = evidence(comparison);
    match comparison.verdict {
        ComparisonVerdict::Equivalent => format!(
            "Equivalent: {finding}, and the whole interval lies within the floor of {} ({evidence}).",
            percent(comparison.floor)
        ),
        ComparisonVerdict::Faster | ComparisonVerdict::Slower => {
            format!(
                "{}: {finding} ({evidence}).",
                capital(verdict_word(comparison))
            )
        }
        ComparisonVerdict::Inconclusive if comparison.ratio_low.is_none() => format!(
            "Inconclusive: {} cannot decide. In {}, {finding} ({evidence}).",
            count(comparison),
            if comparison.pairs == 1 { "it" } else { "them" },
        ),
        ComparisonVerdict::Inconclusive => {
            let more = match comparison.pairs_needed {
                Some(needed) => format!(" By the spread seen it would take {needed} pairs."),
                None => String::new(),
            };
            format!("Inconclusive: {finding}, but that may be chance ({evidence}).{more}")
        }
    }
}

fn finding(comparison: &Comparison, estimate: f64) -> String {
    let (variant, baseline) = (&comparison.variant, &comparison.baseline);
    let estimate = ratio(estimate);
    match Metric::named(&comparison.metric) {
        Some(metric) if metric.name == "elapsed_ms" => {
            format!("{variant} takes {estimate} times as long as {baseline}")
        }
        Some(metric) => format!(
            "{variant} has {estimate} times the {} of {baseline}",
            metric.words
        ),
        None => format!(
            "{variant} has {estimate} times the {} of {baseline}",
            comparison.metric
        ),
    }
}

fn evidence(comparison: &Comparison) -> String {
    let interval = match (
        comparison.ratio_low,
        comparison.ratio_high,
        comparison.confidence,
    ) {
        (Some(low), Some(high), Some(confidence)) => format!(
            "{} interval {} to {}",
            percent(confidence),
            ratio(low),
            ratio(high)
        ),
        _ => "too few for an interval".to_owned(),
    };
    let p = comparison
        .p_holm
        .map_or_else(String::new, |p| format!(", p {}", p_value(p)));
    format!("{interval}, {}{p}", count(comparison))
}

/// What it is made of: `6 pairs`, or `6 and 5 unpaired rounds`.
fn count(comparison: &Comparison) -> String {
    match comparison.method {
        ComparisonMethod::Paired => count_of_pairs(comparison.pairs),
        ComparisonMethod::Unpaired => format!(
            "{} and {} unpaired rounds",
            comparison.baseline_rounds, comparison.variant_rounds
        ),
    }
}

fn capital(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(chars).collect()
    })
}
