//! Constraints in `INFORMATION_SCHEMA`.

use super::{SYSNAME, Scope, SystemView, ViewContext, int, nvarchar, text};
use crate::catalog::{KeyKind, Table};
use labdb_types::{Length, SqlResult, SqlType, Value};

const fn varchar(length: u16) -> SqlType {
    SqlType::VarChar(Length::Limited(length))
}

/// There are no foreign keys and no views of the user's.
fn none(_: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    Ok(Vec::new())
}

/// Catalog, schema and name of something in a table's schema.
fn name(view: &ViewContext<'_>, table: &Table, name: &str) -> Vec<Value> {
    vec![text(view.database.name()), text(&table.schema), text(name)]
}

/// Name and kind of a table's constraints, as standard SQL knows them.
fn constraints(table: &Table) -> Vec<(&str, &'static str)> {
    let mut all = Vec::new();
    for index in &table.indexes {
        match index.kind {
            KeyKind::Primary => all.push((index.name.as_str(), "PRIMARY KEY")),
            KeyKind::Unique => all.push((index.name.as_str(), "UNIQUE")),
            KeyKind::Plain => {}
        }
    }
    all.extend(table.checks.iter().map(|c| (c.name.as_str(), "CHECK")));
    all
}

fn table_constraints(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let mut rows = Vec::new();
    for table in view.database.catalog().tables() {
        for (constraint, kind) in constraints(table) {
            let mut row = name(view, table, constraint);
            row.extend(name(view, table, &table.name));
            row.extend([text(kind), text("NO"), text("NO")]);
            rows.push(row);
        }
    }
    Ok(rows)
}

fn constraint_table_usage(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let mut rows = Vec::new();
    for table in view.database.catalog().tables() {
        for (constraint, _) in constraints(table) {
            let mut row = name(view, table, &table.name);
            row.extend(name(view, table, constraint));
            rows.push(row);
        }
    }
    Ok(rows)
}

fn key_column_usage(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let mut rows = Vec::new();
    for table in view.database.catalog().tables() {
        for index in table.indexes.iter().filter(|i| i.kind != KeyKind::Plain) {
            for (at, key) in index.keys.iter().enumerate() {
                let Some(column) = table.columns.get(key.column) else {
                    continue;
                };
                let mut row = name(view, table, &index.name);
                row.extend(name(view, table, &table.name));
                row.extend([text(&column.name), int(at as i32 + 1)]);
                rows.push(row);
            }
        }
    }
    Ok(rows)
}

fn check_constraints(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let mut rows = Vec::new();
    for table in view.database.catalog().tables() {
        for check in &table.checks {
            let mut row = name(view, table, &check.name);
            row.push(text(&check.text));
            rows.push(row);
        }
    }
    Ok(rows)
}

/// The views of this module.
pub(super) const ALL: &[SystemView] = &[
    SystemView {
        schema: "INFORMATION_SCHEMA",
        name: "TABLE_CONSTRAINTS",
        database: "",
        scope: Scope::Database,
        right: None,
        parameters: &[],
        columns: &[
            ("CONSTRAINT_CATALOG", SYSNAME),
            ("CONSTRAINT_SCHEMA", SYSNAME),
            ("CONSTRAINT_NAME", SYSNAME),
            ("TABLE_CATALOG", SYSNAME),
            ("TABLE_SCHEMA", SYSNAME),
            ("TABLE_NAME", SYSNAME),
            ("CONSTRAINT_TYPE", varchar(11)),
            ("IS_DEFERRABLE", varchar(2)),
            ("INITIALLY_DEFERRED", varchar(2)),
        ],
        rows: table_constraints,
    },
    SystemView {
        schema: "INFORMATION_SCHEMA",
        name: "KEY_COLUMN_USAGE",
        database: "",
        scope: Scope::Database,
        right: None,
        parameters: &[],
        columns: &[
            ("CONSTRAINT_CATALOG", SYSNAME),
            ("CONSTRAINT_SCHEMA", SYSNAME),
            ("CONSTRAINT_NAME", SYSNAME),
            ("TABLE_CATALOG", SYSNAME),
            ("TABLE_SCHEMA", SYSNAME),
            ("TABLE_NAME", SYSNAME),
            ("COLUMN_NAME", SYSNAME),
            ("ORDINAL_POSITION", SqlType::Int),
        ],
        rows: key_column_usage,
    },
    SystemView {
        schema: "INFORMATION_SCHEMA",
        name: "CONSTRAINT_TABLE_USAGE",
        database: "",
        scope: Scope::Database,
        right: None,
        parameters: &[],
        columns: &[
            ("TABLE_CATALOG", SYSNAME),
            ("TABLE_SCHEMA", SYSNAME),
            ("TABLE_NAME", SYSNAME),
            ("CONSTRAINT_CATALOG", SYSNAME),
            ("CONSTRAINT_SCHEMA", SYSNAME),
            ("CONSTRAINT_NAME", SYSNAME),
        ],
        rows: constraint_table_usage,
    },
    SystemView {
        schema: "INFORMATION_SCHEMA",
        name: "CHECK_CONSTRAINTS",
        database: "",
        scope: Scope::Database,
        right: None,
        parameters: &[],
        columns: &[
            ("CONSTRAINT_CATALOG", SYSNAME),
            ("CONSTRAINT_SCHEMA", SYSNAME),
            ("CONSTRAINT_NAME", SYSNAME),
            ("CHECK_CLAUSE", nvarchar(4000)),
        ],
        rows: check_constraints,
    },
    SystemView {
        schema: "INFORMATION_SCHEMA",
        name: "REFERENTIAL_CONSTRAINTS",
        database: "",
        scope: Scope::Database,
        right: None,
        parameters: &[],
        columns: &[
            ("CONSTRAINT_CATALOG", SYSNAME),
            ("CONSTRAINT_SCHEMA", SYSNAME),
            ("CONSTRAINT_NAME", SYSNAME),
            ("UNIQUE_CONSTRAINT_CATALOG", SYSNAME),
            ("UNIQUE_CONSTRAINT_SCHEMA", SYSNAME),
            ("UNIQUE_CONSTRAINT_NAME", SYSNAME),
            ("MATCH_OPTION", varchar(7)),
            ("UPDATE_RULE", varchar(11)),
            ("DELETE_RULE", varchar(11)),
        ],
        rows: none,
    },
    SystemView {
        schema: "INFORMATION_SCHEMA",
        name: "VIEWS",
        database: "",
        scope: Scope::Database,
        right: None,
        parameters: &[],
        columns: &[
            ("TABLE_CATALOG", SYSNAME),
            ("TABLE_SCHEMA", SYSNAME),
            ("TABLE_NAME", SYSNAME),
            ("VIEW_DEFINITION", nvarchar(4000)),
            ("CHECK_OPTION", varchar(7)),
            ("IS_UPDATABLE", varchar(2)),
        ],
        rows: none,
    },
];
