//! A long stream, as our programs would write it: rounds with their snapshots and loads, hundreds of
//! intervals in each, and lines of another program in between. The same for the same seed.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Serializer, V2Serializer};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde_json::{Value, json};
use std::io::{self, Write};

const SEED: u64 = 20_260_501;

/// One line in so many, of those that are no part of a round, is of another program.
const OTHERS_EVERY: u64 = 50;

/// Different distributions in the stream.
const DISTRIBUTIONS: usize = 512;

/// A distribution of an interval.
struct Distribution {
    count: u64,
    p50_us: u64,
    p99_us: u64,
    max_us: u64,
    encoded: String,
}

/// What was written.
pub struct Written {
    /// Lines.
    pub lines: u64,
    /// Intervals of each variant, in the order of [`VARIANTS`].
    pub intervals: [u64; 2],
    /// Their transactions.
    pub transactions: [u64; 2],
}

/// The variants of the stream, in the order in which each block has them or the other way round.
pub const VARIANTS: [&str; 2] = ["delayed", "full"];

/// Writes a stream of about so many lines. `round` is the stream of one real round (setup, snapshot,
/// load, snapshot, round), which every round repeats under a trial and with figures of its own.
///
/// # Errors
/// Writing failed.
///
/// # Panics
/// Where `round` is no stream.
pub fn write_stream(
    round: &str,
    rounds: u32,
    lines: u64,
    output: &mut impl Write,
) -> io::Result<Written> {
    let mut random = StdRng::seed_from_u64(SEED);
    let pool = distributions(&mut random);
    let template: Vec<Value> = round
        .lines()
        .map(|line| serde_json::from_str(line).expect("a record"))
        .collect();
    let intervals = lines / u64::from(rounds) - template.len() as u64;
    let mut written = Written {
        lines: 0,
        intervals: [0; 2],
        transactions: [0; 2],
    };
    let mut line = String::new();
    for number in 1..=rounds {
        let block = number.div_ceil(2);
        let slot = (number + 1) % 2 + 1;
        let variant = usize::from((block + slot).is_multiple_of(2));
        let trial = json!({
            "experiment": "long-stream", "variant": VARIANTS[variant], "round": number,
            "block": block, "slot": slot, "id": format!("01a22f91-0000-7000-8000-{number:012x}"),
        });
        let trial_text = trial.to_string();
        let (before, after) = template.split_at(2);
        for record in before {
            write_record(record, &trial, number, None, output)?;
        }
        let mut transactions = 0;
        let mut at_ms = 0.0;
        let mut interval = 0_u32;
        for place in 0..intervals {
            if place % OTHERS_EVERY == OTHERS_EVERY - 1 {
                writeln!(
                    output,
                    r#"{{"kind":"sample","at":"2026-05-01T09:00:00Z","cpu":{:.3},"disk":{{"queue":{},"busy":{:.3}}}}}"#,
                    random.random::<f64>(),
                    random.random_range(0..40),
                    random.random::<f64>(),
                )?;
                continue;
            }
            interval += 1;
            let of = &pool[random.random_range(0..pool.len())];
            let length_ms = 100.0 + f64::from(random.random_range(-900..900_i32)) / 1000.0;
            line.clear();
            interval_line(
                &mut line,
                &trial_text,
                interval,
                (at_ms, length_ms),
                of,
                place % 2 == 0,
            );
            output.write_all(line.as_bytes())?;
            at_ms += length_ms;
            transactions += of.count;
        }
        written.intervals[variant] += u64::from(interval);
        written.transactions[variant] += transactions;
        written.lines += lines / u64::from(rounds);
        for record in after {
            write_record(record, &trial, number, Some((transactions, at_ms)), output)?;
        }
    }
    Ok(written)
}

/// As `loadgen --interval` writes it, with or without the whole distribution.
fn interval_line(
    line: &mut String,
    trial: &str,
    number: u32,
    (start_ms, length_ms): (f64, f64),
    of: &Distribution,
    whole_distribution: bool,
) {
    use std::fmt::Write;
    let count = u32::try_from(of.count).expect("a small interval");
    let rate = (f64::from(count) / length_ms * 1e6).round() / 1e3;
    let _ = write!(
        line,
        r#"{{"kind":"interval","schema":1,"at":"2026-05-01T09:00:00.000000001Z","program":"loadgen 0.1.0","trial":{trial},"number":{number},"start_ms":{start_ms:.3},"length_ms":{length_ms:.3},"whole":true,"transactions":{},"transactions_per_s":{rate:?},"errors":0,"latency_p50_us":{},"latency_p99_us":{},"latency_max_us":{},"latency_histogram":"#,
        of.count, of.p50_us, of.p99_us, of.max_us
    );
    if whole_distribution {
        let _ = writeln!(line, "\"{}\"}}", of.encoded);
    } else {
        *line += "null}\n";
    }
}

fn write_record(
    record: &Value,
    trial: &Value,
    number: u32,
    load: Option<(u64, f64)>,
    output: &mut impl Write,
) -> io::Result<()> {
    let mut record = record.clone();
    record["trial"] = trial.clone();
    if record["kind"] == "round"
        && let Some((transactions, elapsed_ms)) = load
    {
        let second = i64::from(number) * 60;
        let time = |second: i64| {
            // A minute a round, from a fixed day on.
            jiff::Timestamp::from_second(1_777_626_000 + second).expect("a time of this century")
        };
        record["started"] = json!(time(second));
        record["ended"] = json!(time(second + 59));
        record["transactions"] = json!(transactions);
        record["elapsed_ms"] = json!((elapsed_ms * 1000.0).round() / 1000.0);
    }
    // `kind` first, as our programs write it.
    let kind = record
        .as_object_mut()
        .and_then(|fields| fields.remove("kind"))
        .expect("a kind");
    let text = record.to_string();
    let rest = text.strip_prefix('{').expect("an object");
    writeln!(output, "{{\"kind\":{kind},{rest}")
}

fn distributions(random: &mut StdRng) -> Vec<Distribution> {
    (0..DISTRIBUTIONS)
        .map(|_| {
            let mut histogram =
                Histogram::<u64>::new_with_bounds(1, 3_600_000_000, 3).expect("bounds");
            let count = random.random_range(20..80);
            let typical = random.random_range(900..4_000_u64);
            for _ in 0..count {
                let slow = if random.random_ratio(1, 50) { 20 } else { 1 };
                let us = typical * slow + random.random_range(0..typical);
                histogram.record(us).expect("in bounds");
            }
            let mut bytes = Vec::new();
            let mut serializer = V2Serializer::new();
            serializer
                .serialize(&histogram, &mut bytes)
                .expect("it is written");
            Distribution {
                count,
                p50_us: histogram.value_at_quantile(0.5),
                p99_us: histogram.value_at_quantile(0.99),
                max_us: histogram.max(),
                encoded: BASE64_STANDARD.encode(bytes),
            }
        })
        .collect()
}
