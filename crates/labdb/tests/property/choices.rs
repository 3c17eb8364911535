//! A sequence of choices from which cases are made, so that a shorter and smaller sequence is a
//! simpler case: shrinking the sequence shrinks what was made from it.

use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};

/// What is left of a sequence; past its end every choice is the first.
pub(crate) struct Choices<'a> {
    rest: std::slice::Iter<'a, u16>,
}

impl<'a> Choices<'a> {
    pub(crate) fn new(sequence: &'a [u16]) -> Self {
        Self {
            rest: sequence.iter(),
        }
    }

    /// A number below `n`.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        usize::from(self.rest.next().copied().unwrap_or(0)) % n
    }

    /// True once in `n`, and never at the end.
    pub(crate) fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == n - 1
    }

    /// One of some.
    pub(crate) fn of<T: Clone>(&mut self, some: &[T]) -> T {
        some[self.below(some.len())].clone()
    }
}

/// The name of the variable that brings a seed back.
const SEED: &str = "PROPERTY_SEED";

/// Runs a property on `cases` sequences of up to `length` choices, more or fewer where
/// `PROPTEST_CASES` says so: once from a fixed seed, so that everyone runs the same cases, and
/// once from a fresh one, which is printed; or only from the one that `PROPERTY_SEED` gives.
pub(crate) fn check(cases: u32, length: usize, property: impl Fn(&[u16]) -> Result<(), String>) {
    let seeds = match std::env::var(SEED) {
        Ok(text) => vec![text.parse().unwrap()],
        Err(_) => vec![1, rand::random::<u64>()],
    };
    let cases = match std::env::var("PROPTEST_CASES") {
        Ok(text) => text.parse().unwrap(),
        Err(_) => cases,
    };
    for seed in seeds {
        println!("{cases} cases from {SEED}={seed}");
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        let mut runner = TestRunner::new_with_rng(
            Config {
                cases,
                failure_persistence: None,
                max_shrink_iters: 20_000,
                ..Config::default()
            },
            TestRng::from_seed(RngAlgorithm::ChaCha, &bytes),
        );
        let sequences = proptest::collection::vec(proptest::num::u16::ANY, 0..=length);
        let outcome = runner.run(&sequences, |sequence| {
            property(&sequence).map_err(TestCaseError::fail)
        });
        if let Err(TestError::Fail(reason, _)) = outcome {
            panic!("{SEED}={seed}: {reason}");
        }
        outcome.unwrap();
    }
}
