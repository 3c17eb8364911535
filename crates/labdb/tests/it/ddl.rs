//! Databases, tables, indexes.

use super::harness::{Lab, PASSWORD};

#[test]
fn tables_change_their_shape_and_keep_their_rows() {
    let lab = Lab::start();
    let mut s = lab.connect();
    s.exec(
        "CREATE TABLE dbo.t (id int NOT NULL, v varchar(10)); INSERT dbo.t VALUES (1, 'a'), (2, \
         'b')",
    );
    s.exec("ALTER TABLE dbo.t ADD n int NOT NULL DEFAULT 5, m int NULL");
    assert_eq!(
        s.column("SELECT CONCAT(id, v, n, m) FROM dbo.t ORDER BY id"),
        "1a5,2b5"
    );
    s.exec("ALTER TABLE dbo.t ADD CONSTRAINT pk PRIMARY KEY (id)");
    assert_eq!(s.error("INSERT dbo.t (id) VALUES (1)"), 2627);
    s.exec("ALTER TABLE dbo.t DROP COLUMN v; ALTER TABLE dbo.t ALTER COLUMN m bigint");
    assert_eq!(s.error("SELECT v FROM dbo.t"), 207);
    s.exec("CREATE UNIQUE INDEX u ON dbo.t (n, id DESC) INCLUDE (m)");
    assert_eq!(
        s.column(
            "SELECT c.name FROM sys.index_columns ic JOIN sys.columns c ON c.object_id = \
             ic.object_id AND c.column_id = ic.column_id JOIN sys.indexes i ON i.object_id = \
             ic.object_id AND i.index_id = ic.index_id WHERE i.name = 'u' ORDER BY \
             ic.index_column_id"
        ),
        "n,id,m"
    );
    s.exec(
        "DROP INDEX u ON dbo.t; ALTER TABLE dbo.t DROP CONSTRAINT pk; INSERT dbo.t (id) VALUES (1)",
    );
    assert_eq!(s.int("SELECT COUNT(*) FROM dbo.t WHERE id = 1"), 2);
    assert_eq!(s.error("CREATE UNIQUE INDEX u ON dbo.t (id)"), 1505);
}

#[test]
fn a_database_in_use_cannot_be_dropped_until_it_is_single_user() {
    let lab = Lab::start();
    let mut s = lab.connect();
    s.exec("CREATE DATABASE d");
    let other = lab.connect_as("sa", PASSWORD, "d").unwrap();
    assert_eq!(s.error("DROP DATABASE d"), 3702);
    s.exec("ALTER DATABASE [d] SET SINGLE_USER WITH ROLLBACK IMMEDIATE; DROP DATABASE [d];");
    drop(other);
    assert_eq!(s.text("DB_ID('d')"), "NULL");
    assert!(!lab.folder.path().join("d.mdf").exists());
    assert_eq!(
        lab.connect_as("sa", PASSWORD, "d")
            .err()
            .and_then(|e| e.code()),
        Some(4060)
    );
}

#[test]
fn extended_properties_mark_a_database() {
    let lab = Lab::start();
    let mut s = lab.connect();
    s.exec("CREATE DATABASE d");
    s.exec("USE d; EXEC sys.sp_addextendedproperty @name = N'mark', @value = N'one'");
    assert_eq!(
        s.column(
            "SELECT CAST(value AS nvarchar(100)) FROM sys.extended_properties WHERE class = 0 AND \
             name = N'mark'"
        ),
        "one"
    );
    assert_eq!(
        s.error("EXEC sys.sp_addextendedproperty @name = N'mark', @value = N'two'"),
        15233
    );
    s.exec("EXEC sys.sp_updateextendedproperty @name = N'mark', @value = N'two'");
    assert_eq!(
        s.column(
            "SELECT CAST(value AS nvarchar(100)) FROM fn_listextendedproperty(N'mark', default, \
             default, default, default, default, default)"
        ),
        "two"
    );
    s.exec("EXEC sys.sp_dropextendedproperty @name = N'mark'");
    assert_eq!(s.int("SELECT COUNT(*) FROM sys.extended_properties"), 0);
}
