//! Data types and values on the wire (\[MS-TDS\] 2.2.5.4 to 2.2.5.6).

mod calendar;
mod code_page;
mod declared;
mod decode;
mod encode;
mod encode_type;
mod token_type;
mod variant;

#[cfg(test)]
mod tests;

pub(crate) use code_page::push_utf16;
pub(crate) use declared::{Declared, read_declared};
pub(crate) use decode::{read_long_value, read_value};
pub(crate) use encode::{Fault, push_value};
pub(crate) use encode_type::{push_type, wire_type};

use crate::Error;

/// `SQL_Latin1_General_CP1_CI_AS`: LCID 0x0409, flags, version 0, sort order 52.
pub(crate) const COLLATION: [u8; 5] = [0x09, 0x04, 0xD0, 0x00, 0x34];

/// Why a type or value from the client was not decoded.
pub(crate) enum TypeFailure {
    /// It is well formed but not supported; the name of what it is.
    Unsupported(&'static str),
    /// It breaks the protocol.
    Broken(Error),
}

impl From<Error> for TypeFailure {
    fn from(error: Error) -> Self {
        Self::Broken(error)
    }
}
