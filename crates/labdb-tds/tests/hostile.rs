//! Bytes that no client should send: the connection ends, the server does not.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod server;
mod session;

use labdb_tds::{Encryption, Error, Limits};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use server::{Server, encrypting, just_done, plain};
use session::{packet, session};
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

/// Sends bytes, ends the input, and reads what comes until the server closes.
fn talk(server: &Server, bytes: &[u8]) -> Vec<u8> {
    let mut socket = TcpStream::connect(server.address).unwrap();
    let limit = Some(Duration::from_mins(1));
    socket.set_read_timeout(limit).unwrap();
    // The server may have closed already.
    let _ = socket.write_all(bytes);
    let _ = socket.shutdown(Shutdown::Write);
    let mut answer = Vec::new();
    let _ = socket.read_to_end(&mut answer);
    answer
}

#[test]
fn the_hand_made_session_is_a_good_one() {
    let server = Server::start(plain(), just_done);
    let answer = talk(&server, &session().concat());
    assert!(server.ends.recv().unwrap().is_ok());
    // The last answer acknowledges the attention: DONE with 0x20.
    let done = &answer[answer.len() - 13..];
    assert_eq!(done, [0xFD, 0x20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
}

#[test]
fn mutated_and_cut_sessions_end_without_harm() {
    let server = Server::start(plain(), just_done);
    let good = session();
    let mut random = StdRng::seed_from_u64(20_260_101);
    for round in 0..3000 {
        let mut messages = good.clone();
        // Most rounds keep the log-in whole, so that they reach the requests.
        let first = if round % 4 == 0 { 0 } else { 2 };
        let mutated = random.random_range(first..messages.len());
        let message = &mut messages[mutated];
        for _ in 0..random.random_range(1..4) {
            let at = random.random_range(0..message.len());
            message[at] = match random.random_range(0..3) {
                0 => 0xFF,
                1 => 0,
                _ => random.random(),
            };
        }
        let mut bytes = messages.concat();
        if round % 3 == 0 {
            bytes.truncate(random.random_range(0..bytes.len()));
        }
        talk(&server, &bytes);
        let end = server.ends.recv_timeout(Duration::from_mins(1));
        assert!(
            end.is_ok(),
            "round {round}: the connection's thread died or hangs"
        );
    }
}

#[test]
fn random_bytes_end_without_harm() {
    let server = Server::start(plain(), just_done);
    let mut random = StdRng::seed_from_u64(7);
    for round in 0..500 {
        let mut bytes = vec![0; random.random_range(0..2000)];
        random.fill(bytes.as_mut_slice());
        talk(&server, &bytes);
        let end = server.ends.recv_timeout(Duration::from_mins(1));
        assert!(matches!(end, Ok(Err(_))), "round {round}: {end:?}");
    }
}

#[test]
fn broken_tls_handshakes_end_without_harm() {
    let (config, _) = encrypting(Encryption::Optional);
    let server = Server::start(config, just_done);
    let mut random = StdRng::seed_from_u64(11);
    for round in 0..300 {
        let mut noise = vec![0; random.random_range(1..600)];
        random.fill(noise.as_mut_slice());
        // A TLS handshake record of the noise's length, or one that promises more.
        let promised = noise.len() + round % 3;
        let [high, low] = u16::try_from(promised).unwrap().to_be_bytes();
        let record = [&[0x16, 3, 1, high, low], noise.as_slice()].concat();
        let bytes = if round % 2 == 0 {
            let mut prelogin = session()[0].clone();
            // The ENCRYPTION option: on.
            *prelogin.last_mut().unwrap() = 1;
            [prelogin, packet(0x12, &record)].concat()
        } else {
            record
        };
        talk(&server, &bytes);
        let end = server.ends.recv_timeout(Duration::from_mins(1));
        assert!(matches!(end, Ok(Err(_))), "round {round}: {end:?}");
    }
}

#[test]
fn a_half_log_in_is_cut_off_at_its_deadline() {
    let mut config = plain();
    config.limits = Limits {
        login_time: Duration::from_millis(200),
        ..Limits::default()
    };
    let server = Server::start(config, just_done);
    let mut socket = TcpStream::connect(server.address).unwrap();
    socket.write_all(&session()[0]).unwrap();
    socket.write_all(&session()[1][..50]).unwrap();
    let end = server.ends.recv_timeout(Duration::from_mins(1)).unwrap();
    assert!(matches!(end, Err(Error::TimedOut("its log-in"))), "{end:?}");
}

#[test]
fn a_half_request_is_cut_off_but_a_pause_between_requests_is_not() {
    let mut config = plain();
    config.limits = Limits {
        message_time: Duration::from_millis(200),
        ..Limits::default()
    };
    let server = Server::start(config, just_done);
    let mut socket = TcpStream::connect(server.address).unwrap();
    let messages = session();
    socket.write_all(&messages[..3].concat()).unwrap();
    assert!(
        server
            .ends
            .recv_timeout(Duration::from_millis(600))
            .is_err()
    );
    socket.write_all(&messages[2][..20]).unwrap();
    let end = server.ends.recv_timeout(Duration::from_mins(1)).unwrap();
    assert!(
        matches!(end, Err(Error::TimedOut("the rest of a request"))),
        "{end:?}"
    );
}

#[test]
fn a_request_beyond_the_limit_ends_the_connection_with_an_error_that_says_so() {
    let mut config = plain();
    config.limits = Limits {
        message_bytes: 100_000,
        ..Limits::default()
    };
    let server = Server::start(config, just_done);
    let messages = session();
    let mut bytes = messages[..2].concat();
    for _ in 0..8 {
        let mut part = packet(1, &vec![0; 16_000]);
        part[1] = 0;
        bytes.extend_from_slice(&part);
    }
    talk(&server, &bytes);
    let end = server.ends.recv().unwrap();
    assert!(
        matches!(end, Err(Error::MessageTooLarge { limit: 100_000 })),
        "{end:?}"
    );
}

#[test]
fn a_log_in_beyond_128_kib_is_refused() {
    let server = Server::start(plain(), just_done);
    let mut part = packet(0x10, &vec![0; 32_000]);
    part[1] = 0;
    talk(&server, &part.repeat(5));
    let end = server.ends.recv().unwrap();
    assert!(
        matches!(end, Err(Error::MessageTooLarge { limit: 131_072 })),
        "{end:?}"
    );
}
