//! The whole experiment, as a user runs it.

use integration_tests::{Outcome, checkout, run};
use records::{ComparisonVerdict, Record};
use std::path::Path;
use std::process::Command;

fn experiment(results: &Path, variables: &[(&str, &str)]) -> Outcome {
    let mut command = Command::new(checkout().join("scripts/with-labdb"));
    command
        .arg(checkout().join("scripts/recovery-model"))
        .env("RESULTS", results)
        .env("NO_COLOR", "1")
        .env("COLUMNS", "80")
        .envs([
            ("DATA_SIZE", "32MB"),
            ("LOG_SIZE", "8MB"),
            ("WORKERS", "4"),
            ("ROWS", "40"),
        ])
        .envs([("FREE_ROWS", "60000")])
        .envs(variables.iter().copied());
    run(&mut command)
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn records(stream: &str) -> Vec<Record> {
    stream
        .lines()
        .map(|line| serde_json::from_str(line).expect("a record"))
        .collect()
}

/// Variant, round, block and slot of each round of the experiment, as they ran.
fn order(stream: &str) -> Vec<(String, u32, u32, u32)> {
    records(stream)
        .into_iter()
        .filter_map(|record| match record {
            Record::Round(round) => round.header.trial,
            _ => None,
        })
        .filter(|trial| trial.experiment == "recovery-model")
        .map(|trial| (trial.variant, trial.round, trial.block, trial.slot))
        .collect()
}

#[test]
fn the_order_within_pairs_is_drawn_and_a_seed_draws_it_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let series = |name: &str, seed: &str| {
        let results = folder.path().join(name);
        experiment(&results, &[("PAIRS", "7"), ("ROWS", "5"), ("SEED", seed)]).success();
        order(&read(&results.join("stream.jsonl")))
    };
    let first = series("first", "11");
    assert_eq!(first.len(), 14);
    let mut firsts = Vec::new();
    for (pair, place) in first.chunks_exact(2).zip(1..) {
        let [one, two] = pair else { unreachable!() };
        assert_ne!(one.0, two.0, "a pair has one round of each");
        assert_eq!((one.2, one.3, two.2, two.3), (place, 1, place, 2));
        firsts.push(one.0.clone());
    }
    assert_eq!(series("again", "11"), first);
    // 2^-14 of all pairs of seeds would draw one side only in both.
    let other = series("other", "12");
    assert!(
        firsts.iter().any(|model| *model != firsts[0])
            || other.iter().step_by(2).any(|round| round.0 != other[0].0)
    );
}

#[test]
fn a_series_that_stopped_goes_on_where_it_stopped() {
    let folder = tempfile::tempdir().expect("a folder");
    let results = folder.path().join("results");
    let stream = results.join("stream.jsonl");
    experiment(&results, &[("PAIRS", "2")]).success();
    let whole = order(&read(&stream));
    // As if it had stopped after the third round: what came later was never written.
    let text = read(&stream);
    let mut rounds = 0;
    let kept: String = text
        .split_inclusive('\n')
        .take_while(|line| {
            let before = rounds;
            rounds += u32::from(line.starts_with("{\"kind\":\"round\""));
            before < 3
        })
        .collect();
    assert!(kept.len() < text.len());
    // What a broken-off round leaves: the error of a stage, and a line that was cut off.
    let error = "{\"kind\":\"error\",\"schema\":1,\"at\":\"2025-03-01T09:00:00Z\",\
                 \"program\":\"snapshot 0.1.0\",\"code\":\"usage\",\"message\":\"no database\"}\n";
    let cut_off = "{\"kind\":\"round\",\"schema\":1";
    std::fs::write(&stream, format!("{kept}{error}{cut_off}")).expect("written");

    let outcome = experiment(&results, &[("RESUME", "1")]).success();
    let resumed = read(&stream);
    assert!(resumed.starts_with(&kept), "finished rounds are kept");
    let taken_out = read(&results.join("errors.jsonl"));
    assert_eq!(taken_out, format!("{error}{cut_off}\n"));
    assert_eq!(order(&resumed), whole, "the same order, each round once");
    assert!(outcome.stderr.contains("round 3"), "{}", outcome.stderr);

    let refused = experiment(&results, &[("RESUME", "1"), ("ROWS", "41")]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("ROWS") && refused.stderr.contains("40"));
    assert_eq!(read(&stream), resumed);
}

#[test]
fn six_pairs_alternate_and_end_with_tables_and_a_verdict() {
    let folder = tempfile::tempdir().expect("a folder");
    let results = folder.path().join("results");
    let outcome = experiment(&results, &[("ORDER", "ABBA")]).success();
    let order = order(&read(&results.join("stream.jsonl")));
    let expected: Vec<(String, u32, u32, u32)> = (1..=12_u32)
        .map(|round| {
            let (block, slot) = ((round - 1) / 2 + 1, (round - 1) % 2 + 1);
            let full_first = block % 2 == 1;
            let model = if full_first == (slot == 1) {
                "FULL"
            } else {
                "SIMPLE"
            };
            (model.to_owned(), round, block, slot)
        })
        .collect();
    assert_eq!(order, expected, "ABBA");

    for line in outcome.stdout.lines() {
        assert!(line.chars().count() <= 80, "wider than 80 columns: {line}");
    }
    assert!(
        outcome.stdout.contains("labdb"),
        "it says that it is labdb:\n{}",
        outcome.stdout
    );
    assert!(outcome.stdout.contains("LOG_BACKUP") && outcome.stdout.contains("NOTHING"));
    let verdicts = ["faster", "slower", "equivalent", "inconclusive"];
    assert!(
        verdicts
            .iter()
            .any(|verdict| outcome.stdout.to_lowercase().contains(verdict))
    );

    let csv = read(&results.join("rounds.csv"));
    assert_eq!(csv.lines().count(), 13, "a head and twelve rounds:\n{csv}");
}

#[test]
fn the_second_part_shows_that_a_log_backup_frees_the_log() {
    let folder = tempfile::tempdir().expect("a folder");
    let results = folder.path().join("results");
    experiment(&results, &[("PAIRS", "1")]).success();
    let waits: Vec<(String, String)> = records(&read(&results.join("stream.jsonl")))
        .into_iter()
        .filter_map(|record| match record {
            Record::Round(round) => Some((round.header.trial?.experiment, round.log_reuse_wait)),
            _ => None,
        })
        .filter(|(experiment, _)| experiment == "log-reuse")
        .collect();
    let waits: Vec<&str> = waits.iter().map(|(_, wait)| wait.as_str()).collect();
    assert_eq!(waits, ["LOG_BACKUP", "NOTHING"]);
}

#[test]
fn two_pairs_cannot_decide_and_the_verdict_says_how_many_can() {
    let folder = tempfile::tempdir().expect("a folder");
    let results = folder.path().join("results");
    let outcome = experiment(&results, &[("PAIRS", "2"), ("ORDER", "ABAB")]).success();
    assert!(
        outcome.stdout.contains("inconclusive"),
        "{}",
        outcome.stdout
    );
    assert!(
        outcome.stdout.contains("six") || outcome.stdout.contains('6'),
        "{}",
        outcome.stdout
    );
    let stream = std::fs::File::open(results.join("stream.jsonl")).expect("the stream");
    let comparison = run(integration_tests::program("summarize")
        .args([
            "--format",
            "jsonl",
            "--table",
            "comparison",
            "--experiment",
            "recovery-model",
        ])
        .stdin(stream))
    .success();
    for record in comparison.records() {
        let Record::Comparison(comparison) = record else {
            continue;
        };
        assert_eq!(comparison.pairs, 2);
        assert_eq!(
            comparison.verdict,
            ComparisonVerdict::Inconclusive,
            "{}",
            comparison.metric
        );
        assert_eq!(comparison.ratio_low, None, "two pairs bound no interval");
    }
}

#[test]
fn an_older_series_is_moved_aside_and_never_overwritten() {
    let folder = tempfile::tempdir().expect("a folder");
    let results = folder.path().join("results");
    std::fs::create_dir(&results).expect("a folder");
    std::fs::write(results.join("stream.jsonl"), "precious\n").expect("a file");
    experiment(&results, &[("PAIRS", "1")]).success();
    assert_eq!(
        read(&folder.path().join("results.1/stream.jsonl")),
        "precious\n"
    );
}

#[test]
fn a_wrong_variable_is_refused_before_anything_is_moved() {
    let folder = tempfile::tempdir().expect("a folder");
    let results = folder.path().join("results");
    std::fs::create_dir(&results).expect("a folder");
    std::fs::write(results.join("stream.jsonl"), "precious\n").expect("a file");
    for (name, value) in [
        ("ORDER", "AABB"),
        ("PAIRS", "0"),
        ("ROWS", "many"),
        ("SIZE", "huge"),
        ("KEEP", "maybe"),
    ] {
        let outcome = experiment(&results, &[(name, value)]);
        assert_eq!(outcome.code, Some(2), "{name}: {}", outcome.stderr);
        assert!(outcome.stderr.contains(name), "{}", outcome.stderr);
        assert_eq!(read(&results.join("stream.jsonl")), "precious\n");
    }
}

#[test]
fn a_series_with_rounds_that_cannot_be_trusted_is_complete_and_exits_with_8() {
    let folder = tempfile::tempdir().expect("a folder");
    let results = folder.path().join("results");
    // A disk with no room for the log to grow: a load under FULL runs into 9002.
    let outcome = experiment(
        &results,
        &[
            ("PAIRS", "1"),
            ("ORDER", "ABAB"),
            ("ROWS", "8000"),
            ("LABDB_OPTIONS", "--fault disk-full=78mb"),
        ],
    );
    assert_eq!(outcome.code, Some(8), "{}", outcome.stderr);
    assert!(results.join("rounds.csv").is_file());
    assert!(outcome.stderr.contains("set aside"), "{}", outcome.stderr);
}
