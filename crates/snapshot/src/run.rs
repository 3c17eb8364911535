//! The stage: pass the input on, then read once.

use crate::args::Args;
use crate::clock;
use records::stage::{Stage, StageResult, defer_interrupts};
use records::{ExitStatus, Failure, FailureCode, Record, Server, Snapshot};
use sqlserver::readings::{Counters, States, Surroundings};
use sqlserver::{Connection, DatabaseName, Environment, NameError, Settings, SqlError};
use sqlserver::{block_on, mark, probe, readings, texts};
use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

/// How long one statement may take where the user says nothing.
const STATEMENT_LIMIT: Duration = Duration::from_mins(1);

/// Passes the input on, takes one reading and writes it.
///
/// # Errors
/// A stage before failed, the server cannot be reached, or a reading that must be there is not.
pub fn run(stage: &mut Stage, args: &Args) -> StageResult<ExitStatus> {
    let interrupts = defer_interrupts()?;
    // A snapshot that follows one of the same round closes it, and a load between them too.
    let mut closes = false;
    stage.pass_on(args.input.open(), |record| match record {
        Record::Snapshot(_) | Record::Load(_) => closes = true,
        Record::Round(_) => closes = false,
        _ => {}
    })?;
    let settings = Settings::resolve(
        stage.program(),
        &args.connection,
        stage.target.as_ref(),
        &Environment::of_process(),
    )?;
    for warning in &settings.warnings {
        // Nothing can be done where standard error is closed.
        let _ = writeln!(std::io::stderr(), "{}: {warning}", stage.program());
    }
    stage.target = Some(settings.target()?);
    let database: DatabaseName = settings.database()?.parse().map_err(|error: NameError| {
        Failure::new(FailureCode::Usage, error.to_string()).remedy("Name the database with -d.")
    })?;
    if args.checkpoint {
        mark::refuse_system(&database)?;
    }
    let snapshot = block_on(read(stage, args, &Arc::new(settings), &database, closes))?;
    stage.emit(&Record::Snapshot(Box::new(snapshot)))?;
    Ok(interrupts.status_or(ExitStatus::Success))
}

async fn read(
    stage: &mut Stage,
    args: &Args,
    settings: &Arc<Settings>,
    database: &DatabaseName,
    closes: bool,
) -> Result<Snapshot, Failure> {
    let reading = |what: &'static str| {
        move |error: SqlError| error.failure(&format!("reading {what} of `{database}`"))
    };
    let mut connection = Connection::open(settings).await?;
    connection.set_deadline(settings.query_limit(Some(STATEMENT_LIMIT)));
    let server = probe::server(&mut connection)
        .await
        .map_err(reading("the server's version, before the counters,"))?;
    stage.server = Some(server.clone());
    if args.checkpoint {
        // Before the counters: a refusal must not leave a record that looks like a reading.
        mark::require(&mut connection, database, args.adopt.as_deref()).await?;
    }

    // Outside what the two snapshots enclose, so that this reading is no part of the round.
    let before = if closes || args.checkpoint {
        None
    } else {
        Some(surroundings(&mut connection, &server).await?)
    };
    let counters = readings::counters(&mut connection, &server)
        .await
        .map_err(reading("the counters"))?;
    let client_monotonic_ns = clock::monotonic_ns();
    if args.checkpoint {
        connection
            .run(&texts::database::checkpoint().sql)
            .await
            .map_err(|error| error.failure(&format!("the checkpoint in `{database}`")))?;
    }
    let states = readings::states(&mut connection, &server)
        .await
        .map_err(reading("the states"))?;
    let surroundings = match before {
        Some(surroundings) => surroundings,
        None => surroundings(&mut connection, &server).await?,
    };
    connection.close().await;
    Ok(record(
        stage,
        args,
        counters,
        states,
        surroundings,
        client_monotonic_ns,
    ))
}

async fn surroundings(
    connection: &mut Connection,
    server: &Server,
) -> Result<Surroundings, Failure> {
    readings::surroundings(connection, server)
        .await
        .map_err(|error| error.failure("reading the conditions"))
}

fn record(
    stage: &Stage,
    args: &Args,
    counters: Counters,
    states: States,
    surroundings: Surroundings,
    client_monotonic_ns: u64,
) -> Snapshot {
    let mut unavailable = counters.unavailable;
    unavailable.extend_from_slice(&states.unavailable);
    unavailable.extend_from_slice(&surroundings.unavailable);
    Snapshot {
        header: stage.header(),
        client_monotonic_ns,
        client_boot_id: clock::boot_id(),
        server_time: counters.server_time,
        server_start_time: counters.server_start_time,
        checkpoint: args.checkpoint,
        files: counters.files,
        waits: counters.waits,
        performance_counters: counters.performance_counters,
        conditions: Some(surroundings.with(&states)),
        others: Some(surroundings.others),
        database: states.database,
        unavailable,
    }
}
