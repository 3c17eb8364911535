//! The line by least squares, against certified values.
#![allow(clippy::unwrap_used, reason = "a failed step ends the test")]

use statistics::{StatisticsError, least_squares};

/// NIST's Statistical Reference Datasets, linear regression, "Norris": y and x.
const NORRIS: [(f64, f64); 36] = [
    (0.1, 0.2),
    (338.8, 337.4),
    (118.1, 118.2),
    (888.0, 884.6),
    (9.2, 10.1),
    (228.1, 226.5),
    (668.5, 666.3),
    (998.5, 996.3),
    (449.1, 448.6),
    (778.9, 777.0),
    (559.2, 558.2),
    (0.3, 0.4),
    (0.1, 0.6),
    (778.1, 775.5),
    (668.8, 666.9),
    (339.3, 338.0),
    (448.9, 447.5),
    (10.8, 11.6),
    (557.7, 556.0),
    (228.3, 228.1),
    (998.0, 995.8),
    (888.8, 887.6),
    (119.6, 120.2),
    (0.3, 0.3),
    (0.6, 0.3),
    (557.6, 556.8),
    (339.3, 339.1),
    (888.0, 887.2),
    (998.5, 999.0),
    (778.9, 779.0),
    (10.2, 11.1),
    (117.6, 118.3),
    (228.9, 229.2),
    (668.4, 669.1),
    (449.2, 448.9),
    (0.2, 0.5),
];

#[test]
fn the_certified_values_of_nists_norris_data_come_out() {
    let y: Vec<f64> = NORRIS.iter().map(|(y, _)| *y).collect();
    let x: Vec<f64> = NORRIS.iter().map(|(_, x)| *x).collect();
    let line = least_squares(&x, &y, 0.95).unwrap().unwrap();
    let near = |got: f64, certified: f64| {
        assert!(
            ((got - certified) / certified).abs() < 1e-10,
            "{got} {certified}"
        );
    };
    near(line.intercept, -0.262_323_073_774_029);
    near(line.slope, 1.002_116_818_020_45);
    near(line.r_squared.unwrap(), 0.999_993_745_883_712);
    // The certified standard error times Student's t of 34 degrees at 0.975, as printed in tables.
    let margin = 0.429_796_848_199_937e-3 * 2.032_2;
    assert!(((line.slope_high - line.slope) / margin - 1.0).abs() < 1e-4);
    assert!(((line.slope - line.slope_low) / margin - 1.0).abs() < 1e-4);
}

#[test]
fn points_that_give_no_line_are_told_apart() {
    assert_eq!(least_squares(&[2.0; 3], &[1.0, 2.0, 3.0], 0.95), Ok(None));
    let flat = least_squares(&[1.0, 2.0, 3.0], &[5.0; 3], 0.95)
        .unwrap()
        .unwrap();
    assert_eq!(
        (flat.slope, flat.intercept, flat.r_squared),
        (0.0, 5.0, None)
    );
    assert_eq!(
        least_squares(&[1.0, 2.0], &[1.0, 2.0], 0.95),
        Err(StatisticsError::TooFew { given: 2, least: 3 })
    );
    assert!(least_squares(&[1.0], &[], 0.95).is_err());
    assert!(least_squares(&[1.0, f64::NAN, 2.0], &[1.0; 3], 0.95).is_err());
    assert!(least_squares(&[1.0, 2.0, 3.0], &[1.0; 3], 1.0).is_err());
}
