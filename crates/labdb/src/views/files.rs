//! Files and what was read from and written to them.

use super::{
    DESC, LSN, PERFORMANCE, SYSNAME, Scope, SystemView, ViewContext, big, bit, int, ms, nvarchar,
    small, text,
};
use crate::instance::Database;
use labdb_storage::{FileKind, FileRow, Growth};
use labdb_types::{Length, SqlResult, SqlType, Value};
use std::time::Instant;

/// The row of a file, without its database.
fn file_row(file: &FileRow) -> Vec<Value> {
    let log = file.kind == FileKind::Log;
    let pages = |bytes: u64| i64::try_from(bytes / 8192).unwrap_or(i64::MAX);
    let (growth, percent) = match file.growth {
        Growth::Bytes(bytes) => (pages(bytes), false),
        Growth::Percent(n) => (i64::from(n), true),
    };
    let max = match file.max_size {
        Some(bytes) => pages(bytes),
        // A log file ends at 2 TB.
        None if log => 268_435_456,
        None => -1,
    };
    let kind = if log { (1, "LOG") } else { (0, "ROWS") };
    vec![
        int(file.file_id),
        Value::Null,
        Value::TinyInt(kind.0),
        text(kind.1),
        int(i32::from(!log)),
        text(&file.name),
        text(file.path.display().to_string()),
        Value::TinyInt(0),
        text("ONLINE"),
        int(pages(file.size)),
        int(max),
        int(growth),
        bit(false),
        bit(false),
        bit(false),
        bit(percent),
        bit(false),
        Value::Null,
        Value::Null,
        Value::Null,
        Value::Null,
        Value::Null,
        Value::Null,
        Value::Null,
    ]
}

fn database_files(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    Ok(view.database.storage.files().iter().map(file_row).collect())
}

fn master_files(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let mut rows = Vec::new();
    for database in view.instance.databases() {
        for file in database.storage.files() {
            let mut row = vec![int(database.id)];
            row.extend(file_row(&file));
            rows.push(row);
        }
    }
    for record in view.instance.restoring_databases() {
        for file in record.restoring.iter().flat_map(|r| &r.files) {
            let mut row = vec![int(record.id)];
            row.extend(file_row(&FileRow {
                file_id: file.id,
                kind: if file.log {
                    FileKind::Log
                } else {
                    FileKind::Rows
                },
                name: file.name.clone(),
                path: file.path.clone(),
                size: file.size,
                growth: Growth::Bytes(0),
                max_size: None,
                used: 0,
            }));
            for (place, value) in [(8, Value::TinyInt(1)), (9, text("RESTORING"))] {
                if let Some(cell) = row.get_mut(place) {
                    *cell = value;
                }
            }
            rows.push(row);
        }
    }
    Ok(rows)
}

/// Milliseconds since the machine started.
pub(super) fn machine_ms() -> u64 {
    let uptime = std::fs::read_to_string("/proc/uptime")
        .ok()
        .and_then(|t| t.split(' ').next()?.parse::<f64>().ok());
    uptime.map_or_else(
        || Instant::now().elapsed().as_millis() as u64,
        |seconds| (seconds * 1000.0) as u64,
    )
}

fn file_stats(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let wanted = view.number(1);
    let sample = machine_ms();
    let mut rows = Vec::new();
    for database in view.databases() {
        for file in database.storage.file_stats() {
            if wanted.is_some_and(|id| id != i64::from(file.file_id)) {
                continue;
            }
            let io = &file.io;
            rows.push(vec![
                small(database.id),
                small(file.file_id),
                big(sample),
                big(io.reads),
                big(io.bytes_read),
                ms(io.read_stall_ns),
                big(io.writes),
                big(io.bytes_written),
                ms(io.write_stall_ns),
                ms(io.read_stall_ns + io.write_stall_ns),
                big(file.size_on_disk),
                handle(&database, file.file_id),
                big(0),
                big(0),
            ]);
        }
    }
    Ok(rows)
}

/// A number that stands for the file's handle.
fn handle(database: &Database, file_id: u16) -> Value {
    Value::Binary(
        (((database.id as u64) << 16) | u64::from(file_id))
            .to_be_bytes()
            .as_slice()
            .into(),
    )
}

fn file_space(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let rows = view
        .database
        .storage
        .files()
        .into_iter()
        .filter(|f| f.kind == FileKind::Rows)
        .map(|f| {
            let (total, used) = (f.size / 8192, f.used / 8192);
            vec![
                small(view.database.id),
                small(f.file_id),
                small(1),
                big(total),
                big(used),
                big(total.saturating_sub(used)),
            ]
        });
    Ok(rows.collect())
}

fn data_spaces(_: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    Ok(vec![vec![
        text("PRIMARY"),
        int(1),
        text("FG"),
        text("ROWS_FILEGROUP"),
        bit(true),
        bit(false),
    ]])
}

/// The views of this module.
pub(super) const ALL: &[SystemView] = &[
    SystemView {
        schema: "sys",
        name: "database_files",
        database: "",
        scope: Scope::Database,
        right: None,
        parameters: &[],
        columns: &[
            ("file_id", SqlType::Int),
            ("file_guid", SqlType::UniqueIdentifier),
            ("type", SqlType::TinyInt),
            ("type_desc", DESC),
            ("data_space_id", SqlType::Int),
            ("name", SYSNAME),
            ("physical_name", nvarchar(260)),
            ("state", SqlType::TinyInt),
            ("state_desc", DESC),
            ("size", SqlType::Int),
            ("max_size", SqlType::Int),
            ("growth", SqlType::Int),
            ("is_media_read_only", SqlType::Bit),
            ("is_read_only", SqlType::Bit),
            ("is_sparse", SqlType::Bit),
            ("is_percent_growth", SqlType::Bit),
            ("is_name_reserved", SqlType::Bit),
            ("create_lsn", LSN),
            ("drop_lsn", LSN),
            ("differential_base_lsn", LSN),
            ("differential_base_guid", SqlType::UniqueIdentifier),
            ("differential_base_time", SqlType::DateTime),
            ("backup_lsn", LSN),
            ("credential_id", SqlType::Int),
        ],
        rows: database_files,
    },
    SystemView {
        schema: "sys",
        name: "master_files",
        database: "",
        scope: Scope::Server,
        right: None,
        parameters: &[],
        columns: &[
            ("database_id", SqlType::Int),
            ("file_id", SqlType::Int),
            ("file_guid", SqlType::UniqueIdentifier),
            ("type", SqlType::TinyInt),
            ("type_desc", DESC),
            ("data_space_id", SqlType::Int),
            ("name", SYSNAME),
            ("physical_name", nvarchar(260)),
            ("state", SqlType::TinyInt),
            ("state_desc", DESC),
            ("size", SqlType::Int),
            ("max_size", SqlType::Int),
            ("growth", SqlType::Int),
            ("is_media_read_only", SqlType::Bit),
            ("is_read_only", SqlType::Bit),
            ("is_sparse", SqlType::Bit),
            ("is_percent_growth", SqlType::Bit),
            ("is_name_reserved", SqlType::Bit),
            ("create_lsn", LSN),
            ("drop_lsn", LSN),
            ("differential_base_lsn", LSN),
            ("differential_base_guid", SqlType::UniqueIdentifier),
            ("differential_base_time", SqlType::DateTime),
            ("backup_lsn", LSN),
            ("credential_id", SqlType::Int),
        ],
        rows: master_files,
    },
    SystemView {
        schema: "sys",
        name: "dm_io_virtual_file_stats",
        database: "",
        scope: Scope::Function,
        right: Some(PERFORMANCE),
        parameters: &[SqlType::Int, SqlType::Int],
        columns: &[
            ("database_id", SqlType::SmallInt),
            ("file_id", SqlType::SmallInt),
            ("sample_ms", SqlType::BigInt),
            ("num_of_reads", SqlType::BigInt),
            ("num_of_bytes_read", SqlType::BigInt),
            ("io_stall_read_ms", SqlType::BigInt),
            ("num_of_writes", SqlType::BigInt),
            ("num_of_bytes_written", SqlType::BigInt),
            ("io_stall_write_ms", SqlType::BigInt),
            ("io_stall", SqlType::BigInt),
            ("size_on_disk_bytes", SqlType::BigInt),
            ("file_handle", SqlType::VarBinary(Length::Limited(8))),
            ("io_stall_queued_read_ms", SqlType::BigInt),
            ("io_stall_queued_write_ms", SqlType::BigInt),
        ],
        rows: file_stats,
    },
    SystemView {
        schema: "sys",
        name: "dm_db_file_space_usage",
        database: "",
        scope: Scope::Database,
        right: Some(PERFORMANCE),
        parameters: &[],
        columns: &[
            ("database_id", SqlType::SmallInt),
            ("file_id", SqlType::SmallInt),
            ("filegroup_id", SqlType::SmallInt),
            ("total_page_count", SqlType::BigInt),
            ("allocated_extent_page_count", SqlType::BigInt),
            ("unallocated_extent_page_count", SqlType::BigInt),
        ],
        rows: file_space,
    },
    SystemView {
        schema: "sys",
        name: "filegroups",
        database: "",
        scope: Scope::Database,
        right: None,
        parameters: &[],
        columns: &[
            ("name", SYSNAME),
            ("data_space_id", SqlType::Int),
            ("type", SqlType::Char(2)),
            ("type_desc", DESC),
            ("is_default", SqlType::Bit),
            ("is_read_only", SqlType::Bit),
        ],
        rows: data_spaces,
    },
    SystemView {
        schema: "sys",
        name: "data_spaces",
        database: "",
        scope: Scope::Database,
        right: None,
        parameters: &[],
        columns: &[
            ("name", SYSNAME),
            ("data_space_id", SqlType::Int),
            ("type", SqlType::Char(2)),
            ("type_desc", DESC),
            ("is_default", SqlType::Bit),
            ("is_system", SqlType::Bit),
        ],
        rows: data_spaces,
    },
];
