//! A batch is compiled before it runs; a missing object is looked for when its statement runs.

use super::harness::{Lab, Session};

/// What is in the log table, in order, after a batch that may fail.
fn logged(s: &mut Session<'_>, batch: &str) -> String {
    s.exec("IF @@TRANCOUNT > 0 ROLLBACK; TRUNCATE TABLE dbo.log");
    let _ = s.try_all(batch);
    s.column("SELECT STRING_AGG(said, ' ') WITHIN GROUP (ORDER BY id) FROM dbo.log")
}

fn prepared(lab: &Lab) -> Session<'_> {
    let mut s = lab.connect();
    s.exec("CREATE TABLE dbo.log (id int IDENTITY PRIMARY KEY, said varchar(200) NOT NULL)");
    s.exec("CREATE PROCEDURE dbo.say @what varchar(200) AS INSERT dbo.log VALUES (@what)");
    s
}

#[test]
fn nothing_of_a_batch_runs_that_names_a_missing_column_or_variable() {
    let lab = Lab::start();
    let mut s = prepared(&lab);
    for wrong in [
        "SELECT nope FROM dbo.log",
        "SELECT @nope",
        "SET @nope = 1",
        "SELECT NOSUCH(1)",
        "GOTO nowhere",
        "IF 1 = 0 SELECT nope FROM dbo.log",
    ] {
        let batch = format!("EXEC dbo.say 'before'; {wrong}; EXEC dbo.say 'after'");
        assert_eq!(logged(&mut s, &batch), "NULL", "{wrong}");
    }
}

#[test]
fn a_missing_object_is_missed_when_its_statement_runs_and_ends_the_batch() {
    let lab = Lab::start();
    let mut s = prepared(&lab);
    assert_eq!(
        logged(
            &mut s,
            "EXEC dbo.say 'before'; SELECT * FROM dbo.nope; EXEC dbo.say 'after'"
        ),
        "before"
    );
    assert_eq!(
        logged(
            &mut s,
            "CREATE TABLE dbo.late (n int); INSERT dbo.late VALUES (1); EXEC dbo.say 'made'; DROP \
             TABLE dbo.late"
        ),
        "made"
    );
}

#[test]
fn no_catch_of_the_same_batch_sees_a_missing_object_but_a_caller_s_does() {
    let lab = Lab::start();
    let mut s = prepared(&lab);
    let tried = |inner: &str| {
        format!(
            "BEGIN TRY {inner} END TRY BEGIN CATCH DECLARE @e varchar(200) = CONCAT('caught ', \
             ERROR_NUMBER(), ' ', ERROR_PROCEDURE(), ' ', ERROR_LINE()); EXEC dbo.say @e; END \
             CATCH EXEC dbo.say 'on'"
        )
    };
    assert_eq!(logged(&mut s, &tried("SELECT * FROM dbo.nope")), "NULL");
    assert_eq!(
        logged(&mut s, &tried("EXEC('SELECT * FROM dbo.nope')")),
        "caught 208  1 on"
    );
    assert_eq!(
        logged(&mut s, &tried("EXEC('SELECT FROM')")),
        "caught 156  1 on"
    );
    s.exec(
        "CREATE PROCEDURE dbo.reads AS\nBEGIN TRY\n  SELECT * FROM dbo.nope\nEND TRY\nBEGIN CATCH\n  \
         EXEC dbo.say 'own catch'\nEND CATCH",
    );
    assert_eq!(
        logged(&mut s, &tried("EXEC dbo.reads")),
        "caught 208 reads 3 on"
    );
    // Without a TRY it ends the procedure, and the caller goes on.
    assert_eq!(logged(&mut s, "EXEC dbo.reads; EXEC dbo.say 'on'"), "on");
}

#[test]
fn an_error_of_an_exec_text_lets_the_batch_go_on() {
    let lab = Lab::start();
    let mut s = prepared(&lab);
    for text in ["SELEC 1 FROM", "SELECT nope FROM dbo.log", "SELECT @x"] {
        let batch = format!("EXEC('{text}'); EXEC dbo.say 'on'");
        assert_eq!(logged(&mut s, &batch), "on", "{text}");
    }
}

#[test]
fn a_text_has_the_types_of_its_parameters_and_its_own_table_variables_each_time() {
    let lab = Lab::start();
    let mut s = lab.connect();
    let with = |kind: &str, value: &str| {
        format!(
            "EXEC sp_executesql N'SELECT CAST(SQL_VARIANT_PROPERTY(@a, ''BaseType'') AS nvarchar(60))', N'@a {kind}', {value}"
        )
    };
    assert_eq!(s.column(&with("int", "1")), "int");
    assert_eq!(s.column(&with("nvarchar(10)", "N'x'")), "nvarchar");
    assert_eq!(s.column(&with("int", "1")), "int");
    for _ in 0..3 {
        assert_eq!(
            s.int("DECLARE @t TABLE (n int); INSERT @t VALUES (1), (2); SELECT COUNT(*) FROM @t"),
            2
        );
    }
}
