//! The journal of acknowledgements: what `loadgen --journal` writes and `audit` reads.
//!
//! A text file of its own, because a line is written for each commit while the load runs: first a
//! [`JournalHeader`] as JSON, then one line an [`Acknowledgement`]. Every line ends with `\n`; a
//! last line without one was cut off, and its acknowledgement does not count.
//!
//! A worker writes the line before it sends its next commit. So what a worker sent and the journal
//! does not hold is one commit at most: the one after its last line.

use crate::{SCHEMA, Target, Trial};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The first line of a journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JournalHeader {
    /// The version of the format, that of the records.
    pub journal: u32,
    /// When it was begun.
    pub at: Timestamp,
    /// The round it belongs to, if any.
    pub trial: Option<Trial>,
    /// Where the table is.
    pub target: Option<Target>,
    /// The table that the commits went to.
    pub table: String,
    /// Connections: workers are numbered from 1 to this.
    pub workers: u32,
    /// What every commit asked for.
    pub durability: CommitDurability,
}

impl JournalHeader {
    /// Whether this version can read the journal.
    #[must_use]
    pub fn is_readable(&self) -> bool {
        self.journal <= SCHEMA
    }
}

/// What a commit asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CommitDurability {
    /// An answer when the log is on disk.
    Full,
    /// An answer at once, the log later, where the database allows it.
    Delayed,
}

/// A commit that the server answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Acknowledgement {
    /// The worker that sent it, from 1.
    pub worker: u32,
    /// Which of the worker's commits it is, from 1.
    pub commit: u64,
    /// When the answer had come, by the client's monotonic clock, in nanoseconds since the journal
    /// was begun.
    pub at_ns: u64,
}

impl fmt::Display for Acknowledgement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.worker, self.commit, self.at_ns)
    }
}

/// A line that is no acknowledgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoAcknowledgement;

impl FromStr for Acknowledgement {
    type Err = NoAcknowledgement;

    fn from_str(line: &str) -> Result<Self, NoAcknowledgement> {
        let mut numbers = line.split(' ').map(|number| {
            // `parse` takes a sign, the journal has none.
            number
                .bytes()
                .all(|byte| byte.is_ascii_digit())
                .then(|| number.parse::<u64>().ok())
                .flatten()
        });
        let mut next = || numbers.next().flatten().ok_or(NoAcknowledgement);
        let worker = u32::try_from(next()?).map_err(|_| NoAcknowledgement)?;
        let (commit, at_ns) = (next()?, next()?);
        if numbers.next().is_some() {
            return Err(NoAcknowledgement);
        }
        Ok(Self {
            worker,
            commit,
            at_ns,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Acknowledgement, NoAcknowledgement};

    #[test]
    fn a_line_is_three_plain_numbers() {
        let acknowledgement = Acknowledgement {
            worker: 16,
            commit: 70_001,
            at_ns: 1_234_567_890_123,
        };
        assert_eq!(acknowledgement.to_string(), "16 70001 1234567890123");
        assert_eq!("16 70001 1234567890123".parse(), Ok(acknowledgement));
        for wrong in [
            "",
            "1",
            "1 2",
            "1 2 3 4",
            "1 2 +3",
            "1 2 -3",
            "1  3",
            "1 2 3 ",
            "a 2 3",
            "4294967296 1 1",
            "1 2 18446744073709551616",
        ] {
            assert_eq!(
                wrong.parse::<Acknowledgement>(),
                Err(NoAcknowledgement),
                "{wrong}"
            );
        }
    }
}
