//! Every round of each variant on one axis that begins at zero.

use super::rows::{Row, Rows};
use super::{capital, float, head, place_of};
use crate::axis::{Axis, grouped};
use crate::canvas::{Canvas, Mark, Painted, Panel};
use crate::chart::{Chart, Words};
use crate::theme::Ink;
use records::{Failure, Header};
use summarize::number::decimals;
use summarize::{Metric, Summary, describe, tables};

/// A row of dots: its texts, its series, its values in the order of time, and the value to mark.
pub(super) struct Dots {
    pub(super) row: Row,
    pub(super) series: usize,
    pub(super) values: Vec<f64>,
    pub(super) middle: Option<f64>,
}

/// What the marks are, for captions.
pub(super) const MARKS: &str = "Each mark is a round that counts, the first that ran at the top";

pub(super) fn chart(
    summary: &Summary,
    name: &'static str,
    metric: &str,
) -> Result<Option<Chart>, Failure> {
    let Some(metric) = Metric::named(metric) else {
        return Ok(None);
    };
    let header = Header::now(crate::PROGRAM);
    // The interval of the median, which nothing here shows.
    let confidence = 0.95;
    let described = describe(&summary.experiment, &[metric], confidence, &header)?;
    let unit = metric.unit();
    let largest = described.iter().filter_map(|row| row.max);
    let decimals = match unit.name {
        "" if metric.name.ends_with("_writes") => 0,
        _ => decimals(largest.map(|value| value / unit.divisor)),
    };
    let dots: Vec<Dots> = described
        .iter()
        .filter(|row| row.n > 0)
        .map(|row| {
            let middle = row.median.map(|median| median / unit.divisor);
            let median = middle.map_or_else(|| "-".to_owned(), |value| grouped(value, decimals));
            let with_unit = format!("{median} {}", unit.name);
            Dots {
                row: Row {
                    label: row.variant.clone(),
                    value: format!("median {}, n = {}", with_unit.trim_end(), row.n),
                    short: format!("median {median}, n = {}", row.n),
                },
                series: place_of(&summary.experiment, &row.variant),
                values: summary
                    .experiment
                    .counting()
                    .filter(|run| run.variant == row.variant)
                    .filter_map(|run| Some(metric.of(&run.round)? / unit.divisor))
                    .collect(),
                middle,
            }
        })
        .collect();
    let words = Words {
        summary,
        name,
        title: capital(metric.words),
        caption: format!("{MARKS}; the upright line is the median."),
        tables: tables::variants(&described, &[metric]),
    };
    draw(words, &dots, &head(&metric))
}

/// Draws rows of dots; none where there is no value.
pub(super) fn draw(words: Words, dots: &[Dots], title: &str) -> Result<Option<Chart>, Failure> {
    let all = dots.iter().flat_map(|dots| &dots.values).copied();
    let Some(largest) = all.reduce(f64::max) else {
        return Ok(None);
    };
    let axis = |labels: usize| Axis::from_zero(largest, labels, title);
    let chart = Rows {
        each: dots.iter().map(|dots| dots.row.clone()).collect(),
        legend: Vec::new(),
        axis: &axis,
    };
    Chart::draw(
        words,
        |width| chart.height(width),
        |canvas| {
            chart.paint(
                canvas,
                |_, _, _| Ok(()),
                |panel, place, y| match dots.get(place) {
                    Some(dots) => strip(canvas, panel, dots, y),
                    None => Ok(()),
                },
            )
        },
    )
    .map(Some)
}

fn strip(canvas: &Canvas, panel: &Panel, dots: &Dots, y: i32) -> Painted {
    if let Some(middle) = dots.middle {
        let (x, _) = panel.at(middle, 0.0);
        canvas.line((x, y - 12), (x, y + 12), Ink::Text, 2)?;
    }
    let last = i32::try_from(dots.values.len()).unwrap_or(i32::MAX) - 1;
    for (place, value) in (0..).zip(&dots.values) {
        let down = if last > 0 { place * 14 / last - 7 } else { 0 };
        let (x, _) = panel.at(*value, 0.0);
        canvas.mark(Mark::Point(dots.series), (x, y + down))?;
    }
    Ok(())
}

/// The median of values, for a row that is no metric's.
pub(super) fn median(values: &[f64]) -> Option<f64> {
    statistics::quantile(values, 0.5).ok()
}

/// A whole number of things as a value.
pub(super) fn counted(value: u64) -> f64 {
    float(value)
}
