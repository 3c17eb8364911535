//! Messages: packets put together again, within limits.

use super::packet::{HEADER_LENGTH, Header, PacketKind};
use super::transport::Transport;
use crate::requests::Reset;
use crate::{Error, Result};
use std::time::{Duration, Instant};

/// What arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Incoming {
    /// A whole message; its payload is in the caller's buffer.
    Message {
        /// Its type.
        kind: PacketKind,
        /// What its first packet asks for.
        reset: Reset,
    },
    /// The client took a message back before it was complete.
    TakenBack,
    /// The client closed the connection between messages.
    Closed,
}

/// Reads one message into `payload`, which grows with what arrives and not with what is announced.
///
/// A message that an attention interrupts is dropped and the attention is what arrived.
///
/// # Errors
/// When the message breaks the protocol or is longer than `limit` bytes, or its rest takes longer
/// than `rest_within`.
pub(crate) fn read_message(
    transport: &mut Transport,
    payload: &mut Vec<u8>,
    limit: usize,
    rest_within: Option<Duration>,
) -> Result<Incoming> {
    payload.clear();
    let mut first: Option<Header> = None;
    loop {
        let Some(header) = read_header(transport, first.is_some(), rest_within)? else {
            return Ok(Incoming::Closed);
        };
        transport.consume(HEADER_LENGTH);
        let started = *first.get_or_insert(header);
        if header.kind != started.kind {
            if header.kind != PacketKind::Attention {
                return Err(Error::protocol(format!(
                    "a {:?} packet in the middle of a {:?} message",
                    header.kind, started.kind
                )));
            }
            payload.clear();
            first = Some(header);
        }
        let new_length = payload.len() + header.payload;
        if new_length > limit {
            return Err(Error::MessageTooLarge { limit });
        }
        read_payload(transport, payload, header.payload, rest_within)?;
        if header.is_last() {
            transport.set_deadline_unless_login(None);
            if header.status & Header::IGNORE != 0 {
                payload.clear();
                return Ok(Incoming::TakenBack);
            }
            let started = first.unwrap_or(started);
            return Ok(Incoming::Message {
                kind: started.kind,
                reset: reset(started.status),
            });
        }
    }
}

fn reset(status: u8) -> Reset {
    if status & Header::RESET_KEEP_TRANSACTION != 0 {
        Reset::SessionKeepTransaction
    } else if status & Header::RESET != 0 {
        Reset::Session
    } else {
        Reset::Keep
    }
}

fn read_header(
    transport: &mut Transport,
    inside: bool,
    rest_within: Option<Duration>,
) -> Result<Option<Header>> {
    loop {
        if let Some(header) = Header::decode(transport.unread())? {
            return Ok(Some(header));
        }
        let between = !inside && transport.unread().is_empty();
        if !between {
            begin_deadline(transport, rest_within);
        }
        if transport.fill()? == 0 {
            return if between {
                Ok(None)
            } else {
                Err(Error::Truncated)
            };
        }
    }
}

fn read_payload(
    transport: &mut Transport,
    payload: &mut Vec<u8>,
    length: usize,
    rest_within: Option<Duration>,
) -> Result<()> {
    let mut missing = length;
    while missing > 0 {
        if transport.unread().is_empty() {
            begin_deadline(transport, rest_within);
            if transport.fill()? == 0 {
                return Err(Error::Truncated);
            }
        }
        let unread = transport.unread();
        let part = unread.get(..missing).unwrap_or(unread);
        payload.extend_from_slice(part);
        let taken = part.len();
        transport.consume(taken);
        missing -= taken;
    }
    Ok(())
}

/// The clock for a message's rest starts when some of it is there and more must be waited for.
fn begin_deadline(transport: &mut Transport, rest_within: Option<Duration>) {
    if let Some(within) = rest_within
        && !transport.has_deadline()
    {
        transport.set_deadline_unless_login(Instant::now().checked_add(within));
    }
}
