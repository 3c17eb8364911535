//! Permissions at the scope of the server: those that labdb enforces.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A permission at the scope of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ServerPermission {
    /// Everything.
    ControlServer,
    /// The server's views.
    ViewServerState,
    /// The server's views, but for those of security.
    ViewServerPerformanceState,
    /// The server's views of security.
    ViewServerSecurityState,
    /// DBCC FREEPROCCACHE, and the server's views.
    AlterServerState,
    /// ALTER and DROP of every database.
    AlterAnyDatabase,
    /// CREATE DATABASE.
    CreateAnyDatabase,
    /// KILL.
    AlterAnyConnection,
    /// CREATE, ALTER and DROP LOGIN.
    AlterAnyLogin,
}

use ServerPermission as P;

/// All of them with their names in T-SQL.
pub const SERVER_PERMISSIONS: [(&str, ServerPermission); 9] = [
    ("CONTROL SERVER", P::ControlServer),
    ("VIEW SERVER STATE", P::ViewServerState),
    (
        "VIEW SERVER PERFORMANCE STATE",
        P::ViewServerPerformanceState,
    ),
    ("VIEW SERVER SECURITY STATE", P::ViewServerSecurityState),
    ("ALTER SERVER STATE", P::AlterServerState),
    ("ALTER ANY DATABASE", P::AlterAnyDatabase),
    ("CREATE ANY DATABASE", P::CreateAnyDatabase),
    ("ALTER ANY CONNECTION", P::AlterAnyConnection),
    ("ALTER ANY LOGIN", P::AlterAnyLogin),
];

impl ServerPermission {
    /// A permission by its name in T-SQL.
    pub fn by_name(name: &str) -> Option<Self> {
        SERVER_PERMISSIONS
            .iter()
            .find(|(n, _)| n.eq_ignore_ascii_case(name))
            .map(|(_, permission)| *permission)
    }

    /// Its name in T-SQL.
    pub fn name(self) -> &'static str {
        SERVER_PERMISSIONS
            .iter()
            .find(|(_, permission)| *permission == self)
            .map_or("", |(name, _)| name)
    }

    /// The permission that holds this one, as SQL Server's list of server permissions has it.
    fn implied_by(self) -> Option<Self> {
        match self {
            P::ControlServer => None,
            P::ViewServerPerformanceState | P::ViewServerSecurityState => Some(P::ViewServerState),
            P::ViewServerState => Some(P::AlterServerState),
            P::CreateAnyDatabase => Some(P::AlterAnyDatabase),
            P::AlterServerState
            | P::AlterAnyDatabase
            | P::AlterAnyConnection
            | P::AlterAnyLogin => Some(P::ControlServer),
        }
    }
}

/// What was said about a permission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Said {
    /// GRANT.
    Granted,
    /// DENY, which wins.
    Denied,
}

/// Whether the permission follows from what was said about it and those that hold it.
pub(super) fn holds(said: &BTreeMap<ServerPermission, Said>, permission: ServerPermission) -> bool {
    let mut granted = false;
    let mut next = Some(permission);
    while let Some(at) = next {
        match said.get(&at) {
            Some(Said::Denied) => return false,
            Some(Said::Granted) => granted = true,
            None => {}
        }
        next = at.implied_by();
    }
    granted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wider_permission_holds_the_narrower_and_a_denial_wins() {
        let wide = BTreeMap::from([(P::ViewServerState, Said::Granted)]);
        assert!(holds(&wide, P::ViewServerPerformanceState));
        assert!(!holds(&wide, P::AlterServerState));
        let narrow = BTreeMap::from([(P::ViewServerPerformanceState, Said::Granted)]);
        assert!(!holds(&narrow, P::ViewServerState));
        let denied = BTreeMap::from([
            (P::ControlServer, Said::Granted),
            (P::ViewServerState, Said::Denied),
        ]);
        assert!(!holds(&denied, P::ViewServerSecurityState));
        assert!(holds(&denied, P::CreateAnyDatabase));
    }
}
