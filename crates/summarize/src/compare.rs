//! Comparing each variant with the baseline.

use crate::experiment::Experiment;
use crate::loss;
use crate::metric::{Metric, Sense};
use crate::pairs::{Pairs, pair_up};
use crate::warnings::{self, Finding};
use records::{Comparison, ComparisonMethod, ComparisonVerdict, Drawn, Header};
use statistics::{
    Direction, Estimate, MONTE_CARLO_SEED, PValue, StatisticsError, holm, least_pairs, log_ratios,
    pairs_needed, ratio,
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
    method: ComparisonMethod,
    pairs: usize,
    baseline_rounds: usize,
    variant_rounds: usize,
    /// Of the pairs; none where there are none to compare.
    log_ratios: Option<Vec<f64>>,
    estimate: Result<Estimate, StatisticsError>,
}

impl Raw<'_> {
    fn p(&self) -> Option<f64> {
        self.estimate.as_ref().ok().map(|estimate| estimate.p.p)
    }
}

/// Every variant against the baseline on every metric, the headline metric first, each with what
/// limits it; and what limits all of them.
pub(crate) fn compare(
    experiment: &Experiment,
    metrics: &[Metric],
    rules: &Rules,
    header: &Header,
) -> (Vec<Comparison>, Vec<Finding>) {
    let Some(baseline) = rules.baseline_of(experiment) else {
        return (Vec::new(), Vec::new());
    };
    let others: Vec<(&str, Pairs)> = experiment
        .variants
        .iter()
        .filter(|variant| *variant != baseline)
        .map(|variant| (variant.as_str(), pair_up(experiment, baseline, variant)))
        .collect();
    let mut raws = Vec::new();
    for (place, metric) in metrics.iter().enumerate() {
        // No loss is the good case, and there is no ratio with 0.
        if loss::is_count(metric.name) {
            continue;
        }
        for (variant, pairs) in &others {
            raws.push(raw(variant, baseline, *metric, place == 0, pairs, rules));
        }
    }
    let corrected = correct(&raws);
    let mut comparisons = Vec::with_capacity(raws.len());
    let mut findings = Vec::new();
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
            log_ratios: raw.log_ratios.as_deref(),
            no_ratio: raw.estimate.as_ref().err().copied(),
            least,
        };
        let limits = warnings::of_comparison(&evidence, &comparison);
        comparison.warnings = warnings::merged(&limits);
        findings.extend(limits);
        comparisons.push(comparison);
    }
    (comparisons, findings)
}

fn raw<'a>(
    variant: &'a str,
    baseline: &str,
    metric: Metric,
    headline: bool,
    pairs: &Pairs,
    rules: &Rules,
) -> Raw<'a> {
    let (of_baseline, of_variant) = pairs.values(metric);
    if pairs.alternate() {
        let log_ratios = log_ratios(&of_baseline, &of_variant);
        return Raw {
            variant,
            metric,
            headline,
            method: ComparisonMethod::Paired,
            pairs: of_baseline.len(),
            baseline_rounds: of_baseline.len(),
            variant_rounds: of_variant.len(),
            estimate: match &log_ratios {
                Ok(log_ratios) => Estimate::of_pairs(log_ratios, rules.confidence),
                Err(error) => Err(*error),
            },
            log_ratios: log_ratios.ok(),
        };
    }
    let values = |of: &str| -> Vec<f64> {
        pairs
            .all()
            .filter(|run| run.variant == of)
            .filter_map(|run| metric.of(&run.round))
            .collect()
    };
    let (of_baseline, of_variant) = (values(baseline), values(variant));
    Raw {
        variant,
        metric,
        headline,
        method: ComparisonMethod::Unpaired,
        pairs: 0,
        baseline_rounds: of_baseline.len(),
        variant_rounds: of_variant.len(),
        log_ratios: None,
        estimate: Estimate::of_lists(&of_baseline, &of_variant, rules.confidence),
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
            .filter_map(|(index, raw)| Some((index, raw.p()?)))
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
    let estimate = raw.estimate.as_ref().ok();
    let interval = estimate.and_then(|estimate| estimate.interval);
    let direction = match (estimate, p_holm) {
        (Some(estimate), Some(p)) => estimate.verdict(p, rules.alpha(), rules.floor),
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
        method: raw.method,
        pairs: raw.pairs as u64,
        baseline_rounds: raw.baseline_rounds as u64,
        variant_rounds: raw.variant_rounds as u64,
        ratio: estimate.map(|estimate| ratio(estimate.log_ratio)),
        ratio_low: interval.map(|interval| ratio(interval.low)),
        ratio_high: interval.map(|interval| ratio(interval.high)),
        confidence: interval.map(|interval| interval.confidence),
        p: raw.p(),
        p_drawn: estimate.and_then(|estimate| drawn(&estimate.p)),
        p_holm,
        floor: rules.floor,
        verdict: verdict(direction, raw.metric.sense),
        pairs_needed: needed.map(|pairs| pairs as u64),
        warnings: Vec::new(),
    }
}

/// How p was drawn; none where every pattern was counted.
fn drawn(p: &PValue) -> Option<Drawn> {
    Some(Drawn {
        draws: p.draws? as u64,
        seed: MONTE_CARLO_SEED,
        standard_error: p.standard_error?,
    })
}

/// How many pairs it would take to find a difference of the size seen, or of the floor where that
/// is larger; more than there are, since these did not decide.
fn needed(raw: &Raw, tests: usize, rules: &Rules) -> Option<usize> {
    let logs = raw.log_ratios.as_deref()?;
    let difference = raw
        .estimate
        .as_ref()
        .ok()?
        .log_ratio
        .abs()
        .max(rules.floor.ln_1p());
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
