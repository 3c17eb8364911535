//! The error log, trace flags, and zeroing that costs what it costs.

use super::direct::Direct;
use super::harness::Lab;

fn lines(s: &Direct, filter: &str) -> Vec<String> {
    s.exec(&format!("EXEC sp_readerrorlog 0, 1, N'{filter}'"))
        .column("Text")
}

#[test]
fn zeroing_is_told_under_two_trace_flags_only() {
    let lab = Lab::start();
    let s = Direct::new(&lab);
    s.exec("CREATE DATABASE quiet");
    s.exec("DBCC TRACEON (3004, -1) WITH NO_INFOMSGS; CREATE DATABASE half");
    assert!(lines(&s, "Zeroing").is_empty());
    s.exec("DBCC TRACEON (3605, -1)");
    let status = s.exec("DBCC TRACESTATUS (3004, 3605, 1806)");
    assert_eq!(status.column("Status"), ["1", "1", "0"]);
    assert_eq!(status.column("Global"), ["1", "1", "0"]);
    assert_eq!(status.column("Session"), ["0", "0", "0"]);
    s.exec("CREATE DATABASE told");
    let folder = lab.folder.path().display();
    let zeroing = lines(&s, "Zeroing");
    let shapes: Vec<&str> = zeroing
        .iter()
        .map(|l| l.split(" (elapsed").next().unwrap())
        .collect();
    assert_eq!(
        shapes,
        [
            format!("Zeroing {folder}/told.mdf from page 0 to 1024 (0x0 to 0x800000)"),
            format!("Zeroing completed on {folder}/told.mdf"),
            format!("Zeroing {folder}/told_log.ldf from page 0 to 1024 (0x0 to 0x800000)"),
            format!("Zeroing completed on {folder}/told_log.ldf"),
        ]
    );
    assert!(zeroing[1].ends_with(" ms)"));
    // A growth tells of the part that is new.
    s.exec("ALTER DATABASE told MODIFY FILE (NAME = told_log, SIZE = 12MB)");
    assert_eq!(
        lines(&s, "from page 1024")[0],
        format!("Zeroing {folder}/told_log.ldf from page 1024 to 1536 (0x800000 to 0xc00000)")
    );
    s.exec("DBCC TRACEOFF (3004, 3605, -1); CREATE DATABASE again");
    assert_eq!(lines(&s, "Zeroing").len(), 6);
    assert!(s.exec("DBCC TRACESTATUS (-1)").rows.is_empty());
}

#[test]
fn a_flag_of_a_session_is_that_sessions() {
    let lab = Lab::start();
    let s = Direct::new(&lab);
    s.exec("DBCC TRACEON (3004, 3605)");
    let mut other = lab.connect();
    assert_eq!(
        other.rows("DBCC TRACESTATUS (3004)")[0].get::<i16, _>("Status"),
        Some(0)
    );
    other.exec("CREATE DATABASE theirs");
    assert!(lines(&s, "Zeroing").is_empty());
    s.exec("CREATE DATABASE mine");
    assert_eq!(lines(&s, "Zeroing").len(), 4);
    s.exec("DBCC TRACEOFF (3004, 3605)");
}

#[test]
fn the_phases_of_a_restore_come_in_order() {
    let lab = Lab::start();
    let s = Direct::new(&lab);
    s.exec("CREATE DATABASE d");
    s.exec("BACKUP DATABASE d TO DISK = 'd.bak'; DBCC TRACEON (3004, 3605, -1)");
    s.exec("RESTORE DATABASE d FROM DISK = 'd.bak' WITH REPLACE; DBCC TRACEOFF (3004, 3605, -1)");
    let all = s.exec("EXEC sp_readerrorlog").column("Text");
    let mut from = 0;
    for phase in [
        "Restore(d): RESTORE DATABASE started",
        "Restore(d): Preparing containers",
        "Zeroing ",
        "Zeroing completed on ",
        "Restore(d): Containers are ready",
        "Restore(d): Data transfer is complete",
        "Zeroing ",
        "Zeroing completed on ",
        "Restore(d): Log zeroing is complete",
        "Restore(d): Offline roll-forward begins",
        "Restore(d): Offline roll-forward is complete",
        "Starting up database 'd'.",
        "Restore is complete on database 'd'. The database is now available.",
        "Restore(d): RESTORE DATABASE finished",
        "Database was restored: Database: d, creation date(time): ",
    ] {
        let found = all[from..].iter().position(|l| l.starts_with(phase));
        from += found.unwrap_or_else(|| panic!("{phase} is not after line {from}: {all:#?}"));
    }
}

#[test]
fn a_restore_writes_every_byte_of_the_data_file_unless_initialization_is_instant() {
    for instant in [false, true] {
        let lab = Lab::start_with(|o| o.storage.instant_file_initialization = instant);
        let s = Direct::new(&lab);
        let folder = lab.folder.path().display();
        s.exec(&format!(
            "CREATE DATABASE d ON (NAME = d, FILENAME = '{folder}/d.mdf', SIZE = 40MB) LOG ON \
             (NAME = d_log, FILENAME = '{folder}/d.ldf', SIZE = 24MB)"
        ));
        s.exec("BACKUP DATABASE d TO DISK = 'd.bak'");
        // What the process hands to the system; the disk's own counters would depend on its cache.
        let written = || {
            let io = std::fs::read_to_string("/proc/thread-self/io").unwrap();
            let line = io.lines().find(|l| l.starts_with("wchar: ")).unwrap();
            line[7..].parse::<u64>().unwrap()
        };
        let before = written();
        s.exec("RESTORE DATABASE d FROM DISK = 'd.bak' WITH REPLACE");
        let bytes = written() - before;
        let size = std::fs::metadata(lab.folder.path().join("d.mdf"))
            .unwrap()
            .len();
        assert_eq!(size, 40 << 20);
        let least = if instant { 24 << 20 } else { 64 << 20 };
        assert!(
            (least..least + (8 << 20)).contains(&bytes),
            "instant {instant}: {bytes} bytes"
        );
        let shown = if instant { "Y" } else { "N" };
        assert_eq!(
            s.value("SELECT instant_file_initialization_enabled FROM sys.dm_server_services"),
            shown
        );
        let word = if instant { "enabled" } else { "disabled" };
        assert_eq!(
            lines(
                &s,
                &format!("Database Instant File Initialization: {word}. For security")
            )
            .len(),
            1
        );
    }
}

#[test]
fn readers_filter_by_log_texts_time_and_order() {
    let lab = Lab::start();
    let s = Direct::new(&lab);
    for text in ["alpha one", "beta one", "alpha two"] {
        s.exec(&format!("RAISERROR ('{text}', 10, 1) WITH LOG"));
        std::thread::sleep(std::time::Duration::from_millis(30));
    }
    let read = |arguments: &str| {
        let answer = s.exec(&format!("EXEC xp_readerrorlog {arguments}"));
        answer.column("Text")
    };
    assert_eq!(read("0, 1, N'alpha'").len(), 2);
    assert_eq!(read("0, 1, N'ALPHA', N'two'").len(), 1);
    let both = read("0, 1, N'one', NULL, NULL, NULL, N'desc'");
    assert!(
        both[0].contains("beta one") && both[1].contains("alpha one"),
        "{both:?}"
    );
    let times = s.exec("EXEC xp_readerrorlog 0, 1, N'beta one'");
    assert_eq!(
        times
            .columns
            .iter()
            .map(|c| c.name.as_str())
            .collect::<Vec<_>>(),
        ["LogDate", "ProcessInfo", "Text"]
    );
    let process = times.column("ProcessInfo");
    assert!(process[0].starts_with("spid"), "{process:?}");
    let at = s.value("SELECT CONVERT(varchar(30), GETDATE(), 126)");
    assert!(read(&format!("0, 1, N'alpha', NULL, '{at}'")).is_empty());
    assert_eq!(
        read(&format!("0, 1, N'alpha', NULL, NULL, '{at}'")).len(),
        2
    );
    s.exec("EXEC sp_cycle_errorlog");
    assert!(read("0, 1, N'alpha'").is_empty());
    assert_eq!(read("1, 1, N'alpha'").len(), 2);
    assert_eq!(s.errors("EXEC xp_readerrorlog 5"), [22004]);
    assert_eq!(s.errors("EXEC xp_readerrorlog 0, 2"), [22004]);
}
