//! Faults on purpose do what they say, where they say it.

use crate::process::{Server, Session};
use std::io::Read;
use std::process::Command;
use std::time::{Duration, Instant, SystemTime};

fn waited(session: &mut Session<'_>) -> i64 {
    session.number(
        "(SELECT COALESCE(SUM(wait_time_ms), 0) FROM sys.dm_exec_session_wait_stats \
         WHERE session_id = @@SPID AND wait_type = 'WRITELOG')",
    )
}

fn stalled(session: &mut Session<'_>, file: u8) -> i64 {
    session.number(&format!(
        "(SELECT io_stall_write_ms FROM sys.dm_io_virtual_file_stats(DB_ID('d'), {file}))"
    ))
}

fn database(session: &mut Session<'_>) {
    session.exec("CREATE DATABASE d");
    session.exec("USE d; CREATE TABLE t (a int NOT NULL)");
}

#[test]
fn a_flush_delay_is_in_the_session_s_waits_and_in_the_log_file_s_stall() {
    let server = Server::start(&["--fault", "flush-delay=30ms"]);
    let mut session = server.connect();
    database(&mut session);
    let (wait, stall) = (waited(&mut session), stalled(&mut session, 2));
    let data = stalled(&mut session, 1);
    for _ in 0..5 {
        session.exec("INSERT t VALUES (1)");
    }
    assert!(waited(&mut session) - wait >= 150);
    assert!(stalled(&mut session, 2) - stall >= 150);
    // Nothing was flushed to the data file: the delay is the log's alone.
    assert!(stalled(&mut session, 1) - data < 150);
}

#[test]
fn a_flush_delay_is_drawn_from_its_distribution() {
    let server = Server::start(&["--fault", "flush-delay=uniform(40ms,60ms)@3"]);
    let mut session = server.connect();
    database(&mut session);
    let before = waited(&mut session);
    for _ in 0..5 {
        session.exec("INSERT t VALUES (1)");
    }
    assert!(waited(&mut session) - before >= 200);
}

/// Commits until one takes at least this long.
fn commit_until_slow(session: &mut Session<'_>, sql: &str, slow: Duration) {
    let began = Instant::now();
    while began.elapsed() < Duration::from_mins(1) {
        let one = Instant::now();
        session.exec(sql);
        if one.elapsed() >= slow {
            return;
        }
    }
    panic!("no stall within a minute");
}

#[test]
fn a_stall_holds_log_flushes() {
    let server = Server::start(&["--fault", "stall=700ms@every:2s"]);
    let mut session = server.connect();
    database(&mut session);
    let before = stalled(&mut session, 2);
    commit_until_slow(
        &mut session,
        "INSERT t VALUES (1)",
        Duration::from_millis(400),
    );
    assert!(stalled(&mut session, 2) - before >= 400);
}

#[test]
fn a_stall_of_all_io_holds_data_files_too() {
    let server = Server::start(&["--fault", "stall-io=700ms@every:2s"]);
    let mut session = server.connect();
    database(&mut session);
    let began = Instant::now();
    while stalled(&mut session, 1) < 300 {
        session.exec("INSERT t VALUES (1); CHECKPOINT");
        assert!(
            began.elapsed() < Duration::from_mins(1),
            "no stall within a minute"
        );
    }
}

#[test]
fn the_refused_connection_alone_is_closed_without_a_byte() {
    let server = Server::start(&["--fault", "refuse-connection=2"]);
    let mut first = server.connect();
    let mut bytes = Vec::new();
    server.socket().read_to_end(&mut bytes).unwrap();
    assert!(bytes.is_empty());
    let mut third = server.connect();
    assert_eq!(first.number("1") + third.number("2"), 3);
}

#[test]
fn a_connection_is_dropped_at_the_request_after_its_last() {
    let server = Server::start(&["--fault", "drop-connection=2@3requests"]);
    let mut other = server.connect();
    database(&mut other);
    let mut session = server.connect();
    session.exec("USE d");
    session.exec("BEGIN TRANSACTION");
    session.exec("INSERT t VALUES (1)");
    assert!(session.try_all("COMMIT").is_err());
    // Its transaction went with it; READCOMMITTED waits until it has.
    assert_eq!(other.number("(SELECT COUNT(*) FROM d.dbo.t)"), 0);
}

#[test]
fn a_connection_is_dropped_in_the_middle_of_what_it_does() {
    let server = Server::start(&["--fault", "drop-connection=1@300ms"]);
    let mut session = server.connect();
    let began = Instant::now();
    assert!(session.try_all("WAITFOR DELAY '00:01:00'").is_err());
    assert!(began.elapsed() < Duration::from_secs(50));
    assert!(server.connect().number("1") == 1);
}

#[test]
fn a_full_disk_stops_user_databases_and_no_others() {
    let server = Server::start(&["--fault", "disk-full=24mb"]);
    let mut session = server.connect();
    let data = server.data().display().to_string();
    session.exec(&format!(
        "CREATE DATABASE d ON (NAME = d, FILENAME = '{data}/d.mdf', SIZE = 8MB, FILEGROWTH = 8MB) \
         LOG ON (NAME = l, FILENAME = '{data}/d.ldf', SIZE = 2MB, FILEGROWTH = 2MB); \
         ALTER DATABASE d SET RECOVERY SIMPLE",
    ));
    session.exec("USE d; CREATE TABLE t (a char(7000) NOT NULL)");
    let error = session.error(
        "SET NOCOUNT ON; DECLARE @i int = 0; WHILE @i < 5000 BEGIN INSERT t VALUES ('x'); \
         SET @i += 1 END",
    );
    assert_eq!(error, 1105);
    let rows = session.number("(SELECT COUNT(*) FROM t)");
    // 16 MB of pages at most, and more than the first 8.
    assert!((1024..2048).contains(&rows), "{rows}");
    session.exec(
        "CREATE TABLE tempdb.dbo.u (a char(7000) NOT NULL); INSERT tempdb.dbo.u VALUES ('x')",
    );
    // What is dropped leaves room.
    session.exec("USE master; DROP DATABASE d");
    session.exec(&format!(
        "CREATE DATABASE e ON (NAME = d, FILENAME = '{data}/e.mdf', SIZE = 16MB)"
    ));
}

fn milliseconds_ahead(session: &mut Session<'_>, clock: &str) -> i64 {
    let there = session.number(&format!("DATEDIFF_BIG(millisecond, '1970-01-01', {clock})"));
    let here = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap();
    there - i64::try_from(here.as_millis()).unwrap()
}

#[test]
fn the_clock_steps_in_what_is_reported_and_not_in_what_is_waited() {
    const HOUR: i64 = 3_600_000;
    const MINUTE: i64 = 60_000;
    let server = Server::start(&["--fault", "clock-step=-2h@3s"]);
    let mut session = server.connect();
    let before = milliseconds_ahead(&mut session, "SYSUTCDATETIME()");
    // A machine that takes 3 seconds to come here sees only the time after.
    assert!(
        before.abs() < MINUTE || (before + 2 * HOUR).abs() < MINUTE,
        "{before}"
    );
    let began = Instant::now();
    session.exec("WAITFOR DELAY '00:00:04'");
    let waited = began.elapsed();
    assert!((4..60).contains(&waited.as_secs()), "{waited:?}");
    let clocks = [
        "SYSUTCDATETIME()",
        "GETUTCDATE()",
        "SWITCHOFFSET(SYSDATETIMEOFFSET(), '+00:00')",
    ];
    for clock in clocks {
        let after = milliseconds_ahead(&mut session, clock);
        assert!((after + 2 * HOUR).abs() < MINUTE, "{clock}: {after}");
    }
    session.exec("CREATE DATABASE d; BACKUP DATABASE d TO DISK = 'NUL'");
    let backup = session.number(
        "(SELECT MAX(DATEDIFF(minute, SYSDATETIME(), backup_finish_date)) FROM msdb.dbo.backupset)",
    );
    assert!(backup.abs() <= 1, "{backup}");
}

#[test]
fn faults_are_named_where_clients_look() {
    let server = Server::start(&["--fault", "flush-delay=1us", "--fault", "disk-full=1gb"]);
    let mut session = server.connect();
    let named = "flush-delay=1us, disk-full=1073741824b";
    assert_eq!(session.text("SERVERPROPERTY('LabdbFaults')"), named);
    assert!(session.text("@@VERSION").contains(named));
    assert!(server.said().contains(named));
    let server = Server::start(&[]);
    assert_eq!(
        server.connect().text("SERVERPROPERTY('LabdbFaults')"),
        "NULL"
    );
}

#[test]
fn every_fault_is_in_the_help_and_in_the_documentation() {
    let run = |arguments: &[&str]| {
        let program = env!("CARGO_BIN_EXE_labdb");
        Command::new(program).args(arguments).output().unwrap()
    };
    let refused = run(&["--data", "x", "--fault", "gremlins=1"]);
    assert_eq!(refused.status.code(), Some(2));
    let known = String::from_utf8(refused.stderr).unwrap();
    let (_, known) = known.split_once("fault labdb has: ").unwrap();
    let help = String::from_utf8(run(&["--help"]).stdout).unwrap();
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/labdb.md");
    let page = std::fs::read_to_string(page).unwrap();
    let names: Vec<&str> = known.lines().next().unwrap().split(", ").collect();
    assert_eq!(names.len(), 7);
    for name in names {
        assert!(
            help.contains(&format!("{name}=")) || help.contains(&format!("{name}:")),
            "{name}"
        );
        assert!(page.contains(&format!("`{name}=")), "{name}");
    }
}

#[test]
fn a_fault_that_cannot_be_given_twice_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let refused = Command::new(env!("CARGO_BIN_EXE_labdb"))
        .arg("--data")
        .arg(folder.path())
        .args(["--listen", "127.0.0.1:0"])
        .args(["--fault", "disk-full=1gb", "--fault", "disk-full=2gb"])
        .output()
        .unwrap();
    assert_eq!(refused.status.code(), Some(1));
    let told = String::from_utf8(refused.stderr).unwrap();
    assert!(told.contains("disk-full is given 2 times"), "{told}");
}
