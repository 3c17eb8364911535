//! Whatever runs without end ends when its client asks, is killed, or goes away.

use crate::process::{Server, Session};
use std::time::{Duration, Instant};

const ENDLESS: [(&str, &str); 6] = [
    ("a loop", "WHILE 1 = 1 SET NOCOUNT ON"),
    ("an empty loop", "WHILE 1 = 1 BEGIN IF 1 = 0 PRINT 1 END"),
    (
        "a count over a cross join",
        "SELECT COUNT(*) FROM sys.all_columns a CROSS JOIN sys.all_columns b \
         CROSS JOIN sys.all_columns c CROSS JOIN sys.all_columns d",
    ),
    (
        "recursion",
        "WITH n AS (SELECT 1 AS i UNION ALL SELECT i % 2 FROM n) SELECT COUNT(*) FROM n \
         OPTION (MAXRECURSION 0)",
    ),
    ("a wait", "WAITFOR DELAY '10:00:00'"),
    ("a loop of GOTO", "again: GOTO again"),
];

const MOMENT: Duration = Duration::from_millis(200);

fn running(session: &mut Session<'_>) -> i64 {
    session.number("(SELECT COUNT(*) FROM sys.dm_exec_requests WHERE session_id > 50 AND session_id <> @@SPID)")
}

fn until_none_runs(session: &mut Session<'_>, what: &str) {
    let began = Instant::now();
    while running(session) > 0 {
        assert!(began.elapsed() < Duration::from_secs(30), "{what} goes on");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn an_attention_ends_it_and_the_session_goes_on() {
    let server = Server::start(&[]);
    let mut watcher = server.connect();
    for (what, sql) in ENDLESS {
        let mut session = server.connect();
        assert!(session.runs_for(MOMENT, sql), "{what} ended by itself");
        assert_eq!(running(&mut watcher), 1, "{what}");
        session.cancel();
        until_none_runs(&mut watcher, what);
        assert_eq!(
            watcher.number("(SELECT COUNT(*) FROM sys.dm_exec_sessions WHERE session_id > 50)"),
            2
        );
    }
}

#[test]
fn a_client_that_goes_away_ends_it() {
    let server = Server::start(&[]);
    let mut watcher = server.connect();
    for (what, sql) in ENDLESS {
        let mut session = server.connect();
        assert!(session.runs_for(MOMENT, sql), "{what} ended by itself");
        drop(session);
        until_none_runs(&mut watcher, what);
    }
}

#[test]
fn kill_ends_it_and_its_connection() {
    let server = Server::start(&[]);
    let mut watcher = server.connect();
    for (what, sql) in ENDLESS {
        let mut session = server.connect();
        let id = session.number("@@SPID");
        assert!(session.runs_for(MOMENT, sql), "{what} ended by itself");
        watcher.exec(&format!("KILL {id}"));
        until_none_runs(&mut watcher, what);
        assert!(session.try_all("SELECT 1").is_err(), "{what}");
    }
}
