//! Describing one list of values.

use crate::error::{StatisticsError, finite, open_unit, real};

/// The usual description of one list of values, in the unit of the values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Description {
    /// How many.
    pub n: usize,
    /// The smallest.
    pub min: f64,
    /// The first quartile (type 7).
    pub q1: f64,
    /// The median.
    pub median: f64,
    /// The third quartile (type 7).
    pub q3: f64,
    /// The largest.
    pub max: f64,
    /// The mean.
    pub mean: f64,
    /// The sample standard deviation; none below two values.
    pub sd: Option<f64>,
}

/// Describes a list of values.
///
/// # Errors
/// The list is empty or holds a value that is not finite.
pub fn describe(values: &[f64]) -> Result<Description, StatisticsError> {
    finite(values, 1)?;
    let sorted = sorted(values);
    Ok(Description {
        n: sorted.len(),
        min: quantile_of_sorted(&sorted, 0.0),
        q1: quantile_of_sorted(&sorted, 0.25),
        median: quantile_of_sorted(&sorted, 0.5),
        q3: quantile_of_sorted(&sorted, 0.75),
        max: quantile_of_sorted(&sorted, 1.0),
        mean: mean(values)?,
        sd: sample_sd(values).ok(),
    })
}

/// The quantile at probability `p` by linear interpolation between order statistics: type 7 of
/// Hyndman and Fan, "Sample Quantiles in Statistical Packages", The American Statistician 50
/// (1996) 361-365; the default of R, `NumPy` and spreadsheets (`QUARTILE.INC`).
///
/// # Errors
/// The list is empty, a value is not finite, or `p` is outside 0 to 1.
pub fn quantile(values: &[f64], p: f64) -> Result<f64, StatisticsError> {
    finite(values, 1)?;
    if p != 0.0 && p.to_bits() != 1.0_f64.to_bits() {
        open_unit("the probability", p)?;
    }
    Ok(quantile_of_sorted(&sorted(values), p))
}

/// The arithmetic mean, by a running update that neither overflows nor loses small values:
/// Welford, "Note on a Method for Calculating Corrected Sums of Squares and Products",
/// Technometrics 4 (1962) 419-420.
///
/// # Errors
/// The list is empty or holds a value that is not finite.
pub fn mean(values: &[f64]) -> Result<f64, StatisticsError> {
    finite(values, 1)?;
    Ok(welford(values).0)
}

/// The sample standard deviation (divisor n - 1), by the same recurrence as [`mean`].
///
/// # Errors
/// There are fewer than two values, or one is not finite.
pub fn sample_sd(values: &[f64]) -> Result<f64, StatisticsError> {
    finite(values, 2)?;
    Ok((welford(values).1 / real(values.len() - 1)).sqrt())
}

/// Mean and sum of squared deviations.
fn welford(values: &[f64]) -> (f64, f64) {
    let mut mean = 0.0;
    let mut squares = 0.0;
    for (index, value) in values.iter().enumerate() {
        let from_old = value - mean;
        mean += from_old / real(index + 1);
        squares += from_old * (value - mean);
    }
    (mean, squares)
}

pub(crate) fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

/// The median of a list that is not empty and all finite; 0 for an empty one.
pub(crate) fn median_of(values: &[f64]) -> f64 {
    quantile_of_sorted(&sorted(values), 0.5)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the position lies between 0 and the last index"
)]
fn quantile_of_sorted(sorted: &[f64], p: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else {
        return 0.0;
    };
    let position = p.clamp(0.0, 1.0) * real(last);
    let below = position.floor() as usize;
    let above = (below + 1).min(last);
    match (sorted.get(below), sorted.get(above)) {
        (Some(low), Some(high)) => low + (high - low) * (position - position.floor()),
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::{describe, mean, quantile, sample_sd};
    use crate::StatisticsError;

    #[test]
    fn quartiles_of_one_to_four_are_those_of_r() {
        // R: quantile(c(4, 1, 3, 2)) gives 1.00 1.75 2.50 3.25 4.00.
        let description = describe(&[4.0, 1.0, 3.0, 2.0]).unwrap();
        for (got, expected) in [
            (description.min, 1.0),
            (description.q1, 1.75),
            (description.median, 2.5),
            (description.q3, 3.25),
            (description.max, 4.0),
        ] {
            assert!((got - expected).abs() < 1e-15, "{description:?}");
        }
        assert!((description.sd.unwrap() - (5.0_f64 / 3.0).sqrt()).abs() < 1e-15);
    }

    #[test]
    fn one_value_has_no_standard_deviation() {
        let description = describe(&[7.0]).unwrap();
        assert_eq!((description.median, description.sd), (7.0, None));
        assert_eq!(
            sample_sd(&[7.0]),
            Err(StatisticsError::TooFew { given: 1, least: 2 })
        );
    }

    #[test]
    fn a_large_offset_does_not_eat_the_spread() {
        // NIST StRD NumAcc4: 1001 values 10000000.1, .2, .3 with standard deviation 0.1 exactly.
        let mut values = vec![10_000_000.2];
        for _ in 0..500 {
            values.extend([10_000_000.1, 10_000_000.3]);
        }
        assert!((mean(&values).unwrap() - 10_000_000.2).abs() < 1e-6);
        assert!((sample_sd(&values).unwrap() - 0.1).abs() < 1e-8);
    }

    #[test]
    fn what_is_not_finite_is_named() {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(
                describe(&[1.0, bad]),
                Err(StatisticsError::NotFinite { index: 1 })
            );
        }
        assert!(quantile(&[], 0.5).is_err());
        assert!(quantile(&[1.0], 1.5).is_err());
        assert!(quantile(&[1.0], f64::NAN).is_err());
    }
}
