//! What decides a result besides the setting under test, and what others do on the server.

use super::{Text, sample};
use crate::names::DatabaseName;

/// Processors and memory that the server sees.
#[must_use]
pub fn host() -> Text {
    Text::new(
        "conditions::host",
        "SELECT CAST(cpu_count AS int) AS cpus, \
         CAST(physical_memory_kb AS bigint) AS memory_kb FROM sys.dm_os_sys_info;",
    )
}

/// The limit that the server sets itself on memory.
#[must_use]
pub fn memory_limit() -> Text {
    Text::new(
        "conditions::memory_limit",
        "SELECT CAST(value_in_use AS bigint) AS limit_mb FROM sys.configurations \
         WHERE name = N'max server memory (MB)';",
    )
}

/// Whether files are made without being zeroed (`sys.dm_server_services`, from SQL Server 2016
/// SP1); Y or N. SQL Server's own service is the one with the bracket behind its name.
#[must_use]
pub fn instant_file_initialization() -> Text {
    Text::new(
        "conditions::instant_file_initialization",
        "SELECT CAST(instant_file_initialization_enabled AS nvarchar(1)) AS enabled \
         FROM sys.dm_server_services WHERE servicename LIKE N'SQL Server (%';",
    )
    .not_on_azure_sql_database()
}

/// Whether the current database is a replica of an availability group.
#[must_use]
pub fn availability_group() -> Text {
    Text::new(
        "conditions::availability_group",
        "SELECT CAST(CASE WHEN replica_id IS NULL THEN 0 ELSE 1 END AS bit) AS in_group \
         FROM sys.databases WHERE name = DB_NAME();",
    )
}

/// The replicas of the current database in its availability group, one row each: on a primary all,
/// on a secondary itself. The catalogue has the mode (a login without VIEW ANY DEFINITION gets no
/// row), the views beside it what holds now.
#[must_use]
pub fn availability_replicas() -> Text {
    Text::new(
        "conditions::availability_replicas",
        "SELECT CAST(g.name AS nvarchar(128)) AS group_name, \
         CAST(r.replica_server_name AS nvarchar(256)) AS server_name, \
         CAST(d.is_local AS bit) AS is_local, \
         CAST(s.role_desc AS nvarchar(60)) AS role, \
         CAST(r.availability_mode_desc AS nvarchar(60)) AS commit_mode, \
         CAST(d.synchronization_state_desc AS nvarchar(60)) AS synchronization, \
         CAST(d.is_commit_participant AS bit) AS is_commit_participant \
         FROM sys.dm_hadr_database_replica_states AS d \
         INNER JOIN sys.availability_groups AS g ON g.group_id = d.group_id \
         INNER JOIN sys.availability_replicas AS r ON r.replica_id = d.replica_id \
         LEFT JOIN sys.dm_hadr_availability_replica_states AS s ON s.replica_id = d.replica_id \
         WHERE d.database_id = DB_ID() ORDER BY r.replica_server_name;",
    )
    .not_on_azure_sql_database()
}

/// The sessions that are not writelog's, with the CPU time of each. `sys.dm_exec_sessions` gives
/// a login without permission its own session and no error, which would read as "nobody else":
/// the view beside it is refused where that is so.
#[must_use]
pub fn other_sessions() -> Text {
    Text::new(
        "conditions::other_sessions",
        "SELECT CAST(s.session_id AS int) AS session_id, \
         CONVERT(nvarchar(33), s.login_time, 126) AS login_time, \
         CAST(s.cpu_time AS bigint) AS cpu_ms \
         FROM sys.dm_os_sys_info AS i CROSS JOIN sys.dm_exec_sessions AS s \
         WHERE s.is_user_process = 1 AND i.cpu_count > 0 AND s.session_id <> @@SPID \
         AND (s.program_name IS NULL OR s.program_name NOT LIKE N'writelog %');",
    )
}

/// Bytes read and written of all databases but this one and tempdb (2), since the server started.
#[must_use]
pub fn other_databases() -> Text {
    Text::new(
        "conditions::other_databases",
        "SELECT CAST(SUM(num_of_bytes_read + num_of_bytes_written) AS bigint) AS bytes \
         FROM sys.dm_io_virtual_file_stats(NULL, NULL) \
         WHERE database_id <> DB_ID() AND database_id <> 2;",
    )
}

/// The same of all but a database that need not exist yet and that the session is not in.
#[must_use]
pub fn databases_other_than(database: &DatabaseName) -> Text {
    Text::new(
        "conditions::databases_other_than",
        format!(
            "SELECT CAST(SUM(num_of_bytes_read + num_of_bytes_written) AS bigint) AS bytes \
             FROM sys.dm_io_virtual_file_stats(NULL, NULL) \
             WHERE database_id <> ISNULL(DB_ID({}), -1) AND database_id <> 2;",
            database.literal()
        ),
    )
}

/// The trace flags that are on for the whole server; where none is, there may be no result at all.
#[must_use]
pub fn trace_flags() -> Text {
    Text::new(
        "conditions::trace_flags",
        "DBCC TRACESTATUS(-1) WITH NO_INFOMSGS;",
    )
    .not_on_azure_sql_database()
}

pub(super) fn samples() -> Vec<Text> {
    let mut texts = vec![
        host(),
        memory_limit(),
        instant_file_initialization(),
        availability_group(),
        availability_replicas(),
        other_sessions(),
        other_databases(),
        trace_flags(),
    ];
    texts.extend(sample::databases().iter().map(databases_other_than));
    texts
}
