//! The charts of one experiment, in the order of the page.

mod dots;
mod files;
mod intervals;
mod latency;
mod losses;
mod pairs;
mod restore;
mod rounds;
mod rows;
mod stacks;
mod waits;

pub(crate) use waits::server_waits;

use crate::chart::Chart;
use records::{Failure, FileKind};
use summarize::{DisplayUnit, Experiment, Metric, Summary};

/// The names of charts, and what each shows.
pub(crate) const NAMES: [(&str, &str); 13] = [
    ("rounds", "the rounds in the order in which they ran"),
    ("pairs", "the ratio within each pair, in order"),
    ("intervals", "each ratio with its interval, and the floor"),
    ("losses", "acknowledged commits that a crash took"),
    ("restore", "the phases of a restore"),
    ("restore-size", "restore time by file size"),
    ("log-written", "what each round wrote to the log"),
    ("log-writes", "how many writes that took"),
    (
        "commits-per-write",
        "how many transactions shared a log write",
    ),
    ("waits", "waits of the load's sessions, by type"),
    ("latency", "latency by percentile"),
    ("file-written", "what each round wrote to each file"),
    ("file-stall", "the mean stall of a write to each file"),
];

/// Every chart that the rounds have the data for.
///
/// # Errors
/// A chart could not be drawn.
pub(crate) fn all(summary: &Summary) -> Result<Vec<Chart>, Failure> {
    let mut charts = Vec::new();
    for (name, _) in NAMES {
        charts.extend(named(summary, name)?);
    }
    Ok(charts)
}

/// The chart of a name; none where the rounds have nothing to draw.
///
/// # Errors
/// It could not be drawn.
pub(crate) fn named(summary: &Summary, name: &str) -> Result<Option<Chart>, Failure> {
    match name {
        "intervals" => intervals::chart(summary),
        "rounds" => rounds::chart(summary),
        "pairs" => pairs::chart(summary),
        "log-written" => dots::chart(summary, "log-written", "log_bytes_written"),
        "log-writes" => dots::chart(summary, "log-writes", "log_writes"),
        "commits-per-write" => {
            dots::chart(summary, "commits-per-write", "transactions_per_log_write")
        }
        "waits" => waits::chart(summary),
        "latency" => latency::chart(summary),
        "file-written" => files::written(summary),
        "file-stall" => files::stall(summary),
        "restore" => restore::phases(summary),
        "restore-size" => restore::by_size(summary),
        "losses" => losses::chart(summary),
        _ => Ok(None),
    }
}

/// A variant's place, which gives it its shape and colour.
fn place_of(experiment: &Experiment, variant: &str) -> usize {
    let place = experiment.variants.iter().position(|name| name == variant);
    place.unwrap_or_default()
}

/// `elapsed time, s`.
fn head(metric: &Metric) -> String {
    with_unit(metric.words, metric.unit())
}

fn with_unit(words: &str, unit: DisplayUnit) -> String {
    match unit.name {
        "" => words.to_owned(),
        unit => format!("{words}, {unit}"),
    }
}

/// `1 round`, `6 rounds`.
pub(crate) fn count(number: impl std::fmt::Display, what: &str) -> String {
    let number = format!("{number}");
    let plural = if number == "1" { "" } else { "s" };
    format!("{number} {what}{plural}")
}

/// What a file holds.
pub(crate) fn file_kind(kind: FileKind) -> &'static str {
    match kind {
        FileKind::Rows => "data",
        FileKind::Log => "log",
        FileKind::Other => "other",
    }
}

/// A whole number for an axis or a mean.
#[expect(
    clippy::cast_precision_loss,
    reason = "exact below 2^53, and rounded in what is shown"
)]
pub(crate) fn float(value: impl TryInto<i64>) -> f64 {
    value.try_into().unwrap_or(i64::MAX) as f64
}

/// A text with a capital at its start.
fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(chars).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::NAMES;

    #[test]
    fn the_documentation_lists_the_charts_that_there_are_in_their_order() {
        let page = include_str!("../../../docs/report.md");
        let rows = page.lines().filter_map(|line| line.strip_prefix("| `"));
        let listed: Vec<&str> = rows
            .filter_map(|row| row.split_once('`'))
            .map(|(name, _)| name)
            .collect();
        assert_eq!(listed, NAMES.map(|(name, _)| name));
    }
}
