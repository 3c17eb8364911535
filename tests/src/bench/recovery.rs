//! How fast recovery replays the log after a kill.

use super::figure::{Figure, Target};
use super::{DATABASE, load_record, setup};
use crate::{Labdb, LabdbOptions, run_with_input};
use std::io::Read;
use std::path::Path;
use std::time::Instant;

const LOG_FILE: &str = "writelog_bench_log.ldf";
/// Rows that give over 300 MB of log, in statements of a quarter of it each.
const ROWS_OF_A_WORKER: u32 = 1_000_000;
const WORKERS: u32 = 4;
const MB: f64 = 1e6;

/// Fills a log without a checkpoint, kills the server and starts it again.
///
/// # Panics
/// Where a program fails, or the error log does not say what recovery did.
#[must_use]
pub fn recovery_rate() -> Vec<Figure> {
    let mut server = Labdb::start_with(LabdbOptions {
        arguments: ["--checkpoint-log-mb", "0", "--buffer-pool-mb", "1024"]
            .map(str::to_owned)
            .to_vec(),
        ..LabdbOptions::default()
    });
    let sizes = ["--data-size", "512MB", "--log-size", "1024MB"];
    let stream = setup(&server, &[&["--recovery", "simple"], &sizes[..]].concat());
    let mut command = server.program("loadgen");
    command
        .args(["--single-statement", "--workers", &WORKERS.to_string()])
        .args(["--rows", &ROWS_OF_A_WORKER.to_string()]);
    let _ = load_record(&run_with_input(&mut command, &stream).success());
    let begun = Instant::now();
    server.kill_and_restart();
    let restart = begun.elapsed().as_secs_f64();
    let said = Recovery::from_error_log(&server.data_folder());
    let bare = bare_read_per_second(&server.data_folder().join(LOG_FILE), said.log_bytes);
    vec![
        Figure {
            name: format!("recovery's redo of {:.0} MB of log", said.log_bytes / MB),
            ours: said.log_bytes / MB / said.redo_seconds,
            beside: Some((
                "a bare sequential read of as much of the same file; both from the page cache, \
                 which a kill leaves"
                    .to_owned(),
                bare / MB,
            )),
            unit: "MB/s",
            target: Target::AtLeast(200.0),
        },
        Figure {
            name: "from the kill to taking connections again".into(),
            ours: restart,
            beside: None,
            unit: "s",
            target: Target::None,
        },
    ]
}

/// What the error log says of the database's recovery.
struct Recovery {
    log_bytes: f64,
    redo_seconds: f64,
}

impl Recovery {
    fn from_error_log(data: &Path) -> Self {
        let text = std::fs::read_to_string(data.join("errorlog")).expect("an error log");
        let start = format!("Starting up database '{DATABASE}'. Recovery read ");
        let line = text
            .lines()
            .rev()
            .find_map(|line| line.split_once(&start))
            .expect("a line on recovery")
            .1;
        // "N log bytes in M ms, …"
        let mut words = line.split(' ');
        let log_bytes = words.next().and_then(|n| n.parse().ok()).expect("bytes");
        let milliseconds: f64 = words.nth(3).and_then(|n| n.parse().ok()).expect("a time");
        Self {
            log_bytes,
            redo_seconds: milliseconds / 1_000.0,
        }
    }
}

fn bare_read_per_second(file: &Path, bytes: f64) -> f64 {
    let mut file = std::fs::File::open(file).expect("the log file");
    let mut buffer = vec![0; 1 << 20];
    let begun = Instant::now();
    let mut read = 0.0;
    while read < bytes {
        file.read_exact(&mut buffer).expect("log");
        read += 1_048_576.0;
    }
    read / begun.elapsed().as_secs_f64()
}
