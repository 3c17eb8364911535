//! The sign-flip test of a mean.

use crate::draws::{LONG, draws, random_subset};
use crate::error::{StatisticsError, finite, real};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Up to this many pairs every pattern of signs is counted; beyond, patterns are drawn.
pub const EXACT_PAIRS: usize = 20;

/// How many patterns are drawn where counting them all would take too long; beyond 1,000 pairs fewer,
/// in proportion, and 20,000 at least.
pub const MONTE_CARLO_DRAWS: usize = 200_000;

/// The seed of the draws, so that the same rounds give the same p every time.
pub const MONTE_CARLO_SEED: u64 = 20_051_103;

/// Sums that differ by less than this part of their size are the same sum, rounded differently.
const TIE: f64 = 1e-12;

/// A p-value and how exact it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PValue {
    /// The p-value, two-sided.
    pub p: f64,
    /// Its standard error where it was drawn by [`MONTE_CARLO_SEED`]; none where every pattern
    /// was counted.
    pub standard_error: Option<f64>,
    /// How many patterns were drawn; none where every one was counted.
    pub draws: Option<usize>,
}

/// The two-sided sign-flip test that differences are symmetric about zero, by their mean.
///
/// Fisher, "The Design of Experiments" (1935), section 21: under the hypothesis each difference
/// could as well have had the other sign, so the observed mean is one of 2^n that were equally
/// likely, and p is the share of those at least as far from zero. Beyond [`EXACT_PAIRS`],
/// [`MONTE_CARLO_DRAWS`] patterns are drawn and the observed one is counted in: p = (b + 1) /
/// (m + 1), which never claims too much (Davison and Hinkley, "Bootstrap Methods and their
/// Application" (1997), section 4.3).
///
/// # Errors
/// There is no difference, or one is not finite.
pub fn sign_flip_test(differences: &[f64]) -> Result<PValue, StatisticsError> {
    finite(differences, 1)?;
    let scale: f64 = differences.iter().map(|value| value.abs()).sum();
    let observed: f64 = differences.iter().sum::<f64>().abs() - TIE * scale;
    if differences.len() <= EXACT_PAIRS {
        // The first sign is fixed: the other half of the patterns mirrors this one.
        let (first, rest) = differences.split_first().unwrap_or((&0.0, &[]));
        let extreme = count_extreme(*first, rest, observed);
        let patterns = 1_usize << rest.len();
        return Ok(PValue {
            p: real(extreme) / real(patterns),
            standard_error: None,
            draws: None,
        });
    }
    let mut random = ChaCha8Rng::seed_from_u64(MONTE_CARLO_SEED);
    let drawn = draws(MONTE_CARLO_DRAWS, differences.len());
    let total: f64 = differences.iter().sum();
    let extreme = (0..drawn)
        .filter(|_| {
            if differences.len() > LONG {
                let (subset, _) = random_subset(&mut random, differences);
                return (2.0 * subset - total).abs() >= observed;
            }
            let sum: f64 = differences
                .iter()
                .map(|value| if random.random() { *value } else { -*value })
                .sum();
            sum.abs() >= observed
        })
        .count();
    let p = (real(extreme) + 1.0) / (real(drawn) + 1.0);
    Ok(PValue {
        p,
        standard_error: Some((p * (1.0 - p) / real(drawn)).sqrt()),
        draws: Some(drawn),
    })
}

/// How many sign patterns of `rest` bring `sum` to `observed` or further from zero.
fn count_extreme(sum: f64, rest: &[f64], observed: f64) -> usize {
    match rest.split_first() {
        None => usize::from(sum.abs() >= observed),
        Some((next, rest)) => {
            count_extreme(sum + next, rest, observed) + count_extreme(sum - next, rest, observed)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::sign_flip_test;
    use crate::StatisticsError;

    fn p(differences: &[f64]) -> f64 {
        sign_flip_test(differences).unwrap().p
    }

    #[test]
    fn six_pairs_of_one_sign_give_two_in_sixty_four() {
        assert_eq!(
            p(&[0.1, 0.2, 0.3, 0.4, 0.5, 0.6]).to_bits(),
            0.031_25_f64.to_bits()
        );
        assert_eq!(p(&[-1.0; 6]).to_bits(), 0.031_25_f64.to_bits());
        assert_eq!(
            p(&[3.0, 1.0, 2.0, 9.0, 5.0]).to_bits(),
            0.062_5_f64.to_bits()
        );
    }

    #[test]
    fn darwins_maize_gives_fishers_own_figure() {
        // Fisher (1935), section 21: fifteen differences in eighths of an inch; 863 of the 32,768
        // patterns have a sum of 314 or more, so 1,726 are at least as extreme in either direction.
        let darwin = [
            49.0, -67.0, 8.0, 16.0, 6.0, 23.0, 28.0, 41.0, 14.0, 29.0, 56.0, 24.0, 75.0, 60.0,
            -48.0,
        ];
        assert_eq!(p(&darwin).to_bits(), (1726.0_f64 / 32768.0).to_bits());
    }

    #[test]
    fn no_difference_at_all_gives_one() {
        assert_eq!(p(&[0.0; 8]).to_bits(), 1.0_f64.to_bits());
        assert_eq!(p(&[0.0; 30]).to_bits(), 1.0_f64.to_bits());
        assert_eq!(p(&[5.0]).to_bits(), 1.0_f64.to_bits());
    }

    #[test]
    fn sums_that_only_rounding_tells_apart_are_ties() {
        // 0.1 + 0.2 and 0.3 differ in the last bit; in tenths the answer is a whole-number one.
        let tenths = [0.1, 0.2, -0.3, 0.4, 0.7, -0.6];
        let whole = [1.0, 2.0, -3.0, 4.0, 7.0, -6.0];
        assert_eq!(p(&tenths).to_bits(), p(&whole).to_bits());
    }

    #[test]
    fn beyond_twenty_pairs_the_error_is_stated_and_covers_the_normal_limit() {
        // 40 differences of size 1, 26 of them positive: the sum is binomial, and
        // P(|2B - 40| >= 12) = 2 P(B >= 26) with B ~ Bin(40, 1/2) is 0.0807 (R: 2*pbinom(14, 40, 0.5)
        // = 0.08069).
        let mut differences = vec![1.0; 26];
        differences.extend(vec![-1.0; 14]);
        let result = sign_flip_test(&differences).unwrap();
        let error = result.standard_error.unwrap();
        assert!((result.p - 0.080_69).abs() < 4.0 * error, "{result:?}");
        assert!(error < 0.001);
        assert_eq!(sign_flip_test(&differences).unwrap(), result);
    }

    #[test]
    fn ten_thousand_pairs_agree_with_the_normal_limit() {
        // Signs of one size: 5,100 of 10,000 positive is z = 2, two-sided 0.0455; the step of the
        // binomial makes it 0.0466 (R: 2*pbinom(4900, 10000, 0.5) = 0.04659).
        let mut differences = vec![1.0; 5_100];
        differences.extend(vec![-1.0; 4_900]);
        let result = sign_flip_test(&differences).unwrap();
        let error = result.standard_error.unwrap();
        assert!(error < 0.002, "{error}");
        assert!((result.p - 0.046_59).abs() < 4.0 * error, "{result:?}");
    }

    #[test]
    fn what_is_not_finite_is_named() {
        assert_eq!(
            sign_flip_test(&[0.0, f64::NAN]),
            Err(StatisticsError::NotFinite { index: 1 })
        );
        assert!(sign_flip_test(&[]).is_err());
    }
}
