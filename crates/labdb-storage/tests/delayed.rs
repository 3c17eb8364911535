//! Delayed durability: what a commit waits for, and when what it did not wait for reaches the disk.
//! The disk in memory counts the log's writes and says what a loss of power leaves.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failure is the result")]

mod common;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use common::rows;
use common::sim_disk::{Fate, SimDisk};
use common::workload::{created, open, options};
use labdb_storage::{Database, HeapId, NoWaits, Options};
use rand::SeedableRng;
use rand::rngs::StdRng;

fn commit(db: &Arc<Database>, length: usize, durable: bool) {
    let mut txn = db.begin(Arc::new(NoWaits));
    db.insert(&mut txn, HeapId::CATALOG, &vec![1; length])
        .unwrap();
    db.commit(txn, durable).unwrap();
}

/// Rows that are there after a loss of power now.
fn safe(disk: &SimDisk) -> usize {
    let disk = disk.after_crash(Fate::Lost, &mut StdRng::seed_from_u64(1));
    rows(&open(&disk).unwrap(), HeapId::CATALOG).len()
}

/// Waits for the background flush, however slow the machine is.
fn eventually_safe(disk: &SimDisk, rows: usize) {
    let begun = Instant::now();
    while safe(disk) < rows {
        assert!(begun.elapsed() < Duration::from_mins(1), "never flushed");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_durable_commit_writes_the_log_once_and_a_delayed_one_not_at_all() {
    let disk = created();
    let db = open(&disk).unwrap();
    let (before, counted) = (disk.log_writes(), db.counters().log_flushes);
    for number in 1..=100 {
        commit(&db, 50, true);
        assert_eq!(disk.log_writes() - before, number);
    }
    assert_eq!(db.counters().log_flushes - counted, 100);
    assert_eq!(safe(&disk), 100);
    let before = disk.log_writes();
    // 200 commits of some 140 bytes of log each: not one block of 60 KB.
    for _ in 0..200 {
        commit(&db, 50, false);
    }
    assert_eq!(disk.log_writes(), before);
    assert_eq!(safe(&disk), 100);
    db.flush_log(&NoWaits).unwrap();
    assert_eq!(disk.log_writes(), before + 1);
    assert_eq!(safe(&disk), 300);
}

#[test]
fn a_durable_commit_that_writes_hardens_the_delayed_ones_before_it_and_one_that_reads_does_not() {
    let disk = created();
    let db = open(&disk).unwrap();
    commit(&db, 50, false);
    let reader = db.begin(Arc::new(NoWaits));
    assert_eq!(db.commit(reader, true).unwrap().lsn, None);
    assert_eq!(safe(&disk), 0);
    let before = disk.log_writes();
    commit(&db, 50, true);
    assert_eq!(safe(&disk), 2);
    assert_eq!(disk.log_writes(), before + 1);
}

#[test]
fn a_full_block_is_flushed_in_the_background_and_what_lies_behind_it_is_not() {
    let disk = created();
    let db = open(&disk).unwrap();
    // The interval is an hour: only the size can be the reason.
    for _ in 0..12 {
        commit(&db, 7000, false);
    }
    // Eight records of 7,000 bytes fill a block of 60 KB.
    eventually_safe(&disk, 8);
    db.flush_log(&NoWaits).unwrap();
    assert_eq!(safe(&disk), 12);
}

#[test]
fn a_single_delayed_commit_is_flushed_in_the_background_after_the_interval() {
    let disk = created();
    let options = Options {
        lazy_flush_interval: Duration::from_millis(200),
        ..options()
    };
    let db = Database::open(Path::new("/small.mdf"), &options, Arc::new(disk.clone())).unwrap();
    let begun = Instant::now();
    commit(&db, 50, false);
    let at_once = safe(&disk);
    assert!(
        at_once == 0 || begun.elapsed() >= options.lazy_flush_interval,
        "the commit waited for the disk"
    );
    eventually_safe(&disk, 1);
    assert!(begun.elapsed() >= options.lazy_flush_interval);
}
