//! LOGIN7 (\[MS-TDS\] 2.2.6.4).

use crate::wire::Reader;
use crate::{Error, Result};
use std::fmt;
use zeroize::Zeroizing;

/// The protocol versions that are spoken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TdsVersion {
    /// SQL Server 2000: no `max` types, no date and time types of their own.
    V7_1,
    /// SQL Server 2005.
    V7_2,
    /// SQL Server 2008 (7.3.A).
    V7_3A,
    /// SQL Server 2008 R2 (7.3.B).
    V7_3B,
    /// SQL Server 2012 and later.
    V7_4,
    /// Strict: TLS before the first packet.
    V8_0,
}

impl TdsVersion {
    /// The newest version that a client's number allows.
    fn from_client(number: u32) -> Option<Self> {
        Some(match number {
            0x0800_0000 => Self::V8_0,
            0x7400_0000.. => Self::V7_4,
            0x730B_0000.. => Self::V7_3B,
            0x7300_0000.. => Self::V7_3A,
            0x7200_0000.. => Self::V7_2,
            0x7100_0000.. => Self::V7_1,
            _ => return None,
        })
    }

    /// The number in LOGINACK (most significant byte first on the wire).
    pub(crate) fn acknowledged(self) -> u32 {
        match self {
            Self::V7_1 => 0x7100_0001,
            Self::V7_2 => 0x7209_0002,
            Self::V7_3A => 0x730A_0003,
            Self::V7_3B => 0x730B_0003,
            Self::V7_4 => 0x7400_0004,
            Self::V8_0 => 0x0800_0000,
        }
    }

    pub(crate) fn has_all_headers(self) -> bool {
        self >= Self::V7_2
    }

    /// Row counts and user types have their wide form, `max` types exist.
    pub(crate) fn is_wide(self) -> bool {
        self >= Self::V7_2
    }

    /// `date`, `time`, `datetime2` and `datetimeoffset` exist.
    pub(crate) fn has_date_types(self) -> bool {
        self >= Self::V7_3A
    }
}

/// A password: wiped from memory when dropped, never shown by `Debug`.
#[derive(Clone)]
pub struct Password(Zeroizing<String>);

impl Password {
    /// The password itself, to be compared or hashed.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password(hidden)")
    }
}

/// What a client said in its LOGIN7 message.
#[derive(Clone, Debug)]
pub struct Login {
    /// The login's name.
    pub user: String,
    /// The login's password.
    pub password: Password,
    /// The database to start in; empty for the login's default.
    pub database: String,
    /// The application's name (`APP_NAME()`).
    pub app_name: String,
    /// The client machine's name (`HOST_NAME()`).
    pub host_name: String,
    /// The server's name as the client used it.
    pub server_name: String,
    /// The client library's name.
    pub library: String,
    /// The language; empty for the server's default.
    pub language: String,
    /// The protocol version in use from now on.
    pub tds_version: TdsVersion,
    /// The client program's own version.
    pub client_version: u32,
    /// The client's process id.
    pub client_process: u32,
    /// The packet size that the client asked for, in bytes; 0 for the server's default.
    pub packet_size: u32,
    /// The client is ODBC or OLE DB (ANSI settings on by default).
    pub odbc: bool,
    /// The client only wants to read.
    pub read_only_intent: bool,
    /// The feature extensions that the client offered, by number.
    pub features: Vec<u8>,
}
