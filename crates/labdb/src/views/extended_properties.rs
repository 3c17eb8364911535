//! Extended properties.

use super::{DESC, SYSNAME, Scope, SystemView, ViewContext, int, text};
use labdb_types::{SqlResult, SqlType, Value};

pub(super) fn properties(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let catalog = view.database.catalog();
    Ok(catalog
        .properties
        .iter()
        .map(|(p, _)| {
            let desc = if p.class == 0 {
                "DATABASE"
            } else {
                "OBJECT_OR_COLUMN"
            };
            vec![
                Value::TinyInt(p.class),
                text(desc),
                int(p.major_id),
                int(p.minor_id),
                text(&p.name),
                as_variant(&p.value),
            ]
        })
        .collect())
}

fn as_variant(value: &Value) -> Value {
    match value {
        Value::Text(text) => Value::Variant(Box::new((
            crate::eval::types::text_type(true, Some(text.encode_utf16().count().max(1) as u32)),
            value.clone(),
        ))),
        other => other.clone(),
    }
}

pub(super) fn list_properties(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let argument = |at: usize| match view.arguments.get(at) {
        Some(Value::Text(text)) => Some(text.to_string()),
        _ => None,
    };
    let (name, schema, kind, object_name, column_kind, column) = (
        argument(0),
        argument(2),
        argument(3),
        argument(4),
        argument(5),
        argument(6),
    );
    let catalog = view.database.catalog();
    let mut rows = Vec::new();
    for (p, _) in &catalog.properties {
        if name
            .as_ref()
            .is_some_and(|n| !crate::eval::compare::equal_text(n, &p.name))
        {
            continue;
        }
        let (level, shown) = match (&schema, p.class) {
            (None, 0) => ("", Value::Null),
            (Some(schema), 1) => {
                let Some(object) = catalog
                    .by_id(p.major_id)
                    .filter(|o| crate::eval::compare::equal_text(o.schema(), schema))
                else {
                    continue;
                };
                if object_name
                    .as_ref()
                    .is_some_and(|n| !crate::eval::compare::equal_text(n, object.name()))
                    || kind.is_none()
                {
                    continue;
                }
                match (&column_kind, p.minor_id) {
                    (None, 0) => (
                        if matches!(object, crate::catalog::Object::Table(_)) {
                            "TABLE"
                        } else {
                            "PROCEDURE"
                        },
                        text(object.name()),
                    ),
                    (Some(_), id) if id > 0 => {
                        let crate::catalog::Object::Table(table) = object else {
                            continue;
                        };
                        let Some(found) = table.columns.iter().find(|c| c.column_id == id) else {
                            continue;
                        };
                        if column
                            .as_ref()
                            .is_some_and(|c| !crate::eval::compare::equal_text(c, &found.name))
                        {
                            continue;
                        }
                        ("COLUMN", text(&found.name))
                    }
                    _ => continue,
                }
            }
            _ => continue,
        };
        rows.push(vec![
            if level.is_empty() {
                Value::Null
            } else {
                text(level)
            },
            shown,
            text(&p.name),
            as_variant(&p.value),
        ]);
    }
    Ok(rows)
}

/// The views of this module.
pub(super) const ALL: &[SystemView] = &[
    SystemView {
        schema: "sys",
        name: "extended_properties",
        database: "",
        scope: Scope::Database,
        right: None,
        parameters: &[],
        columns: &[
            ("class", SqlType::TinyInt),
            ("class_desc", DESC),
            ("major_id", SqlType::Int),
            ("minor_id", SqlType::Int),
            ("name", SYSNAME),
            ("value", SqlType::SqlVariant),
        ],
        rows: properties,
    },
    SystemView {
        schema: "sys",
        name: "fn_listextendedproperty",
        database: "",
        scope: Scope::Function,
        right: None,
        parameters: &[
            SYSNAME, SYSNAME, SYSNAME, SYSNAME, SYSNAME, SYSNAME, SYSNAME,
        ],
        columns: &[
            ("objtype", SYSNAME),
            ("objname", SYSNAME),
            ("name", SYSNAME),
            ("value", SqlType::SqlVariant),
        ],
        rows: list_properties,
    },
];
