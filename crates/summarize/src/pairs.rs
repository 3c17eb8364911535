//! Which rounds are compared with each other.

use crate::experiment::{Experiment, Run};
use crate::metric::Metric;
use std::collections::BTreeMap;

/// The pairs of one variant with the baseline, in the order of their blocks.
pub struct Pairs<'a> {
    /// Blocks in which both have a round that counts.
    pub complete: Vec<Pair<'a>>,
    /// Counting rounds of the two variants that have no partner.
    pub unpaired: Vec<&'a Run>,
    /// How many pairs are of rounds that did not run next to each other.
    pub apart: usize,
}

impl<'a> Pairs<'a> {
    /// Whether any pair ran next to each other. Where none did, pairing takes nothing away that
    /// the rounds share, and claims to.
    #[must_use]
    pub fn alternate(&self) -> bool {
        self.apart < self.complete.len()
    }

    /// A metric of the baseline and of the variant, for each pair in which both have it.
    #[must_use]
    pub fn values(&self, metric: Metric) -> (Vec<f64>, Vec<f64>) {
        self.complete
            .iter()
            .filter_map(|pair| {
                metric
                    .of(&pair.baseline.round)
                    .zip(metric.of(&pair.variant.round))
            })
            .unzip()
    }

    /// All counting rounds of the two, paired or not.
    pub fn all(&self) -> impl Iterator<Item = &'a Run> {
        self.complete
            .iter()
            .flat_map(|pair| [pair.baseline, pair.variant])
            .chain(self.unpaired.iter().copied())
    }
}

/// Two rounds of one block.
pub struct Pair<'a> {
    /// The baseline's.
    pub baseline: &'a Run,
    /// The variant's.
    pub variant: &'a Run,
}

impl Pair<'_> {
    /// Whether the variant ran after the baseline.
    #[must_use]
    pub fn variant_second(&self) -> bool {
        self.variant.round.started > self.baseline.round.started
    }
}

/// The counting rounds of one block.
#[derive(Default)]
struct Block<'a> {
    of_baseline: Vec<&'a Run>,
    of_variant: Vec<&'a Run>,
}

/// Pairs up the counting rounds of a block. A block with none or several of one variant gives no
/// pair: which of several to take would be a choice.
#[must_use]
pub fn pair_up<'a>(experiment: &'a Experiment, baseline: &str, variant: &str) -> Pairs<'a> {
    let mut blocks: BTreeMap<(u32, u32), Block> = BTreeMap::new();
    let mut unpaired = Vec::new();
    // The places that each block takes in the order of the rounds, whether they count or not.
    let mut span: BTreeMap<(u32, u32), (usize, usize, usize)> = BTreeMap::new();
    for (place, run) in experiment.rounds.iter().enumerate() {
        let block = run.block.map(|(block, _)| (run.series, block));
        if let Some(block) = block {
            let (_, last, count) = span.entry(block).or_insert((place, place, 0));
            *last = place;
            *count += 1;
        }
        if run.set_aside.is_some() || (run.variant != baseline && run.variant != variant) {
            continue;
        }
        match block {
            None => unpaired.push(run),
            Some(block) => {
                let block = blocks.entry(block).or_default();
                if run.variant == baseline {
                    block.of_baseline.push(run);
                } else {
                    block.of_variant.push(run);
                }
            }
        }
    }
    let mut pairs = Vec::new();
    let mut apart = 0;
    for (block, members) in blocks {
        let Block {
            of_baseline,
            of_variant,
        } = members;
        if let ([baseline], [variant]) = (of_baseline.as_slice(), of_variant.as_slice()) {
            let together = span
                .get(&block)
                .is_some_and(|(first, last, count)| last - first + 1 == *count);
            apart += usize::from(!together);
            pairs.push(Pair { baseline, variant });
        } else {
            unpaired.extend(of_baseline);
            unpaired.extend(of_variant);
        }
    }
    Pairs {
        complete: pairs,
        unpaired,
        apart,
    }
}

#[cfg(test)]
mod tests {
    use super::pair_up;
    use crate::experiment::Experiment;
    use crate::testing::rounds_of;

    fn sorted(values: &[(&str, f64)]) -> Experiment {
        Experiment::sort(rounds_of(values), None).remove(0)
    }

    #[test]
    fn abba_blocks_are_pairs_whichever_ran_first() {
        let experiment = sorted(&[("A", 1.0), ("B", 2.0), ("B", 3.0), ("A", 4.0)]);
        let pairs = pair_up(&experiment, "A", "B");
        let seen: Vec<_> = pairs
            .complete
            .iter()
            .map(|pair| {
                (
                    pair.baseline.label.as_str(),
                    pair.variant.label.as_str(),
                    pair.variant_second(),
                )
            })
            .collect();
        assert_eq!(seen, [("1", "2", true), ("4", "3", false)]);
        assert_eq!((pairs.unpaired.len(), pairs.apart), (0, 0));
    }

    #[test]
    fn a_block_with_one_variant_twice_gives_no_pair() {
        let experiment = sorted(&[("A", 1.0), ("A", 2.0), ("B", 3.0), ("A", 4.0), ("B", 1.0)]);
        let pairs = pair_up(&experiment, "A", "B");
        assert_eq!((pairs.complete.len(), pairs.unpaired.len()), (1, 3));
    }

    #[test]
    fn rounds_of_a_second_run_of_the_script_are_no_partners_of_the_first() {
        let mut input = rounds_of(&[("A", 1.0), ("B", 2.0), ("A", 3.0), ("B", 4.0)]);
        for (place, round) in input.rounds.iter_mut().enumerate() {
            let trial = round.header.trial.as_mut().unwrap();
            trial.round = u32::try_from(place % 2).unwrap() + 1;
            trial.block = 1;
        }
        let experiment = Experiment::sort(input, None).remove(0);
        let labels: Vec<_> = experiment
            .rounds
            .iter()
            .map(|run| run.label.as_str())
            .collect();
        assert_eq!(labels, ["1.1", "1.2", "2.1", "2.2"]);
        assert_eq!(pair_up(&experiment, "A", "B").complete.len(), 2);
    }

    #[test]
    fn all_of_a_before_all_of_b_is_noticed() {
        let mut input = rounds_of(&[("A", 1.0), ("A", 2.0), ("B", 3.0), ("B", 4.0)]);
        for (place, round) in input.rounds.iter_mut().enumerate() {
            round.header.trial.as_mut().unwrap().block = u32::try_from(place % 2).unwrap() + 1;
        }
        let experiment = Experiment::sort(input, None).remove(0);
        let pairs = pair_up(&experiment, "A", "B");
        assert_eq!((pairs.complete.len(), pairs.apart), (2, 2));
    }
}
