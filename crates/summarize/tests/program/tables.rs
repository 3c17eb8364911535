//! The tables for people.

use super::{changed, fixture, summarize};
use serde_json::{Value, json};

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
fn rounds_of_a_few_milliseconds_leave_room_for_the_names() {
    let input = changed(|place, round| {
        round["elapsed_ms"] = json!(45.081_234 + f64::from(u8::try_from(place).unwrap()));
        if round["trial"]["variant"] == "SIMPLE" {
            round["trial"]["variant"] = json!("/var/opt/second");
        }
    });
    let ran = summarize(&input, &[]);
    // The head is whole.
    assert!(ran.out.contains("\nelapsed time, s  "), "{}", ran.out);
    for line in ran.out.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
}
