//! Log blocks that are damaged, torn or of another time.
//!
//! The rule: what a damaged block held is never replayed, nor anything behind it. Where nothing
//! shows that the log had been durable there (the last flush: a torn write looks the same), the
//! log ends before it. Where a later flush or the boot record shows that it had been, committed
//! work is lost, and the database is not opened.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failure is the result")]

mod common;

use std::path::Path;
use std::sync::Arc;

use common::rows;
use common::sim_disk::{Fate, SimDisk};
use common::workload::{created, open};
use labdb_storage::{Database, HeapId, Lsn, NoWaits, StorageError};
use rand::SeedableRng;
use rand::rngs::StdRng;

const LOG: &str = "/small_log.ldf";

/// Where a block begins in the log file.
fn offset(db: &Arc<Database>, lsn: Lsn) -> usize {
    let vlfs = db.vlfs();
    let vlf = vlfs
        .iter()
        .find(|v| v.sequence_number == lsn.vlf_sequence())
        .unwrap();
    usize::try_from(vlf.begin_offset + u64::from(lsn.block()) * 512).unwrap()
}

/// Commits one row of this many bytes, durably or not; the commit's LSN.
fn commit(db: &Arc<Database>, number: u8, length: usize, durable: bool) -> Lsn {
    let mut txn = db.begin(Arc::new(NoWaits));
    db.insert(&mut txn, HeapId::CATALOG, &vec![number; length])
        .unwrap();
    db.commit(txn, durable).unwrap().lsn.unwrap()
}

/// The numbers of the rows.
fn numbers(db: &Arc<Database>) -> Vec<u8> {
    let mut numbers: Vec<u8> = rows(db, HeapId::CATALOG).values().map(|r| r[0]).collect();
    numbers.sort_unstable();
    numbers
}

/// The disk as a kill leaves it, with the log changed.
fn damaged(disk: &SimDisk, change: impl FnOnce(&mut [u8])) -> SimDisk {
    let copy = disk.after_crash(Fate::Kept, &mut StdRng::seed_from_u64(1));
    copy.damage(Path::new(LOG), change);
    copy
}

/// One place in each field of a block's header, in its records, in its padding, and in each of
/// its sectors.
fn places(length: usize) -> Vec<usize> {
    let header = [0, 4, 8, 13, 16, 21, 24, 28, 30, 32, 39];
    let sectors = (0..length).step_by(512).flat_map(|at| [at, at + 511]);
    header.into_iter().chain([41, 60]).chain(sectors).collect()
}

#[test]
fn damage_to_the_last_flush_ends_the_log_before_it() {
    let disk = created();
    let db = open(&disk).unwrap();
    let lsns: Vec<Lsn> = (0..10).map(|n| commit(&db, n, 1200, true)).collect();
    let at = offset(&db, lsns[9]);
    for place in places(1536) {
        let disk = damaged(&disk, |log| log[at + place] ^= 0x10);
        let db = open(&disk).unwrap_or_else(|error| panic!("byte {place}: {error}"));
        assert_eq!(numbers(&db), (0..9).collect::<Vec<_>>(), "byte {place}");
    }
    let disk = damaged(&disk, |log| log[at..at + 1536].fill(0));
    assert_eq!(numbers(&open(&disk).unwrap()), (0..9).collect::<Vec<_>>());
}

#[test]
fn damage_to_log_that_a_later_flush_shows_to_have_been_durable_is_an_error() {
    let disk = created();
    let db = open(&disk).unwrap();
    let lsns: Vec<Lsn> = (0..10).map(|n| commit(&db, n, 1200, true)).collect();
    for (number, &lsn) in lsns.iter().enumerate().take(9) {
        let at = offset(&db, lsn);
        for place in places(1536) {
            let disk = damaged(&disk, |log| log[at + place] ^= 0x10);
            let Err(error) = open(&disk) else {
                panic!("commit {number}, byte {place}: opened");
            };
            let StorageError::Corrupt { path, reason } = &error else {
                panic!("commit {number}, byte {place}: {error}");
            };
            assert_eq!(path, Path::new(LOG));
            assert!(
                reason.contains(&format!(
                    "cannot be read at {}",
                    Lsn::new(lsn.vlf_sequence(), lsn.block(), 0)
                )),
                "commit {number}, byte {place}: {reason}"
            );
        }
    }
}

#[test]
fn damage_after_a_clean_close_is_an_error_even_in_the_last_block() {
    let disk = created();
    let db = open(&disk).unwrap();
    let last = commit(&db, 1, 100, true);
    db.close().unwrap();
    // The block after it holds the checkpoint of the close.
    let at = offset(&db, last);
    let disk_of_close = damaged(&disk, |log| log[at + 512 + 50] ^= 1);
    let error = open(&disk_of_close).map(drop).unwrap_err();
    assert!(matches!(error, StorageError::Corrupt { .. }), "{error}");
    // The commit's own block lies before the checkpoint: its row is in the data file.
    let disk = damaged(&disk, |log| log[at + 50] ^= 1);
    assert_eq!(numbers(&open(&disk).unwrap()), [1]);
}

#[test]
fn a_delayed_commit_whose_block_is_torn_takes_those_after_it_along_and_no_other() {
    let disk = created();
    let db = open(&disk).unwrap();
    // While one flush runs, what the next takes along gathers: several blocks, as full ones are
    // sealed at 60 KB.
    let mut lsns = Vec::new();
    disk.during_a_log_write(
        || {
            commit(&db, 0, 100, true);
        },
        || lsns.extend((1..40).map(|n| commit(&db, n, 7000, false))),
    );
    db.flush_log(&NoWaits).unwrap();
    let second = lsns
        .iter()
        .find(|l| l.block() != lsns[0].block())
        .copied()
        .unwrap();
    let whole = lsns.iter().filter(|l| l.block() == lsns[0].block()).count();
    let at = offset(&db, second);
    let disk = damaged(&disk, |log| log[at + 20_000] ^= 1);
    let db = open(&disk).unwrap();
    let expected: Vec<u8> = (0..=u8::try_from(whole).unwrap()).collect();
    assert_eq!(numbers(&db), expected);
}

#[test]
fn a_damaged_header_of_the_next_vlf_is_an_error_where_a_flush_was_finished_behind_it() {
    let disk = created();
    let db = open(&disk).unwrap();
    let first = commit(&db, 0, 100, true);
    let mut last = first;
    let mut count = 1;
    while last.vlf_sequence() == first.vlf_sequence() {
        last = commit(&db, count, 7000, true);
        count += 1;
    }
    commit(&db, count, 100, true);
    let vlfs = db.vlfs();
    let next = vlfs
        .iter()
        .find(|v| v.sequence_number == last.vlf_sequence())
        .unwrap();
    let at = usize::try_from(next.begin_offset).unwrap();
    let disk = damaged(&disk, |log| log[at + 8] ^= 1);
    let error = open(&disk).map(drop).unwrap_err();
    assert!(matches!(error, StorageError::Corrupt { .. }), "{error}");
}

#[test]
fn blocks_of_an_earlier_turn_of_the_log_are_never_replayed() {
    let disk = created();
    let db = open(&disk).unwrap();
    // Round the four VLFs more than twice, so that whole blocks of earlier turns lie everywhere.
    let start = commit(&db, 0, 100, true).vlf_sequence();
    let mut last = start;
    while last < start + 9 {
        let mut txn = db.begin(Arc::new(NoWaits));
        let row = db.insert(&mut txn, HeapId::CATALOG, &[9; 7000]).unwrap();
        db.delete(&mut txn, HeapId::CATALOG, row).unwrap();
        last = db.commit(txn, true).unwrap().lsn.unwrap().vlf_sequence();
        db.checkpoint().unwrap();
    }
    let end = commit(&db, 1, 100, true);
    let at = offset(&db, end);
    // The same place, one turn ago: the last block is lost and an older one shows in its place.
    let disk = damaged(&disk, |log| log[at..at + 512].fill(0));
    let reopened = open(&disk).unwrap();
    assert_eq!(numbers(&reopened), [0]);
    // And so when the older one is put there bit by bit.
    let older = disk.after_crash(Fate::Kept, &mut StdRng::seed_from_u64(1));
    for vlf in db.vlfs() {
        let from = usize::try_from(vlf.begin_offset).unwrap() + 8192;
        let copy = damaged(&older, |log| {
            let block = log[from..from + 8192].to_vec();
            log[at..at + 8192].copy_from_slice(&block);
        });
        match open(&copy) {
            Ok(db) => assert_eq!(numbers(&db), [0]),
            Err(error) => assert!(matches!(error, StorageError::Corrupt { .. }), "{error}"),
        }
    }
}
