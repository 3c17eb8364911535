//! The same lists as R and its packages see them (`fixtures/statistics/make.R`).

#![expect(
    clippy::unwrap_used,
    reason = "a test ends where its fixture cannot be read"
)]

use serde::Deserialize;
use statistics::{
    describe, drift, hodges_lehmann, holm, least_pairs, median_interval, pairs_needed,
    rank_sum_test, shift, shift_interval, sign_flip_test, slot_effect,
};
use std::collections::BTreeMap;

/// R writes fifteen digits.
const ROUNDING: f64 = 1e-12;

#[derive(Deserialize)]
struct Given {
    cases: Vec<List>,
    unpaired: Vec<Lists>,
}

#[derive(Deserialize)]
struct List {
    name: String,
    values: Vec<f64>,
}

#[derive(Deserialize)]
struct Lists {
    name: String,
    baseline: Vec<f64>,
    variant: Vec<f64>,
}

#[derive(Deserialize)]
struct ByR {
    cases: Vec<Case>,
    unpaired: Vec<Unpaired>,
    plans: Vec<Plan>,
    holm: Vec<Family>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    sign_flip_p: f64,
    quantiles: [f64; 5],
    mean: f64,
    sd: Option<f64>,
    median_interval_95: Option<Interval>,
    hodges_lehmann: Option<f64>,
    spearman_rho: Option<f64>,
    spearman_p: Option<f64>,
    slot_p: Option<f64>,
}

#[derive(Deserialize)]
struct Interval {
    low: f64,
    high: f64,
    confidence: f64,
}

#[derive(Deserialize)]
struct Unpaired {
    name: String,
    p: f64,
    shift: Option<f64>,
    interval_95: Option<[f64; 2]>,
}

#[derive(Deserialize)]
struct Plan {
    sds: f64,
    alpha: f64,
    pairs: usize,
}

#[derive(Deserialize)]
struct Family {
    p: Vec<f64>,
    adjusted: Vec<f64>,
}

fn given() -> Given {
    serde_json::from_str(include_str!("../../../fixtures/statistics/reference.json")).unwrap()
}

fn by_r() -> ByR {
    serde_json::from_str(include_str!(
        "../../../fixtures/statistics/reference-r.json"
    ))
    .unwrap()
}

/// Each list with what R makes of it.
fn cases() -> Vec<(Vec<f64>, Case)> {
    let mut lists: BTreeMap<String, Vec<f64>> = given()
        .cases
        .into_iter()
        .map(|list| (list.name, list.values))
        .collect();
    let cases: Vec<_> = by_r()
        .cases
        .into_iter()
        .map(|case| (lists.remove(&case.name).unwrap(), case))
        .collect();
    assert!(cases.len() >= 16 && lists.is_empty());
    cases
}

#[track_caller]
fn near(name: &str, got: f64, expected: f64) {
    assert!(
        (got - expected).abs() < ROUNDING * expected.abs().max(1.0),
        "{name}: {got} is not {expected}"
    );
}

#[test]
fn one_list_is_described_and_tested_as_r_does_it() {
    let mut compared = 0;
    for (values, case) in cases() {
        let name = &case.name;
        let got = describe(&values).unwrap();
        let quantiles = [got.min, got.q1, got.median, got.q3, got.max];
        for (got, expected) in quantiles.into_iter().zip(case.quantiles) {
            near(name, got, expected);
        }
        near(name, got.mean, case.mean);
        near(
            name,
            got.sd.unwrap_or_default(),
            case.sd.unwrap_or_default(),
        );
        near(name, sign_flip_test(&values).unwrap().p, case.sign_flip_p);
        if let Some(expected) = case.hodges_lehmann {
            near(name, hodges_lehmann(&values).unwrap(), expected);
            compared += 1;
        }
        let interval = median_interval(&values, 0.95).unwrap();
        assert_eq!(
            interval.is_some(),
            case.median_interval_95.is_some(),
            "{name}"
        );
        if let Some((got, expected)) = interval.zip(case.median_interval_95) {
            near(name, got.low, expected.low);
            near(name, got.high, expected.high);
            near(name, got.confidence, expected.confidence);
        }
    }
    assert!(compared >= 12, "{compared}");
}

#[test]
fn drift_and_slot_effect_have_the_p_that_r_counts() {
    let (mut drifts, mut slots) = (0, 0);
    for (values, case) in cases() {
        if let Some(rho) = case.spearman_rho {
            let got = drift(&values).unwrap().unwrap();
            near(&case.name, got.rho, rho);
            if let Some(p) = case.spearman_p {
                // Up to eight values every order is counted; beyond, orders are drawn.
                let error = got.p.standard_error.map_or(ROUNDING, |error| 4.0 * error);
                assert!((got.p.p - p).abs() <= error, "{}: {:?}", case.name, got.p);
                drifts += 1;
            }
        }
        if let Some(p) = case.slot_p {
            let (second, first) = values.split_at(values.len() / 2);
            let got = slot_effect(second, first).unwrap().unwrap();
            near(&case.name, got.p.p, p);
            slots += 1;
        }
    }
    assert!(drifts >= 7 && slots >= 12, "{drifts} {slots}");
}

#[test]
fn two_lists_are_compared_as_r_compares_them() {
    let lists = given().unpaired;
    let mut intervals = 0;
    for (lists, case) in lists.iter().zip(by_r().unpaired) {
        let (baseline, variant) = (&lists.baseline, &lists.variant);
        assert_eq!(lists.name, case.name);
        near(
            &case.name,
            rank_sum_test(baseline, variant).unwrap().p,
            case.p,
        );
        if let Some(expected) = case.shift {
            near(&case.name, shift(baseline, variant).unwrap(), expected);
        }
        if let Some([low, high]) = case.interval_95 {
            let got = shift_interval(baseline, variant, 0.95).unwrap().unwrap();
            near(&case.name, got.low, low);
            near(&case.name, got.high, high);
            intervals += 1;
        }
    }
    assert!(intervals >= 7, "{intervals}");
}

#[test]
fn p_values_are_corrected_as_p_adjust_does_it() {
    for family in by_r().holm {
        let corrected = holm(&family.p).unwrap();
        assert_eq!(corrected.len(), family.adjusted.len());
        for (got, expected) in corrected.iter().zip(family.adjusted) {
            near("holm", *got, expected);
        }
    }
}

#[test]
fn the_pairs_needed_are_within_one_of_the_noncentral_t() {
    // Three log ratios with a standard deviation of 1.
    let log_ratios = [-1.0, 0.0, 1.0];
    for plan in by_r().plans {
        let got = pairs_needed(&log_ratios, plan.sds, plan.alpha, 1)
            .unwrap()
            .unwrap();
        // Fewer than the test can ever reject with is no plan, whatever t says.
        let expected = plan.pairs.max(least_pairs(plan.alpha, 1).unwrap());
        assert!(
            got.abs_diff(expected) <= 1,
            "{} sd: {got} is not {expected}",
            plan.sds
        );
    }
}
