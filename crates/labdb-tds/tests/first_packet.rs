//! A client that encrypts the first packet of its LOGIN7 and sends the others in the clear, as some
//! do where only the log-in is to be encrypted.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod server;
mod session;

use labdb_tds::{Encryption, Security};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore};
use server::{Server, encrypting, just_done};
use session::{login, packet, session};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

/// The payload of the next packet.
fn read_packet(socket: &mut TcpStream) -> Vec<u8> {
    let mut header = [0; 8];
    socket.read_exact(&mut header).unwrap();
    let length = usize::from(u16::from_be_bytes([header[2], header[3]]));
    let mut payload = vec![0; length - 8];
    socket.read_exact(&mut payload).unwrap();
    payload
}

fn client(certificate: &str) -> ClientConnection {
    let mut roots = RootCertStore::empty();
    let certificate = CertificateDer::from_pem_slice(certificate.as_bytes()).unwrap();
    roots.add(certificate).unwrap();
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&rustls::version::TLS12])
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    ClientConnection::new(Arc::new(config), ServerName::try_from("localhost").unwrap()).unwrap()
}

fn records(tls: &mut ClientConnection) -> Vec<u8> {
    let mut out = Vec::new();
    while tls.wants_write() {
        tls.write_tls(&mut out).unwrap();
    }
    out
}

#[test]
fn the_rest_of_a_log_in_may_follow_in_the_clear() {
    let (config, certificate) = encrypting(Encryption::Optional);
    let server = Server::start(config, just_done);
    let mut socket = TcpStream::connect(server.address).unwrap();
    socket.set_nodelay(true).unwrap();
    socket
        .set_read_timeout(Some(Duration::from_mins(1)))
        .unwrap();
    // PRELOGIN that asks for nothing more than an encrypted log-in.
    let mut prelogin = session().remove(0);
    *prelogin.last_mut().unwrap() = 0;
    socket.write_all(&prelogin).unwrap();
    read_packet(&mut socket);
    let mut tls = client(&certificate);
    while tls.is_handshaking() {
        let flight = records(&mut tls);
        if !flight.is_empty() {
            socket.write_all(&packet(0x12, &flight)).unwrap();
        }
        if tls.is_handshaking() {
            let answer = read_packet(&mut socket);
            tls.read_tls(&mut answer.as_slice()).unwrap();
            tls.process_new_packets().unwrap();
        }
    }
    let last = records(&mut tls);
    if !last.is_empty() {
        socket.write_all(&packet(0x12, &last)).unwrap();
    }
    let whole = login();
    let (first, rest) = whole[8..].split_at(60);
    let mut first = packet(0x10, first);
    first[1] = 0;
    tls.writer().write_all(&first).unwrap();
    let mut both = records(&mut tls);
    both.extend_from_slice(&packet(0x10, rest));
    socket.write_all(&both).unwrap();
    let (login, security) = server.logins.recv().unwrap().unwrap();
    assert_eq!((login.user.as_str(), security), ("sa", Security::LoginOnly));
    // The answer is in the clear: ENVCHANGE of the database first.
    assert_eq!(read_packet(&mut socket)[0], 0xE3);
}
