//! Transactions, between sessions too.

use super::harness::{Lab, PASSWORD};
use std::time::Duration;

#[test]
fn rollback_takes_everything_back_and_savepoints_a_part() {
    let lab = Lab::start();
    let mut s = lab.connect();
    s.exec("CREATE TABLE dbo.t (id int PRIMARY KEY)");
    s.exec(
        "BEGIN TRAN; INSERT dbo.t VALUES (1); SAVE TRAN a; INSERT dbo.t VALUES (2); ROLLBACK TRAN \
         a; INSERT dbo.t VALUES (3); COMMIT",
    );
    assert_eq!(
        s.column("SELECT CAST(id AS varchar(5)) FROM dbo.t ORDER BY id"),
        "1,3"
    );
    s.exec("BEGIN TRAN; DELETE dbo.t; CREATE TABLE dbo.u (a int); ROLLBACK");
    assert_eq!(s.int("SELECT COUNT(*) FROM dbo.t"), 2);
    assert_eq!(s.text("OBJECT_ID('dbo.u')"), "NULL");
    s.exec("INSERT dbo.t VALUES (2)");
    assert_eq!(
        s.int(
            "BEGIN TRAN; BEGIN TRAN; COMMIT; DECLARE @n int = @@TRANCOUNT; ROLLBACK; SELECT @n * \
             10 + @@TRANCOUNT"
        ),
        10
    );
    // A table variable keeps its rows, a temporary table does not.
    assert_eq!(
        s.column(
            "DECLARE @v TABLE (n int); CREATE TABLE #t (n int); BEGIN TRAN; INSERT @v VALUES (1); \
             INSERT #t VALUES (1); ROLLBACK; SELECT CONCAT((SELECT COUNT(*) FROM @v), (SELECT \
             COUNT(*) FROM #t))"
        ),
        "10"
    );
}

#[test]
fn xact_abort_and_a_lost_connection_roll_back() {
    let lab = Lab::start();
    let mut s = lab.connect();
    s.exec("CREATE TABLE dbo.t (id int PRIMARY KEY)");
    assert_eq!(
        s.error(
            "SET XACT_ABORT ON; BEGIN TRAN; INSERT dbo.t VALUES (1); INSERT dbo.t VALUES (1); \
             INSERT dbo.t VALUES (2); COMMIT"
        ),
        2627
    );
    assert_eq!(s.int("SELECT COUNT(*) + @@TRANCOUNT FROM dbo.t"), 0);
    {
        let mut other = lab.connect();
        other.exec("BEGIN TRAN; INSERT master.dbo.t VALUES (5)");
    }
    assert_eq!(s.int("SELECT COUNT(*) FROM dbo.t"), 0);
    assert_eq!(
        s.int(
            "SET XACT_ABORT ON; BEGIN TRY BEGIN TRAN; INSERT dbo.t VALUES (1); INSERT dbo.t \
             VALUES (1); END TRY BEGIN CATCH DECLARE @x int = XACT_STATE(); ROLLBACK; SELECT @x; \
             END CATCH"
        ),
        -1
    );
}

#[test]
fn writers_of_a_row_wait_readers_see_no_uncommitted_row_and_a_timeout_is_1222() {
    let lab = Lab::start();
    let mut a = lab.connect();
    let mut b = lab.connect();
    a.exec("CREATE TABLE dbo.t (id int PRIMARY KEY, v int); INSERT dbo.t VALUES (1, 0)");
    a.exec("BEGIN TRAN; UPDATE dbo.t SET v = v + 1 WHERE id = 1");
    assert_eq!(b.error("SET LOCK_TIMEOUT 20; SELECT v FROM dbo.t"), 1222);
    assert_eq!(b.int("SELECT v FROM dbo.t WITH (NOLOCK)"), 1);
    assert_eq!(b.error("UPDATE dbo.t SET v = v + 10 WHERE id = 1"), 1222);
    a.exec("COMMIT");
    b.exec("SET LOCK_TIMEOUT -1; UPDATE dbo.t SET v = v + 10 WHERE id = 1");
    assert_eq!(a.int("SELECT v FROM dbo.t"), 11);
}

#[test]
fn increments_from_several_sessions_are_never_lost() {
    let lab = Lab::start();
    let mut s = lab.connect();
    s.exec("CREATE TABLE dbo.t (id int PRIMARY KEY, v int); INSERT dbo.t VALUES (1, 0)");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut mine = lab.connect();
                for _ in 0..50 {
                    mine.exec("UPDATE dbo.t SET v = v + 1 WHERE id = 1");
                }
            });
        }
    });
    assert_eq!(s.int("SELECT v FROM dbo.t"), 200);
}

#[test]
fn sixteen_sessions_insert_every_row_once() {
    let lab = Lab::start();
    let mut s = lab.connect();
    s.exec("CREATE TABLE dbo.t (id int IDENTITY PRIMARY KEY, w int)");
    std::thread::scope(|scope| {
        for worker in 0..16 {
            let lab = &lab;
            scope.spawn(move || {
                let mut mine = lab.session(lab.connect_as("sa", PASSWORD, "master").unwrap());
                for _ in 0..100 {
                    mine.exec(&format!("INSERT dbo.t (w) VALUES ({worker})"));
                }
            });
        }
    });
    assert_eq!(s.int("SELECT COUNT(*) FROM dbo.t"), 1600);
    assert_eq!(
        s.int("SELECT COUNT(*) FROM (SELECT w FROM dbo.t GROUP BY w HAVING COUNT(*) = 100) AS x"),
        16
    );
    assert_eq!(s.int("SELECT MAX(id) FROM dbo.t"), 1600);
}

#[test]
fn a_deadlock_ends_with_1205_for_one_of_the_two() {
    let lab = Lab::start();
    let mut a = lab.connect();
    a.exec("CREATE TABLE dbo.t (id int PRIMARY KEY, v int); INSERT dbo.t VALUES (1, 0), (2, 0)");
    let mut b = lab.connect();
    a.exec("BEGIN TRAN; UPDATE dbo.t SET v = 1 WHERE id = 1");
    b.exec("BEGIN TRAN; UPDATE dbo.t SET v = 2 WHERE id = 2");
    let (first, second) = std::thread::scope(|scope| {
        let other = scope.spawn(move || {
            b.try_all("UPDATE dbo.t SET v = 2 WHERE id = 1; COMMIT")
                .err()
                .and_then(|e| e.code())
        });
        std::thread::sleep(Duration::from_millis(50));
        let mine = a
            .try_all("UPDATE dbo.t SET v = 1 WHERE id = 2; COMMIT")
            .err()
            .and_then(|e| e.code());
        (mine, other.join().unwrap())
    });
    let victims = [first, second].iter().filter(|c| **c == Some(1205)).count();
    assert_eq!(victims, 1, "{first:?} {second:?}");
}
