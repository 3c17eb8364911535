//! Latency distributions of many intervals, added up while they stream past.
//!
//! `hdrhistogram` reads a distribution into an array of every value that it could hold, 200 KB where
//! an interval has a few dozen; millions of those would take minutes. Here the same format is read
//! straight into one sum, and a sum at rest holds only what occurred. `hdrhistogram` itself is what
//! the tests hold it against, and what the sum becomes in the end.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use flate2::{Decompress, FlushDecompress, Status};
use hdrhistogram::Histogram;

/// The cookies of `HdrHistogram`'s V2 encoding, plain and deflated, and the size of the words that
/// counts are written in (`EncodableHistogram`, `HdrHistogram`'s reference implementation).
const PLAIN: u32 = 0x1C84_9303 | 0x10;
const DEFLATED: u32 = 0x1C84_9304 | 0x10;

/// Bytes before the counts: cookie, length, offset, digits, lowest, highest, ratio.
const HEAD_BYTES: usize = 40;

/// More counts than this are those of no latency: three digits from 1 microsecond to an hour take
/// 24,000.
const MOST_COUNTS: usize = 1 << 20;

/// What decides which value a count is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Bounds {
    lowest: u64,
    highest: u64,
    digits: u8,
}

/// Distributions of the same bounds, added up: how often each value occurred, by its place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SparseHistogram {
    bounds: Option<Bounds>,
    /// By place, ascending.
    counts: Vec<(u32, u64)>,
}

/// Adds encoded distributions up.
#[derive(Default)]
pub(crate) struct Adder {
    bounds: Option<Bounds>,
    /// A count for every place up to the highest that occurred.
    counts: Vec<u64>,
    inflate: Option<Decompress>,
    encoded: Vec<u8>,
    plain: Vec<u8>,
}

impl Adder {
    /// Adds one (`records::HISTOGRAM_ENCODING`); none where it cannot be read or has other bounds
    /// than those before it. What was added of it then is no sum any more.
    pub(crate) fn add(&mut self, text: &str) -> Option<()> {
        self.encoded.clear();
        BASE64_STANDARD.decode_vec(text, &mut self.encoded).ok()?;
        let (cookie, rest) = word(&self.encoded)?;
        if cookie == PLAIN {
            let plain = std::mem::take(&mut self.encoded);
            let added = self.add_plain(&plain);
            self.encoded = plain;
            return added;
        }
        let (length, rest) = word(rest)?;
        if cookie != DEFLATED || rest.len() < usize::try_from(length).ok()? {
            return None;
        }
        let inflate = self.inflate.get_or_insert_with(|| Decompress::new(true));
        inflate.reset(true);
        self.plain.clear();
        // A count takes 9 bytes at most.
        self.plain.reserve(16 * 1024);
        loop {
            let taken = usize::try_from(inflate.total_in()).ok()?;
            let input = rest.get(taken..)?;
            match inflate.decompress_vec(input, &mut self.plain, FlushDecompress::Finish) {
                Ok(Status::StreamEnd) => break,
                Ok(_) if self.plain.len() == self.plain.capacity() => {
                    if self.plain.len() > HEAD_BYTES + 9 * MOST_COUNTS {
                        return None;
                    }
                    self.plain.reserve(self.plain.len());
                }
                _ => return None,
            }
        }
        let plain = std::mem::take(&mut self.plain);
        let added = self.add_plain(&plain);
        self.plain = plain;
        added
    }

    fn add_plain(&mut self, bytes: &[u8]) -> Option<()> {
        let (head, payload) = bytes.split_at_checked(HEAD_BYTES)?;
        let (cookie, head) = word(head)?;
        let (length, head) = word(head)?;
        let (offset, head) = word(head)?;
        let (digits, head) = word(head)?;
        let (lowest, head) = long(head)?;
        let (highest, head) = long(head)?;
        let (ratio, _) = long(head)?;
        if cookie != PLAIN || offset != 0 || f64::from_bits(ratio).to_bits() != 1.0_f64.to_bits() {
            return None;
        }
        let bounds = Bounds {
            lowest,
            highest,
            digits: u8::try_from(digits).ok()?,
        };
        if *self.bounds.get_or_insert(bounds) != bounds {
            return None;
        }
        let mut payload = payload.get(..usize::try_from(length).ok()?)?;
        let mut place = 0_usize;
        while !payload.is_empty() {
            let (number, rest) = zig_zag(payload)?;
            payload = rest;
            if number < 0 {
                // So many values that did not occur.
                place = place.checked_add(usize::try_from(number.unsigned_abs()).ok()?)?;
            } else {
                if place >= MOST_COUNTS {
                    return None;
                }
                if place >= self.counts.len() {
                    self.counts.resize(place + 1, 0);
                }
                let count = self.counts.get_mut(place)?;
                *count = count.checked_add(number.unsigned_abs())?;
                place += 1;
            }
        }
        Some(())
    }

    /// Adds a sum; none where its bounds are others.
    pub(crate) fn add_sum(&mut self, sum: &SparseHistogram) -> Option<()> {
        let Some(bounds) = sum.bounds else {
            return Some(());
        };
        if *self.bounds.get_or_insert(bounds) != bounds {
            return None;
        }
        let most = sum.counts.last().map_or(0, |(place, _)| *place);
        let length = usize::try_from(most).ok()? + 1;
        if self.counts.len() < length {
            self.counts.resize(length, 0);
        }
        for (place, more) in &sum.counts {
            let count = self.counts.get_mut(usize::try_from(*place).ok()?)?;
            *count = count.checked_add(*more)?;
        }
        Some(())
    }

    /// The sum so far.
    pub(crate) fn sum(&self) -> SparseHistogram {
        SparseHistogram {
            bounds: self.bounds,
            counts: (0..)
                .zip(&self.counts)
                .filter(|(_, count)| **count > 0)
                .map(|(place, count)| (place, *count))
                .collect(),
        }
    }

    /// The sum, which begins anew.
    pub(crate) fn take(&mut self) -> SparseHistogram {
        let counts = (0..)
            .zip(&mut self.counts)
            .filter(|(_, count)| **count > 0)
            .map(|(place, count)| (place, std::mem::take(count)))
            .collect();
        SparseHistogram {
            bounds: self.bounds.take(),
            counts,
        }
    }
}

impl SparseHistogram {
    /// Adds another; none where its bounds are others.
    pub(crate) fn add(&mut self, other: Self) -> Option<()> {
        let (Some(mine), Some(others)) = (self.bounds, other.bounds) else {
            if self.bounds.is_none() {
                *self = other;
            }
            return Some(());
        };
        if mine != others {
            return None;
        }
        let mut sum = Vec::with_capacity(self.counts.len().max(other.counts.len()));
        let mut others = other.counts.into_iter().peekable();
        for (place, count) in self.counts.drain(..) {
            while let Some(before) = others.next_if(|(other, _)| *other < place) {
                sum.push(before);
            }
            let same = others.next_if(|(other, _)| *other == place);
            sum.push((
                place,
                count.checked_add(same.map_or(0, |(_, count)| count))?,
            ));
        }
        sum.extend(others);
        sum.shrink_to_fit();
        self.counts = sum;
        Some(())
    }

    /// The distribution; none where it is empty or its bounds are those of none.
    pub(crate) fn to_histogram(&self) -> Option<Histogram<u64>> {
        let Bounds {
            lowest,
            highest,
            digits,
        } = self.bounds?;
        let mut histogram = Histogram::new_with_bounds(lowest, highest, digits).ok()?;
        // A place stands for a value as the format says: steps of a fixed size up to a power of two
        // that has the digits, then half as many steps for each doubling, each step twice as wide.
        let steps = 2 * 10_u64.checked_pow(digits.into())?;
        let half = u64::from(steps.checked_next_power_of_two()?.trailing_zeros()) - 1;
        let unit = u64::from(lowest.checked_ilog2()?);
        for (place, count) in &self.counts {
            let place = u64::from(*place);
            let doubling = (place >> half).saturating_sub(1);
            let step = place - (doubling << half);
            let value = step.checked_shl(u32::try_from(doubling + unit).ok()?)?;
            histogram.record_n(value, *count).ok()?;
        }
        (!histogram.is_empty()).then_some(histogram)
    }
}

fn word(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let (first, rest) = bytes.split_first_chunk()?;
    Some((u32::from_be_bytes(*first), rest))
}

fn long(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let (first, rest) = bytes.split_first_chunk()?;
    Some((u64::from_be_bytes(*first), rest))
}

/// A number in the format's zigzag LEB128: seven bits a byte, the ninth byte whole.
fn zig_zag(bytes: &[u8]) -> Option<(i64, &[u8])> {
    let mut number = 0_u64;
    let mut rest = bytes;
    for index in 0..9 {
        let (byte, after) = rest.split_first()?;
        rest = after;
        if index == 8 {
            number |= u64::from(*byte) << 56;
        } else {
            number |= u64::from(byte & 0x7F) << (7 * index);
            if byte & 0x80 == 0 {
                break;
            }
        }
    }
    let magnitude = (number >> 1).cast_signed();
    Some((magnitude ^ -(number & 1).cast_signed(), rest))
}

#[cfg(test)]
mod tests {
    use super::{Adder, SparseHistogram};
    use base64::Engine;
    use base64::prelude::BASE64_STANDARD;
    use hdrhistogram::Histogram;
    use hdrhistogram::serialization::{Serializer, V2DeflateSerializer, V2Serializer};

    fn histogram(values: impl IntoIterator<Item = (u64, u64)>) -> Histogram<u64> {
        let mut histogram = Histogram::new_with_bounds(1, 3_600_000_000, 3).unwrap();
        for (value, count) in values {
            histogram.record_n(value, count).unwrap();
        }
        histogram
    }

    fn deflated(histogram: &Histogram<u64>) -> String {
        let mut bytes = Vec::new();
        let mut serializer = V2DeflateSerializer::new();
        serializer.serialize(histogram, &mut bytes).unwrap();
        BASE64_STANDARD.encode(bytes)
    }

    /// Values over the whole range, some with counts of many bytes.
    fn several() -> Vec<Histogram<u64>> {
        let spread = |from: u64, step: u64| {
            (0..400).map(move |n: u64| ((from + step * n * n).min(3_600_000_000), 1 + n % 5))
        };
        vec![
            histogram([(1, 1), (2047, 3), (2048, 4), (2049, 1), (4096, 1)]),
            histogram(spread(300, 7)),
            histogram(spread(1, 22_499)),
            histogram([(3_600_000_000, 1 << 40), (777, u64::from(u32::MAX))]),
            histogram([]),
        ]
    }

    #[test]
    fn the_sum_is_the_one_that_hdrhistogram_makes_of_the_same() {
        let (mut adder, mut expected) = (Adder::default(), histogram([]));
        let mut parts = SparseHistogram::default();
        let mut sums = Adder::default();
        for one in several() {
            adder.add(&deflated(&one)).unwrap();
            expected.add(&one).unwrap();
            let mut alone = Adder::default();
            alone.add(&deflated(&one)).unwrap();
            let alone = alone.take();
            sums.add_sum(&alone).unwrap();
            parts.add(alone).unwrap();
        }
        assert_eq!(sums.sum(), parts);
        let sum = adder.take();
        assert_eq!(sum, parts);
        assert_eq!(sum.to_histogram().unwrap(), expected);
        assert_eq!(adder.take(), SparseHistogram::default(), "it begins anew");
    }

    #[test]
    fn the_plain_form_and_other_digits_are_read_too() {
        let mut one = Histogram::<u64>::new_with_bounds(1000, 10_000_000, 2).unwrap();
        for value in [1000, 5000, 260_000, 9_999_999] {
            one.record_n(value, 7).unwrap();
        }
        let mut bytes = Vec::new();
        V2Serializer::new().serialize(&one, &mut bytes).unwrap();
        let mut adder = Adder::default();
        adder.add(&BASE64_STANDARD.encode(bytes)).unwrap();
        assert_eq!(adder.take().to_histogram().unwrap(), one);
    }

    #[test]
    fn what_is_cut_off_or_of_other_bounds_is_refused() {
        let whole = deflated(&several()[1]);
        for cut in (0..whole.len()).step_by(4) {
            assert_eq!(Adder::default().add(&whole[..cut]), None, "{cut}");
        }
        let other = Histogram::<u64>::new_with_bounds(1, 1_000_000, 3).unwrap();
        let mut adder = Adder::default();
        adder.add(&whole).unwrap();
        assert_eq!(adder.add(&deflated(&other)), None);
        assert_eq!(Adder::default().add("no base64!"), None);
    }
}
