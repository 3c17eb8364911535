//! Which columns the table of rounds has: those of the published experiment, or those that what the
//! rounds hold asks for.

use crate::experiment::{Experiment, Run};
use crate::metric::{MB, Metric};
use crate::number::{decimals, fixed};

/// One column after the round's number and its variant.
pub(crate) struct Column {
    pub(crate) head: &'static str,
    /// Numbers are right-aligned and never broken.
    pub(crate) number: bool,
    /// One cell a round, in order.
    pub(crate) cells: Vec<String>,
}

/// The columns of an experiment's rounds.
pub(crate) fn of(experiment: &Experiment) -> Vec<Column> {
    let flushed = |run: &Run| run.round.elapsed_with_flush_ms.is_some();
    if experiment.rounds.iter().any(flushed) {
        // How commits were hardened is what such rounds are about.
        return vec![
            figure(experiment, "elapsed s", "elapsed_ms", 1000.0),
            figure(experiment, "+ flush s", "elapsed_with_flush_ms", 1000.0),
            figure(experiment, "log writes", "log_writes", 1.0),
            figure(
                experiment,
                "commits/write",
                "transactions_per_log_write",
                1.0,
            ),
            figure(experiment, "WRITELOG s", "writelog_wait_ms", 1000.0),
        ];
    }
    vec![
        figure(experiment, "elapsed s", "elapsed_ms", 1000.0),
        figure(experiment, "WRITELOG s", "writelog_wait_ms", 1000.0),
        figure(experiment, "log MB", "log_bytes_written", MB),
        Column {
            head: "log reuse wait",
            number: false,
            cells: experiment
                .rounds
                .iter()
                .map(|run| run.round.log_reuse_wait.clone())
                .collect(),
        },
    ]
}

/// A metric in a unit of its own, with as many decimals in every row.
fn figure(experiment: &Experiment, head: &'static str, name: &str, divisor: f64) -> Column {
    let metric = Metric::named(name);
    let value = |run: &Run| Some(metric?.of(&run.round)? / divisor);
    let most = metric
        .and_then(|metric| metric.most_decimals())
        .unwrap_or(usize::MAX);
    let decimals = decimals(experiment.rounds.iter().filter_map(value)).min(most);
    Column {
        head,
        number: true,
        cells: experiment
            .rounds
            .iter()
            .map(|run| fixed(value(run), decimals))
            .collect(),
    }
}
