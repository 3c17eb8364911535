//! How many patterns are drawn, and drawing long ones quickly.

use rand::Rng;

/// Lists longer than this are drawn less often: each draw takes longer, and where thousands of values
/// agree or disagree, the p of a doubtful case needs no third decimal. Its standard error says how
/// many there were.
pub(crate) const LONG: usize = 1_000;

/// As many draws of a list of `length` as take about the time of `usual` draws of [`LONG`] values; a
/// tenth of `usual` at least.
pub(crate) fn draws(usual: usize, length: usize) -> usize {
    (usual * LONG / length.max(LONG)).max(usual / 10)
}

/// Sum and size of a random subset, each value in it or not by the toss of a coin: one bit of a
/// random word a value.
pub(crate) fn random_subset(random: &mut impl Rng, values: &[f64]) -> (f64, usize) {
    // Four sums, so that one addition need not wait for the one before it.
    let mut sums = [0.0; 4];
    let mut size = 0_usize;
    for chunk in values.chunks(64) {
        let mut coins: u64 = random.random();
        if chunk.len() < 64 {
            coins &= (1 << chunk.len()) - 1;
        }
        size += usize::try_from(coins.count_ones()).unwrap_or_default();
        for four in chunk.chunks(4) {
            for (sum, value) in sums.iter_mut().zip(four) {
                // All bits of the value or none.
                *sum += f64::from_bits(value.to_bits() & (coins & 1).wrapping_neg());
                coins >>= 1;
            }
        }
    }
    (sums.iter().sum(), size)
}

#[cfg(test)]
mod tests {
    use super::{draws, random_subset};
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn short_lists_have_all_draws_and_long_ones_a_tenth_at_least() {
        assert_eq!(draws(200_000, 21), 200_000);
        assert_eq!(draws(200_000, 1_000), 200_000);
        assert_eq!(draws(200_000, 4_000), 50_000);
        assert_eq!(draws(200_000, 1_000_000), 20_000);
    }

    #[test]
    fn every_value_is_in_half_of_the_subsets_and_sum_and_size_are_of_the_same() {
        let mut random = ChaCha8Rng::seed_from_u64(7);
        // Powers of two: the sum says which values were taken.
        let values: Vec<f64> = (0..45).map(|power| f64::from(power).exp2()).collect();
        let padded = [vec![0.0; 150], values].concat();
        let mut taken = [0_u32; 45];
        for _ in 0..4_000 {
            let (sum, size) = random_subset(&mut random, &padded);
            assert!(size <= 195);
            let mut rest = sum;
            for power in (0..45).rev() {
                let value = f64::from(u32::try_from(power).unwrap()).exp2();
                if rest >= value {
                    rest -= value;
                    taken[power] += 1;
                }
            }
        }
        // 2,000 with a standard deviation of 32.
        assert!(
            taken.iter().all(|count| count.abs_diff(2_000) < 160),
            "{taken:?}"
        );
        let (sum, size) = random_subset(&mut random, &[1.0; 130]);
        assert_eq!(sum.to_bits(), crate::error::real(size).to_bits());
    }
}
