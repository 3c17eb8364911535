//! The availability group of the current database and its replicas.

use crate::connection::Connection;
use crate::error::SqlError;
use crate::row::Columns;
use crate::texts::conditions as texts;
use records::{Availability, AvailabilityReplica};
use tiberius::Row;

/// Reads them, for a database that is known to be in a group.
///
/// # Errors
/// The connection is gone. The inner error is why the group could not be read: the login may not,
/// the platform has no such views, or they gave no row.
pub(super) async fn read(
    connection: &mut Connection,
) -> Result<Result<Availability, SqlError>, SqlError> {
    let text = texts::availability_replicas();
    match connection.batch(&text.sql).await {
        Err(error) if error.ends_connection() => Err(error),
        Err(error) => Ok(Err(error)),
        Ok(results) => {
            let rows: Vec<Row> = results.into_iter().flatten().collect();
            Ok(availability(&rows))
        }
    }
}

fn availability(rows: &[Row]) -> Result<Availability, SqlError> {
    let Some(first) = rows.first() else {
        return Err(SqlError::Unreadable(
            "no replica came: the login may lack VIEW ANY DEFINITION".to_owned(),
        ));
    };
    Ok(Availability {
        group: first.some_text("group_name")?,
        replicas: rows.iter().map(replica).collect::<Result<_, _>>()?,
    })
}

fn replica(row: &Row) -> Result<AvailabilityReplica, SqlError> {
    Ok(AvailabilityReplica {
        server: row.some_text("server_name")?,
        is_local: row.bit("is_local")?.unwrap_or(false),
        role: row.text("role")?,
        commit_mode: row.some_text("commit_mode")?,
        synchronization: row.text("synchronization")?,
        is_commit_participant: row.bit("is_commit_participant")?,
    })
}
