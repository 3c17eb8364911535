//! What a database does for one session.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failure is the result")]

mod common;

use std::collections::BTreeMap;
use std::sync::Arc;

use common::{Lab, rows, small_spec};
use labdb_storage::{Database, HeapId, StorageError, SystemFiles, UnlockedFiles};

#[test]
fn committed_rows_are_there_after_a_clean_close_and_after_none() {
    for close in [true, false] {
        let lab = Lab::new();
        let db = lab.create(&small_spec(lab.folder()));
        let mut txn = lab.begin(&db);
        let heap = db.create_heap(&mut txn).unwrap();
        let a = db.insert(&mut txn, heap, b"one").unwrap();
        let b = db.insert(&mut txn, heap, b"two").unwrap();
        db.commit(txn, true).unwrap();
        let mut open = lab.begin(&db);
        db.insert(&mut open, heap, b"never committed").unwrap();
        db.update(&mut open, heap, a, b"changed").unwrap();
        db.delete(&mut open, heap, b).unwrap();
        db.flush_log(&labdb_storage::NoWaits).unwrap();
        if close {
            db.rollback(open).unwrap();
            db.close().unwrap();
        } else {
            std::mem::forget(open);
        }
        let db = lab.open();
        assert_eq!(
            rows(&db, heap),
            BTreeMap::from([(a, b"one".to_vec()), (b, b"two".to_vec())])
        );
        assert_eq!(db.recovery_report().rolled_back, u64::from(!close));
    }
}

#[test]
fn a_rollback_takes_back_inserts_updates_and_deletes() {
    let lab = Lab::new();
    let db = lab.create(&small_spec(lab.folder()));
    let heap = HeapId::CATALOG;
    let mut txn = lab.begin(&db);
    let a = db.insert(&mut txn, heap, b"a").unwrap();
    let b = db.insert(&mut txn, heap, b"b").unwrap();
    db.commit(txn, true).unwrap();
    let mut txn = lab.begin(&db);
    assert_eq!(db.update(&mut txn, heap, a, &[7; 4000]).unwrap(), a);
    db.delete(&mut txn, heap, b).unwrap();
    assert_eq!(db.read(b).unwrap(), None);
    db.savepoint(&mut txn, "s");
    let c = db.insert(&mut txn, heap, b"c").unwrap();
    db.rollback_to_savepoint(&mut txn, "s").unwrap();
    assert_eq!(db.read(c).unwrap(), None);
    assert!(matches!(
        db.rollback_to_savepoint(&mut txn, "none"),
        Err(StorageError::NoSuchSavepoint(_))
    ));
    db.rollback(txn).unwrap();
    assert_eq!(
        rows(&db, heap),
        BTreeMap::from([(a, b"a".to_vec()), (b, b"b".to_vec())])
    );
}

#[test]
fn a_transaction_that_only_reads_writes_no_log() {
    let lab = Lab::new();
    let db = lab.create(&small_spec(lab.folder()));
    let before = db.counters();
    let txn = lab.begin(&db);
    let commit = db.commit(txn, true).unwrap();
    assert_eq!(commit.lsn, None);
    assert_eq!(db.counters().log_records, before.log_records);
    assert_eq!(db.counters().log_bytes_flushed, before.log_bytes_flushed);
}

#[test]
fn each_durable_one_row_commit_of_one_session_writes_one_sector() {
    let lab = Lab::new();
    let db = lab.create(&small_spec(lab.folder()));
    let log_io = || {
        db.file_stats()
            .into_iter()
            .find(|f| f.file_id == 2)
            .unwrap()
            .io
    };
    // The first row also allocates an extent.
    let mut txn = lab.begin(&db);
    db.insert(&mut txn, HeapId::CATALOG, &[1; 100]).unwrap();
    db.commit(txn, true).unwrap();
    let before = log_io();
    for _ in 0..300 {
        let mut txn = lab.begin(&db);
        db.insert(&mut txn, HeapId::CATALOG, &[1; 100]).unwrap();
        db.commit(txn, true).unwrap();
    }
    let after = log_io();
    assert_eq!(after.bytes_written - before.bytes_written, 300 * 512);
    assert_eq!(after.writes - before.writes, 300);
    assert_eq!(after.syncs - before.syncs, 300);
}

#[test]
fn delayed_commits_share_log_writes_and_a_flush_hardens_them() {
    let lab = Lab::new();
    let db = lab.create(&small_spec(lab.folder()));
    let before = db.counters();
    for _ in 0..1000 {
        let mut txn = lab.begin(&db);
        db.insert(&mut txn, HeapId::CATALOG, &[1; 100]).unwrap();
        db.commit(txn, false).unwrap();
    }
    db.flush_log(&labdb_storage::NoWaits).unwrap();
    let after = db.counters();
    assert!(after.log_flushes - before.log_flushes < 500);
    let stats = db.log_stats();
    assert!(stats.log_flushed_lsn.block() == stats.log_end_lsn.block());
    assert_eq!(rows(&lab.open(), HeapId::CATALOG).len(), 1000);
}

#[test]
fn truncate_and_drop_give_their_space_back_at_commit_only() {
    let lab = Lab::new();
    let db = lab.create(&small_spec(lab.folder()));
    let mut txn = lab.begin(&db);
    let heap = db.create_heap(&mut txn).unwrap();
    for _ in 0..200 {
        db.insert(&mut txn, heap, &[3; 1000]).unwrap();
    }
    db.commit(txn, true).unwrap();
    let used = |db: &labdb_storage::Database| db.files()[0].used;
    let full = used(&db);
    let all = rows(&db, heap);
    let mut txn = lab.begin(&db);
    db.truncate(&mut txn, heap).unwrap();
    assert_eq!(rows(&db, heap).len(), 0);
    db.insert(&mut txn, heap, b"after").unwrap();
    assert!(used(&db) > full);
    db.rollback(txn).unwrap();
    assert_eq!(rows(&db, heap), all);
    let mut txn = lab.begin(&db);
    db.drop_heap(&mut txn, heap).unwrap();
    db.commit(txn, true).unwrap();
    assert!(used(&db) < full);
    let db = lab.open();
    assert_eq!(rows(&db, heap).len(), 0);
    assert!(used(&db) < full);
}

#[test]
fn a_heap_whose_creation_is_rolled_back_leaves_nothing() {
    let lab = Lab::new();
    let db = lab.create(&small_spec(lab.folder()));
    let used = db.files()[0].used;
    let mut txn = lab.begin(&db);
    let heap = db.create_heap(&mut txn).unwrap();
    db.insert(&mut txn, heap, b"row").unwrap();
    db.rollback(txn).unwrap();
    assert_eq!(db.files()[0].used, used);
    let mut txn = lab.begin(&db);
    assert_ne!(db.create_heap(&mut txn).unwrap(), heap);
    db.rollback(txn).unwrap();
}

#[test]
fn settings_and_the_recovery_model_outlive_the_process() {
    let lab = Lab::new();
    let db = lab.create(&small_spec(lab.folder()));
    db.set_setting("delayed_durability", Some("FORCED"))
        .unwrap();
    db.set_recovery_model(labdb_storage::RecoveryModel::BulkLogged)
        .unwrap();
    let db = lab.open();
    assert_eq!(db.setting("delayed_durability").as_deref(), Some("FORCED"));
    assert_eq!(db.recovery_model().description(), "BULK_LOGGED");
}

#[test]
fn a_row_that_outgrows_its_page_moves_and_says_where() {
    let lab = Lab::new();
    let db = lab.create(&small_spec(lab.folder()));
    let heap = HeapId::CATALOG;
    let mut txn = lab.begin(&db);
    let ids: Vec<_> = (0..8)
        .map(|i| db.insert(&mut txn, heap, &[i; 1000]).unwrap())
        .collect();
    db.commit(txn, true).unwrap();
    let mut txn = lab.begin(&db);
    let moved = db.update(&mut txn, heap, ids[0], &[9; 3000]).unwrap();
    assert_ne!(moved, ids[0]);
    assert_eq!(db.read(ids[0]).unwrap(), None);
    assert_eq!(db.read(moved).unwrap(), Some(vec![9; 3000]));
    db.rollback(txn).unwrap();
    assert_eq!(db.read(ids[0]).unwrap(), Some(vec![0; 1000]));
    assert_eq!(rows(&db, heap).len(), 8);
}

#[test]
fn a_row_that_no_page_can_hold_is_refused() {
    let lab = Lab::new();
    let db = lab.create(&small_spec(lab.folder()));
    let mut txn = lab.begin(&db);
    assert!(db.insert(&mut txn, HeapId::CATALOG, &[0; 8000]).is_ok());
    assert!(matches!(
        db.insert(&mut txn, HeapId::CATALOG, &[0; 8001]),
        Err(StorageError::RowTooLong {
            length: 8001,
            limit: 8000
        })
    ));
}

#[test]
fn a_second_server_cannot_open_the_files_until_the_first_is_gone() {
    let lab = Lab::new();
    let files = Arc::new(SystemFiles);
    let db = Database::create(&small_spec(lab.folder()), &lab.options, files.clone()).unwrap();
    let primary = lab.path("small.mdf");
    let error = Database::open(&primary, &lab.options, files.clone()).err();
    assert!(
        matches!(&error, Some(StorageError::Io { source, .. })
            if source.kind() == std::io::ErrorKind::ResourceBusy),
        "{error:?}"
    );
    db.close().unwrap();
    drop(db);
    Database::open(&primary, &lab.options, files).unwrap();
}

#[test]
fn a_closed_database_refuses_work_and_leaves_its_files_alone() {
    let lab = Lab::new();
    let db = lab.create(&small_spec(lab.folder()));
    let mut late = lab.begin(&db);
    db.insert(&mut late, HeapId::CATALOG, b"late").unwrap();
    db.close().unwrap();
    let file = std::fs::read(lab.path("small_log.ldf")).unwrap();
    let error = db.commit(late, true).unwrap_err();
    assert!(matches!(error, StorageError::Unavailable(_)), "{error}");
    let mut txn = lab.begin(&db);
    let error = db.insert(&mut txn, HeapId::CATALOG, b"no").unwrap_err();
    assert!(matches!(error, StorageError::Unavailable(_)), "{error}");
    assert!(db.flush_log(&labdb_storage::NoWaits).is_err());
    assert!(file == std::fs::read(lab.path("small_log.ldf")).unwrap());
    assert_eq!(rows(&lab.open(), HeapId::CATALOG).len(), 0);
}

#[test]
fn a_folder_may_move_as_a_whole() {
    let lab = Lab::new();
    let here = lab.path("here");
    std::fs::create_dir(&here).unwrap();
    let db = lab.create(&small_spec(&here));
    let mut txn = lab.begin(&db);
    db.insert(&mut txn, HeapId::CATALOG, b"row").unwrap();
    db.commit(txn, true).unwrap();
    drop(db);
    let there = lab.path("there");
    std::fs::rename(&here, &there).unwrap();
    let primary = there.join("small.mdf");
    let db = Database::open(&primary, &lab.options, Arc::new(UnlockedFiles)).unwrap();
    assert_eq!(rows(&db, HeapId::CATALOG).len(), 1);
    assert!(db.files().iter().all(|f| f.path.starts_with(&there)));
}
