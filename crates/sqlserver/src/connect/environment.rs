//! The environment variables that say where and how to connect.

use std::collections::HashMap;

/// The table for a program's `--help`.
pub const ENVIRONMENT_HELP: &str = "\
Environment (a flag wins, then what upstream records say, then this):
  SQLCMDSERVER, SQLCMDUSER, SQLCMDDBNAME, SQLCMDLOGINTIMEOUT, SQLCMDSTATTIMEOUT
                 what -S, -U, -d, -l and -t take, as in sqlcmd
  SQLCMDPASSWORD the password; there is no flag for it
  WRITELOG_CONNECTION_STRING
                 an ADO.NET connection string; wins over the SQLCMD variables
  WRITELOG_ENCRYPT
                 what -N takes: disable, optional, mandatory or strict
  WRITELOG_TRUST_CERT
                 yes: take any certificate, as -C does
  WRITELOG_CA_FILE
                 a PEM or DER file of certificates to trust besides the system's";

/// The variables, taken once.
#[derive(Clone, Default)]
pub struct Environment(HashMap<&'static str, String>);

impl Environment {
    const NAMES: [&'static str; 10] = [
        Self::SERVER,
        Self::USER,
        Self::PASSWORD,
        Self::DATABASE,
        Self::LOGIN_TIMEOUT,
        Self::QUERY_TIMEOUT,
        Self::CONNECTION_STRING,
        Self::ENCRYPT,
        Self::TRUST_CERT,
        Self::CA_FILE,
    ];
    pub(crate) const SERVER: &'static str = "SQLCMDSERVER";
    pub(crate) const USER: &'static str = "SQLCMDUSER";
    pub(crate) const PASSWORD: &'static str = "SQLCMDPASSWORD";
    pub(crate) const DATABASE: &'static str = "SQLCMDDBNAME";
    pub(crate) const LOGIN_TIMEOUT: &'static str = "SQLCMDLOGINTIMEOUT";
    pub(crate) const QUERY_TIMEOUT: &'static str = "SQLCMDSTATTIMEOUT";
    pub(crate) const CONNECTION_STRING: &'static str = "WRITELOG_CONNECTION_STRING";
    pub(crate) const ENCRYPT: &'static str = "WRITELOG_ENCRYPT";
    pub(crate) const TRUST_CERT: &'static str = "WRITELOG_TRUST_CERT";
    pub(crate) const CA_FILE: &'static str = "WRITELOG_CA_FILE";

    /// The process's environment.
    #[must_use]
    pub fn of_process() -> Self {
        Self::from_fn(|name| std::env::var(name).ok())
    }

    /// An environment that `get` answers for, by name.
    pub fn from_fn(get: impl Fn(&'static str) -> Option<String>) -> Self {
        Self(
            Self::NAMES
                .into_iter()
                .filter_map(|name| Some((name, get(name)?)))
                .collect(),
        )
    }

    /// A variable's value; none where it is not set or, the password excepted, empty.
    pub(crate) fn get(&self, name: &'static str) -> Option<&str> {
        self.0
            .get(name)
            .map(String::as_str)
            .filter(|value| !value.is_empty() || name == Self::PASSWORD)
    }
}
