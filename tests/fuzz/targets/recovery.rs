//! Recovery from a log that says anything: the database opens or is refused.
//!
//! An input is a list of changes: a byte that says which file (even: log, odd: data), three bytes
//! of offset, a length byte, and so many bytes. The first byte of the input says whether blocks get
//! a right checksum afterwards: only then does recovery believe their records.
#![no_main]

use fuzz::memory_files::MemoryFiles;
use labdb_storage::{
    Database, DatabaseSpec, FileSpec, Growth, HeapId, NoWaits, Options, RecoveryModel,
};
use libfuzzer_sys::fuzz_target;
use std::path::Path;
use std::sync::{Arc, OnceLock};

const DATA: &str = "/fuzz.mdf";
const LOG: &str = "/fuzz_log.ldf";
const SECTOR: usize = 512;
const BLOCK_MAGIC: [u8; 4] = 0x4c42_4c4b_u32.to_le_bytes();

fn options() -> Options {
    Options {
        buffer_pool_bytes: 1 << 20,
        ..Options::default()
    }
}

/// A database that was killed: committed rows in its log, an open transaction, a rolled back one.
fn template() -> &'static MemoryFiles {
    static TEMPLATE: OnceLock<MemoryFiles> = OnceLock::new();
    TEMPLATE.get_or_init(|| {
        let files = MemoryFiles::default();
        let mut data = FileSpec::new("fuzz", DATA, 2 << 20);
        data.growth = Growth::Bytes(1 << 20);
        let mut log = FileSpec::new("fuzz_log", LOG, 512 << 10);
        log.growth = Growth::Bytes(0);
        let spec = DatabaseSpec {
            data: vec![data],
            log: vec![log],
            recovery_model: RecoveryModel::Simple,
        };
        let db = Database::create(&spec, &options(), Arc::new(files.clone())).expect("a database");
        let mut txn = db.begin(Arc::new(NoWaits));
        let heap = db.create_heap(&mut txn).expect("a heap");
        let row = db.insert(&mut txn, heap, b"one").expect("a row");
        db.commit(txn, true).expect("a commit");
        let mut txn = db.begin(Arc::new(NoWaits));
        db.update(&mut txn, heap, row, &[7; 3000])
            .expect("a change");
        db.insert(&mut txn, HeapId::CATALOG, b"two").expect("a row");
        db.rollback(txn).expect("a rollback");
        let mut open = db.begin(Arc::new(NoWaits));
        let gone = db.insert(&mut open, heap, &[9; 5000]).expect("a row");
        db.delete(&mut open, heap, gone).expect("a removal");
        db.flush_log(&NoWaits).expect("a flush");
        let killed = files.copy();
        std::mem::forget(open);
        std::mem::forget(db);
        killed
    })
}

fn apply(files: &MemoryFiles, mut changes: &[u8]) {
    while let Some((head, rest)) = changes.split_first_chunk::<5>() {
        let offset = usize::from(head[1]) | usize::from(head[2]) << 8 | usize::from(head[3]) << 16;
        let (bytes, behind) = rest.split_at(usize::from(head[4]).min(rest.len()));
        changes = behind;
        let path = if head[0].is_multiple_of(2) { LOG } else { DATA };
        files.change(Path::new(path), |file| {
            let at = offset % file.len().max(1);
            let room = file.len().saturating_sub(at).min(bytes.len());
            file[at..at + room].copy_from_slice(&bytes[..room]);
        });
    }
}

/// Gives every block of the log the checksum of what it holds now.
fn seal(files: &MemoryFiles) {
    files.change(Path::new(LOG), |log| {
        let mut at = 0;
        while at + SECTOR <= log.len() {
            let used = usize::from(u16::from_le_bytes([log[at + 28], log[at + 29]]));
            let length = used.next_multiple_of(SECTOR).max(SECTOR);
            if log[at..at + 4] == BLOCK_MAGIC
                && let Some(block) = log.get_mut(at..at + length)
            {
                let sum = crc32fast::hash(&block[8..]);
                block[4..8].copy_from_slice(&sum.to_le_bytes());
                at += length;
            } else {
                at += SECTOR;
            }
        }
    });
}

fn seeds() -> Vec<(&'static str, Vec<u8>)> {
    // Where blocks lie: changes near records are worth more than changes anywhere.
    let mut seeds = vec![("nothing", vec![0])];
    let mut blocks = Vec::new();
    template().copy().change(Path::new(LOG), |log| {
        for at in (0..log.len()).step_by(SECTOR) {
            if log[at..at + 4] == BLOCK_MAGIC {
                blocks.push(at);
            }
        }
    });
    let place = |at: usize| {
        let [a, b, c, ..] = at.to_le_bytes();
        [0, a, b, c]
    };
    for (name, delta) in [("header", 24), ("first_record", 40), ("further", 72)] {
        let mut input = vec![1];
        for at in &blocks {
            input.extend_from_slice(&place(at + delta));
            input.extend_from_slice(&[1, 3]);
        }
        seeds.push((name, input));
    }
    seeds
}

fuzz_target!(
    init: fuzz::write_seeds(&seeds()),
    |data: &[u8]| {
        let Some((how, changes)) = data.split_first() else {
            return;
        };
        let files = template().copy();
        apply(&files, changes);
        if how & 1 == 1 {
            seal(&files);
        }
        if let Ok(db) = Database::open(Path::new(DATA), &options(), Arc::new(files)) {
            let _ = db.recovery_report();
            for heap in [HeapId::CATALOG, HeapId(2)] {
                let _ = db.scan(heap).take(1000).filter(Result::is_ok).count();
            }
            let _ = db.close();
        }
    }
);
