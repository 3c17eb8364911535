//! The real program against a server whose behaviour the test knows.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of the tests, too"
)]

mod double;

use double::{Double, Fault, Script, WAIT_MS};
use records::{Load, Record, Validity};
use std::io::Write;
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

fn loadgen(server: &Double, arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_loadgen"));
    command
        .args([
            "-S",
            &server.server(),
            "-U",
            "sa",
            "-N",
            "disable",
            "-d",
            "lab",
        ])
        .args(arguments.split(' '))
        .env_clear()
        .env("SQLCMDPASSWORD", "secret of the test")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn finish(mut child: Child, input: &[u8]) -> Output {
    // A program that does not read on closes the pipe.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

fn run(server: &Double, arguments: &str) -> Output {
    finish(loadgen(server, arguments).spawn().unwrap(), b"")
}

fn records(output: &Output) -> Vec<Record> {
    let text = std::str::from_utf8(&output.stdout).unwrap();
    assert!(!text.contains("secret of the test"));
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn load(output: &Output) -> Load {
    let Some(Record::Load(load)) = records(output).pop() else {
        panic!("no load: {output:?}");
    };
    *load
}

fn error(output: &Output) -> records::ErrorRecord {
    let Some(Record::Error(error)) = records(output).pop() else {
        panic!("no error: {output:?}");
    };
    *error
}

fn reason_codes(load: &Load) -> Vec<&str> {
    load.reasons
        .iter()
        .map(|reason| reason.code.as_str())
        .filter(|code| *code != "client_bound")
        .collect()
}

#[test]
fn what_it_counts_is_what_the_server_received() {
    let server = Double::start(Script::default());
    let output = run(&server, "--workers 5 --rows 40");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let load = load(&output);
    assert_eq!(load.validity, Validity::Valid);
    assert_eq!(reason_codes(&load), [""; 0]);
    assert_eq!(server.counts.received.load(Ordering::SeqCst), 200);
    assert_eq!((load.transactions, load.rows), (200, Some(200)));
    assert_eq!(load.latency.unwrap().count, 200);
    assert_eq!(load.workers.len(), 5);
    for (at, worker) in load.workers.iter().enumerate() {
        assert_eq!(usize::try_from(worker.worker).unwrap(), at + 1);
        assert_eq!(worker.transactions, 40);
        assert!(worker.start_ms >= 0.0 && worker.start_ms <= worker.end_ms);
        assert!(worker.end_ms <= load.elapsed_ms);
    }
    assert!(load.workers.iter().any(|worker| worker.start_ms == 0.0));
}

#[test]
fn every_worker_is_connected_and_prepared_before_the_first_statement() {
    let server = Double::start(Script::default());
    let output = run(&server, "--workers 24 --rows 1");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(server.counts.prepared_at_first.load(Ordering::SeqCst), 24);
}

#[test]
fn the_sessions_waits_are_what_was_added_inside_each_session() {
    let server = Double::start(Script::default());
    let load = load(&run(&server, "--workers 3 --rows 11"));
    let waits = load.waits.unwrap();
    assert_eq!(waits.len(), 1, "what did not grow is not there: {waits:?}");
    assert_eq!(waits[0].wait_type, "WRITELOG");
    assert_eq!(
        (
            waits[0].waiting_tasks,
            waits[0].wait_ms,
            waits[0].signal_wait_ms
        ),
        (33, 33 * WAIT_MS, 33)
    );
    for worker in load.workers {
        assert_eq!(worker.waits.unwrap()[0].waiting_tasks, 11);
    }
}

#[test]
fn the_log_is_flushed_once_after_the_last_transaction_and_outside_the_clock() {
    let flush_takes = Duration::from_millis(300);
    let server = Double::start(Script {
        flush_takes,
        ..Script::default()
    });
    let unasked = load(&run(&server, "--workers 3 --rows 5"));
    assert_eq!(unasked.flush_ms, None);
    assert_eq!(server.counts.flushes.load(Ordering::SeqCst), 0);
    let load = load(&run(&server, "--workers 3 --rows 5 --flush-log"));
    assert_eq!(load.validity, Validity::Valid, "{:?}", load.reasons);
    assert_eq!(server.counts.flushes.load(Ordering::SeqCst), 1);
    assert_eq!(server.counts.received_at_flush.load(Ordering::SeqCst), 30);
    assert!(load.flush_ms.unwrap() >= 300.0, "{:?}", load.flush_ms);
    for worker in &load.workers {
        assert!(worker.end_ms <= load.elapsed_ms);
    }
    // The flush's wait is its own session's.
    assert_eq!(load.waits.unwrap()[0].waiting_tasks, 15);
}

#[test]
fn a_flush_that_does_not_return_one_makes_the_round_invalid() {
    let server = Double::start(Script {
        flush_fails: true,
        ..Script::default()
    });
    let output = run(&server, "--workers 2 --rows 5 --flush-log");
    assert_eq!(output.status.code(), Some(8), "{output:?}");
    let load = load(&output);
    assert_eq!(load.flush_ms, None);
    assert_eq!(reason_codes(&load), ["flush_failed"]);
}

#[test]
fn without_permission_the_waits_are_null_with_the_reason_and_the_round_is_good() {
    let server = Double::start(Script {
        no_waits: true,
        ..Script::default()
    });
    let output = run(&server, "--workers 2 --rows 2");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let load = load(&output);
    assert_eq!((load.validity, load.waits), (Validity::Valid, None));
    let reason = load.waits_unavailable.unwrap();
    assert!(reason.contains("VIEW SERVER PERFORMANCE STATE"), "{reason}");
}

#[test]
fn no_latency_is_below_the_time_that_the_server_is_known_to_take() {
    let delay = Duration::from_millis(20);
    let server = Double::start(Script {
        delay,
        ..Script::default()
    });
    let load = load(&run(&server, "--workers 2 --rows 15"));
    let latency = load.latency.unwrap();
    // Three digits: a value may be shown up to one part in a thousand too low.
    let known_us = 19_980;
    assert!(latency.min_us >= known_us, "{latency:?}");
    assert!(latency.p50_us >= latency.min_us && latency.max_us >= latency.p99_us);
    assert!(load.elapsed_ms >= 15.0 * 20.0, "{}", load.elapsed_ms);
    // The closed loop's own identity: with one worker's transactions back to back, their
    // latencies add up to the worker's time.
    let sum_ms = latency.mean_us * 30.0 / 1_000.0;
    let workers_ms: f64 = load
        .workers
        .iter()
        .map(|worker| worker.end_ms - worker.start_ms)
        .sum();
    assert!(
        (sum_ms - workers_ms).abs() <= 0.01 * workers_ms,
        "{sum_ms} {workers_ms}"
    );
}

#[test]
fn several_rows_make_one_transaction_and_one_round_trip() {
    let server = Double::start(Script::default());
    let load = load(&run(
        &server,
        "--workers 2 --rows 30 --rows-per-transaction 10",
    ));
    assert_eq!(load.validity, Validity::Valid, "{:?}", load.reasons);
    assert_eq!((load.transactions, load.rows), (6, Some(60)));
    assert_eq!(server.counts.received.load(Ordering::SeqCst), 6);
    assert_eq!(server.counts.rows.load(Ordering::SeqCst), 60);
}

#[test]
fn all_rows_in_one_statement_are_one_transaction_of_each_worker() {
    let server = Double::start(Script::default());
    let load = load(&run(&server, "--workers 2 --rows 500 --single-statement"));
    assert_eq!(load.validity, Validity::Valid, "{:?}", load.reasons);
    assert_eq!((load.transactions, load.rows), (2, Some(1_000)));
    assert_eq!(server.counts.received.load(Ordering::SeqCst), 2);
}

#[test]
fn a_run_by_time_lasts_that_long_and_counts_what_it_did() {
    let server = Double::start(Script {
        delay: Duration::from_millis(5),
        ..Script::default()
    });
    let load = load(&run(&server, "--workers 2 --duration 300ms"));
    assert_eq!(load.validity, Validity::Valid, "{:?}", load.reasons);
    assert!(load.elapsed_ms >= 290.0, "{}", load.elapsed_ms);
    assert_eq!(
        load.transactions,
        server.counts.received.load(Ordering::SeqCst)
    );
    assert_eq!(
        (load.shape.duration_ms, load.shape.rows_per_worker),
        (Some(300), None)
    );
}

#[test]
fn an_error_at_the_nth_transaction_makes_the_round_invalid_and_is_not_retried() {
    for (number, severity, code) in [
        (1205, 13, "deadlock"),
        (9002, 17, "log_full"),
        (547, 16, "sql_error"),
    ] {
        let server = Double::start(Script {
            fault: Some((30, Fault::Error(number, severity))),
            ..Script::default()
        });
        let output = run(&server, "--workers 3 --rows 100000");
        assert_eq!(output.status.code(), Some(8), "{output:?}");
        let load = load(&output);
        assert_eq!(load.validity, Validity::Invalid);
        assert_eq!(reason_codes(&load), [code]);
        assert!(load.reasons[0].detail.contains(&number.to_string()));
        assert_eq!(load.errors.len(), 1);
        assert_eq!(load.errors[0].number, Some(number.unsigned_abs()));
        assert_eq!(load.errors[0].count, 1);
        let received = server.counts.received.load(Ordering::SeqCst);
        assert_eq!(load.transactions, received - 1, "all but the failed one");
        assert!(received < 50_000, "the other workers stopped early");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains(&number.to_string()), "{said}");
    }
}

#[test]
fn a_lost_connection_makes_the_round_invalid_and_its_waits_null() {
    for fault in [Fault::Drop, Fault::DropAfterInsert] {
        let server = Double::start(Script {
            fault: Some((20, fault)),
            ..Script::default()
        });
        let output = run(&server, "--workers 2 --rows 100000");
        assert_eq!(output.status.code(), Some(8), "{output:?}");
        let load = load(&output);
        assert_eq!(reason_codes(&load), ["connection_lost"]);
        assert_eq!(load.errors[0].number, None);
        assert_eq!(load.waits, None);
        assert!(load.waits_unavailable.unwrap().contains("lost"));
    }
}

#[test]
fn an_error_in_the_very_first_transaction_is_no_round_at_all() {
    let server = Double::start(Script {
        fault: Some((1, Fault::Error(208, 16))),
        ..Script::default()
    });
    let output = run(&server, "--workers 1 --rows 5");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert_eq!(error(&output).sql_error, Some(208));
    assert_eq!(records(&output).len(), 1);
}

#[test]
fn rows_that_are_not_its_own_make_the_round_invalid() {
    let server = Double::start(Script {
        strangers_rows: 1,
        ..Script::default()
    });
    let output = run(&server, "--workers 2 --rows 5");
    assert_eq!(output.status.code(), Some(8), "{output:?}");
    let load = load(&output);
    assert_eq!(reason_codes(&load), ["rows_mismatch"]);
    assert!(
        load.reasons[0].detail.contains("grew by 11 rows"),
        "{:?}",
        load.reasons
    );
}

#[test]
fn a_refused_log_in_fails_before_anything_is_inserted() {
    // The first log-in is the look before the run.
    let server = Double::start(Script {
        refuse_after: Some(4),
        ..Script::default()
    });
    let output = run(&server, "--workers 8 --rows 5");
    assert_eq!(output.status.code(), Some(5), "{output:?}");
    assert_eq!(error(&output).code, records::FailureCode::NoConnection);
    assert_eq!(server.counts.received.load(Ordering::SeqCst), 0);
}

#[test]
fn a_database_without_the_mark_is_not_written_to_unless_its_name_is_repeated() {
    let server = Double::start(Script {
        unmarked: true,
        ..Script::default()
    });
    for arguments in ["--workers 1 --rows 1", "--workers 1 --rows 1 --adopt other"] {
        let output = run(&server, arguments);
        assert_eq!(output.status.code(), Some(7), "{output:?}");
        assert_eq!(error(&output).code, records::FailureCode::NotOurs);
    }
    assert_eq!(server.counts.received.load(Ordering::SeqCst), 0);
    let output = run(&server, "--workers 1 --rows 1 --adopt lab");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

#[test]
fn what_came_in_goes_out_byte_for_byte_before_the_own_record() {
    let server = Double::start(Script::default());
    let input = b"{\"kind\":\"of a later version\",\"schema\":1,  \"x\" : 1e3}\r\n\n";
    let child = loadgen(&server, "--workers 1 --rows 1").spawn().unwrap();
    let output = finish(child, input);
    assert!(output.stdout.starts_with(input), "{output:?}");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

#[test]
fn nothing_is_opened_before_the_input_ends() {
    let server = Double::start(Script::default());
    let child = loadgen(&server, "--workers 1 --rows 1").spawn().unwrap();
    std::thread::sleep(Duration::from_millis(150));
    assert_eq!(server.counts.logins.load(Ordering::SeqCst), 0);
    let output = finish(child, b"");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(server.counts.logins.load(Ordering::SeqCst) > 1);
}

#[test]
fn an_error_upstream_means_that_no_connection_is_made() {
    let server = Double::start(Script::default());
    let failure = records::Failure::new(records::FailureCode::Failed, "of the test");
    let record = records::ErrorRecord::new(records::Header::now("setup-db"), &failure);
    let mut line = serde_json::to_vec(&Record::Error(Box::new(record))).unwrap();
    line.push(b'\n');
    let child = loadgen(&server, "--workers 1 --rows 1").spawn().unwrap();
    let output = finish(child, &line);
    assert_eq!(output.status.code(), Some(4), "{output:?}");
    assert!(output.stdout.starts_with(&line));
    assert_eq!(server.counts.logins.load(Ordering::SeqCst), 0);
}

/// Waits for a number to be reached, or fails.
fn wait_until(what: impl Fn() -> bool) {
    let start = Instant::now();
    while !what() {
        assert!(start.elapsed() < Duration::from_mins(1), "waited in vain");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn signal(child: &Child, signal: rustix::process::Signal) {
    let pid = rustix::process::Pid::from_child(child);
    rustix::process::kill_process(pid, signal).unwrap();
}

#[test]
fn an_interrupt_writes_what_was_measured_marked_partial() {
    for ending in [rustix::process::Signal::INT, rustix::process::Signal::TERM] {
        let server = Double::start(Script {
            delay: Duration::from_millis(2),
            ..Script::default()
        });
        let mut child = loadgen(&server, "--workers 3 --rows 5000 --deadline 30s")
            .spawn()
            .unwrap();
        drop(child.stdin.take());
        wait_until(|| server.counts.received.load(Ordering::SeqCst) > 50);
        signal(&child, ending);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(130), "{output:?}");
        let load = load(&output);
        assert_eq!(load.validity, Validity::Partial);
        assert_eq!(reason_codes(&load), ["interrupted"]);
        assert_eq!(
            load.transactions,
            server.counts.received.load(Ordering::SeqCst),
            "statements under way are finished"
        );
        assert!(load.waits.is_some());
    }
}

#[test]
fn an_interrupt_while_the_input_is_open_lets_the_input_through() {
    let server = Double::start(Script::default());
    let child = loadgen(&server, "--workers 1 --rows 1").spawn().unwrap();
    let mut stdin = child.stdin.as_ref().unwrap();
    stdin.write_all(b"\n").unwrap();
    // The blank line comes back once the program has its signal handlers and reads.
    let mut child = child;
    let mut echoed = [0_u8; 1];
    std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut echoed).unwrap();
    signal(&child, rustix::process::Signal::INT);
    std::thread::sleep(Duration::from_millis(50));
    let line = b"{\"kind\":\"of a later version\",\"schema\":1}\n";
    let output = finish(child, line);
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    assert!(output.stdout.starts_with(line), "{output:?}");
    assert_eq!(server.counts.logins.load(Ordering::SeqCst), 0);
}

#[test]
fn a_second_interrupt_ends_it_at_once() {
    let server = Double::start(Script {
        fault: Some((20, Fault::Silence)),
        ..Script::default()
    });
    let mut child = loadgen(&server, "--workers 2 --rows 1000000 --deadline 30s")
        .spawn()
        .unwrap();
    drop(child.stdin.take());
    wait_until(|| server.counts.received.load(Ordering::SeqCst) > 50);
    signal(&child, rustix::process::Signal::INT);
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(child.try_wait().unwrap(), None, "an answer is waited for");
    signal(&child, rustix::process::Signal::INT);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    assert_eq!(output.stdout, b"");
}

#[test]
fn a_server_that_stops_answering_ends_with_the_deadline_and_not_never() {
    let server = Double::start(Script {
        fault: Some((20, Fault::Silence)),
        ..Script::default()
    });
    let output = run(&server, "--workers 2 --rows 300 --deadline 2s");
    assert_eq!(output.status.code(), Some(8), "{output:?}");
    let load = load(&output);
    assert_eq!(load.validity, Validity::Invalid);
    assert_eq!(reason_codes(&load), ["no_answer", "deadline"]);
}
