//! The records that writelog's programs exchange, and the stream that carries them.
//!
//! A stream is JSON Lines: one [`Record`] a line, UTF-8, `\n`. [`stream`] reads and passes on;
//! [`stage`] is the frame every program runs in, so that all of them fail, stop and exit alike.

mod conditions;
mod failure;
mod file_round;
mod file_summary;
mod header;
mod interrupt;
mod interval;
mod interval_summary;
mod journal;
mod latency_summary;
mod load;
mod loss;
mod ranking;
mod record;
mod restore;
mod round;
pub mod schema;
mod setup;
mod snapshot;
pub mod stage;
pub mod stream;
mod summary;
mod trial_args;
mod units;

pub use conditions::{
    Availability, AvailabilityReplica, Conditions, OtherActivity, OtherSession, OthersReading,
};
pub use failure::{ErrorRecord, ExitStatus, Failure, FailureCode};
pub use file_round::FileRound;
pub use file_summary::FileSummary;
pub use header::{Header, Server, Target, Trial};
pub use interval::Interval;
pub use interval_summary::IntervalSummary;
pub use journal::{Acknowledgement, CommitDurability, JournalHeader, NoAcknowledgement};
pub use latency_summary::LatencySummary;
pub use load::{
    CountedError, HISTOGRAM_ENCODING, Latency, Load, LoadShape, ScriptShape, Wait, WorkerLoad,
};
pub use loss::LossFigures;
pub use ranking::Ranking;
pub use record::Record;
pub use restore::RestoreFigures;
pub use round::{CountersStatus, Reason, Round, Validity};
pub use setup::{Change, DatabaseDurability, DatabaseSettings, FileSettings, Setup};
pub use snapshot::{
    DatabaseState, FileKind, FileReading, PerformanceCounter, Snapshot, Unavailable, WaitReading,
};
pub use summary::{
    Comparison, ComparisonMethod, ComparisonVerdict, Drawn, PublishedFigure, SummaryWarning,
    VariantSummary, WarningCode,
};
pub use trial_args::TrialArgs;
pub use units::milliseconds;

/// The version of the record types that this code writes, and the newest that it reads.
pub const SCHEMA: u32 = 1;
