//! System procedures.

use super::Executor;
use super::parameters::{Argument, OutputValue, Returned};
use super::properties::{self, PropertyAction, text};
use crate::catalog::fold;
use crate::session::Prepared;
use labdb_tsql::ast::{ObjectName, ProcedureParameter, StatementKind};
use labdb_types::{SqlError, SqlResult, SqlType, Value};
use std::sync::Arc;

/// The procedures, for the documentation's test.
pub const NAMES: &[&str] = &[
    "sp_addextendedproperty",
    "sp_columns",
    "sp_columns_100",
    "sp_configure",
    "sp_cycle_errorlog",
    "sp_datatype_info",
    "sp_datatype_info_100",
    "sp_datatype_info_90",
    "sp_delete_database_backuphistory",
    "sp_describe_first_result_set",
    "sp_dropextendedproperty",
    "sp_execute",
    "sp_executesql",
    "sp_fkeys",
    "sp_flush_log",
    "sp_help",
    "sp_helpdb",
    "sp_helpfile",
    "sp_pkeys",
    "sp_prepare",
    "sp_prepexec",
    "sp_readerrorlog",
    "sp_rename",
    "sp_reset_connection",
    "sp_spaceused",
    "sp_statistics",
    "sp_statistics_100",
    "sp_stored_procedures",
    "sp_tablecollations_100",
    "sp_tables",
    "sp_unprepare",
    "sp_updateextendedproperty",
    "sp_who",
    "sp_who2",
    "xp_readerrorlog",
];

/// The object ids of system procedures are this one and lower ones.
pub(super) const FIRST_OBJECT_ID: i32 = -2_000_000_000;

/// A system procedure's object id.
pub fn object_id(name: &str) -> Option<i32> {
    let at = NAMES.iter().position(|n| *n == name)?;
    Some(FIRST_OBJECT_ID - at as i32)
}

fn ok(status: i32) -> SqlResult<Returned> {
    Ok(Returned {
        status: Some(status),
        outputs: Vec::new(),
    })
}

/// Runs a system procedure; `None` where there is none of this name.
pub(crate) fn call(
    executor: &mut Executor<'_>,
    name: &ObjectName,
    arguments: &[Argument],
) -> Option<SqlResult<Returned>> {
    let lower = fold(name.object());
    let database = name.database().map(fold);
    Some(match lower.as_str() {
        "sp_executesql" => execute_sql(executor, arguments),
        "sp_prepare" => prepare(executor, arguments, false),
        "sp_prepexec" => prepare(executor, arguments, true),
        "sp_execute" => execute_prepared(executor, arguments),
        "sp_unprepare" => {
            let handle = arguments
                .first()
                .and_then(|a| a.value.as_ref())
                .and_then(crate::eval::convert::as_i64)
                .unwrap_or(0) as i32;
            executor.session.prepared.borrow_mut().remove(&handle);
            ok(0)
        }
        "sp_reset_connection" => {
            executor.session.reset(false);
            ok(0)
        }
        "sp_datatype_info" | "sp_datatype_info_90" | "sp_datatype_info_100" => {
            super::datatype_info::run(executor, arguments)
        }
        "sp_describe_first_result_set" => super::describe::run(executor, arguments),
        "sp_rename" => super::rename::run(executor, arguments),
        "sp_tablecollations_100" => {
            super::table_collations::run(executor, database.as_deref(), arguments)
        }
        "sp_flush_log" => {
            let database = executor.session.database();
            database
                .storage
                .flush_log(&*executor.session.shared)
                .map_err(|e| super::failure::storage_error(&e, &database.name()))
                .and_then(|()| ok(1))
        }
        "sp_addextendedproperty" => properties::run(executor, PropertyAction::Add, arguments),
        "sp_updateextendedproperty" => properties::run(executor, PropertyAction::Update, arguments),
        "sp_dropextendedproperty" => properties::run(executor, PropertyAction::Drop, arguments),
        "sp_readerrorlog" | "xp_readerrorlog" => super::error_log::read(executor, arguments),
        "sp_cycle_errorlog" => super::error_log::cycle(executor),
        "sp_delete_database_backuphistory" => {
            let in_msdb = database.as_deref() == Some("msdb")
                || (database.is_none() && executor.session.database_id() == 4);
            if !in_msdb {
                return None;
            }
            delete_history(executor, arguments)
        }
        _ => return None,
    })
}

/// Parses `@a int, @b nvarchar(10) OUTPUT` with the parser's own grammar of parameters.
pub(super) fn declared(text: &str) -> SqlResult<Vec<ProcedureParameter>> {
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    let batch = labdb_tsql::parse_batch(&format!("CREATE PROCEDURE p {text} AS RETURN"))?;
    match batch.statements.into_iter().next().map(|s| s.kind) {
        Some(StatementKind::CreateProcedure { parameters, .. }) => Ok(parameters),
        _ => Err(SqlError::new(102, "Incorrect syntax in a parameter declaration.").severity(15)),
    }
}

/// The text of an argument by its place: these procedures go by place whatever names a client
/// gives.
fn text_at(arguments: &[Argument], place: usize) -> SqlResult<Option<String>> {
    let unnamed: Vec<Argument> = arguments
        .iter()
        .map(|a| Argument {
            name: None,
            ..a.clone()
        })
        .collect();
    text(&unnamed, "", place)
}

/// Arguments with the place that each has in the whole call, so that outputs are told by it.
fn rest(arguments: &[Argument], from: usize) -> (Vec<Argument>, usize) {
    (arguments.get(from..).unwrap_or(&[]).to_vec(), from)
}

fn shifted(mut returned: Returned, by: usize) -> Returned {
    for (place, _) in &mut returned.outputs {
        *place += by as u16;
    }
    returned
}

fn run_text(
    executor: &mut Executor<'_>,
    statement: &str,
    parameters: &str,
    arguments: &[Argument],
    from: usize,
) -> SqlResult<Returned> {
    let parameters = declared(parameters)?;
    let (values, from) = rest(arguments, from);
    let (outcome, returned) = executor.nested(|e| e.text(statement, &parameters, &values))?;
    let mut returned = shifted(returned, from);
    if outcome == super::Outcome::Abort {
        returned.status = None;
    }
    Ok(returned)
}

fn execute_sql(executor: &mut Executor<'_>, arguments: &[Argument]) -> SqlResult<Returned> {
    let statement = text_at(arguments, 0)?.ok_or_else(|| {
        SqlError::new(
            214,
            "Procedure expects parameter '@statement' of type 'ntext/nchar/nvarchar'.",
        )
        .state(2)
    })?;
    let parameters = text_at(arguments, 1)?.unwrap_or_default();
    run_text(executor, &statement, &parameters, arguments, 2)
}

fn prepare(executor: &mut Executor<'_>, arguments: &[Argument], run: bool) -> SqlResult<Returned> {
    let parameters = text_at(arguments, 1)?.unwrap_or_default();
    let statement = text_at(arguments, 2)?.unwrap_or_default();
    executor.session.plans.borrow_mut().batch(&statement)?;
    let handle = executor.session.take_handle();
    executor.session.prepared.borrow_mut().insert(
        handle,
        Prepared {
            text: statement.clone(),
            parameters: parameters.clone(),
        },
    );
    let mut returned = if run {
        run_text(executor, &statement, &parameters, arguments, 3)?
    } else {
        Returned {
            status: Some(0),
            outputs: Vec::new(),
        }
    };
    returned.outputs.insert(
        0,
        (
            0,
            OutputValue {
                name: arguments
                    .first()
                    .and_then(|a| a.name.clone())
                    .unwrap_or_default(),
                sql_type: SqlType::Int,
                value: Value::Int(handle),
            },
        ),
    );
    Ok(returned)
}

fn execute_prepared(executor: &mut Executor<'_>, arguments: &[Argument]) -> SqlResult<Returned> {
    let handle = arguments
        .first()
        .and_then(|a| a.value.as_ref())
        .and_then(crate::eval::convert::as_i64)
        .unwrap_or(0) as i32;
    let prepared = executor.session.prepared.borrow().get(&handle).cloned();
    let prepared = prepared.ok_or_else(|| {
        SqlError::new(
            8179,
            format!("Could not find prepared statement with handle {handle}."),
        )
        .state(2)
    })?;
    run_text(executor, &prepared.text, &prepared.parameters, arguments, 1)
}

fn delete_history(executor: &mut Executor<'_>, arguments: &[Argument]) -> SqlResult<Returned> {
    super::permission::require_sysadmin(executor.session)?;
    let name = text(arguments, "@database_name", 0)?.unwrap_or_default();
    let instance = Arc::clone(&executor.session.instance);
    let mut state = instance.state.lock();
    state
        .backups
        .retain(|b| !b.database.eq_ignore_ascii_case(&name));
    state
        .restores
        .retain(|r| !r.database.eq_ignore_ascii_case(&name));
    state.save(&instance.options.data)?;
    ok(0)
}
