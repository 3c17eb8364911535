//! `make bench`: the figures that the project promises, both sides of each from one run. The names
//! of measurements on the command line choose some of them.

use integration_tests::bench::{self, Bench, Figure};

type Measure = (&'static str, fn(&Bench) -> Vec<Figure>);

const MEASURES: [Measure; 14] = [
    ("one-connection", Bench::commits_of_one_connection),
    ("sixteen-connections", Bench::commits_of_sixteen_connections),
    ("delayed", Bench::delayed_round_trips),
    ("commits-a-write", Bench::commits_a_log_write),
    ("four-commits", Bench::four_ways_to_commit),
    ("log-bytes", Bench::log_bytes_of_one_connection),
    ("log-bytes-of-models", Bench::log_bytes_of_both_models),
    ("recovery", |_| bench::recovery_rate()),
    ("restore", |_| bench::restore_time()),
    ("summarize", Bench::long_stream),
    ("memory", |_| bench::memory_of_inserts()),
    ("client-cpu", Bench::client_cpu),
    ("start-up", Bench::start_up),
    ("snapshot", Bench::snapshot_time),
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [role, request, answer] = &arguments[..]
        && role == "echo-server"
    {
        return bench::serve_echo(request, answer);
    }
    let known: Vec<&str> = MEASURES.iter().map(|(name, _)| *name).collect();
    if let Some(unknown) = arguments.iter().find(|a| !known.contains(&a.as_str())) {
        eprintln!(
            "bench: no measurement is called {unknown}; there are {}",
            known.join(", ")
        );
        std::process::exit(2);
    }
    let bench = Bench::start();
    println!("{}", Figure::heading());
    for (name, measure) in MEASURES {
        if arguments.is_empty() || arguments.iter().any(|a| a == name) {
            for figure in measure(&bench) {
                println!("{figure}");
            }
        }
    }
}
