//! The statistics of an experiment as pure functions.
//!
//! The unit is the round. Rounds of two variants that ran next to each other are a pair; what is
//! analysed is the log ratio within a pair, so that what both rounds share (a slow hour of the
//! machine) falls out. The test is the exact sign-flip test, the interval is that test inverted,
//! the estimate is that of Hodges and Lehmann.
//!
//! Every function takes finite numbers and says so by a typed error where it is given others; none
//! panics and none drops a value.

mod describe;
mod draws;
mod drift;
mod error;
mod estimate;
mod hodges_lehmann;
mod holm;
mod interval;
mod line;
mod median_interval;
mod outliers;
mod pairs;
mod power;
mod sign_flip;
mod slot;
mod unpaired;
mod verdict;

pub use describe::{Description, describe, mean, quantile, sample_sd};
pub use drift::{Drift, drift, theil_sen_slope};
pub use error::StatisticsError;
pub use estimate::Estimate;
pub use hodges_lehmann::hodges_lehmann;
pub use holm::holm;
pub use interval::{Interval, sign_flip_interval};
pub use line::{Line, least_squares};
pub use median_interval::median_interval;
pub use outliers::{OUTLIER_THRESHOLD, outliers};
pub use pairs::{log_ratios, ratio};
pub use power::{POWER, least_pairs, pairs_needed};
pub use sign_flip::{EXACT_PAIRS, MONTE_CARLO_DRAWS, MONTE_CARLO_SEED, PValue, sign_flip_test};
pub use slot::{SlotEffect, slot_effect};
pub use unpaired::{EXACT_VALUES, rank_sum_test, shift, shift_interval};
pub use verdict::{Direction, decide};
