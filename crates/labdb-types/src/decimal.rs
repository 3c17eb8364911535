//! Exact decimal numbers of up to 38 digits.

use std::fmt;

/// A decimal number: `mantissa / 10^scale`. At most 38 digits, as SQL Server has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decimal {
    /// All digits as one whole number.
    pub mantissa: i128,
    /// How many of them are behind the point, 0 to 38.
    pub scale: u8,
}

impl Decimal {
    /// `mantissa / 10^scale`.
    #[must_use]
    pub fn new(mantissa: i128, scale: u8) -> Self {
        Self { mantissa, scale }
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.mantissa < 0 { "-" } else { "" };
        let scale = usize::from(self.scale);
        let digits = format!(
            "{:0>width$}",
            self.mantissa.unsigned_abs(),
            width = scale + 1
        );
        let (whole, fraction) = digits.split_at(digits.len() - scale);
        if scale == 0 {
            write!(f, "{sign}{whole}")
        } else {
            write!(f, "{sign}{whole}.{fraction}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Decimal;

    #[test]
    fn a_decimal_prints_every_digit_of_its_scale() {
        assert_eq!(Decimal::new(-5, 3).to_string(), "-0.005");
        assert_eq!(Decimal::new(1200, 2).to_string(), "12.00");
        assert_eq!(Decimal::new(42, 0).to_string(), "42");
    }
}
