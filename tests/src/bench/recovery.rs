//! How fast recovery replays the log after a kill.

use super::figure::{Figure, Target};
use super::{DATABASE, load_record, setup};
use crate::{Labdb, LabdbOptions, query_text, run_with_input};
use std::io::Read;
use std::path::Path;
use std::time::Instant;

const LOG_FILE: &str = "writelog_bench_log.ldf";
/// Rows that give over 300 MB of log, in statements of a quarter of it each.
const ROWS_OF_A_WORKER: u32 = 1_500_000;
const WORKERS: u32 = 4;

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
    // Megabytes of 1,048,576 bytes, as the view has them.
    let text =
        "SELECT CAST(log_recovery_size_mb AS nvarchar(40)) FROM sys.dm_db_log_stats(DB_ID())";
    let log: f64 = query_text(&server, DATABASE, text).parse().expect("a size");
    let begun = Instant::now();
    server.kill_and_restart();
    let restart = begun.elapsed().as_secs_f64();
    let seconds = recovery_seconds(&server.data_folder());
    let bare = bare_read_per_second(&server.data_folder().join(LOG_FILE), log);
    vec![
        Figure {
            name: format!("recovery of {log:.0} MB of log"),
            ours: log / seconds,
            beside: Some((
                "a bare sequential read of as much of the same file; both from the page cache, \
                 which a kill leaves"
                    .to_owned(),
                bare,
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

/// How long analysis, redo and undo took, in seconds, as the error log says.
fn recovery_seconds(data: &Path) -> f64 {
    let text = std::fs::read_to_string(data.join("errorlog")).expect("an error log");
    let start = format!("Recovery completed for database {DATABASE} ");
    let line = text.lines().rev().find(|line| line.contains(&start));
    let (_, times) = line
        .and_then(|line| line.split_once("(analysis "))
        .expect("a line on recovery");
    // "analysis N ms, redo N ms, undo N ms."
    let milliseconds: Vec<f64> = times
        .split(' ')
        .take(8)
        .filter_map(|word| word.parse().ok())
        .collect();
    assert_eq!(milliseconds.len(), 3, "{times}");
    milliseconds.iter().sum::<f64>() / 1_000.0
}

/// MB a second of a file's first `mb` MB, read from the front.
fn bare_read_per_second(file: &Path, mb: f64) -> f64 {
    let mut file = std::fs::File::open(file).expect("the log file");
    let mut buffer = vec![0; 1 << 20];
    let begun = Instant::now();
    let mut read = 0.0;
    while read < mb {
        file.read_exact(&mut buffer).expect("log");
        read += 1.0;
    }
    read / begun.elapsed().as_secs_f64()
}
