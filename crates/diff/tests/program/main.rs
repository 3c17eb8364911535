//! `diff` as a program: streams in, streams and exit codes out.

#![expect(
    clippy::unwrap_used,
    reason = "a test ends where its fixture cannot be read"
)]

mod conditions;
mod counters;
mod files;

use serde_json::{Value, json};
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

const SUCCESS: i32 = 0;
const BAD_INPUT: i32 = 3;
const UPSTREAM: i32 = 4;
const INVALID_ROUND: i32 = 8;

fn fixture(name: &str) -> String {
    std::fs::read_to_string(path(name)).unwrap()
}

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../fixtures/streams")
        .join(name)
}

fn diff(input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_diff"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(input.as_bytes())
        .unwrap();
    child.wait_with_output().unwrap()
}

/// Runs `diff`, checks that the input was passed on byte for byte, and gives what it added.
fn added(input: &str, status: i32) -> Vec<Value> {
    let output = diff(input);
    let stdout = String::from_utf8(output.stdout).unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(status), "{stderr}");
    let rest = stdout.strip_prefix(input).unwrap();
    rest.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// The records of a stream, to change one and join them again.
fn records(name: &str) -> Vec<Value> {
    fixture(name)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn joined(records: &[Value]) -> String {
    let lines: Vec<String> = records.iter().map(Value::to_string).collect();
    lines.join(
        "
",
    ) + "
"
}

/// The first round of the series with one change to its second snapshot (records: setup,
/// snapshot, load, snapshot).
fn changed(change: impl FnOnce(&mut [Value])) -> String {
    let mut all = records("four-rounds.raw.jsonl");
    all.truncate(4);
    change(&mut all);
    joined(&all)
}

/// A round without who made it when, its fractions to twelve digits.
fn without_maker(mut round: Value) -> Value {
    let fields = round.as_object_mut().unwrap();
    // A field that is null says what an absent one says.
    fields.retain(|_, value| !value.is_null());
    fields.remove("at");
    fields.remove("program");
    for value in fields.values_mut() {
        if let Some(number) = value.as_f64().filter(|_| value.is_f64()) {
            *value = json!(format!("{number:.11e}"));
        }
    }
    round
}

fn codes(round: &Value) -> Vec<&str> {
    round["reasons"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| r["code"].as_str().unwrap())
        .collect()
}

/// Everything that comes from the server's counters.
const COUNTED: [&str; 13] = [
    "log_bytes_written",
    "log_writes",
    "log_write_stall_ms",
    "log_write_stall_mean_ms",
    "log_bytes_per_transaction",
    "transactions_per_log_write",
    "data_bytes_written",
    "data_writes",
    "data_write_stall_ms",
    "log_growth_bytes",
    "data_growth_bytes",
    "server_waits",
    "files",
];

#[test]
fn four_rounds_come_to_what_went_into_them() {
    let got = added(&fixture("four-rounds.raw.jsonl"), SUCCESS);
    let expected = records("four-rounds.expected.jsonl");
    assert_eq!(got.len(), 4);
    for (got, expected) in got.into_iter().zip(expected) {
        assert_eq!(without_maker(got), without_maker(expected));
    }
}

#[test]
fn a_trial_that_has_its_round_gets_no_second_one() {
    assert!(added(&fixture("four-rounds.jsonl"), SUCCESS).is_empty());
    let appended = format!(
        "{}{}",
        fixture("four-rounds.jsonl"),
        fixture("four-rounds.raw.jsonl").replace("0195500c", "0195500d")
    );
    assert_eq!(added(&appended, SUCCESS).len(), 4);
}

#[test]
fn records_without_a_trial_are_taken_by_their_order_and_the_last_two_snapshots_count() {
    let mut all = records("four-rounds.raw.jsonl");
    for record in &mut all {
        record.as_object_mut().unwrap().remove("trial");
    }
    // The last round is SIMPLE, SIMPLE, FULL, FULL: only the fourth's two snapshots count.
    let got = added(&joined(&all), SUCCESS);
    assert_eq!(got.len(), 1);
    let last = records("four-rounds.expected.jsonl").remove(3);
    assert_eq!(got[0]["elapsed_ms"], last["elapsed_ms"]);
    assert_eq!(got[0]["log_bytes_written"], last["log_bytes_written"]);
    // Once its round is there, an appended file gets none.
    let with_round = format!("{}{}\n", joined(&all), got[0]);
    assert!(added(&with_round, SUCCESS).is_empty());
}

#[test]
fn the_same_snapshot_twice_is_no_round_and_two_the_wrong_way_round_are_named() {
    let input = changed(|all| all[3] = all[1].clone());
    let got = added(&input, BAD_INPUT);
    assert!(
        got[0]["message"].as_str().unwrap().contains("the same one"),
        "{got:?}"
    );
    // Counters that stand still, so that only the clock tells.
    let input = changed(|all| {
        let mut earlier = all[1].clone();
        let now = earlier["client_monotonic_ns"].as_u64().unwrap();
        earlier["client_monotonic_ns"] = json!(now - 1_000_000_000);
        all[3] = earlier;
    });
    let got = added(&input, INVALID_ROUND);
    assert_eq!(codes(&got[0])[0], "snapshots_swapped", "{got:?}");
    assert_eq!(got[0]["validity"], "invalid");
}

#[test]
fn a_database_that_is_not_armed_is_remarked_and_the_round_stays() {
    for (at, model, remarked) in [
        (1, "FULL", true),
        (3, "FULL", true),
        (3, "BULK_LOGGED", true),
        (3, "SIMPLE", false),
    ] {
        let input = changed(|all| {
            for snapshot in [1, 3] {
                all[snapshot]["database"]["recovery_model"] = json!(model);
                all[snapshot]["database"]["armed"] = json!(snapshot != at);
            }
        });
        let got = added(&input, SUCCESS);
        assert_eq!(got[0]["validity"], "valid");
        assert_eq!(codes(&got[0]).contains(&"not_armed"), remarked, "{model}");
    }
    // Under SIMPLE no database is armed: what it became since is not at fault.
    let input = changed(|all| {
        all[1]["database"]["recovery_model"] = json!("SIMPLE");
        all[1]["database"]["armed"] = json!(false);
        all[3]["database"]["recovery_model"] = json!("FULL");
        all[3]["database"]["armed"] = json!(true);
    });
    assert_eq!(
        codes(&added(&input, INVALID_ROUND)[0]),
        ["recovery_model_changed"]
    );
}

#[test]
fn an_invalid_load_makes_an_invalid_round_and_growth_is_a_remark() {
    let got = added(&fixture("invalid-load.raw.jsonl"), INVALID_ROUND);
    assert_eq!(
        (got[0]["validity"].as_str(), codes(&got[0])),
        (Some("invalid"), vec!["deadlock"])
    );
    assert_eq!(got[0]["errors"], 1);
    let got = added(&fixture("log-grew.raw.jsonl"), SUCCESS);
    assert_eq!(
        (got[0]["validity"].as_str(), codes(&got[0])),
        (Some("valid"), vec!["log_grew"])
    );
    assert_eq!(got[0]["log_growth_bytes"], 67_108_864);
    let input = changed(|all| all[2]["validity"] = json!("partial"));
    assert_eq!(added(&input, INVALID_ROUND)[0]["validity"], "partial");
    let input = changed(|all| all[3]["database"]["recovery_model"] = json!("SIMPLE"));
    assert_eq!(
        codes(&added(&input, INVALID_ROUND)[0]),
        ["recovery_model_changed"]
    );
}

#[test]
fn without_a_load_the_time_is_the_monotonic_clocks_of_one_boot() {
    let without_load = |change: fn(&mut Value)| {
        let mut all = records("four-rounds.raw.jsonl");
        all.truncate(4);
        all.remove(2);
        change(&mut all[2]);
        joined(&all)
    };
    let got = added(&without_load(|_| {}), SUCCESS);
    // Snapshots are two ticks of a second apart in the fixture.
    assert_eq!(got[0]["elapsed_ms"], 2000.0);
    assert_eq!(got[0]["transactions"], Value::Null);
    assert_eq!(got[0]["writelog_wait_ms"], Value::Null);
    let got = added(
        &without_load(|after| after["client_boot_id"] = json!("boot-2")),
        SUCCESS,
    );
    assert_eq!(
        (&got[0]["elapsed_ms"], codes(&got[0])),
        (&Value::Null, vec!["elapsed_unknown"])
    );
    let got = added(
        &without_load(|after| after["client_monotonic_ns"] = json!(5)),
        INVALID_ROUND,
    );
    assert_eq!(
        (&got[0]["elapsed_ms"], codes(&got[0])),
        (&Value::Null, vec!["snapshots_swapped", "elapsed_unknown"])
    );
}

#[test]
fn a_missing_twin_is_named_and_the_good_rounds_are_still_written() {
    for (name, says) in [
        ("missing-first-snapshot.raw.jsonl", "the first snapshot"),
        ("missing-second-snapshot.raw.jsonl", "the second snapshot"),
    ] {
        let got = added(&fixture(name), BAD_INPUT);
        assert_eq!(got.len(), 1);
        assert_eq!(
            (got[0]["kind"].as_str(), got[0]["code"].as_str()),
            (Some("error"), Some("bad_input"))
        );
        let message = got[0]["message"].as_str().unwrap();
        assert!(
            message.contains(says) && message.contains("round 1 of recovery-model"),
            "{message}"
        );
    }
    let mut all = records("four-rounds.raw.jsonl");
    all.pop();
    let got = added(&joined(&all), BAD_INPUT);
    let kinds: Vec<_> = got
        .iter()
        .map(|record| record["kind"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["round", "round", "round", "error"]);
}

#[test]
fn an_empty_stream_and_a_cut_one_and_a_failed_stage_make_no_round() {
    let got = added("", BAD_INPUT);
    assert!(got[0]["message"].as_str().unwrap().contains("no snapshot"));

    let output = diff(&fixture("cut.jsonl"));
    assert_eq!(output.status.code(), Some(BAD_INPUT));
    let stdout = String::from_utf8(output.stdout).unwrap();
    let whole: usize = fixture("cut.jsonl").lines().count() - 1;
    let kept: Vec<&str> = stdout.lines().collect();
    assert_eq!(
        kept[..whole],
        fixture("cut.jsonl").lines().collect::<Vec<_>>()[..whole]
    );
    assert!(
        kept[whole..]
            .iter()
            .all(|line| line.contains("\"kind\":\"error\""))
    );

    let error = json!({"kind": "error", "schema": 1, "at": "2025-03-01T09:00:00Z",
        "program": "loadgen 0.1.0", "code": "failed", "message": "the log is full"});
    let input = format!("{}{error}\n", fixture("four-rounds.raw.jsonl"));
    let got = added(&input, UPSTREAM);
    assert_eq!(got.len(), 1);
    assert!(
        got[0]["message"]
            .as_str()
            .unwrap()
            .contains("loadgen 0.1.0 failed before: the log is full")
    );
}

#[test]
fn two_files_give_the_same_round_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let all = records("four-rounds.raw.jsonl");
    let (before, after) = (
        folder.path().join("before.jsonl"),
        folder.path().join("after.jsonl"),
    );
    std::fs::write(&before, joined(&all[..2])).unwrap();
    std::fs::write(&after, joined(&all[2..4])).unwrap();
    let run = |first: &PathBuf, second: &PathBuf| {
        Command::new(env!("CARGO_BIN_EXE_diff"))
            .arg(first)
            .arg(second)
            .output()
            .unwrap()
    };
    let output = run(&before, &after);
    assert_eq!(output.status.code(), Some(SUCCESS));
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.lines().count(), 1);
    let got: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        without_maker(got),
        without_maker(records("four-rounds.expected.jsonl").remove(0))
    );

    // The wrong way round, counters go back.
    let output = run(&after, &before);
    assert_eq!(output.status.code(), Some(INVALID_ROUND));
    let got: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(got["counters"], "went_back");

    let mut other = all[3].clone();
    other["target"]["database"] = json!("another");
    std::fs::write(&after, format!("{other}\n")).unwrap();
    let output = run(&before, &after);
    assert_eq!(output.status.code(), Some(BAD_INPUT));
    assert!(
        String::from_utf8(output.stderr)
            .unwrap()
            .contains("different databases")
    );

    let output = run(&before, &folder.path().join("none.jsonl"));
    assert_eq!(output.status.code(), Some(BAD_INPUT));
    assert!(
        String::from_utf8(output.stderr)
            .unwrap()
            .contains("none.jsonl")
    );
}
