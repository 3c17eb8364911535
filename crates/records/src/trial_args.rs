//! The flags that say which round the records belong to.

use crate::Trial;

/// The round that the records of the pipe belong to.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "The round, for the records of the whole pipe (all or none)")]
pub struct TrialArgs {
    /// The experiment's name
    #[arg(long, value_name = "NAME", requires_all = ["variant", "round", "block", "slot"])]
    experiment: Option<String>,

    /// What is different in this round
    #[arg(long, value_name = "NAME", requires = "experiment")]
    variant: Option<String>,

    /// Its number in the order of the rounds, from 1
    #[arg(long, value_name = "N", requires = "experiment", value_parser = clap::value_parser!(u32).range(1..))]
    round: Option<u32>,

    /// Its block, from 1: rounds of a block are compared with each other
    #[arg(long, value_name = "N", requires = "experiment", value_parser = clap::value_parser!(u32).range(1..))]
    block: Option<u32>,

    /// Its place in the block, from 1
    #[arg(long, value_name = "N", requires = "experiment", value_parser = clap::value_parser!(u32).range(1..))]
    slot: Option<u32>,
}

impl TrialArgs {
    /// A trial with an id of its own, where one was declared.
    #[must_use]
    pub fn trial(&self) -> Option<Trial> {
        Some(Trial {
            experiment: self.experiment.clone()?,
            variant: self.variant.clone()?,
            round: self.round?,
            block: self.block?,
            slot: self.slot?,
            id: Trial::new_id(),
        })
    }
}
