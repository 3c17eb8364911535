//! The distributions that a delay can be drawn from, by the names and parameters of textbooks.

use std::time::Duration;

use rand::Rng;
use rand::rngs::StdRng;
use rand_distr::{Distribution as _, Exp, LogNormal, Normal, Pareto};

use crate::error::{Result, StorageError};

/// What a draw is cut to: a heavy tail must not stop a server for good.
pub const LONGEST_DRAW: Duration = Duration::from_mins(1);

/// A distribution of times. Draws above [`LONGEST_DRAW`] count as that.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Distribution {
    /// Always the same.
    Fixed(Duration),
    /// Evenly from `least` to `most`, both included.
    Uniform {
        /// The shortest.
        least: Duration,
        /// The longest.
        most: Duration,
    },
    /// Exponential.
    Exponential {
        /// Its mean, which is its standard deviation too.
        mean: Duration,
    },
    /// Normal, truncated at 0: a negative draw is drawn again.
    Normal {
        /// The mean before truncation.
        mean: Duration,
        /// The standard deviation before truncation.
        deviation: Duration,
    },
    /// Log-normal.
    LogNormal {
        /// Its median: `exp(mu)`.
        median: Duration,
        /// The standard deviation of its logarithm.
        sigma: f64,
    },
    /// Pareto (type I).
    Pareto {
        /// The least value.
        scale: Duration,
        /// The tail index: the mean exists above 1, the variance above 2.
        shape: f64,
    },
}

/// A distribution that was checked, ready to be drawn from.
#[derive(Debug)]
pub(super) enum Sampler {
    Fixed(Duration),
    Uniform(Duration, Duration),
    Exponential(Exp<f64>),
    Normal(Normal<f64>),
    LogNormal(LogNormal<f64>),
    Pareto(Pareto<f64>),
}

fn impossible(reason: &str) -> StorageError {
    StorageError::Invalid(format!("the distribution of a delay cannot be: {reason}"))
}

impl Sampler {
    /// # Errors
    /// `Invalid` for parameters that the distribution does not have.
    pub(super) fn new(distribution: &Distribution) -> Result<Self> {
        let positive = |time: Duration, name: &str| {
            if time.is_zero() {
                Err(impossible(&format!("its {name} is 0")))
            } else {
                Ok(time.as_secs_f64())
            }
        };
        Ok(match *distribution {
            Distribution::Fixed(delay) => Self::Fixed(delay),
            Distribution::Uniform { least, most } if least <= most => Self::Uniform(least, most),
            Distribution::Uniform { .. } => {
                return Err(impossible("its least is above its most"));
            }
            Distribution::Exponential { mean } => {
                let rate = 1.0 / positive(mean, "mean")?;
                Self::Exponential(Exp::new(rate).map_err(|e| impossible(&e.to_string()))?)
            }
            Distribution::Normal { mean, deviation } => {
                let normal = Normal::new(mean.as_secs_f64(), deviation.as_secs_f64());
                Self::Normal(normal.map_err(|e| impossible(&e.to_string()))?)
            }
            Distribution::LogNormal { sigma, .. } if sigma < 0.0 => {
                return Err(impossible("its sigma is negative"));
            }
            Distribution::LogNormal { median, sigma } => {
                let mu = positive(median, "median")?.ln();
                let drawn = LogNormal::new(mu, sigma);
                Self::LogNormal(drawn.map_err(|e| impossible(&e.to_string()))?)
            }
            Distribution::Pareto { scale, shape } => {
                let pareto = Pareto::new(positive(scale, "scale")?, shape);
                Self::Pareto(pareto.map_err(|e| impossible(&e.to_string()))?)
            }
        })
    }

    pub(super) fn draw(&self, random: &mut StdRng) -> Duration {
        let seconds = match self {
            Self::Fixed(delay) => return (*delay).min(LONGEST_DRAW),
            Self::Uniform(least, most) => {
                return random.random_range(*least..=*most).min(LONGEST_DRAW);
            }
            Self::Exponential(exponential) => exponential.sample(random),
            // The mean is not negative, so every second draw at least is kept.
            Self::Normal(normal) => loop {
                let drawn = normal.sample(random);
                if drawn >= 0.0 {
                    break drawn;
                }
            },
            Self::LogNormal(log_normal) => log_normal.sample(random),
            Self::Pareto(pareto) => pareto.sample(random),
        };
        Duration::from_secs_f64(seconds.clamp(0.0, LONGEST_DRAW.as_secs_f64()))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use rand::SeedableRng;
    use statrs::distribution::{
        ContinuousCDF, Exp as ExpCdf, LogNormal as LogNormalCdf, Normal as NormalCdf,
        Pareto as ParetoCdf, Uniform as UniformCdf,
    };

    use super::*;

    const DRAWS: u32 = 100_000;

    fn draws(distribution: &Distribution) -> Vec<f64> {
        let mut random = StdRng::seed_from_u64(42);
        let sampler = Sampler::new(distribution).unwrap();
        (0..DRAWS)
            .map(|_| sampler.draw(&mut random).as_secs_f64() * 1e3)
            .collect()
    }

    /// The largest distance between the draws' and a distribution function (Kolmogorov-Smirnov),
    /// times the root of their number: below 1.95 in 999 of 1,000 samples, and about 300 where
    /// all is wrong.
    fn distance(distribution: &Distribution, theory: impl Fn(f64) -> f64) -> f64 {
        let mut sorted = draws(distribution);
        sorted.sort_by(f64::total_cmp);
        let n = f64::from(DRAWS);
        let largest = (0..DRAWS).zip(&sorted).fold(0.0_f64, |largest, (i, x)| {
            let expected = theory(*x);
            let below = (expected - f64::from(i) / n).abs();
            let above = (f64::from(i + 1) / n - expected).abs();
            largest.max(below).max(above)
        });
        largest * n.sqrt()
    }

    const fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    #[test]
    fn draws_follow_the_distribution_functions_of_textbooks() {
        let normal = NormalCdf::new(2.0, 1.5).unwrap();
        let cut = normal.cdf(0.0);
        let exponential = ExpCdf::new(0.5).unwrap();
        let log_normal = LogNormalCdf::new(2.0_f64.ln(), 0.8).unwrap();
        let pareto = ParetoCdf::new(1.0, 2.5).unwrap();
        let uniform = UniformCdf::new(1.0, 3.0).unwrap();
        let mut distances = BTreeMap::new();
        let mut hold = |name, distribution, theory: &dyn Fn(f64) -> f64| {
            distances.insert(name, distance(&distribution, theory));
        };
        let (least, most) = (ms(1), ms(3));
        hold("uniform", Distribution::Uniform { least, most }, &|x| {
            uniform.cdf(x)
        });
        let mean = ms(2);
        hold("exponential", Distribution::Exponential { mean }, &|x| {
            exponential.cdf(x)
        });
        let deviation = Duration::from_micros(1500);
        hold("normal", Distribution::Normal { mean, deviation }, &|x| {
            (normal.cdf(x) - cut) / (1.0 - cut)
        });
        let (median, sigma) = (ms(2), 0.8);
        hold(
            "lognormal",
            Distribution::LogNormal { median, sigma },
            &|x| log_normal.cdf(x),
        );
        let (scale, shape) = (ms(1), 2.5);
        hold("pareto", Distribution::Pareto { scale, shape }, &|x| {
            pareto.cdf(x)
        });
        assert!(distances.values().all(|d| *d < 1.95), "{distances:?}");
        // The test can fail: a mean that is 2 % off is seen.
        let mean = Duration::from_micros(2040);
        let off = distance(&Distribution::Exponential { mean }, |x| exponential.cdf(x));
        assert!(off > 1.95, "{off}");
    }

    #[test]
    fn the_same_seed_draws_the_same_delays() {
        let distribution = Distribution::Exponential { mean: ms(2) };
        assert_eq!(draws(&distribution), draws(&distribution));
    }

    #[test]
    fn a_heavy_tail_is_cut_at_a_minute() {
        let distribution = Distribution::Pareto {
            scale: ms(1),
            shape: 0.1,
        };
        let longest = draws(&distribution).into_iter().fold(0.0, f64::max);
        assert!((longest - 60_000.0).abs() < 1e-6, "{longest}");
    }

    #[test]
    fn impossible_parameters_are_errors() {
        for distribution in [
            Distribution::Uniform {
                least: ms(3),
                most: ms(1),
            },
            Distribution::Exponential { mean: ms(0) },
            Distribution::LogNormal {
                median: ms(1),
                sigma: -1.0,
            },
            Distribution::Pareto {
                scale: ms(0),
                shape: 2.0,
            },
            Distribution::Pareto {
                scale: ms(1),
                shape: 0.0,
            },
        ] {
            let error = Sampler::new(&distribution).unwrap_err().to_string();
            assert!(error.contains("cannot be"), "{error}");
        }
    }
}
