//! docs/bad-input.md, row by row: what becomes of rounds that are not as they should be, in
//! `summarize` and in `report`.

use integration_tests::{Outcome, checkout, program, run_with_input};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A row of the page.
struct Documented {
    outcome: String,
    code: i32,
}

/// The rows of all tables of the page, by their first cell.
fn documented() -> BTreeMap<String, Documented> {
    let page = std::fs::read_to_string(checkout().join("docs/bad-input.md")).expect("the page");
    let mut rows = BTreeMap::new();
    for line in page.lines().filter(|line| line.starts_with("| ")) {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        let Ok(code) = cells[2].parse() else { continue };
        let row = Documented {
            outcome: cells[1].to_owned(),
            code,
        };
        assert!(
            rows.insert(cells[0].to_owned(), row).is_none(),
            "{line} twice"
        );
    }
    rows
}

/// Twelve good rounds of a recorded stream.
fn good() -> Vec<Value> {
    let path = checkout().join("fixtures/streams/twelve-rounds-slower.jsonl");
    let text = std::fs::read_to_string(path).expect("a recorded stream");
    text.lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .filter(|record: &Value| record["kind"] == "round")
        .collect()
}

fn lines(rounds: &[Value]) -> String {
    let lines: Vec<String> = rounds.iter().map(ToString::to_string).collect();
    lines.join("\n") + "\n"
}

/// The good rounds with a change to one of them, the fourth.
fn one_changed(change: impl Fn(&mut Value)) -> String {
    let mut rounds = good();
    change(&mut rounds[3]);
    lines(&rounds)
}

/// The same, where the field gets a text that is no JSON.
fn raw(field: &str, text: &str) -> String {
    one_changed(|round| round[field] = json!("HERE")).replace("\"HERE\"", text)
}

/// What is to be seen besides the outcome.
struct Case {
    row: &'static str,
    input: Vec<u8>,
    /// Rounds that count: those of both variants on the headline in JSON Lines.
    counting: Option<u64>,
    /// A warning of a comparison on the headline, or a text on standard error.
    said: &'static str,
}

fn case(row: &'static str, input: impl Into<Vec<u8>>, counting: u64, said: &'static str) -> Case {
    Case {
        row,
        input: input.into(),
        counting: Some(counting),
        said,
    }
}

fn refused(row: &'static str, input: impl Into<Vec<u8>>, said: &'static str) -> Case {
    Case {
        row,
        input: input.into(),
        counting: None,
        said,
    }
}

fn of_rounds() -> Vec<Case> {
    let rounds = good();
    let mut two = rounds.clone();
    for round in &mut two[6..] {
        round["trial"]["experiment"] = json!("other");
    }
    let full: Vec<Value> = rounds
        .iter()
        .filter(|round| round["trial"]["variant"] == "FULL")
        .cloned()
        .collect();
    let mut no_trial = rounds.clone();
    for round in &mut no_trial {
        round.as_object_mut().expect("an object").remove("trial");
    }
    let mut taken_twice = rounds.clone();
    let mut again = rounds[3].clone();
    again["trial"]["id"] = json!("another");
    again["started"] = rounds[3]["ended"].clone();
    again["elapsed_ms"] = json!(1.0);
    taken_twice.insert(4, again.clone());
    again["trial"]["id"] = rounds[3]["trial"]["id"].clone();
    let marked = |word: &str| {
        one_changed(|round| {
            round["validity"] = json!(word);
            round["reasons"] = json!([{"code": "deadlock", "detail": "worker 3"}]);
        })
    };
    let error = json!({"kind": "error", "schema": 1, "at": "2025-03-01T09:00:00Z",
        "program": "loadgen 0.1.0", "code": "failed", "message": "the log is full",
        "trial": rounds[3]["trial"]});
    vec![
        case("rounds of two experiments", lines(&two), 12, ""),
        case(
            "a block without a round of one variant",
            lines(&rounds[1..]),
            11,
            "unpaired_rounds",
        ),
        case("rounds of one variant only", lines(&full), 6, ""),
        case("one round", lines(&rounds[..1]), 1, ""),
        case(
            "two rounds, one pair",
            lines(&rounds[..2]),
            2,
            "too_few_pairs",
        ),
        case(
            "a round marked invalid",
            marked("invalid"),
            11,
            "1 invalid: deadlock",
        ),
        case(
            "a round marked partial",
            marked("partial"),
            11,
            "1 partial: deadlock",
        ),
        case(
            "a round in whose trial a stage failed",
            lines(&rounds) + &lines(&[error]),
            11,
            "1 a stage failed",
        ),
        case("a round without a trial", lines(&no_trial), 12, ""),
        case(
            "the same round twice, word for word",
            lines(&rounds) + &lines(&rounds[..5]),
            12,
            "duplicate_rounds",
        ),
        refused(
            "two different rounds with one id",
            lines(&rounds) + &lines(&[again]),
            "have the same trial id",
        ),
        case(
            "a place (round, block, slot) taken twice, by rounds with ids of their own",
            lines(&taken_twice),
            13,
            "unpaired_rounds",
        ),
    ]
}

fn of_values() -> Vec<Case> {
    let set = |field: &'static str, value: Value| one_changed(|round| round[field] = value.clone());
    vec![
        case("null", set("elapsed_ms", Value::Null), 11, ""),
        case(
            "a negative elapsed time",
            set("elapsed_ms", json!(-5)),
            11,
            "1 impossible: elapsed_ms",
        ),
        case(
            "an elapsed time of 0",
            set("elapsed_ms", json!(0)),
            11,
            "1 impossible: elapsed_ms",
        ),
        case(
            "a negative count or number of bytes written",
            set("log_bytes_written", json!(-512)),
            11,
            "1 impossible: log_bytes_written",
        ),
        case(
            "a wait or a count of 0",
            set("writelog_wait_ms", json!(0)),
            12,
            "no_ratio",
        ),
        case(
            "a value far from all others, 1e300",
            raw("elapsed_ms", "1e300"),
            12,
            "outliers",
        ),
        case("no transactions", set("transactions", json!(0)), 12, ""),
        case(
            "a whole number above 2^53",
            set("log_bytes_written", json!(9_007_199_254_740_993_u64)),
            12,
            "",
        ),
        case(
            "a whole number above 2^64, or a negative one where none can be",
            raw("transactions", "99999999999999999999"),
            11,
            "line 4",
        ),
        case(
            "`NaN` or `Infinity`",
            raw("elapsed_ms", "NaN"),
            11,
            "not a JSON object",
        ),
        case("`1e999`", raw("elapsed_ms", "1e999"), 11, "line 4"),
    ]
}

fn of_lines() -> Vec<Case> {
    let text = lines(&good());
    let cut = text.len() - 40;
    let mut not_utf8 = one_changed(|round| round["trial"]["variant"] = json!("HERE")).into_bytes();
    let at = not_utf8
        .windows(4)
        .position(|part| part == b"HERE")
        .expect("there");
    not_utf8[at] = 0xff;
    vec![
        case(
            "an unknown field",
            one_changed(|round| round["of_the_future"] = json!({"a": [1, 2]})),
            12,
            "",
        ),
        case(
            "a record of an unknown kind",
            format!("{{\"kind\":\"weather\",\"schema\":9}}\n{text}"),
            12,
            "",
        ),
        case(
            "a round of a newer schema",
            one_changed(|round| round["schema"] = json!(2)),
            11,
            "newer than 1",
        ),
        case(
            "an unknown word where there are only some (`validity`)",
            one_changed(|round| round["validity"] = json!("superb")),
            11,
            "superb",
        ),
        case(
            "a field missing that every round has",
            one_changed(|round| {
                round.as_object_mut().expect("an object").remove("started");
            }),
            11,
            "started",
        ),
        case(
            "a line that is no JSON",
            format!("Warning: hello\n{text}"),
            12,
            "line 1",
        ),
        case("bytes that are not UTF-8", not_utf8, 11, "line 4"),
        case("a last line that is cut off", &text[..cut], 11, "cut off"),
        refused(
            "records, but no round",
            format!(
                "{}\n",
                json!({"kind": "setup", "schema": 1, "at": "2025-03-01T09:00:00Z"})
            ),
            "no ",
        ),
        refused("an empty stream", "", "the input is empty"),
    ]
}

fn all() -> Vec<Case> {
    [of_rounds(), of_values(), of_lines()]
        .into_iter()
        .flatten()
        .collect()
}

fn summarize(input: &[u8], arguments: &[&str]) -> Outcome {
    run_with_input(program("summarize").args(arguments), input)
}

/// Rounds that count on the headline, and those set aside.
fn counted(records: &[Value]) -> (u64, u64) {
    let mut sums = (0, 0);
    for row in records {
        if row["kind"] == "variant_summary" && row["metric"] == "elapsed_ms" {
            sums.0 += row["n"].as_u64().expect("n");
            sums.1 += row["set_aside"].as_u64().expect("set_aside");
        }
    }
    sums
}

#[test]
fn every_row_of_the_page_has_its_case_and_every_case_its_row() {
    let rows: Vec<String> = documented().into_keys().collect();
    let mut cases: Vec<&str> = all().iter().map(|case| case.row).collect();
    cases.sort_unstable();
    assert_eq!(rows, cases);
}

#[test]
fn every_row_of_the_page_has_its_outcome_its_count_and_its_reason() {
    let documented = documented();
    for case in all() {
        let row = &documented[case.row];
        let ran = summarize(&case.input, &["--format", "jsonl"]);
        let about = format!("{}: {}", case.row, ran.stderr);
        assert_eq!(ran.code, Some(row.code), "{about}");
        let lines = ran.stdout.lines();
        let records: Vec<Value> = lines
            .map(|line| serde_json::from_str(line).expect("JSON Lines hold JSON"))
            .collect();
        let words = summarize(&case.input, &[]);
        let Some(counting) = case.counting else {
            assert_eq!(row.outcome, "refused", "{about}");
            assert!(ran.stderr.contains(case.said), "{about}");
            assert_eq!(words.stdout, "", "{about}");
            continue;
        };
        let (n, set_aside) = counted(&records);
        assert_eq!(n, counting, "{about}");
        match row.outcome.as_str() {
            "used" => assert_eq!(set_aside, u64::from(case.row == "null"), "{about}"),
            "set aside" => assert_eq!(set_aside, 1, "{about}"),
            "held back" => assert!(set_aside == 0 && ran.stderr.contains("line"), "{about}"),
            other => panic!("{other}: {about}"),
        }
        // Codes of warnings are in the records, reasons under the tables, bad lines on standard
        // error.
        let seen = [&ran.stdout, &words.stdout.replace("\n  ", " "), &ran.stderr];
        assert!(
            seen.iter().any(|text| text.contains(case.said)),
            "{about}: {}",
            words.stdout
        );
    }
}

#[test]
fn no_bad_input_gives_a_ratio_that_is_none() {
    for case in all() {
        for format in ["table", "md", "csv", "jsonl"] {
            let arguments: &[&[&str]] = if format == "csv" {
                &[
                    &["--table", "rounds"],
                    &["--table", "variants"],
                    &["--table", "comparison"],
                ]
            } else {
                &[&[]]
            };
            for more in arguments {
                let mut all = vec!["--format", format];
                all.extend(*more);
                let ran = summarize(&case.input, &all);
                let low = ran.stdout.to_lowercase();
                let words: Vec<&str> = low
                    .split(|c: char| !c.is_alphanumeric())
                    .filter(|word| ["nan", "inf", "infinity"].contains(word))
                    .collect();
                assert!(words.is_empty(), "{}, {format}: {}", case.row, ran.stdout);
            }
        }
        let ran = summarize(&case.input, &["--format", "jsonl", "--table", "comparison"]);
        for line in ran.stdout.lines() {
            let row: Value = serde_json::from_str(line).expect("JSON");
            for field in ["ratio", "ratio_low", "ratio_high"] {
                let ratio = row[field].as_f64();
                assert!(
                    ratio.is_none_or(|ratio| ratio > 0.0),
                    "{}: {line}",
                    case.row
                );
            }
        }
    }
}

#[test]
fn report_has_the_outcome_of_summarize() {
    for case in all() {
        let ours = summarize(&case.input, &["--table", "comparison"]);
        let page = run_with_input(&mut program("report"), &case.input);
        let about = format!("{}: {}", case.row, page.stderr);
        assert_eq!(page.code, ours.code, "{about}");
        assert_eq!(page.stdout.is_empty(), ours.stdout.is_empty(), "{about}");
        let said = |text: &str| text.replace("summarize: ", "").replace("report: ", "");
        assert_eq!(said(&page.stderr), said(&ours.stderr), "{}", case.row);
        // A reason to set a round aside.
        if case.said.starts_with("1 ") {
            assert!(page.stdout.contains(case.said), "{about}");
        }
    }
}
