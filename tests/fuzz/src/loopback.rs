//! A conversation over a real socket whose client has said all it will say.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::time::Duration;

/// Sends everything, ends the input, and reads until the server closes: how many bytes came.
///
/// # Panics
/// Where the server neither answers nor closes for 15 seconds: it hangs.
#[must_use]
pub fn talk(address: SocketAddr, bytes: &[u8]) -> u64 {
    let mut socket = TcpStream::connect(address).expect("the server listens");
    socket
        .set_read_timeout(Some(Duration::from_secs(15)))
        .expect("a socket has timeouts");
    let mut sender = socket.try_clone().expect("a file descriptor");
    let mut answer = 0;
    std::thread::scope(|scope| {
        scope.spawn(move || {
            // The server may close before it has read everything.
            let _ = sender.write_all(bytes);
            let _ = sender.shutdown(Shutdown::Write);
        });
        let mut chunk = [0; 16 << 10];
        loop {
            match socket.read(&mut chunk) {
                Ok(0) => break,
                Ok(read) => answer += read as u64,
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {
                    panic!("the server hangs: no answer and no end for 15 seconds");
                }
                Err(_) => break,
            }
        }
        // No TIME_WAIT: thousands of connections a second would use up the ports.
        let _ = rustix::net::sockopt::set_socket_linger(&socket, Some(Duration::ZERO));
    });
    answer
}
