//! Everything that is said about one experiment.

use crate::cli::{Selection, TableName};
use crate::compare::{Rules, compare};
use crate::describe::describe;
use crate::experiment::Experiment;
use crate::files;
use crate::intervals::Intervals;
use crate::latency::Latencies;
use crate::loss;
use crate::metric::{Metric, WRITE_SPEED};
use crate::published::{Publication, Published};
use crate::ranking::{self, rank};
use crate::sentence::sentence;
use crate::warnings::{self, concerns};
use records::{
    Comparison, ComparisonVerdict, Failure, FileSummary, Header, IntervalSummary, Ranking, Server,
    SummaryWarning, VariantSummary, WarningCode,
};
use std::collections::BTreeSet;

/// The statistics of one experiment.
pub struct Summary {
    /// Words for the title, after the experiment's name.
    pub words: Option<String>,
    /// Its rounds.
    pub experiment: Experiment,
    /// The metrics that are compared, the headline first.
    pub metrics: Vec<Metric>,
    /// Each metric over each variant.
    pub variants: Vec<VariantSummary>,
    /// Bytes written to data files a second, over each variant.
    pub speeds: Vec<VariantSummary>,
    /// The intervals inside the rounds of each variant, where they were asked for.
    pub intervals: Vec<IntervalSummary>,
    /// Each file over each variant.
    pub files: Vec<FileSummary>,
    /// The latencies of all requests of each variant.
    pub latencies: Latencies,
    /// The confidence that was asked for.
    pub confidence: f64,
    /// Each variant against the baseline on each metric, the headline first.
    pub comparisons: Vec<Comparison>,
    /// Published figures beside ours.
    pub published: Option<Published>,
    /// The variants in their order on the headline metric, where there are more than two.
    pub ranking: Vec<Ranking>,
    /// What limits the comparisons: what several share is said once.
    pub limits: Vec<SummaryWarning>,
    /// Warnings about the experiment as a whole.
    pub warnings: Vec<SummaryWarning>,
}

impl Summary {
    /// Works them out.
    ///
    /// # Errors
    /// A query failed.
    pub(crate) fn new(
        experiment: Experiment,
        selection: &Selection,
        repeated: usize,
        publications: &[Publication],
        intervals: &Intervals,
    ) -> Result<Self, Failure> {
        let metrics = metrics(&experiment, selection);
        let rules = Rules {
            baseline: selection.baseline.clone(),
            floor: selection.floor,
            confidence: selection.confidence,
        };
        let header = header(&experiment);
        let latencies = Latencies::of(&experiment, &header);
        let mut warnings = warnings::of_experiment(&experiment, repeated);
        warnings.extend(warnings::unreadable_latencies(&latencies));
        let compared: &[Metric] = if selection.figures_only {
            &[]
        } else {
            &metrics
        };
        let (mut comparisons, findings) = compare(&experiment, compared, &rules, &header);
        for comparison in &mut comparisons {
            let about = |warning: &&SummaryWarning| concerns(warning.code, TableName::Comparison);
            comparison
                .warnings
                .extend(warnings.iter().filter(about).cloned());
        }
        let publication = publications
            .iter()
            .find(|publication| publication.concerns(&experiment.name));
        let published = publication
            .map(|publication| Published::new(publication.clone(), &experiment, &header));
        Ok(Self {
            words: selection.title.clone(),
            published,
            variants: describe(&experiment, &metrics, rules.confidence, &header)?,
            ranking: compared.first().map_or_else(Vec::new, |headline| {
                rank(&experiment, *headline, &rules, &header)
            }),
            speeds: describe(
                &experiment,
                Metric::named(WRITE_SPEED).as_slice(),
                rules.confidence,
                &header,
            )?,
            intervals: intervals.summarize(&experiment, &header),
            files: files::summarize(&experiment),
            latencies,
            confidence: selection.confidence,
            experiment,
            metrics,
            comparisons,
            limits: warnings::merged(&findings),
            warnings,
        })
    }

    /// `recovery-model, measured on labdb 0.1.0, which is not SQL Server`.
    #[must_use]
    pub fn title(&self) -> String {
        let servers: BTreeSet<String> = self
            .experiment
            .rounds
            .iter()
            .filter_map(|run| run.round.header.server.as_ref())
            .map(server_words)
            .collect();
        let servers = if servers.is_empty() {
            "a server that the records do not name".to_owned()
        } else {
            servers.into_iter().collect::<Vec<_>>().join(" and ")
        };
        let words = self
            .words
            .as_ref()
            .map_or_else(String::new, |words| format!(", {words}"));
        format!("{}{words}: measured on {servers}", self.experiment.name)
    }

    /// What is missing for a comparison; none where there is one.
    #[must_use]
    pub fn nothing_to_compare(&self) -> Option<String> {
        if !self.comparisons.is_empty() {
            return None;
        }
        let only = self.experiment.variants.first()?;
        Some(format!(
            "There is nothing to compare: all rounds are of {only}. Run rounds of another variant \
             in turn with these."
        ))
    }

    /// The sentences on the headline, one a variant, and the ranking; or why there is none.
    #[must_use]
    pub fn sentences(&self) -> Vec<(String, Option<ComparisonVerdict>)> {
        let losses = loss::sentences(&self.experiment, self.confidence);
        if !losses.is_empty() && self.comparisons.is_empty() {
            return losses.into_iter().map(|text| (text, None)).collect();
        }
        if let Some(missing) = self.nothing_to_compare() {
            return vec![(missing, None)];
        }
        self.comparisons
            .iter()
            .filter(|comparison| comparison.headline)
            .map(|comparison| (sentence(comparison), Some(comparison.verdict)))
            .chain(ranking::sentence(&self.ranking).map(|ranking| (ranking, None)))
            .collect()
    }

    /// Every warning that concerns the tables shown, once: those of comparisons, then those of the
    /// experiment.
    #[must_use]
    pub fn distinct_warnings(&self, shown: &[TableName]) -> Vec<&SummaryWarning> {
        let mut distinct: Vec<&SummaryWarning> = Vec::new();
        let about =
            |warning: &&SummaryWarning| shown.iter().any(|table| concerns(warning.code, *table));
        for warning in self.limits.iter().chain(&self.warnings).filter(about) {
            // Where there are too few pairs for the headline, there are for every other metric; and
            // where there are so many that p is drawn, the records have each standard error.
            let once = [WarningCode::TooFewPairs, WarningCode::DrawnP];
            let said = |seen: &&SummaryWarning| {
                seen.text == warning.text
                    || (seen.code == warning.code && once.contains(&warning.code))
            };
            if !distinct.iter().any(said) {
                distinct.push(warning);
            }
        }
        distinct
    }
}

fn server_words(server: &Server) -> String {
    let Server {
        product, version, ..
    } = server;
    if server.is_labdb() {
        format!("{product} {version}, which is not SQL Server")
    } else {
        format!("{product} {version} ({})", server.edition)
    }
}

/// The metrics asked for; of the default ones those that any round has, and always the headline.
fn metrics(experiment: &Experiment, selection: &Selection) -> Vec<Metric> {
    if !selection.metrics.is_empty() {
        let mut metrics: Vec<Metric> = Vec::new();
        for metric in &selection.metrics {
            if !metrics.iter().any(|seen| seen.name == metric.name) {
                metrics.push(*metric);
            }
        }
        return metrics;
    }
    let has = |metric: &Metric| {
        experiment
            .counting()
            .any(|run| metric.of(&run.round).is_some())
    };
    Metric::defaults(&experiment.name)
        .into_iter()
        .enumerate()
        .filter(|(place, metric)| *place == 0 || has(metric))
        .map(|(_, metric)| metric)
        .collect()
}

/// Target and server of the first round that counts.
fn header(experiment: &Experiment) -> Header {
    let first = experiment.counting().next().or(experiment.rounds.first());
    let (target, server) = first
        .map(|run| {
            (
                run.round.header.target.clone(),
                run.round.header.server.clone(),
            )
        })
        .unwrap_or_default();
    Header::now(crate::PROGRAM).on(target, server)
}
