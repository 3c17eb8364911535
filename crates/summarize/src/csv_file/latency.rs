//! Latencies of all requests of a variant: one row a variant.

use super::{number, server_name, text};
use crate::summary::Summary;
use csv::Writer;
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

pub(super) fn write(summaries: &[Summary], csv: &mut Writer<impl Write>) -> io::Result<()> {
    csv.write_record(HEAD)?;
    let latencies = summaries
        .iter()
        .flat_map(|summary| &summary.latencies.variants);
    for row in latencies.map(|latency| &latency.summary) {
        csv.write_record([
            text(&row.experiment),
            text(&server_name(&row.header)),
            text(&row.variant),
            row.n.to_string(),
            row.set_aside.to_string(),
            row.requests.to_string(),
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
