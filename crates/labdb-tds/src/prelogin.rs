//! PRELOGIN (\[MS-TDS\] 2.2.6.5): versions and whether to encrypt.

use crate::config::{Encryption, ProgramVersion};
use crate::wire::Reader;
use crate::{Error, Result};

/// The values of the ENCRYPTION option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EncryptOption {
    Off = 0,
    On = 1,
    NotSupported = 2,
    Required = 3,
}

/// What follows the PRELOGIN answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Agreed {
    Plain,
    LoginOnly,
    Encrypted,
    /// The server insists and the client cannot.
    Impossible,
}

const VERSION: u8 = 0;
const ENCRYPTION: u8 = 1;
const INSTANCE: u8 = 2;
const THREAD: u8 = 3;
const MARS: u8 = 4;
const END: u8 = 0xFF;

/// What a client's PRELOGIN says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wishes {
    /// ENCRYPTION; a client that sends none cannot encrypt.
    pub(crate) encryption: EncryptOption,
    /// MARS: several results at a time.
    pub(crate) mars: bool,
}

/// Reads the client's options.
pub(crate) fn decode(message: &[u8]) -> Result<Wishes> {
    let mut options = Reader::new(message);
    let mut encryption = EncryptOption::NotSupported;
    let mut mars = false;
    loop {
        let option = options.u8()?;
        if option == END {
            return Ok(Wishes { encryption, mars });
        }
        let [a, b, c, d] = options.array()?;
        let offset = usize::from(u16::from_be_bytes([a, b]));
        let length = usize::from(u16::from_be_bytes([c, d]));
        let value = message
            .get(offset..offset + length)
            .ok_or_else(|| Error::protocol("a PRELOGIN option lies outside of the message"))?;
        if option == MARS {
            mars = value.first().is_some_and(|value| *value != 0);
        }
        if option == ENCRYPTION {
            // The high bit offers a client certificate, which nobody asks for.
            encryption = match value.first().map(|value| value & 0x7F) {
                Some(0) => EncryptOption::Off,
                Some(1) => EncryptOption::On,
                Some(2) => EncryptOption::NotSupported,
                Some(3) => EncryptOption::Required,
                _ => return Err(Error::protocol("the PRELOGIN option ENCRYPTION is unknown")),
            };
        }
    }
}

/// What the server answers, and what both do then.
pub(crate) fn agree(server: Encryption, client: EncryptOption) -> (EncryptOption, Agreed) {
    match (server, client) {
        (Encryption::NotSupported, _) | (Encryption::Optional, EncryptOption::NotSupported) => {
            (EncryptOption::NotSupported, Agreed::Plain)
        }
        (Encryption::Optional, EncryptOption::Off) => (EncryptOption::Off, Agreed::LoginOnly),
        (
            Encryption::Optional | Encryption::Required,
            EncryptOption::On | EncryptOption::Required,
        ) => (EncryptOption::On, Agreed::Encrypted),
        (Encryption::Required, EncryptOption::Off) => (EncryptOption::Required, Agreed::Encrypted),
        (Encryption::Required, EncryptOption::NotSupported) => {
            (EncryptOption::Required, Agreed::Impossible)
        }
    }
}

/// Appends the server's PRELOGIN. FEDAUTHREQUIRED and TRACEID are left out: a client that reads the
/// first as "required" gives up a SQL login. MARS is answered with 0, except to a client that asks
/// for it: there the option is left out, because Microsoft's ODBC driver drops the connection
/// without a word at a 0, and goes on without MARS where nothing is said.
pub(crate) fn push_answer(
    out: &mut Vec<u8>,
    version: ProgramVersion,
    encryption: EncryptOption,
    mars_asked: bool,
) {
    let [build_high, build_low] = version.build.to_be_bytes();
    let values: [(u8, &[u8]); 5] = [
        (
            VERSION,
            &[version.major, version.minor, build_high, build_low, 0, 0],
        ),
        (ENCRYPTION, &[encryption as u8]),
        (INSTANCE, &[0]),
        (THREAD, &[]),
        (MARS, &[0]),
    ];
    let values = if mars_asked {
        values.get(..4).unwrap_or_default()
    } else {
        &values
    };
    let mut offset = u16::try_from(values.len() * 5 + 1).unwrap_or(0);
    for (option, value) in values {
        out.push(*option);
        out.extend_from_slice(&offset.to_be_bytes());
        let length = u16::try_from(value.len()).unwrap_or(0);
        out.extend_from_slice(&length.to_be_bytes());
        offset = offset.saturating_add(length);
    }
    out.push(END);
    for (_, value) in values {
        out.extend_from_slice(value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clients_encryption_option_is_found_by_its_offset() {
        // VERSION at 11 (6 bytes), ENCRYPTION at 17 (1 byte).
        let message = [0, 0, 11, 0, 6, 1, 0, 17, 0, 1, 0xFF, 11, 0, 12, 56, 0, 0, 3];
        let wishes = Wishes {
            encryption: EncryptOption::Required,
            mars: false,
        };
        assert_eq!(decode(&message).unwrap(), wishes);
        assert!(decode(&message[..17]).is_err());
        assert!(decode(&message[..10]).is_err());
    }

    #[test]
    fn the_answer_lists_offsets_behind_its_own_table() {
        let mut out = Vec::new();
        let version = ProgramVersion {
            major: 16,
            minor: 0,
            build: 0x03E8,
        };
        push_answer(&mut out, version, EncryptOption::On, false);
        assert_eq!(out[..6], [0, 0, 26, 0, 6, 1]);
        assert_eq!(out[26..32], [16, 0, 3, 0xE8, 0, 0]);
        assert_eq!(out[32..], [1, 0, 0]);
        assert_eq!(decode(&out).unwrap().encryption, EncryptOption::On);
        // A client that asks for MARS hears nothing of it.
        out.clear();
        push_answer(&mut out, version, EncryptOption::On, true);
        assert_eq!(out[..6], [0, 0, 21, 0, 6, 1]);
        assert_eq!(
            out[15..],
            [3, 0, 29, 0, 0, 0xFF, 16, 0, 3, 0xE8, 0, 0, 1, 0]
        );
    }

    #[test]
    fn what_both_sides_agree_on_follows_the_table_of_the_specification() {
        use EncryptOption as E;
        let table = [
            (
                Encryption::NotSupported,
                E::Off,
                E::NotSupported,
                Agreed::Plain,
            ),
            (
                Encryption::NotSupported,
                E::On,
                E::NotSupported,
                Agreed::Plain,
            ),
            (Encryption::Optional, E::Off, E::Off, Agreed::LoginOnly),
            (Encryption::Optional, E::On, E::On, Agreed::Encrypted),
            (
                Encryption::Optional,
                E::NotSupported,
                E::NotSupported,
                Agreed::Plain,
            ),
            (Encryption::Required, E::Off, E::Required, Agreed::Encrypted),
            (Encryption::Required, E::On, E::On, Agreed::Encrypted),
            (
                Encryption::Required,
                E::NotSupported,
                E::Required,
                Agreed::Impossible,
            ),
        ];
        for (server, client, answer, agreed) in table {
            assert_eq!(
                agree(server, client),
                (answer, agreed),
                "{server:?} {client:?}"
            );
        }
    }
}
