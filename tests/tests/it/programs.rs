//! The programs one by one, against labdb.

use integration_tests::{Labdb, Outcome, run, run_with_input};
use records::{CountersStatus, Record, Round, Setup, Snapshot, Validity};

pub(crate) const DATABASE: &str = "writelog_test";
pub(crate) const WORKERS: u64 = 4;
pub(crate) const ROWS: u64 = 50;

/// `setup-db` with small files.
pub(crate) fn setup_outcome(server: &Labdb, more: &[&str]) -> Outcome {
    run(server
        .program("setup-db")
        .args(["-d", DATABASE, "--data-size", "16MB", "--log-size", "16MB"])
        .args(["--empty-table", "--checkpoint"])
        .args(more))
}

/// The record of a `setup-db` to a recovery model.
pub(crate) fn setup(server: &Labdb, model: &str) -> Setup {
    let outcome = setup_outcome(server, &["--recovery", &model.to_lowercase()]).success();
    match outcome.records().remove(0) {
        Record::Setup(setup) => *setup,
        other => panic!("{other:?}"),
    }
}

/// The whole stream of one round.
pub(crate) fn one_round(server: &Labdb, model: &str, round: u32, block: u32, slot: u32) -> String {
    let (round, block, slot) = (round.to_string(), block.to_string(), slot.to_string());
    let mut stream = setup_outcome(
        server,
        &[
            "--recovery",
            &model.to_lowercase(),
            "--experiment",
            "recovery-model",
            "--variant",
            model,
            "--round",
            &round,
            "--block",
            &block,
            "--slot",
            &slot,
        ],
    )
    .success()
    .stdout;
    let (workers, rows) = (WORKERS.to_string(), ROWS.to_string());
    for (name, arguments) in [
        ("snapshot", vec![]),
        ("loadgen", vec!["--workers", &workers, "--rows", &rows]),
        ("snapshot", vec!["--checkpoint"]),
        ("diff", vec![]),
    ] {
        let before = stream.clone();
        let outcome = run_with_input(server.program(name).args(arguments), &stream).success();
        assert!(
            outcome.stdout.starts_with(&before),
            "{name} did not pass its input on"
        );
        stream = outcome.stdout;
    }
    stream
}

pub(crate) fn round_of(stream: &str) -> Round {
    match serde_json::from_str(stream.lines().last().expect("a line")).expect("a record") {
        Record::Round(round) => *round,
        other => panic!("{other:?}"),
    }
}

fn snapshot_of(outcome: &Outcome) -> Snapshot {
    match outcome.records().pop().expect("a record") {
        Record::Snapshot(snapshot) => *snapshot,
        other => panic!("{other:?}"),
    }
}

#[test]
fn setup_db_reports_each_change_once_and_then_has_nothing_to_do() {
    let server = Labdb::start();
    let first = setup(&server, "FULL");
    let changed: Vec<&str> = first
        .changes
        .iter()
        .map(|change| change.what.as_str())
        .collect();
    assert!(changed.contains(&"database"), "{changed:?}");
    let settings = first.settings.expect("settings");
    assert_eq!(settings.recovery_model, "FULL");
    assert_eq!(settings.armed, Some(true), "a FULL database is armed");
    assert!(
        settings
            .files
            .iter()
            .all(|file| file.size_bytes == 16 << 20),
        "{settings:?}"
    );

    let second = setup(&server, "FULL");
    assert_eq!(
        second.changes,
        [],
        "a declared state that holds is not changed"
    );

    let third = setup(&server, "SIMPLE");
    let settings = third.settings.expect("settings");
    assert_eq!(
        (settings.recovery_model.as_str(), settings.armed),
        ("SIMPLE", Some(false))
    );

    let fourth = setup(&server, "FULL");
    let settings = fourth.settings.expect("settings");
    assert_eq!(settings.armed, Some(true), "back to FULL it is armed anew");
}

#[test]
fn setup_db_grows_files_and_never_shrinks_them() {
    let server = Labdb::start();
    setup(&server, "SIMPLE");
    let grown = run(server
        .program("setup-db")
        .args(["-d", DATABASE, "--log-size", "24MB"]))
    .success();
    let Record::Setup(grown) = grown.records().remove(0) else {
        panic!()
    };
    let sizes: Vec<u64> = grown
        .settings
        .expect("settings")
        .files
        .iter()
        .map(|file| file.size_bytes)
        .collect();
    assert_eq!(sizes, [16 << 20, 24 << 20]);
    let smaller = run(server
        .program("setup-db")
        .args(["-d", DATABASE, "--log-size", "8MB"]))
    .success();
    let Record::Setup(smaller) = smaller.records().remove(0) else {
        panic!()
    };
    assert_eq!(smaller.changes, []);
    assert_eq!(
        smaller.settings.expect("settings").files[1].size_bytes,
        24 << 20
    );
}

#[test]
fn setup_db_drop_removes_the_database_and_says_so() {
    let server = Labdb::start();
    setup(&server, "FULL");
    let dropped = run(server.program("setup-db").args(["-d", DATABASE, "--drop"])).success();
    let Record::Setup(dropped) = dropped.records().remove(0) else {
        panic!()
    };
    assert!(dropped.settings.is_none());
    assert!(
        dropped
            .changes
            .iter()
            .any(|change| change.what == "database" && change.to.is_none())
    );
    let after = run(server.program("snapshot").args(["-n", "-d", DATABASE]));
    assert_eq!(after.code, Some(5), "{}", after.stderr);
}

#[test]
fn snapshot_reads_every_file_all_waits_and_the_states() {
    let server = Labdb::start();
    setup(&server, "FULL");
    let snapshot =
        snapshot_of(&run(server.program("snapshot").args(["-n", "-d", DATABASE])).success());
    assert_eq!(snapshot.unavailable, []);
    let files = snapshot.files.expect("files");
    assert_eq!(files.len(), 2);
    assert!(
        files
            .iter()
            .all(|file| file.size_bytes == 16 << 20 && !file.physical_name.is_empty())
    );
    let waits = snapshot.waits.expect("waits");
    assert!(waits.iter().any(|wait| wait.wait_type == "WRITELOG"));
    assert!(
        waits.iter().any(|wait| wait.waiting_tasks == 0),
        "waits that never occurred are there"
    );
    assert_eq!(snapshot.database.recovery_model, "FULL");
    assert_eq!(snapshot.database.armed, Some(true));
    assert!(snapshot.server_start_time.is_some());
    assert!(
        snapshot
            .performance_counters
            .expect("counters")
            .iter()
            .any(|c| c.counter_name.starts_with("Log Flushes"))
    );
}

#[test]
fn a_round_counts_what_the_load_did() {
    let server = Labdb::start();
    for (number, model) in [(1, "FULL"), (2, "SIMPLE")] {
        let round = round_of(&one_round(&server, model, number, 1, number));
        assert_eq!(round.validity, Validity::Valid, "{:?}", round.reasons);
        assert_eq!(round.counters, CountersStatus::Continuous);
        assert_eq!(round.transactions, Some(WORKERS * ROWS));
        assert_eq!(round.rows, Some(WORKERS * ROWS));
        assert_eq!(round.recovery_model, model);
        assert_eq!(round.errors, Some(0));
        assert_eq!(round.log_growth_bytes, Some(0));
        let writes = round.log_writes.expect("log writes");
        let bytes = round.log_bytes_written.expect("log bytes");
        assert!(
            bytes >= writes * 512,
            "a write is at least a sector: {bytes} in {writes}"
        );
        assert_eq!(bytes % 512, 0, "whole sectors");
        assert!(round.writelog_waits.expect("waits") > 0);
        let trial = round.header.trial.expect("a trial");
        assert_eq!((trial.round, trial.variant.as_str()), (number, model));
    }
}

#[test]
fn loadgen_really_inserted_the_rows_that_it_counts() {
    let server = Labdb::start();
    setup(&server, "SIMPLE");
    let load = run(server.program("loadgen").args([
        "-n",
        "-d",
        DATABASE,
        "--workers",
        "3",
        "--rows",
        "7",
    ]))
    .success();
    let Record::Load(load) = load.records().remove(0) else {
        panic!()
    };
    assert_eq!(
        (load.rows, load.transactions, load.workers.len()),
        (Some(21), 21, 3)
    );
    // The next set-up says how many rows it found in the table that it empties.
    let emptied = setup(&server, "SIMPLE");
    let change = emptied
        .changes
        .iter()
        .find(|change| change.what == "table_rows")
        .expect("rows");
    assert_eq!(
        (change.from.as_deref(), change.to.as_deref()),
        (Some("21"), Some("0"))
    );
}
