//! `INFORMATION_SCHEMA`.

use super::{SYSNAME, Scope, SystemView, ViewContext, int, nvarchar, small, text};
use crate::eval::types::{is_binary, is_number, is_temporal, is_text, is_unicode, text_length};
use labdb_types::{Length, SqlResult, SqlType, Value};

fn tables(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let database = view.database.name();
    Ok(view
        .database
        .catalog()
        .tables()
        .map(|t| {
            vec![
                text(&database),
                text(&t.schema),
                text(&t.name),
                text("BASE TABLE"),
            ]
        })
        .collect())
}

fn columns(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let database = view.database.name();
    let mut rows = Vec::new();
    for t in view.database.catalog().tables() {
        for (at, c) in t.columns.iter().enumerate() {
            let kind = c.sql_type;
            let characters = is_text(kind) || is_binary(kind);
            let length = match (characters, text_length(kind)) {
                (false, _) => Value::Null,
                (true, Some(n)) => int(n),
                (true, None) => int(-1),
            };
            let octets = match (characters, text_length(kind)) {
                (false, _) => Value::Null,
                (true, Some(n)) => int(i64::from(n) * if is_unicode(kind) { 2 } else { 1 }),
                (true, None) => int(-1),
            };
            let numeric = is_number(kind) && kind != SqlType::Bit;
            let exact = numeric && !matches!(kind, SqlType::Real | SqlType::Float);
            rows.push(vec![
                text(&database),
                text(&t.schema),
                text(&t.name),
                text(&c.name),
                int(at as i32 + 1),
                c.default.as_ref().map_or(Value::Null, |d| text(&d.text)),
                text(if c.nullable { "YES" } else { "NO" }),
                text(match super::types::catalog_name(kind, &c.declared) {
                    "sysname" => "nvarchar",
                    other => other,
                }),
                length,
                octets,
                if numeric {
                    Value::TinyInt(super::types::precision(kind) as u8)
                } else {
                    Value::Null
                },
                if exact {
                    small(10)
                } else if numeric {
                    small(2)
                } else {
                    Value::Null
                },
                if exact {
                    int(super::types::scale(kind))
                } else {
                    Value::Null
                },
                if is_temporal(kind) {
                    small(super::types::scale(kind))
                } else {
                    Value::Null
                },
                Value::Null,
                Value::Null,
                if is_text(kind) {
                    text(if is_unicode(kind) { "UNICODE" } else { "iso_1" })
                } else {
                    Value::Null
                },
                Value::Null,
                Value::Null,
                if is_text(kind) {
                    text(crate::functions::COLLATION)
                } else {
                    Value::Null
                },
                Value::Null,
                Value::Null,
                Value::Null,
            ]);
        }
    }
    Ok(rows)
}

fn schemata(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let database = view.database.name();
    Ok(view
        .database
        .catalog()
        .schema_list()
        .into_iter()
        .map(|(name, _)| {
            vec![
                text(&database),
                text(name),
                text("dbo"),
                Value::Null,
                Value::Null,
                text("iso_1"),
            ]
        })
        .collect())
}

/// The views of this module.
pub(super) const ALL: &[SystemView] = &[
    SystemView {
        schema: "INFORMATION_SCHEMA",
        name: "TABLES",
        database: "",
        scope: Scope::Database,
        right: None,
        parameters: &[],
        columns: &[
            ("TABLE_CATALOG", SYSNAME),
            ("TABLE_SCHEMA", SYSNAME),
            ("TABLE_NAME", SYSNAME),
            ("TABLE_TYPE", SqlType::VarChar(Length::Limited(10))),
        ],
        rows: tables,
    },
    SystemView {
        schema: "INFORMATION_SCHEMA",
        name: "COLUMNS",
        database: "",
        scope: Scope::Database,
        right: None,
        parameters: &[],
        columns: &[
            ("TABLE_CATALOG", SYSNAME),
            ("TABLE_SCHEMA", SYSNAME),
            ("TABLE_NAME", SYSNAME),
            ("COLUMN_NAME", SYSNAME),
            ("ORDINAL_POSITION", SqlType::Int),
            ("COLUMN_DEFAULT", nvarchar(4000)),
            ("IS_NULLABLE", SqlType::VarChar(Length::Limited(3))),
            ("DATA_TYPE", SYSNAME),
            ("CHARACTER_MAXIMUM_LENGTH", SqlType::Int),
            ("CHARACTER_OCTET_LENGTH", SqlType::Int),
            ("NUMERIC_PRECISION", SqlType::TinyInt),
            ("NUMERIC_PRECISION_RADIX", SqlType::SmallInt),
            ("NUMERIC_SCALE", SqlType::Int),
            ("DATETIME_PRECISION", SqlType::SmallInt),
            ("CHARACTER_SET_CATALOG", SYSNAME),
            ("CHARACTER_SET_SCHEMA", SYSNAME),
            ("CHARACTER_SET_NAME", SYSNAME),
            ("COLLATION_CATALOG", SYSNAME),
            ("COLLATION_SCHEMA", SYSNAME),
            ("COLLATION_NAME", SYSNAME),
            ("DOMAIN_CATALOG", SYSNAME),
            ("DOMAIN_SCHEMA", SYSNAME),
            ("DOMAIN_NAME", SYSNAME),
        ],
        rows: columns,
    },
    SystemView {
        schema: "INFORMATION_SCHEMA",
        name: "SCHEMATA",
        database: "",
        scope: Scope::Database,
        right: None,
        parameters: &[],
        columns: &[
            ("CATALOG_NAME", SYSNAME),
            ("SCHEMA_NAME", SYSNAME),
            ("SCHEMA_OWNER", SYSNAME),
            (
                "DEFAULT_CHARACTER_SET_CATALOG",
                SqlType::VarChar(Length::Limited(6)),
            ),
            (
                "DEFAULT_CHARACTER_SET_SCHEMA",
                SqlType::VarChar(Length::Limited(3)),
            ),
            ("DEFAULT_CHARACTER_SET_NAME", SYSNAME),
        ],
        rows: schemata,
    },
];
