//! Holm's correction.

use crate::error::{StatisticsError, finite, real};

/// The p-values corrected for their number, in the order given: Holm, "A Simple Sequentially
/// Rejective Multiple Test Procedure", Scandinavian Journal of Statistics 6 (1979) 65-70. A
/// corrected p at or below the level rejects while the chance of any false rejection stays at
/// the level.
///
/// # Errors
/// A p-value is not finite or not between 0 and 1.
pub fn holm(p_values: &[f64]) -> Result<Vec<f64>, StatisticsError> {
    finite(p_values, 0)?;
    if let Some(value) = p_values.iter().find(|p| !(0.0..=1.0).contains(*p)) {
        return Err(StatisticsError::OutOfRange {
            name: "a p-value",
            value: *value,
        });
    }
    let mut ordered: Vec<(usize, f64)> = p_values.iter().copied().enumerate().collect();
    ordered.sort_by(|left, right| left.1.total_cmp(&right.1));
    let mut corrected = vec![0.0; p_values.len()];
    let mut largest = 0.0_f64;
    for (rank, (index, p)) in ordered.into_iter().enumerate() {
        largest = largest.max((p * real(p_values.len() - rank)).min(1.0));
        if let Some(slot) = corrected.get_mut(index) {
            *slot = largest;
        }
    }
    Ok(corrected)
}

#[cfg(test)]
mod tests {
    use super::holm;

    #[test]
    fn four_p_values_as_r_corrects_them() {
        // R: p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm") gives 0.03 0.06 0.06 0.02.
        let corrected = holm(&[0.01, 0.04, 0.03, 0.005]).unwrap();
        for (got, expected) in corrected.iter().zip([0.03, 0.06, 0.06, 0.02]) {
            assert!((got - expected).abs() < 1e-15, "{corrected:?}");
        }
    }

    #[test]
    fn one_p_value_stays_and_none_passes_one() {
        assert_eq!(holm(&[0.2]).unwrap(), [0.2]);
        assert_eq!(holm(&[0.9, 0.8]).unwrap(), [1.0, 1.0]);
        assert_eq!(holm(&[]).unwrap(), [0.0; 0]);
        assert!(holm(&[1.5]).is_err() && holm(&[f64::NAN]).is_err() && holm(&[-0.1]).is_err());
    }
}
