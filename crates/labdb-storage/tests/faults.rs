//! A disk that fails, tears, delays or is full at the n-th operation, for every n of a workload.
//!
//! The promise: the engine goes on correctly or refuses clearly, and after a restart, with the
//! system's cache or without it, the database is in the state after some commit: at least the
//! last one that was acknowledged as durable, and at most the last one that was asked for.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failure is the result")]

mod common;

use std::path::Path;
use std::sync::Arc;

use common::sim_disk::{Fate, Fault, SimDisk};
use common::small_spec;
use common::workload::{
    FATES, History, check, created, open, options, start_of_history, transact, work,
};
use labdb_storage::{
    BackupOptions, BackupTarget, Database, Growth, HeapId, NoWaits, RecoveryModel, StorageError,
};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

const FAULTS: [Fault; 5] = [
    Fault::Fails,
    Fault::Short,
    Fault::FullForGrowth,
    Fault::Full,
    Fault::Delayed,
];

/// A database whose data file is nearly full, and whose log grows in small steps because no log
/// backup frees it.
fn created_to_grow() -> SimDisk {
    let disk = SimDisk::default();
    let mut spec = small_spec(Path::new("/"));
    spec.recovery_model = RecoveryModel::Full;
    spec.data[0].growth = Growth::Bytes(128 << 10);
    spec.log[0].size = 512 << 10;
    spec.log[0].growth = Growth::Bytes(128 << 10);
    let db = Database::create(&spec, &options(), Arc::new(disk.clone())).unwrap();
    db.backup_full(&BackupTarget::Nul, &BackupOptions::default())
        .unwrap();
    let mut txn = db.begin(Arc::new(NoWaits));
    let filler = db.create_heap(&mut txn).unwrap();
    // Of 30 extents with eight pages each four are left.
    for _ in 0..26 * 8 {
        db.insert(&mut txn, filler, &[7; 7000]).unwrap();
    }
    db.commit(txn, true).unwrap();
    db.close().unwrap();
    disk
}

/// What a session is told when the engine refuses.
fn is_clear(error: &StorageError) -> bool {
    matches!(
        error,
        StorageError::Io { .. }
            | StorageError::LogFull { .. }
            | StorageError::DataFull
            | StorageError::Unavailable(_)
    )
}

/// Works through a fault; `true` when the workload ended before it came.
fn work_through(
    created: &SimDisk,
    seed: u64,
    at: u64,
    fault: Fault,
    (transactions, long): (usize, f64),
) -> bool {
    let context = format!("seed {seed}, operation {at}, {fault:?}");
    let disk = created.failing(at, fault);
    let mut random = StdRng::seed_from_u64(seed);
    let mut history = start_of_history();
    let mut refused = false;
    match open(&disk) {
        Ok(db) => {
            for _ in 0..transactions {
                let (durable, had_refused) = (history.durable, refused);
                if let Err(error) = transact(&db, &mut history, &mut random, long) {
                    assert!(is_clear(&error), "{context}: {error}");
                    assert_ne!(fault, Fault::Delayed, "{context}: {error}");
                    refused |= matches!(error, StorageError::Unavailable(_));
                }
                // A commit whose log could not be written is neither there nor not: nobody may be
                // told anything any more.
                refused |= history.in_doubt;
                assert!(
                    !had_refused || history.durable == durable,
                    "{context}: it acknowledged a commit after it had refused"
                );
            }
        }
        Err(error) => assert!(is_clear(&error), "{context}: {error}"),
    }
    let fired = disk.has_failed();
    let mut random = StdRng::seed_from_u64(seed ^ at);
    // The power goes.
    let fate = FATES[random.random_range(0..FATES.len())];
    let after = disk.after_crash(fate, &mut random);
    let db = open(&after).unwrap_or_else(|error| panic!("{context}, {fate:?}: {error}"));
    check(&db, &history, &format!("{context}, {fate:?}"));
    // The process ends, and the system goes on with what it has in its cache. What a restart
    // shows from there must then also outlive the power.
    let after = disk.copy(None);
    let db = open(&after).unwrap_or_else(|error| panic!("{context}, restarted: {error}"));
    let state = check(&db, &history, &format!("{context}, restarted"));
    let mut model = history.states[state].clone();
    model.retain(|&heap, rows| heap == HeapId::CATALOG || !rows.is_empty());
    let mut history = History {
        states: vec![model],
        ..History::default()
    };
    work(&db, &mut history, &mut random, 3).unwrap_or_else(|error| panic!("{context}: {error}"));
    let after = after.after_crash(Fate::Lost, &mut random);
    let context = format!("{context}, restarted, then without power");
    let db = open(&after).unwrap_or_else(|error| panic!("{context}: {error}"));
    check(&db, &history, &context);
    !fired
}

fn at_every_operation(created: &SimDisk, load: (usize, f64), least: u64) {
    // FAULT_SEEDS=20 makes a long run of it.
    let seeds = std::env::var("FAULT_SEEDS").map_or(1, |s| s.parse().unwrap());
    for seed in 0..seeds {
        for fault in FAULTS {
            for at in 0.. {
                if work_through(created, seed, at, fault, load) {
                    let met = at >= least || fault == Fault::FullForGrowth;
                    assert!(met, "{fault:?}: the workload has {at} operations only");
                    break;
                }
            }
        }
    }
}

#[test]
fn a_fault_at_every_operation_loses_nothing_that_was_acknowledged() {
    at_every_operation(&created(), (40, 0.3), 50);
}

#[test]
fn a_fault_at_every_operation_of_files_that_grow_loses_nothing_that_was_acknowledged() {
    let created = created_to_grow();
    at_every_operation(&created, (16, 0.9), 50);
}
