//! Waiting for the server, then reading what is there.

use crate::ledger::{Ledger, Stranger};
use records::stage::Interrupts;
use records::{Conditions, DatabaseState, Failure, FailureCode, Server};
use sqlserver::{Columns, Connection, Settings, SqlError, TableName, probe, readings, texts};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long between two attempts to connect.
const TRY_EVERY: Duration = Duration::from_millis(200);
/// How long one attempt may take, so that a server that does not answer is asked again.
const ONE_ATTEMPT: Duration = Duration::from_secs(5);
/// How long one statement may take where -t does not say.
const STATEMENT_LIMIT: Duration = Duration::from_mins(5);
/// Rows read at a time.
const PAGE: u32 = 50_000;

/// What was found besides the rows.
#[derive(Debug)]
pub(crate) struct Found {
    /// When the server started; none where the login may not know.
    pub(crate) server_start_time: Option<String>,
    /// The database's states.
    pub(crate) database: DatabaseState,
    /// What surrounds it now.
    pub(crate) conditions: Conditions,
}

/// Connects as soon as the server takes connections to the database again.
///
/// # Errors
/// It did not within `wait`, or an interrupt came.
pub(crate) async fn connect(
    settings: &Arc<Settings>,
    wait: Duration,
    interrupts: &Interrupts,
) -> Result<(Connection, Server), Failure> {
    let begun = Instant::now();
    let mut attempt_settings = Settings::clone(settings);
    attempt_settings.login_timeout = Some(
        settings
            .login_timeout
            .map_or(ONE_ATTEMPT, |limit| limit.min(ONE_ATTEMPT)),
    );
    let attempt_settings = Arc::new(attempt_settings);
    loop {
        let failure = match attempt(&attempt_settings).await {
            Ok(connected) => return Ok(connected),
            Err(failure) if failure.code == FailureCode::NoConnection => failure,
            Err(failure) => return Err(failure),
        };
        if interrupts.requested() {
            return Err(Failure::new(
                FailureCode::Interrupted,
                "interrupted while waiting for the server; nothing was audited",
            ));
        }
        if begun.elapsed() >= wait {
            return Err(did_not_come_back(&failure, wait));
        }
        tokio::time::sleep(TRY_EVERY).await;
    }
}

async fn attempt(settings: &Arc<Settings>) -> Result<(Connection, Server), Failure> {
    let mut connection = Connection::open(settings).await?;
    let limit = settings.query_limit(Some(STATEMENT_LIMIT));
    connection.set_deadline(limit);
    let server = probe::server(&mut connection)
        .await
        .map_err(|error| error.failure("asking the server what it is"))?;
    Ok((connection, server))
}

fn did_not_come_back(last: &Failure, wait: Duration) -> Failure {
    let mut failure = Failure::new(
        FailureCode::NoConnection,
        format!(
            "the server was not back within {} s: {}",
            wait.as_secs_f64(),
            last.message
        ),
    )
    .remedy(format!(
        "Start it, or allow its recovery more time with --wait. The journal stays: audit again \
         when it is back.{}",
        last.remedy
            .as_ref()
            .map_or_else(String::new, |remedy| format!(" {remedy}"))
    ));
    failure.sql_error = last.sql_error;
    failure
}

/// Reads every row into the ledger, and what else the round is to say.
///
/// # Errors
/// A statement failed, or a row is there that nobody sent.
pub(crate) async fn read(
    connection: &mut Connection,
    server: &Server,
    table: &TableName,
    ledger: &mut Ledger,
) -> Result<Found, Failure> {
    rows(connection, table, ledger).await?;
    let states = readings::states(connection, server)
        .await
        .map_err(|error| error.failure("reading the states of the database"))?;
    let surroundings = readings::surroundings(connection, server)
        .await
        .map_err(|error| error.failure("reading the conditions"))?;
    Ok(Found {
        server_start_time: start_time(connection).await?,
        conditions: Conditions {
            unavailable: surroundings.unavailable.clone(),
            ..surroundings.with(&states)
        },
        database: states.database,
    })
}

async fn rows(
    connection: &mut Connection,
    table: &TableName,
    ledger: &mut Ledger,
) -> Result<(), Failure> {
    let doing = format!("reading the commits in {table}");
    let failed = |error: SqlError| error.failure(&doing);
    // Every number of the columns' types comes after this one, so that no row is passed over.
    let mut after = (i32::MIN, i64::MIN);
    let mut read: i64 = 0;
    loop {
        let text = texts::journal::commits_after(table, after.0, after.1, PAGE);
        let page = connection.batch(&text.sql).await.map_err(failed)?;
        let mut count = 0_u32;
        for row in page.iter().flatten() {
            let worker = row.some_int("worker").map_err(failed)?;
            let commit = row.some_big("commit_number").map_err(failed)?;
            ledger
                .find(i64::from(worker), commit)
                .map_err(|stranger| stranger_in(table, worker, commit, stranger))?;
            after = (worker, commit);
            count += 1;
        }
        read += i64::from(count);
        if count < PAGE {
            break;
        }
    }
    let counted = connection
        .row(&texts::table::count(table).sql)
        .await
        .map_err(failed)?
        .ok_or_else(|| failed(SqlError::Unreadable("no row came".to_owned())))?
        .some_big("row_count")
        .map_err(failed)?;
    if counted != read {
        return Err(Failure::new(
            FailureCode::BadInput,
            format!("{table} has {counted} rows, and {read} could be read by its key"),
        )
        .remedy(
            "Somebody writes into it, or it is damaged (DBCC CHECKTABLE). Let audit alone with it.",
        ));
    }
    Ok(())
}

fn stranger_in(table: &TableName, worker: i32, commit: i64, stranger: Stranger) -> Failure {
    let what = match stranger {
        Stranger::NeverSent => "which this load never sent",
        Stranger::Twice => "twice",
    };
    Failure::new(
        FailureCode::BadInput,
        format!("{table} holds commit {commit} of worker {worker} {what}"),
    )
    .remedy(
        "Journal and table do not belong together: empty the table before the load (setup-db \
         --empty-table), let nobody else write into it, and name that load's journal.",
    )
}

async fn start_time(connection: &mut Connection) -> Result<Option<String>, Failure> {
    let doing = "reading when the server started";
    match connection.row(&texts::readings::start_time().sql).await {
        Ok(row) => row
            .map(|row| row.text("server_start_time"))
            .transpose()
            .map(Option::flatten)
            .map_err(|error| error.failure(doing)),
        Err(error) if error.is_permission() => Ok(None),
        Err(error) => Err(error.failure(doing)),
    }
}
