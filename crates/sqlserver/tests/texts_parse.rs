//! Every T-SQL text, through Microsoft's own grammar (`maxdop`, which is `ScriptDom`).
//!
//! `WRITELOG_JUDGES` is a Python virtual environment with `maxdop` in it; without it the test
//! says SKIPPED.

#![allow(clippy::expect_used, reason = "a test's helper may fail the test")]

use sqlserver::texts;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

fn judge() -> Option<PathBuf> {
    let judges = PathBuf::from(std::env::var_os("WRITELOG_JUDGES")?);
    ["bin/maxdop", "venv/bin/maxdop", "maxdop"]
        .iter()
        .map(|place| judges.join(place))
        .find(|path| path.is_file())
}

fn parses(judge: &PathBuf, year: u16, sql: &str) -> Result<(), String> {
    let mut child = Command::new(judge)
        .args(["--parser-version", &year.to_string()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the judge starts");
    child
        .stdin
        .take()
        .expect("a pipe")
        .write_all(sql.as_bytes())
        .expect("the judge reads");
    let output = child.wait_with_output().expect("the judge ends");
    match output.status.code() {
        Some(0) => Ok(()),
        _ => Err(format!(
            "{}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        )),
    }
}

#[test]
fn every_text_parses_in_every_version_that_it_is_sent_to() {
    let Some(judge) = judge() else {
        println!(
            "SKIPPED: no maxdop in WRITELOG_JUDGES; the T-SQL texts were not shown to a parser"
        );
        return;
    };
    assert!(
        parses(&judge, 2022, "ALTER DATABASE x SET RECOVRY FULL;").is_err(),
        "the judge accepts everything"
    );
    let mut shown = 0;
    for text in texts::all() {
        for year in text.parser_years() {
            if let Err(why) = parses(&judge, year, &text.sql) {
                panic!("{} in {year}: {why}\n{}", text.name, text.sql);
            }
            shown += 1;
        }
    }
    assert!(shown >= 5 * 25, "{shown}");
}
