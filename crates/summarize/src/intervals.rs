//! The intervals inside rounds, added up as they stream past.
//!
//! A round may have thousands, so none is kept: what is kept is one small sum a round, because only
//! the end of the stream says which rounds count. Distributions are not small: that of a round goes
//! into its variant's as soon as the round's record says that it counts.

use crate::experiment::{Experiment, Run};
use crate::sparse_histogram::{Adder, SparseHistogram};
use records::{Header, IntervalSummary, Round, SCHEMA, Validity};
use serde::Deserialize;
use std::borrow::Cow;
use std::collections::HashMap;

/// The kind that is added up.
pub(crate) const KIND: &str = "interval";

/// The intervals of every round, by its id.
#[derive(Default)]
pub(crate) struct Intervals {
    by_trial: HashMap<String, Sum>,
    /// The distributions of rounds that have ended, by experiment and variant.
    by_variant: HashMap<(String, String), Settled>,
    /// Intervals that came again.
    pub(crate) repeated: u64,
    /// Intervals of no trial, which belong to no round.
    pub(crate) without_trial: u64,
}

/// Distributions that are added up.
#[derive(Default)]
struct Settled {
    latencies: Adder,
    rounds: u64,
}

/// Intervals of one round, in the order of their numbers.
#[derive(Clone, Default)]
struct Sum {
    last: u32,
    intervals: u64,
    whole: u64,
    transactions: u64,
    errors: u64,
    length_ms: f64,
    /// The rate and the start of the whole interval with the lowest rate.
    slowest: Option<(f64, f64)>,
    fastest: Option<f64>,
    worst_p99_us: Option<u64>,
    latencies: SparseHistogram,
    /// Whether `latencies` has gone into the variant's.
    settled: bool,
    /// Whether a distribution could not be read.
    unreadable: bool,
}

/// What one block of the stream has.
#[derive(Default)]
pub(crate) struct BlockSum {
    /// Rounds in the order of the stream, each with the number of its first interval here.
    trials: Vec<(String, u32, Sum)>,
    latencies: Adder,
    repeated: u64,
    without_trial: u64,
}

/// The fields of an interval that are added up.
#[derive(Deserialize)]
struct Line<'a> {
    schema: u32,
    #[serde(borrow)]
    trial: Option<TrialId<'a>>,
    number: u32,
    start_ms: f64,
    length_ms: f64,
    whole: bool,
    transactions: u64,
    transactions_per_s: Option<f64>,
    errors: u64,
    latency_p99_us: Option<u64>,
    #[serde(borrow)]
    latency_histogram: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
struct TrialId<'a> {
    #[serde(borrow)]
    id: Cow<'a, str>,
}

impl BlockSum {
    /// Adds a line; false where it is no interval that this version reads.
    pub(crate) fn add(&mut self, line: &[u8]) -> bool {
        let Ok(line) = serde_json::from_slice::<Line>(line) else {
            return false;
        };
        if line.schema > SCHEMA {
            return false;
        }
        let Some(TrialId { id }) = &line.trial else {
            self.without_trial += 1;
            return true;
        };
        if self.trials.last().is_none_or(|(last, ..)| last != id) {
            self.end_trial();
            let trial = (id.to_string(), line.number, Sum::default());
            self.trials.push(trial);
        }
        if let Some((.., sum)) = self.trials.last_mut() {
            if line.number <= sum.last {
                self.repeated += 1;
            } else {
                sum.add_line(&line, &mut self.latencies);
            }
        }
        true
    }

    fn end_trial(&mut self) {
        if let Some((.., sum)) = self.trials.last_mut() {
            sum.latencies = self.latencies.take();
        }
    }
}

impl Sum {
    fn add_line(&mut self, line: &Line, latencies: &mut Adder) {
        self.last = line.number;
        self.intervals += 1;
        self.transactions = self.transactions.saturating_add(line.transactions);
        self.errors = self.errors.saturating_add(line.errors);
        self.length_ms += line.length_ms;
        if line.whole {
            self.whole += 1;
            if let Some(rate) = line.transactions_per_s {
                self.note_slow(Some((rate, line.start_ms)));
                self.fastest = higher(self.fastest, Some(rate));
            }
        }
        self.worst_p99_us = self.worst_p99_us.max(line.latency_p99_us);
        if let Some(text) = &line.latency_histogram
            && latencies.add(text).is_none()
        {
            self.unreadable = true;
        }
    }

    fn note_slow(&mut self, other: Option<(f64, f64)>) {
        if let Some((rate, _)) = other
            && self.slowest.is_none_or(|(lowest, _)| rate < lowest)
        {
            self.slowest = other;
        }
    }

    fn add(&mut self, other: Self) {
        self.last = self.last.max(other.last);
        self.intervals += other.intervals;
        self.whole += other.whole;
        self.transactions = self.transactions.saturating_add(other.transactions);
        self.errors = self.errors.saturating_add(other.errors);
        self.length_ms += other.length_ms;
        self.note_slow(other.slowest);
        self.fastest = higher(self.fastest, other.fastest);
        self.worst_p99_us = self.worst_p99_us.max(other.worst_p99_us);
        self.unreadable |= other.unreadable;
        if self.latencies.add(other.latencies).is_none() {
            self.unreadable = true;
        }
    }
}

fn higher(one: Option<f64>, other: Option<f64>) -> Option<f64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.max(other)),
        _ => one.or(other),
    }
}

impl Intervals {
    /// Adds what the next block of the stream has.
    pub(crate) fn add(&mut self, mut block: BlockSum) {
        block.end_trial();
        self.repeated += block.repeated;
        self.without_trial += block.without_trial;
        for (id, first, sum) in block.trials {
            let known = self.by_trial.entry(id).or_default();
            if sum.last <= known.last {
                // The same stream again.
                self.repeated += sum.intervals;
            } else if first > known.last {
                known.add(sum);
            } else {
                // Part of them came before. They add up to no round now, which sets them aside.
                self.repeated += 1;
                known.add(sum);
            }
        }
    }

    /// A round's record came, after its intervals: where it counts, its distribution goes into its
    /// variant's, and is not kept by itself.
    pub(crate) fn end_round(&mut self, round: &Round) {
        let Some(trial) = &round.header.trial else {
            return;
        };
        let Some(sum) = self.by_trial.get_mut(&trial.id) else {
            return;
        };
        let latencies = std::mem::take(&mut sum.latencies);
        if round.validity != Validity::Valid || round.transactions != Some(sum.transactions) {
            return;
        }
        sum.settled = true;
        let variant = (trial.experiment.clone(), trial.variant.clone());
        let settled = self.by_variant.entry(variant).or_default();
        settled.rounds += 1;
        sum.unreadable |= settled.latencies.add_sum(&latencies).is_none();
    }

    /// Each variant, in the order in which they ran; none where no round has intervals.
    pub(crate) fn summarize(
        &self,
        experiment: &Experiment,
        header: &Header,
    ) -> Vec<IntervalSummary> {
        let has = |run: &&Run| self.of(run).is_some();
        if experiment.counting().find(has).is_none() {
            return Vec::new();
        }
        experiment
            .variants
            .iter()
            .map(|variant| self.of_variant(experiment, variant, header))
            .collect()
    }

    /// The intervals of a round; none where they are not all there.
    fn of(&self, run: &Run) -> Option<&Sum> {
        let sum = self.by_trial.get(&run.round.header.trial.as_ref()?.id)?;
        (run.round.transactions == Some(sum.transactions)).then_some(sum)
    }

    fn of_variant(
        &self,
        experiment: &Experiment,
        variant: &str,
        header: &Header,
    ) -> IntervalSummary {
        let mut all = Sum::default();
        let (mut rounds, mut rounds_without, mut settled_rounds) = (0, 0, 0);
        let mut slowest_trial_id = None;
        for run in experiment.counting().filter(|run| run.variant == variant) {
            let Some(sum) = self.of(run) else {
                rounds_without += 1;
                continue;
            };
            rounds += 1;
            settled_rounds += u64::from(sum.settled);
            let before = all.slowest;
            all.add(sum.clone());
            if all.slowest != before {
                let trial = run.round.header.trial.as_ref();
                slowest_trial_id = trial.map(|trial| trial.id.clone());
            }
        }
        let of_variant = (experiment.name.clone(), variant.to_owned());
        if let Some(settled) = self.by_variant.get(&of_variant) {
            // A stage of a round failed after its record was written: it is in the distribution and
            // does not count.
            all.unreadable |= settled.rounds != settled_rounds;
            all.unreadable |= all.latencies.add(settled.latencies.sum()).is_none();
        }
        // A percentile is of all transactions or not given.
        let latencies = all
            .latencies
            .to_histogram()
            .filter(|latencies| !all.unreadable && latencies.len() == all.transactions);
        let quantile = |q| latencies.as_ref().map(|all| all.value_at_quantile(q));
        IntervalSummary {
            header: header.clone(),
            experiment: experiment.name.clone(),
            variant: variant.to_owned(),
            rounds,
            rounds_without,
            intervals: all.intervals,
            whole_intervals: all.whole,
            transactions: all.transactions,
            errors: all.errors,
            length_ms: all.length_ms,
            transactions_per_s_min: all.slowest.map(|(rate, _)| rate),
            transactions_per_s_mean: mean_rate(all.transactions, all.length_ms),
            transactions_per_s_max: all.fastest,
            slowest_trial_id,
            slowest_start_ms: all.slowest.map(|(_, start)| start),
            latency_p50_us: quantile(0.5),
            latency_p99_us: quantile(0.99),
            latency_max_us: latencies.as_ref().map(hdrhistogram::Histogram::max),
            latency_p99_us_worst: all.worst_p99_us,
        }
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a rate bears the rounding above 2^53"
)]
fn mean_rate(transactions: u64, length_ms: f64) -> Option<f64> {
    (length_ms > 0.0).then(|| transactions as f64 * 1000.0 / length_ms)
}
