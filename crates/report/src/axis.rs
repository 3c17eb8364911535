//! Axes: where they begin and end, and where they are labelled.

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use plotters::coord::types::RangedCoordf64;
use std::ops::Range;

/// An axis.
#[derive(Clone, Debug)]
pub(crate) struct Axis {
    pub(crate) low: f64,
    pub(crate) high: f64,
    pub(crate) ticks: Vec<(f64, String)>,
    /// What it shows, with the unit.
    pub(crate) title: String,
}

impl Axis {
    /// From zero to the largest value, with about so many labels.
    pub(crate) fn from_zero(largest: f64, labels: usize, title: impl Into<String>) -> Self {
        let largest = if largest > 0.0 { largest } else { 1.0 };
        let step = step(largest / labels_f(labels));
        let high = (largest * 1.02 / step).ceil() * step;
        Self {
            low: 0.0,
            high: high.min(largest * 1.12).max(largest * 1.02),
            ticks: ticks(0.0, largest * 1.12, step),
            title: title.into(),
        }
        .within()
    }

    /// From zero where the values reach down to less than half of the largest, else from a little
    /// below the smallest: for points, of which the place and not the length is read.
    pub(crate) fn of_points(values: &[f64], labels: usize, title: impl Into<String>) -> Self {
        let largest = values.iter().copied().fold(0.0, f64::max);
        let smallest = values.iter().copied().fold(f64::INFINITY, f64::min);
        let spread = largest - smallest;
        if !smallest.is_finite() || smallest < largest / 2.0 {
            return Self::from_zero(largest, labels, title);
        }
        // One value alone has nothing near it to be told from.
        if spread <= 0.0 {
            return Self::from_zero(largest, labels, title);
        }
        let room = spread * 0.12;
        let (low, high) = ((smallest - room).max(0.0), largest + room);
        let step = step((high - low).max(f64::MIN_POSITIVE) / labels_f(labels));
        Self {
            low,
            high,
            ticks: ticks(low, high, step),
            title: title.into(),
        }
        .within()
    }

    /// Logarithms of ratios, labelled with the ratios: as far below 1 as above, save where all are
    /// so far on one side that the other would be half a page of nothing.
    pub(crate) fn of_ratios(
        logs: impl Iterator<Item = f64>,
        labels: usize,
        title: impl Into<String>,
    ) -> Self {
        let logs: Vec<f64> = logs.filter(|log| log.is_finite()).collect();
        let reach = logs.iter().copied().map(f64::abs).fold(0.01, f64::max) * 1.12;
        let (mut lowest, mut highest) = (-reach, reach);
        if reach > FAR {
            let most = logs.iter().copied().fold(0.0, f64::max);
            let least = logs.iter().copied().fold(0.0, f64::min);
            let room = reach * 0.08;
            if most < reach * 0.1 {
                highest = most + room;
            } else if -least < reach * 0.1 {
                lowest = least - room;
            }
        }
        let (low, high) = (lowest.exp(), highest.exp());
        let one_sided = highest + lowest != 0.0;
        let ratios: Vec<f64> = if one_sided {
            powers(low, high, labels)
        } else if high < 1.8 {
            let step = step((high - low) / labels_f(labels));
            // Counted from 1, which is what the others are read against.
            let steps = ticks(0.0, (high - 1.0).max(1.0 - low), step);
            let below = steps.iter().skip(1).rev().map(|(at, _)| 1.0 - at);
            below.chain(steps.iter().map(|(at, _)| 1.0 + at)).collect()
        } else if high < 5.0 {
            let most = if labels < 5 { 4 } else { 8 };
            ratios_within(high, most)
        } else {
            powers(low, high, labels)
        };
        let decimals = ratios.windows(2).filter_map(|pair| match pair {
            [one, next] => Some(places_of(next - one)),
            _ => None,
        });
        let decimals = decimals.max().unwrap_or(2);
        Self {
            low: lowest,
            high: highest,
            ticks: ratios
                .into_iter()
                .filter(|ratio| *ratio > 0.0)
                .map(|ratio| {
                    let own = if high < 1.8 && !one_sided {
                        decimals
                    } else {
                        places_of(ratio).max(2)
                    };
                    let label = grouped(ratio, own);
                    (ratio.ln(), trimmed(&label))
                })
                .collect(),
            title: title.into(),
        }
        .within()
    }

    /// A logarithmic axis over positive values: the values are logarithms to base 10.
    pub(crate) fn of_magnitudes(low: f64, high: f64, title: impl Into<String>) -> Self {
        let (low, high) = (low.log10() - 0.05, high.log10() + 0.05);
        let ratios = powers(10_f64.powf(low), 10_f64.powf(high), 6);
        Self {
            low,
            high,
            ticks: ratios
                .into_iter()
                .map(|value| (value.log10(), grouped(value, places_of(value))))
                .collect(),
            title: title.into(),
        }
        .within()
    }

    /// Places from 1 to `count`.
    pub(crate) fn places(count: usize, labels: usize, title: impl Into<String>) -> Self {
        let count = labels_f(count);
        let step = step(count / labels_f(labels)).max(1.0);
        let mut at = ticks(0.0, count, step);
        at.retain(|(at, _)| *at >= 1.0);
        // Beside 2 there is no room for 1.
        if step > 2.0 {
            at.insert(0, (1.0, "1".to_owned()));
        }
        Self {
            low: 0.4,
            high: count + 0.6,
            ticks: at,
            title: title.into(),
        }
    }

    /// Rows from 0 at the top to `count` at the bottom, without labels: rows carry their own.
    pub(crate) fn rows(count: usize) -> Self {
        Self {
            low: labels_f(count),
            high: 0.0,
            ticks: Vec::new(),
            title: String::new(),
        }
    }

    fn within(mut self) -> Self {
        self.ticks
            .retain(|(at, _)| *at >= self.low - 1e-12 && *at <= self.high + 1e-12);
        self
    }
}

/// The logarithm of a ratio that is far from 1: sixfold.
const FAR: f64 = 1.8;

/// For plotters: our ends, our labels.
impl Ranged for Axis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        RangedCoordf64::from(self.low..self.high).map(value, limit)
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        if hint.weight().allow_light_points() {
            return Vec::new();
        }
        self.ticks.iter().map(|(at, _)| *at).collect()
    }

    fn range(&self) -> Range<f64> {
        self.low..self.high
    }
}

impl ValueFormatter<f64> for Axis {
    fn format_ext(&self, value: &f64) -> String {
        let tick = self.ticks.iter().find(|(at, _)| (at - value).abs() < 1e-12);
        tick.map_or_else(String::new, |(_, label)| label.clone())
    }
}

fn labels_f(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX).max(1))
}

/// The next larger of 1, 2 and 5 times a power of ten.
fn step(least: f64) -> f64 {
    let power = 10_f64.powf(least.log10().floor());
    let factor = least / power;
    let factor = [1.0, 2.0, 5.0]
        .into_iter()
        .find(|step| factor <= step * 1.000_001);
    factor.unwrap_or(10.0) * power
}

fn ticks(low: f64, high: f64, step: f64) -> Vec<(f64, String)> {
    let mut ticks = Vec::new();
    let mut place = (low / step).ceil();
    while place * step <= high * (1.0 + 1e-12) && ticks.len() < 200 {
        let at = place * step;
        let decimals = if place == 0.0 { 0 } else { places_of(step) };
        ticks.push((at, grouped(at, decimals)));
        place += 1.0;
    }
    ticks
}

/// 1, 2 and 5 times the powers of ten in a range, or fewer of them where those would be too many.
fn powers(low: f64, high: f64, labels: usize) -> Vec<f64> {
    let mut choice = Vec::new();
    for factors in [&[1.0, 2.0, 5.0][..], &[1.0][..]] {
        choice.clear();
        let mut power = 10_f64.powf(low.log10().floor());
        while power <= high && choice.len() < 200 {
            choice.extend(factors.iter().map(|factor| factor * power));
            power *= 10.0;
        }
        choice.retain(|value| *value >= low && *value <= high);
        if choice.len() <= labels + 2 {
            break;
        }
    }
    let every = choice.len().div_ceil(labels + 2).max(1);
    choice.into_iter().step_by(every).collect()
}

/// Simple ratios up to one and their reciprocals, about so many.
fn ratios_within(high: f64, most: usize) -> Vec<f64> {
    let mut above = [1.25, 1.5, 2.0, 3.0, 4.0].to_vec();
    above.retain(|ratio| *ratio <= high);
    if 2 * above.len() > most {
        above.retain(|ratio| ratio.fract() == 0.0);
    }
    let below = above.iter().rev().map(|ratio| 1.0 / ratio);
    below.chain([1.0]).chain(above.iter().copied()).collect()
}

/// How many decimals a number needs for its first significant digit, to six.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "clamped to 0 to 6"
)]
fn places_of(value: f64) -> usize {
    if value <= 0.0 || !value.is_finite() {
        return 0;
    }
    (-(value * 1.000_001).log10().floor()).clamp(0.0, 6.0) as usize
}

/// A number without zeros at the end of its decimals.
fn trimmed(label: &str) -> String {
    if label.contains('.') {
        label.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        label.to_owned()
    }
}

/// A number with commas between its thousands.
pub(crate) fn grouped(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    let (whole, rest) = text.split_at(text.find('.').unwrap_or(text.len()));
    let (sign, digits) = whole.split_at(usize::from(whole.starts_with('-')));
    let mut grouped = String::with_capacity(text.len() + 4);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    format!("{sign}{grouped}{rest}")
}

#[cfg(test)]
mod tests {
    use super::{Axis, grouped};

    fn labels(axis: &Axis) -> Vec<&str> {
        axis.ticks.iter().map(|(_, label)| label.as_str()).collect()
    }

    #[test]
    fn a_length_is_measured_from_zero_in_round_steps() {
        let axis = Axis::from_zero(11.94, 5, "");
        assert_eq!((axis.low, labels(&axis)), (0.0, vec!["0", "5", "10"]));
        assert!(axis.high > 11.94);
        assert_eq!(labels(&Axis::from_zero(0.0, 5, ""))[..2], ["0", "0.2"]);
        assert_eq!(grouped(-1_234_567.5, 1), "-1,234,567.5");
    }

    #[test]
    fn points_far_from_zero_are_shown_closer_and_others_from_zero() {
        assert!(Axis::of_points(&[1.0, 9.0], 5, "").low.abs() < 1e-12);
        let near = Axis::of_points(&[4.0, 4.5], 5, "");
        assert!(near.low > 3.8 && near.low < 4.0, "{near:?}");
        let one = Axis::of_points(&[4.0], 5, "");
        assert!(one.low < 4.0 && one.high > 4.0, "{one:?}");
    }

    #[test]
    fn ratios_reach_as_far_below_1_as_above_and_1_is_labelled() {
        for logs in [
            vec![0.04, -0.01],
            vec![0.6],
            vec![0.8],
            vec![-2.3, 1.0],
            vec![0.0],
            vec![7.0, -3.0],
        ] {
            let axis = Axis::of_ratios(logs.into_iter(), 5, "");
            assert!((axis.low + axis.high).abs() < 1e-12, "{axis:?}");
            let one = axis.ticks.iter().find(|(at, _)| at.abs() < 1e-9);
            assert!(
                one.is_some_and(|(_, label)| label.parse::<f64>() == Ok(1.0)),
                "{axis:?}"
            );
            assert!(axis.ticks.len() >= 2 && axis.ticks.len() < 12, "{axis:?}");
        }
    }

    #[test]
    fn ratios_that_are_far_on_one_side_leave_the_other_out_but_for_1_itself() {
        for (log, below) in [(-7.0, true), (7.0, false)] {
            let axis = Axis::of_ratios([log, 0.03].into_iter(), 5, "");
            let (near, far) = if below {
                (axis.high, -axis.low)
            } else {
                (-axis.low, axis.high)
            };
            assert!(near > 0.1 && near < 1.0 && far > 7.0, "{axis:?}");
            assert!(labels(&axis).contains(&"1"), "{axis:?}");
            assert!(axis.ticks.len() >= 3, "{axis:?}");
        }
    }

    #[test]
    fn places_begin_with_1() {
        assert_eq!(labels(&Axis::places(4, 8, "")), ["1", "2", "3", "4"]);
        assert_eq!(labels(&Axis::places(14, 8, ""))[..2], ["2", "4"]);
        assert_eq!(labels(&Axis::places(100, 5, ""))[..2], ["1", "20"]);
    }
}
