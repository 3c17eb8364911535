//! Durable commits: one connection, many, and the log that they write.

use super::disk::{bare_flushes_per_second, echoed_flushes_per_second, fio_flushes_per_second};
use super::figure::{Figure, Target};
use super::{Bench, DATABASE, REPEATS, kib, median, per_second};

const BARE_ECHO: &str =
    "a bare TCP echo that writes and flushes a sector before each answer, same folder";

impl Bench {
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
