//! The tables of files for people: averages, totals and every pass; and the speed of each variant.

use crate::experiment::{Experiment, Run};
use crate::files::database;
use crate::grid::Grid;
use crate::metric::{GB, MB, over, signed};
use crate::number::{decimals, fixed, percent};
use records::{FileKind, FileRound, FileSummary, Target, VariantSummary};

/// The characters of a file's name in a terminal of 80 columns.
const NAME_WIDTH: usize = 22;

/// The same where a column says which pass it was.
const NAME_WIDTH_OF_PASSES: usize = 16;

/// How a figure of a row is had.
type Figure<'a, T> = Box<dyn Fn(&T) -> Option<f64> + 'a>;

/// A column: its head, the fewest and the most decimals, its figure.
struct Column<'a, T> {
    head: &'static str,
    fewest: usize,
    most: usize,
    figure: Figure<'a, T>,
}

impl<'a, T> Column<'a, T> {
    fn new(
        head: &'static str,
        fewest: usize,
        most: usize,
        figure: impl Fn(&T) -> Option<f64> + 'a,
    ) -> Self {
        let figure = Box::new(figure);
        Self {
            head,
            fewest,
            most,
            figure,
        }
    }

    /// As text; all rows of the column get as many decimals.
    fn cells(&self, rows: &[T]) -> Vec<String> {
        let figures: Vec<Option<f64>> = rows.iter().map(|row| (self.figure)(row)).collect();
        let decimals = decimals(figures.iter().flatten().copied()).clamp(self.fewest, self.most);
        figures
            .into_iter()
            .map(|figure| fixed(figure, decimals))
            .collect()
    }
}

/// Averages a pass, a table for each database of each variant.
pub(crate) fn averages(files: &[FileSummary], shortened: bool) -> Vec<Grid> {
    let columns = [
        Column::new("MB", 2, 2, |f: &&FileSummary| {
            scaled(f.bytes_written_mean, MB)
        }),
        Column::new("s", 2, 4, |f: &&FileSummary| scaled(f.elapsed_mean_ms, 1e3)),
        Column::new("ms/write", 2, 3, |f: &&FileSummary| f.write_stall_mean_ms),
        Column::new("writes", 0, 1, |f: &&FileSummary| f.writes_mean),
        Column::new("grown MB", 0, 2, |f: &&FileSummary| {
            scaled(f.growth_bytes_mean, MB)
        }),
    ];
    of_files(files, &columns, shortened)
}

/// Totals over the passes, a table for each database of each variant.
pub(crate) fn totals(files: &[FileSummary], shortened: bool) -> Vec<Grid> {
    let columns = [
        Column::new("MB", 2, 2, |f: &&FileSummary| {
            scaled(signed(f.bytes_written), MB)
        }),
        Column::new("s", 2, 4, |f: &&FileSummary| scaled(f.elapsed_ms, 1e3)),
        Column::new("stall s", 3, 3, |f: &&FileSummary| {
            scaled(signed(f.write_stall_ms), 1e3)
        }),
        Column::new("writes", 0, 0, |f: &&FileSummary| signed(f.writes)),
        Column::new("grown MB", 0, 2, |f: &&FileSummary| {
            scaled(signed(f.growth_bytes), MB)
        }),
    ];
    of_files(files, &columns, shortened)
}

fn of_files<'f>(
    files: &'f [FileSummary],
    columns: &[Column<'_, &'f FileSummary>],
    shortened: bool,
) -> Vec<Grid> {
    let rows: Vec<&FileSummary> = files.iter().collect();
    let cells: Vec<Vec<String>> = columns.iter().map(|column| column.cells(&rows)).collect();
    let place = |file: &FileSummary| place(&file.variant, file.header.target.as_ref());
    let mut grids: Vec<Grid> = Vec::new();
    for (at, file) in rows.iter().enumerate() {
        let head = place(file);
        if grids.last().is_none_or(|grid| grid.title != head) {
            let mut grid = Grid::new(head.clone())
                .text_column(head)
                .text_column("type");
            for column in columns {
                grid = grid.number_column(column.head);
            }
            grids.push(grid);
        }
        let mut row = vec![
            shown(&file.physical_name, shortened.then_some(NAME_WIDTH)),
            kind(file.file_kind).to_owned(),
        ];
        row.extend(cells.iter().filter_map(|column| column.get(at).cloned()));
        if let Some(grid) = grids.last_mut() {
            grid.rows.push(row);
        }
    }
    grids
}

/// One file in one round.
struct Pass<'a> {
    run: &'a Run,
    file: &'a FileRound,
}

/// Every pass by itself, a table for each database of each variant; also passes that were set
/// aside, with the reason.
pub(crate) fn passes(experiment: &Experiment, shortened: bool) -> Vec<Grid> {
    let passes: Vec<Pass> = experiment
        .rounds
        .iter()
        .flat_map(|run| {
            run.round
                .files
                .iter()
                .flatten()
                .map(move |file| Pass { run, file })
        })
        .collect();
    let columns = [
        Column::new("MB", 2, 2, |p: &Pass| {
            scaled(signed(Some(p.file.bytes_written)), MB)
        }),
        Column::new("s", 2, 4, |p: &Pass| scaled(p.run.round.elapsed_ms, 1e3)),
        Column::new("ms/write", 2, 3, |p: &Pass| p.file.write_stall_mean_ms),
        Column::new("writes", 0, 0, |p: &Pass| signed(Some(p.file.writes))),
        Column::new("grown MB", 0, 2, |p: &Pass| {
            scaled(signed(Some(p.file.growth_bytes)), MB)
        }),
    ];
    let cells: Vec<Vec<String>> = columns.iter().map(|column| column.cells(&passes)).collect();
    let some_aside = passes.iter().any(|pass| pass.run.set_aside.is_some());
    let mut grids: Vec<Grid> = Vec::new();
    for (at, Pass { run, file }) in passes.iter().enumerate() {
        let head = place(&run.variant, run.round.header.target.as_ref());
        let found = grids.iter().position(|grid| grid.title == head);
        let index = found.unwrap_or_else(|| {
            let mut grid = Grid::new(head.clone())
                .number_column("run")
                .text_column(head)
                .text_column("type");
            for column in &columns {
                grid = grid.number_column(column.head);
            }
            if some_aside {
                grid = grid.text_column("set aside");
            }
            grids.push(grid);
            grids.len() - 1
        });
        let mut row = vec![
            run.label.clone(),
            shown(
                &file.physical_name,
                shortened.then_some(NAME_WIDTH_OF_PASSES),
            ),
            kind(file.kind).to_owned(),
        ];
        row.extend(cells.iter().filter_map(|column| column.get(at).cloned()));
        if some_aside {
            row.push(run.set_aside.clone().unwrap_or_default().replace('_', " "));
        }
        if let Some(grid) = grids.get_mut(index) {
            grid.rows.push(row);
        }
    }
    grids
}

/// How fast the data files were written: the median over the passes and its interval, and what
/// that is in seconds a GB.
pub(crate) fn speed(speeds: &[VariantSummary]) -> Grid {
    let mut grid = Grid::new("Write speed of data files (median over passes and its interval)")
        .text_column("variant")
        .number_column("passes")
        .number_column("MB/s")
        .number_column("low")
        .number_column("high")
        .text_column("interval")
        .number_column("s/GB")
        .number_column("low")
        .number_column("high");
    let mb = |value: Option<f64>| scaled(value, MB);
    let seconds = |value: Option<f64>| over(Some(GB), value);
    let rows: Vec<&VariantSummary> = speeds.iter().collect();
    let columns: [Vec<String>; 6] = [
        Column::new("", 0, 6, |s: &&VariantSummary| mb(s.median)),
        Column::new("", 0, 6, |s: &&VariantSummary| mb(s.median_low)),
        Column::new("", 0, 6, |s: &&VariantSummary| mb(s.median_high)),
        Column::new("", 0, 6, |s: &&VariantSummary| seconds(s.median)),
        // The fastest pass takes the least time.
        Column::new("", 0, 6, |s: &&VariantSummary| seconds(s.median_high)),
        Column::new("", 0, 6, |s: &&VariantSummary| seconds(s.median_low)),
    ]
    .map(|column| column.cells(&rows));
    for (at, row) in rows.iter().enumerate() {
        let cell = |column: &Vec<String>| column.get(at).cloned().unwrap_or_default();
        let [median, low, high, per_gb, least, most] = &columns;
        grid.rows.push(vec![
            row.variant.clone(),
            row.n.to_string(),
            cell(median),
            cell(low),
            cell(high),
            row.median_confidence
                .map_or_else(|| "-".to_owned(), percent),
            cell(per_gb),
            cell(least),
            cell(most),
        ]);
    }
    grid
}

/// What is missing for an interval of the median; none where every variant has one.
pub(crate) fn no_interval(speeds: &[VariantSummary], confidence: f64) -> Option<String> {
    speeds
        .iter()
        .any(|row| row.n > 0 && row.median_confidence.is_none())
        .then(|| {
            // Between the least and the greatest of n the median lies with 1 - 2 / 2^n.
            let least = (1.0 - (1.0 - confidence).log2()).ceil();
            format!(
                "Fewer than {least} passes bound no interval of a median at {}: the spread seen is \
                 all that is known. Run at least {least}.",
                percent(confidence)
            )
        })
}

fn scaled(value: Option<f64>, divisor: f64) -> Option<f64> {
    value.map(|value| value / divisor)
}

/// The database, and the variant where that is another name.
fn place(variant: &str, target: Option<&Target>) -> String {
    let database = database(target);
    if variant == database {
        database.to_owned()
    } else {
        format!("{variant}: {database}")
    }
}

fn kind(kind: FileKind) -> &'static str {
    match kind {
        FileKind::Rows => "data",
        FileKind::Log => "log",
        FileKind::Other => "other",
    }
}

/// A path in full; or the file's name, its middle left out where it is longer than `width`.
fn shown(path: &str, width: Option<usize>) -> String {
    let Some(width) = width else {
        return path.to_owned();
    };
    let name: Vec<char> = path
        .rsplit(['/', '\\'])
        .next()
        .unwrap_or(path)
        .chars()
        .collect();
    if name.len() <= width {
        return name.into_iter().collect();
    }
    let end = width / 2;
    let begin = width.saturating_sub(end + 1);
    let mut short: String = name.iter().take(begin).collect();
    short.push('…');
    short.extend(name.iter().skip(name.len() - end));
    short
}

#[cfg(test)]
mod tests {
    use super::{no_interval, shown};

    #[test]
    fn a_long_name_keeps_its_begin_and_its_end_whichever_way_the_path_leans() {
        let width = Some(12);
        assert_eq!(shown(r"D:\SQL Data\speed.mdf", width), "speed.mdf");
        assert_eq!(shown("/var/opt/speed.mdf", width), "speed.mdf");
        assert_eq!(shown("/d/write_speed_log.ldf", width), "write…og.ldf");
        assert_eq!(
            shown("/d/write_speed_log.ldf", None),
            "/d/write_speed_log.ldf"
        );
    }

    #[test]
    fn six_passes_are_the_least_at_95_percent_and_four_at_80() {
        let mut row: records::VariantSummary = serde_json::from_value(serde_json::json!({
            "schema": 1, "at": "2025-03-01T09:00:00Z", "program": "summarize",
            "experiment": "e", "variant": "v", "metric": "m", "n": 4, "set_aside": 0
        }))
        .unwrap();
        let said = |row: &records::VariantSummary, confidence| {
            no_interval(std::slice::from_ref(row), confidence)
        };
        assert!(said(&row, 0.95).unwrap().starts_with("Fewer than 6 passes"));
        assert!(said(&row, 0.8).unwrap().starts_with("Fewer than 4 passes"));
        row.median_confidence = Some(0.968_75);
        assert_eq!(said(&row, 0.95), None);
    }
}
