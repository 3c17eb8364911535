//! The command line.

use crate::csv_file::dialect::CsvArgs;
use crate::metric::Metric;
use crate::summary::Summary;
use clap::{Parser, ValueEnum};
use records::{ComparisonVerdict, ExitStatus};
use std::path::PathBuf;

/// Rounds become statistics: per variant, per comparison, with a verdict
///
/// Reads streams with `round` records (other records are skipped) and says what the rounds, the
/// variants and their comparison come to. The unit is the round. Rounds of two variants in one
/// block are a pair; what is compared is the ratio within a pair.
///
/// The verdict on a variant: faster or slower (lower or higher, where the metric is no time) where
/// the exact two-sided sign-flip test of the mean log ratio rejects at 1 - CONFIDENCE; equivalent
/// where the whole interval of the ratio lies inside the floor; otherwise inconclusive, with the
/// number of pairs that it would take. The ratio is the Hodges-Lehmann estimate and the interval
/// is the test inverted. The first metric is the headline; p is corrected after Holm over the
/// variants for the headline, and over variants and metrics for the others. Six pairs are the
/// least that can be significant at 95 %.
///
/// Rounds that are invalid or partial, and values that are null, are set aside and counted.
/// Values far from the others are flagged and kept.
#[derive(Debug, Parser)]
#[command(name = "summarize", version, after_help = SEE_LONG, after_long_help = format!("{NOTES}\n{}", ExitStatus::HELP))]
pub struct Args {
    /// How to write it
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
    /// Which tables; may be repeated [default: rounds, variants, latency where rounds have it,
    /// comparison; of write-speed those of files; csv: rounds; jsonl: variants, latency, comparison]
    #[arg(long = "table", value_enum)]
    pub tables: Vec<TableName>,
    /// How a CSV is written.
    #[command(flatten)]
    pub csv: CsvArgs,
    /// Which rounds, and how they are compared.
    #[command(flatten)]
    pub selection: Selection,
    /// Exit with 9 where the headline's verdict is this; may be repeated
    #[arg(long, value_enum)]
    pub fail_if: Vec<FailIf>,
}

/// Which rounds to read, and how to compare them; the same in every program that does.
#[derive(Clone, Debug, clap::Args)]
pub struct Selection {
    /// Streams to read (- is standard input) [default: standard input]
    pub files: Vec<PathBuf>,
    /// Figures that were published, to print beside ours (a JSON file); once an experiment
    #[arg(long, value_name = "FILE")]
    pub published: Vec<PathBuf>,
    /// Only this experiment
    #[arg(long)]
    pub experiment: Option<String>,
    /// Words for the title, after the experiment's name
    #[arg(long, value_name = "WORDS")]
    pub title: Option<String>,
    /// The metrics to compare; the first is the headline.
    #[arg(long = "metric", value_parser = metric, help = METRIC_HELP)]
    pub metrics: Vec<Metric>,
    /// The variant that the others are compared with [default: that of the first round]
    #[arg(long)]
    pub baseline: Option<String>,
    /// The largest difference that does not matter: 0.02 is 2 %
    #[arg(long, default_value_t = 0.02, value_parser = floor)]
    pub floor: f64,
    /// The confidence of the intervals; the level of the tests is 1 less this
    #[arg(long, default_value_t = 0.95, value_parser = confidence)]
    pub confidence: f64,
    /// Whether intervals are added up.
    #[arg(skip)]
    pub intervals: bool,
    /// Whether no verdict is asked for, so that nothing is compared.
    #[arg(skip)]
    pub figures_only: bool,
}

const METRIC_HELP: &str = "A metric to compare, a field of the round; may be repeated, the first is the \
    headline [default: elapsed_ms, log_bytes_written, writelog_wait_ms]";

const SEE_LONG: &str = "Examples, the CSV's rules and the exit codes: --help";

const NOTES: &str = "\
Units:
  1 MB is 1,048,576 bytes in tables for people. CSV and JSON Lines hold the
  records' own units, which the names end with.

CSV:
  RFC 4180: UTF-8, one rectangular table, a head, one unit a column, lines ended
  by CRLF, cells in quotes where they must be. Numbers are bare, a missing value
  is empty. Times are UTC without a zone (2025-03-01 09:00:02.500), the form that
  spreadsheets take as times. A text that would begin a formula (= + - @, a tab,
  a line break) gets an apostrophe in front. A round is found by its series and
  run: tables for people call them 2.10. Spreadsheets keep 15 digits of a number.
  Excel opens a CSV by a double click only as its language has them:
  English --csv-bom; German, French, Spanish … --csv-bom --csv-decimal comma.

Examples:
  summarize < rounds.jsonl
  summarize --format csv --table rounds < rounds.jsonl > rounds.csv
  summarize --format csv --csv-bom --csv-decimal comma < rounds.jsonl > excel.csv
  summarize --format md monday.jsonl tuesday.jsonl >> report.md
  summarize --metric elapsed_ms --floor 0.05 --fail-if slower < rounds.jsonl
";

/// How to write it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Text for a terminal, 80 columns wide.
    Table,
    /// Records, one a line.
    Jsonl,
    /// One table for a spreadsheet.
    Csv,
    /// Markdown.
    Md,
}

/// A table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TableName {
    /// Each round.
    Rounds,
    /// Each variant.
    Variants,
    /// Each variant against the baseline.
    Comparison,
    /// The sentences of the comparison alone.
    Verdict,
    /// The figures of --published beside ours.
    Published,
    /// Each file: averages a round.
    FileAverages,
    /// Each file: totals over the rounds.
    FileTotals,
    /// Each file in each round.
    FilePasses,
    /// Each variant: how fast data files were written.
    Speed,
    /// Each variant: latencies of all its requests, from the rounds' distributions added up.
    Latency,
    /// Each variant: how evenly the load ran inside its rounds (loadgen --interval).
    Intervals,
}

/// A verdict that is to fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FailIf {
    /// A variant is slower than the baseline.
    Slower,
    /// A variant is faster than the baseline.
    Faster,
    /// Neither could be shown, or there was nothing to compare.
    Inconclusive,
}

impl FailIf {
    /// Whether it names this verdict.
    #[must_use]
    pub fn names(self, verdict: ComparisonVerdict) -> bool {
        matches!(
            (self, verdict),
            (Self::Slower, ComparisonVerdict::Slower)
                | (Self::Faster, ComparisonVerdict::Faster)
                | (Self::Inconclusive, ComparisonVerdict::Inconclusive)
        )
    }
}

impl Args {
    /// Refuses more tables than a format holds.
    ///
    /// # Errors
    /// CSV holds one table and more were asked for.
    pub fn check(&self) -> Result<(), records::Failure> {
        if self.format != Format::Csv && self.csv.any() {
            return Err(records::Failure::new(
                records::FailureCode::Usage,
                "--csv-separator, --csv-decimal and --csv-bom say how a CSV is written, and none is",
            )
            .remedy("Add --format csv, or leave them out."));
        }
        self.csv.dialect()?;
        if self.format == Format::Csv && self.tables.len() > 1 {
            return Err(records::Failure::new(
                records::FailureCode::Usage,
                "a CSV file holds one table, and more than one --table was given",
            )
            .remedy("Run summarize once for each."));
        }
        if self.tables.contains(&TableName::Published) && self.selection.published.is_empty() {
            return Err(records::Failure::new(
                records::FailureCode::Usage,
                "--table published needs published figures",
            )
            .remedy("Name the file that holds them: --published FILE."));
        }
        Ok(())
    }

    /// Whether what is asked for has no comparison in it: tables of figures for other programs.
    pub(crate) fn asks_for_figures_only(&self) -> bool {
        let comparing = [TableName::Comparison, TableName::Verdict];
        let compares = match self.format {
            Format::Table | Format::Md => true,
            // Where no table is named, JSON Lines hold the comparison and CSV does not.
            Format::Jsonl if self.tables.is_empty() => true,
            Format::Jsonl | Format::Csv => {
                self.tables.iter().any(|table| comparing.contains(table))
            }
        };
        !compares && self.fail_if.is_empty()
    }

    /// The tables to write of an experiment.
    #[must_use]
    pub fn tables(&self, summary: &Summary) -> Vec<TableName> {
        use TableName::{
            Comparison, FileAverages, FilePasses, FileTotals, Latency, Published, Rounds, Speed,
            Variants,
        };
        let experiment = summary.experiment.name.as_str();
        let variants = summary.experiment.variants.len();
        let mut tables = match (self.tables.is_empty(), self.format) {
            (false, _) => self.tables.clone(),
            (true, Format::Csv) => vec![Rounds],
            (true, Format::Jsonl) => vec![Variants, Latency, Comparison],
            (true, Format::Table | Format::Md) if experiment == "write-speed" => {
                vec![
                    FileAverages,
                    FileTotals,
                    FilePasses,
                    Speed,
                    Variants,
                    Comparison,
                ]
            }
            (true, Format::Table | Format::Md) => vec![Rounds, Variants, Latency, Comparison],
        };
        if self.tables.is_empty() && !summary.latencies.tell_something() {
            tables.retain(|table| *table != Latency);
        }
        if self.tables.is_empty() && experiment == "write-speed" && variants < 2 {
            // One storage by itself is a whole answer there: nothing is missing.
            tables.retain(|table| *table != Comparison);
        }
        // A CSV is one table; the others show what was asked for by naming the file.
        if self.format != Format::Csv
            && !self.selection.published.is_empty()
            && !tables.contains(&Published)
        {
            tables.push(Published);
        }
        tables
    }
}

fn metric(name: &str) -> Result<Metric, String> {
    Metric::named(name)
        .ok_or_else(|| format!("no such metric; there are: {}", Metric::names().join(", ")))
}

fn floor(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(value) if (0.0..=10.0).contains(&value) => Ok(value),
        _ => Err("a share from 0 to 10, such as 0.02 for 2 %".to_owned()),
    }
}

fn confidence(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(value) if (0.5..=0.999_999).contains(&value) => Ok(value),
        _ => Err("a share from 0.5 to 0.999999, such as 0.95".to_owned()),
    }
}
