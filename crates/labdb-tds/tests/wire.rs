//! What a client sees on the wire, byte for byte.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod server;
mod session;

use labdb_tds::{Connection, Done, EnvChange, Request, RequestBody, Reset, Result};
use labdb_types::{Column, Length, SqlType, Value};
use server::{Server, just_done, plain};
use session::{HEADERS, packet, session, utf16};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// A logged-in connection; what the server said so far was read.
fn logged_in(server: &Server) -> TcpStream {
    let mut socket = TcpStream::connect(server.address).unwrap();
    socket.set_nodelay(true).unwrap();
    let limit = Some(Duration::from_mins(1));
    socket.set_read_timeout(limit).unwrap();
    for message in &session()[..2] {
        socket.write_all(message).unwrap();
        read_packet(&mut socket);
    }
    socket
}

/// The next packet: its status and payload.
fn read_packet(socket: &mut TcpStream) -> (u8, Vec<u8>) {
    let mut header = [0; 8];
    socket.read_exact(&mut header).unwrap();
    assert_eq!(header[0], 4);
    let length = usize::from(u16::from_be_bytes([header[2], header[3]]));
    let mut payload = vec![0; length - 8];
    socket.read_exact(&mut payload).unwrap();
    (header[1], payload)
}

fn batch(text: &str) -> Vec<u8> {
    packet(1, &[HEADERS.as_slice(), &utf16(text)].concat())
}

const END: u8 = 1;
const PLAIN_DONE: [u8; 13] = [0xFD, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
const ERROR_DONE: [u8; 13] = [0xFD, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
const ATTENTION_DONE: [u8; 13] = [0xFD, 0x20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];

#[test]
fn a_result_set_is_that_of_the_specifications_example() {
    let server = Server::start(plain(), |connection, _| {
        let mut response = connection.response();
        let mut column = Column::new("bar", SqlType::VarChar(Length::Limited(3)));
        column.nullable = false;
        response.columns(&[column])?;
        response.row(&[Value::text("foo")])?;
        response.statement_done(&Done {
            rows: Some(1),
            command: 0xC1,
            ..Done::default()
        })?;
        response.finish()
    });
    let mut socket = logged_in(&server);
    socket.write_all(&batch("select 'foo' as 'bar'")).unwrap();
    // [MS-TDS] 4.5, but for the flag that says that the column is computed.
    let expected = [
        0x81, 1, 0, 0, 0, 0, 0, 8, 0, 0xA7, 3, 0, 9, 4, 0xD0, 0, 0x34, 3, b'b', 0, b'a', 0, b'r',
        0, 0xD1, 3, 0, b'f', b'o', b'o', 0xFD, 0x10, 0, 0xC1, 0, 1, 0, 0, 0, 0, 0, 0, 0,
    ];
    assert_eq!(read_packet(&mut socket), (END, expected.to_vec()));
}

fn until_attention(connection: &mut Connection, request: &Request) -> Result<()> {
    let mut response = connection.response();
    if request.body == RequestBody::Batch("wait".into()) {
        while !response.attention_pending()? {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
    response.finish()
}

#[test]
fn an_attention_is_acknowledged_in_a_message_of_its_own() {
    let server = Server::start(plain(), until_attention);
    let mut socket = logged_in(&server);
    let attention = packet(6, &[]);
    socket.write_all(&batch("wait")).unwrap();
    socket.write_all(&attention).unwrap();
    assert_eq!(read_packet(&mut socket), (END, ERROR_DONE.to_vec()));
    assert_eq!(read_packet(&mut socket), (END, ATTENTION_DONE.to_vec()));
    // One that comes too late is acknowledged too, and in the right order.
    let both = [batch("x"), attention, batch("x")].concat();
    socket.write_all(&both).unwrap();
    assert_eq!(read_packet(&mut socket), (END, PLAIN_DONE.to_vec()));
    assert_eq!(read_packet(&mut socket), (END, ATTENTION_DONE.to_vec()));
    assert_eq!(read_packet(&mut socket), (END, PLAIN_DONE.to_vec()));
}

#[test]
fn a_request_taken_back_half_way_does_not_run() {
    let server = Server::start(plain(), just_done);
    let mut socket = logged_in(&server);
    let mut half = batch("x");
    half[1] = 0;
    // An attention in its midst.
    socket
        .write_all(&[half.clone(), packet(6, &[])].concat())
        .unwrap();
    assert_eq!(read_packet(&mut socket), (END, ATTENTION_DONE.to_vec()));
    // The ignore flag on its last packet, then a request that does run.
    let mut last = packet(1, &[]);
    last[1] = 3;
    socket
        .write_all(&[half, last, batch("y")].concat())
        .unwrap();
    assert_eq!(read_packet(&mut socket), (END, ERROR_DONE.to_vec()));
    assert_eq!(read_packet(&mut socket), (END, PLAIN_DONE.to_vec()));
}

#[test]
fn the_flag_that_more_follows_is_on_all_ends_but_the_last() {
    let server = Server::start(plain(), |connection, _| {
        let mut response = connection.response();
        for rows in [1, 2] {
            response.statement_done(&Done {
                rows: Some(rows),
                in_transaction: true,
                ..Done::default()
            })?;
        }
        response.begin_procedure();
        response.statement_done(&Done::default())?;
        response.return_status(-6)?;
        response.end_procedure(&Done {
            error: true,
            ..Done::default()
        })?;
        response.finish()
    });
    let mut socket = logged_in(&server);
    socket.write_all(&batch("x")).unwrap();
    let (_, payload) = read_packet(&mut socket);
    // DONE with more, in transaction, count; DONEINPROC with more; RETURNSTATUS; DONEPROC, error.
    let mut expected = vec![0xFD, 0x15, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0];
    expected.extend_from_slice(&[0xFD, 0x15, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0]);
    expected.extend_from_slice(&[0xFF, 0x01, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    expected.extend_from_slice(&[0x79, 0xFA, 255, 255, 255]);
    expected.extend_from_slice(&[0xFE, 0x02, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(payload, expected);
}

#[test]
fn a_pool_that_resets_the_session_is_told_when_it_is_done() {
    let server = Server::start(plain(), |connection, request| {
        let mut response = connection.response();
        match request.reset {
            Reset::Keep => {}
            Reset::Session => response.env_change(&EnvChange::ResetDone)?,
            Reset::SessionKeepTransaction => {
                response.env_change(&EnvChange::Database {
                    new: "b".into(),
                    old: "a".into(),
                })?;
            }
        }
        response.finish()
    });
    let mut socket = logged_in(&server);
    let reset_done = [0xE3, 3, 0, 18, 0, 0];
    let database = [0xE3, 7, 0, 1, 1, b'b', 0, 1, b'a', 0];
    for (status, token) in [(1, [].as_slice()), (9, &reset_done), (0x11, &database)] {
        let mut message = batch("x");
        message[1] = status;
        socket.write_all(&message).unwrap();
        let expected = [token, &PLAIN_DONE].concat();
        assert_eq!(read_packet(&mut socket), (END, expected));
    }
}

#[test]
fn a_response_is_sent_early_when_it_is_flushed() {
    let server = Server::start(plain(), |connection, request| {
        let mut response = connection.response();
        response.return_status(1)?;
        response.flush()?;
        if request.body == RequestBody::Batch("wait".into()) {
            while !response.attention_pending()? {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        response.finish()
    });
    let mut socket = logged_in(&server);
    socket.write_all(&batch("wait")).unwrap();
    assert_eq!(read_packet(&mut socket), (0, vec![0x79, 1, 0, 0, 0]));
    socket.write_all(&packet(6, &[])).unwrap();
    assert_eq!(read_packet(&mut socket), (END, ERROR_DONE.to_vec()));
}
