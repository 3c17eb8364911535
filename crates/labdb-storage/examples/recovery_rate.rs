//! How fast recovery replays log: fills a log with one-row transactions without a checkpoint,
//! opens the files again as after a kill, and says what recovery did.
//!
//! `cargo run --release -p labdb-storage --example recovery_rate [FOLDER] [MEGABYTES]`

use std::path::Path;
use std::sync::Arc;

use labdb_storage::{
    Database, DatabaseSpec, FileSpec, HeapId, NoWaits, Options, RecoveryModel, UnlockedFiles,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().unwrap_or_else(|| "/tmp".to_owned());
    let megabytes: u64 = arguments.next().map_or(Ok(256), |s| s.parse())?;
    let folder = Path::new(&folder).join(format!("recovery-rate-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let done = measure(&folder, megabytes << 20);
    std::fs::remove_dir_all(&folder)?;
    done
}

#[allow(clippy::cast_precision_loss, reason = "for people to read")]
fn measure(folder: &Path, bytes: u64) -> Result<(), Box<dyn std::error::Error>> {
    let spec = DatabaseSpec {
        data: vec![FileSpec::new("rate", folder.join("rate.mdf"), 64 << 20)],
        log: vec![FileSpec::new(
            "rate_log",
            folder.join("rate_log.ldf"),
            2 * bytes,
        )],
        recovery_model: RecoveryModel::Full,
    };
    let options = Options {
        checkpoint_log_bytes: 0,
        buffer_pool_bytes: 1 << 30,
        ..Options::default()
    };
    for length in [60, 400] {
        let database = Database::create(&spec, &options, Arc::new(UnlockedFiles))?;
        while database.counters().log_bytes_flushed < bytes {
            for _ in 0..1000 {
                let mut txn = database.begin(Arc::new(NoWaits));
                database.insert(&mut txn, HeapId::CATALOG, &vec![7; length])?;
                database.commit(txn, false)?;
            }
        }
        database.flush_log(&NoWaits)?;
        let path = folder.join("rate.mdf");
        let start = std::time::Instant::now();
        let again = Database::open(&path, &options, Arc::new(UnlockedFiles))?;
        let all = start.elapsed();
        let report = again.recovery_report();
        let log = report.log_bytes as f64 / f64::from(1 << 20);
        println!(
            "rows of {length} bytes: {log:.0} MB of log, {} records; replayed in {:.2} s: {:.0} MB/s; \
             opened in {:.2} s",
            report.records,
            report.redo_time.as_secs_f64(),
            log / report.redo_time.as_secs_f64(),
            all.as_secs_f64(),
        );
        again.drop_files()?;
    }
    Ok(())
}
