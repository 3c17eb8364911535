//! What connections may cost before and without a log-in.

use crate::process::Server;
use std::io::{ErrorKind, Read};

#[test]
fn one_session_too_many_is_told_17809_and_may_come_when_another_has_left() {
    let server = Server::start(&["--max-connections", "3"]);
    let mut sessions: Vec<_> = (0..3).map(|_| server.connect()).collect();
    let Err(refused) = server.try_connect() else {
        panic!("a fourth session");
    };
    assert_eq!(refused.code(), Some(17809), "{refused}");
    sessions.pop();
    let began = std::time::Instant::now();
    while server.try_connect().is_err() {
        assert!(began.elapsed().as_secs() < 60, "no place came free");
    }
}

#[test]
fn connections_that_say_nothing_are_bounded_and_good_ones_come_back_when_they_end() {
    let server = Server::start(&["--max-connections", "3"]);
    let mut first = server.connect();
    let before = server.memory("VmRSS");
    let silent: Vec<_> = (0..80).map(|_| server.socket()).collect();
    // 3 and 64 have a place, the session among them: those behind are closed at once.
    let mut closed = 0;
    for mut socket in &silent[66..] {
        let mut byte = [0];
        match socket.read(&mut byte) {
            Ok(0) => closed += 1,
            Err(error) if error.kind() == ErrorKind::ConnectionReset => closed += 1,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(closed, 14);
    assert_eq!(first.number("1"), 1, "who is in stays in");
    let grown = server.memory("VmRSS").saturating_sub(before);
    assert!(grown < 32, "{grown} MB for 66 silent connections");
    drop(silent);
    let began = std::time::Instant::now();
    while server.try_connect().is_err() {
        assert!(began.elapsed().as_secs() < 60, "no place came free");
    }
    let log = std::fs::read_to_string(server.data().join("errorlog")).unwrap();
    assert_eq!(log.matches("further ones are closed at once").count(), 1);
}

#[test]
fn an_address_that_other_machines_reach_is_warned_of() {
    let open = Server::start(&["--listen", "0.0.0.0:0"]);
    assert!(open.said().contains("warning: other machines can connect"));
    let loopback = Server::start(&["--listen", "127.0.0.1:0"]);
    assert!(!loopback.said().contains("warning"), "{}", loopback.said());
}

#[test]
fn it_listens_on_loopback_unless_told_otherwise() {
    use clap::Parser as _;
    let usual = labdb::server::Arguments::parse_from(["labdb", "--data", "x"]);
    assert!(usual.listen.ip().is_loopback());
}

#[test]
fn a_login_name_writes_no_lines_of_its_own_into_the_error_log() {
    let server = Server::start(&[]);
    let forged = "y\n2026-01-01 00:00:00.00 Server      forged";
    assert!(server.try_connect_as(forged, "wrong").is_err());
    let log = std::fs::read_to_string(server.data().join("errorlog")).unwrap();
    let line = log.lines().find(|line| line.contains("forged")).unwrap();
    assert!(line.contains("Login failed for user 'y?2026"), "{line}");
}
