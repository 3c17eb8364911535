//! Values larger than a page: through transactions, restarts, backups and power loss.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failure is the result")]

mod common;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use common::sim_disk::{Fate, SimDisk};
use common::{Lab, small_spec};
use labdb_storage::{
    BackupKind, BackupOptions, BackupTarget, Database, HeapId, LargeValue, MAX_LARGE, NoWaits,
    Options, RecoveryModel, RestoreOptions, RowId, StorageError, Transaction, UnlockedFiles,
};
use rand::rngs::StdRng;
use rand::seq::IteratorRandom;
use rand::{Rng, SeedableRng};

/// Bytes of a value in a page of its own: 8,192 less the page's header of 96, a slot of 6 and a
/// piece's header of 16.
const PIECE: usize = 8_074;

const FATES: [Fate; 4] = [Fate::Kept, Fate::Lost, Fate::Reordered, Fate::Torn];

/// A value that shows where each of its bytes belongs.
fn value(length: usize, seed: u8) -> Vec<u8> {
    (0..length)
        .map(|at| (at / 251 + at).to_le_bytes()[0] ^ seed)
        .collect()
}

fn store(db: &Database, txn: &mut Transaction, heap: HeapId, bytes: &[u8]) -> LargeValue {
    db.insert_large(txn, heap, bytes).unwrap()
}

fn reserved(db: &Database, heap: HeapId) -> u64 {
    db.heap_space(heap).reserved_pages
}

#[test]
fn values_of_every_length_around_a_piece_come_back_as_they_were() {
    let lab = Lab::new();
    let mut spec = small_spec(lab.folder());
    spec.log[0].size = 16 << 20;
    let db = lab.create(&spec);
    let lengths = [
        0,
        1,
        PIECE - 1,
        PIECE,
        PIECE + 1,
        2 * PIECE,
        2 * PIECE + 1,
        5_000_000,
    ];
    let mut txn = lab.begin(&db);
    let stored: Vec<LargeValue> = lengths
        .iter()
        .map(|&length| store(&db, &mut txn, HeapId::CATALOG, &value(length, 3)))
        .collect();
    db.commit(txn, true).unwrap();
    // Into rows and back, and after a restart.
    drop(db);
    let db = lab.open();
    for (large, length) in stored.iter().zip(lengths) {
        let large = LargeValue::from_bytes(large.to_bytes());
        assert_eq!(large.length() as usize, length);
        assert_eq!(
            db.read_large(&large).unwrap(),
            Some(value(length, 3)),
            "{length} bytes"
        );
    }
    assert!(
        common::rows(&db, HeapId::CATALOG).is_empty(),
        "a scan of the heap does not meet them"
    );
}

#[test]
fn a_value_beyond_the_limit_is_refused_and_nothing_is_left_of_it() {
    let lab = Lab::new();
    let db = lab.create(&small_spec(lab.folder()));
    let mut txn = lab.begin(&db);
    let error = db.insert_large(&mut txn, HeapId::CATALOG, &vec![0; MAX_LARGE + 1]);
    assert!(matches!(
        error,
        Err(StorageError::ValueTooLong { length, limit })
            if length == (64 << 20) + 1 && limit == 64 << 20
    ));
    assert!(!txn.has_written());
}

#[test]
fn a_value_that_does_not_fit_the_log_is_taken_back_and_the_rest_of_the_transaction_stays() {
    let lab = Lab::new();
    let db = lab.create(&small_spec(lab.folder()));
    let mut txn = lab.begin(&db);
    let kept = store(&db, &mut txn, HeapId::CATALOG, &value(100_000, 1));
    let error = db.insert_large(&mut txn, HeapId::CATALOG, &value(2 << 20, 2));
    assert!(matches!(error, Err(StorageError::LogFull { .. })));
    let before = reserved(&db, HeapId::CATALOG);
    db.commit(txn, true).unwrap();
    drop(db);
    let db = lab.open();
    assert_eq!(db.read_large(&kept).unwrap(), Some(value(100_000, 1)));
    // The pages that it had are the next one's.
    db.checkpoint().unwrap();
    let mut txn = lab.begin(&db);
    let next = store(&db, &mut txn, HeapId::CATALOG, &value(400_000, 3));
    db.commit(txn, true).unwrap();
    assert_eq!(db.read_large(&next).unwrap(), Some(value(400_000, 3)));
    assert_eq!(reserved(&db, HeapId::CATALOG), before);
}

#[test]
fn rolled_back_values_are_gone_and_rolled_back_deletes_never_happened() {
    let lab = Lab::new();
    let db = lab.create(&small_spec(lab.folder()));
    let mut txn = lab.begin(&db);
    let old = store(&db, &mut txn, HeapId::CATALOG, &value(30_000, 1));
    db.commit(txn, true).unwrap();
    let mut txn = lab.begin(&db);
    db.delete_large(&mut txn, HeapId::CATALOG, &old).unwrap();
    let new = store(&db, &mut txn, HeapId::CATALOG, &value(30_000, 2));
    assert_eq!(db.read_large(&old).unwrap(), None);
    db.rollback(txn).unwrap();
    assert_eq!(db.read_large(&old).unwrap(), Some(value(30_000, 1)));
    assert_eq!(db.read_large(&new).unwrap(), None);
    // Others take the place; what knew the old value finds nothing, not the new one.
    let mut txn = lab.begin(&db);
    let next = store(&db, &mut txn, HeapId::CATALOG, &value(30_000, 3));
    db.commit(txn, true).unwrap();
    assert_eq!(db.read_large(&new).unwrap(), None);
    assert_eq!(db.read_large(&next).unwrap(), Some(value(30_000, 3)));
}

#[test]
fn space_of_deleted_values_is_used_again_also_after_a_restart() {
    let lab = Lab::new();
    let mut db = lab.create(&small_spec(lab.folder()));
    let heap = HeapId::CATALOG;
    let mut last: Option<LargeValue> = None;
    let mut most = 0;
    for round in 0..60_u8 {
        let mut txn = lab.begin(&db);
        if let Some(last) = last {
            db.delete_large(&mut txn, heap, &last).unwrap();
        }
        last = Some(store(&db, &mut txn, heap, &value(40_000, round)));
        db.commit(txn, true).unwrap();
        if round == 10 {
            most = reserved(&db, heap);
        }
        if round % 9 == 8 {
            db.close().unwrap();
            drop(db);
            db = lab.open();
        }
        // 40,000 bytes are five pieces: two generations of them, and what a restart or a lane
        // sets aside.
        if round > 10 {
            assert!(
                reserved(&db, heap) <= most + 16,
                "round {round}: {} pages, {most} before",
                reserved(&db, heap)
            );
        }
    }
    assert_eq!(
        db.read_large(&last.unwrap()).unwrap(),
        Some(value(40_000, 59))
    );
}

#[test]
fn the_first_pieces_of_many_values_share_pages() {
    let lab = Lab::new();
    let mut spec = small_spec(lab.folder());
    spec.log[0].size = 16 << 20;
    let db = lab.create(&spec);
    let mut txn = lab.begin(&db);
    for number in 0..100_u8 {
        store(
            &db,
            &mut txn,
            HeapId::CATALOG,
            &value(PIECE + 1_000, number),
        );
    }
    db.commit(txn, true).unwrap();
    // A page each for the whole pieces, and seven firsts of 1,016 bytes and a slot in a page.
    let pages = 100 + 100_u64.div_ceil(8_096 / 1_022);
    assert!(
        reserved(&db, HeapId::CATALOG) <= pages.next_multiple_of(8) + 8,
        "{} pages for {pages}",
        reserved(&db, HeapId::CATALOG)
    );
}

#[test]
fn truncate_and_drop_free_the_pages_of_large_values_and_a_rollback_brings_them_back() {
    let lab = Lab::new();
    let db = lab.create(&small_spec(lab.folder()));
    let mut txn = lab.begin(&db);
    let heap = db.create_heap(&mut txn).unwrap();
    let large = store(&db, &mut txn, heap, &value(200_000, 9));
    db.commit(txn, true).unwrap();
    assert!(reserved(&db, heap) >= 25);
    let mut txn = lab.begin(&db);
    db.truncate(&mut txn, heap).unwrap();
    assert_eq!(reserved(&db, heap), 0);
    db.rollback(txn).unwrap();
    assert_eq!(db.read_large(&large).unwrap(), Some(value(200_000, 9)));
    let mut txn = lab.begin(&db);
    db.drop_heap(&mut txn, heap).unwrap();
    db.commit(txn, true).unwrap();
    // The space is anybody's: 2 MB of data file hold eight times 200,000 bytes one after another.
    for round in 0..40 {
        let mut txn = lab.begin(&db);
        let heap = db.create_heap(&mut txn).unwrap();
        store(&db, &mut txn, heap, &value(200_000, round));
        if round % 2 == 0 {
            db.rollback(txn).unwrap();
        } else {
            db.drop_heap(&mut txn, heap).unwrap();
            db.commit(txn, true).unwrap();
        }
    }
    drop(db);
    let db = lab.open();
    let size: u64 = db
        .files()
        .iter()
        .filter(|f| f.file_id == 1)
        .map(|f| f.size)
        .sum();
    assert_eq!(size, 2 << 20, "the data file did not grow");
}

#[test]
fn backups_of_each_kind_have_large_values_as_they_were() {
    let lab = Lab::new();
    let mut spec = small_spec(lab.folder());
    spec.recovery_model = RecoveryModel::Full;
    let db = lab.create(&spec);
    let heap = HeapId::CATALOG;
    let commit = |work: &dyn Fn(&mut Transaction) -> LargeValue| {
        let mut txn = lab.begin(&db);
        let value = work(&mut txn);
        db.commit(txn, true).unwrap();
        value
    };
    let backup = |kind: BackupKind, name: &str| {
        let path = lab.path(name);
        let (target, options) = (BackupTarget::File(path.clone()), BackupOptions::default());
        match kind {
            BackupKind::Log => db.backup_log(&target, &options).unwrap(),
            kind => db
                .backup_pages(kind, &target, &options, &mut |_, _| Ok(()))
                .unwrap(),
        };
        path
    };
    let replace = |old: LargeValue, seed: u8| {
        commit(&|txn| {
            db.delete_large(txn, heap, &old).unwrap();
            store(&db, txn, heap, &value(90_000, seed))
        })
    };
    let restored = |paths: &[PathBuf], folder: &str| {
        let folder = lab.path(folder);
        std::fs::create_dir_all(&folder).unwrap();
        let options = RestoreOptions {
            moves: vec![
                ("small".to_owned(), folder.join("copy.mdf")),
                ("small_log".to_owned(), folder.join("copy.ldf")),
            ],
            ..RestoreOptions::default()
        };
        let paths: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
        let files = Arc::new(UnlockedFiles);
        Database::restore(&paths, &options, &lab.options, files, &mut |_| {}).unwrap()
    };
    let kept = commit(&|txn| store(&db, txn, heap, &value(50_000, 1)));
    let first = commit(&|txn| store(&db, txn, heap, &value(90_000, 2)));
    let full = backup(BackupKind::Full, "full.bak");
    let second = replace(first, 3);
    let differential = backup(BackupKind::Differential, "differential.bak");
    let log = backup(BackupKind::Log, "log.bak");
    let third = replace(second, 4);
    let tail = backup(BackupKind::Log, "tail.bak");
    let cases = [
        (vec![full.clone()], first, 2),
        (vec![full.clone(), differential.clone()], second, 3),
        (vec![full.clone(), log.clone(), tail.clone()], third, 4),
        (vec![full, differential, log, tail], third, 4),
    ];
    for (case, (paths, last, seed)) in cases.into_iter().enumerate() {
        let copy = restored(&paths, &format!("copy{case}"));
        assert_eq!(copy.read_large(&kept).unwrap(), Some(value(50_000, 1)));
        assert_eq!(
            copy.read_large(&last).unwrap(),
            Some(value(90_000, seed)),
            "case {case}"
        );
        for gone in [first, second, third] {
            if gone != last {
                assert_eq!(copy.read_large(&gone).unwrap(), None, "case {case}");
            }
        }
    }
}

/// What each row and its value should be, by the number that the row carries.
type Model = BTreeMap<u32, (RowId, LargeValue, Vec<u8>)>;

struct History {
    states: Vec<Model>,
    durable: usize,
}

fn options() -> Options {
    Options {
        buffer_pool_bytes: 1 << 20,
        checkpoint_log_bytes: 0,
        lazy_flush_interval: Duration::from_hours(1),
        ..Options::default()
    }
}

fn open(disk: &SimDisk) -> Result<Arc<Database>, StorageError> {
    Database::open(Path::new("/small.mdf"), &options(), Arc::new(disk.clone()))
}

fn created() -> SimDisk {
    let disk = SimDisk::default();
    let spec = small_spec(Path::new("/"));
    let db = Database::create(&spec, &options(), Arc::new(disk.clone())).unwrap();
    db.close().unwrap();
    disk
}

fn owner(number: u32, large: LargeValue) -> Vec<u8> {
    let mut row = number.to_le_bytes().to_vec();
    row.extend_from_slice(&large.to_bytes());
    row
}

/// Rows that own large values come, change and go, until something fails.
fn work(
    db: &Arc<Database>,
    history: &mut History,
    random: &mut StdRng,
    transactions: usize,
) -> Result<(), StorageError> {
    let heap = HeapId::CATALOG;
    for round in 0..transactions {
        let mut model = history.states.last().unwrap().clone();
        let mut txn = db.begin(Arc::new(NoWaits));
        for _ in 0..random.random_range(1..4) {
            let bytes = value(random.random_range(0..30_000), random.random());
            let chosen = model.keys().copied().choose(random);
            match (random.random_range(0..8), chosen) {
                (0..=1, Some(number)) => {
                    let (row, large, _) = model.remove(&number).unwrap();
                    db.delete(&mut txn, heap, row)?;
                    db.delete_large(&mut txn, heap, &large)?;
                }
                (2..=3, Some(number)) => {
                    let (row, old, _) = model.remove(&number).unwrap();
                    let new = db.insert_large(&mut txn, heap, &bytes)?;
                    let row = db.update(&mut txn, heap, row, &owner(number, new))?;
                    db.delete_large(&mut txn, heap, &old)?;
                    model.insert(number, (row, new, bytes));
                }
                (4, _) => {
                    let mark = db.mark(&txn);
                    db.insert_large(&mut txn, heap, &bytes)?;
                    db.rollback_to_mark(&mut txn, mark)?;
                }
                _ => {
                    let large = db.insert_large(&mut txn, heap, &bytes)?;
                    let number = random.random();
                    let row = db.insert(&mut txn, heap, &owner(number, large))?;
                    model.insert(number, (row, large, bytes));
                }
            }
        }
        match random.random_range(0..10) {
            0 | 1 => {
                db.rollback(txn)?;
                model = history.states.last().unwrap().clone();
            }
            2..=4 => {
                history.states.push(model.clone());
                db.commit(txn, false)?;
            }
            _ => {
                history.states.push(model.clone());
                if db.commit(txn, true)?.lsn.is_some() {
                    history.durable = history.states.len() - 1;
                }
            }
        }
        if let Some(difference) = difference(db, &model) {
            // A database that has stopped meanwhile shows nothing.
            db.flush_log(&NoWaits)?;
            panic!("{difference}");
        }
        if round % 6 == 5 {
            db.checkpoint()?;
        }
    }
    Ok(())
}

/// How the database differs from a state, if it does.
fn difference(db: &Arc<Database>, model: &Model) -> Option<String> {
    let rows: Result<BTreeMap<RowId, Vec<u8>>, StorageError> = db
        .scan(HeapId::CATALOG)
        .filter(|row| !row.as_ref().is_ok_and(|row| row.ghost))
        .map(|row| row.map(|row| (row.id, row.bytes)))
        .collect();
    let rows = match rows {
        Ok(rows) => rows,
        Err(error) => return Some(error.to_string()),
    };
    if rows.len() != model.len() {
        return Some(format!("{} rows for {}", rows.len(), model.len()));
    }
    model.iter().find_map(|(&number, (id, large, bytes))| {
        if rows.get(id) != Some(&owner(number, *large)) {
            return Some(format!("row {number} is not at {id}"));
        }
        match db.read_large(large) {
            Ok(Some(found)) if &found == bytes => None,
            Ok(Some(_)) => Some(format!("row {number}: other bytes")),
            Ok(None) => Some(format!("row {number}: its value is gone")),
            Err(error) => Some(format!("row {number}: {error}")),
        }
    })
}

fn check(db: &Arc<Database>, history: &History, context: &str) -> usize {
    let states = history.durable..history.states.len();
    let found = states
        .clone()
        .rev()
        .find(|&at| difference(db, &history.states[at]).is_none());
    found.unwrap_or_else(|| {
        let all: Vec<_> = states
            .map(|at| difference(db, &history.states[at]))
            .collect();
        panic!("{context}: in none of the states it may be in: {all:?}")
    })
}

fn crash_and_recover(created: &SimDisk, seed: u64, crash_at: u64, fate: Fate) -> bool {
    let context = format!("seed {seed}, operation {crash_at}, {fate:?}");
    let disk = created.copy(Some(crash_at));
    let mut random = StdRng::seed_from_u64(seed);
    let mut history = History {
        states: vec![Model::new()],
        durable: 0,
    };
    let finished = match open(&disk) {
        Ok(db) => work(&db, &mut history, &mut random, 25).is_ok(),
        Err(_) => false,
    };
    let mut random = StdRng::seed_from_u64(seed ^ crash_at);
    // A second crash, in the middle of recovery, must not matter.
    let again = disk
        .after_crash(fate, &mut random)
        .copy(Some(random.random_range(0..12)));
    let _ = open(&again);
    let disk = again.after_crash(fate, &mut random);
    let db = open(&disk).unwrap_or_else(|error| panic!("{context}: {error}"));
    let state = check(&db, &history, &context);
    let mut history = History {
        states: vec![history.states[state].clone()],
        durable: 0,
    };
    work(&db, &mut history, &mut random, 4).unwrap_or_else(|error| panic!("{context}: {error}"));
    let disk = disk.after_crash(fate, &mut random);
    let db = open(&disk).unwrap_or_else(|error| panic!("{context}, reopened: {error}"));
    check(&db, &history, &format!("{context}, reopened"));
    finished
}

#[test]
fn power_loss_at_every_operation_leaves_whole_values_of_some_commit() {
    let created = created();
    let seeds = std::env::var("CRASH_SEEDS").map_or(1, |s| s.parse().unwrap());
    for seed in 0..seeds {
        for fate in FATES {
            for crash_at in 0.. {
                if crash_and_recover(&created, seed, crash_at, fate) {
                    assert!(crash_at > 50, "the workload is too small to mean anything");
                    break;
                }
            }
        }
    }
}
