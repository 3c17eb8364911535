//! `summarize --format csv` read back by programs that others wrote: polars, `DuckDB` and
//! `LibreOffice` find the types by themselves, and every value is that of the records.

mod expected;

use expected::expected;
use integration_tests::{checkout, program, run_with_input};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A CSV's options, and what its readers are told.
struct Dialect {
    options: &'static [&'static str],
    separator: &'static str,
    decimal: &'static str,
}

const DIALECTS: [Dialect; 3] = [
    Dialect {
        options: &[],
        separator: ",",
        decimal: ".",
    },
    Dialect {
        options: &["--csv-bom", "--csv-decimal", "comma"],
        separator: ";",
        decimal: ",",
    },
    Dialect {
        options: &["--csv-separator", "tab", "--csv-bom"],
        separator: "\t",
        decimal: ".",
    },
];

const TABLES: [&str; 9] = [
    "rounds",
    "variants",
    "comparison",
    "published",
    "file-averages",
    "file-totals",
    "file-passes",
    "speed",
    "latency",
];

/// A latency distribution of 499 requests of 100 us (`HdrHistogram` V2, base64).
const DISTRIBUTION: &str = "HISTEwAAAAQAAAAAAAAAAwAAAAAAAAABAAAAANaTpAA/8AAAAAAAAMcB5gc=";

/// A variant whose name tries to be a formula, ends a cell, a row and a quote, and is not ASCII.
const HOSTILE: &str = "=HYPERLINK(\"http://x\";\"ä,b\")\n\tcmd|'/C calc'!A0 ½";

/// Rounds of one experiment, the variants in turn, each made of a recorded round, changed.
fn rounds_of(
    experiment: &str,
    variants: &[&str],
    count: usize,
    change: impl Fn(&mut Value, usize),
) -> String {
    let path = checkout().join("fixtures/streams/twelve-rounds-noisy.jsonl");
    let text = std::fs::read_to_string(path).expect("a recorded stream");
    let models: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .filter(|record: &Value| record["kind"] == "round")
        .collect();
    let mut stream = String::new();
    for place in 0..count {
        let mut round = models[place % models.len()].clone();
        round["trial"] = json!({
            "experiment": experiment,
            "variant": variants[place % variants.len()],
            "round": place + 1,
            "block": place / variants.len() + 1,
            "slot": place % variants.len() + 1,
            "id": format!("{experiment}-{place}"),
        });
        round["started"] = json!(format!("2025-03-01T09:{place:02}:00.25Z"));
        round["ended"] = json!(format!("2025-03-01T09:{place:02}:30.12Z"));
        change(&mut round, place);
        stream += &round.to_string();
        stream.push('\n');
    }
    stream
}

/// A stream in which every column has a value somewhere and is empty somewhere.
fn everything() -> String {
    let pass = |name: &str, place: usize| {
        json!({
            "file_id": 1, "kind": if name.contains("log") { "log" } else { "rows" },
            "logical_name": name, "physical_name": format!("D:\\data; {name}.mdf"),
            "bytes_written": 1_048_576 + place, "writes": 16 + place,
            "write_stall_ms": 90, "write_stall_mean_ms": 5.625,
            "bytes_read": 0, "size_bytes": 83_886_080_u64, "growth_bytes": place * 65_536,
        })
    };
    let file = |kind: &str, size: usize| {
        json!({
            "file_id": 1, "kind": kind, "logical_name": "f", "physical_name": "f",
            "size_bytes": size, "growth_bytes": 64, "growth_percent": null, "max_size_bytes": null,
        })
    };
    let mut stream = rounds_of("write-speed", &["SSD", HOSTILE], 46, |round, place| {
        round["files"] = json!([pass("-data", place), pass("@log", place)]);
        round["elapsed_ms"] = json!(1234.5 + f64::from(u32::try_from(place).expect("few")) / 7.0);
        if place == 3 {
            round["validity"] = json!("invalid");
            round["reasons"] = json!([
                {"code": "deadlock", "detail": "a"}, {"code": "=1+1", "detail": "b"}]);
        }
        if place == 4 {
            round["elapsed_ms"] = Value::Null;
        }
        round["conditions"] = json!({
            "read_committed_snapshot": true, "accelerated_database_recovery": false,
            "compatibility_level": 160, "target_recovery_time_s": 60, "vlf_count": 8,
            "instant_file_initialization": place % 2 == 0, "global_trace_flags": [3979, 1800],
            "availability_group": false, "server_cpus": 4,
            "server_memory_bytes": 9_007_199_254_740_992_u64 / 8,
            "max_server_memory_bytes": 2_147_483_648_u64,
            "files": [file("rows", 1000), file("rows", 24), file("log", 500)],
            "others": {"sessions": 3, "cpu_ms": 17, "other_databases_bytes": 8192},
        });
    });
    stream += &rounds_of("recovery-model", &["FULL", "SIMPLE"], 6, |round, place| {
        // Far too small and far too large, all the digits of a double, and a number below 0.
        round["client_cpu_share"] = json!(match place {
            0 => 3e-300,
            1 => 1.25e300,
            _ => 0.1 + 0.2,
        });
        round["data_growth_bytes"] = json!(-8192);
        round["latency_max_us"] = json!(if place == 1 {
            9_007_199_254_740_993_u64
        } else {
            12
        });
        round["elapsed_with_flush_ms"] = json!(1e15 / 7.0);
        round["flush_ms"] = json!(0);
        round["latency_histogram"] = json!(DISTRIBUTION);
    });
    stream += &rounds_of("restore-time", &["4 GB", "9 GB"], 4, |round, place| {
        round["restore"] = json!({
            "data_file_bytes": (place + 1) * 1_073_741_824, "log_file_bytes": 1_073_741_824,
            "backup_bytes": 5_000_000, "backup_compressed_bytes": 1_000_000, "backup_ms": 12.5,
            "create_ms": 100.25, "zero_data_ms": 900.0, "copy_ms": 300.0, "zero_log_ms": 50.0,
            "recover_ms": 20.0, "phases_from": "trace", "instant_file_initialization": false,
        });
    });
    stream
        + &rounds_of("crash-loss", &["full", "delayed"], 4, |round, place| {
            round["loss"] = json!({
                "promised_durable": place % 2 == 0, "acknowledged": 1000, "present": 1000 - place,
                "missing": place, "missing_ms": 1.5, "unacknowledged_present": 1, "gaps": 0,
            });
        })
}

/// Figures of somebody else, their source a formula.
fn publication(folder: &Path) -> PathBuf {
    let path = folder.join("published.json");
    let text = json!({
        "experiment": "recovery-model", "source": "+cmd, 2020",
        "figures": [
            {"variant": "FULL", "metric": "elapsed_ms", "low": 11000.5, "high": 100_000},
            {"variant": "FULL", "metric": "log_reuse_wait", "text": "=LOG_BACKUP"}],
    });
    std::fs::write(&path, text.to_string()).expect("written");
    path
}

fn summarized(table: &str, format: &[&str], publication: &Path) -> String {
    let mut command = program("summarize");
    command.args(["--table", table, "--format"]).args(format);
    for metric in ["elapsed_ms", "log_bytes_written", "client_cpu_share"] {
        command.args(["--metric", metric]);
    }
    command.arg("--published").arg(publication);
    run_with_input(&mut command, &everything()).success().stdout
}

/// Whether a reader found what the record says; numbers to the 15 digits that spreadsheets keep,
/// a cell of several lines has no tab in `LibreOffice`, and in German `true` is a word to it.
fn same(reader: &str, dialect: &Dialect, got: &Value, expected: &Value) -> bool {
    if expected.is_boolean() && reader == "libreoffice" && dialect.decimal == "," {
        return got.as_str()
            == Some(if *expected == json!(true) {
                "true"
            } else {
                "false"
            });
    }
    if let (Some(got), Some(expected), "libreoffice") = (got.as_str(), expected.as_str(), reader) {
        return got == expected.replace("\n\t", "\n");
    }
    match (got.as_f64(), expected.as_f64()) {
        (Some(got), Some(expected)) => (got - expected).abs() <= 1e-14 * expected.abs(),
        _ => got == expected,
    }
}

/// What a reader makes of the tables in one dialect: a head and rows for each.
fn read_back(reader: &str, python: &Path, dialect: &Dialect, paths: &[PathBuf]) -> Vec<Value> {
    let script = checkout().join("tests/tests/clients/spreadsheets.py");
    let output = Command::new(python)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .arg(script)
        .args([reader, dialect.separator, dialect.decimal])
        .args(paths)
        .stdin(Stdio::null())
        .output()
        .expect("python starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{reader}: {errors}");
    String::from_utf8(output.stdout)
        .expect("UTF-8")
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

fn every_value_comes_back(reader: &str, python: &Path) {
    let folder = tempfile::tempdir().expect("a folder");
    let publication = publication(folder.path());
    for dialect in &DIALECTS {
        let mut paths = Vec::new();
        for table in TABLES {
            let options: Vec<&str> = ["csv"].iter().chain(dialect.options).copied().collect();
            let path = folder.path().join(format!("{table}.csv"));
            std::fs::write(&path, summarized(table, &options, &publication)).expect("written");
            paths.push(path);
        }
        let read = read_back(reader, python, dialect, &paths);
        assert_eq!(read.len(), TABLES.len());
        for (table, found) in TABLES.into_iter().zip(read) {
            let head: Vec<String> = serde_json::from_value(found["head"].clone()).expect("a head");
            let records: Vec<Value> = summarized(table, &["jsonl"], &publication)
                .lines()
                .map(|line| serde_json::from_str(line).expect("JSON"))
                .collect();
            let expected = expected(table, &head, &records);
            let rows = found["rows"].as_array().expect("rows");
            assert_eq!(rows.len(), expected.len(), "{reader}, {table}");
            assert!(!rows.is_empty(), "{table}");
            for (place, (row, expected)) in rows.iter().zip(&expected).enumerate() {
                let row = row.as_array().expect("cells");
                assert_eq!(row.len(), head.len(), "{reader}, {table}, row {place}");
                for ((got, expected), column) in row.iter().zip(expected).zip(&head) {
                    assert!(
                        same(reader, dialect, got, expected),
                        "{reader}, {table} {:?}, row {place}, {column}: {got} is not {expected}",
                        dialect.options
                    );
                }
            }
        }
    }
}

/// The Python that `make setup` made, with its polars and `DuckDB`; CI accepts no skip.
fn judges() -> Option<PathBuf> {
    let folder = std::env::var_os("WRITELOG_JUDGES").map(PathBuf::from);
    let found = folder.filter(|folder| folder.join("wanted-tables").exists());
    if found.is_none() {
        eprintln!("skipped: polars and DuckDB are not there (make setup fetches them)");
    }
    found.map(|folder| folder.join("bin/python"))
}

#[test]
fn polars_finds_every_value_and_type_of_every_table() {
    if let Some(python) = judges() {
        every_value_comes_back("polars", &python);
    }
}

#[test]
fn duckdb_finds_every_value_and_type_of_every_table() {
    if let Some(python) = judges() {
        every_value_comes_back("duckdb", &python);
    }
}

#[test]
fn libreoffice_finds_every_value_and_type_of_every_table() {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let there = |name: &str| std::env::split_paths(&path).any(|dir| dir.join(name).is_file());
    if there("soffice") && there("python3") {
        every_value_comes_back("libreoffice", Path::new("python3"));
    } else {
        eprintln!("skipped: there is no soffice or no python3");
    }
}
