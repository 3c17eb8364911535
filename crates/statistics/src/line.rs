//! A straight line through points.

use crate::error::{StatisticsError, finite, open_unit, real};
use statrs::distribution::{ContinuousCDF, StudentsT};

/// A line by least squares.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    /// How many points.
    pub points: usize,
    /// By how much y rises with 1 of x.
    pub slope: f64,
    /// The ends of the slope's interval.
    pub slope_low: f64,
    /// See [`Line::slope_low`].
    pub slope_high: f64,
    /// Where it crosses x = 0.
    pub intercept: f64,
    /// The share of the variance of y that the line explains; none where all y are equal.
    pub r_squared: Option<f64>,
}

/// The line that is nearest to points in the sum of squared vertical distances, with the interval
/// of its slope under normal errors (Legendre 1805; Draper and Smith, "Applied Regression
/// Analysis", 3rd edition, chapter 1). None where all x are equal.
///
/// # Errors
/// The lists differ in length, a number is not finite, fewer than three points were given, or the
/// confidence is none.
pub fn least_squares(
    x: &[f64],
    y: &[f64],
    confidence: f64,
) -> Result<Option<Line>, StatisticsError> {
    if x.len() != y.len() {
        return Err(StatisticsError::LengthsDiffer {
            left: x.len(),
            right: y.len(),
        });
    }
    finite(x, LEAST)?;
    finite(y, LEAST)?;
    open_unit("confidence", confidence)?;
    let n = real(x.len());
    // About their means, so that large values do not cancel each other.
    let mean_x = x.iter().sum::<f64>() / n;
    let mean_y = y.iter().sum::<f64>() / n;
    let (mut xx, mut yy, mut xy) = (0.0, 0.0, 0.0);
    for (x, y) in x.iter().zip(y) {
        let (x, y) = (x - mean_x, y - mean_y);
        xx += x * x;
        yy += y * y;
        xy += x * y;
    }
    if xx <= 0.0 {
        return Ok(None);
    }
    let slope = xy / xx;
    let intercept = mean_y - slope * mean_x;
    let residual: f64 = x
        .iter()
        .zip(y)
        .map(|(x, y)| (y - intercept - slope * x).powi(2))
        .sum();
    let freedom = n - 2.0;
    let error = (residual / freedom / xx).sqrt();
    let margin = StudentsT::new(0.0, 1.0, freedom).map_or(f64::INFINITY, |t| {
        t.inverse_cdf(f64::midpoint(1.0, confidence)) * error
    });
    Ok(Some(Line {
        points: x.len(),
        slope,
        slope_low: slope - margin,
        slope_high: slope + margin,
        intercept,
        r_squared: (yy > 0.0).then(|| 1.0 - residual / yy),
    }))
}

/// Two points always lie on a line, and say nothing of its error.
const LEAST: usize = 3;
