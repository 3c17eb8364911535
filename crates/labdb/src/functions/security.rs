//! Who the session is and what it may do.

use super::Parameter::{Int, Name};
use super::{Call, Scalar, int, sysname};
use crate::catalog::{DataPermission, DatabaseRole};
use crate::exec::permission;
use labdb_types::{SqlResult, Value};

fn login_name(call: &Call<'_>) -> SqlResult<Value> {
    if call.values.is_empty() {
        return Ok(Value::text(&call.ctx.session.shared.login_name));
    }
    let state = call.ctx.session.instance.state.lock();
    let found = match call.value(0) {
        Value::Binary(sid) => state
            .logins
            .iter()
            .find(|l| crate::views::security::sid(l) == **sid),
        other => state
            .logins
            .iter()
            .find(|l| Some(i64::from(l.principal_id)) == crate::eval::convert::as_i64(other)),
    };
    Ok(found.map_or(Value::Null, |l| Value::text(&l.name)))
}

fn server_role(call: &Call<'_>) -> SqlResult<Value> {
    let Some(role) = call.optional_text(0) else {
        return Ok(Value::Null);
    };
    let login = call
        .optional_text(1)
        .unwrap_or(&call.ctx.session.shared.login_name)
        .to_owned();
    if call.ctx.session.instance.login_id(&login).is_none() {
        return Ok(Value::Null);
    }
    let sysadmin = call.ctx.session.instance.is_sysadmin(&login);
    Ok(match role.to_ascii_lowercase().as_str() {
        "public" => Value::Int(1),
        "sysadmin" | "serveradmin" | "securityadmin" | "processadmin" | "setupadmin"
        | "diskadmin" | "dbcreator" | "bulkadmin" => Value::Int(i32::from(sysadmin)),
        _ => Value::Null,
    })
}

fn database_role(call: &Call<'_>) -> SqlResult<Value> {
    let Some(role) = call.optional_text(0) else {
        return Ok(Value::Null);
    };
    let session = call.ctx.session;
    let database = session.database();
    let known = DatabaseRole::by_name(role);
    let member = match (known, call.optional_text(1)) {
        _ if role.eq_ignore_ascii_case("public") => true,
        (None, _) => match role.to_ascii_lowercase().as_str() {
            "db_accessadmin" | "db_securityadmin" | "db_denydatareader" | "db_denydatawriter" => {
                false
            }
            _ => return Ok(Value::Null),
        },
        (Some(DatabaseRole::Owner), None) => permission::owns(session, &database),
        (Some(role), None) => {
            permission::is_dbo(session, &database) || permission::in_role(session, &database, role)
        }
        (Some(role), Some(user)) => {
            let catalog = database.catalog();
            match catalog
                .user_place(user)
                .and_then(|at| catalog.users.get(at))
            {
                Some((user, _)) => user.roles.contains(&role),
                None if user.eq_ignore_ascii_case("dbo") => true,
                None => return Ok(Value::Null),
            }
        }
    };
    Ok(Value::Int(i32::from(member)))
}

fn user_name(call: &Call<'_>) -> SqlResult<Value> {
    let database = call.ctx.session.database();
    if call.values.is_empty() {
        return Ok(Value::text(
            permission::user_of(call.ctx.session, &database).0,
        ));
    }
    let id = call.int(0);
    Ok(match id {
        0 => Value::text("public"),
        1 => Value::text("dbo"),
        2 => Value::text("guest"),
        3 => Value::text("INFORMATION_SCHEMA"),
        4 => Value::text("sys"),
        _ => database
            .catalog()
            .users
            .iter()
            .find(|(u, _)| i64::from(u.principal_id) == id)
            .map_or(Value::Null, |(u, _)| Value::text(&u.name)),
    })
}

fn user_id(call: &Call<'_>) -> SqlResult<Value> {
    let session = call.ctx.session;
    Ok(Value::Int(
        permission::user_of(session, &session.database()).1,
    ))
}

fn has_permission(call: &Call<'_>) -> SqlResult<Value> {
    let Some(wanted) = call.optional_text(2) else {
        return Ok(Value::Null);
    };
    let session = call.ctx.session;
    let names = |list: Vec<&str>| {
        let found = list.iter().any(|n| n.eq_ignore_ascii_case(wanted));
        Ok(Value::Int(i32::from(found)))
    };
    let class = call.optional_text(1).unwrap_or("SERVER");
    let securable = call.optional_text(0);
    let current = session.database();
    match class.to_ascii_uppercase().as_str() {
        "SERVER" => names(permission::on_server(session)),
        "DATABASE" => match securable {
            Some(name) => match session.instance.database(name) {
                Some(database) => names(permission::on_database(session, &database)),
                None => Ok(Value::Null),
            },
            None => names(permission::on_database(session, &current)),
        },
        class @ ("SCHEMA" | "OBJECT") => {
            let Some(name) = securable else {
                return Ok(Value::Null);
            };
            let catalog = current.catalog();
            let mut parts = super::split_name(name);
            let object = parts.pop().unwrap_or_default();
            let (schema, id) = if class == "SCHEMA" {
                if catalog.schema_id(&object).is_none() {
                    return Ok(Value::Null);
                }
                (object, 0)
            } else {
                let schema = parts.pop().unwrap_or_else(|| "dbo".to_owned());
                match catalog.get(&schema, &object) {
                    Some(found) => (schema, found.id()),
                    None => return Ok(Value::Null),
                }
            };
            let may = match DataPermission::by_name(wanted) {
                Some(p) => permission::may(session, &current, p, &schema, id),
                None if wanted.eq_ignore_ascii_case("ALTER") => {
                    permission::has_role(session, &current, DatabaseRole::DdlAdmin)
                }
                None => permission::owns(session, &current),
            };
            Ok(Value::Int(i32::from(may)))
        }
        _ => Ok(Value::Null),
    }
}

fn has_access(call: &Call<'_>) -> SqlResult<Value> {
    let Some(name) = call.optional_text(0) else {
        return Ok(Value::Null);
    };
    let session = call.ctx.session;
    Ok(session
        .instance
        .database(name)
        .map_or(Value::Null, |database| {
            Value::Int(i32::from(permission::may_enter(session, &database)))
        }))
}

macro_rules! plain {
    ($name:literal, $min:literal, $max:literal, $parameters:expr, $result:expr, $run:expr) => {
        Scalar {
            name: $name,
            min: $min,
            max: $max,
            parameters: $parameters,
            result: $result,
            null_in_null_out: false,
            run: $run,
        }
    };
}

/// The functions of this module.
pub(super) const ALL: &[Scalar] = &[
    plain!(
        "SUSER_SNAME",
        0,
        1,
        &[super::Parameter::Any],
        sysname,
        login_name
    ),
    plain!(
        "SUSER_NAME",
        0,
        1,
        &[super::Parameter::Any],
        sysname,
        login_name
    ),
    plain!("ORIGINAL_LOGIN", 0, 0, &[], sysname, login_name),
    plain!("SYSTEM_USER", 0, 0, &[], sysname, login_name),
    plain!("SUSER_ID", 0, 1, &[Name], int, |c| {
        let wanted = c
            .optional_text(0)
            .unwrap_or(&c.ctx.session.shared.login_name)
            .to_owned();
        let state = c.ctx.session.instance.state.lock();
        Ok(state
            .logins
            .iter()
            .find(|l| l.name.eq_ignore_ascii_case(&wanted))
            .map_or(Value::Null, |l| Value::Int(l.principal_id)))
    }),
    plain!("USER_NAME", 0, 1, &[Int], sysname, user_name),
    plain!("CURRENT_USER", 0, 0, &[], sysname, user_name),
    plain!("SESSION_USER", 0, 0, &[], sysname, user_name),
    plain!("USER", 0, 0, &[], sysname, user_name),
    plain!("USER_ID", 0, 0, &[], int, user_id),
    plain!("DATABASE_PRINCIPAL_ID", 0, 0, &[], int, user_id),
    plain!("IS_SRVROLEMEMBER", 1, 2, &[Name], int, server_role),
    plain!("IS_MEMBER", 1, 1, &[Name], int, database_role),
    plain!("IS_ROLEMEMBER", 1, 2, &[Name], int, database_role),
    plain!("HAS_PERMS_BY_NAME", 3, 5, &[Name], int, has_permission),
    plain!("HAS_DBACCESS", 1, 1, &[Name], int, has_access),
];
