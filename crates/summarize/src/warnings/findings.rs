//! What limits a comparison, and its words: for one comparison alone, as its record has them, and for
//! all of an experiment together, so that what several share is said once.

use super::{count_of_pairs, named, warning};
use crate::number::p_value;
use jiff::Timestamp;
use records::{SummaryWarning, WarningCode};
use std::collections::BTreeSet;

/// What was seen of one comparison.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    /// The metric, in words.
    pub(crate) metric: &'static str,
    pub(crate) variant: String,
    pub(crate) baseline: String,
    pub(crate) seen: Seen,
}

#[derive(Clone, Debug)]
pub(crate) enum Seen {
    /// Runs, by start and label.
    Far(Vec<(Timestamp, String)>),
    /// By how many percent the last round differs from the first by the trend.
    Drift {
        percent: f64,
        p: f64,
    },
    /// How many times the first round's value a pair's second has.
    Slot {
        times: f64,
        p: f64,
    },
    TooFew(TooFew),
    /// What has its words already.
    Said(SummaryWarning),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct TooFew {
    pub(crate) pairs: u64,
    /// The fewest that can decide.
    pub(crate) least: u64,
    /// How many it would take by the spread seen, where that is more.
    pub(crate) needed: Option<u64>,
    pub(crate) headline: bool,
}

/// The findings in words; those of one kind in one sentence.
pub(crate) fn merged(findings: &[Finding]) -> Vec<SummaryWarning> {
    let mut found = too_few(findings);
    for finding in findings {
        if let Seen::Said(said) = &finding.seen
            && !found.contains(said)
        {
            found.push(said.clone());
        }
    }
    found.extend(far(findings));
    found.extend(drift(findings));
    found.extend(slot(findings));
    found
}

/// The metrics of findings, each once.
fn metrics(findings: &[Finding]) -> Vec<&'static str> {
    let mut metrics = Vec::new();
    for finding in findings {
        if !metrics.contains(&finding.metric) {
            metrics.push(finding.metric);
        }
    }
    metrics
}

/// `one`, `one and two`, `one, two and three`.
fn list(words: &[&str]) -> String {
    match words.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        Some((last, _)) => (*last).to_owned(),
        None => String::new(),
    }
}

/// One sentence for the headline and one for all further metrics.
fn too_few(findings: &[Finding]) -> Vec<SummaryWarning> {
    let mut found = Vec::new();
    for headline in [true, false] {
        let of_family: Vec<(&Finding, TooFew)> = findings
            .iter()
            .filter_map(|finding| match finding.seen {
                Seen::TooFew(few) if few.headline == headline => Some((finding, few)),
                _ => None,
            })
            .collect();
        let fewest = of_family
            .iter()
            .map(|(_, few)| few)
            .min_by_key(|few| few.pairs);
        let Some(TooFew { pairs, least, .. }) = fewest.copied() else {
            continue;
        };
        let subject = if headline {
            String::new()
        } else {
            let of: Vec<Finding> = of_family.iter().map(|(f, _)| (*f).clone()).collect();
            format!(
                " {} (further metrics, corrected together)",
                list(&metrics(&of))
            )
        };
        let needed = of_family.iter().filter_map(|(_, few)| few.needed).max();
        let spread = needed.map_or_else(String::new, |needed| {
            let most = if of_family.len() > 1 { "up to " } else { "" };
            format!(" By the spread seen it would take {most}{needed}.")
        });
        found.push(warning(
            WarningCode::TooFewPairs,
            format!(
                "{} cannot decide{subject}: {least} are the least that can.{spread} Run at least {} \
                 more.",
                count_of_pairs(pairs),
                least - pairs
            ),
        ));
    }
    found
}

fn far(findings: &[Finding]) -> Option<SummaryWarning> {
    let mut each: Vec<(String, Vec<&str>)> = Vec::new();
    for metric in metrics(findings) {
        let runs: BTreeSet<&(Timestamp, String)> = findings
            .iter()
            .filter(|finding| finding.metric == metric)
            .filter_map(|finding| match &finding.seen {
                Seen::Far(runs) => Some(runs),
                _ => None,
            })
            .flatten()
            .collect();
        if runs.is_empty() {
            continue;
        }
        let labels: Vec<&str> = runs.into_iter().map(|(_, label)| label.as_str()).collect();
        let runs = named(&labels);
        match each.iter_mut().find(|(same, _)| *same == runs) {
            Some((_, metrics)) => metrics.push(metric),
            None => each.push((runs, vec![metric])),
        }
    }
    let each: Vec<String> = each
        .into_iter()
        .map(|(runs, metrics)| format!("{} in {runs}", list(&metrics)))
        .collect();
    (!each.is_empty()).then(|| {
        warning(
            WarningCode::Outliers,
            format!(
                "far from the others, and kept: {}. See what else ran then, and run more pairs.",
                each.join("; ")
            ),
        )
    })
}

/// Where there is more than one variant beside the baseline, which rounds it was seen in.
fn pair_of(finding: &Finding, findings: &[Finding]) -> String {
    let several = findings
        .iter()
        .any(|other| other.variant != finding.variant);
    if several {
        format!("{} and {}, ", finding.baseline, finding.variant)
    } else {
        String::new()
    }
}

/// `METRIC THIS (A and B, p 0.01) and THAT (A and C, p 0.02)` of each metric that has any.
fn each_metric(
    findings: &[Finding],
    words: impl Fn(&Seen) -> Option<(String, f64)>,
) -> Vec<String> {
    metrics(findings)
        .into_iter()
        .filter_map(|metric| {
            let each: Vec<String> = findings
                .iter()
                .filter(|finding| finding.metric == metric)
                .filter_map(|finding| {
                    let (seen, p) = words(&finding.seen)?;
                    let pair = pair_of(finding, findings);
                    Some(format!("{seen} ({pair}p {})", p_value(p)))
                })
                .collect();
            let each: Vec<&str> = each.iter().map(String::as_str).collect();
            (!each.is_empty()).then(|| format!("{metric} {}", list(&each)))
        })
        .collect()
}

fn drift(findings: &[Finding]) -> Option<SummaryWarning> {
    let each = each_metric(findings, |seen| match seen {
        Seen::Drift { percent, p } => {
            let direction = if *percent < 0.0 { "falls" } else { "rises" };
            Some((format!("{direction} by about {:.0} %", percent.abs()), *p))
        }
        _ => None,
    });
    (!each.is_empty()).then(|| {
        warning(
            WarningCode::Drift,
            format!(
                "from the first round to the last {}. Pairs cancel most of it, and a random order \
                 lets the rest favour neither. Let the server warm up first.",
                each.join("; ")
            ),
        )
    })
}

fn slot(findings: &[Finding]) -> Option<SummaryWarning> {
    let each = each_metric(findings, |seen| match seen {
        Seen::Slot { times, p } => Some((format!("{times:.3} times"), *p)),
        _ => None,
    });
    (!each.is_empty()).then(|| {
        warning(
            WarningCode::SlotEffect,
            format!(
                "a pair's second round has other values than its first: {}. A random order \
                 favours neither; see what the first leaves behind.",
                each.join("; ")
            ),
        )
    })
}
