//! Temporary tables that all sessions see, and procedures of one session's own.

use super::harness::Lab;
use std::time::{Duration, Instant};

/// Asks until an object is gone.
fn wait_until_gone(s: &mut super::harness::Session<'_>, name: &str) {
    let until = Instant::now() + Duration::from_secs(20);
    while s.text(&format!("OBJECT_ID('tempdb..{name}')")) != "NULL" {
        assert!(Instant::now() < until, "{name} is still there");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_global_temporary_table_is_seen_by_all_until_its_session_ends() {
    let lab = Lab::start();
    let mut s = lab.connect();
    s.exec("CREATE LOGIN reader WITH PASSWORD = 'Reader-12-34', CHECK_POLICY = OFF");
    s.exec("CREATE DATABASE d");
    s.exec("USE d");
    let mut maker = lab.connect();
    maker.exec("CREATE TABLE ##shared (id int IDENTITY PRIMARY KEY, v varchar(10))");
    maker.exec("INSERT ##shared (v) VALUES ('one'), ('two')");
    assert_eq!(maker.error("CREATE TABLE ##shared (id int)"), 2714);
    // From any database, with and without tempdb's name, and by a login without rights.
    assert_eq!(s.int("SELECT COUNT(*) FROM ##shared"), 2);
    assert_eq!(s.int("SELECT COUNT(*) FROM tempdb..##shared"), 2);
    assert_ne!(s.text("OBJECT_ID('tempdb..##shared')"), "NULL");
    assert_eq!(
        s.int("SELECT COUNT(*) FROM tempdb.sys.tables WHERE name = '##shared'"),
        1
    );
    let client = lab.connect_as("reader", "Reader-12-34", "master").unwrap();
    let mut reader = lab.session(client);
    reader.exec("INSERT ##shared (v) VALUES ('three'); CREATE INDEX by_v ON ##shared (v)");
    reader.exec("SELECT v INTO ##mine FROM ##shared");
    assert_eq!(reader.int("SELECT COUNT(*) FROM ##mine"), 3);
    // A rollback takes rows and tables back, and another session waits for them.
    maker.exec("BEGIN TRAN; DELETE ##shared; CREATE TABLE ##gone (a int); ROLLBACK");
    assert_eq!(maker.int("SELECT COUNT(*) FROM ##shared"), 3);
    assert_eq!(maker.error("SELECT * FROM ##gone"), 208);
    drop(reader);
    wait_until_gone(&mut s, "##mine");
    // The maker ends while another session reads: the table goes when that one ends.
    let mut user = lab.connect();
    user.exec("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE; BEGIN TRAN; SELECT * FROM ##shared");
    drop(maker);
    std::thread::sleep(Duration::from_millis(200));
    assert_eq!(user.int("SELECT COUNT(*) FROM ##shared"), 3);
    drop(user);
    wait_until_gone(&mut s, "##shared");
    assert_eq!(s.error("SELECT * FROM ##shared"), 208);
    s.exec("CREATE TABLE ##shared (other int); DROP TABLE ##shared");
    assert_eq!(s.text("OBJECT_ID('tempdb..##shared')"), "NULL");
}

#[test]
fn a_temporary_procedure_is_its_sessions_own() {
    let lab = Lab::start();
    let mut s = lab.connect();
    s.exec("CREATE PROCEDURE #twice @n int, @r int OUTPUT AS BEGIN SET @r = @n * 2; RETURN 7 END");
    assert_eq!(
        s.column(
            "DECLARE @r int, @c int; EXEC @c = #twice 21, @r OUTPUT; SELECT CONCAT(@r, ' ', @c)"
        ),
        "42 7"
    );
    assert_eq!(s.error("CREATE PROCEDURE #twice AS RETURN"), 2714);
    assert_eq!(s.int("SELECT COUNT(*) FROM sys.procedures"), 0);
    assert_ne!(s.text("OBJECT_ID('tempdb..#twice', 'P')"), "NULL");
    // It runs in the database that is current.
    s.exec("CREATE DATABASE d");
    s.exec("CREATE PROCEDURE #here AS SELECT DB_NAME()");
    assert_eq!(s.column("USE d; EXEC #here"), "d");
    let mut other = lab.connect();
    assert_eq!(other.error("EXEC #twice 1, NULL"), 2812);
    other.exec("CREATE PROCEDURE #twice AS SELECT 'other'");
    assert_eq!(other.column("EXEC #twice"), "other");
    s.exec("ALTER PROCEDURE #here AS SELECT 'altered'");
    assert_eq!(s.column("EXEC #here"), "altered");
    s.exec("BEGIN TRAN; DROP PROCEDURE #here; ROLLBACK");
    assert_eq!(s.column("EXEC #here"), "altered");
    s.exec("DROP PROCEDURE #here");
    assert_eq!(s.error("EXEC #here"), 2812);
    assert_eq!(s.error("DROP PROCEDURE #here"), 3701);
    s.exec("DROP PROCEDURE IF EXISTS #here");
    assert_eq!(s.error("CREATE PROCEDURE ##all AS RETURN"), 40510);
}
