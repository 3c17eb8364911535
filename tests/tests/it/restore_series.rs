//! The experiment restore-time as a user runs it.

use super::restore_time::{state, trace_flags};
use integration_tests::{Labdb, LabdbOptions, Outcome, checkout, run};
use records::{Record, RestoreFigures, Round};
use std::io::Read as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

fn experiment(results: &Path, variables: &[(&str, &str)]) -> Outcome {
    let mut command = Command::new(checkout().join("scripts/with-labdb"));
    command
        .arg(checkout().join("scripts/restore-time"))
        .env("RESULTS", results)
        .env("NO_COLOR", "1")
        .env("COLUMNS", "80")
        .envs([("DATA_SIZES", "16 8 24"), ("LOG_SIZES", "8 16 24")])
        .envs([("ROWS", "3000"), ("STEPS", "16"), ("REPEATS", "1")])
        .envs([
            ("GROWTH", "8"),
            ("OPEN_ROWS", "2000"),
            ("PAIRS", "1"),
            ("PAUSE", "0"),
        ])
        .envs(variables.iter().copied());
    run(&mut command)
}

fn rounds(results: &Path) -> Vec<Round> {
    let stream = std::fs::read_to_string(results.join("stream.jsonl")).expect("the stream");
    let records = stream
        .lines()
        .map(|line| serde_json::from_str(line).expect("a record"));
    records
        .filter_map(|record| match record {
            Record::Round(round) => Some(*round),
            _ => None,
        })
        .collect()
}

#[test]
fn the_experiment_restores_every_size_and_ends_with_tables_and_lines() {
    let folder = tempfile::tempdir().expect("a folder");
    let results = folder.path().join("results");
    let outcome = experiment(&results, &[]).success();
    let rounds = rounds(&results);
    let of = |experiment: &str| -> Vec<(String, RestoreFigures)> {
        let trial = |round: &Round| round.header.trial.clone().expect("a trial");
        let of_it = rounds.iter().filter(|r| trial(r).experiment == experiment);
        let mut of_it: Vec<_> = of_it
            .map(|round| {
                (
                    trial(round).variant,
                    round.restore.clone().expect("figures"),
                )
            })
            .collect();
        of_it.sort_by(|a, b| a.0.cmp(&b.0));
        of_it
    };
    let data = of("restore-time");
    let names: Vec<&str> = data.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names,
        [
            "16MB",
            "16MB zeroed",
            "24MB",
            "24MB zeroed",
            "8MB",
            "8MB zeroed"
        ]
    );
    for (name, figures) in &data {
        let size: i64 = name
            .split("MB")
            .next()
            .unwrap_or_default()
            .parse()
            .expect("a size");
        assert_eq!(figures.data_file_bytes, Some(size << 20), "{name}");
        assert_eq!(figures.log_file_bytes, Some(8 << 20), "{name}");
        let zeroed = name.ends_with("zeroed");
        assert_eq!(figures.instant_file_initialization, Some(!zeroed), "{name}");
        assert_eq!(figures.zero_data_ms > Some(0.0), zeroed, "{name}");
    }
    // Empty space is not backed up.
    let backups: Vec<i64> = data.iter().filter_map(|(_, f)| f.backup_bytes).collect();
    let (least, most) = (backups.iter().min(), backups.iter().max());
    let (least, most) = (*least.expect("a size"), *most.expect("a size"));
    assert!(
        backups.len() == 6 && most - least < least / 20,
        "{backups:?}"
    );

    let logs: Vec<Option<i64>> = of("restore-time-log")
        .iter()
        .map(|(_, figures)| figures.log_file_bytes.map(|bytes| bytes >> 20))
        .collect();
    assert_eq!(logs, [Some(16), Some(24), Some(8)]);
    let growth = of("restore-time-growth");
    assert_eq!(
        (growth[0].0.as_str(), growth[1].0.as_str()),
        ("16 steps", "at once")
    );
    assert_eq!(growth[0].1.log_file_bytes, growth[1].1.log_file_bytes);
    let [many, few] = [growth[0].1.vlf_count, growth[1].1.vlf_count];
    // 16 growths of a sixteenth of the log or less make 16 virtual log files.
    assert!(many >= few.map(|few| few + 10), "{many:?} {few:?}");

    for line in outcome.stdout.lines() {
        assert!(line.chars().count() <= 80, "wider than 80 columns: {line}");
    }
    let words = outcome.stdout.split_whitespace().collect::<Vec<_>>();
    let words = words.join(" ");
    assert!(words.contains("R²") && words.contains("zero data"));
    for state in ["with", "without"] {
        let line = format!("Against the size of data files {state} instant file initialization:");
        assert!(words.contains(&line), "{words}");
    }
    // What was published in words stands over our rounds of the same kind.
    for line in [
        "zeroed grows with the data file - - - - 8MB",
        "instant about the same - - - - 8MB",
        "larger log grows with the log - - - - 8MB",
        "any size 266.0",
    ] {
        assert!(words.contains(line), "{line}: {words}");
    }
    // What the experiment itself varies is no fault of the series.
    assert!(!words.contains("differ in"), "{words}");
    let csv = std::fs::read_to_string(results.join("rounds.csv")).expect("the CSV");
    assert_eq!(csv.lines().count(), 1 + 6 + 3 + 2, "{csv}");
}

#[test]
fn an_interrupted_series_is_resumed_with_its_finished_rounds_and_leaves_no_copy() {
    let folder = tempfile::tempdir().expect("a folder");
    let results = folder.path().join("results");
    let server = Labdb::start_with(LabdbOptions {
        arguments: vec!["--instant-file-initialization".into(), "on".into()],
        ..LabdbOptions::default()
    });
    let script = |resume: &str| {
        let mut command = Command::new(checkout().join("scripts/restore-time"));
        command
            .envs(server.environment_all())
            .env("RESULTS", &results)
            .env("RESUME", resume)
            .env("NO_COLOR", "1");
        if resume == "0" {
            command
                .envs([
                    ("DATA_SIZES", "8 160"),
                    ("LOG_SIZES", "8"),
                    ("ROWS", "2000"),
                ])
                .envs([("STEPS", "4"), ("GROWTH", "8"), ("OPEN_ROWS", "500")])
                .envs([
                    ("REPEATS", "1"),
                    ("PAIRS", "1"),
                    ("PAUSE", "0"),
                    ("ORDER", "ABAB"),
                ]);
        }
        command
    };
    let mut child = script("0")
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .expect("it starts");
    // In the fourth of the data rounds: the 160 MB that take longest to zero.
    while !(done(&results) >= 3 && state(&server, "writelog_restore_copy") == "RESTORING") {
        assert!(child.try_wait().expect("a state").is_none(), "ended early");
    }
    let group = format!("-{}", child.id());
    Command::new("kill")
        .args(["-s", "INT", "--", &group])
        .status()
        .expect("kill");
    let mut stderr = String::new();
    child
        .stderr
        .take()
        .expect("a pipe")
        .read_to_string(&mut stderr)
        .expect("text");
    assert_eq!(child.wait().expect("an end").code(), Some(130), "{stderr}");
    assert!(stderr.contains("RESUME=1"), "{stderr}");
    assert_eq!(state(&server, "writelog_restore_copy"), "");
    assert_eq!(trace_flags(&server), "0");

    let kept = done(&results);
    let before = rounds(&results);
    let outcome = run(&mut script("1")).success();
    assert_eq!(
        outcome.stderr.matches("is there already").count(),
        kept,
        "{}",
        outcome.stderr
    );
    assert!(
        !outcome.stderr.contains("the backups:"),
        "{}",
        outcome.stderr
    );
    let after = rounds(&results);
    assert_eq!(after.len(), 4 + 1 + 2);
    assert_eq!(
        &after[..kept],
        &before[..],
        "finished rounds are as they were"
    );
}

/// How many rounds are in a series so far; one that is being written may be there in part.
fn done(results: &Path) -> usize {
    let stream = std::fs::read_to_string(results.join("stream.jsonl")).unwrap_or_default();
    stream
        .lines()
        .filter(|line| line.starts_with("{\"kind\":\"round\""))
        .count()
}

#[test]
fn a_wrong_size_is_refused_before_anything_is_moved() {
    let folder = tempfile::tempdir().expect("a folder");
    let results = folder.path().join("results");
    std::fs::create_dir(&results).expect("a folder");
    std::fs::write(results.join("stream.jsonl"), "precious\n").expect("a file");
    for (name, value) in [
        ("DATA_SIZES", "8 16MB"),
        ("LOG_SIZES", "none"),
        ("STEPS", "0"),
        ("OPEN_ROWS", "none"),
    ] {
        let outcome = experiment(&results, &[(name, value)]);
        assert_eq!(outcome.code, Some(2), "{name}: {}", outcome.stderr);
        assert!(outcome.stderr.contains(name), "{}", outcome.stderr);
    }
    let kept = std::fs::read_to_string(results.join("stream.jsonl")).expect("the stream");
    assert_eq!(kept, "precious\n");
}
