//! Users of a database, the fixed roles they may be in, and what was granted to them.

use super::{Catalog, fold};
use serde::{Deserialize, Serialize};

/// The fixed database roles that labdb enforces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DatabaseRole {
    /// Everything in the database.
    #[serde(rename = "db_owner")]
    Owner,
    /// DDL.
    #[serde(rename = "db_ddladmin")]
    DdlAdmin,
    /// BACKUP.
    #[serde(rename = "db_backupoperator")]
    BackupOperator,
    /// SELECT of all tables.
    #[serde(rename = "db_datareader")]
    DataReader,
    /// INSERT, UPDATE and DELETE of all tables.
    #[serde(rename = "db_datawriter")]
    DataWriter,
}

/// The roles with their names and SQL Server's `principal_id`.
pub const DATABASE_ROLES: [(&str, i32, DatabaseRole); 5] = [
    ("db_owner", 16_384, DatabaseRole::Owner),
    ("db_ddladmin", 16_387, DatabaseRole::DdlAdmin),
    ("db_backupoperator", 16_389, DatabaseRole::BackupOperator),
    ("db_datareader", 16_390, DatabaseRole::DataReader),
    ("db_datawriter", 16_391, DatabaseRole::DataWriter),
];

impl DatabaseRole {
    /// A role by its name.
    pub fn by_name(name: &str) -> Option<Self> {
        DATABASE_ROLES
            .iter()
            .find(|(n, _, _)| n.eq_ignore_ascii_case(name))
            .map(|(_, _, role)| *role)
    }

    /// Its `principal_id`.
    pub fn principal_id(self) -> i32 {
        DATABASE_ROLES
            .iter()
            .find(|(_, _, role)| *role == self)
            .map_or(0, |(_, id, _)| *id)
    }
}

/// A permission on data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum DataPermission {
    /// SELECT.
    Select,
    /// INSERT.
    Insert,
    /// UPDATE.
    Update,
    /// DELETE.
    Delete,
    /// EXECUTE.
    Execute,
}

/// The permissions with their names.
pub const DATA_PERMISSIONS: [(&str, DataPermission); 5] = [
    ("SELECT", DataPermission::Select),
    ("INSERT", DataPermission::Insert),
    ("UPDATE", DataPermission::Update),
    ("DELETE", DataPermission::Delete),
    ("EXECUTE", DataPermission::Execute),
];

impl DataPermission {
    /// A permission by its name; EXEC is EXECUTE.
    pub fn by_name(name: &str) -> Option<Self> {
        if name.eq_ignore_ascii_case("EXEC") {
            return Some(Self::Execute);
        }
        DATA_PERMISSIONS
            .iter()
            .find(|(n, _)| n.eq_ignore_ascii_case(name))
            .map(|(_, permission)| *permission)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        DATA_PERMISSIONS
            .iter()
            .find(|(_, permission)| *permission == self)
            .map_or("", |(name, _)| name)
    }

    /// The role whose members have it on everything.
    fn role(self) -> Option<DatabaseRole> {
        match self {
            Self::Select => Some(DatabaseRole::DataReader),
            Self::Insert | Self::Update | Self::Delete => Some(DatabaseRole::DataWriter),
            Self::Execute => None,
        }
    }
}

/// What a permission is on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Securable {
    /// The whole database.
    Database,
    /// A schema, by folded name.
    Schema(String),
    /// A table or procedure, by its object id.
    Object(i32),
}

/// A GRANT or DENY.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UserPermission {
    /// Of what.
    pub permission: DataPermission,
    /// On what.
    pub on: Securable,
    /// DENY.
    pub denied: bool,
}

/// A database user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DatabaseUser {
    /// Its name.
    pub name: String,
    /// `principal_id`, from 5.
    pub principal_id: i32,
    /// Its login's `principal_id`.
    pub login_id: i32,
    /// When it was made: days since 1900-01-01 and 1/300 s.
    pub created: (i32, u32),
    /// The roles it is in.
    pub roles: Vec<DatabaseRole>,
    /// What was granted and denied.
    pub permissions: Vec<UserPermission>,
}

impl DatabaseUser {
    /// Whether the user has a permission on an object of a schema: granted on it, its schema or
    /// the database, or through a role, and nowhere denied. An object id of 0 is none.
    pub fn may(&self, permission: DataPermission, schema: &str, object_id: i32) -> bool {
        let mut granted = self.roles.contains(&DatabaseRole::Owner)
            || permission.role().is_some_and(|r| self.roles.contains(&r));
        let schema = fold(schema);
        for said in self
            .permissions
            .iter()
            .filter(|s| s.permission == permission)
        {
            let covers = match &said.on {
                Securable::Database => true,
                Securable::Schema(name) => *name == schema,
                Securable::Object(id) => *id == object_id,
            };
            if covers && said.denied {
                return false;
            }
            granted |= covers;
        }
        granted
    }
}

impl Catalog {
    /// The user of a login.
    pub fn user_of(&self, login_id: i32) -> Option<&DatabaseUser> {
        self.users
            .iter()
            .map(|(user, _)| user)
            .find(|user| user.login_id == login_id)
    }

    /// The place of a user in the list, by name.
    pub fn user_place(&self, name: &str) -> Option<usize> {
        let wanted = fold(name);
        self.users.iter().position(|(u, _)| fold(&u.name) == wanted)
    }

    /// The lowest `principal_id` from 5 that is free.
    pub fn free_user_id(&self) -> i32 {
        (5..16_384)
            .find(|id| self.users.iter().all(|(u, _)| u.principal_id != *id))
            .unwrap_or(16_383)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_denial_on_the_schema_wins_over_a_grant_on_the_table() {
        let mut user = DatabaseUser {
            name: "u".into(),
            principal_id: 5,
            login_id: 257,
            created: (0, 0),
            roles: vec![DatabaseRole::DataReader],
            permissions: vec![UserPermission {
                permission: DataPermission::Insert,
                on: Securable::Object(7),
                denied: false,
            }],
        };
        assert!(user.may(DataPermission::Select, "dbo", 8));
        assert!(user.may(DataPermission::Insert, "dbo", 7));
        assert!(!user.may(DataPermission::Insert, "dbo", 8));
        assert!(!user.may(DataPermission::Execute, "dbo", 7));
        user.permissions.push(UserPermission {
            permission: DataPermission::Insert,
            on: Securable::Schema("dbo".into()),
            denied: true,
        });
        assert!(!user.may(DataPermission::Insert, "DBO", 7));
        assert!(user.may(DataPermission::Select, "dbo", 7));
    }
}
