//! The session that reads: its number and its own waits.

use crate::connection::Connection;
use crate::error::SqlError;
use crate::row::Columns;
use crate::texts;
use records::Wait;

/// This session's number (`@@SPID`).
///
/// # Errors
/// The statement failed.
pub async fn identity(connection: &mut Connection) -> Result<i32, SqlError> {
    connection
        .row(&texts::server::session().sql)
        .await?
        .ok_or_else(|| SqlError::Unreadable("the session has no row".to_owned()))?
        .some_int("session_id")
}

/// This session's waits since its login, those that occurred: take the difference of two
/// readings of one session.
///
/// # Errors
/// The statement failed; error 300 where the login may not read them.
pub async fn session_waits(connection: &mut Connection) -> Result<Vec<Wait>, SqlError> {
    let results = connection.batch(&texts::load::session_waits().sql).await?;
    results
        .iter()
        .flatten()
        .map(|row| {
            Ok(Wait {
                wait_type: row.some_text("wait_type")?,
                waiting_tasks: row.some_big("waiting_tasks")?,
                wait_ms: row.some_big("wait_ms")?,
                signal_wait_ms: row.some_big("signal_wait_ms")?,
            })
        })
        .collect()
}
