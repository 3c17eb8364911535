//! What surrounds a round.

use super::{INVALID_ROUND, SUCCESS, added, changed};
use serde_json::{Value, json};

fn conditions() -> Value {
    json!({"read_committed_snapshot": false, "compatibility_level": 160, "vlf_count": 4,
        "global_trace_flags": [845], "files": [{"file_id": 1, "kind": "rows",
        "logical_name": "d", "physical_name": "/d.mdf", "size_bytes": 8192,
        "growth_bytes": 65536, "growth_percent": null, "max_size_bytes": null}]})
}

fn others(sessions: &[(i32, &str, i64)], count: i64, bytes: i64) -> Value {
    let sessions: Vec<Value> = sessions
        .iter()
        .map(|(id, login, cpu)| json!({"session_id": id, "login_time": login, "cpu_ms": cpu}))
        .collect();
    json!({"session_count": count, "sessions": sessions, "other_databases_bytes": bytes})
}

/// The one round of two snapshots (records 1 and 3) with these changes.
fn round(status: i32, change: impl FnOnce(&mut [Value])) -> Value {
    let input = changed(|all| {
        for place in [1, 3] {
            all[place]["conditions"] = conditions();
            all[place]["others"] = others(&[], 0, 0);
        }
        change(all);
    });
    added(&input, status).remove(0)
}

fn codes(round: &Value) -> Vec<&str> {
    let reasons = round["reasons"].as_array().unwrap();
    reasons
        .iter()
        .map(|reason| reason["code"].as_str().unwrap())
        .collect()
}

#[test]
fn the_first_snapshots_conditions_and_what_others_did_in_between_are_the_rounds() {
    let round = round(SUCCESS, |all| {
        // 51 stays and uses 30; 52 left and its number went to a new login, which used 7; 53 had
        // used nothing and used 5; 54 was reset by its pool and used 2 since.
        all[1]["others"] = others(&[(51, "a", 100), (52, "b", 10), (54, "d", 90)], 4, 1000);
        all[3]["others"] = others(
            &[(51, "a", 130), (52, "c", 7), (53, "e", 5), (54, "d", 2)],
            5,
            5096,
        );
        all[3]["conditions"]["vlf_count"] = json!(8);
        all[3]["conditions"]["files"][0]["size_bytes"] = json!(16384);
    });
    assert_eq!(round["conditions"]["compatibility_level"], 160);
    assert_eq!(round["conditions"]["vlf_count"], 4);
    assert_eq!(
        round["conditions"]["others"],
        json!({"sessions": 5, "cpu_ms": 44, "other_databases_bytes": 4096})
    );
    assert_eq!(
        codes(&round),
        [] as [&str; 0],
        "growth is no change of a setting"
    );
}

#[test]
fn a_setting_that_changed_inside_the_round_makes_it_invalid_and_is_named() {
    let round = round(INVALID_ROUND, |all| {
        all[3]["conditions"]["read_committed_snapshot"] = json!(true);
        all[3]["conditions"]["global_trace_flags"] = json!([845, 3979]);
        all[3]["conditions"]["files"][0]["growth_bytes"] = json!(0);
    });
    assert_eq!(round["validity"], "invalid");
    assert_eq!(
        codes(&round),
        [
            "read_committed_snapshot_changed",
            "trace_flags_changed",
            "file_settings_changed"
        ]
    );
    let detail = round["reasons"][0]["detail"].as_str().unwrap();
    assert!(detail.contains("from off to on"), "{detail}");
}

#[test]
fn what_cannot_be_told_is_null() {
    let fell = round(SUCCESS, |all| {
        all[1]["others"] = others(&[], 1, 9000);
        all[3]["others"]["sessions"] = Value::Null;
        all[3]["conditions"]["read_committed_snapshot"] = Value::Null;
    });
    assert_eq!(
        fell["conditions"]["others"],
        json!({"sessions": 1, "cpu_ms": null, "other_databases_bytes": null})
    );
    let old = added(&changed(|_| {}), SUCCESS).remove(0);
    assert_eq!(old["conditions"], Value::Null);
}
