use super::{Encrypt, QueryTimeout, Settings};
use crate::connect::{ConnectionArgs, Environment};
use clap::Parser;
use records::{Failure, FailureCode, Target};
use std::time::Duration;

#[derive(Parser)]
struct Program {
    #[command(flatten)]
    connection: ConnectionArgs,
}

fn args(flags: &str) -> ConnectionArgs {
    Program::try_parse_from(std::iter::once("program").chain(flags.split_whitespace()))
        .unwrap()
        .connection
}

fn environment(pairs: &'static [(&'static str, &'static str)]) -> Environment {
    Environment::from_fn(|name| {
        pairs
            .iter()
            .find(|(key, _)| *key == name)
            .map(|(_, value)| (*value).to_owned())
    })
}

fn upstream() -> Target {
    Target {
        server: "up,1".into(),
        database: "updb".into(),
    }
}

const LOGIN: &[(&str, &str)] = &[("SQLCMDUSER", "sa"), ("SQLCMDPASSWORD", "hunter2")];
const ALL: &[(&str, &str)] = &[
    ("SQLCMDSERVER", "env,2"),
    ("SQLCMDDBNAME", "envdb"),
    ("SQLCMDUSER", "envuser"),
    ("SQLCMDPASSWORD", "hunter2"),
    ("SQLCMDLOGINTIMEOUT", "3"),
    ("SQLCMDSTATTIMEOUT", "0"),
    ("WRITELOG_ENCRYPT", "disable"),
    ("WRITELOG_TRUST_CERT", "yes"),
    ("WRITELOG_CA_FILE", "/ca.pem"),
];

fn resolve(
    flags: &str,
    upstream: Option<&Target>,
    variables: &'static [(&'static str, &'static str)],
) -> Result<Settings, Failure> {
    Settings::resolve("test", &args(flags), upstream, &environment(variables))
}

#[test]
fn a_flag_wins_over_upstream_and_upstream_over_the_environment() {
    let flags = "-S flag,3 -d flagdb -U flaguser -N strict -l 9 -t 4";
    let all = resolve(flags, Some(&upstream()), ALL).unwrap();
    assert_eq!(all.server.to_string(), "flag,3");
    assert_eq!(all.database().unwrap(), "flagdb");
    assert_eq!(all.user, "flaguser");
    assert_eq!(all.encrypt, Encrypt::Strict);
    assert_eq!(all.login_timeout, Some(Duration::from_secs(9)));
    assert_eq!(
        all.query_timeout,
        Some(QueryTimeout::Limited(Duration::from_secs(4)))
    );

    let piped = resolve("", Some(&upstream()), ALL).unwrap();
    assert_eq!(piped.target().unwrap(), upstream());
    assert_eq!(piped.user, "envuser");

    let alone = resolve("", None, ALL).unwrap();
    assert_eq!(alone.server.to_string(), "env,2");
    assert_eq!(alone.database().unwrap(), "envdb");
    assert_eq!(alone.encrypt, Encrypt::Disable);
    assert!(alone.trust_certificate);
    assert_eq!(alone.ca_file.unwrap().to_str(), Some("/ca.pem"));
    assert_eq!(alone.login_timeout, Some(Duration::from_secs(3)));
    assert_eq!(alone.query_timeout, Some(QueryTimeout::Unlimited));
}

#[test]
fn with_nothing_said_it_is_this_machine_all_encrypted_and_the_certificate_checked() {
    let plain = resolve("", None, LOGIN).unwrap();
    assert_eq!(plain.server.to_string(), "localhost,1433");
    assert_eq!(plain.encrypt, Encrypt::Mandatory);
    assert!(!plain.trust_certificate);
    assert_eq!(plain.login_timeout, Some(Duration::from_secs(15)));
    assert_eq!(plain.query_timeout, None);
    assert_eq!(plain.database().unwrap_err().code, FailureCode::Usage);
}

#[test]
fn the_encryption_flag_takes_sqlcmds_values_attached_apart_or_none() {
    for (flags, encrypt) in [
        ("-N", Encrypt::Mandatory),
        ("-N -C", Encrypt::Mandatory),
        ("-Ns", Encrypt::Strict),
        ("-N o", Encrypt::Optional),
        ("-N false", Encrypt::Optional),
        ("-N true", Encrypt::Mandatory),
        ("-N m", Encrypt::Mandatory),
        ("-N disable", Encrypt::Disable),
    ] {
        assert_eq!(
            resolve(flags, None, LOGIN).unwrap().encrypt,
            encrypt,
            "{flags}"
        );
    }
    assert!(Program::try_parse_from(["program", "-N", "perhaps"]).is_err());
}

#[test]
fn a_connection_string_wins_over_sqlcmds_variables_and_loses_to_flags() {
    const STRING: &[(&str, &str)] = &[
        ("SQLCMDSERVER", "env"),
        ("SQLCMDUSER", "envuser"),
        ("SQLCMDPASSWORD", "envpw"),
        (
            "WRITELOG_CONNECTION_STRING",
            "Server=str,7;User ID=struser;Password=strpw;Database=strdb;Encrypt=false;Pooling=no",
        ),
    ];
    let read = resolve("-d flagdb", None, STRING).unwrap();
    assert_eq!(read.server.to_string(), "str,7");
    assert_eq!(
        (read.user.as_str(), read.password.expose()),
        ("struser", "strpw")
    );
    assert_eq!(read.database().unwrap(), "flagdb");
    assert_eq!(read.encrypt, Encrypt::Optional);
    assert_eq!(read.warnings.len(), 1);
    assert!(
        read.warnings
            .iter()
            .all(|warning| warning.contains("Pooling"))
    );
}

#[test]
fn what_is_missing_or_not_built_in_is_a_usage_error_that_says_what_to_do() {
    const NO_PASSWORD: &[(&str, &str)] = &[("SQLCMDUSER", "sa")];
    for (flags, variables, says) in [
        ("", &[][..], "SQLCMDUSER"),
        ("", NO_PASSWORD, "SQLCMDPASSWORD"),
        ("-E", LOGIN, "SQLCMDPASSWORD"),
        ("-P hunter2", LOGIN, "SQLCMDPASSWORD"),
        ("-S db1:1433", LOGIN, "comma"),
    ] {
        let failure = resolve(flags, None, variables).unwrap_err();
        assert_eq!(failure.code, FailureCode::Usage);
        let text = failure.to_string();
        assert!(text.contains(says), "{text}");
        assert!(!text.contains("hunter2"), "{text}");
    }
}

#[test]
fn no_debug_output_shows_the_password() {
    let settings = resolve("", None, LOGIN).unwrap();
    assert!(!format!("{settings:?}").contains("hunter2"));
    assert!(!format!("{:?}", args("-P hunter2")).contains("hunter2"));
}

#[test]
fn each_run_has_its_own_name_on_the_server() {
    let (one, two) = (
        resolve("", None, LOGIN).unwrap().application_name,
        resolve("", None, LOGIN).unwrap().application_name,
    );
    assert_ne!(one, two);
    assert!(one.starts_with("writelog test ") && one.chars().count() <= 128);
}
