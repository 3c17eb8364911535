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

#[cfg(test)]
mod tests {
    use super::{Expected, LogLine, phases};
    use jiff::civil::date;

    /// `05.210 text`: a line at second 5.21 of a minute.
    fn log(text: &str) -> Vec<LogLine> {
        text.lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
            .map(|line| {
                let (time, text) = line.split_once(' ').unwrap();
                let (second, milliseconds) = time.split_once('.').unwrap();
                let nanoseconds = milliseconds.parse::<i32>().unwrap() * 1_000_000;
                LogLine {
                    at: date(2026, 11, 30).at(23, 59, second.parse().unwrap(), nanoseconds),
                    text: text.to_owned(),
                }
            })
            .collect()
    }

    fn expected(data: &str, log: &str) -> Expected {
        Expected {
            database: "Lab".to_owned(),
            data_files: vec![data.to_owned()],
            log_files: vec![log.to_owned()],
        }
    }

    #[test]
    fn lines_of_2014_where_data_and_log_are_zeroed_at_once() {
        let lines = log(r"
            01.000 RestoreDatabase: Database lab
            01.010 Restore: BeginRestore (offline) on lab
            01.100 Restore: PreparingContainers
            01.120 Zeroing F:\DATA\lab.mdf from page 1 to 15872 (0x2000 to 0x7c00000)
            01.130 Zeroing F:\DATA\lab_log.ldf from page 1 to 8192 (0x2000 to 0x4000000)
            02.130 Zeroing completed on F:\DATA\lab_log.ldf
            03.120 Zeroing completed on F:\DATA\lab.mdf
            03.170 Restore: Containers are ready
            03.200 Restore: Restoring backup set
            03.210 Restore: Transferring data to lab
            04.000 Restore: Waiting for log zero on lab
            04.010 Restore: LogZero complete
            04.050 Restore: Data transfer complete on lab
            04.100 Restore: Backup set restored
            04.140 Restore-Redo begins on database lab
            04.900 Restore: Database is restarted
            04.950 RestoreDatabase: Finished
        ");
        let got = phases(
            &lines,
            &expected(r"f:\data\LAB.mdf", r"F:\DATA\lab_log.ldf"),
        );
        assert_eq!(got.missing, Vec::<String>::new());
        // 2,070 ms of containers, of which 2,000 with zeroing.
        assert_eq!(got.create_ms, Some(70.0));
        assert_eq!(got.zero_data_ms, Some(2000.0));
        assert_eq!(got.zero_log_ms, Some(1000.0));
        assert_eq!(got.copy_ms, Some(790.0));
        assert_eq!(got.recover_ms, Some(800.0));
    }

    const OF_2022: &str = "
        10.000 DBCC TRACEON 3004,3605, server process ID (SPID) 51.
        10.010 Restore(lab): RESTORE DATABASE started
        10.020 Restore(lab): Beginning OFFLINE restore
        10.030 Restore(lab): Preparing containers
        10.040 Zeroing /d/lab.mdf from page 0 to 8192 (0x0 to 0x4000000)
        10.540 Zeroing completed on /d/lab.mdf (elapsed = 503 ms)
        10.560 Restore(lab): Containers are ready
        10.570 Restore(lab): Transferring data
        10.650 Restore(lab): Data transfer is complete
        10.650 Restore(lab): Waiting for log zeroing to complete
        10.660 Zeroing /d/lab_log.ldf from page 0 to 4096 (0x0 to 0x2000000)
        10.900 Zeroing completed on /d/lab_log.ldf (elapsed = 241 ms)
        10.910 Restore(lab): Log zeroing is complete
        10.920 Restore(lab): Backup set is restored
        10.920 Restore(lab): Offline roll-forward begins
        10.980 Restore(lab): Transitioning database to ONLINE
        11.000 Restore(lab): Database is restarted
        11.010 Restore(lab): RESTORE DATABASE finished";

    #[test]
    fn lines_of_2022_with_times_of_their_own() {
        let got = phases(&log(OF_2022), &expected("/d/lab.mdf", "/d/lab_log.ldf"));
        assert_eq!(got.missing, Vec::<String>::new());
        assert_eq!(got.create_ms, Some(30.0));
        assert_eq!(got.zero_data_ms, Some(503.0));
        assert_eq!(got.copy_ms, Some(80.0));
        assert_eq!(got.zero_log_ms, Some(241.0));
        assert_eq!(got.recover_ms, Some(80.0));
    }

    #[test]
    fn only_the_last_restore_counts_and_lines_on_other_databases_do_not() {
        let other = OF_2022.replace("lab", "other");
        let twice = format!("{}\n{other}\n{OF_2022}", OF_2022.replace("10.", "01."));
        let once = phases(&log(OF_2022), &expected("/d/lab.mdf", "/d/lab_log.ldf"));
        assert_eq!(
            phases(&log(&twice), &expected("/d/lab.mdf", "/d/lab_log.ldf")),
            once
        );
    }

    #[test]
    fn no_zeroing_of_data_is_0_only_where_the_other_lines_are_there() {
        let instant: String = OF_2022
            .lines()
            .filter(|line| !line.contains("lab.mdf"))
            .map(|line| format!("{line}\n"))
            .collect();
        let files = expected("/d/lab.mdf", "/d/lab_log.ldf");
        let got = phases(&log(&instant), &files);
        assert_eq!(got.zero_data_ms, Some(0.0));
        assert_eq!(got.create_ms, Some(530.0));

        let nothing = phases(&log("01.000 Starting up database 'lab'."), &files);
        assert_eq!(nothing.zero_data_ms, None);
        assert_eq!(nothing.recover_ms, None);
        assert_eq!(nothing.missing.len(), 5, "{:?}", nothing.missing);
    }

    #[test]
    fn an_unfinished_zeroing_and_a_clock_that_went_back_are_no_numbers() {
        let files = expected("/d/lab.mdf", "/d/lab_log.ldf");
        let cut: String = OF_2022
            .lines()
            .filter(|line| !line.contains("completed on /d/lab_log"))
            .map(|line| format!("{line}\n"))
            .collect();
        let got = phases(&log(&cut), &files);
        assert_eq!((got.zero_log_ms, got.zero_data_ms), (None, Some(503.0)));
        let back = OF_2022.replace(
            "11.000 Restore(lab): Database",
            "09.000 Restore(lab): Database",
        );
        let got = phases(&log(&back), &files);
        assert_eq!(got.recover_ms, None);
        assert!(got.missing[0].contains("clock"), "{:?}", got.missing);
    }
}
