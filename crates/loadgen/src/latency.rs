//! Latencies of transactions, in a histogram of bounded size.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Serializer, V2DeflateSerializer, V2Serializer};
use records::{Failure, FailureCode, Latency};
use std::time::Duration;

/// The longest latency that is told apart, in microseconds: one hour. Longer ones count as it.
const HIGHEST_US: u64 = 3_600_000_000;
/// Significant decimal digits: a value is exact to one part in a thousand.
const DIGITS: u8 = 3;

/// Latencies from 1 microsecond to one hour, in a fixed 200 KB or so.
#[derive(Clone, Debug)]
pub(crate) struct Latencies(Histogram<u64>);

impl Latencies {
    /// No latency yet.
    pub(crate) fn new() -> Result<Self, Failure> {
        Histogram::new_with_bounds(1, HIGHEST_US, DIGITS)
            .map(Self)
            .map_err(|error| defect(&error))
    }

    /// Counts one latency.
    pub(crate) fn record(&mut self, latency: Duration) {
        let us = u64::try_from(latency.as_micros()).unwrap_or(HIGHEST_US);
        self.0.saturating_record(us.max(1));
    }

    /// Adds another worker's latencies.
    pub(crate) fn add(&mut self, other: &Self) -> Result<(), Failure> {
        self.0.add(&other.0).map_err(|error| defect(&error))
    }

    /// Whether nothing was counted.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Forgets what was counted.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// Each latency in microseconds that occurred, and how often: as many as there are different
    /// ones.
    pub(crate) fn counts(&self) -> Box<[(u64, u64)]> {
        self.0
            .iter_recorded()
            .map(|step| (step.value_iterated_to(), step.count_at_value()))
            .collect()
    }

    /// Counts what [`Self::counts`] gave.
    pub(crate) fn add_counts(&mut self, counts: &[(u64, u64)]) {
        for (us, count) in counts {
            self.0.saturating_record_n(*us, *count);
        }
    }

    /// The distribution as an interval has it: not deflated, because there are many of them, each
    /// is small, and inflating is most of the work of adding them up.
    pub(crate) fn plain_text(&self) -> Result<String, Failure> {
        let mut bytes = Vec::new();
        V2Serializer::new()
            .serialize(&self.0, &mut bytes)
            .map_err(|error| defect(&error))?;
        Ok(STANDARD.encode(bytes))
    }

    /// The distribution as a record has it; none where nothing was counted.
    pub(crate) fn summary(&self) -> Result<Option<Latency>, Failure> {
        let histogram = &self.0;
        if histogram.is_empty() {
            return Ok(None);
        }
        let mut bytes = Vec::new();
        V2DeflateSerializer::new()
            .serialize(histogram, &mut bytes)
            .map_err(|error| defect(&error))?;
        Ok(Some(Latency {
            count: histogram.len(),
            min_us: histogram.min(),
            mean_us: histogram.mean(),
            p50_us: histogram.value_at_quantile(0.50),
            p90_us: histogram.value_at_quantile(0.90),
            p95_us: histogram.value_at_quantile(0.95),
            p99_us: histogram.value_at_quantile(0.99),
            p999_us: histogram.value_at_quantile(0.999),
            max_us: histogram.max(),
            histogram: STANDARD.encode(bytes),
        }))
    }
}

fn defect(error: &dyn std::fmt::Display) -> Failure {
    Failure::new(
        FailureCode::Failed,
        format!("the latencies could not be put together: {error}"),
    )
    .remedy("This is a defect of loadgen; please report it.")
}

#[cfg(test)]
impl Latencies {
    /// Adds a distribution as a record has it.
    pub(crate) fn add_encoded(&mut self, text: &str) {
        let bytes = STANDARD.decode(text).unwrap();
        let mut reader = hdrhistogram::serialization::Deserializer::new();
        let read: Histogram<u64> = reader.deserialize(&mut &bytes[..]).unwrap();
        self.0.add(read).unwrap();
    }
}

#[cfg(test)]
mod tests {
    use super::Latencies;
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use hdrhistogram::Histogram;
    use hdrhistogram::serialization::Deserializer;
    use std::time::Duration;

    #[test]
    fn quantiles_of_a_known_ladder_are_exact_to_one_part_in_a_thousand() {
        let mut latencies = Latencies::new().unwrap();
        for us in 1..=10_000 {
            latencies.record(Duration::from_micros(us));
        }
        let summary = latencies.summary().unwrap().unwrap();
        let near = |got: u64, expected: f64| {
            #[allow(clippy::cast_precision_loss)]
            let got = got as f64;
            assert!(
                (got - expected).abs() / expected <= 0.001,
                "{got} {expected}"
            );
        };
        assert_eq!(summary.count, 10_000);
        assert_eq!(summary.min_us, 1);
        near(summary.p50_us, 5_000.0);
        near(summary.p90_us, 9_000.0);
        near(summary.p95_us, 9_500.0);
        near(summary.p99_us, 9_900.0);
        near(summary.p999_us, 9_990.0);
        near(summary.max_us, 10_000.0);
        // The sum of 1 to n is n (n + 1) / 2.
        assert!((summary.mean_us - 5_000.5).abs() < 5.0);
    }

    #[test]
    fn merged_workers_give_the_distribution_of_all() {
        let (mut first, mut second) = (Latencies::new().unwrap(), Latencies::new().unwrap());
        for _ in 0..3 {
            first.record(Duration::from_micros(100));
        }
        second.record(Duration::from_micros(900));
        first.add(&second).unwrap();
        let summary = first.summary().unwrap().unwrap();
        assert_eq!(
            (summary.count, summary.p50_us, summary.max_us),
            (4, 100, 900)
        );
        assert!((summary.mean_us - 300.0).abs() < 1.0);
    }

    #[test]
    fn the_whole_distribution_can_be_read_back_by_the_formats_own_reader() {
        let mut latencies = Latencies::new().unwrap();
        for us in [1, 250, 250, 4_000] {
            latencies.record(Duration::from_micros(us));
        }
        let encoded = latencies.summary().unwrap().unwrap().histogram;
        let bytes = STANDARD.decode(encoded).unwrap();
        let read: Histogram<u64> = Deserializer::new().deserialize(&mut &bytes[..]).unwrap();
        assert_eq!((read.len(), read.count_at(250)), (4, 2));
        assert!(read.equivalent(read.max(), 4_000), "{}", read.max());
    }

    #[test]
    fn what_is_outside_the_range_counts_as_its_end() {
        let mut latencies = Latencies::new().unwrap();
        latencies.record(Duration::ZERO);
        latencies.record(Duration::from_hours(2));
        let summary = latencies.summary().unwrap().unwrap();
        assert_eq!((summary.count, summary.min_us), (2, 1));
        assert!(summary.max_us >= 3_600_000_000 && summary.max_us < 3_610_000_000);
    }

    #[test]
    fn nothing_counted_is_no_distribution() {
        assert_eq!(Latencies::new().unwrap().summary().unwrap(), None);
    }
}
