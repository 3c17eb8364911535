//! The stage: pass on, read the journal, wait for the server, compare, write the record.

use crate::args::Args;
use crate::journal::{self, Journal};
use crate::upstream::Before;
use crate::{round, table};
use records::stage::{self, Interrupts, Stage, StageResult};
use records::{ExitStatus, Failure, FailureCode, Record, Validity};
use sqlserver::{Environment, NameError, Settings, TableName};
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

/// Runs the stage.
///
/// # Errors
/// A stage before failed, there is no journal or none of this round, the server did not come back,
/// or the table holds rows that nobody sent.
pub fn run(stage: &mut Stage, args: &Args) -> StageResult<ExitStatus> {
    let interrupts = stage::defer_interrupts()?;
    let mut before = Before::default();
    stage.pass_on(args.input.open(), |record| before.note(record))?;
    let path = journal_path(args, &before)?;
    let mut journal = journal::open(&path)?;
    belong_together(stage, &before, &journal)?;
    if stage.trial.is_none() {
        stage.trial.clone_from(&journal.header.trial);
    }
    if stage.target.is_none() {
        stage.target.clone_from(&journal.header.target);
    }
    let settings = Arc::new(Settings::resolve(
        stage.program(),
        &args.connection,
        stage.target.as_ref(),
        &Environment::of_process(),
    )?);
    for warning in &settings.warnings {
        // Nothing can be done where standard error is closed.
        let _ = writeln!(std::io::stderr(), "{}: {warning}", stage.program());
    }
    stage.target = Some(settings.target()?);
    let round = sqlserver::block_on(audit(
        stage,
        args,
        &settings,
        &before,
        &mut journal,
        &interrupts,
    ))?;
    let alarm = round::alarm(&round);
    let status = match (&alarm, round.validity) {
        (Some(_), _) => ExitStatus::Lost,
        (None, Validity::Valid) => ExitStatus::Success,
        (None, Validity::Partial) => ExitStatus::Interrupted,
        (None, Validity::Invalid) => ExitStatus::InvalidRound,
    };
    if round.validity != Validity::Valid {
        stage::say(stage.program(), &round::distrust(&round));
    }
    if let Some(alarm) = alarm {
        let failure = Failure::new(FailureCode::Failed, alarm).remedy(
            "Check what is between the server and its disk (write caches, virtual disks, settings \
             that skip flushes), and DBCC CHECKDB.",
        );
        stage::say(stage.program(), &failure);
    } else if let Some(loss) = &round.loss {
        // Nothing can be done where standard error is closed.
        let _ = writeln!(
            std::io::stderr(),
            "{}: {}",
            stage.program(),
            round::summary(loss)
        );
    }
    stage.emit(&Record::Round(Box::new(round)))?;
    Ok(match status {
        ExitStatus::Lost => ExitStatus::Lost,
        status => interrupts.status_or(status),
    })
}

fn journal_path(args: &Args, before: &Before) -> Result<PathBuf, Failure> {
    let named = || {
        let load = before.load.as_ref()?;
        load.journal.as_ref().map(PathBuf::from)
    };
    args.journal.clone().or_else(named).ok_or_else(|| {
        Failure::new(
            FailureCode::Usage,
            "there is no journal: no load record names one, and --journal was not given",
        )
        .remedy("Give loadgen --journal FILE, or name the journal with --journal FILE here.")
    })
}

/// Refuses a journal of another round, and one that lacks what loadgen counted.
fn belong_together(stage: &Stage, before: &Before, journal: &Journal) -> Result<(), Failure> {
    if let (Some(here), Some(there)) = (&stage.trial, &journal.header.trial)
        && here.id != there.id
    {
        return Err(Failure::new(
            FailureCode::BadInput,
            format!(
                "the journal is of another round: {} ({}), id {}",
                there.round, there.variant, there.id
            ),
        )
        .remedy("Name this round's journal with --journal."));
    }
    let written = journal.ledger.acknowledged();
    if let Some(load) = &before.load
        && load.transactions != written
    {
        return Err(Failure::new(
            FailureCode::BadInput,
            format!(
                "the journal holds {written} acknowledgements, and loadgen counted {}",
                load.transactions
            ),
        )
        .remedy("It is not that load's journal, or it was changed. Run the round again."));
    }
    Ok(())
}

async fn audit(
    stage: &mut Stage,
    args: &Args,
    settings: &Arc<Settings>,
    before: &Before,
    journal: &mut Journal,
    interrupts: &Interrupts,
) -> Result<records::Round, Failure> {
    let table: TableName = journal.header.table.parse().map_err(|error: NameError| {
        Failure::new(
            FailureCode::BadInput,
            format!("the journal names a table that cannot be one: {error}"),
        )
    })?;
    let (mut connection, server) = table::connect(settings, args.wait, interrupts).await?;
    stage.server = Some(server.clone());
    let found = table::read(&mut connection, &server, &table, &mut journal.ledger).await?;
    connection.close().await;
    let setting = found.database.delayed_durability.as_deref();
    // Where it is unknown the round is invalid, and nothing is alarmed about.
    let promised = round::promise(setting, journal.header.durability).unwrap_or(false);
    let loss = journal.ledger.figures(promised);
    Ok(round::round(stage, before, found, journal, loss))
}
