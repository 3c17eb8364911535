//! A session's own waits during a run: two readings inside one session, and what lies between.

use records::Wait;
use std::collections::BTreeMap;

/// One reading of a session's waits, or why there is none.
pub(crate) type Reading = Result<Vec<Wait>, String>;

/// What a session waited for between two readings, by type, those that occurred.
///
/// # Errors
/// Why it cannot be told: a reading is missing, or a counter went back.
pub(crate) fn delta(before: &Reading, after: &Reading) -> Reading {
    let before: BTreeMap<&str, &Wait> = before
        .as_ref()
        .map_err(Clone::clone)?
        .iter()
        .map(|wait| (wait.wait_type.as_str(), wait))
        .collect();
    let after = after.as_ref().map_err(Clone::clone)?;
    let mut waits = Vec::new();
    for wait in after {
        let old = before.get(wait.wait_type.as_str());
        let since = |now: i64, old: Option<i64>| {
            now.checked_sub(old.unwrap_or(0))
                .filter(|delta| *delta >= 0)
                .ok_or_else(|| {
                    format!(
                        "the session's {} count went back: the session was reset during the run",
                        wait.wait_type
                    )
                })
        };
        let delta = Wait {
            wait_type: wait.wait_type.clone(),
            waiting_tasks: since(wait.waiting_tasks, old.map(|old| old.waiting_tasks))?,
            wait_ms: since(wait.wait_ms, old.map(|old| old.wait_ms))?,
            signal_wait_ms: since(wait.signal_wait_ms, old.map(|old| old.signal_wait_ms))?,
        };
        if delta.waiting_tasks > 0 || delta.wait_ms > 0 {
            waits.push(delta);
        }
    }
    let still_there = |wait_type: &str| after.iter().any(|wait| wait.wait_type == wait_type);
    if let Some(gone) = before.keys().find(|wait_type| !still_there(wait_type)) {
        return Err(format!(
            "the session's {gone} count is gone: the session was reset during the run"
        ));
    }
    waits.sort_by(|a, b| a.wait_type.cmp(&b.wait_type));
    Ok(waits)
}

/// The waits of all workers, by type; the first reason where one worker's are missing, because a
/// sum without it would be too small.
///
/// # Errors
/// Why there is no sum.
pub(crate) fn sum<'a>(workers: impl IntoIterator<Item = (u32, &'a Reading)>) -> Reading {
    let mut sums: BTreeMap<&str, Wait> = BTreeMap::new();
    for (number, waits) in workers {
        let waits = waits
            .as_ref()
            .map_err(|reason| format!("worker {number}: {reason}"))?;
        for wait in waits {
            let sum = sums.entry(&wait.wait_type).or_insert_with(|| Wait {
                wait_type: wait.wait_type.clone(),
                waiting_tasks: 0,
                wait_ms: 0,
                signal_wait_ms: 0,
            });
            sum.waiting_tasks = sum.waiting_tasks.saturating_add(wait.waiting_tasks);
            sum.wait_ms = sum.wait_ms.saturating_add(wait.wait_ms);
            sum.signal_wait_ms = sum.signal_wait_ms.saturating_add(wait.signal_wait_ms);
        }
    }
    Ok(sums.into_values().collect())
}

#[cfg(test)]
mod tests {
    use super::{delta, sum};
    use records::Wait;

    fn wait(wait_type: &str, waiting_tasks: i64, wait_ms: i64, signal_wait_ms: i64) -> Wait {
        Wait {
            wait_type: wait_type.to_owned(),
            waiting_tasks,
            wait_ms,
            signal_wait_ms,
        }
    }

    #[test]
    fn a_delta_holds_what_was_added_and_types_that_are_new() {
        let before = Ok(vec![wait("WRITELOG", 3, 10, 1), wait("LCK_M_X", 1, 5, 0)]);
        let after = Ok(vec![
            wait("WRITELOG", 10, 47, 3),
            wait("PAGELATCH_EX", 2, 0, 0),
            wait("LCK_M_X", 1, 5, 0),
        ]);
        assert_eq!(
            delta(&before, &after).unwrap(),
            [wait("PAGELATCH_EX", 2, 0, 0), wait("WRITELOG", 7, 37, 2)]
        );
    }

    #[test]
    fn a_counter_that_went_back_or_is_gone_is_a_reason_and_no_number() {
        let before = Ok(vec![wait("WRITELOG", 3, 10, 1)]);
        let back = delta(&before, &Ok(vec![wait("WRITELOG", 2, 11, 1)])).unwrap_err();
        assert!(back.contains("WRITELOG"), "{back}");
        let gone = delta(&before, &Ok(vec![])).unwrap_err();
        assert!(gone.contains("WRITELOG"), "{gone}");
    }

    #[test]
    fn a_missing_reading_stays_missing() {
        let missing = Err("no permission".to_owned());
        assert_eq!(delta(&missing, &Ok(vec![])), missing);
        assert_eq!(delta(&Ok(vec![]), &missing), missing);
    }

    #[test]
    fn a_sum_is_by_type_and_is_missing_where_one_worker_is() {
        let first = Ok(vec![wait("WRITELOG", 1, 2, 0), wait("LCK_M_X", 1, 1, 1)]);
        let second = Ok(vec![wait("WRITELOG", 10, 20, 3)]);
        let missing = Err("the connection was lost".to_owned());
        assert_eq!(
            sum([(1, &first), (2, &second)]).unwrap(),
            [wait("LCK_M_X", 1, 1, 1), wait("WRITELOG", 11, 22, 3)]
        );
        assert_eq!(
            sum([(1, &first), (2, &missing)]),
            Err("worker 2: the connection was lost".to_owned())
        );
    }
}
