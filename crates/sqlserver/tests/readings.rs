//! Readings where the login may read all, and where it may not.
#![allow(clippy::unwrap_used, reason = "a test's helper may fail the test")]

mod double;
#[path = "double/views.rs"]
mod views;

use double::{Door, Double, Part, text_column};

use records::{Failure, FileKind, Server};
use sqlserver::connect::Encrypt;
use sqlserver::readings::{Counters, States, Surroundings};
use sqlserver::{Connection, ConnectionArgs, Environment, Settings, block_on, readings, texts};
use std::sync::Arc;

fn server(major: u32) -> Server {
    Server {
        product: "Microsoft SQL Server".into(),
        version: format!("{major}.0.1.1"),
        major_version: Some(major),
        edition: "Developer".into(),
        engine_edition: Some(3),
        host_platform: None,
        injected_faults: None,
    }
}

/// A server that has the views, except where `refuse` gives an error for a batch.
fn server_with(refuse: fn(&str) -> Option<Part>) -> Double {
    Double::start(Door::Plain, move |batch| {
        if let Some(error) = refuse(batch) {
            return vec![error, Part::Error(297, 16, "no permission for this action")];
        }
        batch.lines().map(views::view).collect()
    })
}

fn settings(double: &Double) -> Arc<Settings> {
    let args = ConnectionArgs {
        server: Some(double.server()),
        database: Some("lab".to_owned()),
        user: Some("reader".to_owned()),
        encrypt: Some(Encrypt::Disable),
        ..ConnectionArgs::default()
    };
    let environment = Environment::from_fn(|name| (name == "SQLCMDPASSWORD").then(String::new));
    Arc::new(Settings::resolve("test", &args, None, &environment).unwrap())
}

fn surroundings(double: &Double) -> Surroundings {
    let settings = settings(double);
    block_on(async {
        let mut connection = Connection::open(&settings).await?;
        readings::surroundings(&mut connection, &server(16))
            .await
            .map_err(|error| error.failure("surroundings"))
    })
    .unwrap()
}

fn read(double: &Double, major: u32) -> (Counters, States) {
    let settings = settings(double);
    block_on(async {
        let mut connection = Connection::open(&settings).await?;
        let counters = readings::counters(&mut connection, &server(major))
            .await
            .map_err(|error| error.failure("counters"))?;
        let states = readings::states(&mut connection, &server(major))
            .await
            .map_err(|error| error.failure("states"))?;
        Ok::<_, Failure>((counters, states))
    })
    .unwrap()
}

#[test]
fn where_all_may_be_read_two_round_trips_do() {
    let double = server_with(|_| None);
    let (counters, states) = read(&double, 16);
    assert_eq!(double.seen.lock().unwrap().batches.len(), 2);
    assert_eq!((counters.unavailable, states.unavailable), (vec![], vec![]));
    let file = &counters.files.unwrap()[0];
    assert_eq!(
        (file.kind, file.size_bytes, file.writes),
        (FileKind::Log, 8192, 1)
    );
    assert_eq!(file.file_handle, None);
    assert_eq!(counters.waits.unwrap()[0].wait_type, "WRITELOG");
    assert_eq!(
        counters.server_time.to_string(),
        "2026-01-02T03:04:05.1234567Z"
    );
    let database = states.database;
    assert_eq!(database.armed, Some(true));
    assert_eq!(
        (database.log_used_bytes, database.vlf_count),
        (Some(6), Some(7))
    );
    assert_eq!(states.compatibility_level, Some(5));
}

#[test]
fn what_may_not_be_read_is_null_with_the_grant_and_all_else_is_read() {
    let double = server_with(|batch| {
        ["dm_io_virtual", "dm_os_wait", "dm_db_log_info"]
            .iter()
            .any(|view| batch.contains(view))
            .then_some(Part::Error(
                300,
                14,
                "VIEW SERVER PERFORMANCE STATE permission was denied",
            ))
    });
    let (counters, states) = read(&double, 16);
    assert_eq!((counters.files, counters.waits), (None, None));
    let fields: Vec<&str> = counters
        .unavailable
        .iter()
        .map(|gap| gap.field.as_str())
        .collect();
    assert_eq!(fields, ["files", "waits"]);
    for gap in &counters.unavailable {
        assert_eq!(gap.sql_error, Some(300));
        let remedy = gap.remedy.as_deref().unwrap();
        assert!(
            remedy.contains("GRANT VIEW SERVER PERFORMANCE STATE TO [reader]"),
            "{remedy}"
        );
    }
    assert_eq!(counters.performance_counters.unwrap()[0].value, 3);
    assert_eq!(
        (states.database.vlf_count, states.database.active_vlf_count),
        (None, None)
    );
    assert_eq!(states.database.log_size_bytes, Some(6));
    let fields: Vec<&str> = states
        .unavailable
        .iter()
        .map(|gap| gap.field.as_str())
        .collect();
    assert_eq!(fields, ["database.vlf_count", "database.active_vlf_count"]);
}

#[test]
fn a_view_that_hides_its_row_gives_null_with_a_reason_too() {
    let hidden = |batch: &str| {
        batch
            .contains("database_recovery_status")
            .then(|| Part::Rows(vec![text_column("last_log_backup_lsn")], vec![]))
    };
    let double = Double::start(Door::Plain, move |batch| {
        batch
            .lines()
            .map(|line| hidden(line).unwrap_or_else(|| views::view(line)))
            .collect()
    });
    let (_, states) = read(&double, 16);
    assert_eq!(states.database.armed, None, "unknown, not false");
    let gap = states
        .unavailable
        .iter()
        .find(|gap| gap.field == "database.armed")
        .unwrap();
    assert!(gap.remedy.as_deref().unwrap().contains("GRANT"), "{gap:?}");
}

#[test]
fn before_2016_sp2_the_virtual_log_files_are_counted_another_way() {
    let double = server_with(|batch| {
        batch.contains("dm_db_log_info").then_some(Part::Error(
            208,
            16,
            "Invalid object name 'sys.dm_db_log_info'.",
        ))
    });
    let (_, states) = read(&double, 13);
    assert_eq!(states.database.vlf_count, Some(3));
    assert_eq!(states.database.active_vlf_count, Some(2));
    assert_eq!(states.unavailable, []);
    let batches = &double.seen.lock().unwrap().batches;
    assert_eq!(
        *batches.last().unwrap(),
        texts::readings::log_info_before_2016_sp2().sql
    );
}

#[test]
fn the_replicas_of_an_availability_group_are_read_with_whom_a_commit_waits_for() {
    let read = surroundings(&server_with(|_| None));
    assert_eq!(read.unavailable, []);
    assert_eq!(read.conditions.availability_group, Some(true));
    let group = read.conditions.availability.unwrap();
    assert_eq!(
        group.commits(),
        "ag: PRIMARY here, commits wait for b, not for c"
    );
    assert_eq!(group.replicas[2].commit_mode, "ASYNCHRONOUS_COMMIT");
    assert_eq!(
        group.replicas[2].synchronization.as_deref(),
        Some("SYNCHRONIZING")
    );
}

#[test]
fn replicas_that_may_not_be_seen_or_have_no_view_are_null_with_the_reason() {
    let replicas_of = |batch: &str| batch.contains("dm_hadr_database_replica_states");
    let refused = server_with(|batch| {
        batch
            .contains("dm_hadr_database_replica_states")
            .then_some(Part::Error(300, 14, "VIEW SERVER STATE was denied"))
    });
    let missing = Double::start(Door::Plain, move |batch| {
        if replicas_of(batch) {
            return vec![Part::Error(208, 16, "Invalid object name")];
        }
        batch.lines().map(views::view).collect()
    });
    let empty = Double::start(Door::Plain, move |batch| {
        if replicas_of(batch) {
            return vec![Part::Rows(vec![text_column("group_name")], vec![])];
        }
        batch.lines().map(views::view).collect()
    });
    for (double, number) in [(refused, Some(300)), (missing, Some(208)), (empty, None)] {
        let read = surroundings(&double);
        assert_eq!(read.conditions.availability_group, Some(true));
        assert_eq!(read.conditions.availability, None);
        assert_eq!(read.conditions.server_cpus, Some(16), "all else is read");
        let gaps: Vec<_> = read
            .unavailable
            .iter()
            .map(|gap| (gap.field.as_str(), gap.sql_error))
            .collect();
        assert_eq!(gaps, [("conditions.availability", number)]);
    }
}
