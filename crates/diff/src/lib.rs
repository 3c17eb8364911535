//! Two snapshots, and the load between them, become one flat round.
//!
//! [`collect`] finds what belongs together, [`counters`] tells whether the server's counters ran
//! through, [`conditions`] holds what surrounds the round, [`figures`] takes the differences, [`round`] puts the record together.

mod cli;
mod collect;
mod conditions;
mod counters;
mod figures;
mod round;

pub use cli::Args;
pub use round::make_round;

use collect::{Collector, Measured};
use records::stage::{Stage, StageResult, defer_interrupts};
use records::stream::{open_files, read_records};
use records::{ExitStatus, Failure, FailureCode, Reason, Record, Validity};
use std::path::Path;
use std::process::ExitCode;

const PROGRAM: &str = "diff";

/// Runs the program and gives its exit code.
#[must_use]
pub fn run(args: &Args) -> ExitCode {
    records::stage::run(PROGRAM, |stage| match (&args.before, &args.after) {
        (Some(before), Some(after)) => compare_files(stage, before, after),
        _ => filter(stage, args),
    })
}

/// Passes the stream on and adds a round for each trial that has none yet.
fn filter(stage: &mut Stage, args: &Args) -> StageResult<ExitStatus> {
    let interrupts = defer_interrupts()?;
    let mut collector = Collector::default();
    stage.pass_on(args.input.open(), |record| collector.add(record))?;
    let mut status = ExitStatus::Success;
    let mut missing = None;
    for found in collector.finish()? {
        match found {
            Ok(measured) => status = write_round(stage, &measured, status)?,
            Err(failure) => {
                missing.get_or_insert(failure);
            }
        }
    }
    missing.map_or(Ok(interrupts.status_or(status)), |failure| {
        Err(failure.into())
    })
}

/// Writes the round from the last snapshot of one file to the last snapshot of the other.
fn compare_files(stage: &mut Stage, before: &Path, after: &Path) -> StageResult<ExitStatus> {
    let (snapshot_before, _) = last_of(before)?;
    let (snapshot_after, load) = last_of(after)?;
    stage.trial.clone_from(&snapshot_after.header.trial);
    stage.target.clone_from(&snapshot_after.header.target);
    let measured = Measured {
        before: snapshot_before,
        load,
        more_loads: 0,
        after: snapshot_after,
    };
    write_round(stage, &measured, ExitStatus::Success)
}

type Last = (Box<records::Snapshot>, Option<Box<records::Load>>);

/// The last snapshot of a file and the last load before it.
fn last_of(path: &Path) -> StageResult<Last> {
    let mut snapshot = None;
    let mut load = None;
    let mut load_so_far = None;
    for (name, input) in open_files(&[path.to_path_buf()])? {
        let upstream = read_records(PROGRAM, input, |record| match record {
            Record::Load(record) => load_so_far = Some(record),
            Record::Snapshot(record) => {
                load = load_so_far.take();
                snapshot = Some(record);
            }
            _ => {}
        })?;
        upstream.check().map_err(|mut failure| {
            failure.message = format!("{name}: {}", failure.message);
            failure
        })?;
    }
    let snapshot = snapshot.ok_or_else(|| {
        Failure::new(
            FailureCode::BadInput,
            format!("{} holds no snapshot", path.display()),
        )
        .remedy("Write one with: snapshot > FILE")
    })?;
    Ok((snapshot, load))
}

/// Writes one round; the status becomes [`ExitStatus::InvalidRound`] where it cannot be trusted.
fn write_round(
    stage: &mut Stage,
    measured: &Measured,
    status: ExitStatus,
) -> StageResult<ExitStatus> {
    let round = make_round(
        &measured.before,
        measured.load.as_deref(),
        measured.more_loads,
        &measured.after,
    )?;
    let valid = round.validity == Validity::Valid;
    if !valid {
        let failure = Failure::new(
            FailureCode::InvalidRound,
            format!(
                "{} cannot be trusted: {}",
                collect::name_of(&round.header),
                Reason::first_details(&round.reasons).join("; ")
            ),
        )
        .remedy("The round is in the output, marked; summarize sets it aside. Run it again.");
        records::stage::say(PROGRAM, &failure);
    }
    stage.emit(&Record::Round(Box::new(round)))?;
    Ok(if valid {
        status
    } else {
        ExitStatus::InvalidRound
    })
}
