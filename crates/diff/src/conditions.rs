//! What decides a round besides the setting under test: carried into the round, held against each
//! other at both ends, and what others did in between.

use records::{Availability, Conditions, FileSettings, OtherActivity, Reason, Snapshot};

/// The conditions of the first snapshot, and what others did between the two; none where the first
/// snapshot has none. `continuous` is whether the server's totals ran through.
pub(crate) fn of_round(
    before: &Snapshot,
    after: &Snapshot,
    continuous: bool,
) -> Option<Conditions> {
    let mut conditions = before.conditions.clone()?;
    conditions.others = match (&before.others, &after.others) {
        (Some(old), Some(new)) if continuous => Some(OtherActivity::between(old, new)),
        _ => None,
    };
    conditions.unavailable = before.unavailable_conditions();
    Some(conditions)
}

/// Conditions that were another at the second snapshot: such a round is of neither. Sizes and
/// virtual log files are left out, which grow with the load and are said as growth.
pub(crate) fn changed(before: &Snapshot, after: &Snapshot) -> Vec<Reason> {
    let (Some(old), Some(new)) = (&before.conditions, &after.conditions) else {
        return Vec::new();
    };
    let mut reasons = Vec::new();
    let mut check = |code: &str, words: &str, of: &dyn Fn(&Conditions) -> Option<String>| {
        if let (Some(old), Some(new)) = (of(old), of(new))
            && old != new
        {
            reasons.push(Reason::new(
                format!("{code}_changed"),
                format!("{words} changed from {old} to {new} between the snapshots"),
            ));
        }
    };
    let switch = |on: Option<bool>| on.map(|on| if on { "on" } else { "off" }.to_owned());
    check("read_committed_snapshot", "read committed snapshot", &|c| {
        switch(c.read_committed_snapshot)
    });
    check(
        "accelerated_database_recovery",
        "accelerated database recovery",
        &|c| switch(c.accelerated_database_recovery),
    );
    check("compatibility_level", "the compatibility level", &|c| {
        c.compatibility_level.map(|level| level.to_string())
    });
    check("target_recovery_time", "the target recovery time", &|c| {
        c.target_recovery_time_s
            .map(|seconds| format!("{seconds} s"))
    });
    check("trace_flags", "the server's trace flags", &|c| {
        c.global_trace_flags
            .as_ref()
            .map(|flags| format!("{flags:?}"))
    });
    check(
        "availability_group",
        "being in an availability group",
        &|c| c.availability_group.map(|is| is.to_string()),
    );
    check(
        "availability_replicas",
        "the availability group or who takes part in its commits",
        &|c| c.availability.as_ref().map(Availability::commits),
    );
    check("server_cpus", "the server's processors", &|c| {
        c.server_cpus.map(|count| count.to_string())
    });
    check("max_server_memory", "max server memory", &|c| {
        c.max_server_memory_bytes
            .map(|bytes| format!("{bytes} bytes"))
    });
    check("file_settings", "the files or their growth", &|c| {
        c.files.as_ref().map(|files| layout(files))
    });
    reasons
}

/// Names, growth and limit of each file.
fn layout(files: &[FileSettings]) -> String {
    let words: Vec<String> = files
        .iter()
        .map(|file| {
            let growth = match (file.growth_bytes, file.growth_percent) {
                (Some(bytes), _) => format!("{bytes} bytes"),
                (None, Some(percent)) => format!("{percent} %"),
                (None, None) => "unknown".to_owned(),
            };
            let most = file
                .max_size_bytes
                .map_or_else(|| "the disk".to_owned(), |bytes| format!("{bytes} bytes"));
            format!("{} (growth {growth}, up to {most})", file.physical_name)
        })
        .collect();
    words.join(", ")
}
