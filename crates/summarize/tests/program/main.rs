//! `summarize` as a program: streams in, tables and exit codes out. Expected figures are in
//! `fixtures/streams/*.expected.json`, worked out by `make.py` beside them.

#![expect(
    clippy::unwrap_used,
    reason = "a test ends where its fixture cannot be read"
)]

mod bad_input;
mod comparison;
mod compressed;
mod conditions;
mod csv;
mod files;
mod intervals;
mod latency;
mod markdown;
mod published;
mod tables;

use serde_json::Value;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

const SUCCESS: i32 = 0;
const USAGE: i32 = 2;
const BAD_INPUT: i32 = 3;
const UPSTREAM: i32 = 4;
const GATE: i32 = 9;

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../fixtures/streams")
        .join(name)
}

fn fixture(name: &str) -> String {
    std::fs::read_to_string(path(name)).unwrap()
}

struct Ran {
    status: i32,
    out: String,
    err: String,
}

fn summarize(input: &str, arguments: &[&str]) -> Ran {
    run_on_bytes(input.as_bytes(), arguments)
}

fn run_on_bytes(input: &[u8], arguments: &[&str]) -> Ran {
    let mut child = Command::new(env!("CARGO_BIN_EXE_summarize"))
        .args(arguments)
        .env("COLUMNS", "80")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program that refuses its arguments does not read its input.
    let _ = child.stdin.take().unwrap().write_all(input);
    let output = child.wait_with_output().unwrap();
    Ran {
        status: output.status.code().unwrap(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

fn records(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn joined(records: &[Value]) -> String {
    let lines: Vec<String> = records.iter().map(Value::to_string).collect();
    lines.join("\n") + "\n"
}

/// The twelve rounds with a change to each.
fn changed(change: impl Fn(usize, &mut Value)) -> String {
    let mut all = records(&fixture("twelve-rounds-noisy.jsonl"));
    for (place, record) in all.iter_mut().enumerate() {
        change(place, record);
    }
    joined(&all)
}

#[track_caller]
fn assert_near(got: &Value, expected: &Value, what: &str) {
    let (got, expected) = (got.as_f64().unwrap(), expected.as_f64().unwrap());
    assert!(
        (got - expected).abs() <= 1e-9 * expected.abs().max(1.0),
        "{what}: {got} is not {expected}"
    );
}

fn headline(text: &str) -> Value {
    let mut comparisons = records(text);
    comparisons.retain(|record| record["headline"] == true);
    comparisons.remove(0)
}

fn warning_codes(comparison: &Value) -> Vec<&str> {
    let warnings = comparison["warnings"].as_array().unwrap();
    warnings
        .iter()
        .map(|warning| warning["code"].as_str().unwrap())
        .collect()
}

#[test]
fn the_gate_exits_with_nine_on_the_verdict_that_was_named() {
    for (name, fail_if, status) in [
        ("twelve-rounds-slower", "slower", GATE),
        ("twelve-rounds-slower", "faster", SUCCESS),
        ("twelve-rounds-faster", "faster", GATE),
        ("twelve-rounds-noisy", "inconclusive", GATE),
        ("twelve-rounds-equivalent", "inconclusive", SUCCESS),
        ("four-rounds", "inconclusive", GATE),
    ] {
        let ran = summarize(&fixture(&format!("{name}.jsonl")), &["--fail-if", fail_if]);
        assert_eq!(ran.status, status, "{name} {fail_if}");
        assert!(
            ran.out.contains("SIMPLE"),
            "the tables are written all the same"
        );
    }
}

#[test]
fn files_are_read_like_standard_input() {
    let ran = summarize(&fixture("four-rounds.jsonl"), &[]);
    let file = path("four-rounds.jsonl");
    let output = Command::new(env!("CARGO_BIN_EXE_summarize"))
        .arg(&file)
        .env("COLUMNS", "80")
        .output()
        .unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), ran.out);
}
