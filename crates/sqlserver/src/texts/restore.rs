//! Backing a database up into a file and restoring it under another name.
//!
//! The columns of `RESTORE … ONLY` and of DBCC cannot be cast: they are read with
//! [`crate::Columns::whole`].

use super::{Text, sample};
use crate::names::{DatabaseName, quote_literal};

/// Trace flag 3004 tells of each phase of a restore, 3605 sends that into the error log.
pub const PHASE_FLAGS: [i32; 2] = [3004, 3605];

/// Trace flag 1806: data files are zeroed although instant file initialization is on.
pub const ZEROING_FLAG: i32 = 1806;

/// A full backup into a file, over what the file held. `COPY_ONLY`, so that nobody's chain of
/// backups is broken by a measurement; CHECKSUM, so that a damaged page is found now.
#[must_use]
pub fn backup_to_file(database: &DatabaseName, file: &str, compress: bool) -> Text {
    let compression = if compress {
        "COMPRESSION"
    } else {
        "NO_COMPRESSION"
    };
    Text::new(
        "restore::backup_to_file",
        format!(
            "BACKUP DATABASE {} TO DISK = {} WITH COPY_ONLY, INIT, CHECKSUM, {compression};",
            database.quoted(),
            quote_literal(file)
        ),
    )
    .not_on_azure_sql_database()
}

/// Begins a transaction that a later batch of the session ends.
#[must_use]
pub fn begin_transaction() -> Text {
    Text::new("restore::begin_transaction", "BEGIN TRANSACTION;")
}

/// Takes back what the session's transaction did; an error where there is none.
#[must_use]
pub fn roll_back() -> Text {
    Text::new("restore::roll_back", "ROLLBACK TRANSACTION;")
}

/// One row for each backup set in a file.
#[must_use]
pub fn headers(file: &str) -> Text {
    Text::new(
        "restore::headers",
        format!("RESTORE HEADERONLY FROM DISK = {};", quote_literal(file)),
    )
    .not_on_azure_sql_database()
}

/// One row for each database file in the first backup set of a file.
#[must_use]
pub fn file_list(file: &str) -> Text {
    Text::new(
        "restore::file_list",
        format!(
            "RESTORE FILELISTONLY FROM DISK = {} WITH FILE = 1;",
            quote_literal(file)
        ),
    )
    .not_on_azure_sql_database()
}

/// Restores the first backup set of a file, every database file to a new place. Never with REPLACE:
/// it would overwrite, and files that are there already are not made and zeroed again, so that the
/// time would be another one.
#[must_use]
pub fn restore(database: &DatabaseName, file: &str, moves: &[(String, String)]) -> Text {
    let mut sql = format!(
        "RESTORE DATABASE {} FROM DISK = {} WITH FILE = 1",
        database.quoted(),
        quote_literal(file)
    );
    for (logical, path) in moves {
        sql.push_str(", MOVE ");
        sql.push_str(&quote_literal(logical));
        sql.push_str(" TO ");
        sql.push_str(&quote_literal(path));
    }
    sql.push_str(", RECOVERY;");
    Text::new("restore::restore", sql).not_on_azure_sql_database()
}

/// One row: the server's folders for new data and log files.
#[must_use]
pub fn default_folders() -> Text {
    Text::new(
        "restore::default_folders",
        "SELECT CAST(SERVERPROPERTY('InstanceDefaultDataPath') AS nvarchar(4000)) AS data_folder, \
         CAST(SERVERPROPERTY('InstanceDefaultLogPath') AS nvarchar(4000)) AS log_folder;",
    )
}

/// The free space beside each database file of the server, one row each.
#[must_use]
pub fn free_space() -> Text {
    Text::new(
        "restore::free_space",
        "SELECT CAST(f.physical_name AS nvarchar(260)) AS physical_name, \
         CAST(v.volume_mount_point AS nvarchar(512)) AS volume, \
         CAST(v.available_bytes AS bigint) AS available_bytes \
         FROM sys.master_files AS f \
         CROSS APPLY sys.dm_os_volume_stats(f.database_id, f.file_id) AS v;",
    )
    .not_on_azure_sql_database()
}

/// One row for each trace flag asked for: whether it is on for the whole server.
#[must_use]
pub fn trace_status(flags: &[i32]) -> Text {
    Text::new(
        "restore::trace_status",
        format!("DBCC TRACESTATUS ({}, -1) WITH NO_INFOMSGS;", list(flags)),
    )
    .not_on_azure_sql_database()
}

/// Turns trace flags on or off for the whole server. Only a sysadmin may.
#[must_use]
pub fn set_trace(flags: &[i32], on: bool) -> Text {
    let command = if on { "TRACEON" } else { "TRACEOFF" };
    Text::new(
        "restore::set_trace",
        format!("DBCC {command} ({}, -1) WITH NO_INFOMSGS;", list(flags)),
    )
    .not_on_azure_sql_database()
}

/// One row: the server's local time, a little earlier (the error log truncates to 10 ms).
#[must_use]
pub fn error_log_time() -> Text {
    Text::new(
        "restore::error_log_time",
        "SELECT CONVERT(nvarchar(33), DATEADD(millisecond, -20, GETDATE()), 126) AS server_time;",
    )
}

/// The lines of an error log from a local time of the server on, in their order. Log 0 is the
/// current one, 1 the one before. Needs sysadmin or VIEW ANY ERROR LOG.
#[must_use]
pub fn error_log(log: u32, from: &str) -> Text {
    Text::new(
        "restore::error_log",
        format!(
            "SET NOCOUNT ON; DECLARE @from datetime = {}; \
             DECLARE @to datetime = DATEADD(second, 1, GETDATE()); \
             DECLARE @lines TABLE (place int IDENTITY(1, 1), at datetime, \
             process nvarchar(100), line nvarchar(4000)); \
             INSERT INTO @lines (at, process, line) \
             EXEC sys.xp_readerrorlog {log}, 1, NULL, NULL, @from, @to; \
             SELECT CONVERT(nvarchar(33), at, 126) AS at, \
             CAST(process AS nvarchar(100)) AS process, CAST(line AS nvarchar(4000)) AS line \
             FROM @lines WHERE at >= @from ORDER BY place;",
            quote_literal(from)
        ),
    )
    .not_on_azure_sql_database()
}

fn list(flags: &[i32]) -> String {
    let flags: Vec<String> = flags.iter().map(ToString::to_string).collect();
    flags.join(", ")
}

pub(super) fn samples() -> Vec<Text> {
    let file = "/var/opt/it's a.bak";
    let mut texts = vec![
        begin_transaction(),
        roll_back(),
        headers(file),
        file_list(file),
        default_folders(),
        free_space(),
        trace_status(&PHASE_FLAGS),
        set_trace(&PHASE_FLAGS, true),
        set_trace(&[ZEROING_FLAG], false),
        error_log_time(),
        error_log(0, "2026-11-30T18:33:53.210"),
    ];
    for database in sample::databases() {
        let moves = [
            ("it's data".to_owned(), r"D:\data\x.mdf".to_owned()),
            ("log".to_owned(), "/var/opt/x.ldf".to_owned()),
        ];
        texts.extend([
            backup_to_file(&database, file, true),
            backup_to_file(&database, file, false),
            restore(&database, file, &moves),
        ]);
    }
    texts
}
