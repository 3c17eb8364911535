//! Indexes and partitions.

use super::columns::all_tables;
use super::{
    DESC, PERFORMANCE, SYSNAME, Scope, SystemView, ViewContext, big, bit, int, small, text,
};
use crate::catalog::{IndexSettings, KeyKind, Store, Table};
use labdb_types::{Length, SqlResult, SqlType, Value};
use std::sync::atomic::Ordering;

pub(super) fn indexes(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let mut rows = Vec::new();
    for table in all_tables(view) {
        if !table.indexes.iter().any(|i| i.clustered) {
            rows.push(index_row(
                &table,
                Value::Null,
                0,
                (0, "HEAP"),
                false,
                KeyKind::Plain,
                IndexSettings::default(),
            ));
        }
        for i in &table.indexes {
            let kind = if i.clustered {
                (1, "CLUSTERED")
            } else {
                (2, "NONCLUSTERED")
            };
            rows.push(index_row(
                &table,
                text(&i.name),
                i.index_id,
                kind,
                i.unique,
                i.kind,
                i.settings,
            ));
        }
    }
    Ok(rows)
}

fn index_row(
    table: &Table,
    name: Value,
    id: i32,
    kind: (u8, &str),
    unique: bool,
    key: KeyKind,
    settings: IndexSettings,
) -> Vec<Value> {
    vec![
        int(table.object_id),
        name,
        int(id),
        Value::TinyInt(kind.0),
        text(kind.1),
        bit(unique),
        int(1),
        bit(false),
        bit(key == KeyKind::Primary),
        bit(key == KeyKind::Unique),
        Value::TinyInt(settings.fill_factor),
        bit(settings.padded),
        bit(false),
        bit(false),
        bit(true),
        bit(true),
        bit(false),
        Value::Null,
        bit(settings.sequential_key),
    ]
}

pub(super) fn index_columns(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let mut rows = Vec::new();
    for table in all_tables(view) {
        for i in &table.indexes {
            let keys = i
                .keys
                .iter()
                .map(|k| (k.column, k.descending, false))
                .chain(i.include.iter().map(|c| (*c, false, true)));
            for (at, (column, descending, included)) in keys.enumerate() {
                let Some(column) = table.columns.get(column) else {
                    continue;
                };
                let ordinal = if included { 0 } else { at as u8 + 1 };
                rows.push(vec![
                    int(table.object_id),
                    int(i.index_id),
                    int(at as i32 + 1),
                    int(column.column_id),
                    Value::TinyInt(ordinal),
                    Value::TinyInt(0),
                    bit(descending),
                    bit(included),
                ]);
            }
        }
    }
    Ok(rows)
}

/// A number for a partition, which a table's index has one of.
pub(super) fn partition_id(table: &Table, index_id: i32) -> Value {
    Value::BigInt((i64::from(table.object_id) << 16) | i64::from(index_id))
}

fn index_ids(table: &Table) -> Vec<i32> {
    let mut ids: Vec<i32> = table.indexes.iter().map(|i| i.index_id).collect();
    if !table.indexes.iter().any(|i| i.clustered) {
        ids.insert(0, 0);
    }
    ids
}

pub(super) fn partitions(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let mut rows = Vec::new();
    for t in all_tables(view) {
        for id in index_ids(&t) {
            rows.push(vec![
                partition_id(&t, id),
                int(t.object_id),
                int(id),
                int(1),
                partition_id(&t, id),
                Value::BigInt(t.row_count.load(Ordering::Relaxed)),
                small(0),
                Value::TinyInt(0),
                text("NONE"),
            ]);
        }
    }
    Ok(rows)
}

pub(super) fn partition_stats(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let mut rows = Vec::new();
    for t in all_tables(view) {
        for id in index_ids(&t) {
            // Only the table itself has pages: indexes are kept in memory.
            let reserved = match &*t.store {
                Store::Heap(heap) if id <= 1 => {
                    view.database.storage.heap_space(*heap).reserved_pages
                }
                _ => 0,
            };
            rows.push(vec![
                partition_id(&t, id),
                int(t.object_id),
                int(id),
                int(1),
                big(reserved),
                big(reserved),
                big(reserved),
                big(0),
                big(0),
                big(0),
                big(0),
                big(reserved),
                big(reserved),
                Value::BigInt(t.row_count.load(Ordering::Relaxed)),
            ]);
        }
    }
    Ok(rows)
}

/// The views of this module.
pub(super) const ALL: &[SystemView] = &[
    SystemView {
        schema: "sys",
        name: "indexes",
        database: "",
        scope: Scope::Database,
        right: None,
        parameters: &[],
        columns: &[
            ("object_id", SqlType::Int),
            ("name", SYSNAME),
            ("index_id", SqlType::Int),
            ("type", SqlType::TinyInt),
            ("type_desc", DESC),
            ("is_unique", SqlType::Bit),
            ("data_space_id", SqlType::Int),
            ("ignore_dup_key", SqlType::Bit),
            ("is_primary_key", SqlType::Bit),
            ("is_unique_constraint", SqlType::Bit),
            ("fill_factor", SqlType::TinyInt),
            ("is_padded", SqlType::Bit),
            ("is_disabled", SqlType::Bit),
            ("is_hypothetical", SqlType::Bit),
            ("allow_row_locks", SqlType::Bit),
            ("allow_page_locks", SqlType::Bit),
            ("has_filter", SqlType::Bit),
            ("filter_definition", SqlType::NVarChar(Length::Max)),
            ("optimize_for_sequential_key", SqlType::Bit),
        ],
        rows: indexes,
    },
    SystemView {
        schema: "sys",
        name: "index_columns",
        database: "",
        scope: Scope::Database,
        right: None,
        parameters: &[],
        columns: &[
            ("object_id", SqlType::Int),
            ("index_id", SqlType::Int),
            ("index_column_id", SqlType::Int),
            ("column_id", SqlType::Int),
            ("key_ordinal", SqlType::TinyInt),
            ("partition_ordinal", SqlType::TinyInt),
            ("is_descending_key", SqlType::Bit),
            ("is_included_column", SqlType::Bit),
        ],
        rows: index_columns,
    },
    SystemView {
        schema: "sys",
        name: "partitions",
        database: "",
        scope: Scope::Database,
        right: None,
        parameters: &[],
        columns: &[
            ("partition_id", SqlType::BigInt),
            ("object_id", SqlType::Int),
            ("index_id", SqlType::Int),
            ("partition_number", SqlType::Int),
            ("hobt_id", SqlType::BigInt),
            ("rows", SqlType::BigInt),
            ("filestream_filegroup_id", SqlType::SmallInt),
            ("data_compression", SqlType::TinyInt),
            ("data_compression_desc", DESC),
        ],
        rows: partitions,
    },
    SystemView {
        schema: "sys",
        name: "dm_db_partition_stats",
        database: "",
        scope: Scope::Database,
        right: Some(PERFORMANCE),
        parameters: &[],
        columns: &[
            ("partition_id", SqlType::BigInt),
            ("object_id", SqlType::Int),
            ("index_id", SqlType::Int),
            ("partition_number", SqlType::Int),
            ("in_row_data_page_count", SqlType::BigInt),
            ("in_row_used_page_count", SqlType::BigInt),
            ("in_row_reserved_page_count", SqlType::BigInt),
            ("lob_used_page_count", SqlType::BigInt),
            ("lob_reserved_page_count", SqlType::BigInt),
            ("row_overflow_used_page_count", SqlType::BigInt),
            ("row_overflow_reserved_page_count", SqlType::BigInt),
            ("used_page_count", SqlType::BigInt),
            ("reserved_page_count", SqlType::BigInt),
            ("row_count", SqlType::BigInt),
        ],
        rows: partition_stats,
    },
];
