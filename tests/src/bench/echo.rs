//! What round trips cost without a database: a bare TCP echo, and the sizes of the messages that
//! it must have to be comparable.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Barrier};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// The bytes of one transaction's messages, headers of the protocol included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Exchange {
    pub(super) request: usize,
    pub(super) answer: usize,
}

/// Answers every request of so many bytes with so many bytes, a thread a connection, until
/// standard input ends. Its port is the first line of standard output.
///
/// # Panics
/// Where there is no port, or the sizes are no numbers.
pub fn serve_echo(request: &str, answer: &str) {
    let bytes = |text: &str| text.parse::<usize>().expect("a number of bytes");
    let (request, answer) = (bytes(request), bytes(answer));
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    println!("{}", listener.local_addr().expect("an address").port());
    std::thread::spawn(move || {
        for socket in listener.incoming() {
            let mut socket = socket.expect("a connection");
            std::thread::spawn(move || {
                socket.set_nodelay(true).expect("no delay");
                let (mut request, answer) = (vec![0; request], vec![0; answer]);
                while socket.read_exact(&mut request).is_ok() && socket.write_all(&answer).is_ok() {
                }
            });
        }
    });
    let _ = std::io::stdin().read_to_end(&mut Vec::new());
}

/// Round trips a second of so many connections to an echo in another process. The client is of the
/// load generator's kind: an event loop a core, each with its share of the connections.
pub(super) fn echoes_per_second(exchange: Exchange, connections: usize, lasting: Duration) -> f64 {
    let mut server = EchoServer::start(exchange);
    let threads = std::thread::available_parallelism()
        .map_or(1, usize::from)
        .min(connections);
    let gate = Arc::new(Barrier::new(threads + 1));
    let loops: Vec<_> = (0..threads)
        .map(|index| {
            let mine = (index..connections).step_by(threads).count();
            let (gate, address) = (Arc::clone(&gate), server.address);
            std::thread::spawn(move || echo_loop(address, exchange, mine, lasting, &gate))
        })
        .collect();
    gate.wait();
    let begun = Instant::now();
    let trips: u32 = loops
        .into_iter()
        .map(|thread| thread.join().expect("an event loop"))
        .sum();
    let rate = f64::from(trips) / begun.elapsed().as_secs_f64();
    server.stop();
    rate
}

fn echo_loop(
    address: SocketAddr,
    exchange: Exchange,
    connections: usize,
    lasting: Duration,
    gate: &Barrier,
) -> u32 {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("an event loop");
    runtime.block_on(async {
        let mut sockets = Vec::new();
        for _ in 0..connections {
            let socket = tokio::net::TcpStream::connect(address).await;
            let socket = socket.expect("a connection");
            socket.set_nodelay(true).expect("no delay");
            sockets.push(socket);
        }
        gate.wait();
        let tasks: Vec<_> = sockets
            .into_iter()
            .map(|socket| tokio::spawn(echo_task(socket, exchange, lasting)))
            .collect();
        let mut trips = 0;
        for task in tasks {
            trips += task.await.expect("round trips");
        }
        trips
    })
}

async fn echo_task(
    mut socket: tokio::net::TcpStream,
    exchange: Exchange,
    lasting: Duration,
) -> u32 {
    // More room than an answer needs: a read that fills its buffer makes the event loop ask the
    // system once more, in vain.
    let (request, mut buffer) = (vec![0; exchange.request], vec![0; 4096]);
    let begun = Instant::now();
    let mut trips = 0;
    while begun.elapsed() < lasting {
        socket.write_all(&request).await.expect("asked");
        let mut missing = exchange.answer;
        while missing > 0 {
            let read = socket.read(&mut buffer).await.expect("answered");
            assert!(read > 0, "the echo went away");
            missing -= read;
        }
        trips += 1;
    }
    trips
}

/// The echo in a process of its own, as labdb is.
struct EchoServer {
    process: Child,
    address: SocketAddr,
}

impl EchoServer {
    fn start(exchange: Exchange) -> Self {
        let own = std::env::current_exe().expect("this program's path");
        let mut process = Command::new(own)
            .arg("echo-server")
            .args([exchange.request.to_string(), exchange.answer.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the echo starts");
        let mut port = String::new();
        BufReader::new(process.stdout.take().expect("its output"))
            .read_line(&mut port)
            .expect("its port");
        let port: u16 = port.trim().parse().expect("a port");
        Self {
            process,
            address: ([127, 0, 0, 1], port).into(),
        }
    }

    fn stop(&mut self) {
        drop(self.process.stdin.take());
        self.process.wait().expect("the echo ends");
    }
}

/// Passes everything on to a server and counts the bytes.
pub(super) struct CountingProxy {
    pub(super) port: u16,
    to_server: Arc<AtomicU64>,
    to_client: Arc<AtomicU64>,
}

impl CountingProxy {
    pub(super) fn start(server: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let proxy = Self {
            port: listener.local_addr().expect("an address").port(),
            to_server: Arc::default(),
            to_client: Arc::default(),
        };
        let counts = (Arc::clone(&proxy.to_server), Arc::clone(&proxy.to_client));
        std::thread::spawn(move || {
            for client in listener.incoming() {
                let client = client.expect("a client");
                let server = TcpStream::connect(server).expect("the server");
                pass_on(&client, &server, Arc::clone(&counts.0));
                pass_on(&server, &client, Arc::clone(&counts.1));
            }
        });
        proxy
    }

    /// Bytes so far to the server and to the client.
    pub(super) fn counts(&self) -> [u64; 2] {
        [&self.to_server, &self.to_client].map(|count| count.load(Ordering::SeqCst))
    }
}

fn pass_on(from: &TcpStream, to: &TcpStream, count: Arc<AtomicU64>) {
    let mut from = from.try_clone().expect("a handle");
    let mut to = to.try_clone().expect("a handle");
    to.set_nodelay(true).expect("no delay");
    std::thread::spawn(move || {
        let mut buffer = vec![0; 64 << 10];
        while let Ok(length @ 1..) = from.read(&mut buffer) {
            count.fetch_add(length as u64, Ordering::SeqCst);
            if to.write_all(&buffer[..length]).is_err() {
                break;
            }
        }
        let _ = to.shutdown(std::net::Shutdown::Both);
    });
}
