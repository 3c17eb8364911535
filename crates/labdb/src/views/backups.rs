//! `msdb`: backup and restore history.

use super::{SYSNAME, Scope, SystemView, ViewContext, bit, int, nvarchar, text};
use labdb_types::{Decimal, SqlResult, SqlType, Value};

const LSN: SqlType = super::LSN;

fn date(parts: (i32, u32)) -> Value {
    Value::DateTime {
        days: parts.0,
        ticks: parts.1,
    }
}

fn wide(digits: Option<&String>) -> Value {
    digits
        .and_then(|d| d.parse::<i128>().ok())
        .map_or(Value::Null, |n| Value::Decimal(Decimal::new(n, 0)))
}

fn uuid(text: &str) -> Value {
    crate::eval::parse::uuid(text).map_or(Value::Null, Value::Uuid)
}

fn sets(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let state = view.instance.state.lock();
    let server = &view.instance.options.server_name;
    let rows = state.backups.iter().map(|b| {
        let size = Value::Decimal(Decimal::new(i128::from(b.size), 0));
        let [first, last, checkpoint, base] = &b.lsns;
        vec![
            int(b.id),
            uuid(&b.uuid),
            int(b.id),
            b.name.as_ref().map_or(Value::Null, text),
            text(&b.user),
            date(b.started),
            date(b.finished),
            text(&b.kind),
            size.clone(),
            size,
            text(&b.database),
            text(server),
            text(server),
            text(&b.recovery_model),
            bit(b.copy_only),
            bit(b.begins_log_chain),
            wide(first.as_ref()),
            wide(last.as_ref()),
            wide(checkpoint.as_ref()),
            wide(base.as_ref()),
            bit(true),
            bit(false),
            bit(false),
            bit(false),
            uuid(&b.database_guid),
            uuid(&b.fork_guid),
            Value::Null,
            Value::Null,
            int(1),
        ]
    });
    Ok(rows.collect())
}

fn media(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let state = view.instance.state.lock();
    Ok(state
        .backups
        .iter()
        .map(|b| {
            vec![
                int(b.id),
                Value::TinyInt(1),
                Value::Null,
                int(1),
                Value::Null,
                text(&b.device),
                Value::TinyInt(2),
                int(4096),
                Value::TinyInt(0),
            ]
        })
        .collect())
}

fn restores(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let state = view.instance.state.lock();
    Ok(state
        .restores
        .iter()
        .map(|r| {
            vec![
                int(r.id),
                date(r.at),
                text(&r.database),
                text(&r.user),
                int(r.backup_set_id),
                text(&r.kind),
                bit(r.replace),
                bit(true),
                bit(false),
                Value::Null,
            ]
        })
        .collect())
}

/// The views of this module.
pub(super) const ALL: &[SystemView] = &[
    SystemView {
        schema: "dbo",
        name: "backupset",
        database: "msdb",
        scope: Scope::Server,
        right: None,
        parameters: &[],
        columns: &[
            ("backup_set_id", SqlType::Int),
            ("backup_set_uuid", SqlType::UniqueIdentifier),
            ("media_set_id", SqlType::Int),
            ("name", SYSNAME),
            ("user_name", SYSNAME),
            ("backup_start_date", SqlType::DateTime),
            ("backup_finish_date", SqlType::DateTime),
            ("type", SqlType::Char(1)),
            (
                "backup_size",
                SqlType::Decimal {
                    precision: 20,
                    scale: 0,
                },
            ),
            (
                "compressed_backup_size",
                SqlType::Decimal {
                    precision: 20,
                    scale: 0,
                },
            ),
            ("database_name", SYSNAME),
            ("server_name", SYSNAME),
            ("machine_name", SYSNAME),
            ("recovery_model", nvarchar(60)),
            ("is_copy_only", SqlType::Bit),
            ("begins_log_chain", SqlType::Bit),
            ("first_lsn", LSN),
            ("last_lsn", LSN),
            ("checkpoint_lsn", LSN),
            ("database_backup_lsn", LSN),
            ("has_backup_checksums", SqlType::Bit),
            ("is_damaged", SqlType::Bit),
            ("is_password_protected", SqlType::Bit),
            ("is_snapshot", SqlType::Bit),
            ("database_guid", SqlType::UniqueIdentifier),
            ("first_recovery_fork_guid", SqlType::UniqueIdentifier),
            ("differential_base_lsn", LSN),
            ("compression_algorithm", nvarchar(32)),
            ("position", SqlType::Int),
        ],
        rows: sets,
    },
    SystemView {
        schema: "dbo",
        name: "backupmediafamily",
        database: "msdb",
        scope: Scope::Server,
        right: None,
        parameters: &[],
        columns: &[
            ("media_set_id", SqlType::Int),
            ("family_sequence_number", SqlType::TinyInt),
            ("media_family_id", SqlType::UniqueIdentifier),
            ("media_count", SqlType::Int),
            ("logical_device_name", SYSNAME),
            ("physical_device_name", nvarchar(260)),
            ("device_type", SqlType::TinyInt),
            ("physical_block_size", SqlType::Int),
            ("mirror", SqlType::TinyInt),
        ],
        rows: media,
    },
    SystemView {
        schema: "dbo",
        name: "restorehistory",
        database: "msdb",
        scope: Scope::Server,
        right: None,
        parameters: &[],
        columns: &[
            ("restore_history_id", SqlType::Int),
            ("restore_date", SqlType::DateTime),
            ("destination_database_name", SYSNAME),
            ("user_name", SYSNAME),
            ("backup_set_id", SqlType::Int),
            ("restore_type", SqlType::Char(1)),
            ("replace", SqlType::Bit),
            ("recovery", SqlType::Bit),
            ("restart", SqlType::Bit),
            ("stop_at", SqlType::DateTime),
        ],
        rows: restores,
    },
];
