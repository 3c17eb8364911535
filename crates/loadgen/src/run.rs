//! The stage: pass on, look, load, look again, write the record.

use crate::args::{Args, Durability};
use crate::assess::{self, RowCheck};
use crate::client_cpu;
use crate::crew::{self, RunOutcome, StopCause};
use crate::durability;
use crate::expected_crash;
use crate::intervals;
use crate::journal::Journal;
use crate::outcome::{self, RowsOf};
use crate::progress::Progress;
use crate::request::Request;
use crate::session;
use crate::trouble;
use crate::worker::Orders;
use crate::workload::{Extent, Workload};
use records::stage::{self, Stage, StageResult};
use records::{
    ExitStatus, Failure, FailureCode, JournalHeader, Load, LoadShape, Reason, Record, ScriptShape,
    Server, Validity,
};
use sqlserver::{Connection, DatabaseName, Environment, Settings, SqlError, TableName};
use std::io::Write as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long counting the rows may take where -t does not say.
const COUNT_DEADLINE: Duration = Duration::from_mins(5);

/// Runs the stage.
///
/// # Errors
/// Where nothing was measured: upstream failed, no connection, not our database, no transaction
/// acknowledged.
pub fn run(stage: &mut Stage, args: &Args) -> StageResult<ExitStatus> {
    let began = Instant::now();
    let interrupts = stage::defer_interrupts()?;
    let mut upstream_table = None;
    let mut upstream_source = None;
    stage.pass_on(args.input.open(), |record| {
        if let Record::Setup(setup) = record {
            upstream_table = setup.table;
            upstream_source = setup.source_table;
        }
    })?;
    if interrupts.requested() {
        return Err(before_the_load().into());
    }
    let (workload, extent) =
        args.workload(upstream_table.as_deref(), upstream_source.as_deref())?;
    let settings = Arc::new(Settings::resolve(
        stage.program(),
        &args.connection,
        stage.target.as_ref(),
        &Environment::of_process(),
    )?);
    if let Some(unused) = workload.script().map(|script| script.unused().join(", "))
        && !unused.is_empty()
    {
        let name = stage.program();
        let _ = writeln!(
            std::io::stderr(),
            "{name}: the script declares {unused} and does not use it"
        );
    }
    for warning in &settings.warnings {
        // Nothing can be done where standard error is closed.
        let _ = writeln!(std::io::stderr(), "{}: {warning}", stage.program());
    }
    stage.target = Some(settings.target()?);
    let deadline = began
        .checked_add(args.deadline)
        .ok_or_else(|| Failure::new(FailureCode::Usage, "--deadline is too long"))?;

    let before = sqlserver::block_on(look_before(stage, args, &settings, &workload))?;
    let (workload, rows_before) = match before.counted {
        Counted::Source(rows) => (workload.of_source_rows(rows), None),
        Counted::Table(rows) => (workload, Some(rows)),
        Counted::Nothing => (workload, None),
    };
    let orders = Orders {
        settings: Arc::clone(&settings),
        server: before.server,
        request: Request::of(&workload, args.workers),
        transactions_per_request: workload.transactions_per_request(),
        cancel: workload.runs_on_the_server(),
        flush_log: args.flush_log,
        extent,
        interval: args.interval,
        journal: begin_journal(stage, args, &workload)?,
    };
    let orders = Arc::new(orders);
    let mut progress = Progress::new(args.progress, args.workers, extent, &workload);
    let run = crew::run(&orders, args.workers, deadline, &interrupts, &mut progress)?;
    if let Some(journal) = &orders.journal {
        journal.check()?;
    }
    if run.workers.iter().all(|outcome| outcome.transactions == 0) {
        return Err(nothing_measured(&run, &workload).into());
    }
    let row_check = match (rows_before, workload.table()) {
        // The server is gone; what is in the table is for audit to say.
        _ if args.expect_crash => Ok(None),
        (Some(before), Some(table)) => sqlserver::block_on(count(&settings, table))
            .map(|after| Some(RowCheck { before, after })),
        _ => Ok(None),
    };
    let mut record = to_record(stage, args, &workload, extent, &run, row_check)?;
    record.reasons.extend(before.remark);
    let status = if args.expect_crash && expected_crash::happened(&run) {
        ExitStatus::Success
    } else {
        tell(stage.program(), &record, &run)
    };
    if let Some(every) = args.interval {
        let mut header = stage.header();
        (header.target, header.server) = (None, None);
        for interval in intervals::to_records(&run.workers, every, &header)? {
            stage.emit(&Record::Interval(Box::new(interval)))?;
        }
    }
    stage.emit(&Record::Load(Box::new(record)))?;
    Ok(interrupts.status_or(status))
}

/// The journal, where one was asked for: begun before the load, so that nothing is sent where it
/// cannot be written.
fn begin_journal(
    stage: &Stage,
    args: &Args,
    workload: &Workload,
) -> Result<Option<Journal>, Failure> {
    let Some(path) = &args.journal else {
        return Ok(None);
    };
    let header = JournalHeader {
        journal: records::SCHEMA,
        at: stage.header().at,
        trial: stage.trial.clone(),
        target: stage.target.clone(),
        table: workload
            .table()
            .map_or_else(String::new, ToString::to_string),
        workers: args.workers,
        durability: args.durability.unwrap_or(Durability::Full).into(),
    };
    Journal::begin(path, &header).map(Some)
}

/// What is known before the clock starts.
struct Before {
    server: Server,
    /// The rows that were counted.
    counted: Counted,
    /// What is odd about the load.
    remark: Option<Reason>,
}

/// Before the clock: what answers there, whether it may be written to, how many rows there are.
async fn look_before(
    stage: &mut Stage,
    args: &Args,
    settings: &Arc<Settings>,
    workload: &Workload,
) -> Result<Before, Failure> {
    let mut connection = Connection::open(settings).await?;
    let server = sqlserver::probe::server(&mut connection)
        .await
        .map_err(|error| error.failure("asking the server what it is"))?;
    stage.server = Some(server.clone());
    let database = database_name(settings)?;
    sqlserver::mark::require(&mut connection, &database, args.adopt.as_deref()).await?;
    let counted = if let Some(source) = workload.source() {
        // The pass itself holds its rows against this number. Counting reads the source, so that
        // no pass has to fetch it first where memory holds it.
        let rows = count_with(&mut connection, source).await?;
        Counted::Source(rows_to_copy(source, rows)?)
    } else {
        match workload.table() {
            Some(table) if !args.no_row_check => {
                Counted::Table(count_with(&mut connection, table).await?)
            }
            _ => Counted::Nothing,
        }
    };
    let remark = durability::not_delayed(&mut connection, workload.asks_for())
        .await
        .map_err(|error| error.failure("reading the database's delayed durability"))?;
    connection.close().await;
    Ok(Before {
        server,
        counted,
        remark,
    })
}

/// What was counted before the clock.
enum Counted {
    /// The rows that a pass copies.
    Source(u32),
    /// The rows of the table, to be held against those after the run.
    Table(i64),
    /// Nothing.
    Nothing,
}

fn rows_to_copy(source: &TableName, rows: i64) -> Result<u32, Failure> {
    u32::try_from(rows)
        .ok()
        .filter(|rows| *rows > 0)
        .ok_or_else(|| {
            Failure::new(
                FailureCode::Failed,
                format!("{source} has {rows} rows, which is nothing that one pass can copy"),
            )
            .remedy("Prepare it with setup-db --source-rows.")
        })
}

fn database_name(settings: &Settings) -> Result<DatabaseName, Failure> {
    settings
        .database()?
        .parse()
        .map_err(|error: sqlserver::NameError| Failure::new(FailureCode::Usage, error.to_string()))
}

async fn count(settings: &Arc<Settings>, table: &TableName) -> Result<i64, Failure> {
    let mut connection = Connection::open(settings).await?;
    let rows = count_with(&mut connection, table).await?;
    connection.close().await;
    Ok(rows)
}

async fn count_with(connection: &mut Connection, table: &TableName) -> Result<i64, Failure> {
    let deadline = connection.settings().query_limit(Some(COUNT_DEADLINE));
    connection.set_deadline(deadline);
    session::count_rows(connection, table)
        .await
        .map_err(|error| error.failure(&format!("counting the rows of {table}")))
}

fn to_record(
    stage: &Stage,
    args: &Args,
    workload: &Workload,
    extent: Extent,
    run: &RunOutcome,
    row_check: Result<Option<RowCheck>, Failure>,
) -> Result<Load, Failure> {
    let rows = workload.rows_per_transaction();
    let rows_of = match (workload.script(), rows) {
        (None, Some(rows)) => RowsOf::Each(rows),
        _ => RowsOf::Reported,
    };
    let measured = outcome::measure(run, rows_of)?;
    let share = client_cpu::share(run.cpu_before, run.cpu_after, measured.elapsed);
    let mut assessment = assess::assess(
        run,
        rows.unwrap_or_default(),
        workload.transactions_per_request(),
        row_check.as_ref().ok().copied().flatten(),
        share,
        client_cpu::usable_cores(),
    );
    if args.expect_crash {
        assessment = expected_crash::judge(run, assessment);
    }
    if let Err(failure) = row_check {
        assessment.validity = Validity::Invalid;
        assessment.reasons.push(Reason::new(
            "rows_unverified",
            format!(
                "the rows could not be counted after the run: {}",
                failure.message
            ),
        ));
    }
    let (transactions_per_worker, duration_ms) = match extent {
        Extent::Transactions(transactions) => (Some(transactions), None),
        Extent::Duration(duration) => (None, u64::try_from(duration.as_millis()).ok()),
    };
    let rows_per_worker = transactions_per_worker
        .zip(rows)
        .map(|(transactions, rows)| transactions.saturating_mul(u64::from(rows)));
    Ok(Load {
        header: stage.header(),
        shape: LoadShape {
            workers: args.workers,
            rows_per_worker,
            transactions_per_worker,
            duration_ms,
            rows_per_transaction: rows,
            transactions_per_request: workload.transactions_per_request(),
            statement: workload.statement(),
            script: workload.script().map(|script| ScriptShape {
                name: script.name().to_owned(),
                seed: script.seed(),
            }),
        },
        validity: assessment.validity,
        reasons: assessment.reasons,
        elapsed_ms: records::milliseconds(measured.elapsed),
        transactions: measured.transactions,
        rows: measured.rows,
        flush_ms: measured.flush.map(records::milliseconds),
        errors: measured.errors,
        waits_unavailable: measured.waits.as_ref().err().cloned(),
        waits: measured.waits.ok(),
        latency: measured.latency,
        client_cpu_share: share,
        workers: measured.workers,
        journal: args.journal.as_ref().map(|path| path.display().to_string()),
    })
}

/// Says on standard error why the numbers may not be used; the exit status.
fn tell(program: &str, record: &Load, run: &RunOutcome) -> ExitStatus {
    let mut told = Failure::new(
        FailureCode::InvalidRound,
        match record.validity {
            Validity::Valid => "a remark on the round:",
            Validity::Partial => "the round is partial:",
            Validity::Invalid => "the round cannot be trusted:",
        },
    );
    for detail in Reason::first_details(&record.reasons) {
        told.message.push_str("\n  ");
        told.message.push_str(&detail);
    }
    told.remedy = first_error(run)
        .and_then(|error| error.failure("").remedy)
        .or_else(|| {
            let mut codes = record.reasons.iter().map(|reason| reason.code.as_str());
            codes.find_map(trouble::advice).map(str::to_owned)
        });
    if !record.reasons.is_empty() {
        stage::say(program, &told);
    }
    match record.validity {
        Validity::Valid => ExitStatus::Success,
        Validity::Partial => ExitStatus::Interrupted,
        Validity::Invalid => ExitStatus::InvalidRound,
    }
}

fn first_error(run: &RunOutcome) -> Option<&SqlError> {
    run.workers
        .iter()
        .find_map(|outcome| outcome.error.as_ref())
}

/// No transaction was acknowledged: there is no round to speak of.
fn nothing_measured(run: &RunOutcome, workload: &Workload) -> Failure {
    if let Some(error) = first_error(run) {
        let mut failure = error.failure(&format!(
            "the first {} on every connection",
            workload.transaction()
        ));
        if let Some(place) = first_place(run) {
            failure.message = format!("{place}: {}", failure.message);
        }
        failure.remedy = failure
            .remedy
            .or_else(|| trouble::advice(trouble::code(error)).map(str::to_owned));
        return failure;
    }
    match run.stopped {
        Some(StopCause::Interrupted) => before_the_load(),
        _ => Failure::new(
            FailureCode::Failed,
            format!(
                "no {} was answered before the time was over",
                workload.transaction()
            ),
        )
        .remedy("Give it longer (--duration, --deadline), or find out what blocks the table."),
    }
}

/// Where the first error lies in a script.
fn first_place(run: &RunOutcome) -> Option<&str> {
    run.workers
        .iter()
        .find_map(|outcome| outcome.left.error_at.as_deref())
}

fn before_the_load() -> Failure {
    Failure::new(
        FailureCode::Interrupted,
        "interrupted before a transaction was acknowledged; nothing was measured",
    )
}
