//! Flushing the log after the run, and whether the database does what the commits ask for.

use records::Reason;
use sqlserver::texts::durability::{self as texts, CommitDurability, FLUSHED};
use sqlserver::{Columns, Connection, SqlError};
use std::time::{Duration, Instant};

/// How long the flush after the run took, or why it is not known.
pub(crate) type Flush = Result<Duration, String>;

/// Flushes the log, timed.
pub(crate) async fn flush(connection: &mut Connection) -> Flush {
    connection.set_deadline(None);
    let began = Instant::now();
    let answer = connection.row(&texts::flush_log().sql).await;
    let took = began.elapsed();
    let code = answer
        .and_then(|row| row.ok_or_else(|| SqlError::Unreadable("there is no row".to_owned())))
        .and_then(|row| row.some_int("result"))
        .map_err(|error| error.to_string())?;
    if code == FLUSHED {
        Ok(took)
    } else {
        Err(format!("it returned {code}, and {FLUSHED} is success"))
    }
}

/// A remark where commits ask to be delayed and the database's setting lets none be: then nothing
/// is delayed, and no error says so.
pub(crate) async fn not_delayed(
    connection: &mut Connection,
    asked: Option<CommitDurability>,
) -> Result<Option<Reason>, SqlError> {
    if asked != Some(CommitDurability::Delayed) {
        return Ok(None);
    }
    let setting = match connection.row(&texts::setting().sql).await? {
        None => None,
        Some(row) => row.text("delayed_durability")?,
    };
    Ok((setting.as_deref() == Some("DISABLED")).then(|| {
        Reason::new(
            "delayed_durability_disabled",
            "each commit asked to be delayed, but the database's delayed durability is DISABLED: \
             all were fully durable. setup-db --delayed-durability allowed changes that",
        )
    }))
}
