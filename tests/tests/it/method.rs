//! docs/method.md says what the code and the calibration say.

use integration_tests::{checkout, program, run_with_input};
use serde_json::{Value, json};

fn page(name: &str) -> String {
    std::fs::read_to_string(checkout().join("docs").join(name)).expect("a page")
}

#[test]
fn the_power_that_the_method_states_is_that_of_the_calibration() {
    let (method, calibration) = (page("method.md"), page("calibration.md"));
    let head = "| a round spreads by | pairs | finds 3 % | finds 5 % | finds 10 % |";
    let table = |text: &str| -> Vec<String> {
        text.lines()
            .skip_while(|line| !line.starts_with(head))
            .take_while(|line| line.starts_with('|'))
            .map(str::to_owned)
            .collect()
    };
    let (stated, known) = (table(&method), table(&calibration));
    assert!(stated.len() > 8, "{stated:?}");
    for row in &stated {
        assert!(known.contains(row), "not in calibration.md: {row}");
    }
}

#[test]
fn the_seed_and_the_draws_that_the_method_states_are_those_of_the_code() {
    let method = page("method.md").replace('\n', " ");
    assert!(method.contains(&format!("the seed {}", statistics::MONTE_CARLO_SEED)));
    assert!(method.contains(&format!("More than {} pairs", statistics::EXACT_PAIRS)));
    assert_eq!(statistics::MONTE_CARLO_DRAWS, 200_000);
    assert!(method.contains("so 200,000 are drawn"));
    assert!(method.contains(&format!("longer than {}, 50,000", statistics::EXACT_VALUES)));
}

/// So many pairs, of which the variant takes about 1 % more or less; in blocks or one after the
/// other.
fn pairs(count: usize, paired: bool) -> String {
    let path = checkout().join("fixtures/streams/twelve-rounds-noisy.jsonl");
    let text = std::fs::read_to_string(path).expect("a recorded stream");
    let model: Value = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .find(|record: &Value| record["kind"] == "round")
        .expect("a round");
    let mut stream = String::new();
    for place in 0..2 * count {
        let mut round = model.clone();
        let second = if paired {
            place % 2 == 1
        } else {
            place >= count
        };
        let block = if paired { place / 2 } else { place % count };
        round["trial"] = json!({
            "experiment": "x", "variant": if second { "B" } else { "A" }, "round": place + 1,
            "block": block + 1, "slot": usize::from(second) + 1, "id": place.to_string(),
        });
        round["started"] = json!(format!(
            "2025-03-01T{:02}:{:02}:00Z",
            place / 60,
            place % 60
        ));
        // A spread that no order explains.
        let noise = f64::from(u32::try_from(place * 7919 % 101).expect("small")) / 1000.0;
        round["elapsed_ms"] = json!(1000.0 * (1.0 + noise));
        stream += &round.to_string();
        stream.push('\n');
    }
    stream
}

fn headline(stream: &str) -> Value {
    let mut command = program("summarize");
    command.args([
        "--format",
        "jsonl",
        "--metric",
        "elapsed_ms",
        "--table",
        "comparison",
    ]);
    let ran = run_with_input(&mut command, stream).success();
    serde_json::from_str(ran.stdout.lines().next().expect("a comparison")).expect("JSON")
}

#[test]
fn a_p_that_was_drawn_states_its_seed_and_its_error_in_the_record_and_under_the_table() {
    let few = headline(&pairs(20, true));
    assert_eq!(few["p_drawn"], Value::Null);
    let many = headline(&pairs(24, true));
    let drawn = &many["p_drawn"];
    assert_eq!(
        (&drawn["draws"], &drawn["seed"]),
        (&json!(200_000), &json!(20_051_103))
    );
    let p = many["p"].as_f64().expect("p");
    let error = drawn["standard_error"].as_f64().expect("an error");
    assert!(
        (error - (p * (1.0 - p) / 200_000.0).sqrt()).abs() < 1e-12,
        "{error}"
    );
    let words = run_with_input(&mut program("summarize"), &pairs(24, true)).success();
    let text = words.stdout.replace("\n  ", " ");
    assert!(text.contains("24 pairs have too many sign patterns to try them all: p is of 200,000"));
    assert!(
        text.contains("drawn by seed 20051103, with a standard error of "),
        "{text}"
    );
    assert_eq!(
        text.matches("seed 20051103").count(),
        1,
        "once, not for each metric: {text}"
    );
    let words = run_with_input(&mut program("summarize"), &pairs(20, true)).success();
    assert!(!words.stdout.contains("seed"));
}

#[test]
fn rounds_that_did_not_alternate_say_so_in_the_verdict_and_in_a_warning() {
    let stream = pairs(8, false);
    let row = headline(&stream);
    assert_eq!(
        (&row["method"], &row["p_drawn"]),
        (&json!("unpaired"), &Value::Null)
    );
    let text = run_with_input(&mut program("summarize"), &stream)
        .success()
        .stdout;
    let text = text.replace("\n  ", " ").replace('\n', " ");
    assert!(text.contains("8 and 8 unpaired rounds"), "{text}");
    assert!(
        text.contains("did not alternate, so they are compared as two lists"),
        "{text}"
    );
    let drawn = headline(&pairs(30, false));
    assert_eq!(drawn["p_drawn"]["draws"], 50_000);
}
