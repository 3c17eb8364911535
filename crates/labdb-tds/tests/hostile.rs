//! Bytes that no client should send: the connection ends, the server does not.

mod server;

use labdb_tds::{Error, Limits};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use server::{Server, just_done, plain};
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

fn packet(kind: u8, payload: &[u8]) -> Vec<u8> {
    let [high, low] = u16::try_from(payload.len() + 8).unwrap().to_be_bytes();
    let mut packet = vec![kind, 1, high, low, 0, 0, 1, 0];
    packet.extend_from_slice(payload);
    packet
}

fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

/// LOGIN7 of "sa" with the right password.
fn login() -> Vec<u8> {
    let password: Vec<u8> = utf16(server::PASSWORD)
        .iter()
        .map(|byte| byte.rotate_left(4) ^ 0xA5)
        .collect();
    let fields = [
        utf16("host"),
        utf16("sa"),
        password,
        utf16("app"),
        utf16("server"),
        Vec::new(),
        utf16("lib"),
        Vec::new(),
        utf16("master"),
    ];
    let mut fixed = vec![0; 36];
    fixed[4..8].copy_from_slice(&0x7400_0004_u32.to_le_bytes());
    fixed[8..12].copy_from_slice(&4096_u32.to_le_bytes());
    let mut data = Vec::new();
    for field in fields {
        fixed.extend_from_slice(&u16::try_from(94 + data.len()).unwrap().to_le_bytes());
        fixed.extend_from_slice(&u16::try_from(field.len() / 2).unwrap().to_le_bytes());
        data.extend_from_slice(&field);
    }
    fixed.resize(94, 0);
    fixed.extend_from_slice(&data);
    let length = u32::try_from(fixed.len()).unwrap();
    fixed[0..4].copy_from_slice(&length.to_le_bytes());
    packet(0x10, &fixed)
}

const HEADERS: [u8; 22] = [
    22, 0, 0, 0, 18, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0,
];

fn session() -> Vec<Vec<u8>> {
    let prelogin = [0, 0, 11, 0, 6, 1, 0, 17, 0, 1, 0xFF, 11, 0, 12, 56, 0, 0, 2];
    let batch = [HEADERS.as_slice(), &utf16("SELECT 1")].concat();
    // sp_executesql with an nvarchar, an nvarchar(max) in chunks, a decimal and a variant.
    let mut rpc = [HEADERS.as_slice(), &[0xFF, 0xFF, 10, 0, 0, 0]].concat();
    rpc.extend_from_slice(&[0, 0, 0xE7, 40, 0, 9, 4, 0xD0, 0, 0x34, 2, 0, b'x', 0]);
    rpc.extend_from_slice(&[0, 0, 0xE7, 0xFF, 0xFF, 9, 4, 0xD0, 0, 0x34]);
    rpc.extend_from_slice(&[
        4, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, b'a', 0, b'b', 0, 0, 0, 0, 0,
    ]);
    rpc.extend_from_slice(&[0, 1, 0x6A, 5, 9, 2, 5, 1, 0x39, 0x30, 0, 0]);
    rpc.extend_from_slice(&[
        0, 0, 0x62, 0x49, 0x1F, 0, 0, 6, 0, 0, 0, 0x38, 0, 1, 2, 3, 4,
    ]);
    let transaction = [HEADERS.as_slice(), &[5, 0, 2, 0]].concat();
    vec![
        packet(0x12, &prelogin),
        login(),
        packet(1, &batch),
        packet(3, &rpc),
        packet(0x0E, &transaction),
        packet(6, &[]),
    ]
}

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
        let mut part = packet(1, &[0; 16_000]);
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
    let mut part = packet(0x10, &[0; 32_000]);
    part[1] = 0;
    talk(&server, &part.repeat(5));
    let end = server.ends.recv().unwrap();
    assert!(
        matches!(end, Err(Error::MessageTooLarge { limit: 131_072 })),
        "{end:?}"
    );
}
