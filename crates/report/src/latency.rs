//! Latency distributions, merged over rounds.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::Deserializer;
use records::{Failure, FailureCode};
use summarize::{Experiment, Run};

/// All requests of one variant, in microseconds.
pub(crate) struct Latencies {
    pub(crate) variant: String,
    pub(crate) rounds: usize,
    pub(crate) histogram: Histogram<u64>,
}

/// The requests of each variant, over the rounds that count and have a distribution.
///
/// # Errors
/// A distribution cannot be read.
pub(crate) fn merged(experiment: &Experiment) -> Result<Vec<Latencies>, Failure> {
    let mut all: Vec<Latencies> = Vec::new();
    for variant in &experiment.variants {
        let mut sum: Option<Latencies> = None;
        for run in experiment.counting().filter(|run| run.variant == *variant) {
            let Some(histogram) = read(run)? else {
                continue;
            };
            match &mut sum {
                None => {
                    sum = Some(Latencies {
                        variant: variant.clone(),
                        rounds: 1,
                        histogram,
                    });
                }
                Some(sum) => {
                    sum.histogram.auto(true);
                    let added = sum.histogram.add(&histogram);
                    added.map_err(|error| unreadable(run, &format!("{error:?}")))?;
                    sum.rounds += 1;
                }
            }
        }
        all.extend(sum.filter(|sum| !sum.histogram.is_empty()));
    }
    Ok(all)
}

fn read(run: &Run) -> Result<Option<Histogram<u64>>, Failure> {
    // An empty text is what a load without a distribution left.
    let recorded = run.round.latency_histogram.as_ref();
    let Some(text) = recorded.filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    let bytes = BASE64_STANDARD.decode(text);
    let bytes = bytes.map_err(|error| unreadable(run, &error.to_string()))?;
    let histogram = Deserializer::new().deserialize(&mut bytes.as_slice());
    histogram
        .map(Some)
        .map_err(|error| unreadable(run, &error.to_string()))
}

fn unreadable(run: &Run, why: &str) -> Failure {
    Failure::new(
        FailureCode::BadInput,
        format!(
            "the latency distribution of run {} cannot be read: {why}",
            run.label
        ),
    )
    .remedy(format!("It should be {}.", records::HISTOGRAM_ENCODING))
}
