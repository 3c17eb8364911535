//! Published figures as a table for people.

use crate::grid::Grid;
use crate::metric::Metric;
use crate::number::{decimals, fixed, ratio};
use crate::published::Published;
use records::PublishedFigure;

/// The title over the tables.
pub const TITLE: &str = "Published beside ours (ratio: ours / published)";

/// Each published figure beside ours: one table a metric, so that a table has one unit.
#[must_use]
pub fn tables(published: &Published) -> Vec<Grid> {
    let mut metrics: Vec<&str> = Vec::new();
    for row in &published.rows {
        if !metrics.contains(&row.metric.as_str()) {
            metrics.push(&row.metric);
        }
    }
    metrics
        .into_iter()
        .map(|metric| {
            let of_metric = |row: &&PublishedFigure| row.metric == metric;
            table(
                metric,
                &published.rows.iter().filter(of_metric).collect::<Vec<_>>(),
            )
        })
        .collect()
}

fn table(name: &str, rows: &[&PublishedFigure]) -> Grid {
    let metric = Metric::named(name);
    let unit = metric.map(|metric| metric.unit());
    let divisor = unit.map_or(1.0, |unit| unit.divisor);
    let words = metric.map_or_else(|| name.replace('_', " "), |metric| metric.words.to_owned());
    let head = match unit {
        Some(unit) if !unit.name.is_empty() => format!("{words}, {}", unit.name),
        _ => words,
    };
    let mut servers = rows.iter().filter_map(|row| row.header.server.as_ref());
    let ours = if servers.any(records::Server::is_labdb) {
        "ours (labdb)"
    } else {
        "ours"
    };
    let in_words = rows.iter().all(|row| row.median.is_none());
    let mut grid = Grid::new(head.clone()).text_column(head);
    grid = if in_words {
        grid.text_column("published").text_column(ours)
    } else {
        grid.number_column("published")
            .number_column(ours)
            .number_column("least")
            .number_column("most")
            .number_column("ratio")
    };
    let scaled = |value: Option<f64>| value.map(|value| value / divisor);
    let decimals_of = |of: fn(&PublishedFigure) -> Option<f64>| {
        let most = metric.and_then(|metric| metric.most_decimals());
        decimals(rows.iter().filter_map(|row| scaled(of(row)))).min(most.unwrap_or(usize::MAX))
    };
    let theirs = decimals_of(|row| row.published_high);
    let own = decimals_of(|row| row.max);
    for row in rows {
        let mut cells = vec![row.variant.clone()];
        cells.push(match &row.published_text {
            Some(text) => text.clone(),
            None => range(row.published_low, row.published_high, |value| {
                fixed(scaled(value), theirs)
            }),
        });
        cells.push(match &row.text {
            Some(text) => text.clone(),
            None => fixed(scaled(row.median), own),
        });
        if !in_words {
            cells.extend([row.min, row.max].map(|value| fixed(scaled(value), own)));
            cells.push(range(row.ratio_low, row.ratio_high, |value| {
                value.map_or_else(|| "-".to_owned(), ratio)
            }));
        }
        grid.rows.push(cells);
    }
    grid
}

fn range(low: Option<f64>, high: Option<f64>, shown: impl Fn(Option<f64>) -> String) -> String {
    let (from, to) = (shown(low), shown(high));
    if from == to {
        from
    } else {
        format!("{from} to {to}")
    }
}

/// Where the published figures are from, what was concluded, and what they are no measure of.
#[must_use]
pub fn words(published: &Published) -> Vec<String> {
    let publication = &published.publication;
    let mut words = vec![format!(
        "Published: {}.",
        publication.source.trim_end_matches('.')
    )];
    if let Some(conclusion) = &publication.conclusion {
        words.push(format!(
            "Published conclusion: {}.",
            conclusion.trim_end_matches('.')
        ));
    }
    let both = |row: &PublishedFigure| {
        let published = row.published_high.is_some() || row.published_text.is_some();
        published && (row.median.is_some() || row.text.is_some())
    };
    // Figures in words that stand over several of ours have no row with both.
    let over_several = published.rows.iter().any(|row| {
        row.published_text.is_some() && row.n == 0 && publication.stands_beside(&row.variant)
    });
    if !over_several && !published.rows.iter().any(both) {
        words.push(
            "None of the published names is one of ours, so there is no ratio: hold ours against \
             the one that is most like yours."
                .to_owned(),
        );
    }
    words.push(
        "These are figures of another machine: compare how variants differ there and here, not \
         one machine's figures with the other's."
            .to_owned(),
    );
    words
}
