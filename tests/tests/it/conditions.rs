//! What surrounds a round, as labdb has it.

use crate::bad_input::sql;
use crate::programs::{DATABASE, one_round, round_of, setup_outcome};
use integration_tests::{Labdb, LabdbOptions, run_with_input};

#[test]
fn a_round_says_what_surrounded_it() {
    let server = Labdb::start();
    sql(&server, "master", "DBCC TRACEON(3979, 845, -1)");
    let round = round_of(&one_round(&server, "SIMPLE", 1, 1, 1));
    let conditions = round.conditions.expect("conditions");
    assert_eq!(conditions.read_committed_snapshot, Some(false));
    assert_eq!(conditions.availability_group, Some(false));
    assert_eq!(conditions.availability, None);
    // What would be asked of a database in a group has an answer here too, without a row.
    let replicas = sqlserver::texts::conditions::availability_replicas();
    assert_eq!(sql(&server, DATABASE, &replicas.sql), "");
    assert_eq!(conditions.global_trace_flags, Some(vec![845, 3979]));
    let level =
        "SELECT CAST(compatibility_level AS nvarchar(9)) FROM sys.databases WHERE name = DB_NAME()";
    assert_eq!(
        conditions
            .compatibility_level
            .map(|level| level.to_string()),
        Some(sql(&server, DATABASE, level))
    );
    let files = conditions.files.expect("files");
    assert!(
        files.iter().all(|file| file.size_bytes == 16 << 20),
        "{files:?}"
    );
    let cpus = std::thread::available_parallelism()
        .expect("processors")
        .get();
    assert_eq!(conditions.server_cpus, i32::try_from(cpus).ok());
    let vlfs = "SELECT CAST(COUNT(*) AS nvarchar(9)) FROM sys.dm_db_log_info(DB_ID())";
    assert_eq!(
        conditions.vlf_count.map(|count| count.to_string()),
        Some(sql(&server, DATABASE, vlfs))
    );
    let others = conditions.others.expect("others");
    assert_eq!(
        (others.sessions, others.cpu_ms),
        (Some(0), Some(0)),
        "only our own"
    );
}

#[test]
fn instant_file_initialization_is_read_as_the_server_was_started() {
    for (switch, on) in [("on", true), ("off", false)] {
        let server = Labdb::start_with(LabdbOptions {
            arguments: vec!["--instant-file-initialization".into(), switch.into()],
            ..LabdbOptions::default()
        });
        let round = round_of(&one_round(&server, "SIMPLE", 1, 1, 1));
        let conditions = round.conditions.expect("conditions");
        assert_eq!(conditions.instant_file_initialization, Some(on));
    }
}

#[test]
fn what_others_wrote_between_the_snapshots_is_counted_and_what_they_wrote_before_is_not() {
    let server = Labdb::start();
    for text in ["CREATE DATABASE others", "CREATE DATABASE earlier"] {
        sql(&server, "master", text);
    }
    let fill = "CREATE TABLE dbo.t (a varchar(8000) NOT NULL); DECLARE @i int = 0; WHILE @i < 100 \
                BEGIN INSERT dbo.t (a) VALUES (REPLICATE('x', 8000)); SET @i += 1; END; CHECKPOINT;";
    sql(&server, "earlier", fill);
    let stream = setup_outcome(&server, &["--recovery", "simple"])
        .success()
        .stdout;
    let before = run_with_input(&mut server.program("snapshot"), &stream)
        .success()
        .stdout;
    sql(&server, "others", fill);
    let after = run_with_input(&mut server.program("snapshot"), &before)
        .success()
        .stdout;
    let round = round_of(&run_with_input(&mut integration_tests::program("diff"), &after).stdout);
    let bytes = round
        .conditions
        .and_then(|conditions| conditions.others)
        .and_then(|others| others.other_databases_bytes)
        .expect("bytes");
    // 100 rows of 8,000 characters: 800,000 bytes of log and a page each, and what goes with them.
    assert!((1_600_000..16_000_000).contains(&bytes), "{bytes}");
}
