//! Who may do what: members of sysadmin everything, others what was granted to their login at the
//! scope of the server and to their user in a database.

use crate::catalog::{DATA_PERMISSIONS, DataPermission, DatabaseRole};
use crate::instance::{Database, SERVER_PERMISSIONS, ServerPermission};
use crate::session::Session;
use labdb_types::{SqlError, SqlResult};

/// Databases that everybody may enter, as `guest`: master, tempdb, msdb.
const OPEN_DATABASES: [i32; 3] = [1, 2, 4];

/// Whether the session's login has a permission at the scope of the server.
pub(crate) fn has_server(session: &Session, permission: ServerPermission) -> bool {
    session
        .instance
        .has_permission(&session.shared.login_name, permission)
}

/// Whether the session's user is in a role of the database.
pub(crate) fn in_role(session: &Session, database: &Database, role: DatabaseRole) -> bool {
    let Some(login) = session.instance.login_id(&session.shared.login_name) else {
        return false;
    };
    database
        .catalog()
        .user_of(login)
        .is_some_and(|u| u.roles.contains(&role))
}

/// Whether the session is `dbo` in the database: sysadmin, CONTROL SERVER, or its owner.
pub(crate) fn is_dbo(session: &Session, database: &Database) -> bool {
    has_server(session, ServerPermission::ControlServer)
        || session
            .instance
            .login_id(&session.shared.login_name)
            .is_some_and(|login| login == session.instance.database_owner(database.id))
}

/// Whether the session has all rights in the database: as `dbo`, or in `db_owner`.
pub(crate) fn owns(session: &Session, database: &Database) -> bool {
    is_dbo(session, database) || in_role(session, database, DatabaseRole::Owner)
}

/// Whether the session has a role in the database, or all rights.
pub(crate) fn has_role(session: &Session, database: &Database, role: DatabaseRole) -> bool {
    owns(session, database) || in_role(session, database, role)
}

/// Whether the session may enter the database.
pub(crate) fn may_enter(session: &Session, database: &Database) -> bool {
    OPEN_DATABASES.contains(&database.id)
        || is_dbo(session, database)
        || session
            .instance
            .login_id(&session.shared.login_name)
            .is_some_and(|login| database.catalog().user_of(login).is_some())
}

/// Whether the session has a permission on an object of the database; an object id of 0 asks for
/// the schema alone.
pub(crate) fn may(
    session: &Session,
    database: &Database,
    permission: DataPermission,
    schema: &str,
    object_id: i32,
) -> bool {
    if database.id == 2 || is_dbo(session, database) {
        return true;
    }
    let Some(login) = session.instance.login_id(&session.shared.login_name) else {
        return false;
    };
    database
        .catalog()
        .user_of(login)
        .is_some_and(|u| u.may(permission, schema, object_id))
}

/// The session's user in the database and its `principal_id`.
pub(crate) fn user_of(session: &Session, database: &Database) -> (String, i32) {
    if is_dbo(session, database) {
        return ("dbo".to_owned(), 1);
    }
    session
        .instance
        .login_id(&session.shared.login_name)
        .and_then(|login| {
            let catalog = database.catalog();
            let user = catalog.user_of(login)?;
            Some((user.name.clone(), user.principal_id))
        })
        .unwrap_or_else(|| ("guest".to_owned(), 2))
}

/// The permissions at the scope of the server that the session has, by name.
pub(crate) fn on_server(session: &Session) -> Vec<&'static str> {
    let mut names = vec!["CONNECT SQL", "VIEW ANY DATABASE"];
    names.extend(
        SERVER_PERMISSIONS
            .iter()
            .filter(|(_, permission)| has_server(session, *permission))
            .map(|(name, _)| *name),
    );
    if has_server(session, ServerPermission::ControlServer) {
        names.extend(["ALTER SETTINGS", "VIEW ANY DEFINITION", "SHUTDOWN"]);
    }
    names
}

/// The permissions on the database itself that the session has, by name.
pub(crate) fn on_database(session: &Session, database: &Database) -> Vec<&'static str> {
    let mut names = Vec::new();
    if may_enter(session, database) {
        names.push("CONNECT");
    }
    names.extend(
        DATA_PERMISSIONS
            .iter()
            .filter(|(_, permission)| may(session, database, *permission, "", 0))
            .map(|(name, _)| *name),
    );
    if has_role(session, database, DatabaseRole::DdlAdmin) {
        names.extend(["CREATE TABLE", "CREATE PROCEDURE", "CREATE SCHEMA"]);
    }
    if has_role(session, database, DatabaseRole::BackupOperator) {
        names.extend(["BACKUP DATABASE", "BACKUP LOG", "CHECKPOINT"]);
    }
    let all = owns(session, database);
    if all {
        names.extend([
            "CONTROL",
            "VIEW DEFINITION",
            "ALTER ANY USER",
            "ALTER ANY ROLE",
        ]);
    }
    if all || has_server(session, ServerPermission::AlterAnyDatabase) {
        names.push("ALTER");
    }
    if all || has_server(session, ServerPermission::ViewServerState) {
        names.push("VIEW DATABASE STATE");
    }
    if all || has_server(session, ServerPermission::ViewServerPerformanceState) {
        names.push("VIEW DATABASE PERFORMANCE STATE");
    }
    if all || has_server(session, ServerPermission::ViewServerSecurityState) {
        names.push("VIEW DATABASE SECURITY STATE");
    }
    names
}

/// Checks a table or procedure for use.
///
/// # Errors
/// 229.
pub(crate) fn check_object(
    session: &Session,
    database: &Database,
    permission: DataPermission,
    (schema, name, object_id): (&str, &str, i32),
) -> SqlResult<()> {
    if may(session, database, permission, schema, object_id) {
        return Ok(());
    }
    Err(SqlError::new(
        229,
        format!(
            "The {} permission was denied on the object '{name}', database '{}', schema \
             '{schema}'.",
            permission.name(),
            database.name(),
        ),
    )
    .severity(14)
    .state(5))
}

/// Checks for a statement that one of a database's roles may issue, and its owners.
///
/// # Errors
/// 262, with the statement's name.
pub(crate) fn require_role(
    session: &Session,
    database: &Database,
    role: DatabaseRole,
    what: &str,
) -> SqlResult<()> {
    if has_role(session, database, role) {
        return Ok(());
    }
    Err(denied_in(what, &database.name()))
}

/// Error 262.
pub(crate) fn denied_in(what: &str, database: &str) -> SqlError {
    SqlError::new(
        262,
        format!("{what} permission denied in database '{database}'."),
    )
    .severity(14)
}

/// Error 15247.
pub(crate) fn not_permitted() -> SqlError {
    SqlError::new(
        15247,
        "User does not have permission to perform this action.",
    )
}

/// Checks for a procedure that only sysadmin may call.
///
/// # Errors
/// 15003.
pub(crate) fn require_sysadmin(session: &Session) -> SqlResult<()> {
    if session.instance.is_sysadmin(&session.shared.login_name) {
        return Ok(());
    }
    Err(SqlError::new(
        15003,
        "Only members of the sysadmin role can execute this stored procedure.",
    ))
}

/// Checks for a DBCC command.
///
/// # Errors
/// 2571.
pub(crate) fn require_dbcc(session: &Session, allowed: bool, command: &str) -> SqlResult<()> {
    if allowed {
        return Ok(());
    }
    Err(SqlError::new(
        2571,
        format!(
            "User '{}' does not have permission to run DBCC {}.",
            session.shared.login_name,
            command.to_ascii_lowercase()
        ),
    )
    .severity(14))
}

/// Checks for a server-scoped view: the first error names the permission, a second one follows.
///
/// # Errors
/// 300.
pub(crate) fn require_server(session: &Session, permission: ServerPermission) -> SqlResult<()> {
    if has_server(session, permission) {
        return Ok(());
    }
    Err(SqlError::new(
        300,
        format!(
            "{} permission was denied on object 'server', database 'master'.",
            permission.name()
        ),
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
        1779 | 8110 | 8111 => Some(
            SqlError::new(
                1750,
                "Could not create constraint or index. See previous errors.",
            )
            .state(0),
        ),
        3728 => Some(SqlError::new(
            3727,
            "Could not drop constraint. See previous errors.",
        )),
        5074 => {
            let column = first.message.rsplit('\'').nth(1).unwrap_or_default();
            Some(
                SqlError::new(
                    4922,
                    format!(
                        "ALTER TABLE DROP COLUMN {column} failed because one or more objects \
                         access this column."
                    ),
                )
                .state(9),
            )
        }
        _ => None,
    }
}
