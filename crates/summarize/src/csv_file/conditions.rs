//! The columns of a round that say what surrounded it.

use super::{Cell, number, text};
use records::{Availability, FileKind, Round};

pub(super) const HEAD: [&str; 16] = [
    "read_committed_snapshot",
    "accelerated_database_recovery",
    "compatibility_level",
    "target_recovery_time_s",
    "instant_file_initialization",
    "global_trace_flags",
    "availability_group",
    "availability_commits",
    "server_cpus",
    "server_memory_bytes",
    "max_server_memory_bytes",
    "data_size_bytes",
    "log_size_bytes",
    "other_sessions",
    "other_sessions_cpu_ms",
    "other_databases_bytes",
];

pub(super) fn cells(round: &Round) -> [Cell; 16] {
    let conditions = round.conditions.clone().unwrap_or_default();
    let others = conditions.others.unwrap_or_default();
    let size = |kind: FileKind| {
        let files = conditions.files.as_ref()?.iter();
        let of_kind = files.filter(|file| file.kind == kind);
        Some(
            of_kind
                .map(|file| file.size_bytes)
                .fold(0, u64::saturating_add),
        )
    };
    // A restore reads it for itself.
    let of_restore = round.restore.as_ref();
    let initialization = conditions
        .instant_file_initialization
        .or_else(|| of_restore?.instant_file_initialization);
    let commits = conditions.availability.as_ref().map(Availability::commits);
    let flags = conditions.global_trace_flags.as_ref().map(|flags| {
        let flags: Vec<String> = flags.iter().map(ToString::to_string).collect();
        if flags.is_empty() {
            "none".to_owned()
        } else {
            flags.join(";")
        }
    });
    [
        number(conditions.read_committed_snapshot),
        number(conditions.accelerated_database_recovery),
        number(conditions.compatibility_level),
        number(conditions.target_recovery_time_s),
        number(initialization),
        text(&flags.unwrap_or_default()),
        number(conditions.availability_group),
        text(&commits.unwrap_or_default()),
        number(conditions.server_cpus),
        number(conditions.server_memory_bytes),
        number(conditions.max_server_memory_bytes),
        number(size(FileKind::Rows)),
        number(size(FileKind::Log)),
        number(others.sessions),
        number(others.cpu_ms),
        number(others.other_databases_bytes),
    ]
}
