//! System views and table functions: one mechanism, one list. A view has its columns with exact
//! names and types and a function that makes its rows from what is true at the moment.

mod backups;
mod columns;
mod constraints;
mod databases;
mod empty;
mod extended_properties;
mod files;
mod indexes;
mod information_schema;
mod information_schema_keys;
mod logs;
mod objects;
mod performance;
mod routines;
mod schemas;
pub mod security;
mod sessions;
mod spt_values;
mod system;
mod transactions;
pub mod types;
mod waits;

use crate::catalog::fold;
use crate::instance::{Database, Instance, ServerPermission};
use crate::plan::{Context, Typed};
use crate::session::Session;
use labdb_tsql::ast::ObjectName;
use labdb_types::{Column, Length, SqlError, SqlResult, SqlType, Value};
use std::sync::Arc;

/// What a view's rows depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The instance.
    Server,
    /// One database: the current one, or the one that the name says.
    Database,
    /// Its arguments.
    Function,
}

/// A system view or table function.
pub struct SystemView {
    /// `sys`, `dbo` (in msdb), `INFORMATION_SCHEMA`.
    pub schema: &'static str,
    /// Its name.
    pub name: &'static str,
    /// The one database it is in; empty for all.
    pub database: &'static str,
    /// What its rows depend on.
    pub scope: Scope,
    /// The permission that it needs.
    pub right: Option<ServerPermission>,
    /// A function's parameters.
    pub parameters: &'static [SqlType],
    /// Its columns: name and type.
    pub columns: &'static [(&'static str, SqlType)],
    /// Its rows.
    pub rows: fn(&ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>>,
}

impl std::fmt::Debug for SystemView {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.schema, self.name)
    }
}

impl PartialEq for SystemView {
    fn eq(&self, other: &Self) -> bool {
        self.schema == other.schema && self.name == other.name
    }
}

/// What makes a view's rows.
pub struct ViewContext<'a> {
    /// The session that asks.
    pub session: &'a Session,
    /// The instance.
    pub instance: &'a Instance,
    /// The database of a database-scoped view; the current one otherwise.
    pub database: Arc<Database>,
    /// A function's arguments.
    pub arguments: &'a [Value],
}

impl ViewContext<'_> {
    /// The databases that a function's first argument means: all for NULL.
    fn databases(&self) -> Vec<Arc<Database>> {
        match self
            .arguments
            .first()
            .and_then(crate::eval::convert::as_i64)
        {
            Some(id) => self
                .instance
                .database_by_id(id as i32)
                .into_iter()
                .collect(),
            None => self.instance.databases(),
        }
    }

    /// A function's argument as a number.
    fn number(&self, at: usize) -> Option<i64> {
        self.arguments
            .get(at)
            .and_then(crate::eval::convert::as_i64)
    }
}

impl SystemView {
    /// Its columns as a query has them.
    pub fn columns(&self) -> Vec<Column> {
        self.columns
            .iter()
            .map(|(name, sql_type)| Column::new(*name, *sql_type))
            .collect()
    }

    /// `V`, `IF` or `U`, as `sys.all_objects.type` has it.
    pub fn object_type(&self) -> &'static str {
        match (self.scope, self.database) {
            (Scope::Function, _) => "IF",
            (_, "msdb") => "U",
            _ => "V",
        }
    }

    /// A negative object id that follows from the name.
    pub fn object_id(&self) -> i32 {
        let name = format!("{}.{}", self.schema, self.name);
        let hash = name.bytes().fold(0x811c_9dc5_u32, |h, b| {
            (h ^ u32::from(b)).wrapping_mul(0x0100_0193)
        });
        -((hash & 0x3fff_ffff) as i32) - 1
    }
}

/// All views and functions.
pub fn all() -> impl Iterator<Item = &'static SystemView> {
    [
        backups::ALL,
        schemas::ALL,
        constraints::ALL,
        indexes::ALL,
        columns::ALL,
        databases::ALL,
        empty::ALL,
        files::ALL,
        information_schema::ALL,
        information_schema_keys::ALL,
        routines::ALL,
        logs::ALL,
        objects::ALL,
        extended_properties::ALL,
        performance::ALL,
        security::ALL,
        sessions::ALL,
        spt_values::ALL,
        system::ALL,
        transactions::ALL,
        waits::ALL,
    ]
    .into_iter()
    .flatten()
}

/// A view by schema and name.
pub fn find(schema: &str, name: &str) -> Option<&'static SystemView> {
    all().find(|v| v.schema.eq_ignore_ascii_case(schema) && v.name.eq_ignore_ascii_case(name))
}

/// A view as a database sees it; without a schema only those of `dbo`.
pub fn find_in(
    database: &Database,
    schema: Option<&str>,
    name: &str,
) -> Option<&'static SystemView> {
    let view = find(schema.unwrap_or("dbo"), name).filter(|v| v.scope != Scope::Function)?;
    (view.database.is_empty() || fold(&database.name()) == view.database).then_some(view)
}

/// A table function.
pub fn find_function(schema: &str, name: &str) -> Option<&'static SystemView> {
    find(schema, name).filter(|v| v.scope == Scope::Function)
}

/// A function's arguments, converted.
pub(crate) fn bind_arguments(view: &SystemView, arguments: Vec<Typed>) -> SqlResult<Vec<Typed>> {
    if arguments.len() < view.parameters.len() {
        return Err(SqlError::new(
            313,
            format!(
                "An insufficient number of arguments were supplied for the procedure or function \
                 {}.{}.",
                view.schema, view.name
            ),
        )
        .state(3));
    }
    if arguments.len() > view.parameters.len() {
        return Err(SqlError::new(
            8144,
            format!(
                "Procedure or function {}.{} has too many arguments specified.",
                view.schema, view.name
            ),
        )
        .state(3));
    }
    arguments
        .into_iter()
        .zip(view.parameters)
        .map(|(a, t)| a.coerced(*t))
        .collect()
}

/// The database of a database-scoped view, as its hidden argument.
pub(crate) fn database_argument(
    view: &SystemView,
    name: &ObjectName,
    session: &Session,
) -> SqlResult<Vec<Typed>> {
    if view.scope != Scope::Database {
        return Ok(Vec::new());
    }
    let id = match name.database() {
        Some(database) => session.instance.database(database).map_or(0, |d| d.id),
        None => session.database_id(),
    };
    Ok(vec![Typed::constant(Value::Int(id), SqlType::Int)])
}

/// The rows of a view.
pub(crate) fn rows(
    view: &SystemView,
    ctx: &Context<'_>,
    arguments: &[Value],
) -> SqlResult<Vec<Vec<Value>>> {
    let session = ctx.session;
    if let Some(right) = view.right
        && !crate::exec::catalog_procedures::is_system(ctx.frame.procedure_id)
    {
        crate::exec::permission::require_server(session, right)?;
    }
    let database = match (view.scope, arguments.first()) {
        (Scope::Database, Some(Value::Int(id))) => session
            .instance
            .database_by_id(*id)
            .unwrap_or_else(|| session.database()),
        _ => session.database(),
    };
    (view.rows)(&ViewContext {
        session,
        instance: &session.instance,
        database,
        arguments,
    })
}

const PERFORMANCE: ServerPermission = ServerPermission::ViewServerPerformanceState;
const SECURITY: ServerPermission = ServerPermission::ViewServerSecurityState;

const fn nvarchar(length: u16) -> SqlType {
    SqlType::NVarChar(Length::Limited(length))
}
const SYSNAME: SqlType = nvarchar(128);
const DESC: SqlType = nvarchar(60);
const LSN: SqlType = SqlType::Decimal {
    precision: 25,
    scale: 0,
};

fn text(value: impl AsRef<str>) -> Value {
    Value::text(value)
}
fn int(value: impl Into<i64>) -> Value {
    Value::Int(i32::try_from(value.into()).unwrap_or(i32::MAX))
}
fn small(value: impl Into<i64>) -> Value {
    Value::SmallInt(i16::try_from(value.into()).unwrap_or(i16::MAX))
}
fn big(value: u64) -> Value {
    Value::BigInt(i64::try_from(value).unwrap_or(i64::MAX))
}
fn bit(value: bool) -> Value {
    Value::Bit(value)
}
fn lsn(value: labdb_storage::Lsn) -> Value {
    Value::Decimal(labdb_types::Decimal::new(
        i128::try_from(value.to_numeric()).unwrap_or(0),
        0,
    ))
}
fn guid(bits: u128) -> Value {
    Value::Uuid(bits.to_be_bytes())
}
fn ms(nanoseconds: u64) -> Value {
    big(nanoseconds / 1_000_000)
}
fn datetime(time: std::time::SystemTime) -> Value {
    crate::eval::calendar::datetime_from_system(time)
}
/// Blank-padded text.
fn padded(value: &str, length: usize) -> Value {
    text(format!("{value:<length$}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_view_has_a_name_and_an_id_of_its_own() {
        let mut names = std::collections::HashSet::new();
        let mut ids = std::collections::HashSet::new();
        for view in all() {
            assert!(names.insert(format!("{}.{}", view.schema, view.name)));
            assert!(ids.insert(view.object_id()));
            let columns: std::collections::HashSet<_> =
                view.columns.iter().map(|(n, _)| *n).collect();
            assert_eq!(columns.len(), view.columns.len(), "{view:?}");
        }
    }
}
