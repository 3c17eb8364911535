//! Rounds and their statistics become one self-contained page with charts.
//!
//! The statistics are `summarize`'s own. [`charts`] has one file for each chart, drawn by
//! [`canvas`] (plotters) over [`axis`]; [`theme`] has the colours; [`page`] and [`svg`] write HTML
//! and SVG (maud, which escapes every text); [`settings`] is the list at the end.

mod axis;
mod canvas;
mod chart;
mod charts;
mod cli;
mod page;
mod settings;
mod svg;
mod theme;

pub use cli::Args;

use records::stage::{Stage, StageResult};
use records::{ExitStatus, Failure, FailureCode};
use std::io::Write;
use std::process::ExitCode;
use summarize::{Analysis, Summary, analyse};

const PROGRAM: &str = "report";

/// Runs the program and gives its exit code.
#[must_use]
pub fn run(args: &Args) -> ExitCode {
    records::stage::run_for_people(PROGRAM, |stage| report(stage, args))
}

fn report(stage: &mut Stage, args: &Args) -> StageResult<ExitStatus> {
    let Analysis { summaries, status } = analyse(PROGRAM, &args.selection)?;
    let text = match &args.svg {
        Some(name) => single_chart(&summaries, name)?,
        None => page::page(&summaries)?,
    };
    stage.output().write_all(text.as_bytes())?;
    stage.output().flush()?;
    Ok(status)
}

/// One chart as a file of its own; of several experiments it must be told of which.
fn single_chart(summaries: &[Summary], name: &str) -> Result<String, Failure> {
    let mut found = Vec::new();
    for summary in summaries {
        if let Some(chart) = charts::named(summary, name)? {
            found.push((summary.experiment.name.as_str(), chart));
        }
    }
    match found.as_slice() {
        [(_, chart)] => Ok(svg::file(chart)),
        [] => Err(Failure::new(
            FailureCode::BadInput,
            format!("the rounds have nothing to draw for the chart {name}"),
        )
        .remedy("Without --svg, the page has every chart that there is data for.")),
        several => {
            let names: Vec<&str> = several.iter().map(|(name, _)| *name).collect();
            Err(Failure::new(
                FailureCode::Usage,
                format!("{} experiments have a chart {name}", several.len()),
            )
            .remedy(format!("Choose by --experiment: {}.", names.join(", "))))
        }
    }
}
