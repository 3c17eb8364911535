//! All workers' outcomes become the figures of one record.

use crate::crew::RunOutcome;
use crate::latency::Latencies;
use crate::session_waits::{self, Reading};
use crate::worker::Outcome;
use records::{CountedError, Failure, Latency, WorkerLoad, milliseconds};
use sqlserver::SqlError;
use std::time::{Duration, Instant};

/// The figures of a run.
#[derive(Debug)]
pub(crate) struct Measured {
    /// First start to last end.
    pub(crate) elapsed: Duration,
    pub(crate) transactions: u64,
    pub(crate) rows: Option<u64>,
    /// The flush of the log after the run.
    pub(crate) flush: Option<Duration>,
    pub(crate) errors: Vec<CountedError>,
    pub(crate) waits: Reading,
    pub(crate) latency: Option<Latency>,
    pub(crate) workers: Vec<WorkerLoad>,
}

/// Where the number of rows comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) enum RowsOf {
    /// Each transaction inserts so many.
    Each(u32),
    /// The server reported them.
    Reported,
}

/// Puts the workers' outcomes together.
///
/// # Errors
/// A defect: histograms that do not merge.
pub(crate) fn measure(run: &RunOutcome, rows_per_transaction: RowsOf) -> Result<Measured, Failure> {
    let outcomes = &run.workers;
    let first = outcomes.iter().filter_map(|outcome| outcome.started).min();
    let last = outcomes.iter().filter_map(|outcome| outcome.ended).max();
    let elapsed = since(first, last);
    let mut latencies = Latencies::new()?;
    for outcome in outcomes {
        latencies.add(&outcome.latencies)?;
    }
    let transactions: u64 = outcomes.iter().map(|outcome| outcome.transactions).sum();
    let rows = match rows_per_transaction {
        RowsOf::Each(rows) => Some(transactions.saturating_mul(u64::from(rows))),
        RowsOf::Reported => {
            let rows = outcomes.iter().map(|outcome| outcome.left.rows).sum();
            Some(rows).filter(|rows| *rows > 0)
        }
    };
    Ok(Measured {
        elapsed,
        transactions,
        rows,
        flush: outcomes
            .iter()
            .find_map(|outcome| outcome.flush.as_ref()?.as_ref().ok().copied()),
        errors: count_errors(outcomes.iter().filter_map(|outcome| outcome.error.as_ref())),
        waits: session_waits::sum(
            outcomes
                .iter()
                .map(|outcome| (outcome.worker, &outcome.waits)),
        ),
        latency: latencies.summary()?,
        workers: outcomes
            .iter()
            .map(|outcome| worker(outcome, first))
            .collect(),
    })
}

fn since(from: Option<Instant>, to: Option<Instant>) -> Duration {
    match (from, to) {
        (Some(from), Some(to)) => to.saturating_duration_since(from),
        _ => Duration::ZERO,
    }
}

fn worker(outcome: &Outcome, first: Option<Instant>) -> WorkerLoad {
    WorkerLoad {
        worker: outcome.worker,
        session_id: outcome.session_id,
        start_ms: milliseconds(since(first, outcome.started)),
        end_ms: milliseconds(since(first, outcome.ended.or(outcome.started))),
        transactions: outcome.transactions,
        errors: count_errors(&outcome.error),
        waits: outcome.waits.as_ref().ok().cloned(),
    }
}

/// Errors by number, in the order in which a number came first.
fn count_errors<'a>(errors: impl IntoIterator<Item = &'a SqlError>) -> Vec<CountedError> {
    let mut counted: Vec<CountedError> = Vec::new();
    for error in errors {
        let number = error.number();
        match counted.iter_mut().find(|known| known.number == number) {
            Some(known) => known.count += 1,
            None => counted.push(CountedError {
                number,
                message: error.to_string(),
                count: 1,
            }),
        }
    }
    counted
}

#[cfg(test)]
mod tests {
    use super::{RowsOf, count_errors, measure};
    use crate::crew::RunOutcome;
    use crate::latency::Latencies;
    use crate::worker::Outcome;
    use records::Wait;
    use sqlserver::{ServerError, SqlError};
    use std::time::{Duration, Instant};

    fn outcome(
        worker: u32,
        zero: Instant,
        from_ms: u64,
        to_ms: u64,
        latencies_us: &[u64],
    ) -> Outcome {
        let mut latencies = Latencies::new().unwrap();
        for us in latencies_us {
            latencies.record(Duration::from_micros(*us));
        }
        Outcome {
            worker,
            session_id: 50 + i32::try_from(worker).unwrap(),
            started: Some(zero + Duration::from_millis(from_ms)),
            ended: Some(zero + Duration::from_millis(to_ms)),
            transactions: latencies_us.len() as u64,
            error: None,
            unanswered: false,
            latencies,
            intervals: None,
            waits: Ok(vec![Wait {
                wait_type: "WRITELOG".into(),
                waiting_tasks: i64::from(worker),
                wait_ms: 10,
                signal_wait_ms: 1,
            }]),
            flush: (worker == 1).then_some(Ok(Duration::from_millis(12))),
            left: crate::request::Left::default(),
        }
    }

    #[test]
    fn the_clock_runs_from_the_first_start_to_the_last_end() {
        let zero = Instant::now();
        let run = RunOutcome {
            workers: vec![
                outcome(1, zero, 5, 90, &[100, 200]),
                outcome(2, zero, 3, 70, &[300]),
            ],
            stopped: None,
            cpu_before: None,
            cpu_after: None,
            threads: 1,
        };
        let measured = measure(&run, RowsOf::Each(4)).unwrap();
        assert_eq!(measured.elapsed, Duration::from_millis(87));
        assert_eq!((measured.transactions, measured.rows), (3, Some(12)));
        assert_eq!(measured.flush, Some(Duration::from_millis(12)));
        let near = |got: f64, expected: f64| assert!((got - expected).abs() < 1e-6, "{got}");
        near(measured.workers[0].start_ms, 2.0);
        near(measured.workers[0].end_ms, 87.0);
        near(measured.workers[1].start_ms, 0.0);
        near(measured.workers[1].end_ms, 67.0);
        assert_eq!(measured.latency.unwrap().count, 3);
        let waits = measured.waits.unwrap();
        assert_eq!(
            (
                waits[0].waiting_tasks,
                waits[0].wait_ms,
                waits[0].signal_wait_ms
            ),
            (3, 20, 2)
        );
    }

    #[test]
    fn errors_are_counted_by_number_and_keep_the_first_text() {
        let server = |number, message: &str| {
            SqlError::Server(ServerError {
                number,
                class: 17,
                state: 4,
                line: 1,
                procedure: None,
                message: message.to_owned(),
            })
        };
        let errors = [
            server(9002, "full, first"),
            SqlError::Lost("eof".into()),
            server(9002, "full, second"),
        ];
        let counted = count_errors(&errors);
        assert_eq!(counted.len(), 2);
        assert_eq!((counted[0].number, counted[0].count), (Some(9002), 2));
        assert!(counted[0].message.contains("full, first"));
        assert_eq!((counted[1].number, counted[1].count), (None, 1));
    }
}
