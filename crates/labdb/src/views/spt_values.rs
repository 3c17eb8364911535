//! `master.dbo.spt_values`: undocumented in SQL Server, and the numbers table of many scripts. Only
//! its numbers (type P) are here.

use super::{Scope, SystemView, ViewContext, int, nvarchar, text};
use labdb_types::{SqlResult, SqlType, Value};

fn numbers(_: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    Ok((0_i64..2048)
        .map(|n| {
            vec![
                Value::Null,
                int(n),
                text("P  "),
                int(n / 8 + 1),
                int(1_i64 << (n % 8)),
                int(0),
            ]
        })
        .collect())
}

/// The views of this module.
pub(super) const ALL: &[SystemView] = &[SystemView {
    schema: "dbo",
    name: "spt_values",
    database: "master",
    scope: Scope::Server,
    right: None,
    parameters: &[],
    columns: &[
        ("name", nvarchar(35)),
        ("number", SqlType::Int),
        ("type", SqlType::NChar(3)),
        ("low", SqlType::Int),
        ("high", SqlType::Int),
        ("status", SqlType::Int),
    ],
    rows: numbers,
}];
