//! CREATE USER, DROP USER, and the members of a database's fixed roles.

use super::Executor;
use super::catalog_change::Change;
use super::login::unknown;
use super::permission::{not_permitted, owns};
use crate::catalog::{DATABASE_ROLES, DatabaseRole, DatabaseUser, ObjectRecord};
use labdb_tsql::ast::RoleChange;
use labdb_types::{SqlError, SqlResult};

/// Principals that every database has.
const BUILT_IN: [&str; 5] = ["dbo", "guest", "INFORMATION_SCHEMA", "sys", "public"];

fn is_built_in(name: &str) -> bool {
    BUILT_IN.iter().any(|n| n.eq_ignore_ascii_case(name))
}

impl Executor<'_> {
    /// CREATE USER.
    pub(super) fn create_user(&mut self, name: &str, login: Option<&str>) -> SqlResult<()> {
        let database = self.session.database();
        if !owns(self.session, &database) {
            return Err(not_permitted());
        }
        let login = login.unwrap_or(name);
        let login_id = self.session.instance.login_id(login).ok_or_else(|| {
            SqlError::new(
                15007,
                format!("'{login}' is not a valid login or you do not have permission."),
            )
        })?;
        let mut change = self.begin_change(&database)?;
        if change.catalog.user_place(name).is_some()
            || is_built_in(name)
            || DatabaseRole::by_name(name).is_some()
        {
            return Err(SqlError::new(
                15023,
                format!("User, group, or role '{name}' already exists in the current database."),
            ));
        }
        if change.catalog.user_of(login_id).is_some()
            || login_id == self.session.instance.database_owner(database.id)
        {
            return Err(SqlError::new(
                15063,
                "The login already has an account under a different user name.",
            ));
        }
        let user = DatabaseUser {
            name: name.to_owned(),
            principal_id: change.catalog.free_user_id(),
            login_id,
            created: super::database::datetime_now(),
            roles: Vec::new(),
            permissions: Vec::new(),
        };
        let at = self.write_record(&database, &ObjectRecord::User(user.clone()))?;
        change.catalog.users.push((user, Some(at)));
        self.publish(change)?;
        self.end_and_done()
    }

    /// DROP USER.
    pub(super) fn drop_user(&mut self, name: &str, if_exists: bool) -> SqlResult<()> {
        let database = self.session.database();
        if is_built_in(name) {
            return Err(SqlError::new(
                15150,
                format!("Cannot drop the user '{name}'."),
            ));
        }
        let allowed = owns(self.session, &database);
        let mut change = self.begin_change(&database)?;
        let Some(place) = change.catalog.user_place(name).filter(|_| allowed) else {
            if if_exists && allowed {
                return self.end_and_done();
            }
            return Err(unknown("drop", "user", name));
        };
        let (_, at) = change.catalog.users.remove(place);
        self.delete_record(&database, at)?;
        self.publish(change)?;
        self.end_and_done()
    }

    /// ALTER ROLE … ADD or DROP MEMBER.
    pub(super) fn alter_role(&mut self, wanted: &RoleChange) -> SqlResult<()> {
        const OTHERS: [&str; 4] = [
            "db_accessadmin",
            "db_securityadmin",
            "db_denydatareader",
            "db_denydatawriter",
        ];
        if OTHERS.iter().any(|r| r.eq_ignore_ascii_case(&wanted.role)) {
            let known: Vec<&str> = DATABASE_ROLES.iter().map(|(name, _, _)| *name).collect();
            return Err(SqlError::new(
                40510,
                format!(
                    "The database role {} is outside labdb's subset, which has {}.",
                    wanted.role,
                    known.join(", ")
                ),
            ));
        }
        let database = self.session.database();
        let role = DatabaseRole::by_name(&wanted.role)
            .filter(|_| owns(self.session, &database))
            .ok_or_else(|| unknown("alter", "role", &wanted.role))?;
        let mut change = self.begin_change(&database)?;
        let action = if wanted.add { "add" } else { "drop" };
        let place = change
            .catalog
            .user_place(&wanted.member)
            .ok_or_else(|| unknown(action, "principal", &wanted.member))?;
        self.change_user(&mut change, place, |user| {
            user.roles.retain(|r| *r != role);
            if wanted.add {
                user.roles.push(role);
            }
        })?;
        self.publish(change)?;
        self.end_and_done()
    }

    /// Changes a user and its record.
    pub(super) fn change_user(
        &self,
        change: &mut Change,
        place: usize,
        alter: impl FnOnce(&mut DatabaseUser),
    ) -> SqlResult<()> {
        let Some((user, at)) = change.catalog.users.get_mut(place) else {
            return Ok(());
        };
        alter(user);
        let record = ObjectRecord::User(user.clone());
        *at = match *at {
            Some(old) => Some(self.rewrite_record(&change.database, old, &record)?),
            None => Some(self.write_record(&change.database, &record)?),
        };
        Ok(())
    }

    /// Forgets what was granted on an object that goes.
    pub(super) fn forget_permissions(&self, change: &mut Change, object_id: i32) -> SqlResult<()> {
        let on = crate::catalog::Securable::Object(object_id);
        for place in 0..change.catalog.users.len() {
            let concerned = change
                .catalog
                .users
                .get(place)
                .is_some_and(|(u, _)| u.permissions.iter().any(|p| p.on == on));
            if concerned {
                self.change_user(change, place, |user| {
                    user.permissions.retain(|p| p.on != on);
                })?;
            }
        }
        Ok(())
    }
}
