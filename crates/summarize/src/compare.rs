//! Comparing each variant with the baseline.

use crate::experiment::Experiment;
use crate::metric::{Metric, Sense};
use crate::pairs::{Pairs, pair_up};
use crate::warnings;
use records::{Comparison, ComparisonVerdict, Header};
use statistics::{
    Direction, Interval, StatisticsError, decide, hodges_lehmann, holm, least_pairs, log_ratios,
    pairs_needed, ratio, sign_flip_interval, sign_flip_test,
};

/// What decides a verdict besides the rounds.
#[derive(Clone, Debug)]
pub(crate) struct Rules {
    pub(crate) baseline: Option<String>,
    pub(crate) floor: f64,
    pub(crate) confidence: f64,
}

impl Rules {
    /// The level of the tests.
    pub(crate) fn alpha(&self) -> f64 {
        1.0 - self.confidence
    }

    /// The baseline of an experiment: the one asked for where the experiment has it, else the
    /// variant of the first round.
    pub(crate) fn baseline_of<'a>(&self, experiment: &'a Experiment) -> Option<&'a str> {
        let asked = |variant: &&String| Some(*variant) == self.baseline.as_ref();
        let variants = &experiment.variants;
        variants
            .iter()
            .find(asked)
            .or(variants.first())
            .map(String::as_str)
    }
}

/// One comparison before Holm's correction.
struct Raw<'a> {
    variant: &'a str,
    metric: Metric,
    headline: bool,
    pairs: usize,
    log_ratios: Result<Vec<f64>, StatisticsError>,
    estimate: Option<f64>,
    interval: Option<Interval>,
    p: Option<f64>,
}

/// Every variant against the baseline on every metric, the headline metric first.
pub(crate) fn compare(
    experiment: &Experiment,
    metrics: &[Metric],
    rules: &Rules,
    header: &Header,
) -> Vec<Comparison> {
    let Some(baseline) = rules.baseline_of(experiment) else {
        return Vec::new();
    };
    let others: Vec<(&str, Pairs)> = experiment
        .variants
        .iter()
        .filter(|variant| *variant != baseline)
        .map(|variant| (variant.as_str(), pair_up(experiment, baseline, variant)))
        .collect();
    let mut raws = Vec::new();
    for (place, metric) in metrics.iter().enumerate() {
        for (variant, pairs) in &others {
            raws.push(raw(variant, *metric, place == 0, pairs, rules));
        }
    }
    let corrected = correct(&raws);
    let mut comparisons = Vec::with_capacity(raws.len());
    for (raw, p_holm) in raws.iter().zip(corrected) {
        let Some((_, pairs)) = others.iter().find(|(variant, _)| *variant == raw.variant) else {
            continue;
        };
        let tests = raws
            .iter()
            .filter(|other| other.headline == raw.headline)
            .count();
        let mut comparison = finish(raw, p_holm, tests, rules);
        comparison.header = header.clone();
        comparison.experiment.clone_from(&experiment.name);
        baseline.clone_into(&mut comparison.baseline);
        let least = least_pairs(rules.alpha(), tests).unwrap_or(usize::MAX);
        let evidence = warnings::Evidence {
            pairs,
            metric: raw.metric,
            log_ratios: raw.log_ratios.as_deref().ok(),
            no_ratio: raw.log_ratios.as_ref().err().copied(),
            least,
        };
        comparison.warnings = warnings::of_comparison(&evidence, &comparison);
        comparisons.push(comparison);
    }
    comparisons
}

fn raw<'a>(
    variant: &'a str,
    metric: Metric,
    headline: bool,
    pairs: &Pairs,
    rules: &Rules,
) -> Raw<'a> {
    let (of_baseline, of_variant): (Vec<f64>, Vec<f64>) = pairs
        .complete
        .iter()
        .filter_map(|pair| {
            metric
                .of(&pair.baseline.round)
                .zip(metric.of(&pair.variant.round))
        })
        .unzip();
    let log_ratios = log_ratios(&of_baseline, &of_variant);
    let logs = log_ratios.as_deref().unwrap_or_default();
    Raw {
        variant,
        metric,
        headline,
        pairs: of_baseline.len(),
        estimate: hodges_lehmann(logs).ok(),
        interval: sign_flip_interval(logs, rules.confidence).ok().flatten(),
        p: sign_flip_test(logs).ok().map(|p| p.p),
        log_ratios,
    }
}

/// Holm's correction inside each of the two families: the headline, and the rest.
fn correct(raws: &[Raw]) -> Vec<Option<f64>> {
    let mut corrected: Vec<Option<f64>> = vec![None; raws.len()];
    for headline in [true, false] {
        let family: Vec<(usize, f64)> = raws
            .iter()
            .enumerate()
            .filter(|(_, raw)| raw.headline == headline)
            .filter_map(|(index, raw)| Some((index, raw.p?)))
            .collect();
        let p_values: Vec<f64> = family.iter().map(|(_, p)| *p).collect();
        let Ok(holm) = holm(&p_values) else { continue };
        for ((index, _), p) in family.iter().zip(holm) {
            if let Some(slot) = corrected.get_mut(*index) {
                *slot = Some(p);
            }
        }
    }
    corrected
}

fn finish(raw: &Raw, p_holm: Option<f64>, tests: usize, rules: &Rules) -> Comparison {
    let direction = match (raw.estimate, p_holm) {
        (Some(estimate), Some(p)) => decide(estimate, raw.interval, p, rules.alpha(), rules.floor),
        _ => Direction::Undecided,
    };
    let needed = if direction == Direction::Undecided {
        needed(raw, tests, rules)
    } else {
        None
    };
    Comparison {
        header: Header::now(crate::PROGRAM),
        experiment: String::new(),
        metric: raw.metric.name.to_owned(),
        headline: raw.headline,
        baseline: String::new(),
        variant: raw.variant.to_owned(),
        pairs: raw.pairs as u64,
        ratio: raw.estimate.map(ratio),
        ratio_low: raw.interval.map(|interval| ratio(interval.low)),
        ratio_high: raw.interval.map(|interval| ratio(interval.high)),
        confidence: raw.interval.map(|interval| interval.confidence),
        p: raw.p,
        p_holm,
        floor: rules.floor,
        verdict: verdict(direction, raw.metric.sense),
        pairs_needed: needed.map(|pairs| pairs as u64),
        warnings: Vec::new(),
    }
}

/// How many pairs it would take to find a difference of the size seen, or of the floor where that
/// is larger; more than there are, since these did not decide.
fn needed(raw: &Raw, tests: usize, rules: &Rules) -> Option<usize> {
    let logs = raw.log_ratios.as_deref().ok()?;
    let difference = raw.estimate?.abs().max(rules.floor.ln_1p());
    let pairs = pairs_needed(logs, difference, rules.alpha(), tests).ok()??;
    Some(pairs.max(raw.pairs + 1))
}

fn verdict(direction: Direction, sense: Sense) -> ComparisonVerdict {
    match (direction, sense) {
        (Direction::Equivalent, _) => ComparisonVerdict::Equivalent,
        (Direction::Undecided, _) => ComparisonVerdict::Inconclusive,
        (Direction::Less, Sense::Speed) | (Direction::More, Sense::Time | Sense::Amount) => {
            ComparisonVerdict::Slower
        }
        (Direction::More, Sense::Speed) | (Direction::Less, Sense::Time | Sense::Amount) => {
            ComparisonVerdict::Faster
        }
    }
}
