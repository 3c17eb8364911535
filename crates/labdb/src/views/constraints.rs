//! Keys, defaults and checks.

use super::{DESC, SYSNAME, Scope, SystemView, ViewContext, bit, int, text};
use crate::catalog::KeyKind;
use labdb_types::{Length, SqlResult, SqlType, Value};

pub(super) fn key_constraints(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
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

pub(super) fn default_constraints(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
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

pub(super) fn check_constraints(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
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

/// The views of this module.
pub(super) const ALL: &[SystemView] = &[
    SystemView {
        schema: "sys",
        name: "key_constraints",
        database: "",
        scope: Scope::Database,
        right: None,
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
        right: None,
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
        right: None,
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
];
