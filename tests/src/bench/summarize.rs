//! How long `summarize` takes over a long stream, beside `DuckDB` and Miller on the same aggregation.

use super::figure::{Figure, Target};
use super::stream::{VARIANTS, Written, write_stream};
use super::{Bench, setup};
use crate::{checkout, program};
use std::fs::File;
use std::io::{BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const ROUNDS: u32 = 20_000;
const LINES: u64 = 10_000_000;

/// What one variant's intervals come to: how many, their transactions, their time in ms, the lowest
/// and the highest rate, the highest 99th percentile.
type Row = [f64; 6];

/// What a tool took and found.
struct Ran {
    seconds: f64,
    peak_mib: f64,
    rows: Vec<Row>,
}

impl Bench {
    /// Ten million lines by `summarize`, `DuckDB` and Miller.
    ///
    /// # Panics
    /// Where a program fails, or two tools do not find the same.
    #[must_use]
    pub fn long_stream(&self) -> Vec<Figure> {
        let folder = tempfile::tempdir().expect("a folder");
        let round = self.stream_of_one_round();
        let long = folder.path().join("long.jsonl");
        let written = write_file(&long, &round, LINES);
        let ours = summarize(&long);
        check("summarize", &ours.rows, &written);
        let mut figures = vec![
            figure(
                "summarize, 10,000,000 lines",
                ours.seconds,
                "s",
                Target::Below(10.0),
            ),
            figure(
                "its peak memory",
                ours.peak_mib,
                "MiB",
                Target::Below(1024.0),
            ),
        ];
        match duckdb(&long) {
            Err(why) => eprintln!("DuckDB is not compared: {why}"),
            Ok(theirs) => {
                agree("DuckDB", &ours.rows, &theirs.rows);
                figures.push(speed(
                    &ours,
                    &theirs,
                    LINES,
                    "DuckDB, 2 threads, read_json into one GROUP BY",
                ));
                figures.push(figure(
                    "DuckDB's peak memory",
                    theirs.peak_mib,
                    "MiB",
                    Target::None,
                ));
            }
        }
        drop(std::fs::remove_file(&long));
        // As many rounds with a tenth of the lines: what grows is what is kept of rounds.
        let short = folder.path().join("short.jsonl");
        let written = write_file(&short, &round, LINES / 10);
        let ours_short = summarize(&short);
        check("summarize", &ours_short.rows, &written);
        figures.push(Figure {
            beside: Some((
                "1,000,000 lines, as many rounds".to_owned(),
                ours_short.peak_mib,
            )),
            ..figure(
                "peak memory, 10,000,000 lines",
                ours.peak_mib,
                "MiB",
                Target::None,
            )
        });
        match miller(&short) {
            Err(why) => eprintln!("Miller is not compared: {why}"),
            Ok(theirs) => {
                agree("Miller", &ours_short.rows, &theirs.rows);
                figures.push(speed(
                    &ours_short,
                    &theirs,
                    LINES / 10,
                    "Miller, on a tenth of the lines",
                ));
                figures.push(figure(
                    "Miller's peak memory",
                    theirs.peak_mib,
                    "MiB",
                    Target::None,
                ));
            }
        }
        figures
    }

    /// The stream of one round with all that a round has.
    fn stream_of_one_round(&self) -> String {
        let trial = "--experiment long-stream --variant full --round 1 --block 1 --slot 1";
        let trial: Vec<&str> = trial.split(' ').collect();
        let mut stream = setup(&self.server, &trial);
        for (name, arguments) in [
            ("snapshot", &[][..]),
            ("loadgen", &["--workers", "16", "--rows", "20"]),
            ("snapshot", &[]),
            ("diff", &[]),
        ] {
            let mut command = self.server.program(name);
            stream = crate::run_with_input(command.args(arguments), &stream)
                .success()
                .stdout;
        }
        stream
    }
}

fn figure(name: &str, ours: f64, unit: &'static str, target: Target) -> Figure {
    Figure {
        name: name.to_owned(),
        ours,
        beside: None,
        unit,
        target,
    }
}

fn speed(ours: &Ran, theirs: &Ran, lines: u64, name: &str) -> Figure {
    let lines = f64::from(u32::try_from(lines).expect("a small stream")) / 1e3;
    Figure {
        beside: Some((name.to_owned(), lines / theirs.seconds)),
        ..figure(
            "summarize, thousand lines a second",
            lines / ours.seconds,
            "1/s",
            Target::RatioAtLeast(1.0),
        )
    }
}

fn write_file(path: &Path, round: &str, lines: u64) -> Written {
    let file = File::create(path).expect("a file in the temporary folder");
    let mut output = BufWriter::with_capacity(1 << 20, file);
    let written = write_stream(round, ROUNDS, lines, &mut output).expect("space for the stream");
    output.flush().expect("space for the stream");
    written
}

/// Intervals and transactions are what the generator counted.
fn check(tool: &str, rows: &[Row], written: &Written) {
    assert_eq!(rows.len(), VARIANTS.len(), "{tool}");
    for (row, (intervals, transactions)) in rows
        .iter()
        .zip(written.intervals.into_iter().zip(written.transactions))
    {
        #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
        let expected = [intervals as f64, transactions as f64];
        assert_eq!(row[..2], expected, "{tool}");
    }
}

/// Counts, rates and percentiles are the same; sums of times but for the order of adding them up.
fn agree(tool: &str, ours: &[Row], theirs: &[Row]) {
    assert_eq!(ours.len(), theirs.len(), "{tool}");
    for (ours, theirs) in ours.iter().zip(theirs) {
        for (ours, theirs) in ours.iter().zip(theirs) {
            assert!(
                (ours - theirs).abs() <= 1e-9 * ours.abs(),
                "{tool}: {theirs}, ours: {ours}"
            );
        }
    }
}

fn summarize(stream: &Path) -> Ran {
    let mut command = program("summarize");
    command
        .args([
            "--format",
            "csv",
            "--table",
            "intervals",
            "--experiment",
            "long-stream",
        ])
        .arg(stream);
    let (text, seconds, peak_mib) = watched(&mut command).expect("summarize");
    let columns = [4, 6, 8, 9, 11, 17];
    Ran {
        seconds,
        peak_mib,
        rows: sorted_rows(&text, 1, &columns),
    }
}

/// The rows of a CSV by variant, with the numbers of these columns.
fn sorted_rows(text: &str, variant: usize, columns: &[usize; 6]) -> Vec<Row> {
    let mut rows: Vec<(String, Row)> = text
        .lines()
        .skip(1)
        .map(|line| {
            let cells: Vec<&str> = line.trim_end().split(',').collect();
            let number = |column: usize| cells[column].parse().unwrap_or_else(|_| panic!("{line}"));
            (cells[variant].to_owned(), columns.map(number))
        })
        .collect();
    rows.sort_by(|left, right| left.0.cmp(&right.0));
    rows.into_iter().map(|(_, row)| row).collect()
}

/// The time is that of the query alone, without Python's start.
const DUCKDB: &str = r#"
import sys, time, duckdb
connection = duckdb.connect()
connection.execute("SET threads = 2; SET enable_progress_bar = false; SET preserve_insertion_order = false")
began = time.perf_counter()
rows = connection.execute("""
    SELECT trial.variant, count(*), sum(transactions), sum(length_ms),
        min(transactions_per_s) FILTER (whole), max(transactions_per_s) FILTER (whole), max(latency_p99_us)
    FROM read_json(?, format = 'newline_delimited', columns = {
        kind: 'VARCHAR', trial: 'STRUCT(variant VARCHAR)', whole: 'BOOLEAN', transactions: 'BIGINT',
        length_ms: 'DOUBLE', transactions_per_s: 'DOUBLE', latency_p99_us: 'BIGINT'})
    WHERE kind = 'interval' GROUP BY ALL ORDER BY ALL""", [sys.argv[1]]).fetchall()
took = time.perf_counter() - began
print(took)
for row in rows:
    print(",".join(str(cell) for cell in row))
"#;

fn duckdb(stream: &Path) -> Result<Ran, String> {
    let python = judges().join("bin/python");
    let mut command = Command::new(&python);
    command.args(["-c", DUCKDB]).arg(stream);
    let (text, _, peak_mib) = watched(&mut command)
        .map_err(|error| format!("{} has no duckdb (make setup): {error}", python.display()))?;
    let (first, _) = text.split_once('\n').unwrap_or_default();
    Ok(Ran {
        seconds: first.trim().parse().map_err(|_| text.clone())?,
        peak_mib,
        rows: sorted_rows(&text, 0, &[1, 2, 3, 4, 5, 6]),
    })
}

fn judges() -> PathBuf {
    std::env::var_os("WRITELOG_JUDGES")
        .map_or_else(|| checkout().join("target/judges"), PathBuf::from)
}

fn miller(stream: &Path) -> Result<Ran, String> {
    let sums = [
        "-a",
        "count,sum,min,max",
        "-g",
        "variant",
        "-f",
        "transactions,length_ms,transactions_per_s,latency_p99_us",
    ];
    let mut command = Command::new("mlr");
    command
        .args(["--ijsonl", "--ocsv", "filter", r#"$kind == "interval""#])
        .args(["then", "put", "$variant = $trial.variant", "then", "stats1"])
        .args(sums)
        .args(["then", "cut", "-o", "-f"])
        .arg(
            "variant,transactions_count,transactions_sum,length_ms_sum,transactions_per_s_min,\
             transactions_per_s_max,latency_p99_us_max",
        )
        .arg(stream);
    let (text, seconds, peak_mib) =
        watched(&mut command).map_err(|error| format!("mlr: {error}"))?;
    Ok(Ran {
        seconds,
        peak_mib,
        rows: sorted_rows(&text, 0, &[1, 2, 3, 4, 5, 6]),
    })
}

/// Runs a command: its standard output, how long it took in s, and its peak resident memory in MiB,
/// looked at every few milliseconds while it runs.
///
/// # Errors
/// It cannot be run, or fails: what it says.
///
/// # Panics
/// A pipe that was asked for is not there.
pub fn watched(command: &mut Command) -> Result<(String, f64, f64), String> {
    let began = Instant::now();
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| error.to_string())?;
    let mut output = child.stdout.take().expect("a pipe");
    let mut errors = child.stderr.take().expect("a pipe");
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        let read = output.read_to_string(&mut text);
        read.map(|_| text)
    });
    let status_file = format!("/proc/{}/status", child.id());
    let mut peak_kib: f64 = 0.0;
    let status = loop {
        if let Some(status) = child.try_wait().map_err(|error| error.to_string())? {
            break status;
        }
        let text = std::fs::read_to_string(&status_file).unwrap_or_default();
        let peak = text.lines().find_map(|line| {
            let rest = line.strip_prefix("VmHWM:")?;
            rest.trim().strip_suffix(" kB")?.parse().ok()
        });
        peak_kib = peak_kib.max(peak.unwrap_or_default());
        std::thread::sleep(Duration::from_millis(5));
    };
    let seconds = began.elapsed().as_secs_f64();
    let mut said = String::new();
    let _ = errors.read_to_string(&mut said);
    let text = reader
        .join()
        .map_err(|_| "its output was not read".to_owned())?
        .map_err(|error| error.to_string())?;
    if !status.success() {
        return Err(format!("{status}: {}", said.trim()));
    }
    Ok((text, seconds, peak_kib / 1024.0))
}
