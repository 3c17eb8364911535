//! Numbers for people: a fixed number of decimals in a column, so that right-aligned numbers
//! stand with their points under each other.

/// From here on a number has an exponent in tables for people.
const TOO_LONG: f64 = 1e9;

/// How many decimals give the largest value of a column four significant digits; and the smallest
/// one that is not zero two, where two decimals more do: where variants differ a hundredfold, the
/// small ones must be readable.
#[must_use]
pub fn decimals(values: impl Iterator<Item = f64>) -> usize {
    let (mut largest, mut smallest) = (0.0_f64, f64::INFINITY);
    let shown = |value: &f64| *value > 0.0 && *value < TOO_LONG;
    for value in values.map(f64::abs).filter(shown) {
        largest = largest.max(value);
        smallest = smallest.min(value);
    }
    let of_largest = decimals_for(largest, 4);
    decimals_for(smallest, 2).clamp(of_largest, of_largest + 2)
}

/// How many decimals give `value` that many significant digits, from none to six.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "clamped to 0 to 6"
)]
#[must_use]
pub fn decimals_for(value: f64, significant: i32) -> usize {
    if value <= 0.0 || !value.is_finite() {
        return 0;
    }
    (f64::from(significant) - 1.0 - value.log10().floor()).clamp(0.0, 6.0) as usize
}

/// A number with so many decimals, or with an exponent where it would fill the line; a dash where
/// there is none.
#[must_use]
pub fn fixed(value: Option<f64>, decimals: usize) -> String {
    match value {
        None => "-".to_owned(),
        Some(value) if value.abs() >= TOO_LONG => format!("{value:.3e}"),
        Some(value) => format!("{value:.decimals$}"),
    }
}

/// A ratio to three significant digits (none is shown as 0), and at least three decimals where it is near 1.
#[must_use]
pub fn ratio(value: f64) -> String {
    if value >= TOO_LONG || (value > 0.0 && value < 1e-4) {
        return format!("{value:.2e}");
    }
    let decimals = decimals_for(value, 3).max(if value < 10.0 { 3 } else { 0 });
    format!("{value:.decimals$}")
}

/// A p-value as people write it.
#[must_use]
pub fn p_value(p: f64) -> String {
    if p < 0.001 {
        "<0.001".to_owned()
    } else {
        format!("{p:.3}")
    }
}

/// A share in percent, without needless decimals: `95 %`, `96.9 %`.
#[must_use]
pub fn percent(share: f64) -> String {
    let text = format!("{:.1}", share * 100.0);
    format!("{} %", text.trim_end_matches(".0"))
}

#[cfg(test)]
mod tests {
    use super::{decimals, fixed, p_value, percent, ratio};

    #[test]
    fn the_largest_value_gets_four_digits() {
        for (largest, expected) in [
            (2.4, 3),
            (11.2, 2),
            (100.0, 1),
            (81_788.0, 0),
            (0.004, 6),
            (0.0, 0),
        ] {
            assert_eq!(decimals([0.0, largest].into_iter()), expected, "{largest}");
        }
        assert_eq!(decimals([0.0, 12.24, 0.0161].into_iter()), 3);
        assert_eq!(decimals([12.24, 0.000_02].into_iter()), 4);
        assert_eq!(fixed(Some(1.5), 2), "1.50");
        assert_eq!(fixed(None, 2), "-");
        assert_eq!(decimals([12.24, 1e300].into_iter()), 2);
        assert_eq!(fixed(Some(1e300), 2), "1.000e300");
        assert_eq!(fixed(Some(-1.5e9), 2), "-1.500e9");
    }

    #[test]
    fn ratios_and_shares_read_well() {
        assert_eq!(
            [ratio(0.8031), ratio(12.34), ratio(0.012_345)],
            ["0.803", "12.3", "0.0123"]
        );
        assert_eq!(
            [
                ratio(1e300),
                ratio(123_456.0),
                ratio(0.000_123),
                ratio(1.23e-7)
            ],
            ["1.00e300", "123456", "0.000123", "1.23e-7"]
        );
        assert_eq!(
            [percent(0.95), percent(0.968_75), percent(0.02)],
            ["95 %", "96.9 %", "2 %"]
        );
        assert_eq!([p_value(0.031_25), p_value(0.000_01)], ["0.031", "<0.001"]);
    }
}
