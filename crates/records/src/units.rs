//! Times as the records hold them.

use std::time::Duration;

/// A duration in milliseconds, rounded to whole microseconds: that is what a clock between two
/// machines is good for, and it prints without a tail of binary fractions.
#[must_use]
#[expect(
    clippy::cast_precision_loss,
    reason = "exact below 2^53 microseconds, which is 285 years"
)]
pub fn milliseconds(duration: Duration) -> f64 {
    let microseconds = duration.as_nanos().saturating_add(500) / 1000;
    microseconds as f64 / 1000.0
}

#[cfg(test)]
mod tests {
    use super::milliseconds;
    use std::time::Duration;

    #[test]
    fn milliseconds_have_three_decimals_and_no_tail() {
        for (nanoseconds, printed) in [
            // As a float of seconds times 1000 this one is 1513.7418949999999.
            (1_513_741_895, "1513.742"),
            (1_513_741_499, "1513.741"),
            (1_095_398_275, "1095.398"),
            (500, "0.001"),
            (499, "0"),
            (6_170_330_001_600, "6170330.002"),
        ] {
            let got = milliseconds(Duration::from_nanos(nanoseconds));
            assert_eq!(got.to_string(), printed);
        }
    }
}
