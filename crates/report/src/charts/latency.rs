//! Latency by percentile.

use super::{count, place_of};
use crate::axis::{Axis, grouped};
use crate::canvas::{LINE, Mark, Painted, Side, label_room, legend_height};
use crate::chart::{Chart, Words};
use crate::theme::Ink;
use records::Failure;
use summarize::latency::VariantLatency;
use summarize::{Grid, Summary};

const PANEL: i32 = 300;

/// The percentiles of the table, and those that the axis is labelled with.
const TABLE: [f64; 8] = [0.0, 50.0, 90.0, 95.0, 99.0, 99.9, 99.99, 100.0];
const LABELS: [f64; 7] = [0.0, 50.0, 90.0, 99.0, 99.9, 99.99, 99.999];

pub(super) fn chart(summary: &Summary) -> Result<Option<Chart>, Failure> {
    let merged = &summary.latencies.variants;
    let largest = merged.iter().filter_map(|all| all.summary.max_us).max();
    let smallest = merged.iter().filter_map(|all| all.summary.min_us).min();
    let (Some(largest), Some(smallest), true) =
        (largest, smallest, summary.latencies.tell_something())
    else {
        return Ok(None);
    };
    let y = Axis::of_magnitudes(ms(smallest.max(1)), ms(largest.max(2)), "");
    let x = percentile_axis(merged);
    let legend: Vec<(Mark, String)> = merged
        .iter()
        .map(|all| {
            let series = place_of(&summary.experiment, &all.summary.variant);
            (Mark::Line(series), all.summary.variant.clone())
        })
        .collect();
    let n: Vec<String> = merged
        .iter()
        .map(|all| {
            let requests = grouped(requests(all), 0);
            let rounds = count(
                usize::try_from(all.summary.n).unwrap_or(usize::MAX),
                "round",
            );
            format!("{}: {requests} requests in {rounds}", all.summary.variant)
        })
        .collect();
    let words = Words {
        summary,
        name: "latency",
        title: "How long a request took, by percentile".to_owned(),
        caption: format!(
            "As the client saw it; the rounds' distributions are merged, not their percentiles \
             averaged. n = {}. Requests of one round are not independent, so there is no interval \
             here: the rounds above decide.",
            n.join("; ")
        ),
        tables: vec![table(merged)],
    };
    Chart::draw(
        words,
        |width| legend_height(width, &legend) + PANEL,
        |canvas| {
            canvas.legend(0, &legend)?;
            let top = legend_height(canvas.width, &legend);
            let title = "Latency, ms (log scale)";
            canvas.text((4, top + LINE / 2), title, Ink::Text, Side::Start)?;
            let panel = canvas.panel((top + LINE + 10, top + PANEL - 4), label_room(&y), &x, &y)?;
            merged.iter().try_for_each(|all| -> Painted {
                let points = curve(all).into_iter();
                let points = points.map(|(at, ms)| panel.at(at, ms.log10())).collect();
                canvas.series_line(points, place_of(&summary.experiment, &all.summary.variant))
            })
        },
    )
    .map(Some)
}

fn requests(all: &VariantLatency) -> f64 {
    super::float(all.summary.requests)
}

/// Microseconds as milliseconds.
#[expect(
    clippy::cast_precision_loss,
    reason = "latencies are far below 2^53 us"
)]
fn ms(us: u64) -> f64 {
    us as f64 / 1000.0
}

/// Where a percentile stands: each further nine is as wide as the one before.
fn nines(percentile: f64) -> f64 {
    -(1.0 - percentile / 100.0).log10()
}

/// Up to the percentile that one request of all decides.
fn percentile_axis(merged: &[VariantLatency]) -> Axis {
    let most = merged.iter().map(requests).fold(1.0, f64::max);
    let high = most.log10().max(1.0);
    Axis {
        low: 0.0,
        high,
        ticks: LABELS
            .into_iter()
            .filter(|percentile| nines(*percentile) <= high)
            .map(|percentile| (nines(percentile), format!("{percentile}")))
            .collect(),
        title: "percentile".to_owned(),
    }
}

/// The points of a variant's curve: place of the percentile, milliseconds.
fn curve(all: &VariantLatency) -> Vec<(f64, f64)> {
    const STEPS: u32 = 90;
    let last = requests(all).log10();
    let mut points = Vec::new();
    for step in 0..=STEPS {
        let at = last * f64::from(step) / f64::from(STEPS);
        let us = all.distribution.at(1.0 - 10_f64.powf(-at));
        points.extend(us.map(|us| (at, ms(us.max(1)))));
    }
    points
}

fn table(merged: &[VariantLatency]) -> Grid {
    let mut grid = Grid::new("Latency by percentile, ms").text_column("percentile");
    for all in merged {
        grid = grid.number_column(all.summary.variant.clone());
    }
    // One that no request lies above would only be the longest.
    let told = |all: &VariantLatency, percentile: f64| {
        percentile >= 100.0 || nines(percentile) <= requests(all).log10() + 1e-9
    };
    for percentile in TABLE {
        if !merged.iter().any(|all| told(all, percentile)) {
            continue;
        }
        let name = match percentile {
            0.0 => "least".to_owned(),
            100.0 => "most".to_owned(),
            percentile => format!("{percentile} %"),
        };
        let mut row = vec![name];
        row.extend(merged.iter().map(|all| {
            let us = all.distribution.at(percentile / 100.0);
            let us = us.filter(|_| told(all, percentile));
            us.map_or_else(|| "-".to_owned(), |us| format!("{:.3}", ms(us)))
        }));
        grid.rows.push(row);
    }
    grid
}
