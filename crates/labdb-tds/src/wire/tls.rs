//! TLS between the socket and the packets.

use super::buffer::ReceiveBuffer;
use super::transport::{Transport, Wait};
use crate::{Error, Result};
use rustls::ServerConnection;
use std::io::{ErrorKind, Read, Write};
use std::sync::Arc;

/// Two of the largest TLS records, so that one always fits whole.
const RAW_BYTES: usize = 40 << 10;
const RECORD_HEADER: usize = 5;

pub(super) struct TlsLayer {
    pub(super) session: ServerConnection,
    /// Encrypted bytes from the socket.
    pub(super) raw: ReceiveBuffer,
    /// Only the log-in is encrypted: plain packets may follow a record at once.
    pub(super) login_only: bool,
    out: Vec<u8>,
    peer_closed: bool,
}

impl TlsLayer {
    pub(super) fn new(config: Arc<rustls::ServerConfig>, login_only: bool) -> Result<Self> {
        let mut session = ServerConnection::new(config)?;
        session.set_buffer_limit(None);
        Ok(Self {
            session,
            raw: ReceiveBuffer::with_capacity(RAW_BYTES),
            login_only,
            out: Vec::new(),
            peer_closed: false,
        })
    }

    pub(super) fn encrypt(&mut self, plain: &[u8]) -> Result<&[u8]> {
        self.session.writer().write_all(plain)?;
        self.pending_output()
    }

    /// The records that TLS itself wants to send.
    pub(super) fn pending_output(&mut self) -> Result<&[u8]> {
        self.out.clear();
        while self.session.wants_write() {
            self.session.write_tls(&mut self.out)?;
        }
        Ok(&self.out)
    }

    /// Gives encrypted bytes to TLS; how many it took.
    pub(super) fn feed(&mut self, mut bytes: &[u8]) -> Result<usize> {
        let before = bytes.len();
        if self.session.read_tls(&mut bytes)? == 0 {
            self.peer_closed = true;
        }
        let state = self.session.process_new_packets()?;
        self.peer_closed |= state.peer_has_closed();
        Ok(before - bytes.len())
    }

    /// Decrypts what `raw` holds into `plain`; how many bytes came out.
    fn decrypt(&mut self, plain: &mut ReceiveBuffer) -> Result<usize> {
        let mut decrypted = 0;
        loop {
            let available = self.raw.unread();
            let take = if self.login_only {
                whole_record(available).unwrap_or(0)
            } else {
                available.len()
            };
            if take == 0 {
                return Ok(decrypted);
            }
            let mut raw = std::mem::replace(&mut self.raw, ReceiveBuffer::with_capacity(0));
            let fed = self.feed(raw.unread().get(..take).unwrap_or_default());
            if let Ok(bytes) = fed {
                raw.consume(bytes);
            }
            self.raw = raw;
            fed?;
            decrypted += self.drain(plain)?;
            if self.login_only && decrypted > 0 {
                return Ok(decrypted);
            }
        }
    }

    pub(super) fn drain(&mut self, plain: &mut ReceiveBuffer) -> Result<usize> {
        let mut chunk = [0; 4096];
        let mut total = 0;
        loop {
            match self.session.reader().read(&mut chunk) {
                Ok(0) => {
                    self.peer_closed = true;
                    return Ok(total);
                }
                Ok(bytes) => {
                    plain.append(chunk.get(..bytes).unwrap_or_default());
                    total += bytes;
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(total),
                Err(error) => return Err(error.into()),
            }
        }
    }
}

/// The length of the TLS record at the front, if all of it is there.
fn whole_record(bytes: &[u8]) -> Option<usize> {
    let [_, _, _, high, low] = bytes.first_chunk::<RECORD_HEADER>()?;
    let length = RECORD_HEADER + usize::from(u16::from_be_bytes([*high, *low]));
    (bytes.len() >= length).then_some(length)
}

/// Whether a byte starts a TLS record (change cipher spec, alert, handshake, data).
pub(super) fn starts_record(byte: u8) -> bool {
    (0x14..=0x17).contains(&byte)
}

impl Transport {
    /// The encrypted counterpart of one socket read; `Some(0)` is the end of the stream.
    pub(super) fn fill_from_tls(&mut self, wait: Wait) -> Result<Option<usize>> {
        let Some(mut tls) = self.tls.take() else {
            return Ok(Some(0));
        };
        let result = self.fill_with(&mut tls, wait);
        if matches!(result, Ok(Filled::Plain)) {
            self.received.append(tls.raw.unread());
            return Ok(Some(self.received.unread().len()));
        }
        if let Err(Error::Tls(_)) = &result {
            // Tell the client why, if it still listens.
            if let Ok(alert) = tls.pending_output() {
                let _ = (&self.socket).write_all(alert);
            }
        }
        self.tls = Some(tls);
        match result? {
            Filled::Bytes(bytes) => Ok(Some(bytes)),
            Filled::Nothing => Ok(None),
            Filled::Plain => Ok(Some(0)),
        }
    }

    fn fill_with(&mut self, tls: &mut TlsLayer, wait: Wait) -> Result<Filled> {
        loop {
            let decrypted = tls.decrypt(&mut self.received)?;
            if decrypted > 0 {
                return Ok(Filled::Bytes(decrypted));
            }
            if tls.peer_closed {
                return Ok(Filled::Bytes(0));
            }
            if let Some(first) = tls.raw.unread().first()
                && tls.login_only
                && !starts_record(*first)
            {
                return Ok(Filled::Plain);
            }
            let mut raw = std::mem::replace(&mut tls.raw, ReceiveBuffer::with_capacity(0));
            let room = !raw.spare().is_empty();
            let read = self.read_socket(raw.spare(), wait);
            if let Ok(Some(bytes)) = read {
                raw.filled(bytes);
            }
            tls.raw = raw;
            match read? {
                Some(0) => return Ok(Filled::Bytes(0)),
                Some(_) => {}
                None if room => return Ok(Filled::Nothing),
                None => return Err(Error::protocol("a TLS record is longer than TLS allows")),
            }
        }
    }

    /// Ends the encryption after a log-in that alone was encrypted.
    pub(crate) fn end_tls(&mut self) {
        if let Some(tls) = self.tls.take() {
            self.received.append(tls.raw.unread());
        }
    }
}

enum Filled {
    Bytes(usize),
    Nothing,
    /// The client stopped encrypting.
    Plain,
}
