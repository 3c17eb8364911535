//! A backup file that says anything: it is read, restored, or refused.
//!
//! The first byte says what the rest is: even, the file as it is; odd, changes to a good file
//! (three bytes of offset, a length byte, so many bytes) whose sections then get right checksums.
#![no_main]

use fuzz::memory_files::MemoryFiles;
use labdb_storage::{
    BackupOptions, BackupTarget, Database, DatabaseSpec, FileSpec, HeapId, NoWaits, Options,
    RecoveryModel, RestoreOptions, read_headers, verify_backup,
};
use libfuzzer_sys::fuzz_target;
use std::sync::{Arc, OnceLock};

struct Good {
    folder: tempfile::TempDir,
    bytes: Vec<u8>,
}

fn options() -> Options {
    Options {
        buffer_pool_bytes: 1 << 20,
        ..Options::default()
    }
}

fn good() -> &'static Good {
    static GOOD: OnceLock<Good> = OnceLock::new();
    GOOD.get_or_init(|| {
        let folder = fuzz::fast_folder();
        let files = MemoryFiles::default();
        let spec = DatabaseSpec {
            data: vec![FileSpec::new("fuzz", "/fuzz.mdf", 2 << 20)],
            log: vec![FileSpec::new("fuzz_log", "/fuzz_log.ldf", 512 << 10)],
            recovery_model: RecoveryModel::Full,
        };
        let db = Database::create(&spec, &options(), Arc::new(files)).expect("a database");
        let mut txn = db.begin(Arc::new(NoWaits));
        db.insert(&mut txn, HeapId::CATALOG, b"row").expect("a row");
        db.commit(txn, true).expect("a commit");
        let path = folder.path().join("good.bak");
        let target = BackupTarget::File(path.clone());
        db.backup_full(&target, &BackupOptions::default())
            .expect("a backup");
        db.close().expect("an end");
        let bytes = std::fs::read(path).expect("the backup");
        Good { folder, bytes }
    })
}

/// Gives every section the checksum of what it holds now: they begin behind the label (64 bytes)
/// and the first set's prologue (32), each with a frame of 14 bytes.
fn seal(file: &mut [u8]) {
    let mut at = 64 + 32;
    while let Some(frame) = file.get(at..at + 14) {
        let length = u32::from_le_bytes([frame[2], frame[3], frame[4], frame[5]]) as usize;
        let Some(body) = file.get(at + 14..at + 14 + length) else {
            return;
        };
        let sum = crc32fast::hash(body);
        file[at + 10..at + 14].copy_from_slice(&sum.to_le_bytes());
        at += 14 + length;
    }
}

fn changed(mut changes: &[u8]) -> Vec<u8> {
    let mut file = good().bytes.clone();
    while let Some((head, rest)) = changes.split_first_chunk::<4>() {
        let offset = usize::from(head[0]) | usize::from(head[1]) << 8 | usize::from(head[2]) << 16;
        let (bytes, behind) = rest.split_at(usize::from(head[3]).min(rest.len()));
        changes = behind;
        let at = offset % file.len();
        let room = (file.len() - at).min(bytes.len());
        file[at..at + room].copy_from_slice(&bytes[..room]);
    }
    seal(&mut file);
    file
}

fuzz_target!(
    init: fuzz::write_seeds(&[
        ("empty", vec![0]),
        ("header", [vec![0], good().bytes.iter().copied().take(4000).collect()].concat()),
        ("good", vec![1]),
        ("changed", vec![1, 140, 0, 0, 2, b'1', b'2', 0, 8, 0, 1, 9]),
    ]),
    |data: &[u8]| {
        let Some((how, rest)) = data.split_first() else {
            return;
        };
        let file = if how & 1 == 1 { changed(rest) } else { rest.to_vec() };
        let path = good().folder.path().join("input.bak");
        std::fs::write(&path, file).expect("the input");
        let _ = read_headers(&path);
        let _ = verify_backup(&path, 1);
        let files = MemoryFiles::default();
        let restored = Database::restore(
            &[&path],
            &RestoreOptions::default(),
            &options(),
            Arc::new(files),
            &mut |_| {},
        );
        if let Ok(db) = restored {
            let _ = db.close();
        }
    }
);
