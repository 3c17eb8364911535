//! More than two variants in their order.

use crate::Header;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The place of one variant among all of an experiment on its headline metric. Every variant is
/// compared with every other in the blocks that hold a round of both, Holm's correction over all
/// of these comparisons.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Ranking {
    /// When and where.
    #[serde(flatten)]
    pub header: Header,
    /// The experiment.
    pub experiment: String,
    /// The metric: a field of the round, with its unit.
    pub metric: String,
    /// The variant.
    pub variant: String,
    /// 1 and the number of variants that were shown to be better: variants that could not be told
    /// apart share a rank.
    pub rank: u64,
    /// The variants that were shown to be better.
    pub worse_than: Vec<String>,
    /// The variants that were shown to be worse.
    pub better_than: Vec<String>,
    /// The fewest pairs that two variants have in common.
    pub fewest_pairs: u64,
    /// The fewest pairs with which this number of comparisons can show anything.
    pub pairs_to_decide: u64,
}
