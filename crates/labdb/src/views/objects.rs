//! Objects: `sys.objects`, `sys.all_objects`, tables, procedures, modules, properties.

use super::{DESC, SYSNAME, Scope, SystemView, ViewContext, bit, int, text};
use crate::catalog::{Catalog, KeyKind, Table};
use labdb_types::{Length, SqlResult, SqlType, Value};

/// The first twelve columns of every view of objects.
pub(super) fn object(
    name: &str,
    id: i32,
    schema: i32,
    parent: i32,
    kind: (&str, &str),
    created: &Value,
    shipped: bool,
) -> Vec<Value> {
    vec![
        text(name),
        int(id),
        Value::Null,
        int(schema),
        int(parent),
        text(format!("{:<2}", kind.0)),
        text(kind.1),
        created.clone(),
        created.clone(),
        bit(shipped),
        bit(false),
        bit(false),
    ]
}

fn schema_of(catalog: &Catalog, schema: &str) -> i32 {
    catalog.schema_id(schema).unwrap_or(1)
}

fn constraints_of(catalog: &Catalog, table: &Table) -> Vec<Vec<Value>> {
    let schema = schema_of(catalog, &table.schema);
    let mut rows = Vec::new();
    for index in table.indexes.iter().filter(|i| i.kind != KeyKind::Plain) {
        let kind = if index.kind == KeyKind::Primary {
            ("PK", "PRIMARY_KEY_CONSTRAINT")
        } else {
            ("UQ", "UNIQUE_CONSTRAINT")
        };
        rows.push(object(
            &index.name,
            index.constraint_id,
            schema,
            table.object_id,
            kind,
            &table.created,
            false,
        ));
    }
    for default in table.columns.iter().filter_map(|c| c.default.as_ref()) {
        rows.push(object(
            &default.name,
            default.object_id,
            schema,
            table.object_id,
            ("D", "DEFAULT_CONSTRAINT"),
            &table.created,
            false,
        ));
    }
    for check in &table.checks {
        rows.push(object(
            &check.name,
            check.object_id,
            schema,
            table.object_id,
            ("C", "CHECK_CONSTRAINT"),
            &table.created,
            false,
        ));
    }
    rows
}

fn user_objects(view: &ViewContext<'_>) -> Vec<Vec<Value>> {
    let catalog = view.database.catalog();
    let mut rows = Vec::new();
    for table in catalog.tables() {
        rows.push(object(
            &table.name,
            table.object_id,
            schema_of(&catalog, &table.schema),
            0,
            ("U", "USER_TABLE"),
            &table.created,
            false,
        ));
        rows.extend(constraints_of(&catalog, table));
    }
    for p in catalog.procedures() {
        rows.push(object(
            &p.name,
            p.object_id,
            schema_of(&catalog, &p.schema),
            0,
            ("P", "SQL_STORED_PROCEDURE"),
            &p.created,
            false,
        ));
    }
    rows
}

fn objects(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    Ok(user_objects(view))
}

fn system_objects(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let created = view.database.created();
    let mut rows: Vec<Vec<Value>> = super::all()
        .map(|v| {
            let schema = match v.schema {
                "sys" => 4,
                "INFORMATION_SCHEMA" => 3,
                _ => 1,
            };
            let kind = match v.object_type() {
                "IF" => ("IF", "SQL_INLINE_TABLE_VALUED_FUNCTION"),
                "U" => ("U", "USER_TABLE"),
                _ => ("V", "VIEW"),
            };
            object(v.name, v.object_id(), schema, 0, kind, &created, true)
        })
        .collect();
    for name in crate::exec::SYSTEM_PROCEDURES {
        rows.push(object(
            name,
            crate::exec::system_procedure_id(name).unwrap_or(0),
            4,
            0,
            ("P", "SQL_STORED_PROCEDURE"),
            &created,
            true,
        ));
    }
    Ok(rows)
}

fn all_objects(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let mut rows = user_objects(view);
    rows.extend(system_objects(view)?);
    Ok(rows)
}

fn tables(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let catalog = view.database.catalog();
    let mut rows = Vec::new();
    let temp: Vec<_> = if view.database.id == 2 {
        view.session
            .temp_tables
            .borrow()
            .values()
            .map(|(t, _)| std::sync::Arc::clone(t))
            .collect()
    } else {
        Vec::new()
    };
    for table in catalog.tables().chain(&temp) {
        let mut row = object(
            &table.name,
            table.object_id,
            schema_of(&catalog, &table.schema),
            0,
            ("U", "USER_TABLE"),
            &table.created,
            false,
        );
        let last = table.columns.iter().map(|c| c.column_id).max().unwrap_or(0);
        row.extend([
            int(0),
            Value::Null,
            int(last),
            bit(false),
            bit(true),
            bit(false),
            bit(false),
            Value::TinyInt(0),
            text("SCHEMA_AND_DATA"),
            Value::TinyInt(0),
            text("NON_TEMPORAL_TABLE"),
            bit(false),
        ]);
        rows.push(row);
    }
    Ok(rows)
}

fn procedures(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let catalog = view.database.catalog();
    Ok(catalog
        .procedures()
        .map(|p| {
            let mut row = object(
                &p.name,
                p.object_id,
                schema_of(&catalog, &p.schema),
                0,
                ("P", "SQL_STORED_PROCEDURE"),
                &p.created,
                false,
            );
            row.extend([bit(false), bit(false), bit(false), bit(false)]);
            row
        })
        .collect())
}

fn modules(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let catalog = view.database.catalog();
    Ok(catalog
        .procedures()
        .map(|p| {
            vec![
                int(p.object_id),
                text(&p.text),
                bit(true),
                bit(true),
                bit(false),
                bit(false),
                bit(false),
            ]
        })
        .collect())
}

/// The views of this module.
pub(super) const ALL: &[SystemView] = &[
    SystemView {
        schema: "sys",
        name: "objects",
        database: "",
        scope: Scope::Database,
        right: None,
        parameters: &[],
        columns: &[
            ("name", SYSNAME),
            ("object_id", SqlType::Int),
            ("principal_id", SqlType::Int),
            ("schema_id", SqlType::Int),
            ("parent_object_id", SqlType::Int),
            ("type", SqlType::Char(2)),
            ("type_desc", DESC),
            ("create_date", SqlType::DateTime),
            ("modify_date", SqlType::DateTime),
            ("is_ms_shipped", SqlType::Bit),
            ("is_published", SqlType::Bit),
            ("is_schema_published", SqlType::Bit),
        ],
        rows: objects,
    },
    SystemView {
        schema: "sys",
        name: "system_objects",
        database: "",
        scope: Scope::Database,
        right: None,
        parameters: &[],
        columns: &[
            ("name", SYSNAME),
            ("object_id", SqlType::Int),
            ("principal_id", SqlType::Int),
            ("schema_id", SqlType::Int),
            ("parent_object_id", SqlType::Int),
            ("type", SqlType::Char(2)),
            ("type_desc", DESC),
            ("create_date", SqlType::DateTime),
            ("modify_date", SqlType::DateTime),
            ("is_ms_shipped", SqlType::Bit),
            ("is_published", SqlType::Bit),
            ("is_schema_published", SqlType::Bit),
        ],
        rows: system_objects,
    },
    SystemView {
        schema: "sys",
        name: "all_objects",
        database: "",
        scope: Scope::Database,
        right: None,
        parameters: &[],
        columns: &[
            ("name", SYSNAME),
            ("object_id", SqlType::Int),
            ("principal_id", SqlType::Int),
            ("schema_id", SqlType::Int),
            ("parent_object_id", SqlType::Int),
            ("type", SqlType::Char(2)),
            ("type_desc", DESC),
            ("create_date", SqlType::DateTime),
            ("modify_date", SqlType::DateTime),
            ("is_ms_shipped", SqlType::Bit),
            ("is_published", SqlType::Bit),
            ("is_schema_published", SqlType::Bit),
        ],
        rows: all_objects,
    },
    SystemView {
        schema: "sys",
        name: "tables",
        database: "",
        scope: Scope::Database,
        right: None,
        parameters: &[],
        columns: &[
            ("name", SYSNAME),
            ("object_id", SqlType::Int),
            ("principal_id", SqlType::Int),
            ("schema_id", SqlType::Int),
            ("parent_object_id", SqlType::Int),
            ("type", SqlType::Char(2)),
            ("type_desc", DESC),
            ("create_date", SqlType::DateTime),
            ("modify_date", SqlType::DateTime),
            ("is_ms_shipped", SqlType::Bit),
            ("is_published", SqlType::Bit),
            ("is_schema_published", SqlType::Bit),
            ("lob_data_space_id", SqlType::Int),
            ("filestream_data_space_id", SqlType::Int),
            ("max_column_id_used", SqlType::Int),
            ("lock_on_bulk_load", SqlType::Bit),
            ("uses_ansi_nulls", SqlType::Bit),
            ("is_replicated", SqlType::Bit),
            ("is_memory_optimized", SqlType::Bit),
            ("durability", SqlType::TinyInt),
            ("durability_desc", DESC),
            ("temporal_type", SqlType::TinyInt),
            ("temporal_type_desc", DESC),
            ("is_external", SqlType::Bit),
        ],
        rows: tables,
    },
    SystemView {
        schema: "sys",
        name: "procedures",
        database: "",
        scope: Scope::Database,
        right: None,
        parameters: &[],
        columns: &[
            ("name", SYSNAME),
            ("object_id", SqlType::Int),
            ("principal_id", SqlType::Int),
            ("schema_id", SqlType::Int),
            ("parent_object_id", SqlType::Int),
            ("type", SqlType::Char(2)),
            ("type_desc", DESC),
            ("create_date", SqlType::DateTime),
            ("modify_date", SqlType::DateTime),
            ("is_ms_shipped", SqlType::Bit),
            ("is_published", SqlType::Bit),
            ("is_schema_published", SqlType::Bit),
            ("is_auto_executed", SqlType::Bit),
            ("is_execution_replicated", SqlType::Bit),
            ("is_repl_serializable_only", SqlType::Bit),
            ("skips_repl_constraints", SqlType::Bit),
        ],
        rows: procedures,
    },
    SystemView {
        schema: "sys",
        name: "sql_modules",
        database: "",
        scope: Scope::Database,
        right: None,
        parameters: &[],
        columns: &[
            ("object_id", SqlType::Int),
            ("definition", SqlType::NVarChar(Length::Max)),
            ("uses_ansi_nulls", SqlType::Bit),
            ("uses_quoted_identifier", SqlType::Bit),
            ("is_schema_bound", SqlType::Bit),
            ("uses_database_collation", SqlType::Bit),
            ("is_recompiled", SqlType::Bit),
        ],
        rows: modules,
    },
];
