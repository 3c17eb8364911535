//! Time against size: a line for each state of instant file initialization, and its shape in a word.

use super::{Size, TIMES, figures, seconds};
use crate::experiment::{Experiment, Run};
use crate::grid::Grid;
use crate::number::{decimals, fixed};
use statistics::{Line, least_squares};

/// Bytes in the GB of tables for people.
const GB: f64 = 1_073_741_824.0;

/// The confidence of a slope's interval.
const CONFIDENCE: f64 = 0.95;

/// The fewest sizes that show a line.
const LEAST_SIZES: usize = 3;

/// From this share of the variance that the size explains on, a line is called linear.
const LINEAR: f64 = 0.98;

/// A slope is flat where its whole interval is within this share of what a GB takes without
/// instant initialization.
const FLAT_BESIDE_ZEROING: f64 = 0.1;

/// Where nothing was zeroed beside it: where from the smallest size to the largest it adds or
/// takes at most this share of the time.
const FLAT_OF_TIME: f64 = 0.2;

/// Time against size: the table, and what it says in a sentence for each line of elapsed time.
pub struct Against {
    /// A row for each time and state of initialization.
    pub grid: Grid,
    /// The sentences.
    pub words: Vec<String>,
}

/// What a line looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// Grows, and the size explains nearly all.
    Linear,
    /// Grows, and other things matter too.
    Grows,
    /// Does not depend on the size.
    Flat,
    /// The interval allows both.
    Unclear,
    /// Shrinks.
    Falls,
}

impl Shape {
    fn word(self) -> &'static str {
        match self {
            Self::Linear => "linear",
            Self::Grows => "grows",
            Self::Flat => "flat",
            Self::Unclear => "unclear",
            Self::Falls => "falls",
        }
    }

    /// `bound` is the most that a flat line rises or falls, in the unit of the slope.
    fn of(line: &Line, bound: f64) -> Self {
        if line.slope_low >= -bound && line.slope_high <= bound {
            Self::Flat
        } else if line.slope_low > 0.0 {
            match line.r_squared {
                Some(share) if share >= LINEAR => Self::Linear,
                _ => Self::Grows,
            }
        } else if line.slope_high < 0.0 {
            Self::Falls
        } else {
            Self::Unclear
        }
    }
}

/// The rounds of one state of instant initialization in which one size was swept.
struct Sweep<'a> {
    instant: Option<bool>,
    size: Size,
    runs: Vec<&'a Run>,
}

/// Elapsed time and zeroing against the size of the files that differ in size, one row for each
/// state of instant file initialization; none where fewer than three sizes ran.
pub(crate) fn against_size(experiment: &Experiment) -> Option<Against> {
    let sweeps: Vec<Sweep<'_>> = [Some(true), Some(false), None]
        .into_iter()
        .filter_map(|instant| {
            let runs: Vec<&Run> = experiment
                .counting()
                .filter(|run| {
                    figures(run).is_some_and(|f| f.instant_file_initialization == instant)
                })
                .collect();
            let size = swept(&runs)?;
            Some(Sweep {
                instant,
                size,
                runs,
            })
        })
        .collect();
    let zeroed = sweeps
        .iter()
        .find(|sweep| sweep.instant == Some(false) && sweep.size == Size::Data)
        .and_then(|sweep| sweep.fit("elapsed_ms"))
        .map(|line| line.slope);
    let first = sweeps.first()?.size;
    let several = sweeps.iter().any(|sweep| sweep.size != first);
    let against = if several { "size" } else { first.words() };
    let mut grid = Grid::new(format!(
        "Time against {against} (least squares, 95 % interval; ms; 1 GB is 1,073,741,824 bytes)"
    ))
    .text_column("time")
    .text_column("instant")
    .number_column("n")
    .number_column("ms/GB")
    .number_column("low")
    .number_column("high")
    .number_column("at 0")
    .number_column("R²")
    .text_column("shape");
    let mut words = Vec::new();
    for sweep in &sweeps {
        for (metric, of) in TIMES {
            if metric != "elapsed_ms" && metric != sweep.zeroing() {
                continue;
            }
            let Some(line) = sweep.fit(metric) else {
                continue;
            };
            let shape = Shape::of(&line, sweep.bound(metric, zeroed));
            let ends = [line.slope, line.slope_low, line.slope_high];
            // Whole ms where the slope has three figures of them.
            let places = decimals(ends.into_iter()).min(usize::from(line.slope.abs() < 100.0));
            let time = if several {
                format!("{of}, {}", sweep.size.words())
            } else {
                of.to_owned()
            };
            let mut row = vec![time, sweep.state().to_owned(), line.points.to_string()];
            row.extend(ends.map(|end| fixed(Some(end), places)));
            row.push(fixed(Some(line.intercept), 0));
            row.push(fixed(line.r_squared, 4));
            row.push(shape.word().to_owned());
            grid.rows.push(row);
            if metric == "elapsed_ms" {
                words.push(sweep.sentence(&line, shape));
            }
        }
    }
    (!grid.rows.is_empty()).then_some(Against { grid, words })
}

impl Sweep<'_> {
    fn zeroing(&self) -> &'static str {
        match self.size {
            Size::Log => "zero_log_ms",
            _ => "zero_data_ms",
        }
    }

    fn state(&self) -> &'static str {
        match self.instant {
            Some(true) => "on",
            Some(false) => "off",
            None => "unknown",
        }
    }

    /// Sizes in GB and times in ms.
    fn points(&self, metric: &str) -> Vec<(f64, f64)> {
        self.runs
            .iter()
            .filter_map(|run| Some((self.size.bytes(run)? / GB, seconds(run, metric)? * 1000.0)))
            .collect()
    }

    /// The line of a time in ms against the size in GB; none where the time was 0 throughout.
    fn fit(&self, metric: &str) -> Option<Line> {
        let points = self.points(metric);
        if points.iter().all(|(_, ms)| *ms <= 0.0) {
            return None;
        }
        let (x, y): (Vec<f64>, Vec<f64>) = points.into_iter().unzip();
        least_squares(&x, &y, CONFIDENCE).ok().flatten()
    }

    /// The most that a flat line rises or falls a GB, in ms: measured by what zeroing the same GB
    /// takes (`zeroed`), where the same data files were also zeroed.
    fn bound(&self, metric: &str, zeroed: Option<f64>) -> f64 {
        if let (Some(zeroed), Size::Data, Some(true)) = (zeroed, self.size, self.instant) {
            return zeroed * FLAT_BESIDE_ZEROING;
        }
        let points = self.points(metric);
        let sizes = points.iter().map(|(gb, _)| *gb);
        let range =
            sizes.clone().fold(f64::NEG_INFINITY, f64::max) - sizes.fold(f64::INFINITY, f64::min);
        let times: Vec<f64> = points.iter().map(|(_, ms)| *ms).collect();
        let typical = statistics::quantile(&times, 0.5).unwrap_or_default();
        typical * FLAT_OF_TIME / range
    }

    fn sentence(&self, line: &Line, shape: Shape) -> String {
        let state = match (self.size, self.instant) {
            (Size::Data, Some(true)) => " with instant file initialization",
            (Size::Data, Some(false)) => " without instant file initialization",
            _ => "",
        };
        let files = self.size.words();
        let Line {
            slope,
            slope_low,
            slope_high,
            intercept,
            ..
        } = line;
        let interval = format!("{slope:.0} ms per GB ({slope_low:.0} to {slope_high:.0})");
        let explained = line
            .r_squared
            .map_or_else(String::new, |part| format!(", R² {part:.4}"));
        match shape {
            Shape::Linear | Shape::Grows => format!(
                "Against the size of {files}{state}: {}, {interval} from {intercept:.0} ms{explained}.",
                shape.word()
            ),
            Shape::Flat => format!(
                "Against the size of {files}{state}: flat at {intercept:.0} ms, {interval}."
            ),
            Shape::Unclear => format!(
                "Against the size of {files}{state}: unclear, {interval}; more rounds or larger \
                 files would tell."
            ),
            Shape::Falls => format!(
                "Against the size of {files}{state}: falls, {interval}; something else changed \
                 with the size."
            ),
        }
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

#[cfg(test)]
mod tests {
    use super::against_size;
    use crate::experiment::Experiment;
    use crate::testing::rounds_of;
    use records::RestoreFigures;

    const GB: i64 = 1 << 30;
    const SIZES: [i32; 4] = [1, 2, 4, 8];

    /// A sweep of the data file, times in ms by size in GB, without instant initialization and with.
    fn sweep(off: impl Fn(i32) -> f64, on: impl Fn(i32) -> f64) -> Experiment {
        let rounds = [
            SIZES.map(|gb| ("off", off(gb))),
            SIZES.map(|gb| ("on", on(gb))),
        ]
        .concat();
        let mut input = rounds_of(&rounds);
        for (place, round) in input.rounds.iter_mut().enumerate() {
            let off = place < SIZES.len();
            round.restore = Some(RestoreFigures {
                data_file_bytes: Some(i64::from(SIZES[place % SIZES.len()]) * GB),
                log_file_bytes: Some(GB),
                zero_data_ms: Some(if off { 1.0 } else { 0.0 }),
                instant_file_initialization: Some(!off),
                vlf_count: Some(8),
                ..RestoreFigures::default()
            });
        }
        Experiment::sort(input, None).remove(0)
    }

    fn row(experiment: &Experiment, time: &str, instant: &str) -> Vec<String> {
        let rows = against_size(experiment).unwrap().grid.rows;
        rows.iter()
            .find(|row| row[0] == time && row[1] == instant)
            .unwrap_or_else(|| panic!("{rows:?}"))[2..]
            .to_vec()
    }

    /// 2 s and 3 s a GB without instant initialization, 2 s with.
    fn plain() -> Experiment {
        sweep(|gb| 2000.0 + 3000.0 * f64::from(gb), |_| 2000.0)
    }

    #[test]
    fn a_line_through_the_sizes_is_fitted_for_each_state_of_initialization() {
        let experiment = plain();
        assert_eq!(
            row(&experiment, "elapsed", "off"),
            ["4", "3000", "3000", "3000", "2000", "1.0000", "linear"]
        );
        // All times are equal: no slope, and no variance to explain.
        assert_eq!(
            row(&experiment, "elapsed", "on"),
            ["4", "0", "0", "0", "2000", "-", "flat"]
        );
        let against = against_size(&experiment).unwrap();
        assert_eq!(against.grid.rows.len(), 3, "no line of zeroes");
        assert!(against.grid.title.starts_with("Time against data files ("));
        assert_eq!(
            against.words,
            [
                "Against the size of data files with instant file initialization: flat at 2000 ms, \
                 0 ms per GB (0 to 0).",
                "Against the size of data files without instant file initialization: linear, 3000 \
                 ms per GB (3000 to 3000) from 2000 ms, R² 1.0000."
            ]
        );
        // Each row in one line of a terminal.
        let text = against.grid.to_text(80);
        assert_eq!(text.trim_end().lines().count(), 2 + 3, "{text}");
        assert!(
            text.lines().all(|line| line.chars().count() <= 80),
            "{text}"
        );
    }

    #[test]
    fn a_slope_is_only_flat_where_its_whole_interval_is_small_beside_what_zeroing_takes() {
        let off = |gb| 2000.0 + 3000.0 * f64::from(gb);
        let shape = |on: fn(i32) -> f64| row(&sweep(off, on), "elapsed", "on").pop().unwrap();
        // 100 ms a GB are a thirtieth of 3000, 400 more than a tenth.
        assert_eq!(shape(|gb| 2000.0 + 100.0 * f64::from(gb)), "flat");
        assert_eq!(shape(|gb| 2000.0 + 400.0 * f64::from(gb)), "linear");
        // Noise that hides what there is: the interval reaches beyond 300 on both sides.
        assert_eq!(
            shape(|gb| 5000.0 + if gb % 3 == 1 { 4000.0 } else { -4000.0 }),
            "unclear"
        );
        assert_eq!(shape(|gb| 9000.0 - 900.0 * f64::from(gb)), "falls");
        // It grows, and something else moves it as well.
        let bent = |gb: i32| 2000.0 + 200.0 * f64::from(gb * gb);
        assert_eq!(
            row(&sweep(bent, |_| 1.0), "elapsed", "off").pop().unwrap(),
            "grows"
        );
    }

    #[test]
    fn two_sizes_are_no_sweep() {
        let mut experiment = plain();
        experiment.rounds.retain(|run| {
            let figures = run.round.restore.as_ref().unwrap();
            figures.data_file_bytes < Some(4 * GB)
        });
        assert!(against_size(&experiment).is_none());
    }
}
