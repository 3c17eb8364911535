//! INSERT, UPDATE, DELETE and what they leave behind.

use super::harness::Lab;

#[test]
fn rows_are_inserted_in_all_forms_changed_and_deleted() {
    let lab = Lab::start();
    let mut s = lab.connect();
    s.exec(
        "CREATE TABLE dbo.t (id int IDENTITY(10,5) PRIMARY KEY, v int DEFAULT 7, s varchar(20))",
    );
    s.exec(
        "INSERT INTO dbo.t DEFAULT VALUES; INSERT dbo.t (s) VALUES ('a'), (DEFAULT); INSERT dbo.t \
         (v, s) SELECT 1, 'q'",
    );
    assert_eq!(
        s.column("SELECT CONCAT(id, '/', v, '/', s) FROM dbo.t ORDER BY id"),
        "10/7/,15/7/a,20/7/,25/1/q"
    );
    assert_eq!(s.text("SCOPE_IDENTITY()"), "NULL");
    assert_eq!(
        s.int("INSERT dbo.t (s) OUTPUT inserted.id VALUES ('z')"),
        30
    );
    s.exec("UPDATE dbo.t SET v += 1 WHERE s IS NOT NULL");
    assert_eq!(s.int("SELECT SUM(v) FROM dbo.t"), 7 + 8 + 7 + 2 + 8);
    s.exec(
        "UPDATE t SET v = x.n FROM dbo.t AS t JOIN (VALUES (10, 100), (15, 200)) AS x (id, n) ON \
         x.id = t.id",
    );
    assert_eq!(s.int("SELECT SUM(v) FROM dbo.t WHERE id <= 15"), 300);
    s.exec("DELETE FROM dbo.t WHERE id IN (10, 15)");
    assert_eq!(s.int("SELECT COUNT(*) FROM dbo.t"), 3);
    assert_eq!(s.error("INSERT dbo.t (id) VALUES (99)"), 544);
    s.exec(
        "SET IDENTITY_INSERT dbo.t ON; INSERT dbo.t (id, s) VALUES (99, 'x'); SET IDENTITY_INSERT \
         dbo.t OFF",
    );
    assert_eq!(s.text("IDENT_CURRENT('dbo.t')"), "99");
    s.exec("TRUNCATE TABLE dbo.t; INSERT dbo.t DEFAULT VALUES");
    assert_eq!(s.int("SELECT id FROM dbo.t"), 10);
    assert_eq!(s.int("SET NOCOUNT ON; DELETE dbo.t; SELECT @@ROWCOUNT"), 1);
}

#[test]
fn a_failed_statement_leaves_nothing_of_itself() {
    let lab = Lab::start();
    let mut s = lab.connect();
    s.exec("CREATE TABLE dbo.t (id int PRIMARY KEY, v int NOT NULL)");
    assert_eq!(s.error("INSERT dbo.t VALUES (1, 1), (2, 2), (1, 3)"), 2627);
    assert_eq!(s.int("SELECT COUNT(*) FROM dbo.t"), 0);
    s.exec("INSERT dbo.t VALUES (1, 1), (2, 2)");
    assert_eq!(s.error("UPDATE dbo.t SET id = 5"), 2627);
    assert_eq!(
        s.column("SELECT CAST(id AS varchar(5)) FROM dbo.t ORDER BY id"),
        "1,2"
    );
    // Keys may change places within one statement.
    s.exec("UPDATE dbo.t SET id = 3 - id");
    assert_eq!(
        s.column("SELECT CONCAT(id, v) FROM dbo.t ORDER BY id"),
        "12,21"
    );
}

#[test]
fn everything_is_there_after_a_restart() {
    let mut lab = Lab::start();
    {
        let mut s = lab.connect();
        s.exec("CREATE DATABASE d");
        s.exec(
            "USE d; CREATE TABLE dbo.t (id int IDENTITY PRIMARY KEY, s nvarchar(30) DEFAULT \
             N'grüße', CHECK (id < 1000))",
        );
        s.exec("USE d; INSERT dbo.t DEFAULT VALUES; INSERT dbo.t DEFAULT VALUES");
        s.exec("USE d; EXEC('CREATE PROCEDURE dbo.p AS SELECT COUNT(*) FROM dbo.t')");
        s.exec(
            "USE d; EXEC sys.sp_addextendedproperty @name = N'writelog', @value = N'yes'; ALTER \
             DATABASE d SET DELAYED_DURABILITY = ALLOWED; ALTER DATABASE d SET RECOVERY SIMPLE",
        );
    }
    lab.restart();
    let mut s = lab.connect();
    s.exec("USE d");
    assert_eq!(s.int("EXEC dbo.p"), 2);
    s.exec("INSERT dbo.t DEFAULT VALUES");
    assert_eq!(
        s.column("SELECT CONCAT(id, s) FROM dbo.t ORDER BY id"),
        "1grüße,2grüße,3grüße"
    );
    assert_eq!(
        s.column("SELECT CAST(value AS nvarchar(10)) FROM sys.extended_properties WHERE class = 0"),
        "yes"
    );
    assert_eq!(
        s.column(
            "SELECT CONCAT(recovery_model_desc, ' ', delayed_durability_desc) FROM sys.databases \
             WHERE name = 'd'"
        ),
        "SIMPLE ALLOWED"
    );
}

#[test]
fn rows_are_not_changed_through_a_common_or_derived_table() {
    let lab = Lab::start();
    let mut s = lab.connect();
    s.exec("CREATE TABLE dbo.t (id int PRIMARY KEY); INSERT dbo.t VALUES (1), (2)");
    for sql in [
        "WITH c AS (SELECT TOP (1) * FROM t) DELETE FROM c",
        "WITH t AS (SELECT TOP (1) * FROM dbo.t) DELETE FROM t",
        "WITH c AS (SELECT id FROM t) UPDATE c SET id = 9",
        "DELETE d FROM (SELECT TOP (1) id FROM t) AS d",
    ] {
        assert_eq!(s.error(sql), 40510, "{sql}");
    }
    assert_eq!(s.int("SELECT COUNT(*) FROM dbo.t"), 2);
}
