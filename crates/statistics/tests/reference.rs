//! Every function against values that `SciPy` and `NumPy` worked out
//! (`fixtures/statistics/make.py`).

#![expect(
    clippy::unwrap_used,
    reason = "a test ends where its fixture cannot be read"
)]

use serde::Deserialize;
use statistics::{
    describe, drift, hodges_lehmann, median_interval, rank_sum_test, shift, shift_interval,
    sign_flip_interval, sign_flip_test, slot_effect,
};

#[derive(Deserialize)]
struct Reference {
    cases: Vec<Case>,
    unpaired: Vec<Unpaired>,
}

#[derive(Deserialize)]
struct Unpaired {
    name: String,
    baseline: Vec<f64>,
    variant: Vec<f64>,
    p: f64,
    shift: f64,
    interval_95: Option<[f64; 2]>,
    ties: bool,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    values: Vec<f64>,
    quantiles: [f64; 5],
    mean: f64,
    sd: Option<f64>,
    sign_flip_p: f64,
    interval_95: Option<[f64; 2]>,
    interval_90: Option<[f64; 2]>,
    hodges_lehmann: f64,
    median_interval_95: Option<[f64; 2]>,
    spearman_rho: Option<f64>,
    spearman_p: Option<f64>,
    theil_sen: Option<f64>,
    slot: Option<Slot>,
}

#[derive(Deserialize)]
struct Slot {
    second: Vec<f64>,
    first: Vec<f64>,
    log_ratio: f64,
    p: f64,
}

fn cases() -> Vec<Case> {
    let text = include_str!("../../../fixtures/statistics/reference.json");
    let cases = serde_json::from_str::<Reference>(text).unwrap().cases;
    assert!(cases.len() >= 16);
    cases
}

#[track_caller]
fn near(name: &str, got: f64, expected: f64) {
    let size = expected.abs().max(1.0);
    assert!(
        (got - expected).abs() < 1e-9 * size,
        "{name}: {got} is not {expected}"
    );
}

#[track_caller]
fn near_ends(name: &str, got: Option<statistics::Interval>, expected: Option<[f64; 2]>) {
    assert_eq!(got.is_some(), expected.is_some(), "{name}");
    if let (Some(got), Some([low, high])) = (got, expected) {
        near(name, got.low, low);
        near(name, got.high, high);
    }
}

#[test]
fn descriptions_are_those_of_numpy() {
    for case in cases() {
        let got = describe(&case.values).unwrap();
        for (got, expected) in [got.min, got.q1, got.median, got.q3, got.max]
            .into_iter()
            .zip(case.quantiles)
        {
            near(&case.name, got, expected);
        }
        near(&case.name, got.mean, case.mean);
        assert_eq!(got.sd.is_some(), case.sd.is_some());
        near(&case.name, got.sd.unwrap_or(0.0), case.sd.unwrap_or(0.0));
    }
}

#[test]
fn sign_flip_p_is_scipys_permutation_test() {
    for case in cases() {
        near(
            &case.name,
            sign_flip_test(&case.values).unwrap().p,
            case.sign_flip_p,
        );
    }
}

#[test]
fn the_interval_is_what_bisection_on_p_finds() {
    for case in cases() {
        near_ends(
            &case.name,
            sign_flip_interval(&case.values, 0.95).unwrap(),
            case.interval_95,
        );
        near_ends(
            &case.name,
            sign_flip_interval(&case.values, 0.90).unwrap(),
            case.interval_90,
        );
    }
}

#[test]
fn hodges_lehmann_is_the_median_of_all_averages() {
    for case in cases() {
        near(
            &case.name,
            hodges_lehmann(&case.values).unwrap(),
            case.hodges_lehmann,
        );
    }
}

#[test]
fn the_median_interval_is_scipys_quantile_test() {
    for case in cases() {
        near_ends(
            &case.name,
            median_interval(&case.values, 0.95).unwrap(),
            case.median_interval_95,
        );
    }
}

#[test]
fn drift_is_spearman_and_theil_sen() {
    for case in cases() {
        let (Some(rho), Some(slope)) = (case.spearman_rho, case.theil_sen) else {
            continue;
        };
        let got = drift(&case.values).unwrap().unwrap();
        near(&case.name, got.rho, rho);
        near(&case.name, got.slope, slope);
        if let Some(p) = case.spearman_p {
            near(&case.name, got.p.p, p);
        }
    }
}

#[test]
fn the_slot_effect_is_scipys_two_sample_test() {
    for case in cases() {
        let Some(slot) = case.slot else { continue };
        let got = slot_effect(&slot.second, &slot.first).unwrap().unwrap();
        near(&case.name, got.log_ratio, slot.log_ratio);
        near(&case.name, got.p.p, slot.p);
    }
}

#[test]
fn unpaired_lists_are_compared_as_scipy_compares_them() {
    let text = include_str!("../../../fixtures/statistics/reference.json");
    let cases = serde_json::from_str::<Reference>(text).unwrap().unpaired;
    assert!(cases.len() >= 9);
    for case in cases {
        let (baseline, variant) = (&case.baseline, &case.variant);
        near(
            &case.name,
            rank_sum_test(baseline, variant).unwrap().p,
            case.p,
        );
        near(&case.name, shift(baseline, variant).unwrap(), case.shift);
        if case.ties {
            continue;
        }
        let interval = shift_interval(baseline, variant, 0.95).unwrap();
        assert_eq!(
            interval.is_some(),
            case.interval_95.is_some(),
            "{}",
            case.name
        );
        if let (Some(interval), Some([low, high])) = (interval, case.interval_95) {
            near(&case.name, interval.low, low);
            near(&case.name, interval.high, high);
        }
    }
}
