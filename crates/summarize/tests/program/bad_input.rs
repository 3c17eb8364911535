//! What cannot be used, and what becomes of it.

use super::{
    BAD_INPUT, SUCCESS, UPSTREAM, changed, fixture, joined, records, summarize, warning_codes,
};
use serde_json::{Value, json};

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
