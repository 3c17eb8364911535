//! How many pairs it takes.

use crate::describe::sample_sd;
use crate::error::{StatisticsError, finite, open_unit, real};
use statrs::distribution::{ContinuousCDF, Normal};

/// The chance of finding a difference that is there, for which [`pairs_needed`] plans.
pub const POWER: f64 = 0.8;

/// The fewest pairs with which a two-sided sign-flip test can reject at `alpha` when it is one of
/// `tests` that Holm corrects: the smallest n with `tests` * 2 / 2^n at most `alpha`. Six for one
/// test at 5 %.
///
/// # Errors
/// `alpha` is not between 0 and 1.
pub fn least_pairs(alpha: f64, tests: usize) -> Result<usize, StatisticsError> {
    open_unit("the level", alpha)?;
    let wanted = real(tests.max(1)) * 2.0 / alpha;
    let mut pairs = 1;
    let mut patterns = 2.0;
    // A hair for the rounding of the quotient: 2 / 0.0625 is 32 patterns, not 33.
    while patterns < wanted * (1.0 - 1e-9) {
        pairs += 1;
        patterns *= 2.0;
    }
    Ok(pairs)
}

/// The number of pairs with which a true difference of `difference` (a log ratio) is found at
/// `alpha`, two-sided, with probability [`POWER`], when log ratios spread as these do.
///
/// n = ((z₁₋α/₂ + z₁₋β) sd / difference)² + z₁₋α/₂² / 2, rounded up (1 - β is the power): the paired normal
/// approximation with Guenther's correction for the unknown spread ("Sample Size Formulas for
/// Normal Theory T Tests", The American Statistician 35 (1981) 243-244), and never below
/// [`least_pairs`]. None where the spread cannot be told (one pair) or the number passes a
/// million.
///
/// # Errors
/// There is no log ratio, one is not finite, or `alpha` is out of range.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "between 0 and a million"
)]
pub fn pairs_needed(
    log_ratios: &[f64],
    difference: f64,
    alpha: f64,
    tests: usize,
) -> Result<Option<usize>, StatisticsError> {
    finite(log_ratios, 1)?;
    finite(&[difference], 1)?;
    let least = least_pairs(alpha, tests)?;
    let (Ok(sd), Ok(normal)) = (sample_sd(log_ratios), Normal::new(0.0, 1.0)) else {
        return Ok(None);
    };
    let level = normal.inverse_cdf(1.0 - alpha / (2.0 * real(tests.max(1))));
    let power = normal.inverse_cdf(POWER);
    let pairs = ((level + power) * sd / difference).powi(2) + level * level / 2.0;
    if pairs.is_nan() || pairs > 1e6 {
        return Ok(None);
    }
    Ok(Some(least.max(pairs.ceil() as usize)))
}

#[cfg(test)]
mod tests {
    use super::{least_pairs, pairs_needed};

    #[test]
    fn six_pairs_are_the_least_at_five_percent_and_seven_for_two_tests() {
        assert_eq!(least_pairs(0.05, 1).unwrap(), 6);
        assert_eq!(least_pairs(0.05, 2).unwrap(), 7);
        assert_eq!(least_pairs(0.05, 3).unwrap(), 7);
        assert_eq!(least_pairs(0.0625, 1).unwrap(), 5);
        assert_eq!(least_pairs(0.01, 1).unwrap(), 8);
        assert!(least_pairs(0.0, 1).is_err());
    }

    #[test]
    fn a_difference_of_half_a_standard_deviation_takes_34_pairs() {
        // The textbook value for d = 0.5, 5 %, power 80 %: 33.4, so 34 pairs (G*Power 3, paired t).
        let log_ratios = [-1.0, 0.0, 1.0];
        assert_eq!(pairs_needed(&log_ratios, 0.5, 0.05, 1).unwrap(), Some(34));
    }

    #[test]
    fn no_spread_takes_the_least_and_one_pair_cannot_tell() {
        assert_eq!(pairs_needed(&[0.1, 0.1], 0.02, 0.05, 1).unwrap(), Some(6));
        assert_eq!(pairs_needed(&[0.1], 0.02, 0.05, 1).unwrap(), None);
        assert_eq!(pairs_needed(&[0.1, 0.3], 0.0, 0.05, 1).unwrap(), None);
        assert_eq!(pairs_needed(&[0.1, 0.1], 0.0, 0.05, 1).unwrap(), None);
        assert!(pairs_needed(&[0.1, f64::NAN], 0.02, 0.05, 1).is_err());
    }
}
