//! The table of latencies for people.

use crate::grid::Grid;
use crate::latency::Latencies;

/// One row a variant, in milliseconds.
#[must_use]
pub fn table(latencies: &Latencies) -> Grid {
    let mut grid = Grid::new("Latency of a request, ms (all rounds' distributions added up)")
        .text_column("variant")
        .number_column("rounds")
        .number_column("requests");
    for percentile in ["p50", "p90", "p99", "p99.9", "max"] {
        grid = grid.number_column(percentile);
    }
    for row in latencies.variants.iter().map(|latency| &latency.summary) {
        let mut cells = vec![
            row.variant.clone(),
            row.n.to_string(),
            row.requests.to_string(),
        ];
        let figures = [row.p50_us, row.p90_us, row.p99_us, row.p999_us, row.max_us];
        cells.extend(figures.map(|us| us.map_or_else(|| "-".to_owned(), milliseconds)));
        grid.rows.push(cells);
    }
    grid
}

/// `1.250`: whole microseconds are whole.
fn milliseconds(us: u64) -> String {
    format!("{}.{:03}", us / 1000, us % 1000)
}

#[cfg(test)]
mod tests {
    use super::milliseconds;

    #[test]
    fn microseconds_are_shown_as_milliseconds_with_three_decimals() {
        assert_eq!(milliseconds(7), "0.007");
        assert_eq!(milliseconds(1_250), "1.250");
        assert_eq!(milliseconds(3_600_000_000), "3600000.000");
    }
}
