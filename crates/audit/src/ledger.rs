//! The arithmetic: acknowledged commits beside those that are in the table.

use records::{Acknowledgement, LossFigures};

/// Acknowledged commits, and which of them were found.
#[derive(Clone, Debug)]
pub struct Ledger {
    /// By number less 1.
    workers: Vec<Worker>,
}

#[derive(Clone, Debug, Default)]
struct Worker {
    /// When each commit's answer had come, in nanoseconds; by number less 1.
    acknowledged_ns: Vec<u64>,
    /// Which of them are in the table.
    found: Vec<bool>,
    /// Whether the one after the last is: sent at most, never acknowledged.
    next_found: bool,
}

/// Why a row cannot be one of the run's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stranger {
    /// No such worker sent this commit, or not this one.
    NeverSent,
    /// The row came before.
    Twice,
}

impl Ledger {
    /// An empty one of a run with so many workers.
    #[must_use]
    pub fn new(workers: u32) -> Self {
        Self {
            workers: (0..workers).map(|_| Worker::default()).collect(),
        }
    }

    /// Takes an acknowledgement in; each worker's come in their order.
    ///
    /// # Errors
    /// It cannot be the next one of a run: why, in words.
    pub fn acknowledge(&mut self, acknowledgement: Acknowledgement) -> Result<(), String> {
        let Acknowledgement {
            worker: number,
            commit,
            at_ns,
        } = acknowledgement;
        let workers = self.workers.len();
        let worker = place(u64::from(number))
            .and_then(|place| self.workers.get_mut(place))
            .ok_or_else(|| format!("is of worker {number}, and there were {workers}"))?;
        let expected = worker.acknowledged_ns.len() as u64 + 1;
        if commit != expected {
            return Err(format!(
                "is commit {commit} of worker {number}, and the next one is {expected}"
            ));
        }
        if worker
            .acknowledged_ns
            .last()
            .is_some_and(|last| *last > at_ns)
        {
            return Err(format!(
                "is commit {commit} of worker {number}, acknowledged earlier than the one before"
            ));
        }
        worker.acknowledged_ns.push(at_ns);
        worker.found.push(false);
        Ok(())
    }

    /// Takes a row of the table in.
    ///
    /// # Errors
    /// Nobody sent it.
    pub fn find(&mut self, worker: i64, commit: i64) -> Result<(), Stranger> {
        let of = |number: i64| u64::try_from(number).ok().and_then(place);
        let worker = of(worker)
            .and_then(|place| self.workers.get_mut(place))
            .ok_or(Stranger::NeverSent)?;
        let commit = of(commit).ok_or(Stranger::NeverSent)?;
        let found = if commit == worker.found.len() {
            &mut worker.next_found
        } else {
            worker.found.get_mut(commit).ok_or(Stranger::NeverSent)?
        };
        if std::mem::replace(found, true) {
            return Err(Stranger::Twice);
        }
        Ok(())
    }

    /// How many commits were acknowledged.
    #[must_use]
    pub fn acknowledged(&self) -> u64 {
        let workers = self.workers.iter();
        workers.map(|worker| worker.found.len() as u64).sum()
    }

    /// What was lost.
    #[must_use]
    pub fn figures(&self, promised_durable: bool) -> LossFigures {
        let acknowledged = self.acknowledged();
        let missing: Vec<u64> = self.workers.iter().flat_map(Worker::missing_ns).collect();
        let known_sent = self.workers.iter().filter_map(Worker::last_found_sent_ns);
        let gaps = known_sent.max().map_or(0, |sent| {
            missing.iter().filter(|missing| **missing <= sent).count()
        });
        let last = self
            .workers
            .iter()
            .filter_map(|worker| worker.acknowledged_ns.last())
            .max();
        LossFigures {
            promised_durable,
            acknowledged,
            present: acknowledged - missing.len() as u64,
            missing: missing.len() as u64,
            unacknowledged_present: self
                .workers
                .iter()
                .filter(|worker| worker.next_found)
                .count() as u64,
            missing_ms: missing
                .iter()
                .min()
                .zip(last)
                .map(|(first, last)| nanoseconds_as_ms(last.saturating_sub(*first))),
            gaps: gaps as u64,
        }
    }
}

impl Worker {
    /// When the answer of each missing commit had come.
    fn missing_ns(&self) -> impl Iterator<Item = u64> {
        self.acknowledged_ns
            .iter()
            .zip(&self.found)
            .filter(|(_, found)| !**found)
            .map(|(at, _)| *at)
    }

    /// A moment after which the worker's last commit that is there was sent, so that its log comes
    /// after that of all that had been answered by then: the answer to the commit before it.
    fn last_found_sent_ns(&self) -> Option<u64> {
        let last = if self.next_found {
            self.found.len()
        } else {
            self.found.iter().rposition(|found| *found)?
        };
        self.acknowledged_ns.get(last.checked_sub(1)?).copied()
    }
}

/// A number from 1 as a place from 0.
fn place(number: u64) -> Option<usize> {
    usize::try_from(number.checked_sub(1)?).ok()
}

fn nanoseconds_as_ms(ns: u64) -> f64 {
    records::milliseconds(std::time::Duration::from_nanos(ns))
}

#[cfg(test)]
mod tests {
    use super::{Ledger, Stranger};
    use proptest::prelude::*;
    use records::{Acknowledgement, LossFigures};

    const MS: u64 = 1_000_000;

    /// A ledger of acknowledgements as (worker, commit, milliseconds) and rows as (worker, commit).
    fn ledger(workers: u32, acknowledged: &[(u32, u64, u64)], rows: &[(i64, i64)]) -> Ledger {
        let mut ledger = Ledger::new(workers);
        for (worker, commit, ms) in acknowledged {
            ledger
                .acknowledge(Acknowledgement {
                    worker: *worker,
                    commit: *commit,
                    at_ns: ms * MS,
                })
                .unwrap();
        }
        for (worker, commit) in rows {
            ledger.find(*worker, *commit).unwrap();
        }
        ledger
    }

    const SIX: [(u32, u64, u64); 6] = [
        (1, 1, 10),
        (2, 1, 11),
        (1, 2, 20),
        (2, 2, 24),
        (1, 3, 30),
        (2, 3, 37),
    ];

    #[test]
    fn where_all_is_there_nothing_is_missing_and_no_time_is_lost() {
        let all = [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (2, 3)];
        assert_eq!(
            ledger(2, &SIX, &all).figures(true),
            LossFigures {
                promised_durable: true,
                acknowledged: 6,
                present: 6,
                missing: 0,
                unacknowledged_present: 0,
                missing_ms: None,
                gaps: 0,
            }
        );
    }

    #[test]
    fn a_lost_end_is_counted_from_its_first_to_the_last_acknowledgement() {
        // Of worker 2 all but the first is gone, of worker 1 the last: 24 to 37 ms.
        let figures = ledger(2, &SIX, &[(1, 1), (1, 2), (2, 1)]).figures(false);
        assert_eq!((figures.present, figures.missing), (3, 3));
        assert_eq!(figures.missing_ms, Some(13.0));
        assert_eq!(figures.gaps, 0, "a lost end is no hole");
    }

    #[test]
    fn a_commit_in_flight_may_be_there_and_is_no_acknowledged_one() {
        let rows = [(1, 1), (1, 2), (1, 3), (1, 4), (2, 1), (2, 2), (2, 3)];
        let figures = ledger(2, &SIX, &rows).figures(true);
        assert_eq!(figures.unacknowledged_present, 1);
        assert_eq!((figures.present, figures.missing), (6, 0));
    }

    #[test]
    fn a_missing_commit_before_one_of_the_same_worker_is_a_gap() {
        let rows = [(1, 1), (1, 3), (2, 1), (2, 2), (2, 3)];
        let figures = ledger(2, &SIX, &rows).figures(false);
        assert_eq!((figures.missing, figures.gaps), (1, 1));
        // Also before one that was never acknowledged.
        let rows = [(1, 1), (1, 2), (1, 4), (2, 1), (2, 2), (2, 3)];
        assert_eq!(ledger(2, &SIX, &rows).figures(false).gaps, 1);
    }

    #[test]
    fn a_missing_commit_answered_before_one_of_another_worker_was_sent_is_a_gap() {
        // Worker 2 sent its third after 24 ms; worker 1's second had been answered at 20 ms.
        let rows = [(1, 1), (2, 1), (2, 2), (2, 3)];
        let figures = ledger(2, &SIX, &rows).figures(false);
        assert_eq!((figures.missing, figures.gaps), (2, 1));
    }

    #[test]
    fn commits_that_were_under_way_together_have_no_order_and_are_no_gap() {
        // Worker 1's third was answered at 30 ms, after worker 2 had sent its third (24 ms): in the
        // log either may come first.
        let rows = [(1, 1), (1, 2), (2, 1), (2, 2), (2, 3)];
        let figures = ledger(2, &SIX, &rows).figures(false);
        assert_eq!((figures.missing, figures.gaps), (1, 0));
        assert_eq!(figures.missing_ms, Some(7.0));
    }

    #[test]
    fn a_row_that_nobody_sent_is_a_stranger() {
        let mut ledger = ledger(2, &SIX, &[]);
        for (worker, commit) in [
            (3, 1),
            (0, 1),
            (-1, 1),
            (1, 5),
            (1, 0),
            (1, -2),
            (2, i64::MAX),
        ] {
            assert_eq!(
                ledger.find(worker, commit),
                Err(Stranger::NeverSent),
                "{worker} {commit}"
            );
        }
        assert_eq!(ledger.find(1, 4), Ok(()));
        assert_eq!(ledger.find(1, 4), Err(Stranger::Twice));
        assert_eq!(ledger.find(2, 2), Ok(()));
        assert_eq!(ledger.find(2, 2), Err(Stranger::Twice));
    }

    #[test]
    fn a_worker_that_was_never_answered_may_have_one_row() {
        let figures = ledger(3, &SIX, &[(3, 1)]).figures(false);
        assert_eq!(figures.unacknowledged_present, 1);
        assert_eq!((figures.missing, figures.gaps), (6, 0));
    }

    proptest! {
        /// A server that writes its log in order and loses its end never has a gap, whatever the
        /// order in which clients see the answers.
        #[test]
        fn a_log_that_lost_its_end_never_shows_a_gap(
            turns in prop::collection::vec((1..=4_u32, 0..50_u64, 0..50_u64), 0..200),
            kept in 0..200_usize,
        ) {
            let mut ledger = Ledger::new(4);
            // The log in order: worker, commit. Each commit reaches the log at `clock` and is
            // answered some time later; the worker sends its next one after that.
            let mut free = [0_u64; 4];
            let mut commits = [0_u64; 4];
            let mut log = Vec::new();
            let mut clock = 0;
            for (worker, travel, answer) in turns {
                let place = usize::try_from(worker).unwrap() - 1;
                clock = clock.max(free[place] + travel) + 1;
                commits[place] += 1;
                log.push((worker, commits[place]));
                free[place] = clock + answer;
                ledger
                    .acknowledge(Acknowledgement {
                        worker,
                        commit: commits[place],
                        at_ns: free[place],
                    })
                    .unwrap();
            }
            for (worker, commit) in log.iter().take(kept) {
                ledger.find(i64::from(*worker), i64::try_from(*commit).unwrap()).unwrap();
            }
            let figures = ledger.figures(false);
            prop_assert_eq!(figures.gaps, 0);
            prop_assert_eq!(figures.missing, log.len().saturating_sub(kept) as u64);
        }
    }
}
