//! The command line.

use crate::charts::NAMES;
use clap::Parser;
use clap::builder::{PossibleValue, PossibleValuesParser};
use records::ExitStatus;
use summarize::Selection;

/// Rounds become one page: the verdict, charts, and all that decided them
///
/// Reads streams with `round` records (other records are skipped) and writes one HTML page that
/// needs no network and no script: the verdict and what limits it, the rounds in their order, the
/// differences within pairs, each ratio with its interval, waits, log writes, latency, files,
/// restores and losses where the rounds have them, and at the end server and settings. It follows
/// light and dark, prints, fits a phone, and can be read without colour. A chart without data is
/// left out; the numbers of each chart stand under it.
///
/// The statistics are those of `summarize`, made by the same code with the same options.
#[derive(Debug, Parser)]
#[command(name = "report", version, after_help = SEE_LONG, after_long_help = format!("{EXAMPLES}\n{}", ExitStatus::HELP))]
pub struct Args {
    /// Which rounds, and how they are compared.
    #[command(flatten)]
    pub selection: Selection,
    /// Only this chart, as an SVG file
    #[arg(long, value_name = "NAME", value_parser = chart_names(), hide_possible_values = false)]
    pub svg: Option<String>,
}

fn chart_names() -> PossibleValuesParser {
    PossibleValuesParser::new(NAMES.map(|(name, help)| PossibleValue::new(name).help(help)))
}

const SEE_LONG: &str = "The names of charts, examples and the exit codes: --help";

const EXAMPLES: &str = "\
Examples:
  report < rounds.jsonl > report.html
  report --baseline FULL results/recovery-model/stream.jsonl > report.html
  report --experiment recovery-model --svg intervals < rounds.jsonl > intervals.svg
";
