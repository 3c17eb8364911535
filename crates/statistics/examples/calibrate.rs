//! `make calibrate`: how often the method is wrong where the truth is known.
//!
//! Campaigns of rounds are made up by a seeded generator, analysed by the functions that
//! `summarize` uses, and counted. Prints the tables of docs/calibration.md.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use statistics::{Direction, Estimate, StatisticsError, log_ratios};
use std::f64::consts::TAU;

/// Campaigns for each line of a table of the truth that nothing differs.
const CAMPAIGNS: u32 = 4_000;
/// Campaigns for each figure of power.
const POWER_CAMPAIGNS: u32 = 1_000;
const SEED: u64 = 61_803_398;
const CONFIDENCE: f64 = 0.95;
const ALPHA: f64 = 0.05;
/// The floor of `summarize`, for the table of power.
const FLOOR: f64 = 0.02;

/// In which order the two variants of each pair ran.
#[derive(Clone, Copy)]
enum Order {
    /// A coin for each pair.
    Random,
    /// Every second pair the other way round.
    Abba,
    /// Always the baseline first.
    Abab,
    /// All of the baseline before all of the variant, and no pairs.
    OneAfterTheOther,
}

const ORDERS: [Order; 4] = [
    Order::Random,
    Order::Abba,
    Order::Abab,
    Order::OneAfterTheOther,
];

impl Order {
    fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Abba => "ABBA",
            Self::Abab => "ABAB",
            Self::OneAfterTheOther => "all A, all B",
        }
    }
}

/// What a machine does to the rounds besides the variant; log scale.
#[derive(Clone, Copy)]
struct Noise {
    name: &'static str,
    /// The standard deviation of a round.
    deviation: f64,
    /// How much of a round's noise goes on into the next.
    autocorrelation: f64,
    /// How much the last round is slower than the first.
    drift: f64,
    /// How much slower the middle third is.
    neighbour: f64,
    /// Now and then a round is far out: Student's t with three degrees of freedom.
    heavy_tails: bool,
}

const WHITE: Noise = Noise {
    name: "independent",
    deviation: 0.05,
    autocorrelation: 0.0,
    drift: 0.0,
    neighbour: 0.0,
    heavy_tails: false,
};

const NOISES: [Noise; 6] = [
    WHITE,
    Noise {
        name: "drift of 20 %",
        drift: 0.2,
        ..WHITE
    },
    Noise {
        name: "autocorrelated (0.6)",
        autocorrelation: 0.6,
        ..WHITE
    },
    Noise {
        name: "drift and autocorrelated",
        drift: 0.2,
        autocorrelation: 0.6,
        ..WHITE
    },
    Noise {
        name: "the same, heavy tails",
        drift: 0.2,
        autocorrelation: 0.6,
        heavy_tails: true,
        ..WHITE
    },
    Noise {
        name: "a neighbour for a third of the time",
        autocorrelation: 0.6,
        neighbour: 0.15,
        ..WHITE
    },
];

impl Noise {
    /// The log times of `count` rounds in a row.
    fn rounds(self, count: usize, random: &mut ChaCha8Rng) -> Vec<f64> {
        let fresh = (1.0 - self.autocorrelation * self.autocorrelation).sqrt();
        let mut carried = self.draw(random);
        (0..count)
            .map(|place| {
                if place > 0 {
                    carried = self.autocorrelation * carried + fresh * self.draw(random);
                }
                let through = number(place) / number(count - 1);
                let neighbour = if (1.0 / 3.0..2.0 / 3.0).contains(&through) {
                    self.neighbour
                } else {
                    0.0
                };
                self.deviation * carried + self.drift.ln_1p() * through + neighbour.ln_1p()
            })
            .collect()
    }

    /// One draw of variance 1.
    fn draw(self, random: &mut ChaCha8Rng) -> f64 {
        let normal = gaussian(random);
        if !self.heavy_tails {
            return normal;
        }
        let squares: f64 = (0..3).map(|_| gaussian(random).powi(2)).sum();
        normal / squares.sqrt()
    }
}

/// Box and Muller.
fn gaussian(random: &mut ChaCha8Rng) -> f64 {
    let radius = (-2.0 * (1.0 - random.random::<f64>()).ln()).sqrt();
    radius * (TAU * random.random::<f64>()).cos()
}

/// One campaign: `pairs` rounds of each variant, the variant `effect` (a log ratio) slower.
fn campaign(
    noise: Noise,
    order: Order,
    pairs: usize,
    effect: f64,
    random: &mut ChaCha8Rng,
) -> Result<Estimate, StatisticsError> {
    let times = noise.rounds(2 * pairs, random);
    let mut baseline = Vec::with_capacity(pairs);
    let mut variant = Vec::with_capacity(pairs);
    if matches!(order, Order::OneAfterTheOther) {
        let (first, second) = times.split_at(pairs);
        baseline.extend(first.iter().map(|time| time.exp()));
        variant.extend(second.iter().map(|time| (time + effect).exp()));
        return Estimate::of_lists(&baseline, &variant, CONFIDENCE);
    }
    for (pair, rounds) in times.chunks_exact(2).enumerate() {
        let turned = match order {
            Order::Random => random.random(),
            Order::Abba => pair % 2 == 1,
            Order::Abab | Order::OneAfterTheOther => false,
        };
        let [first, second] = [rounds[0], rounds[1]];
        let (of_baseline, of_variant) = if turned {
            (second, first)
        } else {
            (first, second)
        };
        baseline.push(of_baseline.exp());
        variant.push((of_variant + effect).exp());
    }
    Estimate::of_pairs(&log_ratios(&baseline, &variant)?, CONFIDENCE)
}

/// How many of the campaigns ended in each way.
#[derive(Default)]
struct Count {
    campaigns: u32,
    slower: u32,
    faster: u32,
    equivalent: u32,
    covered: u32,
}

/// Runs campaigns with a generator of their own, the `stream`-th of the seed, so that lines are
/// independent and one can be worked out without the others.
fn count(
    campaigns: u32,
    stream: u64,
    floor: f64,
    mut campaign: impl FnMut(&mut ChaCha8Rng) -> Result<(Estimate, f64), StatisticsError>,
) -> Result<Count, StatisticsError> {
    let mut random = ChaCha8Rng::seed_from_u64(SEED);
    random.set_stream(stream);
    let mut count = Count {
        campaigns,
        ..Count::default()
    };
    for _ in 0..campaigns {
        let (estimate, effect) = campaign(&mut random)?;
        match estimate.verdict(estimate.p.p, ALPHA, floor) {
            Direction::More => count.slower += 1,
            Direction::Less => count.faster += 1,
            Direction::Equivalent => count.equivalent += 1,
            Direction::Undecided => {}
        }
        count.covered += u32::from(
            estimate
                .interval
                .is_none_or(|interval| (interval.low..=interval.high).contains(&effect)),
        );
    }
    Ok(count)
}

fn number(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}

impl Count {
    /// A share of the campaigns, in percent.
    fn percent(&self, count: u32) -> f64 {
        100.0 * f64::from(count) / f64::from(self.campaigns)
    }

    /// A share with half of its 95 % interval: 1.96 times the binomial standard error.
    fn with_error(&self, count: u32) -> String {
        let share = f64::from(count) / f64::from(self.campaigns);
        let error = 196.0 * (share * (1.0 - share) / f64::from(self.campaigns)).sqrt();
        format!("{:.1} % ± {error:.1}", self.percent(count))
    }
}

fn false_alarms() -> Result<(), StatisticsError> {
    println!("| noise | order | pairs | false verdicts | interval covers |");
    println!("| --- | --- | ---: | ---: | ---: |");
    let mut stream = 0;
    for noise in NOISES {
        for order in ORDERS {
            for pairs in [6, 10, 16] {
                stream += 1;
                let count = count(CAMPAIGNS, stream, 0.0, |random| {
                    Ok((campaign(noise, order, pairs, 0.0, random)?, 0.0))
                })?;
                println!(
                    "| {} | {} | {pairs} | {} | {} |",
                    noise.name,
                    order.name(),
                    count.with_error(count.slower + count.faster),
                    count.with_error(count.covered),
                );
            }
        }
    }
    Ok(())
}

fn power() -> Result<(), StatisticsError> {
    println!(
        "| a round spreads by | pairs | finds 3 % | finds 5 % | finds 10 % | calls 0 % equivalent |"
    );
    println!("| ---: | ---: | ---: | ---: | ---: | ---: |");
    let mut stream = 1_000;
    for deviation in [0.01, 0.02, 0.05, 0.10] {
        let noise = Noise { deviation, ..WHITE };
        for pairs in [6, 8, 10, 12, 16, 20] {
            print!("| {:.0} % | {pairs} |", deviation * 100.0);
            for slower_by in [0.03_f64, 0.05, 0.10, 0.0] {
                stream += 1;
                let effect = slower_by.ln_1p();
                let count = count(POWER_CAMPAIGNS, stream, FLOOR, |random| {
                    Ok((
                        campaign(noise, Order::Random, pairs, effect, random)?,
                        effect,
                    ))
                })?;
                let right = if slower_by > 0.0 {
                    count.slower
                } else {
                    count.equivalent
                };
                print!(" {:.1} % |", count.percent(right));
            }
            println!();
        }
    }
    Ok(())
}

fn main() -> Result<(), StatisticsError> {
    println!(
        "# How often the method is wrong where the truth is known\n\n\
         Written by `make calibrate`. Campaigns of rounds are made up by a seeded generator (seed\n\
         {SEED}) and analysed by the functions that `summarize` uses; [method.md](method.md) says\n\
         what they do. A round spreads by 5 % (standard deviation) where nothing else is said.\n\n\
         ## Nothing differs\n\n\
         {CAMPAIGNS} campaigns a line. A false verdict is `faster` or `slower`; there is no floor. The\n\
         test allows at most 5 %, and an interval of 95 % covers the truth in 95 %, where order is\n\
         drawn. After ± stands half of the 95 % interval of the count itself.\n"
    );
    false_alarms()?;
    println!(
        "\n## Power\n\n\
         {POWER_CAMPAIGNS} campaigns a figure, independent noise, drawn order, a floor of 2 %: how often a variant\n\
         that is slower by so much is called slower, and one that is not is called equivalent.\n"
    );
    power()
}
