//! Connections over a real socket: what is drained, cancelled, refused and said.
#![allow(clippy::unwrap_used, reason = "a test's helper may fail the test")]

mod double;

use double::{Door, Double, Part, int_column};
use labdb_types::Value;
use records::{Failure, FailureCode};
use sqlserver::connect::Encrypt;
use sqlserver::{Columns, Connection, ConnectionArgs, Environment, Settings, SqlError, block_on};
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

fn settings(server: &str, change: impl FnOnce(&mut Settings)) -> Arc<Settings> {
    let args = ConnectionArgs {
        server: Some(server.to_owned()),
        database: Some("lab".to_owned()),
        user: Some("sa".to_owned()),
        login_timeout: Some(20),
        ..ConnectionArgs::default()
    };
    let environment =
        Environment::from_fn(|name| (name == "SQLCMDPASSWORD").then(|| "hunter2".to_owned()));
    let mut settings = Settings::resolve("test", &args, None, &environment).unwrap();
    settings.encrypt = Encrypt::Disable;
    change(&mut settings);
    Arc::new(settings)
}

fn open(settings: &Arc<Settings>) -> Result<(), Failure> {
    block_on(async { Connection::open(settings).await.map(drop) })
}

fn refusal(settings: &Arc<Settings>) -> Failure {
    let failure = open(settings).unwrap_err();
    assert_eq!(failure.code, FailureCode::NoConnection, "{failure}");
    assert!(failure.remedy.is_some(), "{failure}");
    assert!(!format!("{failure:?}").contains("hunter2"), "{failure:?}");
    assert!(
        failure.message.contains(&settings.server.to_string()),
        "{failure}"
    );
    failure
}

fn one_row(value: i32) -> Part {
    Part::Rows(vec![int_column("n")], vec![vec![Value::Int(value)]])
}

#[test]
fn an_error_after_a_result_set_is_not_lost_and_the_session_goes_on() {
    let double = Double::start(Door::Plain, |text| match text {
        "two" => vec![
            one_row(1),
            Part::Error(3201, 16, "no device"),
            Part::Error(3013, 16, "end"),
        ],
        _ => vec![
            one_row(7),
            Part::Rows(vec![int_column("n")], vec![]),
            one_row(8),
        ],
    });
    let settings = settings(&double.server(), |_| {});
    block_on(async {
        let mut connection = Connection::open(&settings).await?;
        let error = connection.batch("two").await.unwrap_err();
        assert_eq!(
            error.number(),
            Some(3201),
            "the first error names the cause"
        );
        let results = connection.batch("three").await.unwrap();
        assert_eq!(results.len(), 3, "a result set without rows is there");
        assert_eq!(results[2][0].some_int("n").unwrap(), 8);
        assert!(results[2][0].some_big("n").is_err(), "an int is no bigint");
        assert!(results[2][0].some_int("m").is_err());
        Ok::<_, Failure>(())
    })
    .unwrap();
}

#[test]
fn a_statement_past_its_deadline_is_cancelled_on_the_server_and_the_session_opens_anew() {
    let double = Double::start(Door::Plain, |text| match text {
        "slow" => vec![Part::UntilCancelled],
        _ => vec![one_row(1)],
    });
    let settings = settings(&double.server(), |_| {});
    block_on(async {
        let mut connection = Connection::open(&settings).await?;
        connection.set_deadline(Some(Duration::from_millis(100)));
        let error = connection.batch("slow").await.unwrap_err();
        assert!(matches!(error, SqlError::Deadline { .. }), "{error}");
        assert!(!connection.is_open());
        assert_eq!(
            connection.batch("fast").await.unwrap_err(),
            SqlError::Closed
        );
        connection.reopen().await?;
        connection.set_deadline(None);
        assert!(connection.row("fast").await.unwrap().is_some());
        Ok::<_, Failure>(())
    })
    .unwrap();
    let seen = double.seen.lock().unwrap();
    assert_eq!(seen.cancelled, 1, "the server was told to stop");
    assert_eq!(
        seen.batches,
        ["slow", "fast"],
        "nothing was sent to a doubtful session"
    );
}

#[test]
fn a_connection_that_the_server_closes_is_lost_and_says_so() {
    for (door, encrypt) in [
        (Door::Plain, Encrypt::Disable),
        (Door::Tls, Encrypt::Mandatory),
    ] {
        let double = Double::start(door, |_| vec![Part::Close]);
        let settings = settings(&double.server(), |settings| {
            settings.encrypt = encrypt;
            settings.trust_certificate = true;
        });
        block_on(async {
            let mut connection = Connection::open(&settings).await?;
            let error = connection.batch("anything").await.unwrap_err();
            assert_eq!(error, SqlError::Lost("the server closed it".to_owned()));
            assert!(!connection.is_open());
            assert_eq!(error.failure("x").code, FailureCode::NoConnection);
            Ok::<_, Failure>(())
        })
        .unwrap();
    }
}

#[test]
fn the_session_carries_the_login_the_database_and_the_runs_own_name() {
    let double = Double::start(Door::Plain, |_| vec![]);
    let settings = settings(&double.server(), |_| {});
    open(&settings).unwrap();
    let seen = double.seen.lock().unwrap();
    let expected = (
        "sa".to_owned(),
        "lab".to_owned(),
        settings.application_name.clone(),
    );
    assert_eq!(seen.logins, [expected]);
}

#[test]
fn a_certificate_is_checked_unless_it_is_named_or_the_user_gives_that_up() {
    let double = Double::start(Door::Tls, |_| vec![]);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ca.pem");
    std::fs::write(&file, &double.certificate).unwrap();
    for encrypt in [Encrypt::Mandatory, Encrypt::Strict] {
        let unknown = settings(&double.server(), |settings| settings.encrypt = encrypt);
        let failure = refusal(&unknown);
        assert!(
            failure.message.contains("certificate is not trusted"),
            "{failure}"
        );
        let remedy = failure.remedy.unwrap();
        assert!(
            remedy.contains("-C") && remedy.contains("WRITELOG_CA_FILE"),
            "{remedy}"
        );

        open(&settings(&double.server(), |settings| {
            settings.encrypt = encrypt;
            settings.trust_certificate = true;
        }))
        .unwrap();
        open(&settings(&double.server(), |settings| {
            settings.encrypt = encrypt;
            settings.ca_file = Some(file.clone());
        }))
        .unwrap();
        // The right authority, the wrong name.
        let other = settings(&double.server(), |settings| {
            settings.encrypt = encrypt;
            settings.ca_file = Some(file.clone());
            settings.host_name_in_certificate = Some("db.example".to_owned());
        });
        assert!(
            refusal(&other)
                .message
                .contains("certificate is not trusted")
        );
    }
}

#[test]
fn a_file_of_certificates_that_is_not_there_is_named() {
    let double = Double::start(Door::Tls, |_| vec![]);
    let failure = open(&settings(&double.server(), |settings| {
        settings.encrypt = Encrypt::Mandatory;
        settings.ca_file = Some("/no/such/file.pem".into());
    }))
    .unwrap_err();
    assert!(failure.message.contains("/no/such/file.pem"), "{failure}");
    assert!(failure.remedy.unwrap().contains("WRITELOG_CA_FILE"));
}

#[test]
fn a_server_without_tls_is_not_given_the_password_unless_the_user_says_so() {
    let double = Double::start(Door::Plain, |_| vec![]);
    let failure = refusal(&settings(&double.server(), |settings| {
        settings.encrypt = Encrypt::Mandatory;
    }));
    assert!(failure.remedy.unwrap().contains("-N disable"));
    assert!(double.seen.lock().unwrap().logins.is_empty());
}

#[test]
fn a_refused_login_keeps_the_servers_number_and_says_what_to_check() {
    for (number, text, says) in [
        (18456, "Login failed for user 'sa'.", "SQLCMDPASSWORD"),
        (
            4060,
            "Cannot open database \"lab\" requested by the login.",
            "-d",
        ),
    ] {
        let double = Double::start(Door::Refused(number, text), |_| vec![]);
        let failure = refusal(&settings(&double.server(), |_| {}));
        assert_eq!(failure.sql_error, u32::try_from(number).ok());
        assert!(failure.message.contains(text), "{failure}");
        assert!(failure.remedy.unwrap().contains(says));
    }
}

#[test]
fn nobody_listening_no_such_name_and_silence_are_told_apart() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = format!("127.0.0.1,{port}");
    // It listens and never answers: the login's own deadline ends it.
    let silent = refusal(&settings(&server, |settings| {
        settings.login_timeout = Some(Duration::from_millis(300));
    }));
    assert!(
        silent.message.contains("no answer within 0.3 s"),
        "{silent}"
    );
    assert!(silent.remedy.unwrap().contains("-l"));
    drop(listener);
    let closed = refusal(&settings(&server, |_| {}));
    assert!(closed.remedy.unwrap().contains("running"));
    let unknown = refusal(&settings("no-such-host.invalid", |_| {}));
    assert!(
        unknown.message.contains("no-such-host.invalid"),
        "{unknown}"
    );
}

#[test]
fn a_named_instance_without_a_browser_says_so_and_how_to_do_without() {
    let failure = refusal(&settings(r"127.0.0.1\SALES", |_| {}));
    assert!(
        failure.message.contains("Browser") && failure.message.contains("SALES"),
        "{failure}"
    );
    assert!(failure.remedy.unwrap().contains("-S 127.0.0.1,PORT"));
}
