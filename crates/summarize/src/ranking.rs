//! The order of more than two variants: each compared with every other.

use crate::compare::Rules;
use crate::experiment::Experiment;
use crate::metric::{Metric, Sense};
use crate::pairs::pair_up;
use records::{Header, Ranking};
use statistics::{Direction, Estimate, decide, holm, least_pairs, log_ratios};

/// Two variants, and what their pairs say about the second against the first.
struct Duel {
    first: usize,
    second: usize,
    pairs: usize,
    estimate: Option<Estimate>,
}

/// Every variant's rank on one metric, the best first; nothing where there are fewer than three
/// variants, or where the rounds of some two did not alternate.
pub(crate) fn rank(
    experiment: &Experiment,
    metric: Metric,
    rules: &Rules,
    header: &Header,
) -> Vec<Ranking> {
    let variants = &experiment.variants;
    if variants.len() < 3 {
        return Vec::new();
    }
    let Some(duels) = duels(experiment, metric, rules) else {
        return Vec::new();
    };
    let worse = shown(&duels, metric.sense, rules);
    let fewest = duels.iter().map(|duel| duel.pairs).min().unwrap_or(0);
    let least = least_pairs(rules.alpha(), duels.len()).unwrap_or(usize::MAX);
    let names = |of: &dyn Fn(&(usize, usize)) -> Option<usize>| -> Vec<String> {
        let places: Vec<usize> = worse.iter().filter_map(of).collect();
        let named = variants.iter().enumerate();
        named
            .filter(|(place, _)| places.contains(place))
            .map(|(_, name)| name.clone())
            .collect()
    };
    let mut ranking: Vec<Ranking> = variants
        .iter()
        .enumerate()
        .map(|(place, variant)| {
            let worse_than = names(&|(loser, winner)| (*loser == place).then_some(*winner));
            let better_than = names(&|(loser, winner)| (*winner == place).then_some(*loser));
            Ranking {
                header: header.clone(),
                experiment: experiment.name.clone(),
                metric: metric.name.to_owned(),
                variant: variant.clone(),
                rank: 1 + worse_than.len() as u64,
                worse_than,
                better_than,
                fewest_pairs: fewest as u64,
                pairs_to_decide: least as u64,
            }
        })
        .collect();
    ranking.sort_by_key(|row| row.rank);
    ranking
}

/// Every two variants; none where the rounds of some two did not alternate.
fn duels(experiment: &Experiment, metric: Metric, rules: &Rules) -> Option<Vec<Duel>> {
    let variants = &experiment.variants;
    let mut duels = Vec::new();
    for (first, baseline) in variants.iter().enumerate() {
        for (second, variant) in variants.iter().enumerate().skip(first + 1) {
            let pairs = pair_up(experiment, baseline, variant);
            if !pairs.alternate() {
                return None;
            }
            let (of_first, of_second) = pairs.values(metric);
            duels.push(Duel {
                first,
                second,
                pairs: of_first.len(),
                estimate: log_ratios(&of_first, &of_second)
                    .and_then(|logs| Estimate::of_pairs(&logs, rules.confidence))
                    .ok(),
            });
        }
    }
    Some(duels)
}

/// The duels that were decided, as (worse, better).
fn shown(duels: &[Duel], sense: Sense, rules: &Rules) -> Vec<(usize, usize)> {
    let decided: Vec<(&Duel, Estimate)> = duels
        .iter()
        .filter_map(|duel| Some((duel, duel.estimate?)))
        .collect();
    let p_values: Vec<f64> = decided.iter().map(|(_, estimate)| estimate.p.p).collect();
    let Ok(corrected) = holm(&p_values) else {
        return Vec::new();
    };
    decided
        .iter()
        .zip(corrected)
        .filter_map(|((duel, estimate), p)| {
            let direction = decide(
                estimate.log_ratio,
                estimate.interval,
                p,
                rules.alpha(),
                rules.floor,
            );
            match (direction, sense) {
                (Direction::More, Sense::Speed)
                | (Direction::Less, Sense::Time | Sense::Amount) => Some((duel.first, duel.second)),
                (Direction::Less, Sense::Speed)
                | (Direction::More, Sense::Time | Sense::Amount) => Some((duel.second, duel.first)),
                (Direction::Equivalent | Direction::Undecided, _) => None,
            }
        })
        .collect()
}

/// The ranking in one sentence; nothing where there is none.
pub(crate) fn sentence(ranking: &[Ranking]) -> Option<String> {
    let first = ranking.first()?;
    let words = Metric::named(&first.metric).map_or(first.metric.as_str(), |metric| metric.words);
    if first.fewest_pairs < first.pairs_to_decide {
        return Some(format!(
            "Ranking by {words}: {} cannot rank {} variants; {} are the least that can.",
            crate::warnings::count_of_pairs(first.fewest_pairs),
            ranking.len(),
            first.pairs_to_decide
        ));
    }
    if ranking.iter().all(|row| row.rank == 1) {
        return Some(format!(
            "Ranking by {words}: no variant could be told apart from another."
        ));
    }
    let places: Vec<String> = ranking
        .chunk_by(|left, right| left.rank == right.rank)
        .map(|tied| {
            let names: Vec<&str> = tied.iter().map(|row| row.variant.as_str()).collect();
            let rank = tied.first().map_or(0, |row| row.rank);
            match names.as_slice() {
                [only] => format!("{rank} {only}"),
                several => format!("{rank} {} (not told apart)", several.join(", ")),
            }
        })
        .collect();
    Some(format!("Ranking by {words}: {}.", places.join("; ")))
}

#[cfg(test)]
mod tests {
    use super::{rank, sentence};
    use crate::compare::Rules;
    use crate::experiment::Experiment;
    use crate::metric::Metric;
    use crate::testing::blocks_of;
    use records::Header;

    fn ranked(blocks: usize, times: [[f64; 3]; 4]) -> (Vec<(String, u64)>, String) {
        let names = ["a", "b", "c", "d"];
        let values: Vec<Vec<(&str, f64)>> = (0..blocks)
            .map(|block| {
                let of_block = names.iter().zip(times);
                of_block.map(|(name, of)| (*name, of[block % 3])).collect()
            })
            .collect();
        let experiment = Experiment::sort(blocks_of(&values), None).remove(0);
        let rules = Rules {
            baseline: None,
            floor: 0.02,
            confidence: 0.95,
        };
        let metric = Metric::named("elapsed_ms").unwrap();
        let ranking = rank(&experiment, metric, &rules, &Header::now("test"));
        let ranks = ranking
            .iter()
            .map(|row| (row.variant.clone(), row.rank))
            .collect();
        (ranks, sentence(&ranking).unwrap_or_default())
    }

    #[test]
    fn variants_that_cannot_be_told_apart_share_a_rank_and_the_next_ones_come_after_all_of_them() {
        // Eight blocks are the least for six comparisons: 6 * 2 / 2^8 = 0.047.
        let times = [
            [90.0, 99.0, 95.0],
            [10.0, 11.0, 12.0],
            [10.0, 11.1, 11.9],
            [2.0, 2.2, 2.1],
        ];
        let (ranks, sentence) = ranked(8, times);
        let expected = [("d", 1), ("b", 2), ("c", 2), ("a", 4)];
        let expected = expected.map(|(name, rank)| (name.to_owned(), rank));
        assert_eq!(ranks, expected);
        assert_eq!(
            sentence,
            "Ranking by elapsed time: 1 d; 2 b, c (not told apart); 4 a."
        );
    }

    #[test]
    fn too_few_blocks_rank_nothing_and_say_how_many_it_takes() {
        let times = [[9.0; 3], [3.0; 3], [2.0; 3], [1.0; 3]];
        let (ranks, sentence) = ranked(7, times);
        assert!(ranks.iter().all(|(_, rank)| *rank == 1), "{ranks:?}");
        assert_eq!(
            sentence,
            "Ranking by elapsed time: 7 pairs cannot rank 4 variants; 8 are the least that can."
        );
    }

    #[test]
    fn variants_that_are_all_alike_are_not_ranked() {
        let (_, sentence) = ranked(9, [[5.0, 5.1, 4.9]; 4]);
        assert_eq!(
            sentence,
            "Ranking by elapsed time: no variant could be told apart from another."
        );
    }
}
