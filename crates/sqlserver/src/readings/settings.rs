//! What decides the result of a run, read back from the catalogue.

use super::{file_kind, page_bytes, states};
use crate::connection::Connection;
use crate::error::SqlError;
use crate::row::Columns;
use crate::texts;
use records::{DatabaseSettings, FileSettings, Server};
use tiberius::Row;

/// `max_size` of a file that may grow until the disk is full.
const UNLIMITED: i64 = -1;

/// The current database's settings.
///
/// # Errors
/// A statement failed, or an answer could not be read.
pub async fn settings(
    connection: &mut Connection,
    server: &Server,
) -> Result<DatabaseSettings, SqlError> {
    let files = files(connection).await?;
    let states = states(connection, server).await?;
    Ok(DatabaseSettings {
        recovery_model: states.database.recovery_model,
        armed: states.database.armed,
        delayed_durability: states.database.delayed_durability,
        read_committed_snapshot: states.database.read_committed_snapshot,
        accelerated_database_recovery: states.database.accelerated_database_recovery,
        compatibility_level: states
            .compatibility_level
            .and_then(|level| u32::try_from(level).ok()),
        target_recovery_time_s: states.target_recovery_time_s,
        vlf_count: states
            .database
            .vlf_count
            .and_then(|count| u64::try_from(count).ok()),
        files,
    })
}

/// The current database's files, from the catalogue.
///
/// # Errors
/// The statement failed, or an answer could not be read.
pub async fn files(connection: &mut Connection) -> Result<Vec<FileSettings>, SqlError> {
    let results = connection.batch(&texts::files::list().sql).await?;
    results.iter().flatten().map(file).collect()
}

pub(super) fn file(row: &Row) -> Result<FileSettings, SqlError> {
    let growth = row.some_big("growth")?;
    let percent = row.bit("is_percent_growth")?.unwrap_or_default();
    let max_size = row.some_big("max_size_pages")?;
    Ok(FileSettings {
        file_id: row.some_int("file_id")?,
        kind: file_kind(row.some_int("file_type")?),
        logical_name: row.some_text("logical_name")?,
        physical_name: row.some_text("physical_name")?,
        size_bytes: page_bytes(row.some_big("size_pages")?)?,
        growth_bytes: (!percent).then(|| page_bytes(growth)).transpose()?,
        growth_percent: if percent {
            u32::try_from(growth).ok()
        } else {
            None
        },
        max_size_bytes: (max_size != UNLIMITED)
            .then(|| page_bytes(max_size))
            .transpose()?,
    })
}
