//! Backup files, their headers, and what msdb keeps.

use super::direct::{Direct, shown};
use super::harness::Lab;
use labdb_types::{Length, SqlType};

fn database(s: &Direct, name: &str) {
    s.exec(&format!("CREATE DATABASE {name}"));
    s.exec(&format!(
        "ALTER DATABASE {name} SET RECOVERY FULL; USE {name}; CREATE TABLE dbo.t (id int IDENTITY \
         PRIMARY KEY, s char(1000) NOT NULL DEFAULT 'a'); INSERT dbo.t (s) SELECT TOP (1000) 'row' \
         FROM sys.all_columns a CROSS JOIN sys.all_columns b; USE master"
    ));
}

#[test]
fn several_backup_sets_lie_in_one_file_until_init() {
    let lab = Lab::start();
    let s = Direct::new(&lab);
    database(&s, "d");
    s.exec(
        "BACKUP DATABASE d TO DISK = 'd.bak' WITH NAME = 'first', DESCRIPTION = 'of d'; BACKUP LOG \
         d TO DISK = 'd.bak' WITH CHECKSUM; BACKUP DATABASE d TO DISK = 'd.bak' WITH COPY_ONLY, \
         COMPRESSION",
    );
    let header = s.exec("RESTORE HEADERONLY FROM DISK = 'd.bak'");
    for (column, values) in [
        ("Position", ["1", "2", "3"]),
        ("BackupType", ["1", "2", "1"]),
        (
            "BackupTypeDescription",
            ["Database", "Transaction Log", "Database"],
        ),
        ("BackupName", ["first", "NULL", "NULL"]),
        ("BackupDescription", ["of d", "NULL", "NULL"]),
        ("Compressed", ["0", "0", "1"]),
        ("HasBackupChecksums", ["0", "1", "0"]),
        ("IsCopyOnly", ["0", "0", "1"]),
        ("BeginsLogChain", ["1", "0", "0"]),
        ("Flags", ["512", "528", "1536"]),
        ("DatabaseName", ["d", "d", "d"]),
        ("RecoveryModel", ["FULL", "FULL", "FULL"]),
        ("CompressionAlgorithm", ["NULL", "NULL", "LZ4"]),
    ] {
        assert_eq!(header.column(column), values, "{column}");
    }
    // Compression is real: a thousand rows of mostly blanks.
    let sizes = header.column("CompressedBackupSize");
    let bytes = |at: usize| sizes[at].parse::<u64>().unwrap();
    assert!(bytes(2) * 4 < bytes(0), "{sizes:?}");
    let on_disk = std::fs::metadata(lab.folder.path().join("d.bak")).unwrap();
    // The label, the sets, and the final figures of each, which cannot count themselves.
    let sets = 64 + bytes(0) + bytes(1) + bytes(2);
    assert!((sets..sets + 3 * 4096).contains(&on_disk.len()), "{sets}");
    s.exec("RESTORE VERIFYONLY FROM DISK = 'd.bak' WITH FILE = 3");
    s.exec("BACKUP DATABASE d TO DISK = 'd.bak' WITH INIT");
    let header = s.exec("RESTORE HEADERONLY FROM DISK = 'd.bak'");
    assert_eq!(header.rows.len(), 1);
}

#[test]
fn headers_msdb_and_the_database_agree() {
    let lab = Lab::start();
    let s = Direct::new(&lab);
    database(&s, "d");
    s.exec("BACKUP DATABASE d TO DISK = 'd.bak'");
    s.exec("INSERT d.dbo.t DEFAULT VALUES; BACKUP LOG d TO DISK = 'd.bak'");
    let header = s.exec("RESTORE HEADERONLY FROM DISK = 'd.bak'");
    let history =
        s.exec("SELECT * FROM msdb.dbo.backupset WHERE database_name = 'd' ORDER BY backup_set_id");
    for (ours, theirs) in [
        ("FirstLSN", "first_lsn"),
        ("LastLSN", "last_lsn"),
        ("CheckpointLSN", "checkpoint_lsn"),
        ("DatabaseBackupLSN", "database_backup_lsn"),
        ("BackupSetGUID", "backup_set_uuid"),
        ("BackupSize", "backup_size"),
        ("CompressedBackupSize", "compressed_backup_size"),
        ("FamilyGUID", "family_guid"),
        ("Position", "position"),
        ("BackupStartDate", "backup_start_date"),
        ("BackupFinishDate", "backup_finish_date"),
    ] {
        assert_eq!(header.column(ours), history.column(theirs), "{ours}");
    }
    // The log backup goes from the end of the full one to where the next will begin.
    let (first, last) = (header.column("FirstLSN"), header.column("LastLSN"));
    assert_eq!(first[1], last[0]);
    assert_eq!(
        s.value(
            "SELECT last_log_backup_lsn FROM sys.database_recovery_status WHERE database_id = \
             DB_ID('d')"
        ),
        last[1]
    );
    assert_eq!(
        header.column("DatabaseBackupLSN")[1],
        header.column("CheckpointLSN")[0]
    );
    // One media set with two backup sets in it.
    assert_eq!(
        s.value(
            "SELECT COUNT(*) FROM msdb.dbo.backupset b JOIN msdb.dbo.backupmediafamily m ON \
             m.media_set_id = b.media_set_id WHERE b.database_name = 'd'"
        ),
        "2"
    );
    let label = s.exec("RESTORE LABELONLY FROM DISK = 'd.bak'");
    assert_eq!(
        label.column("MediaSetId")[0],
        s.value("SELECT media_uuid FROM msdb.dbo.backupmediaset")
    );
    // Data and log of the full backup, and the log of the log backup.
    assert_eq!(
        s.value("SELECT COUNT(*) FROM msdb.dbo.backupfile WHERE backup_size > 0"),
        "3"
    );
}

#[test]
fn the_file_list_is_that_of_the_database() {
    let lab = Lab::start();
    let s = Direct::new(&lab);
    database(&s, "d");
    s.exec("BACKUP DATABASE d TO DISK = 'd.bak'");
    let list = s.exec("RESTORE FILELISTONLY FROM DISK = 'd.bak'");
    let files = s.exec(
        "SELECT name, physical_name, CAST(size AS bigint) * 8192 AS bytes, file_id FROM \
         sys.master_files WHERE database_id = DB_ID('d') ORDER BY file_id",
    );
    assert_eq!(list.column("LogicalName"), files.column("name"));
    assert_eq!(list.column("PhysicalName"), files.column("physical_name"));
    assert_eq!(list.column("Size"), files.column("bytes"));
    assert_eq!(list.column("FileId"), files.column("file_id"));
    assert_eq!(list.column("Type"), ["D", "L"]);
    assert_eq!(list.column("FileGroupName"), ["PRIMARY", "NULL"]);
}

/// `name type` for each column, as the reference pages list them.
fn columns(s: &Direct, sql: &str) -> Vec<String> {
    let name = |sql_type: &SqlType| match sql_type {
        SqlType::Decimal { precision, .. } => format!("numeric({precision},0)"),
        SqlType::NVarChar(Length::Limited(n)) => format!("nvarchar({n})"),
        SqlType::VarBinary(Length::Limited(n)) => format!("varbinary({n})"),
        other => format!("{other:?}").to_lowercase(),
    };
    let answer = s.exec(sql);
    let columns = answer.columns.iter();
    columns
        .map(|c| format!("{} {}", c.name, name(&c.sql_type)))
        .collect()
}

#[test]
fn result_sets_have_the_documented_columns() {
    let lab = Lab::start();
    let s = Direct::new(&lab);
    database(&s, "d");
    s.exec("BACKUP DATABASE d TO DISK = 'd.bak'");
    // From the reference pages of the three statements, for 2022.
    let header = "BackupName nvarchar(128), BackupDescription nvarchar(255), BackupType smallint, \
        ExpirationDate datetime, Compressed bit, Position smallint, DeviceType tinyint, UserName \
        nvarchar(128), ServerName nvarchar(128), DatabaseName nvarchar(128), DatabaseVersion int, \
        DatabaseCreationDate datetime, BackupSize numeric(20,0), FirstLSN numeric(25,0), LastLSN \
        numeric(25,0), CheckpointLSN numeric(25,0), DatabaseBackupLSN numeric(25,0), \
        BackupStartDate datetime, BackupFinishDate datetime, SortOrder smallint, CodePage \
        smallint, UnicodeLocaleId int, UnicodeComparisonStyle int, CompatibilityLevel tinyint, \
        SoftwareVendorId int, SoftwareVersionMajor int, SoftwareVersionMinor int, \
        SoftwareVersionBuild int, MachineName nvarchar(128), Flags int, BindingID \
        uniqueidentifier, RecoveryForkID uniqueidentifier, Collation nvarchar(128), FamilyGUID \
        uniqueidentifier, HasBulkLoggedData bit, IsSnapshot bit, IsReadOnly bit, IsSingleUser \
        bit, HasBackupChecksums bit, IsDamaged bit, BeginsLogChain bit, HasIncompleteMetaData \
        bit, IsForceOffline bit, IsCopyOnly bit, FirstRecoveryForkID uniqueidentifier, \
        ForkPointLSN numeric(25,0), RecoveryModel nvarchar(60), DifferentialBaseLSN \
        numeric(25,0), DifferentialBaseGUID uniqueidentifier, BackupTypeDescription \
        nvarchar(60), BackupSetGUID uniqueidentifier, CompressedBackupSize bigint, Containment \
        tinyint, KeyAlgorithm nvarchar(32), EncryptorThumbprint varbinary(20), EncryptorType \
        nvarchar(32), LastValidRestoreTime datetime, TimeZone nvarchar(32), CompressionAlgorithm \
        nvarchar(32)";
    let files = "LogicalName nvarchar(128), PhysicalName nvarchar(260), Type char(1), \
        FileGroupName nvarchar(128), Size numeric(20,0), MaxSize numeric(20,0), FileId bigint, \
        CreateLSN numeric(25,0), DropLSN numeric(25,0), UniqueId uniqueidentifier, ReadOnlyLSN \
        numeric(25,0), ReadWriteLSN numeric(25,0), BackupSizeInBytes bigint, SourceBlockSize int, \
        FileGroupId int, LogGroupGUID uniqueidentifier, DifferentialBaseLSN numeric(25,0), \
        DifferentialBaseGUID uniqueidentifier, IsReadOnly bit, IsPresent bit, TDEThumbprint \
        varbinary(32), SnapshotUrl nvarchar(360)";
    let label = "MediaName nvarchar(128), MediaSetId uniqueidentifier, FamilyCount int, \
        FamilySequenceNumber int, MediaFamilyId uniqueidentifier, MediaSequenceNumber int, \
        MediaLabelPresent tinyint, MediaDescription nvarchar(255), SoftwareName nvarchar(128), \
        SoftwareVendorId int, MediaDate datetime, Mirror_Count int, IsCompressed bit";
    for (kind, expected) in [
        ("HEADERONLY", header),
        ("FILELISTONLY", files),
        ("LABELONLY", label),
    ] {
        let found = columns(&s, &format!("RESTORE {kind} FROM DISK = 'd.bak'"));
        assert_eq!(found.join(", "), expected, "{kind}");
    }
}

#[test]
fn progress_and_results_are_told_as_sql_server_tells_them() {
    let lab = Lab::start();
    let s = Direct::new(&lab);
    database(&s, "d");
    let told = |sql: &str| -> Vec<(i32, String)> {
        let answer = s.exec(sql);
        answer
            .messages
            .into_iter()
            .map(|m| (m.number, m.message))
            .collect()
    };
    let check = |messages: &[(i32, String)], verb: &str, every: usize| {
        let percents: Vec<&str> = messages
            .iter()
            .filter(|(n, _)| *n == 3211)
            .map(|(_, t)| t.as_str())
            .collect();
        let expected: Vec<String> = (1..=100 / every)
            .map(|n| format!("{} percent processed.", n * every))
            .collect();
        assert_eq!(percents, expected, "{messages:?}");
        let pages: u64 = messages
            .iter()
            .filter(|(n, _)| *n == 4035)
            .map(|(_, t)| t.split(' ').nth(1).unwrap().parse::<u64>().unwrap())
            .sum();
        assert!(pages > 100);
        let (number, last) = messages.last().unwrap();
        assert_eq!(*number, 3014);
        let begin = format!("{verb} successfully processed {pages} pages in ");
        assert!(
            last.starts_with(&begin) && last.ends_with(" MB/sec)."),
            "{last}"
        );
    };
    let backup = told("BACKUP DATABASE d TO DISK = 'd.bak' WITH STATS");
    check(&backup, "BACKUP DATABASE", 10);
    let folder = lab.folder.path().display();
    let restore = told(&format!(
        "RESTORE DATABASE e FROM DISK = 'd.bak' WITH STATS = 25, MOVE 'd' TO '{folder}/e.mdf', \
         MOVE 'd_log' TO '{folder}/e.ldf'"
    ));
    check(&restore, "RESTORE DATABASE", 25);
    // Both name the same files and pages.
    let processed = |messages: &[(i32, String)]| -> Vec<String> {
        let lines = messages.iter().filter(|(n, _)| *n == 4035);
        lines
            .map(|(_, t)| t.replace("database 'e'", "database 'd'"))
            .collect()
    };
    assert_eq!(processed(&backup), processed(&restore));
    let verified = told("RESTORE VERIFYONLY FROM DISK = 'd.bak'");
    assert_eq!(
        verified,
        [(3262, "The backup set on file 1 is valid.".to_owned())]
    );
}

#[test]
fn restores_are_remembered() {
    let lab = Lab::start();
    let s = Direct::new(&lab);
    database(&s, "d");
    s.exec("BACKUP DATABASE d TO DISK = 'd.bak'");
    s.exec("RESTORE DATABASE d FROM DISK = 'd.bak' WITH REPLACE, NORECOVERY");
    s.exec("RESTORE DATABASE d FROM DISK = 'd.bak' WITH REPLACE");
    let history = s.exec(
        "SELECT destination_database_name, restore_type, [replace], [recovery], b.type, user_name \
         = r.user_name FROM msdb.dbo.restorehistory r JOIN msdb.dbo.backupset b ON \
         b.backup_set_id = r.backup_set_id ORDER BY restore_history_id",
    );
    let rows: Vec<String> = history
        .rows
        .iter()
        .map(|row| row.iter().map(shown).collect::<Vec<_>>().join(" "))
        .collect();
    assert_eq!(rows, ["d D 1 0 D sa", "d D 1 1 D sa"]);
}

#[test]
fn an_unfinished_backup_is_no_backup_set() {
    let lab = Lab::start();
    let s = Direct::new(&lab);
    database(&s, "d");
    s.exec("BACKUP DATABASE d TO DISK = 'd.bak'");
    let path = lab.folder.path().join("d.bak");
    let one = std::fs::read(&path).unwrap();
    s.exec("BACKUP DATABASE d TO DISK = 'd.bak'");
    let two = std::fs::read(&path).unwrap();
    // As a kill leaves it: a second set without its prologue, and cut off.
    let mut bytes = two[..one.len() + (two.len() - one.len()) / 2].to_vec();
    bytes[one.len()..one.len() + 32].fill(0);
    std::fs::write(&path, &bytes).unwrap();
    assert_eq!(
        s.exec("RESTORE HEADERONLY FROM DISK = 'd.bak'").rows.len(),
        1
    );
    assert_eq!(
        s.errors("RESTORE VERIFYONLY FROM DISK = 'd.bak' WITH FILE = 2"),
        [4038, 3013]
    );
    // The next backup takes its place.
    s.exec(
        "BACKUP DATABASE d TO DISK = 'd.bak'; RESTORE VERIFYONLY FROM DISK = 'd.bak' WITH FILE = 2",
    );
    // What is no backup is not overwritten unless told to.
    std::fs::write(&path, "letters").unwrap();
    assert_eq!(
        s.errors("BACKUP DATABASE d TO DISK = 'd.bak'"),
        [3241, 3013]
    );
    s.exec("BACKUP DATABASE d TO DISK = 'd.bak' WITH FORMAT");
}
