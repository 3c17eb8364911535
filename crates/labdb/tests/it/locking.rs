//! What sessions see of one another's changes, and when they wait.

use super::harness::{Lab, Session};
use std::time::Duration;

/// Rows 1 to 3 with an index on `k` besides the primary key.
fn table(s: &mut Session<'_>) {
    s.exec(
        "CREATE TABLE dbo.t (id int PRIMARY KEY, k int NOT NULL, v varchar(4000) NOT NULL); \
         CREATE INDEX ix ON dbo.t (k); INSERT dbo.t VALUES (1, 10, 'a'), (2, 20, 'b'), (3, 30, 'c')",
    );
}

/// Runs a query in a session of its own while `end` ends what it has to wait for; its rows'
/// first column. Fails when the query does not wait.
fn waits_for(lab: &Lab, query: &str, end: impl FnOnce()) -> String {
    let mut waiter = lab.connect();
    let id = waiter.int("SELECT CAST(@@SPID AS int)");
    std::thread::scope(|scope| {
        let answer = scope.spawn(move || waiter.column(query));
        let mut watcher = lab.connect();
        let blocked = format!(
            "SELECT COUNT(*) FROM sys.dm_tran_locks WHERE request_session_id = {id} AND \
             request_status = 'WAIT'"
        );
        while watcher.int(&blocked) == 0 {
            assert!(!answer.is_finished(), "it did not wait: {query}");
            std::thread::sleep(Duration::from_millis(2));
        }
        end();
        answer.join().unwrap()
    })
}

const BY_ID: &str = "SELECT CAST(id AS varchar(9)) FROM dbo.t WHERE id = 2";
const BY_K: &str = "SELECT CAST(id AS varchar(9)) FROM dbo.t WHERE k = 20";
const ALL: &str = "SELECT CAST(id AS varchar(9)) FROM dbo.t ORDER BY id";

#[test]
fn readers_wait_for_an_uncommitted_delete_whichever_way_they_come_to_the_row() {
    let lab = Lab::start();
    let mut a = lab.connect();
    table(&mut a);
    for query in [BY_ID, BY_K, ALL] {
        a.exec("BEGIN TRAN; DELETE dbo.t WHERE id = 2");
        let found = waits_for(&lab, query, || a.exec("ROLLBACK"));
        assert_eq!(found, if query == ALL { "1,2,3" } else { "2" }, "{query}");
        a.exec("BEGIN TRAN; DELETE dbo.t WHERE id = 2");
        let found = waits_for(&lab, query, || a.exec("COMMIT"));
        assert_eq!(found, if query == ALL { "1,3" } else { "" }, "{query}");
        a.exec("INSERT dbo.t VALUES (2, 20, 'b')");
    }
}

#[test]
fn readers_wait_for_an_uncommitted_change_of_a_key_under_the_old_key_and_the_new() {
    let lab = Lab::start();
    let mut a = lab.connect();
    table(&mut a);
    let new = "SELECT CAST(id AS varchar(9)) FROM dbo.t WHERE k = 99";
    for (query, committed, rolled_back) in [(BY_K, "", "2"), (new, "2", "")] {
        a.exec("BEGIN TRAN; UPDATE dbo.t SET k = 99 WHERE id = 2");
        let found = waits_for(&lab, query, || a.exec("ROLLBACK"));
        assert_eq!(found, rolled_back, "{query}");
        a.exec("BEGIN TRAN; UPDATE dbo.t SET k = 99 WHERE id = 2");
        let found = waits_for(&lab, query, || a.exec("COMMIT"));
        assert_eq!(found, committed, "{query}");
        a.exec("UPDATE dbo.t SET k = 20 WHERE id = 2");
    }
    // The same for a unique key: the row keeps its place and gets another name.
    a.exec("BEGIN TRAN; UPDATE dbo.t SET id = 5 WHERE id = 2");
    let five = "SELECT CAST(k AS varchar(9)) FROM dbo.t WHERE id = 5";
    assert_eq!(waits_for(&lab, BY_ID, || a.exec("ROLLBACK")), "2");
    a.exec("BEGIN TRAN; UPDATE dbo.t SET id = 5 WHERE id = 2");
    assert_eq!(waits_for(&lab, five, || a.exec("COMMIT")), "20");
    assert_eq!(a.column(BY_ID), "");
}

#[test]
fn a_seek_finds_a_row_that_an_update_moved_while_it_waited() {
    let lab = Lab::start();
    let mut a = lab.connect();
    table(&mut a);
    // Fill the page, so that the row has to move when it grows.
    a.exec("INSERT dbo.t SELECT n, 0, REPLICATE('x', 1800) FROM (VALUES (11), (12), (13), (14)) AS f (n)");
    for (query, end, length) in [
        (BY_ID, "ROLLBACK", 1),
        (BY_K, "ROLLBACK", 1),
        (BY_ID, "COMMIT", 3900),
        (BY_K, "COMMIT", 1),
    ] {
        let grown = if length == 1 && end == "COMMIT" {
            1
        } else {
            3900
        };
        a.exec(&format!(
            "BEGIN TRAN; UPDATE dbo.t SET v = REPLICATE('y', {grown}) WHERE id = 2"
        ));
        assert_eq!(waits_for(&lab, query, || a.exec(end)), "2", "{query} {end}");
        assert_eq!(a.int("SELECT LEN(v) FROM dbo.t WHERE id = 2"), length);
    }
}

#[test]
fn a_key_can_be_used_again_in_the_transaction_that_gave_it_up() {
    let lab = Lab::start();
    let mut s = lab.connect();
    table(&mut s);
    s.exec("CREATE UNIQUE INDEX ux ON dbo.t (k, id)");
    let state = "SELECT CONCAT(id, ':', k, ':', v) FROM dbo.t ORDER BY id";
    let by_seek = "SELECT CONCAT(id, ':', k, ':', v) FROM dbo.t WHERE id = 1";
    s.exec(
        "BEGIN TRAN; DELETE dbo.t WHERE id = 1; INSERT dbo.t VALUES (1, 11, 'new'); DELETE dbo.t \
         WHERE id = 1; INSERT dbo.t VALUES (1, 12, 'newer'); SAVE TRAN a; DELETE dbo.t WHERE id = \
         1; INSERT dbo.t VALUES (1, 13, 'x'); ROLLBACK TRAN a",
    );
    assert_eq!(s.column(by_seek), "1:12:newer");
    assert_eq!(s.error("INSERT dbo.t VALUES (1, 0, '')"), 2627);
    s.exec("COMMIT");
    assert_eq!(s.column(state), "1:12:newer,2:20:b,3:30:c");
    assert_eq!(s.column(by_seek), "1:12:newer");
    assert_eq!(s.error("INSERT dbo.t VALUES (1, 0, '')"), 2627);
    // There and back, all at once, and taken back.
    s.exec("BEGIN TRAN; UPDATE dbo.t SET id = 9 WHERE id = 1; UPDATE dbo.t SET id = 1 WHERE id = 9; COMMIT");
    assert_eq!(s.column(by_seek), "1:12:newer");
    assert_eq!(s.column("SELECT v FROM dbo.t WHERE id = 9"), "");
    s.exec("UPDATE dbo.t SET id = id + 1");
    assert_eq!(s.column(state), "2:12:newer,3:20:b,4:30:c");
    assert_eq!(s.column("SELECT v FROM dbo.t WHERE id = 3"), "b");
    s.exec("BEGIN TRAN; DELETE dbo.t; INSERT dbo.t VALUES (3, 1, 'z'); ROLLBACK");
    assert_eq!(s.column(state), "2:12:newer,3:20:b,4:30:c");
    assert_eq!(s.column("SELECT v FROM dbo.t WHERE id = 3"), "b");
    assert_eq!(s.error("UPDATE dbo.t SET id = 7"), 2627);
    assert_eq!(s.column(state), "2:12:newer,3:20:b,4:30:c");
    s.exec("DELETE dbo.t WHERE id = 3; INSERT dbo.t VALUES (3, 1, 'again')");
    assert_eq!(s.column("SELECT v FROM dbo.t WHERE id = 3"), "again");
}

#[test]
fn no_reader_ever_sees_a_row_that_is_then_rolled_back() {
    let lab = Lab::start();
    let mut s = lab.connect();
    s.exec("CREATE TABLE dbo.t (id int IDENTITY PRIMARY KEY, v int NOT NULL)");
    s.exec("INSERT dbo.t (v) VALUES (0), (0), (0)");
    let rounds = 300;
    std::thread::scope(|scope| {
        let writers: Vec<_> = (0..3)
            .map(|_| {
                scope.spawn(|| {
                    let mut mine = lab.connect();
                    for _ in 0..rounds {
                        mine.exec("BEGIN TRAN; INSERT dbo.t (v) VALUES (1); ROLLBACK");
                    }
                })
            })
            .collect();
        let mut reader = lab.connect();
        while !writers
            .iter()
            .all(std::thread::ScopedJoinHandle::is_finished)
        {
            assert_eq!(reader.int("SELECT COUNT(*) FROM dbo.t"), 3);
            assert_eq!(reader.int("SELECT SUM(v) FROM dbo.t"), 0);
        }
    });
}

#[test]
fn readpast_goes_past_locked_rows_and_two_takers_never_get_the_same_row() {
    let lab = Lab::start();
    let mut a = lab.connect();
    table(&mut a);
    a.exec("BEGIN TRAN; UPDATE dbo.t SET v = 'busy' WHERE id = 2");
    let mut b = lab.connect();
    b.exec("SET LOCK_TIMEOUT 0");
    let past = "SELECT CAST(id AS varchar(9)) FROM dbo.t WITH (READPAST) ORDER BY id";
    assert_eq!(b.column(past), "1,3");
    let taken = "SELECT CAST(id AS varchar(9)) FROM dbo.t WITH (UPDLOCK, READPAST) ORDER BY id";
    b.exec("BEGIN TRAN");
    assert_eq!(b.column(taken), "1,3");
    let mut c = lab.connect();
    c.exec("SET LOCK_TIMEOUT 0");
    assert_eq!(c.column(taken), "");
    assert_eq!(c.error("SELECT v FROM dbo.t"), 1222);
    b.exec("ROLLBACK");
    a.exec("ROLLBACK");
    assert_eq!(c.column(taken), "1,2,3");
    // A queue: every row goes to one taker.
    a.exec("CREATE TABLE dbo.q (id int PRIMARY KEY); INSERT dbo.q SELECT TOP (200) ROW_NUMBER() OVER (ORDER BY (SELECT 1)) FROM sys.all_columns");
    let mut all: Vec<i32> = std::thread::scope(|scope| {
        let takers: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    let mut mine = lab.connect();
                    let mut got = Vec::new();
                    let mut empty = 0;
                    while empty < 3 {
                        let rows = mine.rows(
                            "DELETE TOP (1) FROM dbo.q WITH (ROWLOCK, UPDLOCK, READPAST) OUTPUT deleted.id",
                        );
                        match rows.first() {
                            Some(row) => got.push(row.get::<i32, _>(0).unwrap()),
                            None => empty += 1,
                        }
                    }
                    got
                })
            })
            .collect();
        takers.into_iter().flat_map(|t| t.join().unwrap()).collect()
    });
    all.sort_unstable();
    assert_eq!(all, (1..=200).collect::<Vec<_>>());
}

#[test]
fn a_deadlock_victim_is_rolled_back_whole_and_the_other_goes_on() {
    let lab = Lab::start();
    let mut a = lab.connect();
    table(&mut a);
    let mut b = lab.connect();
    // The lower priority is the victim.
    a.exec("SET DEADLOCK_PRIORITY LOW; BEGIN TRAN; UPDATE dbo.t SET v = 'a' WHERE id = 1");
    b.exec("BEGIN TRAN; UPDATE dbo.t SET v = 'b' WHERE id = 2");
    let (victim, other) = std::thread::scope(|scope| {
        let other = scope.spawn(|| {
            b.try_all("UPDATE dbo.t SET v = 'b' WHERE id = 1; COMMIT")
                .err()
                .and_then(|e| e.code())
        });
        let victim = a
            .try_all("UPDATE dbo.t SET v = 'a' WHERE id = 2; COMMIT")
            .err()
            .and_then(|e| e.code());
        (victim, other.join().unwrap())
    });
    assert_eq!((victim, other), (Some(1205), None));
    assert_eq!(a.int("SELECT @@TRANCOUNT"), 0);
    assert_eq!(a.column("SELECT v FROM dbo.t ORDER BY id"), "b,b,c");
}

#[test]
fn whoever_takes_a_database_alone_and_drops_it_in_one_batch_is_disturbed_by_nobody() {
    let lab = Lab::start();
    let mut s = lab.connect();
    let stop = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                    // Through the front door and by USE; most of it fails, and shall.
                    drop(lab.connect_as("sa", super::harness::PASSWORD, "d"));
                    let mut mine = lab.connect();
                    for _ in 0..5 {
                        let _ = mine.try_all("USE d; SELECT COUNT(*) FROM sys.tables; USE master");
                    }
                }
            });
        }
        let mut failure = None;
        for _ in 0..25 {
            let done = s.try_all(
                "CREATE DATABASE d; WAITFOR DELAY '00:00:00.010'; ALTER DATABASE d SET SINGLE_USER \
                 WITH ROLLBACK IMMEDIATE; DROP DATABASE d",
            );
            failure = done.err();
            if failure.is_some() {
                break;
            }
        }
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        assert!(failure.is_none(), "{failure:?}");
    });
}
