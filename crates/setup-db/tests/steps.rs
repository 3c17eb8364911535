//! What setup-db sends, and what it does not: against a model of the server.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test's helper may fail the test"
)]

mod model;

use model::{Model, State, error};
use records::{Change, ErrorRecord, FailureCode, Record, Setup};
use std::process::Output;

const ALL_THAT_WRITES: [&str; 7] = [
    "--recovery=simple",
    "--delayed-durability=forced",
    "--data-size=1GB",
    "--log-growth=0",
    "--empty-table",
    "--checkpoint",
    "--backup-log",
];

fn setup_of(output: &Output) -> Setup {
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "{text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    match serde_json::from_str(text.trim_end()).unwrap() {
        Record::Setup(setup) => *setup,
        other => panic!("{other:?}"),
    }
}

fn failure_of(output: &Output, code: i32) -> ErrorRecord {
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(code), "{text}");
    match serde_json::from_str(text.trim_end()).unwrap() {
        Record::Error(error) => *error,
        other => panic!("{other:?}"),
    }
}

fn change<'a>(setup: &'a Setup, what: &str) -> &'a Change {
    setup
        .changes
        .iter()
        .find(|change| change.what == what)
        .unwrap_or_else(|| panic!("no {what} in {:?}", setup.changes))
}

#[test]
fn nothing_that_writes_is_ever_sent_to_a_database_without_the_mark() {
    for flags in [
        &ALL_THAT_WRITES[..],
        &["--drop"],
        &["--checkpoint", "--adopt", "Lab"],
        &["--drop", "--adopt", "other"],
        &[],
    ] {
        let model = Model::start(State {
            marked: false,
            ..State::default()
        });
        let failure = failure_of(&model.setup(flags), 7);
        assert_eq!(failure.code, FailureCode::NotOurs);
        assert_eq!(model.changes(), Vec::<String>::new(), "{flags:?}");
    }
}

#[test]
fn a_name_that_is_repeated_adopts_the_database_and_marks_it() {
    let model = Model::start(State {
        marked: false,
        ..State::default()
    });
    let setup = setup_of(&model.setup(&["--adopt", "lab", "--no-table"]));
    assert!(
        change(&setup, "mark")
            .to
            .as_deref()
            .unwrap()
            .contains("writelog")
    );
    assert_eq!(setup.changes.len(), 1, "{:?}", setup.changes);
}

#[test]
fn a_new_database_is_created_marked_sized_and_armed_in_this_order() {
    let model = Model::start(State {
        exists: false,
        marked: false,
        armed: false,
        ..State::default()
    });
    let setup = setup_of(&model.setup(&["--recovery", "full", "--checkpoint"]));
    let verbs: Vec<String> = model
        .changes()
        .iter()
        .map(|text| {
            text.split(['[', '(', ';'])
                .next()
                .unwrap()
                .trim()
                .to_owned()
        })
        .collect();
    assert_eq!(
        verbs,
        [
            "CREATE DATABASE",
            "EXEC sys.sp_addextendedproperty @name = N'writelog', @value = N'writelog 0.1.0'",
            "ALTER DATABASE",
            "ALTER DATABASE",
            "BACKUP DATABASE",
            "CREATE TABLE",
            "CHECKPOINT",
        ]
    );
    let log = change(&setup, "log_file_size_bytes");
    assert_eq!(log.to.as_deref(), Some("536870912"), "512 MB");
    assert_eq!(
        change(&setup, "data_file_size_bytes").to.as_deref(),
        Some("268435456")
    );
    assert_eq!(change(&setup, "armed").to.as_deref(), Some("true"));
    assert_eq!(setup.settings.unwrap().armed, Some(true));
    assert_eq!(setup.table.as_deref(), Some("dbo.writes"));
}

#[test]
fn what_delayed_durability_was_is_kept_before_it_is_changed_and_only_the_first_time() {
    for (before, kept) in [(None, true), (Some("FORCED"), false)] {
        let model = Model::start(State {
            durability_before: before,
            ..State::default()
        });
        setup_of(&model.setup(&["--delayed-durability=allowed", "--no-table"]));
        let changes = model.changes();
        let place = |word: &str| changes.iter().position(|text| text.contains(word));
        let set = place("SET DELAYED_DURABILITY = ALLOWED");
        assert!(set.is_some(), "{changes:?}");
        let keep = place("@value = N'DISABLED'");
        assert_eq!(keep.is_some(), kept, "{changes:?}");
        assert!(keep < set, "{changes:?}");
    }
}

#[test]
fn delayed_durability_is_put_back_before_what_it_was_is_forgotten() {
    let model = Model::start(State {
        durability_before: Some("FORCED"),
        ..State::default()
    });
    setup_of(&model.setup(&["--delayed-durability=before", "--no-table"]));
    let changes = model.changes();
    assert_eq!(changes.len(), 2, "{changes:?}");
    assert!(changes[0].contains("SET DELAYED_DURABILITY = FORCED"));
    assert!(changes[1].contains("sp_dropextendedproperty"));

    // Where putting it back fails, it is not forgotten.
    let model = Model::start(State {
        durability_before: Some("FORCED"),
        fail: Some(("SET DELAYED_DURABILITY", error(5061, "locked"))),
        ..State::default()
    });
    failure_of(
        &model.setup(&["--delayed-durability=before", "--no-table"]),
        1,
    );
    assert!(!model.changes().iter().any(|text| text.contains("drop")));
}

#[test]
fn nothing_is_put_back_where_nothing_was_changed_and_no_database_is_made_for_it() {
    let flags = ["--delayed-durability=before", "--no-table"];
    let model = Model::start(State::default());
    assert_eq!(setup_of(&model.setup(&flags)).changes, []);
    assert_eq!(model.changes(), Vec::<String>::new());
    let model = Model::start(State {
        exists: false,
        ..State::default()
    });
    failure_of(&model.setup(&flags), 1);
    assert_eq!(model.changes(), Vec::<String>::new());
}

#[test]
fn what_is_as_declared_is_not_sent_again() {
    let model = Model::start(State::default());
    let flags = [
        "--recovery=full",
        "--data-size=256MB",
        "--log-size=512MB",
        "--no-table",
    ];
    assert_eq!(setup_of(&model.setup(&flags)).changes, []);
    assert_eq!(model.changes(), Vec::<String>::new());
}

#[test]
fn back_to_full_is_armed_anew_and_a_backup_that_does_not_arm_is_a_failure() {
    let simple = State {
        recovery: "SIMPLE".to_owned(),
        armed: false,
        ..State::default()
    };
    let flags = ["--recovery", "full", "--no-table"];
    let setup = setup_of(&Model::start(simple.clone()).setup(&flags));
    let what: Vec<&str> = setup
        .changes
        .iter()
        .map(|change| change.what.as_str())
        .collect();
    assert_eq!(what, ["recovery_model", "armed"]);

    let model = Model::start(State {
        backup_arms: false,
        ..simple
    });
    let failure = failure_of(&model.setup(&flags), 1);
    assert!(
        failure.message.contains("last_log_backup_lsn"),
        "{}",
        failure.message
    );
    assert!(failure.remedy.is_some());
}

#[test]
fn a_creation_that_fails_half_way_is_taken_back() {
    let model = Model::start(State {
        exists: false,
        marked: false,
        fail: Some((
            "SIZE",
            error(5149, "MODIFY FILE encountered operating system error 112"),
        )),
        ..State::default()
    });
    let output = model.setup(&["--recovery", "full"]);
    let failure = failure_of(&output, 1);
    assert_eq!(failure.sql_error, Some(5149));
    assert!(failure.remedy.unwrap().contains("disk"));
    let last = model.changes().pop().unwrap();
    assert!(last.contains("DROP DATABASE [lab]"), "{last}");
}

#[test]
fn a_drop_that_fails_lets_everybody_in_again() {
    let model = Model::start(State {
        fail: Some((
            "DROP DATABASE",
            error(3702, "Cannot drop database, it is in use"),
        )),
        ..State::default()
    });
    let failure = failure_of(&model.setup(&["--drop"]), 1);
    assert_eq!(failure.sql_error, Some(3702));
    let tried = model
        .changes()
        .iter()
        .filter(|text| text.contains("DROP DATABASE"))
        .count();
    assert_eq!(tried, 5, "a session that is just ending is waited for");
    assert_eq!(
        model.changes().pop().unwrap(),
        "ALTER DATABASE [lab] SET MULTI_USER;"
    );
}

#[test]
fn a_drop_removes_the_backup_history_or_says_that_it_may_not() {
    let state = State {
        history_rows: 3,
        ..State::default()
    };
    let setup = setup_of(&Model::start(state.clone()).setup(&["--drop"]));
    assert_eq!(change(&setup, "database").to, None);
    let history = change(&setup, "backup_history_rows");
    assert_eq!(
        (history.from.as_deref(), history.to.as_deref()),
        (Some("3"), Some("0"))
    );
    assert_eq!((setup.settings, setup.table), (None, None));

    let refused = Model::start(State {
        fail: Some((
            "sp_delete_database_backuphistory",
            error(229, "EXECUTE was denied"),
        )),
        ..state
    })
    .setup(&["--drop"]);
    let setup = setup_of(&refused);
    assert!(
        setup
            .changes
            .iter()
            .all(|change| change.what != "backup_history_rows")
    );
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(
        said.contains("were not removed") && said.contains("229"),
        "{said}"
    );
}

#[test]
fn a_database_that_is_not_there_is_dropped_already() {
    let model = Model::start(State {
        exists: false,
        ..State::default()
    });
    assert_eq!(setup_of(&model.setup(&["--drop"])).changes, []);
    assert_eq!(model.changes(), Vec::<String>::new());
}

#[test]
fn a_managed_instance_has_no_single_user_and_only_full() {
    let managed = State {
        engine_edition: 8,
        ..State::default()
    };
    let model = Model::start(managed.clone());
    setup_of(&model.setup(&["--drop"]));
    assert_eq!(model.changes()[..2], ["KILL 77;", "DROP DATABASE [lab];"]);

    let model = Model::start(managed);
    let failure = failure_of(&model.setup(&["--recovery", "simple"]), 1);
    assert!(
        failure.message.contains("Managed Instance"),
        "{}",
        failure.message
    );
    assert_eq!(model.changes(), Vec::<String>::new());
}

#[test]
fn azure_sql_database_is_told_what_cannot_be_done_there() {
    let azure = State {
        engine_edition: 5,
        ..State::default()
    };
    for flag in [
        "--recovery=simple",
        "--data-size=1GB",
        "--log-growth=0",
        "--backup-log",
    ] {
        let model = Model::start(azure.clone());
        let failure = failure_of(&model.setup(&[flag, "--no-table"]), 1);
        assert!(
            failure.message.contains("cannot be done on"),
            "{}",
            failure.message
        );
        assert_eq!(model.changes(), Vec::<String>::new());
    }
    let model = Model::start(State {
        exists: false,
        ..azure
    });
    let failure = failure_of(&model.setup(&[]), 1);
    assert!(failure.remedy.unwrap().contains("portal"));
    assert_eq!(model.changes(), Vec::<String>::new());
}
