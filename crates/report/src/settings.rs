//! What was measured, and under which settings: every distinct value, and where it held.

use records::{CountersStatus, FileSettings, Round};
use std::collections::BTreeMap;
use summarize::{Experiment, Grid, MB, Run};

/// Everything about server, load and settings, a row a setting.
pub(crate) fn settings(experiment: &Experiment) -> Vec<Grid> {
    let mut tables = vec![
        facts(experiment, "Server", SERVER),
        facts(experiment, "Load", LOAD),
        facts(experiment, "Database", DATABASE),
        facts(experiment, "Conditions", CONDITIONS),
    ];
    tables.extend(files(experiment));
    tables.retain(|table| !table.rows.is_empty());
    tables
}

/// A setting: its name, and its value in a round; none where the round has no place for it.
type Fact = (&'static str, fn(&Round) -> Option<String>);

const UNKNOWN: &str = "not known";

/// A value that was asked for, which the server may not have given.
fn known<T: ToString>(value: Option<&T>) -> String {
    value.map_or_else(|| UNKNOWN.to_owned(), ToString::to_string)
}

fn on_off(value: Option<bool>) -> String {
    match value {
        Some(true) => "on",
        Some(false) => "off",
        None => UNKNOWN,
    }
    .to_owned()
}

fn bytes(value: i64) -> String {
    format!("{:.1} MB", crate::charts::float(value) / MB)
}

fn counters(status: CountersStatus) -> String {
    match status {
        CountersStatus::Continuous => "ran through",
        CountersStatus::ServerRestarted => "the server started again",
        CountersStatus::WentBack => "went back",
        CountersStatus::Replaced => "a file was replaced",
        CountersStatus::FilesChanged => "files came or went",
        CountersStatus::Unavailable => "could not be read",
        CountersStatus::Unproven => "ran through, not proven: no start time of the server",
        CountersStatus::NotTaken => "not taken",
    }
    .to_owned()
}

const SERVER: &[Fact] = &[
    ("product", |r| {
        let server = r.header.server.as_ref()?;
        let not = if server.is_labdb() {
            ", which is not SQL Server"
        } else {
            ""
        };
        Some(format!("{} {}{not}", server.product, server.version))
    }),
    ("edition", |r| {
        Some(r.header.server.as_ref()?.edition.clone())
    }),
    ("operating system", |r| {
        Some(known(r.header.server.as_ref()?.host_platform.as_ref()))
    }),
    ("injected faults", |r| {
        r.header.server.as_ref()?.injected_faults.clone()
    }),
    ("address", |r| {
        Some(r.header.target.as_ref()?.server.clone())
    }),
    ("database", |r| {
        Some(r.header.target.as_ref()?.database.clone())
    }),
];

const LOAD: &[Fact] = &[
    ("connections", |r| r.workers.map(|n| n.to_string())),
    ("transactions a round", |r| {
        r.transactions.map(|n| n.to_string())
    }),
    ("rows a round", |r| r.rows.map(|n| n.to_string())),
    ("errors a round", |r| r.errors.map(|n| n.to_string())),
    ("client CPU, cores", |r| {
        r.client_cpu_share.map(|share| format!("{share:.2}"))
    }),
];

const DATABASE: &[Fact] = &[
    ("recovery model", |r| Some(r.recovery_model.clone())),
    ("armed by a full backup", |r| {
        r.armed
            .map(|armed| if armed { "yes" } else { "no" }.to_owned())
    }),
    ("delayed durability", |r| r.delayed_durability.clone()),
    ("log reuse wait after the round", |r| {
        Some(r.log_reuse_wait.clone())
    }),
    ("virtual log files after the round", |r| {
        r.vlf_count.map(|n| n.to_string())
    }),
    ("counters", |r| Some(counters(r.counters))),
];

const CONDITIONS: &[Fact] = &[
    ("compatibility level", |r| {
        Some(known(r.conditions.as_ref()?.compatibility_level.as_ref()))
    }),
    ("read committed snapshot", |r| {
        Some(on_off(r.conditions.as_ref()?.read_committed_snapshot))
    }),
    ("accelerated database recovery", |r| {
        Some(on_off(r.conditions.as_ref()?.accelerated_database_recovery))
    }),
    ("target recovery time, s", |r| {
        Some(known(
            r.conditions.as_ref()?.target_recovery_time_s.as_ref(),
        ))
    }),
    ("instant file initialization", |r| {
        Some(on_off(r.conditions.as_ref()?.instant_file_initialization))
    }),
    ("global trace flags", |r| {
        let flags = r.conditions.as_ref()?.global_trace_flags.as_ref();
        let list = |flags: &Vec<i32>| {
            let flags: Vec<String> = flags.iter().map(ToString::to_string).collect();
            if flags.is_empty() {
                "none".to_owned()
            } else {
                flags.join(", ")
            }
        };
        Some(flags.map_or_else(|| UNKNOWN.to_owned(), list))
    }),
    ("availability group", |r| {
        let conditions = r.conditions.as_ref()?;
        Some(
            match (conditions.availability_group, &conditions.availability) {
                (_, Some(group)) => group.commits(),
                (Some(true), None) => "yes".to_owned(),
                (Some(false), None) => "none".to_owned(),
                (None, None) => UNKNOWN.to_owned(),
            },
        )
    }),
    ("virtual log files before the round", |r| {
        r.conditions.as_ref()?.vlf_count.map(|n| n.to_string())
    }),
    ("processors of the server", |r| {
        Some(known(r.conditions.as_ref()?.server_cpus.as_ref()))
    }),
    ("memory of the server", |r| {
        let memory = r.conditions.as_ref()?.server_memory_bytes;
        Some(memory.map_or_else(|| UNKNOWN.to_owned(), bytes))
    }),
    ("sessions of others", |r| {
        Some(known(
            r.conditions.as_ref()?.others.as_ref()?.sessions.as_ref(),
        ))
    }),
    ("CPU time of others, ms a round", |r| {
        Some(known(
            r.conditions.as_ref()?.others.as_ref()?.cpu_ms.as_ref(),
        ))
    }),
    ("I/O of other databases a round", |r| {
        let others = r.conditions.as_ref()?.others.as_ref()?;
        Some(
            others
                .other_databases_bytes
                .map_or_else(|| UNKNOWN.to_owned(), bytes),
        )
    }),
];

fn facts(experiment: &Experiment, title: &str, facts: &[Fact]) -> Grid {
    let mut grid = Grid::new(title).text_column("setting").text_column("value");
    for (name, of) in facts {
        if let Some(value) = distinct(experiment, |run| of(&run.round)) {
            grid.rows.push(vec![(*name).to_owned(), value]);
        }
    }
    grid
}

/// The distinct values in words: alone, with the variants that have each, or as a range.
fn distinct(experiment: &Experiment, of: impl Fn(&Run) -> Option<String>) -> Option<String> {
    const LISTED: usize = 4;
    let mut values: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    let mut order: Vec<String> = Vec::new();
    for run in &experiment.rounds {
        let Some(value) = of(run) else { continue };
        let variants = values.entry(value.clone()).or_insert_with(|| {
            order.push(value);
            Vec::new()
        });
        if !variants.contains(&run.variant.as_str()) {
            variants.push(&run.variant);
        }
    }
    if order.len() > LISTED {
        let numbers: Option<Vec<f64>> = order.iter().map(|value| value.parse().ok()).collect();
        let Some(numbers) = numbers else {
            let shown: Vec<&str> = order.iter().take(LISTED).map(String::as_str).collect();
            return Some(format!(
                "{} and {} more",
                shown.join(", "),
                order.len() - LISTED
            ));
        };
        let by = |wanted: fn(f64, f64) -> f64| numbers.iter().copied().reduce(wanted);
        return Some(format!("{} to {}", by(f64::min)?, by(f64::max)?));
    }
    if let [only] = order.as_slice() {
        return Some(only.clone());
    }
    let told = order.iter().filter_map(|value| {
        let variants = values.get(value)?;
        let of = if variants.len() == experiment.variants.len() {
            "all variants, some rounds".to_owned()
        } else {
            variants.join(", ")
        };
        Some(format!("{value} ({of})"))
    });
    let told: Vec<String> = told.collect();
    (!told.is_empty()).then(|| told.join("; "))
}

/// The files at the first round that knows them.
fn files(experiment: &Experiment) -> Option<Grid> {
    let known = |run: &Run| run.round.conditions.as_ref()?.files.clone();
    let (label, files) = experiment
        .rounds
        .iter()
        .find_map(|run| Some((run.label.clone(), known(run)?)))?;
    let mut grid = Grid::new(format!("Files before run {label}"))
        .text_column("file")
        .text_column("type")
        .text_column("path")
        .number_column("size MB")
        .text_column("growth");
    grid.rows = files.iter().map(file_row).collect();
    Some(grid)
}

fn file_row(file: &FileSettings) -> Vec<String> {
    let mb = |bytes: u64| format!("{:.1}", crate::charts::float(bytes) / MB);
    let growth = match (file.growth_bytes, file.growth_percent) {
        (Some(0), _) => "none".to_owned(),
        (Some(step), _) => format!("{} MB", mb(step)),
        (None, Some(percent)) => format!("{percent} %"),
        (None, None) => UNKNOWN.to_owned(),
    };
    let most = file
        .max_size_bytes
        .map(|most| format!(", to {} MB", mb(most)));
    vec![
        file.logical_name.clone(),
        crate::charts::file_kind(file.kind).to_owned(),
        file.physical_name.clone(),
        mb(file.size_bytes),
        growth + &most.unwrap_or_default(),
    ]
}
