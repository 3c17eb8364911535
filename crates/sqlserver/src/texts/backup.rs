//! Backups to nowhere, for a database of our own: they mark pages as backed up and break a chain
//! that could be restored, so they are never sent to a database without our mark.

use super::{Text, sample};
use crate::names::DatabaseName;

/// A full backup to NUL: from then on a FULL database keeps its log. Uncompressed, because
/// Express refuses compression even where it is the server's default.
#[must_use]
pub fn full_to_nul(database: &DatabaseName) -> Text {
    Text::new(
        "backup::full_to_nul",
        format!(
            "BACKUP DATABASE {} TO DISK = N'NUL' WITH NO_COMPRESSION;",
            database.quoted()
        ),
    )
    .not_on_azure_sql_database()
}

/// A log backup to NUL: frees the log up to the last checkpoint.
#[must_use]
pub fn log_to_nul(database: &DatabaseName) -> Text {
    Text::new(
        "backup::log_to_nul",
        format!(
            "BACKUP LOG {} TO DISK = N'NUL' WITH NO_COMPRESSION;",
            database.quoted()
        ),
    )
    .not_on_azure_sql_database()
}

/// One row: how many backups of a database msdb remembers.
#[must_use]
pub fn count_history(database: &DatabaseName) -> Text {
    Text::new(
        "backup::count_history",
        format!(
            "SELECT CAST(COUNT(*) AS bigint) AS backups FROM msdb.dbo.backupset \
             WHERE database_name = {};",
            database.literal()
        ),
    )
    .not_on_azure_sql_database()
}

/// Removes a database's backup and restore history. Only a sysadmin may.
#[must_use]
pub fn delete_history(database: &DatabaseName) -> Text {
    Text::new(
        "backup::delete_history",
        format!(
            "EXEC msdb.dbo.sp_delete_database_backuphistory @database_name = {};",
            database.literal()
        ),
    )
    .not_on_azure_sql_database()
}

pub(super) fn samples() -> Vec<Text> {
    sample::databases()
        .iter()
        .flat_map(|database| {
            [
                full_to_nul(database),
                log_to_nul(database),
                count_history(database),
                delete_history(database),
            ]
        })
        .collect()
}
