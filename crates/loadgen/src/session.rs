//! What loadgen asks its sessions.

use crate::session_waits::Reading;
use records::{Server, Wait};
use sqlserver::permission::{Scope, grant};
use sqlserver::{Columns, Connection, Row, SqlError, TableName, texts};

/// The error of a view that this version does not have.
const NO_SUCH_OBJECT: u32 = 208;

/// Sets the options of a worker's session and asks for its number.
pub(crate) async fn prepare(connection: &mut Connection) -> Result<i32, SqlError> {
    connection.run(&texts::load::session_settings().sql).await?;
    one_row(connection, &texts::server::session().sql)
        .await?
        .some_int("session_id")
}

/// The session's waits so far (`sys.dm_exec_session_wait_stats`), or why they cannot be read.
pub(crate) async fn waits(connection: &mut Connection, server: &Server) -> Reading {
    let results = connection
        .batch(&texts::load::session_waits().sql)
        .await
        .map_err(|error| unavailable(&error, server, &connection.settings().user))?;
    results
        .iter()
        .flatten()
        .map(wait)
        .collect::<Result<_, _>>()
        .map_err(|error| error.to_string())
}

/// The transactions that the session has open.
pub(crate) async fn open_transactions(connection: &mut Connection) -> Result<i32, SqlError> {
    one_row(connection, &texts::load::open_transactions().sql)
        .await?
        .some_int("open_transactions")
}

/// The rows of a table.
pub(crate) async fn count_rows(
    connection: &mut Connection,
    table: &TableName,
) -> Result<i64, SqlError> {
    one_row(connection, &texts::table::count(table).sql)
        .await?
        .some_big("row_count")
}

async fn one_row(connection: &mut Connection, text: &str) -> Result<Row, SqlError> {
    connection
        .row(text)
        .await?
        .ok_or_else(|| SqlError::Unreadable("there is no row".to_owned()))
}

fn wait(row: &Row) -> Result<Wait, SqlError> {
    Ok(Wait {
        wait_type: row.some_text("wait_type")?,
        waiting_tasks: row.some_big("waiting_tasks")?,
        wait_ms: row.some_big("wait_ms")?,
        signal_wait_ms: row.some_big("signal_wait_ms")?,
    })
}

fn unavailable(error: &SqlError, server: &Server, login: &str) -> String {
    let remedy = if error.is_permission() {
        format!(". {}", grant(Scope::ServerState, server, login))
    } else if error.number() == Some(NO_SUCH_OBJECT) {
        ". It is there from SQL Server 2016 on.".to_owned()
    } else {
        String::new()
    };
    format!("sys.dm_exec_session_wait_stats cannot be read: {error}{remedy}")
}
