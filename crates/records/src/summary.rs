//! What `summarize` makes of rounds.

use crate::Header;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One metric over the rounds of one variant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct VariantSummary {
    /// When and where.
    #[serde(flatten)]
    pub header: Header,
    /// The experiment.
    pub experiment: String,
    /// The variant.
    pub variant: String,
    /// The metric: a field of the round, with its unit (`elapsed_ms`).
    pub metric: String,
    /// Rounds that count.
    pub n: u64,
    /// Rounds that were set aside (invalid, partial, null).
    pub set_aside: u64,
    /// The smallest.
    pub min: Option<f64>,
    /// The first quartile (linear interpolation between order statistics, Hyndman-Fan type 7).
    pub q1: Option<f64>,
    /// The median.
    pub median: Option<f64>,
    /// The lower end of the interval of the median, an order statistic; null where the rounds are
    /// too few for one.
    #[serde(default)]
    pub median_low: Option<f64>,
    /// The upper end of the interval of the median.
    #[serde(default)]
    pub median_high: Option<f64>,
    /// The confidence that the interval of the median reaches, at least what was asked for.
    #[serde(default)]
    pub median_confidence: Option<f64>,
    /// The third quartile.
    pub q3: Option<f64>,
    /// The largest.
    pub max: Option<f64>,
    /// The mean; null for a percentile of each round (`latency_p50_us`, `latency_p99_us`), since a
    /// mean of percentiles is a percentile of nothing: `latency_summary` has those of all rounds.
    pub mean: Option<f64>,
    /// The sample standard deviation (n - 1); null below two rounds.
    pub sd: Option<f64>,
}

/// Two variants compared on one metric.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Comparison {
    /// When and where.
    #[serde(flatten)]
    pub header: Header,
    /// The experiment.
    pub experiment: String,
    /// The metric: a field of the round, with its unit.
    pub metric: String,
    /// Whether this is the metric that the experiment is about: the first one declared.
    #[serde(default)]
    pub headline: bool,
    /// What it is compared with.
    pub baseline: String,
    /// What is compared.
    pub variant: String,
    /// How it was compared.
    #[serde(default)]
    pub method: ComparisonMethod,
    /// Pairs: blocks in which both have a round that counts.
    pub pairs: u64,
    /// Rounds of the baseline that the figures below are made of.
    #[serde(default)]
    pub baseline_rounds: u64,
    /// Rounds of the variant that they are made of.
    #[serde(default)]
    pub variant_rounds: u64,
    /// Hodges-Lehmann estimate of variant / baseline: below 1 the variant has less of the metric.
    pub ratio: Option<f64>,
    /// The lower end of the interval of the ratio; null where too few pairs bound it.
    pub ratio_low: Option<f64>,
    /// The upper end of the interval of the ratio; null where too few pairs bound it.
    pub ratio_high: Option<f64>,
    /// The confidence that the interval reaches, at least what was asked for: 0.95.
    pub confidence: Option<f64>,
    /// The exact two-sided p of no difference: by the sign-flip test of the mean log ratio, or by
    /// the rank-sum test where `method` is `unpaired`.
    pub p: Option<f64>,
    /// How p was drawn where there are too many patterns to try them all; null where all were tried.
    #[serde(default)]
    pub p_drawn: Option<Drawn>,
    /// `p` after Holm's correction. The headline metric of all variants is one family and
    /// the other declared metrics are another, so that declaring a second metric does not weaken
    /// the first.
    pub p_holm: Option<f64>,
    /// The floor for equivalence: a ratio within `1/(1+floor)` and `1+floor` does not matter.
    pub floor: f64,
    /// The verdict.
    pub verdict: ComparisonVerdict,
    /// How many pairs in all it would take to decide, by the spread seen; null where it is
    /// decided or cannot be told.
    pub pairs_needed: Option<u64>,
    /// What limits the result, and what to do about it.
    pub warnings: Vec<SummaryWarning>,
}

/// A p-value that was drawn (Monte Carlo).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Drawn {
    /// How many patterns were drawn.
    pub draws: u64,
    /// The seed of the generator (ChaCha8): the same rounds give the same p.
    pub seed: u64,
    /// The standard error of p.
    pub standard_error: f64,
}

/// How two variants were compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ComparisonMethod {
    /// Round against neighbouring round: the sign-flip test and its interval.
    #[default]
    Paired,
    /// All rounds of the one against all of the other, because they did not alternate: the
    /// rank-sum test and its interval. A machine that drifts makes it wrong.
    Unpaired,
}

/// The verdict on a variant against its baseline. For metrics where less is better `faster` is a
/// ratio below 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ComparisonVerdict {
    /// The variant is faster (for a metric that is no time: lower).
    Faster,
    /// The variant is slower (for a metric that is no time: higher).
    Slower,
    /// The whole interval lies inside the floor.
    Equivalent,
    /// Neither could be shown.
    Inconclusive,
}

/// A figure that somebody published, beside what these rounds came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PublishedFigure {
    /// When and where ours was measured.
    #[serde(flatten)]
    pub header: Header,
    /// The experiment.
    pub experiment: String,
    /// The variant.
    pub variant: String,
    /// The metric: a field of the round, with its unit.
    pub metric: String,
    /// The published value, or the lower end of a published range.
    pub published_low: Option<f64>,
    /// The published value, or the upper end of a published range.
    pub published_high: Option<f64>,
    /// What was published in words; null for a number, and where nothing was published on this
    /// variant of ours.
    pub published_text: Option<String>,
    /// Our rounds that count.
    pub n: u64,
    /// The smallest of ours; null where it is no number or there is none.
    pub min: Option<f64>,
    /// The median of ours.
    pub median: Option<f64>,
    /// The largest of ours.
    pub max: Option<f64>,
    /// Ours in words, where the metric is no number.
    pub text: Option<String>,
    /// Our median / the upper end of what was published. Figures of another machine: no
    /// comparison of anything but machines.
    pub ratio_low: Option<f64>,
    /// Our median / the lower end of what was published.
    pub ratio_high: Option<f64>,
    /// What was measured for the published figures, and where.
    pub source: String,
}

/// A warning.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SummaryWarning {
    /// Its name.
    pub code: WarningCode,
    /// What was seen, and what to do next.
    pub text: String,
}

/// The warnings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WarningCode {
    /// Fewer than six pairs cannot be significant at 5 %.
    TooFewPairs,
    /// Blocks without a round of each variant.
    UnpairedRounds,
    /// Rounds that did not alternate.
    NotAlternating,
    /// So many pairs that p was drawn.
    DrawnP,
    /// No pair ran next to each other, so that the rounds were compared as two lists.
    Unpaired,
    /// Rounds that were set aside.
    RoundsSetAside,
    /// Latency distributions that cannot be read.
    LatencyUnreadable,
    /// Rounds that came twice; each was taken once.
    DuplicateRounds,
    /// A value is zero or negative, so that it has no ratio.
    NoRatio,
    /// Values far from the others.
    Outliers,
    /// Values that drift with the order.
    Drift,
    /// The place in the block has an effect.
    SlotEffect,
    /// The client was near its limit.
    ClientBound,
    /// Remarks that the rounds bring along: what could not be read, a database not armed.
    Remark,
    /// A FULL round wrote too little for its log reuse wait to say anything.
    LogNotFilled,
    /// Files grew inside rounds.
    FilesGrew,
    /// Rounds of one comparison differ in server or settings.
    SettingsDiffer,
    /// Others used the server while rounds ran.
    OthersBusy,
    /// Faults were injected.
    InjectedFaults,
    /// It was labdb, not SQL Server.
    NotSqlServer,
}
