//! Durable commits a second with 1, 16 and 64 threads, against a bare loop of a 512-byte write
//! and `fdatasync` on the same disk in the same run.
//!
//! `cargo run --release -p labdb-storage --example commit_rate [FOLDER] [SECONDS]`

use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use labdb_storage::{
    Database, DatabaseSpec, FileSpec, HeapId, NoWaits, Options, RecoveryModel, StorageError,
    SystemFiles,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().unwrap_or_else(|| "/tmp".to_owned());
    let seconds: f64 = arguments.next().map_or(Ok(1.0), |s| s.parse())?;
    let folder = Path::new(&folder).join(format!("commit-rate-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let done = measure(&folder, Duration::from_secs_f64(seconds));
    std::fs::remove_dir_all(&folder)?;
    done
}

fn measure(folder: &Path, time: Duration) -> Result<(), Box<dyn std::error::Error>> {
    let spec = DatabaseSpec {
        data: vec![FileSpec::new("rate", folder.join("rate.mdf"), 256 << 20)],
        log: vec![FileSpec::new(
            "rate_log",
            folder.join("rate_log.ldf"),
            512 << 20,
        )],
        recovery_model: RecoveryModel::Simple,
    };
    let options = Options::default();
    let database = Database::create(&spec, &options, Arc::new(SystemFiles))?;
    let mut txn = database.begin(Arc::new(NoWaits));
    let heap = database.create_heap(&mut txn)?;
    database.commit(txn, true)?;
    let bare = Bare::new(folder)?;
    for (threads, durable) in [(1, true), (16, true), (64, true), (1, false), (16, false)] {
        // In many short turns, so that both sides see the same disk.
        let (mut raw, mut rate) = (0.0, 0.0);
        let before = database.counters();
        for _ in 0..TURNS {
            raw += bare.rate(time / TURNS)? / f64::from(TURNS);
            rate += commits(&database, heap, threads, durable, time / TURNS)? / f64::from(TURNS);
        }
        let after = database.counters();
        let commits = after.write_transactions - before.write_transactions;
        println!(
            "{threads:2} threads, {}: {rate:8.0} commits/s, bare pwrite(512) + fdatasync \
             {raw:6.0}/s: {:.2} of it; {:.0} log bytes and {:.3} syncs a commit",
            if durable { "durable" } else { "delayed" },
            rate / raw,
            per(after.log_bytes_flushed - before.log_bytes_flushed, commits),
            per(after.log_syncs - before.log_syncs, commits),
        );
    }
    database.close()?;
    Ok(())
}

#[allow(clippy::cast_precision_loss, reason = "for people to read")]
fn per(total: u64, count: u64) -> f64 {
    total as f64 / count.max(1) as f64
}

const TURNS: u32 = 40;
const BARE_SECTORS: u64 = 128 << 10;

/// A file that is written sector by sector, each made durable.
struct Bare {
    file: std::fs::File,
    next: AtomicU64,
}

impl Bare {
    fn new(folder: &Path) -> std::io::Result<Self> {
        let file = std::fs::File::create(folder.join("bare"))?;
        let zeroes = vec![0; 1 << 20];
        for piece in 0..BARE_SECTORS / 2048 {
            file.write_all_at(&zeroes, piece << 20)?;
        }
        file.sync_all()?;
        Ok(Self {
            file,
            next: AtomicU64::new(0),
        })
    }

    fn rate(&self, time: Duration) -> std::io::Result<f64> {
        let start = Instant::now();
        let mut count = 0;
        while start.elapsed() < time {
            let sector = self.next.fetch_add(1, Ordering::Relaxed) % BARE_SECTORS;
            self.file.write_all_at(&[7; 512], sector * 512)?;
            self.file.sync_data()?;
            count += 1;
        }
        Ok(per(count, 1) / start.elapsed().as_secs_f64())
    }
}

fn commits(
    database: &Arc<Database>,
    heap: HeapId,
    threads: usize,
    durable: bool,
    time: Duration,
) -> Result<f64, StorageError> {
    let stop = AtomicBool::new(false);
    let total = AtomicU64::new(0);
    let start = Instant::now();
    let done: Result<(), StorageError> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|_| {
                scope.spawn(|| {
                    let waits = Arc::new(NoWaits);
                    while !stop.load(Ordering::Relaxed) {
                        let mut txn = database.begin(waits.clone());
                        database.insert(&mut txn, heap, &[42; 60])?;
                        database.commit(txn, durable)?;
                        total.fetch_add(1, Ordering::Relaxed);
                    }
                    Ok(())
                })
            })
            .collect();
        std::thread::sleep(time);
        stop.store(true, Ordering::Relaxed);
        workers
            .into_iter()
            .try_for_each(|w| w.join().unwrap_or(Ok(())))
    });
    done?;
    let elapsed = start.elapsed().as_secs_f64();
    Ok(per(total.load(Ordering::Relaxed), 1) / elapsed)
}
