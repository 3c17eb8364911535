//! The tables of restores: each round by its size and phases, and time against size.

use crate::experiment::{Experiment, Run};
use crate::grid::Grid;
use crate::metric::{MB, Metric};
use crate::number::{decimals, fixed};
use records::RestoreFigures;
use statistics::{Line, least_squares};
use std::collections::BTreeSet;

/// Bytes in the GB of tables for people.
const GB: f64 = 1_073_741_824.0;

/// The confidence of a slope's interval.
const CONFIDENCE: f64 = 0.95;

/// The fewest sizes that show a line.
const LEAST_SIZES: usize = 3;

/// The times that are shown of a restore: the metric, its head in a table, and in words.
const TIMES: [(&str, &str); 5] = [
    ("elapsed_ms", "elapsed"),
    ("zero_data_ms", "zero data"),
    ("copy_ms", "copy"),
    ("zero_log_ms", "zero log"),
    ("recover_ms", "recover"),
];

/// Whether the rounds are restores.
pub(crate) fn are_restores(experiment: &Experiment) -> bool {
    let mut runs = experiment.rounds.iter();
    !experiment.rounds.is_empty() && runs.all(|run| run.round.restore.is_some())
}

/// Each restore: what differs in size, then its times in seconds.
pub(crate) fn rounds(experiment: &Experiment) -> Grid {
    let sizes = differing(experiment);
    let mut grid = Grid::new("Rounds (1 MB is 1,048,576 bytes; times in s, of phases to 0.01 s)")
        .number_column("run")
        .text_column("variant");
    for size in &sizes {
        grid = grid.number_column(size.head());
    }
    for (_, head) in TIMES {
        grid = grid.number_column(head);
    }
    let some_aside = experiment.rounds.iter().any(|run| run.set_aside.is_some());
    if some_aside {
        grid = grid.text_column("set aside");
    }
    for run in &experiment.rounds {
        let mut row = vec![run.label.clone(), run.variant.clone()];
        row.extend(sizes.iter().map(|size| fixed(size.shown(run), 0)));
        for (metric, _) in TIMES {
            // The error log's steps are 10 ms: more decimals would say what is not known.
            let places = if metric == "elapsed_ms" { 3 } else { 2 };
            row.push(fixed(seconds(run, metric), places));
        }
        if some_aside {
            row.push(run.set_aside.clone().unwrap_or_default().replace('_', " "));
        }
        grid.rows.push(row);
    }
    grid
}

/// Elapsed time and zeroing against the size of the files that differ in size, one row for each
/// state of instant file initialization; none where fewer than three sizes ran.
pub(crate) fn against_size(experiment: &Experiment) -> Option<Grid> {
    let mut grid =
        Grid::new("Time against size (least squares, 95 % interval; 1 GB is 1,073,741,824 bytes)")
            .text_column("time")
            .text_column("against")
            .text_column("instant init.")
            .number_column("n")
            .number_column("s per GB")
            .number_column("low")
            .number_column("high")
            .number_column("R²");
    for instant in [Some(true), Some(false), None] {
        let runs: Vec<&Run> = experiment
            .counting()
            .filter(|run| figures(run).is_some_and(|f| f.instant_file_initialization == instant))
            .collect();
        let Some(size) = swept(&runs) else { continue };
        let zeroing = match size {
            Size::Log => "zero_log_ms",
            _ => "zero_data_ms",
        };
        for (metric, words) in TIMES {
            if metric != "elapsed_ms" && metric != zeroing {
                continue;
            }
            let Some(line) = fit(&runs, size, metric) else {
                continue;
            };
            let ends = [line.slope, line.slope_low, line.slope_high];
            let places = decimals(ends.into_iter()).min(4);
            let mut row = vec![
                words.to_owned(),
                size.words().to_owned(),
                match instant {
                    Some(true) => "on",
                    Some(false) => "off",
                    None => "unknown",
                }
                .to_owned(),
                line.points.to_string(),
            ];
            row.extend(ends.map(|end| fixed(Some(end), places)));
            row.push(fixed(line.r_squared, 4));
            grid.rows.push(row);
        }
    }
    (!grid.rows.is_empty()).then_some(grid)
}

/// The line of a time in s against a size in GB; none where it has none, or was 0 throughout.
fn fit(runs: &[&Run], size: Size, metric: &str) -> Option<Line> {
    let points: Vec<(f64, f64)> = runs
        .iter()
        .filter_map(|run| Some((size.bytes(run)? / GB, seconds(run, metric)?)))
        .collect();
    if points.iter().all(|(_, seconds)| *seconds <= 0.0) {
        return None;
    }
    let (x, y): (Vec<f64>, Vec<f64>) = points.into_iter().unzip();
    least_squares(&x, &y, CONFIDENCE).ok().flatten()
}

/// A size that may differ between restores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Size {
    Data,
    Log,
    VirtualLogFiles,
}

impl Size {
    fn head(self) -> &'static str {
        match self {
            Self::Data => "data MB",
            Self::Log => "log MB",
            Self::VirtualLogFiles => "VLFs",
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Data => "data files",
            Self::Log => "log files",
            Self::VirtualLogFiles => "VLFs",
        }
    }

    fn whole(self, run: &Run) -> Option<i64> {
        let figures = figures(run)?;
        match self {
            Self::Data => figures.data_file_bytes,
            Self::Log => figures.log_file_bytes,
            Self::VirtualLogFiles => figures.vlf_count,
        }
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "statistics bear the rounding above 2^53"
    )]
    fn bytes(self, run: &Run) -> Option<f64> {
        self.whole(run).map(|bytes| bytes as f64)
    }

    /// In the unit of its column.
    fn shown(self, run: &Run) -> Option<f64> {
        let divisor = if self == Self::VirtualLogFiles {
            1.0
        } else {
            MB
        };
        self.bytes(run).map(|value| value / divisor)
    }

    fn values<'a>(self, runs: impl Iterator<Item = &'a Run>) -> BTreeSet<i64> {
        runs.filter_map(|run| self.whole(run)).collect()
    }
}

/// The sizes that differ between the rounds; where none does, that of the data.
fn differing(experiment: &Experiment) -> Vec<Size> {
    let all = [Size::Data, Size::Log, Size::VirtualLogFiles];
    let differs = |size: &Size| size.values(experiment.rounds.iter()).len() > 1;
    let sizes: Vec<Size> = all.into_iter().filter(differs).collect();
    if sizes.is_empty() {
        vec![Size::Data]
    } else {
        sizes
    }
}

/// The one size in bytes of which several ran; none where both kinds differ.
fn swept(runs: &[&Run]) -> Option<Size> {
    let sizes = |size: Size| size.values(runs.iter().copied()).len();
    match (sizes(Size::Data), sizes(Size::Log)) {
        (data, log) if data >= LEAST_SIZES && log <= 1 => Some(Size::Data),
        (data, log) if log >= LEAST_SIZES && data <= 1 => Some(Size::Log),
        _ => None,
    }
}

fn figures(run: &Run) -> Option<&RestoreFigures> {
    run.round.restore.as_ref()
}

fn seconds(run: &Run, metric: &str) -> Option<f64> {
    Some(Metric::named(metric)?.of(&run.round)? / 1000.0)
}

#[cfg(test)]
mod tests {
    use super::{against_size, are_restores, rounds};
    use crate::experiment::Experiment;
    use crate::testing::rounds_of;
    use records::RestoreFigures;

    const GB: i64 = 1 << 30;

    /// A sweep of the data file: 2 s and 3 s a GB without instant initialization, 2 s with.
    fn sweep() -> Experiment {
        let sizes = [1, 2, 4, 8];
        let off = sizes.map(|gb| ("off", 2000.0 + 3000.0 * f64::from(gb)));
        let on = sizes.map(|_| ("on", 2000.0));
        let mut input = rounds_of(&[off, on].concat());
        for (place, round) in input.rounds.iter_mut().enumerate() {
            let off = place < sizes.len();
            round.restore = Some(RestoreFigures {
                data_file_bytes: Some(i64::from(sizes[place % sizes.len()]) * GB),
                log_file_bytes: Some(GB),
                zero_data_ms: Some(if off { 1.0 } else { 0.0 }),
                instant_file_initialization: Some(!off),
                vlf_count: Some(8),
                ..RestoreFigures::default()
            });
        }
        Experiment::sort(input, None).remove(0)
    }

    #[test]
    fn a_line_through_the_sizes_is_fitted_for_each_state_of_initialization() {
        let grid = against_size(&sweep()).unwrap();
        let row = |time: &str, instant: &str| {
            let rows = &grid.rows;
            rows.iter()
                .find(|row| row[0] == time && row[2] == instant)
                .unwrap_or_else(|| panic!("{rows:?}"))[3..]
                .to_vec()
        };
        assert_eq!(
            row("elapsed", "off"),
            ["4", "3.000", "3.000", "3.000", "1.0000"]
        );
        // All times are equal: no slope, and no variance to explain.
        assert_eq!(row("elapsed", "on"), ["4", "0", "0", "0", "-"]);
        assert_eq!(grid.rows.len(), 3, "no line of zeroes: {:?}", grid.rows);
    }

    #[test]
    fn rounds_show_the_sizes_that_differ_and_fit_into_80_columns() {
        let experiment = sweep();
        assert!(are_restores(&experiment));
        let grid = rounds(&experiment);
        let heads: Vec<&str> = grid.columns.iter().map(|c| c.head.as_str()).collect();
        assert!(heads.contains(&"data MB") && !heads.contains(&"log MB"));
        for line in grid.to_text(80).lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
    }

    #[test]
    fn two_sizes_are_no_sweep_and_other_rounds_no_restores() {
        let mut experiment = sweep();
        experiment.rounds.retain(|run| {
            let figures = run.round.restore.as_ref().unwrap();
            figures.data_file_bytes < Some(4 * GB)
        });
        assert!(against_size(&experiment).is_none());
        let other = Experiment::sort(rounds_of(&[("A", 1.0)]), None).remove(0);
        assert!(!are_restores(&other));
    }
}
