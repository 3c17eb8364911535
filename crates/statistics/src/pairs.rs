//! From pairs of values to log ratios and back.

use crate::error::{StatisticsError, finite};

/// The natural logarithms of `variant / baseline`, pair by pair: 0 is no difference, and a
/// difference has the same size whichever of the two is taken as the baseline.
///
/// # Errors
/// The lists differ in length, or a value is not finite or not above zero (the index counts in
/// the list that holds it).
pub fn log_ratios(baseline: &[f64], variant: &[f64]) -> Result<Vec<f64>, StatisticsError> {
    if baseline.len() != variant.len() {
        return Err(StatisticsError::LengthsDiffer {
            left: baseline.len(),
            right: variant.len(),
        });
    }
    for values in [baseline, variant] {
        positive(values)?;
    }
    Ok(baseline
        .iter()
        .zip(variant)
        .map(|(baseline, variant)| variant.ln() - baseline.ln())
        .collect())
}

/// The ratio that a log ratio stands for.
#[must_use]
pub fn ratio(log_ratio: f64) -> f64 {
    log_ratio.exp()
}

fn positive(values: &[f64]) -> Result<(), StatisticsError> {
    finite(values, 0)?;
    match values.iter().position(|value| *value <= 0.0) {
        Some(index) => Err(StatisticsError::NotPositive {
            index,
            value: values.get(index).copied().unwrap_or_default(),
        }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::log_ratios;
    use crate::StatisticsError;

    #[test]
    fn twice_as_long_is_the_logarithm_of_two() {
        let logs = log_ratios(&[1.0, 5.0], &[2.0, 2.5]).unwrap();
        let ln2 = std::f64::consts::LN_2;
        assert!((logs[0] - ln2).abs() < 1e-15 && (logs[1] + ln2).abs() < 1e-15);
    }

    #[test]
    fn zero_negative_and_nan_have_no_ratio() {
        assert_eq!(
            log_ratios(&[1.0, 0.0], &[1.0, 1.0]),
            Err(StatisticsError::NotPositive {
                index: 1,
                value: 0.0
            })
        );
        assert_eq!(
            log_ratios(&[1.0], &[-3.0]),
            Err(StatisticsError::NotPositive {
                index: 0,
                value: -3.0
            })
        );
        assert_eq!(
            log_ratios(&[1.0], &[f64::NAN]),
            Err(StatisticsError::NotFinite { index: 0 })
        );
        assert!(log_ratios(&[1.0], &[]).is_err());
        // The smallest and largest doubles are legal and their ratio overflows: the logs do not.
        assert!(log_ratios(&[f64::MIN_POSITIVE], &[f64::MAX]).unwrap()[0].is_finite());
    }
}
