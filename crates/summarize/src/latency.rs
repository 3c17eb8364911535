//! Latencies over workers, intervals and rounds: distributions are added up, and percentiles are
//! those of the sum. No percentile is ever averaged.

use crate::experiment::Experiment;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::Deserializer;
use records::{Header, LatencySummary};

/// Reads a distribution out of a record ([`records::HISTOGRAM_ENCODING`]); its unit is the
/// microsecond.
///
/// # Errors
/// Says why it cannot be read.
pub fn decode(text: &str) -> Result<Histogram<u64>, String> {
    let bytes = BASE64_STANDARD
        .decode(text)
        .map_err(|error| error.to_string())?;
    Deserializer::new()
        .deserialize(&mut bytes.as_slice())
        .map_err(|error| error.to_string())
}

/// Distributions added up.
#[derive(Clone, Debug, Default)]
pub struct Distribution {
    sum: Option<Histogram<u64>>,
}

impl Distribution {
    /// Adds one as a record has it.
    ///
    /// # Errors
    /// It cannot be read; then nothing was added, and it is said why.
    pub fn add_text(&mut self, text: &str) -> Result<(), String> {
        self.add(decode(text)?)
    }

    /// Adds one. Ranges may differ; where precisions do, the first one's is kept.
    ///
    /// # Errors
    /// The sum has no room for its values; then nothing was added, and it is said why.
    pub fn add(&mut self, other: Histogram<u64>) -> Result<(), String> {
        match &mut self.sum {
            None => {
                self.sum = Some(other);
                Ok(())
            }
            Some(sum) => {
                sum.auto(true);
                sum.add(&other).map_err(|error| error.to_string())
            }
        }
    }

    /// How many requests.
    #[must_use]
    pub fn requests(&self) -> u64 {
        self.sum.as_ref().map_or(0, Histogram::len)
    }

    /// The shortest, in microseconds.
    #[must_use]
    pub fn min_us(&self) -> Option<u64> {
        self.filled().map(Histogram::min)
    }

    /// The longest, in microseconds.
    #[must_use]
    pub fn max_us(&self) -> Option<u64> {
        self.filled().map(Histogram::max)
    }

    /// The smallest latency that `quantile` (0 to 1) of the requests do not exceed, in
    /// microseconds, as exact as the histogram.
    #[must_use]
    pub fn at(&self, quantile: f64) -> Option<u64> {
        self.filled().map(|sum| sum.value_at_quantile(quantile))
    }

    /// The same, where one request in `one_in` (10 for the 90th percentile) lies above it; none
    /// where there are fewer requests than that, since it would only be the longest.
    #[must_use]
    pub fn exceeded_by_one_in(&self, one_in: u32) -> Option<u64> {
        let shares = 1.0 - 1.0 / f64::from(one_in);
        self.at(shares)
            .filter(|_| self.requests() >= u64::from(one_in))
    }

    fn filled(&self) -> Option<&Histogram<u64>> {
        self.sum.as_ref().filter(|sum| !sum.is_empty())
    }
}

/// All requests of one variant.
#[derive(Debug)]
pub struct VariantLatency {
    /// What they come to.
    pub summary: LatencySummary,
    /// All of them.
    pub distribution: Distribution,
}

/// The requests of every variant of an experiment.
#[derive(Debug, Default)]
pub struct Latencies {
    /// The variants that have any, in the order in which they ran.
    pub variants: Vec<VariantLatency>,
    /// Rounds that count and whose distribution cannot be read: which, and why.
    pub unreadable: Vec<(String, String)>,
}

impl Latencies {
    /// Adds up the distributions of the rounds that count.
    #[must_use]
    pub fn of(experiment: &Experiment, header: &Header) -> Self {
        let mut all = Self::default();
        let mut unreadable = Vec::new();
        for variant in &experiment.variants {
            let of_variant = || {
                let runs = experiment.rounds.iter().enumerate();
                runs.filter(|(_, run)| run.variant == *variant)
            };
            let mut distribution = Distribution::default();
            let mut n = 0;
            for (place, run) in of_variant().filter(|(_, run)| run.set_aside.is_none()) {
                // An empty text is what a load without a distribution left.
                let recorded = run.round.latency_histogram.as_deref();
                let Some(text) = recorded.filter(|text| !text.is_empty()) else {
                    continue;
                };
                match distribution.add_text(text) {
                    Ok(()) => n += 1,
                    Err(why) => unreadable.push((place, run.label.clone(), why)),
                }
            }
            if distribution.requests() > 0 {
                all.variants.push(VariantLatency {
                    summary: LatencySummary {
                        header: header.clone(),
                        experiment: experiment.name.clone(),
                        variant: variant.clone(),
                        n,
                        set_aside: (of_variant().count() as u64).saturating_sub(n),
                        requests: distribution.requests(),
                        min_us: distribution.min_us(),
                        p50_us: distribution.at(0.5),
                        p90_us: distribution.exceeded_by_one_in(10),
                        p99_us: distribution.exceeded_by_one_in(100),
                        p999_us: distribution.exceeded_by_one_in(1000),
                        max_us: distribution.max_us(),
                    },
                    distribution,
                });
            }
        }
        // In the order of the rounds.
        unreadable.sort_unstable();
        let named = unreadable.into_iter().map(|(_, run, why)| (run, why));
        all.unreadable = named.collect();
        all
    }

    /// Whether there is more to see than how long a round took: where the loop runs on the server, a
    /// round is one request.
    #[must_use]
    pub fn tell_something(&self) -> bool {
        let mut variants = self.variants.iter();
        variants.any(|variant| variant.summary.p99_us.is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::{Distribution, Latencies, decode};
    use crate::experiment::Experiment;
    use crate::testing::{latencies_of, rounds_of};
    use records::Header;

    /// The smallest sample that at least `share` of all do not exceed, by sorting all of them.
    fn nearest_rank(samples: &[u64], share: (usize, usize)) -> u64 {
        let mut sorted = samples.to_vec();
        sorted.sort_unstable();
        let rank = (sorted.len() * share.0).div_ceil(share.1);
        sorted[rank - 1]
    }

    fn near(got: Option<u64>, expected: u64) {
        // Three significant digits: one part in a thousand.
        let apart = got.unwrap().abs_diff(expected);
        assert!(apart * 1000 <= expected, "{got:?} instead of {expected}");
    }

    /// Rounds of one variant that differ in size and in speed: then a mean of percentiles is far
    /// from the percentile of all.
    fn samples() -> [Vec<u64>; 3] {
        let fast = (0..900).map(|i| 100 + i % 37).collect();
        let slow = (0..60).map(|i| 5_000 + i * 100).collect();
        let fastest = (0..4_000).map(|i| 40 + i % 11).collect();
        [fast, slow, fastest]
    }

    fn of(samples: &[Vec<u64>]) -> Latencies {
        let rounds: Vec<(&str, f64)> = samples.iter().map(|_| ("A", 1.0)).collect();
        let mut input = rounds_of(&rounds);
        for (round, samples) in input.rounds.iter_mut().zip(samples) {
            round.latency_histogram = Some(latencies_of(samples));
        }
        Latencies::of(&Experiment::sort(input, None)[0], &Header::now("t"))
    }

    #[test]
    fn merged_percentiles_are_those_of_all_samples_pooled_and_no_mean_of_percentiles() {
        let samples = samples();
        let pooled = samples.concat();
        let row = &of(&samples).variants[0].summary;
        assert_eq!((row.n, row.requests), (3, 4_960));
        near(row.p50_us, nearest_rank(&pooled, (1, 2)));
        near(row.p90_us, nearest_rank(&pooled, (9, 10)));
        near(row.p99_us, nearest_rank(&pooled, (99, 100)));
        near(row.p999_us, nearest_rank(&pooled, (999, 1000)));
        near(row.min_us, 40);
        near(row.max_us, 10_900);
        let each = samples.map(|one| nearest_rank(&one, (99, 100)));
        let mean = each.iter().sum::<u64>() / 3;
        assert!(
            row.p99_us.unwrap().abs_diff(mean) > 1_000,
            "the case must tell the two apart"
        );
    }

    #[test]
    fn a_percentile_that_no_request_lies_above_is_none() {
        let row = of(&[(1..=99).collect()]).variants.remove(0).summary;
        assert_eq!(
            (row.p90_us, row.p99_us, row.p999_us),
            (Some(90), None, None)
        );
        assert!(!of(&[vec![5]]).tell_something());
        assert!(of(&[(1..=100).collect()]).tell_something());
    }

    #[test]
    fn what_cannot_be_read_is_named_and_the_other_rounds_stay() {
        let mut input = rounds_of(&[("A", 1.0), ("A", 1.0), ("A", 1.0), ("B", 1.0), ("B", 1.0)]);
        let good = latencies_of(&[10, 20]);
        let cut = good[..good.len() / 2].to_owned();
        for (round, text) in input.rounds.iter_mut().zip([
            Some(good),
            Some("no base64!".to_owned()),
            Some(cut),
            Some(String::new()),
            None,
        ]) {
            round.latency_histogram = text;
        }
        let all = Latencies::of(&Experiment::sort(input, None)[0], &Header::now("t"));
        let row = &all.variants[0].summary;
        assert_eq!((row.n, row.set_aside, row.requests), (1, 2, 2));
        let labels: Vec<&str> = all.unreadable.iter().map(|(run, _)| run.as_str()).collect();
        assert_eq!(labels, ["2", "3"], "{:?}", all.unreadable);
        assert_eq!(all.variants.len(), 1, "B has no distribution at all");
    }

    #[test]
    fn no_damage_to_a_distribution_panics_or_is_taken_for_an_empty_one_that_was_read() {
        let good = latencies_of(&(1..500).collect::<Vec<u64>>());
        let mut read = 0;
        for place in 0..good.len() {
            for other in ['A', '/', '9'] {
                let mut text = good.clone();
                text.replace_range(place..=place, &other.to_string());
                if let Ok(histogram) = decode(&text) {
                    let mut sum = Distribution::default();
                    sum.add_text(&good).unwrap();
                    let _ = sum.add(histogram);
                    read += usize::from(sum.requests() >= 499);
                }
            }
        }
        assert!(read > 0, "some letters stay as they were");
    }

    #[test]
    fn ranges_that_differ_add_up() {
        let mut sum = Distribution::default();
        sum.add_text(&latencies_of(&[3])).unwrap();
        let mut wide = hdrhistogram::Histogram::<u64>::new_with_bounds(1, 1 << 40, 2).unwrap();
        wide.record(1 << 39).unwrap();
        sum.add(wide).unwrap();
        assert_eq!((sum.requests(), sum.min_us()), (2, Some(3)));
        assert!(sum.max_us().unwrap() >= 1 << 39);
    }
}
