//! What must hold for any rounds.

use proptest::prelude::*;
use statistics::{
    describe, drift, hodges_lehmann, holm, log_ratios, median_interval, outliers, ratio,
    sign_flip_interval, sign_flip_test, slot_effect,
};

fn times() -> impl Strategy<Value = Vec<(f64, f64)>> {
    prop::collection::vec((1e-3_f64..1e6, 1e-3_f64..1e6), 1..12)
}

fn close(left: f64, right: f64) -> bool {
    (left - right).abs() <= 1e-9 * left.abs().max(right.abs()).max(1.0)
}

proptest! {
    #[test]
    fn swapping_the_variants_gives_the_reciprocal_ratio_and_the_same_p(pairs in times()) {
        let (a, b): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
        let forth = log_ratios(&a, &b).unwrap();
        let back = log_ratios(&b, &a).unwrap();
        let product = ratio(hodges_lehmann(&forth).unwrap()) * ratio(hodges_lehmann(&back).unwrap());
        prop_assert!(close(product, 1.0));
        prop_assert_eq!(sign_flip_test(&forth).unwrap(), sign_flip_test(&back).unwrap());
        let forth = sign_flip_interval(&forth, 0.95).unwrap();
        let back = sign_flip_interval(&back, 0.95).unwrap();
        prop_assert_eq!(forth.is_some(), back.is_some());
        if let (Some(forth), Some(back)) = (forth, back) {
            prop_assert!(close(forth.low, -back.high) && close(forth.high, -back.low));
        }
    }

    #[test]
    fn the_order_of_pairs_and_the_unit_of_time_change_nothing(
        pairs in times(), unit in 1e-3_f64..1e3, turn in 0_usize..12
    ) {
        let (a, b): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
        let plain = log_ratios(&a, &b).unwrap();
        let mut turned: Vec<(f64, f64)> = pairs.iter().map(|(a, b)| (a * unit, b * unit)).collect();
        let by = turn % turned.len();
        turned.rotate_left(by);
        let (a, b): (Vec<f64>, Vec<f64>) = turned.into_iter().unzip();
        let other = log_ratios(&a, &b).unwrap();
        prop_assert!(close(hodges_lehmann(&plain).unwrap(), hodges_lehmann(&other).unwrap()));
        prop_assert!(close(sign_flip_test(&plain).unwrap().p, sign_flip_test(&other).unwrap().p));
    }

    #[test]
    fn the_interval_leaves_zero_out_exactly_where_the_test_rejects(
        differences in prop::collection::vec(-1.0_f64..1.5, 1..14), percent in 50_u32..99
    ) {
        let confidence = f64::from(percent) / 100.0;
        let p = sign_flip_test(&differences).unwrap().p;
        let interval = sign_flip_interval(&differences, confidence).unwrap();
        let outside = interval.is_some_and(|interval| interval.low > 0.0 || interval.high < 0.0);
        prop_assert_eq!(outside, p <= 1.0 - confidence + 1e-12);
        if let Some(interval) = interval {
            prop_assert!(interval.confidence >= confidence - 1e-9);
        }
    }

    #[test]
    fn a_shift_moves_estimate_and_interval_along(
        differences in prop::collection::vec(-1.0_f64..1.0, 6..12), shift in -5.0_f64..5.0
    ) {
        let shifted: Vec<f64> = differences.iter().map(|value| value + shift).collect();
        let plain = sign_flip_interval(&differences, 0.95).unwrap().unwrap();
        let moved = sign_flip_interval(&shifted, 0.95).unwrap().unwrap();
        prop_assert!(close(plain.low + shift, moved.low) && close(plain.high + shift, moved.high));
        prop_assert!(close(
            hodges_lehmann(&differences).unwrap() + shift,
            hodges_lehmann(&shifted).unwrap()
        ));
    }

    #[test]
    fn holm_never_lowers_a_p_and_keeps_their_order(
        p_values in prop::collection::vec(0.0_f64..=1.0, 0..10)
    ) {
        let corrected = holm(&p_values).unwrap();
        for (i, p) in p_values.iter().enumerate() {
            prop_assert!(corrected[i] >= *p && corrected[i] <= 1.0);
            for (j, other) in p_values.iter().enumerate() {
                prop_assert!(p > other || corrected[i] <= corrected[j]);
            }
        }
    }

    #[test]
    fn no_number_at_all_makes_anything_panic(
        values in prop::collection::vec(any::<f64>(), 0..12), other in prop::collection::vec(any::<f64>(), 0..12)
    ) {
        let _ = describe(&values);
        let _ = drift(&values);
        let _ = outliers(&values);
        let _ = hodges_lehmann(&values);
        let _ = sign_flip_test(&values);
        let _ = sign_flip_interval(&values, 0.95);
        let _ = median_interval(&values, 0.95);
        let _ = slot_effect(&values, &other);
        let _ = log_ratios(&values, &other);
        let _ = holm(&values);
    }
}
