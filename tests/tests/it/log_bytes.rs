//! Log bytes are the truth: the counters against arithmetic and against what the operating system
//! saw.

use crate::programs::{DATABASE, round_of, setup_outcome};
use integration_tests::{Labdb, program, run_with_input};
use records::Round;
use std::process::{Command, Stdio};

fn round_with(server: &Labdb, model: &str, workers: u64, rows: u64) -> Round {
    let mut stream = setup_outcome(server, &["--recovery", model])
        .success()
        .stdout;
    let (workers, rows) = (workers.to_string(), rows.to_string());
    for (name, arguments) in [
        ("snapshot", vec![]),
        ("loadgen", vec!["--workers", &workers, "--rows", &rows]),
        ("snapshot", vec!["--checkpoint"]),
        ("diff", vec![]),
    ] {
        stream = run_with_input(server.program(name).args(arguments), &stream)
            .success()
            .stdout;
    }
    round_of(&stream)
}

const N: i64 = 500;

#[test]
fn one_connection_writes_one_sector_a_commit() {
    let server = Labdb::start();
    for model in ["full", "simple"] {
        let round = round_with(&server, model, 1, 500);
        let bytes = round.log_bytes_written.expect("bytes");
        assert!(
            (N * 512..=N * 512 * 11 / 10).contains(&bytes),
            "{model}: {bytes} for {N} commits"
        );
        let writes = round.log_writes.expect("writes");
        assert!(
            (N..=N * 11 / 10).contains(&writes),
            "{model}: {writes} writes for {N} commits"
        );
        assert_eq!(round.writelog_waits.map(|waits| waits >= N), Some(true));
    }
}

#[test]
fn the_counters_are_what_the_system_saw_written_to_the_log_file() {
    if Command::new("strace")
        .arg("-V")
        .stdout(Stdio::null())
        .status()
        .is_err()
    {
        eprintln!("skipped: there is no strace");
        return;
    }
    let server = Labdb::start();
    setup_outcome(&server, &["--recovery", "full"]).success();
    let stream = setup_outcome(&server, &["--recovery", "full"])
        .success()
        .stdout;
    let log_file = server.data_folder().join(format!("{DATABASE}_log.ldf"));
    assert!(log_file.is_file(), "{}", log_file.display());
    let trace = tempfile::NamedTempFile::new().expect("a file");
    let before = run_with_input(&mut server.program("snapshot"), &stream)
        .success()
        .stdout;
    // -y shows each descriptor's path; the kinds of call that can write to a file.
    let mut strace = Command::new("strace")
        .args([
            "-f",
            "-y",
            "-e",
            "trace=write,writev,pwrite64,pwritev,pwritev2",
            "-o",
        ])
        .arg(trace.path())
        .args(["-p", &server.process_id().to_string()])
        .stderr(Stdio::null())
        .spawn()
        .expect("strace starts");
    wait_until_traced(server.process_id());
    let load = run_with_input(
        server
            .program("loadgen")
            .args(["--workers", "16", "--rows", "100"]),
        &before,
    )
    .success()
    .stdout;
    let after = run_with_input(&mut server.program("snapshot"), &load)
        .success()
        .stdout;
    Command::new("kill")
        .arg(strace.id().to_string())
        .status()
        .expect("kill");
    strace.wait().expect("strace ends");
    let round = round_of(
        &run_with_input(&mut program("diff"), &after)
            .success()
            .stdout,
    );

    let text = std::fs::read_to_string(trace.path()).expect("the trace");
    let name = log_file
        .file_name()
        .expect("a name")
        .to_string_lossy()
        .into_owned();
    let (writes, bytes) = traced_writes(&text, &name);
    assert!(writes > 0, "strace saw no write");
    let counted = round.log_bytes_written.expect("bytes");
    assert!(
        (counted - bytes).abs() * 100 <= bytes,
        "counted {counted}, the system saw {bytes}"
    );
    let counted = round.log_writes.expect("writes");
    assert!(
        (counted - writes).abs() * 100 <= writes,
        "counted {counted} writes, the system saw {writes}"
    );
}

fn wait_until_traced(process: u32) {
    for _ in 0..500 {
        let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
        if status
            .lines()
            .any(|line| line.starts_with("TracerPid:") && !line.ends_with("\t0"))
        {
            // Threads are attached one after the other; give the last one its turn.
            std::thread::sleep(std::time::Duration::from_millis(200));
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    panic!("strace could not attach");
}

/// Writes and bytes that went to the file, from strace's lines (`pwrite64(7</path>, …) = 512`,
/// also where a call was interrupted and resumed).
fn traced_writes(text: &str, file_name: &str) -> (i64, i64) {
    let mut unfinished = std::collections::HashSet::new();
    let (mut writes, mut bytes) = (0, 0);
    for line in text.lines() {
        let thread = line.split_whitespace().next().unwrap_or_default();
        let names_file = line.contains(&format!("{file_name}>"));
        if names_file && line.ends_with("<unfinished ...>") {
            unfinished.insert(thread.to_owned());
            continue;
        }
        let resumed = line.contains("resumed>") && unfinished.remove(thread);
        if (names_file || resumed)
            && let Some((_, result)) = line.rsplit_once(" = ")
            && let Ok(count) = result
                .split_whitespace()
                .next()
                .unwrap_or_default()
                .parse::<i64>()
            && count > 0
        {
            writes += 1;
            bytes += count;
        }
    }
    (writes, bytes)
}
