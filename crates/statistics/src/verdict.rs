//! From an interval and a p-value to a verdict.

use crate::interval::Interval;

/// What could be shown about a log ratio.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// It is below zero: the variant has less than the baseline.
    Less,
    /// It is above zero: the variant has more than the baseline.
    More,
    /// The whole interval lies inside the floor: no difference that matters.
    Equivalent,
    /// Neither could be shown.
    Undecided,
}

/// The verdict on a log ratio.
///
/// Equivalent where the interval lies inside -ln(1 + `floor`) to ln(1 + `floor`): the inclusion
/// rule of Westlake (Biometrics 32 (1976) 741-744), stricter than two one-sided tests at the same
/// level. Otherwise less or more where the (corrected) p is at most `alpha`. Otherwise undecided.
/// A difference that is certain but smaller than the floor is therefore called equivalent.
#[must_use]
pub fn decide(
    estimate: f64,
    interval: Option<Interval>,
    corrected_p: f64,
    alpha: f64,
    floor: f64,
) -> Direction {
    let limit = floor.max(0.0).ln_1p();
    if interval.is_some_and(|interval| interval.low >= -limit && interval.high <= limit) {
        return Direction::Equivalent;
    }
    if corrected_p <= alpha && estimate < 0.0 {
        Direction::Less
    } else if corrected_p <= alpha && estimate > 0.0 {
        Direction::More
    } else {
        Direction::Undecided
    }
}

#[cfg(test)]
mod tests {
    use super::{Direction, decide};
    use crate::Interval;

    fn verdict(low: f64, high: f64, p: f64) -> Direction {
        let interval = Interval {
            low: f64::ln(low),
            high: f64::ln(high),
            confidence: 0.95,
        };
        decide(
            f64::midpoint(low.ln(), high.ln()),
            Some(interval),
            p,
            0.05,
            0.02,
        )
    }

    #[test]
    fn the_floor_and_p_decide() {
        assert_eq!(verdict(0.985, 1.015, 0.7), Direction::Equivalent);
        assert_eq!(verdict(1.005, 1.015, 0.01), Direction::Equivalent);
        assert_eq!(verdict(1.005, 1.05, 0.01), Direction::More);
        assert_eq!(verdict(0.80, 0.97, 0.03), Direction::Less);
        assert_eq!(verdict(0.80, 0.97, 0.09), Direction::Undecided);
        assert_eq!(verdict(0.97, 1.01, 0.4), Direction::Undecided);
    }

    #[test]
    fn the_floor_is_symmetric_as_a_ratio() {
        assert_eq!(verdict(1.0 / 1.0199, 1.0199, 0.9), Direction::Equivalent);
        assert_eq!(verdict(1.0 / 1.0201, 1.0, 0.9), Direction::Undecided);
        assert_eq!(verdict(0.9803, 1.0, 0.9), Direction::Undecided);
    }

    #[test]
    fn without_an_interval_nothing_is_equivalent() {
        assert_eq!(decide(0.0, None, 1.0, 0.05, 0.02), Direction::Undecided);
    }
}
