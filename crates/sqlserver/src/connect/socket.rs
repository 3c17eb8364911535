//! What a connection asks of TCP.

use socket2::{SockRef, TcpKeepalive};
use std::io;
use std::time::Duration;
use tokio::net::TcpStream;

/// A connection on which nothing came for so long is asked whether the other side is still there.
const IDLE: Duration = Duration::from_secs(30);
/// It is asked again after so long,
#[cfg(unix)]
const INTERVAL: Duration = Duration::from_secs(5);
/// so many times, before it counts as lost: one minute in all.
#[cfg(unix)]
const TIMES: u32 = 6;
/// What was sent and is not acknowledged for so long is lost, and the connection with it.
#[cfg(target_os = "linux")]
const UNACKNOWLEDGED: Duration = Duration::from_mins(1);

/// Sends small packets at once, and notices within a minute that the other side's machine is gone
/// without a word (switched off, its network cut). A server that is merely slow is waited for: its
/// machine's TCP answers.
///
/// # Errors
/// The operating system takes no such option.
pub(crate) fn prepare(stream: &TcpStream) -> io::Result<()> {
    // A commit is one small packet and its answer: waiting to fill one costs a delay.
    stream.set_nodelay(true)?;
    let socket = SockRef::from(stream);
    let alive = TcpKeepalive::new().with_time(IDLE);
    #[cfg(unix)]
    let alive = alive.with_interval(INTERVAL).with_retries(TIMES);
    socket.set_tcp_keepalive(&alive)?;
    #[cfg(target_os = "linux")]
    socket.set_tcp_user_timeout(Some(UNACKNOWLEDGED))?;
    Ok(())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::prepare;
    use socket2::SockRef;
    use std::time::Duration;

    #[test]
    fn a_machine_that_is_gone_is_noticed_within_a_minute() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_io()
            .build()
            .expect("a runtime");
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
                .await
                .expect("a port");
            let address = listener.local_addr().expect("its address");
            let stream = tokio::net::TcpStream::connect(address)
                .await
                .expect("connected");
            prepare(&stream).expect("options that Linux has");
            let socket = SockRef::from(&stream);
            assert!(socket.keepalive().expect("read") && stream.nodelay().expect("read"));
            let asked = socket.tcp_keepalive_interval().expect("read")
                * socket.tcp_keepalive_retries().expect("read");
            let idle = socket.tcp_keepalive_time().expect("read");
            assert_eq!(idle + asked, Duration::from_mins(1));
            let unacknowledged = socket.tcp_user_timeout().expect("read");
            assert_eq!(unacknowledged, Some(Duration::from_mins(1)));
        });
    }
}
