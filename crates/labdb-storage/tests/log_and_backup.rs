//! The log's life: reuse by recovery model, growth, running full, backups.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failure is the result")]

mod common;

use std::sync::Arc;

use common::{Lab, rows, small_spec};
use labdb_storage::{
    BackupOptions, BackupTarget, Database, Growth, HeapId, LogReuseWait, RecoveryModel,
    StorageError, read_header, verify_backup,
};

const ROW: [u8; 4000] = [5; 4000];

/// Writes so many rows of 4,000 bytes in one transaction.
fn write(lab: &Lab, db: &Arc<Database>, count: usize) -> Result<(), StorageError> {
    let mut txn = lab.begin(db);
    for _ in 0..count {
        db.insert(&mut txn, HeapId::CATALOG, &ROW)?;
    }
    db.commit(txn, true).map(drop)
}

fn full_model(lab: &Lab) -> Arc<Database> {
    let mut spec = small_spec(lab.folder());
    spec.recovery_model = RecoveryModel::Full;
    lab.create(&spec)
}

fn backup_full(db: &Database) {
    db.backup_full(&BackupTarget::Nul, &BackupOptions::default())
        .unwrap();
}

fn backup_log(db: &Database) -> Result<labdb_storage::BackupSet, StorageError> {
    db.backup_log(&BackupTarget::Nul, &BackupOptions::default())
}

#[test]
fn under_simple_the_log_is_used_again_and_again() {
    let lab = Lab::new();
    let db = lab.create(&small_spec(lab.folder()));
    // Ten times the log's size.
    for _ in 0..100 {
        write(&lab, &db, 26).unwrap();
    }
    assert_eq!(db.files()[1].size, 1 << 20);
    assert!(db.log_stats().current_vlf_sequence_number > 64);
    db.checkpoint().unwrap();
    assert_eq!(db.log_reuse_wait(), LogReuseWait::Nothing);
    assert_eq!(rows(&lab.open(), HeapId::CATALOG).len(), 2600);
}

#[test]
fn before_the_first_full_backup_a_full_database_reuses_its_log_like_a_simple_one() {
    let lab = Lab::new();
    let db = full_model(&lab);
    assert_eq!(db.recovery_status().last_log_backup_lsn, None);
    for _ in 0..50 {
        write(&lab, &db, 26).unwrap();
    }
    assert!(matches!(backup_log(&db), Err(StorageError::NoLogBackup(_))));
}

#[test]
fn an_armed_full_database_keeps_its_log_until_a_log_backup() {
    let lab = Lab::new();
    let db = full_model(&lab);
    backup_full(&db);
    assert!(db.recovery_status().last_log_backup_lsn.is_some());
    let error = (0..).find_map(|_| write(&lab, &db, 10).err()).unwrap();
    assert!(
        matches!(
            error,
            StorageError::LogFull {
                reuse_wait: LogReuseWait::LogBackup
            }
        ),
        "{error}"
    );
    db.checkpoint().unwrap();
    assert_eq!(db.log_reuse_wait(), LogReuseWait::LogBackup);
    let count = rows(&db, HeapId::CATALOG).len();
    assert_eq!(count % 10, 0, "the transaction that failed left rows");
    backup_log(&db).unwrap();
    db.checkpoint().unwrap();
    assert_eq!(db.log_reuse_wait(), LogReuseWait::Nothing);
    write(&lab, &db, 10).unwrap();
    assert_eq!(rows(&lab.open(), HeapId::CATALOG).len(), count + 10);
}

#[test]
fn an_open_transaction_holds_the_log_and_is_named() {
    let lab = Lab::new();
    let db = lab.create(&small_spec(lab.folder()));
    let mut open = lab.begin(&db);
    db.insert(&mut open, HeapId::CATALOG, b"open").unwrap();
    assert_eq!(db.transactions().len(), 1);
    let error = (0..).find_map(|_| write(&lab, &db, 10).err()).unwrap();
    assert!(
        matches!(
            error,
            StorageError::LogFull {
                reuse_wait: LogReuseWait::ActiveTransaction
            }
        ),
        "{error}"
    );
    db.rollback(open).unwrap();
    db.checkpoint().unwrap();
    assert_eq!(db.log_reuse_wait(), LogReuseWait::Nothing);
}

#[test]
fn a_transaction_that_fills_the_log_can_always_be_rolled_back() {
    let lab = Lab::new();
    let db = lab.create(&small_spec(lab.folder()));
    write(&lab, &db, 3).unwrap();
    let before = rows(&db, HeapId::CATALOG);
    for sizes in [&[10_usize, 20][..], &[3000, 4000, 7000]] {
        let mut txn = lab.begin(&db);
        let mut id = *before.keys().next().unwrap();
        let error = (0..)
            .find_map(|i: usize| {
                let row = vec![1; sizes[i % sizes.len()]];
                let done = db.insert(&mut txn, HeapId::CATALOG, &row);
                let Ok(_) = done else { return done.err() };
                match db.update(&mut txn, HeapId::CATALOG, id, &row) {
                    Ok(new) => id = new,
                    Err(error) => return Some(error),
                }
                None
            })
            .unwrap();
        assert!(matches!(error, StorageError::LogFull { .. }), "{error}");
        db.rollback(txn).unwrap();
        assert_eq!(rows(&db, HeapId::CATALOG), before);
    }
    assert_eq!(rows(&lab.open(), HeapId::CATALOG), before);
}

#[test]
fn a_log_that_may_grow_does_and_the_growth_is_counted() {
    let lab = Lab::new();
    let db = lab.create(&small_spec(lab.folder()));
    db.modify_file("small_log", None, Some(Growth::Bytes(1 << 20)), None)
        .unwrap();
    let vlfs = db.vlfs().len();
    let mut txn = lab.begin(&db);
    for _ in 0..600 {
        db.insert(&mut txn, HeapId::CATALOG, &ROW).unwrap();
    }
    db.commit(txn, true).unwrap();
    let counters = db.counters();
    assert!(counters.log_growths >= 1);
    let grown = counters.log_growth_bytes >> 20;
    assert_eq!(db.files()[1].size, (1 + grown) << 20);
    // Growths of up to 64 MB make one VLF each.
    assert_eq!(db.vlfs().len() as u64, vlfs as u64 + grown);
    let zeroed = db.file_stats()[1].io.bytes_zeroed;
    assert_eq!(zeroed, grown << 20);
    let db = lab.open();
    assert_eq!(rows(&db, HeapId::CATALOG).len(), 600);
    assert_eq!(db.vlfs().len() as u64, vlfs as u64 + grown);
}

#[test]
fn a_full_data_file_says_so_and_loses_nothing() {
    let lab = Lab::new();
    let db = lab.create(&small_spec(lab.folder()));
    db.modify_file("small", None, Some(Growth::Bytes(0)), None)
        .unwrap();
    let error = (0..).find_map(|_| write(&lab, &db, 10).err()).unwrap();
    assert!(matches!(error, StorageError::DataFull), "{error}");
    let count = rows(&db, HeapId::CATALOG).len();
    assert_eq!(count % 10, 0);
    db.modify_file("small", Some(4 << 20), None, None).unwrap();
    write(&lab, &db, 10).unwrap();
    assert_eq!(rows(&lab.open(), HeapId::CATALOG).len(), count + 10);
}

#[test]
fn going_to_simple_ends_the_log_chain() {
    let lab = Lab::new();
    let db = full_model(&lab);
    backup_full(&db);
    backup_log(&db).unwrap();
    db.set_recovery_model(RecoveryModel::Simple).unwrap();
    assert!(matches!(backup_log(&db), Err(StorageError::NoLogBackup(_))));
    db.set_recovery_model(RecoveryModel::Full).unwrap();
    assert_eq!(db.recovery_status().last_log_backup_lsn, None);
    assert!(matches!(backup_log(&db), Err(StorageError::NoLogBackup(_))));
    backup_full(&db);
    backup_log(&db).unwrap();
}

#[test]
fn log_backups_follow_one_another_without_a_gap() {
    let lab = Lab::new();
    let db = full_model(&lab);
    let full = lab.path("full.bak");
    let set = db
        .backup_full(&BackupTarget::File(full.clone()), &BackupOptions::default())
        .unwrap();
    let mut next = set.last_lsn;
    for _ in 0..30 {
        write(&lab, &db, 20).unwrap();
        let log = backup_log(&db).unwrap();
        assert_eq!(log.first_lsn, next);
        assert!(log.log_bytes > 20 * 4000);
        assert_eq!(log.database_backup_lsn, Some(set.checkpoint_lsn));
        next = log.last_lsn;
    }
    let copy = BackupOptions {
        copy_only: true,
        ..BackupOptions::default()
    };
    let aside = db.backup_log(&BackupTarget::Nul, &copy).unwrap();
    assert_eq!(aside.first_lsn, next);
    assert_eq!(backup_log(&db).unwrap().first_lsn, next);
    let read = read_header(&full, 1).unwrap().set;
    assert_eq!(read.last_lsn, set.last_lsn);
    assert_eq!(read.data_pages, set.data_pages);
    let size = std::fs::metadata(&full).unwrap().len();
    assert!(read.backup_size < size && read.backup_size > size * 9 / 10);
}

#[test]
fn a_damaged_or_cut_backup_is_not_taken_for_one() {
    let lab = Lab::new();
    let db = full_model(&lab);
    write(&lab, &db, 3).unwrap();
    let path = lab.path("full.bak");
    db.backup_full(&BackupTarget::File(path.clone()), &BackupOptions::default())
        .unwrap();
    let whole = std::fs::read(&path).unwrap();
    for (cut, flip) in [
        (whole.len() - 1, None),
        (whole.len() / 2, None),
        (4, None),
        (whole.len(), Some(whole.len() / 2)),
        (whole.len(), Some(20)),
    ] {
        let mut bytes = whole[..cut].to_vec();
        if let Some(at) = flip {
            bytes[at] ^= 4;
        }
        std::fs::write(&path, bytes).unwrap();
        assert!(matches!(
            verify_backup(&path, 1),
            Err(StorageError::Restore(_))
        ));
    }
}

#[test]
fn the_automatic_checkpoint_runs_after_the_configured_log_volume() {
    let mut lab = Lab::new();
    lab.options.checkpoint_log_bytes = 256 << 10;
    let mut spec = small_spec(lab.folder());
    spec.log[0].size = 8 << 20;
    let db = lab.create(&spec);
    let before = db.counters().checkpoints;
    write(&lab, &db, 100).unwrap();
    let start = std::time::Instant::now();
    while db.counters().checkpoints == before {
        assert!(start.elapsed().as_secs() < 30, "no checkpoint came");
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
}
