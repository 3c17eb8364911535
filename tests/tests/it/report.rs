//! `report`: its page in a real browser, its numbers beside `summarize`'s, its charts as files.

use integration_tests::{Outcome, checkout, program, run, run_with_input};
use records::{ComparisonMethod, Record};
use serde_json::{Value, json};
use std::io::Write;
use std::process::{Command, Stdio};

const HOSTILE: &str = "<script>alert(1)</script> \"&'";

/// The rounds of a recorded stream.
fn recorded(name: &str) -> Vec<Value> {
    let path = checkout().join("fixtures/streams").join(name);
    let text = std::fs::read_to_string(&path).expect("a recorded stream");
    text.lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .filter(|record: &Value| record["kind"] == "round")
        .collect()
}

/// Rounds of one experiment, each made of a recorded one, changed; the variants take turns.
fn rounds_of(
    experiment: &str,
    variants: &[&str],
    count: usize,
    change: impl Fn(&mut Value, u32),
) -> String {
    let models = recorded("twelve-rounds-noisy.jsonl");
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
        let started = format!("2025-03-01T{:02}:{:02}:00Z", 9 + place / 60, place % 60);
        round["started"] = json!(started);
        round["ended"] = json!(started.replace(":00Z", ":30Z"));
        change(&mut round, u32::try_from(place).expect("few rounds"));
        stream.push_str(&round.to_string());
        stream.push('\n');
    }
    stream
}

/// One file of a round.
fn file(name: &str, stall: f64) -> Value {
    json!({
        "file_id": if name == "log" { 2 } else { 1 },
        "kind": if name == "log" { "log" } else { "rows" },
        "logical_name": name,
        "physical_name": format!("/var/opt/mssql/data/{name}"),
        "bytes_written": 1_048_576,
        "writes": 16,
        "write_stall_ms": 90,
        "write_stall_mean_ms": stall,
        "bytes_read": 0,
        "size_bytes": 83_886_080_u64,
        "growth_bytes": 0,
    })
}

/// A stream with something for every chart but latency: four experiments.
fn everything() -> String {
    let mut stream = rounds_of("recovery-model", &["FULL", HOSTILE], 12, |round, place| {
        round["session_waits"] = json!([
            {"wait_type": "WRITELOG", "waiting_tasks": 9, "wait_ms": 900 + place, "signal_wait_ms": 1},
            {"wait_type": "LCK_M_IX", "waiting_tasks": 9, "wait_ms": 400, "signal_wait_ms": 1},
        ]);
    });
    stream += &rounds_of("write-speed", &["SSD", "NVMe"], 8, |round, place| {
        round["files"] = json!([file("data", 7.0 + f64::from(place)), file("log", 0.5)]);
    });
    let restored = ["4 GB, a longer name than fits a phone", "9 GB", "14 GB"];
    stream += &rounds_of("restore-time", &restored, 6, |round, place| {
        round["restore"] = json!({
            "data_file_bytes": (i64::from(place) % 3 + 1) * 5_368_709_120,
            "log_file_bytes": 1_073_741_824,
            "create_ms": 100.0, "zero_data_ms": 900.0, "copy_ms": 300.0, "zero_log_ms": 50.0,
            "recover_ms": 20.0, "instant_file_initialization": false,
        });
    });
    stream
        + &rounds_of("crash-loss", &["full", "delayed"], 6, |round, place| {
            let missing = if place % 2 == 0 { 0 } else { 17 };
            round["loss"] = json!({
                "acknowledged": 1000, "present": 1000 - missing, "missing": missing, "gaps": 0,
            });
        })
}

fn page_of(stream: &str) -> String {
    let outcome = run_with_input(&mut program("report"), stream).success();
    assert_eq!(outcome.stderr, "");
    outcome.stdout
}

/// A program of the system, or nothing and a word about it; CI accepts no skip
/// (`scripts/report-skips`).
fn there(name: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).any(|folder| folder.join(name).is_file());
    if !found {
        eprintln!("skipped: there is no {name}");
    }
    found
}

/// What the page is in a browser; nothing where there is none.
fn browsed(page: &str) -> Option<Value> {
    if !(there("chromium") && there("node")) {
        return None;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("report.html");
    std::fs::write(&path, page).expect("the page is written");
    let script = checkout().join("tests/tests/clients/page.js");
    let mut command = Command::new("node");
    command.arg(script).arg("chromium").arg(&path);
    let outcome = run(command.stdin(Stdio::null()));
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    Some(serde_json::from_str(&outcome.stdout).expect("JSON"))
}

#[test]
fn the_page_needs_no_network_and_no_script_and_fits_a_phone() {
    let page = page_of(&everything());
    let outside = page.replace("http://www.w3.org/2000/svg", "");
    assert!(!outside.contains("http:") && !outside.contains("https:"));
    assert!(!page.contains("<script") && !page.contains("@import"));
    let Some(found) = browsed(&page) else { return };
    assert_eq!(found["requests"], json!([]));
    assert_eq!(found["scripts"], 0);
    for state in ["phone", "phone_open"] {
        let phone = &found[state];
        assert_eq!(phone["page_width"], 360, "{state}");
        assert_eq!(phone["over"], json!([]), "{state}");
        assert_eq!(phone["cut"], json!([]), "{state}");
        assert!(
            phone["smallest_text"].as_f64() >= Some(12.0),
            "{state}: {phone}"
        );
    }
    assert_eq!(found["desk"]["cut"], json!([]));
    // Two drawings a chart, of which one is shown; each has a title and a description.
    let (all, shown) = (&found["phone"]["charts"], &found["phone"]["charts_shown"]);
    assert!(shown.as_u64() >= Some(16), "{shown}");
    assert_eq!(all.as_u64(), shown.as_u64().map(|shown| 2 * shown));
    assert_eq!(found["phone"]["unnamed"], 0);
}

#[test]
fn the_page_follows_light_and_dark() {
    let Some(found) = browsed(&page_of(&everything())) else {
        return;
    };
    // The paper and the text of a chart: near to white and to black, and the other way round.
    let brightness = |scheme: &str, place: usize| -> u32 {
        let colour = found[scheme][place].as_str().expect("a colour");
        let channels = colour.trim_start_matches("rgb(").trim_end_matches(')');
        channels
            .split(", ")
            .map(|channel| channel.parse::<u32>().expect("a number"))
            .sum()
    };
    assert!(brightness("light", 0) > 700 && brightness("light", 1) < 200);
    assert!(brightness("dark", 0) < 200 && brightness("dark", 1) > 600);
}

#[test]
fn a_hostile_name_of_a_variant_is_text() {
    let page = page_of(&everything());
    assert!(!page.contains("<script>"));
    let Some(found) = browsed(&page) else { return };
    assert_eq!(found["dialogs"], json!([]));
    let text = found["text"].as_str().expect("the page's text");
    assert!(text.contains(HOSTILE), "{text}");
}

#[test]
fn labdb_is_named_over_the_page_and_in_every_chart() {
    let page = page_of(&everything());
    let charts = page.matches("role=\"img\"").count();
    let named = page
        .matches("labdb 0.1.0, which is not SQL Server\n</text>")
        .count();
    assert!(charts > 30 && named == charts, "{named} of {charts}");
    assert!(page.contains("labdb is not SQL Server"), "the note");
}

/// The rows of the table of this title, of which there is one.
fn table(found: &Value, title: &str) -> Vec<Vec<String>> {
    let tables = found["tables"].as_array().expect("tables");
    let of_title = |table: &&Value| {
        let text = table["title"].as_str().unwrap_or_default();
        text == title || text.starts_with(&format!("{title} ("))
    };
    let found: Vec<&Value> = tables.iter().filter(of_title).collect();
    assert_eq!(found.len(), 1, "{title}");
    serde_json::from_value(found[0]["rows"].clone()).expect("rows of texts")
}

#[test]
fn the_numbers_are_those_of_summarize() {
    for name in [
        "twelve-rounds-faster",
        "twelve-rounds-noisy",
        "twelve-rounds-slower",
    ] {
        let lines: Vec<String> = recorded(&format!("{name}.jsonl"))
            .iter()
            .map(ToString::to_string)
            .collect();
        let stream = lines.join("\n");
        let Some(found) = browsed(&page_of(&stream)) else {
            return;
        };
        let mut summarize = program("summarize");
        let summarize = summarize.args(["--format", "jsonl"]);
        let records = run_with_input(summarize, &stream).success().records();
        let comparisons = table(&found, "Comparison");
        let mut seen = 0;
        for record in &records {
            match record {
                Record::Comparison(comparison) => {
                    let row = &comparisons[seen];
                    let shown = |value: Option<f64>| format!("{:.3}", value.expect("a ratio"));
                    assert_eq!(comparison.method, ComparisonMethod::Paired);
                    assert_eq!(row[1], comparison.variant);
                    assert_eq!(row[2], shown(comparison.ratio));
                    assert_eq!(row[3], shown(comparison.ratio_low));
                    assert_eq!(row[4], shown(comparison.ratio_high));
                    assert_eq!(row[5], comparison.pairs.to_string());
                    seen += 1;
                }
                Record::VariantSummary(summary) if summary.metric == "elapsed_ms" => {
                    let rows = table(&found, "elapsed time, s");
                    let row = rows.iter().find(|row| row[0] == summary.variant);
                    let row = row.expect("the variant's row");
                    assert_eq!(row[1], summary.n.to_string());
                    let figures = [summary.min, summary.q1, summary.median, summary.q3];
                    for (cell, figure) in row[2..6].iter().zip(figures) {
                        let (cell, figure) = (cell.parse::<f64>(), figure.expect("a figure"));
                        let off = cell.expect("a number") - figure / 1000.0;
                        assert!(off.abs() <= 0.000_51, "{off}");
                    }
                }
                _ => {}
            }
        }
        assert_eq!((seen, comparisons.len()), (3, 3));
    }
}

#[test]
fn a_page_of_a_hundred_rounds_stays_small() {
    let page = page_of(&rounds_of(
        "recovery-model",
        &["FULL", "SIMPLE"],
        100,
        |_, _| {},
    ));
    assert!(page.len() < 1_000_000, "{} bytes", page.len());
    assert!(page.contains("n = 100 rounds"));
}

#[test]
fn every_chart_is_a_file_of_its_own_too_and_a_chart_without_data_is_left_out() {
    let python = there("python3");
    let svg = |name: &str, experiment: &str| -> Outcome {
        let mut command = program("report");
        command.args(["--svg", name, "--experiment", experiment]);
        run_with_input(&mut command, &everything())
    };
    for (name, experiment) in [
        ("rounds", "recovery-model"),
        ("pairs", "recovery-model"),
        ("intervals", "recovery-model"),
        ("log-written", "recovery-model"),
        ("log-writes", "recovery-model"),
        ("commits-per-write", "recovery-model"),
        ("waits", "recovery-model"),
        ("file-written", "write-speed"),
        ("file-stall", "write-speed"),
        ("restore", "restore-time"),
        ("restore-size", "restore-time"),
        ("losses", "crash-loss"),
    ] {
        let text = svg(name, experiment).success().stdout;
        assert!(text.starts_with("<svg xmlns="), "{name}");
        assert!(text.contains("which is not SQL Server"), "{name}");
        if python {
            assert!(parses(&text), "{name}");
        }
    }
    let missing = svg("losses", "recovery-model");
    assert_eq!((missing.code, missing.stdout.as_str()), (Some(3), ""));
    assert!(
        missing.stderr.contains("nothing to draw"),
        "{}",
        missing.stderr
    );
    assert!(!page_of(&rounds_of("x", &["A", "B"], 4, |_, _| {})).contains("gone"));
    let mut several = program("report");
    let several = run_with_input(several.args(["--svg", "rounds"]), &everything());
    assert_eq!(several.code, Some(2));
    assert!(several.stderr.contains("crash-loss"), "{}", several.stderr);
}

/// Whether Python's XML parser takes it.
fn parses(text: &str) -> bool {
    let mut child = Command::new("python3")
        .args([
            "-c",
            "import sys, xml.dom.minidom as m; m.parse(sys.stdin.buffer)",
        ])
        .stdin(Stdio::piped())
        .spawn()
        .expect("python3 starts");
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all(text.as_bytes()).expect("the text is taken");
    drop(input);
    child.wait().expect("python3 ends").success()
}

#[test]
fn without_a_round_there_is_no_page() {
    let outcome = run_with_input(&mut program("report"), "");
    assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(3), ""));
    assert!(outcome.stderr.starts_with("report: "), "{}", outcome.stderr);
    let unknown = run_with_input(program("report").args(["--svg", "cake"]), "");
    assert_eq!(unknown.code, Some(2));
}

#[test]
fn a_ranking_stands_for_itself_and_not_under_the_word_of_a_missing_comparison() {
    let mut rounds = String::new();
    for (place, mut round) in recorded("twelve-rounds-noisy.jsonl")
        .into_iter()
        .enumerate()
    {
        round["trial"]["variant"] = ["full", "delayed", "batched"][place % 3].into();
        round["trial"]["block"] = (place / 3 + 1).into();
        round["trial"]["slot"] = (place % 3 + 1).into();
        rounds += &round.to_string();
        rounds.push('\n');
    }
    let page = run_with_input(&mut program("report"), &rounds)
        .success()
        .stdout;
    assert!(page.contains("Ranking by elapsed time"));
    assert!(!page.contains("Nothing to compare"));
}

/// 1,000 requests of 1 to 1,000 us, and 1,000 of 1,001 to 2,000 us, a microsecond apart. Made by a
/// few lines of Python from the published format (`HdrHistogram` V2 in zlib in base64), not by the
/// library that reads them here.
const LATENCIES: [&str; 2] = [
    "HISTFAAAACh42pNpmSzMwMD8kgECmKE0I4i4NnkJg/0HqADTKBgFo2DYAwAKMA1E",
    "HISTFAAAACp42pNpmSzMwMD8igECmKE0I4i4NnkJg/0HiMBFfqZRMApGwbAHAHyjDiQ=",
];

#[test]
fn latencies_of_all_rounds_are_added_up_on_the_page_and_one_that_is_broken_is_named() {
    let rounds = rounds_of("recovery-model", &["FULL", "SIMPLE"], 4, |round, place| {
        // FULL has one of each; the second of SIMPLE is broken.
        round["latency_histogram"] = match place {
            0 | 1 => LATENCIES[0].into(),
            2 => LATENCIES[1].into(),
            _ => "broken".into(),
        };
    });
    let page = page_of(&rounds);
    assert!(page.contains("the latency distribution of run 4 cannot be read"));
    let Some(found) = browsed(&page) else { return };
    let rows = table(&found, "Latency of a request, ms");
    let row = |variant: &str| {
        let row = rows.iter().find(|row| row[0] == variant);
        row.expect("the variant's row").clone()
    };
    // The 99th of 2,000 is 1,980 us; the mean of the rounds' own, 990 and 1,980, would be 1,485.
    assert_eq!(
        row("FULL")[1..],
        ["2", "2000", "1.000", "1.800", "1.980", "1.998", "2.000"]
    );
    assert_eq!(row("SIMPLE")[1..3], ["1", "1000"]);
}

#[test]
fn three_variants_that_were_told_apart_have_their_order_on_the_page() {
    let times = [1_000, 2_000, 4_000];
    let rounds = rounds_of("x", &["slow", "quick", "middle"], 27, |round, place| {
        let time = times[[2, 0, 1][place as usize % 3]];
        round["elapsed_ms"] = (time + place).into();
    });
    let Some(found) = browsed(&page_of(&rounds)) else {
        return;
    };
    let rows = table(&found, "Ranking by elapsed time");
    let order: Vec<(&str, &str)> = rows.iter().map(|row| (&*row[0], &*row[1])).collect();
    assert_eq!(order, [("1", "quick"), ("2", "middle"), ("3", "slow")]);
    let medians = table(&found, "Medians with their intervals");
    let quick = medians.iter().find(|row| row[1] == "quick");
    // Nine rounds of 1,001 to 1,025 ms, three apart: the second and the eighth bound the median.
    assert_eq!(
        quick.expect("its row")[2..],
        ["9", "1.013", "1.004", "1.022", "96.1 %"]
    );
}
