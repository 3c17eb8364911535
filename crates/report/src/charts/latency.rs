//! Latency by percentile.

use super::{count, place_of};
use crate::axis::{Axis, grouped};
use crate::canvas::{LINE, Mark, Painted, Side, label_room, legend_height};
use crate::chart::{Chart, Words};
use crate::latency::{Latencies, merged};
use crate::theme::Ink;
use records::Failure;
use summarize::{Grid, Summary};

const PANEL: i32 = 300;

/// The percentiles of the table, and those that the axis is labelled with.
const TABLE: [f64; 8] = [0.0, 50.0, 90.0, 95.0, 99.0, 99.9, 99.99, 100.0];
const LABELS: [f64; 7] = [0.0, 50.0, 90.0, 99.0, 99.9, 99.99, 99.999];

pub(super) fn chart(summary: &Summary) -> Result<Option<Chart>, Failure> {
    let merged = merged(&summary.experiment)?;
    let largest = merged.iter().map(|all| all.histogram.max()).max();
    let smallest = merged.iter().map(|all| all.histogram.min()).min();
    let (Some(largest), Some(smallest)) = (largest, smallest) else {
        return Ok(None);
    };
    let y = Axis::of_magnitudes(ms(smallest.max(1)), ms(largest.max(2)), "");
    let x = percentile_axis(&merged);
    let legend: Vec<(Mark, String)> = merged
        .iter()
        .map(|all| {
            let series = place_of(&summary.experiment, &all.variant);
            (Mark::Line(series), all.variant.clone())
        })
        .collect();
    let n: Vec<String> = merged
        .iter()
        .map(|all| {
            let requests = grouped(super::float(all.histogram.len()), 0);
            let rounds = count(all.rounds, "round");
            format!("{}: {requests} requests in {rounds}", all.variant)
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
        tables: vec![table(&merged)],
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
                canvas.series_line(points, place_of(&summary.experiment, &all.variant))
            })
        },
    )
    .map(Some)
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
fn percentile_axis(merged: &[Latencies]) -> Axis {
    let most = merged.iter().map(|all| all.histogram.len()).max();
    let high = super::float(most.unwrap_or(1)).log10().max(1.0);
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
fn curve(all: &Latencies) -> Vec<(f64, f64)> {
    const STEPS: u32 = 90;
    let last = super::float(all.histogram.len()).log10();
    let mut points = Vec::new();
    for step in 0..=STEPS {
        let at = last * f64::from(step) / f64::from(STEPS);
        let us = all.histogram.value_at_quantile(1.0 - 10_f64.powf(-at));
        points.push((at, ms(us.max(1))));
    }
    points
}

fn table(merged: &[Latencies]) -> Grid {
    let mut grid = Grid::new("Latency of a request, ms").text_column("percentile");
    for all in merged {
        grid = grid.number_column(all.variant.clone());
    }
    for percentile in TABLE {
        let name = match percentile {
            0.0 => "least".to_owned(),
            100.0 => "most".to_owned(),
            percentile => format!("{percentile} %"),
        };
        let mut row = vec![name];
        row.extend(merged.iter().map(|all| {
            let us = all.histogram.value_at_quantile(percentile / 100.0);
            format!("{:.3}", ms(us))
        }));
        grid.rows.push(row);
    }
    grid
}
