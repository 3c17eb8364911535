//! How long restores take with files of several sizes around the same rows.

use super::figure::{Figure, Target};
use super::{DATABASE, median, setup};
use crate::{Labdb, LabdbOptions, run, run_with_input};
use records::Record;
use statistics::least_squares;

const SIZES_MB: [u32; 4] = [64, 192, 320, 512];
const REPEATS: usize = 3;
const ROWS: &str = "100000";

/// Restores with instant file initialization and without, in turn.
///
/// # Panics
/// Where a program fails.
#[must_use]
pub fn restore_time() -> Vec<Figure> {
    let server = Labdb::start_with(LabdbOptions {
        arguments: ["--instant-file-initialization", "on"]
            .map(str::to_owned)
            .to_vec(),
        ..LabdbOptions::default()
    });
    let options = ["--recovery", "simple", "--log-size", "32MB"];
    let first = format!("{}MB", SIZES_MB[0]);
    let stream = setup(&server, &[&options[..], &["--data-size", &first]].concat());
    let mut load = server.program("loadgen");
    load.args(["--workers", "1", "--single-statement", "--rows", ROWS]);
    let _ = run_with_input(&mut load, &stream).success();
    for size in SIZES_MB {
        let wanted = format!("{size}MB");
        run(server
            .program("setup-db")
            .args(["-d", DATABASE, "--data-size", &wanted]))
        .success();
        run(server
            .program("restore-db")
            .args(["-d", DATABASE, "--backup", &file(size)]))
        .success();
    }
    // One turn that does not count: the first restore finds everything cold.
    let _ = restore_ms(&server, SIZES_MB[0], true);
    let mut instant = Vec::new();
    let mut zeroed = Vec::new();
    for _ in 0..REPEATS {
        for size in SIZES_MB {
            instant.push((size, restore_ms(&server, size, true)));
            zeroed.push((size, restore_ms(&server, size, false)));
        }
    }
    vec![
        Figure {
            name: "R2 of restore time on data size, zeroed".into(),
            ours: r_squared(&zeroed) * 100.0,
            beside: None,
            unit: "%",
            target: Target::AtLeast(98.0),
        },
        against_smallest(
            "restore, data 512 MB zeroed",
            &zeroed,
            Target::RatioAtLeast(2.0),
        ),
        against_smallest(
            "restore, data 512 MB instant",
            &instant,
            Target::RatioBetween(0.5, 1.5),
        ),
    ]
}

fn file(size: u32) -> String {
    format!("bench_{size}.bak")
}

/// One restore's elapsed time; dropped again.
fn restore_ms(server: &Labdb, size: u32, instant: bool) -> f64 {
    let mut command = server.program("restore-db");
    command.args(["--restore", &file(size), "--as", "bench_copy", "--drop"]);
    if !instant {
        command.arg("--no-instant-initialization");
    }
    match run(&mut command).success().records().pop() {
        Some(Record::Round(round)) => round.elapsed_ms.expect("a time"),
        other => panic!("{other:?}"),
    }
}

fn r_squared(points: &[(u32, f64)]) -> f64 {
    let (x, y): (Vec<f64>, Vec<f64>) = points
        .iter()
        .map(|(size, ms)| (f64::from(*size), *ms))
        .unzip();
    let line = least_squares(&x, &y, 0.95).expect("numbers");
    line.and_then(|line| line.r_squared).expect("several sizes")
}

/// The median of the largest size beside that of the smallest.
fn against_smallest(name: &str, points: &[(u32, f64)], target: Target) -> Figure {
    let of = |size: u32| {
        let of_size = points.iter().filter(|(other, _)| *other == size);
        median(&of_size.map(|(_, ms)| *ms).collect::<Vec<_>>())
    };
    Figure {
        name: name.into(),
        ours: of(SIZES_MB[SIZES_MB.len() - 1]),
        beside: Some((format!("the same with {} MB", SIZES_MB[0]), of(SIZES_MB[0]))),
        unit: "ms",
        target,
    }
}
