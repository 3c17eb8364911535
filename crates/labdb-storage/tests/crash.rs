//! Power loss at every write of a workload, against a model of what was acknowledged.
//!
//! The promise: after the restart the database is in the state after some commit, at least the
//! last one that was acknowledged as durable, and at most the last one that was asked for.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failure is the result")]

mod common;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use common::rows;
use common::sim_disk::{Fate, SimDisk};
use common::workload::{FATES, History, check, created, open, start_of_history, work};
use labdb_storage::{BackupOptions, BackupTarget, HeapId, NoWaits, StorageError};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

fn crash_and_recover(created: &SimDisk, seed: u64, crash_at: u64, fate: Fate) -> bool {
    let context = format!("seed {seed}, operation {crash_at}, {fate:?}");
    let disk = created.copy(Some(crash_at));
    let mut random = StdRng::seed_from_u64(seed);
    let mut history = start_of_history();
    let finished = match open(&disk) {
        Ok(db) => work(&db, &mut history, &mut random, 60).is_ok(),
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
    // Life goes on, and what comes now is kept too. Whether an empty heap was created before the
    // crash cannot be seen from here, so its id is not used again.
    let mut model = history.states[state].clone();
    model.retain(|&heap, rows| heap == HeapId::CATALOG || !rows.is_empty());
    let mut history = History {
        states: vec![model],
        ..History::default()
    };
    work(&db, &mut history, &mut random, 5).unwrap_or_else(|error| panic!("{context}: {error}"));
    let disk = disk.after_crash(fate, &mut random);
    let db = open(&disk).unwrap_or_else(|error| panic!("{context}, reopened: {error}"));
    check(&db, &history, &format!("{context}, reopened"));
    finished
}

#[test]
fn power_loss_at_every_operation_leaves_the_state_after_some_commit() {
    let created = created();
    // CRASH_SEEDS=100 makes a long run of it.
    let seeds = std::env::var("CRASH_SEEDS").map_or(3, |s| s.parse().unwrap());
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

#[test]
fn power_loss_under_sixteen_sessions_keeps_every_acknowledged_row() {
    let created = created();
    for seed in 0..40_u64 {
        let mut random = StdRng::seed_from_u64(seed);
        let disk = created.copy(Some(random.random_range(20..400)));
        let fate = FATES[usize::try_from(seed % 4).unwrap()];
        let acknowledged = std::sync::Mutex::new(BTreeMap::new());
        let asked = AtomicU64::new(0);
        if let Ok(db) = open(&disk) {
            std::thread::scope(|scope| {
                for session in 0..16_u64 {
                    let (db, acknowledged, asked) = (&db, &acknowledged, &asked);
                    scope.spawn(move || -> Result<(), StorageError> {
                        for number in 0_u64.. {
                            let row = (session << 32 | number).to_le_bytes();
                            let mut txn = db.begin(Arc::new(NoWaits));
                            let id = db.insert(&mut txn, HeapId::CATALOG, &row)?;
                            let twin = db.insert(&mut txn, HeapId::CATALOG, &row)?;
                            asked.fetch_add(1, Ordering::SeqCst);
                            if session == 0 && number % 5 == 2 {
                                db.checkpoint()?;
                            }
                            if number % 7 == 3 {
                                db.rollback(txn)?;
                                continue;
                            }
                            db.commit(txn, true)?;
                            let mut acknowledged = acknowledged.lock().unwrap();
                            acknowledged.insert(id, row.to_vec());
                            acknowledged.insert(twin, row.to_vec());
                        }
                        Ok(())
                    });
                }
            });
        }
        let db = open(&disk.after_crash(fate, &mut random)).unwrap();
        let found = rows(&db, HeapId::CATALOG);
        for (id, row) in acknowledged.into_inner().unwrap() {
            assert_eq!(found.get(&id), Some(&row), "seed {seed}, {fate:?}");
        }
        // Both rows of a transaction or none, and none of those rolled back.
        let mut count: BTreeMap<&Vec<u8>, u32> = BTreeMap::new();
        for row in found.values() {
            *count.entry(row).or_default() += 1;
            let number = u32::from_le_bytes(row[..4].try_into().unwrap());
            assert_ne!(number % 7, 3, "seed {seed}, {fate:?}");
        }
        assert!(count.values().all(|&n| n == 2), "seed {seed}, {fate:?}");
        assert!(asked.load(Ordering::SeqCst) > 0);
    }
}

#[test]
fn a_transaction_that_is_open_across_a_checkpoint_is_rolled_back_whole() {
    let mut random = StdRng::seed_from_u64(1);
    for fate in FATES {
        let disk = created().copy(None);
        let db = open(&disk).unwrap();
        let mut txn = db.begin(Arc::new(NoWaits));
        let kept = db.insert(&mut txn, HeapId::CATALOG, b"kept").unwrap();
        db.commit(txn, true).unwrap();
        let mut txn = db.begin(Arc::new(NoWaits));
        db.insert(&mut txn, HeapId::CATALOG, b"before").unwrap();
        db.update(&mut txn, HeapId::CATALOG, kept, b"changed")
            .unwrap();
        db.checkpoint().unwrap();
        db.insert(&mut txn, HeapId::CATALOG, b"after").unwrap();
        db.checkpoint().unwrap();
        let db = open(&disk.after_crash(fate, &mut random)).unwrap();
        let expected = BTreeMap::from([(kept, b"kept".to_vec())]);
        assert_eq!(rows(&db, HeapId::CATALOG), expected, "{fate:?}");
        assert_eq!(db.recovery_report().rolled_back, 1);
    }
}

#[test]
fn a_damaged_data_page_is_detected_and_named() {
    let disk = created();
    let db = open(&disk).unwrap();
    let mut txn = db.begin(Arc::new(NoWaits));
    let id = db.insert(&mut txn, HeapId::CATALOG, b"row").unwrap();
    db.commit(txn, true).unwrap();
    db.close().unwrap();
    disk.damage(Path::new("/small.mdf"), |bytes| {
        bytes[id.page.page as usize * 8192 + 4000] ^= 1;
    });
    let db = open(&disk).unwrap();
    let error = db.read(id).unwrap_err();
    assert!(
        matches!(error, StorageError::DamagedPage { page, .. } if page == id.page.page),
        "{error}"
    );
    let backup = db.backup_full(&BackupTarget::Nul, &BackupOptions::default());
    assert!(matches!(backup, Err(StorageError::DamagedPage { .. })));
}

#[test]
fn a_failed_log_write_stops_the_database_until_it_is_opened_again() {
    let created = created();
    let disk = created.copy(None);
    open(&disk).unwrap().close().unwrap();
    let disk = created.copy(Some(disk.operations() + 3));
    let db = open(&disk).unwrap();
    let error = (0..100).find_map(|_| {
        let mut txn = db.begin(Arc::new(NoWaits));
        db.insert(&mut txn, HeapId::CATALOG, b"row")
            .and_then(|_| db.commit(txn, true).map(drop))
            .err()
    });
    assert!(matches!(error, Some(StorageError::Io { .. })), "{error:?}");
    let mut txn = db.begin(Arc::new(NoWaits));
    let error = db.insert(&mut txn, HeapId::CATALOG, b"row").unwrap_err();
    assert!(matches!(error, StorageError::Unavailable(_)), "{error}");
}
