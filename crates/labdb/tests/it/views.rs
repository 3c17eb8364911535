//! System views.

use super::harness::Lab;

#[test]
fn every_view_without_arguments_can_be_read_and_its_rows_fit_its_columns() {
    let lab = Lab::start();
    let mut s = lab.connect();
    s.exec(
        "CREATE TABLE dbo.t (id int IDENTITY PRIMARY KEY, s varchar(10) DEFAULT 'x', CHECK (id > \
         0)); CREATE INDEX i ON dbo.t (s); INSERT dbo.t DEFAULT VALUES",
    );
    for view in labdb::views::all() {
        let sql = match (view.scope, view.parameters.len()) {
            (labdb::views::Scope::Function, n) => format!(
                "SELECT * FROM {}.{}({})",
                view.schema,
                view.name,
                vec!["NULL"; n].join(", ")
            ),
            _ if view.database.is_empty() => format!("SELECT * FROM {}.{}", view.schema, view.name),
            _ => format!(
                "SELECT * FROM {}.{}.{}",
                view.database, view.schema, view.name
            ),
        };
        let rows = s.rows(&sql);
        for row in rows {
            assert_eq!(row.len(), view.columns.len(), "{sql}");
        }
    }
}

#[test]
fn counters_count_what_was_done() {
    let lab = Lab::start();
    let mut s = lab.connect();
    s.exec("CREATE DATABASE d");
    s.exec("USE d; CREATE TABLE dbo.t (id int IDENTITY PRIMARY KEY); CHECKPOINT");
    let read = "SELECT CAST(SUM(num_of_bytes_written) AS bigint), CAST(SUM(num_of_writes) AS \
        bigint) FROM sys.dm_io_virtual_file_stats(DB_ID(), NULL) AS v JOIN sys.database_files AS \
        f ON f.file_id = v.file_id WHERE f.type = 1";
    let waits = "SELECT CAST(ISNULL(SUM(waiting_tasks_count), 0) AS int) FROM \
        sys.dm_exec_session_wait_stats WHERE session_id = @@SPID AND wait_type = 'WRITELOG'";
    let before = s.rows(read);
    let waited = s.int(waits);
    for _ in 0..50 {
        s.exec("INSERT dbo.t DEFAULT VALUES");
    }
    let after = s.rows(read);
    let delta = |at: usize| {
        after[0].try_get::<i64, _>(at).unwrap().unwrap()
            - before[0].try_get::<i64, _>(at).unwrap().unwrap()
    };
    assert_eq!(delta(1), 50);
    assert_eq!(delta(0), 50 * 512);
    assert_eq!(s.int(waits) - waited, 50);
}

#[test]
fn delayed_commits_wait_for_nothing_until_the_log_is_flushed() {
    let lab = Lab::start();
    let mut s = lab.connect();
    s.exec("CREATE DATABASE d; ALTER DATABASE d SET DELAYED_DURABILITY = FORCED");
    s.exec("USE d; CREATE TABLE dbo.t (id int IDENTITY PRIMARY KEY)");
    let waits = "SELECT CAST(ISNULL(SUM(waiting_tasks_count), 0) AS int) FROM \
        sys.dm_exec_session_wait_stats WHERE session_id = @@SPID AND wait_type = 'WRITELOG'";
    let before = s.int(waits);
    for _ in 0..50 {
        s.exec("INSERT dbo.t DEFAULT VALUES");
    }
    assert_eq!(s.int(waits), before);
    assert_eq!(
        s.int("DECLARE @r int; EXEC @r = sys.sp_flush_log; SELECT @r"),
        1
    );
    assert_eq!(s.int("SELECT COUNT(*) FROM dbo.t"), 50);
}

#[test]
fn an_open_transaction_s_log_bytes_can_be_read_by_its_session() {
    let lab = Lab::start();
    let mut s = lab.connect();
    s.exec("CREATE TABLE dbo.t (id int IDENTITY PRIMARY KEY)");
    s.exec("BEGIN TRAN; INSERT dbo.t DEFAULT VALUES");
    let rows = s.rows(
        "SELECT d.database_transaction_log_record_count, d.database_transaction_log_bytes_used \
         FROM sys.dm_tran_database_transactions d JOIN sys.dm_tran_session_transactions t ON \
         t.transaction_id = d.transaction_id WHERE t.session_id = @@SPID AND d.database_id = \
         DB_ID()",
    );
    assert!(rows[0].try_get::<i64, _>(0).unwrap().unwrap() >= 1);
    assert!(rows[0].try_get::<i64, _>(1).unwrap().unwrap() > 0);
    s.exec("ROLLBACK");
}

#[test]
fn a_sessions_processor_time_is_what_its_statements_computed_and_not_what_they_waited() {
    let lab = Lab::start();
    let mut s = lab.connect();
    let begun = std::time::Instant::now();
    let cpu = |s: &mut crate::harness::Session<'_>| -> i32 {
        let row = s.rows("SELECT cpu_time FROM sys.dm_exec_sessions WHERE session_id = @@SPID");
        row[0].get(0).unwrap()
    };
    s.exec("WAITFOR DELAY '00:00:00.400'");
    let waited = cpu(&mut s);
    assert!(waited < 300, "waiting used {waited} ms of a processor");
    let mut computed = waited;
    for _ in 0..1000 {
        s.exec("DECLARE @i int = 0; WHILE @i < 20000 SET @i += 1;");
        computed = cpu(&mut s);
        if computed - waited >= 40 {
            break;
        }
    }
    assert!(computed - waited >= 40, "computing used only {computed} ms");
    let wall = begun.elapsed().as_millis();
    assert!(
        u128::from(computed.unsigned_abs()) <= wall,
        "{computed} of {wall} ms"
    );
}
