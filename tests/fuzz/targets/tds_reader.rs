//! The protocol reader: PRELOGIN, TLS in packets, LOGIN7, and every kind of request.
#![no_main]

use fuzz::{conversation, loopback};
use labdb_tds::{
    Connection, Done, Encryption, Identity, LoginReply, ProgramVersion, ServerConfig, self_signed,
};
use libfuzzer_sys::fuzz_target;
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, OnceLock};

fn server() -> SocketAddr {
    static ADDRESS: OnceLock<SocketAddr> = OnceLock::new();
    *ADDRESS.get_or_init(|| {
        let made = self_signed(&["localhost"]).expect("a certificate");
        let identity = Identity::from_pem(
            made.certificate_pem.as_bytes(),
            made.private_key_pem.as_bytes(),
        )
        .expect("an identity");
        let version = ProgramVersion {
            major: 16,
            minor: 0,
            build: 1000,
        };
        let config =
            ServerConfig::new("fuzzed", version).with_encryption(Encryption::Optional, identity);
        let config = Arc::new(config);
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        std::thread::spawn(move || {
            for socket in listener.incoming().flatten() {
                // Its end, good or bad, is the answer.
                let _ = serve(socket, &config);
            }
        });
        address
    })
}

fn serve(socket: std::net::TcpStream, config: &ServerConfig) -> labdb_tds::Result<()> {
    let (mut connection, login) = Connection::accept(socket, config)?;
    let _ = format!("{login:?}");
    connection.login_ok(&LoginReply::new("master"))?;
    while let Some(request) = connection.next_request()? {
        let _ = format!("{request:?}");
        let mut response = connection.response();
        let _ = response.attention_pending();
        response.statement_done(&Done::default())?;
        response.finish()?;
    }
    Ok(())
}

fuzz_target!(
    init: fuzz::write_seeds(&conversation::seeds()),
    |data: &[u8]| {
        let _ = loopback::talk(server(), &conversation::bytes(data));
    }
);
