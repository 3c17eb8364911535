//! Identity values are never given twice, whatever becomes of their rows, but where a statement
//! starts them again.

use super::harness::Lab;

#[test]
fn values_of_deleted_rows_are_not_given_again_after_a_restart() {
    let mut lab = Lab::start();
    {
        let mut s = lab.connect();
        s.exec("CREATE TABLE dbo.t (id int IDENTITY, v int); CREATE TABLE dbo.down (id int IDENTITY (0, -5), v int)");
        s.exec("INSERT dbo.t (v) VALUES (1), (2), (3); DELETE dbo.t WHERE v = 3");
        s.exec("INSERT dbo.down (v) VALUES (1), (2), (3); DELETE dbo.down");
    }
    lab.restart();
    {
        let mut s = lab.connect();
        assert_eq!(
            s.int("INSERT dbo.t (v) VALUES (4); SELECT MAX(id) FROM dbo.t"),
            4
        );
        assert_eq!(
            s.int("INSERT dbo.down (v) VALUES (4); SELECT id FROM dbo.down"),
            -15
        );
        s.exec("BEGIN TRAN; DELETE dbo.t; ROLLBACK");
        s.exec("INSERT dbo.t (v) VALUES (5); DELETE dbo.t");
    }
    lab.restart();
    let mut s = lab.connect();
    assert_eq!(
        s.int("INSERT dbo.t (v) VALUES (6); SELECT id FROM dbo.t"),
        6
    );
    assert_eq!(
        s.int("INSERT dbo.down (v) VALUES (5); SELECT MIN(id) FROM dbo.down"),
        -20
    );
}

#[test]
fn truncate_and_reseed_outlive_a_restart_and_a_truncate_that_was_rolled_back_does_not() {
    let mut lab = Lab::start();
    {
        let mut s = lab.connect();
        for name in ["a", "b", "c"] {
            s.exec(&format!(
                "CREATE TABLE dbo.{name} (id int IDENTITY (10, 1), v int); INSERT dbo.{name} (v) \
                 VALUES (1), (2), (3); DELETE dbo.{name}"
            ));
        }
        s.exec("TRUNCATE TABLE dbo.a");
        s.exec("BEGIN TRAN; TRUNCATE TABLE dbo.b; ROLLBACK");
        s.exec("DBCC CHECKIDENT ('dbo.c', RESEED, 99)");
    }
    lab.restart();
    let mut s = lab.connect();
    for (name, id) in [("a", 10), ("b", 13), ("c", 100)] {
        s.exec(&format!("INSERT dbo.{name} (v) VALUES (1)"));
        assert_eq!(s.int(&format!("SELECT id FROM dbo.{name}")), id, "{name}");
    }
    s.exec("DROP TABLE dbo.c; CREATE TABLE dbo.c (id int IDENTITY, v int)");
    drop(s);
    lab.restart();
    let mut s = lab.connect();
    assert_eq!(
        s.int("INSERT dbo.c (v) VALUES (1); SELECT id FROM dbo.c"),
        1
    );
}
