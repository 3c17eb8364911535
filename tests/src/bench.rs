//! The measurements behind `make bench`.
//!
//! Each comparison alternates its sides and takes medians, because the disk's own speed drifts
//! more than the effects that are looked for.

mod commits;
mod delayed;
mod disk;
mod echo;
mod figure;
mod four_commits;
mod memory;
mod programs;
mod recovery;
mod restore;
mod stream;
mod summarize;

pub use echo::serve_echo;
pub use figure::Figure;
pub use memory::memory_of_inserts;
pub use recovery::recovery_rate;
pub use restore::restore_time;
pub use stream::{VARIANTS, Written, write_stream};
pub use summarize::watched;

use crate::{Labdb, Outcome, run, run_with_input};
use records::{Load, Record, Round};
use std::time::Instant;

const DATABASE: &str = "writelog_bench";
const REPEATS: usize = 5;

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

    fn setup(&self, model: &str) -> String {
        self.setup_with(model, "disabled")
    }

    fn setup_with(&self, model: &str, delayed_durability: &str) -> String {
        let options = [
            "--recovery",
            model,
            "--delayed-durability",
            delayed_durability,
        ];
        setup(&self.server, &options)
    }

    /// One turn of load, a second long.
    fn timed_load(&self, model: &str, workers: u64) -> Load {
        self.timed_load_with(model, workers, "mandatory")
    }

    /// The same with a level of encryption; `optional` encrypts the log-in only.
    fn timed_load_with(&self, model: &str, workers: u64, encrypt: &str) -> Load {
        self.load(&self.setup(model), workers, "1s", encrypt)
    }

    fn load(&self, stream: &str, workers: u64, duration: &str, encrypt: &str) -> Load {
        let mut command = self.server.program("loadgen");
        command.env("WRITELOG_ENCRYPT", encrypt);
        let arguments = ["--workers", &workers.to_string(), "--duration", duration];
        load_record(&run_with_input(command.args(arguments), stream).success())
    }

    fn round(&self, model: &str, workers: u64, rows: u64) -> Round {
        self.round_with(model, "disabled", workers, rows)
    }

    fn round_with(&self, model: &str, delayed_durability: &str, workers: u64, rows: u64) -> Round {
        let (workers, rows) = (workers.to_string(), rows.to_string());
        let stream = self.setup_with(model, delayed_durability);
        self.measured(stream, vec!["--workers", &workers, "--rows", &rows])
    }

    /// One loop on the server, under SIMPLE, and the flush after it.
    fn loop_round(&self, delayed_durability: &str, commits: &str, rows: u32) -> Round {
        let options = [
            "--recovery",
            "simple",
            "--delayed-durability",
            delayed_durability,
            "--loops",
        ];
        let stream = setup(&self.server, &options);
        let rows = rows.to_string();
        let load = ["--workers", "1", "--rows", &rows, "--loop", commits];
        self.measured(stream, [&load[..], &["--flush-log"]].concat())
    }

    /// The round of a load after what set the database up.
    fn measured(&self, mut stream: String, load: Vec<&str>) -> Round {
        for (name, arguments) in [
            ("snapshot", vec![]),
            ("loadgen", load),
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
}

/// Makes the database, its table empty, and takes a checkpoint; the stream for the next program.
fn setup(server: &Labdb, options: &[&str]) -> String {
    let mut command = server.program("setup-db");
    command.args(["-d", DATABASE, "--empty-table", "--checkpoint"]);
    run(command.args(options)).success().stdout
}

/// The record of a load that a program wrote last.
fn load_record(outcome: &Outcome) -> Load {
    match outcome.records().pop() {
        Some(Record::Load(load)) => *load,
        other => panic!("{other:?}"),
    }
}

fn per_second(load: &Load) -> f64 {
    let transactions = u32::try_from(load.transactions).expect("a small run");
    f64::from(transactions) / load.elapsed_ms * 1000.0
}

fn kib(bytes: Option<i64>) -> f64 {
    count(bytes.map(|bytes| bytes / 1024))
}

fn count(number: Option<i64>) -> f64 {
    let number = number.expect("a count");
    f64::from(u32::try_from(number).expect("a small run"))
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
