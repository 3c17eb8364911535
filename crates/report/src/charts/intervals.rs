//! Each ratio with its interval.

use super::rows::{Row, Rows};
use super::{capital, place_of};
use crate::axis::Axis;
use crate::canvas::{Canvas, Mark, Painted, Panel};
use crate::chart::{Chart, Words};
use crate::theme::Ink;
use records::{Comparison, ComparisonMethod, Failure};
use summarize::number::{percent, ratio};
use summarize::{Metric, Summary, tables, verdict_word};

pub(super) fn chart(summary: &Summary) -> Result<Option<Chart>, Failure> {
    let drawn: Vec<(&Comparison, f64)> = summary
        .comparisons
        .iter()
        .filter_map(|comparison| Some((comparison, comparison.ratio?)))
        .collect();
    let Some((first, _)) = drawn.first().copied() else {
        return Ok(None);
    };
    let several = summary.experiment.variants.len() > 2;
    let floor = first.floor.ln_1p();
    let ends = drawn.iter().flat_map(|(comparison, estimate)| {
        let ends = [Some(*estimate), comparison.ratio_low, comparison.ratio_high];
        ends.into_iter().flatten()
    });
    let logs: Vec<f64> = ends.map(f64::ln).chain([floor * 1.5]).collect();
    let axis = |labels: usize| {
        let title = format!("ratio to {} (log scale)", first.baseline);
        Axis::of_ratios(logs.iter().copied(), labels, title)
    };
    let chart = Rows {
        each: drawn
            .iter()
            .map(|(comparison, estimate)| row(comparison, *estimate, several))
            .collect(),
        legend: Vec::new(),
        axis: &axis,
    };
    let words = Words {
        summary,
        name: "intervals",
        title: format!("Each ratio to {}, with its interval", first.baseline),
        caption: caption(first),
        tables: vec![tables::comparison(&summary.comparisons)],
    };
    Chart::draw(
        words,
        |width| chart.height(width),
        |canvas| {
            chart.paint(
                canvas,
                |panel, top, bottom| {
                    let x = |log: f64| panel.at(log, 0.0).0;
                    canvas.bar((x(-floor), top), (x(floor), bottom), Ink::Band)?;
                    canvas.line((x(0.0), top), (x(0.0), bottom), Ink::Muted, 1)
                },
                |panel, place, y| match drawn.get(place) {
                    Some((comparison, estimate)) => {
                        let series = place_of(&summary.experiment, &comparison.variant);
                        interval(canvas, panel, comparison, (*estimate, series), y)
                    }
                    None => Ok(()),
                },
            )
        },
    )
    .map(Some)
}

fn interval(
    canvas: &Canvas,
    panel: &Panel,
    comparison: &Comparison,
    (estimate, series): (f64, usize),
    y: i32,
) -> Painted {
    let at = |ratio: f64| panel.at(ratio.ln(), 0.0).0;
    if let (Some(low), Some(high)) = (comparison.ratio_low, comparison.ratio_high) {
        let (low, high) = (at(low), at(high));
        let ink = Ink::Series(series);
        canvas.line((low, y), (high, y), ink, 3)?;
        canvas.line((low, y - 5), (low, y + 5), ink, 2)?;
        canvas.line((high, y - 5), (high, y + 5), ink, 2)?;
    }
    canvas.mark(Mark::Point(series), (at(estimate), y))
}

fn row(comparison: &Comparison, estimate: f64, several: bool) -> Row {
    let words =
        Metric::named(&comparison.metric).map_or(comparison.metric.as_str(), |metric| metric.words);
    let interval = match (comparison.ratio_low, comparison.ratio_high) {
        (Some(low), Some(high)) => format!("{} to {}", ratio(low), ratio(high)),
        _ => "too few for an interval".to_owned(),
    };
    let verdict = verdict_word(comparison);
    Row {
        label: if several {
            format!("{}: {words}", comparison.variant)
        } else {
            capital(words)
        },
        value: format!("{} ({interval}), {verdict}", ratio(estimate)),
        short: format!("{} ({interval})", ratio(estimate)),
    }
}

fn caption(headline: &Comparison) -> String {
    let n = match headline.method {
        ComparisonMethod::Paired => super::count(headline.pairs, "pair"),
        ComparisonMethod::Unpaired => format!(
            "{} and {} unpaired rounds",
            headline.baseline_rounds, headline.variant_rounds
        ),
    };
    let bar = match headline.confidence {
        Some(confidence) => format!("The bar is the {} interval", percent(confidence)),
        None => "There are too few rounds for an interval".to_owned(),
    };
    format!(
        "The mark is the estimate; left of 1 there is less than with {}. {bar} (first row: n = \
         {n}; the table has each). The shaded band is the floor of {}: an interval that lies \
         wholly inside it says that any difference is too small to matter. One that reaches \
         over 1 does not exclude that there is none.",
        headline.baseline,
        percent(headline.floor),
    )
}
