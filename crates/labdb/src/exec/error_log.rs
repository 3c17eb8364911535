//! `sp_readerrorlog`, `xp_readerrorlog` and `sp_cycle_errorlog`.

use super::Executor;
use super::parameters::{Argument, Returned};
use super::properties::{number, text};
use crate::eval::calendar::{self, Moment};
use crate::session::Command;
use labdb_types::{Column, Length, SqlError, SqlResult, SqlType, Value};

/// What a call asks for.
struct Asked {
    log: i64,
    kind: i64,
    texts: Vec<String>,
    from: Option<Moment>,
    to: Option<Moment>,
    descending: bool,
}

fn time(arguments: &[Argument], name: &str, place: usize) -> SqlResult<Option<Moment>> {
    let named = arguments.iter().find(|a| {
        a.name
            .as_ref()
            .is_some_and(|n| n.trim_start_matches('@').eq_ignore_ascii_case(name))
    });
    let found = named.or_else(|| arguments.get(place).filter(|a| a.name.is_none()));
    let Some(value) = found.and_then(|a| a.value.as_ref()) else {
        return Ok(None);
    };
    if let Some(moment) = calendar::moment(value) {
        return Ok(Some(moment));
    }
    let text = SqlType::NVarChar(Length::Limited(4000));
    let value = crate::eval::convert::convert(value, text, SqlType::DateTime2(7), None)?;
    Ok(calendar::moment(&value))
}

fn asked(arguments: &[Argument]) -> SqlResult<Asked> {
    let texts = [text(arguments, "@p3", 2)?, text(arguments, "@p4", 3)?];
    let order = text(arguments, "@p7", 6)?.unwrap_or_default();
    Ok(Asked {
        log: number(arguments, "@p1", 0)?.unwrap_or(0),
        kind: number(arguments, "@p2", 1)?.unwrap_or(1),
        texts: texts
            .into_iter()
            .flatten()
            .map(|t| t.to_lowercase())
            .collect(),
        from: time(arguments, "p5", 4)?,
        to: time(arguments, "p6", 5)?,
        descending: order.trim().eq_ignore_ascii_case("desc"),
    })
}

/// The error of a log that is not there.
fn missing() -> SqlError {
    SqlError::new(
        22004,
        "xp_readerrorlog() returned error 2, 'The system cannot find the file specified.'",
    )
}

/// Sends the lines of a log that fit: all of the texts, and the times (inclusive). There is no
/// agent, so there is no log of one.
pub(super) fn read(executor: &mut Executor<'_>, arguments: &[Argument]) -> SqlResult<Returned> {
    super::permission::require_sysadmin(executor.session)?;
    let asked = asked(arguments)?;
    if asked.kind != 1 {
        return Err(missing());
    }
    let log = u32::try_from(asked.log).map_err(|_| missing())?;
    let entries = executor.session.instance.log_entries(log);
    let mut entries = entries.map_err(|_| missing())?;
    let key = |m: &Moment| (m.days, m.ticks);
    entries.retain(|entry| {
        let lower = entry.text.to_lowercase();
        asked.texts.iter().all(|t| lower.contains(t))
            && asked.from.is_none_or(|from| key(&entry.at) >= key(&from))
            && asked.to.is_none_or(|to| key(&entry.at) <= key(&to))
    });
    if asked.descending {
        entries.reverse();
    }
    executor.client.columns(&[
        Column::new("LogDate", SqlType::DateTime),
        Column::new("ProcessInfo", SqlType::NVarChar(Length::Limited(50))),
        Column::new("Text", SqlType::NVarChar(Length::Limited(3950))),
    ])?;
    for entry in &entries {
        let at = calendar::value_from_moment(entry.at, SqlType::DateTime).unwrap_or(Value::Null);
        executor
            .client
            .row(&[at, Value::text(&entry.process), Value::text(&entry.text)])?;
    }
    executor.finish(Command::Select, entries.len() as u64)?;
    Ok(Returned {
        status: Some(0),
        outputs: Vec::new(),
    })
}

/// Begins a new log.
pub(super) fn cycle(executor: &mut Executor<'_>) -> SqlResult<Returned> {
    super::permission::require_sysadmin(executor.session)?;
    executor.session.instance.cycle_log()?;
    let text = "The error log has been reinitialized. See the previous log for older entries.";
    executor
        .session
        .instance
        .log_error(executor.session.id(), text);
    Ok(Returned {
        status: Some(0),
        outputs: Vec::new(),
    })
}
