//! `loadgen --script` and `setup-db --apply`: a user's own T-SQL, against labdb.

use integration_tests::{Labdb, Outcome, query_text, run};
use records::{ErrorRecord, Load, Record, Setup, Validity};
use std::path::PathBuf;
use tempfile::TempDir;

const DATABASE: &str = "writelog_script";

/// A table without a key but the one that the tests count by.
const SCHEMA: &str = "\
DROP TABLE IF EXISTS dbo.orders;
GO
CREATE TABLE dbo.orders (
    worker int NOT NULL, number bigint NOT NULL, workers int NOT NULL,
    amount decimal(9, 2) NOT NULL, customer int NOT NULL, note nvarchar(60) NOT NULL,
    PRIMARY KEY (worker, number)
);
";

const ORDER: &str = "\
-- loadgen: @amount decimal(9, 2) = random(0.01, 500)
-- loadgen: @customer int = random(1, 4)
-- loadgen: @note nvarchar(60) = choice('O''Brien; DROP TABLE dbo.orders --', 'Größe')
-- loadgen: @unused int = 5
INSERT INTO dbo.orders (worker, number, workers, amount, customer, note)
VALUES (@worker, @iteration, @workers, @amount, @customer, @note);
";

struct Lab {
    server: Labdb,
    folder: TempDir,
}

impl Lab {
    /// A labdb with the database, and the schema where there is one.
    fn start(schema: Option<&str>) -> Self {
        let lab = Self {
            server: Labdb::start(),
            folder: tempfile::tempdir().expect("a folder"),
        };
        let mut flags = vec!["--checkpoint".to_owned()];
        if let Some(schema) = schema {
            flags.push("--apply".to_owned());
            flags.push(lab.file("schema.sql", schema));
        }
        lab.setup(&flags).success();
        lab
    }

    fn file(&self, name: &str, text: &str) -> String {
        let path: PathBuf = self.folder.path().join(name);
        std::fs::write(&path, text).expect("written");
        path.display().to_string()
    }

    fn setup(&self, flags: &[String]) -> Outcome {
        run(self
            .server
            .program("setup-db")
            .args(["-d", DATABASE, "--data-size", "16MB", "--log-size", "16MB"])
            .arg("--no-table")
            .args(flags))
    }

    fn load(&self, script: &str, flags: &[&str]) -> Outcome {
        let script = self.file("my.sql", script);
        run(self
            .server
            .program("loadgen")
            .args(["-n", "-d", DATABASE, "--script", &script])
            .args(flags))
    }

    fn text(&self, query: &str) -> String {
        query_text(&self.server, DATABASE, query)
    }
}

fn load_of(outcome: &Outcome) -> Load {
    match outcome.records().pop() {
        Some(Record::Load(load)) => *load,
        other => panic!("{other:?}: {}", outcome.stderr),
    }
}

fn setup_of(outcome: &Outcome) -> Setup {
    match outcome.records().pop() {
        Some(Record::Setup(setup)) => *setup,
        other => panic!("{other:?}: {}", outcome.stderr),
    }
}

fn error_of(outcome: &Outcome, code: i32) -> ErrorRecord {
    assert_eq!(outcome.code, Some(code), "{}", outcome.stderr);
    match outcome.records().pop() {
        Some(Record::Error(error)) => *error,
        other => panic!("{other:?}: {}", outcome.stderr),
    }
}

/// Runs a statement for its effect.
fn execute(server: &Labdb, database: &str, text: &str) {
    assert_eq!(query_text(server, database, text), "");
}

#[test]
fn every_worker_and_iteration_arrives_once_and_a_seed_draws_the_same_rows_again() {
    let lab = Lab::start(Some(SCHEMA));
    let fingerprint = "SELECT CAST(CONCAT(COUNT(*), ' ', COUNT(DISTINCT amount), ' ', \
         CHECKSUM_AGG(BINARY_CHECKSUM(worker, number, amount, customer, note))) AS nvarchar(200)) \
         FROM dbo.orders";
    let outcome = |seed: &str| {
        let outcome = lab.load(ORDER, &["-w", "3", "--transactions", "40", "--seed", seed]);
        (outcome.success(), lab.text(fingerprint))
    };
    let (first, rows) = outcome("7");
    assert!(first.stderr.contains("@unused"), "{}", first.stderr);
    let load = load_of(&first);
    assert_eq!(load.validity, Validity::Valid, "{:?}", load.reasons);
    assert_eq!((load.transactions, load.rows), (120, Some(120)));
    let script = load.shape.script.expect("the script is named");
    assert!(script.name.ends_with("my.sql"));
    assert_eq!((script.seed, load.shape.statement.as_str()), (7, ORDER));
    assert_eq!(load.shape.transactions_per_worker, Some(40));
    assert_eq!(
        (load.shape.rows_per_worker, load.shape.rows_per_transaction),
        (None, None)
    );

    // All pairs of 1..=3 and 1..=40 are there, and nothing else: the key has no duplicates.
    let pairs = "SELECT CAST(CONCAT(COUNT(*), ' ', MIN(worker), ' ', MAX(worker), ' ', MIN(number), \
         ' ', MAX(number), ' ', MIN(workers), ' ', MAX(workers)) AS nvarchar(200)) FROM dbo.orders";
    assert_eq!(lab.text(pairs), "120 1 3 1 40 3 3");
    let values = "SELECT CAST(CONCAT(MIN(customer), ' ', MAX(customer), ' ', \
         COUNT(DISTINCT customer), ' ', COUNT(DISTINCT note), ' ', \
         SUM(CASE WHEN amount BETWEEN 0.01 AND 500 THEN 1 ELSE 0 END)) AS nvarchar(200)) FROM dbo.orders";
    assert_eq!(lab.text(values), "1 4 4 2 120");
    let notes = "SELECT CAST(COUNT(*) AS nvarchar(20)) FROM dbo.orders WHERE note NOT IN \
         (N'O''Brien; DROP TABLE dbo.orders --', N'Größe')";
    assert_eq!(lab.text(notes), "0");

    execute(&lab.server, DATABASE, "DELETE FROM dbo.orders");
    assert_eq!(outcome("7").1, rows);
    execute(&lab.server, DATABASE, "DELETE FROM dbo.orders");
    assert_ne!(outcome("8").1, rows);
}

#[test]
fn a_table_that_is_named_is_counted_and_what_no_statement_reports_is_null() {
    let lab = Lab::start(Some(SCHEMA));
    let quiet = ORDER.replace("INSERT", "SET NOCOUNT ON;\nINSERT");
    let load = load_of(&lab.load(
        &quiet,
        &["-w", "1", "--transactions", "5", "--table", "orders"],
    ));
    assert_eq!(load.validity, Validity::Valid, "{:?}", load.reasons);
    assert_eq!((load.transactions, load.rows), (5, None));

    execute(&lab.server, DATABASE, "DELETE FROM dbo.orders");
    let flags = ["-w", "1", "--transactions", "5", "--table", "orders"];
    let flags: Vec<&str> = flags
        .into_iter()
        .chain(["--rows-per-transaction", "2"])
        .collect();
    let outcome = lab.load(ORDER, &flags);
    assert_eq!(outcome.code, Some(8), "{}", outcome.stderr);
    assert_eq!(load_of(&outcome).reasons[0].code, "rows_mismatch");
}

#[test]
fn a_transaction_that_is_left_open_is_found() {
    let lab = Lab::start(Some(SCHEMA));
    let open = ORDER.replace("INSERT", "BEGIN TRANSACTION;\nINSERT");
    let error = error_of(&lab.load(&open, &["-w", "2", "--transactions", "5"]), 1);
    assert_eq!(error.sql_error, Some(266));
    assert!(error.message.contains("my.sql:"), "{}", error.message);
    let remedy = error.remedy.expect("what to do");
    assert!(remedy.contains("COMMIT"), "{remedy}");
    // Opened by the first statement, not by a BEGIN.
    let implicit = ORDER.replace("INSERT", "SET IMPLICIT_TRANSACTIONS ON;\nINSERT");
    let error = error_of(&lab.load(&implicit, &["-w", "2", "--transactions", "5"]), 1);
    assert_eq!(error.sql_error, Some(266));
    assert_eq!(
        lab.text("SELECT CAST(COUNT(*) AS nvarchar(20)) FROM dbo.orders"),
        "0"
    );
}

#[test]
fn several_statements_are_one_transaction_and_a_large_script_goes_through() {
    let lab = Lab::start(Some(SCHEMA));
    let filler = format!("/* {} */\n", "filler ".repeat(20_000));
    let several = ORDER.replace("INSERT", &format!("{filler}BEGIN TRANSACTION;\nINSERT"))
        + "UPDATE dbo.orders SET workers = 77 WHERE worker = @worker AND number = @iteration;\nCOMMIT;\n";
    let outcome = lab
        .load(&several, &["-w", "2", "--transactions", "4"])
        .success();
    assert_eq!(
        load_of(&outcome).rows,
        Some(16),
        "an insert and an update each"
    );
    let count = "SELECT CAST(COUNT(*) AS nvarchar(20)) FROM dbo.orders WHERE workers = 77";
    assert_eq!(lab.text(count), "8");
}

#[test]
fn an_error_names_the_file_and_its_line() {
    let lab = Lab::start(Some(SCHEMA));
    for (script, line, number) in [
        ("-- loadgen: @a int = 5\n\nSELECT 1;\nSELEKT @a\n", 4, 102),
        ("-- x\nINSERT INTO dbo.nowhere\nVALUES (1);\n", 2, 208),
    ] {
        let error = error_of(&lab.load(script, &["-w", "1", "--transactions", "5"]), 1);
        assert_eq!(error.sql_error, Some(number));
        assert!(
            error.message.contains(&format!("my.sql:{line}:")),
            "{}",
            error.message
        );
    }
    let error = error_of(&lab.load("SELECT 1;\nGO\n", &["-w", "1"]), 2);
    assert!(error.message.contains("my.sql:2: GO"), "{}", error.message);
    let missing = run(lab.server.program("loadgen").args([
        "-n",
        "-d",
        DATABASE,
        "--script",
        "/nowhere/my.sql",
    ]));
    assert!(error_of(&missing, 2).message.contains("/nowhere/my.sql"));
}

#[test]
fn a_database_without_the_mark_takes_no_script_unless_its_name_is_repeated() {
    let lab = Lab::start(None);
    execute(&lab.server, "master", "CREATE DATABASE theirs");
    execute(&lab.server, "theirs", "CREATE TABLE dbo.t (a int)");
    let script = lab.file("insert.sql", "INSERT INTO dbo.t VALUES (@iteration);");
    let load = |more: &[&str]| {
        let flags = [
            "-n",
            "-d",
            "theirs",
            "-w",
            "1",
            "--transactions",
            "3",
            "--script",
            &script,
        ];
        run(lab.server.program("loadgen").args(flags).args(more))
    };
    let count = || {
        query_text(
            &lab.server,
            "theirs",
            "SELECT CAST(COUNT(*) AS nvarchar(9)) FROM dbo.t",
        )
    };
    assert_eq!(load(&[]).code, Some(7));
    assert_eq!(count(), "0");
    load(&["--adopt", "theirs"]).success();
    assert_eq!(count(), "3");
}

#[test]
fn files_and_texts_are_applied_in_order_and_each_batch_is_a_change() {
    let lab = Lab::start(None);
    let schema = lab.file(
        "schema.sql",
        "-- a comment\nCREATE TABLE dbo.a (id int PRIMARY KEY);\nGO\nINSERT INTO dbo.a VALUES (1);\n\
         GO\nCREATE PROCEDURE dbo.p AS SELECT 1 AS one;\n",
    );
    let flags = |flags: &[&str]| {
        flags
            .iter()
            .map(|flag| (*flag).to_owned())
            .collect::<Vec<_>>()
    };
    let outcome = lab
        .setup(&flags(&[
            "--apply",
            &schema,
            "--sql",
            "INSERT INTO dbo.a VALUES (2)",
        ]))
        .success();
    let changes: Vec<(String, String)> = setup_of(&outcome)
        .changes
        .into_iter()
        .map(|change| {
            (
                change.what,
                change.to.expect("a text").replace(&schema, "F"),
            )
        })
        .collect();
    let expected = [
        ("apply", "F:2: CREATE TABLE dbo.a (id int PRIMARY KEY);"),
        ("apply", "F:4: INSERT INTO dbo.a VALUES (1);"),
        ("apply", "F:6: CREATE PROCEDURE dbo.p AS SELECT 1 AS one;"),
        ("sql", "INSERT INTO dbo.a VALUES (2)"),
    ];
    assert_eq!(
        changes,
        expected.map(|(what, to)| (what.to_owned(), to.to_owned()))
    );
    let emptied = lab.setup(&flags(&["--empty", "dbo.a"])).success();
    assert_eq!(setup_of(&emptied).changes[0].from.as_deref(), Some("2"));
    assert_eq!(
        lab.text("SELECT CAST(COUNT(*) AS nvarchar(9)) FROM dbo.a"),
        "0"
    );
}

#[test]
fn an_applied_file_fails_with_its_line_and_stays_in_its_database() {
    let lab = Lab::start(None);
    let apply = |text: &str| {
        let file = lab.file("bad.sql", text);
        lab.setup(&["--apply".to_owned(), file])
    };
    let outcome =
        apply("CREATE TABLE dbo.b (id int);\nGO\n\nINSERT INTO\ndbo.nowhere VALUES (1);\n");
    let error = error_of(&outcome, 1);
    assert!(error.message.contains("bad.sql:4:"), "{}", error.message);
    assert_eq!(error.sql_error, Some(208));
    assert!(
        outcome.stderr.contains("CREATE TABLE dbo.b"),
        "{}",
        outcome.stderr
    );

    let error = error_of(&apply("USE master;\nGO\nCREATE TABLE dbo.c (id int);\n"), 7);
    assert!(error.message.contains("USE"), "{}", error.message);
    let there = "SELECT CAST(COUNT(*) AS nvarchar(9)) FROM sys.tables WHERE name = N'c'";
    assert_eq!(query_text(&lab.server, "master", there), "0");

    let error = error_of(&apply("BEGIN TRANSACTION;\nDELETE FROM dbo.b;\n"), 1);
    assert!(
        error.message.contains("transaction open"),
        "{}",
        error.message
    );
    let error = error_of(&apply("SELECT 1;\nGO twice\n"), 2);
    assert!(error.message.contains("bad.sql:2:"), "{}", error.message);
}
