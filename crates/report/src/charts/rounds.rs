//! The rounds in the order in which they ran, so that drift and alternation show.

use super::{capital, count, float, head, place_of};
use crate::axis::Axis;
use crate::canvas::{Canvas, LINE, Mark, Painted, Panel, Side, label_room, legend_height};
use crate::chart::{Chart, Words, labels_across};
use crate::theme::Ink;
use records::Failure;
use summarize::{Metric, Run, Summary, tables};

/// The height of one metric's panel, in pixels.
const PANEL: i32 = 210;

/// With more variants than these, the lines of their medians would hide the rounds.
const MEDIANS: usize = 4;

/// A round's place in the order, from 1, the round, and its value in the unit that people read.
type Value<'a> = (usize, &'a Run, f64);

pub(super) fn chart(summary: &Summary) -> Result<Option<Chart>, Failure> {
    let runs = &summary.experiment.rounds;
    let shown: Vec<(&Metric, Vec<Value>)> = summary
        .metrics
        .iter()
        .map(|metric| (metric, values(runs, metric)))
        .filter(|(_, values)| !values.is_empty())
        .collect();
    if shown.is_empty() {
        return Ok(None);
    }
    let aside = runs.iter().filter(|run| run.set_aside.is_some()).count();
    let variants = summary.experiment.variants.iter().enumerate();
    let mut legend: Vec<(Mark, String)> = variants
        .map(|(place, variant)| (Mark::Point(place), variant.clone()))
        .collect();
    if aside > 0 {
        legend.push((Mark::Aside, "set aside".to_owned()));
    }
    let scales: Vec<Scale> = shown.iter().map(|(_, values)| Scale::of(values)).collect();
    // One for all panels, so that a round stands under itself.
    let left = scales.iter().map(|scale| label_room(&scale.axis)).max();
    let left = left.unwrap_or_default();
    let panels = i32::try_from(shown.len()).unwrap_or(1);
    let words = Words {
        summary,
        name: "rounds",
        title: "Every round, in the order in which it ran".to_owned(),
        caption: caption(runs.len(), aside, summary.experiment.variants.len()),
        tables: vec![tables::rounds(&summary.experiment)],
    };
    Chart::draw(
        words,
        |width| legend_height(width, &legend) + panels * PANEL,
        |canvas| {
            canvas.legend(0, &legend)?;
            let mut top = legend_height(canvas.width, &legend);
            for ((metric, values), scale) in shown.iter().zip(&scales) {
                panel(canvas, summary, (metric, values), (scale, left), top)?;
                top += PANEL;
            }
            Ok(())
        },
    )
    .map(Some)
}

/// An upright axis.
struct Scale {
    axis: Axis,
    /// Whether it is of logarithms: where variants differ so much that the small ones would all lie
    /// on the ground.
    log: bool,
}

impl Scale {
    /// From this quotient of the largest and the smallest on, the axis is of logarithms.
    const WIDE: f64 = 20.0;

    fn of(values: &[Value]) -> Self {
        let values: Vec<f64> = values.iter().map(|(_, _, value)| *value).collect();
        let largest = values.iter().copied().fold(0.0, f64::max);
        let smallest = values.iter().copied().fold(f64::INFINITY, f64::min);
        // Zero has no logarithm.
        let log = smallest > 0.0 && largest / smallest >= Self::WIDE;
        let axis = if log {
            Axis::of_magnitudes(smallest, largest, "")
        } else {
            Axis::of_points(&values, 5, "")
        };
        Self { axis, log }
    }

    fn at(&self, value: f64) -> f64 {
        if self.log { value.log10() } else { value }
    }

    /// What a reader must know to read heights.
    fn remark(&self) -> Option<&'static str> {
        if self.log {
            Some("log scale")
        } else {
            (self.axis.low > 0.0).then_some("axis does not begin at 0")
        }
    }
}

fn caption(rounds: usize, aside: usize, variants: usize) -> String {
    let medians = if variants <= MEDIANS {
        "; a dashed line is the median of its variant"
    } else {
        ""
    };
    let set_aside = match aside {
        0 => String::new(),
        aside => format!(
            " A cross is a round that was set aside ({aside}) and is in no figure; the table says \
             why."
        ),
    };
    format!(
        "n = {}. Neighbours of one block, which are compared with each other, are joined by a \
         line{medians}. A slope that all share is drift.{set_aside}",
        count(rounds, "round")
    )
}

fn values<'a>(runs: &'a [Run], metric: &Metric) -> Vec<Value<'a>> {
    runs.iter()
        .enumerate()
        .filter_map(|(place, run)| {
            let value = metric.of(&run.round)? / metric.unit().divisor;
            Some((place + 1, run, value))
        })
        .collect()
}

fn panel(
    canvas: &Canvas,
    summary: &Summary,
    (metric, values): (&Metric, &[Value]),
    (scale, left): (&Scale, i32),
    top: i32,
) -> Painted {
    let x = Axis::places(
        summary.experiment.rounds.len(),
        labels_across(canvas.width) + 4,
        "round, in the order of time",
    );
    let title = capital(&head(metric));
    canvas.text((4, top + LINE / 2), &title, Ink::Text, Side::Start)?;
    if let Some(remark) = scale.remark() {
        let right = (canvas.width - 14, top + LINE / 2);
        canvas.text(right, remark, Ink::Muted, Side::End)?;
    }
    let ends = (top + LINE + 10, top + PANEL - 6);
    let panel = canvas.panel(ends, left, &x, &scale.axis)?;
    let few = summary.experiment.variants.len() <= MEDIANS;
    if few {
        medians(canvas, summary, metric, (&panel, scale), &x)?;
    }
    for pair in values.windows(2) {
        if let [(one, before, from), (next, after, to)] = pair {
            let block = |run: &Run| Some((run.series, run.block?.0));
            if block(before).is_some() && block(before) == block(after) {
                let from = panel.at(float(*one), scale.at(*from));
                let to = panel.at(float(*next), scale.at(*to));
                canvas.line(from, to, Ink::Muted, 1)?;
            }
        }
    }
    for (place, run, value) in values {
        let mark = match run.set_aside {
            Some(_) => Mark::Aside,
            None => Mark::Point(place_of(&summary.experiment, &run.variant)),
        };
        canvas.mark(mark, panel.at(float(*place), scale.at(*value)))?;
    }
    Ok(())
}

fn medians(
    canvas: &Canvas,
    summary: &Summary,
    metric: &Metric,
    (panel, scale): (&Panel, &Scale),
    x: &Axis,
) -> Painted {
    for row in summary
        .variants
        .iter()
        .filter(|row| row.metric == metric.name)
    {
        if let Some(median) = row.median {
            let median = scale.at(median / metric.unit().divisor);
            let ends = [panel.at(x.low, median), panel.at(x.high, median)];
            let ink = Ink::Series(place_of(&summary.experiment, &row.variant));
            canvas.summary_line(ends, ink)?;
        }
    }
    Ok(())
}
