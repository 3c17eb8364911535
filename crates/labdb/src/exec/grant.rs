//! GRANT, REVOKE and DENY.

use super::Executor;
use super::permission::{has_server, owns};
use crate::catalog::{Catalog, DATA_PERMISSIONS, DataPermission, Securable, UserPermission, fold};
use crate::instance::{SERVER_PERMISSIONS, Said, ServerPermission};
use labdb_tsql::ast::{self, Permission, PermissionVerb};
use labdb_types::{SqlError, SqlResult};

/// Server-scope permissions of SQL Server are told from others by these words.
fn is_server_scope(name: &str) -> bool {
    ServerPermission::by_name(name).is_some()
        || name.contains("SERVER")
        || (name.contains(" ANY ")
            && [
                "LOGIN",
                "DATABASE",
                "CONNECTION",
                "ENDPOINT",
                "LINKED",
                "CREDENTIAL",
                "EVENT",
            ]
            .iter()
            .any(|w| name.contains(w)))
        || matches!(
            name,
            "CONNECT SQL" | "SHUTDOWN" | "ALTER SETTINGS" | "ALTER TRACE"
        )
}

fn outside(what: &str) -> SqlError {
    let names = |list: Vec<&str>| list.join(", ");
    SqlError::new(
        40510,
        format!(
            "{what} is outside labdb's subset. At the scope of the server it has {}; in a database \
             {} on it, a schema or an object.",
            names(SERVER_PERMISSIONS.iter().map(|(n, _)| *n).collect()),
            names(DATA_PERMISSIONS.iter().map(|(n, _)| *n).collect()),
        ),
    )
}

/// Error 15151 for somebody or something that is not there.
fn not_found(what: &str, name: &str) -> SqlError {
    super::login::unknown("find", what, name)
}

fn may_not_grant() -> SqlError {
    SqlError::new(4613, "Grantor does not have GRANT permission.")
}

/// What a securable's name stands for.
fn resolve(catalog: &Catalog, database: &str, on: &ast::Securable) -> SqlResult<Securable> {
    let name = on.name.object();
    match on.class.as_deref() {
        Some("DATABASE") if name.eq_ignore_ascii_case(database) => Ok(Securable::Database),
        Some("DATABASE") => Err(not_found("database", name)),
        Some("SCHEMA") => catalog
            .schema_id(name)
            .map(|_| Securable::Schema(fold(name)))
            .ok_or_else(|| not_found("schema", name)),
        None | Some("OBJECT") => {
            let in_other = on
                .name
                .database()
                .is_some_and(|d| !d.eq_ignore_ascii_case(database));
            catalog
                .get(on.name.schema().unwrap_or("dbo"), name)
                .filter(|_| !in_other)
                .map(|object| Securable::Object(object.id()))
                .ok_or_else(|| not_found("object", name))
        }
        Some(other) => Err(outside(&format!("A permission ON {other}"))),
    }
}

impl Executor<'_> {
    pub(super) fn permission(&mut self, statement: &Permission) -> SqlResult<()> {
        if let Some(option) = statement.options.first() {
            return Err(outside(&format!("A permission with {option}")));
        }
        let server = statement.securable.is_none()
            && statement.permissions.iter().any(|p| is_server_scope(p));
        if server {
            self.server_permission(statement)?;
        } else {
            self.data_permission(statement)?;
        }
        self.end_and_done()
    }

    fn server_permission(&self, statement: &Permission) -> SqlResult<()> {
        self.outside_transaction("GRANT")?;
        let mut permissions = Vec::new();
        for name in &statement.permissions {
            permissions.push(ServerPermission::by_name(name).ok_or_else(|| outside(name))?);
        }
        if self.session.database_id() != 1 {
            return Err(SqlError::new(
                4621,
                "Permissions at the server scope can only be granted when the current database \
                 is master",
            )
            .state(10));
        }
        if !has_server(self.session, ServerPermission::ControlServer) {
            return Err(may_not_grant());
        }
        let own = &self.session.shared.login_name;
        self.session.instance.change_logins(|state| {
            for name in &statement.principals {
                let login = state
                    .login_mut(name)
                    .ok_or_else(|| not_found("login", name))?;
                if login.principal_id == 1 || login.name.eq_ignore_ascii_case(own) {
                    return Err(not_to_these());
                }
                for permission in &permissions {
                    match statement.verb {
                        PermissionVerb::Grant => {
                            login.permissions.insert(*permission, Said::Granted)
                        }
                        PermissionVerb::Deny => login.permissions.insert(*permission, Said::Denied),
                        PermissionVerb::Revoke => login.permissions.remove(permission),
                    };
                }
            }
            Ok(())
        })
    }

    fn data_permission(&self, statement: &Permission) -> SqlResult<()> {
        let mut permissions = Vec::new();
        for name in &statement.permissions {
            permissions.push(DataPermission::by_name(name).ok_or_else(|| outside(name))?);
        }
        let database = self.session.database();
        if !owns(self.session, &database) {
            return Err(may_not_grant());
        }
        let mut change = self.begin_change(&database)?;
        let on = match &statement.securable {
            Some(on) => resolve(&change.catalog, &database.name(), on)?,
            None => Securable::Database,
        };
        for name in &statement.principals {
            if matches!(
                name.to_ascii_lowercase().as_str(),
                "dbo" | "sys" | "information_schema"
            ) {
                return Err(not_to_these());
            }
            if ["public", "guest"]
                .iter()
                .any(|n| n.eq_ignore_ascii_case(name))
            {
                return Err(outside(&format!("A permission of {name}")));
            }
            let place = change
                .catalog
                .user_place(name)
                .ok_or_else(|| not_found("user", name))?;
            self.change_user(&mut change, place, |user| {
                for permission in &permissions {
                    user.permissions
                        .retain(|p| p.permission != *permission || p.on != on);
                    if statement.verb != PermissionVerb::Revoke {
                        user.permissions.push(UserPermission {
                            permission: *permission,
                            on: on.clone(),
                            denied: statement.verb == PermissionVerb::Deny,
                        });
                    }
                }
            })?;
        }
        self.publish(change)
    }
}

/// Error 4624.
fn not_to_these() -> SqlError {
    SqlError::new(
        4624,
        "Cannot grant, deny, or revoke permissions to sa, dbo, entity owner, information_schema, \
         sys, or yourself.",
    )
}
