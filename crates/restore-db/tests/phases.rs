//! The phases of a restore, out of lines as versions of SQL Server write them.
#![allow(clippy::unwrap_used, reason = "a test's helper may fail the test")]

use jiff::civil::date;
use restore_db::phases::{Expected, LogLine, phases};

/// `05.210 text`: a line at second 5.21 of a minute.
fn log(text: &str) -> Vec<LogLine> {
    text.lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .map(|line| {
            let (time, text) = line.split_once(' ').unwrap();
            let (second, milliseconds) = time.split_once('.').unwrap();
            let nanoseconds = milliseconds.parse::<i32>().unwrap() * 1_000_000;
            LogLine {
                at: date(2026, 11, 30).at(23, 59, second.parse().unwrap(), nanoseconds),
                text: text.to_owned(),
            }
        })
        .collect()
}

fn expected(data: &str, log: &str) -> Expected {
    Expected {
        database: "Lab".to_owned(),
        data_files: vec![data.to_owned()],
        log_files: vec![log.to_owned()],
    }
}

#[test]
fn lines_of_2014_where_data_and_log_are_zeroed_at_once() {
    let lines = log(r"
        01.000 RestoreDatabase: Database lab
        01.010 Restore: BeginRestore (offline) on lab
        01.100 Restore: PreparingContainers
        01.120 Zeroing F:\DATA\lab.mdf from page 1 to 15872 (0x2000 to 0x7c00000)
        01.130 Zeroing F:\DATA\lab_log.ldf from page 1 to 8192 (0x2000 to 0x4000000)
        02.130 Zeroing completed on F:\DATA\lab_log.ldf
        03.120 Zeroing completed on F:\DATA\lab.mdf
        03.170 Restore: Containers are ready
        03.200 Restore: Restoring backup set
        03.210 Restore: Transferring data to lab
        04.000 Restore: Waiting for log zero on lab
        04.010 Restore: LogZero complete
        04.050 Restore: Data transfer complete on lab
        04.100 Restore: Backup set restored
        04.140 Restore-Redo begins on database lab
        04.900 Restore: Database is restarted
        04.950 RestoreDatabase: Finished
    ");
    let got = phases(
        &lines,
        &expected(r"f:\data\LAB.mdf", r"F:\DATA\lab_log.ldf"),
    );
    assert_eq!(got.missing, Vec::<String>::new());
    // 2,070 ms of containers, of which 2,000 with zeroing.
    assert_eq!(got.create_ms, Some(70.0));
    assert_eq!(got.zero_data_ms, Some(2000.0));
    assert_eq!(got.zero_log_ms, Some(1000.0));
    assert_eq!(got.copy_ms, Some(790.0));
    assert_eq!(got.recover_ms, Some(800.0));
}

const OF_2022: &str = "
    10.000 DBCC TRACEON 3004,3605, server process ID (SPID) 51.
    10.010 Restore(lab): RESTORE DATABASE started
    10.020 Restore(lab): Beginning OFFLINE restore
    10.030 Restore(lab): Preparing containers
    10.040 Zeroing /d/lab.mdf from page 0 to 8192 (0x0 to 0x4000000)
    10.540 Zeroing completed on /d/lab.mdf (elapsed = 503 ms)
    10.560 Restore(lab): Containers are ready
    10.570 Restore(lab): Transferring data
    10.650 Restore(lab): Data transfer is complete
    10.650 Restore(lab): Waiting for log zeroing to complete
    10.660 Zeroing /d/lab_log.ldf from page 0 to 4096 (0x0 to 0x2000000)
    10.900 Zeroing completed on /d/lab_log.ldf (elapsed = 241 ms)
    10.910 Restore(lab): Log zeroing is complete
    10.920 Restore(lab): Backup set is restored
    10.920 Restore(lab): Offline roll-forward begins
    10.980 Restore(lab): Transitioning database to ONLINE
    11.000 Restore(lab): Database is restarted
    11.010 Restore(lab): RESTORE DATABASE finished";

#[test]
fn lines_of_2022_with_times_of_their_own() {
    let got = phases(&log(OF_2022), &expected("/d/lab.mdf", "/d/lab_log.ldf"));
    assert_eq!(got.missing, Vec::<String>::new());
    assert_eq!(got.create_ms, Some(30.0));
    assert_eq!(got.zero_data_ms, Some(503.0));
    assert_eq!(got.copy_ms, Some(80.0));
    assert_eq!(got.zero_log_ms, Some(241.0));
    assert_eq!(got.recover_ms, Some(80.0));
}

#[test]
fn only_the_last_restore_counts_and_lines_on_other_databases_do_not() {
    let other = OF_2022.replace("lab", "other");
    let twice = format!("{}\n{other}\n{OF_2022}", OF_2022.replace("10.", "01."));
    let once = phases(&log(OF_2022), &expected("/d/lab.mdf", "/d/lab_log.ldf"));
    assert_eq!(
        phases(&log(&twice), &expected("/d/lab.mdf", "/d/lab_log.ldf")),
        once
    );
}

/// The lines that do not hold a text.
fn without(text: &str) -> String {
    let lines: Vec<&str> = OF_2022
        .lines()
        .filter(|line| !line.contains(text))
        .collect();
    lines.join("\n")
}

#[test]
fn no_zeroing_of_data_is_0_only_where_the_other_lines_are_there() {
    let instant = without("lab.mdf");
    let files = expected("/d/lab.mdf", "/d/lab_log.ldf");
    let got = phases(&log(&instant), &files);
    assert_eq!(got.zero_data_ms, Some(0.0));
    assert_eq!(got.create_ms, Some(530.0));

    let nothing = phases(&log("01.000 Starting up database 'lab'."), &files);
    assert_eq!(nothing.zero_data_ms, None);
    assert_eq!(nothing.recover_ms, None);
    assert_eq!(nothing.missing.len(), 5, "{:?}", nothing.missing);
}

#[test]
fn an_unfinished_zeroing_and_a_clock_that_went_back_are_no_numbers() {
    let files = expected("/d/lab.mdf", "/d/lab_log.ldf");
    let cut = without("completed on /d/lab_log");
    let got = phases(&log(&cut), &files);
    assert_eq!((got.zero_log_ms, got.zero_data_ms), (None, Some(503.0)));
    let back = OF_2022.replace(
        "11.000 Restore(lab): Database",
        "09.000 Restore(lab): Database",
    );
    let got = phases(&log(&back), &files);
    assert_eq!(got.recover_ms, None);
    assert!(got.missing[0].contains("clock"), "{:?}", got.missing);
}
