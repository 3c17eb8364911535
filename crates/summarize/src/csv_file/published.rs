//! Published figures beside ours: one row a variant and a group of columns a metric, since a
//! column has one unit.

use super::{Cell, Sheet, number, text};
use crate::summary::Summary;
use records::PublishedFigure;
use std::io::{self, Write};

const FIGURES: [&str; 9] = [
    "published_low",
    "published_high",
    "published_text",
    "min",
    "median",
    "max",
    "text",
    "ratio_low",
    "ratio_high",
];

pub(super) fn write(summaries: &[Summary], sheet: &mut Sheet<impl Write>) -> io::Result<()> {
    let published = || {
        summaries
            .iter()
            .filter_map(|summary| summary.published.as_ref())
    };
    let rows = || published().flat_map(|published| &published.rows);
    let mut metrics: Vec<&str> = Vec::new();
    let mut variants: Vec<(&str, &str)> = Vec::new();
    for row in rows() {
        if !metrics.contains(&row.metric.as_str()) {
            metrics.push(&row.metric);
        }
        if !variants.contains(&(&row.experiment, &row.variant)) {
            variants.push((&row.experiment, &row.variant));
        }
    }
    let mut head: Vec<String> = ["experiment", "server", "variant", "n", "source"]
        .map(str::to_owned)
        .to_vec();
    for metric in &metrics {
        head.extend(FIGURES.map(|figure| format!("{figure}_{metric}")));
    }
    sheet.head(head)?;
    for (experiment, variant) in variants {
        let of_variant =
            || rows().filter(|row| row.experiment == experiment && row.variant == variant);
        let Some(first) = of_variant().next() else {
            continue;
        };
        let server = first.header.server.as_ref();
        let mut cells = vec![
            text(experiment),
            text(server.map_or("", |server| server.product.as_str())),
            text(variant),
            number(Some(first.n)),
            text(&first.source),
        ];
        for metric in &metrics {
            cells.extend(figures(of_variant().find(|row| row.metric == *metric)));
        }
        sheet.row(cells)?;
    }
    Ok(())
}

fn figures(row: Option<&PublishedFigure>) -> [Cell; 9] {
    let of = |field: fn(&PublishedFigure) -> Option<f64>| number(row.and_then(field));
    let words = |field: fn(&PublishedFigure) -> Option<&String>| {
        text(row.and_then(field).map_or("", String::as_str))
    };
    [
        of(|row| row.published_low),
        of(|row| row.published_high),
        words(|row| row.published_text.as_ref()),
        of(|row| row.min),
        of(|row| row.median),
        of(|row| row.max),
        words(|row| row.text.as_ref()),
        of(|row| row.ratio_low),
        of(|row| row.ratio_high),
    ]
}
