//! Values that move with the order in which they were taken.

use crate::describe::median_of;
use crate::draws::draws;
use crate::error::{StatisticsError, finite, real};
use crate::sign_flip::{MONTE_CARLO_SEED, PValue};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

/// Up to this many values every order is counted (8! is 40,320); beyond, orders are drawn.
const EXACT_ORDERS: usize = 8;

/// How many orders are drawn; of more than 1,000 values fewer, in proportion, and 2,000 at least.
const DRAWS: usize = 20_000;

/// Below this many values no order is rare enough to be significant at 5 %.
const LEAST: usize = 4;

/// How values move with their order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drift {
    /// Spearman's rank correlation of the values with their order, ties at their mean rank.
    pub rho: f64,
    /// Its two-sided permutation p.
    pub p: PValue,
    /// The Theil-Sen slope: how much a value changes from one place to the next.
    pub slope: f64,
}

/// Whether values, in the order in which they were taken, rise or fall: Spearman's rank
/// correlation (The American Journal of Psychology 15 (1904) 72-101) with a permutation p, and
/// the Theil-Sen slope. None where fewer than four values were given or all are equal.
///
/// # Errors
/// A value is not finite.
pub fn drift(values: &[f64]) -> Result<Option<Drift>, StatisticsError> {
    finite(values, 0)?;
    if values.len() < LEAST {
        return Ok(None);
    }
    let mut ranks = centred_ranks(values);
    let places: Vec<f64> = centred_ranks(&(0..values.len()).map(real).collect::<Vec<_>>());
    let size = (square_sum(&ranks) * square_sum(&places)).sqrt();
    if size <= 0.0 {
        return Ok(None);
    }
    let observed = product_sum(&ranks, &places);
    // Products of half-ranks are exact in doubles, so that no tolerance is needed.
    let extreme = observed.abs();
    let p = if values.len() <= EXACT_ORDERS {
        let mut counts = Counts::default();
        count_orders(&mut ranks, 0, &places, extreme, &mut counts);
        PValue {
            p: real(counts.extreme) / real(counts.all),
            standard_error: None,
            draws: None,
        }
    } else {
        let mut random = ChaCha8Rng::seed_from_u64(MONTE_CARLO_SEED);
        let mut hits = 0_usize;
        let drawn = draws(DRAWS, ranks.len());
        for _ in 0..drawn {
            ranks.shuffle(&mut random);
            hits += usize::from(product_sum(&ranks, &places).abs() >= extreme);
        }
        let p = (real(hits) + 1.0) / (real(drawn) + 1.0);
        PValue {
            p,
            standard_error: Some((p * (1.0 - p) / real(drawn)).sqrt()),
            draws: Some(drawn),
        }
    };
    Ok(Some(Drift {
        rho: observed / size,
        p,
        slope: theil_sen_slope(values)?,
    }))
}

/// The median of the slopes between all pairs of places: Sen, "Estimates of the Regression
/// Coefficient Based on Kendall's Tau", Journal of the American Statistical Association 63 (1968)
/// 1379-1389. Beyond 2,000 values every k-th is taken, so that at most 2,000 remain.
///
/// # Errors
/// There are fewer than two values, or one is not finite.
pub fn theil_sen_slope(values: &[f64]) -> Result<f64, StatisticsError> {
    finite(values, 2)?;
    let taken: Vec<(usize, f64)> = values
        .iter()
        .copied()
        .enumerate()
        .step_by(values.len().div_ceil(2_000))
        .collect();
    let mut slopes = Vec::new();
    for (position, (place, value)) in taken.iter().enumerate() {
        for (later_place, later) in taken.iter().skip(position + 1) {
            slopes.push((later - value) / real(later_place - place));
        }
    }
    Ok(median_of(&slopes))
}

/// Ranks less their mean; ties share the mean of their ranks.
fn centred_ranks(values: &[f64]) -> Vec<f64> {
    // Adding 0 makes -0 the 0 that it equals.
    let mut order: Vec<(usize, f64)> = values.iter().map(|value| value + 0.0).enumerate().collect();
    order.sort_by(|left, right| left.1.total_cmp(&right.1));
    let middle = (real(values.len()) - 1.0) / 2.0;
    let mut ranks = vec![0.0; values.len()];
    let mut before = 0;
    for group in order.chunk_by(|left, right| left.1.total_cmp(&right.1).is_eq()) {
        let rank = real(before) + (real(group.len()) - 1.0) / 2.0 - middle;
        for (index, _) in group {
            if let Some(slot) = ranks.get_mut(*index) {
                *slot = rank;
            }
        }
        before += group.len();
    }
    ranks
}

fn product_sum(left: &[f64], right: &[f64]) -> f64 {
    left.iter()
        .zip(right)
        .map(|(left, right)| left * right)
        .sum()
}

fn square_sum(values: &[f64]) -> f64 {
    product_sum(values, values)
}

#[derive(Default)]
struct Counts {
    all: usize,
    extreme: usize,
}

/// Walks all orders of `ranks` from `fixed` on, by swapping each value into the place.
fn count_orders(
    ranks: &mut [f64],
    fixed: usize,
    places: &[f64],
    extreme: f64,
    counts: &mut Counts,
) {
    if fixed == ranks.len() {
        counts.all += 1;
        counts.extreme += usize::from(product_sum(ranks, places).abs() >= extreme);
        return;
    }
    for index in fixed..ranks.len() {
        ranks.swap(fixed, index);
        count_orders(ranks, fixed + 1, places, extreme, counts);
        ranks.swap(fixed, index);
    }
}

#[cfg(test)]
mod tests {
    use super::{drift, theil_sen_slope};

    #[test]
    fn six_rising_values_are_two_of_720_orders() {
        let found = drift(&[1.0, 2.0, 4.0, 8.0, 16.0, 32.0]).unwrap().unwrap();
        assert!((found.rho - 1.0).abs() < 1e-15);
        assert!((found.p.p - 2.0 / 720.0).abs() < 1e-15);
    }

    #[test]
    fn equal_values_and_three_values_show_no_drift() {
        assert_eq!(drift(&[3.0; 12]).unwrap(), None);
        assert_eq!(drift(&[1.0, 2.0, 3.0]).unwrap(), None);
        assert!(drift(&[1.0, f64::INFINITY, 2.0, 3.0]).is_err());
    }

    #[test]
    fn one_wild_value_does_not_bend_the_slope() {
        let mut values: Vec<f64> = (0..9).map(|i| 5.0 + 0.5 * f64::from(i)).collect();
        values[4] = 1e6;
        assert!((theil_sen_slope(&values).unwrap() - 0.5).abs() < 1e-12);
    }
}
