//! The server program: accepts connections, one thread each, and answers them.

mod arguments;
mod connection;
mod faults;
mod gate;
mod injection;
mod program;
mod responder;

pub use arguments::Arguments;
pub use faults::Fault;
pub use injection::ConnectionFaults;
pub use program::{run, set_login};

use crate::instance::Instance;
use connection::Arrival;
use gate::Gate;
use labdb_tds::ServerConfig;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;

/// A listening server.
pub struct Server {
    /// The instance behind it.
    pub instance: Arc<Instance>,
    address: SocketAddr,
    acceptor: Option<JoinHandle<()>>,
}

impl Server {
    /// Listens on an address and answers connections until [`Server::stop`].
    ///
    /// # Errors
    /// When the address cannot be listened on.
    pub fn start(
        instance: Arc<Instance>,
        address: SocketAddr,
        config: ServerConfig,
    ) -> std::io::Result<Self> {
        Self::start_with(instance, address, config, ConnectionFaults::default())
    }

    /// The same with faults on purpose.
    ///
    /// # Errors
    /// When the address cannot be listened on.
    pub fn start_with(
        instance: Arc<Instance>,
        address: SocketAddr,
        config: ServerConfig,
        faults: ConnectionFaults,
    ) -> std::io::Result<Self> {
        let listener = TcpListener::bind(address)?;
        let address = listener.local_addr()?;
        *instance.listening.lock() = Some(address);
        let config = Arc::new(config);
        let shared = Arc::clone(&instance);
        let acceptor = std::thread::Builder::new()
            .name("accept".into())
            .spawn(move || accept(&listener, &shared, &config, &faults))?;
        Ok(Self {
            instance,
            address,
            acceptor: Some(acceptor),
        })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Ends all sessions and closes all databases.
    pub fn stop(mut self) {
        self.instance.stopping.store(true, Ordering::Relaxed);
        // The acceptor waits in accept(): a connection of our own lets it look at the flag.
        let _ = std::net::TcpStream::connect(self.address);
        if let Some(acceptor) = self.acceptor.take() {
            let _ = acceptor.join();
        }
        self.instance.close();
    }
}

fn accept(
    listener: &TcpListener,
    instance: &Arc<Instance>,
    config: &Arc<ServerConfig>,
    faults: &ConnectionFaults,
) {
    let gate = Gate::new(instance.options.max_connections);
    let mut number = 0_u64;
    for socket in listener.incoming() {
        if instance.stopping.load(Ordering::Relaxed) {
            return;
        }
        let socket = match socket {
            Ok(socket) => socket,
            Err(e) => {
                // Out of descriptors, most likely: wait for some to be closed.
                instance.log_error(0, &format!("A connection could not be accepted: {e}"));
                std::thread::sleep(std::time::Duration::from_millis(50));
                continue;
            }
        };
        number += 1;
        if faults.refuses(number) {
            instance.log_error(0, &format!("Connection {number} is refused on purpose."));
            continue;
        }
        let admitted = match gate.admit() {
            Ok(admitted) => admitted,
            Err(full) => {
                if full.first {
                    let most = gate.most();
                    instance.log_error(
                        0,
                        &format!(
                            "There are {most} connections: further ones are closed at once. Close \
                             some, or start labdb with a higher --max-connections."
                        ),
                    );
                }
                continue;
            }
        };
        let arrival = Arrival {
            number,
            dropped: faults.drops(number),
            admitted,
        };
        let (serving, config) = (Arc::clone(&instance.serving), Arc::clone(config));
        // Whoever connects and says nothing must not keep the instance open.
        let weak = Arc::downgrade(instance);
        let spawned = std::thread::Builder::new()
            .name("connection".into())
            .stack_size(8 << 20)
            .spawn(move || connection::serve(socket, arrival, &serving, &weak, &config));
        if let Err(e) = spawned {
            instance.log_error(
                0,
                &format!("A thread for a connection could not be started: {e}"),
            );
        }
    }
}
