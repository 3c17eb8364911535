//! The progress bar: on a terminal only, on standard error, without colour.

use crate::workload::{Extent, Workload};
use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// When progress is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ProgressMode {
    /// Where standard error is a terminal.
    #[default]
    Auto,
    /// Never.
    Off,
}

/// A bar that fills with rows, or with time where the run is by time.
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
    extent: Extent,
    workers: u32,
    rows_per_transaction: u32,
    started: Instant,
}

impl Progress {
    /// A bar for a run; drawn from the first [`Progress::show`] on.
    pub(crate) fn new(
        mode: ProgressMode,
        workers: u32,
        extent: Extent,
        workload: &Workload,
    ) -> Self {
        // What a script inserts is not known: its transactions are shown instead.
        let (rows_per_transaction, unit) = match workload.script() {
            Some(_) => (1, "transactions"),
            None => (workload.rows_per_transaction().unwrap_or(1), "rows"),
        };
        let bar = (mode == ProgressMode::Auto && std::io::stderr().is_terminal()).then(|| {
            let (length, template) = match extent {
                Extent::Transactions(transactions) => (
                    transactions
                        .saturating_mul(u64::from(workers))
                        .saturating_mul(u64::from(rows_per_transaction)),
                    format!("{{bar:30}} {{human_pos}}/{{human_len}} {unit}  {{msg}} {unit}/s  ETA {{eta}}"),
                ),
                Extent::Duration(duration) => (
                    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX),
                    format!("{{bar:30}} {{elapsed}}  {{msg}} {unit}/s  ETA {{eta}}"),
                ),
            };
            let bar =
                ProgressBar::with_draw_target(Some(length), ProgressDrawTarget::stderr_with_hz(5));
            // The template is a constant; where it were wrong, the plain bar shows.
            if let Ok(style) = ProgressStyle::with_template(&template) {
                bar.set_style(style);
            }
            bar
        });
        Self {
            bar,
            extent,
            workers,
            rows_per_transaction,
            started: Instant::now(),
        }
    }

    /// The clock starts.
    pub(crate) fn start(&mut self) {
        self.started = Instant::now();
        if let Some(bar) = &self.bar {
            bar.reset();
        }
    }

    /// Shows how far the run is; `transactions` is asked for only where a bar is drawn.
    pub(crate) fn show(&self, transactions: impl FnOnce() -> u64) {
        let Some(bar) = &self.bar else { return };
        let rows = transactions().saturating_mul(u64::from(self.rows_per_transaction));
        let elapsed = self.started.elapsed();
        bar.set_position(match self.extent {
            Extent::Transactions(_) => rows,
            Extent::Duration(_) => u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX),
        });
        bar.set_message(rate(rows, elapsed));
    }

    /// Says what the workers are doing before the clock starts.
    pub(crate) fn opening(&self, open: u32) {
        if let Some(bar) = &self.bar {
            bar.set_message(format!("{open}/{} connections open; 0", self.workers));
        }
    }

    /// Takes the bar off.
    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Rows a second, as a whole number.
fn rate(rows: u64, elapsed: Duration) -> String {
    let per_second = u128::from(rows) * 1_000 / elapsed.as_millis().max(1);
    per_second.to_string()
}

#[cfg(test)]
mod tests {
    use super::rate;
    use std::time::Duration;

    #[test]
    fn the_rate_is_rows_over_seconds_and_nothing_is_divided_by_zero() {
        assert_eq!(rate(12_000, Duration::from_secs(2)), "6000");
        assert_eq!(rate(5, Duration::ZERO), "5000");
        assert_eq!(rate(u64::MAX, Duration::from_secs(1)), u64::MAX.to_string());
    }
}
