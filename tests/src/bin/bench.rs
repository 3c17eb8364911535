//! `make bench`: the figures that the project promises, both sides of each from one run.

use integration_tests::bench::{Bench, Figure};

fn main() {
    let bench = Bench::start();
    println!("{}", Figure::heading());
    for measure in [
        Bench::commits_of_one_connection,
        Bench::commits_of_sixteen_connections,
        Bench::log_bytes_of_one_connection,
        Bench::log_bytes_of_both_models,
        Bench::client_cpu,
        Bench::start_up,
        Bench::snapshot_time,
    ] {
        for figure in measure(&bench) {
            println!("{figure}");
        }
    }
}
