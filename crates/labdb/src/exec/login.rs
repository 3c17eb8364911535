//! CREATE, ALTER and DROP LOGIN; members of sysadmin. What they change is durable at once and
//! outside transactions.

use super::Executor;
use super::permission::{has_server, not_permitted};
use crate::instance::{Login, PasswordHash, ServerPermission};
use labdb_tsql::ast::{CreateLogin, LoginChange, Password, RoleChange};
use labdb_types::{SqlError, SqlResult};

/// Error 15151.
pub(crate) fn unknown(action: &str, what: &str, name: &str) -> SqlError {
    SqlError::new(
        15151,
        format!(
            "Cannot {action} the {what} '{name}', because it does not exist or you do not have \
             permission."
        ),
    )
}

fn hash(password: &Password) -> SqlResult<PasswordHash> {
    if password.reveal().is_empty() {
        return Err(SqlError::new(
            40510,
            "A login without a password is outside labdb's subset: give PASSWORD a text that is \
             not empty.",
        ));
    }
    Ok(PasswordHash::new(password.reveal()))
}

impl Executor<'_> {
    /// CREATE LOGIN.
    pub(super) fn create_login(&mut self, create: &CreateLogin) -> SqlResult<()> {
        self.outside_transaction("CREATE LOGIN")?;
        if !has_server(self.session, ServerPermission::AlterAnyLogin) {
            return Err(not_permitted());
        }
        let hash = hash(&create.password)?;
        if let Some(database) = &create.default_database {
            self.named_database(database)?;
        }
        let instance = &self.session.instance;
        instance.change_logins(|state| {
            if state.login(&create.name).is_some()
                || ["public", "sysadmin"]
                    .iter()
                    .any(|n| n.eq_ignore_ascii_case(&create.name))
            {
                return Err(SqlError::new(
                    15025,
                    format!("The server principal '{}' already exists.", create.name),
                ));
            }
            let mut login = state.new_login(&create.name, hash);
            login.default_database.clone_from(&create.default_database);
            state.logins.push(login);
            Ok(())
        })?;
        self.end_and_done()
    }

    /// ALTER LOGIN.
    pub(super) fn alter_login(&mut self, name: &str, change: &LoginChange) -> SqlResult<()> {
        self.outside_transaction("ALTER LOGIN")?;
        let hash = match change {
            LoginChange::With {
                password: Some(password),
                ..
            } => Some(hash(password)?),
            _ => None,
        };
        if let LoginChange::With {
            default_database: Some(database),
            ..
        } = change
        {
            self.named_database(database)?;
        }
        self.change_login(name, "alter", |login| {
            match change {
                LoginChange::Enabled(enabled) => login.disabled = !enabled,
                LoginChange::With {
                    default_database, ..
                } => {
                    if let Some(hash) = hash {
                        login.hash = hash;
                    }
                    if default_database.is_some() {
                        login.default_database.clone_from(default_database);
                    }
                }
            }
            Ok(())
        })?;
        self.end_and_done()
    }

    /// Changes a login that this session may change: those of sysadmin only for sysadmin.
    fn change_login(
        &self,
        name: &str,
        action: &str,
        change: impl FnOnce(&mut Login) -> SqlResult<()>,
    ) -> SqlResult<()> {
        let instance = &self.session.instance;
        let sysadmin = instance.is_sysadmin(&self.session.shared.login_name);
        let may = has_server(self.session, ServerPermission::AlterAnyLogin);
        instance.change_logins(|state| {
            let login = state
                .login_mut(name)
                .filter(|l| may && (sysadmin || !l.is_powerful()))
                .ok_or_else(|| unknown(action, "login", name))?;
            change(login)
        })
    }

    /// DROP LOGIN. Its users stay behind in their databases, as in SQL Server.
    pub(super) fn drop_login(&mut self, name: &str) -> SqlResult<()> {
        self.outside_transaction("DROP LOGIN")?;
        self.change_login(name, "drop", |login| {
            if login.principal_id == 1 {
                return Err(special(&login.name));
            }
            Ok(())
        })?;
        let instance = &self.session.instance;
        if instance
            .sessions()
            .iter()
            .any(|s| s.login_name.eq_ignore_ascii_case(name))
        {
            return Err(SqlError::new(
                15434,
                format!("Could not drop login '{name}' as the user is currently logged in."),
            ));
        }
        instance.change_logins(|state| {
            let id = state.login(name).map(|l| l.principal_id);
            if state.databases.iter().any(|d| Some(d.owner) == id) {
                return Err(SqlError::new(
                    15174,
                    format!(
                        "Login '{name}' owns one or more database(s). Change the owner of the \
                         database(s) before dropping the login."
                    ),
                ));
            }
            state.logins.retain(|l| !l.name.eq_ignore_ascii_case(name));
            Ok(())
        })?;
        self.end_and_done()
    }

    /// ALTER SERVER ROLE … ADD or DROP MEMBER.
    pub(super) fn alter_server_role(&mut self, change: &RoleChange) -> SqlResult<()> {
        const OTHERS: [&str; 9] = [
            "securityadmin",
            "serveradmin",
            "setupadmin",
            "processadmin",
            "diskadmin",
            "dbcreator",
            "bulkadmin",
            "##MS_ServerStateReader##",
            "##MS_ServerPerformanceStateReader##",
        ];
        self.outside_transaction("ALTER SERVER ROLE")?;
        if OTHERS.iter().any(|r| r.eq_ignore_ascii_case(&change.role)) {
            return Err(SqlError::new(
                40510,
                format!(
                    "The server role {} is outside labdb's subset, which has sysadmin; GRANT the \
                     permissions themselves.",
                    change.role
                ),
            ));
        }
        let instance = &self.session.instance;
        if !change.role.eq_ignore_ascii_case("sysadmin")
            || !instance.is_sysadmin(&self.session.shared.login_name)
        {
            return Err(unknown("alter", "server role", &change.role));
        }
        instance.change_logins(|state| {
            let action = if change.add { "add" } else { "drop" };
            let login = state
                .login_mut(&change.member)
                .ok_or_else(|| unknown(action, "principal", &change.member))?;
            if !change.add && login.principal_id == 1 {
                return Err(special(&login.name));
            }
            login.sysadmin = change.add;
            Ok(())
        })?;
        self.end_and_done()
    }
}

/// Error 15405, for the first login.
fn special(name: &str) -> SqlError {
    SqlError::new(15405, format!("Cannot use the special principal '{name}'."))
}
