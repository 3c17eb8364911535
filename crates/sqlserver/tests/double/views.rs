//! The views that a snapshot reads, each with one row.
#![allow(clippy::unwrap_used, reason = "a part of the tests")]

use super::double::{Part, big_column, int_column, text_column};
use labdb_types::{Column, SqlType, Value};

/// A view's answer: a row of `n` in every number, `text` in every text.
fn row_of(columns: Vec<Column>, n: i64, text: &str) -> Part {
    let values = columns
        .iter()
        .map(|column| match column.sql_type {
            SqlType::BigInt => Value::BigInt(n),
            SqlType::Int => Value::Int(i32::try_from(n).unwrap()),
            SqlType::Bit => Value::Bit(true),
            SqlType::NVarChar(_) => Value::text(text),
            _ => Value::Null,
        })
        .collect();
    Part::Rows(columns, vec![values])
}

fn columns(bigs: &[&str], ints: &[&str], names: &[&str]) -> Vec<Column> {
    let mut all: Vec<Column> = bigs.iter().map(|name| big_column(name)).collect();
    all.extend(ints.iter().map(|name| int_column(name)));
    all.extend(names.iter().map(|name| text_column(name)));
    all
}

/// What each view says, by a word that only its text has.
pub(crate) fn view(text: &str) -> Part {
    if let Some(part) = condition(text) {
        return part;
    }
    if text.contains("dm_io_virtual_file_stats") {
        let numbers = [
            "size_pages",
            "sample_ms",
            "reads",
            "bytes_read",
            "read_stall_ms",
            "queued_read_stall_ms",
            "writes",
            "bytes_written",
            "write_stall_ms",
            "queued_write_stall_ms",
            "stall_ms",
            "size_on_disk_bytes",
        ];
        let mut all = columns(
            &numbers,
            &["database_id", "file_id", "file_type"],
            &["logical_name", "physical_name"],
        );
        all.push(Column::new(
            "file_handle",
            SqlType::VarBinary(labdb_types::Length::Limited(16)),
        ));
        return row_of(all, 1, "f");
    }
    if text.contains("dm_os_wait_stats") {
        let numbers = ["waiting_tasks", "wait_ms", "max_wait_ms", "signal_wait_ms"];
        return row_of(columns(&numbers, &[], &["wait_type"]), 2, "WRITELOG");
    }
    if text.contains("dm_os_performance_counters") {
        return row_of(
            columns(&["value"], &["cntr_type"], &["counter_name"]),
            3,
            "Log Flushes/sec",
        );
    }
    if text.contains("SYSUTCDATETIME") {
        return row_of(
            columns(&[], &[], &["server_time"]),
            0,
            "2026-01-02T03:04:05.1234567",
        );
    }
    if text.contains("dm_os_sys_info") {
        return row_of(
            columns(&[], &[], &["server_start_time"]),
            0,
            "2026-01-01T00:00:00",
        );
    }
    if text.contains("sys.databases") {
        let mut all = columns(
            &["target_recovery_time_s"],
            &["database_id", "compatibility_level"],
            &[
                "create_date",
                "recovery_model",
                "log_reuse_wait",
                "delayed_durability",
            ],
        );
        all.push(Column::new("read_committed_snapshot", SqlType::Bit));
        all.push(Column::new("accelerated_database_recovery", SqlType::Bit));
        return row_of(all, 5, "FULL");
    }
    if text.contains("database_recovery_status") {
        let names = ["last_log_backup_lsn", "database_guid", "recovery_fork_guid"];
        return row_of(columns(&[], &[], &names), 0, "37000000012300001");
    }
    if text.contains("dm_db_log_space_usage") {
        let numbers = ["log_size_bytes", "log_used_bytes", "log_since_backup_bytes"];
        return row_of(columns(&numbers, &[], &[]), 6, "");
    }
    if text.contains("LOGINFO") {
        let status = |value| vec![Value::Int(value)];
        return Part::Rows(
            vec![int_column("Status")],
            vec![status(2), status(0), status(2)],
        );
    }
    row_of(columns(&["vlf_count", "active_vlf_count"], &[], &[]), 7, "")
}

/// What the views of the conditions say.
fn condition(text: &str) -> Option<Part> {
    let texts = |names: &[&str]| columns(&[], &[], names);
    Some(if text.contains("TRACESTATUS") {
        let flag = |number| [number, 1, 1, 0].map(Value::Int).to_vec();
        let heads = ["TraceFlag", "Status", "Global", "Session"];
        Part::Rows(columns(&[], &heads, &[]), vec![flag(3979), flag(845)])
    } else if text.contains("dm_exec_sessions") {
        row_of(
            columns(&["cpu_ms"], &["session_id"], &["login_time"]),
            55,
            "then",
        )
    } else if text.contains("dm_io_virtual_file_stats(NULL") {
        row_of(columns(&["bytes"], &[], &[]), 8, "")
    } else if text.contains("cpu_count") {
        row_of(columns(&["memory_kb"], &["cpus"], &[]), 16, "")
    } else if text.contains("sys.configurations") {
        row_of(columns(&["limit_mb"], &[], &[]), 9, "")
    } else if text.contains("dm_server_services") {
        row_of(texts(&["enabled"]), 0, "Y")
    } else if text.contains("dm_hadr_database_replica_states") {
        replicas()
    } else if text.contains("replica_id") {
        row_of(vec![Column::new("in_group", SqlType::Bit)], 1, "")
    } else if text.contains("max_size_pages") {
        let mut all = columns(
            &["size_pages", "max_size_pages", "growth"],
            &["file_id", "file_type"],
            &["logical_name", "physical_name"],
        );
        all.push(Column::new("is_percent_growth", SqlType::Bit));
        row_of(all, 1, "f")
    } else {
        return None;
    })
}

/// A primary, a secondary that commits wait for, and one that they do not.
fn replicas() -> Part {
    let names = [
        "group_name",
        "server_name",
        "role",
        "commit_mode",
        "synchronization",
    ];
    let mut all = columns(&[], &[], &names);
    for name in ["is_local", "is_commit_participant"] {
        all.push(Column::new(name, SqlType::Bit));
    }
    let replica = |texts: [&str; 4], local, participant| {
        let mut row = vec![Value::text("ag")];
        row.extend(texts.map(Value::text));
        row.extend([Value::Bit(local), Value::Bit(participant)]);
        row
    };
    let (sync, lazy) = ("SYNCHRONOUS_COMMIT", "ASYNCHRONOUS_COMMIT");
    Part::Rows(
        all,
        vec![
            replica(["a", "PRIMARY", sync, "SYNCHRONIZED"], true, true),
            replica(["b", "SECONDARY", sync, "SYNCHRONIZED"], false, true),
            replica(["c", "SECONDARY", lazy, "SYNCHRONIZING"], false, false),
        ],
    )
}
