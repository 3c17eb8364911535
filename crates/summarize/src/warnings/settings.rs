//! Settings that differ between rounds that are compared.

use super::warning;
use crate::experiment::Experiment;
use crate::metric::MB;
use records::{Conditions, FileKind, FileSettings, Round, SummaryWarning, WarningCode};
use std::collections::BTreeSet;

/// How many values of a setting are named.
const SHOWN: usize = 3;

/// The three sweeps of restore-time.
const RESTORES: &[&str] = &["restore-time", "restore-time-log", "restore-time-growth"];

/// Experiments that run with files of several sizes.
const SIZES: &[&str] = &[
    "restore-time",
    "restore-time-log",
    "restore-time-growth",
    "write-speed",
];

/// Something that should be the same in all rounds, or be what an experiment varies.
struct Setting {
    name: &'static str,
    /// In words; none where it is not known, which is no difference.
    of: fn(&Round) -> Option<String>,
    /// The experiments that vary it on purpose.
    varied_by: &'static [&'static str],
}

/// Says which settings differ between rounds of one variant, which is a fault of the series, and
/// which differ between the variants only, which is part of what is compared.
pub(super) fn settings(experiment: &Experiment, found: &mut Vec<SummaryWarning>) {
    let (mut mixed, mut between) = (Vec::new(), Vec::new());
    for setting in SETTINGS {
        let by_variant = values(experiment, setting);
        let all: BTreeSet<&String> = by_variant.iter().flat_map(|(_, values)| values).collect();
        if all.len() < 2 {
            continue;
        }
        if by_variant.iter().any(|(_, values)| values.len() > 1) {
            mixed.push(format!("{} ({})", setting.name, list(all.into_iter())));
        } else if !setting.varied_by.contains(&experiment.name.as_str()) {
            let each: Vec<String> = by_variant
                .iter()
                .filter_map(|(variant, values)| Some(format!("{variant}: {}", values.first()?)))
                .collect();
            between.push(format!("{} ({})", setting.name, list(each.iter())));
        }
    }
    if !mixed.is_empty() {
        found.push(warning(
            WarningCode::SettingsDiffer,
            format!(
                "the rounds differ in more than the variant: {}. Compare rounds of one series.",
                mixed.join("; ")
            ),
        ));
    }
    if !between.is_empty() {
        found.push(warning(
            WarningCode::SettingsDiffer,
            format!("the variants differ in {}.", between.join("; ")),
        ));
    }
}

/// The values of each variant, in the order of the variants.
fn values<'a>(experiment: &'a Experiment, setting: &Setting) -> Vec<(&'a str, BTreeSet<String>)> {
    experiment
        .variants
        .iter()
        .map(|variant| {
            let runs = experiment.counting().filter(|run| run.variant == *variant);
            let values = runs.filter_map(|run| (setting.of)(&run.round)).collect();
            (variant.as_str(), values)
        })
        .collect()
}

fn list<'a>(values: impl ExactSizeIterator<Item = &'a String>) -> String {
    let more = values.len().saturating_sub(SHOWN);
    let mut words: Vec<String> = values.take(SHOWN).cloned().collect();
    if more > 0 {
        words.push(format!("{more} more"));
    }
    words.join(", ")
}

const fn setting(name: &'static str, of: fn(&Round) -> Option<String>) -> Setting {
    Setting {
        name,
        of,
        varied_by: &[],
    }
}

const fn varied(
    name: &'static str,
    varied_by: &'static [&'static str],
    of: fn(&Round) -> Option<String>,
) -> Setting {
    Setting {
        name,
        of,
        varied_by,
    }
}

const SETTINGS: &[Setting] = &[
    setting("server", |round| {
        let server = round.header.server.as_ref()?;
        Some(format!("{} {}", server.product, server.version))
    }),
    setting("edition", |round| {
        Some(round.header.server.as_ref()?.edition.clone())
    }),
    setting("operating system", |round| {
        round.header.server.as_ref()?.host_platform.clone()
    }),
    setting("address", |round| {
        Some(round.header.target.as_ref()?.server.clone())
    }),
    varied("database", &["write-speed"], |round| {
        Some(round.header.target.as_ref()?.database.clone())
    }),
    setting("workers", |round| {
        round.workers.map(|count| count.to_string())
    }),
    // A crash ends each round elsewhere. How many rows a script meets may be drawn anew each time,
    // and how many rows a transaction of ours has may be what is compared.
    setting("rows", |round| match (&round.loss, round.scripted) {
        (None, None | Some(false)) => round.rows.map(|count| count.to_string()),
        _ => None,
    }),
    setting("transactions", |round| {
        match (&round.loss, round.scripted) {
            (None, Some(true)) => round.transactions.map(|count| count.to_string()),
            _ => None,
        }
    }),
    varied("recovery model", &["recovery-model"], |round| {
        Some(round.recovery_model.clone()).filter(|model| !model.is_empty())
    }),
    varied("delayed durability", &["delayed-durability"], |round| {
        round.delayed_durability.clone()
    }),
    setting("read committed snapshot", |round| {
        switch(conditions(round)?.read_committed_snapshot)
    }),
    setting("accelerated database recovery", |round| {
        switch(conditions(round)?.accelerated_database_recovery)
    }),
    setting("compatibility level", |round| {
        Some(conditions(round)?.compatibility_level?.to_string())
    }),
    setting("target recovery time", |round| {
        Some(format!("{} s", conditions(round)?.target_recovery_time_s?))
    }),
    setting("instant file initialization", |round| {
        switch(conditions(round)?.instant_file_initialization)
    }),
    setting("trace flags", |round| {
        let flags = conditions(round)?.global_trace_flags.as_ref()?;
        let flags: Vec<String> = flags.iter().map(ToString::to_string).collect();
        Some(if flags.is_empty() {
            "none".to_owned()
        } else {
            flags.join(" ")
        })
    }),
    setting("availability group", |round| {
        let conditions = conditions(round)?;
        let group = conditions.availability.as_ref();
        Some(match (conditions.availability_group?, group) {
            (_, Some(group)) => group.commits(),
            (true, None) => "yes".to_owned(),
            (false, None) => "none".to_owned(),
        })
    }),
    setting("processors", |round| {
        Some(conditions(round)?.server_cpus?.to_string())
    }),
    setting("memory", |round| {
        Some(megabytes(conditions(round)?.server_memory_bytes?))
    }),
    setting("max server memory", |round| {
        Some(megabytes(conditions(round)?.max_server_memory_bytes?))
    }),
    varied("virtual log files", RESTORES, |round| {
        Some(conditions(round)?.vlf_count?.to_string())
    }),
    varied("log size", SIZES, |round| size(round, FileKind::Log)),
    varied("data size", SIZES, |round| size(round, FileKind::Rows)),
    varied("file growth", &["write-speed"], |round| {
        each_file(round, growth)
    }),
    varied("file paths", &["write-speed"], |round| {
        each_file(round, |file| file.physical_name.clone())
    }),
];

fn conditions(round: &Round) -> Option<&Conditions> {
    round.conditions.as_ref()
}

fn switch(on: Option<bool>) -> Option<String> {
    on.map(|on| if on { "on" } else { "off" }.to_owned())
}

#[expect(
    clippy::cast_precision_loss,
    reason = "shown with no decimals, exact below 2^53 bytes"
)]
fn megabytes(bytes: i64) -> String {
    format!("{:.0} MB", bytes as f64 / MB)
}

fn size(round: &Round, kind: FileKind) -> Option<String> {
    let files = conditions(round)?.files.as_ref()?;
    let of_kind = files.iter().filter(|file| file.kind == kind);
    let bytes = of_kind
        .map(|file| file.size_bytes)
        .fold(0, u64::saturating_add);
    i64::try_from(bytes).ok().map(megabytes)
}

fn each_file(round: &Round, words: fn(&FileSettings) -> String) -> Option<String> {
    let files = conditions(round)?.files.as_ref()?;
    let words: Vec<String> = files.iter().map(words).collect();
    Some(words.join(" and "))
}

fn growth(file: &FileSettings) -> String {
    match (file.growth_bytes, file.growth_percent) {
        (Some(0), _) => "none".to_owned(),
        (Some(bytes), _) => i64::try_from(bytes).ok().map(megabytes).unwrap_or_default(),
        (None, Some(percent)) => format!("{percent} %"),
        (None, None) => "unknown".to_owned(),
    }
}
