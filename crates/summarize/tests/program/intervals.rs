//! Intervals inside rounds: added up while they stream past, for the rounds that count.

use super::{BAD_INPUT, SUCCESS, changed, joined, records, summarize};
use serde_json::{Value, json};

/// An interval of a round; `transactions` in 100 ms.
fn interval(round: &Value, number: u32, transactions: u32, whole: bool) -> Value {
    json!({
        "kind": "interval", "schema": 1, "at": "2025-03-01T09:00:00Z", "program": "loadgen 0.1.0",
        "trial": round["trial"], "number": number, "start_ms": 100 * (number - 1), "length_ms": 100.0,
        "whole": whole, "transactions": transactions, "transactions_per_s": transactions * 10,
        "errors": 0, "latency_p50_us": 900, "latency_p99_us": 1000 + number, "latency_max_us": 2000,
        "latency_histogram": null,
    })
}

/// Twelve rounds of 60 transactions, each after its intervals: 20, 10 (30 in the seventh round), 30
/// (10) and a last one that is not whole.
fn stream() -> Vec<Value> {
    let rounds = changed(|_, round| round["transactions"] = json!(60));
    let mut all = Vec::new();
    for (place, round) in records(&rounds).into_iter().enumerate() {
        let counts = if place == 6 {
            [20, 30, 10, 0]
        } else {
            [20, 10, 30, 0]
        };
        for (number, count) in (1..).zip(counts) {
            all.push(interval(&round, number, count, number < 4));
        }
        all.push(round);
    }
    all
}

fn rows(input: &str) -> Vec<Vec<String>> {
    let ran = summarize(input, &["--format", "csv", "--table", "intervals"]);
    assert_eq!((ran.status, ran.err.as_str()), (SUCCESS, ""));
    ran.out
        .lines()
        .map(|line| line.split(',').map(str::to_owned).collect())
        .collect()
}

/// The cells of one column, by its head.
fn column(rows: &[Vec<String>], head: &str) -> Vec<String> {
    let place = rows[0].iter().position(|name| name == head).unwrap();
    rows[1..].iter().map(|row| row[place].clone()).collect()
}

#[test]
fn rates_are_of_whole_intervals_and_sums_of_all() {
    let all = stream();
    let rows = rows(&joined(&all));
    let of = |head| column(&rows, head);
    assert_eq!(of("rounds"), ["6", "6"]);
    assert_eq!(of("intervals"), ["24", "24"]);
    assert_eq!(of("whole_intervals"), ["18", "18"]);
    assert_eq!(of("transactions"), ["360", "360"]);
    assert_eq!(of("length_ms"), ["2400", "2400"]);
    // The interval of 0 is not whole.
    assert_eq!(of("transactions_per_s_min"), ["100", "100"]);
    assert_eq!(of("transactions_per_s_mean"), ["150", "150"]);
    assert_eq!(of("transactions_per_s_max"), ["300", "300"]);
    assert_eq!(of("latency_p99_us_worst"), ["1004", "1004"]);
    // Without the distributions there is no percentile of all.
    assert_eq!(of("latency_p99_us"), ["", ""]);
}

#[test]
fn a_stream_that_comes_twice_counts_once_and_one_that_lacks_an_interval_not_at_all() {
    let all = stream();
    let twice = joined(&all) + &joined(&all);
    assert_eq!(column(&rows(&twice), "intervals"), ["24", "24"]);

    let mut lacking = all;
    lacking.remove(1);
    let rows = rows(&joined(&lacking));
    let mut rounds = column(&rows, "rounds");
    rounds.sort();
    assert_eq!(rounds, ["5", "6"]);
    let mut without = column(&rows, "rounds_without");
    without.sort();
    assert_eq!(without, ["0", "1"]);
}

#[test]
fn rounds_that_do_not_count_are_left_out_with_their_intervals() {
    let mut all = stream();
    let round = all
        .iter_mut()
        .find(|record| record["kind"] == "round")
        .unwrap();
    round["validity"] = json!("invalid");
    let mut intervals = column(&rows(&joined(&all)), "intervals");
    intervals.sort();
    assert_eq!(intervals, ["20", "24"]);
}

#[test]
fn the_table_says_where_the_slowest_interval_is_and_what_the_figures_are() {
    let mut all = stream();
    all[2]["transactions_per_s"] = json!(17.5);
    let ran = summarize(&joined(&all), &["--table", "intervals"]);
    assert_eq!(ran.status, SUCCESS, "{}", ran.err);
    assert!(ran.out.contains("17.5"), "{}", ran.out);
    let text = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("began 0.20 s into run 1."), "{text}");
    assert!(text.contains("no test is made of them"), "{text}");
    assert!(
        ran.out.lines().all(|line| line.chars().count() <= 80),
        "{}",
        ran.out
    );

    let none = summarize(&changed(|_, _| ()), &["--table", "intervals"]);
    assert!(none.out.contains("loadgen --interval"), "{}", none.out);
}

#[test]
fn an_interval_that_cannot_be_read_is_a_bad_line() {
    let mut all = stream();
    all[0].as_object_mut().unwrap().remove("transactions");
    let ran = summarize(&joined(&all), &["--table", "intervals"]);
    assert_eq!(ran.status, BAD_INPUT);
    assert!(
        ran.err.contains("line 1 ") && ran.err.contains("interval"),
        "{}",
        ran.err
    );
}
