//! One line of a stream.

use crate::{
    Comparison, ErrorRecord, FileSummary, Header, Interval, IntervalSummary, LatencySummary, Load,
    PublishedFigure, Ranking, Round, Setup, Snapshot, VariantSummary,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One line of a stream, told apart by its `kind`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Record {
    /// `setup-db` brought the database to a declared state.
    Setup(Box<Setup>),
    /// `snapshot` read the counters and states.
    Snapshot(Box<Snapshot>),
    /// `loadgen` put load on the database.
    Load(Box<Load>),
    /// `loadgen --interval`: a part of the load.
    Interval(Box<Interval>),
    /// `diff` worked out what changed.
    Round(Box<Round>),
    /// `summarize`: the rounds of one variant.
    VariantSummary(Box<VariantSummary>),
    /// `summarize`: one file over the rounds of a variant.
    FileSummary(Box<FileSummary>),
    /// `summarize`: the latencies of all rounds of a variant.
    LatencySummary(Box<LatencySummary>),
    /// `summarize`: the intervals of a variant.
    IntervalSummary(Box<IntervalSummary>),
    /// `summarize`: two variants compared.
    Comparison(Box<Comparison>),
    /// `summarize --published`: a published figure beside ours.
    PublishedFigure(Box<PublishedFigure>),
    /// `summarize`: a variant's place among more than two.
    Ranking(Box<Ranking>),
    /// A stage failed; nothing after it acts.
    Error(Box<ErrorRecord>),
}

impl Record {
    /// The kinds that this version knows.
    pub const KINDS: [&'static str; 13] = [
        "setup",
        "snapshot",
        "load",
        "interval",
        "round",
        "variant_summary",
        "file_summary",
        "latency_summary",
        "interval_summary",
        "comparison",
        "published_figure",
        "ranking",
        "error",
    ];

    /// Its `kind`, as the line has it.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Setup(_) => "setup",
            Self::Snapshot(_) => "snapshot",
            Self::Load(_) => "load",
            Self::Interval(_) => "interval",
            Self::Round(_) => "round",
            Self::VariantSummary(_) => "variant_summary",
            Self::FileSummary(_) => "file_summary",
            Self::LatencySummary(_) => "latency_summary",
            Self::IntervalSummary(_) => "interval_summary",
            Self::Comparison(_) => "comparison",
            Self::PublishedFigure(_) => "published_figure",
            Self::Ranking(_) => "ranking",
            Self::Error(_) => "error",
        }
    }

    /// The fields that every record has.
    #[must_use]
    pub fn header(&self) -> &Header {
        match self {
            Self::Setup(record) => &record.header,
            Self::Snapshot(record) => &record.header,
            Self::Load(record) => &record.header,
            Self::Interval(record) => &record.header,
            Self::Round(record) => &record.header,
            Self::VariantSummary(record) => &record.header,
            Self::FileSummary(record) => &record.header,
            Self::LatencySummary(record) => &record.header,
            Self::IntervalSummary(record) => &record.header,
            Self::Comparison(record) => &record.header,
            Self::PublishedFigure(record) => &record.header,
            Self::Ranking(record) => &record.header,
            Self::Error(record) => &record.header,
        }
    }
}
