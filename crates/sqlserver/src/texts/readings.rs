//! The counters and states of the current database and its server, for a snapshot.

use super::Text;
use records::Server;

/// The server's clock, and when it started.
#[must_use]
pub fn clock() -> Text {
    Text::new(
        "readings::clock",
        "SELECT CONVERT(nvarchar(33), SYSUTCDATETIME(), 126) AS server_time;",
    )
}

/// When the server started, in its local time (`sys.dm_os_sys_info`).
#[must_use]
pub fn start_time() -> Text {
    Text::new(
        "readings::start_time",
        "SELECT CONVERT(nvarchar(33), sqlserver_start_time, 126) AS server_start_time \
         FROM sys.dm_os_sys_info;",
    )
}

/// `sys.dm_io_virtual_file_stats` of every file of the current database. `DB_ID()` without an
/// argument is never NULL; with a name that is not there it is, and NULL means all databases.
#[must_use]
pub fn files() -> Text {
    Text::new(
        "readings::files",
        "SELECT CAST(v.database_id AS int) AS database_id, CAST(v.file_id AS int) AS file_id, \
         CAST(f.type AS int) AS file_type, CAST(f.name AS nvarchar(128)) AS logical_name, \
         CAST(f.physical_name AS nvarchar(260)) AS physical_name, \
         CAST(f.size AS bigint) AS size_pages, \
         CAST(v.sample_ms AS bigint) AS sample_ms, \
         CAST(v.num_of_reads AS bigint) AS reads, \
         CAST(v.num_of_bytes_read AS bigint) AS bytes_read, \
         CAST(v.io_stall_read_ms AS bigint) AS read_stall_ms, \
         CAST(v.io_stall_queued_read_ms AS bigint) AS queued_read_stall_ms, \
         CAST(v.num_of_writes AS bigint) AS writes, \
         CAST(v.num_of_bytes_written AS bigint) AS bytes_written, \
         CAST(v.io_stall_write_ms AS bigint) AS write_stall_ms, \
         CAST(v.io_stall_queued_write_ms AS bigint) AS queued_write_stall_ms, \
         CAST(v.io_stall AS bigint) AS stall_ms, \
         CAST(v.size_on_disk_bytes AS bigint) AS size_on_disk_bytes, \
         CAST(v.file_handle AS varbinary(16)) AS file_handle \
         FROM sys.dm_io_virtual_file_stats(DB_ID(), NULL) AS v \
         JOIN sys.database_files AS f ON f.file_id = v.file_id ORDER BY v.file_id;",
    )
}

/// `sys.dm_os_wait_stats`, all types.
#[must_use]
pub fn waits() -> Text {
    Text::new(
        "readings::waits",
        "SELECT CAST(wait_type AS nvarchar(60)) AS wait_type, \
         CAST(waiting_tasks_count AS bigint) AS waiting_tasks, \
         CAST(wait_time_ms AS bigint) AS wait_ms, \
         CAST(max_wait_time_ms AS bigint) AS max_wait_ms, \
         CAST(signal_wait_time_ms AS bigint) AS signal_wait_ms \
         FROM sys.dm_os_wait_stats;",
    )
}

/// The log's counters of the current database in `sys.dm_os_performance_counters`, whose names
/// are padded with blanks and whose object is named after the instance.
#[must_use]
pub fn performance_counters() -> Text {
    Text::new(
        "readings::performance_counters",
        "SELECT CAST(RTRIM(counter_name) AS nvarchar(128)) AS counter_name, \
         CAST(cntr_value AS bigint) AS value, CAST(cntr_type AS int) AS cntr_type \
         FROM sys.dm_os_performance_counters \
         WHERE object_name LIKE N'%:Databases%' AND instance_name = DB_NAME() \
         AND (counter_name LIKE N'Log %' OR counter_name LIKE N'Group Commit%');",
    )
}

/// The current database's row of `sys.databases`. By name, because in Azure SQL Database the
/// number is another one there.
#[must_use]
pub fn database(server: &Server) -> Text {
    let recovery_2019 = if super::has(server, 15) {
        "CAST(is_accelerated_database_recovery_on AS bit)"
    } else {
        "CAST(NULL AS bit)"
    };
    Text::new(
        "readings::database",
        format!(
            "SELECT CAST(database_id AS int) AS database_id, \
             CONVERT(nvarchar(33), create_date, 126) AS create_date, \
             CAST(recovery_model_desc AS nvarchar(60)) AS recovery_model, \
             CAST(log_reuse_wait_desc AS nvarchar(60)) AS log_reuse_wait, \
             CAST(delayed_durability_desc AS nvarchar(60)) AS delayed_durability, \
             CAST(is_read_committed_snapshot_on AS bit) AS read_committed_snapshot, \
             {recovery_2019} AS accelerated_database_recovery, \
             CAST(compatibility_level AS int) AS compatibility_level, \
             CAST(target_recovery_time_in_seconds AS bigint) AS target_recovery_time_s \
             FROM sys.databases WHERE name = DB_NAME();"
        ),
    )
    .since(if super::has(server, 15) { 15 } else { 13 })
}

/// Whether a log backup is possible, and which database this is (`sys.database_recovery_status`).
#[must_use]
pub fn recovery_status() -> Text {
    Text::new(
        "readings::recovery_status",
        "SELECT CAST(last_log_backup_lsn AS nvarchar(40)) AS last_log_backup_lsn, \
         CAST(database_guid AS nvarchar(36)) AS database_guid, \
         CAST(recovery_fork_guid AS nvarchar(36)) AS recovery_fork_guid \
         FROM sys.database_recovery_status WHERE database_id = DB_ID();",
    )
}

/// `sys.dm_db_log_space_usage` of the current database.
#[must_use]
pub fn log_space() -> Text {
    Text::new(
        "readings::log_space",
        "SELECT CAST(total_log_size_in_bytes AS bigint) AS log_size_bytes, \
         CAST(used_log_space_in_bytes AS bigint) AS log_used_bytes, \
         CAST(log_space_in_bytes_since_last_backup AS bigint) AS log_since_backup_bytes \
         FROM sys.dm_db_log_space_usage;",
    )
}

/// How many virtual log files there are, and how many are active (`sys.dm_db_log_info`, from
/// SQL Server 2016 SP2).
#[must_use]
pub fn log_info() -> Text {
    Text::new(
        "readings::log_info",
        "SELECT CAST(COUNT(*) AS bigint) AS vlf_count, \
         CAST(SUM(CASE WHEN vlf_active = 1 THEN 1 ELSE 0 END) AS bigint) AS active_vlf_count \
         FROM sys.dm_db_log_info(DB_ID());",
    )
}

/// The virtual log files, one row each, before SQL Server 2016 SP2; a sysadmin's.
#[must_use]
pub fn log_info_before_2016_sp2() -> Text {
    Text::new(
        "readings::log_info_before_2016_sp2",
        "DBCC LOGINFO WITH NO_INFOMSGS;",
    )
    .not_on_azure_sql_database()
}

pub(super) fn samples() -> Vec<Text> {
    let server = |major| Server {
        product: "Microsoft SQL Server".to_owned(),
        version: String::new(),
        major_version: Some(major),
        edition: String::new(),
        engine_edition: Some(3),
        host_platform: None,
        injected_faults: None,
    };
    vec![
        clock(),
        start_time(),
        files(),
        waits(),
        performance_counters(),
        database(&server(13)),
        database(&server(16)),
        recovery_status(),
        log_space(),
        log_info(),
        log_info_before_2016_sp2(),
    ]
}
