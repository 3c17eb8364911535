//! The restore itself, under the clock and under the trace flags.

use crate::media::Placed;
use crate::phases::{Expected, LogLine, Phases, phases};
use crate::server::{Workplace, interrupted, signal};
use crate::target::drop_database;
use crate::trace::TraceFlags;
use jiff::Timestamp;
use jiff::civil::DateTime;
use records::Failure;
use sqlserver::texts::restore as texts;
use sqlserver::{Columns, DatabaseName, SqlError};
use std::time::{Duration, Instant};

/// What is to be restored, and how.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Order<'a> {
    /// The name of the restored database; nothing carries it.
    pub name: &'a DatabaseName,
    /// The backup.
    pub file: &'a str,
    /// Where its files go.
    pub files: &'a [Placed],
    /// Whether the error log is asked for the phases.
    pub with_phases: bool,
    /// Whether data files are zeroed although they need not be (trace flag 1806).
    pub zero_data_files: bool,
}

/// What was measured.
#[derive(Debug)]
pub(crate) struct Measured {
    /// When the statement was sent.
    pub started: Timestamp,
    /// When its answer was there.
    pub ended: Timestamp,
    /// From the one to the other, by the client's monotonic clock.
    pub elapsed: Duration,
    /// The phases; or why there are none.
    pub phases: Result<Phases, String>,
}

/// Restores, with the trace flags on meanwhile and put back whatever happens.
pub(crate) async fn restore(place: &mut Workplace, order: Order<'_>) -> Result<Measured, Failure> {
    place.check_interrupt("the restore")?;
    let mut flags = Vec::new();
    if order.with_phases {
        flags.extend(texts::PHASE_FLAGS);
    }
    if order.zero_data_files {
        flags.push(texts::ZEROING_FLAG);
    }
    let turned_on = if flags.is_empty() {
        Err("none were asked for (--no-phases)".to_owned())
    } else {
        match TraceFlags::turn_on(place, &flags).await {
            Ok(flags) => Ok(flags),
            Err(error) if order.zero_data_files => {
                return Err(error.failure("turning on trace flags 3004, 3605 and 1806"));
            }
            Err(error) => Err(format!(
                "trace flags 3004 and 3605 could not be turned on: {error}"
            )),
        }
    };
    match turned_on {
        Err(why) => timed(place, order, Err(why)).await,
        Ok(flags) => {
            let outcome = timed(place, order, Ok(())).await;
            let put_back = flags.put_back(place).await;
            match (outcome, put_back) {
                (Ok(measured), Ok(())) => Ok(measured),
                (Ok(_), Err(failure)) | (Err(failure), Ok(())) => Err(failure),
                (Err(failure), Err(also)) => Err(Failure {
                    message: format!("{} (and {})", failure.message, also.message),
                    remedy: also.remedy,
                    ..failure
                }),
            }
        }
    }
}

async fn timed(
    place: &mut Workplace,
    order: Order<'_>,
    traced: Result<(), String>,
) -> Result<Measured, Failure> {
    let doing = format!("restoring {} as `{}`", order.file, order.name);
    let mut session = place.session("master").await?;
    let (session_id, from) = match traced {
        Ok(()) => log_position(&mut session)
            .await
            .map(|(id, from)| (Ok(id), from))
            .map_err(|error| error.failure("reading the server's time"))?,
        Err(why) => (Err(why), String::new()),
    };
    let moves: Vec<(String, String)> = order
        .files
        .iter()
        .map(|placed| (placed.file.logical.clone(), placed.path.clone()))
        .collect();
    let text = texts::restore(order.name, order.file, &moves);
    let started = Timestamp::now();
    let begun = Instant::now();
    let outcome = session
        .batch_until(&text.sql, signal(&place.interrupts))
        .await;
    let elapsed = begun.elapsed();
    let ended = Timestamp::now();
    session.close().await;
    let failure = match outcome {
        Ok(Some(_)) => {
            let phases = match session_id {
                Err(why) => Err(why),
                Ok(id) => read_phases(place, order, id, &from).await,
            };
            return Ok(Measured {
                started,
                ended,
                elapsed,
                phases,
            });
        }
        Ok(None) => interrupted(&format!("interrupted while {doing}")),
        Err(error) => error.failure(&doing),
    };
    // What a restore that did not end leaves is RESTORING and of no use. Nothing carried the name
    // before, so it is this run's.
    match drop_database(place, order.name).await {
        Ok(()) => Err(failure),
        Err(left) => Err(Failure {
            message: format!(
                "{} (what it left of `{}` could not be dropped: {})",
                failure.message, order.name, left.message
            ),
            remedy: Some(format!(
                "Drop it when the server is done with it: setup-db -d {0} --drop --adopt {0}",
                order.name
            )),
            ..failure
        }),
    }
}

/// The session's number and the server's local time.
async fn log_position(session: &mut sqlserver::Connection) -> Result<(i32, String), SqlError> {
    let none = || SqlError::Unreadable("no row came".to_owned());
    let identity = sqlserver::texts::server::session();
    let row = session.row(&identity.sql).await?.ok_or_else(none)?;
    let id = row.some_int("session_id")?;
    let time = texts::error_log_time();
    let row = session.row(&time.sql).await?.ok_or_else(none)?;
    Ok((id, row.some_text("server_time")?))
}

async fn read_phases(
    place: &mut Workplace,
    order: Order<'_>,
    session_id: i32,
    from: &str,
) -> Result<Phases, String> {
    let paths = |log: bool| {
        let of_kind = order.files.iter().filter(|file| file.file.is_log() == log);
        of_kind.map(|file| file.path.clone()).collect()
    };
    let expected = Expected {
        database: order.name.as_str().to_owned(),
        data_files: paths(false),
        log_files: paths(true),
    };
    let lines = match error_log(place, 0, session_id, from).await {
        Ok(lines) => lines,
        Err(error) => return Err(format!("the error log could not be read: {error}")),
    };
    let begun = |lines: &[LogLine]| {
        lines.iter().any(|line| {
            let text = line.text.to_lowercase();
            text.contains("restore database started") || text.contains("restoredatabase: database")
        })
    };
    let lines = if begun(&lines) {
        lines
    } else {
        // It may have been cycled meanwhile; where there is no log before this one, so be it.
        let mut earlier = error_log(place, 1, session_id, from)
            .await
            .unwrap_or_default();
        earlier.extend(lines);
        earlier
    };
    if lines.is_empty() {
        return Err("the error log has no line of the restore's session".to_owned());
    }
    Ok(phases(&lines, &expected))
}

/// The lines of one session in an error log.
async fn error_log(
    place: &mut Workplace,
    log: u32,
    session_id: i32,
    from: &str,
) -> Result<Vec<LogLine>, SqlError> {
    let results = place.master.batch(&texts::error_log(log, from).sql).await?;
    let mut lines = Vec::new();
    for row in results.iter().flatten() {
        let process = row.text("process")?.unwrap_or_default();
        if !is_of_session(&process, session_id) {
            continue;
        }
        let at = row.some_text("at")?;
        let at: DateTime = at
            .parse()
            .map_err(|_| SqlError::Unreadable(format!("`{at}` is no time")))?;
        lines.push(LogLine {
            at,
            text: row.text("line")?.unwrap_or_default(),
        });
    }
    Ok(lines)
}

/// `spid51`, also `spid51s`.
fn is_of_session(process: &str, session_id: i32) -> bool {
    process
        .trim()
        .strip_prefix("spid")
        .map(|rest| rest.trim_end_matches('s'))
        .is_some_and(|number| number.parse() == Ok(session_id))
}

#[cfg(test)]
mod tests {
    use super::is_of_session;

    #[test]
    fn a_process_is_a_session_by_its_whole_number() {
        assert!(is_of_session("spid51", 51) && is_of_session("spid51s ", 51));
        assert!(!is_of_session("spid512", 51) && !is_of_session("Server", 51));
    }
}
