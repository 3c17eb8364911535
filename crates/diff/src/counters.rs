//! Whether the server's counters ran through from one snapshot to the other.

use records::{CountersStatus, FileReading, Reason, Server, Snapshot};
use std::collections::BTreeMap;

/// Totals under a `/sec` name; other counters are levels and may fall.
const TOTAL_TYPES: [i32; 2] = [272_696_320, 272_696_576];

/// The status and every sign that speaks for it. Of several, the status is the one that explains
/// the others: a restart before a replaced file before a changed set before a counter.
pub(crate) fn check(before: &Snapshot, after: &Snapshot) -> (CountersStatus, Vec<Reason>) {
    let mut signs = Vec::new();
    restarted(before, after, &mut signs);
    replaced(before, after, &mut signs);
    let unavailable = match (&before.files, &after.files) {
        (Some(old), Some(new)) => {
            files(old, new, &mut signs);
            None
        }
        (None, _) => Some(no_files("first", before)),
        (_, None) => Some(no_files("second", after)),
    };
    waits(before, after, &mut signs);
    performance_counters(before, after, &mut signs);
    signs.sort_by_key(|(status, _)| weight(*status));
    let worst = signs.first().map(|(status, _)| *status);
    let mut reasons: Vec<Reason> = signs.into_iter().map(|(_, reason)| reason).collect();
    let status = match (worst, unavailable) {
        (Some(status), _) => status,
        (None, Some(reason)) => {
            reasons.push(reason);
            CountersStatus::Unavailable
        }
        (None, None) if before.server_start_time.is_none() || after.server_start_time.is_none() => {
            reasons.push(Reason::new(
                "start_time_unknown",
                format!(
                    "the server's start time could not be read, so a restart between the \
                     snapshots cannot be ruled out{}",
                    why_unavailable(before, "server_start_time")
                        .or_else(|| why_unavailable(after, "server_start_time"))
                        .unwrap_or_default()
                ),
            ));
            CountersStatus::Unproven
        }
        (None, None) => CountersStatus::Continuous,
    };
    (status, reasons)
}

type Signs = Vec<(CountersStatus, Reason)>;

fn weight(status: CountersStatus) -> u8 {
    match status {
        CountersStatus::ServerRestarted => 0,
        CountersStatus::Replaced => 1,
        CountersStatus::FilesChanged => 2,
        _ => 3,
    }
}

fn restarted(before: &Snapshot, after: &Snapshot, signs: &mut Signs) {
    if let (Some(old), Some(new)) = (&before.server_start_time, &after.server_start_time)
        && old != new
    {
        signs.push((
            CountersStatus::ServerRestarted,
            Reason::new(
                "server_restarted",
                format!("the server started again: at {old}, then at {new}"),
            ),
        ));
    }
    if let (Some(old), Some(new)) = (&before.header.server, &after.header.server)
        && identity(old) != identity(new)
    {
        signs.push((
            CountersStatus::ServerRestarted,
            Reason::new(
                "server_changed",
                format!(
                    "another server answered: {} {}, then {} {}",
                    old.product, old.version, new.product, new.version
                ),
            ),
        ));
    }
}

fn identity(server: &Server) -> (&str, &str, &str) {
    (&server.product, &server.version, &server.edition)
}

fn replaced(before: &Snapshot, after: &Snapshot, signs: &mut Signs) {
    let (old, new) = (&before.database, &after.database);
    let mut differs = |what: &str, old: Option<&str>, new: Option<&str>| {
        if let (Some(old), Some(new)) = (old, new)
            && old != new
        {
            signs.push((
                CountersStatus::Replaced,
                Reason::new(
                    "database_replaced",
                    format!("the database is another one: its {what} was {old}, then {new}"),
                ),
            ));
        }
    };
    differs(
        "database_id",
        Some(&old.database_id.to_string()),
        Some(&new.database_id.to_string()),
    );
    differs(
        "create_date",
        old.create_date.as_deref(),
        new.create_date.as_deref(),
    );
    differs(
        "database_guid",
        old.database_guid.as_deref(),
        new.database_guid.as_deref(),
    );
    differs(
        "recovery_fork_guid",
        old.recovery_fork_guid.as_deref(),
        new.recovery_fork_guid.as_deref(),
    );
}

fn no_files(which: &str, snapshot: &Snapshot) -> Reason {
    Reason::new(
        "file_stats_unavailable",
        format!(
            "the {which} snapshot has no file statistics{}",
            why_unavailable(snapshot, "files").unwrap_or_default()
        ),
    )
}

/// `: the reason. The remedy`, as the snapshot has it.
pub(crate) fn why_unavailable(snapshot: &Snapshot, field: &str) -> Option<String> {
    let found = snapshot
        .unavailable
        .iter()
        .find(|entry| entry.field == field)?;
    Some(match &found.remedy {
        Some(remedy) => format!(": {}. {remedy}", found.reason.trim_end_matches('.')),
        None => format!(": {}", found.reason),
    })
}

fn files(before: &[FileReading], after: &[FileReading], signs: &mut Signs) {
    let by_id = |files: &[FileReading]| -> BTreeMap<(i32, i32), FileReading> {
        files
            .iter()
            .map(|file| ((file.database_id, file.file_id), file.clone()))
            .collect()
    };
    let (old, new) = (by_id(before), by_id(after));
    let mut changed = |code: &str, what: &str, file: &FileReading| {
        signs.push((
            CountersStatus::FilesChanged,
            Reason::new(code, format!("file {} was {what}", describe(file))),
        ));
    };
    for (_, file) in old.iter().filter(|(id, _)| !new.contains_key(*id)) {
        changed("file_removed", "removed", file);
    }
    for (_, file) in new.iter().filter(|(id, _)| !old.contains_key(*id)) {
        changed("file_added", "added", file);
    }
    for (id, old) in &old {
        if let Some(new) = new.get(id) {
            one_file(old, new, signs);
        }
    }
}

fn describe(file: &FileReading) -> String {
    format!("{} ({})", file.logical_name, file.physical_name)
}

fn one_file(old: &FileReading, new: &FileReading, signs: &mut Signs) {
    let other_handle = matches!(
        (&old.file_handle, &new.file_handle),
        (Some(old), Some(new)) if old != new
    );
    if old.physical_name != new.physical_name || old.kind != new.kind || other_handle {
        let detail = if old.physical_name == new.physical_name {
            format!("file {} was opened anew: its handle changed", describe(old))
        } else {
            format!("file {} is now {}", describe(old), new.physical_name)
        };
        signs.push((
            CountersStatus::Replaced,
            Reason::new("file_replaced", detail),
        ));
    }
    let name = describe(old);
    for (counter, old, new) in [
        ("sample_ms", Some(old.sample_ms), Some(new.sample_ms)),
        ("num_of_reads", Some(old.reads), Some(new.reads)),
        (
            "num_of_bytes_read",
            Some(old.bytes_read),
            Some(new.bytes_read),
        ),
        (
            "io_stall_read_ms",
            Some(old.read_stall_ms),
            Some(new.read_stall_ms),
        ),
        (
            "io_stall_queued_read_ms",
            old.queued_read_stall_ms,
            new.queued_read_stall_ms,
        ),
        ("num_of_writes", Some(old.writes), Some(new.writes)),
        (
            "num_of_bytes_written",
            Some(old.bytes_written),
            Some(new.bytes_written),
        ),
        (
            "io_stall_write_ms",
            Some(old.write_stall_ms),
            Some(new.write_stall_ms),
        ),
        (
            "io_stall_queued_write_ms",
            old.queued_write_stall_ms,
            new.queued_write_stall_ms,
        ),
        ("io_stall", Some(old.stall_ms), Some(new.stall_ms)),
    ] {
        if let (Some(old), Some(new)) = (old, new) {
            went_back(&format!("{counter} of {name}"), old, new, signs);
        }
    }
}

fn went_back(what: &str, old: i64, new: i64, signs: &mut Signs) {
    if new < old {
        signs.push((
            CountersStatus::WentBack,
            Reason::new(
                "counter_went_back",
                format!("{what} went back from {old} to {new}"),
            ),
        ));
    }
}

fn waits(before: &Snapshot, after: &Snapshot, signs: &mut Signs) {
    let (Some(before), Some(after)) = (&before.waits, &after.waits) else {
        return;
    };
    let new: BTreeMap<&str, _> = after
        .iter()
        .map(|wait| (wait.wait_type.as_str(), wait))
        .collect();
    for old in before {
        let name = &old.wait_type;
        let Some(new) = new.get(name.as_str()) else {
            went_back(
                &format!("waiting_tasks_count of {name} (now absent)"),
                old.waiting_tasks,
                0,
                signs,
            );
            continue;
        };
        went_back(
            &format!("waiting_tasks_count of {name}"),
            old.waiting_tasks,
            new.waiting_tasks,
            signs,
        );
        went_back(
            &format!("wait_time_ms of {name}"),
            old.wait_ms,
            new.wait_ms,
            signs,
        );
        went_back(
            &format!("signal_wait_time_ms of {name}"),
            old.signal_wait_ms,
            new.signal_wait_ms,
            signs,
        );
    }
}

fn performance_counters(before: &Snapshot, after: &Snapshot, signs: &mut Signs) {
    let (Some(before), Some(after)) = (&before.performance_counters, &after.performance_counters)
    else {
        return;
    };
    for old in before
        .iter()
        .filter(|counter| TOTAL_TYPES.contains(&counter.cntr_type))
    {
        if let Some(new) = after
            .iter()
            .find(|new| new.counter_name == old.counter_name)
        {
            went_back(
                &format!("performance counter {}", old.counter_name),
                old.value,
                new.value,
                signs,
            );
        }
    }
}
