//! Exact decimal arithmetic: products and quotients pass through 256 bits.

use labdb_types::Decimal;

/// 10 to the power `n`, for n up to 38.
pub fn pow10(n: u32) -> Option<i128> {
    10_i128.checked_pow(n)
}

/// An unsigned number of 256 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Wide {
    high: u128,
    low: u128,
}

fn multiply(a: u128, b: u128) -> Wide {
    let mask = u128::from(u64::MAX);
    let (a1, a0, b1, b0) = (a >> 64, a & mask, b >> 64, b & mask);
    let low = a0 * b0;
    let (middle, carry) = (a1 * b0).overflowing_add(a0 * b1);
    let (low, low_carry) = low.overflowing_add(middle << 64);
    let high =
        a1 * b1 + (middle >> 64) + if carry { 1_u128 << 64 } else { 0 } + u128::from(low_carry);
    Wide { high, low }
}

fn plus(a: Wide, b: Wide) -> Wide {
    let (low, carry) = a.low.overflowing_add(b.low);
    let high = a.high + b.high + u128::from(carry);
    Wide { high, low }
}

/// `a - b`, where `a` is not the smaller one.
fn minus(a: Wide, b: Wide) -> Wide {
    let (low, borrow) = a.low.overflowing_sub(b.low);
    let high = a.high - b.high - u128::from(borrow);
    Wide { high, low }
}

/// Quotient and remainder; `None` where the quotient needs more than 128 bits.
fn divide(n: Wide, d: u128) -> Option<(u128, u128)> {
    if d == 0 || n.high >= d {
        return None;
    }
    if n.high == 0 {
        return Some((n.low / d, n.low % d));
    }
    let (mut remainder, mut quotient) = (n.high, 0_u128);
    for bit in (0..128).rev() {
        let carry = remainder >> 127 == 1;
        remainder = (remainder << 1) | ((n.low >> bit) & 1);
        quotient <<= 1;
        if carry || remainder >= d {
            remainder = remainder.wrapping_sub(d);
            quotient |= 1;
        }
    }
    Some((quotient, remainder))
}

fn signed(negative: bool, magnitude: u128) -> Option<i128> {
    let value = i128::try_from(magnitude).ok()?;
    Some(if negative { -value } else { value })
}

/// The number at another scale, rounded half away from zero. `None` on overflow of 38 digits.
pub fn rescale(d: Decimal, scale: u8) -> Option<Decimal> {
    if scale >= d.scale {
        let mantissa = d.mantissa.checked_mul(pow10(u32::from(scale - d.scale))?)?;
        return checked(mantissa, scale);
    }
    let divisor = pow10(u32::from(d.scale - scale))?;
    let (quotient, remainder) = (d.mantissa / divisor, d.mantissa % divisor);
    let rounded = if remainder.unsigned_abs() * 2 >= divisor.unsigned_abs() {
        quotient + d.mantissa.signum()
    } else {
        quotient
    };
    checked(rounded, scale)
}

/// The number at another scale, cut off.
pub fn truncate(d: Decimal, scale: u8) -> Option<Decimal> {
    if scale >= d.scale {
        return rescale(d, scale);
    }
    checked(d.mantissa / pow10(u32::from(d.scale - scale))?, scale)
}

fn checked(mantissa: i128, scale: u8) -> Option<Decimal> {
    (mantissa.unsigned_abs() < 10_u128.pow(38)).then_some(Decimal { mantissa, scale })
}

/// `a + b` at a scale, rounded once.
pub fn add(a: Decimal, b: Decimal, scale: u8) -> Option<Decimal> {
    let common = a.scale.max(b.scale);
    // Below 10^76: neither the sum nor the difference leaves 256 bits.
    let at_common = |d: Decimal| {
        let factor = pow10(u32::from(common - d.scale))?.unsigned_abs();
        Some(multiply(d.mantissa.unsigned_abs(), factor))
    };
    let (x, y) = (at_common(a)?, at_common(b)?);
    let (negative, sum) = if (a.mantissa < 0) == (b.mantissa < 0) {
        (a.mantissa < 0, plus(x, y))
    } else if (x.high, x.low) >= (y.high, y.low) {
        (a.mantissa < 0, minus(x, y))
    } else {
        (b.mantissa < 0, minus(y, x))
    };
    let divisor = pow10(u32::from(common.saturating_sub(scale)))?.unsigned_abs();
    let (quotient, rest) = divide(sum, divisor)?;
    let magnitude = quotient + u128::from(rest > 0 && rest >= divisor - rest);
    rescale(
        Decimal {
            mantissa: signed(negative, magnitude)?,
            scale: common.min(scale),
        },
        scale,
    )
}

/// `a * b` at a scale, rounded.
pub fn product(a: Decimal, b: Decimal, scale: u8) -> Option<Decimal> {
    let negative = (a.mantissa < 0) != (b.mantissa < 0);
    let wide = multiply(a.mantissa.unsigned_abs(), b.mantissa.unsigned_abs());
    let full = a.scale + b.scale;
    let magnitude = if scale >= full {
        if wide.high != 0 {
            return None;
        }
        wide.low
            .checked_mul(pow10(u32::from(scale - full))? as u128)?
    } else {
        let mut drop = u32::from(full - scale);
        let mut current = wide;
        // 10^38 is the largest power that fits; a drop beyond it takes two steps.
        if drop > 38 {
            let (q, _) = divide(current, pow10(38)? as u128)?;
            current = Wide { high: 0, low: q };
            drop -= 38;
        }
        let divisor = pow10(drop)? as u128;
        let (q, r) = divide(current, divisor)?;
        q + u128::from(r >= divisor - r)
    };
    checked(signed(negative, magnitude)?, scale)
}

/// `a / b` at a scale, cut off as SQL Server does. `None` on overflow; `b` must not be 0.
#[allow(clippy::many_single_char_names, reason = "the formula's own letters")]
pub fn quotient(a: Decimal, b: Decimal, scale: u8) -> Option<Decimal> {
    let negative = (a.mantissa < 0) != (b.mantissa < 0);
    // (a / 10^s1) / (b / 10^s2) * 10^s = a * 10^(s + s2 - s1) / b
    let shift = i32::from(scale) + i32::from(b.scale) - i32::from(a.scale);
    let (n, d) = (a.mantissa.unsigned_abs(), b.mantissa.unsigned_abs());
    let magnitude = if shift >= 0 {
        let first = shift.min(38) as u32;
        let wide = multiply(n, pow10(first)? as u128);
        let (q, r) = divide(wide, d)?;
        let rest = shift as u32 - first;
        if rest == 0 {
            q
        } else {
            let factor = pow10(rest)? as u128;
            let (q2, _) = divide(multiply(r, factor), d)?;
            q.checked_mul(factor)?.checked_add(q2)?
        }
    } else {
        n / d / (pow10(shift.unsigned_abs())? as u128)
    };
    checked(signed(negative, magnitude)?, scale)
}

/// `a % b` at a scale; `b` must not be 0.
pub fn remainder(a: Decimal, b: Decimal, scale: u8) -> Option<Decimal> {
    let common = a.scale.max(b.scale);
    let (x, y) = (a.mantissa.unsigned_abs(), b.mantissa.unsigned_abs());
    let up = |scale: u8| Some(pow10(u32::from(common - scale))?.unsigned_abs());
    let divisor = multiply(y, up(b.scale)?);
    let magnitude = if divisor.high == 0 {
        let dividend = multiply(x, up(a.scale)?);
        let high = dividend.high % divisor.low;
        divide(Wide { high, ..dividend }, divisor.low)?.1
    } else {
        // Only a divisor that was brought to the dividend's scale is so large.
        x
    };
    let mantissa = signed(a.mantissa < 0, magnitude)?;
    rescale(
        Decimal {
            mantissa,
            scale: common,
        },
        scale,
    )
}

/// The nearest `f64`.
pub fn to_f64(d: Decimal) -> f64 {
    // Parsing the digits rounds once; dividing would round twice.
    d.to_string().parse().unwrap_or(f64::NAN)
}

/// A float at a scale; `None` where it does not fit 38 digits.
pub fn from_f64(value: f64, scale: u8) -> Option<Decimal> {
    if !value.is_finite() || value.abs() >= 1e38 {
        return None;
    }
    // 17 significant digits identify an f64; SQL Server converts no more than that.
    let text = format!("{value:.*}", usize::from(scale));
    let negative = text.starts_with('-');
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    checked(signed(negative, digits.parse().ok()?)?, scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn d(mantissa: i128, scale: u8) -> Decimal {
        Decimal::new(mantissa, scale)
    }

    #[test]
    fn products_of_38_digits_pass_through_256_bits() {
        // 99999999999999999999 * 99999999999999999999 = 9999999999999999999800000000000000000001
        let a = d(99_999_999_999_999_999_999, 10);
        assert_eq!(
            product(a, a, 6).map(|p| p.to_string()),
            Some("99999999999999999998.000000".into())
        );
    }

    #[test]
    fn a_third_is_cut_off_at_its_scale() {
        assert_eq!(quotient(d(10, 1), d(3, 0), 6), Some(d(333_333, 6)));
        assert_eq!(quotient(d(-20, 1), d(3, 0), 6), Some(d(-666_666, 6)));
    }

    #[test]
    fn sums_and_remainders_need_no_common_scale_within_38_digits() {
        // 10^37 + 0.45 is rounded once: 0.45 to one digit would be 0.5, and then 1.
        assert_eq!(
            add(d(10_i128.pow(37), 0), d(45, 2), 0),
            Some(d(10_i128.pow(37), 0))
        );
        assert_eq!(
            remainder(d(999_999_999_999_999, 0), d(5 * 10_i128.pow(23), 24), 24),
            Some(d(0, 24))
        );
        assert_eq!(
            remainder(d(-75, 30), d(10_i128.pow(37), 0), 30),
            Some(d(-75, 30))
        );
    }

    #[test]
    fn rounding_goes_away_from_zero_at_the_half() {
        assert_eq!(rescale(d(125, 2), 1), Some(d(13, 1)));
        assert_eq!(rescale(d(-125, 2), 1), Some(d(-13, 1)));
        assert_eq!(rescale(d(124, 2), 1), Some(d(12, 1)));
    }
}
