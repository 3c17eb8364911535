//! What log flushes take besides what the disk takes.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use rand::SeedableRng;
use rand::rngs::StdRng;

use super::distribution::{Distribution, Sampler};
use super::stall::Stall;
use crate::error::Result;

/// A delay in every log flush, stalls of all log flushes at certain times, or both.
#[derive(Clone, Debug, Default)]
pub struct FlushDelay(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    drawn: Option<(Sampler, Mutex<StdRng>)>,
    stalls: Vec<Stall>,
}

impl FlushDelay {
    /// Always the same.
    #[must_use]
    pub fn fixed(delay: Duration) -> Self {
        let random = Mutex::new(StdRng::seed_from_u64(0));
        Self(Arc::new(Inner {
            drawn: Some((Sampler::Fixed(delay), random)),
            stalls: Vec::new(),
        }))
    }

    /// Drawn for each flush by a generator with this seed, and the stalls. The same seed draws the
    /// same delays in the order of the flushes.
    ///
    /// # Errors
    /// `Invalid` for parameters that the distribution does not have.
    pub fn new(distribution: Option<(Distribution, u64)>, stalls: Vec<Stall>) -> Result<Self> {
        let drawn = match distribution {
            Some((distribution, seed)) => Some((
                Sampler::new(&distribution)?,
                Mutex::new(StdRng::seed_from_u64(seed)),
            )),
            None => None,
        };
        Ok(Self(Arc::new(Inner { drawn, stalls })))
    }

    /// Takes the time that the next flush takes.
    pub(crate) fn sleep(&self) {
        if let Some((sampler, random)) = &self.0.drawn {
            let delay = sampler.draw(&mut random.lock());
            std::thread::sleep(delay);
        }
        for stall in &self.0.stalls {
            stall.wait();
        }
    }
}
