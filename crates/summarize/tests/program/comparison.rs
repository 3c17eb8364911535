//! Verdicts, and what limits them.

use super::{
    SUCCESS, USAGE, assert_near, changed, fixture, headline, joined, records, summarize,
    warning_codes,
};
use serde_json::{Value, json};

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

/// Three variants in seven blocks; what `far` names is ten times as much.
fn three_variants(far: impl Fn(usize, &str) -> bool) -> String {
    let all: Vec<Value> = (0..21_usize)
        .map(|place| {
            let mut round = records(&fixture("twelve-rounds-noisy.jsonl")).remove(place % 12);
            round["trial"]["variant"] = json!(["full", "delayed", "batched"][place % 3]);
            round["trial"]["block"] = json!(place / 3 + 1);
            round["trial"]["slot"] = json!(place % 3 + 1);
            round["trial"]["round"] = json!(place + 1);
            round["trial"]["id"] = json!(format!("0195500c-0000-7000-8000-0000000001{place:02}"));
            round["started"] = json!(format!("2025-03-01T09:00:{place:02}Z"));
            round["elapsed_ms"] = json!(1000 + 3 * ((place * 7) % 5));
            round["log_bytes_written"] = json!(100_000 + 300 * ((place * 5) % 7));
            round["writelog_wait_ms"] = json!(0);
            for metric in ["elapsed_ms", "log_bytes_written"] {
                if far(place + 1, metric) {
                    round[metric] = json!(round[metric].as_i64().unwrap() * 10);
                }
            }
            round
        })
        .collect();
    joined(&all)
}

#[test]
fn what_comparisons_share_is_said_once_and_names_what_it_concerns() {
    // Run 4 is of the baseline, run 6 of batched.
    let input = three_variants(|run, metric| run == 4 || (run == 6 && metric == "elapsed_ms"));
    let ran = summarize(&input, &["--baseline", "full"]);
    let text = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        text.contains(
            "Note: far from the others, and kept: elapsed time in runs 4, 6; log written in run 4. \
             See what else ran then, and run more pairs."
        ),
        "{text}"
    );
    assert_eq!(text.matches("far from the others").count(), 1, "{text}");
    assert_eq!(text.matches("no ratio.").count(), 1, "{text}");
    // More pairs would give it none.
    assert!(
        text.contains("Note: 7 pairs cannot decide log written (further"),
        "{text}"
    );
    // What has no ratio is not called undecided; each record keeps its own warnings.
    assert!(
        text.contains("WRITELOG wait delayed - - - 7 - no ratio"),
        "{text}"
    );
    let ran = summarize(&input, &["--baseline", "full", "--format", "jsonl"]);
    let of_delayed = records(&ran.out)
        .into_iter()
        .find(|row| row["headline"] == true && row["variant"] == "delayed")
        .unwrap();
    let far = of_delayed["warnings"]
        .as_array()
        .unwrap()
        .iter()
        .find(|warning| warning["code"] == "outliers")
        .unwrap();
    assert!(
        far["text"]
            .as_str()
            .unwrap()
            .contains("kept: elapsed time in run 4."),
        "{far}"
    );
}

#[test]
fn a_drift_of_several_comparisons_names_the_variants_of_each() {
    let input = three_variants(|_, _| false);
    let mut all = records(&input);
    for (place, round) in all.iter_mut().enumerate() {
        round["elapsed_ms"] = json!(1000 + 20 * place + place % 2);
    }
    let text = summarize(&joined(&all), &["--baseline", "full"]).out;
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        text.contains("from the first round to the last elapsed time rises by about"),
        "{text}"
    );
    assert!(
        text.contains("(full and delayed, p <0.001) and rises by"),
        "{text}"
    );
    assert!(
        text.contains("(full and batched, p <0.001). Pairs cancel"),
        "{text}"
    );
    let two = changed(|place, round| round["elapsed_ms"] = json!(1000 + 90 * place));
    let text = summarize(&two, &[]).out;
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("% (p <0.001). Pairs cancel"), "{text}");
}

#[test]
fn too_few_pairs_of_several_variants_are_said_once() {
    let input: String = three_variants(|_, _| false)
        .lines()
        .take(9)
        .fold(String::new(), |text, line| text + line + "\n");
    let text = summarize(&input, &["--baseline", "full"]).out;
    assert_eq!(text.matches("cannot decide:").count(), 1, "{text}");
    assert!(
        text.contains("Note: 3 pairs cannot decide: 7 are the least that can."),
        "{text}"
    );
}

#[test]
fn the_verdict_alone_is_its_sentences_under_a_title_of_ones_own() {
    let input = fixture("twelve-rounds-faster.jsonl");
    let ran = summarize(&input, &["--table", "verdict", "--title", "in short"]);
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!(
        lines[0],
        "recovery-model, in short: measured on labdb 0.1.0, which is not SQL Server"
    );
    assert!(lines[1].starts_with("Faster: SIMPLE takes"), "{}", ran.out);
    assert!(
        !ran.out.contains("Note:") && !ran.out.contains("Comparison"),
        "{}",
        ran.out
    );
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
    let mut all = records(&ran.out);
    let ranking = all.split_off(2);
    let variants: Vec<_> = all
        .iter()
        .map(|row| row["variant"].as_str().unwrap())
        .collect();
    assert_eq!(variants, ["delayed", "batched"]);
    // Three comparisons: 3 * 2 / 2^7 is the first within 5 %.
    assert!(
        ranking
            .iter()
            .all(|row| row["kind"] == "ranking" && row["rank"] == 1 && row["pairs_to_decide"] == 7)
    );
    assert_eq!(ranking.len(), 3);
    assert!(
        all.iter()
            .all(|row| row["pairs"] == 4 && row["baseline"] == "full")
    );
}
