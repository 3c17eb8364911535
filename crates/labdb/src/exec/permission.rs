//! Who may do what: members of sysadmin everything; others may log in, use tempdb, and read what
//! VIEW SERVER STATE shows, if they have it.

use crate::catalog::Table;
use crate::instance::Database;
use crate::session::Session;
use labdb_types::{SqlError, SqlResult};

fn sysadmin(session: &Session) -> bool {
    session.instance.is_sysadmin(&session.shared.login_name)
}

/// Whether the session may use the current database's tables.
pub(crate) fn may_use_data(session: &Session) -> bool {
    let login = &session.shared.login_name;
    sysadmin(session)
        || session.database_id() == 2
        || session
            .database()
            .catalog()
            .users
            .iter()
            .any(|(u, _)| u.eq_ignore_ascii_case(login))
}

/// Checks a table for reading or changing; a database's users may use all its tables.
///
/// # Errors
/// 229.
pub(crate) fn check_data(session: &Session, table: &Table, database: &Database) -> SqlResult<()> {
    let login = &session.shared.login_name;
    if database.id == 2
        || sysadmin(session)
        || database
            .catalog()
            .users
            .iter()
            .any(|(u, _)| u.eq_ignore_ascii_case(login))
    {
        return Ok(());
    }
    Err(SqlError::new(
        229,
        format!(
            "The SELECT permission was denied on the object '{}', database '{}', schema '{}'.",
            table.name,
            database.name(),
            table.schema
        ),
    )
    .severity(14)
    .state(5))
}

/// Checks a procedure for execution.
///
/// # Errors
/// 229.
pub(crate) fn check_procedure(
    session: &Session,
    procedure: &crate::catalog::Procedure,
    database: &Database,
) -> SqlResult<()> {
    let login = &session.shared.login_name;
    if sysadmin(session)
        || database
            .catalog()
            .users
            .iter()
            .any(|(u, _)| u.eq_ignore_ascii_case(login))
    {
        return Ok(());
    }
    Err(SqlError::new(
        229,
        format!(
            "The EXECUTE permission was denied on the object '{}', database '{}', schema '{}'.",
            procedure.name,
            database.name(),
            procedure.schema
        ),
    )
    .severity(14)
    .state(5))
}

/// Checks for a statement that only sysadmin may issue.
///
/// # Errors
/// 262 or 15247, with the statement's name.
pub(crate) fn require_sysadmin(session: &Session, what: &str) -> SqlResult<()> {
    if sysadmin(session) {
        return Ok(());
    }
    Err(SqlError::new(
        262,
        format!(
            "{what} permission denied in database '{}'.",
            session.database().name()
        ),
    )
    .severity(14))
}

/// Checks for a server-scoped view: the first error names the permission, a second one follows.
///
/// # Errors
/// 300.
pub(crate) fn require_server_state(session: &Session) -> SqlResult<()> {
    if session
        .instance
        .may_view_server_state(&session.shared.login_name)
    {
        return Ok(());
    }
    Err(SqlError::new(
        300,
        "VIEW SERVER PERFORMANCE STATE permission was denied on object 'server', database \
         'master'.",
    )
    .severity(14))
}

/// The second error that follows some first ones.
pub(crate) fn follower(first: &SqlError) -> Option<SqlError> {
    match first.number {
        300 => Some(SqlError::new(
            297,
            "The user does not have permission to perform this action.",
        )),
        5061 | 5064 | 5039 | 5041 | 5040 | 5070 | 5149 => {
            Some(SqlError::new(5069, "ALTER DATABASE statement failed."))
        }
        _ => None,
    }
}
