//! The settings of a connection, resolved from flags, upstream records and environment.

use super::address::ServerAddress;
use super::ado::AdoString;
use super::args::ConnectionArgs;
use super::environment::Environment;
use records::{Failure, FailureCode, Target, Trial};
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;
use zeroize::Zeroizing;

/// How long finding the server and logging in may take where nothing is said.
const DEFAULT_LOGIN_TIMEOUT: Duration = Duration::from_secs(15);

/// A password: never shown, wiped from memory when it goes.
#[derive(Clone)]
pub struct Secret(Zeroizing<String>);

impl Secret {
    /// Keeps a secret.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self(Zeroizing::new(text.to_owned()))
    }

    /// The secret itself, for the login only.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// How the connection is encrypted: sqlcmd's `-N`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encrypt {
    /// Nothing, not even the login. For a server without TLS.
    Disable,
    /// The login, and all where the server insists.
    Optional,
    /// All.
    Mandatory,
    /// All, with TLS before the first byte of TDS (TDS 8.0, SQL Server 2022 and later).
    Strict,
}

impl Encrypt {
    /// Reads what sqlcmd's `-N` and ADO.NET's `Encrypt` take.
    ///
    /// # Errors
    /// What would have been understood.
    pub fn parse(text: &str) -> Result<Self, String> {
        match text.trim().to_ascii_lowercase().as_str() {
            "disable" | "danger_plaintext" => Ok(Self::Disable),
            "o" | "optional" | "false" | "f" | "no" | "0" => Ok(Self::Optional),
            "m" | "mandatory" | "true" | "t" | "yes" | "1" => Ok(Self::Mandatory),
            "s" | "strict" => Ok(Self::Strict),
            _ => Err("it is one of disable, optional, mandatory or strict".to_owned()),
        }
    }
}

/// How long one statement may take: what the user said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueryTimeout {
    /// Without limit.
    Unlimited,
    /// So long.
    Limited(Duration),
}

impl QueryTimeout {
    /// The limit, if there is one.
    #[must_use]
    pub fn limit(self) -> Option<Duration> {
        match self {
            Self::Unlimited => None,
            Self::Limited(limit) => Some(limit),
        }
    }
}

/// Yes or no, as connection strings and environment variables say it.
pub(super) fn truth(text: &str) -> Option<bool> {
    match text.trim().to_ascii_lowercase().as_str() {
        "yes" | "true" | "1" | "on" => Some(true),
        "no" | "false" | "0" | "off" => Some(false),
        _ => None,
    }
}

/// All that it takes to connect.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where the server is.
    pub server: ServerAddress,
    /// The SQL login.
    pub user: String,
    /// Its password.
    pub password: Secret,
    /// The database under test, where one was named.
    pub database: Option<String>,
    /// How the connection is encrypted.
    pub encrypt: Encrypt,
    /// Whether any certificate is taken.
    pub trust_certificate: bool,
    /// Certificates to trust besides the system's.
    pub ca_file: Option<PathBuf>,
    /// The name that the certificate must carry, where it is not the host's.
    pub host_name_in_certificate: Option<String>,
    /// How long finding the server and logging in may take; none is without limit.
    pub login_timeout: Option<Duration>,
    /// How long one statement may take; none where nothing was said.
    pub query_timeout: Option<QueryTimeout>,
    /// The name of this run's sessions on the server (`program_name`), unique to the run.
    pub application_name: String,
    /// Remarks for the user: keys of the connection string that mean nothing here.
    pub warnings: Vec<String>,
}

impl Settings {
    /// Resolves flags, then upstream's target, then the environment, then sqlcmd's defaults.
    /// `program` names the run's sessions on the server.
    ///
    /// # Errors
    /// Usage: something is missing, contradictory or cannot be understood.
    pub fn resolve(
        program: &str,
        args: &ConnectionArgs,
        upstream: Option<&Target>,
        environment: &Environment,
    ) -> Result<Self, Failure> {
        refuse_what_is_not_built_in(args)?;
        let ado = match environment.get(Environment::CONNECTION_STRING) {
            Some(text) => AdoString::parse(text)?,
            None => AdoString::default(),
        };
        let (encrypt, trust_certificate) = protection(args, &ado, environment)?;
        let (login_timeout, query_timeout) = timeouts(args, &ado, environment)?;
        let variable = |name| environment.get(name).map(str::to_owned);

        let server = args
            .server
            .clone()
            .or_else(|| upstream.map(|target| target.server.clone()))
            .or(ado.server)
            .or_else(|| variable(Environment::SERVER))
            .unwrap_or_else(|| ".".to_owned());
        let server: ServerAddress = server.parse().map_err(|error: super::AddressError| {
            Failure::new(FailureCode::Usage, error.to_string()).remedy(error.remedy())
        })?;
        let database = args
            .database
            .clone()
            .or_else(|| upstream.map(|target| target.database.clone()))
            .or(ado.database)
            .or_else(|| variable(Environment::DATABASE));
        let user = args
            .user
            .clone()
            .or(ado.user)
            .or_else(|| variable(Environment::USER))
            .ok_or_else(|| {
                Failure::new(FailureCode::Usage, "no login was given").remedy(
                    "Give a SQL login with -U or SQLCMDUSER and its password in SQLCMDPASSWORD; \
                     Windows authentication is not built in.",
                )
            })?;
        let password = ado
            .password
            .or_else(|| environment.get(Environment::PASSWORD).map(Secret::new))
            .ok_or_else(|| {
                Failure::new(
                    FailureCode::Usage,
                    format!("there is no password for the login `{user}`"),
                )
                .remedy("Set it in SQLCMDPASSWORD: there is no flag for it, a command line is for everybody to see.")
            })?;

        let warnings = ado
            .unknown
            .iter()
            .map(|key| {
                format!(
                    "{key} in {} means nothing here and is ignored",
                    Environment::CONNECTION_STRING
                )
            })
            .collect();
        Ok(Self {
            server,
            user,
            password,
            database,
            encrypt,
            trust_certificate,
            ca_file: ado
                .ca_file
                .or_else(|| variable(Environment::CA_FILE))
                .map(PathBuf::from),
            host_name_in_certificate: ado.host_name_in_certificate,
            login_timeout,
            query_timeout,
            application_name: format!("writelog {program} {}", Trial::new_id()),
            warnings,
        })
    }

    /// How long one statement may take: what the user said, or `default`.
    #[must_use]
    pub fn query_limit(&self, default: Option<Duration>) -> Option<Duration> {
        self.query_timeout.map_or(default, QueryTimeout::limit)
    }

    /// The database under test.
    ///
    /// # Errors
    /// Usage: none was named.
    pub fn database(&self) -> Result<&str, Failure> {
        self.database.as_deref().ok_or_else(|| {
            Failure::new(FailureCode::Usage, "no database was named").remedy(
                "Give it with -d or SQLCMDDBNAME, or pipe in the records of a stage that knows it \
                 (setup-db).",
            )
        })
    }

    /// What records say of where the database is.
    ///
    /// # Errors
    /// Usage: no database was named.
    pub fn target(&self) -> Result<Target, Failure> {
        Ok(Target {
            server: self.server.to_string(),
            database: self.database()?.to_owned(),
        })
    }
}

/// How the connection is encrypted, and whether any certificate is taken.
fn protection(
    args: &ConnectionArgs,
    ado: &AdoString,
    environment: &Environment,
) -> Result<(Encrypt, bool), Failure> {
    let encrypt = match (
        args.encrypt,
        ado.encrypt,
        environment.get(Environment::ENCRYPT),
    ) {
        (Some(encrypt), _, _) | (None, Some(encrypt), _) => encrypt,
        (None, None, Some(text)) => {
            Encrypt::parse(text).map_err(|error| bad(Environment::ENCRYPT, &error))?
        }
        (None, None, None) => Encrypt::Mandatory,
    };
    let trust_certificate = match (
        args.trust_certificate,
        ado.trust_certificate,
        environment.get(Environment::TRUST_CERT),
    ) {
        (true, _, _) => true,
        (false, Some(trust), _) => trust,
        (false, None, Some(text)) => {
            truth(text).ok_or_else(|| bad(Environment::TRUST_CERT, "it is yes or no"))?
        }
        (false, None, None) => false,
    };
    Ok((encrypt, trust_certificate))
}

/// How long the login and a statement may take.
fn timeouts(
    args: &ConnectionArgs,
    ado: &AdoString,
    environment: &Environment,
) -> Result<(Option<Duration>, Option<QueryTimeout>), Failure> {
    let login_timeout = match args.login_timeout.or(ado.login_timeout_s) {
        Some(seconds) => limit(seconds),
        None => match environment.get(Environment::LOGIN_TIMEOUT) {
            Some(text) => seconds(Environment::LOGIN_TIMEOUT, text)?,
            None => Some(DEFAULT_LOGIN_TIMEOUT),
        },
    };
    let query_limit = match (
        args.query_timeout,
        environment.get(Environment::QUERY_TIMEOUT),
    ) {
        (Some(seconds), _) => Some(limit(seconds)),
        (None, Some(text)) => Some(seconds(Environment::QUERY_TIMEOUT, text)?),
        (None, None) => None,
    };
    let query_timeout =
        query_limit.map(|limit| limit.map_or(QueryTimeout::Unlimited, QueryTimeout::Limited));
    Ok((login_timeout, query_timeout))
}

fn refuse_what_is_not_built_in(args: &ConnectionArgs) -> Result<(), Failure> {
    if args.password_refused.is_some() {
        return Err(Failure::new(
            FailureCode::Usage,
            "there is no -P: a password on a command line is for everybody on the machine to see",
        )
        .remedy("Set it in the environment variable SQLCMDPASSWORD."));
    }
    if args.trusted_connection {
        return Err(Failure::new(
            FailureCode::Usage,
            "Windows authentication (-E) is not built in",
        )
        .remedy("Use a SQL login: -U and SQLCMDPASSWORD."));
    }
    Ok(())
}

fn bad(name: &str, what: &str) -> Failure {
    Failure::new(FailureCode::Usage, format!("{name} cannot be understood"))
        .remedy(format!("As a value, {what}."))
}

/// SQL Server's tools take 0 for "without limit".
fn limit(seconds: u32) -> Option<Duration> {
    (seconds > 0).then(|| Duration::from_secs(u64::from(seconds)))
}

fn seconds(name: &str, text: &str) -> Result<Option<Duration>, Failure> {
    text.trim()
        .parse()
        .map(limit)
        .map_err(|_| bad(name, "it is a whole number of seconds"))
}

#[cfg(test)]
mod tests;
