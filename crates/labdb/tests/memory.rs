//! What the server's memory grows by while rows come: a process of its own, so that its resident
//! set is nobody else's.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test says what is wrong by panicking"
)]
#![allow(dead_code, reason = "the harness is made for more tests")]

#[path = "it/harness.rs"]
mod harness;

use futures_util::TryStreamExt;
use harness::{Lab, Session};

/// The process's resident memory in KiB.
fn resident() -> i32 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|l| l.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

fn insert(s: &mut Session<'_>, rows: u32, statement: &str) {
    s.exec(&format!(
        "SET NOCOUNT ON; DECLARE @i int = 0; WHILE @i < {rows} BEGIN {statement}; SET @i += 1; END"
    ));
}

/// Bytes that the resident set grows by for each of `rows` rows. The first rows fill the buffer
/// pool of 16 MB and all else that has a bound: 100,000 rows of 250 bytes are more than it holds.
fn growth(s: &mut Session<'_>, rows: u32, statement: &str) -> f64 {
    insert(s, 100_000, statement);
    let before = resident();
    insert(s, rows, statement);
    f64::from(resident() - before) * 1024.0 / f64::from(rows)
}

#[test]
fn memory_grows_with_keys_and_not_with_rows_or_results() {
    let lab = Lab::start();
    let mut s = lab.connect();
    s.exec(
        "CREATE DATABASE m; ALTER DATABASE m SET RECOVERY SIMPLE; ALTER DATABASE m SET \
         DELAYED_DURABILITY = FORCED",
    );
    s.exec(
        "USE m; CREATE TABLE h (n int, s char(240)); CREATE TABLE k (id int IDENTITY PRIMARY KEY, \
         n int, s char(240))",
    );
    let heap = growth(&mut s, 200_000, "INSERT h VALUES (@i, 'x')");
    let keyed = growth(&mut s, 200_000, "INSERT k VALUES (@i, 'x')");
    println!("bytes of resident memory for a row: heap {heap:.1}, with a key {keyed:.1}");
    assert!(heap < 10.0, "a row of a heap takes {heap:.1} bytes");
    assert!(keyed < 24.0, "a row with a key takes {keyed:.1} bytes");
    // 300,000 rows of 250 bytes: 75 MB on the wire, sent as they are read; the client drops each.
    let before = resident();
    let (rows, most) = lab.run(async {
        let stream = s.client.simple_query("SELECT n, s FROM h").await.unwrap();
        let mut stream = stream.into_row_stream();
        let (mut rows, mut most) = (0_u32, before);
        while stream.try_next().await.unwrap().is_some() {
            rows += 1;
            if rows.is_multiple_of(10_000) {
                most = most.max(resident());
            }
        }
        (rows, most)
    });
    assert_eq!(rows, 300_000);
    let grown = (most - before) >> 10;
    assert!(grown < 32, "{grown} MB more for a result of 75 MB");
}
