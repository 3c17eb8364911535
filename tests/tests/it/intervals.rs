//! `loadgen --interval` through the whole pipe, and what summarize makes of it.

use crate::programs::{round_of, setup_outcome};
use integration_tests::{Labdb, run_with_input};
use records::{Interval, Load, Record};

/// The stream of one round with intervals.
pub(crate) fn round_with_intervals(server: &Labdb, load: &[&str]) -> String {
    let trial = [
        "--experiment",
        "e",
        "--variant",
        "FULL",
        "--round",
        "1",
        "--block",
        "1",
    ];
    let mut stream = setup_outcome(server, &[&trial[..], &["--slot", "1"]].concat())
        .success()
        .stdout;
    for (name, arguments) in [
        ("snapshot", &[][..]),
        ("loadgen", load),
        ("snapshot", &[]),
        ("diff", &[]),
    ] {
        stream = run_with_input(server.program(name).args(arguments), &stream)
            .success()
            .stdout;
    }
    stream
}

fn parts(stream: &str) -> (Vec<Interval>, Load) {
    let mut intervals = Vec::new();
    let mut found = None;
    for line in stream.lines() {
        match serde_json::from_str(line).expect("a record") {
            Record::Interval(interval) => {
                assert!(
                    found.is_none(),
                    "they come before the load that they add up to"
                );
                intervals.push(*interval);
            }
            Record::Load(load) => found = Some(*load),
            _ => {}
        }
    }
    (intervals, found.expect("a load"))
}

#[test]
fn intervals_pass_through_the_pipe_and_add_up_to_the_load() {
    let server = Labdb::start();
    let arguments = [
        "--workers",
        "3",
        "--duration",
        "700ms",
        "--interval",
        "50ms",
    ];
    let stream = round_with_intervals(&server, &arguments);
    let (intervals, load) = parts(&stream);
    assert!(intervals.len() >= 13, "{}", intervals.len());
    let numbers: Vec<u32> = intervals.iter().map(|interval| interval.number).collect();
    let expected: Vec<u32> = (1..).take(intervals.len()).collect();
    assert_eq!(numbers, expected);
    let transactions: u64 = intervals.iter().map(|interval| interval.transactions).sum();
    assert_eq!(transactions, load.transactions);
    assert!(transactions > 0);
    let mut at = 0.0;
    for interval in &intervals {
        assert!((interval.start_ms - at).abs() < 0.01, "a gap at {at}");
        at = interval.start_ms + interval.length_ms;
        assert_eq!(interval.header.trial, load.header.trial);
        assert!(interval.header.target.is_none() && interval.header.server.is_none());
    }
    assert!(
        (at - load.elapsed_ms).abs() < 0.1,
        "{at} {}",
        load.elapsed_ms
    );
    assert!(!intervals.last().expect("one").whole);
    let longest = intervals
        .iter()
        .filter_map(|interval| interval.latency_max_us)
        .max();
    assert_eq!(longest, load.latency.map(|latency| latency.max_us));
    let round = round_of(&stream);
    assert_eq!(round.transactions, Some(transactions));
}
