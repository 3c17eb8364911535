//! An interval for a median that assumes nothing about the distribution.

use crate::error::{StatisticsError, finite, open_unit};
use crate::interval::Interval;
use statrs::distribution::{Binomial, DiscreteCDF};

/// The interval between two order statistics that covers the population's median with at least
/// the confidence asked for; none where the values are too few (fewer than six at 95 %).
///
/// Between the k-th smallest and the k-th largest of n values the median lies with probability
/// 1 - 2 P(B <= k - 1), B binomial with n and 1/2: David and Nagaraja, "Order Statistics" (3rd
/// edition, 2003), section 7.1.
///
/// # Errors
/// There is no value, one is not finite, or the confidence is not between 0 and 1.
pub fn median_interval(
    values: &[f64],
    confidence: f64,
) -> Result<Option<Interval>, StatisticsError> {
    finite(values, 1)?;
    open_unit("the confidence", confidence)?;
    let sorted = crate::describe::sorted(values);
    let n = u64::try_from(sorted.len()).unwrap_or(u64::MAX);
    let Ok(heads) = Binomial::new(0.5, n) else {
        return Ok(None);
    };
    let outside = |k: u64| 2.0 * heads.cdf(k - 1);
    // The wanted k is about n/2 - z sqrt(n)/2; outside(k) rises with k, so bisection finds it.
    let (mut reaches, mut fails) = (0, n / 2 + 1);
    while fails - reaches > 1 {
        let middle = reaches + (fails - reaches) / 2;
        if outside(middle) <= 1.0 - confidence + 1e-12 {
            reaches = middle;
        } else {
            fails = middle;
        }
    }
    let Some(from_low) = usize::try_from(reaches).ok().and_then(|k| k.checked_sub(1)) else {
        return Ok(None);
    };
    let from_high = sorted.len() - 1 - from_low;
    Ok(sorted
        .get(from_low)
        .zip(sorted.get(from_high))
        .map(|(low, high)| Interval {
            low: *low,
            high: *high,
            confidence: 1.0 - 2.0 * heads.cdf(reaches - 1),
        }))
}

#[cfg(test)]
mod tests {
    use super::median_interval;

    #[test]
    fn ten_values_use_the_second_and_the_ninth() {
        // David and Nagaraja's usual table: n = 10, k = 2, coverage 0.9785.
        let values: Vec<f64> = (1..=10).map(f64::from).collect();
        let interval = median_interval(&values, 0.95).unwrap().unwrap();
        assert_eq!((interval.low, interval.high), (2.0, 9.0));
        assert!((interval.confidence - (1.0 - 2.0 * 11.0 / 1024.0)).abs() < 1e-12);
    }

    #[test]
    fn five_values_are_too_few_and_six_just_enough() {
        assert_eq!(median_interval(&[1.0; 5], 0.95).unwrap(), None);
        let interval = median_interval(&[6.0, 5.0, 4.0, 3.0, 2.0, 1.0], 0.95)
            .unwrap()
            .unwrap();
        assert_eq!((interval.low, interval.high), (1.0, 6.0));
    }
}
