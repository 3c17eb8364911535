//! Columns and parameters.

use super::{DESC, SYSNAME, Scope, SystemView, ViewContext, bit, int, nvarchar, text, types};
use crate::catalog::Table;
use crate::functions::COLLATION;
use labdb_types::{SqlResult, SqlType, Value};
use std::sync::Arc;

/// The tables of the database; in tempdb also the session's own.
pub(super) fn all_tables(view: &ViewContext<'_>) -> Vec<Arc<Table>> {
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
        bit(false), // is_computed
        bit(false), // is_filestream
        bit(false), // is_replicated
        bit(false), // is_non_sql_subscribed
        bit(false), // is_merge_published
        bit(false), // is_dts_replicated
        bit(false), // is_xml_document
        int(0),     // xml_collection_id
        int(default_id),
        int(0),            // rule_object_id
        bit(false),        // is_sparse
        bit(false),        // is_column_set
        Value::TinyInt(0), // generated_always_type
        text("NOT_APPLICABLE"),
        Value::Null, // encryption
        Value::Null,
        Value::Null,
        Value::Null,
        Value::Null,
        bit(false),  // is_hidden
        bit(false),  // is_masked
        Value::Null, // graph_type
        Value::Null,
        bit(false),  // is_data_deletion_filter_column
        Value::Null, // ledger_view_column_type
        Value::Null,
        bit(false), // is_dropped_ledger_column
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

pub(super) fn columns(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    Ok(table_columns(&all_tables(view)))
}

pub(super) fn system_columns(_: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
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

pub(super) fn all_columns(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let mut rows = table_columns(&all_tables(view));
    rows.extend(system_columns(view)?);
    Ok(rows)
}

pub(super) fn identity_columns(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
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

pub(super) fn parameters(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
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
                bit(false),
                bit(false),
                bit(false),
                Value::Null,
                int(0),
                bit(false),
                bit(true),
                Value::Null,
                Value::Null,
                Value::Null,
                Value::Null,
                Value::Null,
            ]);
        }
    }
    Ok(rows)
}

/// The columns of `sys.columns`, and what a view has beside them.
macro_rules! columns {
    ($($more:expr),* $(,)?) => {
        &[
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
            ("is_non_sql_subscribed", SqlType::Bit),
            ("is_merge_published", SqlType::Bit),
            ("is_dts_replicated", SqlType::Bit),
            ("is_xml_document", SqlType::Bit),
            ("xml_collection_id", SqlType::Int),
            ("default_object_id", SqlType::Int),
            ("rule_object_id", SqlType::Int),
            ("is_sparse", SqlType::Bit),
            ("is_column_set", SqlType::Bit),
            ("generated_always_type", SqlType::TinyInt),
            ("generated_always_type_desc", DESC),
            ("encryption_type", SqlType::Int),
            ("encryption_type_desc", nvarchar(64)),
            ("encryption_algorithm_name", SYSNAME),
            ("column_encryption_key_id", SqlType::Int),
            ("column_encryption_key_database_name", SYSNAME),
            ("is_hidden", SqlType::Bit),
            ("is_masked", SqlType::Bit),
            ("graph_type", SqlType::Int),
            ("graph_type_desc", DESC),
            ("is_data_deletion_filter_column", SqlType::Bit),
            ("ledger_view_column_type", SqlType::Int),
            ("ledger_view_column_type_desc", DESC),
            ("is_dropped_ledger_column", SqlType::Bit),
            $($more),*
        ]
    };
}

/// The views of this module.
pub(super) const ALL: &[SystemView] = &[
    SystemView {
        schema: "sys",
        name: "columns",
        database: "",
        scope: Scope::Database,
        right: None,
        parameters: &[],
        columns: columns![],
        rows: columns,
    },
    SystemView {
        schema: "sys",
        name: "system_columns",
        database: "",
        scope: Scope::Database,
        right: None,
        parameters: &[],
        columns: columns![],
        rows: system_columns,
    },
    SystemView {
        schema: "sys",
        name: "all_columns",
        database: "",
        scope: Scope::Database,
        right: None,
        parameters: &[],
        columns: columns![],
        rows: all_columns,
    },
    SystemView {
        schema: "sys",
        name: "identity_columns",
        database: "",
        scope: Scope::Database,
        right: None,
        parameters: &[],
        columns: columns![
            ("seed_value", SqlType::SqlVariant),
            ("increment_value", SqlType::SqlVariant),
            ("last_value", SqlType::SqlVariant),
            ("is_not_for_replication", SqlType::Bit),
        ],
        rows: identity_columns,
    },
    SystemView {
        schema: "sys",
        name: "parameters",
        database: "",
        scope: Scope::Database,
        right: None,
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
            ("is_cursor_ref", SqlType::Bit),
            ("has_default_value", SqlType::Bit),
            ("is_xml_document", SqlType::Bit),
            ("default_value", SqlType::SqlVariant),
            ("xml_collection_id", SqlType::Int),
            ("is_readonly", SqlType::Bit),
            ("is_nullable", SqlType::Bit),
            ("encryption_type", SqlType::Int),
            ("encryption_type_desc", nvarchar(64)),
            ("encryption_algorithm_name", SYSNAME),
            ("column_encryption_key_id", SqlType::Int),
            ("column_encryption_key_database_name", SYSNAME),
        ],
        rows: parameters,
    },
];
