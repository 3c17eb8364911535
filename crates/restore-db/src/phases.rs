//! The phases of a restore, out of the lines of the error log that trace flags 3004 and 3605 write.
//!
//! Their texts differ between versions and are nowhere promised. Known are those of SQL Server 2008
//! to 2014 (`Restore: PreparingContainers`) and those from 2016 on (`Restore(lab): Preparing
//! containers`). A phase whose lines are not there is none, with a reason; nothing is guessed.

use jiff::Unit;
use jiff::civil::DateTime;

/// A line of the error log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogLine {
    /// When, in the server's local time, in steps of 10 ms.
    pub at: DateTime,
    /// What.
    pub text: String,
}

/// What the restored database's files are and how they were made.
#[derive(Clone, Debug, Default)]
pub struct Expected {
    /// The database's name.
    pub database: String,
    /// The paths of its data files.
    pub data_files: Vec<String>,
    /// The paths of its log files.
    pub log_files: Vec<String>,
}

/// How long each phase took, in milliseconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Phases {
    /// Creating the files, without zeroing.
    pub create_ms: Option<f64>,
    /// Zeroing data files: the time in which any of them was being zeroed. 0 where the lines show
    /// that none was.
    pub zero_data_ms: Option<f64>,
    /// Copying the pages, without waiting for the log to be zeroed.
    pub copy_ms: Option<f64>,
    /// Zeroing log files, likewise.
    pub zero_log_ms: Option<f64>,
    /// From the restored backup set to the database that is online: redo and undo.
    pub recover_ms: Option<f64>,
    /// Why phases are none.
    pub missing: Vec<String>,
}

/// One file being zeroed.
struct Zeroing {
    from: DateTime,
    to: Option<DateTime>,
    /// `(elapsed = 12 ms)`, where the line says it.
    elapsed_ms: Option<f64>,
    log: bool,
}

/// Reads the phases of the last restore of the database out of the lines of one session.
#[must_use]
pub fn phases(lines: &[LogLine], expected: &Expected) -> Phases {
    let steps: Vec<(DateTime, String)> = of_last_restore(lines, &expected.database);
    let at = |texts: &[&str]| {
        let found = steps
            .iter()
            .find(|(_, step)| texts.iter().any(|text| step.contains(text)));
        found.map(|(at, _)| *at)
    };
    let preparing = at(&["preparing containers", "preparingcontainers"]);
    let ready = at(&["containers are ready"]);
    let transferring = at(&["transferring data"]);
    let transferred = at(&["data transfer is complete", "data transfer complete"]);
    let waiting = at(&["waiting for log zero"]);
    let restored = at(&["backup set is restored", "backup set restored"]);
    let online = at(&["database is restarted"]);
    let zeroings = zeroings(&steps, expected);

    let mut missing = Vec::new();
    let mut phase = |name: &str, value: Result<f64, String>| match value {
        Ok(value) if value >= 0.0 => Some(value),
        Ok(_) => {
            missing.push(format!("{name}: the server's clock went back"));
            None
        }
        Err(why) => {
            missing.push(format!("{name}: {why}"));
            None
        }
    };
    let lacking = |what: &str| Err(format!("the error log has no line on {what}"));
    let create_ms = phase(
        "create",
        match (preparing, ready) {
            (Some(from), Some(to)) => Ok((between(from, to)
                - union_ms(&zeroings, |_| true, Some((from, to))))
            .max(if to < from { -1.0 } else { 0.0 })),
            _ => lacking("the containers"),
        },
    );
    let zero_data_ms = phase(
        "zero data",
        match (total_ms(&zeroings, false), preparing, ready) {
            (Err(why), _, _) => Err(why),
            (Ok(Some(total)), _, _) => Ok(total),
            // The lines on other steps are there, so that those on zeroing would be.
            (Ok(None), Some(_), Some(_)) => Ok(0.0),
            _ => lacking("zeroing data files, nor on the containers"),
        },
    );
    let copy_ms = phase(
        "copy",
        match (
            transferring,
            [transferred, waiting].into_iter().flatten().min(),
        ) {
            (Some(from), Some(to)) => Ok(between(from, to)),
            _ => lacking("the transfer of data"),
        },
    );
    let zero_log_ms = phase(
        "zero log",
        match total_ms(&zeroings, true) {
            Ok(Some(total)) => Ok(total),
            Ok(None) => lacking("zeroing log files"),
            Err(why) => Err(why),
        },
    );
    let recover_ms = phase(
        "recover",
        match (restored, online) {
            (Some(from), Some(to)) => Ok(between(from, to)),
            _ => lacking("recovery"),
        },
    );
    Phases {
        create_ms,
        zero_data_ms,
        copy_ms,
        zero_log_ms,
        recover_ms,
        missing,
    }
}

/// The lines of the last restore in lower case, without those on other databases.
fn of_last_restore(lines: &[LogLine], database: &str) -> Vec<(DateTime, String)> {
    let database = database.to_lowercase();
    let mut steps = Vec::new();
    for line in lines {
        let text = line.text.to_lowercase();
        let other = text
            .strip_prefix("restore(")
            .is_some_and(|rest| !rest.starts_with(&format!("{database}): ")));
        if other {
            continue;
        }
        if text.contains("restore database started")
            || text.starts_with("restoredatabase: database")
        {
            steps.clear();
        }
        steps.push((line.at, text));
    }
    steps
}

/// The zeroing of files of the database.
fn zeroings(steps: &[(DateTime, String)], expected: &Expected) -> Vec<Zeroing> {
    let is_in = |path: &str, files: &[String]| files.iter().any(|file| file.to_lowercase() == path);
    let mut open: Vec<(String, usize)> = Vec::new();
    let mut found: Vec<Zeroing> = Vec::new();
    for (at, text) in steps {
        if let Some(rest) = text.strip_prefix("zeroing completed on ") {
            let (path, more) = match rest.split_once(" (elapsed") {
                Some((path, more)) => (path, Some(more)),
                None => (rest, None),
            };
            let place = open.iter().position(|(open, _)| open == path.trim_end());
            if let Some((_, index)) = place.map(|place| open.remove(place))
                && let Some(zeroing) = found.get_mut(index)
            {
                zeroing.to = Some(*at);
                zeroing.elapsed_ms = more.and_then(elapsed);
            }
        } else if let Some(rest) = text.strip_prefix("zeroing ") {
            let Some((path, _)) = rest.split_once(" from page ") else {
                continue;
            };
            let log = is_in(path, &expected.log_files);
            if log || is_in(path, &expected.data_files) {
                open.push((path.to_owned(), found.len()));
                found.push(Zeroing {
                    from: *at,
                    to: None,
                    elapsed_ms: None,
                    log,
                });
            }
        }
    }
    found
}

/// ` = 12 ms)`.
fn elapsed(text: &str) -> Option<f64> {
    let number = text.trim_start_matches([' ', '=']);
    number.split_once(" ms").and_then(|(ms, _)| ms.parse().ok())
}

/// The time in which files of a kind were being zeroed; none where none was.
fn total_ms(zeroings: &[Zeroing], log: bool) -> Result<Option<f64>, String> {
    let mut of_kind: Vec<&Zeroing> = zeroings.iter().filter(|z| z.log == log).collect();
    if of_kind.is_empty() {
        return Ok(None);
    }
    if of_kind.iter().any(|zeroing| zeroing.to.is_none()) {
        return Err("the error log has no line that zeroing was completed".to_owned());
    }
    of_kind.sort_by_key(|zeroing| zeroing.from);
    let apart = of_kind.windows(2).all(|pair| match pair {
        [one, next] => one.to.is_some_and(|to| to <= next.from),
        _ => true,
    });
    // What the server timed itself is finer than the log's 10 ms, but only adds up where files
    // were not zeroed at once.
    let own: Option<f64> = of_kind.iter().map(|zeroing| zeroing.elapsed_ms).sum();
    match own {
        Some(own) if apart => Ok(Some(own)),
        _ => Ok(Some(union_ms(zeroings, |zeroing| zeroing.log == log, None))),
    }
}

/// How long at least one of some files was being zeroed, within a time if one is given.
fn union_ms(
    zeroings: &[Zeroing],
    which: impl Fn(&Zeroing) -> bool,
    within: Option<(DateTime, DateTime)>,
) -> f64 {
    let mut spans: Vec<(DateTime, DateTime)> = zeroings
        .iter()
        .filter(|zeroing| which(zeroing))
        .filter_map(|zeroing| Some((zeroing.from, zeroing.to?)))
        .filter_map(|(from, to)| match within {
            Some((first, last)) => {
                let span = (from.max(first), to.min(last));
                (span.0 < span.1).then_some(span)
            }
            None => Some((from, to)),
        })
        .collect();
    spans.sort_unstable();
    let mut total = 0.0;
    let mut reached: Option<DateTime> = None;
    for (from, to) in spans {
        let from = reached.map_or(from, |reached| from.max(reached));
        if from < to {
            total += between(from, to);
            reached = Some(to);
        }
    }
    total
}

/// Milliseconds from one time to another; below 0 where the second is earlier.
fn between(from: DateTime, to: DateTime) -> f64 {
    from.until((Unit::Second, to))
        .and_then(|span| span.total(Unit::Millisecond))
        .unwrap_or(-1.0)
}
