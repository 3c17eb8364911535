//! Four ways to commit small transactions in a loop on the server: fully durable, delayed, batched,
//! and fully durable in a database that is set to FORCED.

use super::figure::{Figure, Target};
use super::{Bench, REPEATS, count, median};
use records::Round;

/// Rows of a round.
const ROWS: u32 = 20_000;

/// The rounds of one way to commit.
#[derive(Default)]
struct Rounds {
    rows_per_s: Vec<f64>,
    log_writes: Vec<f64>,
    commits_a_write: Vec<f64>,
}

impl Rounds {
    fn add(&mut self, round: &Round) {
        let elapsed_s = round.elapsed_ms.expect("a time") / 1000.0;
        self.rows_per_s.push(f64::from(ROWS) / elapsed_s);
        self.log_writes.push(count(round.log_writes));
        let commits = round.transactions_per_log_write;
        self.commits_a_write.push(commits.expect("log writes"));
    }
}

impl Bench {
    /// Delayed commits beside durable ones, one transaction beside many, FORCED beside delayed.
    ///
    /// # Panics
    /// Where a program fails.
    #[must_use]
    pub fn four_ways_to_commit(&self) -> Vec<Figure> {
        let (mut full, mut delayed) = (Rounds::default(), Rounds::default());
        let (mut batched, mut forced) = (Rounds::default(), Rounds::default());
        for repeat in 0..REPEATS {
            let mut turns = [
                (&mut full, "allowed", "full"),
                (&mut delayed, "allowed", "delayed"),
                (&mut batched, "allowed", "batched"),
                (&mut forced, "forced", "full"),
            ];
            // Forth and back, so that a drift of the machine meets all alike.
            if repeat % 2 == 1 {
                turns.reverse();
            }
            for (rounds, setting, commits) in turns {
                rounds.add(&self.loop_round(setting, commits, ROWS));
            }
        }
        let rows = |name: &str, ours: &Rounds, beside: &str, other: &Rounds, target| Figure {
            name: name.to_owned(),
            ours: median(&ours.rows_per_s),
            beside: Some((beside.to_owned(), median(&other.rows_per_s))),
            unit: "1/s",
            target,
        };
        let each = "delayed, a transaction a row";
        vec![
            rows(
                "loop, delayed, rows",
                &delayed,
                "fully durable, a transaction a row",
                &full,
                Target::RatioAtLeast(5.0),
            ),
            Figure {
                name: "loop, delayed, a log write".into(),
                ours: median(&delayed.commits_a_write),
                beside: Some(("fully durable".into(), median(&full.commits_a_write))),
                unit: "commits",
                target: Target::AtLeast(10.0),
            },
            rows(
                "loop, one transaction, rows",
                &batched,
                each,
                &delayed,
                Target::RatioAtLeast(1.0),
            ),
            Figure {
                name: "loop, one transaction, log writes".into(),
                ours: median(&batched.log_writes),
                beside: Some((
                    "fully durable, a transaction a row".into(),
                    median(&full.log_writes),
                )),
                unit: "writes",
                target: Target::RatioBetween(0.0, 0.01),
            },
            rows(
                "loop, FORCED, rows",
                &forced,
                each,
                &delayed,
                Target::RatioBetween(0.9, 1.1),
            ),
        ]
    }
}
