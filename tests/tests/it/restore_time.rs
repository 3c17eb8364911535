//! `restore-db` against labdb.

use integration_tests::{Labdb, LabdbOptions, Outcome, query_text, run};
use records::{Record, RestoreFigures, Round, Setup, Validity};
use std::io::Read as _;
use std::process::{Command, Stdio};

/// A database of ours with files of these sizes in MB, backed up into `lab.bak`.
fn backed_up(server: &Labdb, data: u32, log: u32) -> Setup {
    let (data, log) = (format!("{data}MB"), format!("{log}MB"));
    run(server
        .program("setup-db")
        .args(["-d", "lab", "--recovery", "simple"])
        .args(["--data-size", &data, "--log-size", &log]))
    .success();
    let outcome = restore_db(server, &["-d", "lab", "--backup", "lab.bak"]).success();
    match outcome.records().pop() {
        Some(Record::Setup(setup)) => *setup,
        other => panic!("{other:?}"),
    }
}

fn restore_db(server: &Labdb, arguments: &[&str]) -> Outcome {
    run(server.program("restore-db").args(arguments))
}

fn restore(server: &Labdb, more: &[&str]) -> Outcome {
    let arguments = ["--restore", "lab.bak", "--as", "lab_copy"];
    restore_db(server, &[&arguments[..], more].concat())
}

fn round_of(outcome: &Outcome) -> Round {
    match outcome.records().pop() {
        Some(Record::Round(round)) => *round,
        other => panic!("{other:?}: {}", outcome.stderr),
    }
}

fn figures(outcome: &Outcome) -> RestoreFigures {
    round_of(outcome).restore.expect("a restore")
}

/// The state of a database; empty where there is none.
pub(super) fn state(server: &Labdb, database: &str) -> String {
    let text = format!(
        "SELECT CAST(state_desc AS nvarchar(60)) FROM sys.databases WHERE name = N'{database}'"
    );
    query_text(server, "master", &text)
}

/// The sum of the trace flags among 1806, 3004 and 3605 that are on everywhere.
pub(super) fn trace_flags(server: &Labdb) -> String {
    query_text(
        server,
        "master",
        "DECLARE @flags TABLE (flag int, status int, everywhere int, session int); \
         INSERT @flags EXEC ('DBCC TRACESTATUS (1806, 3004, 3605, -1) WITH NO_INFOMSGS'); \
         SELECT CAST(SUM(flag * everywhere) AS nvarchar(20)) FROM @flags",
    )
}

#[test]
fn a_restored_database_has_the_rows_the_sizes_and_the_mark_of_the_one_backed_up() {
    let server = Labdb::start();
    let backup = backed_up(&server, 24, 12);
    assert_eq!(backup.changes[0].to.as_deref(), Some("lab.bak"));
    let _ = query_text(&server, "lab", "INSERT dbo.writes DEFAULT VALUES");
    let outcome = restore_db(
        &server,
        &[
            "-d",
            "lab",
            "--backup",
            "lab.bak",
            "--restore",
            "lab.bak",
            "--as",
            "lab_copy",
        ],
    )
    .success();
    let round = round_of(&outcome);
    assert_eq!(round.validity, Validity::Valid, "{:?}", round.reasons);
    let figures = round.restore.expect("a restore");
    assert_eq!(figures.data_file_bytes, Some(24 << 20));
    assert_eq!(figures.log_file_bytes, Some(12 << 20));
    assert!(figures.backup_ms.expect("a time") > 0.0);
    let text = "SELECT CAST(COUNT(*) AS nvarchar(20)) FROM dbo.writes";
    assert_eq!(query_text(&server, "lab_copy", text), "1");
    let files = "SELECT CAST(SUM(size) / 128 AS nvarchar(20)) FROM sys.database_files";
    assert_eq!(query_text(&server, "lab_copy", files), "36", "MB");
    let vlfs = "SELECT CAST(COUNT(*) AS nvarchar(20)) FROM sys.dm_db_log_info(DB_ID())";
    let vlfs = query_text(&server, "lab_copy", vlfs);
    assert_eq!(figures.vlf_count.map(|n| n.to_string()), Some(vlfs));
    // Marked as the other is, so that it may be restored over and dropped.
    restore(&server, &["--drop"]).success();
    assert_eq!(state(&server, "lab_copy"), "");
}

#[test]
fn the_phases_are_those_of_the_error_log_and_lie_within_the_elapsed_time() {
    let server = Labdb::start();
    backed_up(&server, 48, 24);
    let outcome = restore(&server, &[]).success();
    let elapsed = round_of(&outcome).elapsed_ms.expect("a time");
    let figures = figures(&outcome);
    // The server's own words on each zeroing, read from its file.
    let log = std::fs::read_to_string(server.data_folder().join("errorlog")).expect("the log");
    let said = |file: &str| {
        let line = log.lines().find(|line| {
            line.contains("Zeroing completed on") && line.contains(&format!("/{file} "))
        });
        let (_, rest) = line
            .and_then(|line| line.split_once("elapsed = "))
            .expect("a line");
        rest.split(' ').next().and_then(|ms| ms.parse::<f64>().ok())
    };
    assert_eq!(figures.zero_data_ms, said("lab_copy.mdf"));
    assert_eq!(figures.zero_log_ms, said("lab_copy_log.ldf"));
    let phases = [
        figures.create_ms,
        figures.zero_data_ms,
        figures.copy_ms,
        figures.zero_log_ms,
        figures.recover_ms,
    ];
    let sum: f64 = phases.iter().map(|phase| phase.expect("a phase")).sum();
    // labdb does one after the other; each may look 10 ms longer than it was.
    assert!(sum <= elapsed + 50.0, "{phases:?} in {elapsed} ms");
}

#[test]
fn data_files_are_zeroed_on_request_although_they_need_not_be_and_flags_are_put_back() {
    let server = Labdb::start_with(LabdbOptions {
        arguments: vec!["--instant-file-initialization".into(), "on".into()],
        ..LabdbOptions::default()
    });
    backed_up(&server, 16, 8);
    let _ = query_text(&server, "master", "DBCC TRACEON (3605, -1)");
    let instant = figures(&restore(&server, &[]).success());
    assert_eq!(instant.instant_file_initialization, Some(true));
    assert_eq!(instant.zero_data_ms, Some(0.0));
    let zeroed = figures(&restore(&server, &["--no-instant-initialization"]).success());
    assert_eq!(zeroed.instant_file_initialization, Some(false));
    assert!(zeroed.zero_data_ms > Some(0.0), "{zeroed:?}");
    assert_eq!(trace_flags(&server), "3605", "what was on is left on");

    // A restore that fails leaves no database, and the flags as they were.
    let folder = ["--data-dir", "/no/such/folder", "--free-space-unknown"];
    let failed = restore_db(
        &server,
        &[&["--restore", "lab.bak", "--as", "other"][..], &folder].concat(),
    );
    assert_eq!(failed.code, Some(1), "{}", failed.stderr);
    assert_eq!(state(&server, "other"), "");
    assert_eq!(trace_flags(&server), "3605");
}

#[test]
fn a_database_without_the_mark_is_not_overwritten_until_its_name_is_repeated() {
    let server = Labdb::start();
    backed_up(&server, 8, 8);
    let _ = query_text(&server, "master", "CREATE DATABASE lab_copy");
    let _ = query_text(&server, "lab_copy", "CREATE TABLE theirs (id int)");
    let theirs = "SELECT CAST(OBJECT_ID(N'theirs') AS nvarchar(20))";
    for more in [&[][..], &["--adopt", "lab"]] {
        let refused = restore(&server, more);
        assert_eq!(refused.code, Some(7), "{}", refused.stderr);
        assert_ne!(query_text(&server, "lab_copy", theirs), "");
    }
    restore(&server, &["--adopt", "lab_copy"]).success();
    assert_eq!(query_text(&server, "lab_copy", theirs), "");

    // In the middle of a restore a mark cannot be read. The connection that asked last may still be in
    // the database.
    let _ = query_text(
        &server,
        "master",
        "ALTER DATABASE lab_copy SET SINGLE_USER WITH ROLLBACK IMMEDIATE; \
         DROP DATABASE lab_copy; RESTORE DATABASE lab_copy FROM DISK = 'lab.bak' WITH NORECOVERY, \
         MOVE 'lab' TO 'half.mdf', MOVE 'lab_log' TO 'half.ldf'",
    );
    let refused = restore(&server, &[]);
    assert_eq!(refused.code, Some(7));
    assert!(refused.stderr.contains("RESTORING"), "{}", refused.stderr);
    assert_eq!(state(&server, "lab_copy"), "RESTORING");
    restore(&server, &["--adopt", "lab_copy"]).success();
    assert_eq!(state(&server, "lab_copy"), "ONLINE");

    for name in ["master", "lab"] {
        let refused = restore_db(
            &server,
            &[
                "-d",
                "lab",
                "--backup",
                "lab.bak",
                "--restore",
                "lab.bak",
                "--as",
                name,
            ],
        );
        assert!(matches!(refused.code, Some(2 | 7)), "{}", refused.stderr);
    }
}

#[test]
fn setup_db_drops_what_a_restore_left_half_done() {
    let server = Labdb::start();
    backed_up(&server, 8, 8);
    let _ = query_text(
        &server,
        "master",
        "RESTORE DATABASE half FROM DISK = 'lab.bak' WITH NORECOVERY, \
         MOVE 'lab' TO 'half.mdf', MOVE 'lab_log' TO 'half.ldf'",
    );
    run(server
        .program("setup-db")
        .args(["-d", "half", "--drop", "--adopt", "half"]))
    .success();
    assert_eq!(state(&server, "half"), "");
}

#[test]
fn only_a_marked_database_is_backed_up_and_no_other_databases_backup_is_overwritten() {
    let server = Labdb::start();
    backed_up(&server, 8, 8);
    let _ = query_text(&server, "master", "CREATE DATABASE theirs");
    let refused = restore_db(&server, &["-d", "theirs", "--backup", "theirs.bak"]);
    assert_eq!(refused.code, Some(7), "{}", refused.stderr);
    assert!(!server.data_folder().join("theirs.bak").exists());

    let before = std::fs::read(server.data_folder().join("lab.bak")).expect("the backup");
    let refused = restore_db(
        &server,
        &["-d", "theirs", "--adopt", "theirs", "--backup", "lab.bak"],
    );
    assert_eq!(refused.code, Some(7), "{}", refused.stderr);
    assert!(refused.stderr.contains("lab.bak"), "{}", refused.stderr);
    let after = std::fs::read(server.data_folder().join("lab.bak")).expect("the backup");
    assert!(before == after, "the backup was touched");
}

#[test]
fn a_restore_for_which_the_disk_has_no_room_is_refused_before_it_begins() {
    let server = Labdb::start_with(LabdbOptions {
        arguments: vec!["--fault".into(), "disk-full=40mb".into()],
        ..LabdbOptions::default()
    });
    backed_up(&server, 16, 8);
    let refused = restore(&server, &["--free-space-unknown"]);
    assert_eq!(refused.code, Some(1), "{}", refused.stderr);
    assert!(
        refused.stderr.contains("16 MB free") && refused.stderr.contains("24 MB"),
        "{}",
        refused.stderr
    );
    assert_eq!(state(&server, "lab_copy"), "");
    assert!(!server.data_folder().join("lab_copy.mdf").exists());
    let log = std::fs::read_to_string(server.data_folder().join("errorlog")).expect("the log");
    assert!(!log.contains("TRACEON"), "nothing was begun");
}

#[test]
fn an_interrupted_restore_leaves_no_database_and_no_trace_flag() {
    let server = Labdb::start();
    backed_up(&server, 192, 64);
    // A restore may be through before the signal comes: then once more.
    let interrupted = (0..10).find_map(|_| {
        let mut child = server
            .program("restore-db")
            .args(["--restore", "lab.bak", "--as", "lab_copy"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        while state(&server, "lab_copy") != "RESTORING" {
            if child.try_wait().expect("a state").is_some() {
                return None;
            }
        }
        let id = child.id().to_string();
        Command::new("kill")
            .args(["-INT", &id])
            .status()
            .expect("kill");
        let (mut stdout, mut stderr) = (String::new(), String::new());
        let status = child.wait().expect("it ends");
        child
            .stdout
            .take()?
            .read_to_string(&mut stdout)
            .expect("text");
        child
            .stderr
            .take()?
            .read_to_string(&mut stderr)
            .expect("text");
        // A round in the record: the restore had ended, and was finished in order.
        (!stdout.contains("\"kind\":\"round\"")).then_some((status.code(), stderr))
    });
    let (code, stderr) = interrupted.expect("one of ten is interrupted");
    assert_eq!(code, Some(130), "{stderr}");
    assert!(stderr.contains("nothing was measured"), "{stderr}");
    assert_eq!(state(&server, "lab_copy"), "");
    assert_eq!(trace_flags(&server), "0");
}

#[test]
fn without_the_rights_of_a_sysadmin_the_time_is_there_and_the_phases_are_null_with_a_reason() {
    let server = Labdb::start();
    backed_up(&server, 8, 8);
    let _ = query_text(
        &server,
        "master",
        "CREATE LOGIN restorer WITH PASSWORD = 'Restore-8-times'; \
         GRANT CREATE ANY DATABASE TO restorer",
    );
    let as_restorer = |more: &[&str]| {
        let mut command = server.program("restore-db");
        command
            .env("SQLCMDUSER", "restorer")
            .env("SQLCMDPASSWORD", "Restore-8-times")
            .args(["--restore", "lab.bak", "--as", "lab_copy"])
            .args(more);
        run(&mut command)
    };
    let refused = as_restorer(&[]);
    assert_eq!(refused.code, Some(6), "{}", refused.stderr);
    assert!(
        refused.stderr.contains("--free-space-unknown"),
        "{}",
        refused.stderr
    );

    let outcome = as_restorer(&["--free-space-unknown", "--drop"]).success();
    let round = round_of(&outcome);
    assert_eq!(round.validity, Validity::Valid);
    assert!(round.elapsed_ms > Some(0.0));
    let figures = round.restore.expect("a restore");
    assert_eq!(figures.zero_data_ms.or(figures.recover_ms), None);
    assert_eq!(figures.instant_file_initialization, None);
    let why = figures.phases_from.expect("a reason");
    assert!(why.contains("3004"), "{why}");
}

/// The transaction that was open during the backup is undone, and the row before it is there.
#[test]
fn a_restore_of_a_backup_under_an_open_transaction_undoes_it() {
    let server = Labdb::start();
    backed_up(&server, 24, 24);
    let _ = query_text(&server, "lab", "INSERT dbo.writes DEFAULT VALUES");
    let count = "SELECT CAST(COUNT(*) AS nvarchar(20)) FROM dbo.writes";
    let backup = ["-d", "lab", "--backup", "lab.bak"];
    let busy = [&backup[..], &["--open-transaction", "20000"]].concat();
    let size_of = |outcome: &Outcome| {
        let Some(Record::Setup(setup)) = outcome.records().pop() else {
            panic!("{}", outcome.stdout)
        };
        let of = |what: &str| {
            let change = setup.changes.iter().find(|change| change.what == what);
            change.and_then(|change| change.to.as_ref()?.parse::<u64>().ok())
        };
        (
            of("backup_bytes").expect("bytes"),
            of("open_transaction_rows"),
        )
    };
    let (quiet_bytes, none) = size_of(&restore_db(&server, &backup).success());
    let (busy_bytes, rows) = size_of(&restore_db(&server, &busy).success());
    assert_eq!((none, rows), (None, Some(20_000)));
    assert!(
        busy_bytes > quiet_bytes + 20_000 * 28,
        "rows and log are in it"
    );
    assert_eq!(query_text(&server, "lab", count), "1", "rolled back");
    restore(&server, &[]).success();
    assert_eq!(query_text(&server, "lab_copy", count), "1", "undone");

    // Without the table there is nothing to hold open, and no backup is taken.
    let before = std::fs::read(server.data_folder().join("lab.bak")).expect("the backup");
    let failed = restore_db(&server, &[&busy[..], &["--table", "dbo.nowhere"]].concat());
    assert_eq!(failed.code, Some(1), "{}", failed.stderr);
    assert!(failed.stderr.contains("dbo.nowhere"), "{}", failed.stderr);
    let after = std::fs::read(server.data_folder().join("lab.bak")).expect("the backup");
    assert!(before == after, "the backup was touched");
}

#[test]
fn a_log_grows_in_as_many_steps_as_are_asked_for() {
    let server = Labdb::start();
    backed_up(&server, 8, 8);
    let vlfs = "SELECT CAST(COUNT(*) AS nvarchar(20)) FROM sys.dm_db_log_info(DB_ID())";
    let before: u32 = query_text(&server, "lab", vlfs).parse().expect("a count");
    let grow = |size: &str, steps: &str| {
        run(server.program("setup-db").args([
            "-d",
            "lab",
            "--log-size",
            size,
            "--log-steps",
            steps,
        ]))
    };
    grow("16MB", "20").success();
    let after: u32 = query_text(&server, "lab", vlfs).parse().expect("a count");
    // Each growth of up to 64 MB makes one.
    assert_eq!(after, before + 20);
    let refused = grow("17MB", "17");
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
}

#[test]
fn a_restores_conditions_are_those_of_the_restored_database_and_flags_of_the_restore_are_none() {
    let server = Labdb::start_with(LabdbOptions {
        arguments: vec!["--instant-file-initialization".into(), "on".into()],
        ..LabdbOptions::default()
    });
    backed_up(&server, 16, 8);
    let _ = query_text(&server, "master", "DBCC TRACEON (3979, -1)");
    let round = round_of(&restore(&server, &["--no-instant-initialization"]).success());
    let conditions = round.conditions.expect("conditions");
    assert_eq!(conditions.global_trace_flags, Some(vec![3979]));
    assert_eq!(conditions.instant_file_initialization, Some(true));
    assert_eq!(conditions.availability_group, Some(false));
    assert_eq!(conditions.read_committed_snapshot, Some(false));
    assert_eq!(conditions.vlf_count, round.vlf_count);
    assert_eq!(conditions.unavailable, []);
    let files = conditions.files.expect("files");
    let sizes: Vec<u64> = files.iter().map(|file| file.size_bytes >> 20).collect();
    assert_eq!(sizes, [16, 8]);
    assert!(
        files
            .iter()
            .all(|file| file.physical_name.contains("lab_copy")),
        "{files:?}"
    );
    let others = conditions.others.expect("others");
    assert_eq!(others.sessions, Some(0));
    // The restored files are no others': 24 MB were zeroed.
    let bytes = others.other_databases_bytes.expect("bytes");
    assert!(bytes < 8 << 20, "{bytes}");
}
