//! The program, against a server that says what the test tells it to.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test's helper may fail the test"
)]

#[path = "../../sqlserver/tests/double/mod.rs"]
mod double;
#[path = "../../sqlserver/tests/double/views.rs"]
mod views;

use double::{Door, Double, Part, int_column, text_column};
use labdb_types::Value;
use records::{ErrorRecord, FailureCode, Header, Record, Setup, Snapshot, Target, Trial};
use std::io::Write;
use std::process::{Child, Command, Output, Stdio};

/// A server with all views, whose database carries the mark or does not.
fn server(marked: bool) -> Double {
    Double::start(Door::Plain, move |batch| {
        batch
            .lines()
            .filter_map(|line| answer(line, marked))
            .collect()
    })
}

fn answer(text: &str, marked: bool) -> Option<Part> {
    if !text.starts_with("SELECT") && !text.starts_with("DBCC TRACESTATUS") {
        return None;
    }
    Some(if text.contains("@@VERSION") {
        Part::Rows(
            vec![
                text_column("banner"),
                text_column("product_version"),
                text_column("edition"),
                int_column("engine_edition"),
                text_column("injected_faults"),
            ],
            vec![vec![
                Value::text("labdb 0.1.0, not SQL Server"),
                Value::text("16.0.1.1"),
                Value::text("Test"),
                Value::Int(3),
                Value::text("flush-delay=2ms"),
            ]],
        )
    } else if text.contains("extended_properties") {
        let rows = if marked {
            vec![vec![Value::text("writelog")]]
        } else {
            vec![]
        };
        Part::Rows(vec![text_column("mark")], rows)
    } else {
        views::view(text)
    })
}

fn start(double: &Double, flags: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_snapshot"))
        .args(["-S", &double.server(), "-U", "sa", "-N", "disable"])
        .args(flags)
        .env("SQLCMDPASSWORD", "x")
        .env_remove("SQLCMDDBNAME")
        .env_remove("WRITELOG_CONNECTION_STRING")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn run(double: &Double, flags: &[&str], input: &str) -> Output {
    let mut child = start(double, flags);
    child
        .stdin
        .take()
        .unwrap()
        .write_all(input.as_bytes())
        .unwrap();
    child.wait_with_output().unwrap()
}

fn last(output: &Output) -> Record {
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(text.lines().last().unwrap()).unwrap()
}

fn snapshot_of(output: &Output) -> Snapshot {
    match last(output) {
        Record::Snapshot(snapshot) => *snapshot,
        other => panic!("{other:?}"),
    }
}

fn failure_of(output: &Output, code: i32) -> ErrorRecord {
    assert_eq!(output.status.code(), Some(code));
    match last(output) {
        Record::Error(error) => *error,
        other => panic!("{other:?}"),
    }
}

/// A line of setup-db that knows the database and the round.
fn upstream() -> (String, Trial) {
    let trial = Trial {
        experiment: "e".into(),
        variant: "FULL".into(),
        round: 3,
        block: 2,
        slot: 1,
        id: Trial::new_id(),
    };
    let target = Target {
        server: "elsewhere,1".into(),
        database: "lab".into(),
    };
    let record = Record::Setup(Box::new(Setup {
        delayed_durability_databases: None,
        header: Header::now("setup-db")
            .in_trial(Some(trial.clone()))
            .on(Some(target), None),
        changes: vec![],
        settings: None,
        table: None,
        source_table: None,
    }));
    (serde_json::to_string(&record).unwrap() + "\n", trial)
}

#[test]
fn it_reads_only_after_the_end_of_its_input_and_takes_database_and_round_from_it() {
    let double = server(true);
    let (line, trial) = upstream();
    let mut child = start(&double, &[]);
    let mut input = child.stdin.take().unwrap();
    input.write_all(line.as_bytes()).unwrap();
    input.flush().unwrap();
    // The line has come out again, so it was read; the input has not ended.
    let mut output = std::io::BufReader::new(child.stdout.take().unwrap());
    let mut passed = String::new();
    std::io::BufRead::read_line(&mut output, &mut passed).unwrap();
    assert_eq!(passed, line, "byte for byte");
    assert!(
        double.seen.lock().unwrap().logins.is_empty(),
        "it did not wait"
    );
    drop(input);

    let mut rest = String::new();
    std::io::Read::read_to_string(&mut output, &mut rest).unwrap();
    assert!(child.wait().unwrap().success());
    let Record::Snapshot(snapshot) = serde_json::from_str(rest.trim_end()).unwrap() else {
        panic!("{rest}")
    };
    assert_eq!(snapshot.header.trial, Some(trial));
    let target = snapshot.header.target.unwrap();
    assert_eq!(
        target.server,
        double.server(),
        "the flag wins over the record"
    );
    assert_eq!(target.database, "lab");
    let server = snapshot.header.server.unwrap();
    assert!(server.is_labdb(), "{server:?}");
    assert_eq!(server.injected_faults.as_deref(), Some("flush-delay=2ms"));
    assert!(snapshot.client_monotonic_ns > 0);
}

#[test]
fn without_checkpoint_it_only_reads_in_six_round_trips() {
    let double = server(false);
    let snapshot = snapshot_of(&run(&double, &["-n", "-d", "lab"], ""));
    assert!(!snapshot.checkpoint);
    assert_eq!(snapshot.unavailable, []);
    let batches = &double.seen.lock().unwrap().batches;
    assert_eq!(batches.len(), 6, "{batches:?}");
    let reads = batches.iter().flat_map(|batch| batch.lines());
    assert!(
        reads.clone().all(|line| {
            line.starts_with("SELECT") || line == "DBCC TRACESTATUS(-1) WITH NO_INFOMSGS;"
        }),
        "{batches:?}"
    );
}

#[test]
fn the_conditions_are_read_before_the_first_counters_and_after_the_second() {
    let double = server(true);
    let (line, _) = upstream();
    let first = run(&double, &["-d", "lab"], &line);
    let snapshot = snapshot_of(&first);
    let conditions = snapshot.conditions.unwrap();
    assert_eq!(conditions.global_trace_flags, Some(vec![845, 3979]));
    assert_eq!(conditions.instant_file_initialization, Some(true));
    assert_eq!(conditions.server_memory_bytes, Some(16 * 1024));
    assert_eq!(conditions.max_server_memory_bytes, Some(9 * 1024 * 1024));
    assert_eq!(conditions.target_recovery_time_s, Some(5));
    assert_eq!(conditions.files.unwrap()[0].growth_percent, Some(1));
    let others = snapshot.others.unwrap();
    assert_eq!(
        (others.session_count, others.other_databases_bytes),
        (Some(1), Some(8))
    );
    assert_eq!(others.sessions.unwrap()[0].cpu_ms, 55);

    let input = String::from_utf8(first.stdout).unwrap();
    snapshot_of(&run(&double, &["-d", "lab"], &input));
    let seen = double.seen.lock().unwrap();
    let order: Vec<&str> = seen
        .batches
        .iter()
        .filter_map(|batch| {
            ["TRACESTATUS", "dm_os_wait_stats"]
                .into_iter()
                .find(|word| batch.contains(word))
        })
        .collect();
    assert_eq!(
        order,
        [
            "TRACESTATUS",
            "dm_os_wait_stats",
            "dm_os_wait_stats",
            "TRACESTATUS"
        ]
    );
}

#[test]
fn the_checkpoint_stands_between_the_counters_and_the_states() {
    let double = server(true);
    let snapshot = snapshot_of(&run(&double, &["-n", "-d", "lab", "--checkpoint"], ""));
    assert!(snapshot.checkpoint);
    let batches = &double.seen.lock().unwrap().batches;
    let place = |word: &str| {
        batches
            .iter()
            .position(|batch| batch.contains(word))
            .unwrap()
    };
    assert!(place("dm_io_virtual_file_stats") < place("CHECKPOINT"));
    assert!(place("CHECKPOINT") < place("log_reuse_wait_desc"));
}

#[test]
fn a_checkpoint_is_refused_without_the_mark_and_allowed_by_name() {
    let double = server(false);
    for flags in [
        &["-n", "-d", "lab", "--checkpoint"][..],
        &["-n", "-d", "lab", "--checkpoint", "--adopt", "other"],
        &["-n", "-d", "master", "--checkpoint", "--adopt", "master"],
    ] {
        let failure = failure_of(&run(&double, flags, ""), 7);
        assert_eq!(failure.code, FailureCode::NotOurs);
    }
    let sent = |word: &str| {
        let seen = double.seen.lock().unwrap();
        seen.batches.iter().any(|batch| batch.contains(word))
    };
    assert!(!sent("CHECKPOINT"));
    let flags = ["-n", "-d", "lab", "--checkpoint", "--adopt", "lab"];
    snapshot_of(&run(&double, &flags, ""));
    assert!(sent("CHECKPOINT"));
}

#[test]
fn after_a_failure_upstream_or_a_bad_line_it_does_not_even_connect() {
    let double = server(true);
    let (line, _) = upstream();
    let failed = failure_of(&run(&double, &["-d", "lab"], "oops\n"), 3);
    let error = serde_json::to_string(&Record::Error(Box::new(failed))).unwrap();
    let output = run(&double, &["-d", "lab"], &format!("{line}{error}\n"));
    assert_eq!(failure_of(&output, 4).code, FailureCode::Upstream);
    assert!(
        output
            .stdout
            .starts_with(format!("{line}{error}\n").as_bytes())
    );
    assert!(double.seen.lock().unwrap().logins.is_empty());
}
