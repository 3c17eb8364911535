//! Waits by type.

use super::rows::Row;
use super::stacks::{Stack, draw};
use super::{count, float};
use crate::axis::grouped;
use crate::chart::{Chart, Words};
use crate::theme::SERIES;
use records::{Failure, Wait};
use std::collections::BTreeMap;
use summarize::number::{decimals, fixed};
use summarize::{Grid, Run, Summary};

/// The waits of one variant: how many rounds have them, and the mean of each type over those
/// rounds, in seconds.
struct Waits {
    variant: String,
    rounds: usize,
    mean_s: BTreeMap<String, f64>,
}

fn waits(summary: &Summary, of: impl Fn(&Run) -> Option<&Vec<Wait>>) -> Vec<Waits> {
    let experiment = &summary.experiment;
    let mut all = Vec::new();
    for variant in &experiment.variants {
        let rounds: Vec<&Vec<Wait>> = experiment
            .counting()
            .filter(|run| run.variant == *variant)
            .filter_map(&of)
            .collect();
        let mut sums: BTreeMap<String, f64> = BTreeMap::new();
        for wait in rounds.iter().copied().flatten() {
            *sums.entry(wait.wait_type.clone()).or_default() += float(wait.wait_ms) / 1000.0;
        }
        let n = float(rounds.len());
        if !rounds.is_empty() {
            all.push(Waits {
                variant: variant.clone(),
                rounds: rounds.len(),
                mean_s: sums
                    .into_iter()
                    .map(|(name, sum)| (name, sum / n))
                    .collect(),
            });
        }
    }
    all
}

/// The types by their weight over all variants, the heaviest first.
fn by_weight(waits: &[Waits]) -> Vec<String> {
    let mut weights: BTreeMap<&str, f64> = BTreeMap::new();
    for (name, mean) in waits.iter().flat_map(|waits| &waits.mean_s) {
        *weights.entry(name).or_default() += mean;
    }
    let mut weights: Vec<(&str, f64)> = weights.into_iter().filter(|(_, s)| *s > 0.0).collect();
    weights.sort_by(|one, other| other.1.total_cmp(&one.1));
    weights
        .into_iter()
        .map(|(name, _)| name.to_owned())
        .collect()
}

pub(super) fn chart(summary: &Summary) -> Result<Option<Chart>, Failure> {
    let waits = waits(summary, |run| run.round.session_waits.as_ref());
    let types = by_weight(&waits);
    let (shown, others) = if types.len() > SERIES {
        types.split_at(SERIES - 1)
    } else {
        (types.as_slice(), [].as_slice())
    };
    let mut parts = shown.to_vec();
    if !others.is_empty() {
        parts.push(count(others.len(), "other type"));
    }
    let stacks: Vec<Stack> = waits
        .iter()
        .map(|waits| stack(waits, shown, others))
        .collect();
    let words = Words {
        summary,
        name: "waits",
        title: "What the load's sessions waited for".to_owned(),
        caption: "The mean of the rounds that count, summed over the load's sessions: sixteen \
                  sessions can wait 16 s in one second. The server counts in whole milliseconds."
            .to_owned(),
        tables: vec![table(
            "Waits of the load's sessions, s a round (mean)",
            &waits,
            &types,
        )],
    };
    draw(words, &parts, &stacks, "wait, s a round")
}

fn stack(waits: &Waits, shown: &[String], others: &[String]) -> Stack {
    let mean = |name: &String| waits.mean_s.get(name).copied().unwrap_or_default();
    let mut parts: Vec<f64> = shown.iter().map(mean).collect();
    if !others.is_empty() {
        parts.push(others.iter().map(mean).sum());
    }
    let sum: f64 = parts.iter().sum();
    let figure = grouped(sum, decimals([sum].into_iter()).min(3));
    Stack {
        row: Row {
            label: waits.variant.clone(),
            value: format!("{figure} s a round, n = {}", waits.rounds),
            short: format!("{figure} s, n = {}", waits.rounds),
        },
        parts,
        whole: None,
    }
}

/// The waits of the whole server, as a table: in them are those that only say that nothing was to
/// be done, and a picture would show little else.
pub(crate) fn server_waits(summary: &Summary) -> Option<Grid> {
    const SHOWN: usize = 15;
    let waits = waits(summary, |run| run.round.server_waits.as_ref());
    let mut types = by_weight(&waits);
    if types.is_empty() {
        return None;
    }
    let more = types.len().saturating_sub(SHOWN);
    types.truncate(SHOWN);
    let note = match more {
        0 => String::new(),
        more => format!("; {} with less time left out", count(more, "type")),
    };
    let title = format!("Waits of the whole server, s a round (mean), idle ones among them{note}");
    Some(table(&title, &waits, &types))
}

fn table(title: &str, waits: &[Waits], types: &[String]) -> Grid {
    let mut grid = Grid::new(title).text_column("wait type");
    for waits in waits {
        grid = grid.number_column(format!("{} (n = {})", waits.variant, waits.rounds));
    }
    let all = waits
        .iter()
        .flat_map(|waits| waits.mean_s.values().copied());
    let decimals = decimals(all).clamp(1, 3);
    for name in types {
        let mut row = vec![name.clone()];
        let value = |waits: &Waits| fixed(waits.mean_s.get(name).copied(), decimals);
        row.extend(waits.iter().map(value));
        grid.rows.push(row);
    }
    grid
}
