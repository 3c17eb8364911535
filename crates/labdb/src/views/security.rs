//! Logins and users.

use super::{DESC, SYSNAME, Scope, SystemView, ViewContext, bit, int, text};
use crate::instance::Login;
use labdb_types::{Length, SqlResult, SqlType, Value};

/// A login's sid: 0x01 for the first administrator, 16 bytes that follow from the name for others.
pub(crate) fn sid(login: &Login) -> Vec<u8> {
    if login.principal_id == 1 {
        return vec![1];
    }
    let mut out = Vec::with_capacity(16);
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in login.name.to_lowercase().bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    out.extend_from_slice(&hash.to_be_bytes());
    out.extend_from_slice(
        &(hash.rotate_left(29) ^ u64::from(login.principal_id.unsigned_abs())).to_be_bytes(),
    );
    out
}

/// The sid of a login by name.
pub(super) fn sid_of(view: &ViewContext<'_>, name: &str) -> Value {
    let state = view.instance.state.lock();
    state
        .logins
        .iter()
        .find(|l| l.name.eq_ignore_ascii_case(name))
        .map_or(Value::Null, |l| Value::Binary(sid(l).into()))
}

fn server_principals(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let started = crate::eval::calendar::datetime_from_system(view.instance.started);
    let state = view.instance.state.lock();
    let login_rows = state.logins.iter().map(|l| {
        vec![
            text(&l.name),
            int(l.principal_id),
            Value::Binary(sid(l).into()),
            text("S"),
            text("SQL_LOGIN"),
            bit(l.disabled),
            started.clone(),
            started.clone(),
            text("master"),
            text("us_english"),
        ]
    });
    let role = |name: &str, id: i32| {
        vec![
            text(name),
            int(id),
            Value::Binary(id.to_be_bytes().as_slice().into()),
            text("R"),
            text("SERVER_ROLE"),
            bit(false),
            started.clone(),
            started.clone(),
            Value::Null,
            Value::Null,
        ]
    };
    let mut rows: Vec<Vec<Value>> = login_rows.collect();
    rows.push(role("public", 2));
    rows.push(role("sysadmin", 3));
    Ok(rows)
}

fn database_principals(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let created = view.database.created();
    let row = |name: &str, id: i32, kind: &str, desc: &str| {
        vec![
            text(name),
            int(id),
            text(kind),
            text(desc),
            text("dbo"),
            created.clone(),
            created.clone(),
            Value::Null,
        ]
    };
    let mut rows = vec![
        row("public", 0, "R", "DATABASE_ROLE"),
        row("dbo", 1, "S", "SQL_USER"),
        row("guest", 2, "S", "SQL_USER"),
        row("INFORMATION_SCHEMA", 3, "S", "SQL_USER"),
        row("sys", 4, "S", "SQL_USER"),
        row("db_owner", 16_384, "R", "DATABASE_ROLE"),
    ];
    for (at, (name, _)) in view.database.catalog().users.iter().enumerate() {
        rows.push(row(name, 5 + at as i32, "S", "SQL_USER"));
    }
    Ok(rows)
}

fn my_permissions(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let login = &view.session.shared.login_name;
    let server = match view.arguments.get(1) {
        Some(Value::Text(class)) => class.eq_ignore_ascii_case("SERVER"),
        _ => true,
    };
    let mut names = Vec::new();
    if server {
        names.extend(["CONNECT SQL", "VIEW ANY DATABASE"]);
        if view.instance.may_view_server_state(login) {
            names.extend([
                "VIEW SERVER STATE",
                "VIEW SERVER PERFORMANCE STATE",
                "VIEW SERVER SECURITY STATE",
            ]);
        }
        if view.instance.is_sysadmin(login) {
            names.extend([
                "CONTROL SERVER",
                "CREATE ANY DATABASE",
                "ALTER ANY DATABASE",
                "ALTER ANY CONNECTION",
                "ALTER SETTINGS",
                "ALTER SERVER STATE",
                "VIEW ANY DEFINITION",
                "SHUTDOWN",
            ]);
        }
    } else {
        names.push("CONNECT");
        if view.instance.is_sysadmin(login) {
            names.extend([
                "ALTER",
                "CONTROL",
                "BACKUP DATABASE",
                "BACKUP LOG",
                "CREATE TABLE",
                "CREATE PROCEDURE",
                "SELECT",
                "INSERT",
                "UPDATE",
                "DELETE",
                "EXECUTE",
                "VIEW DATABASE STATE",
                "VIEW DEFINITION",
            ]);
        }
    }
    Ok(names
        .into_iter()
        .map(|n| {
            vec![
                text(if server { "server" } else { "database" }),
                text(""),
                text(n),
            ]
        })
        .collect())
}

/// The views of this module.
pub(super) const ALL: &[SystemView] = &[
    SystemView {
        schema: "sys",
        name: "server_principals",
        database: "",
        scope: Scope::Server,
        server_state: false,
        parameters: &[],
        columns: &[
            ("name", SYSNAME),
            ("principal_id", SqlType::Int),
            ("sid", SqlType::VarBinary(Length::Limited(85))),
            ("type", SqlType::Char(1)),
            ("type_desc", DESC),
            ("is_disabled", SqlType::Bit),
            ("create_date", SqlType::DateTime),
            ("modify_date", SqlType::DateTime),
            ("default_database_name", SYSNAME),
            ("default_language_name", SYSNAME),
        ],
        rows: server_principals,
    },
    SystemView {
        schema: "sys",
        name: "database_principals",
        database: "",
        scope: Scope::Database,
        server_state: false,
        parameters: &[],
        columns: &[
            ("name", SYSNAME),
            ("principal_id", SqlType::Int),
            ("type", SqlType::Char(1)),
            ("type_desc", DESC),
            ("default_schema_name", SYSNAME),
            ("create_date", SqlType::DateTime),
            ("modify_date", SqlType::DateTime),
            ("owning_principal_id", SqlType::Int),
        ],
        rows: database_principals,
    },
    SystemView {
        schema: "sys",
        name: "fn_my_permissions",
        database: "",
        scope: Scope::Function,
        server_state: false,
        parameters: &[SYSNAME, DESC],
        columns: &[
            ("entity_name", SYSNAME),
            ("subentity_name", SYSNAME),
            ("permission_name", DESC),
        ],
        rows: my_permissions,
    },
];
