//! Logins, users, members of roles, permissions.

use super::ObjectName;

/// A password as written. Its `Debug` shows nothing of it.
#[derive(Clone, PartialEq, Eq)]
pub struct Password(String);

impl Password {
    /// Keeps a password.
    #[must_use]
    pub fn new(text: String) -> Self {
        Self(text)
    }

    /// The password itself.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for Password {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Password(hidden)")
    }
}

/// CREATE LOGIN.
#[derive(Clone, Debug, PartialEq)]
pub struct CreateLogin {
    /// Its name.
    pub name: String,
    /// PASSWORD.
    pub password: Password,
    /// `DEFAULT_DATABASE`.
    pub default_database: Option<String>,
}

/// What ALTER LOGIN changes.
#[derive(Clone, Debug, PartialEq)]
pub enum LoginChange {
    /// ENABLE (true) or DISABLE.
    Enabled(bool),
    /// WITH PASSWORD, `DEFAULT_DATABASE`: what is given.
    With {
        /// PASSWORD.
        password: Option<Password>,
        /// `DEFAULT_DATABASE`.
        default_database: Option<String>,
    },
}

/// A principal that joins or leaves a role.
#[derive(Clone, Debug, PartialEq)]
pub struct RoleChange {
    /// The role.
    pub role: String,
    /// The login or user.
    pub member: String,
    /// ADD MEMBER (true) or DROP MEMBER.
    pub add: bool,
}

/// GRANT, REVOKE or DENY.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PermissionVerb {
    /// GRANT.
    Grant,
    /// REVOKE.
    Revoke,
    /// DENY.
    Deny,
}

/// GRANT, REVOKE or DENY of permissions.
#[derive(Clone, Debug, PartialEq)]
pub struct Permission {
    /// What is done.
    pub verb: PermissionVerb,
    /// The permissions: upper case, words joined by one blank.
    pub permissions: Vec<String>,
    /// Behind ON.
    pub securable: Option<Securable>,
    /// To or from whom.
    pub principals: Vec<String>,
    /// The words of options that change the meaning, as they would be written: columns, WITH
    /// GRANT OPTION, GRANT OPTION FOR, AS.
    pub options: Vec<&'static str>,
}

/// What a permission is about.
#[derive(Clone, Debug, PartialEq)]
pub struct Securable {
    /// The word before `::`, upper case; `None` where none is written: an object.
    pub class: Option<String>,
    /// Its name.
    pub name: ObjectName,
}
