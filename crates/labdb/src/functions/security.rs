//! Who the session is and what it may do.

use super::Parameter::{Int, Name};
use super::{Call, Scalar, int, sysname};
use labdb_types::{SqlResult, SqlType, Value};

fn is_sysadmin(call: &Call<'_>) -> bool {
    call.ctx
        .session
        .instance
        .is_sysadmin(&call.ctx.session.shared.login_name)
}

fn login_name(call: &Call<'_>) -> SqlResult<Value> {
    if call.values.is_empty() || call.value(0).is_null() {
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
    Ok(match role.to_ascii_lowercase().as_str() {
        "public" => Value::Int(1),
        "db_owner" | "db_datareader" | "db_datawriter" | "db_ddladmin" | "db_backupoperator"
        | "db_accessadmin" | "db_securityadmin" => Value::Int(i32::from(is_sysadmin(call))),
        _ => Value::Null,
    })
}

fn user_name(call: &Call<'_>) -> SqlResult<Value> {
    let user = if is_sysadmin(call) {
        "dbo"
    } else {
        call.ctx.session.shared.login_name.as_str()
    };
    if call.values.is_empty() {
        return Ok(Value::text(user));
    }
    Ok(match call.int(0) {
        1 => Value::text("dbo"),
        2 => Value::text("guest"),
        3 => Value::text("INFORMATION_SCHEMA"),
        4 => Value::text("sys"),
        _ => Value::Null,
    })
}

fn has_permission(call: &Call<'_>) -> SqlResult<Value> {
    let Some(permission) = call.optional_text(2) else {
        return Ok(Value::Null);
    };
    let class = call
        .optional_text(1)
        .unwrap_or("SERVER")
        .to_ascii_uppercase();
    let server = class == "SERVER";
    // An object or database that does not exist gives NULL.
    if class == "DATABASE"
        && call
            .optional_text(0)
            .is_some_and(|n| call.ctx.session.instance.database(n).is_none())
    {
        return Ok(Value::Null);
    }
    let login = &call.ctx.session.shared.login_name;
    if is_sysadmin(call) {
        return Ok(Value::Int(1));
    }
    let may = match permission.to_ascii_uppercase().as_str() {
        "VIEW SERVER STATE" | "VIEW SERVER PERFORMANCE STATE" | "VIEW SERVER SECURITY STATE"
            if server =>
        {
            call.ctx.session.instance.may_view_server_state(login)
        }
        "VIEW DATABASE STATE"
        | "VIEW DATABASE PERFORMANCE STATE"
        | "VIEW DATABASE SECURITY STATE" => call.ctx.session.instance.may_view_server_state(login),
        "CONNECT SQL" | "VIEW ANY DATABASE" if server => true,
        "CONNECT" | "SELECT" | "INSERT" | "UPDATE" | "DELETE" | "EXECUTE" if !server => {
            crate::exec::permission::may_use_data(call.ctx.session)
        }
        _ => false,
    };
    Ok(Value::Int(i32::from(may)))
}

fn has_access(call: &Call<'_>) -> SqlResult<Value> {
    let Some(name) = call.optional_text(0) else {
        return Ok(Value::Null);
    };
    Ok(call
        .ctx
        .session
        .instance
        .database(name)
        .map_or(Value::Null, |_| Value::Int(1)))
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
    plain!("USER_ID", 0, 0, &[], |_| SqlType::Int, |c| Ok(Value::Int(
        if is_sysadmin(c) { 1 } else { 2 }
    ))),
    plain!(
        "DATABASE_PRINCIPAL_ID",
        0,
        0,
        &[],
        |_| SqlType::Int,
        |c| Ok(Value::Int(if is_sysadmin(c) { 1 } else { 2 }))
    ),
    plain!("IS_SRVROLEMEMBER", 1, 2, &[Name], int, server_role),
    plain!("IS_MEMBER", 1, 1, &[Name], int, database_role),
    plain!("IS_ROLEMEMBER", 1, 2, &[Name], int, database_role),
    plain!("HAS_PERMS_BY_NAME", 3, 5, &[Name], int, has_permission),
    plain!("HAS_DBACCESS", 1, 1, &[Name], int, has_access),
];
