//! Describing each variant with polars.

use crate::experiment::Experiment;
use crate::metric::Metric;
use polars::prelude::*;
use records::{Failure, FailureCode, Header, VariantSummary};
use statistics::median_interval;

/// A summary of each variant (in the order in which they ran) for each metric.
///
/// # Errors
/// Polars refused the query.
pub fn describe(
    experiment: &Experiment,
    metrics: &[Metric],
    confidence: f64,
    header: &Header,
) -> Result<Vec<VariantSummary>, Failure> {
    let mut summaries = Vec::new();
    for metric in metrics {
        let table = query(experiment, *metric).map_err(|error| {
            Failure::new(
                FailureCode::Failed,
                format!(
                    "the statistics of {} could not be worked out: {error}",
                    metric.name
                ),
            )
        })?;
        summaries.extend(table.into_iter().map(|(variant, row)| {
            let values: Vec<f64> = experiment
                .counting()
                .filter(|run| run.variant == variant)
                .filter_map(|run| metric.of(&run.round))
                .collect();
            // No values, no interval.
            let interval = median_interval(&values, confidence).ok().flatten();
            VariantSummary {
                median_low: interval.map(|interval| interval.low),
                median_high: interval.map(|interval| interval.high),
                median_confidence: interval.map(|interval| interval.confidence),
                header: header.clone(),
                experiment: experiment.name.clone(),
                set_aside: experiment
                    .rounds
                    .iter()
                    .filter(|run| run.variant == variant)
                    .filter(|run| run.set_aside.is_some() || metric.of(&run.round).is_none())
                    .count() as u64,
                variant,
                metric: metric.name.to_owned(),
                n: row.n,
                min: row.figures[0],
                q1: row.figures[1],
                median: row.figures[2],
                q3: row.figures[3],
                max: row.figures[4],
                mean: row.figures[5].filter(|_| !metric.is_percentile()),
                sd: row.figures[6],
            }
        }));
    }
    Ok(summaries)
}

struct Row {
    n: u64,
    /// min, q1, median, q3, max, mean, sd.
    figures: [Option<f64>; 7],
}

/// One row a variant. Rounds that are set aside come in as nulls, so that a variant of which no
/// round counts still has its row.
fn query(experiment: &Experiment, metric: Metric) -> PolarsResult<Vec<(String, Row)>> {
    let variants: Vec<&str> = experiment
        .rounds
        .iter()
        .map(|run| run.variant.as_str())
        .collect();
    let values: Vec<Option<f64>> = experiment
        .rounds
        .iter()
        .map(|run| metric.of(&run.round).filter(|_| run.set_aside.is_none()))
        .collect();
    let quantile = |p: f64| col("value").quantile(lit(p), QuantileMethod::Linear);
    let table = df!("variant" => variants, "value" => values)?
        .lazy()
        .group_by_stable([col("variant")])
        .agg([
            col("value").count().cast(DataType::UInt64).alias("n"),
            col("value").min().alias("min"),
            quantile(0.25).alias("q1"),
            col("value").median().alias("median"),
            quantile(0.75).alias("q3"),
            col("value").max().alias("max"),
            col("value").mean().alias("mean"),
            col("value").std(1).alias("sd"),
        ])
        .collect()?;
    let names = table.column("variant")?.str()?;
    let counts = table.column("n")?.u64()?;
    let mut rows = Vec::with_capacity(table.height());
    for index in 0..table.height() {
        let mut figures = [None; 7];
        let columns = ["min", "q1", "median", "q3", "max", "mean", "sd"];
        for (figure, column) in figures.iter_mut().zip(columns) {
            *figure = table
                .column(column)?
                .f64()?
                .get(index)
                .filter(|value| value.is_finite());
        }
        let n = counts.get(index).unwrap_or_default();
        rows.push((
            names.get(index).unwrap_or_default().to_owned(),
            Row { n, figures },
        ));
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::query;
    use crate::experiment::Experiment;
    use crate::metric::Metric;
    use crate::testing::rounds_of;

    #[test]
    fn polars_and_the_statistics_crate_agree() {
        let metric = Metric::named("elapsed_ms").unwrap();
        for values in [
            vec![3.0],
            vec![1.0, 9.5],
            vec![4.0, 1.25, 3.0, 2.0, 7.75, 2.5, 100.0],
        ] {
            let rounds: Vec<(&str, f64)> = values.iter().map(|value| ("A", *value)).collect();
            let experiment = &Experiment::sort(rounds_of(&rounds), None)[0];
            let (name, row) = query(experiment, metric).unwrap().remove(0);
            let other = statistics::describe(&values).unwrap();
            assert_eq!((name.as_str(), row.n), ("A", values.len() as u64));
            let expected = [
                other.min,
                other.q1,
                other.median,
                other.q3,
                other.max,
                other.mean,
            ];
            for (got, expected) in row.figures.iter().zip(expected) {
                assert!((got.unwrap() - expected).abs() < 1e-9, "{got:?} {expected}");
            }
            assert_eq!(row.figures[6].is_some(), other.sd.is_some());
            let sd = row.figures[6].unwrap_or(0.0) - other.sd.unwrap_or(0.0);
            assert!(sd.abs() < 1e-9);
        }
    }
}
