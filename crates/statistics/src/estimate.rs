//! What a comparison says before its verdict: the estimate, its interval and its p.

use crate::error::StatisticsError;
use crate::hodges_lehmann::hodges_lehmann;
use crate::interval::{Interval, sign_flip_interval};
use crate::pairs::log_ratios;
use crate::sign_flip::{PValue, sign_flip_test};
use crate::unpaired::{rank_sum_test, shift, shift_interval};
use crate::verdict::{Direction, decide};

/// A log ratio of variant to baseline, with what is known about it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The log ratio.
    pub log_ratio: f64,
    /// Its interval; none where the rounds are too few for a bounded one.
    pub interval: Option<Interval>,
    /// The p of no difference, before any correction.
    pub p: PValue,
}

impl Estimate {
    /// From the log ratios within pairs: Hodges and Lehmann's centre, the sign-flip test and its
    /// interval.
    ///
    /// # Errors
    /// There is no log ratio, one is not finite, or the confidence is not between 0 and 1.
    pub fn of_pairs(log_ratios: &[f64], confidence: f64) -> Result<Self, StatisticsError> {
        Ok(Self {
            log_ratio: hodges_lehmann(log_ratios)?,
            interval: sign_flip_interval(log_ratios, confidence)?,
            p: sign_flip_test(log_ratios)?,
        })
    }

    /// From two lists of positive values that are no pairs: the shift of their logarithms, the
    /// rank-sum test and its interval. A machine that drifts makes it wrong.
    ///
    /// # Errors
    /// A list is empty, a value is not finite or not above zero, or the confidence is not between 0
    /// and 1.
    pub fn of_lists(
        baseline: &[f64],
        variant: &[f64],
        confidence: f64,
    ) -> Result<Self, StatisticsError> {
        let baseline = logs(baseline)?;
        let variant = logs(variant)?;
        Ok(Self {
            log_ratio: shift(&baseline, &variant)?,
            interval: shift_interval(&baseline, &variant, confidence)?,
            p: rank_sum_test(&baseline, &variant)?,
        })
    }

    /// The verdict, with p as it is after correction.
    #[must_use]
    pub fn verdict(&self, corrected_p: f64, alpha: f64, floor: f64) -> Direction {
        decide(self.log_ratio, self.interval, corrected_p, alpha, floor)
    }
}

/// Logarithms; the ratio to 1.
fn logs(values: &[f64]) -> Result<Vec<f64>, StatisticsError> {
    log_ratios(&vec![1.0; values.len()], values)
}

#[cfg(test)]
mod tests {
    use super::Estimate;

    #[test]
    fn lists_are_compared_on_the_scale_of_ratios() {
        let slow = [2.0, 4.0, 8.0, 16.0];
        let twice = slow.map(|value| value * 2.0);
        let estimate = Estimate::of_lists(&slow, &twice, 0.95).unwrap();
        assert!((estimate.log_ratio - 2.0_f64.ln()).abs() < 1e-12);
        assert!(Estimate::of_lists(&[0.0], &[1.0], 0.95).is_err());
    }
}
