//! The TLS handshake inside PRELOGIN packets (\[MS-TDS\] 2.2.6.5), and the strict one before them.

use super::packet::{HEADER_LENGTH, Header, PacketKind, PacketWriter};
use super::tls::{TlsLayer, starts_record};
use super::transport::Transport;
use crate::{Error, Result};
use std::io::Write;
use std::sync::Arc;

impl Transport {
    /// Shakes hands with TLS records inside packets of the PRELOGIN type; from then on all bytes
    /// are encrypted (until [`Transport::end_tls`], where only the log-in is).
    pub(crate) fn handshake_in_packets(
        &mut self,
        config: Arc<rustls::ServerConfig>,
        login_only: bool,
    ) -> Result<()> {
        let mut tls = TlsLayer::new(config, login_only)?;
        while tls.session.is_handshaking() {
            let step = self.receive_handshake_packet(&mut tls);
            // Also after an error: TLS has an alert that says why.
            let sent = self.send_in_packets(&mut tls);
            step?;
            sent?;
        }
        // What came behind the handshake is TLS already.
        tls.raw.append(self.received.unread());
        let behind = self.received.unread().len();
        self.received.consume(behind);
        tls.drain(&mut self.received)?;
        self.tls = Some(Box::new(tls));
        Ok(())
    }

    fn receive_handshake_packet(&mut self, tls: &mut TlsLayer) -> Result<()> {
        loop {
            // Some clients stop wrapping their last flight.
            let raw = self
                .unread()
                .first()
                .is_some_and(|first| starts_record(*first));
            let (skip, length) = if raw {
                (0, self.unread().len())
            } else if let Some(header) = Header::decode(self.unread())? {
                if header.kind != PacketKind::Prelogin {
                    return Err(Error::protocol(format!(
                        "a {:?} packet in the middle of the TLS handshake",
                        header.kind
                    )));
                }
                (HEADER_LENGTH, header.payload)
            } else {
                self.fill_or_end()?;
                continue;
            };
            self.consume(skip);
            let mut missing = length;
            while missing > 0 {
                if self.unread().is_empty() {
                    self.fill_or_end()?;
                }
                let unread = self.received.unread();
                let taken = tls.feed(unread.get(..missing).unwrap_or(unread))?;
                if taken == 0 {
                    return Err(Error::Truncated);
                }
                self.consume(taken);
                missing -= taken.min(missing);
                if raw && !tls.session.is_handshaking() {
                    return Ok(());
                }
            }
            return Ok(());
        }
    }

    fn fill_or_end(&mut self) -> Result<()> {
        if self.fill()? == 0 {
            return Err(Error::Truncated);
        }
        Ok(())
    }

    fn send_in_packets(&mut self, tls: &mut TlsLayer) -> Result<()> {
        let flight = tls.pending_output()?;
        if flight.is_empty() {
            return Ok(());
        }
        let mut packets = PacketWriter::new(PacketKind::Prelogin, 4096);
        packets.payload().extend_from_slice(flight);
        (&self.socket).write_all(packets.take_last())?;
        Ok(())
    }

    /// TDS 8.0: the whole connection is TLS from its first byte.
    pub(crate) fn handshake_strict(&mut self, config: Arc<rustls::ServerConfig>) -> Result<()> {
        let mut tls = TlsLayer::new(config, false)?;
        while tls.session.is_handshaking() {
            if self.unread().is_empty() {
                self.fill_or_end()?;
            }
            let fed = tls.feed(self.received.unread());
            if let Ok(taken) = fed {
                self.consume(taken);
            }
            let flight = tls.pending_output()?;
            (&self.socket).write_all(flight)?;
            fed?;
        }
        tls.raw.append(self.received.unread());
        let behind = self.received.unread().len();
        self.received.consume(behind);
        tls.drain(&mut self.received)?;
        self.tls = Some(Box::new(tls));
        Ok(())
    }

    /// The first byte of the connection; `None` if the client closed without one.
    pub(crate) fn first_byte(&mut self) -> Result<Option<u8>> {
        if self.unread().is_empty() && self.fill()? == 0 {
            return Ok(None);
        }
        Ok(self.unread().first().copied())
    }
}
