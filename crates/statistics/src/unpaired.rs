//! Two lists of values that do not belong together in pairs.
//!
//! The fallback for rounds that did not alternate: weaker than pairs, and blind to a machine that
//! drifts. Whoever uses it has to say so.

use crate::describe::sorted;
use crate::draws::draws;
use crate::error::{StatisticsError, finite, open_unit, real};
use crate::hodges_lehmann::{number, order};
use crate::interval::Interval;
use crate::sign_flip::{MONTE_CARLO_SEED, PValue};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use statrs::distribution::{ContinuousCDF, Normal};

/// Up to this many values in both lists together every division into two lists is counted.
pub const EXACT_VALUES: usize = 50;

/// How many divisions are drawn beyond; of more than 1,000 values fewer, in proportion, and 5,000 at
/// least.
const DRAWS: usize = 50_000;

/// The two-sided rank-sum test that both lists come from one distribution: Wilcoxon, "Individual
/// Comparisons by Ranking Methods", Biometrics Bulletin 1 (1945) 80-83; ties share the mean of
/// their ranks. p is the share of divisions whose rank sum is at least as far from its mean.
///
/// # Errors
/// A list is empty or holds a value that is not finite.
pub fn rank_sum_test(baseline: &[f64], variant: &[f64]) -> Result<PValue, StatisticsError> {
    finite(baseline, 1)?;
    finite(variant, 1)?;
    let mut ranks = doubled_ranks(baseline, variant);
    let taken = variant.len();
    // The mean of a doubled rank is N + 1.
    let mean = taken * (ranks.len() + 1);
    let observed = ranks
        .iter()
        .skip(baseline.len())
        .sum::<usize>()
        .abs_diff(mean);
    if ranks.len() <= EXACT_VALUES {
        let counts = rank_sum_counts(&ranks, taken);
        let all: f64 = counts.iter().sum();
        let extreme: f64 = counts
            .iter()
            .enumerate()
            .filter(|(sum, _)| sum.abs_diff(mean) >= observed)
            .map(|(_, count)| count)
            .sum();
        return Ok(PValue {
            p: extreme / all,
            standard_error: None,
            draws: None,
        });
    }
    let mut random = ChaCha8Rng::seed_from_u64(MONTE_CARLO_SEED);
    let drawn = draws(DRAWS, ranks.len());
    let extreme = (0..drawn)
        .filter(|_| {
            let (chosen, _) = ranks.partial_shuffle(&mut random, taken);
            chosen.iter().sum::<usize>().abs_diff(mean) >= observed
        })
        .count();
    let p = (real(extreme) + 1.0) / (real(drawn) + 1.0);
    Ok(PValue {
        p,
        standard_error: Some((p * (1.0 - p) / real(drawn)).sqrt()),
        draws: Some(drawn),
    })
}

/// How far the variant's values lie above the baseline's: the median of all differences between
/// a value of the one and a value of the other (Hodges and Lehmann 1963, section 4).
///
/// # Errors
/// A list is empty or holds a value that is not finite.
pub fn shift(baseline: &[f64], variant: &[f64]) -> Result<f64, StatisticsError> {
    finite(baseline, 1)?;
    finite(variant, 1)?;
    let differences = Differences::new(baseline, variant);
    let middle = differences.count / 2;
    let upper = differences.nth(middle);
    if differences.count % 2 == 1 {
        return Ok(upper);
    }
    Ok(f64::midpoint(differences.nth(middle - 1), upper))
}

/// The shifts that the rank-sum test does not reject at 1 - `confidence`; none where there are too
/// few values for a bounded interval.
///
/// Its ends are the k-th smallest and the k-th largest of the m n differences, with k the largest
/// number for which 2 P(U <= k - 1) is at most 1 - confidence, U being Mann and Whitney's count
/// under the hypothesis: Moses, in Hollander and Wolfe, "Nonparametric Statistical Methods"
/// (2nd edition, 1999), section 4.3. Beyond [`EXACT_VALUES`] values k comes from the normal limit of U,
/// rounded down.
///
/// # Errors
/// A list is empty, holds a value that is not finite, or the confidence is not between 0 and 1.
pub fn shift_interval(
    baseline: &[f64],
    variant: &[f64],
    confidence: f64,
) -> Result<Option<Interval>, StatisticsError> {
    finite(baseline, 1)?;
    finite(variant, 1)?;
    open_unit("the confidence", confidence)?;
    let all = Differences::new(baseline, variant);
    let (k, outside) = if baseline.len() + variant.len() <= EXACT_VALUES {
        exact_rank(baseline.len(), variant.len(), confidence)
    } else {
        normal_rank(baseline.len(), variant.len(), confidence)
    };
    let Some(from_low) = k.checked_sub(1) else {
        return Ok(None);
    };
    let from_high = (all.count - 1).checked_sub(from_low);
    Ok(from_high
        .filter(|high| from_low <= *high)
        .map(|high| Interval {
            low: all.nth(from_low),
            high: all.nth(high),
            confidence: 1.0 - outside,
        }))
}

/// All differences between a value of the variant and one of the baseline. They are not laid out, so
/// that memory grows with the lists and not with their product: the wanted one is found by bisection
/// over the doubles, counting in the sorted lists.
struct Differences {
    baseline: Vec<f64>,
    variant: Vec<f64>,
    count: usize,
}

impl Differences {
    fn new(baseline: &[f64], variant: &[f64]) -> Self {
        Self {
            baseline: sorted(baseline),
            variant: sorted(variant),
            count: baseline.len() * variant.len(),
        }
    }

    /// The one with so many before it in their order; lists are not empty, and `place` is below
    /// [`Self::count`].
    fn nth(&self, place: usize) -> f64 {
        let ends = |list: &[f64]| list.first().copied().zip(list.last().copied());
        let (Some((first, last)), Some((lowest, highest))) =
            (ends(&self.baseline), ends(&self.variant))
        else {
            return 0.0;
        };
        let (mut low, mut high) = (order(lowest - last), order(highest - first));
        while low < high {
            let middle = low + (high - low) / 2;
            if self.up_to(number(middle)) > place {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        // Adding 0 makes -0 the 0 that it equals.
        number(low) + 0.0
    }

    /// How many differences are at most `limit`. As the baseline's value grows, more of the variant's
    /// fit.
    fn up_to(&self, limit: f64) -> usize {
        let mut fitting = 0;
        let mut count = 0;
        for baseline in &self.baseline {
            while self
                .variant
                .get(fitting)
                .is_some_and(|variant| variant - baseline <= limit)
            {
                fitting += 1;
            }
            count += fitting;
        }
        count
    }
}

/// Twice the rank of each value among all, so that the mean rank of ties is whole too.
fn doubled_ranks(baseline: &[f64], variant: &[f64]) -> Vec<usize> {
    // Adding 0 makes -0 the 0 that it equals.
    let mut order: Vec<(usize, f64)> = baseline
        .iter()
        .chain(variant)
        .map(|value| value + 0.0)
        .enumerate()
        .collect();
    order.sort_by(|left, right| left.1.total_cmp(&right.1));
    let mut ranks = vec![0; order.len()];
    let mut before = 0;
    for group in order.chunk_by(|left, right| left.1.total_cmp(&right.1).is_eq()) {
        for (index, _) in group {
            if let Some(rank) = ranks.get_mut(*index) {
                *rank = 2 * before + group.len() + 1;
            }
        }
        before += group.len();
    }
    ranks
}

/// How many ways of taking `taken` of the ranks have each sum. Exact while counts stay below 2^53,
/// which [`EXACT_VALUES`] keeps: C(50, 25) is 1.3e14.
fn rank_sum_counts(ranks: &[usize], taken: usize) -> Vec<f64> {
    let most = ranks.iter().sum::<usize>();
    let mut counts = vec![vec![0.0; most + 1]; taken + 1];
    if let Some(none) = counts.first_mut().and_then(|sums| sums.first_mut()) {
        *none = 1.0;
    }
    for rank in ranks {
        for size in (1..=taken).rev() {
            let (fewer, this) = counts.split_at_mut(size);
            let (Some(fewer), Some(this)) = (fewer.last(), this.first_mut()) else {
                continue;
            };
            for (slot, ways) in this.iter_mut().skip(*rank).zip(fewer) {
                *slot += ways;
            }
        }
    }
    counts.pop().unwrap_or_default()
}

/// The k of [`shift_interval`] and 2 P(U <= k - 1).
fn exact_rank(m: usize, n: usize, confidence: f64) -> (usize, f64) {
    let ranks: Vec<usize> = (1..=m + n).collect();
    let counts = rank_sum_counts(&ranks, n);
    let all: f64 = counts.iter().sum();
    let mut below = 0.0;
    let mut outside = 0.0;
    let mut k = 0;
    for ways in counts.iter().skip(n * (n + 1) / 2) {
        below += ways;
        let next = 2.0 * below / all;
        // A hair for the rounding of 1 - confidence.
        if next > 1.0 - confidence + 1e-12 {
            break;
        }
        outside = next;
        k += 1;
    }
    (k, outside)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "between 0 and half of m n"
)]
fn normal_rank(m: usize, n: usize, confidence: f64) -> (usize, f64) {
    let product = real(m) * real(n);
    let deviation = (product * (real(m + n) + 1.0) / 12.0).sqrt();
    let Ok(normal) = Normal::new(product / 2.0, deviation) else {
        return (0, 0.0);
    };
    let k = normal
        .inverse_cdf((1.0 - confidence) / 2.0)
        .floor()
        .max(0.0);
    (k as usize, 2.0 * normal.cdf(k))
}

#[cfg(test)]
mod tests {
    use super::{rank_sum_test, shift, shift_interval};

    #[test]
    fn three_against_three_fully_apart_are_two_of_twenty_divisions() {
        let p = rank_sum_test(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0]).unwrap().p;
        assert_eq!(p.to_bits(), 0.1_f64.to_bits());
        let all_equal = rank_sum_test(&[1.0; 4], &[1.0; 4]).unwrap().p;
        assert_eq!(all_equal.to_bits(), 1.0_f64.to_bits());
    }

    #[test]
    fn the_shift_is_the_median_of_all_differences() {
        // 4-1, 4-2, 4-4, 9-1, 9-2, 9-4: 0 2 3 5 7 8.
        assert!((shift(&[1.0, 2.0, 4.0], &[4.0, 9.0]).unwrap() - 4.0).abs() < 1e-15);
    }

    #[test]
    fn four_against_four_are_bounded_by_the_extreme_differences() {
        // 2 of C(8, 4) = 70 divisions lie outside: 0.0286; the next would make 0.0571.
        let interval = shift_interval(&[1.0, 2.0, 3.0, 4.0], &[2.0, 5.0, 9.0, 11.0], 0.95)
            .unwrap()
            .unwrap();
        assert_eq!((interval.low, interval.high), (-2.0, 10.0));
        assert!((interval.confidence - (1.0 - 2.0 / 70.0)).abs() < 1e-12);
        assert_eq!(
            shift_interval(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0], 0.95).unwrap(),
            None
        );
    }

    #[test]
    fn many_values_state_their_error_and_agree_with_the_exact_count_in_the_limit() {
        let baseline: Vec<f64> = (0..40).map(|i| f64::from(i * 7 % 41)).collect();
        let variant: Vec<f64> = baseline.iter().map(|value| value + 5.5).collect();
        let result = rank_sum_test(&baseline, &variant).unwrap();
        // The normal limit: z = (U - mn/2) / sd with U counted by hand below.
        let above = variant
            .iter()
            .map(|v| baseline.iter().filter(|b| *b < v).count())
            .sum::<usize>();
        let z =
            (f64::from(u32::try_from(above).unwrap()) - 800.0) / (1600.0_f64 * 81.0 / 12.0).sqrt();
        assert!((1.5..2.5).contains(&z), "{z}");
        let error = result.standard_error.unwrap();
        let normal = 2.0 * (1.0 - 0.5 * (1.0 + erf(z / 2.0_f64.sqrt())));
        assert!(
            (result.p - normal).abs() < 4.0 * error + 0.003,
            "{result:?} {normal}"
        );
        let interval = shift_interval(&baseline, &variant, 0.95).unwrap().unwrap();
        assert!(interval.low < 5.5 && 5.5 < interval.high && interval.confidence >= 0.95);
    }

    /// Abramowitz and Stegun, 7.1.26.
    fn erf(x: f64) -> f64 {
        let t = 1.0 / (1.0 + 0.327_591_1 * x);
        let poly =
            ((((1.061_405_429 * t - 1.453_152_027) * t + 1.421_413_741) * t - 0.284_496_736) * t
                + 0.254_829_592)
                * t;
        1.0 - poly * (-x * x).exp()
    }

    #[test]
    fn bisection_finds_the_differences_that_laying_them_all_out_finds() {
        let list = |seed: u32, length: u32| -> Vec<f64> {
            let value = |n: u32| f64::from(n.wrapping_mul(seed) % 1_009) / 7.0 - 60.0;
            (1..=length).map(value).collect()
        };
        let (baseline, variant) = (list(7_919, 37), list(104_729, 41));
        let mut all: Vec<f64> = variant
            .iter()
            .flat_map(|variant| baseline.iter().map(move |baseline| variant - baseline))
            .collect();
        all.sort_by(f64::total_cmp);
        let found = super::Differences::new(&baseline, &variant);
        for (place, expected) in all.iter().enumerate() {
            assert!((found.nth(place) - expected).abs() < 1e-300, "{place}");
        }
        let interval = shift_interval(&baseline, &variant, 0.95).unwrap().unwrap();
        assert!(all.contains(&interval.low) && all.contains(&interval.high));
    }

    #[test]
    fn empty_lists_and_nan_are_refused() {
        assert!(rank_sum_test(&[], &[1.0]).is_err());
        assert!(shift(&[1.0], &[f64::NAN]).is_err());
        assert!(shift_interval(&[1.0], &[1.0], 1.0).is_err());
    }
}
