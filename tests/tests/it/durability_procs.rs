//! The A/B of two procedures.

use crate::delayed_durability::rounds;
use integration_tests::{Labdb, checkout, query_text, run};
use std::process::Command;

#[test]
fn two_procedures_alternate_and_end_with_their_ratio() {
    let server = Labdb::start();
    let folder = tempfile::tempdir().expect("a folder");
    let results = folder.path().join("results");
    let mut command = Command::new(checkout().join("scripts/durability-procs"));
    command
        .envs(server.environment_all())
        .env("RESULTS", &results)
        .envs([("KEEP", "1"), ("NO_COLOR", "1"), ("COLUMNS", "80")])
        .envs([("DATA_SIZE", "16MB"), ("LOG_SIZE", "16MB")])
        .envs([("PAIRS", "2"), ("ORDER", "ABBA"), ("ROWS", "300")]);
    let outcome = run(&mut command).success();

    let variants: Vec<String> = rounds(&results)
        .iter()
        .map(|round| {
            round
                .header
                .trial
                .as_ref()
                .expect("a trial")
                .variant
                .clone()
        })
        .collect();
    assert_eq!(variants, ["full", "delayed", "delayed", "full"]);
    for round in rounds(&results) {
        let durable = round.header.trial.expect("a trial").variant == "full";
        let writes = round.log_writes.expect("log writes");
        assert_eq!(round.transactions, Some(300));
        assert_eq!(writes >= 300, durable, "{writes} log writes");
    }

    // The table's shape and what the last procedure put into it, by other means.
    let shape = "SELECT CAST(CONCAT(COL_LENGTH(N'dbo.counters', N'line'), ' ', COUNT(*), ' ', \
                 COUNT(DISTINCT line), ' ', MAX(CAST(line AS int))) AS nvarchar(60)) \
                 FROM dbo.counters";
    let database = "writelog_durability_procs";
    assert_eq!(query_text(&server, database, shape), "256 300 300 300");
    let setting = "SELECT CAST(delayed_durability_desc AS nvarchar(60)) FROM sys.databases \
                   WHERE name = N'writelog_durability_procs'";
    assert_eq!(query_text(&server, "master", setting), "DISABLED");

    for line in outcome.stdout.lines() {
        assert!(line.chars().count() <= 80, "wider than 80 columns: {line}");
    }
    // The sentence may be broken anywhere.
    let words: Vec<&str> = outcome.stdout.split_whitespace().collect();
    let text = words.join(" ");
    assert!(text.contains("times as long as full"), "{}", outcome.stdout);
}
