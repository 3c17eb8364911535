//! `msdb`: backup and restore history.

use super::{SYSNAME, Scope, SystemView, ViewContext, bit, int, nvarchar, small, text};
use crate::instance::{BackupRow, State};
use labdb_types::{Decimal, Length, SqlResult, SqlType, Value};

const LSN: SqlType = super::LSN;

const fn numeric(precision: u8) -> SqlType {
    SqlType::Decimal {
        precision,
        scale: 0,
    }
}

fn date(parts: (i32, u32)) -> Value {
    Value::DateTime {
        days: parts.0,
        ticks: parts.1,
    }
}

fn tiny(number: u8) -> Value {
    Value::TinyInt(number)
}

fn amount(number: impl Into<u64>) -> Value {
    Value::Decimal(Decimal::new(i128::from(number.into()), 0))
}

fn maybe(value: Option<&String>) -> Value {
    value.map_or(Value::Null, text)
}

fn wide(digits: Option<&String>) -> Value {
    digits
        .and_then(|d| d.parse::<i128>().ok())
        .map_or(Value::Null, |n| Value::Decimal(Decimal::new(n, 0)))
}

fn uuid(text: &str) -> Value {
    crate::eval::parse::uuid(text).map_or(Value::Null, Value::Uuid)
}

/// The number of a media set: that of the first backup set in it.
fn media_id(state: &State, backup: &BackupRow) -> i32 {
    let first = state
        .backups
        .iter()
        .find(|b| !b.media.is_empty() && b.media == backup.media && b.device == backup.device);
    first.map_or(backup.id, |b| b.id)
}

fn sets(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let state = view.instance.state.lock();
    let server = &view.instance.options.server_name;
    let rows = state.backups.iter().map(|b| {
        let [first, last, checkpoint, base] = &b.lsns;
        let flags = 512 | if b.checksums { 16 } else { 0 } | if b.copy_only { 1024 } else { 0 };
        vec![
            int(b.id),
            uuid(&b.uuid),
            int(media_id(&state, b)),
            tiny(1),
            small(1),
            tiny(1),
            small(1),
            tiny(1),
            small(1),
            int(i64::from(b.position.max(1))),
            Value::Null,
            int(0),
            maybe(b.name.as_ref()),
            maybe(b.description.as_ref()),
            text(&b.user),
            tiny(16),
            tiny(0),
            small(1000),
            Value::Null,
            tiny(0),
            wide(first.as_ref()),
            wide(last.as_ref()),
            wide(checkpoint.as_ref()),
            wide(base.as_ref()),
            date(b.created),
            date(b.started),
            date(b.finished),
            text(&b.kind),
            small(52),
            small(0),
            tiny(b.compatibility),
            int(957),
            amount(b.size),
            text(&b.database),
            text(server),
            text(server),
            int(flags),
            int(1033),
            int(196_609),
            text(crate::functions::COLLATION),
            bit(false),
            text(&b.recovery_model),
            bit(false),
            bit(false),
            bit(false),
            bit(false),
            bit(b.checksums),
            bit(false),
            bit(b.begins_log_chain),
            bit(false),
            bit(false),
            bit(b.copy_only),
            uuid(&b.fork_guid),
            uuid(&b.fork_guid),
            Value::Null,
            uuid(&b.database_guid),
            uuid(&b.family_guid),
            wide(b.base.as_ref().map(|(lsn, _)| lsn)),
            b.base.as_ref().map_or(Value::Null, |(_, guid)| uuid(guid)),
            amount(if b.stored == 0 { b.size } else { b.stored }),
            Value::Null,
            Value::Null,
            Value::Null,
            date(b.finished),
            maybe(b.compression.as_ref()),
        ]
    });
    Ok(rows.collect())
}

/// The first backup set of each media set.
fn media_sets(state: &State) -> impl Iterator<Item = &BackupRow> {
    state.backups.iter().filter(|b| media_id(state, b) == b.id)
}

fn media(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let state = view.instance.state.lock();
    let rows = media_sets(&state).map(|b| {
        vec![
            int(b.id),
            uuid(&b.media),
            tiny(1),
            Value::Null,
            Value::Null,
            text("labdb"),
            int(0),
            tiny(1),
            tiny(1),
            bit(false),
            bit(b.compression.is_some()),
            bit(false),
        ]
    });
    Ok(rows.collect())
}

fn families(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let state = view.instance.state.lock();
    let rows = media_sets(&state).map(|b| {
        vec![
            int(b.id),
            tiny(1),
            uuid(&b.media),
            int(1),
            Value::Null,
            text(&b.device),
            tiny(2),
            int(4096),
            tiny(0),
        ]
    });
    Ok(rows.collect())
}

fn files(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let state = view.instance.state.lock();
    let mut rows = Vec::new();
    for b in &state.backups {
        for f in &b.files {
            let primary = if f.log { Value::Null } else { text("PRIMARY") };
            rows.push(vec![
                int(b.id),
                tiny(1),
                small(1),
                primary.clone(),
                int(8192),
                amount(f.id),
                amount(f.backed_up / 8192),
                text(if f.log { "L" } else { "D" }),
                amount(512_u32),
                amount(f.size),
                text(&f.name),
                Value::Null,
                text(&f.path),
                tiny(0),
                text("ONLINE"),
                amount(0_u32),
                amount(0_u32),
                Value::Null,
                amount(0_u32),
                amount(0_u32),
                wide(b.base.as_ref().map(|(lsn, _)| lsn)),
                b.base.as_ref().map_or(Value::Null, |(_, guid)| uuid(guid)),
                amount(f.backed_up),
                Value::Null,
                bit(false),
                bit(true),
            ]);
        }
    }
    Ok(rows)
}

fn restores(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let state = view.instance.state.lock();
    let rows = state.restores.iter().map(|r| {
        vec![
            int(r.id),
            date(r.at),
            text(&r.database),
            text(&r.user),
            int(r.backup_set_id),
            text(&r.kind),
            bit(r.replace),
            bit(r.recovery),
            bit(false),
            r.stop_at.map_or(Value::Null, date),
            tiny(1),
            Value::Null,
            Value::Null,
        ]
    });
    Ok(rows.collect())
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
            ("first_family_number", SqlType::TinyInt),
            ("first_media_number", SqlType::SmallInt),
            ("last_family_number", SqlType::TinyInt),
            ("last_media_number", SqlType::SmallInt),
            ("catalog_family_number", SqlType::TinyInt),
            ("catalog_media_number", SqlType::SmallInt),
            ("position", SqlType::Int),
            ("expiration_date", SqlType::DateTime),
            ("software_vendor_id", SqlType::Int),
            ("name", SYSNAME),
            ("description", nvarchar(255)),
            ("user_name", SYSNAME),
            ("software_major_version", SqlType::TinyInt),
            ("software_minor_version", SqlType::TinyInt),
            ("software_build_version", SqlType::SmallInt),
            ("time_zone", SqlType::SmallInt),
            ("mtf_minor_version", SqlType::TinyInt),
            ("first_lsn", LSN),
            ("last_lsn", LSN),
            ("checkpoint_lsn", LSN),
            ("database_backup_lsn", LSN),
            ("database_creation_date", SqlType::DateTime),
            ("backup_start_date", SqlType::DateTime),
            ("backup_finish_date", SqlType::DateTime),
            ("type", SqlType::Char(1)),
            ("sort_order", SqlType::SmallInt),
            ("code_page", SqlType::SmallInt),
            ("compatibility_level", SqlType::TinyInt),
            ("database_version", SqlType::Int),
            ("backup_size", numeric(20)),
            ("database_name", SYSNAME),
            ("server_name", SYSNAME),
            ("machine_name", SYSNAME),
            ("flags", SqlType::Int),
            ("unicode_locale", SqlType::Int),
            ("unicode_compare_style", SqlType::Int),
            ("collation_name", SYSNAME),
            ("is_password_protected", SqlType::Bit),
            ("recovery_model", nvarchar(60)),
            ("has_bulk_logged_data", SqlType::Bit),
            ("is_snapshot", SqlType::Bit),
            ("is_readonly", SqlType::Bit),
            ("is_single_user", SqlType::Bit),
            ("has_backup_checksums", SqlType::Bit),
            ("is_damaged", SqlType::Bit),
            ("begins_log_chain", SqlType::Bit),
            ("has_incomplete_metadata", SqlType::Bit),
            ("is_force_offline", SqlType::Bit),
            ("is_copy_only", SqlType::Bit),
            ("first_recovery_fork_guid", SqlType::UniqueIdentifier),
            ("last_recovery_fork_guid", SqlType::UniqueIdentifier),
            ("fork_point_lsn", LSN),
            ("database_guid", SqlType::UniqueIdentifier),
            ("family_guid", SqlType::UniqueIdentifier),
            ("differential_base_lsn", LSN),
            ("differential_base_guid", SqlType::UniqueIdentifier),
            ("compressed_backup_size", numeric(20)),
            ("key_algorithm", nvarchar(32)),
            (
                "encryptor_thumbprint",
                SqlType::VarBinary(Length::Limited(20)),
            ),
            ("encryptor_type", nvarchar(32)),
            ("last_valid_restore_time", SqlType::DateTime),
            ("compression_algorithm", nvarchar(32)),
        ],
        rows: sets,
    },
    SystemView {
        schema: "dbo",
        name: "backupmediaset",
        database: "msdb",
        scope: Scope::Server,
        right: None,
        parameters: &[],
        columns: &[
            ("media_set_id", SqlType::Int),
            ("media_uuid", SqlType::UniqueIdentifier),
            ("media_family_count", SqlType::TinyInt),
            ("name", SYSNAME),
            ("description", nvarchar(255)),
            ("software_name", SYSNAME),
            ("software_vendor_id", SqlType::Int),
            ("MTF_major_version", SqlType::TinyInt),
            ("mirror_count", SqlType::TinyInt),
            ("is_password_protected", SqlType::Bit),
            ("is_compressed", SqlType::Bit),
            ("is_encrypted", SqlType::Bit),
        ],
        rows: media,
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
        rows: families,
    },
    SystemView {
        schema: "dbo",
        name: "backupfile",
        database: "msdb",
        scope: Scope::Server,
        right: None,
        parameters: &[],
        columns: &[
            ("backup_set_id", SqlType::Int),
            ("first_family_number", SqlType::TinyInt),
            ("first_media_number", SqlType::SmallInt),
            ("filegroup_name", SYSNAME),
            ("page_size", SqlType::Int),
            ("file_number", numeric(10)),
            ("backed_up_page_count", numeric(10)),
            ("file_type", SqlType::Char(1)),
            ("source_file_block_size", numeric(10)),
            ("file_size", numeric(20)),
            ("logical_name", SYSNAME),
            ("physical_drive", nvarchar(260)),
            ("physical_name", nvarchar(260)),
            ("state", SqlType::TinyInt),
            ("state_desc", nvarchar(64)),
            ("create_lsn", LSN),
            ("drop_lsn", LSN),
            ("file_guid", SqlType::UniqueIdentifier),
            ("read_only_lsn", LSN),
            ("read_write_lsn", LSN),
            ("differential_base_lsn", LSN),
            ("differential_base_guid", SqlType::UniqueIdentifier),
            ("backup_size", numeric(20)),
            ("filegroup_guid", SqlType::UniqueIdentifier),
            ("is_readonly", SqlType::Bit),
            ("is_present", SqlType::Bit),
        ],
        rows: files,
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
            ("device_count", SqlType::TinyInt),
            ("stop_at_mark_name", SYSNAME),
            ("stop_before", SqlType::Bit),
        ],
        rows: restores,
    },
];
