//! The tables of restores: each round by its size and phases, and time against size.

use crate::experiment::{Experiment, Run};
use crate::grid::Grid;
use crate::metric::{MB, Metric};
use crate::number::fixed;
use records::RestoreFigures;
use std::collections::BTreeSet;

mod lines;

pub use lines::Against;
pub(crate) use lines::against_size;

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

/// Puts the variants of restores in the order of their sizes, those with instant initialization
/// first: they ran in an order that was drawn.
pub(crate) fn order_by_size(experiment: &mut Experiment) {
    if !are_restores(experiment) {
        return;
    }
    let Experiment {
        rounds, variants, ..
    } = experiment;
    variants.sort_by_key(|variant| {
        let of_variant = rounds.iter().find(|run| run.variant == *variant);
        of_variant.and_then(figures).map(|figures| {
            (
                figures.instant_file_initialization != Some(true),
                figures.data_file_bytes,
                figures.log_file_bytes,
                figures.vlf_count,
            )
        })
    });
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

fn figures(run: &Run) -> Option<&RestoreFigures> {
    run.round.restore.as_ref()
}

fn seconds(run: &Run, metric: &str) -> Option<f64> {
    Some(Metric::named(metric)?.of(&run.round)? / 1000.0)
}

#[cfg(test)]
mod tests {
    use super::{are_restores, rounds};
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
    fn other_rounds_are_no_restores() {
        let other = Experiment::sort(rounds_of(&[("A", 1.0)]), None).remove(0);
        assert!(!are_restores(&other));
    }
}
