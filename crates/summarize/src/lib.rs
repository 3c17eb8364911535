//! Rounds become statistics: per variant, per comparison, with a verdict.
//!
//! [`input`] reads the rounds, [`experiment`] orders them and sets aside what does not count,
//! [`describe`] is polars over the variants, [`pairs`] and [`compare`] are the inference,
//! [`warnings`] says what limits it, [`published`] is what others found; [`tables`], [`render`] and
//! [`csv_file`] write it down.

mod cli;
mod compare;
mod csv_file;
mod describe;
mod experiment;
mod file_csv;
mod file_tables;
mod files;
mod grid;
mod input;
mod intervals;
mod intervals_table;
pub mod latency;
pub mod latency_table;
mod loss;
mod metric;
pub mod number;
mod pairs;
mod published;
pub mod published_table;
mod ranking;
mod render;
mod restores;
mod round_columns;
mod sentence;
mod sparse_histogram;
mod summary;
pub mod tables;
#[cfg(test)]
mod testing;
mod warnings;

pub use cli::{Args, FailIf, Format, Selection, TableName};
pub use csv_file::dialect::{CsvArgs, Decimal, Separator};
pub use describe::describe;
pub use experiment::{Experiment, Run};
pub use grid::{Grid, GridColumn, printable};
pub use metric::{DisplayUnit, MB, Metric, Sense};
pub use pairs::{Pair, Pairs, pair_up};
pub use published::{Publication, Published};
pub use restores::Against;
pub use sentence::{sentence, verdict_word};
pub use summary::Summary;

use records::stage::{Stage, StageResult};
use records::{ComparisonVerdict, ExitStatus, Failure, FailureCode, Record};
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

const PROGRAM: &str = "summarize";

/// The width of tables for people where `COLUMNS` does not say.
const COLUMNS: u16 = 80;

/// Runs the program and gives its exit code.
#[must_use]
pub fn run(args: &Args) -> ExitCode {
    if args.format == Format::Jsonl {
        records::stage::run(PROGRAM, |stage| summarize(stage, args))
    } else {
        records::stage::run_for_people(PROGRAM, |stage| summarize(stage, args))
    }
}

fn summarize(stage: &mut Stage, args: &Args) -> StageResult<ExitStatus> {
    args.check()?;
    let mut selection = args.selection.clone();
    selection.intervals = args.tables.contains(&TableName::Intervals);
    selection.figures_only = args.asks_for_figures_only();
    let Analysis { summaries, status } = analyse(PROGRAM, &selection)?;
    write(stage, args, &summaries)?;
    if status == ExitStatus::Success && gate(args, &summaries) {
        return Ok(ExitStatus::Gate);
    }
    Ok(status)
}

/// What streams come to.
pub struct Analysis {
    /// Each experiment, in the order in which they first appear.
    pub summaries: Vec<Summary>,
    /// The exit code where nothing else decides it: lines that could not be read and stages that
    /// failed show in it.
    pub status: ExitStatus,
}

/// Reads the streams for `program` and works out the statistics of every experiment in them. Every
/// program that shows statistics shows these.
///
/// # Errors
/// A stream cannot be read, holds no round, or none of what was asked for.
pub fn analyse(program: &str, selection: &Selection) -> StageResult<Analysis> {
    let publications = published::read(&selection.published)?;
    let mut input = input::read(program, &selection.files, selection.intervals)?;
    let intervals = std::mem::take(&mut input.intervals);
    let (status, repeated) = (input.status, input.repeated);
    let names = input.experiment_names();
    let experiments = Experiment::sort(input, selection.experiment.as_deref());
    check_names(selection, &experiments, &names)?;
    check_publications(&publications, &names)?;
    let summaries = experiments
        .into_iter()
        .map(|experiment| Summary::new(experiment, selection, repeated, &publications, &intervals))
        .collect::<Result<Vec<_>, _>>()?;
    Ok(Analysis { summaries, status })
}

/// Refuses an experiment or a baseline that no round has.
fn check_names(
    selection: &Selection,
    experiments: &[Experiment],
    names: &[String],
) -> Result<(), Failure> {
    if let (Some(name), true) = (&selection.experiment, experiments.is_empty()) {
        return Err(Failure::new(
            FailureCode::BadInput,
            format!("no round is of experiment {name}"),
        )
        .remedy(format!("There are rounds of: {}.", names.join(", "))));
    }
    let variants: Vec<&String> = experiments
        .iter()
        .flat_map(|experiment| &experiment.variants)
        .collect();
    if let Some(name) = selection
        .baseline
        .as_ref()
        .filter(|name| !variants.contains(name))
    {
        let known: Vec<&str> = variants.iter().map(|variant| variant.as_str()).collect();
        return Err(
            Failure::new(FailureCode::Usage, format!("no round is of variant {name}"))
                .remedy(format!("--baseline takes one of: {}.", known.join(", "))),
        );
    }
    Ok(())
}

/// Refuses published figures of an experiment that no round is of.
fn check_publications(publications: &[Publication], names: &[String]) -> Result<(), Failure> {
    let stranger = publications
        .iter()
        .find(|publication| !names.iter().any(|name| publication.concerns(name)));
    match stranger {
        None => Ok(()),
        Some(publication) => Err(Failure::new(
            FailureCode::BadInput,
            format!(
                "--published has figures of {}, and no round is of that",
                publication.experiment
            ),
        )
        .remedy(format!("There are rounds of: {}.", names.join(", ")))),
    }
}

fn write(stage: &mut Stage, args: &Args, summaries: &[Summary]) -> StageResult {
    let tables = |summary: &Summary| args.tables(summary);
    match args.format {
        Format::Table => {
            let texts: Vec<String> = summaries
                .iter()
                .map(|summary| render::text(summary, &tables(summary), width(), colour()))
                .collect();
            stage.output().write_all(texts.join("\n").as_bytes())?;
        }
        Format::Md => {
            let pages: Vec<String> = summaries
                .iter()
                .map(|summary| render::markdown_page(summary, &tables(summary)))
                .collect();
            stage.output().write_all(pages.join("\n").as_bytes())?;
        }
        Format::Csv => {
            // One table, over all experiments.
            let table = args.tables.first().copied().unwrap_or(TableName::Rounds);
            csv_file::write(summaries, table, args.csv.dialect()?, stage.output())?;
        }
        Format::Jsonl => {
            for summary in summaries {
                emit(stage, summary, &tables(summary))?;
            }
        }
    }
    stage.output().flush()?;
    Ok(())
}

/// The records that tables are made of, each once.
fn emit(stage: &mut Stage, summary: &Summary, tables: &[TableName]) -> StageResult {
    use TableName::{
        Comparison, FileAverages, FilePasses, FileTotals, Intervals, Latency, Published, Rounds,
        Speed, Variants, Verdict,
    };
    let any = |of: &[TableName]| tables.iter().any(|table| of.contains(table));
    if any(&[Rounds, FilePasses]) {
        for run in &summary.experiment.rounds {
            stage.emit(&Record::Round(Box::new(run.round.clone())))?;
        }
    }
    if any(&[FileAverages, FileTotals]) {
        for file in &summary.files {
            stage.emit(&Record::FileSummary(Box::new(file.clone())))?;
        }
    }
    if any(&[Variants]) {
        for variant in &summary.variants {
            stage.emit(&Record::VariantSummary(Box::new(variant.clone())))?;
        }
    }
    if any(&[Speed]) {
        for speed in &summary.speeds {
            stage.emit(&Record::VariantSummary(Box::new(speed.clone())))?;
        }
    }
    if any(&[Latency]) {
        for latency in &summary.latencies.variants {
            stage.emit(&Record::LatencySummary(Box::new(latency.summary.clone())))?;
        }
    }
    if any(&[Intervals]) {
        for intervals in &summary.intervals {
            stage.emit(&Record::IntervalSummary(Box::new(intervals.clone())))?;
        }
    }
    if any(&[Comparison, Verdict]) {
        for comparison in &summary.comparisons {
            stage.emit(&Record::Comparison(Box::new(comparison.clone())))?;
        }
        for place in &summary.ranking {
            stage.emit(&Record::Ranking(Box::new(place.clone())))?;
        }
    }
    if any(&[Published]) {
        for row in summary
            .published
            .iter()
            .flat_map(|published| &published.rows)
        {
            stage.emit(&Record::PublishedFigure(Box::new(row.clone())))?;
        }
    }
    Ok(())
}

/// Whether a headline verdict is one that was to fail; nothing to compare is inconclusive.
fn gate(args: &Args, summaries: &[Summary]) -> bool {
    let mut verdicts: Vec<ComparisonVerdict> = Vec::new();
    for summary in summaries {
        let headlines = summary
            .comparisons
            .iter()
            .filter(|comparison| comparison.headline);
        verdicts.extend(headlines.map(|comparison| comparison.verdict));
        if summary.comparisons.is_empty() {
            verdicts.push(ComparisonVerdict::Inconclusive);
        }
    }
    let named = |verdict: &ComparisonVerdict| args.fail_if.iter().any(|fail| fail.names(*verdict));
    verdicts.iter().any(named)
}

fn width() -> u16 {
    std::env::var("COLUMNS")
        .ok()
        .and_then(|columns| columns.parse().ok())
        .filter(|columns| (40..=400).contains(columns))
        .unwrap_or(COLUMNS)
}

/// Colour only on a terminal, and never under `NO_COLOR` (<https://no-color.org>).
fn colour() -> bool {
    let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    io::stdout().is_terminal() && !refused && !dumb
}
