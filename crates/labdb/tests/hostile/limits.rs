//! Depths and counts beyond which a statement gets SQL Server's error.

use crate::process::{Server, Session};

fn repeated(count: usize, item: impl Fn(usize) -> String, between: &str) -> String {
    (0..count).map(item).collect::<Vec<_>>().join(between)
}

fn still_there(session: &mut Session<'_>) {
    assert_eq!(session.number("1"), 1);
}

#[test]
fn calls_nest_32_levels_however_they_call() {
    let server = Server::start(&[]);
    let mut session = server.connect();
    session.exec("CREATE TABLE tempdb.dbo.depth (n int NOT NULL)");
    session.exec(
        "CREATE PROCEDURE again AS BEGIN INSERT tempdb.dbo.depth VALUES (@@NESTLEVEL); EXEC again END",
    );
    assert_eq!(session.error("EXEC again"), 217);
    assert_eq!(session.number("(SELECT MAX(n) FROM tempdb.dbo.depth)"), 32);
    // A text that calls itself: it is handed on as its own parameter.
    let by_parameter = "DECLARE @s nvarchar(4000) = N'EXEC sp_executesql @s, N''@s nvarchar(4000)'', @s'; \
         EXEC sp_executesql @s, N'@s nvarchar(4000)', @s";
    assert_eq!(session.error(by_parameter), 217);
    let by_quoting = "CREATE PROCEDURE text_again AS EXEC('EXEC text_again')";
    session.exec(by_quoting);
    assert_eq!(session.error("EXEC text_again"), 217);
    still_there(&mut session);
}

#[test]
fn nesting_in_the_text_of_a_statement_is_bounded() {
    let server = Server::start(&[]);
    let mut session = server.connect();
    let deep = 100_000;
    let nested = |open: &str, inner: &str, close: &str| {
        [open.repeat(deep), inner.to_owned(), close.repeat(deep)].concat()
    };
    for (what, sql) in [
        ("parentheses", format!("SELECT {}", nested("(", "1", ")"))),
        ("signs", format!("SELECT {}", nested("- ", "1", ""))),
        (
            "NOT",
            format!("SELECT 1 WHERE {}", nested("NOT ", "1 = 1", "")),
        ),
        (
            "CASE",
            format!("SELECT {}", nested("CASE WHEN 1 = 1 THEN ", "1", " END")),
        ),
        (
            "subqueries",
            format!("SELECT {}", nested("(SELECT ", "1", ")")),
        ),
        ("functions", format!("SELECT {}", nested("ABS(", "1", ")"))),
        ("BEGIN", nested("BEGIN ", "PRINT 1", " END")),
        ("IF", nested("IF 1 = 1 ", "PRINT 1", "")),
        ("WHILE", nested("WHILE 1 = 0 ", "PRINT 1", "")),
        (
            "TRY",
            nested(
                "BEGIN TRY ",
                "PRINT 1",
                " END TRY BEGIN CATCH PRINT 2 END CATCH",
            ),
        ),
        (
            "sums",
            format!("SELECT {}", repeated(deep, |_| "1".into(), " + ")),
        ),
        (
            "conditions",
            format!(
                "SELECT 1 WHERE {}",
                repeated(deep, |_| "1 = 1".into(), " AND ")
            ),
        ),
        (
            "unions",
            repeated(deep, |_| "SELECT 1".into(), " UNION ALL "),
        ),
        (
            "joins",
            format!(
                "SELECT 1 FROM {}",
                repeated(deep, |i| format!("sys.objects o{i}"), " CROSS JOIN ")
            ),
        ),
        (
            "derived tables",
            format!(
                "SELECT 1 FROM {}",
                nested("(SELECT 1 AS a FROM ", "sys.objects", ") AS t")
            ),
        ),
    ] {
        let error = session.error(&sql);
        // 191 nested too deeply, 125 CASE, 8631 and its kin: the server is out of what it needs.
        assert!(
            [125, 191, 8623, 8631, 8632, 701, 4429, 106].contains(&error),
            "{what}: {error}"
        );
        still_there(&mut session);
    }
}

#[test]
fn counts_beyond_sql_server_s_limits_get_its_errors() {
    let server = Server::start(&[]);
    let mut session = server.connect();
    let columns = repeated(1025, |i| format!("c{i} int"), ", ");
    assert_eq!(
        session.error(&format!("CREATE TABLE tempdb.dbo.wide ({columns})")),
        1702
    );
    assert_eq!(
        session.error(&format!("CREATE TABLE #wide ({columns})")),
        1702
    );
    assert_eq!(
        session.error(&format!("DECLARE @wide TABLE ({columns})")),
        1702
    );
    let selected = repeated(4097, |_| "1".into(), ", ");
    assert_eq!(session.error(&format!("SELECT {selected}")), 1056);
    session.exec("CREATE TABLE #t (a int)");
    let rows = repeated(1001, |_| "(1)".into(), ", ");
    assert_eq!(session.error(&format!("INSERT #t VALUES {rows}")), 10738);
    let parameters = repeated(2101, |i| format!("@p{i} int"), ", ");
    assert_eq!(
        session.error(&format!("CREATE PROCEDURE many {parameters} AS SELECT 1")),
        180
    );
    still_there(&mut session);
}

#[test]
fn a_recursive_table_stops_after_100_levels() {
    let server = Server::start(&[]);
    let mut session = server.connect();
    let numbers = "WITH n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n";
    assert_eq!(session.error(numbers), 530);
    assert_eq!(
        session.error(&format!("{numbers} OPTION (MAXRECURSION 7)")),
        530
    );
    still_there(&mut session);
}
