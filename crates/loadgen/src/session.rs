//! What the workers ask their own session.

use crate::session_waits::Reading;
use crate::texts;
use records::Wait;
use sqlserver::{Connection, Row, SqlError};

/// Sets the options of a worker's session and asks for its number.
pub(crate) async fn prepare(connection: &mut Connection) -> Result<i32, SqlError> {
    connection.run(texts::WORKER_SESSION_OPTIONS).await?;
    let row = connection.row(texts::SESSION_ID).await?;
    match row {
        Some(row) => present("session_id", row.try_get("session_id")),
        None => Err(SqlError::Unreadable("@@SPID has no row".to_owned())),
    }
}

/// The session's waits so far (`sys.dm_exec_session_wait_stats`), or why they cannot be read.
pub(crate) async fn waits(connection: &mut Connection) -> Reading {
    let results = connection
        .batch(texts::SESSION_WAITS)
        .await
        .map_err(|error| unavailable(&error))?;
    results
        .iter()
        .flatten()
        .map(wait)
        .collect::<Result<_, _>>()
        .map_err(|error| error.to_string())
}

/// The rows of a table.
pub(crate) async fn count_rows(connection: &mut Connection, table: &str) -> Result<i64, SqlError> {
    match connection.row(&texts::count_rows(table)).await? {
        Some(row) => present("row_count", row.try_get("row_count")),
        None => Err(SqlError::Unreadable("COUNT_BIG has no row".to_owned())),
    }
}

fn wait(row: &Row) -> Result<Wait, SqlError> {
    Ok(Wait {
        wait_type: present("wait_type", row.try_get::<&str, _>("wait_type"))?.to_owned(),
        waiting_tasks: present("waiting_tasks", row.try_get("waiting_tasks"))?,
        wait_ms: present("wait_ms", row.try_get("wait_ms"))?,
        signal_wait_ms: present("signal_wait_ms", row.try_get("signal_wait_ms"))?,
    })
}

fn unavailable(error: &SqlError) -> String {
    let why = if error.is_permission() {
        "; the login needs VIEW SERVER STATE (from SQL Server 2022 on, VIEW SERVER PERFORMANCE STATE)"
    } else if error.number() == Some(208) {
        "; it exists from SQL Server 2016 on"
    } else {
        ""
    };
    format!("sys.dm_exec_session_wait_stats cannot be read: {error}{why}")
}

/// A driver's reading of a column that is never NULL.
fn present<T, E: Into<SqlError>>(column: &str, read: Result<Option<T>, E>) -> Result<T, SqlError> {
    read.map_err(Into::into)?
        .ok_or_else(|| SqlError::Unreadable(format!("{column} is NULL")))
}
