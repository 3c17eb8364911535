//! Times at which nothing moves.

use std::time::{Duration, Instant};

/// A stall: work that begins in its window ends not before the window does.
#[derive(Clone, Copy, Debug)]
pub struct Stall {
    start: Instant,
    at: Duration,
    length: Duration,
    every: bool,
}

impl Stall {
    /// Once, `at` after now, for `length`.
    #[must_use]
    pub fn once(at: Duration, length: Duration) -> Self {
        Self {
            start: Instant::now(),
            at,
            length,
            every: false,
        }
    }

    /// After every full `period` from now, for `length`, which is at most the period.
    #[must_use]
    pub fn every(period: Duration, length: Duration) -> Self {
        Self {
            start: Instant::now(),
            at: period,
            length: length.min(period),
            every: true,
        }
    }

    /// What is left of the window at a time after the start; zero outside of it.
    fn left(&self, elapsed: Duration) -> Duration {
        if elapsed < self.at {
            return Duration::ZERO;
        }
        let into = if self.every {
            let period = self.at.as_nanos().max(1);
            let into = elapsed.as_nanos() % period;
            Duration::from_nanos(u64::try_from(into).unwrap_or(u64::MAX))
        } else {
            elapsed.saturating_sub(self.at)
        };
        self.length.saturating_sub(into)
    }

    pub(crate) fn wait(&self) {
        std::thread::sleep(self.left(self.start.elapsed()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    #[test]
    fn one_stall_holds_what_begins_in_its_window() {
        let stall = Stall::once(ms(10_000), ms(500));
        for (elapsed, left) in [
            (0, 0),
            (9_999, 0),
            (10_000, 500),
            (10_499, 1),
            (10_500, 0),
            (20_000, 0),
        ] {
            assert_eq!(stall.left(ms(elapsed)), ms(left), "{elapsed}");
        }
    }

    #[test]
    fn a_stall_that_repeats_begins_after_the_first_period() {
        let stall = Stall::every(ms(1000), ms(300));
        for (elapsed, left) in [
            (0, 0),
            (299, 0),
            (1000, 300),
            (1100, 200),
            (1300, 0),
            (1999, 0),
            (5100, 200),
        ] {
            assert_eq!(stall.left(ms(elapsed)), ms(left), "{elapsed}");
        }
    }
}
