//! Packets: the 8-byte header (\[MS-TDS\] 2.2.3.1) and cutting a payload into packets.

use crate::{Error, Result};

/// Bytes of a packet header.
pub(crate) const HEADER_LENGTH: usize = 8;
/// The largest packet that any client may declare.
const MAX_PACKET: u16 = 32767;

/// The types of message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PacketKind {
    Batch = 0x01,
    PreTds7Login = 0x02,
    Rpc = 0x03,
    Response = 0x04,
    Attention = 0x06,
    BulkLoad = 0x07,
    FederatedToken = 0x08,
    TransactionManager = 0x0E,
    Login7 = 0x10,
    Sspi = 0x11,
    Prelogin = 0x12,
}

impl PacketKind {
    fn from_byte(byte: u8) -> Option<Self> {
        Some(match byte {
            0x01 => Self::Batch,
            0x02 => Self::PreTds7Login,
            0x03 => Self::Rpc,
            0x04 => Self::Response,
            0x06 => Self::Attention,
            0x07 => Self::BulkLoad,
            0x08 => Self::FederatedToken,
            0x0E => Self::TransactionManager,
            0x10 => Self::Login7,
            0x11 => Self::Sspi,
            0x12 => Self::Prelogin,
            _ => return None,
        })
    }
}

/// A packet's header as received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) kind: PacketKind,
    pub(crate) status: u8,
    /// Bytes that follow the header.
    pub(crate) payload: usize,
}

impl Header {
    pub(crate) const END_OF_MESSAGE: u8 = 0x01;
    pub(crate) const IGNORE: u8 = 0x02;
    pub(crate) const RESET: u8 = 0x08;
    pub(crate) const RESET_KEEP_TRANSACTION: u8 = 0x10;

    /// Decodes the first bytes of `bytes`; `None` if they are too few.
    pub(crate) fn decode(bytes: &[u8]) -> Result<Option<Self>> {
        let Some([kind, status, high, low, ..]) = bytes.first_chunk::<HEADER_LENGTH>() else {
            return Ok(None);
        };
        let kind = PacketKind::from_byte(*kind)
            .ok_or_else(|| Error::protocol(format!("{kind:#04x} is no packet type")))?;
        let length = u16::from_be_bytes([*high, *low]);
        if length > MAX_PACKET {
            return Err(Error::protocol(format!("a packet of {length} bytes")));
        }
        let payload = usize::from(length)
            .checked_sub(HEADER_LENGTH)
            .ok_or_else(|| Error::protocol(format!("a packet of {length} bytes")))?;
        Ok(Some(Self {
            kind,
            status: *status,
            payload,
        }))
    }

    pub(crate) fn is_last(self) -> bool {
        self.status & Self::END_OF_MESSAGE != 0
    }
}

/// Collects the payload of one message and cuts it into packets.
///
/// The collected bytes have room for one header in front, so that a message of one packet, the
/// common case, is sent from where it was written.
pub(crate) struct PacketWriter {
    kind: PacketKind,
    packet_size: usize,
    session_id: u16,
    packet_number: u8,
    collected: Vec<u8>,
    cut: Vec<u8>,
}

impl PacketWriter {
    pub(crate) fn new(kind: PacketKind, packet_size: u16) -> Self {
        Self {
            kind,
            packet_size: usize::from(packet_size.max(512)),
            session_id: 0,
            packet_number: 1,
            collected: vec![0; HEADER_LENGTH],
            cut: Vec::new(),
        }
    }

    pub(crate) fn set_packet_size(&mut self, packet_size: u16) {
        self.packet_size = usize::from(packet_size.max(512));
    }

    /// The session's number, which packet headers carry.
    pub(crate) fn set_session_id(&mut self, session_id: u16) {
        self.session_id = session_id;
    }

    /// Where tokens are appended. Bytes before [`HEADER_LENGTH`] are not the message's.
    pub(crate) fn payload(&mut self) -> &mut Vec<u8> {
        &mut self.collected
    }

    /// Payload bytes that wait.
    pub(crate) fn waiting(&self) -> usize {
        self.collected.len().saturating_sub(HEADER_LENGTH)
    }

    /// Takes whole packets off the front, leaving at least one byte, and gives their wire bytes.
    pub(crate) fn take_full_packets(&mut self) -> &[u8] {
        let room = self.packet_size - HEADER_LENGTH;
        let full = self.waiting().saturating_sub(1) / room;
        self.cut(full * room, false);
        &self.cut
    }

    /// Takes all as packets that do not end the message.
    pub(crate) fn take_unfinished(&mut self) -> &[u8] {
        self.cut(self.waiting(), false);
        &self.cut
    }

    /// Ends the message and gives the wire bytes that are left of it. Call
    /// [`PacketWriter::clear`] when they are sent.
    pub(crate) fn take_last(&mut self) -> &[u8] {
        if self.collected.len() <= self.packet_size {
            let header = self.header(self.collected.len(), true);
            if let Some(front) = self.collected.get_mut(..HEADER_LENGTH) {
                front.copy_from_slice(&header);
            }
            return &self.collected;
        }
        self.cut(self.waiting(), true);
        &self.cut
    }

    /// Forgets the message, keeps the memory unless it was a large one.
    pub(crate) fn clear(&mut self) {
        const KEEP: usize = 256 << 10;
        self.collected.truncate(HEADER_LENGTH);
        self.collected.shrink_to(KEEP);
        self.cut.clear();
        self.cut.shrink_to(KEEP);
        self.packet_number = 1;
    }

    fn cut(&mut self, bytes: usize, ends: bool) {
        let room = self.packet_size - HEADER_LENGTH;
        let mut cut = std::mem::take(&mut self.cut);
        cut.clear();
        let payload = self.collected.get(HEADER_LENGTH..HEADER_LENGTH + bytes);
        let mut chunks = payload.unwrap_or_default().chunks(room).peekable();
        while let Some(chunk) = chunks.next() {
            let last = ends && chunks.peek().is_none();
            let header = header(
                self.kind,
                last,
                chunk.len() + HEADER_LENGTH,
                self.session_id,
                self.packet_number,
            );
            self.packet_number = self.packet_number.wrapping_add(1);
            cut.extend_from_slice(&header);
            cut.extend_from_slice(chunk);
        }
        self.cut = cut;
        self.collected.drain(HEADER_LENGTH..HEADER_LENGTH + bytes);
    }

    fn header(&self, length: usize, last: bool) -> [u8; HEADER_LENGTH] {
        header(self.kind, last, length, self.session_id, self.packet_number)
    }
}

fn header(
    kind: PacketKind,
    last: bool,
    length: usize,
    session_id: u16,
    number: u8,
) -> [u8; HEADER_LENGTH] {
    let [high, low] = u16::try_from(length).unwrap_or(MAX_PACKET).to_be_bytes();
    let [id_high, id_low] = session_id.to_be_bytes();
    let status = if last { Header::END_OF_MESSAGE } else { 0 };
    [kind as u8, status, high, low, id_high, id_low, number, 0]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn writer(packet_size: u16, payload: &[u8]) -> PacketWriter {
        let mut writer = PacketWriter::new(PacketKind::Response, packet_size);
        writer.payload().extend_from_slice(payload);
        writer
    }

    #[test]
    fn a_message_of_one_packet_has_the_end_flag_and_a_big_endian_length() {
        let mut writer = writer(4096, &[0xFD; 13]);
        writer.set_session_id(51);
        let bytes = writer.take_last().to_vec();
        assert_eq!(&bytes[..8], &[0x04, 0x01, 0x00, 21, 0x00, 51, 1, 0]);
        assert_eq!(&bytes[8..], &[0xFD; 13]);
    }

    #[test]
    fn a_long_message_is_cut_at_the_packet_size_and_numbered() {
        // 504 payload bytes fit a 512-byte packet: 1010 = 504 + 504 + 2.
        let payload: Vec<u8> = (0..1010_u32).map(|n| n.to_le_bytes()[0]).collect();
        let mut writer = writer(512, &payload);
        let wire = writer.take_last().to_vec();
        assert_eq!(wire.len(), 1010 + 3 * 8);
        assert_eq!(&wire[..8], &[4, 0, 2, 0, 0, 0, 1, 0]);
        assert_eq!(&wire[512..520], &[4, 0, 2, 0, 0, 0, 2, 0]);
        assert_eq!(&wire[1024..1032], &[4, 1, 0, 10, 0, 0, 3, 0]);
        assert_eq!(&wire[1032..], &payload[1008..]);
    }

    #[test]
    fn full_packets_leave_something_for_the_last_one() {
        let mut writer = writer(512, &[7; 1008]);
        assert_eq!(writer.take_full_packets().len(), 512);
        assert_eq!(writer.waiting(), 504);
        let last = writer.take_last().to_vec();
        assert_eq!(&last[..8], &[4, 1, 2, 0, 0, 0, 2, 0]);
    }

    #[test]
    fn impossible_headers_are_errors_and_short_ones_wait() {
        assert_eq!(Header::decode(&[1, 1, 0]).unwrap(), None);
        assert!(Header::decode(&[1, 1, 0, 7, 0, 0, 0, 0]).is_err());
        assert!(Header::decode(&[1, 1, 0x80, 0, 0, 0, 0, 0]).is_err());
        assert!(Header::decode(b"GET / HT").is_err());
        let header = Header::decode(&[1, 1, 0, 8, 0, 0, 0, 0]).unwrap().unwrap();
        assert_eq!((header.payload, header.is_last()), (0, true));
    }
}
