//! Columns, indexes, types, schemas, constraints, partitions.

use super::{DESC, SYSNAME, Scope, SystemView, ViewContext, big, bit, int, small, text, types};
use crate::catalog::{KeyKind, Store, Table};
use crate::functions::COLLATION;
use labdb_types::{Length, SqlResult, SqlType, Value};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// The tables of the database; in tempdb also the session's own.
fn all_tables(view: &ViewContext<'_>) -> Vec<Arc<Table>> {
    let catalog = view.database.catalog();
    let mut tables: Vec<Arc<Table>> = catalog.tables().cloned().collect();
    if view.database.id == 2 {
        tables.extend(
            view.session
                .temp_tables
                .borrow()
                .values()
                .map(|(t, _)| Arc::clone(t)),
        );
    }
    tables
}

#[allow(clippy::too_many_arguments, reason = "one for each fact of a column")]
fn column_row(
    object_id: i32,
    name: &str,
    column_id: i32,
    sql_type: SqlType,
    declared: &str,
    nullable: bool,
    identity: bool,
    default_id: i32,
) -> Vec<Value> {
    let name_of_type = types::catalog_name(sql_type, declared);
    let (system, user) = types::TYPES
        .iter()
        .find(|(n, ..)| *n == name_of_type)
        .map_or((0, 0), |t| (t.1, t.2));
    let collation = if crate::eval::types::is_text(sql_type) {
        text(COLLATION)
    } else {
        Value::Null
    };
    vec![
        int(object_id),
        text(name),
        int(column_id),
        Value::TinyInt(system),
        int(user),
        Value::SmallInt(types::max_length(sql_type)),
        Value::TinyInt(types::precision(sql_type) as u8),
        Value::TinyInt(types::scale(sql_type) as u8),
        collation,
        bit(nullable),
        bit(true),
        bit(false),
        bit(identity),
        bit(false),
        bit(false),
        bit(false),
        bit(false),
        int(default_id),
        bit(false),
        bit(false),
        Value::TinyInt(0),
        bit(false),
        bit(false),
    ]
}

fn table_columns(tables: &[Arc<Table>]) -> Vec<Vec<Value>> {
    let mut rows = Vec::new();
    for table in tables {
        for c in &table.columns {
            rows.push(column_row(
                table.object_id,
                &c.name,
                c.column_id,
                c.sql_type,
                &c.declared,
                c.nullable,
                c.identity.is_some(),
                c.default.as_ref().map_or(0, |d| d.object_id),
            ));
        }
    }
    rows
}

fn columns(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    Ok(table_columns(&all_tables(view)))
}

fn system_columns(_: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let mut rows = Vec::new();
    for v in super::all() {
        for (at, (name, sql_type)) in v.columns.iter().enumerate() {
            rows.push(column_row(
                v.object_id(),
                name,
                at as i32 + 1,
                *sql_type,
                "",
                true,
                false,
                0,
            ));
        }
    }
    Ok(rows)
}

fn all_columns(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let mut rows = table_columns(&all_tables(view));
    rows.extend(system_columns(view)?);
    Ok(rows)
}

fn indexes(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
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
                false,
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
                i.sequential_key,
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
    sequential: bool,
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
        Value::TinyInt(0),
        bit(false),
        bit(false),
        bit(false),
        bit(true),
        bit(true),
        bit(false),
        Value::Null,
        bit(sequential),
    ]
}

fn index_columns(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
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

fn type_rows(_: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let rows = types::TYPES
        .iter()
        .map(|(name, system, user, length, precision, scale)| {
            let texts = matches!(
                *name,
                "text" | "ntext" | "varchar" | "char" | "nvarchar" | "nchar" | "sysname"
            );
            vec![
                text(name),
                Value::TinyInt(*system),
                int(*user),
                int(4),
                Value::Null,
                Value::SmallInt(*length),
                Value::TinyInt(*precision),
                Value::TinyInt(*scale),
                if texts { text(COLLATION) } else { Value::Null },
                bit(*name != "sysname"),
                bit(false),
                bit(false),
                int(0),
                int(0),
                bit(false),
            ]
        });
    Ok(rows.collect())
}

fn schemas(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let catalog = view.database.catalog();
    Ok(catalog
        .schema_list()
        .into_iter()
        .map(|(name, id)| vec![text(name), int(id), int(if id <= 4 { id } else { 1 })])
        .collect())
}

fn key_constraints(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let catalog = view.database.catalog();
    let mut rows = Vec::new();
    for t in catalog.tables() {
        for i in t.indexes.iter().filter(|i| i.kind != KeyKind::Plain) {
            let (kind, desc) = if i.kind == KeyKind::Primary {
                ("PK", "PRIMARY_KEY_CONSTRAINT")
            } else {
                ("UQ", "UNIQUE_CONSTRAINT")
            };
            rows.push(vec![
                text(&i.name),
                int(i.constraint_id),
                int(catalog.schema_id(&t.schema).unwrap_or(1)),
                int(t.object_id),
                text(kind),
                text(desc),
                t.created.clone(),
                t.created.clone(),
                bit(false),
                int(i.index_id),
                bit(i.system_named),
            ]);
        }
    }
    Ok(rows)
}

fn default_constraints(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let catalog = view.database.catalog();
    let mut rows = Vec::new();
    for t in catalog.tables() {
        for c in &t.columns {
            let Some(d) = &c.default else { continue };
            rows.push(vec![
                text(&d.name),
                int(d.object_id),
                int(catalog.schema_id(&t.schema).unwrap_or(1)),
                int(t.object_id),
                text("D "),
                text("DEFAULT_CONSTRAINT"),
                t.created.clone(),
                t.created.clone(),
                bit(false),
                int(c.column_id),
                text(&d.text),
                bit(d.system_named),
            ]);
        }
    }
    Ok(rows)
}

fn check_constraints(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let catalog = view.database.catalog();
    let mut rows = Vec::new();
    for t in catalog.tables() {
        for c in &t.checks {
            rows.push(vec![
                text(&c.name),
                int(c.object_id),
                int(catalog.schema_id(&t.schema).unwrap_or(1)),
                int(t.object_id),
                text("C "),
                text("CHECK_CONSTRAINT"),
                t.created.clone(),
                t.created.clone(),
                bit(false),
                bit(false),
                int(0),
                text(&c.text),
                bit(c.system_named),
            ]);
        }
    }
    Ok(rows)
}

fn identity_columns(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let mut rows = Vec::new();
    let variant = |n: i64| Value::Variant(Box::new((SqlType::BigInt, Value::BigInt(n))));
    for t in all_tables(view) {
        for c in &t.columns {
            let Some(i) = &c.identity else { continue };
            let mut row = column_row(
                t.object_id,
                &c.name,
                c.column_id,
                c.sql_type,
                &c.declared,
                c.nullable,
                true,
                0,
            );
            row.extend([
                variant(i.seed),
                variant(i.increment),
                i.last().map_or(Value::Null, variant),
                bit(false),
            ]);
            rows.push(row);
        }
    }
    Ok(rows)
}

/// A number for a partition, which a table's index has one of.
fn partition_id(table: &Table, index_id: i32) -> Value {
    Value::BigInt((i64::from(table.object_id) << 16) | i64::from(index_id))
}

fn index_ids(table: &Table) -> Vec<i32> {
    let mut ids: Vec<i32> = table.indexes.iter().map(|i| i.index_id).collect();
    if !table.indexes.iter().any(|i| i.clustered) {
        ids.insert(0, 0);
    }
    ids
}

fn partitions(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
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

fn partition_stats(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
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

fn parameters(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let catalog = view.database.catalog();
    let mut rows = Vec::new();
    for p in catalog.procedures() {
        for (at, parameter) in p.parameters.iter().enumerate() {
            let t = &parameter.type_name;
            let sql_type = crate::eval::types::resolve_type(&t.name, &t.arguments, t.max)?;
            let name = types::catalog_name(sql_type, &t.name.to_ascii_lowercase());
            let (system, user) = types::TYPES
                .iter()
                .find(|(n, ..)| *n == name)
                .map_or((0, 0), |t| (t.1, t.2));
            rows.push(vec![
                int(p.object_id),
                text(&parameter.name),
                int(at as i32 + 1),
                Value::TinyInt(system),
                int(user),
                Value::SmallInt(types::max_length(sql_type)),
                Value::TinyInt(types::precision(sql_type) as u8),
                Value::TinyInt(types::scale(sql_type) as u8),
                bit(parameter.output),
                bit(parameter.default.is_some()),
            ]);
        }
    }
    Ok(rows)
}

/// The views of this module.
pub(super) const ALL: &[SystemView] = &[
    SystemView {
        schema: "sys",
        name: "columns",
        database: "",
        scope: Scope::Database,
        server_state: false,
        parameters: &[],
        columns: &[
            ("object_id", SqlType::Int),
            ("name", SYSNAME),
            ("column_id", SqlType::Int),
            ("system_type_id", SqlType::TinyInt),
            ("user_type_id", SqlType::Int),
            ("max_length", SqlType::SmallInt),
            ("precision", SqlType::TinyInt),
            ("scale", SqlType::TinyInt),
            ("collation_name", SYSNAME),
            ("is_nullable", SqlType::Bit),
            ("is_ansi_padded", SqlType::Bit),
            ("is_rowguidcol", SqlType::Bit),
            ("is_identity", SqlType::Bit),
            ("is_computed", SqlType::Bit),
            ("is_filestream", SqlType::Bit),
            ("is_replicated", SqlType::Bit),
            ("is_xml_document", SqlType::Bit),
            ("default_object_id", SqlType::Int),
            ("is_sparse", SqlType::Bit),
            ("is_column_set", SqlType::Bit),
            ("generated_always_type", SqlType::TinyInt),
            ("is_hidden", SqlType::Bit),
            ("is_masked", SqlType::Bit),
        ],
        rows: columns,
    },
    SystemView {
        schema: "sys",
        name: "system_columns",
        database: "",
        scope: Scope::Database,
        server_state: false,
        parameters: &[],
        columns: &[
            ("object_id", SqlType::Int),
            ("name", SYSNAME),
            ("column_id", SqlType::Int),
            ("system_type_id", SqlType::TinyInt),
            ("user_type_id", SqlType::Int),
            ("max_length", SqlType::SmallInt),
            ("precision", SqlType::TinyInt),
            ("scale", SqlType::TinyInt),
            ("collation_name", SYSNAME),
            ("is_nullable", SqlType::Bit),
            ("is_ansi_padded", SqlType::Bit),
            ("is_rowguidcol", SqlType::Bit),
            ("is_identity", SqlType::Bit),
            ("is_computed", SqlType::Bit),
            ("is_filestream", SqlType::Bit),
            ("is_replicated", SqlType::Bit),
            ("is_xml_document", SqlType::Bit),
            ("default_object_id", SqlType::Int),
            ("is_sparse", SqlType::Bit),
            ("is_column_set", SqlType::Bit),
            ("generated_always_type", SqlType::TinyInt),
            ("is_hidden", SqlType::Bit),
            ("is_masked", SqlType::Bit),
        ],
        rows: system_columns,
    },
    SystemView {
        schema: "sys",
        name: "all_columns",
        database: "",
        scope: Scope::Database,
        server_state: false,
        parameters: &[],
        columns: &[
            ("object_id", SqlType::Int),
            ("name", SYSNAME),
            ("column_id", SqlType::Int),
            ("system_type_id", SqlType::TinyInt),
            ("user_type_id", SqlType::Int),
            ("max_length", SqlType::SmallInt),
            ("precision", SqlType::TinyInt),
            ("scale", SqlType::TinyInt),
            ("collation_name", SYSNAME),
            ("is_nullable", SqlType::Bit),
            ("is_ansi_padded", SqlType::Bit),
            ("is_rowguidcol", SqlType::Bit),
            ("is_identity", SqlType::Bit),
            ("is_computed", SqlType::Bit),
            ("is_filestream", SqlType::Bit),
            ("is_replicated", SqlType::Bit),
            ("is_xml_document", SqlType::Bit),
            ("default_object_id", SqlType::Int),
            ("is_sparse", SqlType::Bit),
            ("is_column_set", SqlType::Bit),
            ("generated_always_type", SqlType::TinyInt),
            ("is_hidden", SqlType::Bit),
            ("is_masked", SqlType::Bit),
        ],
        rows: all_columns,
    },
    SystemView {
        schema: "sys",
        name: "indexes",
        database: "",
        scope: Scope::Database,
        server_state: false,
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
        server_state: false,
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
        name: "types",
        database: "",
        scope: Scope::Database,
        server_state: false,
        parameters: &[],
        columns: &[
            ("name", SYSNAME),
            ("system_type_id", SqlType::TinyInt),
            ("user_type_id", SqlType::Int),
            ("schema_id", SqlType::Int),
            ("principal_id", SqlType::Int),
            ("max_length", SqlType::SmallInt),
            ("precision", SqlType::TinyInt),
            ("scale", SqlType::TinyInt),
            ("collation_name", SYSNAME),
            ("is_nullable", SqlType::Bit),
            ("is_user_defined", SqlType::Bit),
            ("is_assembly_type", SqlType::Bit),
            ("default_object_id", SqlType::Int),
            ("rule_object_id", SqlType::Int),
            ("is_table_type", SqlType::Bit),
        ],
        rows: type_rows,
    },
    SystemView {
        schema: "sys",
        name: "schemas",
        database: "",
        scope: Scope::Database,
        server_state: false,
        parameters: &[],
        columns: &[
            ("name", SYSNAME),
            ("schema_id", SqlType::Int),
            ("principal_id", SqlType::Int),
        ],
        rows: schemas,
    },
    SystemView {
        schema: "sys",
        name: "key_constraints",
        database: "",
        scope: Scope::Database,
        server_state: false,
        parameters: &[],
        columns: &[
            ("name", SYSNAME),
            ("object_id", SqlType::Int),
            ("schema_id", SqlType::Int),
            ("parent_object_id", SqlType::Int),
            ("type", SqlType::Char(2)),
            ("type_desc", DESC),
            ("create_date", SqlType::DateTime),
            ("modify_date", SqlType::DateTime),
            ("is_ms_shipped", SqlType::Bit),
            ("unique_index_id", SqlType::Int),
            ("is_system_named", SqlType::Bit),
        ],
        rows: key_constraints,
    },
    SystemView {
        schema: "sys",
        name: "default_constraints",
        database: "",
        scope: Scope::Database,
        server_state: false,
        parameters: &[],
        columns: &[
            ("name", SYSNAME),
            ("object_id", SqlType::Int),
            ("schema_id", SqlType::Int),
            ("parent_object_id", SqlType::Int),
            ("type", SqlType::Char(2)),
            ("type_desc", DESC),
            ("create_date", SqlType::DateTime),
            ("modify_date", SqlType::DateTime),
            ("is_ms_shipped", SqlType::Bit),
            ("parent_column_id", SqlType::Int),
            ("definition", SqlType::NVarChar(Length::Max)),
            ("is_system_named", SqlType::Bit),
        ],
        rows: default_constraints,
    },
    SystemView {
        schema: "sys",
        name: "check_constraints",
        database: "",
        scope: Scope::Database,
        server_state: false,
        parameters: &[],
        columns: &[
            ("name", SYSNAME),
            ("object_id", SqlType::Int),
            ("schema_id", SqlType::Int),
            ("parent_object_id", SqlType::Int),
            ("type", SqlType::Char(2)),
            ("type_desc", DESC),
            ("create_date", SqlType::DateTime),
            ("modify_date", SqlType::DateTime),
            ("is_ms_shipped", SqlType::Bit),
            ("is_disabled", SqlType::Bit),
            ("parent_column_id", SqlType::Int),
            ("definition", SqlType::NVarChar(Length::Max)),
            ("is_system_named", SqlType::Bit),
        ],
        rows: check_constraints,
    },
    SystemView {
        schema: "sys",
        name: "identity_columns",
        database: "",
        scope: Scope::Database,
        server_state: false,
        parameters: &[],
        columns: &[
            ("object_id", SqlType::Int),
            ("name", SYSNAME),
            ("column_id", SqlType::Int),
            ("system_type_id", SqlType::TinyInt),
            ("user_type_id", SqlType::Int),
            ("max_length", SqlType::SmallInt),
            ("precision", SqlType::TinyInt),
            ("scale", SqlType::TinyInt),
            ("collation_name", SYSNAME),
            ("is_nullable", SqlType::Bit),
            ("is_ansi_padded", SqlType::Bit),
            ("is_rowguidcol", SqlType::Bit),
            ("is_identity", SqlType::Bit),
            ("is_computed", SqlType::Bit),
            ("is_filestream", SqlType::Bit),
            ("is_replicated", SqlType::Bit),
            ("is_xml_document", SqlType::Bit),
            ("default_object_id", SqlType::Int),
            ("is_sparse", SqlType::Bit),
            ("is_column_set", SqlType::Bit),
            ("generated_always_type", SqlType::TinyInt),
            ("is_hidden", SqlType::Bit),
            ("is_masked", SqlType::Bit),
            ("seed_value", SqlType::SqlVariant),
            ("increment_value", SqlType::SqlVariant),
            ("last_value", SqlType::SqlVariant),
            ("is_not_for_replication", SqlType::Bit),
        ],
        rows: identity_columns,
    },
    SystemView {
        schema: "sys",
        name: "partitions",
        database: "",
        scope: Scope::Database,
        server_state: false,
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
        server_state: true,
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
    SystemView {
        schema: "sys",
        name: "parameters",
        database: "",
        scope: Scope::Database,
        server_state: false,
        parameters: &[],
        columns: &[
            ("object_id", SqlType::Int),
            ("name", SYSNAME),
            ("parameter_id", SqlType::Int),
            ("system_type_id", SqlType::TinyInt),
            ("user_type_id", SqlType::Int),
            ("max_length", SqlType::SmallInt),
            ("precision", SqlType::TinyInt),
            ("scale", SqlType::TinyInt),
            ("is_output", SqlType::Bit),
            ("has_default_value", SqlType::Bit),
        ],
        rows: parameters,
    },
];
