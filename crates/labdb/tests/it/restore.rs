//! RESTORE: what comes back is what was there.

use super::direct::Direct;
use super::harness::Lab;
use std::time::Duration;

/// A database with rows of several kinds, in FULL recovery, backed up once.
fn shop(s: &Direct, name: &str) {
    s.exec(&format!("CREATE DATABASE {name}"));
    s.exec(&format!(
        "ALTER DATABASE {name} SET RECOVERY FULL; USE {name}; CREATE TABLE dbo.t (id int IDENTITY \
         PRIMARY KEY, n int NOT NULL, s varchar(100) NULL, at datetime2 DEFAULT SYSDATETIME()); \
         CREATE UNIQUE INDEX u ON dbo.t (n); INSERT dbo.t (n, s) SELECT ROW_NUMBER() OVER (ORDER BY \
         c), REPLICATE('x', 50) FROM (SELECT TOP (2000) a.column_id AS c FROM sys.all_columns a \
         CROSS JOIN sys.all_columns b) AS tally; USE master"
    ));
}

/// All rows in order, as the engine that has them tells.
fn rows(s: &Direct, database: &str) -> Vec<String> {
    let answer = s.exec(&format!(
        "SELECT CONCAT(id, '|', n, '|', s, '|', at) AS r FROM {database}.dbo.t ORDER BY id"
    ));
    answer.column("r")
}

fn moved(lab: &Lab, name: &str) -> String {
    let folder = lab.folder.path().display().to_string();
    format!("MOVE 'shop' TO '{folder}/{name}.mdf', MOVE 'shop_log' TO '{folder}/{name}_log.ldf'")
}

#[test]
fn a_copy_has_every_row_and_lives_on() {
    let mut lab = Lab::start();
    let before = {
        let s = Direct::new(&lab);
        shop(&s, "shop");
        s.exec("BACKUP DATABASE shop TO DISK = 'shop.bak' WITH COMPRESSION, CHECKSUM, INIT");
        let before = rows(&s, "shop");
        assert_eq!(before.len(), 2000);
        let to = moved(&lab, "copy");
        s.exec(&format!(
            "RESTORE DATABASE [copy] FROM DISK = 'shop.bak' WITH {to}, CHECKSUM"
        ));
        assert_eq!(rows(&s, "copy"), before);
        // Keys are there: a duplicate is refused and the identity goes on.
        assert_eq!(s.errors("INSERT [copy].dbo.t (n) VALUES (7)"), [2601]);
        s.exec("INSERT [copy].dbo.t (n) VALUES (-1)");
        assert_eq!(
            s.value("SELECT MAX(id) FROM [copy].dbo.t WHERE n = -1 AND id > 2000"),
            s.value("SELECT MAX(id) FROM [copy].dbo.t")
        );
        assert_eq!(
            s.value("SELECT state_desc FROM sys.databases WHERE name = 'copy'"),
            "ONLINE"
        );
        before
    };
    lab.restart();
    let s = Direct::new(&lab);
    assert_eq!(rows(&s, "copy")[..2000], before[..]);
    assert_eq!(rows(&s, "shop"), before);
}

#[test]
fn a_chain_can_be_restored_to_each_of_its_moments() {
    let lab = Lab::start();
    let s = Direct::new(&lab);
    shop(&s, "shop");
    s.exec("BACKUP DATABASE shop TO DISK = 'full.bak'");
    // Moments between commits, and the rows at each: on both sides of every log backup.
    let mut moments = Vec::new();
    for round in 0..3 {
        for part in 0..2 {
            let n = 10_000 + round * 10 + part;
            s.exec(&format!(
                "INSERT shop.dbo.t (n, s) VALUES ({n}, 'r'); UPDATE shop.dbo.t SET s = '{n}' WHERE \
                 n = {round} + 1; DELETE shop.dbo.t WHERE n = 100 + {round} * 2 + {part}"
            ));
            std::thread::sleep(Duration::from_millis(15));
            let at = s.value("SELECT CONVERT(varchar(30), SYSDATETIME(), 126)");
            std::thread::sleep(Duration::from_millis(15));
            moments.push((at, rows(&s, "shop")));
        }
        s.exec(&format!("BACKUP LOG shop TO DISK = 'log{round}.trn'"));
    }
    let to = moved(&lab, "pit");
    for (number, (at, expected)) in moments.iter().enumerate() {
        s.exec(&format!(
            "RESTORE DATABASE pit FROM DISK = 'full.bak' WITH {to}, NORECOVERY, REPLACE"
        ));
        assert_eq!(
            s.value("SELECT state_desc FROM sys.databases WHERE name = 'pit'"),
            "RESTORING"
        );
        assert_eq!(
            s.value("SELECT CAST(DATABASEPROPERTYEX('pit', 'Status') AS nvarchar(60))"),
            "RESTORING"
        );
        for round in 0..=number / 2 {
            // The same point in time in every step: those that end before it leave the database
            // restoring, as WITH RECOVERY cannot be honoured yet.
            let answer = s.exec(&format!(
                "DECLARE @at datetime2 = '{at}'; RESTORE LOG pit FROM DISK = 'log{round}.trn' WITH \
                 RECOVERY, STOPAT = @at"
            ));
            let waits = answer.messages.iter().any(|m| m.number == 4322);
            assert_eq!(
                waits,
                round < number / 2,
                "{number} {round} {:?}",
                answer.messages
            );
        }
        assert_eq!(&rows(&s, "pit"), expected, "moment {number}");
    }
}

#[test]
fn a_transaction_that_spans_log_backups_is_whole_or_not_there() {
    let lab = Lab::start();
    let s = Direct::new(&lab);
    shop(&s, "shop");
    s.exec("BACKUP DATABASE shop TO DISK = 'full.bak'");
    let before = rows(&s, "shop");
    let open = Direct::new(&lab);
    open.exec("USE shop; BEGIN TRAN; UPDATE dbo.t SET s = 'open' WHERE n <= 500");
    s.exec("BACKUP LOG shop TO DISK = 'one.trn'");
    open.exec("DELETE dbo.t WHERE n > 1900");
    s.exec("BACKUP LOG shop TO DISK = 'two.trn'");
    open.exec("COMMIT");
    let after = rows(&s, "shop");
    s.exec("BACKUP LOG shop TO DISK = 'three.trn'");
    for (logs, expected) in [(2, &before), (3, &after)] {
        let to = moved(&lab, "part");
        s.exec(&format!(
            "RESTORE DATABASE part FROM DISK = 'full.bak' WITH {to}, NORECOVERY, REPLACE"
        ));
        for log in ["one", "two", "three"].iter().take(logs) {
            s.exec(&format!(
                "RESTORE LOG part FROM DISK = '{log}.trn' WITH NORECOVERY"
            ));
        }
        s.exec("RESTORE DATABASE part WITH RECOVERY");
        assert_eq!(&rows(&s, "part"), expected, "{logs} logs");
    }
}

#[test]
fn a_restore_goes_on_after_the_server_was_started_again() {
    let mut lab = Lab::start();
    let to = moved(&lab, "later");
    let expected = {
        let s = Direct::new(&lab);
        shop(&s, "shop");
        s.exec("BACKUP DATABASE shop TO DISK = 'full.bak'; DELETE shop.dbo.t WHERE n < 10");
        s.exec("BACKUP LOG shop TO DISK = 'one.trn'; DELETE shop.dbo.t WHERE n > 1990");
        s.exec("BACKUP LOG shop TO DISK = 'two.trn'");
        s.exec(&format!(
            "RESTORE DATABASE later FROM DISK = 'full.bak' WITH {to}, NORECOVERY; RESTORE LOG \
             later FROM DISK = 'one.trn' WITH NORECOVERY"
        ));
        rows(&s, "shop")
    };
    lab.restart();
    let s = Direct::new(&lab);
    assert_eq!(s.errors("USE later"), [927]);
    assert_eq!(s.errors("SELECT COUNT(*) FROM later.dbo.t"), [927]);
    assert_eq!(s.errors("INSERT later.dbo.t VALUES (1)"), [927]);
    assert_eq!(s.errors("CREATE TABLE later.dbo.u (i int)"), [927]);
    assert_eq!(
        s.errors("BACKUP DATABASE later TO DISK = 'NUL'"),
        [927, 3013]
    );
    assert_eq!(s.value("SELECT DB_NAME(DB_ID('later'))"), "later");
    s.exec("RESTORE LOG later FROM DISK = 'two.trn' WITH RECOVERY");
    assert_eq!(rows(&s, "later"), expected);
    assert_eq!(
        s.errors("RESTORE DATABASE later WITH RECOVERY"),
        [3153, 3013]
    );
}

#[test]
fn a_differential_backup_has_what_changed_and_restores_over_its_base() {
    let lab = Lab::start();
    let s = Direct::new(&lab);
    shop(&s, "shop");
    assert_eq!(
        s.errors("BACKUP DATABASE shop TO DISK = 'd.bak' WITH DIFFERENTIAL"),
        [3035, 3013]
    );
    s.exec("BACKUP DATABASE shop TO DISK = 'full.bak'");
    s.exec("UPDATE shop.dbo.t SET s = 'changed' WHERE n = 5; DELETE shop.dbo.t WHERE n = 6");
    s.exec("BACKUP DATABASE shop TO DISK = 'diff.bak' WITH DIFFERENTIAL");
    s.exec("INSERT shop.dbo.t (n) VALUES (9999)");
    s.exec("BACKUP LOG shop TO DISK = 'log.trn'");
    let size = |file: &str| {
        std::fs::metadata(lab.folder.path().join(file))
            .unwrap()
            .len()
    };
    assert!(size("diff.bak") < size("full.bak"));
    let to = moved(&lab, "diff");
    s.exec(&format!(
        "RESTORE DATABASE diff FROM DISK = 'full.bak' WITH {to}, NORECOVERY; RESTORE DATABASE diff \
         FROM DISK = 'diff.bak' WITH NORECOVERY; RESTORE LOG diff FROM DISK = 'log.trn'"
    ));
    assert_eq!(rows(&s, "diff"), rows(&s, "shop"));
    // Another full backup is another base.
    s.exec("BACKUP DATABASE shop TO DISK = 'full2.bak'");
    s.exec(&format!(
        "DROP DATABASE diff; RESTORE DATABASE diff FROM DISK = 'full2.bak' WITH {to}, NORECOVERY"
    ));
    assert_eq!(
        s.errors("RESTORE DATABASE diff FROM DISK = 'diff.bak'"),
        [3136, 3013]
    );
    s.exec("DROP DATABASE diff");
    assert_eq!(
        s.value("SELECT COUNT(*) FROM sys.databases WHERE name = 'diff'"),
        "0"
    );
    assert!(!lab.folder.path().join("diff.mdf").exists());
}

#[test]
#[allow(clippy::too_many_lines, reason = "one line or two for each error")]
fn errors_have_sql_servers_numbers() {
    let lab = Lab::start();
    let s = Direct::new(&lab);
    shop(&s, "shop");
    let folder = lab.folder.path();
    s.exec("BACKUP DATABASE shop TO DISK = 'full.bak'");
    for log in ["one", "two", "three"] {
        s.exec(&format!(
            "INSERT shop.dbo.t (n) SELECT MIN(n) - 1 FROM shop.dbo.t; BACKUP LOG shop TO DISK = \
             '{log}.trn'"
        ));
    }
    std::fs::write(folder.join("junk.bak"), "no backup at all").unwrap();
    let to = moved(&lab, "new");
    let restore = |rest: &str| format!("RESTORE DATABASE new FROM {rest}");
    for (sql, numbers) in [
        (restore("DISK = 'nowhere.bak'"), &[3201, 3013][..]),
        (restore("DISK = 'junk.bak'"), &[3241, 3013]),
        (restore("DISK = 'full.bak' WITH FILE = 2"), &[4038, 3013]),
        (restore("DISK = 'full.bak'"), &[1834, 3119, 3013]),
        (
            restore("DISK = 'full.bak' WITH MOVE 'no' TO 'x'"),
            &[3234, 3013],
        ),
        (
            restore("DISK = 'full.bak' WITH MOVE 'shop' TO 'x', MOVE 'shop_log' TO 'x'"),
            &[3176, 3119, 3013],
        ),
        (
            restore("DISK = 'full.bak' WITH MOVE 'shop' TO '/no/such/x', MOVE 'shop_log' TO 'y'"),
            &[5133, 3119, 3013],
        ),
        (
            restore("DISK = 'full.bak' WITH MOVE 'shop' TO 'junk.bak', MOVE 'shop_log' TO 'y'"),
            &[3142, 3119, 3013],
        ),
        (
            restore(&format!("DISK = 'full.bak' WITH {to}, CHECKSUM")),
            &[3187, 3013],
        ),
        (
            restore(&format!(
                "DISK = 'full.bak' WITH {to}, STOPAT = '2001-01-01'"
            )),
            &[4338, 3013],
        ),
        (
            restore(&format!(
                "DISK = 'full.bak' WITH {to}, RECOVERY, NORECOVERY"
            )),
            &[3031, 3013],
        ),
        (
            restore(&format!("DISK = 'full.bak' WITH {to}, STANDBY = 'x'")),
            &[40510],
        ),
        (restore("DISK = 'one.trn'"), &[3135, 3013]),
        (
            "RESTORE LOG new FROM DISK = 'full.bak'".into(),
            &[3135, 3013],
        ),
        (
            "RESTORE LOG new FROM DISK = 'one.trn'".into(),
            &[3118, 3013],
        ),
        (
            "RESTORE LOG shop FROM DISK = 'one.trn'".into(),
            &[3117, 3013],
        ),
        ("RESTORE DATABASE new WITH RECOVERY".into(), &[911, 3013]),
        (
            "RESTORE DATABASE shop FROM DISK = 'full.bak'".into(),
            &[3159, 3013],
        ),
        (
            "RESTORE DATABASE master FROM DISK = 'full.bak'".into(),
            &[3102, 3013],
        ),
        (
            "USE shop; RESTORE DATABASE shop FROM DISK = 'full.bak' WITH REPLACE; USE master"
                .into(),
            &[3102, 3013],
        ),
        (
            "BEGIN TRAN; RESTORE DATABASE new FROM DISK = 'full.bak'".into(),
            &[3021, 3013],
        ),
        ("ROLLBACK; CREATE DATABASE new".into(), &[]),
        (restore("DISK = 'full.bak'"), &[3154, 3013]),
        ("DROP DATABASE new".into(), &[]),
        (
            restore(&format!("DISK = 'full.bak' WITH {to}, NORECOVERY")),
            &[],
        ),
        (
            "RESTORE LOG new FROM DISK = 'two.trn' WITH NORECOVERY".into(),
            &[4305, 3013],
        ),
        (
            "RESTORE LOG new FROM DISK = 'one.trn' WITH NORECOVERY".into(),
            &[],
        ),
        (
            "RESTORE LOG new FROM DISK = 'two.trn' WITH NORECOVERY".into(),
            &[],
        ),
        (
            "RESTORE LOG new FROM DISK = 'one.trn' WITH NORECOVERY".into(),
            &[4326, 3013],
        ),
        (
            "RESTORE LOG new FROM DISK = 'three.trn' WITH STOPAT = '2001-01-01'".into(),
            &[4335, 3013],
        ),
        ("ALTER DATABASE new SET RECOVERY SIMPLE".into(), &[5052]),
        ("CREATE DATABASE new".into(), &[1801]),
        ("RESTORE LOG new FROM DISK = 'three.trn'".into(), &[]),
    ] {
        assert_eq!(s.errors(&sql), numbers, "{sql}");
    }
    let other = Direct::new(&lab);
    other.exec("USE shop");
    assert_eq!(
        s.errors("RESTORE DATABASE shop FROM DISK = 'full.bak' WITH REPLACE"),
        [3101, 3013]
    );
    // Nothing was changed by any of them.
    assert_eq!(s.value("SELECT COUNT(*) FROM shop.dbo.t"), "2003");
}

#[test]
fn damage_to_a_backup_is_found_and_named() {
    let lab = Lab::start();
    let s = Direct::new(&lab);
    shop(&s, "shop");
    s.exec("BACKUP DATABASE shop TO DISK = 'full.bak'");
    s.exec("RESTORE VERIFYONLY FROM DISK = 'full.bak'");
    let path = lab.folder.path().join("full.bak");
    let whole = std::fs::read(&path).unwrap();
    let mut bytes = whole.clone();
    bytes[whole.len() / 3] ^= 1;
    std::fs::write(&path, &bytes).unwrap();
    let to = moved(&lab, "bad");
    let restore = format!("RESTORE DATABASE bad FROM DISK = 'full.bak' WITH {to}");
    assert_eq!(
        s.errors("RESTORE VERIFYONLY FROM DISK = 'full.bak'"),
        [3189, 3013]
    );
    assert_eq!(s.errors(&restore), [3189, 3013]);
    // A database that was not there before is not there now.
    assert_eq!(
        s.value("SELECT COUNT(*) FROM sys.databases WHERE name = 'bad'"),
        "0"
    );
    assert!(!lab.folder.path().join("bad.mdf").exists());
    // One that was replaced is gone, and RESTORING until a good backup comes.
    assert_eq!(
        s.errors("RESTORE DATABASE shop FROM DISK = 'full.bak' WITH REPLACE"),
        [3189, 3013]
    );
    assert_eq!(
        s.value("SELECT state FROM sys.databases WHERE name = 'shop'"),
        "1"
    );
    std::fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    assert_eq!(s.errors(&restore), [3203, 3013]);
    std::fs::write(&path, &whole).unwrap();
    s.exec("RESTORE DATABASE shop FROM DISK = 'full.bak' WITH REPLACE");
    assert_eq!(rows(&s, "shop").len(), 2000);
}

#[test]
fn restoring_over_a_database_brings_back_what_was_backed_up() {
    let lab = Lab::start();
    let s = Direct::new(&lab);
    shop(&s, "shop");
    s.exec("BACKUP DATABASE shop TO DISK = 'full.bak'");
    let before = rows(&s, "shop");
    let id = s.value("SELECT DB_ID('shop')");
    s.exec("DELETE shop.dbo.t; CREATE DATABASE other");
    s.exec("RESTORE DATABASE shop FROM DISK = 'full.bak' WITH REPLACE");
    assert_eq!(rows(&s, "shop"), before);
    assert_eq!(s.value("SELECT DB_ID('shop')"), id);
    // Also over another database, whose files go.
    let to = moved(&lab, "elsewhere");
    s.exec(&format!(
        "RESTORE DATABASE other FROM DISK = 'full.bak' WITH REPLACE, {to}"
    ));
    assert_eq!(rows(&s, "other"), before);
    assert!(!lab.folder.path().join("other.mdf").exists());
}

#[test]
fn a_log_has_the_vlfs_that_it_had_when_it_was_backed_up() {
    let lab = Lab::start();
    let s = Direct::new(&lab);
    let folder = lab.folder.path().display();
    s.exec(&format!(
        "CREATE DATABASE shop ON (NAME = shop, FILENAME = '{folder}/shop.mdf') LOG ON (NAME = \
         shop_log, FILENAME = '{folder}/shop_log.ldf', SIZE = 1MB, FILEGROWTH = 1MB)"
    ));
    // 8 growths of 1 MB: one VLF each, after the four of the first megabyte.
    for megabytes in 2..=9 {
        s.exec(&format!(
            "ALTER DATABASE shop MODIFY FILE (NAME = shop_log, SIZE = {megabytes}MB)"
        ));
    }
    let count = |name: &str| {
        s.value(&format!(
            "SELECT COUNT(*) FROM sys.dm_db_log_info(DB_ID('{name}'))"
        ))
    };
    assert_eq!(count("shop"), "12");
    s.exec("BACKUP DATABASE shop TO DISK = 'full.bak'");
    let to = moved(&lab, "copy");
    s.exec(&format!(
        "RESTORE DATABASE [copy] FROM DISK = 'full.bak' WITH {to}"
    ));
    assert_eq!(count("copy"), "12");
}
