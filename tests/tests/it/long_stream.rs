//! A stream that is much longer needs no more memory where it has as many rounds.

use crate::intervals::round_with_intervals;
use integration_tests::bench::{VARIANTS, watched, write_stream};
use integration_tests::{Labdb, program};
use std::fs::File;
use std::io::{BufWriter, Write};

const ROUNDS: u32 = 60;

#[test]
fn memory_is_that_of_the_rounds_whatever_the_number_of_intervals() {
    let server = Labdb::start();
    let round = round_with_intervals(&server, &["--workers", "2", "--rows", "20"]);
    drop(server);
    let folder = tempfile::tempdir().expect("a folder");
    let mut peaks = Vec::new();
    for lines in [6_000, 300_000] {
        let path = folder.path().join("stream.jsonl");
        let mut file = BufWriter::new(File::create(&path).expect("a file"));
        let written = write_stream(&round, ROUNDS, lines, &mut file).expect("space");
        file.flush().expect("space");
        let mut command = program("summarize");
        command
            .args(["--format", "csv", "--table", "intervals"])
            .arg(&path);
        let (text, _, peak_mib) = watched(&mut command).expect("summarize");
        for (variant, (intervals, transactions)) in VARIANTS
            .iter()
            .zip(written.intervals.iter().zip(written.transactions))
        {
            let row = text
                .lines()
                .find(|line| line.split(',').nth(1) == Some(variant));
            let cells: Vec<&str> = row.expect("its row").split(',').collect();
            assert_eq!(cells[4], intervals.to_string(), "{variant}");
            assert_eq!(cells[6], transactions.to_string(), "{variant}");
        }
        let size = std::fs::metadata(&path).expect("the file").len() >> 20;
        peaks.push((peak_mib, size));
    }
    // Kept, the lines of the second would be all of their size.
    let more = peaks[1].0 - peaks[0].0;
    assert!(peaks[1].1 > 120, "{peaks:?}");
    assert!(more < 60.0, "peaks in MiB, and sizes: {peaks:?}");
}
