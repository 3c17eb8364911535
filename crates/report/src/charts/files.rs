//! What each round wrote to each file.

use super::dots::{Dots, MARKS, draw, median};
use super::rows::Row;
use super::{file_kind, float};
use crate::axis::grouped;
use crate::chart::{Chart, Words};
use records::{Failure, FileRound};
use summarize::number::{decimals, fixed};
use summarize::{Grid, MB, Run, Summary};

pub(super) fn written(summary: &Summary) -> Result<Option<Chart>, Failure> {
    let words = Words {
        summary,
        name: "file-written",
        title: "What each round wrote to each file".to_owned(),
        caption: format!("{MARKS}; the upright line is the median. 1 MB is 1,048,576 bytes."),
        tables: vec![table(summary)],
    };
    let value = |file: &FileRound| Some(float(file.bytes_written) / MB);
    draw(words, &dots(summary, value, "MB"), "written, MB a round")
}

pub(super) fn stall(summary: &Summary) -> Result<Option<Chart>, Failure> {
    let words = Words {
        summary,
        name: "file-stall",
        title: "How long a write to each file took".to_owned(),
        caption: format!(
            "{MARKS}: its write stall over its writes; the upright line is the median. Many \
             writes can be under way at once, so stalls add up to more than the time that passed."
        ),
        tables: vec![table(summary)],
    };
    let dots = dots(summary, |file| file.write_stall_mean_ms, "ms");
    draw(words, &dots, "mean stall of a write, ms")
}

/// A row for each file of each variant, in the order of the file's number.
fn dots(summary: &Summary, value: impl Fn(&FileRound) -> Option<f64>, unit: &str) -> Vec<Dots> {
    let experiment = &summary.experiment;
    let mut all = Vec::new();
    for (series, variant) in experiment.variants.iter().enumerate() {
        let of_variant = || experiment.counting().filter(|run| run.variant == *variant);
        let mut files: Vec<&FileRound> = Vec::new();
        for file in of_variant().flat_map(files_of) {
            let same = |seen: &&FileRound| seen.file_id == file.file_id;
            if !files.iter().any(same) {
                files.push(file);
            }
        }
        files.sort_by_key(|file| file.file_id);
        for file in files {
            let values: Vec<f64> = of_variant()
                .flat_map(files_of)
                .filter(|other| other.file_id == file.file_id)
                .filter_map(&value)
                .collect();
            let Some(middle) = median(&values) else {
                continue;
            };
            let figure = grouped(middle, decimals(values.iter().copied()));
            all.push(Dots {
                row: Row {
                    label: format!("{variant}: {} {}", file_kind(file.kind), file.logical_name),
                    value: format!("median {figure} {unit}, n = {}", values.len()),
                    short: format!("{figure}, n = {}", values.len()),
                },
                series,
                values,
                middle: Some(middle),
            });
        }
    }
    all
}

fn files_of(run: &Run) -> impl Iterator<Item = &FileRound> {
    run.round.files.iter().flatten()
}

fn table(summary: &Summary) -> Grid {
    let mut grid = Grid::new("Each file in each round")
        .number_column("run")
        .text_column("variant")
        .text_column("file")
        .text_column("type")
        .number_column("written MB")
        .number_column("writes")
        .number_column("mean stall ms")
        .number_column("elapsed s")
        .number_column("size MB")
        .number_column("growth MB");
    for run in summary.experiment.counting() {
        for file in files_of(run) {
            grid.rows.push(vec![
                run.label.clone(),
                run.variant.clone(),
                file.physical_name.clone(),
                file_kind(file.kind).to_owned(),
                format!("{:.3}", float(file.bytes_written) / MB),
                file.writes.to_string(),
                fixed(file.write_stall_mean_ms, 3),
                fixed(run.round.elapsed_ms.map(|ms| ms / 1000.0), 3),
                format!("{:.2}", float(file.size_bytes) / MB),
                format!("{:.2}", float(file.growth_bytes) / MB),
            ]);
        }
    }
    grid
}
