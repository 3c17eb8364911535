//! The measurements behind `make bench`.
//!
//! Each comparison alternates its sides and takes medians, because the disk's own speed drifts
//! more than the effects that are looked for.

use crate::{Labdb, program, run, run_with_input};
use records::{Load, Record, Round};
use std::fmt;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

const DATABASE: &str = "writelog_bench";
const REPEATS: usize = 5;
const SECTOR_BYTES: usize = 512;
const BARE_ECHO: &str =
    "a bare TCP echo that writes and flushes a sector before each answer, same folder";

/// One line of the report.
pub struct Figure {
    name: String,
    ours: f64,
    beside: Option<(String, f64)>,
    unit: &'static str,
    target: Target,
}

enum Target {
    RatioAtLeast(f64),
    RatioBetween(f64, f64),
    Below(f64),
    None,
}

impl Figure {
    /// The heading of the report.
    #[must_use]
    pub fn heading() -> String {
        format!(
            "{:<44} {:>10} {:>10} {:>6}  {:<18} {}\n{}",
            "figure",
            "ours",
            "beside",
            "ratio",
            "target",
            "met",
            "-".repeat(100)
        )
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ratio = self.beside.as_ref().map(|(_, beside)| self.ours / beside);
        let (target, met) = match self.target {
            Target::RatioAtLeast(least) => (format!("ratio >= {least}"), ratio.map(|r| r >= least)),
            Target::RatioBetween(low, high) => (
                format!("ratio {low} to {high}"),
                ratio.map(|r| (low..=high).contains(&r)),
            ),
            Target::None => (String::new(), None),
            Target::Below(limit) => (format!("< {limit} {}", self.unit), Some(self.ours < limit)),
        };
        let met = met.map_or("", |met| if met { "yes" } else { "NO" });
        let beside = self
            .beside
            .as_ref()
            .map_or(String::new(), |(_, value)| format!("{value:.1}"));
        let ratio = ratio.map_or(String::new(), |ratio| format!("{ratio:.2}"));
        write!(
            f,
            "{:<44} {:>10.1} {beside:>10} {ratio:>6}  {target:<18} {met}",
            format!("{}, {}", self.name, self.unit),
            self.ours
        )?;
        if let Some((name, _)) = &self.beside {
            write!(f, "\n  beside: {name}")?;
        }
        Ok(())
    }
}

/// A labdb and what is measured on it.
pub struct Bench {
    server: Labdb,
}

impl Bench {
    /// Starts a labdb with its files on the disk of the system's temporary folder.
    ///
    /// # Panics
    /// Where it does not start.
    #[must_use]
    pub fn start() -> Self {
        Self {
            server: Labdb::start(),
        }
    }

    /// Durable one-row commits a second of one connection beside a bare write and flush.
    ///
    /// # Panics
    /// Where a program fails.
    #[must_use]
    pub fn commits_of_one_connection(&self) -> Vec<Figure> {
        let folder = self.server.data_folder();
        let (mut plain, mut encrypted, mut by_loop) = (vec![], vec![], vec![]);
        let (mut disk, mut fio, mut echo) = (vec![], vec![], vec![]);
        for _ in 0..REPEATS {
            disk.push(bare_flushes_per_second(&folder));
            fio.extend(fio_flushes_per_second(&folder));
            echo.push(echoed_flushes_per_second(&folder));
            plain.push(per_second(&self.timed_load_with("full", 1, "optional")));
            encrypted.push(per_second(&self.timed_load("full", 1)));
            by_loop.push(self.server_loop_commits_per_second());
        }
        let beside = if fio.len() == REPEATS {
            (
                "fio, 512-byte sequential writes with fdatasync, same folder".to_owned(),
                median(&fio),
            )
        } else {
            (
                "512-byte sequential writes with fdatasync, same folder (fio is not installed)"
                    .to_owned(),
                median(&disk),
            )
        };
        vec![
            Figure {
                name: "1 connection, loop on the server, commits".into(),
                ours: median(&by_loop),
                beside: Some(beside),
                unit: "1/s",
                target: Target::RatioAtLeast(0.8),
            },
            Figure {
                name: "1 connection, a round trip each, commits".into(),
                ours: median(&plain),
                beside: Some((BARE_ECHO.to_owned(), median(&echo))),
                unit: "1/s",
                target: Target::None,
            },
            Figure {
                name: "1 connection, the same under TLS, commits".into(),
                ours: median(&encrypted),
                beside: Some((BARE_ECHO.to_owned(), median(&echo))),
                unit: "1/s",
                target: Target::None,
            },
        ]
    }

    /// Commits a second of sixteen connections beside one: group commit.
    ///
    /// # Panics
    /// Where a program fails.
    #[must_use]
    pub fn commits_of_sixteen_connections(&self) -> Vec<Figure> {
        let (mut one, mut sixteen) = (vec![], vec![]);
        for _ in 0..REPEATS {
            one.push(per_second(&self.timed_load("full", 1)));
            sixteen.push(per_second(&self.timed_load("full", 16)));
        }
        vec![Figure {
            name: "16 connections, commits".into(),
            ours: median(&sixteen),
            beside: Some(("1 connection".into(), median(&one))),
            unit: "1/s",
            target: Target::RatioAtLeast(4.0),
        }]
    }

    /// Log bytes of one connection's commits beside a sector each.
    ///
    /// # Panics
    /// Where a program fails.
    #[must_use]
    pub fn log_bytes_of_one_connection(&self) -> Vec<Figure> {
        let round = self.round("full", 1, 4000);
        vec![Figure {
            name: "1 connection, 4,000 commits, log".into(),
            ours: kib(round.log_bytes_written),
            beside: Some(("a 512-byte sector a commit".into(), 4000.0 * 512.0 / 1024.0)),
            unit: "KiB",
            target: Target::RatioBetween(1.0, 1.1),
        }]
    }

    /// Log bytes of FULL beside SIMPLE, sixteen connections.
    ///
    /// # Panics
    /// Where a program fails.
    #[must_use]
    pub fn log_bytes_of_both_models(&self) -> Vec<Figure> {
        let (mut full, mut simple) = (vec![], vec![]);
        for _ in 0..REPEATS {
            full.push(kib(self.round("full", 16, 2000).log_bytes_written));
            simple.push(kib(self.round("simple", 16, 2000).log_bytes_written));
        }
        vec![Figure {
            name: "16 x 2,000 commits, FULL, log".into(),
            ours: median(&full),
            beside: Some(("SIMPLE".into(), median(&simple))),
            unit: "KiB",
            target: Target::RatioBetween(0.95, 1.05),
        }]
    }

    /// CPU of the load generator for 5,000 commits a second, in cores.
    ///
    /// # Panics
    /// Where a program fails.
    #[must_use]
    pub fn client_cpu(&self) -> Vec<Figure> {
        let shares: Vec<f64> = (0..REPEATS)
            .map(|_| {
                let load = self.timed_load("simple", 16);
                load.client_cpu_share.expect("a CPU share") / per_second(&load) * 5000.0
            })
            .collect();
        vec![Figure {
            name: "loadgen's CPU for 5,000 commits a second".into(),
            ours: 100.0 * median(&shares),
            beside: None,
            unit: "% core",
            target: Target::Below(50.0),
        }]
    }

    /// How long each program takes to say its help.
    ///
    /// # Panics
    /// Where a program fails.
    #[must_use]
    pub fn start_up(&self) -> Vec<Figure> {
        [
            "setup-db",
            "snapshot",
            "loadgen",
            "diff",
            "summarize",
            "labdb",
        ]
        .into_iter()
        .map(|name| Figure {
            name: format!("{name} --help"),
            ours: median_ms(30, || {
                let _ = run(program(name).arg("--help")).success();
            }),
            beside: None,
            unit: "ms",
            target: Target::Below(20.0),
        })
        .collect()
    }

    /// How long a snapshot takes, process start to end.
    ///
    /// # Panics
    /// Where a program fails.
    #[must_use]
    pub fn snapshot_time(&self) -> Vec<Figure> {
        vec![Figure {
            name: "snapshot".into(),
            ours: median_ms(30, || {
                let _ = run(self.server.program("snapshot").args(["-n", "-d", DATABASE])).success();
            }),
            beside: None,
            unit: "ms",
            target: Target::Below(50.0),
        }]
    }

    fn setup(&self, model: &str) -> String {
        let mut command = self.server.program("setup-db");
        run(command
            .args([
                "-d",
                DATABASE,
                "--recovery",
                model,
                "--data-size",
                "256MB",
                "--log-size",
                "512MB",
            ])
            .args(["--empty-table", "--checkpoint"]))
        .success()
        .stdout
    }

    /// One turn of load, a second long.
    fn timed_load(&self, model: &str, workers: u64) -> Load {
        self.timed_load_with(model, workers, "mandatory")
    }

    /// The same with a level of encryption; `optional` encrypts the log-in only.
    fn timed_load_with(&self, model: &str, workers: u64, encrypt: &str) -> Load {
        let stream = self.setup(model);
        let mut command = self.server.program("loadgen");
        command.env("WRITELOG_ENCRYPT", encrypt);
        let arguments = ["--workers", &workers.to_string(), "--duration", "1s"];
        let outcome = run_with_input(command.args(arguments), &stream).success();
        match outcome.records().pop() {
            Some(Record::Load(load)) => *load,
            other => panic!("{other:?}"),
        }
    }

    fn round(&self, model: &str, workers: u64, rows: u64) -> Round {
        let (workers, rows) = (workers.to_string(), rows.to_string());
        let mut stream = self.setup(model);
        for (name, arguments) in [
            ("snapshot", vec![]),
            ("loadgen", vec!["--workers", &workers, "--rows", &rows]),
            ("snapshot", vec![]),
            ("diff", vec![]),
        ] {
            stream = run_with_input(self.server.program(name).args(arguments), &stream)
                .success()
                .stdout;
        }
        match serde_json::from_str(stream.lines().last().expect("a line")).expect("a record") {
            Record::Round(round) => *round,
            other => panic!("{other:?}"),
        }
    }

    /// The commits of a loop in one batch that runs for a second of the server's own clock.
    fn server_loop_commits_per_second(&self) -> f64 {
        let _ = self.setup("full");
        let text = "SET NOCOUNT ON;
             DECLARE @i int = 0, @begun datetime2 = SYSUTCDATETIME();
             DECLARE @until datetime2 = DATEADD(second, 1, @begun);
             WHILE SYSUTCDATETIME() < @until
             BEGIN INSERT INTO dbo.writes DEFAULT VALUES; SET @i += 1; END;
             SELECT CAST(@i * 1e6 / DATEDIFF(microsecond, @begun, SYSUTCDATETIME()) AS nvarchar(40));";
        crate::query_text(&self.server, DATABASE, text)
            .parse()
            .expect("a number")
    }
}

fn per_second(load: &Load) -> f64 {
    let transactions = u32::try_from(load.transactions).expect("a small run");
    f64::from(transactions) / load.elapsed_ms * 1000.0
}

fn kib(bytes: Option<i64>) -> f64 {
    let kib = bytes.expect("bytes") / 1024;
    f64::from(u32::try_from(kib).expect("a small run"))
}

/// What the disk gives: a sector written and flushed, over a file that exists in full.
fn bare_flushes_per_second(folder: &Path) -> f64 {
    let path = folder.join("bare-flush");
    let file = std::fs::File::create(&path).expect("a file");
    file.write_all_at(&vec![1; 16 << 20], 0).expect("written");
    file.sync_all().expect("flushed");
    let begun = Instant::now();
    let mut count = 0_u32;
    while begun.elapsed() < Duration::from_secs(1) {
        let offset = u64::from(count) * SECTOR_BYTES as u64 % (16 << 20);
        file.write_all_at(&[2; SECTOR_BYTES], offset)
            .expect("written");
        file.sync_data().expect("flushed");
        count += 1;
    }
    let rate = f64::from(count) / begun.elapsed().as_secs_f64();
    std::fs::remove_file(&path).expect("removed");
    rate
}

/// What a round trip and a flush cost without a database: an echo server that writes a sector and
/// flushes it before each answer. The disk rests between two flushes, as it does under a client
/// that waits for each answer; many disks then take longer than under back-to-back flushes.
fn echoed_flushes_per_second(folder: &Path) -> f64 {
    // About the size of a one-row insert as a SQL batch, and of its answer.
    const REQUEST_BYTES: usize = 168;
    const ANSWER_BYTES: usize = 21;
    let path = folder.join("echoed-flush");
    let file = std::fs::File::create(&path).expect("a file");
    file.write_all_at(&vec![1; 16 << 20], 0).expect("written");
    file.sync_all().expect("flushed");
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let server = std::thread::spawn(move || {
        let (mut socket, _) = listener.accept().expect("a client");
        socket.set_nodelay(true).expect("no delay");
        let mut request = [0; REQUEST_BYTES];
        let mut sector = 0_u64;
        while socket.read_exact(&mut request).is_ok() {
            file.write_all_at(&[2; SECTOR_BYTES], sector * SECTOR_BYTES as u64)
                .expect("written");
            file.sync_data().expect("flushed");
            sector = (sector + 1) % ((16 << 20) / SECTOR_BYTES as u64);
            socket.write_all(&[0; ANSWER_BYTES]).expect("answered");
        }
    });
    let mut socket = TcpStream::connect(address).expect("a connection");
    socket.set_nodelay(true).expect("no delay");
    let begun = Instant::now();
    let mut count = 0_u32;
    while begun.elapsed() < Duration::from_secs(1) {
        socket.write_all(&[0; REQUEST_BYTES]).expect("asked");
        socket.read_exact(&mut [0; ANSWER_BYTES]).expect("answered");
        count += 1;
    }
    let rate = f64::from(count) / begun.elapsed().as_secs_f64();
    drop(socket);
    server.join().expect("the echo ends");
    std::fs::remove_file(&path).expect("removed");
    rate
}

fn fio_flushes_per_second(folder: &Path) -> Option<f64> {
    let output = Command::new("fio")
        .args([
            "--name=bench",
            "--rw=write",
            "--bs=512",
            "--size=16m",
            "--fdatasync=1",
            "--overwrite=1",
        ])
        .args([
            "--ioengine=psync",
            "--time_based",
            "--runtime=1",
            "--output-format=json",
            "--unlink=1",
        ])
        .arg(format!("--directory={}", folder.display()))
        .output()
        .ok()?;
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).ok()?;
    report["jobs"][0]["write"]["iops"].as_f64()
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    if sorted.len().is_multiple_of(2) {
        f64::midpoint(sorted[middle - 1], sorted[middle])
    } else {
        sorted[middle]
    }
}

fn median_ms(repeats: usize, mut what: impl FnMut()) -> f64 {
    let times: Vec<f64> = (0..repeats)
        .map(|_| {
            let begun = Instant::now();
            what();
            begun.elapsed().as_secs_f64() * 1000.0
        })
        .collect();
    median(&times)
}
