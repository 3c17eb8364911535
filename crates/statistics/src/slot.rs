//! Whether the place inside a block has an effect of its own.

use crate::describe::mean;
use crate::draws::draws;
use crate::error::{StatisticsError, finite, real};
use crate::sign_flip::{MONTE_CARLO_SEED, PValue};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

/// How many orders are drawn where there are too many assignments to count them all; of more than
/// 1,000 pairs fewer, in proportion, and 2,000 at least.
const DRAWS: usize = 20_000;

/// Up to this many pairs every assignment is counted (C(20, 10) is 184,756).
const EXACT_PAIRS: usize = 20;

/// The effect of running second instead of first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlotEffect {
    /// The log ratio of a round that ran second to the same round run first.
    pub log_ratio: f64,
    /// The two-sided permutation p.
    pub p: PValue,
}

/// Compares the log ratios (variant / baseline) of the pairs in which the variant ran second with
/// those in which it ran first. Half the difference of their means is the effect of the slot; p is
/// the share of all ways to divide the pairs in two groups of these sizes with a difference at
/// least as large (the two-sample permutation test: Fisher 1935; Pitman, Supplement to the Journal
/// of the Royal Statistical Society 4 (1937) 119-130). None unless both groups have two pairs.
///
/// # Errors
/// A log ratio is not finite.
pub fn slot_effect(
    variant_second: &[f64],
    variant_first: &[f64],
) -> Result<Option<SlotEffect>, StatisticsError> {
    finite(variant_second, 0)?;
    finite(variant_first, 0)?;
    if variant_second.len() < 2 || variant_first.len() < 2 {
        return Ok(None);
    }
    let difference = mean(variant_second)? - mean(variant_first)?;
    let mut all: Vec<f64> = variant_second
        .iter()
        .chain(variant_first)
        .copied()
        .collect();
    let total: f64 = all.iter().sum();
    let size = variant_second.len();
    let scale: f64 = all.iter().map(|value| value.abs()).sum();
    // The difference of the means follows from the sum over one group; compare that.
    let expected = total * real(size) / real(all.len());
    let sum: f64 = variant_second.iter().sum();
    let extreme = (sum - expected).abs() - 1e-12 * scale;
    let p = if all.len() <= EXACT_PAIRS {
        let (mut count, mut hits) = (0_usize, 0_usize);
        for_each_choice(&all, size, 0.0, &mut |chosen| {
            count += 1;
            hits += usize::from((chosen - expected).abs() >= extreme);
        });
        PValue {
            p: real(hits) / real(count),
            standard_error: None,
            draws: None,
        }
    } else {
        let mut random = ChaCha8Rng::seed_from_u64(MONTE_CARLO_SEED);
        let mut hits = 0_usize;
        let drawn = draws(DRAWS, all.len());
        for _ in 0..drawn {
            all.shuffle(&mut random);
            let chosen: f64 = all.iter().take(size).sum();
            hits += usize::from((chosen - expected).abs() >= extreme);
        }
        let p = (real(hits) + 1.0) / (real(drawn) + 1.0);
        PValue {
            p,
            standard_error: Some((p * (1.0 - p) / real(drawn)).sqrt()),
            draws: Some(drawn),
        }
    };
    Ok(Some(SlotEffect {
        log_ratio: difference / 2.0,
        p,
    }))
}

/// Calls `visit` with the sum of every choice of `size` values.
fn for_each_choice(values: &[f64], size: usize, sum: f64, visit: &mut impl FnMut(f64)) {
    if size == 0 {
        visit(sum);
    } else if let Some((first, rest)) = values.split_first()
        && values.len() >= size
    {
        for_each_choice(rest, size - 1, sum + first, visit);
        for_each_choice(rest, size, sum, visit);
    }
}

#[cfg(test)]
mod tests {
    use super::slot_effect;

    #[test]
    fn three_against_three_apart_is_two_of_twenty() {
        let effect = slot_effect(&[1.0, 1.1, 1.2], &[0.0, 0.1, 0.2])
            .unwrap()
            .unwrap();
        assert!((effect.p.p - 0.1).abs() < 1e-15);
        assert!((effect.log_ratio - 0.5).abs() < 1e-15);
    }

    #[test]
    fn one_pair_in_a_slot_is_too_few() {
        assert_eq!(slot_effect(&[1.0, 2.0, 3.0], &[1.0]).unwrap(), None);
        assert!(slot_effect(&[f64::NAN, 2.0], &[1.0, 1.0]).is_err());
    }
}
