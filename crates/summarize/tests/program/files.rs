//! The tables of files.

use super::{changed, fixture, records, summarize};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const KINDS: [&str; 2] = ["/lab/lab.mdf", "/lab/lab_log.ldf"];

/// Bytes, writes, stall, elapsed time and passes.
type Sum = (i64, i64, i64, f64, i64);

/// Each variant's files by their paths, added up here.
fn sums(stream: &str) -> BTreeMap<(String, String), Sum> {
    let mut sums = BTreeMap::new();
    for round in records(stream) {
        for (name, file) in KINDS.iter().zip(round["files"].as_array().unwrap()) {
            assert_eq!(file["physical_name"], *name);
            let variant = round["trial"]["variant"].as_str().unwrap().to_owned();
            let sum = sums
                .entry((variant, (*name).to_owned()))
                .or_insert((0, 0, 0, 0.0, 0));
            let value = |field: &str| file[field].as_i64().unwrap();
            sum.0 += value("bytes_written");
            sum.1 += value("writes");
            sum.2 += value("write_stall_ms");
            sum.3 += round["elapsed_ms"].as_f64().unwrap();
            sum.4 += 1;
        }
    }
    sums
}

fn near(got: &Value, expected: f64) {
    let got = got.as_f64().unwrap();
    assert!(
        (got - expected).abs() <= 1e-9 * expected.abs(),
        "{got} {expected}"
    );
}

#[test]
#[expect(clippy::cast_precision_loss, reason = "small numbers")]
fn totals_and_averages_are_those_of_all_passes_together() {
    let stream = fixture("twelve-rounds-noisy.jsonl");
    let ran = summarize(&stream, &["--format", "jsonl", "--table", "file-totals"]);
    let files = records(&ran.out);
    let sums = sums(&stream);
    assert_eq!((files.len(), sums.len()), (4, 4));
    for file in &files {
        assert_eq!(file["kind"], "file_summary");
        let text = |field: &str| file[field].as_str().unwrap().to_owned();
        let (bytes, writes, stall, elapsed, n) = sums[&(text("variant"), text("physical_name"))];
        assert_eq!(
            [
                &file["bytes_written"],
                &file["writes"],
                &file["write_stall_ms"],
                &file["n"]
            ],
            [&json!(bytes), &json!(writes), &json!(stall), &json!(n)]
        );
        let (bytes, n) = (bytes as f64, n as f64);
        near(&file["elapsed_ms"], elapsed);
        near(&file["elapsed_mean_ms"], elapsed / n);
        near(&file["bytes_written_mean"], bytes / n);
        near(&file["writes_mean"], writes as f64 / n);
        near(&file["write_stall_mean_ms"], stall as f64 / writes as f64);
        near(&file["bytes_written_per_s"], bytes / (elapsed / 1000.0));
        near(
            &file["elapsed_ms_per_gb"],
            elapsed / (bytes / 1024_f64.powi(3)),
        );
    }
}

/// The noisy rounds as passes of write-speed; the data file of each gets so many bytes, writes and
/// milliseconds of stall.
fn passes(bytes: i64, writes: i64, stall_ms: i64) -> String {
    changed(|_, round| {
        round["trial"]["experiment"] = json!("write-speed");
        round["data_bytes_written"] = json!(bytes);
        let file = &mut round["files"][0];
        file["physical_name"] = json!(r"D:\SQL Data\a_database_with_a_long_name_1.mdf");
        file["bytes_written"] = json!(bytes);
        file["writes"] = json!(writes);
        file["write_stall_ms"] = json!(stall_ms);
        file["write_stall_mean_ms"] = Value::Null;
    })
}

#[test]
fn write_speed_shows_its_files_in_eighty_columns_and_each_table_alone() {
    let stream = passes(20 << 30, 0, 0);
    let ran = summarize(&stream, &[]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    for line in ran.out.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
    for title in [
        "Files: averages",
        "Files: totals",
        "Files: every pass",
        "Write speed",
        "Comparison",
    ] {
        assert!(ran.out.contains(title), "{title}: {}", ran.out);
    }
    assert!(!ran.out.contains("log reuse wait"), "{}", ran.out);
    // 20 GB a pass and 120 GB in six, of which a column of four digits holds nothing.
    assert!(
        ran.out.contains("20480.00") && ran.out.contains("122880.00"),
        "{}",
        ran.out
    );
    for table in ["file-averages", "file-totals", "file-passes", "speed"] {
        for format in ["table", "md", "csv", "jsonl"] {
            let ran = summarize(&stream, &["--table", table, "--format", format]);
            assert_eq!(ran.status, 0, "{table} {format}: {}", ran.err);
            assert!(!ran.out.is_empty(), "{table} {format}");
        }
    }
    let md = summarize(&stream, &["--table", "file-totals", "--format", "md"]).out;
    assert!(md.contains("name\\_1.mdf"), "a name in full: {md}");
}

#[test]
fn a_file_without_a_write_shows_a_dash_and_an_empty_cell() {
    let stream = passes(0, 0, 0);
    let ran = summarize(&stream, &["--table", "file-averages"]);
    let data: Vec<&str> = ran
        .out
        .lines()
        .filter(|line| line.contains(" data "))
        .collect();
    assert_eq!(data.len(), 2, "{}", ran.out);
    for line in data {
        let cells: Vec<&str> = line.split_whitespace().collect();
        let [.., megabytes, _, stall, writes, _] = cells[..] else {
            panic!("{line}")
        };
        assert_eq!((megabytes, stall, writes), ("0.00", "-", "0.0"), "{line}");
    }
    let csv = summarize(&stream, &["--table", "file-totals", "--format", "csv"]).out;
    let head: Vec<&str> = csv.lines().next().unwrap().split(',').collect();
    let mean = head
        .iter()
        .position(|name| *name == "write_stall_mean_ms")
        .unwrap();
    let line = csv
        .lines()
        .nth(1)
        .unwrap()
        .replace("\"127.0.0.1,", "\"127.0.0.1:");
    assert_eq!(line.split(',').nth(mean), Some(""), "{line}");
}

#[test]
fn the_speed_is_the_median_of_passes_with_the_interval_from_the_least_to_the_greatest_of_six() {
    let stream = passes(1 << 30, 4, 1);
    let ran = summarize(&stream, &["--table", "speed", "--format", "jsonl"]);
    for row in records(&ran.out) {
        let mut speeds: Vec<f64> = records(&stream)
            .iter()
            .filter(|round| round["trial"]["variant"] == row["variant"])
            .map(|round| 1024_f64.powi(3) * 1000.0 / round["elapsed_ms"].as_f64().unwrap())
            .collect();
        speeds.sort_by(f64::total_cmp);
        assert_eq!(speeds.len(), 6);
        near(&row["median"], f64::midpoint(speeds[2], speeds[3]));
        near(&row["median_low"], speeds[0]);
        near(&row["median_high"], speeds[5]);
        near(&row["median_confidence"], 1.0 - 2.0 / 64.0);
    }
    let five: Vec<Value> = records(&stream).into_iter().take(10).collect();
    let text = summarize(&super::joined(&five), &["--table", "speed"]).out;
    assert!(text.contains("Fewer than 6 passes"), "{text}");
}
