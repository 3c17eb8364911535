//! Stacked bars, one a row, each part in a pattern of its own.

use super::rows::{Row, Rows};
use crate::axis::Axis;
use crate::canvas::{Canvas, Mark, Painted, Panel};
use crate::chart::{Chart, Words};
use crate::theme::Ink;
use records::Failure;

/// A bar: its texts and the length of each part, in the order of the parts' names.
pub(super) struct Stack {
    pub(super) row: Row,
    pub(super) parts: Vec<f64>,
    /// A length to mark over the bar.
    pub(super) whole: Option<f64>,
}

/// Draws them; none where no part has a length.
pub(super) fn draw(
    words: Words,
    parts: &[String],
    stacks: &[Stack],
    title: &str,
) -> Result<Option<Chart>, Failure> {
    let sum = |stack: &Stack| stack.parts.iter().sum::<f64>();
    if stacks.iter().map(sum).fold(0.0, f64::max) <= 0.0 {
        return Ok(None);
    }
    let lengths = stacks
        .iter()
        .flat_map(|stack| [Some(sum(stack)), stack.whole]);
    let longest = lengths.flatten().fold(0.0, f64::max);
    let axis = |labels: usize| Axis::from_zero(longest, labels, title);
    let chart = Rows {
        each: stacks.iter().map(|stack| stack.row.clone()).collect(),
        legend: parts
            .iter()
            .enumerate()
            .map(|(place, name)| (Mark::Bar(place), name.clone()))
            .collect(),
        axis: &axis,
    };
    Chart::draw(
        words,
        |width| chart.height(width),
        |canvas| {
            chart.paint(
                canvas,
                |_, _, _| Ok(()),
                |panel, place, y| match stacks.get(place) {
                    Some(stack) => bar(canvas, panel, stack, y),
                    None => Ok(()),
                },
            )
        },
    )
    .map(Some)
}

fn bar(canvas: &Canvas, panel: &Panel, stack: &Stack, y: i32) -> Painted {
    let mut from = 0.0;
    for (part, length) in stack.parts.iter().enumerate() {
        let (left, right) = (panel.at(from, 0.0).0, panel.at(from + length, 0.0).0);
        from += length;
        if right > left {
            canvas.bar((left, y - 9), (right, y + 9), Ink::Series(part))?;
            canvas.line((right, y - 9), (right, y + 9), Ink::Paper, 1)?;
        }
    }
    if let Some(whole) = stack.whole {
        let (x, _) = panel.at(whole, 0.0);
        canvas.line((x, y - 13), (x, y + 13), Ink::Text, 2)?;
    }
    Ok(())
}
