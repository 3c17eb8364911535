//! Restores: their phases, and what size does to them.

use super::rows::Row;
use super::stacks::{Stack, draw};
use super::{count, float};
use crate::axis::{Axis, grouped};
use crate::canvas::{Canvas, LINE, Mark, Painted, Panel, Side, label_room, legend_height};
use crate::chart::{Chart, Words, labels_across};
use crate::theme::Ink;
use records::{Failure, RestoreFigures};
use statistics::{Line, least_squares};
use std::collections::{BTreeMap, BTreeSet};
use summarize::number::{decimals, fixed};
use summarize::{Grid, MB, Run, Summary, tables};

type Phase = (&'static str, fn(&RestoreFigures) -> Option<f64>);

const PHASES: [Phase; 5] = [
    ("create files", |figures| figures.create_ms),
    ("zero data files", |figures| figures.zero_data_ms),
    ("copy pages", |figures| figures.copy_ms),
    ("zero log files", |figures| figures.zero_log_ms),
    ("recover", |figures| figures.recover_ms),
];

/// The height of a panel of sizes.
const PANEL: i32 = 260;

/// A counting round that is a restore.
struct Restore<'a> {
    run: &'a Run,
    figures: &'a RestoreFigures,
    elapsed_s: f64,
}

fn restores(summary: &Summary) -> Vec<Restore<'_>> {
    let counting = summary.experiment.counting();
    counting
        .filter_map(|run| {
            Some(Restore {
                run,
                figures: run.round.restore.as_ref()?,
                elapsed_s: run.round.elapsed_ms? / 1000.0,
            })
        })
        .collect()
}

fn mean(values: &[f64]) -> Option<f64> {
    statistics::mean(values).ok()
}

fn size_of_files(figures: &RestoreFigures) -> f64 {
    let sizes = [figures.data_file_bytes, figures.log_file_bytes];
    sizes.into_iter().flatten().map(float).sum()
}

pub(super) fn phases(summary: &Summary) -> Result<Option<Chart>, Failure> {
    let restores = restores(summary);
    let mut stacks = Vec::new();
    for variant in &summary.experiment.variants {
        let own = || {
            restores
                .iter()
                .filter(|restore| restore.run.variant == *variant)
        };
        let phase = |of: fn(&RestoreFigures) -> Option<f64>| {
            let values: Vec<f64> = own().filter_map(|restore| of(restore.figures)).collect();
            mean(&values).unwrap_or_default() / 1000.0
        };
        let elapsed: Vec<f64> = own().map(|restore| restore.elapsed_s).collect();
        let Some(whole) = mean(&elapsed) else {
            continue;
        };
        let figure = grouped(whole, decimals([whole].into_iter()));
        let sizes: Vec<f64> = own()
            .map(|restore| size_of_files(restore.figures))
            .collect();
        let size = mean(&sizes).unwrap_or_default();
        stacks.push((
            size,
            Stack {
                row: Row {
                    label: variant.clone(),
                    value: format!("restored in {figure} s (mean), n = {}", elapsed.len()),
                    short: format!("{figure} s, n = {}", elapsed.len()),
                },
                parts: PHASES.iter().map(|(_, of)| phase(*of)).collect(),
                whole: Some(whole),
            },
        ));
    }
    // The sizes in their order, whichever came first by chance.
    stacks.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    let stacks: Vec<Stack> = stacks.into_iter().map(|(_, stack)| stack).collect();
    let parts: Vec<String> = PHASES.iter().map(|(name, _)| (*name).to_owned()).collect();
    let words = Words {
        summary,
        name: "restore",
        title: "The phases of a restore".to_owned(),
        caption: "The means of the rounds that count, from the server's error log; the upright \
                  line is the whole restore by the client's clock. Phases can overlap, and leave \
                  out what the log does not name, so they need not add up to it."
            .to_owned(),
        tables: vec![table(&restores)],
    };
    draw(words, &parts, &stacks, "time, s")
}

type Size = fn(&RestoreFigures) -> Option<i64>;

/// The restores of which one size differs while the other stays: those of the other size with
/// which most different ones were tried.
fn sweep<'a, 'b>(restores: &'b [Restore<'a>], of: Size, other: Size) -> Vec<&'b Restore<'a>> {
    let mut tried: BTreeMap<Option<i64>, BTreeSet<i64>> = BTreeMap::new();
    for restore in restores {
        let sizes = tried.entry(other(restore.figures)).or_default();
        sizes.extend(of(restore.figures));
    }
    let best = tried.iter().max_by_key(|(_, sizes)| sizes.len());
    match best {
        Some((fixed, sizes)) if sizes.len() > 1 => restores
            .iter()
            .filter(|restore| other(restore.figures) == *fixed && of(restore.figures).is_some())
            .collect(),
        _ => Vec::new(),
    }
}

const INITIALIZATION: [(Option<bool>, &str); 3] = [
    (Some(true), "instant file initialization on"),
    (Some(false), "instant file initialization off"),
    (None, "instant file initialization not known"),
];

fn series(figures: &RestoreFigures) -> usize {
    let of = |(known, _): &(Option<bool>, &str)| *known == figures.instant_file_initialization;
    INITIALIZATION.iter().position(of).unwrap_or_default()
}

pub(super) fn by_size(summary: &Summary) -> Result<Option<Chart>, Failure> {
    let restores = restores(summary);
    let data: Size = |figures| figures.data_file_bytes;
    let log: Size = |figures| figures.log_file_bytes;
    let mut panels = vec![
        ("data files, MB", data, sweep(&restores, data, log)),
        ("log files, MB", log, sweep(&restores, log, data)),
    ];
    panels.retain(|(_, _, restores)| !restores.is_empty());
    if panels.is_empty() {
        return Ok(None);
    }
    let shown: BTreeSet<usize> = panels
        .iter()
        .flat_map(|(_, _, restores)| restores.iter().map(|restore| series(restore.figures)))
        .collect();
    let legend: Vec<(Mark, String)> = INITIALIZATION
        .iter()
        .enumerate()
        .filter(|(place, _)| shown.contains(place))
        .map(|(place, (_, words))| (Mark::Point(place), (*words).to_owned()))
        .collect();
    let n: Vec<String> = panels
        .iter()
        .map(|(_, _, restores)| count(restores.len(), "restore"))
        .collect();
    let fitted = panels.iter().any(|(_, of, restores)| {
        (0..INITIALIZATION.len()).any(|state| line(restores, *of, state).is_some())
    });
    let lines = if fitted {
        " A dashed line is fitted by least squares, where three sizes ran."
    } else {
        ""
    };
    let mut numbers = vec![table(&restores)];
    numbers.extend(tables::time_against_size(&summary.experiment).map(|against| against.grid));
    let words = Words {
        summary,
        name: "restore-size",
        title: "Restore time by file size".to_owned(),
        caption: format!(
            "n = {}. Each mark is a restore; both axes begin at 0.{lines} Flat: the size of the \
             empty file does not matter. A slope: it costs time, as zeroing the file does.",
            n.join(", ")
        ),
        tables: numbers,
    };
    let heights = i32::try_from(panels.len()).unwrap_or(1) * PANEL;
    Chart::draw(
        words,
        |width| legend_height(width, &legend) + heights,
        |canvas| {
            canvas.legend(0, &legend)?;
            let mut top = legend_height(canvas.width, &legend);
            for (title, of, restores) in &panels {
                scatter(canvas, (title, *of), restores, top)?;
                top += PANEL;
            }
            Ok(())
        },
    )
    .map(Some)
}

fn scatter(canvas: &Canvas, (title, of): (&str, Size), restores: &[&Restore], top: i32) -> Painted {
    let size = |restore: &Restore| float(of(restore.figures).unwrap_or_default()) / MB;
    let largest = restores
        .iter()
        .map(|restore| size(restore))
        .fold(0.0, f64::max);
    let longest = restores
        .iter()
        .map(|restore| restore.elapsed_s)
        .fold(0.0, f64::max);
    let x = Axis::from_zero(largest, labels_across(canvas.width), title);
    let y = Axis::from_zero(longest, 5, "");
    canvas.text((4, top + LINE / 2), "Restore, s", Ink::Text, Side::Start)?;
    let panel = canvas.panel((top + LINE + 10, top + PANEL - 6), label_room(&y), &x, &y)?;
    for state in 0..INITIALIZATION.len() {
        fitted(canvas, &panel, restores, of, state)?;
    }
    for restore in restores {
        let point = panel.at(size(restore), restore.elapsed_s);
        canvas.mark(Mark::Point(series(restore.figures)), point)?;
    }
    Ok(())
}

/// The line of seconds against MB through the restores of one state of initialization; none where
/// fewer than three sizes ran.
fn line(restores: &[&Restore], of: Size, state: usize) -> Option<(Line, f64, f64)> {
    let own = restores
        .iter()
        .filter(|restore| series(restore.figures) == state);
    let points =
        own.filter_map(|restore| Some((float(of(restore.figures)?) / MB, restore.elapsed_s)));
    let (x, y): (Vec<f64>, Vec<f64>) = points.unzip();
    let sizes: BTreeSet<u64> = x.iter().map(|size| size.to_bits()).collect();
    if sizes.len() < 3 {
        return None;
    }
    let least = x.iter().copied().fold(f64::INFINITY, f64::min);
    let most = x.iter().copied().fold(0.0, f64::max);
    let line = least_squares(&x, &y, 0.95).ok().flatten()?;
    Some((line, least, most))
}

/// Draws it over the sizes that ran, and no further.
fn fitted(
    canvas: &Canvas,
    panel: &Panel,
    restores: &[&Restore],
    of: Size,
    state: usize,
) -> Painted {
    let Some((line, least, most)) = line(restores, of, state) else {
        return Ok(());
    };
    let at = |size: f64| panel.at(size, (line.intercept + line.slope * size).max(0.0));
    canvas.summary_line([at(least), at(most)], Ink::Series(state))
}

fn table(restores: &[Restore]) -> Grid {
    let mut grid = Grid::new("Each restore")
        .number_column("run")
        .text_column("variant")
        .number_column("elapsed s")
        .number_column("data MB")
        .number_column("log MB")
        .number_column("backup MB")
        .number_column("VLFs")
        .text_column("instant initialization");
    for (name, _) in PHASES {
        grid = grid.number_column(format!("{name} s"));
    }
    let mb = |bytes: Option<i64>| fixed(bytes.map(|bytes| float(bytes) / MB), 1);
    for restore in restores {
        let Restore {
            run,
            figures,
            elapsed_s,
        } = restore;
        let mut row = vec![
            run.label.clone(),
            run.variant.clone(),
            format!("{elapsed_s:.3}"),
            mb(figures.data_file_bytes),
            mb(figures.log_file_bytes),
            mb(figures.backup_compressed_bytes.or(figures.backup_bytes)),
            figures
                .vlf_count
                .map_or_else(|| "-".to_owned(), |count| count.to_string()),
            match figures.instant_file_initialization {
                Some(true) => "on",
                Some(false) => "off",
                None => "not known",
            }
            .to_owned(),
        ];
        row.extend(
            PHASES
                .iter()
                .map(|(_, of)| fixed(of(figures).map(|ms| ms / 1000.0), 3)),
        );
        grid.rows.push(row);
    }
    grid
}
