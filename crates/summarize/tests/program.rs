//! `summarize` as a program: streams in, tables and exit codes out. Expected figures are in
//! `fixtures/streams/*.expected.json`, worked out by `make.py` beside them.

#![expect(
    clippy::unwrap_used,
    reason = "a test ends where its fixture cannot be read"
)]

use serde_json::{Value, json};
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
    let mut child = Command::new(env!("CARGO_BIN_EXE_summarize"))
        .args(arguments)
        .env("COLUMNS", "80")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program that refuses its arguments does not read its input.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
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
fn figures_are_those_that_scipy_and_numpy_work_out() {
    for name in [
        "four-rounds",
        "twelve-rounds-faster",
        "twelve-rounds-slower",
        "twelve-rounds-equivalent",
        "twelve-rounds-noisy",
    ] {
        let expected: Value =
            serde_json::from_str(&fixture(&format!("{name}.expected.json"))).unwrap();
        let ran = summarize(&fixture(&format!("{name}.jsonl")), &["--format", "jsonl"]);
        assert_eq!(ran.status, SUCCESS, "{}", ran.err);
        let got = records(&ran.out);
        for expected in expected["variants"].as_array().unwrap() {
            let row = got.iter().find(|row| {
                row["kind"] == "variant_summary"
                    && row["metric"] == expected["metric"]
                    && row["variant"] == expected["variant"]
            });
            for figure in ["n", "min", "q1", "median", "q3", "max", "mean", "sd"] {
                assert_near(&row.unwrap()[figure], &expected[figure], figure);
            }
        }
        for expected in expected["comparisons"].as_array().unwrap() {
            let row = got
                .iter()
                .find(|row| row["kind"] == "comparison" && row["metric"] == expected["metric"]);
            for (figure, expected) in expected.as_object().unwrap() {
                if figure != "metric" {
                    assert_near(&row.unwrap()[figure], expected, figure);
                }
            }
        }
    }
}

#[test]
fn a_known_effect_gets_its_verdict_and_no_effect_gets_none() {
    for (name, verdict) in [
        ("twelve-rounds-faster", "faster"),
        ("twelve-rounds-slower", "slower"),
        ("twelve-rounds-equivalent", "equivalent"),
        ("twelve-rounds-noisy", "inconclusive"),
    ] {
        let input = fixture(&format!("{name}.jsonl"));
        let ran = summarize(&input, &["--format", "jsonl", "--table", "comparison"]);
        let comparison = headline(&ran.out);
        assert_eq!(comparison["verdict"], verdict, "{name}");
        assert_eq!(
            (&comparison["baseline"], &comparison["variant"]),
            (&json!("FULL"), &json!("SIMPLE"))
        );
        assert_eq!(
            comparison["pairs_needed"].is_null(),
            verdict != "inconclusive"
        );
        assert!(warning_codes(&comparison).contains(&"not_sql_server"));
    }
}

#[test]
fn two_pairs_say_that_two_cannot_decide_and_how_many_can() {
    let ran = summarize(&fixture("four-rounds.jsonl"), &[]);
    assert_eq!(ran.status, SUCCESS);
    let text = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        text.contains("Inconclusive: 2 pairs cannot decide."),
        "{text}"
    );
    assert!(text.contains("6 are the least that can."), "{text}");
    assert!(text.contains("Run at least 4 more."), "{text}");
    let ran = summarize(&fixture("four-rounds.jsonl"), &["--format", "jsonl"]);
    let comparison = records(&ran.out)
        .into_iter()
        .find(|row| row["headline"] == true)
        .unwrap();
    assert!(comparison["pairs_needed"].as_u64().unwrap() >= 6);
    assert!(comparison["ratio_low"].is_null() && comparison["confidence"].is_null());
}

#[test]
fn the_usual_table_fits_eighty_columns_and_names_labdb_and_the_published_columns() {
    for name in ["four-rounds", "twelve-rounds-faster", "twelve-rounds-noisy"] {
        let ran = summarize(&fixture(&format!("{name}.jsonl")), &[]);
        for line in ran.out.lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
        assert_eq!(
            ran.out.lines().next(),
            Some("recovery-model: measured on labdb 0.1.0, which is not SQL Server")
        );
        let head = ran
            .out
            .lines()
            .find(|line| line.contains("log reuse wait"))
            .unwrap();
        let names: Vec<&str> = head
            .split("  ")
            .map(str::trim)
            .filter(|name| !name.is_empty())
            .collect();
        assert_eq!(
            names,
            [
                "run",
                "recovery model",
                "elapsed s",
                "WRITELOG s",
                "log MB",
                "log reuse wait"
            ]
        );
        assert!(!ran.out.contains('\u{1b}'), "colour outside a terminal");
    }
}

#[test]
fn numbers_stand_with_their_points_under_each_other() {
    let ran = summarize(&fixture("four-rounds.jsonl"), &["--table", "rounds"]);
    let points: Vec<Vec<usize>> = ran
        .out
        .lines()
        .filter(|line| line.contains("LOG_BACKUP") || line.contains("NOTHING"))
        .map(|line| line.match_indices('.').map(|(at, _)| at).collect())
        .collect();
    assert_eq!((points.len(), points[0].len()), (4, 3), "{}", ran.out);
    assert!(points.iter().all(|line| *line == points[0]), "{}", ran.out);
    // 2363.921 ms, as it went into the fixture.
    assert!(ran.out.contains(" 2.364 "), "{}", ran.out);
}

#[test]
fn a_table_of_rounds_says_nothing_of_comparisons() {
    let two = fixture("four-rounds.jsonl");
    let rounds = summarize(&two, &["--table", "rounds"]);
    assert!(!rounds.out.contains("pair"), "{}", rounds.out);
    assert!(rounds.out.contains("labdb is not SQL Server"));
    let comparison = summarize(&two, &["--table", "comparison"]);
    assert!(comparison.out.contains("2 pairs cannot decide"));
}

#[test]
fn a_full_round_that_filled_no_virtual_log_file_is_explained_under_the_rounds() {
    // Under FULL, armed, 1,000,000 bytes of log written and not freed.
    let input = |used: i64, armed: bool, wait: &str, transactions: Value| {
        changed(|place, round| {
            round["recovery_model"] = json!("FULL");
            round["armed"] = json!(armed);
            round["log_reuse_wait"] = json!(wait);
            round["transactions"] = transactions.clone();
            round["log_bytes_written"] = json!(1_000_000);
            round["log_used_bytes_before"] = json!(500_000);
            round["log_used_bytes"] = json!(used);
            if place == 1 {
                round["log_reuse_wait"] = json!("LOG_BACKUP");
            }
        })
    };
    let note = "did not fill one virtual log file";
    let text = |input: &str, table: &str| {
        let out = summarize(input, &["--table", table]).out;
        out.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let unfilled = input(1_500_000, true, "NOTHING", json!(9));
    let shown = text(&unfilled, "rounds");
    assert!(
        shown.contains(note) && shown.contains("LOG_SIZE"),
        "{shown}"
    );
    assert!(shown.contains("log of runs 1, 3, 4"), "{shown}");
    assert!(!text(&unfilled, "comparison").contains(note));
    for other in [
        input(600_000, true, "NOTHING", json!(9)),
        input(1_500_000, false, "NOTHING", json!(9)),
        input(1_500_000, true, "LOG_BACKUP", json!(9)),
        input(1_500_000, true, "NOTHING", Value::Null),
    ] {
        assert!(!text(&other, "rounds").contains(note), "{other}");
    }
}

#[test]
fn a_reason_in_a_narrow_column_breaks_between_words() {
    let input = changed(|_, round| {
        round["validity"] = json!("invalid");
        round["reasons"] = json!([{"code": "rows_mismatch", "detail": "one too many"}]);
    });
    let out = summarize(&input, &["--table", "rounds"]).out;
    let words: Vec<&str> = out.split_whitespace().collect();
    assert!(
        words.contains(&"rows") && words.contains(&"mismatch"),
        "{out}"
    );
}

#[test]
fn remarks_on_rounds_that_count_are_shown_once_with_their_runs() {
    let input = changed(|place, round| {
        if place < 2 {
            round["reasons"] = json!([
                {"code": "not_armed", "detail": "no log backup is possible yet"},
                {"code": "log_grew", "detail": "grew by 1 byte"}
            ]);
        }
    });
    let out = summarize(&input, &[]).out;
    assert!(
        out.contains("Note: runs 1, 2: no log backup is possible yet."),
        "{out}"
    );
    assert!(!out.contains("grew by 1 byte"), "{out}");
}

#[test]
fn waits_in_whole_milliseconds_have_no_more_than_three_decimals_of_a_second() {
    let input = changed(|_, round| round["writelog_wait_ms"] = json!(3));
    let out = summarize(&input, &["--table", "rounds", "--table", "variants"]).out;
    assert!(out.contains(" 0.003 ") && !out.contains("0.0030"), "{out}");
}

#[test]
fn swapping_the_baseline_gives_the_reciprocal() {
    let input = fixture("twelve-rounds-faster.jsonl");
    let ratio = |baseline: &str| {
        let ran = summarize(
            &input,
            &[
                "--format",
                "jsonl",
                "--table",
                "comparison",
                "--baseline",
                baseline,
            ],
        );
        headline(&ran.out)["ratio"].as_f64().unwrap()
    };
    assert!((ratio("FULL") * ratio("SIMPLE") - 1.0).abs() < 1e-12);
    let ran = summarize(&input, &["--baseline", "BULK"]);
    assert_eq!(ran.status, USAGE);
    assert!(ran.err.contains("FULL, SIMPLE"), "{}", ran.err);
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
fn rounds_that_cannot_be_trusted_are_set_aside_with_a_count_and_a_reason() {
    let input = changed(|place, round| {
        if place == 2 {
            round["validity"] = json!("invalid");
            round["reasons"] = json!([{"code": "deadlock", "detail": "worker 3"}]);
        }
    });
    let ran = summarize(&input, &[]);
    assert_eq!(ran.status, SUCCESS);
    assert!(
        ran.out
            .contains("1 of 12 rounds set aside (1 invalid: deadlock)"),
        "{}",
        ran.out
    );
    assert!(ran.out.contains("invalid: deadlock"));
    let ran = summarize(&input, &["--format", "jsonl"]);
    let all = records(&ran.out);
    let comparison = all.iter().find(|row| row["headline"] == true).unwrap();
    assert_eq!(comparison["pairs"], 5);
    let codes = warning_codes(comparison);
    for code in ["too_few_pairs", "unpaired_rounds", "rounds_set_aside"] {
        assert!(codes.contains(&code), "{codes:?}");
    }
    assert_eq!(
        (&all[1]["variant"], &all[1]["n"], &all[1]["set_aside"]),
        (&json!("SIMPLE"), &json!(5), &json!(1))
    );
}

#[test]
fn a_round_that_comes_twice_counts_once_and_two_that_differ_are_refused() {
    let once = fixture("four-rounds.expected.jsonl");
    let ran = summarize(&format!("{once}{once}"), &["--format", "jsonl"]);
    assert_eq!(ran.status, SUCCESS);
    let all = records(&ran.out);
    assert_eq!(all[0]["n"], 2);
    let comparison = all.iter().find(|row| row["headline"] == true).unwrap();
    assert!(warning_codes(comparison).contains(&"duplicate_rounds"));

    let mut other = records(&once);
    other[0]["elapsed_ms"] = json!(1.0);
    let ran = summarize(&format!("{once}{}", joined(&other)), &[]);
    assert_eq!((ran.status, ran.out.as_str()), (BAD_INPUT, ""));
    assert!(
        ran.err.contains("0195500c-0000-7000-8000-000000000001"),
        "{}",
        ran.err
    );
}

#[test]
fn bad_lines_and_failed_stages_are_said_and_the_good_rounds_still_shown() {
    let good = fixture("four-rounds.jsonl");
    for (bad, says) in [
        ("Warning: something\n", "not a JSON object"),
        ("{\"kind\":\"round\",\"schema\":2}\n", "newer than 1"),
        ("{\"kind\":\"snapshot\",\"files\":[", "cut off"),
    ] {
        let ran = summarize(&format!("{good}{bad}"), &["--table", "rounds"]);
        assert_eq!(ran.status, BAD_INPUT);
        assert!(
            ran.err.contains(says) && ran.err.contains("line 21"),
            "{}",
            ran.err
        );
        assert!(ran.out.contains("LOG_BACKUP"));
    }
    let ran = summarize(&fixture("cut.jsonl"), &[]);
    assert_eq!(ran.status, BAD_INPUT);
    assert!(
        ran.out
            .contains("There is nothing to compare: all rounds are of FULL."),
        "{}",
        ran.out
    );

    let error = json!({"kind": "error", "schema": 1, "at": "2025-03-01T09:00:00Z",
        "program": "loadgen 0.1.0", "code": "failed", "message": "the log is full"});
    let ran = summarize(&format!("{good}{error}\n"), &["--fail-if", "inconclusive"]);
    assert_eq!(ran.status, UPSTREAM);
    assert!(
        ran.err.contains("loadgen 0.1.0 failed: the log is full") && ran.out.contains("LOG_BACKUP")
    );
}

#[test]
fn a_stream_without_rounds_is_refused_with_what_it_holds() {
    let ran = summarize(&fixture("four-rounds.raw.jsonl"), &[]);
    assert_eq!((ran.status, ran.out.as_str()), (BAD_INPUT, ""));
    assert!(
        ran.err.contains("4 load, 4 setup, 8 snapshot"),
        "{}",
        ran.err
    );
    let ran = summarize("", &[]);
    assert_eq!(ran.status, BAD_INPUT);
    assert!(ran.err.contains("the input is empty"));
    let ran = summarize(&fixture("four-rounds.jsonl"), &["--experiment", "other"]);
    assert_eq!(ran.status, BAD_INPUT);
    assert!(ran.err.contains("recovery-model"), "{}", ran.err);
}

#[test]
fn rounds_that_did_not_alternate_and_drift_are_warned_of() {
    let input = changed(|place, round| {
        // All of FULL, then all of SIMPLE, ever slower.
        round["trial"]["variant"] = json!(if place < 6 { "FULL" } else { "SIMPLE" });
        round["trial"]["block"] = json!(place % 6 + 1);
        round["elapsed_ms"] = json!(1000 + 50 * (place % 6));
    });
    let ran = summarize(&input, &["--format", "jsonl", "--table", "comparison"]);
    let comparison = headline(&ran.out);
    assert!(
        warning_codes(&comparison).contains(&"unpaired"),
        "{comparison}"
    );
    assert_eq!(comparison["method"], "unpaired");
    assert_eq!(comparison["pairs"], 0);
    assert_eq!(
        (
            &comparison["baseline_rounds"],
            &comparison["variant_rounds"]
        ),
        (&json!(6), &json!(6))
    );
    // The two lists are the same one.
    assert_eq!(
        (&comparison["ratio"], &comparison["p"]),
        (&json!(1.0), &json!(1.0))
    );
    let input = changed(|place, round| round["elapsed_ms"] = json!(1000 + 90 * place));
    let ran = summarize(&input, &["--format", "jsonl", "--table", "comparison"]);
    assert!(warning_codes(&headline(&ran.out)).contains(&"drift"));
}

#[test]
fn rounds_without_blocks_are_compared_as_two_lists_and_say_so() {
    let input = changed(|place, round| {
        round["trial"]["variant"] = json!(if place < 6 { "FULL" } else { "SIMPLE" });
        round["trial"]["block"] = json!(place + 1);
        let apart = if place < 6 { 100.0 } else { 400.0 };
        round["elapsed_ms"] = json!(apart * f64::from(1 << (place % 6)));
    });
    let ran = summarize(&input, &["--format", "jsonl", "--table", "comparison"]);
    let comparison = headline(&ran.out);
    // SciPy: mannwhitneyu([100, 200 .. 3200], [400, 800 .. 12800], method of all divisions with ties
    // at their mean rank): U = 28 of 36, and 12.987 % of the divisions are as far out.
    let ratio = comparison["ratio"].as_f64().unwrap();
    assert!((ratio - 4.0).abs() < 1e-9, "{ratio}");
    let p = comparison["p"].as_f64().unwrap();
    assert!((p - 0.129_870_129_870_129_86).abs() < 1e-9, "{p}");
    let ran = summarize(&input, &[]);
    assert!(ran.out.contains("6 and 6 unpaired rounds"), "{}", ran.out);
    assert!(ran.out.contains("6 v 6"), "{}", ran.out);
    assert!(ran.out.contains("in turn"), "{}", ran.out);
}

#[test]
fn a_wild_value_is_flagged_and_kept() {
    let mut all = records(&fixture("twelve-rounds-faster.jsonl"));
    all[4]["elapsed_ms"] = json!(90_000.0);
    let ran = summarize(&joined(&all), &["--format", "jsonl"]);
    let got = records(&ran.out);
    assert_eq!(
        (&got[0]["n"], &got[0]["max"]),
        (&json!(6), &json!(90_000.0))
    );
    let comparison = got.iter().find(|row| row["headline"] == true).unwrap();
    assert!(warning_codes(comparison).contains(&"outliers"));
    assert_eq!(comparison["pairs"], 6);
}

#[test]
fn zero_null_negative_and_absurd_values_have_a_clear_outcome() {
    let zero = changed(|_, round| round["writelog_wait_ms"] = json!(0));
    let ran = summarize(&zero, &["--format", "jsonl", "--table", "comparison"]);
    let all = records(&ran.out);
    let writelog = all
        .iter()
        .find(|row| row["metric"] == "writelog_wait_ms")
        .unwrap();
    assert_eq!(
        (&writelog["ratio"], &writelog["verdict"]),
        (&Value::Null, &json!("inconclusive"))
    );
    assert!(warning_codes(writelog).contains(&"no_ratio"));

    let null = changed(|_, round| round["writelog_wait_ms"] = Value::Null);
    let ran = summarize(&null, &["--format", "jsonl", "--table", "comparison"]);
    assert!(
        records(&ran.out)
            .iter()
            .all(|row| row["metric"] != "writelog_wait_ms")
    );

    let absurd = changed(|place, round| {
        round["elapsed_ms"] = if place == 0 {
            json!(-5.0)
        } else {
            json!(1e300)
        };
    });
    let ran = summarize(&absurd, &["--format", "jsonl"]);
    let all = records(&ran.out);
    assert_eq!(
        (ran.status, &all[0]["n"], &all[0]["set_aside"]),
        (SUCCESS, &json!(5), &json!(1))
    );
    assert_eq!(summarize(&absurd, &[]).status, SUCCESS);
}

#[test]
fn injected_faults_and_mixed_servers_are_warned_of() {
    let input = changed(|place, round| {
        if place > 5 {
            round["server"]["version"] = json!("0.2.0");
            round["server"]["injected_faults"] = json!("flush delay 5 ms");
        }
    });
    let ran = summarize(&input, &[]);
    let text = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("flush delay 5 ms"), "{text}");
    assert!(text.contains("server (labdb 0.1.0, labdb 0.2.0)"), "{text}");
}

#[test]
fn csv_is_rectangular_and_its_numbers_and_times_are_bare() {
    let input = fixture("twelve-rounds-faster.jsonl");
    for table in ["rounds", "variants", "comparison"] {
        let ran = summarize(&input, &["--format", "csv", "--table", table]);
        assert!(ran.out.ends_with("\r\n"));
        let mut reader = csv::Reader::from_reader(ran.out.as_bytes());
        let head = reader.headers().unwrap().clone();
        let mut names: Vec<&str> = head.iter().collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), head.len(), "a name is there twice");
        let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        assert_eq!(rows.len(), if table == "rounds" { 12 } else { rows.len() });
        if table == "rounds" {
            let cell = |name: &str| &rows[0][head.iter().position(|head| head == name).unwrap()];
            let first = &records(&input)[0];
            assert_eq!(cell("started_utc"), "2025-03-01T09:00:02.000");
            assert_eq!(
                cell("log_bytes_written"),
                first["log_bytes_written"].to_string()
            );
            assert_eq!(cell("server"), "labdb");
        }
    }
    let ran = summarize(
        &input,
        &[
            "--format", "csv", "--table", "rounds", "--table", "variants",
        ],
    );
    assert_eq!(ran.status, USAGE);
}

#[test]
fn no_text_can_run_as_a_formula_or_break_a_table() {
    let input = changed(|place, round| {
        if place % 4 == 1 || place % 4 == 2 {
            round["trial"]["variant"] = json!("=HYPERLINK(\"x\"),|a\u{1b}[31m");
        }
    });
    let ran = summarize(&input, &["--format", "csv"]);
    let mut reader = csv::Reader::from_reader(ran.out.as_bytes());
    let row = reader.records().nth(1).unwrap().unwrap();
    assert_eq!(&row[2], "'=HYPERLINK(\"x\"),|a\u{1b}[31m");
    let ran = summarize(&input, &["--format", "md", "--table", "rounds"]);
    let bars = |line: &str| line.replace("\\|", "").matches('|').count();
    let lines: Vec<&str> = ran
        .out
        .lines()
        .filter(|line| line.starts_with('|'))
        .collect();
    assert_eq!(lines.len(), 14);
    assert!(
        lines.iter().all(|line| bars(line) == bars(lines[0])),
        "{}",
        ran.out
    );
    let ran = summarize(&input, &[]);
    assert!(!ran.out.contains('\u{1b}'));
}

#[test]
fn three_variants_are_each_compared_with_the_baseline() {
    let input = changed(|place, round| {
        round["trial"]["variant"] = json!(["full", "delayed", "batched"][place % 3]);
        round["trial"]["block"] = json!(place / 3 + 1);
        round["trial"]["slot"] = json!(place % 3 + 1);
        round["trial"]["experiment"] = json!("delayed-durability");
    });
    let ran = summarize(
        &input,
        &[
            "--format",
            "jsonl",
            "--table",
            "comparison",
            "--metric",
            "elapsed_ms",
        ],
    );
    let all = records(&ran.out);
    let variants: Vec<_> = all
        .iter()
        .map(|row| row["variant"].as_str().unwrap())
        .collect();
    assert_eq!(variants, ["delayed", "batched"]);
    assert!(
        all.iter()
            .all(|row| row["pairs"] == 4 && row["baseline"] == "full")
    );
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
