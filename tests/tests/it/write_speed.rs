//! The write-speed experiment, as a user runs it, and the two steps that are its own.

use crate::programs::{DATABASE, setup_outcome};
use integration_tests::{Labdb, Outcome, checkout, query_text, run, run_with_input};
use records::{Record, Setup};
use serde_json::Value;
use std::collections::BTreeMap;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// 2 MB a pass.
const ROWS: i64 = 2_304;

fn experiment(results: &Path, variables: &[(&str, &str)]) -> Outcome {
    let mut command = Command::new(checkout().join("scripts/with-labdb"));
    command
        .arg(checkout().join("scripts/write-speed"))
        .env("RESULTS", results)
        .env("NO_COLOR", "1")
        .env("COLUMNS", "80")
        .envs([("DATA_SIZE", "16MB"), ("LOG_SIZE", "16MB")])
        .env("ROWS", ROWS.to_string())
        .envs(variables.iter().copied());
    run(&mut command)
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A CSV without quoted commas, as rows by name of column.
fn table(path: &Path) -> Vec<BTreeMap<String, String>> {
    // The server's address has the only comma that is no separator.
    let text = read(path).replace("\"127.0.0.1,", "\"127.0.0.1:");
    let mut lines = text.lines();
    let head: Vec<&str> = lines.next().expect("a head").split(',').collect();
    lines
        .map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            assert_eq!(cells.len(), head.len(), "{line}");
            let pairs = head.iter().zip(cells);
            pairs
                .map(|(name, cell)| ((*name).to_owned(), cell.to_owned()))
                .collect()
        })
        .collect()
}

/// What the raw snapshots of the passes say was done to each file: bytes, writes, stall, growth.
fn by_hand(stream: &str) -> BTreeMap<String, [i64; 4]> {
    let mut before: BTreeMap<String, Value> = BTreeMap::new();
    let mut sums: BTreeMap<String, [i64; 4]> = BTreeMap::new();
    for line in stream.lines() {
        let record: Value = serde_json::from_str(line).expect("a record");
        if record["kind"] != "snapshot" {
            continue;
        }
        let trial = record["trial"]["id"].as_str().expect("a trial").to_owned();
        let Some(first) = before.remove(&trial) else {
            before.insert(trial, record);
            continue;
        };
        let files = |record: &Value| record["files"].as_array().expect("files").clone();
        for (old, new) in files(&first).iter().zip(files(&record)) {
            let name = new["physical_name"].as_str().expect("a name").to_owned();
            assert_eq!(old["physical_name"], new["physical_name"]);
            let sum = sums.entry(name).or_default();
            let fields = ["bytes_written", "writes", "write_stall_ms", "size_bytes"];
            for (total, field) in sum.iter_mut().zip(fields) {
                let value = |file: &Value| file[field].as_i64().expect("a number");
                *total += value(&new) - value(old);
            }
        }
    }
    assert!(before.is_empty(), "a snapshot without its twin");
    sums
}

#[test]
fn passes_go_in_turn_over_two_folders_and_totals_are_what_the_snapshots_say() {
    let folder = tempfile::tempdir().expect("a folder");
    let results = folder.path().join("results");
    let (one, two) = (folder.path().join("one"), folder.path().join("disk two"));
    for disk in [&one, &two] {
        std::fs::create_dir(disk).expect("a folder");
    }
    let folders = format!("{};{}", one.display(), two.display());
    let outcome = experiment(
        &results,
        &[("FOLDERS", &folders), ("PASSES", "2"), ("MAXDOP", "1")],
    )
    .success();

    let stream = read(&results.join("stream.jsonl"));
    let mut blocks: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    for line in stream.lines() {
        match serde_json::from_str(line).expect("a record") {
            Record::Round(round) => {
                let trial = round.header.trial.expect("a trial");
                blocks.entry(trial.block).or_default().push(trial.variant);
                assert_eq!(round.rows, Some(ROWS.unsigned_abs()));
                // With the answer the rows are in the data file: 9 to a page of 8 KB at most.
                let bytes = round.data_bytes_written.expect("bytes");
                assert!((ROWS / 9 * 8192..ROWS * 1_200).contains(&bytes), "{bytes}");
            }
            Record::Load(load) => {
                assert!(load.shape.statement.contains("OPTION (MAXDOP 1)"));
                assert_eq!((load.shape.workers, load.transactions), (1, 1));
            }
            _ => {}
        }
    }
    let mut disks = vec![one.display().to_string(), two.display().to_string()];
    disks.sort();
    assert_eq!(blocks.len(), 2);
    for variants in blocks.values_mut() {
        variants.sort();
        assert_eq!(*variants, disks);
    }

    let expected = by_hand(&stream);
    assert_eq!(expected.len(), 4, "two databases of two files");
    let number = |row: &BTreeMap<String, String>, name: &str| -> i64 {
        row[name]
            .parse()
            .unwrap_or_else(|_| panic!("{name}: {}", row[name]))
    };
    let totals = table(&results.join("file-totals.csv"));
    let passes = table(&results.join("file-passes.csv"));
    assert_eq!((totals.len(), passes.len()), (4, 8));
    for row in &totals {
        let file = &row["physical_name"];
        assert!(file.starts_with(&row["variant"]), "{file}");
        let fields = ["bytes_written", "writes", "write_stall_ms", "growth_bytes"];
        assert_eq!(
            fields.map(|name| number(row, name)),
            expected[file],
            "{file}"
        );
        let of_passes = |name: &str| -> i64 {
            let mine = passes.iter().filter(|pass| pass["physical_name"] == *file);
            mine.map(|pass| number(pass, name)).sum()
        };
        assert_eq!(fields.map(of_passes), expected[file], "{file}");
        // The mean of all writes, divided as real numbers are.
        let [_, writes, stall, _] = expected[file];
        assert!(writes > 0, "{file}");
        let quotient = number_of(stall) / number_of(writes);
        let got: f64 = row["write_stall_mean_ms"].parse().expect("a number");
        assert!((got - quotient).abs() < 1e-9, "{got} {quotient}");
    }

    for line in outcome.stdout.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
    for text in [
        "Files: averages a pass",
        "Files: totals",
        "Files: every pass",
        "Comparison",
    ] {
        assert!(outcome.stdout.contains(text), "{text}: {}", outcome.stdout);
    }
    let progress = outcome.stderr.lines();
    let told = progress.filter(|line| line.starts_with("pass ") && line.ends_with(" ms"));
    assert_eq!(told.count(), 4, "{}", outcome.stderr);
}

#[expect(clippy::cast_precision_loss, reason = "small numbers")]
fn number_of(count: i64) -> f64 {
    count as f64
}

#[test]
fn one_database_is_a_whole_answer_and_a_growth_inside_a_pass_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let results = folder.path().join("results");
    // The source takes 6 MB of it, so that a pass does not find room.
    let outcome = experiment(
        &results,
        &[("PASSES", "2"), ("ROWS", "6912"), ("DATA_SIZE", "8MB")],
    )
    .success();
    assert!(
        !outcome.stdout.contains("nothing to compare"),
        "{}",
        outcome.stdout
    );
    let words = outcome.stdout.split_whitespace().collect::<Vec<_>>();
    let words = words.join(" ");
    for line in [
        "SATA SSD 2.000 - - - - NVMe, PCIe 3 0.433",
        "SATA SSD 12.57 - - - - writelog_speed - ",
        "None of the published names is one of ours",
    ] {
        assert!(words.contains(line), "{line}: {words}");
    }
    assert!(
        outcome.stdout.contains("Fewer than 6 passes"),
        "{}",
        outcome.stdout
    );
    let grown: i64 = table(&results.join("file-passes.csv"))
        .iter()
        .filter(|row| row["file_kind"] == "rows")
        .map(|row| row["growth_bytes"].parse::<i64>().expect("a number"))
        .sum();
    assert_eq!(grown, 64 << 20, "{}", outcome.stdout);
    assert!(outcome.stdout.contains("grew"), "{}", outcome.stdout);

    // What is finished is not run again; a variable of another series is refused.
    let again = experiment(
        &results,
        &[("RESUME", "1"), ("ROWS", "6912"), ("DATA_SIZE", "")],
    )
    .success();
    assert_eq!(
        again.stderr.matches("is there already").count(),
        2,
        "{}",
        again.stderr
    );
    let other = experiment(
        &results,
        &[
            ("RESUME", "1"),
            ("ROWS", "6912"),
            ("DATA_SIZE", ""),
            ("MAXDOP", "1"),
        ],
    );
    assert_eq!(other.code, Some(2), "{}", other.stderr);
    let two = experiment(&results, &[("FOLDERS", "/a;/b"), ("DATABASES", "one")]);
    assert_eq!(two.code, Some(2), "{}", two.stderr);
}

#[test]
fn an_interrupted_series_is_resumed_after_its_finished_passes() {
    let folder = tempfile::tempdir().expect("a folder");
    let results = folder.path().join("results");
    let server = Labdb::start();
    let script = |resume: &str| {
        let mut command = Command::new(checkout().join("scripts/write-speed"));
        command
            .envs(server.environment_all())
            .env("RESULTS", &results)
            .env("RESUME", resume)
            .env("NO_COLOR", "1");
        if resume == "0" {
            command.envs([("PASSES", "4"), ("ROWS", "20000")]);
        }
        command
    };
    let passes = || {
        let stream = std::fs::read_to_string(results.join("stream.jsonl")).unwrap_or_default();
        let rounds = stream
            .lines()
            .filter(|line| line.starts_with("{\"kind\":\"round\""));
        rounds.map(str::to_owned).collect::<Vec<_>>()
    };
    let mut child = script("0")
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .expect("it starts");
    while passes().is_empty() {
        assert!(child.try_wait().expect("a state").is_none(), "ended early");
        std::thread::sleep(Duration::from_millis(5));
    }
    let group = format!("-{}", child.id());
    run(Command::new("kill").args(["-INT", "--", &group])).success();
    let output = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(said.contains("RESUME=1"), "{said}");

    let valid = |pass: &String| pass.contains("\"validity\":\"valid\"");
    let before: Vec<String> = passes().into_iter().filter(valid).collect();
    let outcome = run(&mut script("1")).success();
    assert_eq!(
        outcome.stderr.matches("is there already").count(),
        before.len(),
        "{}",
        outcome.stderr
    );
    let after: Vec<String> = passes().into_iter().filter(valid).collect();
    assert_eq!(after.len(), 4);
    assert_eq!(after[..before.len()], before[..], "they are as they were");
}

#[test]
fn a_source_gets_what_it_lacks_loses_what_is_too_much_and_is_left_alone_where_it_is_right() {
    let server = Labdb::start();
    let prepare = |rows: &str| -> Setup {
        let outcome = setup_outcome(&server, &["--recovery", "simple", "--source-rows", rows]);
        match outcome.success().records().remove(0) {
            Record::Setup(setup) => *setup,
            other => panic!("{other:?}"),
        }
    };
    let change = |setup: &Setup| {
        let found = setup
            .changes
            .iter()
            .find(|change| change.what == "source_rows");
        found.map(|change| (change.from.clone(), change.to.clone()))
    };
    let from_to = |from: &str, to: &str| Some((Some(from.to_owned()), Some(to.to_owned())));
    let first = prepare("25000");
    assert_eq!(change(&first), from_to("0", "25000"));
    assert_eq!(first.table.as_deref(), Some("dbo.write_speed"));
    assert_eq!(
        first.source_table.as_deref(),
        Some("dbo.write_speed_source")
    );
    assert!(prepare("25000").changes.is_empty());
    assert_eq!(change(&prepare("25300")), from_to("25000", "25300"));
    let ask = |text: &str| query_text(&server, DATABASE, text);
    let source = "dbo.write_speed_source";
    assert_eq!(
        ask(&format!(
            "SELECT CONCAT(COUNT(DISTINCT id), '/', MIN(id), '/', MAX(id), '/', MIN(LEN(first_text)), \
             '/', MIN(DATALENGTH(second_text))) FROM {source}"
        )),
        "25300/1/25300/198/396"
    );
    assert_eq!(change(&prepare("40")), from_to("25300", "40"));
    assert_eq!(
        ask(&format!(
            "SELECT CONCAT(COUNT(*), '/', MAX(id)) FROM {source}"
        )),
        "40/40"
    );

    // setup-db's record says what to copy.
    let setup = setup_outcome(&server, &["--source-rows", "40"])
        .success()
        .stdout;
    for rows in ["40", "80"] {
        let copied = run_with_input(server.program("loadgen").arg("--copy"), &setup).success();
        assert!(copied.records().iter().any(|record| matches!(record,
            Record::Load(load) if load.rows == Some(40) && load.transactions == 1)));
        assert_eq!(
            ask("SELECT CAST(COUNT(*) AS varchar(9)) FROM dbo.write_speed"),
            rows
        );
    }
    // An empty source is nothing to measure.
    ask(&format!("TRUNCATE TABLE {source}"));
    let nothing = run_with_input(server.program("loadgen").arg("--copy"), &setup);
    assert_eq!(nothing.code, Some(1), "{}", nothing.stderr);
    assert!(
        nothing.stderr.contains("--source-rows"),
        "{}",
        nothing.stderr
    );
}
