//! What goes wrong: each has a message that says what to do, the documented exit code, and loses
//! nothing that came before.

use crate::programs::{DATABASE, ROWS, WORKERS, one_round, round_of, setup, setup_outcome};
use integration_tests::{Labdb, LabdbOptions, Outcome, program, run, run_with_input};
use records::{FailureCode, Record, Validity};

/// The failure that a program's last record tells, after checking that people are told too.
fn failure(outcome: &Outcome, code: i32) -> (FailureCode, String) {
    assert_eq!(outcome.code, Some(code), "{}", outcome.stderr);
    let Some(Record::Error(error)) = outcome.records().pop() else {
        panic!("no error record: {}", outcome.stdout)
    };
    assert!(
        outcome.stderr.contains(&error.message),
        "standard error: {}",
        outcome.stderr
    );
    let remedy = error.remedy.unwrap_or_default();
    assert!(
        !remedy.is_empty(),
        "it does not say what to do: {}",
        error.message
    );
    (error.code, format!("{} {remedy}", error.message))
}

#[test]
fn no_server_is_named_with_its_address() {
    // A port that was free a moment ago: nobody listens there.
    let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = free.local_addr().expect("an address").port();
    drop(free);
    let outcome = run(program("snapshot")
        .args([
            "-n",
            "-S",
            &format!("127.0.0.1,{port}"),
            "-d",
            "x",
            "-U",
            "sa",
            "-l",
            "5",
        ])
        .env("SQLCMDPASSWORD", "not-a-real-one"));
    let (code, text) = failure(&outcome, 5);
    assert_eq!(code, FailureCode::NoConnection);
    assert!(text.contains(&port.to_string()), "{text}");
    assert!(
        !outcome.stdout.contains("not-a-real-one") && !outcome.stderr.contains("not-a-real-one")
    );
}

#[test]
fn a_wrong_password_is_a_login_failure_without_the_password() {
    let server = Labdb::start();
    let outcome = run(server
        .program("snapshot")
        .args(["-n", "-d", "master"])
        .env("SQLCMDPASSWORD", "wrong-Secret-1"));
    let (code, text) = failure(&outcome, 5);
    assert_eq!(code, FailureCode::NoConnection);
    assert!(
        text.contains("18456") || text.to_lowercase().contains("login"),
        "{text}"
    );
    assert!(
        !outcome.stdout.contains("wrong-Secret-1") && !outcome.stderr.contains("wrong-Secret-1")
    );
}

#[test]
fn a_database_that_is_not_there_is_named() {
    let server = Labdb::start();
    let outcome = run(server
        .program("snapshot")
        .args(["-n", "-d", "no_such_database"]));
    let (code, text) = failure(&outcome, 5);
    assert_eq!(code, FailureCode::NoConnection);
    assert!(text.contains("no_such_database"), "{text}");
}

#[test]
fn a_certificate_that_is_not_trusted_is_refused_and_says_how_to_trust_it() {
    let server = Labdb::start();
    let outcome = run(server
        .program("snapshot")
        .args(["-n", "-d", "master"])
        .env_remove("WRITELOG_CA_FILE"));
    let (code, text) = failure(&outcome, 5);
    assert_eq!(code, FailureCode::NoConnection);
    assert!(
        text.contains("certificate") && text.contains("-C"),
        "{text}"
    );
    run(server
        .program("snapshot")
        .args(["-n", "-C", "-d", "master"])
        .env_remove("WRITELOG_CA_FILE"))
    .success();
}

#[test]
fn a_database_that_is_not_ours_is_refused_and_can_be_allowed_by_name() {
    let server = Labdb::start();
    sql(&server, "master", "CREATE DATABASE somebody_elses");
    let arguments = ["-d", "somebody_elses", "--recovery", "simple"];
    let (code, text) = failure(&run(server.program("setup-db").args(arguments)), 7);
    assert_eq!(code, FailureCode::NotOurs);
    assert!(
        text.contains("somebody_elses") && text.contains("--adopt"),
        "{text}"
    );
    let model = "SELECT CAST(recovery_model_desc AS nvarchar(60)) FROM sys.databases WHERE name = N'somebody_elses'";
    assert_eq!(sql(&server, "master", model), "FULL", "it was not touched");
    for arguments in [
        vec!["--drop"],
        vec!["--empty-table"],
        vec!["--adopt", "another_name"],
    ] {
        let mut command = server.program("setup-db");
        let refused = run(command.args(["-d", "somebody_elses"]).args(arguments));
        assert_eq!(refused.code, Some(7), "{}", refused.stderr);
    }
    run(server
        .program("setup-db")
        .args(arguments)
        .args(["--adopt", "somebody_elses"]))
    .success();
    assert_eq!(sql(&server, "master", model), "SIMPLE");
}

#[test]
fn a_system_database_is_refused_whatever_is_said() {
    let server = Labdb::start();
    for name in ["master", "msdb", "tempdb", "model"] {
        let refused = run(server.program("setup-db").args([
            "-d",
            name,
            "--recovery",
            "simple",
            "--adopt",
            name,
        ]));
        assert_eq!(refused.code, Some(7), "{name}: {}", refused.stderr);
    }
}

#[test]
fn a_missing_permission_is_null_with_the_grant_that_helps() {
    let server = Labdb::start();
    setup(&server, "SIMPLE");
    for (database, text) in [
        (
            "master",
            "CREATE LOGIN reader WITH PASSWORD = N'Reader-pass-1'",
        ),
        (DATABASE, "CREATE USER reader FOR LOGIN reader"),
    ] {
        assert_eq!(sql(&server, database, text), "");
    }
    let outcome = run(server
        .program("snapshot")
        .args(["-n", "-d", DATABASE, "-U", "reader"])
        .env("SQLCMDPASSWORD", "Reader-pass-1"))
    .success();
    let Some(Record::Snapshot(snapshot)) = outcome.records().pop() else {
        panic!()
    };
    assert!(
        snapshot.files.is_none() && snapshot.waits.is_none(),
        "never a guess"
    );
    let files = snapshot
        .unavailable
        .iter()
        .find(|gap| gap.field == "files")
        .expect("files");
    assert_eq!(files.sql_error, Some(300));
    assert!(
        files
            .remedy
            .as_deref()
            .unwrap_or_default()
            .contains("GRANT VIEW SERVER"),
        "{files:?}"
    );

    let refused = run(server
        .program("setup-db")
        .args(["-d", "another_database", "-U", "reader"])
        .env("SQLCMDPASSWORD", "Reader-pass-1"));
    let (code, text) = failure(&refused, 6);
    assert_eq!(code, FailureCode::Permission);
    assert!(text.contains("GRANT"), "{text}");
}

#[test]
fn a_log_too_small_for_the_run_makes_the_round_invalid_and_says_9002() {
    let server = Labdb::start();
    let small = ["--recovery", "full", "--log-growth", "0"];
    let mut command = server.program("setup-db");
    let set = run(command
        .args([
            "-d",
            DATABASE,
            "--data-size",
            "64MB",
            "--log-size",
            "2MB",
            "--empty-table",
        ])
        .args(small));
    let stream = run_with_input(&mut server.program("snapshot"), &set.success().stdout)
        .success()
        .stdout;
    let load = run_with_input(
        server
            .program("loadgen")
            .args(["--workers", "4", "--rows", "20000"]),
        &stream,
    );
    assert_eq!(load.code, Some(8), "{}", load.stderr);
    assert!(load.stdout.starts_with(&stream), "what came before is kept");
    let Some(Record::Load(record)) = load.records().pop() else {
        panic!()
    };
    assert_eq!(record.validity, Validity::Invalid);
    assert!(
        record.errors.iter().any(|error| error.number == Some(9002)),
        "{:?}",
        record.errors
    );
    assert!(
        load.stderr.contains("9002") && load.stderr.contains("log"),
        "{}",
        load.stderr
    );
    let after =
        run_with_input(server.program("snapshot").arg("--checkpoint"), &load.stdout).success();
    let outcome = run_with_input(&mut program("diff"), &after.stdout);
    assert_eq!(outcome.code, Some(8), "{}", outcome.stderr);
    let round = round_of(&outcome.stdout);
    assert_eq!(round.validity, Validity::Invalid);
    assert_eq!(round.log_reuse_wait, "LOG_BACKUP");
}

#[test]
fn a_full_disk_is_said_and_leaves_no_half_database() {
    let server = Labdb::start_with(LabdbOptions {
        arguments: vec!["--fault".into(), "disk-full=40MB".into()],
        ..LabdbOptions::default()
    });
    let mut command = server.program("setup-db");
    let outcome = run(command.args(["-d", DATABASE, "--data-size", "16MB", "--log-size", "64MB"]));
    let (code, text) = failure(&outcome, 1);
    assert_eq!(code, FailureCode::Failed);
    assert!(
        text.to_lowercase().contains("space") || text.to_lowercase().contains("disk"),
        "{text}"
    );
    let left = sql(
        &server,
        "master",
        &format!(
            "SELECT CAST(COUNT(*) AS nvarchar(9)) FROM sys.databases WHERE name = N'{DATABASE}'"
        ),
    );
    assert_eq!(left, "0");
}

#[test]
fn a_line_that_is_no_json_stops_the_stage_before_it_acts() {
    for name in ["snapshot", "loadgen"] {
        let outcome = run_with_input(
            program(name).args(["-S", "127.0.0.1,1", "-d", "x"]),
            "Warning: hello\n",
        );
        let (code, text) = failure(&outcome, 3);
        assert_eq!(code, FailureCode::BadInput);
        assert!(text.contains("line 1"), "{name}: {text}");
    }
}

#[test]
fn an_error_upstream_stops_every_stage_and_passes_through() {
    let failed = run(program("snapshot")
        .args(["-n", "-S", "127.0.0.1,1", "-d", "x", "-U", "sa", "-l", "2"])
        .env("SQLCMDPASSWORD", "x"));
    for name in ["snapshot", "loadgen", "diff"] {
        let outcome = run_with_input(&mut program(name), &failed.stdout);
        assert_eq!(outcome.code, Some(4), "{name}: {}", outcome.stderr);
        assert!(outcome.stdout.starts_with(&failed.stdout), "{name}");
    }
}

#[test]
fn a_snapshot_without_its_twin_is_said() {
    let server = Labdb::start();
    let stream = setup_outcome(&server, &["--recovery", "simple"])
        .success()
        .stdout;
    let one = run_with_input(&mut server.program("snapshot"), &stream)
        .success()
        .stdout;
    let outcome = run_with_input(&mut program("diff"), &one);
    let (code, text) = failure(&outcome, 3);
    assert_eq!(code, FailureCode::BadInput);
    assert!(text.contains("snapshot"), "{text}");
    assert!(outcome.stdout.starts_with(&one));
}

#[test]
fn a_stream_cut_anywhere_never_gives_a_number_and_keeps_whole_lines() {
    let server = Labdb::start();
    let stream = one_round(&server, "SIMPLE", 1, 1, 1);
    let raw = stream.split_inclusive('\n').take(4).collect::<String>();
    for part in 1..12 {
        let mut cut = raw.len() * part / 12;
        while !raw.is_char_boundary(cut) {
            cut += 1;
        }
        if raw[..cut].ends_with('\n') {
            continue;
        }
        let outcome = run_with_input(&mut program("diff"), &raw[..cut]);
        assert_eq!(outcome.code, Some(3), "cut at {cut}: {}", outcome.stderr);
        let whole = raw[..cut].rfind('\n').map_or("", |end| &raw[..=end]);
        assert!(outcome.stdout.starts_with(whole), "cut at {cut}");
        let rounds = outcome
            .records()
            .iter()
            .filter(|record| matches!(record, Record::Round(_)))
            .count();
        assert_eq!(rounds, 0, "cut at {cut}");
    }
}

#[test]
fn a_restart_between_snapshots_gives_null_and_the_reason() {
    let mut server = Labdb::start();
    let stream = setup_outcome(&server, &["--recovery", "simple"])
        .success()
        .stdout;
    let before = run_with_input(&mut server.program("snapshot"), &stream)
        .success()
        .stdout;
    server.kill_and_restart();
    let after = run_with_input(&mut server.program("snapshot"), &before)
        .success()
        .stdout;
    let outcome = run_with_input(&mut program("diff"), &after);
    let round = round_of(&outcome.stdout);
    assert_eq!(round.log_bytes_written, None);
    assert_ne!(round.counters, records::CountersStatus::Continuous);
    assert_ne!(round.validity, Validity::Valid);
}

#[test]
fn a_reader_that_leaves_early_ends_a_program_quietly() {
    let server = Labdb::start();
    let stream = one_round(&server, "SIMPLE", 1, 1, 1);
    let long = stream.repeat(400);
    let mut child = program("diff")
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("diff starts");
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().expect("a pipe");
    let _ = std::io::Write::write_all(&mut stdin, long.as_bytes());
    drop(stdin);
    let output = child.wait_with_output().expect("diff ends");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn rounds_survive_a_worker_count_that_the_server_refuses() {
    let server = Labdb::start_with(LabdbOptions {
        arguments: vec!["--max-connections".into(), "3".into()],
        ..LabdbOptions::default()
    });
    let stream = setup_outcome(&server, &["--recovery", "simple"])
        .success()
        .stdout;
    let load = run_with_input(
        server.program("loadgen").args([
            "--workers",
            &(WORKERS + 4).to_string(),
            "--rows",
            &ROWS.to_string(),
        ]),
        &stream,
    );
    let (code, _) = failure(&load, 5);
    assert_eq!(code, FailureCode::NoConnection);
    assert!(load.stdout.starts_with(&stream));
}

/// Runs a batch and gives the first column of its first row as text, by the driver itself.
pub(crate) fn sql(server: &Labdb, database: &str, text: &str) -> String {
    integration_tests::query_text(server, database, text)
}
