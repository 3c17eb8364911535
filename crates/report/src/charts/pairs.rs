//! The ratio within each pair, in order.

use super::{count, float, head};
use crate::axis::Axis;
use crate::canvas::{Canvas, LINE, Mark, Painted, Side, fitted, label_room, legend_height};
use crate::chart::{Chart, Words, labels_across};
use crate::theme::Ink;
use records::{Comparison, ComparisonMethod, Failure};
use summarize::number::{percent, ratio};
use summarize::{Grid, Metric, Run, Summary, pair_up};

/// The height of one variant's panel, in pixels.
const PANEL: i32 = 230;

/// One pair: the labels of its rounds, whether the variant ran second, the ratio.
struct Drawn {
    baseline: String,
    variant: String,
    second: bool,
    ratio: f64,
}

pub(super) fn chart(summary: &Summary) -> Result<Option<Chart>, Failure> {
    let headlines = summary
        .comparisons
        .iter()
        .filter(|comparison| comparison.headline && comparison.method == ComparisonMethod::Paired);
    let shown: Vec<(&Comparison, Vec<Drawn>)> = headlines
        .map(|comparison| (comparison, drawn(summary, comparison)))
        .filter(|(_, pairs)| !pairs.is_empty())
        .collect();
    let first = shown.first().map(|(comparison, _)| *comparison);
    let metric = first.and_then(|comparison| Metric::named(&comparison.metric));
    let (Some(first), Some(metric)) = (first, metric) else {
        return Ok(None);
    };
    let legend = [
        (Mark::Up, "variant ran second in its pair".to_owned()),
        (Mark::Down, "variant ran first".to_owned()),
    ];
    let panels = i32::try_from(shown.len()).unwrap_or(1);
    let pairs: Vec<String> = shown
        .iter()
        .map(|(_, pairs)| count(pairs.len(), "pair"))
        .collect();
    let words = Words {
        summary,
        name: "pairs",
        title: format!("Pair by pair: {} against {}", metric.words, first.baseline),
        caption: format!(
            "n = {}. Each triangle is the ratio of two rounds of one block. The solid line is the \
             estimate, the dashed lines its interval, the band the floor of {}. A trend would be \
             an effect that changes; triangles up and down on different sides, an effect of the \
             order.",
            pairs.join(", "),
            percent(first.floor)
        ),
        tables: shown
            .iter()
            .map(|(comparison, pairs)| table(comparison, &metric, pairs))
            .collect(),
    };
    Chart::draw(
        words,
        |width| legend_height(width, &legend) + panels * PANEL,
        |canvas| {
            canvas.legend(0, &legend)?;
            let mut top = legend_height(canvas.width, &legend);
            for (comparison, pairs) in &shown {
                panel(canvas, comparison, pairs, top)?;
                top += PANEL;
            }
            Ok(())
        },
    )
    .map(Some)
}

fn drawn(summary: &Summary, comparison: &Comparison) -> Vec<Drawn> {
    let Some(metric) = Metric::named(&comparison.metric) else {
        return Vec::new();
    };
    let Comparison {
        baseline, variant, ..
    } = comparison;
    let positive = |run: &Run| metric.of(&run.round).filter(|value| *value > 0.0);
    pair_up(&summary.experiment, baseline, variant)
        .complete
        .iter()
        .filter_map(|pair| {
            Some(Drawn {
                baseline: pair.baseline.label.clone(),
                variant: pair.variant.label.clone(),
                second: pair.variant_second(),
                ratio: positive(pair.variant)? / positive(pair.baseline)?,
            })
        })
        .collect()
}

fn table(comparison: &Comparison, metric: &Metric, pairs: &[Drawn]) -> Grid {
    let Comparison {
        baseline, variant, ..
    } = comparison;
    let mut grid = Grid::new(format!("{}: {variant} / {baseline}", head(metric)))
        .number_column("pair")
        .number_column(format!("run of {baseline}"))
        .number_column(format!("run of {variant}"))
        .text_column("ran second")
        .number_column("ratio");
    for (place, pair) in pairs.iter().enumerate() {
        let second = if pair.second { variant } else { baseline };
        grid.rows.push(vec![
            (place + 1).to_string(),
            pair.baseline.clone(),
            pair.variant.clone(),
            second.clone(),
            ratio(pair.ratio),
        ]);
    }
    grid
}

fn panel(canvas: &Canvas, comparison: &Comparison, pairs: &[Drawn], top: i32) -> Painted {
    let ends = [comparison.ratio_low, comparison.ratio_high];
    let ratios = pairs.iter().map(|pair| pair.ratio);
    let ratios = ratios.chain(ends.into_iter().flatten());
    let floor = comparison.floor.ln_1p();
    let y = Axis::of_ratios(ratios.map(f64::ln).chain([floor * 1.5]), 6, "");
    let x = Axis::places(
        pairs.len(),
        labels_across(canvas.width) + 4,
        "pair, in the order of time",
    );
    let title = format!(
        "Ratio {} / {} (log scale)",
        comparison.variant, comparison.baseline
    );
    let title = fitted(&title, canvas.width - 8);
    canvas.text((4, top + LINE / 2), &title, Ink::Text, Side::Start)?;
    let panel = canvas.panel((top + LINE + 10, top + PANEL - 6), label_room(&y), &x, &y)?;
    let ends_at = |log: f64| [panel.at(x.low, log), panel.at(x.high, log)];
    let ([from, _], [_, to]) = (ends_at(floor), ends_at(-floor));
    canvas.bar((from.0 + 1, from.1), to, Ink::Band)?;
    let [from, to] = ends_at(0.0);
    canvas.line(from, to, Ink::Muted, 1)?;
    if let Some(estimate) = comparison.ratio {
        let [from, to] = ends_at(estimate.ln());
        canvas.line(from, to, Ink::Series(0), 2)?;
    }
    for end in ends.into_iter().flatten() {
        canvas.summary_line(ends_at(end.ln()), Ink::Series(0))?;
    }
    for (place, pair) in pairs.iter().enumerate() {
        let mark = if pair.second { Mark::Up } else { Mark::Down };
        canvas.mark(mark, panel.at(float(place + 1), pair.ratio.ln()))?;
    }
    Ok(())
}
