//! sqlcmd's connection flags.

use super::settings::Encrypt;

/// The flags of every program that connects: sqlcmd's own.
///
/// There is no flag for a password: a command line is for everybody to see.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Connection (as in sqlcmd)")]
pub struct ConnectionArgs {
    /// The server: host, host,port, tcp:host,port, host\instance, or . for this machine
    #[arg(short = 'S', long, value_name = "SERVER")]
    pub server: Option<String>,

    /// The SQL login; its password is taken from SQLCMDPASSWORD
    #[arg(short = 'U', long = "user-name", value_name = "LOGIN")]
    pub user: Option<String>,

    /// The database under test
    #[arg(
        short = 'd',
        long = "database-name",
        visible_alias = "database",
        value_name = "NAME"
    )]
    pub database: Option<String>,

    /// Windows authentication: not built in, refused with advice
    #[arg(short = 'E', long = "use-trusted-connection", hide_short_help = true)]
    pub trusted_connection: bool,

    /// Take the server's certificate without checking it
    #[arg(short = 'C', long = "trust-server-certificate")]
    pub trust_certificate: bool,

    /// Encryption: mandatory (the default), strict (TDS 8), optional (the login only) or disable
    #[arg(
        short = 'N',
        long = "encrypt-connection",
        value_name = "HOW",
        num_args = 0..=1,
        default_missing_value = "mandatory",
        value_parser = Encrypt::parse
    )]
    pub encrypt: Option<Encrypt>,

    /// Seconds that finding the server and logging in may take; 0 is without limit [default: 15]
    #[arg(short = 'l', long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(0..=65534))]
    pub login_timeout: Option<u32>,

    /// Seconds that one statement may take; 0 is without limit
    #[arg(short = 't', long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(0..=65534))]
    pub query_timeout: Option<u32>,

    /// Not here: a password on a command line is for everybody to see
    #[arg(short = 'P', long = "password", hide = true, num_args = 0..=1, value_name = "REFUSED")]
    pub password_refused: Option<Option<RefusedPassword>>,
}

/// A password that should not have been given: it is forgotten at once.
#[derive(Clone, Copy, Debug, Default)]
pub struct RefusedPassword;

impl From<&str> for RefusedPassword {
    fn from(_: &str) -> Self {
        Self
    }
}

impl From<String> for RefusedPassword {
    fn from(_: String) -> Self {
        Self
    }
}
