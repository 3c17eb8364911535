//! Queries.

use super::harness::Lab;

#[test]
fn joins_groups_and_orders_give_what_a_hand_count_gives() {
    let lab = Lab::start();
    let mut s = lab.connect();
    s.exec(
        "CREATE TABLE #o (id int, who varchar(10), amount decimal(9,2)); 
             INSERT #o VALUES (1,'ann',10),(2,'bob',5.5),(3,'ann',2.5),(4,NULL,1);
            CREATE TABLE #w (who varchar(10), city varchar(10)); 
             INSERT #w VALUES ('ann','Rome'),('cat','Oslo')",
    );
    assert_eq!(
        s.column(
            "SELECT CONCAT(who, ':', SUM(amount), ':', COUNT(*)) FROM #o GROUP BY who HAVING \
             COUNT(*) >= 1 ORDER BY who"
        ),
        ":1.00:1,ann:12.50:2,bob:5.50:1"
    );
    assert_eq!(
        s.column("SELECT o.who + w.city FROM #o o JOIN #w w ON o.who = w.who ORDER BY o.id"),
        "annRome,annRome"
    );
    assert_eq!(
        s.column(
            "SELECT CONCAT(o.id, w.city) FROM #o o LEFT JOIN #w w ON o.who = w.who ORDER BY o.id"
        ),
        "1Rome,2,3Rome,4"
    );
    assert_eq!(
        s.column(
            "SELECT CONCAT(o.id, w.city) FROM #o o FULL JOIN #w w ON o.who = w.who AND o.id > 2 \
             ORDER BY w.city, o.id"
        ),
        "1,2,4,Oslo,3Rome"
    );
    assert_eq!(
        s.column(
            "SELECT who FROM #o WHERE who IS NOT NULL UNION SELECT who FROM #w ORDER BY who DESC"
        ),
        "cat,bob,ann"
    );
    assert_eq!(
        s.column("SELECT who FROM #w EXCEPT SELECT who FROM #o"),
        "cat"
    );
    assert_eq!(
        s.column("SELECT TOP (2) WITH TIES who FROM #o ORDER BY who DESC"),
        "bob,ann,ann"
    );
    assert_eq!(
        s.column(
            "SELECT CAST(id AS varchar(5)) FROM #o ORDER BY id OFFSET 1 ROWS FETCH NEXT 2 ROWS ONLY"
        ),
        "2,3"
    );
    assert_eq!(
        s.column("SELECT DISTINCT ISNULL(who, '-') AS w FROM #o ORDER BY w"),
        "-,ann,bob"
    );
    assert_eq!(
        s.column(
            "SELECT CAST(id AS varchar(5)) FROM #o o WHERE EXISTS (SELECT 1 FROM #w WHERE #w.who \
             = o.who) ORDER BY 1"
        ),
        "1,3"
    );
    assert_eq!(
        s.column("SELECT STRING_AGG(who, '+') WITHIN GROUP (ORDER BY id DESC) FROM #o"),
        "ann+bob+ann"
    );
    assert_eq!(
        s.column(
            "SELECT CONCAT(id, '.', ROW_NUMBER() OVER (PARTITION BY who ORDER BY id), '.', \
             SUM(amount) OVER (PARTITION BY who)) FROM #o WHERE who = 'ann' ORDER BY id"
        ),
        "1.1.12.50,3.2.12.50"
    );
    assert_eq!(
        s.column(
            "SELECT CONCAT(o.id, x.n) FROM #o o CROSS APPLY (SELECT TOP 1 p.id AS n FROM #o p \
             WHERE p.id > o.id ORDER BY p.id) x ORDER BY o.id"
        ),
        "12,23,34"
    );
    assert_eq!(
        s.int(
            "WITH n AS (SELECT 1 AS v UNION ALL SELECT v + 1 FROM n WHERE v < 50) SELECT SUM(v) \
             FROM n"
        ),
        1275
    );
    assert_eq!(
        s.int(
            "WITH a AS (SELECT id FROM #o), b (x) AS (SELECT id * 2 FROM a) SELECT MAX(x) FROM b"
        ),
        8
    );
}

#[test]
fn a_tally_of_system_columns_makes_many_rows_quickly() {
    let lab = Lab::start();
    let mut s = lab.connect();
    assert_eq!(
        s.int(
            "SELECT COUNT(*) FROM (SELECT TOP (100000) ROW_NUMBER() OVER (ORDER BY (SELECT NULL)) \
             AS n FROM sys.all_columns a CROSS JOIN sys.all_columns b) t"
        ),
        100_000
    );
    assert_eq!(
        s.column(
            "SELECT CONCAT(COUNT(*), '-', MAX(n)) FROM (SELECT TOP (1000000) ROW_NUMBER() OVER \
             (ORDER BY (SELECT NULL)) AS n FROM sys.all_columns a CROSS JOIN sys.all_columns b) t"
        ),
        "1000000-1000000"
    );
    s.exec(
        "SELECT TOP (1000) IDENTITY_FREE = a.name INTO #t FROM sys.all_columns a CROSS JOIN \
         sys.all_objects b",
    );
    assert_eq!(s.int("SELECT COUNT(*) FROM #t"), 1000);
}
