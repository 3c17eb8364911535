//! Restoring full and log backups into new files.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failure is the result")]

mod common;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use common::{Lab, rows, small_spec};
use labdb_storage::{
    BackupOptions, BackupTarget, Database, FileKind, HeapId, RecoveryModel, RestoreOptions,
    RestoreStep, RowId, StorageError, UnlockedFiles,
};

type Rows = BTreeMap<RowId, Vec<u8>>;

struct Chain {
    lab: Lab,
    db: Arc<Database>,
    backups: Vec<PathBuf>,
}

impl Chain {
    fn new() -> Self {
        let lab = Lab::new();
        let mut spec = small_spec(lab.folder());
        spec.recovery_model = RecoveryModel::Full;
        let db = lab.create(&spec);
        Self {
            lab,
            db,
            backups: Vec::new(),
        }
    }

    fn insert(&self, count: u8, length: usize) {
        let mut txn = self.lab.begin(&self.db);
        for number in 0..count {
            let row = vec![number; length];
            self.db.insert(&mut txn, HeapId::CATALOG, &row).unwrap();
        }
        self.db.commit(txn, true).unwrap();
    }

    fn backup(&mut self) {
        let path = self.lab.path(&format!("{}.bak", self.backups.len()));
        let target = BackupTarget::File(path.clone());
        let options = BackupOptions::default();
        if self.backups.is_empty() {
            self.db.backup_full(&target, &options).unwrap();
        } else {
            self.db.backup_log(&target, &options).unwrap();
        }
        self.backups.push(path);
    }

    fn moves(&self, folder: &str) -> RestoreOptions {
        let folder = self.lab.path(folder);
        std::fs::create_dir_all(&folder).unwrap();
        RestoreOptions {
            moves: vec![
                ("small".to_owned(), folder.join("copy.mdf")),
                ("small_log".to_owned(), folder.join("copy.ldf")),
            ],
            ..RestoreOptions::default()
        }
    }

    fn restore(
        &self,
        which: &[usize],
        options: &RestoreOptions,
    ) -> Result<(Arc<Database>, Vec<RestoreStep>), StorageError> {
        let paths: Vec<&Path> = which.iter().map(|&i| &*self.backups[i]).collect();
        let mut steps = Vec::new();
        let db = Database::restore(
            &paths,
            options,
            &self.lab.options,
            Arc::new(UnlockedFiles),
            &mut |step| steps.push(step),
        )?;
        Ok((db, steps))
    }

    fn rows(&self) -> Rows {
        rows(&self.db, HeapId::CATALOG)
    }
}

#[test]
fn each_log_backup_brings_the_copy_one_step_further() {
    let mut chain = Chain::new();
    chain.insert(50, 300);
    chain.backup();
    let mut states = vec![chain.rows()];
    for step in 0..4_u8 {
        // More than the log holds, and more than the data file held at the full backup.
        chain.insert(80, 3000);
        let victims: Vec<RowId> = chain.rows().into_keys().take(10).collect();
        let mut txn = chain.lab.begin(&chain.db);
        for (number, row) in victims.into_iter().enumerate() {
            if number % 2 == 0 {
                chain.db.delete(&mut txn, HeapId::CATALOG, row).unwrap();
            } else {
                chain
                    .db
                    .update(&mut txn, HeapId::CATALOG, row, &[step; 500])
                    .unwrap();
            }
        }
        chain.db.commit(txn, true).unwrap();
        chain.backup();
        states.push(chain.rows());
    }
    for (last, state) in states.iter().enumerate() {
        let which: Vec<usize> = (0..=last).collect();
        let options = chain.moves(&format!("to{last}"));
        let (copy, _) = chain.restore(&which, &options).unwrap();
        assert_eq!(&rows(&copy, HeapId::CATALOG), state);
        // It lives on, also after a restart.
        let mut txn = chain.lab.begin(&copy);
        copy.insert(&mut txn, HeapId::CATALOG, b"new").unwrap();
        copy.commit(txn, true).unwrap();
        let path = copy.files()[0].path.clone();
        let again = Database::open(&path, &chain.lab.options, Arc::new(UnlockedFiles)).unwrap();
        assert_eq!(rows(&again, HeapId::CATALOG).len(), state.len() + 1);
        assert_ne!(
            again.recovery_status().recovery_fork_guid,
            chain.db.recovery_status().recovery_fork_guid
        );
        assert_eq!(
            again.recovery_status().family_guid,
            chain.db.recovery_status().family_guid
        );
    }
}

#[test]
fn a_transaction_that_was_open_during_the_backup_is_not_in_the_copy() {
    let mut chain = Chain::new();
    chain.insert(5, 100);
    let before = chain.rows();
    let mut open = chain.lab.begin(&chain.db);
    for _ in 0..20 {
        chain
            .db
            .insert(&mut open, HeapId::CATALOG, &[9; 2000])
            .unwrap();
    }
    chain.backup();
    let (copy, _) = chain.restore(&[0], &chain.moves("to")).unwrap();
    assert_eq!(rows(&copy, HeapId::CATALOG), before);
    assert_eq!(copy.recovery_report().rolled_back, 1);
    chain.db.commit(open, true).unwrap();
    chain.backup();
    let (copy, _) = chain.restore(&[0, 1], &chain.moves("to2")).unwrap();
    assert_eq!(rows(&copy, HeapId::CATALOG), chain.rows());
}

#[test]
fn a_restore_can_stop_at_a_point_in_time() {
    let mut chain = Chain::new();
    chain.backup();
    chain.insert(3, 100);
    let before = chain.rows();
    std::thread::sleep(Duration::from_millis(20));
    let at = SystemTime::now();
    std::thread::sleep(Duration::from_millis(20));
    chain.insert(4, 100);
    chain.backup();
    let mut options = chain.moves("to");
    options.stop_at = Some(at);
    let (copy, _) = chain.restore(&[0, 1], &options).unwrap();
    assert_eq!(rows(&copy, HeapId::CATALOG), before);
}

#[test]
fn backups_that_do_not_follow_one_another_are_refused() {
    let mut chain = Chain::new();
    chain.backup();
    for _ in 0..2 {
        chain.insert(3, 100);
        chain.backup();
    }
    let mut other = Chain::new();
    other.backup();
    other.insert(1, 100);
    other.backup();
    chain.backups.push(other.backups[1].clone());
    for which in [&[0, 2][..], &[1], &[0, 0], &[0, 3]] {
        let options = chain.moves("to");
        let error = chain.restore(which, &options).err();
        assert!(
            matches!(error, Some(StorageError::Restore(_))),
            "{which:?}: {error:?}"
        );
        // Nothing was made.
        assert!(options.moves.iter().all(|(_, path)| !path.exists()));
    }
}

#[test]
fn a_file_that_exists_is_only_replaced_when_told_to() {
    let mut chain = Chain::new();
    chain.insert(2, 100);
    chain.backup();
    let mut options = chain.moves("to");
    std::fs::write(&options.moves[0].1, "precious").unwrap();
    let error = chain.restore(&[0], &options).err();
    assert!(matches!(error, Some(StorageError::Io { .. })), "{error:?}");
    assert_eq!(std::fs::read(&options.moves[0].1).unwrap(), b"precious");
    options.replace = true;
    let (copy, _) = chain.restore(&[0], &options).unwrap();
    assert_eq!(rows(&copy, HeapId::CATALOG), chain.rows());
}

#[test]
fn the_log_is_always_zeroed_and_the_data_file_unless_initialization_is_instant() {
    let mut chain = Chain::new();
    chain.backup();
    for instant in [false, true] {
        chain.lab.options.instant_file_initialization = instant;
        let (copy, steps) = chain
            .restore(&[0], &chain.moves(&format!("to{instant}")))
            .unwrap();
        let zeroed: Vec<FileKind> = steps
            .iter()
            .filter_map(|step| match step {
                RestoreStep::Zeroing { kind, .. } => Some(*kind),
                _ => None,
            })
            .collect();
        let stats = copy.file_stats();
        assert_eq!(stats[1].io.bytes_zeroed, 1 << 20);
        if instant {
            assert_eq!(zeroed, [FileKind::Log]);
            assert_eq!(stats[0].io.bytes_zeroed, 0);
        } else {
            assert_eq!(zeroed, [FileKind::Rows, FileKind::Log]);
            assert_eq!(stats[0].io.bytes_zeroed, 2 << 20);
        }
        assert_eq!(steps.last(), Some(&RestoreStep::Finished));
        // The VLFs are those of the source.
        assert_eq!(copy.vlfs().len(), chain.db.vlfs().len());
    }
}
