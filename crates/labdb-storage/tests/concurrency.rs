//! Many sessions at once.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failure is the result")]

mod common;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use common::{Lab, rows, small_spec};
use labdb_storage::{
    BackupOptions, BackupTarget, Database, FlushDelay, FullDisk, Growth, HeapId, NoWaits,
    RecoveryModel, RowId, StorageError, UnlockedFiles, WaitObserver, WaitType,
};
use rand::rngs::StdRng;
use rand::seq::IteratorRandom;
use rand::{Rng, SeedableRng};

#[derive(Default)]
struct WriteLog {
    count: AtomicU64,
    ns: AtomicU64,
}

impl WaitObserver for WriteLog {
    fn waited(&self, wait: WaitType, waited: Duration) {
        if wait == WaitType::WriteLog {
            self.count.fetch_add(1, Ordering::SeqCst);
            let ns = u64::try_from(waited.as_nanos()).unwrap();
            self.ns.fetch_add(ns, Ordering::SeqCst);
        }
    }
}

#[test]
fn sessions_that_commit_at_once_share_flushes() {
    let mut lab = Lab::new();
    lab.options.log_flush_delay = Some(FlushDelay::fixed(Duration::from_millis(1)));
    let db = lab.create(&small_spec(lab.folder()));
    let before = db.counters();
    std::thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| {
                for _ in 0..25 {
                    let mut txn = lab.begin(&db);
                    db.insert(&mut txn, HeapId::CATALOG, &[1; 50]).unwrap();
                    db.commit(txn, true).unwrap();
                }
            });
        }
    });
    let after = db.counters();
    assert_eq!(after.write_transactions - before.write_transactions, 400);
    assert_eq!(after.log_flush_waits - before.log_flush_waits, 400);
    let syncs = after.log_syncs - before.log_syncs;
    assert!((25..200).contains(&syncs), "{syncs} syncs for 400 commits");
    assert_eq!(rows(&lab.open(), HeapId::CATALOG).len(), 400);
}

#[test]
fn a_delay_of_the_flush_shows_in_the_session_that_waits() {
    let mut lab = Lab::new();
    let delay = Duration::from_millis(20);
    lab.options.log_flush_delay = Some(FlushDelay::fixed(delay));
    let db = lab.create(&small_spec(lab.folder()));
    for durable in [true, false] {
        let waits = Arc::new(WriteLog::default());
        for _ in 0..3 {
            let mut txn = db.begin(waits.clone());
            db.insert(&mut txn, HeapId::CATALOG, b"row").unwrap();
            let commit = db.commit(txn, durable).unwrap();
            assert_eq!(commit.write_log >= delay, durable);
        }
        let waited = Duration::from_nanos(waits.ns.load(Ordering::SeqCst));
        assert_eq!(waited >= 3 * delay, durable);
        let count = waits.count.load(Ordering::SeqCst);
        assert_eq!(count, if durable { 3 } else { 0 });
    }
}

/// What one session did to rows that are its own.
fn session(
    db: &Arc<Database>,
    heap: HeapId,
    seed: u64,
) -> Result<BTreeMap<RowId, Vec<u8>>, StorageError> {
    let mut random = StdRng::seed_from_u64(seed);
    let mut model: BTreeMap<RowId, Vec<u8>> = BTreeMap::new();
    for _ in 0..200 {
        let mut now = model.clone();
        let mut txn = db.begin(Arc::new(NoWaits));
        for _ in 0..random.random_range(1..6) {
            let mut bytes = seed.to_le_bytes().to_vec();
            bytes.resize(random.random_range(8..2500), random.random());
            let row = now.keys().copied().choose(&mut random);
            match (random.random_range(0..10), row) {
                (0..3, Some(row)) => {
                    now.remove(&row);
                    now.insert(db.update(&mut txn, heap, row, &bytes)?, bytes);
                }
                (3..5, Some(row)) => {
                    now.remove(&row);
                    db.delete(&mut txn, heap, row)?;
                }
                _ => {
                    now.insert(db.insert(&mut txn, heap, &bytes)?, bytes);
                }
            }
        }
        if random.random_bool(0.25) {
            db.rollback(txn)?;
        } else {
            db.commit(txn, random.random_bool(0.3))?;
            model = now;
        }
    }
    Ok(model)
}

#[test]
fn sessions_keep_their_rows_while_pages_are_evicted_checkpointed_and_backed_up() {
    let mut lab = Lab::new();
    // Far fewer pages in memory than in the file.
    lab.options.buffer_pool_bytes = 1 << 20;
    lab.options.checkpoint_log_bytes = 512 << 10;
    let mut spec = small_spec(lab.folder());
    spec.recovery_model = RecoveryModel::Full;
    spec.log[0].growth = Growth::Bytes(1 << 20);
    let db = lab.create(&spec);
    let backup = BackupOptions::default();
    db.backup_full(&BackupTarget::Nul, &backup).unwrap();
    let mut txn = lab.begin(&db);
    let heap = db.create_heap(&mut txn).unwrap();
    db.commit(txn, true).unwrap();
    let stop = AtomicBool::new(false);
    let models: Vec<_> = std::thread::scope(|scope| {
        let noise = scope.spawn(|| {
            while !stop.load(Ordering::SeqCst) {
                db.checkpoint().unwrap();
                db.backup_log(&BackupTarget::Nul, &backup).unwrap();
                db.backup_full(&BackupTarget::Nul, &backup).unwrap();
                // Another heap comes and goes.
                let mut txn = lab.begin(&db);
                let other = db.create_heap(&mut txn).unwrap();
                for _ in 0..30 {
                    db.insert(&mut txn, other, &[0; 4000]).unwrap();
                }
                db.commit(txn, false).unwrap();
                let mut txn = lab.begin(&db);
                db.drop_heap(&mut txn, other).unwrap();
                db.commit(txn, false).unwrap();
            }
        });
        let sessions: Vec<_> = (0..8_u64)
            .map(|seed| {
                let db = &db;
                scope.spawn(move || session(db, heap, seed).unwrap())
            })
            .collect();
        let models = sessions.into_iter().map(|s| s.join().unwrap()).collect();
        stop.store(true, Ordering::SeqCst);
        noise.join().unwrap();
        models
    });
    let expected: BTreeMap<RowId, Vec<u8>> = models.into_iter().flatten().collect();
    assert!(rows(&db, heap) == expected);
    assert!(db.counters().page_reads > 100, "nothing was evicted");
    db.flush_log(&NoWaits).unwrap();
    let again = lab.open();
    assert!(rows(&again, heap) == expected);
    // Freed extents came back: the file did not grow for ever.
    let reserved = again.heap_space(heap).reserved_pages * 8192;
    assert!(again.files()[0].used <= reserved + (1 << 20));
}

#[test]
fn a_full_disk_fails_the_growth_and_nothing_else() {
    let lab = Lab::new();
    let mut spec = small_spec(lab.folder());
    spec.log[0].size = 4 << 20;
    // Room for the files and two growths.
    let disk = FullDisk::new(Arc::new(UnlockedFiles), 8 << 20);
    let db = Database::create(&spec, &lab.options, Arc::new(disk)).unwrap();
    let mut kept = 0;
    let error = loop {
        let mut txn = lab.begin(&db);
        match db.insert(&mut txn, HeapId::CATALOG, &[1; 4000]) {
            Ok(_) => db.commit(txn, false).unwrap(),
            Err(error) => break error,
        };
        kept += 1;
    };
    assert!(matches!(error, StorageError::DataFull), "{error}");
    assert_eq!(db.files()[0].size, 4 << 20);
    db.close().unwrap();
    assert_eq!(rows(&lab.open(), HeapId::CATALOG).len(), kept);
}
