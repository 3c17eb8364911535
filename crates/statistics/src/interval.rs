//! The interval that goes with the sign-flip test.

use crate::draws::{LONG, draws, random_subset};
use crate::error::{StatisticsError, finite, open_unit, real};
use crate::sign_flip::{EXACT_PAIRS, MONTE_CARLO_DRAWS, MONTE_CARLO_SEED};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A confidence interval, both ends included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// The confidence that it reaches: at least what was asked for.
    pub confidence: f64,
}

/// The centres that the two-sided sign-flip test does not reject at 1 - `confidence`; none where
/// there are too few differences for a bounded one (fewer than six at 95 %).
///
/// Shifting the hypothesis to m, a pattern that flips the set S has a sum at least as large as the
/// observed one exactly where the mean over S is at most m. So the ends are order statistics of
/// the 2^n - 1 subset means: the k-th smallest and the k-th largest, with k the largest whole
/// number at most (1 - confidence) 2^n / 2. The interval reaches 1 - 2k / 2^n. Hartigan, "Using
/// Subsample Values as Typical Values", Journal of the American Statistical Association 64 (1969)
/// 1303-1317. Beyond 20 differences random subsets are drawn, by a stated seed.
///
/// # Errors
/// There is no difference, one is not finite, or the confidence is not between 0 and 1.
pub fn sign_flip_interval(
    differences: &[f64],
    confidence: f64,
) -> Result<Option<Interval>, StatisticsError> {
    finite(differences, 1)?;
    open_unit("the confidence", confidence)?;
    let mut means = if differences.len() <= EXACT_PAIRS {
        all_subset_means(differences)
    } else {
        random_subset_means(differences)
    };
    let patterns = real(means.len() + 1);
    let rank = tail_rank(confidence, patterns);
    let (Some(from_low), Some(from_high)) = (rank.checked_sub(1), means.len().checked_sub(rank))
    else {
        return Ok(None);
    };
    if from_low > from_high {
        return Ok(None);
    }
    let low = *means.select_nth_unstable_by(from_low, f64::total_cmp).1;
    let high = *means.select_nth_unstable_by(from_high, f64::total_cmp).1;
    Ok(Some(Interval {
        low,
        high,
        confidence: 1.0 - 2.0 * real(rank) / patterns,
    }))
}

/// The largest k with 2k / patterns at most 1 - confidence; a hair is allowed for the rounding of
/// 1 - confidence, or 0.9375 of 32 patterns would lose its k.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "between 0 and half the number of patterns"
)]
fn tail_rank(confidence: f64, patterns: f64) -> usize {
    ((1.0 - confidence) * patterns / 2.0 + 1e-9).floor() as usize
}

fn all_subset_means(differences: &[f64]) -> Vec<f64> {
    let mut sums = Vec::with_capacity(1 << differences.len());
    sums.push((0.0, 0_usize));
    for value in differences {
        for index in 0..sums.len() {
            if let Some((sum, size)) = sums.get(index).copied() {
                sums.push((sum + value, size + 1));
            }
        }
    }
    sums.into_iter()
        .skip(1)
        .map(|(sum, size)| sum / real(size))
        .collect()
}

fn random_subset_means(differences: &[f64]) -> Vec<f64> {
    let mut random = ChaCha8Rng::seed_from_u64(MONTE_CARLO_SEED);
    let drawn = draws(MONTE_CARLO_DRAWS, differences.len());
    let mut means = Vec::with_capacity(drawn);
    while means.len() < drawn {
        let (mut sum, mut size) = (0.0, 0_usize);
        if differences.len() > LONG {
            (sum, size) = random_subset(&mut random, differences);
        } else {
            for value in differences {
                if random.random() {
                    sum += value;
                    size += 1;
                }
            }
        }
        if size > 0 {
            means.push(sum / real(size));
        }
    }
    means
}

#[cfg(test)]
mod tests {
    use super::sign_flip_interval;

    #[test]
    fn six_differences_are_bounded_by_the_smallest_and_the_largest() {
        let interval = sign_flip_interval(&[0.3, -0.1, 0.2, 0.5, 0.4, 0.1], 0.95)
            .unwrap()
            .unwrap();
        assert_eq!((interval.low, interval.high), (-0.1, 0.5));
        assert_eq!(
            interval.confidence.to_bits(),
            (1.0_f64 - 2.0 / 64.0).to_bits()
        );
    }

    #[test]
    fn fewer_than_six_bound_nothing_at_95_percent() {
        for n in 1..6 {
            assert_eq!(sign_flip_interval(&vec![0.5; n], 0.95).unwrap(), None);
        }
        assert!(sign_flip_interval(&[0.5; 5], 0.9375).unwrap().is_some());
    }

    #[test]
    fn seven_differences_use_the_third_subset_mean() {
        // k = floor(0.05 * 128 / 2) = 3. The smallest means over {1 .. 64} in powers of two are
        // {1}: 1, {1,2}: 1.5, {2}: 2; the largest {64}: 64, {64,32}: 48, then {64,16}: 40.
        let powers = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0];
        let interval = sign_flip_interval(&powers, 0.95).unwrap().unwrap();
        assert_eq!(interval.low.to_bits(), 2.0_f64.to_bits());
        assert_eq!(interval.high.to_bits(), 40.0_f64.to_bits());
        assert_eq!(
            interval.confidence.to_bits(),
            (1.0_f64 - 6.0 / 128.0).to_bits()
        );
    }

    #[test]
    fn many_differences_come_near_the_t_interval() {
        // -1, 1 alternating: the mean is 0, the variance 1, so the interval is about
        // 1.96 / sqrt(100) either way.
        let differences: Vec<f64> = (0..100)
            .map(|i| if i % 2 == 0 { 1.0 } else { -1.0 })
            .collect();
        let interval = sign_flip_interval(&differences, 0.95).unwrap().unwrap();
        assert!((interval.low + 0.196).abs() < 0.01, "{interval:?}");
        assert!((interval.high - 0.196).abs() < 0.01, "{interval:?}");
        assert!(interval.confidence >= 0.95);
    }

    #[test]
    fn ten_thousand_differences_come_near_the_t_interval() {
        // As above: 1.96 / sqrt(10,000) either way.
        let differences: Vec<f64> = (0..10_000)
            .map(|i| if i % 2 == 0 { 1.0 } else { -1.0 })
            .collect();
        let interval = sign_flip_interval(&differences, 0.95).unwrap().unwrap();
        assert!((interval.low + 0.0196).abs() < 0.0006, "{interval:?}");
        assert!((interval.high - 0.0196).abs() < 0.0006, "{interval:?}");
    }

    #[test]
    fn a_confidence_outside_zero_to_one_is_refused() {
        for confidence in [0.0, 1.0, -1.0, f64::NAN, 95.0] {
            assert!(sign_flip_interval(&[1.0; 8], confidence).is_err());
        }
    }
}
