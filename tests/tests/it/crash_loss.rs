//! crash-loss: acknowledged commits beside the table after a real SIGKILL.

use crate::programs::DATABASE;
use integration_tests::{Labdb, LabdbOptions, Outcome, checkout, query_text, run, run_with_input};
use records::{Load, LossFigures, Record, Round, Validity};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const WORKERS: u64 = 4;

/// A labdb whose log flushes take so long that a kill always finds delayed commits in its memory.
fn slow_labdb() -> Labdb {
    Labdb::start_with(LabdbOptions {
        arguments: ["--fault", "flush-delay=100ms"].map(str::to_owned).into(),
        ..LabdbOptions::default()
    })
}

/// The database with an empty table of the journal's shape, and a snapshot of it.
fn prepare(server: &Labdb) -> String {
    let setup = run(server.program("setup-db").args([
        "-d",
        DATABASE,
        "--data-size",
        "16MB",
        "--log-size",
        "16MB",
        "--delayed-durability",
        "allowed",
        "--table",
        "dbo.commits",
        "--table-shape",
        "journal",
        "--empty-table",
    ]));
    let setup = setup.success().stdout;
    run_with_input(&mut server.program("snapshot"), &setup)
        .success()
        .stdout
}

fn start_load(server: &Labdb, stream: &str, journal: &Path, durability: &str) -> Child {
    let input = journal.with_extension("input");
    std::fs::write(&input, stream).expect("written");
    let mut load = server.program("loadgen");
    load.args(["--workers", &WORKERS.to_string(), "--duration", "60s"])
        .args(["--durability", durability, "--expect-crash", "--journal"])
        .arg(journal)
        .stdin(std::fs::File::open(&input).expect("the stream"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let load = load.spawn().expect("loadgen starts");
    let deadline = Instant::now() + Duration::from_mins(1);
    while lines(journal) < 100 {
        assert!(Instant::now() < deadline, "no hundred commits in a minute");
        std::thread::sleep(Duration::from_millis(10));
    }
    load
}

fn lines(journal: &Path) -> usize {
    std::fs::read_to_string(journal).map_or(0, |text| text.matches('\n').count())
}

/// The stream of a load that a crash of the server ended; the server is back.
fn crashed(server: &mut Labdb, journal: &Path, durability: &str) -> String {
    let stream = prepare(server);
    let load = start_load(server, &stream, journal, durability);
    server.kill_and_restart();
    let output = load.wait_with_output().expect("loadgen ends");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn audit(server: &Labdb, stream: &str) -> Outcome {
    run_with_input(&mut server.program("audit"), stream)
}

fn round(outcome: &Outcome) -> Round {
    match outcome.records().pop() {
        Some(Record::Round(round)) => *round,
        other => panic!("{other:?}: {}", outcome.stderr),
    }
}

fn loss(outcome: &Outcome) -> LossFigures {
    round(outcome).loss.expect("what was lost")
}

fn journal_in(folder: &tempfile::TempDir) -> PathBuf {
    folder.path().join("acks")
}

fn execute(server: &Labdb, text: &str) -> String {
    query_text(
        server,
        DATABASE,
        &format!("{text}; SELECT CAST(@@ROWCOUNT AS nvarchar(20))"),
    )
}

#[test]
fn after_sigkill_no_durable_commit_is_missing_and_what_was_deleted_since_is_found_exactly() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut server = Labdb::start();
    let stream = crashed(&mut server, &journal_in(&folder), "full");
    let Some(Record::Load(load)) = stream
        .lines()
        .last()
        .map(|line| serde_json::from_str(line).expect("a record"))
    else {
        panic!("{stream}")
    };
    let load: Load = *load;
    assert_eq!(load.validity, Validity::Partial);
    assert_eq!(load.reasons[0].code, "crashed");

    let outcome = audit(&server, &stream).success();
    assert!(outcome.stdout.starts_with(&stream), "a filter passes on");
    let whole = loss(&outcome);
    assert!(whole.promised_durable);
    assert_eq!((whole.missing, whole.gaps, whole.missing_ms), (0, 0, None));
    assert_eq!(whole.acknowledged, load.transactions);
    let there: u64 = query_text(
        &server,
        DATABASE,
        "SELECT CAST(COUNT_BIG(*) AS nvarchar(20)) FROM dbo.commits",
    )
    .parse()
    .expect("a number");
    assert_eq!(there, whole.present + whole.unacknowledged_present);

    // A server that lost what it had promised: three commits from the middle of one worker.
    let deleted = execute(
        &server,
        "DELETE FROM dbo.commits WHERE worker = 2 AND commit_number IN (3, 5, 6)",
    );
    assert_eq!(deleted, "3");
    let outcome = audit(&server, &stream);
    assert_eq!(outcome.code, Some(10), "{}", outcome.stderr);
    assert!(
        outcome.stderr.contains("COMMITS ARE LOST"),
        "{}",
        outcome.stderr
    );
    let lied = loss(&outcome);
    assert_eq!((lied.missing, lied.gaps), (3, 3));
    assert_eq!(lied.present + 3, whole.present);

    // A row that nobody sent: table and journal do not belong together.
    execute(
        &server,
        "INSERT INTO dbo.commits (worker, commit_number) VALUES (2, 100000000)",
    );
    let outcome = audit(&server, &stream);
    assert_eq!(outcome.code, Some(3), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("100000000"), "{}", outcome.stderr);
}

#[test]
fn delayed_commits_that_were_in_memory_are_missing_from_the_end_and_only_there() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut server = slow_labdb();
    let stream = crashed(&mut server, &journal_in(&folder), "delayed");
    let outcome = audit(&server, &stream).success();
    let loss = loss(&outcome);
    assert!(!loss.promised_durable);
    assert!(loss.missing > 0, "{loss:?}");
    assert_eq!(loss.gaps, 0);
    assert!(loss.missing_ms.is_some_and(|ms| ms > 0.0), "{loss:?}");
    // The journal says the same: what is missing was acknowledged in the last milliseconds.
    let text = std::fs::read_to_string(journal_in(&folder)).expect("the journal");
    let mut at: Vec<u64> = text
        .lines()
        .skip(1)
        .map(|line| line.rsplit(' ').next().expect("three").parse().expect("ns"))
        .collect();
    at.sort_unstable();
    assert_eq!(at.len() as u64, loss.acknowledged);
    let last = *at.last().expect("some");
    let span_ns = Duration::from_secs_f64(loss.missing_ms.expect("some") / 1000.0).as_nanos();
    let within = at
        .iter()
        .filter(|ns| u128::from(last - **ns) <= span_ns + 1_000)
        .count() as u64;
    assert!(within >= loss.missing, "{within} {loss:?}");
}

#[test]
fn a_load_that_no_crash_ended_and_a_server_that_never_stopped_are_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Labdb::start();
    let stream = prepare(&server);
    let load = run_with_input(
        server
            .program("loadgen")
            .args(["--workers", "2", "--rows", "20", "--journal"])
            .arg(journal_in(&folder)),
        &stream,
    )
    .success();
    let outcome = audit(&server, &load.stdout);
    assert_eq!(outcome.code, Some(8), "{}", outcome.stderr);
    let found = round(&outcome);
    assert_eq!(found.validity, Validity::Invalid);
    assert_eq!(found.reasons[0].code, "not_restarted");
    assert_eq!(found.loss.expect("figures").present, 40);

    let expected = run_with_input(
        server
            .program("loadgen")
            .args([
                "--workers",
                "2",
                "--rows",
                "20",
                "--expect-crash",
                "--journal",
            ])
            .arg(folder.path().join("second")),
        &prepare(&server),
    );
    assert_eq!(expected.code, Some(8), "{}", expected.stderr);
    assert!(expected.stdout.contains("no_crash"));
}

#[test]
fn the_journal_outlives_loadgen_and_a_server_that_is_away_is_waited_for_and_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut server = Labdb::start();
    let journal = journal_in(&folder);
    let stream = prepare(&server);
    let mut load = start_load(&server, &stream, &journal, "full");
    load.kill().expect("loadgen is killed");
    load.wait().expect("loadgen is gone");
    let acknowledged = std::fs::read_to_string(&journal)
        .expect("the journal")
        .matches('\n')
        .count() as u64
        - 1;
    server.kill_and_restart();
    let mut alone = server.program("audit");
    alone.args(["-n", "--journal"]).arg(&journal);
    let found = loss(&run(&mut alone).success());
    assert_eq!((found.acknowledged, found.missing), (acknowledged, 0));
    assert!(found.unacknowledged_present <= WORKERS);

    let mut away = server.program("audit");
    away.args(["-n", "--wait", "300ms", "--journal"])
        .arg(&journal)
        .env("SQLCMDSERVER", "127.0.0.1,1");
    let outcome = run(away.args(["-S", "127.0.0.1,1"]));
    assert_eq!(outcome.code, Some(5), "{}", outcome.stderr);
    assert!(
        outcome.stderr.contains("not back within 0.3 s"),
        "{}",
        outcome.stderr
    );
}

fn series(results: &Path, variables: &[(&str, &str)]) -> Outcome {
    series_with("", results, variables)
}

/// The same after a line of shell, which sees how the labdb is killed and started again.
fn series_with(line: &str, results: &Path, variables: &[(&str, &str)]) -> Outcome {
    let mut command = Command::new(checkout().join("scripts/with-labdb"));
    command
        .args(["sh", "-c", &format!("{line}\nexec \"$0\"")])
        .arg(checkout().join("scripts/crash-loss"))
        .env("RESULTS", results)
        .env("NO_COLOR", "1")
        .env("COLUMNS", "80")
        .envs([("DATA_SIZE", "16MB"), ("LOG_SIZE", "16MB")])
        .envs([
            ("WORKERS", "4"),
            ("KILL_MIN_MS", "150"),
            ("KILL_MAX_MS", "300"),
        ])
        .env("LABDB_OPTIONS", "--fault flush-delay=60ms")
        .envs(variables.iter().copied());
    run(&mut command)
}

fn rounds(results: &Path) -> Vec<Round> {
    let stream = std::fs::read_to_string(results.join("stream.jsonl")).expect("the stream");
    stream
        .lines()
        .filter_map(|line| match serde_json::from_str(line).expect("a record") {
            Record::Round(round) => Some(*round),
            _ => None,
        })
        .collect()
}

#[test]
fn the_series_kills_a_server_four_times_and_goes_on_where_it_was_stopped() {
    let folder = tempfile::tempdir().expect("a folder");
    let results = folder.path().join("results");
    let outcome = series(&results, &[("PAIRS", "1")]).success();
    let stream = results.join("stream.jsonl");
    let first = std::fs::read_to_string(&stream).expect("the stream");
    assert!(
        outcome.stdout.contains("full lost 0 of"),
        "{}",
        outcome.stdout
    );
    for line in outcome.stdout.lines() {
        assert!(line.chars().count() <= 80, "wider than 80 columns: {line}");
    }

    assert!(!outcome.stdout.contains("differ in"), "{}", outcome.stdout);
    for round in rounds(&results) {
        let conditions = round.conditions.expect("those before the load");
        assert_eq!(conditions.files.map(|files| files.len()), Some(2));
        assert_eq!(conditions.global_trace_flags, Some(vec![]));
        // What others did cannot be subtracted across a crash.
        assert_eq!(conditions.others, None);
        let gaps = conditions.unavailable.iter();
        assert!(gaps.map(|gap| gap.field.as_str()).eq(["others"]));
    }

    // As if it had been begun with two pairs and stopped after the first.
    let settings = results.join("settings");
    let text = std::fs::read_to_string(&settings).expect("settings");
    std::fs::write(&settings, text.replace("PAIRS=1\n", "PAIRS=2\n")).expect("written");
    let outcome = series(&results, &[("RESUME", "1")]).success();
    let resumed = std::fs::read_to_string(&stream).expect("the stream");
    assert!(resumed.starts_with(&first), "finished rounds are kept");

    let rounds = rounds(&results);
    assert_eq!(rounds.len(), 4);
    let mut lost_delayed = 0;
    for round in &rounds {
        let variant = &round.header.trial.as_ref().expect("a trial").variant;
        let loss = round.loss.as_ref().expect("figures");
        assert_eq!(round.validity, Validity::Valid, "{:?}", round.reasons);
        assert_eq!(loss.promised_durable, variant == "full");
        if variant == "full" {
            assert_eq!(loss.missing, 0);
        } else {
            lost_delayed += loss.missing;
        }
        assert_eq!(loss.gaps, 0);
        assert!(loss.acknowledged > 0);
    }
    assert!(lost_delayed > 0);
    let words = outcome
        .stdout
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    assert!(words.contains("in 2 crashes. So at most 77.6 %"), "{words}");
    let csv = std::fs::read_to_string(results.join("rounds.csv")).expect("the CSV");
    assert!(
        csv.lines()
            .next()
            .expect("a head")
            .contains("missing_commits")
    );
    assert!(results.join("journal-4.txt").exists());
}

#[test]
fn without_a_way_to_kill_the_server_nothing_is_begun() {
    let folder = tempfile::tempdir().expect("a folder");
    let results = folder.path().join("results");
    let mut command = Command::new(checkout().join("scripts/crash-loss"));
    command
        .env("RESULTS", &results)
        .env_remove("KILL_COMMAND")
        .env("START_COMMAND", "true");
    let outcome = run(&mut command);
    assert_eq!(outcome.code, Some(2));
    assert!(
        outcome.stderr.contains("docker kill") && outcome.stderr.contains("with-labdb"),
        "{}",
        outcome.stderr
    );
    assert!(!results.exists());
    let outcome = series(&results, &[("KILL_MIN_MS", "500")]);
    assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("KILL_MAX_MS"));
}

/// The reasons of the rounds, and whether any ran out its time.
fn reasons(results: &Path) -> Vec<String> {
    let all = rounds(results).into_iter().flat_map(|round| round.reasons);
    all.map(|reason| reason.code).collect()
}

#[test]
fn a_kill_or_a_start_that_fails_ends_the_round_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let results = folder.path().join("kill");
    let fails = "export KILL_COMMAND='echo no such container >&2; exit 3'";
    let outcome = series_with(fails, &results, &[("PAIRS", "1")]);
    assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
    assert!(
        outcome.stderr.contains("no such container"),
        "{}",
        outcome.stderr
    );
    assert!(
        outcome.stderr.contains("KILL_COMMAND failed"),
        "{}",
        outcome.stderr
    );
    // The load was ended; it did not run until its time was over.
    let reasons = reasons(&results);
    assert!(reasons.contains(&"interrupted".to_owned()), "{reasons:?}");

    let results = folder.path().join("start");
    let fails = "export START_COMMAND='exit 3'";
    let outcome = series_with(fails, &results, &[("PAIRS", "1")]);
    assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
    assert!(
        outcome.stderr.contains("START_COMMAND failed"),
        "{}",
        outcome.stderr
    );
    assert!(
        !outcome.stderr.contains("not back within"),
        "{}",
        outcome.stderr
    );
}

#[test]
fn a_container_is_killed_and_started_by_the_commands_of_the_page() {
    let folder = tempfile::tempdir().expect("a folder");
    let page = std::fs::read_to_string(checkout().join("docs/crash-loss.md")).expect("the page");
    let documented = page
        .lines()
        .find(|line| line.contains("export KILL_COMMAND="))
        .expect("the commands");
    // A docker that knows one container, which is the labdb.
    let docker = folder.path().join("docker");
    let text = "#!/bin/sh\ncase \"$*\" in\n'kill sql') sh -c \"$LAB_KILL\" ;;\n\
                'start sql') sh -c \"$LAB_START\" ;;\n*) exit 125 ;;\nesac\n";
    std::fs::write(&docker, text).expect("written");
    run(Command::new("chmod").arg("+x").arg(&docker)).success();
    let line = format!(
        "export LAB_KILL=\"$KILL_COMMAND\" LAB_START=\"$START_COMMAND\" PATH='{}':\"$PATH\"\n{documented}",
        folder.path().display()
    );
    let results = folder.path().join("results");
    series_with(&line, &results, &[("PAIRS", "1")]).success();
    let acknowledged: Vec<bool> = rounds(&results)
        .into_iter()
        .map(|round| round.loss.is_some_and(|loss| loss.acknowledged > 0))
        .collect();
    assert_eq!(acknowledged, [true, true]);
}
