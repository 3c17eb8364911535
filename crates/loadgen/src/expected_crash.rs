//! A run that is to end with the server's crash.

use crate::assess::Assessment;
use crate::crew::RunOutcome;
use records::{Reason, Validity};
use sqlserver::SqlError;

/// Whether the server went away under the run: a connection was lost, and nothing else failed.
pub(crate) fn happened(run: &RunOutcome) -> bool {
    let mut lost = false;
    for error in run
        .workers
        .iter()
        .filter_map(|worker| worker.error.as_ref())
    {
        match error {
            SqlError::Lost(_) | SqlError::Closed => lost = true,
            _ => return false,
        }
    }
    lost
}

/// Judges a run that was to end with a crash: `partial` where it did, because it is shorter than
/// asked for and nothing is wrong with it; `invalid` where it ended otherwise.
pub(crate) fn judge(run: &RunOutcome, mut assessment: Assessment) -> Assessment {
    if !happened(run) {
        assessment.validity = Validity::Invalid;
        assessment.reasons.push(Reason::new(
            "no_crash",
            "a crash was expected, and the run did not end with lost connections",
        ));
        return assessment;
    }
    // Each lost connection is what was expected, and so is a statement without an answer.
    assessment
        .reasons
        .retain(|reason| !["connection_lost", "no_answer"].contains(&reason.code.as_str()));
    let lost = run
        .workers
        .iter()
        .filter(|worker| worker.error.is_some())
        .count();
    let acknowledged: u64 = run.workers.iter().map(|worker| worker.transactions).sum();
    assessment.reasons.insert(
        0,
        Reason::new(
            "crashed",
            format!(
                "the server went away after {acknowledged} acknowledged transactions, as was \
                 expected: {lost} of {} connections were lost",
                run.workers.len()
            ),
        ),
    );
    assessment.validity = Validity::Partial;
    assessment
}

#[cfg(test)]
mod tests {
    use super::{happened, judge};
    use crate::assess::assess;
    use crate::crew::{RunOutcome, StopCause};
    use crate::latency::Latencies;
    use crate::worker::Outcome;
    use records::Validity;
    use sqlserver::{ServerError, SqlError};

    fn run(errors: Vec<Option<SqlError>>) -> RunOutcome {
        let workers = (1..)
            .zip(errors)
            .map(|(worker, error)| Outcome {
                left: crate::request::Left::default(),
                worker,
                session_id: 50,
                started: None,
                ended: None,
                transactions: 5,
                unanswered: error.is_some(),
                error,
                latencies: Latencies::new().unwrap(),
                intervals: None,
                waits: Ok(vec![]),
                flush: None,
            })
            .collect();
        RunOutcome {
            workers,
            stopped: Some(StopCause::WorkerFailed),
            cpu_before: None,
            cpu_after: None,
            threads: 1,
        }
    }

    fn judged(run: &RunOutcome) -> (Validity, Vec<String>) {
        let assessment = judge(run, assess(run, 1, 1, None, None, 2));
        let codes = assessment.reasons.into_iter().map(|reason| reason.code);
        (assessment.validity, codes.collect())
    }

    fn lost() -> SqlError {
        SqlError::Lost("the server closed it".into())
    }

    #[test]
    fn lost_connections_and_nothing_else_are_the_crash() {
        let run = run(vec![Some(lost()), None, Some(lost())]);
        assert!(happened(&run));
        assert_eq!(
            judged(&run),
            (Validity::Partial, vec!["crashed".to_owned()])
        );
    }

    #[test]
    fn a_run_that_ends_otherwise_had_no_crash() {
        let full = Some(SqlError::Server(ServerError {
            procedure: None,
            number: 9002,
            class: 17,
            state: 4,
            line: 1,
            message: "full".into(),
        }));
        for errors in [
            vec![None, None],
            vec![full.clone(), None],
            vec![full, Some(lost())],
        ] {
            let run = run(errors);
            let (validity, codes) = judged(&run);
            assert_eq!(validity, Validity::Invalid);
            assert_eq!(codes.last().map(String::as_str), Some("no_crash"));
        }
    }
}
