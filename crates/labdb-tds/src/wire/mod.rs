//! Bytes in and out: the socket, TLS, packets, and the bounds-checked reader of payloads.

mod buffer;
mod handshake;
mod message;
mod packet;
mod reader;
mod tls;
mod transport;

pub(crate) use message::{Incoming, read_message};
pub(crate) use packet::{HEADER_LENGTH, Header, PacketKind, PacketWriter};
pub(crate) use reader::Reader;
pub(crate) use transport::Transport;
