//! What crashes took.

use super::dots::{Dots, MARKS, counted, draw, median};
use super::rows::Row;
use crate::axis::grouped;
use crate::chart::{Chart, Words};
use records::{Failure, LossFigures};
use summarize::number::fixed;
use summarize::{Grid, Run, Summary};

pub(super) fn chart(summary: &Summary) -> Result<Option<Chart>, Failure> {
    let crashes: Vec<(&Run, &LossFigures)> = summary
        .experiment
        .counting()
        .filter_map(|run| Some((run, run.round.loss.as_ref()?)))
        .collect();
    let mut dots = Vec::new();
    for (series, variant) in summary.experiment.variants.iter().enumerate() {
        let own = || crashes.iter().filter(|(run, _)| run.variant == *variant);
        let values: Vec<f64> = own().map(|(_, loss)| counted(loss.missing)).collect();
        let missing: u64 = own().map(|(_, loss)| loss.missing).sum();
        let acknowledged: u64 = own().map(|(_, loss)| loss.acknowledged).sum();
        let (missing, acknowledged) = (
            grouped(counted(missing), 0),
            grouped(counted(acknowledged), 0),
        );
        dots.push(Dots {
            row: Row {
                label: variant.clone(),
                value: format!(
                    "{missing} of {acknowledged} acknowledged missing, n = {}",
                    values.len()
                ),
                short: format!("{missing} of {acknowledged}, n = {}", values.len()),
            },
            series,
            middle: median(&values),
            values,
        });
    }
    dots.retain(|dots| !dots.values.is_empty());
    let damaged = crashes.iter().filter(|(_, loss)| loss.gaps > 0).count();
    let gaps = match damaged {
        0 => " No commit was missing before one of the same worker that is there.".to_owned(),
        damaged => format!(
            " In {damaged} of them commits are missing before one of the same worker that is \
             there: the database is damaged."
        ),
    };
    let words = Words {
        summary,
        name: "losses",
        title: "What a crash took: acknowledged commits that are gone".to_owned(),
        caption: format!("{MARKS}: a crash; the upright line is the median.{gaps}"),
        tables: vec![table(&crashes)],
    };
    draw(words, &dots, "acknowledged commits missing, a crash")
}

fn table(crashes: &[(&Run, &LossFigures)]) -> Grid {
    let mut grid = Grid::new("Each crash")
        .number_column("run")
        .text_column("variant")
        .number_column("acknowledged")
        .number_column("present")
        .number_column("missing")
        .number_column("missing ms")
        .number_column("not acknowledged, present")
        .number_column("gaps");
    for (run, loss) in crashes {
        let mut row = vec![run.label.clone(), run.variant.clone()];
        row.extend([loss.acknowledged, loss.present, loss.missing].map(|n| n.to_string()));
        row.push(fixed(loss.missing_ms, 1));
        row.extend([loss.unacknowledged_present, loss.gaps].map(|n| n.to_string()));
        grid.rows.push(row);
    }
    grid
}
