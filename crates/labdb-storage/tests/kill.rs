//! A process that is killed under load, again and again, on the same files.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failure is the result")]

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use common::{rows, small_spec};
use labdb_storage::{Database, HeapId, NoWaits, Options, SystemFiles};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

const FOLDER: &str = "LABDB_STORAGE_KILL_FOLDER";
const SESSIONS: u64 = 4;
/// The session whose commits are delayed.
const DELAYED: u64 = 0;

fn options() -> Options {
    Options {
        buffer_pool_bytes: 1 << 20,
        checkpoint_log_bytes: 128 << 10,
        ..Options::default()
    }
}

fn open(folder: &Path) -> Arc<Database> {
    Database::open(&folder.join("small.mdf"), &options(), Arc::new(SystemFiles)).unwrap()
}

/// A row names its round, session and number, and how many delayed commits of the round were
/// answered before it was written; each transaction writes it twice.
fn row(round: u64, session: u64, number: u64, answered: u64) -> Vec<u8> {
    let mut row = [round, session, number, answered]
        .map(u64::to_le_bytes)
        .concat();
    row.resize(32 + usize::try_from(number % 50).unwrap() * 10, 7);
    row
}

fn parse(row: &[u8]) -> ((u64, u64, u64), u64) {
    let part = |at: usize| u64::from_le_bytes(row[at..at + 8].try_into().unwrap());
    ((part(0), part(8), part(16)), part(24))
}

/// Not a test of its own: the process that is killed. It says on standard output what it has
/// committed durably.
#[test]
#[ignore = "run by the other test"]
fn victim() {
    let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else {
        return;
    };
    let round: u64 = std::env::var("ROUND").unwrap().parse().unwrap();
    let db = open(&folder);
    let answered = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for session in 0..SESSIONS {
            let (db, answered) = (&db, &answered);
            scope.spawn(move || {
                for number in 0.. {
                    let bytes = row(round, session, number, answered.load(Ordering::SeqCst));
                    let mut txn = db.begin(Arc::new(NoWaits));
                    let first = db.insert(&mut txn, HeapId::CATALOG, &bytes).unwrap();
                    db.insert(&mut txn, HeapId::CATALOG, &bytes).unwrap();
                    if number % 10 == 9 {
                        db.delete(&mut txn, HeapId::CATALOG, first).unwrap();
                        db.rollback(txn).unwrap();
                        continue;
                    }
                    db.commit(txn, session != DELAYED).unwrap();
                    if session == DELAYED {
                        answered.store(number + 1, Ordering::SeqCst);
                        if number % 100 == 0 {
                            std::thread::sleep(Duration::from_millis(1));
                        }
                    } else {
                        let line = format!("acknowledged {session} {number}\n");
                        std::io::stdout().write_all(line.as_bytes()).unwrap();
                    }
                }
            });
        }
    });
}

#[test]
fn a_kill_at_any_moment_loses_no_acknowledged_commit_and_halves_none() {
    // KILLS=2000 makes a long run of it.
    let kills: u64 = std::env::var("KILLS").map_or(200, |s| s.parse().unwrap());
    let folder = tempfile::TempDir::new().unwrap();
    let spec = small_spec(folder.path());
    drop(Database::create(&spec, &options(), Arc::new(SystemFiles)).unwrap());
    let mut random = StdRng::seed_from_u64(5);
    let mut acknowledged: BTreeSet<(u64, u64, u64)> = BTreeSet::new();
    let delayed = AtomicU64::new(0);
    let mut all = 0;
    for round in 0..kills {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "victim", "--ignored", "--nocapture"])
            .env(FOLDER, folder.path())
            .env("ROUND", round.to_string())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let reader = std::thread::spawn(move || {
            let words = |line: String| -> Option<(u64, u64)> {
                let mut words = line.strip_prefix("acknowledged ")?.split(' ');
                Some((words.next()?.parse().ok()?, words.next()?.parse().ok()?))
            };
            // The last line may be cut: without its end it was not said.
            let lines: Vec<String> = output.lines().map_while(Result::ok).collect();
            let last = lines.len().saturating_sub(1);
            let lines = lines.into_iter().take(last);
            lines.filter_map(words).collect::<Vec<_>>()
        });
        std::thread::sleep(Duration::from_millis(random.random_range(5..120)));
        child.kill().unwrap();
        child.wait().unwrap();
        let said = reader.join().unwrap();
        all += said.len();
        acknowledged.extend(said.into_iter().map(|(s, n)| (round, s, n)));

        let db = open(folder.path());
        let mut count: BTreeMap<(u64, u64, u64), u32> = BTreeMap::new();
        let mut after: BTreeSet<(u64, u64)> = BTreeSet::new();
        for bytes in rows(&db, HeapId::CATALOG).values() {
            let (name, answered) = parse(bytes);
            let expected = row(name.0, name.1, name.2, answered);
            assert_eq!(bytes, &expected, "round {round}");
            *count.entry(name).or_default() += 1;
            after.insert((name.0, answered));
        }
        // What was answered before a commit that is there is there too, also where the answer
        // came before the flush.
        for (r, answered) in after {
            let last = answered.checked_sub(1).map(|last| (r, DELAYED, last));
            assert!(
                last.is_none_or(|last| count.contains_key(&last)),
                "round {round}: {last:?} was answered before a commit that is there"
            );
        }
        for name in &acknowledged {
            assert_eq!(count.get(name), Some(&2), "round {round}: {name:?}");
        }
        assert!(count.values().all(|&n| n == 2), "round {round}");
        assert!(count.keys().all(|name| name.2 % 10 != 9), "round {round}");
        // Of each session's commits a prefix is there, delayed or not.
        for &(r, s, n) in count.keys() {
            let before = if n % 10 == 0 {
                n.checked_sub(2)
            } else {
                n.checked_sub(1)
            };
            assert!(
                before.is_none_or(|before| count.contains_key(&(r, s, before))),
                "round {round}: session {s} of round {r} has {n} but not the one before"
            );
            delayed.fetch_add(u64::from(s == DELAYED), Ordering::Relaxed);
        }
        // Some rounds go on from a clean close, some from the recovery alone, and the table is
        // emptied now and then, so that it stays small.
        if round % 5 == 4 {
            let mut txn = db.begin(Arc::new(NoWaits));
            db.truncate(&mut txn, HeapId::CATALOG).unwrap();
            db.commit(txn, true).unwrap();
            acknowledged.clear();
        }
        if random.random() {
            db.close().unwrap();
        }
    }
    assert!(
        all > 0 && delayed.into_inner() > 0,
        "the load never got going"
    );
}
