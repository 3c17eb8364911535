//! Failures of the storage engine as SQL Server's errors.

use crate::session::cancelled;
use labdb_storage::StorageError;
use labdb_types::SqlError;

/// The error that SQL Server gives for a failure in a database.
pub fn storage_error(error: &StorageError, database: &str) -> SqlError {
    match error {
        StorageError::LogFull { reuse_wait } => SqlError::new(
            9002,
            format!("The transaction log for database '{database}' is full due to '{reuse_wait}'."),
        )
        .severity(17)
        .state(2),
        StorageError::DataFull => SqlError::new(
            1105,
            format!(
                "Could not allocate space in database '{database}' because the 'PRIMARY' \
                 filegroup is full. Create disk space by deleting unneeded files, dropping \
                 objects in the filegroup, adding additional files to the filegroup, or setting \
                 autogrowth on for existing files in the filegroup."
            ),
        )
        .severity(17)
        .state(2),
        StorageError::LockTimeout { .. } => {
            SqlError::new(1222, "Lock request time out period exceeded.").state(56)
        }
        StorageError::Deadlock => SqlError::new(
            1205,
            "Transaction was deadlocked on lock resources with another process and has been \
             chosen as the deadlock victim. Rerun the transaction.",
        )
        .severity(13)
        .state(51),
        StorageError::Cancelled => cancelled(),
        StorageError::RowTooLong { length, limit } => SqlError::new(
            511,
            format!(
                "Cannot create a row of size {length} which is greater than the allowable maximum \
                 row size of {limit}."
            ),
        ),
        StorageError::ValueTooLong { limit, .. } => SqlError::new(
            7119,
            format!("Attempting to grow LOB beyond maximum allowed size of {limit} bytes."),
        ),
        StorageError::NoLogBackup(_) => SqlError::new(
            4214,
            "BACKUP LOG cannot be performed because there is no current database backup.",
        ),
        StorageError::DamagedPage { .. } | StorageError::Corrupt { .. } => SqlError::new(
            824,
            format!(
                "labdb detected a logical consistency-based I/O error in database '{database}': \
                 {error}"
            ),
        )
        .severity(24),
        StorageError::NoSuchSavepoint(name) => SqlError::new(
            6401,
            format!("Cannot roll back {name}. No transaction or savepoint of that name was found."),
        ),
        StorageError::Io { .. } => SqlError::new(
            823,
            format!("The operating system returned an error in database '{database}': {error}"),
        )
        .severity(24),
        StorageError::Unavailable(_) => SqlError::new(
            945,
            format!(
                "Database '{database}' cannot be opened: {error}. See the error log for details."
            ),
        )
        .severity(14)
        .state(2),
        other => SqlError::new(5095, format!("Database '{database}': {other}")),
    }
}
