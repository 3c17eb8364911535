//! An ADO.NET connection string, as far as it is understood here.

use super::environment::Environment;
use super::settings::{Encrypt, Secret};
use records::{Failure, FailureCode};
use zeroize::Zeroizing;

/// What a connection string says.
#[derive(Debug, Default)]
pub(super) struct AdoString {
    pub server: Option<String>,
    pub user: Option<String>,
    pub password: Option<Secret>,
    pub database: Option<String>,
    pub encrypt: Option<Encrypt>,
    pub trust_certificate: Option<bool>,
    pub ca_file: Option<String>,
    pub host_name_in_certificate: Option<String>,
    pub login_timeout_s: Option<u32>,
    /// Keys that mean nothing here, in words for a warning. Only ADO.NET's own are named: any
    /// other could be a piece of a password with an unquoted `;` in it.
    pub unknown: Vec<String>,
}

/// ADO.NET's keys that a measurement has no use for, without blanks and in lower case.
const WITHOUT_USE: [&str; 23] = [
    "applicationintent",
    "asynchronousprocessing",
    "columnencryptionsetting",
    "commandtimeout",
    "connectionlifetime",
    "connectretrycount",
    "connectretryinterval",
    "currentlanguage",
    "enlist",
    "failoverpartner",
    "language",
    "loadbalancetimeout",
    "mars",
    "maxpoolsize",
    "minpoolsize",
    "multipleactiveresultsets",
    "multisubnetfailover",
    "packetsize",
    "persistsecurityinfo",
    "pooling",
    "typesystemversion",
    "workstationid",
    "wsid",
];

impl AdoString {
    /// Reads a connection string. No error repeats any of its values.
    pub(super) fn parse(text: &str) -> Result<Self, Failure> {
        let pairs = pairs(text).ok_or_else(|| {
            usage("cannot be read as `key=value;key=value`").remedy(
                "Put a value that holds ; or begins with a quote or a brace in double quotes, or \
                 set SQLCMDPASSWORD.",
            )
        })?;
        let mut read = Self::default();
        for (key, value) in &pairs {
            read.take(key, value)?;
        }
        read.unknown.sort_unstable();
        Ok(read)
    }

    fn take(&mut self, key: &str, value: &str) -> Result<(), Failure> {
        let name: String = key
            .chars()
            .filter(|c| !c.is_whitespace())
            .map(|c| c.to_ascii_lowercase())
            .collect();
        let text = || Some(value.to_owned()).filter(|value| !value.is_empty());
        match name.as_str() {
            "server" | "datasource" | "addr" | "address" | "networkaddress" => self.server = text(),
            "database" | "initialcatalog" => self.database = text(),
            "uid" | "userid" | "user" | "username" => self.user = text(),
            "pwd" | "password" => self.password = Some(Secret::new(value)),
            "integratedsecurity" | "trusted_connection" => {
                if value.eq_ignore_ascii_case("sspi") || flag(key, value)? {
                    return Err(
                        usage("asks for Windows authentication, which is not built in").remedy(
                            "Use a SQL login: `User ID=...` and `Password=...`, or SQLCMDPASSWORD.",
                        ),
                    );
                }
            }
            "authentication" => {
                if !value.eq_ignore_ascii_case("SqlPassword") {
                    return Err(usage("asks for an authentication that is not built in")
                        .remedy("Only SQL logins are: `Authentication=SqlPassword` or nothing."));
                }
            }
            "encrypt" => {
                self.encrypt = Some(
                    Encrypt::parse(value)
                        .map_err(|error| usage(&format!("has a bad `{key}`: {error}")))?,
                );
            }
            "trustservercertificate" => self.trust_certificate = Some(flag(key, value)?),
            "trustservercertificateca" | "servercertificate" => self.ca_file = text(),
            "hostnameincertificate" => self.host_name_in_certificate = text(),
            "connecttimeout" | "connectiontimeout" | "timeout" => {
                self.login_timeout_s = Some(value.trim().parse().map_err(|_| {
                    usage(&format!("has a bad `{key}`")).remedy("It is a whole number of seconds.")
                })?);
            }
            // Each run has its own name, so that its sessions can be found and killed.
            "applicationname" | "app" => {}
            known if WITHOUT_USE.contains(&known) => {
                self.unknown.push(format!("the key `{key}`"));
            }
            _ => self.unknown.push(
                "a key that ADO.NET does not have (a password that holds ; belongs in double \
                 quotes)"
                    .to_owned(),
            ),
        }
        Ok(())
    }
}

/// The pairs of a connection string, as ADO.NET reads them: a pair is split at its first `=`; a
/// value may stand in single or double quotes, which it holds doubled, or in braces.
fn pairs(text: &str) -> Option<Vec<(String, Zeroizing<String>)>> {
    let mut pairs = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(|c: char| c == ';' || c.is_whitespace());
        if rest.is_empty() {
            return Some(pairs);
        }
        let (key, after) = rest.split_once('=')?;
        if key.contains(';') || key.trim().is_empty() {
            return None;
        }
        let after = after.trim_start();
        let value;
        (value, rest) = match after.chars().next() {
            Some(quote @ ('\'' | '"')) => quoted(after.get(1..)?, quote)?,
            Some('{') => {
                let (inside, tail) = after.get(1..)?.split_once('}')?;
                (Zeroizing::new(inside.to_owned()), tail)
            }
            _ => {
                let end = after.find(';').unwrap_or(after.len());
                let (plain, tail) = after.split_at(end);
                (Zeroizing::new(plain.trim_end().to_owned()), tail)
            }
        };
        rest = rest.trim_start();
        if !rest.is_empty() && !rest.starts_with(';') {
            return None;
        }
        pairs.push((key.trim().to_owned(), value));
    }
}

/// What stands before the closing quote, and what comes after it.
fn quoted(text: &str, quote: char) -> Option<(Zeroizing<String>, &str)> {
    let mut value = Zeroizing::new(String::new());
    let mut rest = text;
    loop {
        let (before, after) = rest.split_once(quote)?;
        value.push_str(before);
        match after.strip_prefix(quote) {
            Some(more) => {
                value.push(quote);
                rest = more;
            }
            None => return Some((value, after)),
        }
    }
}

fn usage(what: &str) -> Failure {
    Failure::new(
        FailureCode::Usage,
        format!("{} {what}", Environment::CONNECTION_STRING),
    )
}

fn flag(key: &str, value: &str) -> Result<bool, Failure> {
    super::settings::truth(value)
        .ok_or_else(|| usage(&format!("has a bad `{key}`")).remedy("It is yes or no."))
}

#[cfg(test)]
mod tests {
    use super::AdoString;
    use crate::connect::Encrypt;

    #[test]
    fn the_keys_of_ado_net_and_their_synonyms_are_read() {
        let read = AdoString::parse(
            "Data Source=tcp:db1,1500;Initial Catalog=lab;User ID=sa;Password=\"p;=d\";\
             Encrypt=Strict;TrustServerCertificate=Yes;Connect Timeout=7;HostNameInCertificate=h;\
             Pooling=false;MARS=yes",
        )
        .unwrap();
        assert_eq!(read.server.as_deref(), Some("tcp:db1,1500"));
        assert_eq!(read.database.as_deref(), Some("lab"));
        assert_eq!(read.user.as_deref(), Some("sa"));
        assert_eq!(read.password.unwrap().expose(), "p;=d");
        assert_eq!(read.encrypt, Some(Encrypt::Strict));
        assert_eq!(read.trust_certificate, Some(true));
        assert_eq!(read.login_timeout_s, Some(7));
        assert_eq!(read.host_name_in_certificate.as_deref(), Some("h"));
        assert_eq!(read.unknown, ["the key `MARS`", "the key `Pooling`"]);
    }

    #[test]
    fn a_piece_of_a_password_that_looks_like_a_key_is_not_named() {
        let read = AdoString::parse("Server=s;Password=first;hunter2=third").unwrap();
        assert_eq!(read.unknown.len(), 1);
        assert!(!read.unknown[0].contains("hunter2"), "{:?}", read.unknown);
        assert!(read.unknown[0].contains("double quotes"));
    }

    #[test]
    fn values_may_be_quoted_braced_or_hold_an_equals_sign() {
        for (value, password) in [
            ("plain", "plain"),
            ("Zm9v==", "Zm9v=="),
            ("größe", "größe"),
            ("'it''s; \"x\"'", "it's; \"x\""),
            ("\"a\"\"b;\"", "a\"b;"),
            ("{a;b='c'}", "a;b='c'"),
            (" ' kept ' ", " kept "),
        ] {
            let read = AdoString::parse(&format!(";;Pwd={value} ; Server = s ;")).unwrap();
            assert_eq!(read.password.unwrap().expose(), password, "{value}");
            assert_eq!(read.server.as_deref(), Some("s"));
        }
    }

    #[test]
    fn what_cannot_be_done_is_refused_and_no_refusal_repeats_the_password() {
        for text in [
            "Server=x;Integrated Security=SSPI;Password=hunter2",
            "Server=x;Trusted_Connection=yes;Password=hunter2",
            "Server=x;Authentication=ActiveDirectoryPassword;Password=hunter2",
            "Server=x;Encrypt=perhaps;Password=hunter2",
            "Server=x;Connect Timeout=soon;Password=hunter2",
            "Server=x;Password='hunter2",
            "Server=x;Password=\"hunter2\" more",
            "hunter2",
        ] {
            let failure = AdoString::parse(text).unwrap_err();
            assert_eq!(failure.code, records::FailureCode::Usage, "{text}");
            assert!(
                !format!("{failure} {failure:?}").contains("hunter2"),
                "{failure}"
            );
        }
    }
}
