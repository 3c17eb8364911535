//! Rounds for unit tests.

use crate::input::Input;
use records::{ExitStatus, Round};

/// Rounds of these variants and elapsed times in blocks of two, one second after another.
pub(crate) fn rounds_of(values: &[(&str, f64)]) -> Input {
    let rounds = values
        .iter()
        .enumerate()
        .map(|(place, (variant, elapsed_ms))| round(place, variant, *elapsed_ms))
        .collect();
    Input {
        rounds,
        repeated: 0,
        failed_trials: std::collections::HashSet::new(),
        intervals: crate::intervals::Intervals::default(),
        status: ExitStatus::Success,
    }
}

/// Blocks with a round of each variant, one second after another.
pub(crate) fn blocks_of(blocks: &[Vec<(&str, f64)>]) -> Input {
    let flat: Vec<(&str, f64)> = blocks.concat();
    let mut input = rounds_of(&flat);
    let places = (1..)
        .zip(blocks)
        .flat_map(|(block, rounds)| (1..).zip(rounds).map(move |(slot, _)| (block, slot)));
    for (round, (block, slot)) in input.rounds.iter_mut().zip(places) {
        let trial = round.header.trial.as_mut().unwrap();
        (trial.block, trial.slot) = (block, slot);
    }
    input
}

fn round(place: usize, variant: &str, elapsed_ms: f64) -> Round {
    let text = include_str!("../../../fixtures/streams/four-rounds.expected.jsonl");
    let mut round: Round = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    let trial = round.header.trial.as_mut().unwrap();
    trial.variant = variant.to_owned();
    trial.round = u32::try_from(place).unwrap() + 1;
    trial.block = trial.round.div_ceil(2);
    trial.slot = (trial.round + 1) % 2 + 1;
    trial.id = format!("id-{place}");
    round.started += jiff::SignedDuration::from_secs(i64::try_from(place).unwrap());
    round.elapsed_ms = Some(elapsed_ms);
    round
}

/// A distribution of these latencies in microseconds, as a record has it.
pub(crate) fn latencies_of(us: &[u64]) -> String {
    use base64::Engine;
    use hdrhistogram::serialization::{Serializer, V2DeflateSerializer};
    let mut histogram =
        hdrhistogram::Histogram::<u64>::new_with_bounds(1, 3_600_000_000, 3).unwrap();
    for latency in us {
        histogram.record(*latency).unwrap();
    }
    let mut bytes = Vec::new();
    V2DeflateSerializer::new()
        .serialize(&histogram, &mut bytes)
        .unwrap();
    base64::prelude::BASE64_STANDARD.encode(bytes)
}
