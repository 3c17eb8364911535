//! The rounds of one experiment in the order in which they ran, and which of them count.

use crate::input::Input;
use crate::metric::Metric;
use crate::restores;
use records::{Round, Validity};
use std::collections::BTreeMap;

/// The rounds of one experiment.
pub struct Experiment {
    /// Its name.
    pub name: String,
    /// In the order in which they ran.
    pub rounds: Vec<Run>,
    /// The variants in the order in which they first ran; restores by their size.
    pub variants: Vec<String>,
}

/// One round and its place.
pub struct Run {
    /// What was measured.
    pub round: Round,
    /// Its variant.
    pub variant: String,
    /// Which run of the experiment, from 1: appending to a file gives several.
    pub series: u32,
    /// The round's number in its series, from 1.
    pub number: u32,
    /// The round's number in words: `3`, or `2.3` for the third of the second series.
    pub label: String,
    /// The block and the slot in it; none for a round without a trial.
    pub block: Option<(u32, u32)>,
    /// Why it does not count; none where it does.
    pub set_aside: Option<String>,
}

/// The name of what has no trial.
const UNNAMED: &str = "(no trial)";

impl Experiment {
    /// Sorts rounds into experiments, in the order in which these first appear.
    pub(crate) fn sort(input: Input, only: Option<&str>) -> Vec<Self> {
        let mut names: Vec<String> = Vec::new();
        let mut by_name: BTreeMap<String, Vec<Round>> = BTreeMap::new();
        for round in input.rounds {
            let name = round
                .header
                .trial
                .as_ref()
                .map_or(UNNAMED, |trial| trial.experiment.as_str())
                .to_owned();
            if only.is_some_and(|only| only != name) {
                continue;
            }
            if !by_name.contains_key(&name) {
                names.push(name.clone());
            }
            by_name.entry(name).or_default().push(round);
        }
        names
            .into_iter()
            .map(|name| {
                let rounds = by_name.remove(&name).unwrap_or_default();
                let failed = |round: &Round| {
                    let trial = round.header.trial.as_ref();
                    trial.is_some_and(|trial| input.failed_trials.contains(&trial.id))
                };
                Self::new(name, rounds, failed)
            })
            .collect()
    }

    fn new(name: String, mut rounds: Vec<Round>, failed: impl Fn(&Round) -> bool) -> Self {
        rounds.sort_by_key(|round| round.started);
        let mut series = 1;
        let mut last = 0;
        let mut runs: Vec<Run> = Vec::with_capacity(rounds.len());
        for (place, round) in rounds.into_iter().enumerate() {
            let trial = round.header.trial.clone();
            let number = trial.as_ref().map_or_else(
                || u32::try_from(place + 1).unwrap_or(u32::MAX),
                |trial| trial.round,
            );
            // A round that did not count and was run again is the same round.
            let again = number == last && runs.last().is_some_and(|run| run.set_aside.is_some());
            if number <= last && !again {
                series += 1;
            }
            last = number;
            runs.push(Run {
                series,
                number,
                label: number.to_string(),
                block: trial.as_ref().map(|trial| (trial.block, trial.slot)),
                set_aside: why_set_aside(&round, failed(&round)),
                variant: trial.map_or_else(|| UNNAMED.to_owned(), |trial| trial.variant),
                round,
            });
        }
        if series > 1 {
            for run in &mut runs {
                run.label = format!("{}.{}", run.series, run.label);
            }
        }
        let mut variants: Vec<String> = Vec::new();
        for run in &runs {
            if !variants.contains(&run.variant) {
                variants.push(run.variant.clone());
            }
        }
        let mut experiment = Self {
            name,
            rounds: runs,
            variants,
        };
        restores::order_by_size(&mut experiment);
        experiment
    }

    /// The rounds that count.
    pub fn counting(&self) -> impl Iterator<Item = &Run> {
        self.rounds.iter().filter(|run| run.set_aside.is_none())
    }
}

fn why_set_aside(round: &Round, stage_failed: bool) -> Option<String> {
    let word = match round.validity {
        Validity::Valid if stage_failed => return Some("a stage failed".to_owned()),
        Validity::Valid => {
            return Metric::impossible(round).map(|field| format!("impossible: {field}"));
        }
        Validity::Partial => "partial",
        Validity::Invalid => "invalid",
    };
    Some(match round.reasons.first() {
        Some(reason) => format!("{word}: {}", reason.code),
        None => word.to_owned(),
    })
}
