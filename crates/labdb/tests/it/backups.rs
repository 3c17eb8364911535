//! Backups and what they free.

use super::harness::Lab;

#[test]
fn a_full_backup_arms_the_log_and_a_log_backup_frees_it() {
    let lab = Lab::start();
    let mut s = lab.connect();
    s.exec("CREATE DATABASE d");
    let armed = "SELECT CASE WHEN last_log_backup_lsn IS NULL THEN 0 ELSE 1 END FROM \
        sys.database_recovery_status WHERE database_id = DB_ID('d')";
    assert_eq!(s.int(armed), 0);
    assert_eq!(s.error("BACKUP LOG d TO DISK = 'NUL'"), 4214);
    s.exec("BACKUP DATABASE d TO DISK = 'NUL'");
    assert_eq!(s.int(armed), 1);
    s.exec(
        "USE d; CREATE TABLE dbo.t (id int IDENTITY PRIMARY KEY, s char(200)); INSERT dbo.t (s) \
         SELECT TOP (30000) 'x' FROM sys.all_columns a CROSS JOIN sys.all_columns b; CHECKPOINT",
    );
    let wait =
        "SELECT CAST(log_reuse_wait_desc AS nvarchar(60)) FROM sys.databases WHERE name = 'd'";
    assert_eq!(s.column(wait), "LOG_BACKUP");
    s.exec("BACKUP LOG d TO DISK = 'NUL'; CHECKPOINT; CHECKPOINT");
    assert_eq!(s.column(wait), "NOTHING");
    assert_eq!(
        s.column(
            "SELECT CONCAT(type, ' ', physical_device_name) FROM msdb.dbo.backupset b JOIN \
             msdb.dbo.backupmediafamily m ON m.media_set_id = b.media_set_id WHERE database_name \
             = 'd' ORDER BY backup_set_id"
        ),
        "D NUL,L NUL"
    );
    s.exec("EXEC msdb.dbo.sp_delete_database_backuphistory @database_name = N'd'");
    assert_eq!(
        s.int("SELECT COUNT(*) FROM msdb.dbo.backupset WHERE database_name = 'd'"),
        0
    );
    s.exec("ALTER DATABASE d SET RECOVERY SIMPLE");
    assert_eq!(s.error("BACKUP LOG d TO DISK = 'NUL'"), 4208);
    assert_eq!(
        s.error("BEGIN TRAN; BACKUP DATABASE d TO DISK = 'NUL'"),
        3021
    );
}

#[test]
fn a_log_that_cannot_grow_is_full_with_9002() {
    let lab = Lab::start();
    let mut s = lab.connect();
    s.exec(&format!(
        "CREATE DATABASE d ON (NAME = d, FILENAME = '{0}/d.mdf', SIZE = 32MB) LOG ON (NAME = \
         d_log, FILENAME = '{0}/d_log.ldf', SIZE = 1MB, FILEGROWTH = 0)",
        lab.folder.path().display()
    ));
    s.exec(
        "BACKUP DATABASE d TO DISK = 'NUL'; USE d; CREATE TABLE dbo.t (id int IDENTITY PRIMARY \
         KEY, s char(2000))",
    );
    assert_eq!(
        s.error(
            "INSERT dbo.t (s) SELECT TOP (5000) 'x' FROM sys.all_columns a CROSS JOIN \
             sys.all_columns b"
        ),
        9002
    );
    assert_eq!(s.int("SELECT COUNT(*) FROM dbo.t"), 0);
    s.exec(
        "BACKUP LOG d TO DISK = 'NUL'; CHECKPOINT; BACKUP LOG d TO DISK = 'NUL'; INSERT dbo.t (s) \
         VALUES ('again')",
    );
}
