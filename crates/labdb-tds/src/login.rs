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

/// How a LOGIN7 message ended up.
pub(crate) enum Parsed {
    /// A log-in with a name and a password.
    Login(Box<Login>),
    /// Something that is not offered.
    Refused {
        /// The version in which the client understands the refusal.
        version: TdsVersion,
        /// What it is, and what to do.
        text: String,
    },
}

const FIXED_LENGTH: usize = 36;

/// Decodes a LOGIN7 payload.
pub(crate) fn decode(message: &[u8]) -> Result<Parsed> {
    let mut reader = Reader::new(message);
    let length = reader.length32()?;
    if length > message.len() {
        return Err(Error::protocol("LOGIN7 is shorter than it says"));
    }
    let number = reader.u32()?;
    let packet_size = reader.u32()?;
    let client_version = reader.u32()?;
    let client_process = reader.u32()?;
    let _connection_id = reader.u32()?;
    let [_flags1, flags2, type_flags, flags3] = reader.array()?;
    let _time_zone_and_locale = reader.u64()?;
    let Some(tds_version) = TdsVersion::from_client(number) else {
        return Ok(Parsed::Refused {
            version: TdsVersion::V7_1,
            text: format!(
                "The client speaks TDS version {number:#010x}; this server speaks 7.1 to 7.4 and \
                 8.0. Use a newer client, or tell it to use TDS 7.4."
            ),
        });
    };
    let fields = Fields::read(message, &mut reader, tds_version)?;
    if let Some(text) = refusal(flags2, flags3, &fields) {
        return Ok(Parsed::Refused {
            version: tds_version,
            text,
        });
    }
    Ok(Parsed::Login(Box::new(Login {
        user: fields.user,
        password: fields.password,
        database: fields.database,
        app_name: fields.app_name,
        host_name: fields.host_name,
        server_name: fields.server_name,
        library: fields.library,
        language: fields.language,
        tds_version,
        client_version,
        client_process,
        packet_size,
        odbc: flags2 & 0x02 != 0,
        read_only_intent: type_flags & 0x20 != 0,
        features: fields.features.iter().map(|(id, _)| *id).collect(),
    })))
}

fn refusal(flags2: u8, flags3: u8, fields: &Fields) -> Option<String> {
    const INTEGRATED_SECURITY: u8 = 0x80;
    const CHANGE_PASSWORD: u8 = 0x01;
    const FEDERATED: u8 = 0x02;
    let text = if flags2 & INTEGRATED_SECURITY != 0 || fields.has_sspi {
        "Login failed. Windows authentication (SSPI) is not supported by this server. Use a SQL \
         login with a user name and a password."
    } else if fields.features.iter().any(|(id, _)| *id == FEDERATED) {
        "Login failed. Federated authentication (Microsoft Entra ID) is not supported by this \
         server. Use a SQL login with a user name and a password."
    } else if flags3 & CHANGE_PASSWORD != 0 {
        "Login failed. Changing the password while logging in is not supported by this server. \
         Log in with the current password."
    } else if fields.attach_file {
        "Login failed. Attaching a database file while logging in is not supported by this server. \
         Name a database that exists."
    } else {
        return None;
    };
    Some(text.to_owned())
}

/// The variable part of LOGIN7.
struct Fields {
    host_name: String,
    user: String,
    password: Password,
    app_name: String,
    server_name: String,
    library: String,
    language: String,
    database: String,
    has_sspi: bool,
    attach_file: bool,
    features: Vec<(u8, Vec<u8>)>,
}

impl Fields {
    fn read(message: &[u8], reader: &mut Reader<'_>, version: TdsVersion) -> Result<Self> {
        let mut field = || -> Result<(usize, usize)> {
            Ok((usize::from(reader.u16()?), usize::from(reader.u16()?)))
        };
        let host_name = text(message, field()?)?;
        let user = text(message, field()?)?;
        let password = password(message, field()?)?;
        let app_name = text(message, field()?)?;
        let server_name = text(message, field()?)?;
        let extension = field()?;
        let library = text(message, field()?)?;
        let language = text(message, field()?)?;
        let database = text(message, field()?)?;
        reader.bytes(6)?;
        let mut field = || -> Result<(usize, usize)> {
            Ok((usize::from(reader.u16()?), usize::from(reader.u16()?)))
        };
        let (_, sspi_length) = field()?;
        let (_, attach_length) = field()?;
        let has_extension = message
            .get(FIXED_LENGTH - 9)
            .is_some_and(|flags3| flags3 & 0x10 != 0);
        let features = if has_extension && version >= TdsVersion::V7_4 {
            features(message, extension)?
        } else {
            Vec::new()
        };
        Ok(Self {
            host_name,
            user,
            password,
            app_name,
            server_name,
            library,
            language,
            database,
            has_sspi: sspi_length > 0,
            attach_file: attach_length > 0,
            features,
        })
    }
}

fn part(message: &[u8], offset: usize, length: usize) -> Result<&[u8]> {
    if length == 0 {
        return Ok(&[]);
    }
    message
        .get(offset..offset.saturating_add(length))
        .ok_or_else(|| Error::protocol("a field of LOGIN7 lies outside of the message"))
}

fn text(message: &[u8], (offset, units): (usize, usize)) -> Result<String> {
    Reader::new(part(message, offset, units * 2)?).utf16(units)
}

/// Each byte was changed so: its halves swapped, then xor 0xA5.
fn password(message: &[u8], (offset, units): (usize, usize)) -> Result<Password> {
    let hidden = part(message, offset, units * 2)?;
    let clear: Zeroizing<Vec<u8>> = Zeroizing::new(
        hidden
            .iter()
            .map(|byte| (byte ^ 0xA5).rotate_left(4))
            .collect(),
    );
    Ok(Password(Zeroizing::new(Reader::new(&clear).utf16(units)?)))
}

/// The feature extensions; the field in LOGIN7 points to a pointer to them.
fn features(message: &[u8], (offset, length): (usize, usize)) -> Result<Vec<(u8, Vec<u8>)>> {
    const END: u8 = 0xFF;
    let start = Reader::new(part(message, offset, length)?).length32()?;
    let block = message
        .get(start..)
        .ok_or_else(|| Error::protocol("the feature extensions lie outside of LOGIN7"))?;
    let mut reader = Reader::new(block);
    let mut features = Vec::new();
    loop {
        let id = reader.u8()?;
        if id == END {
            return Ok(features);
        }
        let length = reader.length32()?;
        features.push((id, reader.bytes(length)?.to_vec()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The LOGIN7 example of the specification (\[MS-TDS\] 4.2): "sa" without a password.
    const EXAMPLE: &str = "88000000 02000972 00100000 00000007 00010000 00000000 E0030000 E0010000 \
        09040000 5E000800 6E000200 72000000 72000700 80000000 80000000 80000400 88000000 88000000 \
        00508BE2B78F 88000000 88000000 88000000 00000000 \
        73006B006F00730074006F0076003100 73006100 4F00530051004C002D0033003200 4F00440042004300";

    fn example() -> Vec<u8> {
        let digits: Vec<u8> = EXAMPLE.bytes().filter(u8::is_ascii_hexdigit).collect();
        digits
            .chunks(2)
            .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
            .collect()
    }

    fn login(message: &[u8]) -> Login {
        match decode(message).unwrap() {
            Parsed::Login(login) => *login,
            Parsed::Refused { text, .. } => panic!("{text}"),
        }
    }

    #[test]
    fn the_example_of_the_specification_is_understood() {
        let login = login(&example());
        assert_eq!(login.host_name, "skostov1");
        assert_eq!(login.user, "sa");
        assert_eq!(login.password.reveal(), "");
        assert_eq!(login.app_name, "OSQL-32");
        assert_eq!(login.library, "ODBC");
        assert_eq!(login.database, "");
        assert_eq!(login.tds_version, TdsVersion::V7_2);
        assert_eq!(login.packet_size, 4096);
        assert_eq!(login.client_process, 0x100);
        assert!(login.odbc);
    }

    #[test]
    fn a_password_is_unscrambled() {
        // 'a' = 0x61: halves swapped 0x16, xor 0xA5 is 0xB3; the zero byte becomes 0xA5.
        let mut message = example();
        message.extend_from_slice(&[0xB3, 0xA5]);
        let length = u32::try_from(message.len()).unwrap();
        message[..4].copy_from_slice(&length.to_le_bytes());
        message[44..48].copy_from_slice(&[0x88, 0, 1, 0]);
        let login = login(&message);
        assert_eq!(login.password.reveal(), "a");
        assert_eq!(format!("{:?}", login.password), "Password(hidden)");
    }

    #[test]
    fn what_is_not_offered_is_refused_by_name() {
        let mut windows = example();
        windows[25] |= 0x80;
        let mut old = example();
        old[4..8].copy_from_slice(&0x7000_0000_u32.to_le_bytes());
        for (message, named) in [(windows, "Windows authentication"), (old, "0x70000000")] {
            match decode(&message).unwrap() {
                Parsed::Refused { text, .. } => assert!(text.contains(named), "{text}"),
                Parsed::Login(_) => panic!("{named} was accepted"),
            }
        }
    }

    #[test]
    fn feature_extensions_are_listed_and_bounds_are_checked() {
        let mut message = example();
        message[4..8].copy_from_slice(&0x7400_0004_u32.to_le_bytes());
        message[27] |= 0x10;
        let block = u32::try_from(message.len() + 4).unwrap();
        message[56..60].copy_from_slice(&[0x88, 0, 4, 0]);
        message.extend_from_slice(&block.to_le_bytes());
        message.extend_from_slice(&[0x0A, 1, 0, 0, 0, 1, 0x09, 0, 0, 0, 0, 0xFF]);
        assert_eq!(login(&message).features, [0x0A, 0x09]);
        for cut in 1..=12 {
            assert!(decode(&message[..message.len() - cut]).is_err(), "{cut}");
        }
    }
}
