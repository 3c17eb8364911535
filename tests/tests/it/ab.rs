//! `scripts/ab`: any two settings, as a user compares them.

use integration_tests::{Labdb, Outcome, checkout, program, query_text, run};
use records::{ComparisonVerdict, Record, Round};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const FORCED: &str = "ALTER DATABASE CURRENT SET DELAYED_DURABILITY = FORCED";
const DISABLED: &str = "ALTER DATABASE CURRENT SET DELAYED_DURABILITY = DISABLED";

fn ab(results: &Path) -> Command {
    let mut command = Command::new(checkout().join("scripts/ab"));
    for (key, _) in std::env::vars_os() {
        let key = key.to_string_lossy().into_owned();
        if key.starts_with("SQLCMD") || key.starts_with("WRITELOG_") {
            command.env_remove(key);
        }
    }
    command
        .env("RESULTS", results)
        .env("NO_COLOR", "1")
        .env("COLUMNS", "80")
        .envs([
            ("DATA_SIZE", "32MB"),
            ("LOG_SIZE", "32MB"),
            ("ORDER", "ABBA"),
        ])
        .envs([
            ("WORKERS", "2"),
            ("TRANSACTIONS", "40"),
            ("PAIRS", "1"),
            ("SEED", "5"),
        ])
        .stdin(Stdio::null());
    command
}

fn on(server: &Labdb, results: &Path, variables: &[(&str, &str)]) -> Outcome {
    let variables = variables.iter().copied();
    run(ab(results).envs(server.environment_all()).envs(variables))
}

fn example(name: &str) -> String {
    checkout().join("docs/ab").join(name).display().to_string()
}

fn records(results: &Path) -> Vec<Record> {
    let path = results.join("stream.jsonl");
    std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()))
        .lines()
        .map(|line| serde_json::from_str(line).expect("a record"))
        .collect()
}

fn rounds(results: &Path) -> Vec<Round> {
    records(results)
        .into_iter()
        .filter_map(|record| match record {
            Record::Round(round) => Some(*round),
            _ => None,
        })
        .collect()
}

fn variants(results: &Path) -> Vec<String> {
    let trial = |round: Round| round.header.trial.expect("a trial").variant;
    rounds(results).into_iter().map(trial).collect()
}

/// The verdict on the headline metric.
fn verdict(results: &Path, baseline: &str) -> ComparisonVerdict {
    let stream = std::fs::File::open(results.join("stream.jsonl")).expect("the stream");
    let arguments = [
        "--format",
        "jsonl",
        "--table",
        "comparison",
        "--baseline",
        baseline,
    ];
    let comparison = run(program("summarize").args(arguments).stdin(stream)).success();
    comparison
        .records()
        .into_iter()
        .find_map(|record| match record {
            Record::Comparison(comparison) if comparison.metric == "elapsed_ms" => {
                Some(comparison.verdict)
            }
            _ => None,
        })
        .expect("a comparison")
}

fn delayed_durability(server: &Labdb, database: &str) -> String {
    let query = format!(
        "SELECT CAST(delayed_durability_desc AS nvarchar(60)) FROM sys.databases WHERE name = N'{database}'"
    );
    query_text(server, "master", &query)
}

/// Runs a statement for its effect.
fn execute(server: &Labdb, database: &str, text: &str) {
    assert_eq!(query_text(server, database, text), "");
}

#[test]
fn a_setting_that_makes_commits_cheaper_is_found_and_put_back() {
    // A flush of known length: what a durable commit costs does not depend on this disk.
    let server = Labdb::start_with(integration_tests::LabdbOptions {
        arguments: vec!["--fault".to_owned(), "flush-delay=2ms".to_owned()],
        ..Default::default()
    });
    let folder = tempfile::tempdir().expect("a folder");
    let results = folder.path().join("results");
    let (schema, order) = (example("schema.sql"), example("order.sql"));
    let outcome = on(
        &server,
        &results,
        &[
            ("A_NAME", "durable"),
            ("B_NAME", "delayed"),
            ("A_SQL", DISABLED),
            ("B_SQL", FORCED),
            ("SETUP", &schema),
            ("SCRIPT", &order),
            ("EMPTY", "dbo.orders"),
            ("PAIRS", "6"),
            ("KEEP", "1"),
            ("EXPERIMENT", "durability"),
        ],
    )
    .success();
    let ran = variants(&results);
    assert_eq!(ran.len(), 12);
    assert_eq!(
        ran[..4],
        ["durable", "delayed", "delayed", "durable"],
        "ABBA"
    );
    assert_eq!(verdict(&results, "durable"), ComparisonVerdict::Faster);
    for round in rounds(&results) {
        let trial = round.header.trial.expect("a trial");
        assert_eq!(
            (trial.experiment.as_str(), round.rows),
            ("durability", Some(80))
        );
        let setting = if trial.variant == "durable" {
            "DISABLED"
        } else {
            "FORCED"
        };
        assert_eq!(round.delayed_durability.as_deref(), Some(setting));
    }
    // Both rounds of a pair got the same values, another pair others.
    let seeds: Vec<u32> = records(&results)
        .into_iter()
        .filter_map(|record| match record {
            Record::Load(load) => Some(load.shape.script.expect("a script").seed),
            _ => None,
        })
        .collect();
    assert_eq!(seeds, [6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11]);
    for line in outcome.stdout.lines() {
        assert!(line.chars().count() <= 80, "wider than 80 columns: {line}");
    }
    let csv = std::fs::read_to_string(results.join("rounds.csv")).expect("a CSV");
    assert_eq!(csv.lines().count(), 13, "{csv}");
    // A's setting is the one that stays, and each round began with an empty table.
    assert_eq!(delayed_durability(&server, "writelog_ab"), "DISABLED");
    let count = "SELECT CAST(COUNT(*) AS nvarchar(9)) FROM dbo.orders";
    assert_eq!(query_text(&server, "writelog_ab", count), "80");
}

#[test]
fn the_same_setting_twice_is_not_claimed_to_differ() {
    let server = Labdb::start();
    let folder = tempfile::tempdir().expect("a folder");
    let results = folder.path().join("results");
    let variables = [("A_SQL", DISABLED), ("B_SQL", DISABLED), ("PAIRS", "3")];
    on(&server, &results, &variables).success();
    let verdict = verdict(&results, "A");
    assert!(
        matches!(
            verdict,
            ComparisonVerdict::Inconclusive | ComparisonVerdict::Equivalent
        ),
        "{verdict:?}"
    );
    assert_eq!(rounds(&results)[0].rows, Some(80), "the table of setup-db");
    let there =
        "SELECT CAST(COUNT(*) AS nvarchar(9)) FROM sys.databases WHERE name = N'writelog_ab'";
    assert_eq!(
        query_text(&server, "master", there),
        "0",
        "what it made is dropped"
    );
}

#[test]
fn after_sql_runs_where_a_round_fails() {
    let server = Labdb::start();
    let folder = tempfile::tempdir().expect("a folder");
    let script = folder.path().join("bad.sql");
    std::fs::write(
        &script,
        "SELECT 1;\nINSERT INTO dbo.nowhere VALUES (@iteration);\n",
    )
    .expect("written");
    let script = script.display().to_string();
    let outcome = on(
        &server,
        &folder.path().join("results"),
        &[
            ("A_SQL", DISABLED),
            ("B_SQL", FORCED),
            (
                "AFTER_SQL",
                "ALTER DATABASE CURRENT SET DELAYED_DURABILITY = ALLOWED",
            ),
            ("SCRIPT", &script),
        ],
    );
    assert_ne!(outcome.code, Some(0));
    assert!(outcome.stderr.contains("bad.sql:2:"), "{}", outcome.stderr);
    assert_eq!(delayed_durability(&server, "writelog_ab"), "ALLOWED");
}

#[test]
fn after_sql_runs_after_an_interrupt_and_the_series_goes_on_where_it_stopped() {
    let server = Labdb::start();
    let folder = tempfile::tempdir().expect("a folder");
    let results = folder.path().join("results");
    let (schema, order) = (example("schema.sql"), example("order-and-correction.sql"));
    let variables = [
        ("A_SQL", FORCED),
        ("B_SQL", DISABLED),
        ("SETUP", &*schema),
        ("SCRIPT", &*order),
        ("ORDER", "ABAB"),
        ("PAIRS", "2"),
    ];
    let mut command = ab(&results);
    command
        .envs(server.environment_all())
        .envs(variables)
        .env("TRANSACTIONS", "30")
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    // A group of its own, so that the signal reaches the script and its programs, as from a terminal.
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let child = command.spawn().expect("it starts");
    let begun = Instant::now();
    let stream = results.join("stream.jsonl");
    let loads =
        || std::fs::read_to_string(&stream).is_ok_and(|text| text.contains("\"kind\":\"round\""));
    while !loads() {
        assert!(begun.elapsed() < Duration::from_mins(2), "waited in vain");
        std::thread::sleep(Duration::from_millis(5));
    }
    let group = format!("-{}", child.id());
    run(Command::new("kill").args(["-INT", "--", &group])).success();
    let output = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert_eq!(
        delayed_durability(&server, "writelog_ab"),
        "FORCED",
        "{said}"
    );
    let kept = rounds(&results).len();
    assert!((1..4).contains(&kept), "{kept}");

    let others = [("RESUME", "1"), ("TRANSACTIONS", "31")];
    assert_eq!(on(&server, &results, &others).code, Some(2));
    let mut again = ab(&results);
    for variable in [
        "WORKERS",
        "TRANSACTIONS",
        "PAIRS",
        "SEED",
        "DATA_SIZE",
        "LOG_SIZE",
        "ORDER",
    ] {
        again.env_remove(variable);
    }
    run(again.envs(server.environment_all()).env("RESUME", "1")).success();
    let valid = rounds(&results)
        .into_iter()
        .filter(|round| round.validity == records::Validity::Valid);
    let ran: Vec<u32> = valid
        .map(|round| round.header.trial.expect("a trial").round)
        .collect();
    assert_eq!(ran, [1, 2, 3, 4], "each once");
}

#[test]
fn two_servers_are_compared_and_named() {
    let (first, second) = (Labdb::start(), Labdb::start());
    let folder = tempfile::tempdir().expect("a folder");
    let results = folder.path().join("results");
    let mut command = ab(&results);
    for (side, server) in [("A", &first), ("B", &second)] {
        for (key, value) in server.environment_all() {
            command.env(format!("{side}_{key}"), value);
        }
    }
    let script = folder.path().join("row.sql");
    std::fs::write(
        &script,
        "INSERT INTO dbo.rows_of_each VALUES (@worker, @iteration);\n",
    )
    .expect("written");
    let setup = folder.path().join("table.sql");
    std::fs::write(&setup, "CREATE TABLE dbo.rows_of_each (w int, i bigint);\n").expect("written");
    let outcome = run(command
        .env("SCRIPT", &script)
        .env("SETUP", &setup)
        .env("KEEP", "1")
        .env("EMPTY", "rows_of_each"))
    .success();
    let addresses: Vec<String> = rounds(&results)
        .into_iter()
        .map(|round| round.header.target.expect("a target").server)
        .collect();
    assert_eq!(addresses.len(), 2);
    assert_ne!(addresses[0], addresses[1]);
    for server in [&first, &second] {
        let count = "SELECT CAST(COUNT(*) AS nvarchar(9)) FROM dbo.rows_of_each";
        assert_eq!(query_text(server, "writelog_ab", count), "80");
        let password = server.environment("SQLCMDPASSWORD");
        assert!(!outcome.stdout.contains(password) && !outcome.stderr.contains(password));
    }
    assert!(outcome.stdout.contains("differ"), "{}", outcome.stdout);
}

#[test]
fn a_database_of_the_users_is_adopted_by_name_and_never_dropped() {
    let server = Labdb::start();
    execute(&server, "master", "CREATE DATABASE theirs");
    execute(&server, "theirs", "CREATE TABLE dbo.t (a bigint)");
    let folder = tempfile::tempdir().expect("a folder");
    let results = folder.path().join("results");
    let script = folder.path().join("t.sql");
    std::fs::write(&script, "INSERT INTO dbo.t VALUES (@iteration);\n").expect("written");
    let script = script.display().to_string();
    let refused = on(
        &server,
        &results,
        &[("SCRIPT", &script), ("DATABASE", "theirs")],
    );
    assert_eq!(refused.code, Some(7), "{}", refused.stderr);
    let variables = [
        ("SCRIPT", &*script),
        ("ADOPT", "theirs"),
        ("DATA_SIZE", ""),
        ("LOG_SIZE", ""),
    ];
    on(&server, &results, &variables).success();
    let count = "SELECT CAST(COUNT(*) AS nvarchar(9)) FROM dbo.t";
    assert_eq!(query_text(&server, "theirs", count), "160");
}

#[test]
fn what_is_wrong_is_refused_before_anything_is_moved() {
    let server = Labdb::start();
    let folder = tempfile::tempdir().expect("a folder");
    let results = folder.path().join("results");
    std::fs::create_dir(&results).expect("a folder");
    std::fs::write(results.join("stream.jsonl"), "precious\n").expect("a file");
    for (name, value) in [
        ("PAIRS", "0"),
        ("ORDER", "BABA"),
        ("TRANSACTIONS", "many"),
        ("SCRIPT", "/nowhere.sql"),
        ("B_NAME", "A"),
        ("A_SQL", "SELECT 1\nSELECT 2"),
        ("EXPERIMENT", "a/b"),
        ("RECOVERY", "none"),
    ] {
        let outcome = on(&server, &results, &[(name, value)]);
        assert_eq!(outcome.code, Some(2), "{name}: {}", outcome.stderr);
        let text = std::fs::read_to_string(results.join("stream.jsonl")).expect("kept");
        assert_eq!(text, "precious\n", "{name}");
    }
}

/// The examples of the page: each block of shell that runs the script, without the one of the
/// head.
fn examples() -> Vec<String> {
    let page = std::fs::read_to_string(checkout().join("docs/ab.md")).expect("the page");
    let (_, page) = page.split_once("## Examples").expect("the section");
    let mut blocks: Vec<String> = vec![String::new()];
    for line in page.lines() {
        match (line.strip_prefix("    "), blocks.last_mut()) {
            (Some(line), Some(block)) => {
                block.push_str(line);
                block.push('\n');
            }
            (None, Some(block)) if !block.is_empty() => blocks.push(String::new()),
            _ => {}
        }
    }
    blocks.retain(|block| block.contains("scripts/ab"));
    blocks
}

#[test]
fn the_examples_of_the_page_run_or_are_refused_as_it_says() {
    let (server, second) = (Labdb::start(), Labdb::start());
    let folder = tempfile::tempdir().expect("a folder");
    let mut seen = Vec::new();
    for (place, block) in examples().into_iter().enumerate() {
        let results = folder.path().join(place.to_string());
        let mut command = ab(&results);
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(&block).current_dir(checkout());
        for (key, value) in command.get_envs() {
            match value {
                Some(value) => shell.env(key, value),
                None => shell.env_remove(key),
            };
        }
        command.env_clear();
        let name = block
            .split_once("EXPERIMENT=")
            .and_then(|(_, rest)| rest.split_whitespace().next())
            .expect("each has a name")
            .to_owned();
        if name == "two-servers" {
            // The addresses of the page are nobody's.
            let (_, last) = block.rsplit_once("export").expect("two exports");
            let (_, line) = last.split_once('\n').expect("the line that runs it");
            shell = Command::new("sh");
            shell.arg("-c").arg(line).current_dir(checkout());
            shell.envs([
                ("PAIRS", "1"),
                ("TRANSACTIONS", "20"),
                ("DATA_SIZE", "32MB"),
            ]);
            shell.env("RESULTS", &results);
            for (side, server) in [("A", &server), ("B", &second)] {
                for (key, value) in server.environment_all() {
                    shell.env(format!("{side}_{key}"), value);
                }
            }
        } else {
            shell.envs(server.environment_all());
        }
        let outcome = run(shell.stdin(Stdio::null()));
        let said = format!("{name}: {}", outcome.stderr);
        match name.as_str() {
            "rcsi" => assert!(said.contains("Msg 40510"), "{said}"),
            "memory" => assert!(said.contains("Msg 15123"), "{said}"),
            _ => {
                assert_eq!(outcome.code, Some(0), "{said}");
                assert_eq!(rounds(&results).len(), 2, "{said}");
            }
        }
        seen.push(name);
    }
    let expected = [
        "sequential-key",
        "delayed-orders",
        "rcsi",
        "index",
        "memory",
        "two-servers",
    ];
    assert_eq!(seen, expected);
}

#[test]
fn a_script_that_meets_other_rows_each_time_did_the_same_work() {
    let server = Labdb::start();
    let folder = tempfile::tempdir().expect("a folder");
    let results = folder.path().join("results");
    let script = folder.path().join("some.sql");
    // Of two workers' ten rows, those of a number drawn anew.
    let text = "-- loadgen: @some int = random(1, 1000)\n\
                INSERT INTO dbo.t VALUES (@worker);\nDELETE TOP (@some % 3) FROM dbo.t;\n";
    std::fs::write(&script, text).expect("written");
    let setup = folder.path().join("t.sql");
    std::fs::write(&setup, "CREATE TABLE dbo.t (a int NOT NULL);\n").expect("written");
    let (script, setup) = (script.display().to_string(), setup.display().to_string());
    let variables = [("SCRIPT", &*script), ("SETUP", &*setup), ("PAIRS", "2")];
    let outcome = on(&server, &results, &variables).success();
    let rows: std::collections::BTreeSet<Option<u64>> =
        rounds(&results).iter().map(|round| round.rows).collect();
    assert!(rows.len() > 1, "the rows are no others: {rows:?}");
    assert!(!outcome.stdout.contains("differ in"), "{}", outcome.stdout);
}
