//! A restore that is killed at any write, sync or other change of a file: what is left is never
//! taken for a database unless it is the whole one, and the restore can be repeated.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failure is the result")]

mod common;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use common::{Lab, rows, small_spec};
use labdb_storage::{
    BackupKind, BackupOptions, BackupSource, BackupTarget, Database, FileHandle, FileLayer, HeapId,
    RecoveryModel, RestoreFault, RestoreOptions, RestoreStep, Result, RowId, StorageError,
    UnlockedFiles,
};

type Rows = BTreeMap<RowId, Vec<u8>>;

/// Real files, until the n-th change: from there on nothing happens any more.
#[derive(Clone)]
struct Mortal {
    left: Arc<AtomicU64>,
}

impl Mortal {
    fn new(life: u64) -> Self {
        Self {
            left: Arc::new(AtomicU64::new(life)),
        }
    }

    fn act<T>(&self, work: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
        let spent = self
            .left
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |n| n.checked_sub(1));
        if spent.is_err() {
            return Err(io::Error::other("killed"));
        }
        work()
    }
}

struct MortalFile(Mortal, Arc<dyn FileHandle>);

impl FileLayer for Mortal {
    fn create(&self, path: &Path) -> io::Result<Arc<dyn FileHandle>> {
        let file = self.act(|| UnlockedFiles.create(path))?;
        Ok(Arc::new(MortalFile(self.clone(), file)))
    }
    fn open(&self, path: &Path) -> io::Result<Arc<dyn FileHandle>> {
        let file = UnlockedFiles.open(path)?;
        Ok(Arc::new(MortalFile(self.clone(), file)))
    }
    fn remove(&self, path: &Path) -> io::Result<()> {
        self.act(|| UnlockedFiles.remove(path))
    }
    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        self.act(|| UnlockedFiles.sync_folder(folder))
    }
}

impl FileHandle for MortalFile {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        self.1.read_at(buffer, offset)
    }
    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        self.0.act(|| self.1.write_at(bytes, offset))
    }
    fn sync(&self) -> io::Result<()> {
        self.0.act(|| self.1.sync())
    }
    fn set_size(&self, size: u64) -> io::Result<()> {
        self.0.act(|| self.1.set_size(size))
    }
    fn size(&self) -> io::Result<u64> {
        self.1.size()
    }
    fn size_on_disk(&self) -> io::Result<u64> {
        self.1.size_on_disk()
    }
}

struct Course {
    lab: Lab,
    backups: Vec<BackupSource>,
    /// The rows after each backup of the chain.
    states: Vec<Rows>,
}

fn change(lab: &Lab, db: &Arc<Database>, byte: u8) {
    let mut txn = lab.begin(db);
    for _ in 0..10 {
        db.insert(&mut txn, HeapId::CATALOG, &[byte; 700]).unwrap();
    }
    let victim = rows(db, HeapId::CATALOG).into_keys().next();
    if let Some(row) = victim {
        db.update(&mut txn, HeapId::CATALOG, row, &[byte; 300])
            .unwrap();
    }
    db.commit(txn, true).unwrap();
}

impl Course {
    /// A full backup, a log backup, a differential one, and a last log backup, with a transaction
    /// that is open from the first to the end of all.
    fn new() -> Self {
        let lab = Lab::new();
        let mut spec = small_spec(lab.folder());
        spec.recovery_model = RecoveryModel::Full;
        let db = lab.create(&spec);
        change(&lab, &db, 1);
        let committed = rows(&db, HeapId::CATALOG);
        let mut open = lab.begin(&db);
        let loser = db.insert(&mut open, HeapId::CATALOG, &[9; 600]).unwrap();
        let mut course = Self {
            backups: Vec::new(),
            states: Vec::new(),
            lab,
        };
        let options = BackupOptions {
            compress: true,
            ..BackupOptions::default()
        };
        for (number, kind) in [
            BackupKind::Full,
            BackupKind::Log,
            BackupKind::Differential,
            BackupKind::Log,
        ]
        .into_iter()
        .enumerate()
        {
            let path = course.lab.path("all.bak");
            let target = BackupTarget::File(path.clone());
            let set = match kind {
                BackupKind::Log => db.backup_log(&target, &options),
                kind => db.backup_pages(kind, &target, &options, &mut |_, _| Ok(())),
            };
            let position = set.unwrap().position;
            course.backups.push(BackupSource { path, position });
            let mut state = rows(&db, HeapId::CATALOG);
            state.remove(&loser);
            course.states.push(state);
            change(&course.lab, &db, 2 + u8::try_from(number).unwrap());
        }
        assert_eq!(course.states[0], committed);
        course
    }

    fn folder(&self) -> PathBuf {
        self.lab.path("copy")
    }

    fn primary(&self) -> PathBuf {
        self.folder().join("copy.mdf")
    }

    fn options(&self, replace: bool) -> RestoreOptions {
        RestoreOptions {
            moves: vec![
                ("small".to_owned(), self.primary()),
                ("small_log".to_owned(), self.folder().join("copy.ldf")),
            ],
            replace,
            ..RestoreOptions::default()
        }
    }

    fn full(&self, layer: &Arc<dyn FileLayer>) -> Result<()> {
        let step = &mut |_: RestoreStep| Ok(());
        let (source, options) = (&self.backups[0], self.options(true));
        Database::restore_full(source, &options, false, &self.lab.options, layer, step)?;
        Ok(())
    }

    fn next(&self, number: usize, layer: &Arc<dyn FileLayer>) -> Result<()> {
        let step = &mut |_: RestoreStep| Ok(());
        let (source, none) = (&self.backups[number], RestoreOptions::default());
        let primary = self.primary();
        Database::restore_next(
            &primary,
            source,
            &none,
            false,
            &self.lab.options,
            layer,
            step,
        )?;
        Ok(())
    }

    fn finish(&self, layer: &Arc<dyn FileLayer>) -> Result<Arc<Database>> {
        let step = &mut |_: RestoreStep| Ok(());
        Database::restore_finish(&self.primary(), &self.lab.options, layer, step)
    }

    fn whole(&self, layer: &Arc<dyn FileLayer>) -> Result<Arc<Database>> {
        self.full(layer)?;
        for number in 1..self.backups.len() {
            self.next(number, layer)?;
        }
        self.finish(layer)
    }
}

#[test]
fn each_prefix_of_a_chain_with_a_differential_backup_is_what_was_backed_up() {
    let course = Course::new();
    let layer: Arc<dyn FileLayer> = Arc::new(UnlockedFiles);
    // With and without the log backup before the differential one.
    for steps in [&[][..], &[1], &[1, 2], &[2], &[2, 3], &[1, 2, 3]] {
        std::fs::create_dir_all(course.folder()).unwrap();
        course.full(&layer).unwrap();
        for &number in steps {
            course.next(number, &layer).unwrap();
        }
        let copy = course.finish(&layer).unwrap();
        let last = steps.last().copied().unwrap_or(0);
        assert_eq!(
            rows(&copy, HeapId::CATALOG),
            course.states[last],
            "{steps:?}"
        );
        copy.close().unwrap();
    }
}

#[test]
fn a_restore_killed_at_any_change_is_never_half_a_database() {
    let course = Course::new();
    let expected = course.states.last().unwrap();
    let healthy: Arc<dyn FileLayer> = Arc::new(UnlockedFiles);
    std::fs::create_dir_all(course.folder()).unwrap();
    let counted = Mortal::new(u64::MAX / 2);
    let layer: Arc<dyn FileLayer> = Arc::new(counted.clone());
    course.whole(&layer).unwrap().close().unwrap();
    let changes = u64::MAX / 2 - counted.left.load(Ordering::SeqCst);
    assert!(changes > 30, "{changes}");
    let (mut went_on, mut again) = (0, 0);
    for life in 0..changes {
        std::fs::remove_dir_all(course.folder()).unwrap();
        std::fs::create_dir_all(course.folder()).unwrap();
        let layer: Arc<dyn FileLayer> = Arc::new(Mortal::new(life));
        // The last of them are changes of the close after the restore.
        drop(course.whole(&layer));
        if let Ok(found) =
            Database::open(&course.primary(), &course.lab.options, Arc::clone(&healthy))
        {
            assert_eq!(&rows(&found, HeapId::CATALOG), expected, "killed at {life}");
            found.close().unwrap();
            continue;
        }
        // Steps that were done are refused as too early; the one that was cut short is repeated.
        for number in 1..course.backups.len() {
            match course.next(number, &healthy) {
                Ok(())
                | Err(StorageError::Restore(
                    RestoreFault::TooEarly { .. }
                    | RestoreFault::NotRestoring
                    | RestoreFault::Interrupted,
                )) => {}
                Err(other) => panic!("killed at {life}: {other}"),
            }
        }
        let copy = if let Ok(copy) = course.finish(&healthy) {
            went_on += 1;
            copy
        } else {
            again += 1;
            course.whole(&healthy).unwrap()
        };
        assert_eq!(&rows(&copy, HeapId::CATALOG), expected, "killed at {life}");
        copy.close().unwrap();
    }
    assert!(
        went_on > 0 && again > 0,
        "{went_on} went on, {again} began again"
    );
}
