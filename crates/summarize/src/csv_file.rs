//! One rectangular table for a spreadsheet.

mod conditions;
pub(crate) mod dialect;
mod latency;
mod published;
mod sheet;

use crate::cli::TableName;
use crate::experiment::Run;
use crate::file_csv;
use crate::summary::Summary;
use dialect::Dialect;
use records::{Comparison, Header, LossFigures, RestoreFigures, Round, VariantSummary};
pub(crate) use sheet::{Cell, Sheet, name, number, text, time};
use std::io::{self, Write};

/// Writes one table over all experiments: a head, one unit a column.
///
/// # Errors
/// Writing failed.
pub(crate) fn write(
    summaries: &[Summary],
    table: TableName,
    dialect: Dialect,
    output: &mut impl Write,
) -> io::Result<()> {
    let mut sheet = Sheet::new(output, dialect)?;
    match table {
        TableName::Rounds => {
            sheet.head(ROUND_HEAD.iter().chain(&conditions::HEAD))?;
            for summary in summaries {
                for run in &summary.experiment.rounds {
                    let mut cells = round_cells(&summary.experiment.name, run);
                    cells.extend(conditions::cells(&run.round));
                    sheet.row(cells)?;
                }
            }
        }
        TableName::Variants => variants(summaries, &mut sheet)?,
        TableName::FileAverages => file_csv::averages(summaries, &mut sheet)?,
        TableName::FileTotals => file_csv::totals(summaries, &mut sheet)?,
        TableName::FilePasses => file_csv::passes(summaries, &mut sheet)?,
        TableName::Latency => latency::write(summaries, &mut sheet)?,
        TableName::Speed => file_csv::speed(summaries, &mut sheet)?,
        TableName::Intervals => crate::intervals_table::csv(summaries, &mut sheet)?,
        TableName::Comparison | TableName::Verdict => {
            sheet.head(COMPARISON_HEAD)?;
            for comparison in summaries.iter().flat_map(|summary| &summary.comparisons) {
                sheet.row(comparison_cells(comparison))?;
            }
        }
        TableName::Published => published::write(summaries, &mut sheet)?,
    }
    sheet.finish()
}

/// What a record says that it was measured on; empty where it does not.
pub(crate) fn server_name(header: &Header) -> String {
    let server = header.server.as_ref();
    server.map_or_else(String::new, |server| server.product.clone())
}

const ROUND_HEAD: [&str; 70] = [
    "experiment",
    "series",
    "run",
    "variant",
    "block",
    "slot",
    "trial_id",
    "validity",
    "set_aside",
    "counters",
    "reasons",
    "started_utc",
    "ended_utc",
    "elapsed_ms",
    "flush_ms",
    "elapsed_with_flush_ms",
    "workers",
    "transactions",
    "rows",
    "transactions_per_s",
    "errors",
    "writelog_wait_ms",
    "writelog_waits",
    "log_bytes_written",
    "log_writes",
    "log_write_stall_ms",
    "log_write_stall_mean_ms",
    "log_bytes_per_transaction",
    "transactions_per_log_write",
    "data_bytes_written",
    "data_writes",
    "data_write_stall_ms",
    "log_growth_bytes",
    "data_growth_bytes",
    "recovery_model",
    "armed",
    "delayed_durability",
    "log_reuse_wait_before",
    "log_reuse_wait",
    "log_used_bytes_before",
    "log_used_bytes",
    "vlf_count",
    "latency_p50_us",
    "latency_p99_us",
    "latency_max_us",
    "client_cpu_share",
    "server",
    "server_version",
    "server_edition",
    "server_injected_faults",
    "target_server",
    "target_database",
    "promised_durable",
    "acknowledged_commits",
    "present_commits",
    "missing_commits",
    "missing_ms",
    "unacknowledged_present_commits",
    "log_gaps",
    "data_file_bytes",
    "log_file_bytes",
    "backup_bytes",
    "backup_compressed_bytes",
    "backup_ms",
    "create_ms",
    "zero_data_ms",
    "copy_ms",
    "zero_log_ms",
    "recover_ms",
    "phases_from",
];

fn round_cells(experiment: &str, run: &Run) -> Vec<Cell> {
    let round: &Round = &run.round;
    let reasons: Vec<&str> = round
        .reasons
        .iter()
        .map(|reason| reason.code.as_str())
        .collect();
    let server = round.header.server.as_ref();
    let target = round.header.target.as_ref();
    let of_server =
        |field: fn(&records::Server) -> &str| text(server.map(field).unwrap_or_default());
    let loss = round.loss.as_ref();
    let of_loss = |field: fn(&LossFigures) -> u64| number(loss.map(field));
    let trial = round.header.trial.as_ref();
    let mut cells = vec![
        text(experiment),
        number(Some(run.series)),
        number(Some(run.number)),
        text(&run.variant),
        number(trial.map(|trial| trial.block)),
        number(trial.map(|trial| trial.slot)),
        text(trial.map(|trial| trial.id.as_str()).unwrap_or_default()),
        name(round.validity),
        text(run.set_aside.as_deref().unwrap_or_default()),
        name(round.counters),
        text(&reasons.join(";")),
        time(round.started),
        time(round.ended),
        number(round.elapsed_ms),
        number(round.flush_ms),
        number(round.elapsed_with_flush_ms),
        number(round.workers),
        number(round.transactions),
        number(round.rows),
        number(round.transactions_per_s),
        number(round.errors),
        number(round.writelog_wait_ms),
        number(round.writelog_waits),
        number(round.log_bytes_written),
        number(round.log_writes),
        number(round.log_write_stall_ms),
        number(round.log_write_stall_mean_ms),
        number(round.log_bytes_per_transaction),
        number(round.transactions_per_log_write),
        number(round.data_bytes_written),
        number(round.data_writes),
        number(round.data_write_stall_ms),
        number(round.log_growth_bytes),
        number(round.data_growth_bytes),
        text(&round.recovery_model),
        number(round.armed),
        text(round.delayed_durability.as_deref().unwrap_or_default()),
        text(&round.log_reuse_wait_before),
        text(&round.log_reuse_wait),
        number(round.log_used_bytes_before),
        number(round.log_used_bytes),
        number(round.vlf_count),
        number(round.latency_p50_us),
        number(round.latency_p99_us),
        number(round.latency_max_us),
        number(round.client_cpu_share),
        of_server(|server| &server.product),
        of_server(|server| &server.version),
        of_server(|server| &server.edition),
        of_server(|server| server.injected_faults.as_deref().unwrap_or_default()),
        text(
            target
                .map(|target| target.server.as_str())
                .unwrap_or_default(),
        ),
        text(
            target
                .map(|target| target.database.as_str())
                .unwrap_or_default(),
        ),
        number(loss.map(|loss| loss.promised_durable)),
        of_loss(|loss| loss.acknowledged),
        of_loss(|loss| loss.present),
        of_loss(|loss| loss.missing),
        number(loss.and_then(|loss| loss.missing_ms)),
        of_loss(|loss| loss.unacknowledged_present),
        of_loss(|loss| loss.gaps),
    ];
    cells.extend(restore_cells(round.restore.as_ref()));
    cells
}

/// What a restore took; empty cells for a round that is none.
fn restore_cells(restore: Option<&RestoreFigures>) -> [Cell; 11] {
    let Some(figures) = restore else {
        return Default::default();
    };
    [
        number(figures.data_file_bytes),
        number(figures.log_file_bytes),
        number(figures.backup_bytes),
        number(figures.backup_compressed_bytes),
        number(figures.backup_ms),
        number(figures.create_ms),
        number(figures.zero_data_ms),
        number(figures.copy_ms),
        number(figures.zero_log_ms),
        number(figures.recover_ms),
        text(figures.phases_from.as_deref().unwrap_or_default()),
    ]
}

/// One row a variant and a group of columns a metric, since a column has one unit.
fn variants(summaries: &[Summary], sheet: &mut Sheet<impl Write>) -> io::Result<()> {
    let mut metrics: Vec<&str> = Vec::new();
    for metric in summaries.iter().flat_map(|summary| &summary.metrics) {
        if !metrics.contains(&metric.name) {
            metrics.push(metric.name);
        }
    }
    let mut head = vec![
        "experiment".to_owned(),
        "server".to_owned(),
        "variant".to_owned(),
    ];
    for metric in &metrics {
        for figure in [
            "n",
            "set_aside",
            "min",
            "q1",
            "median",
            "median_low",
            "median_high",
            "q3",
            "max",
            "mean",
            "sd",
        ] {
            head.push(format!("{figure}_{metric}"));
        }
    }
    sheet.head(head)?;
    for summary in summaries {
        for variant in &summary.experiment.variants {
            let of_variant = |metric: &str| {
                let mut rows = summary.variants.iter();
                rows.find(|row| row.variant == *variant && row.metric == metric)
            };
            let server = metrics
                .iter()
                .find_map(|metric| server_of(of_variant(metric)?));
            let mut cells = vec![
                text(&summary.experiment.name),
                text(&server.unwrap_or_default()),
                text(variant),
            ];
            for metric in &metrics {
                cells.extend(variant_cells(of_variant(metric)));
            }
            sheet.row(cells)?;
        }
    }
    Ok(())
}

fn server_of(row: &VariantSummary) -> Option<String> {
    row.header
        .server
        .as_ref()
        .map(|server| server.product.clone())
}

fn variant_cells(row: Option<&VariantSummary>) -> [Cell; 11] {
    let of = |field: fn(&VariantSummary) -> Option<f64>| number(row.and_then(field));
    [
        number(row.map(|row| row.n)),
        number(row.map(|row| row.set_aside)),
        of(|row| row.min),
        of(|row| row.q1),
        of(|row| row.median),
        of(|row| row.median_low),
        of(|row| row.median_high),
        of(|row| row.q3),
        of(|row| row.max),
        of(|row| row.mean),
        of(|row| row.sd),
    ]
}

const COMPARISON_HEAD: [&str; 23] = [
    "experiment",
    "server",
    "metric",
    "headline",
    "baseline",
    "variant",
    "method",
    "pairs",
    "baseline_rounds",
    "variant_rounds",
    "ratio",
    "ratio_low",
    "ratio_high",
    "confidence",
    "p",
    "p_draws",
    "p_seed",
    "p_standard_error",
    "p_holm",
    "floor",
    "verdict",
    "pairs_needed",
    "warnings",
];

fn comparison_cells(row: &Comparison) -> [Cell; 23] {
    let warnings: Vec<String> = row
        .warnings
        .iter()
        .map(|warning| name(warning.code).into_text())
        .collect();
    let server = row
        .header
        .server
        .as_ref()
        .map(|server| server.product.as_str());
    [
        text(&row.experiment),
        text(server.unwrap_or_default()),
        text(&row.metric),
        number(Some(row.headline)),
        text(&row.baseline),
        text(&row.variant),
        name(row.method),
        number(Some(row.pairs)),
        number(Some(row.baseline_rounds)),
        number(Some(row.variant_rounds)),
        number(row.ratio),
        number(row.ratio_low),
        number(row.ratio_high),
        number(row.confidence),
        number(row.p),
        number(row.p_drawn.map(|drawn| drawn.draws)),
        number(row.p_drawn.map(|drawn| drawn.seed)),
        number(row.p_drawn.map(|drawn| drawn.standard_error)),
        number(row.p_holm),
        number(Some(row.floor)),
        name(row.verdict),
        number(row.pairs_needed),
        text(&warnings.join(";")),
    ]
}
