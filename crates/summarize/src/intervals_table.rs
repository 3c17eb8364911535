//! The table of intervals, for people and for spreadsheets.

use crate::csv_file::{Sheet, number, server_name, text};
use crate::grid::Grid;
use crate::number::{decimals, fixed};
use crate::summary::Summary;
use records::IntervalSummary;
use std::io::{self, Write};

/// Each variant: how evenly the load ran inside its rounds.
pub(crate) fn grid(rows: &[IntervalSummary]) -> Grid {
    let mut grid = Grid::new("Intervals (rates in transactions/s, latencies in ms)")
        .text_column("variant")
        .number_column("intervals");
    for head in ["min", "mean", "max", "p50", "p99", "max ms", "worst p99"] {
        grid = grid.number_column(head);
    }
    let rate_decimals = decimals(rows.iter().flat_map(rates).flatten()).min(1);
    let latency_decimals = decimals(rows.iter().flat_map(latencies).flatten()).min(3);
    for row in rows {
        let mut cells = vec![row.variant.clone(), row.intervals.to_string()];
        cells.extend(rates(row).map(|rate| fixed(rate, rate_decimals)));
        cells.extend(latencies(row).map(|latency| fixed(latency, latency_decimals)));
        grid.rows.push(cells);
    }
    grid
}

fn rates(row: &IntervalSummary) -> [Option<f64>; 3] {
    [
        row.transactions_per_s_min,
        row.transactions_per_s_mean,
        row.transactions_per_s_max,
    ]
}

/// In milliseconds.
#[expect(clippy::cast_precision_loss, reason = "latencies, far below 2^53")]
fn latencies(row: &IntervalSummary) -> [Option<f64>; 4] {
    [
        row.latency_p50_us,
        row.latency_p99_us,
        row.latency_max_us,
        row.latency_p99_us_worst,
    ]
    .map(|us| us.map(|us| us as f64 / 1000.0))
}

/// What the figures are, where the slowest intervals lie, and what is missing.
pub(crate) fn words(summary: &Summary) -> Vec<String> {
    if summary.intervals.is_empty() {
        let none = "No round that counts has intervals. loadgen --interval 1s writes them.";
        return vec![none.to_owned()];
    }
    let mut words = vec![
        "Min and max are of intervals in which every worker was at work to the end; mean is all \
         transactions over all time; p50, p99 and max ms are of all intervals' distributions added \
         up; worst p99 is that of one interval. Intervals share their round's minute: no test is \
         made of them."
            .to_owned(),
    ];
    for row in &summary.intervals {
        if let Some((label, seconds)) = slowest(summary, row) {
            words.push(format!(
                "{}: the slowest interval began {seconds:.2} s into run {label}.",
                row.variant
            ));
        }
        if row.rounds_without > 0 {
            words.push(format!(
                "{}: {} of {} rounds that count are not here: they have no intervals, or some are \
                 missing.",
                row.variant,
                row.rounds_without,
                row.rounds + row.rounds_without
            ));
        }
    }
    words
}

fn slowest<'a>(summary: &'a Summary, row: &IntervalSummary) -> Option<(&'a str, f64)> {
    let id = row.slowest_trial_id.as_ref()?;
    let run = summary.experiment.rounds.iter().find(|run| {
        let trial = run.round.header.trial.as_ref();
        trial.is_some_and(|trial| trial.id == *id)
    })?;
    Some((run.label.as_str(), row.slowest_start_ms? / 1000.0))
}

const HEAD: [&str; 19] = [
    "experiment",
    "variant",
    "rounds",
    "rounds_without",
    "intervals",
    "whole_intervals",
    "transactions",
    "errors",
    "length_ms",
    "transactions_per_s_min",
    "transactions_per_s_mean",
    "transactions_per_s_max",
    "slowest_trial_id",
    "slowest_start_ms",
    "latency_p50_us",
    "latency_p99_us",
    "latency_max_us",
    "latency_p99_us_worst",
    "server",
];

/// One row a variant.
pub(crate) fn csv(summaries: &[Summary], sheet: &mut Sheet<impl Write>) -> io::Result<()> {
    sheet.head(HEAD)?;
    for row in summaries.iter().flat_map(|summary| &summary.intervals) {
        sheet.row([
            text(&row.experiment),
            text(&row.variant),
            number(Some(row.rounds)),
            number(Some(row.rounds_without)),
            number(Some(row.intervals)),
            number(Some(row.whole_intervals)),
            number(Some(row.transactions)),
            number(Some(row.errors)),
            number(Some(row.length_ms)),
            number(row.transactions_per_s_min),
            number(row.transactions_per_s_mean),
            number(row.transactions_per_s_max),
            text(row.slowest_trial_id.as_deref().unwrap_or_default()),
            number(row.slowest_start_ms),
            number(row.latency_p50_us),
            number(row.latency_p99_us),
            number(row.latency_max_us),
            number(row.latency_p99_us_worst),
            text(&server_name(&row.header)),
        ])?;
    }
    Ok(())
}
