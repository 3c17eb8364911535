//! The socket with or without TLS: bytes in, bytes out, deadlines, and a look without waiting.

use super::buffer::ReceiveBuffer;
use super::tls::TlsLayer;
use crate::{Error, Result};
use rustix::net::RecvFlags;
use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

const RECEIVE_BYTES: usize = 16 << 10;

pub(crate) struct Transport {
    pub(super) socket: TcpStream,
    /// Decrypted bytes for the packet layer.
    pub(super) received: ReceiveBuffer,
    pub(super) tls: Option<Box<TlsLayer>>,
    deadline: Option<Instant>,
    /// Until the log-in is done, the deadline is the log-in's and message deadlines do not apply.
    in_login: bool,
    socket_has_timeout: bool,
}

/// Whether a read may wait.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wait {
    Yes,
    No,
}

impl Transport {
    pub(crate) fn new(
        socket: TcpStream,
        write_time: Duration,
        login_time: Duration,
    ) -> Result<Self> {
        socket.set_nodelay(true)?;
        socket.set_nonblocking(false)?;
        if !write_time.is_zero() {
            socket.set_write_timeout(Some(write_time))?;
        }
        Ok(Self {
            socket,
            received: ReceiveBuffer::with_capacity(RECEIVE_BYTES),
            tls: None,
            deadline: Instant::now().checked_add(login_time),
            in_login: true,
            socket_has_timeout: false,
        })
    }

    pub(crate) fn socket(&self) -> &TcpStream {
        &self.socket
    }

    pub(crate) fn unread(&self) -> &[u8] {
        self.received.unread()
    }

    pub(crate) fn consume(&mut self, bytes: usize) {
        self.received.consume(bytes);
    }

    /// The log-in message is there: the log-in's deadline ends.
    pub(crate) fn login_arrived(&mut self) {
        self.in_login = false;
        self.deadline = None;
        self.received.wipe_consumed();
    }

    pub(crate) fn has_deadline(&self) -> bool {
        self.deadline.is_some()
    }

    pub(crate) fn set_deadline_unless_login(&mut self, deadline: Option<Instant>) {
        if !self.in_login {
            self.deadline = deadline;
        }
    }

    /// Waits for bytes; 0 is the end of the stream.
    pub(crate) fn fill(&mut self) -> Result<usize> {
        Ok(self.fill_waiting(Wait::Yes)?.unwrap_or(0))
    }

    /// Takes what is there without waiting; `None` if nothing is.
    pub(crate) fn fill_now(&mut self) -> Result<Option<usize>> {
        self.fill_waiting(Wait::No)
    }

    fn fill_waiting(&mut self, wait: Wait) -> Result<Option<usize>> {
        if self.tls.is_some() {
            return self.fill_from_tls(wait);
        }
        let mut received = std::mem::replace(&mut self.received, ReceiveBuffer::with_capacity(0));
        let read = self.read_socket(received.spare(), wait);
        if let Ok(Some(bytes)) = read {
            received.filled(bytes);
        }
        self.received = received;
        read
    }

    /// One read of the socket; `None` when it may not wait and nothing is there.
    pub(super) fn read_socket(&mut self, into: &mut [u8], wait: Wait) -> Result<Option<usize>> {
        if into.is_empty() {
            // A full buffer: what is wanted is in it already, or never comes.
            return Ok(None);
        }
        if wait == Wait::No {
            return match rustix::net::recv(&self.socket, into, RecvFlags::DONTWAIT) {
                Ok((_, bytes)) => Ok(Some(bytes)),
                Err(rustix::io::Errno::WOULDBLOCK | rustix::io::Errno::INTR) => Ok(None),
                Err(error) => Err(io::Error::from(error).into()),
            };
        }
        loop {
            self.apply_deadline()?;
            match (&self.socket).read(into) {
                Ok(bytes) => return Ok(Some(bytes)),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error)
                    if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) =>
                {
                    return Err(self.timed_out());
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    fn apply_deadline(&mut self) -> Result<()> {
        let Some(deadline) = self.deadline else {
            if self.socket_has_timeout {
                self.socket.set_read_timeout(None)?;
                self.socket_has_timeout = false;
            }
            return Ok(());
        };
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(self.timed_out());
        }
        self.socket_has_timeout = true;
        self.socket.set_read_timeout(Some(left))?;
        Ok(())
    }

    fn timed_out(&self) -> Error {
        Error::TimedOut(if self.in_login {
            "its log-in"
        } else {
            "the rest of a request"
        })
    }

    /// Sends all of it, encrypted if the connection is: one write where the socket takes it.
    pub(crate) fn send(&mut self, bytes: &[u8]) -> Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        match &mut self.tls {
            None => (&self.socket).write_all(bytes)?,
            Some(tls) => {
                let encrypted = tls.encrypt(bytes)?;
                (&self.socket).write_all(encrypted)?;
            }
        }
        Ok(())
    }
}
