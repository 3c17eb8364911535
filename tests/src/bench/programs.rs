//! What the programs themselves cost.

use super::figure::{Figure, Target};
use super::{Bench, DATABASE, REPEATS, median, median_ms, per_second};
use crate::{program, run};

impl Bench {
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
}
