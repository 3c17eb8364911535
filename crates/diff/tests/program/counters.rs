//! Counters that went back, belong to another file, or cannot be read.

use super::{COUNTED, INVALID_ROUND, SUCCESS, added, changed, codes, fixture};
use serde_json::{Value, json};

#[track_caller]
fn assert_no_counted_figure(round: &Value) {
    for field in COUNTED {
        assert_eq!(round.get(field), Some(&Value::Null), "{field}");
    }
}

#[test]
fn a_restart_gives_a_status_and_null_never_a_number() {
    let got = added(&fixture("server-restarted.raw.jsonl"), INVALID_ROUND);
    assert_eq!(got[0]["counters"], "server_restarted");
    assert_eq!(got[0]["validity"], "invalid");
    assert_eq!(codes(&got[0])[0], "server_restarted");
    assert_no_counted_figure(&got[0]);
}

#[test]
fn every_counter_that_goes_back_is_noticed() {
    let got = added(&fixture("counter-went-back.raw.jsonl"), INVALID_ROUND);
    assert_eq!(got[0]["counters"], "went_back");
    assert_no_counted_figure(&got[0]);
    for field in [
        "sample_ms",
        "reads",
        "bytes_read",
        "read_stall_ms",
        "writes",
        "bytes_written",
        "write_stall_ms",
        "stall_ms",
    ] {
        let input = changed(|all| {
            let before = all[1]["files"][0][field].as_i64().unwrap();
            all[3]["files"][0][field] = json!(before - 1);
        });
        let got = added(&input, INVALID_ROUND);
        assert_eq!(got[0]["counters"], "went_back", "{field}");
        assert_no_counted_figure(&got[0]);
    }
    for field in ["waiting_tasks", "wait_ms", "signal_wait_ms"] {
        let input = changed(|all| all[3]["waits"][0][field] = json!(0));
        assert_eq!(
            added(&input, INVALID_ROUND)[0]["counters"],
            "went_back",
            "{field}"
        );
    }
    let input = changed(|all| all[3]["performance_counters"][0]["value"] = json!(1));
    assert_eq!(added(&input, INVALID_ROUND)[0]["counters"], "went_back");
    // A level may fall.
    let input = changed(|all| all[3]["performance_counters"][1]["value"] = json!(0));
    assert_eq!(added(&input, SUCCESS)[0]["counters"], "continuous");
}

#[test]
fn another_file_or_another_database_is_noticed() {
    for (field, value) in [
        ("create_date", "2025-03-01T09:00:01"),
        ("database_guid", "other"),
        ("recovery_fork_guid", "other"),
    ] {
        let input = changed(|all| all[3]["database"][field] = json!(value));
        let got = added(&input, INVALID_ROUND);
        assert_eq!(got[0]["counters"], "replaced", "{field}");
        assert_no_counted_figure(&got[0]);
    }
    for field in ["physical_name", "file_handle"] {
        let input = changed(|all| all[3]["files"][1][field] = json!("other"));
        assert_eq!(
            added(&input, INVALID_ROUND)[0]["counters"],
            "replaced",
            "{field}"
        );
    }
    let input = changed(|all| {
        all[3]["files"].as_array_mut().unwrap().pop();
    });
    let got = added(&input, INVALID_ROUND);
    assert_eq!(
        (got[0]["counters"].as_str(), codes(&got[0])[0]),
        (Some("files_changed"), "file_removed")
    );
    let input = changed(|all| {
        all[1]["files"].as_array_mut().unwrap().pop();
    });
    let got = added(&input, INVALID_ROUND);
    assert_eq!(
        (got[0]["counters"].as_str(), codes(&got[0])[0]),
        (Some("files_changed"), "file_added")
    );
    assert_no_counted_figure(&got[0]);
}

#[test]
fn counters_that_could_not_be_read_are_null_with_the_grant_and_the_time_stays() {
    let input = changed(|all| {
        for at in [1, 3] {
            all[at]["files"] = Value::Null;
            all[at]["unavailable"] = json!([{"field": "files", "reason": "permission denied",
                "sql_error": 300, "remedy": "GRANT VIEW SERVER STATE TO [me]"}]);
        }
    });
    let got = added(&input, SUCCESS);
    assert_eq!(got[0]["counters"], "unavailable");
    assert!(
        got[0]["reasons"][0]["detail"]
            .as_str()
            .unwrap()
            .contains("GRANT VIEW SERVER STATE")
    );
    assert_no_counted_figure(&got[0]);
    assert!(got[0]["elapsed_ms"].as_f64().unwrap() > 0.0);

    let input = changed(|all| all[3]["server_start_time"] = Value::Null);
    let got = added(&input, SUCCESS);
    assert_eq!(got[0]["counters"], "unproven");
    assert_no_counted_figure(&got[0]);
}

#[test]
fn no_quotient_has_a_divisor_of_zero_and_no_sum_overflows() {
    let input = changed(|all| {
        all[2]["transactions"] = json!(0);
        all[3]["files"][1]["writes"] = all[1]["files"][1]["writes"].clone();
    });
    let got = added(&input, SUCCESS);
    assert_eq!(got[0]["log_writes"], 0);
    for field in [
        "log_bytes_per_transaction",
        "transactions_per_log_write",
        "log_write_stall_mean_ms",
    ] {
        assert_eq!(got[0][field], Value::Null, "{field}");
    }
    let input = changed(|all| {
        all[1]["files"][1]["bytes_written"] = json!(-5);
        all[3]["files"][1]["bytes_written"] = json!(i64::MAX);
    });
    let got = added(&input, SUCCESS);
    assert_eq!(
        (&got[0]["log_bytes_written"], codes(&got[0])),
        (&Value::Null, vec!["overflow"])
    );
}
