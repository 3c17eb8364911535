//! Delayed durability: round trips beside a bare echo's, and how many commits share a log write.

use super::echo::{CountingProxy, Exchange, echoes_per_second};
use super::figure::{Figure, Target};
use super::{Bench, DATABASE, REPEATS, median, per_second};
use crate::run;
use std::time::Duration;

const CONNECTIONS: u8 = 16;
const PLAIN: &str = "optional";
const ENCRYPTED: &str = "mandatory";

impl Bench {
    /// One-row inserts with delayed durability of sixteen connections beside a bare TCP echo of
    /// messages of the same sizes. With the log-in alone encrypted both sides are plain text.
    ///
    /// # Panics
    /// Where a program fails.
    #[must_use]
    pub fn delayed_round_trips(&self) -> Vec<Figure> {
        let exchange = self.exchange();
        let turn = Duration::from_secs(2);
        let (mut plain, mut encrypted, mut echo) = (vec![], vec![], vec![]);
        for repeat in 0..REPEATS {
            let mut turns: [&mut dyn FnMut(); 3] = [
                &mut || echo.push(echoes_per_second(exchange, CONNECTIONS.into(), turn)),
                &mut || plain.push(self.delayed_load(PLAIN)),
                &mut || encrypted.push(self.delayed_load(ENCRYPTED)),
            ];
            // Forth and back, so that a drift of the machine meets both sides alike.
            if repeat % 2 == 1 {
                turns.reverse();
            }
            for turn in turns {
                turn();
            }
        }
        let beside = format!(
            "a bare TCP echo of {} and {} bytes, plain text, {CONNECTIONS} connections, as many \
             threads",
            exchange.request, exchange.answer
        );
        let figure = |name: &str, ours: &[f64], target| Figure {
            name: name.to_owned(),
            ours: median(ours),
            beside: Some((beside.clone(), median(&echo))),
            unit: "1/s",
            target,
        };
        vec![
            figure(
                "16 connections, delayed, commits",
                &plain,
                Target::RatioAtLeast(0.5),
            ),
            figure(
                "16 connections, delayed, TLS, commits",
                &encrypted,
                Target::None,
            ),
        ]
    }

    /// How many commits share a log write, durable and delayed.
    ///
    /// # Panics
    /// Where a program fails.
    #[must_use]
    pub fn commits_a_log_write(&self) -> Vec<Figure> {
        let commits = |durability: &str, workers: u64| {
            self.round_with("simple", durability, workers, 32_000 / workers)
                .transactions_per_log_write
                .expect("log writes")
        };
        [1, u64::from(CONNECTIONS)]
            .into_iter()
            .map(|workers| Figure {
                name: match workers {
                    1 => "1 connection, delayed, a log write".to_owned(),
                    _ => format!("{workers} connections, delayed, a log write"),
                },
                ours: commits("forced", workers),
                beside: Some(("fully durable".into(), commits("disabled", workers))),
                unit: "commits",
                target: Target::RatioAtLeast(2.0),
            })
            .collect()
    }

    /// A turn of load: commits a second.
    fn delayed_load(&self, encrypt: &str) -> f64 {
        let stream = self.setup_with("simple", "forced");
        per_second(&self.load(&stream, CONNECTIONS.into(), "2s", encrypt))
    }

    /// The bytes of one transaction, counted by a proxy: what a run of 2,000 sends more than one
    /// of 1,000.
    fn exchange(&self) -> Exchange {
        let (_, port) = self
            .server
            .environment("SQLCMDSERVER")
            .split_once(',')
            .expect("host,port");
        let port: u16 = port.parse().expect("a port");
        let proxy = CountingProxy::start(([127, 0, 0, 1], port).into());
        let _ = self.setup_with("simple", "forced");
        let counted = |rows: &str| {
            let before = proxy.counts();
            let mut command = self.server.program("loadgen");
            command
                .env("SQLCMDSERVER", format!("127.0.0.1,{}", proxy.port))
                // The sizes of a TLS handshake are not the same each time.
                .env("WRITELOG_ENCRYPT", "disable")
                // A stream of setup-db's would lead past the proxy.
                .args(["-n", "-d", DATABASE, "--no-row-check"])
                .args(["--workers", "1", "--rows", rows]);
            let _ = run(&mut command).success();
            let after = proxy.counts();
            [after[0] - before[0], after[1] - before[1]]
        };
        let (one, two) = (counted("1000"), counted("2000"));
        let [request, answer] = [0, 1].map(|at| {
            let a_thousand = two[at] - one[at];
            usize::try_from((a_thousand + 500) / 1_000).expect("a small message")
        });
        Exchange { request, answer }
    }
}
