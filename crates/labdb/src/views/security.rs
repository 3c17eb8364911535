//! Logins, users, roles and permissions.

use super::{DESC, SYSNAME, Scope, SystemView, ViewContext, bit, int, text};
use crate::catalog::{DATABASE_ROLES, DatabaseRole, Securable};
use crate::exec::permission;
use crate::instance::{Login, Said};
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

/// A login's sid by its `principal_id`.
fn sid_by_id(view: &ViewContext<'_>, id: i32) -> Value {
    let state = view.instance.state.lock();
    state
        .logins
        .iter()
        .find(|l| l.principal_id == id)
        .map_or(Value::Null, |l| Value::Binary(sid(l).into()))
}

fn database_principals(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let created = view.database.created();
    let row = |name: &str, id: i32, role: bool, created: Value, sid: Value, fixed: bool| {
        let (kind, desc) = if role {
            ("R", "DATABASE_ROLE")
        } else {
            ("S", "SQL_USER")
        };
        vec![
            text(name),
            int(id),
            text(kind),
            text(desc),
            if role { Value::Null } else { text("dbo") },
            created.clone(),
            created,
            if role { int(1) } else { Value::Null },
            sid,
            bit(fixed),
        ]
    };
    let built_in = |name: &str, id: i32, role: bool, fixed: bool| {
        row(name, id, role, created.clone(), Value::Null, fixed)
    };
    let owner = sid_by_id(view, view.instance.database_owner(view.database.id));
    let mut rows = vec![
        built_in("public", 0, true, false),
        row("dbo", 1, false, created.clone(), owner, false),
        built_in("guest", 2, false, false),
        built_in("INFORMATION_SCHEMA", 3, false, false),
        built_in("sys", 4, false, false),
    ];
    for (user, _) in &view.database.catalog().users {
        let (days, ticks) = user.created;
        rows.push(row(
            &user.name,
            user.principal_id,
            false,
            Value::DateTime { days, ticks },
            sid_by_id(view, user.login_id),
            false,
        ));
    }
    for (name, id, _) in DATABASE_ROLES {
        rows.push(built_in(name, id, true, true));
    }
    Ok(rows)
}

fn database_role_members(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let mut rows = vec![vec![int(DatabaseRole::Owner.principal_id()), int(1)]];
    for (user, _) in &view.database.catalog().users {
        for role in &user.roles {
            rows.push(vec![int(role.principal_id()), int(user.principal_id)]);
        }
    }
    Ok(rows)
}

fn server_role_members(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let state = view.instance.state.lock();
    let members = state.logins.iter().filter(|l| l.sysadmin);
    Ok(members.map(|l| vec![int(3), int(l.principal_id)]).collect())
}

fn state_columns(denied: bool) -> [Value; 2] {
    if denied {
        [text("D"), text("DENY")]
    } else {
        [text("G"), text("GRANT")]
    }
}

fn server_permissions(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let state = view.instance.state.lock();
    let mut rows = Vec::new();
    for login in &state.logins {
        let mut row = |name: &str, denied: bool| {
            let [code, desc] = state_columns(denied);
            rows.push(vec![
                Value::TinyInt(100),
                text("SERVER"),
                int(0),
                int(0),
                int(login.principal_id),
                int(1),
                text(name),
                code,
                desc,
            ]);
        };
        row("CONNECT SQL", false);
        for (permission, said) in &login.permissions {
            row(permission.name(), *said == Said::Denied);
        }
    }
    Ok(rows)
}

fn database_permissions(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let catalog = view.database.catalog();
    let mut rows = Vec::new();
    for (user, _) in &catalog.users {
        let mut row = |class: (u8, &str, i32), name: &str, denied: bool| {
            let [code, desc] = state_columns(denied);
            rows.push(vec![
                Value::TinyInt(class.0),
                text(class.1),
                int(class.2),
                int(0),
                int(user.principal_id),
                int(1),
                text(name),
                code,
                desc,
            ]);
        };
        row((0, "DATABASE", 0), "CONNECT", false);
        for said in &user.permissions {
            let class = match &said.on {
                Securable::Database => (0, "DATABASE", 0),
                Securable::Object(id) => (1, "OBJECT_OR_COLUMN", *id),
                // A schema that is gone has nothing that the permission could be on.
                Securable::Schema(name) => match catalog.schema_id(name) {
                    Some(id) => (3, "SCHEMA", id),
                    None => continue,
                },
            };
            row(class, said.permission.name(), said.denied);
        }
    }
    Ok(rows)
}

fn my_permissions(view: &ViewContext<'_>) -> SqlResult<Vec<Vec<Value>>> {
    let server = match view.arguments.get(1) {
        Some(Value::Text(class)) => class.eq_ignore_ascii_case("SERVER"),
        _ => true,
    };
    let names = if server {
        permission::on_server(view.session)
    } else {
        permission::on_database(view.session, &view.database)
    };
    let entity = if server { "server" } else { "database" };
    Ok(names
        .into_iter()
        .map(|name| vec![text(entity), text(""), text(name)])
        .collect())
}

const PERMISSION_COLUMNS: &[(&str, SqlType)] = &[
    ("class", SqlType::TinyInt),
    ("class_desc", DESC),
    ("major_id", SqlType::Int),
    ("minor_id", SqlType::Int),
    ("grantee_principal_id", SqlType::Int),
    ("grantor_principal_id", SqlType::Int),
    ("permission_name", SYSNAME),
    ("state", SqlType::Char(1)),
    ("state_desc", DESC),
];

/// The views of this module.
pub(super) const ALL: &[SystemView] = &[
    SystemView {
        schema: "sys",
        name: "server_principals",
        database: "",
        scope: Scope::Server,
        right: None,
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
        right: None,
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
            ("sid", SqlType::VarBinary(Length::Limited(85))),
            ("is_fixed_role", SqlType::Bit),
        ],
        rows: database_principals,
    },
    SystemView {
        schema: "sys",
        name: "server_permissions",
        database: "",
        scope: Scope::Server,
        right: None,
        parameters: &[],
        columns: PERMISSION_COLUMNS,
        rows: server_permissions,
    },
    SystemView {
        schema: "sys",
        name: "database_permissions",
        database: "",
        scope: Scope::Database,
        right: None,
        parameters: &[],
        columns: PERMISSION_COLUMNS,
        rows: database_permissions,
    },
    SystemView {
        schema: "sys",
        name: "server_role_members",
        database: "",
        scope: Scope::Server,
        right: None,
        parameters: &[],
        columns: &[
            ("role_principal_id", SqlType::Int),
            ("member_principal_id", SqlType::Int),
        ],
        rows: server_role_members,
    },
    SystemView {
        schema: "sys",
        name: "database_role_members",
        database: "",
        scope: Scope::Database,
        right: None,
        parameters: &[],
        columns: &[
            ("role_principal_id", SqlType::Int),
            ("member_principal_id", SqlType::Int),
        ],
        rows: database_role_members,
    },
    SystemView {
        schema: "sys",
        name: "fn_my_permissions",
        database: "",
        scope: Scope::Function,
        right: None,
        parameters: &[SYSNAME, DESC],
        columns: &[
            ("entity_name", SYSNAME),
            ("subentity_name", SYSNAME),
            ("permission_name", DESC),
        ],
        rows: my_permissions,
    },
];
