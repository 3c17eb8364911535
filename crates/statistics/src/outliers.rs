//! Values far from the others.

use crate::describe::median_of;
use crate::error::{StatisticsError, finite, real};

/// A modified z-score beyond this is flagged.
pub const OUTLIER_THRESHOLD: f64 = 3.5;

/// Below this many values there is no telling which of them is the odd one.
const LEAST: usize = 5;

/// The places (from 0) of the values far from the others; flagged, never dropped.
///
/// The modified z-score 0.6745 (x - median) / MAD beyond 3.5: Iglewicz and Hoaglin, "How to
/// Detect and Handle Outliers" (ASQC, 1993). Where more than half of the values are equal, MAD is
/// 0 and 1.2533 times the mean absolute deviation from the median takes its place. Fewer than
/// five values give none.
///
/// # Errors
/// A value is not finite.
pub fn outliers(values: &[f64]) -> Result<Vec<usize>, StatisticsError> {
    finite(values, 0)?;
    if values.len() < LEAST {
        return Ok(Vec::new());
    }
    let median = median_of(values);
    let deviations: Vec<f64> = values.iter().map(|value| (value - median).abs()).collect();
    let mad = median_of(&deviations) / 0.6745;
    let spread = if mad > 0.0 {
        mad
    } else {
        1.253_314 * deviations.iter().sum::<f64>() / real(deviations.len())
    };
    Ok(deviations
        .iter()
        .enumerate()
        .filter(|(_, deviation)| spread > 0.0 && **deviation > OUTLIER_THRESHOLD * spread)
        .map(|(index, _)| index)
        .collect())
}

#[cfg(test)]
mod tests {
    use super::outliers;

    #[test]
    fn the_far_value_is_flagged_and_the_near_ones_are_not() {
        // Median 10, MAD 1: 0.6745 * 5 = 3.37 is inside, 0.6745 * 6 = 4.05 is outside.
        let values = [9.0, 10.0, 11.0, 9.0, 11.0, 10.0, 15.0];
        assert!(outliers(&values).unwrap().is_empty());
        let values = [9.0, 10.0, 11.0, 9.0, 11.0, 10.0, 16.0];
        assert_eq!(outliers(&values).unwrap(), [6]);
    }

    #[test]
    fn one_odd_value_among_equal_ones_is_flagged() {
        let mut values = vec![2.0; 9];
        values.push(3.0);
        assert_eq!(outliers(&values).unwrap(), [9]);
        assert!(outliers(&[2.0; 9]).unwrap().is_empty());
    }

    #[test]
    fn four_values_cannot_say_which_is_odd() {
        assert!(outliers(&[1.0, 1.0, 1.0, 99.0]).unwrap().is_empty());
        assert!(outliers(&[1.0, f64::NAN]).is_err());
    }
}
