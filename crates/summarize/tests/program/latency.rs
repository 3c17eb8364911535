//! Latencies of all rounds of a variant.

use crate::{SUCCESS, changed, records, summarize};
use base64::Engine;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Serializer, V2DeflateSerializer};
use serde_json::{Value, json};

/// A distribution of `count` requests that took so long, in microseconds, and one that took 9,000.
fn distribution(us: u64, count: u64) -> String {
    let mut histogram = Histogram::<u64>::new_with_bounds(1, 3_600_000_000, 3).unwrap();
    histogram.record_n(us, count).unwrap();
    histogram.record(9_000).unwrap();
    let mut bytes = Vec::new();
    let mut serializer = V2DeflateSerializer::new();
    serializer.serialize(&histogram, &mut bytes).unwrap();
    base64::prelude::BASE64_STANDARD.encode(bytes)
}

/// Twelve rounds, six a variant, of 500 requests each; the one with the last place is as given.
fn stream(last: &Value) -> String {
    changed(|place, round| {
        let us = if round["trial"]["variant"] == "FULL" {
            100
        } else {
            200
        };
        round["latency_histogram"] = match place {
            11 => last.clone(),
            _ => json!(distribution(us, 499)),
        };
    })
}

fn latencies(text: &str) -> Vec<Value> {
    let mut found = records(text);
    found.retain(|record| record["kind"] == "latency_summary");
    found
}

#[test]
fn every_format_shows_the_latency_of_all_rounds_added_up() {
    // The last round is of FULL.
    let input = stream(&json!(distribution(100, 499)));
    let ran = summarize(&input, &[]);
    assert_eq!(ran.status, SUCCESS, "{}", ran.err);
    assert!(
        ran.out
            .contains("Latency of a request, ms (all rounds' distributions added up)")
    );
    // 6 of 3,000 requests took 9 ms: 2 in 1,000, so the 99.9th percentile is one of them.
    let words = |line: &str| {
        line.split_whitespace()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let rows: Vec<Vec<String>> = ran.out.lines().map(words).collect();
    let row = ["6", "3000", "0.100", "0.100", "0.100", "9.000", "9.000"];
    // A histogram of three digits knows 9,000 us as 9,000 to 9,003.
    let near = |got: &str, expected: &str| {
        let number = |text: &str| text.parse::<f64>().unwrap();
        (number(got) - number(expected)).abs() <= 0.001 * number(expected)
    };
    let found = rows.iter().any(|words| {
        words.first().is_some_and(|first| first == "FULL")
            && words.len() == 8
            && words
                .iter()
                .skip(1)
                .zip(row)
                .all(|(got, expected)| near(got, expected))
    });
    assert!(found, "{}", ran.out);
    assert!(
        ran.out.lines().all(|line| line.chars().count() <= 80),
        "{}",
        ran.out
    );

    let csv = summarize(&input, &["--format", "csv", "--table", "latency"]).out;
    let lines: Vec<&str> = csv.lines().collect();
    assert!(
        lines[0].ends_with("rounds,set_aside,requests,min_us,p50_us,p90_us,p99_us,p999_us,max_us")
    );
    assert!(
        lines
            .iter()
            .any(|line| line.contains(",SIMPLE,6,0,3000,200,200,200,200,9")),
        "{csv}"
    );

    let md = summarize(&input, &["--format", "md"]).out;
    assert!(md.contains("| FULL | 6 | 3000 |"), "{md}");
    let jsonl = latencies(&summarize(&input, &["--format", "jsonl"]).out);
    assert_eq!(
        (jsonl.len(), &jsonl[0]["n"], &jsonl[0]["p50_us"]),
        (2, &json!(6), &json!(100))
    );
}

#[test]
fn a_distribution_that_cannot_be_read_is_said_and_its_round_still_counts() {
    let ran = summarize(&stream(&json!("AAAA")), &[]);
    assert_eq!(ran.status, SUCCESS, "{}", ran.err);
    let text = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        text.contains("the latency distribution of run 12 cannot be read"),
        "{text}"
    );
    let jsonl = summarize(&stream(&json!("AAAA")), &["--format", "jsonl"]).out;
    let counts: Vec<(Value, Value)> = latencies(&jsonl)
        .into_iter()
        .map(|row| (row["n"].clone(), row["set_aside"].clone()))
        .collect();
    assert!(counts.contains(&(json!(5), json!(1))), "{counts:?}");
    let rounds: Vec<Value> = records(&jsonl);
    let elapsed = rounds.iter().filter(|row| row["kind"] == "variant_summary");
    let mut elapsed = elapsed.filter(|row| row["metric"] == "elapsed_ms");
    assert!(elapsed.all(|row| row["n"] == 6), "{jsonl}");
}

#[test]
fn rounds_of_one_request_each_have_no_latency_table_of_their_own() {
    let one = changed(|_, round| round["latency_histogram"] = json!(distribution(5, 1)));
    assert!(!summarize(&one, &[]).out.contains("Latency of a request"));
    let asked = summarize(&one, &["--table", "latency"]).out;
    assert!(asked.contains("Latency of a request"), "{asked}");
    assert!(
        asked.contains('-'),
        "12 requests have no 99th percentile: {asked}"
    );
}

#[test]
fn a_percentile_of_each_round_is_called_that_and_has_no_mean() {
    let input = changed(|place, round| round["latency_p99_us"] = json!(100 + place));
    let ran = summarize(&input, &["--metric", "latency_p99_us", "--format", "jsonl"]);
    let rows = records(&ran.out);
    let row = rows
        .iter()
        .find(|row| row["kind"] == "variant_summary")
        .unwrap();
    assert!(row["median"].is_number() && row["mean"].is_null(), "{row}");
    let text = summarize(&input, &["--metric", "latency_p99_us"]).out;
    assert!(text.contains("p99 latency of a round"), "{text}");
}
