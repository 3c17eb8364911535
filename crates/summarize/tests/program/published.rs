//! Published figures beside ours.

use super::{BAD_INPUT, SUCCESS, USAGE, fixture, path, records, summarize};
use serde_json::json;

/// The published figures of recovery-model, as the project ships them.
fn shipped() -> String {
    let file = path("../recovery-model/published.json");
    file.to_str().unwrap().to_owned()
}

#[test]
fn published_figures_stand_beside_ours_with_their_source_and_the_word_labdb() {
    let file = shipped();
    let input = fixture("four-rounds.jsonl");
    let ran = summarize(&input, &["--published", &file]);
    assert_eq!(ran.status, SUCCESS, "{}", ran.err);
    for line in ran.out.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
    let (_, table) = ran.out.split_once("Published beside ours").unwrap();
    assert!(table.contains("ours (labdb)"), "{table}");
    let words = table.split_whitespace().collect::<Vec<_>>().join(" ");
    for line in [
        "FULL 77.00 to 86.00 0.7898 0.7861 0.7935 0.00918 to 0.0103",
        "SIMPLE within those 2.335 2.334 2.336 -",
        "FULL LOG_BACKUP LOG_BACKUP",
    ] {
        assert!(words.contains(line), "{line}: {table}");
    }
    assert!(
        words.contains("Published: four rounds on a busy server"),
        "{words}"
    );
    assert!(words.contains("figures of another machine"), "{words}");
    let ran = summarize(&input, &["--published", &file, "--format", "md"]);
    assert!(ran.out.contains("### Published beside ours"), "{}", ran.out);
    let ran = summarize(&input, &[]);
    assert!(
        !ran.out.contains("Published"),
        "only where it was asked for"
    );
}

#[test]
fn the_record_and_the_csv_hold_the_quotient_of_our_median_and_the_published_ends() {
    let file = shipped();
    let input = fixture("four-rounds.jsonl");
    let mut ours: Vec<f64> = records(&fixture("four-rounds.expected.jsonl"))
        .iter()
        .filter(|round| round["trial"]["variant"] == "FULL")
        .map(|round| round["log_bytes_written"].as_f64().unwrap())
        .collect();
    ours.sort_by(f64::total_cmp);
    let median = f64::midpoint(ours[0], ours[1]);
    let arguments = ["--published", &file, "--table", "published", "--format"];
    let ran = summarize(&input, &[&arguments[..], &["jsonl"]].concat());
    let all = records(&ran.out);
    assert_eq!(all.len(), 6);
    let row = all
        .iter()
        .find(|row| row["metric"] == "log_bytes_written" && row["variant"] == "FULL")
        .unwrap();
    assert_eq!(row["kind"], "published_figure");
    assert_eq!((&row["n"], &row["median"]), (&json!(2), &json!(median)));
    assert_eq!(row["ratio_low"], json!(median / 90_177_536.0));
    assert_eq!(row["ratio_high"], json!(median / 80_740_352.0));

    let ran = summarize(&input, &[&arguments[..], &["csv"]].concat());
    let mut reader = csv::Reader::from_reader(ran.out.as_bytes());
    let head = reader.headers().unwrap().clone();
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 2);
    let cell = |name: &str| &rows[0][head.iter().position(|head| head == name).unwrap()];
    assert_eq!(cell("median_log_bytes_written"), median.to_string());
    assert_eq!(cell("published_text_log_reuse_wait"), "LOG_BACKUP");
    assert_eq!(cell("server"), "labdb");
}

#[test]
fn figures_of_another_experiment_and_a_missing_file_are_refused() {
    let input = fixture("four-rounds.jsonl").replace("\"recovery-model\"", "\"mine\"");
    let ran = summarize(&input, &["--published", &shipped()]);
    assert_eq!((ran.status, ran.out.as_str()), (BAD_INPUT, ""));
    assert!(
        ran.err.contains("recovery-model") && ran.err.contains("mine"),
        "{}",
        ran.err
    );
    let ran = summarize(&input, &["--published", "/nonexistent/published.json"]);
    assert_eq!(ran.status, BAD_INPUT);
    assert!(
        ran.err.contains("/nonexistent/published.json"),
        "{}",
        ran.err
    );
    let ran = summarize(&input, &["--table", "published"]);
    assert_eq!(ran.status, USAGE);
}
