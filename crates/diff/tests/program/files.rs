//! What a round says of each file.

use super::{SUCCESS, added, changed};
use serde_json::{Value, json};

#[test]
fn a_file_that_was_not_written_has_zeros_and_no_mean() {
    let input = changed(|all| {
        for field in ["writes", "bytes_written", "write_stall_ms"] {
            all[3]["files"][0][field] = all[1]["files"][0][field].clone();
        }
    });
    let got = added(&input, SUCCESS).remove(0);
    let file = &got["files"][0];
    assert_eq!(file["physical_name"], "/lab/lab.mdf");
    for field in ["writes", "bytes_written", "write_stall_ms", "growth_bytes"] {
        assert_eq!(file[field], 0, "{field}");
    }
    assert_eq!(file["write_stall_mean_ms"], Value::Null);
    // The log has its own.
    assert!(got["files"][1]["writes"].as_i64().unwrap() > 0);
}

#[test]
fn bytes_beyond_ten_gigabytes_and_a_mean_below_a_millisecond_are_exact() {
    let bytes = 25_000_000_000_123_i64;
    let input = changed(|all| {
        let before = all[1]["files"][1].clone();
        let plus = |field: &str, by: i64| json!(before[field].as_i64().unwrap() + by);
        let after = &mut all[3]["files"][1];
        after["bytes_written"] = plus("bytes_written", bytes);
        after["writes"] = plus("writes", 8);
        after["write_stall_ms"] = plus("write_stall_ms", 3);
        after["size_bytes"] = plus("size_bytes", 1 << 20);
        after["bytes_read"] = plus("bytes_read", 4096);
    });
    let got = added(&input, SUCCESS).remove(0);
    let log = &got["files"][1];
    assert_eq!(log["bytes_written"], bytes);
    assert_eq!(log["write_stall_mean_ms"], 0.375);
    assert_eq!(
        (&log["growth_bytes"], &log["bytes_read"]),
        (&json!(1 << 20), &json!(4096))
    );
    assert_eq!(log["size_bytes"], 536_870_912 + (1 << 20));
    assert_eq!(got["log_bytes_written"], bytes);
}
