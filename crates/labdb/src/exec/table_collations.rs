//! `sp_tablecollations_100`: the collations of a table's text columns, which bulk loaders ask for
//! before they send rows.

use super::Executor;
use super::parameters::{Argument, Returned};
use super::properties::text;
use crate::bind::{Binder, TableUse};
use crate::catalog::DataPermission;
use crate::eval::types;
use crate::session::Command;
use labdb_tsql::ast::ObjectName;
use labdb_types::{Column, Length, SqlResult, SqlType, Value};

/// The one collation on the wire: LCID 0x0409, comparison flags, sort order 52.
const WIRE_COLLATION: [u8; 5] = [0x09, 0x04, 0xD0, 0x00, 0x34];

/// Runs the procedure for a table whose name may begin with a dot, as clients write it. `database`
/// is the one in which the procedure was called.
pub(super) fn run(
    executor: &mut Executor<'_>,
    database: Option<&str>,
    arguments: &[Argument],
) -> SqlResult<Returned> {
    let name = text(arguments, "@object", 0)?.unwrap_or_default();
    let mut parts = crate::functions::split_name(name.trim_start_matches('.'));
    if let Some(database) = database
        && parts.len() <= 2
    {
        while parts.len() < 2 {
            parts.insert(0, String::new());
        }
        parts.insert(0, database.to_owned());
    }
    let table = Binder::new(executor.session, executor.frame).table(
        &ObjectName { parts },
        TableUse::Data(DataPermission::Insert),
    )?;
    let collation = SqlType::NVarChar(Length::Limited(128));
    executor.client.columns(&[
        Column::new("colid", SqlType::Int),
        Column::new("name", SqlType::NVarChar(Length::Limited(128))),
        Column::new("tds_collation", SqlType::Binary(5)),
        Column::new("collation", collation),
    ])?;
    let mut count = 0;
    for (column, id) in table.columns.iter().zip(1_i32..) {
        let (wire, name) = if types::is_text(column.sql_type) {
            (
                Value::Binary(WIRE_COLLATION.as_slice().into()),
                Value::text("SQL_Latin1_General_CP1_CI_AS"),
            )
        } else {
            (Value::Null, Value::Null)
        };
        executor
            .client
            .row(&[Value::Int(id), Value::text(&column.name), wire, name])?;
        count += 1;
    }
    executor.finish(Command::Select, count)?;
    Ok(Returned {
        status: Some(0),
        outputs: Vec::new(),
    })
}
