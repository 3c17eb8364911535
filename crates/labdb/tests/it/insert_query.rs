//! INSERT … SELECT: what it may read of the table it fills, and what TABLOCK locks.

use super::harness::Lab;

/// `n` from 0 to 9,999, kept nowhere.
const NUMBERS: &str = "(VALUES (0),(1),(2),(3),(4),(5),(6),(7),(8),(9)) AS a (n) \
    CROSS JOIN (VALUES (0),(1),(2),(3),(4),(5),(6),(7),(8),(9)) AS b (n) \
    CROSS JOIN (VALUES (0),(1),(2),(3),(4),(5),(6),(7),(8),(9)) AS c (n) \
    CROSS JOIN (VALUES (0),(1),(2),(3),(4),(5),(6),(7),(8),(9)) AS d (n)";

#[test]
fn a_statement_does_not_meet_the_rows_that_it_inserts_itself() {
    let lab = Lab::start();
    let mut s = lab.connect();
    s.exec(
        "CREATE TABLE t (n int NOT NULL); CREATE TABLE one (n int NOT NULL); INSERT one VALUES (1)",
    );
    s.exec(&format!("INSERT t SELECT a.n FROM {NUMBERS}"));
    // 10,000 rows each time, however the table is read.
    let mut rows = 10_000;
    for (query, added) in [
        ("SELECT n FROM t", 10_000),
        ("SELECT t.n FROM one CROSS JOIN t", 20_000),
        ("SELECT n FROM t UNION ALL SELECT n FROM one", 40_001),
        // What a query inside an expression sees is the table as it was.
        (
            "SELECT (SELECT COUNT(*) FROM t) FROM one CROSS JOIN (VALUES (1), (2)) AS v (x)",
            2,
        ),
        (
            "SELECT n FROM one WHERE EXISTS (SELECT * FROM t WHERE n = 80003)",
            0,
        ),
        (
            "SELECT v.x FROM (VALUES (80003), (1)) AS v (x) WHERE NOT EXISTS (SELECT * FROM t WHERE n = 80003)",
            2,
        ),
        (
            "SELECT x.n FROM one CROSS APPLY (SELECT TOP (3) n FROM t) AS x",
            3,
        ),
    ] {
        if query.contains("(SELECT COUNT(*)") {
            assert_eq!(rows, 80_001);
        }
        s.exec(&format!("INSERT t {query}"));
        rows += added;
        assert_eq!(s.int("SELECT COUNT(*) FROM t"), rows, "{query}");
    }
    assert_eq!(s.int("SELECT COUNT(*) FROM t WHERE n = 80001"), 2);
}

#[test]
fn rows_of_another_table_arrive_complete_and_a_failure_takes_all_of_them_back() {
    let lab = Lab::start();
    let mut s = lab.connect();
    s.exec(
        "CREATE TABLE source (n int NOT NULL); CREATE TABLE target (id int IDENTITY PRIMARY KEY, \
         n int NOT NULL CHECK (n < 9), s varchar(5) DEFAULT 'new')",
    );
    s.exec(&format!(
        "INSERT source SELECT a.n FROM {NUMBERS} WHERE a.n < 9"
    ));
    s.exec("INSERT target (n) SELECT n FROM source");
    assert_eq!(s.int("SELECT COUNT(*) FROM target WHERE s = 'new'"), 9_000);
    assert_eq!(s.int("SELECT SUM(n) FROM target"), 36 * 1_000);
    assert_eq!(s.int("SELECT MAX(id) FROM target"), 9_000);
    // The last row of 9,001 breaks the rule.
    s.exec("INSERT source VALUES (9)");
    assert_eq!(s.error("INSERT target (n) SELECT n FROM source"), 547);
    assert_eq!(s.int("SELECT COUNT(*) FROM target"), 9_000);
    s.exec("INSERT TOP (5) target (n) SELECT n FROM source");
    s.exec("INSERT TOP (0) target (n) SELECT n FROM source");
    assert_eq!(s.int("SELECT COUNT(*) FROM target"), 9_005);
}

#[test]
fn an_insert_with_tablock_locks_the_table_and_no_row() {
    let lab = Lab::start();
    let mut s = lab.connect();
    let id = s.int("SELECT CAST(@@SPID AS int)");
    s.exec("CREATE TABLE t (n int NOT NULL)");
    let mut watcher = lab.connect();
    let mut locks = |kind: &str, mode: &str| {
        watcher.int(&format!(
            "SELECT COUNT(*) FROM sys.dm_tran_locks WHERE request_session_id = {id} AND \
             resource_type = '{kind}' AND request_mode = '{mode}'"
        ))
    };
    s.exec("BEGIN TRAN; INSERT t VALUES (1), (2), (3)");
    assert_eq!((locks("OBJECT", "X"), locks("RID", "X")), (0, 3));
    s.exec("ROLLBACK; BEGIN TRAN; INSERT t WITH (TABLOCK) VALUES (1), (2), (3)");
    assert_eq!((locks("OBJECT", "X"), locks("RID", "X")), (1, 0));
    s.exec("COMMIT");
    assert_eq!(locks("OBJECT", "X"), 0);
    assert_eq!(s.int("SELECT COUNT(*) FROM t"), 3);
}
