//! The Hodges-Lehmann estimate of a centre.

use crate::error::{StatisticsError, finite};

/// The median of the Walsh averages `(x_i + x_j) / 2` over all `i <= j`: Hodges and Lehmann,
/// "Estimates of Location Based on Rank Tests", Annals of Mathematical Statistics 34 (1963)
/// 598-611. One wild value moves it little.
///
/// The averages are not laid out: the wanted one is found by bisection over the doubles, counting
/// in the sorted list, so that memory grows with n and not with its square.
///
/// # Errors
/// There is no value, or one is not finite.
pub fn hodges_lehmann(values: &[f64]) -> Result<f64, StatisticsError> {
    finite(values, 1)?;
    let sorted = crate::describe::sorted(values);
    let count = sorted.len() * (sorted.len() + 1) / 2;
    let upper = nth_walsh_average(&sorted, count / 2 + 1);
    if count % 2 == 1 {
        return Ok(upper);
    }
    let lower = nth_walsh_average(&sorted, count / 2);
    Ok(f64::midpoint(lower, upper))
}

/// The `rank`-th smallest Walsh average, from 1: the smallest double that has at least `rank` of
/// them at or below it.
fn nth_walsh_average(sorted: &[f64], rank: usize) -> f64 {
    let (Some(first), Some(last)) = (sorted.first(), sorted.last()) else {
        return 0.0;
    };
    let mut low = order(*first);
    let mut high = order(*last);
    while low < high {
        let middle = low + (high - low) / 2;
        if walsh_averages_up_to(sorted, number(middle)) >= rank {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    number(low)
}

/// How many Walsh averages are at most `limit`. As the left value grows, fewer right ones fit.
fn walsh_averages_up_to(sorted: &[f64], limit: f64) -> usize {
    let mut fitting = sorted.len();
    let mut count = 0;
    for (index, left) in sorted.iter().enumerate() {
        while fitting > 0
            && sorted
                .get(fitting - 1)
                .is_some_and(|right| f64::midpoint(*left, *right) > limit)
        {
            fitting -= 1;
        }
        count += fitting.saturating_sub(index);
    }
    count
}

/// Finite doubles as whole numbers in the same order.
pub(crate) fn order(value: f64) -> u64 {
    let bits = value.to_bits();
    if bits >> 63 == 1 {
        !bits
    } else {
        bits | 1 << 63
    }
}

/// The double that has this place.
pub(crate) fn number(order: u64) -> f64 {
    f64::from_bits(if order >> 63 == 1 {
        order & !(1 << 63)
    } else {
        !order
    })
}

#[cfg(test)]
mod tests {
    use super::hodges_lehmann;
    use proptest::prelude::*;

    #[test]
    fn three_values_by_hand() {
        // Walsh averages of 1, 2, 10: 1, 1.5, 2, 5.5, 6, 10; the median is (2 + 5.5) / 2.
        assert_eq!(
            hodges_lehmann(&[10.0, 1.0, 2.0]).unwrap().to_bits(),
            3.75_f64.to_bits()
        );
        assert_eq!(
            hodges_lehmann(&[-4.0]).unwrap().to_bits(),
            (-4.0_f64).to_bits()
        );
    }

    proptest! {
        #[test]
        fn bisection_finds_what_laying_all_averages_out_finds(
            values in prop::collection::vec(-1e3_f64..1e3, 1..40)
        ) {
            let mut all = Vec::new();
            for (i, left) in values.iter().enumerate() {
                for right in &values[i..] {
                    all.push(f64::midpoint(*left, *right));
                }
            }
            all.sort_by(f64::total_cmp);
            let middle = all.len() / 2;
            let expected = if all.len() % 2 == 1 {
                all[middle]
            } else {
                f64::midpoint(all[middle - 1], all[middle])
            };
            prop_assert!((hodges_lehmann(&values).unwrap() - expected).abs() <= 1e-12);
        }
    }
}
