//! System procedures that are T-SQL over the system views: what `sp_help` and its kin and the catalog
//! functions of ODBC ask for. Their texts are beside this file.

use crate::catalog::{Procedure, fold};
use labdb_tsql::ast::{ObjectName, StatementKind};
use labdb_types::{SqlResult, Value};
use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

macro_rules! texts {
    (@file $name:literal) => {
        include_str!(concat!("catalog_procedures/", $name, ".sql"))
    };
    (@file $name:literal $other:literal) => {
        texts!(@file $other)
    };
    ($($name:literal $(= $other:literal)?),* $(,)?) => {
        &[$(($name, texts!(@file $name $($other)?))),*]
    };
}

const TEXTS: &[(&str, &str)] = texts![
    "sp_columns",
    "sp_columns_100",
    "sp_configure",
    "sp_fkeys",
    "sp_help",
    "sp_helpdb",
    "sp_helpfile",
    "sp_pkeys",
    "sp_spaceused",
    "sp_statistics",
    "sp_statistics_100" = "sp_statistics",
    "sp_stored_procedures",
    "sp_tables",
    "sp_who",
    "sp_who2",
];

static PARSED: LazyLock<HashMap<String, SqlResult<Arc<Procedure>>>> = LazyLock::new(|| {
    TEXTS
        .iter()
        .map(|(name, text)| ((*name).to_owned(), parse(name, text).map(Arc::new)))
        .collect()
});

fn parse(name: &str, text: &str) -> SqlResult<Procedure> {
    let batch = labdb_tsql::parse_batch(text)?;
    match batch.statements.into_iter().next().map(|s| s.kind) {
        Some(StatementKind::CreateProcedure {
            parameters, body, ..
        }) => Ok(Procedure {
            object_id: super::system_procedures::object_id(name).unwrap_or(0),
            schema: "sys".to_owned(),
            name: name.to_owned(),
            parameters,
            body,
            text: text.to_owned(),
            created: Value::Null,
        }),
        _ => Err(crate::plan::expression::internal(
            "a system procedure's text is none",
        )),
    }
}

/// A procedure by its name, in the schema `sys` or `dbo` or without one.
pub(super) fn find(name: &ObjectName) -> SqlResult<Option<Arc<Procedure>>> {
    let here = name
        .schema()
        .is_none_or(|s| ["sys", "dbo"].contains(&fold(s).as_str()));
    match PARSED.get(&fold(name.object())).filter(|_| here) {
        Some(Ok(procedure)) => Ok(Some(Arc::clone(procedure))),
        Some(Err(e)) => Err(e.clone()),
        None => Ok(None),
    }
}

/// The message of an error that these procedures raise by number; the places are RAISERROR's.
pub(super) fn message(number: i64) -> Option<&'static str> {
    Some(match number {
        15009 => {
            "The object '%s' does not exist in database '%s' or is invalid for this operation."
        }
        15010 => {
            "The database '%s' does not exist. Supply a valid database name. To see available \
             databases, use sys.databases."
        }
        15123 => "The configuration option '%s' does not exist, or it may be an advanced option.",
        15250 => {
            "The database name component of the object qualifier must be the name of the current \
             database."
        }
        15325 => "The current database does not contain a %s named '%s'.",
        40510 => {
            "Options of the server are outside labdb's subset: they are set on its command line."
        }
        _ => return None,
    })
}

/// Whether a frame is that of one of these procedures. They raise the system's errors by number, and
/// read views that their callers may not: what they show of them is for everybody.
pub(crate) fn is_system(procedure_id: Option<i32>) -> bool {
    procedure_id.is_some_and(|id| id <= super::system_procedures::FIRST_OBJECT_ID)
}
