//! Latencies by interval, so that a stall inside a round shows (`--interval`).
//!
//! The timed loop records into one histogram, as without intervals; only where an answer comes after
//! the end of its interval, what was counted is set aside and added to the whole.

use crate::latency::Latencies;
use crate::worker::Outcome;
use records::{Failure, Header, Interval, milliseconds};
use std::iter::Peekable;
use std::slice::Iter;
use std::time::{Duration, Instant};

/// One worker's latencies, by interval where that was asked for.
pub(crate) struct Recorder {
    whole: Latencies,
    cut: Option<Cut>,
}

/// Where the worker is.
struct Cut {
    every: Duration,
    /// When the current interval ends.
    end: Instant,
    /// Its number, from 0.
    number: u32,
    current: Latencies,
    errors: u64,
    pieces: Pieces,
}

/// What one worker did in each interval in which it had an answer, in order.
#[derive(Debug)]
pub(crate) struct Pieces {
    /// When the first interval began.
    opened: Instant,
    pieces: Vec<Piece>,
}

/// What one worker did in one interval.
#[derive(Debug)]
struct Piece {
    /// The interval's number, from 0.
    number: u32,
    /// Latencies in microseconds and how many there were of each.
    latencies: Box<[(u64, u64)]>,
    errors: u64,
}

impl Recorder {
    /// No latency yet, and no intervals until [`Self::open`].
    pub(crate) fn new() -> Result<Self, Failure> {
        Ok(Self {
            whole: Latencies::new()?,
            cut: None,
        })
    }

    /// Begins intervals of this length; before the gate, so that nothing is allocated after it.
    pub(crate) fn prepare(&mut self, every: Duration) -> Result<(), Failure> {
        let now = Instant::now();
        self.cut = Some(Cut {
            every,
            end: now,
            number: 0,
            current: Latencies::new()?,
            errors: 0,
            pieces: Pieces {
                opened: now,
                pieces: Vec::new(),
            },
        });
        Ok(())
    }

    /// The first interval begins, for every worker at the same time.
    pub(crate) fn open(&mut self, opened: Instant) {
        if let Some(cut) = &mut self.cut {
            cut.pieces.opened = opened;
            cut.end = opened + cut.every;
        }
    }

    /// Counts one answer that came at `now`.
    pub(crate) fn record(&mut self, now: Instant, latency: Duration) {
        match &mut self.cut {
            None => self.whole.record(latency),
            Some(cut) => {
                if now >= cut.end {
                    cut.go_on_to(now, &mut self.whole);
                }
                cut.current.record(latency);
            }
        }
    }

    /// Counts one error that came at `now`.
    pub(crate) fn failed(&mut self, now: Instant) {
        if let Some(cut) = &mut self.cut {
            if now >= cut.end {
                cut.go_on_to(now, &mut self.whole);
            }
            cut.errors += 1;
        }
    }

    /// All latencies, and those of each interval where that was asked for.
    pub(crate) fn finish(mut self) -> (Latencies, Option<Pieces>) {
        let pieces = self.cut.map(|mut cut| {
            cut.set_aside(&mut self.whole);
            cut.pieces
        });
        (self.whole, pieces)
    }
}

impl Cut {
    /// Ends the current interval and begins the one that `now` lies in.
    fn go_on_to(&mut self, now: Instant, whole: &mut Latencies) {
        self.set_aside(whole);
        let passed = now.saturating_duration_since(self.pieces.opened);
        let number = passed.as_nanos() / self.every.as_nanos().max(1);
        self.number = u32::try_from(number).unwrap_or(u32::MAX - 1);
        self.end = self.pieces.opened + self.every.saturating_mul(self.number + 1);
    }

    fn set_aside(&mut self, whole: &mut Latencies) {
        if !self.current.is_empty() || self.errors > 0 {
            let latencies = self.current.counts();
            whole.add_counts(&latencies);
            self.current.clear();
            self.pieces.pieces.push(Piece {
                number: self.number,
                latencies,
                errors: std::mem::take(&mut self.errors),
            });
        }
    }
}

/// The records of a run's intervals, in order; none where none were asked for.
///
/// # Errors
/// A defect: a distribution that cannot be written.
pub(crate) fn to_records(
    workers: &[Outcome],
    every: Duration,
    header: &Header,
) -> Result<Vec<Interval>, Failure> {
    let cut: Vec<&Pieces> = workers
        .iter()
        .filter_map(|outcome| outcome.intervals.as_ref())
        .collect();
    let opened = cut.iter().map(|pieces| pieces.opened).min();
    let first = workers.iter().filter_map(|outcome| outcome.started).min();
    let last = workers.iter().filter_map(|outcome| outcome.ended).max();
    let numbers = cut.iter().flat_map(|pieces| &pieces.pieces);
    let last_number = numbers.map(|piece| piece.number).max();
    let (Some(opened), Some(first), Some(last), Some(last_number)) =
        (opened, first, last, last_number)
    else {
        return Ok(Vec::new());
    };
    let mut places: Vec<Peekable<Iter<Piece>>> = cut
        .iter()
        .map(|pieces| pieces.pieces.iter().peekable())
        .collect();
    let mut latencies = Latencies::new()?;
    let mut records = Vec::new();
    for number in 0..=last_number {
        latencies.clear();
        let mut errors = 0;
        for place in &mut places {
            if let Some(piece) = place.next_if(|piece| piece.number == number) {
                latencies.add_counts(&piece.latencies);
                errors += piece.errors;
            }
        }
        let end = opened + every.saturating_mul(number + 1);
        let whole = workers
            .iter()
            .all(|outcome| outcome.ended.is_some_and(|ended| ended >= end));
        // The round's clock starts with the first statement, a moment after the gate opened.
        let from = (opened + every.saturating_mul(number)).max(first);
        let to = if number == last_number { last } else { end }.max(from);
        let length_ms = milliseconds(to - from);
        let summary = latencies.summary()?;
        let transactions = summary.as_ref().map_or(0, |latency| latency.count);
        records.push(Interval {
            header: header.clone(),
            number: number + 1,
            start_ms: milliseconds(from - first),
            length_ms,
            whole,
            transactions,
            transactions_per_s: rate(transactions, length_ms),
            errors,
            latency_p50_us: summary.as_ref().map(|latency| latency.p50_us),
            latency_p99_us: summary.as_ref().map(|latency| latency.p99_us),
            latency_max_us: summary.as_ref().map(|latency| latency.max_us),
            latency_histogram: summary.map(|_| latencies.plain_text()).transpose()?,
        });
    }
    Ok(records)
}

/// A second, to a thousandth.
#[expect(
    clippy::cast_precision_loss,
    reason = "transactions of one interval, far below 2^53"
)]
fn rate(transactions: u64, length_ms: f64) -> Option<f64> {
    (length_ms > 0.0).then(|| (transactions as f64 / length_ms * 1e6).round() / 1e3)
}

#[cfg(test)]
mod tests {
    use super::{Recorder, to_records};
    use crate::latency::Latencies;
    use crate::worker::Outcome;
    use records::{Header, Interval};
    use std::time::{Duration, Instant};

    const EVERY: Duration = Duration::from_millis(100);

    /// A worker with answers at these times after the gate, of these latencies, both in ms.
    fn worker(
        number: u32,
        opened: Instant,
        answers: &[(u64, u64)],
        error_at: Option<u64>,
    ) -> Outcome {
        let mut recorder = Recorder::new().unwrap();
        recorder.prepare(EVERY).unwrap();
        recorder.open(opened);
        let at = |ms: u64| opened + Duration::from_millis(ms);
        for (ms, latency) in answers {
            recorder.record(at(*ms), Duration::from_millis(*latency));
        }
        if let Some(ms) = error_at {
            recorder.failed(at(ms));
        }
        let (latencies, intervals) = recorder.finish();
        let last = answers.iter().map(|(ms, _)| *ms).chain(error_at).max();
        Outcome {
            worker: number,
            session_id: 51,
            started: Some(at(5)),
            ended: last.map(at),
            transactions: answers.len() as u64,
            error: None,
            unanswered: false,
            latencies,
            intervals,
            waits: Ok(Vec::new()),
            flush: None,
            left: crate::request::Left::default(),
        }
    }

    fn records(workers: &[Outcome]) -> Vec<Interval> {
        to_records(workers, EVERY, &Header::now("loadgen")).unwrap()
    }

    #[test]
    fn a_stall_shows_as_intervals_without_an_answer_and_a_long_latency_after_them() {
        let opened = Instant::now();
        let workers = [
            worker(1, opened, &[(10, 5), (60, 50), (430, 370), (450, 20)], None),
            worker(2, opened, &[(90, 85), (100, 10), (440, 340)], Some(460)),
        ];
        let all = records(&workers);
        let told: Vec<_> = all
            .iter()
            .map(|i| (i.number, i.transactions, i.errors, i.whole))
            .collect();
        // 100 ms after the gate is the second interval; nothing came from then to 430.
        assert_eq!(
            told,
            [
                (1, 3, 0, true),
                (2, 1, 0, true),
                (3, 0, 0, true),
                (4, 0, 0, true),
                (5, 3, 1, false)
            ]
        );
        assert_eq!(
            (all[2].latency_max_us, &all[2].latency_histogram),
            (None, &None)
        );
        let longest = all[4].latency_max_us.unwrap();
        assert!((370_000..370_400).contains(&longest), "{longest}");
    }

    #[test]
    fn they_begin_with_the_rounds_clock_end_with_the_last_answer_and_leave_no_gap() {
        let opened = Instant::now();
        let all = records(&[worker(1, opened, &[(250, 1), (333, 1)], None)]);
        let spans: Vec<_> = all.iter().map(|i| (i.start_ms, i.length_ms)).collect();
        // The first statement went out 5 ms after the gate.
        assert_eq!(
            spans,
            [(0.0, 95.0), (95.0, 100.0), (195.0, 100.0), (295.0, 33.0)]
        );
        let rates: Vec<_> = all.iter().map(|i| i.transactions_per_s.unwrap()).collect();
        assert_eq!(rates, [0.0, 0.0, 10.0, 30.303]);
    }

    #[test]
    fn all_intervals_together_are_the_workers_distributions() {
        let opened = Instant::now();
        let answers: Vec<(u64, u64)> = (1..400).map(|n| (n * 3, n % 37 + n % 11 * 50)).collect();
        let workers = [
            worker(1, opened, &answers, None),
            worker(2, opened, &answers[7..91], None),
        ];
        let mut sum = Latencies::new().unwrap();
        for outcome in &workers {
            sum.add(&outcome.latencies).unwrap();
        }
        let mut merged = Latencies::new().unwrap();
        for interval in records(&workers) {
            merged.add_encoded(&interval.latency_histogram.unwrap());
        }
        assert_eq!(merged.counts(), sum.counts());
        assert_eq!(sum.summary().unwrap().unwrap().count, 399 + 84);
    }

    #[test]
    fn a_run_without_intervals_has_none() {
        let mut recorder = Recorder::new().unwrap();
        recorder.record(Instant::now(), EVERY);
        let (latencies, pieces) = recorder.finish();
        assert_eq!(latencies.summary().unwrap().unwrap().count, 1);
        assert!(pieces.is_none());
    }
}
