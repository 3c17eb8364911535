//! The shortest way through everything.

use super::harness::Lab;

#[test]
fn a_driver_logs_in_creates_a_database_and_a_table_and_reads_back_what_it_inserted() {
    let lab = Lab::start();
    let mut s = lab.connect();
    assert!(s.text("@@VERSION").starts_with("labdb "));
    s.exec(
        "CREATE DATABASE d ON (NAME = d, FILENAME = 'PLACE/d.mdf', SIZE = 8MB) LOG ON (NAME = \
         d_log, FILENAME = 'PLACE/d_log.ldf', SIZE = 8MB)"
            .replace("PLACE", &lab.folder.path().display().to_string())
            .as_str(),
    );
    s.exec("USE d");
    s.exec(
        "CREATE TABLE dbo.t (id int IDENTITY(1,1) PRIMARY KEY CLUSTERED, note varchar(500) NOT \
         NULL DEFAULT 'twenty-eight characters here')",
    );
    for _ in 0..5 {
        s.exec("INSERT INTO dbo.t DEFAULT VALUES");
    }
    assert_eq!(s.int("SELECT COUNT(*) FROM dbo.t"), 5);
    assert_eq!(
        s.column("SELECT note FROM dbo.t WHERE id = 3"),
        "twenty-eight characters here"
    );
    assert_eq!(s.text("(SELECT MAX(id) FROM dbo.t)"), "5");
    let rows = s.rows(
        "SELECT CAST(num_of_writes AS bigint), CAST(num_of_bytes_written AS bigint) FROM \
         sys.dm_io_virtual_file_stats(DB_ID(N'd'), NULL) WHERE file_id = 2",
    );
    assert!(rows[0].try_get::<i64, _>(0).unwrap().unwrap() > 5);
}
