//! What the programs write is what the published schema says.

use crate::programs::{DATABASE, one_round, setup};
use integration_tests::{Labdb, checkout};
use jsonschema::Validator;

fn published_schema() -> Validator {
    let path = checkout().join("docs/records.schema.json");
    let text = std::fs::read_to_string(path).expect("the published schema");
    let schema = serde_json::from_str(&text).expect("JSON");
    jsonschema::validator_for(&schema).expect("a schema")
}

#[test]
fn every_line_of_a_round_holds_to_the_published_schema() {
    let server = Labdb::start();
    setup(&server, "FULL");
    let stream = one_round(&server, "FULL", 1, 1, 1);
    let schema = published_schema();
    let mut kinds = Vec::new();
    for line in stream.lines() {
        let value: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let faults: Vec<String> = schema
            .iter_errors(&value)
            .map(|error| error.to_string())
            .collect();
        assert!(faults.is_empty(), "{faults:?} in {line}");
        kinds.push(value["kind"].as_str().expect("a kind").to_owned());
    }
    assert_eq!(kinds, ["setup", "snapshot", "load", "snapshot", "round"]);
    assert!(stream.contains(DATABASE));
}

#[test]
fn no_record_and_no_message_holds_the_password() {
    let server = Labdb::start();
    let password = server.environment("SQLCMDPASSWORD");
    assert!(password.len() >= 12, "a generated password");
    let stream = one_round(&server, "SIMPLE", 1, 1, 1);
    assert!(!stream.contains(password));
}
