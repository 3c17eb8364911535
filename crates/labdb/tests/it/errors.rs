//! Errors have SQL Server's numbers.

use super::harness::Lab;

#[test]
fn wrong_statements_give_the_numbers_that_tools_look_for() {
    let lab = Lab::start();
    let mut s = lab.connect();
    s.exec("CREATE TABLE dbo.t (a int PRIMARY KEY, b varchar(3) NOT NULL, c tinyint)");
    s.exec("INSERT dbo.t VALUES (1, 'x', 1)");
    let cases = [
        ("SELECT * FROM nowhere", 208),
        ("SELECT nothing FROM dbo.t", 207),
        ("SELECT x.a FROM dbo.t", 4104),
        ("SELECT a FROM dbo.t AS x JOIN dbo.t AS y ON x.a = y.a", 209),
        ("SELEC 1", 2812),
        ("SELECT 1 FROM", 102),
        ("SELECT @x", 137),
        ("EXEC no_such_procedure", 2812),
        ("USE no_such_database", 911),
        ("INSERT dbo.t VALUES (1, 'y', 2)", 2627),
        ("INSERT dbo.t VALUES (2, NULL, 2)", 515),
        ("INSERT dbo.t VALUES (2, 'long', 2)", 2628),
        ("INSERT dbo.t VALUES (2, 'y', 300)", 220),
        ("INSERT dbo.t VALUES (2, 'y')", 213),
        ("SELECT 1 / 0", 8134),
        ("SELECT CAST('abc' AS int)", 245),
        ("SELECT CAST('abc' AS decimal(5,2))", 8114),
        ("SELECT CAST('abc' AS datetime)", 241),
        ("SELECT CAST(3000000000 AS int)", 8115),
        ("SELECT a, COUNT(*) FROM dbo.t", 8120),
        ("CREATE TABLE dbo.t (a int)", 2714),
        ("CREATE DATABASE master", 1801),
        ("DROP TABLE dbo.none", 3701),
        ("DROP DATABASE none", 3701),
        ("DROP DATABASE master", 3708),
        ("COMMIT", 3902),
        ("ROLLBACK", 3903),
        ("BEGIN TRAN; CREATE DATABASE x", 226),
        (
            "IF @@TRANCOUNT > 0 ROLLBACK; BACKUP LOG master TO DISK = 'NUL'",
            4212,
        ),
        (
            "CREATE DATABASE simple; ALTER DATABASE simple SET RECOVERY SIMPLE; BACKUP LOG simple \
             TO DISK = 'NUL'",
            4208,
        ),
        (
            "ALTER DATABASE model MODIFY FILE (NAME = nofile, SIZE = 9MB)",
            5041,
        ),
        (
            "ALTER DATABASE model MODIFY FILE (NAME = modeldev, SIZE = 1MB)",
            5039,
        ),
        ("SELECT (SELECT v FROM (VALUES (1), (2)) AS t (v))", 512),
        ("THROW 50001, 'mine', 1", 50001),
        ("RAISERROR('also %s', 16, 1, 'mine')", 50000),
        ("SELECT 1 UNION SELECT 1, 2", 205),
        ("SELECT GETDATE() * 2", 8117),
        ("SELECT CAST('2020-01-01' AS date) + 1", 206),
        ("INSERT sys.databases (name) VALUES ('x')", 259),
    ];
    for (sql, number) in cases {
        assert_eq!(s.error(sql), number, "{sql}");
    }
    assert_eq!(s.int("SELECT COUNT(*) FROM dbo.t"), 1);
}

#[test]
fn an_error_says_its_line_and_the_batch_goes_on_where_sql_server_s_would() {
    let lab = Lab::start();
    let mut s = lab.connect();
    match s.try_all("SELECT 1;\n\nSELECT 1 / 0;").unwrap_err() {
        tiberius::error::Error::Server(e) => {
            assert_eq!((e.code(), e.line()), (8134, 3));
            assert_eq!(e.server(), "labdb");
        }
        other => panic!("{other}"),
    }
    s.exec("CREATE TABLE #log (n int)");
    // 8134 ends the statement only, 245 the batch.
    let _ = s.try_all("INSERT #log VALUES (1); INSERT #log VALUES (1/0); INSERT #log VALUES (2);");
    assert_eq!(s.int("SELECT COUNT(*) FROM #log"), 2);
    let _ = s.try_all(
        "INSERT #log VALUES (3); INSERT #log VALUES (CAST('x' AS int)); INSERT #log VALUES (4);",
    );
    assert_eq!(s.int("SELECT COUNT(*) FROM #log"), 3);
}
