//! What crashes cost: counts of acknowledged commits that are gone. A ratio with a variant that
//! lost nothing does not exist, so there is no comparison, but a sentence for each variant.

use crate::experiment::{Experiment, Run};
use crate::grid::Grid;
use crate::number::{decimals, fixed, percent};
use records::{LossFigures, Round};
use std::fmt::Write;

/// The metrics that count what was lost.
pub(crate) const MISSING_COMMITS: &str = "missing_commits";
/// How many milliseconds of commits that is.
pub(crate) const MISSING_MS: &str = "missing_ms";

/// Whether a metric counts losses, of which there is no ratio.
pub(crate) fn is_count(metric: &str) -> bool {
    [MISSING_COMMITS, MISSING_MS].contains(&metric)
}

/// Milliseconds of commits that are gone: none are 0 ms.
pub(crate) fn missing_ms(round: &Round) -> Option<f64> {
    let loss = round.loss.as_ref()?;
    if loss.missing == 0 {
        return Some(0.0);
    }
    loss.missing_ms
}

/// Whether the experiment's rounds end with crashes.
pub(crate) fn is_experiment(experiment: &Experiment) -> bool {
    experiment.rounds.iter().any(|run| run.round.loss.is_some())
}

/// Each crash.
pub(crate) fn rounds(experiment: &Experiment) -> Grid {
    let mut grid = Grid::new("Crashes (in flight: sent, never acknowledged, and there)")
        .number_column("run")
        .text_column("variant")
        .number_column("acknowledged")
        .number_column("missing")
        .number_column("missing ms")
        .number_column("gaps")
        .number_column("in flight");
    let some_aside = experiment.rounds.iter().any(|run| run.set_aside.is_some());
    if some_aside {
        grid = grid.text_column("set aside");
    }
    let decimals = decimals(
        experiment
            .rounds
            .iter()
            .filter_map(|run| missing_ms(&run.round)),
    );
    for run in &experiment.rounds {
        let count = |figure: fn(&LossFigures) -> u64| {
            let loss = run.round.loss.as_ref();
            loss.map_or_else(|| "-".to_owned(), |loss| figure(loss).to_string())
        };
        let mut row = vec![
            run.label.clone(),
            run.variant.clone(),
            count(|loss| loss.acknowledged),
            count(|loss| loss.missing),
            fixed(missing_ms(&run.round), decimals),
            count(|loss| loss.gaps),
            count(|loss| loss.unacknowledged_present),
        ];
        if some_aside {
            row.push(run.set_aside.clone().unwrap_or_default().replace('_', " "));
        }
        grid.rows.push(row);
    }
    grid
}

/// What each variant's crashes cost, one sentence a variant.
pub(crate) fn sentences(experiment: &Experiment, confidence: f64) -> Vec<String> {
    experiment
        .variants
        .iter()
        .filter_map(|variant| {
            let crashes: Vec<&Run> = experiment
                .counting()
                .filter(|run| run.variant == *variant && run.round.loss.is_some())
                .collect();
            Some(sentence(variant, &total(&crashes)?, confidence))
        })
        .collect()
}

/// The crashes of a variant.
struct Total {
    crashes: u32,
    promised_durable: bool,
    acknowledged: u64,
    missing: u64,
    gaps: u64,
    most_missing: u64,
    most_ms: f64,
}

/// None where there is no crash.
fn total(crashes: &[&Run]) -> Option<Total> {
    let losses: Vec<&LossFigures> = crashes
        .iter()
        .filter_map(|run| run.round.loss.as_ref())
        .collect();
    let sum = |figure: fn(&LossFigures) -> u64| losses.iter().map(|loss| figure(loss)).sum();
    Some(Total {
        crashes: u32::try_from(losses.len()).ok()?,
        promised_durable: losses.iter().any(|loss| loss.promised_durable),
        acknowledged: sum(|loss| loss.acknowledged),
        missing: sum(|loss| loss.missing),
        gaps: sum(|loss| loss.gaps),
        most_missing: losses.iter().map(|loss| loss.missing).max()?,
        most_ms: crashes
            .iter()
            .filter_map(|run| missing_ms(&run.round))
            .fold(0.0, f64::max),
    })
}

/// No colon in it: what stands before one is taken for a verdict.
fn sentence(variant: &str, total: &Total, confidence: f64) -> String {
    let Total {
        crashes,
        acknowledged,
        missing,
        ..
    } = total;
    let in_crashes = if *crashes == 1 {
        "1 crash".to_owned()
    } else {
        format!("{crashes} crashes")
    };
    let mut text =
        format!("{variant} lost {missing} of {acknowledged} acknowledged commits in {in_crashes}");
    // Writing to a String cannot fail.
    if *missing == 0 {
        let bound = most_crashes_that_lose(*crashes, confidence);
        let _ = write!(
            text,
            ". So at most {} of such crashes lose any ({} confidence; crashes count here, not \
             commits).",
            percent(bound),
            percent(confidence)
        );
    } else {
        let _ = write!(
            text,
            ", at most {} in one, at most {:.1} ms of commits.",
            total.most_missing, total.most_ms
        );
    }
    if total.promised_durable && *missing > 0 {
        text += " THEY WERE PROMISED TO BE DURABLE, and none may be missing.";
    }
    if total.gaps > 0 {
        let _ = write!(
            text,
            " THE LOG HAS A HOLE, since {} of them had been acknowledged before one that is there \
             was sent.",
            total.gaps
        );
    }
    text
}

/// The largest share of crashes with a loss that `crashes` without one do not rule out: the exact
/// bound of zero events (Clopper and Pearson 1934), which the rule of three approximates.
fn most_crashes_that_lose(crashes: u32, confidence: f64) -> f64 {
    1.0 - (1.0 - confidence).powf(1.0 / f64::from(crashes))
}

#[cfg(test)]
mod tests {
    use super::{is_count, most_crashes_that_lose, rounds, sentences};
    use crate::compare::{Rules, compare};
    use crate::experiment::Experiment;
    use crate::metric::Metric;
    use crate::testing::rounds_of;
    use records::{Header, LossFigures};

    /// Variant, promised, acknowledged, missing, milliseconds, gaps.
    type Crash<'a> = (&'a str, bool, u64, u64, Option<f64>, u64);

    fn experiment(crashes: &[Crash]) -> Experiment {
        let names: Vec<(&str, f64)> = crashes.iter().map(|crash| (crash.0, 1000.0)).collect();
        let mut input = rounds_of(&names);
        for (round, crash) in input.rounds.iter_mut().zip(crashes) {
            let (_, promised_durable, acknowledged, missing, missing_ms, gaps) = *crash;
            round.loss = Some(LossFigures {
                promised_durable,
                acknowledged,
                present: acknowledged - missing,
                missing,
                unacknowledged_present: 0,
                missing_ms,
                gaps,
            });
        }
        Experiment::sort(input, None).remove(0)
    }

    const FOUR: [Crash; 4] = [
        ("full", true, 1000, 0, None, 0),
        ("delayed", false, 5000, 40, Some(2.25), 0),
        ("delayed", false, 6000, 60, Some(1.5), 0),
        ("full", true, 1200, 0, None, 0),
    ];

    #[test]
    fn each_variant_is_summed_over_its_crashes_and_zero_gets_its_bound() {
        assert_eq!(
            sentences(&experiment(&FOUR), 0.95),
            [
                // 1 - 0.05^(1/2) = 0.776.
                "full lost 0 of 2200 acknowledged commits in 2 crashes. So at most 77.6 % of such \
                 crashes lose any (95 % confidence; crashes count here, not commits).",
                "delayed lost 100 of 11000 acknowledged commits in 2 crashes, at most 60 in one, \
                 at most 2.2 ms of commits.",
            ]
        );
    }

    #[test]
    fn a_broken_promise_and_a_hole_are_said_loudly() {
        let text = sentences(&experiment(&[("full", true, 9, 2, Some(1.0), 1)]), 0.95).remove(0);
        assert!(text.contains("PROMISED TO BE DURABLE"), "{text}");
        assert!(text.contains("HOLE, since 1 of them"), "{text}");
    }

    #[test]
    fn the_bound_is_near_the_rule_of_three_where_there_are_many() {
        assert!((most_crashes_that_lose(100, 0.95) - 0.03).abs() < 0.001);
        // One crash without a loss says nearly nothing.
        assert!((most_crashes_that_lose(1, 0.95) - 0.95).abs() < 1e-12);
    }

    #[test]
    fn a_crash_that_lost_nothing_lost_no_time_and_is_no_missing_value() {
        let grid = rounds(&experiment(&FOUR));
        assert_eq!(grid.rows[0][3..5], ["0", "0.000"]);
        assert_eq!(grid.rows[1][2..5], ["5000", "40", "2.250"]);
    }

    #[test]
    fn counts_of_losses_are_compared_by_no_ratio() {
        let experiment = experiment(&FOUR);
        let rules = Rules {
            baseline: Some("full".into()),
            floor: 0.02,
            confidence: 0.95,
        };
        let metrics = Metric::defaults("crash-loss");
        assert!(metrics.len() == 2 && metrics.iter().all(|metric| is_count(metric.name)));
        let (comparisons, findings) = compare(&experiment, &metrics, &rules, &Header::now("test"));
        assert!(comparisons.is_empty() && findings.is_empty());
    }
}
