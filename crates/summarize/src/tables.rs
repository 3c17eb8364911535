//! The three tables for people.

use crate::experiment::Experiment;
use crate::grid::Grid;
use crate::loss;
use crate::metric::Metric;
use crate::number::{decimals, fixed, p_value, percent, ratio};
use crate::restores;
use crate::round_columns;
use crate::sentence::verdict_word;
use records::{Comparison, ComparisonMethod, Ranking, VariantSummary};

/// Each round, in the columns that [`round_columns`] chooses; and why it was set aside, where one
/// was.
#[must_use]
pub fn rounds(experiment: &Experiment) -> Grid {
    if loss::is_experiment(experiment) {
        return loss::rounds(experiment);
    }
    if restores::are_restores(experiment) {
        return restores::rounds(experiment);
    }
    let variant = if experiment.name == "recovery-model" {
        "recovery model"
    } else {
        "variant"
    };
    let columns = round_columns::of(experiment);
    let title = if columns.iter().any(|column| column.head.contains("MB")) {
        "Rounds (1 MB is 1,048,576 bytes)"
    } else {
        "Rounds"
    };
    let mut grid = Grid::new(title).number_column("run").text_column(variant);
    for column in &columns {
        grid = if column.number {
            grid.number_column(column.head)
        } else {
            grid.text_column(column.head)
        };
    }
    let some_aside = experiment.rounds.iter().any(|run| run.set_aside.is_some());
    if some_aside {
        grid = grid.text_column("set aside");
    }
    for (place, run) in experiment.rounds.iter().enumerate() {
        let mut row = vec![run.label.clone(), run.variant.clone()];
        row.extend(
            columns
                .iter()
                .map(|column| column.cells.get(place).cloned().unwrap_or_default()),
        );
        if some_aside {
            // As words, so that a narrow column breaks between them.
            row.push(run.set_aside.clone().unwrap_or_default().replace('_', " "));
        }
        grid.rows.push(row);
    }
    grid
}

/// Time against size, where the rounds are restores of several sizes.
#[must_use]
pub fn time_against_size(experiment: &Experiment) -> Option<restores::Against> {
    restores::are_restores(experiment)
        .then(|| restores::against_size(experiment))
        .flatten()
}

/// More decimals than this, in seven columns, leave no room for the names in 80 columns; CSV and
/// JSON Lines have all of them.
const MOST_DECIMALS: usize = 4;

/// The variants on each metric: one table a metric, so that a table has one unit.
#[must_use]
pub fn variants(summaries: &[VariantSummary], metrics: &[Metric]) -> Vec<Grid> {
    metrics
        .iter()
        .map(|metric| {
            let unit = metric.unit();
            let head = match unit.name {
                "" => metric.words.to_owned(),
                unit => format!("{}, {unit}", metric.words),
            };
            let mut grid = Grid::new(head.clone()).text_column(head).number_column("n");
            for name in ["min", "q1", "median", "q3", "max", "mean", "sd"] {
                grid = grid.number_column(name);
            }
            let of_metric = || summaries.iter().filter(|row| row.metric == metric.name);
            let scaled = |value: Option<f64>| value.map(|value| value / unit.divisor);
            let decimals = decimals(of_metric().filter_map(|row| scaled(row.max)))
                .min(metric.most_decimals().unwrap_or(usize::MAX))
                .min(MOST_DECIMALS);
            for row in of_metric() {
                let mut cells = vec![row.variant.clone(), row.n.to_string()];
                let figures = [
                    row.min, row.q1, row.median, row.q3, row.max, row.mean, row.sd,
                ];
                cells.extend(figures.map(|figure| fixed(scaled(figure), decimals)));
                grid.rows.push(cells);
            }
            grid
        })
        .collect()
}

/// Each variant against the baseline.
#[must_use]
pub fn comparison(comparisons: &[Comparison]) -> Grid {
    let baseline = comparisons.first().map_or("", |row| row.baseline.as_str());
    let mut grid = Grid::new(format!(
        "Comparison (ratio: variant / {baseline}; p after Holm)"
    ))
    .text_column("metric")
    .text_column("variant")
    .number_column("ratio")
    .number_column("low")
    .number_column("high")
    .number_column("pairs")
    .number_column("p")
    .text_column("verdict");
    for row in comparisons {
        let shown = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), ratio);
        let words = Metric::named(&row.metric).map_or(row.metric.as_str(), |metric| metric.words);
        grid.rows.push(vec![
            words.to_owned(),
            row.variant.clone(),
            shown(row.ratio),
            shown(row.ratio_low),
            shown(row.ratio_high),
            match row.method {
                ComparisonMethod::Paired => row.pairs.to_string(),
                ComparisonMethod::Unpaired => {
                    format!("{} v {}", row.baseline_rounds, row.variant_rounds)
                }
            },
            row.p_holm.map_or_else(|| "-".to_owned(), p_value),
            verdict_word(row).to_owned(),
        ]);
    }
    grid
}

/// The median of each variant on each metric with its interval, which lies between two of the rounds;
/// none where the rounds are too few for any.
#[must_use]
pub fn medians(summaries: &[VariantSummary], metrics: &[Metric]) -> Option<Grid> {
    let mut grid = Grid::new("Medians with their intervals")
        .text_column("metric")
        .text_column("variant")
        .number_column("n")
        .number_column("median")
        .number_column("from")
        .number_column("to")
        .number_column("confidence");
    for metric in metrics {
        let unit = metric.unit();
        let head = match unit.name {
            "" => metric.words.to_owned(),
            unit => format!("{}, {unit}", metric.words),
        };
        let rows = || summaries.iter().filter(|row| row.metric == metric.name);
        let scaled = |value: Option<f64>| value.map(|value| value / unit.divisor);
        let decimals = decimals(rows().filter_map(|row| scaled(row.max)))
            .min(metric.most_decimals().unwrap_or(usize::MAX))
            .min(MOST_DECIMALS);
        for row in rows().filter(|row| row.n > 0) {
            let mut cells = vec![head.clone(), row.variant.clone(), row.n.to_string()];
            let figures = [row.median, row.median_low, row.median_high];
            cells.extend(figures.map(|figure| fixed(scaled(figure), decimals)));
            let confidence = row.median_confidence.map(percent);
            cells.push(confidence.unwrap_or_else(|| "-".to_owned()));
            grid.rows.push(cells);
        }
    }
    let bounded = summaries.iter().any(|row| row.median_confidence.is_some());
    bounded.then_some(grid)
}

/// The variants in their order on the headline metric; nothing where there is no ranking, or where
/// the pairs are too few for any.
#[must_use]
pub fn ranking(places: &[Ranking]) -> Option<Grid> {
    let first = places.first()?;
    if first.fewest_pairs < first.pairs_to_decide {
        return None;
    }
    let metric = Metric::named(&first.metric);
    let words = metric.map_or(first.metric.as_str(), |metric| metric.words);
    let mut grid = Grid::new(format!("Ranking by {words} (1 is the best)"))
        .number_column("rank")
        .text_column("variant")
        .text_column("shown to be better than")
        .text_column("shown to be worse than");
    let names = |names: &[String]| match names {
        [] => "-".to_owned(),
        names => names.join(", "),
    };
    for place in places {
        grid.rows.push(vec![
            place.rank.to_string(),
            place.variant.clone(),
            names(&place.better_than),
            names(&place.worse_than),
        ]);
    }
    Some(grid)
}
