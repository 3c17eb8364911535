//! What statements may take of the machine's memory: each test gives the server a budget and
//! looks at what its process has.

use crate::process::Server;

/// The budget of statements, in MB.
const BUDGET: u64 = 64;
/// What a process may have besides: program, buffer pools, stacks, what the allocator keeps, and
/// values on their way.
const BESIDES: u64 = 320;

fn server() -> Server {
    Server::start(&["--statement-memory-mb", "64", "--buffer-pool-mb", "16"])
}

/// More rows than anybody counts.
const ENDLESS: &str = "sys.all_columns a CROSS JOIN sys.all_columns b CROSS JOIN sys.all_columns c \
                       CROSS JOIN sys.all_columns d";

#[test]
fn whatever_keeps_rows_without_end_gets_701_within_its_budget() {
    let server = server();
    let mut session = server.connect();
    let from = ENDLESS;
    let rows = format!("SELECT ROW_NUMBER() OVER (ORDER BY a.name) AS n FROM {from}");
    for (what, sql) in [
        ("a sort", format!("SELECT TOP (1) a.name FROM {from} ORDER BY NEWID()")),
        ("DISTINCT", format!("SELECT COUNT(*) FROM (SELECT DISTINCT NEWID() AS n FROM {from}) t")),
        ("groups", format!("SELECT COUNT(*) FROM (SELECT NEWID() AS n FROM {from}) t GROUP BY n")),
        ("a count of distinct values", format!("SELECT COUNT(DISTINCT n) FROM (SELECT NEWID() AS n FROM {from}) t")),
        ("a window", rows.clone()),
        ("a joined text", format!("SELECT STRING_AGG(CAST(a.name AS nvarchar(max)), ',') FROM {from}")),
        ("an inner side", format!("SELECT COUNT(*) FROM sys.objects o JOIN (SELECT a.name FROM {from}) t ON o.name = t.name")),
        ("EXCEPT", format!("SELECT 1 EXCEPT SELECT CHECKSUM(NEWID()) FROM {from}")),
        ("a table variable", format!("DECLARE @t TABLE (a sysname); INSERT @t SELECT a.name FROM {from}")),
        ("a table variable, row by row", "SET NOCOUNT ON; SET XACT_ABORT ON; DECLARE @t TABLE (a char(4000)); WHILE 1 = 1 INSERT @t VALUES ('x')".to_owned()),
        ("a temporary table", "SET NOCOUNT ON; SET XACT_ABORT ON; CREATE TABLE #t (a char(4000)); WHILE 1 = 1 INSERT #t VALUES ('x')".to_owned()),
        ("recursion", "WITH n AS (SELECT 1 AS i UNION ALL SELECT i FROM n CROSS JOIN (VALUES (1), (2)) AS v (x)) SELECT COUNT(*) FROM n OPTION (MAXRECURSION 0)".to_owned()),
        ("variables", repeated_variables()),
    ] {
        assert_eq!(session.error(&sql), 701, "{what}");
        let peak = server.memory("VmHWM");
        assert!(peak < BUDGET + BESIDES, "{what}: {peak} MB");
    }
    // All of it was given back.
    drop(session);
    let mut session = server.connect();
    session.exec("DECLARE @s varchar(max) = REPLICATE(CAST('x' AS varchar(max)), 40000000)");
}

fn repeated_variables() -> String {
    let declared: Vec<String> = (0..50)
        .map(|i| {
            format!("DECLARE @s{i} varchar(max) = REPLICATE(CAST('x' AS varchar(max)), 4000000);")
        })
        .collect();
    declared.concat()
}

#[test]
fn texts_do_not_grow_beyond_64_mb() {
    let server = server();
    let mut session = server.connect();
    for (what, sql) in [
        (
            "REPLICATE",
            "SELECT LEN(REPLICATE(CAST('x' AS varchar(max)), 2000000000))",
        ),
        (
            "REPLACE",
            "SELECT LEN(REPLACE(REPLICATE(CAST('x' AS varchar(max)), 1000000), 'x', \
             REPLICATE('y', 8000)))",
        ),
    ] {
        assert_eq!(session.error(sql), 7119, "{what}");
    }
    // Doubling meets the budget or the limit of a value first.
    let error = session
        .error("SET XACT_ABORT ON; DECLARE @s varchar(max) = 'x'; WHILE 1 = 1 SET @s = @s + @s");
    assert!([701, 7119].contains(&error), "{error}");
    let peak = server.memory("VmHWM");
    assert!(peak < BUDGET + BESIDES + 128, "{peak} MB");
    assert_eq!(session.number("LEN(REPLICATE('x', 2000000000))"), 8000);
}

#[test]
fn rows_that_are_not_kept_stream_in_flat_memory() {
    let server = server();
    let mut session = server.connect();
    session.exec("SELECT TOP (1000) a.name FROM sys.all_columns a");
    let before = server.memory("VmRSS");
    let tally = "sys.all_columns a CROSS JOIN (SELECT TOP (2000) name FROM sys.all_columns) b";
    let counted = session.number(&format!("(SELECT COUNT(*) FROM {tally})"));
    assert!(counted > 500_000, "{counted}");
    let levels = "WITH n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 300000) \
         SELECT MAX(i) FROM n OPTION (MAXRECURSION 0)";
    session.exec(levels);
    let grown = server.memory("VmRSS").saturating_sub(before);
    assert!(grown < 64, "{grown} MB");
}

#[test]
fn rows_of_one_table_are_inserted_into_another_in_flat_memory() {
    let server = server();
    let mut session = server.connect();
    session.exec("CREATE TABLE source (s char(8000)); CREATE TABLE target (s char(8000))");
    let ten = "(VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9))";
    // 160 MB of rows with a budget of 64 MB.
    session.exec(&format!(
        "INSERT source SELECT TOP (20000) REPLICATE('x', 8000) FROM {ten} a (n) CROSS JOIN {ten} b \
         (n) CROSS JOIN {ten} c (n) CROSS JOIN {ten} d (n) CROSS JOIN {ten} e (n)"
    ));
    let before = server.memory("VmRSS");
    session.exec("INSERT target WITH (TABLOCK) SELECT s FROM source OPTION (MAXDOP 1)");
    assert_eq!(session.number("(SELECT COUNT(*) FROM target)"), 20_000);
    let grown = server.memory("VmHWM").saturating_sub(before);
    assert!(grown < 64, "{grown} MB");
}
