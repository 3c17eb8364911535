//! labdb's promise: kill it, start it, and every acknowledged durable commit is there.

use crate::programs::{DATABASE, setup_outcome};
use integration_tests::{Labdb, query_text};
use records::{Record, Validity};
use std::io::Write;
use std::process::Stdio;
use std::time::Duration;

const WORKERS: u64 = 8;

#[test]
fn after_kill_9_in_mid_load_every_acknowledged_commit_is_there_and_no_other_but_those_in_flight() {
    let mut server = Labdb::start();
    let stream = setup_outcome(&server, &["--recovery", "full"])
        .success()
        .stdout;
    let mut load = server
        .program("loadgen")
        .args(["--workers", &WORKERS.to_string(), "--rows", "1000000"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("loadgen starts");
    let mut stdin = load.stdin.take().expect("a pipe");
    stdin.write_all(stream.as_bytes()).expect("written");
    drop(stdin);
    // Long enough for commits on any machine: the count below proves that there were some. Each
    // worker's last row may be there before its commit is acknowledged.
    while rows(&server) < 200 + WORKERS {
        std::thread::sleep(Duration::from_millis(20));
    }
    server.kill_and_restart();

    let output = load.wait_with_output().expect("loadgen ends");
    assert_eq!(
        output.status.code(),
        Some(8),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let record = text.lines().last().expect("a record");
    let Record::Load(load) = serde_json::from_str(record).expect("a record") else {
        panic!("{record}")
    };
    assert_eq!(load.validity, Validity::Invalid);
    assert!(
        load.reasons
            .iter()
            .any(|reason| reason.code == "connection_lost"),
        "{:?}",
        load.reasons
    );
    let there = rows(&server);
    let acknowledged = load.transactions;
    assert!(acknowledged >= 200, "{acknowledged}");
    assert!(
        (acknowledged..=acknowledged + WORKERS).contains(&there),
        "{acknowledged} acknowledged, {there} there"
    );
}

fn rows(server: &Labdb) -> u64 {
    query_text(
        server,
        DATABASE,
        "SELECT CAST(COUNT_BIG(*) AS nvarchar(20)) FROM dbo.writes WITH (NOLOCK)",
    )
    .parse()
    .expect("a number")
}
