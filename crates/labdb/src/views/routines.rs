//! Procedures and their parameters in `INFORMATION_SCHEMA`.

use super::{SYSNAME, Scope, SystemView, ViewContext, int, nvarchar, small, text};
use crate::eval::types::{is_binary, is_number, is_temporal, is_text, is_unicode, text_length};
use labdb_types::{SqlResult, SqlType, Value};

fn nulls(row: &mut Vec<Value>, count: usize) {
    row.extend(std::iter::repeat_n(Value::Null, count));
}

fn routines(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let database = view.database.name();
    Ok(view
        .database
        .catalog()
        .procedures()
        .map(|p| {
            let mut row = Vec::new();
            for _ in 0..2 {
                row.extend([text(&database), text(&p.schema), text(&p.name)]);
            }
            row.push(text("PROCEDURE"));
            // Modules, types, scopes: a procedure has none.
            nulls(&mut row, 29);
            row.push(text("SQL"));
            row.push(text(p.text.chars().take(4000).collect::<String>()));
            nulls(&mut row, 3);
            row.extend([text("NO"), text("MODIFIES")]);
            nulls(&mut row, 2);
            row.extend([text("YES"), small(-1), text("NO"), text("NO")]);
            row.extend([p.created.clone(), p.created.clone()]);
            row
        })
        .collect())
}

fn parameters(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let database = view.database.name();
    let mut rows = Vec::new();
    for p in view.database.catalog().procedures() {
        for (at, parameter) in p.parameters.iter().enumerate() {
            let t = &parameter.type_name;
            let kind = crate::eval::types::resolve_type(&t.name, &t.arguments, t.max)?;
            let or_null = |known: bool, value: Value| if known { value } else { Value::Null };
            let characters = is_text(kind) || is_binary(kind);
            let length = text_length(kind).map_or(-1, i64::from);
            let octets = if is_unicode(kind) && length > 0 {
                length * 2
            } else {
                length
            };
            let numeric = is_number(kind) && kind != SqlType::Bit;
            let exact = numeric && !matches!(kind, SqlType::Real | SqlType::Float);
            rows.push(vec![
                text(&database),
                text(&p.schema),
                text(&p.name),
                int(at as i32 + 1),
                text(if parameter.output { "INOUT" } else { "IN" }),
                text("NO"),
                text("NO"),
                text(&parameter.name),
                text(
                    match super::types::catalog_name(kind, &t.name.to_ascii_lowercase()) {
                        "sysname" => "nvarchar",
                        other => other,
                    },
                ),
                or_null(characters, int(length)),
                or_null(characters, int(octets)),
                Value::Null,
                Value::Null,
                or_null(is_text(kind), text(crate::functions::COLLATION)),
                Value::Null,
                Value::Null,
                or_null(
                    is_text(kind),
                    text(if is_unicode(kind) { "UNICODE" } else { "iso_1" }),
                ),
                or_null(numeric, Value::TinyInt(super::types::precision(kind) as u8)),
                or_null(numeric, small(if exact { 10 } else { 2 })),
                or_null(exact, int(super::types::scale(kind))),
                or_null(is_temporal(kind), small(super::types::scale(kind))),
                Value::Null,
                Value::Null,
                Value::Null,
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

/// The views of this module.
pub(super) const ALL: &[SystemView] = &[
    SystemView {
        schema: "INFORMATION_SCHEMA",
        name: "ROUTINES",
        database: "",
        scope: Scope::Database,
        right: None,
        parameters: &[],
        columns: &[
            ("SPECIFIC_CATALOG", SYSNAME),
            ("SPECIFIC_SCHEMA", SYSNAME),
            ("SPECIFIC_NAME", SYSNAME),
            ("ROUTINE_CATALOG", SYSNAME),
            ("ROUTINE_SCHEMA", SYSNAME),
            ("ROUTINE_NAME", SYSNAME),
            ("ROUTINE_TYPE", nvarchar(20)),
            ("MODULE_CATALOG", SYSNAME),
            ("MODULE_SCHEMA", SYSNAME),
            ("MODULE_NAME", SYSNAME),
            ("UDT_CATALOG", SYSNAME),
            ("UDT_SCHEMA", SYSNAME),
            ("UDT_NAME", SYSNAME),
            ("DATA_TYPE", SYSNAME),
            ("CHARACTER_MAXIMUM_LENGTH", SqlType::Int),
            ("CHARACTER_OCTET_LENGTH", SqlType::Int),
            ("COLLATION_CATALOG", SYSNAME),
            ("COLLATION_SCHEMA", SYSNAME),
            ("COLLATION_NAME", SYSNAME),
            ("CHARACTER_SET_CATALOG", SYSNAME),
            ("CHARACTER_SET_SCHEMA", SYSNAME),
            ("CHARACTER_SET_NAME", SYSNAME),
            ("NUMERIC_PRECISION", SqlType::SmallInt),
            ("NUMERIC_PRECISION_RADIX", SqlType::SmallInt),
            ("NUMERIC_SCALE", SqlType::SmallInt),
            ("DATETIME_PRECISION", SqlType::SmallInt),
            ("INTERVAL_TYPE", nvarchar(30)),
            ("INTERVAL_PRECISION", SqlType::SmallInt),
            ("TYPE_UDT_CATALOG", SYSNAME),
            ("TYPE_UDT_SCHEMA", SYSNAME),
            ("TYPE_UDT_NAME", SYSNAME),
            ("SCOPE_CATALOG", SYSNAME),
            ("SCOPE_SCHEMA", SYSNAME),
            ("SCOPE_NAME", SYSNAME),
            ("MAXIMUM_CARDINALITY", SqlType::BigInt),
            ("DTD_IDENTIFIER", SYSNAME),
            ("ROUTINE_BODY", nvarchar(30)),
            ("ROUTINE_DEFINITION", nvarchar(4000)),
            ("EXTERNAL_NAME", SYSNAME),
            ("EXTERNAL_LANGUAGE", nvarchar(30)),
            ("PARAMETER_STYLE", nvarchar(30)),
            ("IS_DETERMINISTIC", nvarchar(10)),
            ("SQL_DATA_ACCESS", nvarchar(30)),
            ("IS_NULL_CALL", nvarchar(10)),
            ("SQL_PATH", SYSNAME),
            ("SCHEMA_LEVEL_ROUTINE", nvarchar(10)),
            ("MAX_DYNAMIC_RESULT_SETS", SqlType::SmallInt),
            ("IS_USER_DEFINED_CAST", nvarchar(10)),
            ("IS_IMPLICITLY_INVOCABLE", nvarchar(10)),
            ("CREATED", SqlType::DateTime),
            ("LAST_ALTERED", SqlType::DateTime),
        ],
        rows: routines,
    },
    SystemView {
        schema: "INFORMATION_SCHEMA",
        name: "PARAMETERS",
        database: "",
        scope: Scope::Database,
        right: None,
        parameters: &[],
        columns: &[
            ("SPECIFIC_CATALOG", SYSNAME),
            ("SPECIFIC_SCHEMA", SYSNAME),
            ("SPECIFIC_NAME", SYSNAME),
            ("ORDINAL_POSITION", SqlType::Int),
            ("PARAMETER_MODE", nvarchar(10)),
            ("IS_RESULT", nvarchar(10)),
            ("AS_LOCATOR", nvarchar(10)),
            ("PARAMETER_NAME", SYSNAME),
            ("DATA_TYPE", SYSNAME),
            ("CHARACTER_MAXIMUM_LENGTH", SqlType::Int),
            ("CHARACTER_OCTET_LENGTH", SqlType::Int),
            ("COLLATION_CATALOG", SYSNAME),
            ("COLLATION_SCHEMA", SYSNAME),
            ("COLLATION_NAME", SYSNAME),
            ("CHARACTER_SET_CATALOG", SYSNAME),
            ("CHARACTER_SET_SCHEMA", SYSNAME),
            ("CHARACTER_SET_NAME", SYSNAME),
            ("NUMERIC_PRECISION", SqlType::TinyInt),
            ("NUMERIC_PRECISION_RADIX", SqlType::SmallInt),
            ("NUMERIC_SCALE", SqlType::Int),
            ("DATETIME_PRECISION", SqlType::SmallInt),
            ("INTERVAL_TYPE", nvarchar(30)),
            ("INTERVAL_PRECISION", SqlType::SmallInt),
            ("USER_DEFINED_TYPE_CATALOG", SYSNAME),
            ("USER_DEFINED_TYPE_SCHEMA", SYSNAME),
            ("USER_DEFINED_TYPE_NAME", SYSNAME),
            ("SCOPE_CATALOG", SYSNAME),
            ("SCOPE_SCHEMA", SYSNAME),
            ("SCOPE_NAME", SYSNAME),
        ],
        rows: parameters,
    },
];
