//! A database in a folder of its own.
#![allow(dead_code, reason = "each test program uses a part")]

pub(crate) mod sim_disk;
pub(crate) mod workload;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use labdb_storage::{
    Database, DatabaseSpec, FileSpec, Growth, HeapId, NoWaits, Options, RecoveryModel, RowId,
    Transaction, UnlockedFiles,
};
use tempfile::TempDir;

pub(crate) struct Lab {
    folder: TempDir,
    pub(crate) options: Options,
}

/// 2 MB of data that may grow by 1 MB, 1 MB of log that may not.
pub(crate) fn small_spec(folder: &Path) -> DatabaseSpec {
    let mut data = FileSpec::new("small", folder.join("small.mdf"), 2 << 20);
    data.growth = Growth::Bytes(1 << 20);
    let mut log = FileSpec::new("small_log", folder.join("small_log.ldf"), 1 << 20);
    log.growth = Growth::Bytes(0);
    DatabaseSpec {
        data: vec![data],
        log: vec![log],
        recovery_model: RecoveryModel::Simple,
    }
}

impl Lab {
    pub(crate) fn new() -> Self {
        Self {
            folder: TempDir::new().unwrap(),
            options: Options::default(),
        }
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn create(&self, spec: &DatabaseSpec) -> Arc<Database> {
        Database::create(spec, &self.options, Arc::new(UnlockedFiles)).unwrap()
    }

    /// Opens the files as they are now, also beside a database that still runs: what a restart
    /// after a kill would find. The running one must not be used any more.
    pub(crate) fn open(&self) -> Arc<Database> {
        let primary = self.folder.path().join("small.mdf");
        Database::open(&primary, &self.options, Arc::new(UnlockedFiles)).unwrap()
    }

    #[allow(clippy::unused_self, reason = "reads as what it is about")]
    pub(crate) fn begin(&self, db: &Arc<Database>) -> Transaction {
        db.begin(Arc::new(NoWaits))
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

/// All rows that are not ghosts.
pub(crate) fn rows(db: &Arc<Database>, heap: HeapId) -> BTreeMap<RowId, Vec<u8>> {
    db.scan(heap)
        .map(Result::unwrap)
        .filter(|row| !row.ghost)
        .map(|row| (row.id, row.bytes))
        .collect()
}
