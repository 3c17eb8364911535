//! The experiment of four ways to commit, and that a server's setting is put back whatever happens.

use integration_tests::{Labdb, Outcome, checkout, program_folder, query_text, run};
use records::{Record, Round, Setup, Validity};
use std::os::unix::fs::symlink;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

const DATABASE: &str = "writelog_delayed_durability";
const SETTING: &str = "SELECT CAST(delayed_durability_desc AS nvarchar(60)) FROM sys.databases \
                       WHERE name = N'writelog_delayed_durability'";

/// An experiment's script in a folder, against a server that outlives it, its database kept.
fn experiment(server: &Labdb, script: &Path, results: &Path) -> Command {
    let mut command = Command::new(script);
    command
        .envs(server.environment_all())
        .env("RESULTS", results)
        .env("KEEP", "1")
        .env("NO_COLOR", "1")
        .env("COLUMNS", "80")
        .envs([("DATA_SIZE", "16MB"), ("LOG_SIZE", "16MB")])
        .envs([("BLOCKS", "1"), ("ORDER", "ABAB"), ("ROWS", "400")]);
    command
}

fn delayed_durability() -> std::path::PathBuf {
    checkout().join("scripts/delayed-durability")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn records(results: &Path) -> Vec<Record> {
    read(&results.join("stream.jsonl"))
        .lines()
        .map(|line| serde_json::from_str(line).expect("a record"))
        .collect()
}

pub(crate) fn rounds(results: &Path) -> Vec<Round> {
    records(results)
        .into_iter()
        .filter_map(|record| match record {
            Record::Round(round) => Some(*round),
            _ => None,
        })
        .collect()
}

fn setups(results: &Path) -> Vec<Setup> {
    records(results)
        .into_iter()
        .filter_map(|record| match record {
            Record::Setup(setup) => Some(*setup),
            _ => None,
        })
        .collect()
}

/// The rounds' variants with a figure of each.
fn figures<T>(rounds: &[Round], figure: impl Fn(&Round) -> T) -> Vec<(String, T)> {
    rounds
        .iter()
        .map(|round| {
            let trial = round.header.trial.as_ref().expect("a trial");
            (trial.variant.clone(), figure(round))
        })
        .collect()
}

fn assert_narrow(outcome: &Outcome) {
    for line in outcome.stdout.lines() {
        assert!(line.chars().count() <= 80, "wider than 80 columns: {line}");
    }
}

#[test]
fn durable_commits_write_once_each_delayed_ones_share_and_a_batch_is_one_transaction() {
    let server = Labdb::start();
    let folder = tempfile::tempdir().expect("a folder");
    let results = folder.path().join("results");
    let outcome = run(&mut experiment(&server, &delayed_durability(), &results)).success();
    let rounds = rounds(&results);
    for round in &rounds {
        assert_eq!(round.validity, Validity::Valid, "{:?}", round.reasons);
        assert_eq!(round.rows, Some(400));
        let (elapsed, flush) = (round.elapsed_ms.unwrap(), round.flush_ms.unwrap());
        let whole = round.elapsed_with_flush_ms.unwrap();
        assert!((whole - elapsed - flush).abs() < 1e-6 && flush > 0.0);
    }
    let transactions = figures(&rounds, |round| round.transactions.unwrap());
    let expected = [
        ("full", 400),
        ("delayed", 400),
        ("batched", 1),
        ("forced", 400),
    ];
    assert_eq!(
        transactions,
        expected.map(|(name, count)| (name.to_owned(), count))
    );
    let writes = figures(&rounds, |round| round.log_writes.unwrap());
    for (variant, writes) in writes {
        let bounds = match variant.as_str() {
            "full" => 400..440,
            "batched" => 1..20,
            _ => 1..100,
        };
        assert!(bounds.contains(&writes), "{variant}: {writes} log writes");
    }
    let waits = figures(&rounds, |round| round.writelog_waits.unwrap());
    for (variant, waits) in waits {
        assert_eq!(waits >= 400, variant == "full", "{variant}: {waits} waits");
    }

    // The last round, forced, by other means: each row holds its turn.
    let count = "SELECT CAST(CONCAT(COUNT(*), ' ', COUNT(DISTINCT line), ' ', \
                 MAX(CAST(line AS int))) AS nvarchar(60)) FROM dbo.writes";
    assert_eq!(query_text(&server, DATABASE, count), "400 400 400");

    assert_narrow(&outcome);
    for head in ["+ flush s", "log writes", "commits/write", "/ delayed"] {
        assert!(outcome.stdout.contains(head), "{head}:\n{}", outcome.stdout);
    }
    assert_eq!(read(&results.join("rounds.csv")).lines().count(), 5);
}

#[test]
fn a_round_trip_a_commit_is_the_same_question_from_many_connections() {
    let server = Labdb::start();
    let folder = tempfile::tempdir().expect("a folder");
    let results = folder.path().join("results");
    let mut command = experiment(&server, &delayed_durability(), &results);
    command.envs([("ROUNDTRIPS", "1"), ("WORKERS", "4"), ("ROWS", "50")]);
    run(&mut command).success();
    let rounds = rounds(&results);
    assert!(rounds.iter().all(|round| round.rows == Some(200)));
    let transactions = figures(&rounds, |round| round.transactions.unwrap());
    let expected = [
        ("full", 200),
        ("delayed", 200),
        ("batched", 4),
        ("forced", 200),
    ];
    assert_eq!(
        transactions,
        expected.map(|(name, count)| (name.to_owned(), count))
    );
    // A durable commit waits for its write, also where it shares it; a delayed one never does.
    for (variant, waits) in figures(&rounds, |round| round.writelog_waits.unwrap()) {
        let expected = match variant.as_str() {
            "full" => 200..400,
            "batched" => 4..20,
            _ => 0..20,
        };
        assert!(expected.contains(&waits), "{variant}: {waits} waits");
    }
}

#[test]
fn the_setting_is_put_back_to_what_it_was_before_the_series() {
    let server = Labdb::start();
    let folder = tempfile::tempdir().expect("a folder");
    let mut setup = server.program("setup-db");
    run(setup.args(["-d", DATABASE, "--data-size", "16MB", "--log-size", "16MB"])).success();
    for setting in ["FORCED", "DISABLED"] {
        let text = format!("ALTER DATABASE {DATABASE} SET DELAYED_DURABILITY = {setting}");
        let _ = query_text(&server, "master", &text);
        let results = folder.path().join(setting);
        let mut command = experiment(&server, &delayed_durability(), &results);
        run(command.env("ROWS", "5")).success();
        assert_eq!(query_text(&server, "master", SETTING), setting);
        let allowed = setups(&results)
            .iter()
            .filter_map(|setup| setup.settings.as_ref()?.delayed_durability.clone())
            .filter(|setting| setting == "ALLOWED")
            .count();
        assert_eq!(allowed, 3, "three of the rounds' variants ask for ALLOWED");
        let left = "SELECT CAST(COUNT(*) AS nvarchar(9)) FROM sys.extended_properties";
        assert_eq!(query_text(&server, DATABASE, left), "1", "only the mark");
    }
}

#[test]
fn a_stage_that_fails_ends_the_series_and_the_setting_is_put_back() {
    let server = Labdb::start();
    let folder = tempfile::tempdir().expect("a folder");
    let scripts = folder.path().join("scripts");
    std::fs::create_dir(&scripts).expect("a folder");
    for name in ["delayed-durability", "common.sh"] {
        symlink(checkout().join("scripts").join(name), scripts.join(name)).expect("a link");
    }
    for name in ["setup-db", "snapshot", "diff", "summarize"] {
        symlink(program_folder().join(name), scripts.join(name)).expect("a link");
    }
    // It sees what the setting is while the round runs, and fails.
    let loadgen = scripts.join("loadgen");
    let text = format!(
        "#!/bin/sh\ncat >'{}'\nexit 1\n",
        folder.path().join("seen").display()
    );
    std::fs::write(&loadgen, text).expect("written");
    let mut executable = Command::new("chmod");
    run(executable.arg("+x").arg(&loadgen)).success();

    let results = folder.path().join("results");
    let outcome = run(&mut experiment(
        &server,
        &scripts.join("delayed-durability"),
        &results,
    ));
    assert_eq!(
        outcome.code,
        Some(4),
        "nothing came to snapshot: {}",
        outcome.stderr
    );
    let seen = read(&folder.path().join("seen"));
    assert!(
        seen.contains("\"delayed_durability\":\"ALLOWED\""),
        "{seen}"
    );
    assert!(outcome.stderr.contains("putting"), "{}", outcome.stderr);
    assert_eq!(query_text(&server, "master", SETTING), "DISABLED");
}

#[test]
fn an_interrupt_cancels_the_loop_on_the_server_and_the_setting_is_put_back() {
    let server = Labdb::start();
    let folder = tempfile::tempdir().expect("a folder");
    let results = folder.path().join("results");
    // A loop that would take hours.
    let mut script = experiment(&server, &delayed_durability(), &results)
        .env("ROWS", "100000000")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .expect("the script starts");
    let loading = "SELECT CAST(COUNT(*) AS nvarchar(9)) FROM sys.dm_exec_requests AS r \
                   JOIN sys.dm_exec_sessions AS s ON s.session_id = r.session_id \
                   WHERE s.program_name LIKE N'%loadgen%'";
    while query_text(&server, "master", loading) == "0" {
        assert!(script.try_wait().expect("its state").is_none(), "it ended");
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(query_text(&server, "master", SETTING), "ALLOWED");
    // As a terminal's Ctrl-C does: to every program of the pipe.
    let group = format!("-{}", script.id());
    run(Command::new("kill").args(["-INT", "--", &group])).success();
    let output = script.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(said.contains("RESUME=1"), "{said}");
    assert_eq!(query_text(&server, "master", SETTING), "DISABLED", "{said}");
    assert_eq!(query_text(&server, "master", loading), "0", "it runs on");
}

#[test]
fn the_databases_that_are_not_disabled_are_listed_with_their_setting() {
    let server = Labdb::start();
    for (name, setting) in [
        ("lab_a", "ALLOWED"),
        ("lab_b", "FORCED"),
        ("lab_c", "DISABLED"),
    ] {
        let _ = query_text(&server, "master", &format!("CREATE DATABASE {name}"));
        let text = format!("ALTER DATABASE {name} SET DELAYED_DURABILITY = {setting}");
        let _ = query_text(&server, "master", &text);
    }
    let mut setup = server.program("setup-db");
    setup.args(["-d", "lab", "--data-size", "16MB", "--log-size", "16MB"]);
    let outcome = run(setup.args(["--no-table", "--list-delayed-durability"])).success();
    let Some(Record::Setup(setup)) = outcome.records().pop() else {
        panic!("{}", outcome.stdout);
    };
    let listed: Vec<(String, String)> = setup
        .delayed_durability_databases
        .expect("a list")
        .into_iter()
        .map(|entry| (entry.database, entry.delayed_durability))
        .collect();
    let expected = [("lab_a", "ALLOWED"), ("lab_b", "FORCED")];
    assert_eq!(
        listed,
        expected.map(|(name, setting)| (name.to_owned(), setting.to_owned()))
    );
    assert!(
        outcome.stderr.contains("lab_a (ALLOWED), lab_b (FORCED)"),
        "{}",
        outcome.stderr
    );
}

#[test]
fn loops_are_created_once_and_a_procedure_of_somebody_elses_is_never_replaced() {
    let server = Labdb::start();
    let setup = |table: &str| {
        let mut setup = server.program("setup-db");
        setup.args(["-d", "lab", "--data-size", "16MB", "--log-size", "16MB"]);
        run(setup.args(["--loops", "--table", table]))
    };
    let changed = |outcome: &Outcome| match outcome.records().pop() {
        Some(Record::Setup(setup)) => setup
            .changes
            .into_iter()
            .filter(|change| change.what == "procedure")
            .count(),
        other => panic!("{other:?}"),
    };
    assert_eq!(changed(&setup("a").success()), 3);
    assert_eq!(changed(&setup("a").success()), 0);
    let _ = query_text(
        &server,
        "lab",
        "CREATE PROCEDURE dbo.b_loop_delayed AS SELECT 7 AS seven",
    );
    let refused = setup("b");
    assert_eq!(refused.code, Some(1));
    assert!(
        refused.stderr.contains("b_loop_delayed"),
        "{}",
        refused.stderr
    );
    let text = "SELECT CAST(OBJECT_DEFINITION(OBJECT_ID(N'dbo.b_loop_delayed')) AS nvarchar(99))";
    assert!(query_text(&server, "lab", text).contains("SELECT 7"));
}

#[test]
fn commits_that_ask_in_vain_to_be_delayed_are_remarked_on() {
    let server = Labdb::start();
    let reasons = |setting: &str| {
        let mut setup = server.program("setup-db");
        setup.args(["-d", "lab", "--data-size", "16MB", "--log-size", "16MB"]);
        let stream = run(setup.args(["--delayed-durability", setting]))
            .success()
            .stdout;
        let mut load = server.program("loadgen");
        load.args(["--workers", "1", "--rows", "3", "--durability", "delayed"]);
        let outcome = integration_tests::run_with_input(&mut load, &stream).success();
        match outcome.records().pop() {
            Some(Record::Load(load)) => load
                .reasons
                .into_iter()
                .map(|reason| reason.code)
                .filter(|code| code != "client_bound")
                .collect::<Vec<_>>(),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(reasons("disabled"), ["delayed_durability_disabled"]);
    assert_eq!(reasons("allowed"), [""; 0]);
}
