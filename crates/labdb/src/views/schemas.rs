//! Types and schemas.

use super::{SYSNAME, Scope, SystemView, ViewContext, bit, int, text, types};
use crate::functions::COLLATION;
use labdb_types::{SqlResult, SqlType, Value};

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

/// The views of this module.
pub(super) const ALL: &[SystemView] = &[
    SystemView {
        schema: "sys",
        name: "types",
        database: "",
        scope: Scope::Database,
        right: None,
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
        right: None,
        parameters: &[],
        columns: &[
            ("name", SYSNAME),
            ("schema_id", SqlType::Int),
            ("principal_id", SqlType::Int),
        ],
        rows: schemas,
    },
];
