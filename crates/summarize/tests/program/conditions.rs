//! Rounds that differ in more than the setting under test, and rounds that others disturbed.

use super::{changed, records, summarize};
use serde_json::{Value, json};

fn words(input: &str) -> String {
    let out = summarize(input, &[]).out;
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn with_conditions(of: impl Fn(usize, &str) -> Value) -> String {
    changed(|place, round| {
        let variant = round["trial"]["variant"].as_str().unwrap().to_owned();
        round["conditions"] = of(place, &variant);
    })
}

#[test]
fn a_setting_that_differs_within_a_variant_is_named_with_its_values() {
    let input = with_conditions(|place, _| {
        json!({"compatibility_level": if place == 3 { 150 } else { 160 },
            "global_trace_flags": if place == 5 { json!([3979, 3982]) } else { json!([]) }})
    });
    let text = words(&input);
    assert!(
        text.contains(
            "the rounds differ in more than the variant: compatibility level (150, 160); trace \
             flags (3979 3982, none). Compare rounds of one series."
        ),
        "{text}"
    );
    let ran = summarize(&input, &["--format", "jsonl", "--table", "comparison"]);
    let warnings = records(&ran.out)[0]["warnings"].clone();
    let codes: Vec<Value> = warnings
        .as_array()
        .unwrap()
        .iter()
        .map(|w| w["code"].clone())
        .collect();
    assert!(codes.contains(&json!("settings_differ")), "{codes:?}");
}

#[test]
fn a_setting_that_differs_only_between_variants_is_a_note_unless_the_experiment_varies_it() {
    let input = with_conditions(
        |_, variant| json!({"read_committed_snapshot": variant == "SIMPLE", "server_cpus": 8}),
    );
    let text = words(&input);
    assert!(
        text.contains("the variants differ in read committed snapshot (FULL: off, SIMPLE: on)."),
        "{text}"
    );
    assert!(!text.contains("differ in more than"), "{text}");
    assert!(
        !text.contains("recovery model (FULL"),
        "it is what is varied: {text}"
    );
    let other = words(&input.replace("\"recovery-model\"", "\"mine\""));
    assert!(
        other.contains("differ in recovery model (FULL: FULL, SIMPLE: SIMPLE); read committed"),
        "{other}"
    );
}

#[test]
fn sizes_that_an_experiment_varies_are_no_difference_and_what_it_does_not_vary_is_one() {
    let with = |flag: bool| {
        with_conditions(|_, variant| {
            let other = variant == "SIMPLE";
            let file = |kind: &str, megabytes: u64| {
                json!({"file_id": 1, "kind": kind, "logical_name": "f", "physical_name": "f",
                    "size_bytes": megabytes << 20, "growth_bytes": 0, "growth_percent": null,
                    "max_size_bytes": null})
            };
            let (rows, log) = if other { (512, 64) } else { (128, 32) };
            json!({"files": [file("rows", rows), file("log", log)],
                "vlf_count": if other { 500 } else { 4 },
                "global_trace_flags": if other && flag { json!([1806]) } else { json!([]) }})
        })
        .replace(r#""recovery_model":"SIMPLE""#, r#""recovery_model":"FULL""#)
    };
    for name in ["restore-time", "restore-time-log", "restore-time-growth"] {
        let renamed =
            |input: &str| words(&input.replace("\"recovery-model\"", &format!("\"{name}\"")));
        let same = renamed(&with(false));
        assert!(!same.contains("differ in"), "{name}: {same}");
        let other = renamed(&with(true));
        assert!(
            other.contains("the variants differ in trace flags (FULL: none, SIMPLE: 1806)."),
            "{name}: {other}"
        );
    }
    let sizes = words(&with(false));
    assert!(
        sizes.contains("virtual log files (FULL: 4, SIMPLE: 500); log size (FULL: 32 MB"),
        "{sizes}"
    );
}

#[test]
fn replicas_that_commits_wait_for_are_a_setting_like_others() {
    let input = with_conditions(|place, _| {
        json!({"availability_group": true, "availability": {"group": "ag", "replicas": [
            {"server": "a", "is_local": true, "role": "PRIMARY",
                "commit_mode": "SYNCHRONOUS_COMMIT", "synchronization": "SYNCHRONIZED",
                "is_commit_participant": true},
            {"server": "b", "is_local": false, "role": "SECONDARY",
                "commit_mode": "SYNCHRONOUS_COMMIT", "synchronization": "SYNCHRONIZING",
                "is_commit_participant": place < 3}]}})
    });
    let text = words(&input);
    assert!(
        text.contains(
            "availability group (ag: PRIMARY here, commits wait for b, ag: PRIMARY here, not for b)"
        ),
        "{text}"
    );
}

#[test]
fn what_could_not_be_read_is_no_difference() {
    let input = with_conditions(|place, _| {
        if place % 2 == 0 {
            Value::Null
        } else {
            json!({"compatibility_level": 160, "accelerated_database_recovery": null})
        }
    });
    assert!(!words(&input).contains("differ in"), "{}", words(&input));
}

#[test]
fn others_are_told_where_they_use_a_tenth_of_a_processor_or_of_the_rounds_bytes() {
    // A round of 2,000 ms that writes 16 MB.
    let input = |cpu: i64, bytes: i64| {
        changed(|place, round| {
            round["elapsed_ms"] = json!(2000.0);
            round["log_bytes_written"] = json!(8 << 20);
            round["data_bytes_written"] = json!(8 << 20);
            let (cpu, bytes) = if place == 4 { (cpu, bytes) } else { (0, 0) };
            round["conditions"] = json!({"others":
                {"sessions": 2, "cpu_ms": cpu, "other_databases_bytes": bytes}});
        })
    };
    let quiet = words(&input(199, 1_600_000));
    assert!(!quiet.contains("others used the server"), "{quiet}");
    let busy = words(&input(200, 3 << 20));
    assert!(
        busy.contains(
            "others used the server during run 5: up to 10 % of a processor in other sessions, up \
             to 3 MB a round in other databases' files. Measure while it is quiet"
        ),
        "{busy}"
    );
}

#[test]
fn rows_that_a_script_drew_are_no_difference_of_work_and_other_transactions_are_one() {
    let input = |scripted: Value, transactions: u64| {
        changed(|place, round| {
            round["scripted"] = scripted.clone();
            round["rows"] = json!(1000 + place);
            round["transactions"] = json!(if place == 3 { transactions } else { 500 });
        })
    };
    let same = words(&input(json!(true), 500));
    assert!(!same.contains("differ in"), "{same}");
    let less = words(&input(json!(true), 499));
    assert!(
        less.contains("differ in more than the variant: transactions (499, 500). Compare"),
        "{less}"
    );
    for unscripted in [json!(false), Value::Null] {
        let text = words(&input(unscripted, 500));
        assert!(
            text.contains("differ in more than the variant: rows (1000, 1001,"),
            "{text}"
        );
    }
}
