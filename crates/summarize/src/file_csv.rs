//! The tables of files for a spreadsheet, in the records' own units.

use crate::csv_file::{Cell, Sheet, name, number, server_name, text, time};
use crate::experiment::Run;
use crate::files::{database, ms_per_gb, per_second};
use crate::metric::{GB, over, signed};
use crate::summary::Summary;
use records::{FileRound, FileSummary, Header, VariantSummary};
use std::io::{self, Write};

/// What a row begins with in both tables of files.
const FILE_HEAD: [&str; 10] = [
    "experiment",
    "server",
    "variant",
    "target_server",
    "target_database",
    "physical_name",
    "logical_name",
    "file_kind",
    "passes",
    "set_aside",
];

/// One row a file: averages a pass.
pub(crate) fn averages(summaries: &[Summary], sheet: &mut Sheet<impl Write>) -> io::Result<()> {
    let mut head = FILE_HEAD.to_vec();
    head.extend([
        "bytes_written_mean",
        "elapsed_mean_ms",
        "write_stall_mean_ms",
        "writes_mean",
        "growth_bytes_mean",
        "bytes_written_per_s",
        "elapsed_ms_per_gb",
    ]);
    sheet.head(head)?;
    for file in summaries.iter().flat_map(|summary| &summary.files) {
        let mut cells = begin(file);
        cells.extend([
            number(file.bytes_written_mean),
            number(file.elapsed_mean_ms),
            number(file.write_stall_mean_ms),
            number(file.writes_mean),
            number(file.growth_bytes_mean),
            number(file.bytes_written_per_s),
            number(file.elapsed_ms_per_gb),
        ]);
        sheet.row(cells)?;
    }
    Ok(())
}

/// One row a file: totals over the passes.
pub(crate) fn totals(summaries: &[Summary], sheet: &mut Sheet<impl Write>) -> io::Result<()> {
    let mut head = FILE_HEAD.to_vec();
    head.extend([
        "bytes_written",
        "elapsed_ms",
        "write_stall_ms",
        "write_stall_mean_ms",
        "writes",
        "growth_bytes",
        "bytes_written_per_s",
        "elapsed_ms_per_gb",
    ]);
    sheet.head(head)?;
    for file in summaries.iter().flat_map(|summary| &summary.files) {
        let mut cells = begin(file);
        cells.extend([
            number(file.bytes_written),
            number(file.elapsed_ms),
            number(file.write_stall_ms),
            number(file.write_stall_mean_ms),
            number(file.writes),
            number(file.growth_bytes),
            number(file.bytes_written_per_s),
            number(file.elapsed_ms_per_gb),
        ]);
        sheet.row(cells)?;
    }
    Ok(())
}

fn begin(file: &FileSummary) -> Vec<Cell> {
    let target = file.header.target.as_ref();
    vec![
        text(&file.experiment),
        text(&server_name(&file.header)),
        text(&file.variant),
        text(target.map_or("", |target| target.server.as_str())),
        text(database(target)),
        text(&file.physical_name),
        text(&file.logical_name),
        name(file.file_kind),
        number(Some(file.n)),
        number(Some(file.set_aside)),
    ]
}

/// One row a file and a pass.
pub(crate) fn passes(summaries: &[Summary], sheet: &mut Sheet<impl Write>) -> io::Result<()> {
    sheet.head([
        "experiment",
        "server",
        "series",
        "run",
        "variant",
        "set_aside",
        "target_server",
        "target_database",
        "physical_name",
        "logical_name",
        "file_kind",
        "started_utc",
        "elapsed_ms",
        "bytes_written",
        "write_stall_ms",
        "write_stall_mean_ms",
        "writes",
        "growth_bytes",
        "size_bytes",
        "bytes_read",
        "bytes_written_per_s",
        "elapsed_ms_per_gb",
    ])?;
    for summary in summaries {
        for run in &summary.experiment.rounds {
            for file in run.round.files.iter().flatten() {
                sheet.row(pass(&summary.experiment.name, run, file))?;
            }
        }
    }
    Ok(())
}

fn pass(experiment: &str, run: &Run, file: &FileRound) -> Vec<Cell> {
    let header: &Header = &run.round.header;
    let target = header.target.as_ref();
    let elapsed_ms = run.round.elapsed_ms;
    let bytes = signed(Some(file.bytes_written));
    vec![
        text(experiment),
        text(&server_name(header)),
        number(Some(run.series)),
        number(Some(run.number)),
        text(&run.variant),
        text(run.set_aside.as_deref().unwrap_or_default()),
        text(target.map_or("", |target| target.server.as_str())),
        text(database(target)),
        text(&file.physical_name),
        text(&file.logical_name),
        name(file.kind),
        time(run.round.started),
        number(elapsed_ms),
        number(Some(file.bytes_written)),
        number(Some(file.write_stall_ms)),
        number(file.write_stall_mean_ms),
        number(Some(file.writes)),
        number(Some(file.growth_bytes)),
        number(Some(file.size_bytes)),
        number(Some(file.bytes_read)),
        number(per_second(bytes, elapsed_ms)),
        number(ms_per_gb(elapsed_ms, bytes)),
    ]
}

/// One row a variant: how fast its data files were written.
pub(crate) fn speed(summaries: &[Summary], sheet: &mut Sheet<impl Write>) -> io::Result<()> {
    sheet.head([
        "experiment",
        "server",
        "variant",
        "passes",
        "set_aside",
        "median_bytes_written_per_s",
        "low_bytes_written_per_s",
        "high_bytes_written_per_s",
        "confidence",
        "median_elapsed_ms_per_gb",
        "low_elapsed_ms_per_gb",
        "high_elapsed_ms_per_gb",
    ])?;
    for row in summaries.iter().flat_map(|summary| &summary.speeds) {
        sheet.row(speed_cells(row))?;
    }
    Ok(())
}

fn speed_cells(row: &VariantSummary) -> [Cell; 12] {
    let inverse = |speed: Option<f64>| number(over(Some(1000.0 * GB), speed));
    [
        text(&row.experiment),
        text(&server_name(&row.header)),
        text(&row.variant),
        number(Some(row.n)),
        number(Some(row.set_aside)),
        number(row.median),
        number(row.median_low),
        number(row.median_high),
        number(row.median_confidence),
        inverse(row.median),
        inverse(row.median_high),
        inverse(row.median_low),
    ]
}
