//! The log: VLFs, sizes, what holds it.

use super::{
    PERFORMANCE, Scope, SystemView, ViewContext, big, bit, datetime, int, nvarchar, small, text,
};
use labdb_types::{Length, SqlResult, SqlType, Value};

/// Bytes as megabytes, two digits behind the point.
fn mb(bytes: u64) -> Value {
    Value::Float((bytes as f64 / 1_048_576.0 * 100.0).round() / 100.0)
}

fn log_info(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let mut rows = Vec::new();
    for database in view.databases() {
        for vlf in database.storage.vlfs() {
            rows.push(vec![
                int(database.id),
                small(vlf.file_id),
                big(vlf.begin_offset),
                mb(vlf.size),
                big(u64::from(vlf.sequence_number)),
                bit(vlf.active),
                int(vlf.status),
                Value::TinyInt(vlf.parity),
                text(vlf.first_lsn.unwrap_or_default().to_string()),
                text(vlf.create_lsn.to_string()),
                Value::Null,
            ]);
        }
    }
    Ok(rows)
}

fn log_stats(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let mut rows = Vec::new();
    for database in view.databases() {
        let s = database.storage.log_stats();
        rows.push(vec![
            int(database.id),
            text(s.recovery_model.description()),
            text(s.log_min_lsn.to_string()),
            text(s.log_end_lsn.to_string()),
            big(u64::from(s.current_vlf_sequence_number)),
            mb(s.current_vlf_size),
            big(s.total_vlf_count),
            mb(s.total_log_size),
            big(s.active_vlf_count),
            mb(s.active_log_size),
            text(s.log_reuse_wait.description()),
            s.log_backup_time.map_or(Value::Null, datetime),
            s.log_backup_lsn
                .map_or(Value::Null, |l| text(l.to_string())),
            mb(s.log_since_last_log_backup),
            text(s.log_checkpoint_lsn.to_string()),
            mb(s.log_since_last_checkpoint),
            text(s.log_recovery_lsn.to_string()),
            mb(s.log_recovery_size),
            big(s.recovery_vlf_count),
        ]);
    }
    Ok(rows)
}

fn log_space(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let space = view.database.storage.log_space();
    let percent = if space.total == 0 {
        0.0
    } else {
        space.used as f64 * 100.0 / space.total as f64
    };
    Ok(vec![vec![
        small(view.database.id),
        big(space.total),
        big(space.used),
        Value::Real(percent as f32),
        big(space.since_last_backup),
    ]])
}

/// The views of this module.
pub(super) const ALL: &[SystemView] = &[
    SystemView {
        schema: "sys",
        name: "dm_db_log_info",
        database: "",
        scope: Scope::Function,
        right: Some(PERFORMANCE),
        parameters: &[SqlType::Int],
        columns: &[
            ("database_id", SqlType::Int),
            ("file_id", SqlType::SmallInt),
            ("vlf_begin_offset", SqlType::BigInt),
            ("vlf_size_mb", SqlType::Float),
            ("vlf_sequence_number", SqlType::BigInt),
            ("vlf_active", SqlType::Bit),
            ("vlf_status", SqlType::Int),
            ("vlf_parity", SqlType::TinyInt),
            ("vlf_first_lsn", nvarchar(48)),
            ("vlf_create_lsn", nvarchar(48)),
            (
                "vlf_encryptor_thumbprint",
                SqlType::VarBinary(Length::Limited(20)),
            ),
        ],
        rows: log_info,
    },
    SystemView {
        schema: "sys",
        name: "dm_db_log_stats",
        database: "",
        scope: Scope::Function,
        right: Some(PERFORMANCE),
        parameters: &[SqlType::Int],
        columns: &[
            ("database_id", SqlType::Int),
            ("recovery_model", nvarchar(60)),
            ("log_min_lsn", nvarchar(24)),
            ("log_end_lsn", nvarchar(24)),
            ("current_vlf_sequence_number", SqlType::BigInt),
            ("current_vlf_size_mb", SqlType::Float),
            ("total_vlf_count", SqlType::BigInt),
            ("total_log_size_mb", SqlType::Float),
            ("active_vlf_count", SqlType::BigInt),
            ("active_log_size_mb", SqlType::Float),
            ("log_truncation_holdup_reason", nvarchar(60)),
            ("log_backup_time", SqlType::DateTime),
            ("log_backup_lsn", nvarchar(24)),
            ("log_since_last_log_backup_mb", SqlType::Float),
            ("log_checkpoint_lsn", nvarchar(24)),
            ("log_since_last_checkpoint_mb", SqlType::Float),
            ("log_recovery_lsn", nvarchar(24)),
            ("log_recovery_size_mb", SqlType::Float),
            ("recovery_vlf_count", SqlType::BigInt),
        ],
        rows: log_stats,
    },
    SystemView {
        schema: "sys",
        name: "dm_db_log_space_usage",
        database: "",
        scope: Scope::Database,
        right: Some(PERFORMANCE),
        parameters: &[],
        columns: &[
            ("database_id", SqlType::SmallInt),
            ("total_log_size_in_bytes", SqlType::BigInt),
            ("used_log_space_in_bytes", SqlType::BigInt),
            ("used_log_space_in_percent", SqlType::Real),
            ("log_space_in_bytes_since_last_backup", SqlType::BigInt),
        ],
        rows: log_space,
    },
];
