//! Latencies of all requests of a variant: one row a variant.

use super::{Sheet, number, server_name, text};
use crate::summary::Summary;
use std::io::{self, Write};

const HEAD: [&str; 12] = [
    "experiment",
    "server",
    "variant",
    "rounds",
    "set_aside",
    "requests",
    "min_us",
    "p50_us",
    "p90_us",
    "p99_us",
    "p999_us",
    "max_us",
];

pub(super) fn write(summaries: &[Summary], sheet: &mut Sheet<impl Write>) -> io::Result<()> {
    sheet.head(HEAD)?;
    let latencies = summaries
        .iter()
        .flat_map(|summary| &summary.latencies.variants);
    for row in latencies.map(|latency| &latency.summary) {
        sheet.row([
            text(&row.experiment),
            text(&server_name(&row.header)),
            text(&row.variant),
            number(Some(row.n)),
            number(Some(row.set_aside)),
            number(Some(row.requests)),
            number(row.min_us),
            number(row.p50_us),
            number(row.p90_us),
            number(row.p99_us),
            number(row.p999_us),
            number(row.max_us),
        ])?;
    }
    Ok(())
}
