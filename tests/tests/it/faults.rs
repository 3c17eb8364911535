//! What labdb was told to do wrong stands in every record and in every form of the result.

use crate::programs::{one_round, setup};
use integration_tests::{Labdb, LabdbOptions, program, run_with_input};

const FAULT: &str = "flush-delay=300us";

#[test]
fn an_injected_fault_is_in_every_record_and_in_every_form_of_the_summary() {
    let server = Labdb::start_with(LabdbOptions {
        arguments: vec!["--fault".into(), FAULT.into()],
        ..LabdbOptions::default()
    });
    setup(&server, "FULL");
    let stream = one_round(&server, "FULL", 1, 1, 1);
    let mut kinds = Vec::new();
    for line in stream.lines() {
        let record: serde_json::Value = serde_json::from_str(line).expect("JSON");
        assert_eq!(record["server"]["injected_faults"], FAULT, "{line}");
        kinds.push(record["kind"].as_str().expect("a kind").to_owned());
    }
    assert_eq!(kinds, ["setup", "snapshot", "load", "snapshot", "round"]);
    for format in ["table", "md", "csv", "jsonl"] {
        let mut summarize = program("summarize");
        summarize.args(["--format", format]);
        if format == "csv" {
            summarize.args(["--table", "rounds"]);
        }
        let outcome = run_with_input(&mut summarize, &stream);
        let told = format!("{}{}", outcome.stdout, outcome.stderr);
        assert!(told.contains(FAULT), "{format}: {told}");
    }
}
