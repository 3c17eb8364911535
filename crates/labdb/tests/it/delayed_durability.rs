//! `DELAYED_DURABILITY`: which commits wait for the log, by the log file's own count of writes.

use super::harness::{Lab, Session};

const COMMITS: i32 = 200;

/// Log writes of the current database.
fn log_writes(s: &mut Session<'_>) -> i32 {
    s.int("SELECT CAST(num_of_writes AS int) FROM sys.dm_io_virtual_file_stats(DB_ID(), 2)")
}

/// Writes of the log in which so many one-row transactions end with this COMMIT, or by
/// themselves.
fn writes(s: &mut Session<'_>, end: Option<&str>) -> i32 {
    let row = "INSERT dbo.t VALUES (@i)";
    let one = end.map_or(row.to_owned(), |end| format!("BEGIN TRAN; {row}; {end}"));
    s.exec("EXEC sys.sp_flush_log");
    let before = log_writes(s);
    s.exec(&format!(
        "SET NOCOUNT ON; DECLARE @i int = 0; WHILE @i < {COMMITS} BEGIN {one}; SET @i += 1; END"
    ));
    log_writes(s) - before
}

fn database(lab: &Lab) -> Session<'_> {
    let mut s = lab.connect();
    s.exec("CREATE DATABASE d");
    s.exec("USE d; CREATE TABLE dbo.t (i int NOT NULL)");
    s
}

const LAZY: &str = "COMMIT TRAN WITH (DELAYED_DURABILITY = ON)";
const DURABLE: &str = "COMMIT TRAN WITH (DELAYED_DURABILITY = OFF)";

fn assert_durable(writes: i32, case: &str) {
    // One write for each commit; a checkpoint or a new VLF may add some.
    assert!(
        (COMMITS..COMMITS + 20).contains(&writes),
        "{case}: {writes} writes"
    );
}

fn assert_lazy(writes: i32, case: &str) {
    assert!(writes <= COMMITS / 4, "{case}: {writes} writes");
}

#[test]
fn the_databases_setting_wins_over_the_option_of_commit() {
    let lab = Lab::start();
    let mut s = database(&lab);
    for (setting, end, lazy) in [
        ("DISABLED", Some("COMMIT"), false),
        ("DISABLED", Some(LAZY), false),
        ("DISABLED", None, false),
        ("ALLOWED", Some("COMMIT"), false),
        ("ALLOWED", Some(DURABLE), false),
        ("ALLOWED", Some(LAZY), true),
        // No clause can say it of a statement that commits by itself.
        ("ALLOWED", None, false),
        ("FORCED", Some("COMMIT"), true),
        ("FORCED", Some(DURABLE), true),
        ("FORCED", Some(LAZY), true),
        ("FORCED", None, true),
    ] {
        s.exec(&format!(
            "ALTER DATABASE d SET DELAYED_DURABILITY = {setting}"
        ));
        let case = format!("{setting}, {end:?}");
        let writes = writes(&mut s, end);
        if lazy {
            assert_lazy(writes, &case);
        } else {
            assert_durable(writes, &case);
        }
        assert_eq!(
            s.text("(SELECT delayed_durability_desc FROM sys.databases WHERE name = 'd')"),
            setting
        );
    }
    assert_eq!(s.int("SELECT COUNT(*) FROM dbo.t"), COMMITS * 11);
}

#[test]
fn a_delayed_commit_counts_no_write_log_wait_and_a_durable_one_does() {
    let lab = Lab::start();
    let mut s = database(&lab);
    s.exec("ALTER DATABASE d SET DELAYED_DURABILITY = ALLOWED");
    let waits = "SELECT CAST(ISNULL(SUM(waiting_tasks_count), 0) AS int) FROM \
                 sys.dm_exec_session_wait_stats WHERE session_id = @@SPID AND wait_type = 'WRITELOG'";
    s.exec("EXEC sys.sp_flush_log");
    let start = s.int(waits);
    s.exec(&format!("BEGIN TRAN; INSERT dbo.t VALUES (1); {LAZY}"));
    assert_eq!(s.int(waits) - start, 0);
    s.exec(&format!("BEGIN TRAN; INSERT dbo.t VALUES (1); {DURABLE}"));
    assert_eq!(s.int(waits) - start, 1);
}

#[test]
fn a_transaction_in_two_databases_is_durable_in_both_whatever_it_asks_for() {
    let lab = Lab::start();
    let mut s = database(&lab);
    s.exec("ALTER DATABASE d SET DELAYED_DURABILITY = FORCED");
    s.exec("CREATE DATABASE e; ALTER DATABASE e SET DELAYED_DURABILITY = FORCED");
    s.exec("CREATE TABLE e.dbo.t (i int NOT NULL)");
    let both = |s: &mut Session<'_>| {
        s.int(
            "SELECT CAST(SUM(num_of_writes) AS int) FROM sys.dm_io_virtual_file_stats(NULL, 2) \
             WHERE database_id IN (DB_ID('d'), DB_ID('e'))",
        )
    };
    let before = both(&mut s);
    s.exec(&format!(
        "SET NOCOUNT ON; DECLARE @i int = 0; WHILE @i < {COMMITS} BEGIN BEGIN TRAN; INSERT dbo.t \
         VALUES (1); INSERT e.dbo.t VALUES (1); {LAZY}; SET @i += 1; END"
    ));
    let writes = both(&mut s) - before;
    assert!(
        (2 * COMMITS..2 * COMMITS + 40).contains(&writes),
        "{writes} writes"
    );
}

#[test]
fn sp_flush_log_returns_1_and_leaves_nothing_to_write() {
    let lab = Lab::start();
    let mut s = database(&lab);
    s.exec("ALTER DATABASE d SET DELAYED_DURABILITY = FORCED; INSERT dbo.t VALUES (1)");
    assert_eq!(
        s.int("DECLARE @r int; EXEC @r = sys.sp_flush_log; SELECT @r"),
        1
    );
    let flushed = log_writes(&mut s);
    s.exec("EXEC sys.sp_flush_log");
    assert_eq!(log_writes(&mut s), flushed);
    s.exec("INSERT dbo.t VALUES (2)");
    s.exec("EXEC sys.sp_flush_log");
    assert!(log_writes(&mut s) > flushed);
}

#[test]
fn tempdb_never_waits_for_its_log() {
    let lab = Lab::start();
    let mut s = lab.connect();
    s.exec("USE tempdb; CREATE TABLE dbo.t (i int NOT NULL)");
    assert_lazy(writes(&mut s, Some("COMMIT")), "tempdb");
}
