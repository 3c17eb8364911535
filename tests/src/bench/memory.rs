//! What a million inserts leave in the server's memory.

use super::figure::{Figure, Target};
use super::{DATABASE, load_record, setup};
use crate::{Labdb, LabdbOptions, run_with_input};

/// Inserts between two looks at the memory.
const STEPS: [u32; 3] = [250_000, 250_000, 500_000];
const WORKERS: u32 = 10;

/// The server's resident memory before and after 250,000, 500,000 and 1,000,000 inserts. The
/// buffer pool is small, so that it is full long before the end.
///
/// # Panics
/// Where a program fails.
#[must_use]
pub fn memory_of_inserts() -> Vec<Figure> {
    let server = Labdb::start_with(LabdbOptions {
        arguments: ["--buffer-pool-mb", "16"].map(str::to_owned).to_vec(),
        ..LabdbOptions::default()
    });
    let options = ["--recovery", "simple", "--delayed-durability", "forced"];
    let stream = setup(&server, &options);
    let before = resident_mib(&server);
    let mut inserts = 0;
    STEPS
        .into_iter()
        .map(|step| {
            let mut command = server.program("loadgen");
            command
                .args(["--workers", &WORKERS.to_string()])
                .args(["--rows", &(step / WORKERS).to_string()]);
            let load = load_record(&run_with_input(&mut command, &stream).success());
            inserts += u32::try_from(load.rows.unwrap_or_default()).expect("a small run");
            Figure {
                name: format!("labdb's memory after {inserts} inserts"),
                ours: resident_mib(&server),
                beside: Some((
                    format!("before the first, database {DATABASE} open"),
                    before,
                )),
                unit: "MiB",
                target: Target::None,
            }
        })
        .collect()
}

fn resident_mib(server: &Labdb) -> f64 {
    let path = format!("/proc/{}/status", server.process_id());
    let text = std::fs::read_to_string(path).expect("the server's status");
    let kib: f64 = text
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))
        .and_then(|rest| rest.trim().strip_suffix(" kB"))
        .and_then(|number| number.parse().ok())
        .expect("its resident memory");
    kib / 1_024.0
}
