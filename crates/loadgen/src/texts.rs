//! temporary
pub(crate) const DEFAULT_TABLE: &str = "dbo.load";
/// The options of a worker's session: no row counts on the wire, and an error rolls back.
pub(crate) const WORKER_SESSION_OPTIONS: &str = "SET NOCOUNT ON; SET XACT_ABORT ON;";
pub(crate) const SESSION_ID: &str = "SELECT CAST(@@SPID AS int) AS session_id;";
pub(crate) const SESSION_WAITS: &str = "\
SELECT CAST(wait_type AS nvarchar(60)) AS wait_type,
       CAST(waiting_tasks_count AS bigint) AS waiting_tasks,
       CAST(wait_time_ms AS bigint) AS wait_ms,
       CAST(signal_wait_time_ms AS bigint) AS signal_wait_ms
FROM sys.dm_exec_session_wait_stats
WHERE session_id = @@SPID;";
/// One transaction of `rows` rows of default values, in one batch.
pub(crate) fn insert_defaults(table: &str, rows: u32) -> String {
    if rows == 1 {
        return format!("INSERT INTO {table} DEFAULT VALUES;");
    }
    format!(
        "\
DECLARE @rows int = 0;
BEGIN TRANSACTION;
WHILE @rows < {rows}
BEGIN
    INSERT INTO {table} DEFAULT VALUES;
    IF @@ROWCOUNT <> 1 THROW 50001, N'an INSERT did not insert one row', 1;
    SET @rows = @rows + 1;
END;
COMMIT TRANSACTION;"
    )
}
pub(crate) fn count_rows(table: &str) -> String {
    format!("SELECT CAST(COUNT_BIG(*) AS bigint) AS row_count FROM {table};")
}
