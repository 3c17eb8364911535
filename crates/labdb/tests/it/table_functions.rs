//! Table functions in FROM: their rows and the types of their columns.

use super::harness::Lab;

#[test]
fn arguments_of_a_table_function_are_columns_of_the_row_beside_it() {
    let lab = Lab::start();
    let mut s = lab.connect();
    assert_eq!(
        s.column(
            "SELECT CONCAT(t.id, s.value) FROM (VALUES (1, 'x,y'), (2, 'z')) t (id, list) CROSS \
             APPLY STRING_SPLIT(t.list, ',') s ORDER BY 1"
        ),
        "1x,1y,2z"
    );
    assert_eq!(
        s.column(
            "SELECT CONCAT(t.a, v.x) FROM (VALUES (1, 2)) t (a, b) CROSS APPLY (VALUES (t.a), \
             (t.b), (t.a + t.b)) v (x) ORDER BY 1"
        ),
        "11,12,13"
    );
    s.exec(
        "CREATE TABLE dbo.lists (id int, list varchar(max)); INSERT dbo.lists VALUES (1, 'x,y'), \
         (2, NULL)",
    );
    assert_eq!(
        s.column(
            "SELECT CONCAT(t.id, s.value) FROM dbo.lists t OUTER APPLY STRING_SPLIT(t.list, ',') \
             s ORDER BY 1"
        ),
        "1x,1y,2"
    );
    // Every database has a data file and a log file, and a log of at least one VLF.
    assert_eq!(
        s.int(
            "SELECT COUNT(*) FROM sys.databases d CROSS APPLY \
             sys.dm_io_virtual_file_stats(d.database_id, NULL) f"
        ),
        2 * s.int("SELECT COUNT(*) FROM sys.databases")
    );
    assert_eq!(
        s.int(
            "SELECT COUNT(*) FROM sys.databases d CROSS APPLY sys.dm_db_log_stats(d.database_id) \
             l WHERE l.total_vlf_count <> (SELECT COUNT(*) FROM sys.dm_db_log_info(d.database_id))"
        ),
        0
    );
}

#[test]
fn series_and_pieces_have_the_documented_rows() {
    let lab = Lab::start();
    let mut s = lab.connect();
    for (query, rows) in [
        (
            "SELECT CAST(value AS varchar(9)) FROM GENERATE_SERIES(1, 5)",
            "1,2,3,4,5",
        ),
        (
            "SELECT CAST(value AS varchar(9)) FROM GENERATE_SERIES(5, 1, -2)",
            "5,3,1",
        ),
        (
            "SELECT CAST(value AS varchar(9)) FROM GENERATE_SERIES(3, 1)",
            "3,2,1",
        ),
        (
            "SELECT CAST(value AS varchar(9)) FROM GENERATE_SERIES(1, 5, -1)",
            "",
        ),
        (
            "SELECT CAST(value AS varchar(9)) FROM GENERATE_SERIES(0.0, 1.0, 0.25)",
            "0.00,0.25,0.50,0.75,1.00",
        ),
        ("SELECT value FROM STRING_SPLIT('a,,b', ',')", "a,,b"),
        (
            "SELECT CONCAT(ordinal, value) FROM STRING_SPLIT('x y', ' ', 1)",
            "1x,2y",
        ),
        (
            "SELECT CAST(MAX(number) AS varchar(9)) FROM master.dbo.spt_values WHERE type = 'P'",
            "2047",
        ),
    ] {
        assert_eq!(s.column(query), rows, "{query}");
    }
    assert_eq!(
        s.int("SELECT SUM(value) FROM GENERATE_SERIES(1, 10000)"),
        50_005_000
    );
    assert_eq!(s.error("SELECT * FROM GENERATE_SERIES(1, 2, 0)"), 4199);
    assert_eq!(s.error("SELECT * FROM GENERATE_SERIES(1, 2.5)"), 5373);
    assert_eq!(s.error("SELECT * FROM STRING_SPLIT('a', ',,')"), 214);
}
