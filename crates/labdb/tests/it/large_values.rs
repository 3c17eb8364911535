//! Values and rows larger than a page, and how they come to a client and from it.

use super::harness::{Lab, Session};

/// The checksum of a text and its length, as the server sees a column.
fn shape(s: &mut Session<'_>, expression: &str, from: &str) -> String {
    s.text(&format!(
        "(SELECT CONCAT(LEN({expression}), '/', DATALENGTH({expression}), '/', CHECKSUM({expression}), \
         '/', RIGHT({expression}, 3)) {from})"
    ))
}

#[test]
fn five_million_bytes_go_in_as_a_parameter_and_come_out_unchanged() {
    let lab = Lab::start();
    let mut s = lab.connect();
    s.exec("CREATE DATABASE big; ALTER DATABASE big SET RECOVERY SIMPLE");
    s.exec(
        "USE big; CREATE TABLE t (id \
         int PRIMARY KEY, b varbinary(max), n nvarchar(max), v varchar(max))",
    );
    let bytes: Vec<u8> = (0..5_000_000_u32)
        .map(|n| (n / 3).to_le_bytes()[0])
        .collect();
    let text: String = (0..1_200_000_u32)
        .map(|n| char::from_u32(0x41 + n % 26 + (n % 3) * 0x360).unwrap())
        .collect();
    lab.run(async {
        let sql = "INSERT t VALUES (@P1, @P2, @P3, @P4)";
        let client = &mut s.client;
        client
            .execute(sql, &[&1_i32, &bytes.as_slice(), &text.as_str(), &Some("")])
            .await
            .unwrap();
        let none: (Option<&[u8]>, Option<&str>) = (None, None);
        client
            .execute(sql, &[&2_i32, &none.0, &none.1, &none.1])
            .await
            .unwrap();
        client
            .execute(sql, &[&3_i32, &[0_u8; 0].as_slice(), &"", &"\u{2713}"])
            .await
            .unwrap();
    });
    let rows = s.rows("SELECT b, n, v FROM t ORDER BY id");
    assert!(rows[0].get::<&[u8], _>(0) == Some(&bytes));
    assert!(rows[0].get::<&str, _>(1) == Some(&text));
    assert_eq!(rows[0].get::<&str, _>(2), Some(""));
    assert_eq!(rows[1].get::<&[u8], _>(0), None);
    assert_eq!(rows[1].get::<&str, _>(1), None);
    assert_eq!(rows[2].get::<&[u8], _>(0), Some(&[][..]));
    assert_eq!(rows[2].get::<&str, _>(1), Some(""));
    assert_eq!(
        s.text("(SELECT DATALENGTH(b) + DATALENGTH(n) FROM t WHERE id = 1)"),
        "7400000"
    );
}

#[test]
fn functions_and_assignments_work_on_values_of_megabytes() {
    let lab = Lab::start();
    let mut s = lab.connect();
    s.exec(
        "USE tempdb; DECLARE @x varchar(max) = REPLICATE(CAST('abcde' AS varchar(max)), 200000); \
         SET @x += 'tail'; CREATE TABLE dbo.f (x varchar(max), n nvarchar(max)); INSERT dbo.f \
         VALUES (@x, @x)",
    );
    assert_eq!(
        s.text("(SELECT CONCAT(LEN(x), '/', DATALENGTH(x), '/', DATALENGTH(n)) FROM dbo.f)"),
        "1000004/1000004/2000008"
    );
    assert_eq!(
        s.text("(SELECT SUBSTRING(x, 999999, 8) FROM dbo.f)"),
        "detail"
    );
    assert_eq!(
        s.text("(SELECT CHARINDEX('tail', x) FROM dbo.f)"),
        "1000001"
    );
    // Without a max type REPLICATE stops at 8,000 bytes.
    assert_eq!(s.text("LEN(REPLICATE('abcde', 200000))"), "8000");
    s.exec("UPDATE dbo.f SET x += '!'; UPDATE dbo.f SET n = x");
    assert_eq!(
        shape(&mut s, "n", "FROM dbo.f"),
        format!(
            "1000005/2000010/{}/il!",
            s.text("(SELECT CHECKSUM(CAST(x AS nvarchar(max))) FROM dbo.f)")
        )
    );
    s.exec("DROP TABLE dbo.f");
}

#[test]
fn large_values_survive_changes_of_their_rows_rollbacks_and_restarts() {
    let mut lab = Lab::start();
    {
        let mut s = lab.connect();
        s.exec("CREATE DATABASE big; ALTER DATABASE big SET RECOVERY SIMPLE");
        s.exec(
            "USE big; CREATE TABLE t (id int PRIMARY KEY, k int, v varchar(max), w varchar(max)); INSERT t SELECT n, 0, \
             REPLICATE(CAST(CHAR(64 + n) AS varchar(max)), n * 10000), 'short' FROM (VALUES (1), \
             (2), (3), (4)) AS x (n)",
        );
        // A row keeps its large value when something else changes.
        s.exec("UPDATE t SET k = 7, w = REPLICATE(CAST('w' AS varchar(max)), 9000) WHERE id = 2");
        s.exec("BEGIN TRAN; UPDATE t SET v = REPLICATE(CAST('z' AS varchar(max)), 50000); DELETE t WHERE id = 1; ROLLBACK");
        s.exec("BEGIN TRAN; TRUNCATE TABLE t; ROLLBACK");
        s.exec("DELETE t WHERE id = 3; UPDATE t SET v = NULL WHERE id = 4");
        s.exec("ALTER TABLE t ADD more int NOT NULL DEFAULT 5");
    }
    for _ in 0..2 {
        let mut s = lab.connect();
        s.exec("USE big");
        assert_eq!(
            s.column(
                "SELECT CONCAT(id, ':', LEN(v), LEFT(v, 1), RIGHT(v, 1), ':', LEN(w), ':', k, ':', \
                 more) FROM t ORDER BY id"
            ),
            "1:10000AA:5:0:5,2:20000BB:9000:7:5,4::5:0:5"
        );
        drop(s);
        lab.restart();
    }
}

#[test]
fn rows_beyond_a_page_overflow_and_what_cannot_is_refused() {
    let lab = Lab::start();
    let mut s = lab.connect();
    s.exec("USE tempdb; CREATE TABLE dbo.o (a varchar(5000), b varchar(5000), c nvarchar(4000), d char(7000))");
    s.exec(
        "INSERT dbo.o VALUES (REPLICATE('a', 5000), REPLICATE('b', 5000), REPLICATE(NCHAR(8364), \
         4000), REPLICATE('d', 7000))",
    );
    assert_eq!(
        s.text("(SELECT CONCAT(LEN(a), RIGHT(a, 1), LEN(b), RIGHT(b, 1), LEN(c), UNICODE(RIGHT(c, 1)), LEN(d)) FROM dbo.o)"),
        "5000a5000b400083647000"
    );
    // 8,000 and 60 bytes of data, 7 of overhead: seven more than a row takes.
    assert_eq!(
        s.error("CREATE TABLE dbo.p (a char(8000), b char(60))"),
        1701
    );
    s.exec("CREATE TABLE dbo.p (a char(8000), b char(53))");
    s.exec("INSERT dbo.p VALUES ('a', 'b')");
    assert_eq!(
        s.text("(SELECT DATALENGTH(a) + DATALENGTH(b) FROM dbo.p)"),
        "8053"
    );
    // 400 values of which 24 bytes stay in the row each.
    let columns: Vec<String> = (0..400).map(|n| format!("c{n} varchar(100)")).collect();
    let values = vec!["REPLICATE('x', 100)"; 400].join(", ");
    s.exec(&format!("CREATE TABLE dbo.q ({})", columns.join(", ")));
    assert_eq!(s.error(&format!("INSERT dbo.q VALUES ({values})")), 511);
    s.exec("DROP TABLE dbo.o, dbo.p, dbo.q");
}

#[test]
fn a_procedure_of_many_pages_is_kept_changed_and_dropped() {
    let mut lab = Lab::start();
    let body = |n: u32| {
        format!(
            "PROCEDURE dbo.long AS BEGIN /* {} */ SELECT {n} END",
            "x".repeat(40_000)
        )
    };
    {
        let mut s = lab.connect();
        s.exec("CREATE DATABASE big");
        s.exec("USE big");
        s.exec(&format!("CREATE {}", body(1)));
        s.exec(&format!("ALTER {}", body(2)));
    }
    lab.restart();
    let mut s = lab.connect();
    s.exec("USE big");
    assert_eq!(s.int("EXEC dbo.long"), 2);
    assert!(
        s.text("LEN(OBJECT_DEFINITION(OBJECT_ID('dbo.long')))")
            .parse::<u32>()
            .unwrap()
            > 40_000
    );
    s.exec("DROP PROCEDURE dbo.long");
    assert_eq!(s.error("EXEC dbo.long"), 2812);
}

#[test]
fn types_of_the_past_are_the_max_types_and_those_of_the_clr_and_xml_are_refused() {
    let lab = Lab::start();
    let mut s = lab.connect();
    s.exec("CREATE TABLE #t (a text, b ntext, c image); INSERT #t VALUES ('a', N'b', 0x0c)");
    assert_eq!(
        s.text("(SELECT CONCAT(DATALENGTH(a), DATALENGTH(b), DATALENGTH(c)) FROM #t)"),
        "121"
    );
    assert_eq!(s.error("CREATE TABLE #x (a xml)"), 40510);
    assert_eq!(s.error("CREATE TABLE #x (a geometry)"), 2715);
    assert_eq!(s.error("DECLARE @h hierarchyid"), 2715);
}

#[test]
fn values_that_a_query_does_not_look_at_are_not_read() {
    let lab = Lab::start();
    let mut s = lab.connect();
    s.exec("CREATE DATABASE big; ALTER DATABASE big SET RECOVERY SIMPLE");
    s.exec(
        "USE big; CREATE TABLE t (id int PRIMARY KEY, k int, v varchar(max)); INSERT t SELECT n, \
         n % 3, REPLICATE(CAST('v' AS varchar(max)), 4000000) FROM (VALUES (1), (2), (3), (4), \
         (5), (6), (7), (8)) AS x (n)",
    );
    // 32 MB are 3,968 pages in a buffer pool of 2,048: reading all of them is reading the file.
    let mut pages_read = |sql: &str| {
        let reads = "SELECT CAST(num_of_bytes_read / 8192 AS int) FROM \
                     sys.dm_io_virtual_file_stats(DB_ID('big'), 1)";
        let before = s.int(reads);
        s.exec(sql);
        s.int(reads) - before
    };
    for sql in [
        "SELECT LEN(v) FROM t",
        "SELECT id FROM t WHERE v LIKE '%x' OR k < 5",
    ] {
        let read = pages_read(sql);
        assert!(read > 1_000, "{sql}: {read} pages");
    }
    for sql in [
        "SELECT id, k FROM t WHERE k < 5 ORDER BY k",
        "SELECT k, COUNT(*) FROM t GROUP BY k",
        "SELECT a.id FROM t AS a JOIN t AS b ON a.id = b.k",
        "SELECT TOP (1) CASE WHEN k = 1 THEN id END FROM t",
        "SELECT k FROM t WHERE id = 3",
    ] {
        let read = pages_read(sql);
        assert!(read < 50, "{sql}: {read} pages");
    }
}
