//! Whether the numbers may be used, and why not.

use crate::client_cpu;
use crate::crew::{RunOutcome, StopCause};
use crate::trouble;
use records::{Reason, Validity};

/// What the table's row count says about the acknowledged rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RowCheck {
    /// Rows in the table before the run.
    pub(crate) before: i64,
    /// The same after it.
    pub(crate) after: i64,
}

/// The verdict on a run. Reasons of a valid run are remarks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Assessment {
    pub(crate) validity: Validity,
    pub(crate) reasons: Vec<Reason>,
}

/// Judges a run.
pub(crate) fn assess(
    run: &RunOutcome,
    rows_per_transaction: u32,
    transactions_per_request: u32,
    row_check: Option<RowCheck>,
    client_cpu_share: Option<f64>,
    cores: usize,
) -> Assessment {
    let mut reasons = Vec::new();
    let mut invalid = false;
    for outcome in &run.workers {
        if let Some(error) = &outcome.error {
            invalid = true;
            let place = outcome.left.error_at.as_deref();
            reasons.push(Reason::new(
                trouble::code(error),
                format!(
                    "worker {} (session {}) after {} transactions: {}{error}",
                    outcome.worker,
                    outcome.session_id,
                    outcome.transactions,
                    place.map(|place| format!("{place}: ")).unwrap_or_default()
                ),
            ));
        } else if outcome.unanswered {
            invalid = true;
            reasons.push(Reason::new(
                "no_answer",
                format!(
                    "worker {} (session {}) got no answer to its last statement",
                    outcome.worker, outcome.session_id
                ),
            ));
        }
        if let Some(open) = outcome.left.open_transactions {
            invalid = true;
            reasons.push(Reason::new(
                "open_transaction",
                format!(
                    "worker {} (session {}) ended with @@TRANCOUNT {open}: what the script left \
                     uncommitted is rolled back",
                    outcome.worker, outcome.session_id
                ),
            ));
        }
    }
    if run.stopped == Some(StopCause::Deadline) {
        invalid = true;
        reasons.push(Reason::new(
            "deadline",
            "the run was not done when --deadline passed",
        ));
    }
    if let Some(check) = row_check
        && let Some(reason) =
            rows_differ(run, rows_per_transaction, transactions_per_request, check)
    {
        invalid = true;
        reasons.push(reason);
    }
    if let Some(Err(why)) = run
        .workers
        .iter()
        .find_map(|outcome| outcome.flush.as_ref())
    {
        invalid = true;
        reasons.push(Reason::new(
            "flush_failed",
            format!("the log could not be flushed after the run (sys.sp_flush_log): {why}"),
        ));
    }
    let interrupted = run.stopped == Some(StopCause::Interrupted);
    if interrupted {
        reasons.push(Reason::new(
            "interrupted",
            "a signal (Ctrl-C) ended the run before it was done",
        ));
    }
    if let Some(share) = client_cpu_share
        && client_cpu::is_bound(share, run.threads, cores)
    {
        reasons.push(Reason::new(
            "client_bound",
            format!(
                "loadgen itself used {share:.2} cores of the {} that it can use: the client was \
                 measured and not the server",
                run.threads.min(cores)
            ),
        ));
    }
    let validity = match (invalid, interrupted) {
        (true, _) => Validity::Invalid,
        (false, true) => Validity::Partial,
        (false, false) => Validity::Valid,
    };
    Assessment { validity, reasons }
}

/// The table must have grown by the acknowledged rows; a transaction without an answer may be in
/// it or not, and so may the turns of a loop that ended with an error.
fn rows_differ(
    run: &RunOutcome,
    rows_per_transaction: u32,
    transactions_per_request: u32,
    check: RowCheck,
) -> Option<Reason> {
    let each = i128::from(rows_per_transaction);
    let acknowledged: i128 = run
        .workers
        .iter()
        .map(|outcome| i128::from(outcome.transactions) * each)
        .sum();
    let open: i128 = run
        .workers
        .iter()
        .filter(|outcome| {
            outcome.unanswered || (outcome.error.is_some() && transactions_per_request > 1)
        })
        .map(|_| each * i128::from(transactions_per_request))
        .sum();
    let grown = i128::from(check.after) - i128::from(check.before);
    let expected = acknowledged..=acknowledged + open;
    (!expected.contains(&grown)).then(|| {
        Reason::new(
            "rows_mismatch",
            format!(
                "the table grew by {grown} rows (from {} to {}), but {acknowledged} were \
                 acknowledged",
                check.before, check.after
            ),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::{Assessment, RowCheck, assess};
    use crate::crew::{RunOutcome, StopCause};
    use crate::latency::Latencies;
    use crate::worker::Outcome;
    use records::Validity;
    use sqlserver::{ServerError, SqlError};

    fn outcome(worker: u32, transactions: u64) -> Outcome {
        Outcome {
            worker,
            session_id: 50,
            started: None,
            ended: None,
            transactions,
            error: None,
            unanswered: false,
            latencies: Latencies::new().unwrap(),
            intervals: None,
            waits: Ok(vec![]),
            flush: None,
            left: crate::request::Left::default(),
        }
    }

    fn run(workers: Vec<Outcome>, stopped: Option<StopCause>) -> RunOutcome {
        RunOutcome {
            workers,
            stopped,
            cpu_before: None,
            cpu_after: None,
            threads: 2,
        }
    }

    fn grown(rows: i64) -> RowCheck {
        RowCheck {
            before: 100,
            after: 100 + rows,
        }
    }

    fn codes(assessment: &Assessment) -> Vec<&str> {
        assessment
            .reasons
            .iter()
            .map(|reason| reason.code.as_str())
            .collect()
    }

    #[test]
    fn a_run_whose_rows_are_all_there_is_valid_without_a_reason() {
        let run = run(vec![outcome(1, 3), outcome(2, 4)], None);
        let assessment = assess(&run, 10, 1, Some(grown(70)), Some(0.4), 2);
        assert_eq!(assessment.validity, Validity::Valid);
        assert!(assessment.reasons.is_empty());
    }

    #[test]
    fn one_row_more_or_less_than_acknowledged_makes_it_invalid() {
        for rows in [69, 71] {
            let run = run(vec![outcome(1, 3), outcome(2, 4)], None);
            let assessment = assess(&run, 10, 1, Some(grown(rows)), None, 2);
            assert_eq!(assessment.validity, Validity::Invalid);
            assert_eq!(codes(&assessment), ["rows_mismatch"]);
        }
    }

    #[test]
    fn a_lost_transaction_may_be_in_the_table_or_not() {
        for (rows, expected) in [
            (30, vec!["connection_lost"]),
            (40, vec!["connection_lost"]),
            (41, vec!["connection_lost", "rows_mismatch"]),
        ] {
            let mut lost = outcome(1, 3);
            lost.error = Some(SqlError::Lost("end of file".into()));
            lost.unanswered = true;
            let run = run(vec![lost], Some(StopCause::WorkerFailed));
            let assessment = assess(&run, 10, 1, Some(grown(rows)), None, 2);
            assert_eq!(assessment.validity, Validity::Invalid);
            assert_eq!(codes(&assessment), expected);
        }
    }

    #[test]
    fn a_loop_that_failed_may_have_committed_any_of_its_turns() {
        let failed = |rows| {
            let mut failed = outcome(1, 0);
            failed.error = Some(SqlError::Server(ServerError {
                number: 9002,
                class: 17,
                state: 4,
                line: 1,
                procedure: None,
                message: "full".into(),
            }));
            let run = run(vec![failed, outcome(2, 50)], Some(StopCause::WorkerFailed));
            let assessment = assess(&run, 1, 50, Some(grown(rows)), None, 2);
            codes(&assessment).join(" ")
        };
        assert_eq!(failed(50), "log_full");
        assert_eq!(failed(99), "log_full");
        assert_eq!(failed(101), "log_full rows_mismatch");
    }

    #[test]
    fn a_flush_that_failed_makes_the_round_invalid() {
        let mut flushed = outcome(1, 3);
        flushed.flush = Some(Err("it returned 0".into()));
        let assessment = assess(&run(vec![flushed], None), 1, 1, Some(grown(3)), None, 2);
        assert_eq!(assessment.validity, Validity::Invalid);
        assert_eq!(codes(&assessment), ["flush_failed"]);
    }

    #[test]
    fn an_error_names_the_worker_and_the_servers_number() {
        let mut failed = outcome(7, 5);
        failed.error = Some(SqlError::Server(ServerError {
            number: 1205,
            class: 13,
            state: 51,
            line: 1,
            procedure: None,
            message: "chosen as the deadlock victim".into(),
        }));
        let run = run(vec![failed], Some(StopCause::WorkerFailed));
        let assessment = assess(&run, 1, 1, Some(grown(5)), None, 2);
        assert_eq!(assessment.validity, Validity::Invalid);
        assert_eq!(codes(&assessment), ["deadlock"]);
        let detail = &assessment.reasons[0].detail;
        assert!(
            detail.contains("worker 7") && detail.contains("1205"),
            "{detail}"
        );
    }

    #[test]
    fn a_transaction_that_a_script_left_open_makes_the_round_invalid() {
        let mut left = outcome(2, 9);
        left.left.open_transactions = Some(1);
        let assessment = assess(&run(vec![outcome(1, 9), left], None), 1, 1, None, None, 2);
        assert_eq!(assessment.validity, Validity::Invalid);
        assert_eq!(codes(&assessment), ["open_transaction"]);
        assert!(assessment.reasons[0].detail.contains("worker 2"));
    }

    #[test]
    fn an_interrupted_run_is_partial_and_a_late_one_invalid() {
        let partial = assess(
            &run(vec![outcome(1, 3)], Some(StopCause::Interrupted)),
            1,
            1,
            Some(grown(3)),
            None,
            2,
        );
        assert_eq!(partial.validity, Validity::Partial);
        assert_eq!(codes(&partial), ["interrupted"]);
        let late = assess(
            &run(vec![outcome(1, 3)], Some(StopCause::Deadline)),
            1,
            1,
            Some(grown(3)),
            None,
            2,
        );
        assert_eq!(late.validity, Validity::Invalid);
        assert_eq!(codes(&late), ["deadline"]);
    }

    #[test]
    fn a_client_at_its_limit_is_a_remark_on_a_valid_run() {
        let assessment = assess(&run(vec![outcome(1, 3)], None), 1, 1, None, Some(1.9), 2);
        assert_eq!(assessment.validity, Validity::Valid);
        assert_eq!(codes(&assessment), ["client_bound"]);
    }
}
