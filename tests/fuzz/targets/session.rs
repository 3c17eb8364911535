//! A whole server: bytes of a client in, answers out, and then it still serves.
#![no_main]

use fuzz::engine::{Engine, writes_elsewhere};
use fuzz::{conversation, loopback};
use labdb::server::Server;
use labdb_tds::{ProgramVersion, ServerConfig};
use libfuzzer_sys::fuzz_target;
use std::cell::RefCell;
use std::sync::Arc;

/// Inputs leave tables and databases behind: then it begins anew.
const INPUTS_PER_ENGINE: u32 = 2_000;

struct Running {
    engine: Engine,
    server: Option<Server>,
    inputs: u32,
}

impl Running {
    fn start() -> Self {
        let engine = Engine::start();
        let version = ProgramVersion {
            major: 16,
            minor: 0,
            build: 1000,
        };
        let config = ServerConfig::new("fuzzed", version);
        let address = "127.0.0.1:0".parse().expect("an address");
        let server = Server::start(Arc::clone(&engine.instance), address, config).expect("a port");
        Self {
            engine,
            server: Some(server),
            inputs: 0,
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(server) = self.server.take() {
            server.stop();
        }
    }
}

thread_local! {
    static RUNNING: RefCell<Option<Running>> = const { RefCell::new(None) };
}

fuzz_target!(
    init: fuzz::write_seeds(&conversation::seeds()),
    |data: &[u8]| {
        let bytes = conversation::bytes(data);
        let plain: Vec<u8> = bytes.iter().copied().filter(|byte| *byte != 0).collect();
        if writes_elsewhere(&String::from_utf8_lossy(&plain)) {
            return;
        }
        RUNNING.with_borrow_mut(|running| {
            let running = running.get_or_insert_with(Running::start);
            running.inputs += 1;
            if running.inputs > INPUTS_PER_ENGINE {
                *running = Running::start();
            }
            if let Some(server) = &running.server {
                let _ = loopback::talk(server.address(), &bytes);
            }
            assert!(running.engine.instance.sessions().len() < 50, "sessions do not end");
        });
    }
);
