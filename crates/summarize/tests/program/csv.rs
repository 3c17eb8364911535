//! CSV for spreadsheets.

use super::{USAGE, changed, fixture, records, summarize};
use serde_json::json;

#[test]
fn csv_is_rectangular_and_its_numbers_and_times_are_bare() {
    let input = fixture("twelve-rounds-faster.jsonl");
    for table in ["rounds", "variants", "comparison"] {
        let ran = summarize(&input, &["--format", "csv", "--table", table]);
        assert!(ran.out.ends_with("\r\n"));
        let mut reader = csv::Reader::from_reader(ran.out.as_bytes());
        let head = reader.headers().unwrap().clone();
        let mut names: Vec<&str> = head.iter().collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), head.len(), "a name is there twice");
        let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        assert_eq!(rows.len(), if table == "rounds" { 12 } else { rows.len() });
        if table == "rounds" {
            let cell = |name: &str| &rows[0][head.iter().position(|head| head == name).unwrap()];
            let first = &records(&input)[0];
            assert_eq!(cell("started_utc"), "2025-03-01 09:00:02.000");
            assert_eq!(
                cell("log_bytes_written"),
                first["log_bytes_written"].to_string()
            );
            assert_eq!(cell("server"), "labdb");
        }
    }
    let ran = summarize(
        &input,
        &[
            "--format", "csv", "--table", "rounds", "--table", "variants",
        ],
    );
    assert_eq!(ran.status, USAGE);
}

#[test]
fn no_text_can_run_as_a_formula_or_break_a_table() {
    let input = changed(|place, round| {
        if place % 4 == 1 || place % 4 == 2 {
            round["trial"]["variant"] = json!("=HYPERLINK(\"x\"),|a\u{1b}[31m");
        }
    });
    let ran = summarize(&input, &["--format", "csv"]);
    let mut reader = csv::Reader::from_reader(ran.out.as_bytes());
    let row = reader.records().nth(1).unwrap().unwrap();
    assert_eq!(&row[3], "'=HYPERLINK(\"x\"),|a\u{1b}[31m");
    let ran = summarize(&input, &["--format", "md", "--table", "rounds"]);
    let bars = |line: &str| line.replace("\\|", "").matches('|').count();
    let lines: Vec<&str> = ran
        .out
        .lines()
        .filter(|line| line.starts_with('|'))
        .collect();
    assert_eq!(lines.len(), 14);
    assert!(
        lines.iter().all(|line| bars(line) == bars(lines[0])),
        "{}",
        ran.out
    );
    let ran = summarize(&input, &[]);
    assert!(!ran.out.contains('\u{1b}'));
}
