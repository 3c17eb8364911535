//! Texts in the server's code page (1252) and in UTF-16.

use encoding_rs::{EncoderResult, WINDOWS_1252};
use std::borrow::Cow;

/// How a client wrote a `char` or `varchar`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CodePage {
    Windows1252,
    Utf8,
}

impl CodePage {
    /// From the five bytes of a collation: the flag for UTF-8 is bit 26.
    pub(super) fn from_collation(collation: [u8; 5]) -> Self {
        const UTF8_IN_BYTE_3: u8 = 0x04;
        if collation[3] & UTF8_IN_BYTE_3 == 0 {
            Self::Windows1252
        } else {
            Self::Utf8
        }
    }

    pub(super) fn decode(self, bytes: &[u8]) -> Cow<'_, str> {
        match self {
            Self::Windows1252 => WINDOWS_1252.decode_without_bom_handling(bytes).0,
            Self::Utf8 => String::from_utf8_lossy(bytes),
        }
    }
}

/// Code page 1252; each UTF-16 code unit that it lacks becomes a question mark.
pub(super) fn encode(text: &str) -> Cow<'_, [u8]> {
    if text.is_ascii() {
        return Cow::Borrowed(text.as_bytes());
    }
    let mut encoder = WINDOWS_1252.new_encoder();
    // One byte a character at most, and UTF-8 has at least one byte a character.
    let mut bytes = Vec::with_capacity(text.len() * 2);
    let mut rest = text;
    loop {
        let (result, read) =
            encoder.encode_from_utf8_to_vec_without_replacement(rest, &mut bytes, true);
        rest = rest.get(read..).unwrap_or_default();
        match result {
            EncoderResult::InputEmpty => return Cow::Owned(bytes),
            EncoderResult::OutputFull => bytes.reserve(rest.len() + 16),
            EncoderResult::Unmappable(character) => {
                bytes.resize(bytes.len() + character.len_utf16(), b'?');
            }
        }
    }
}

/// Appends little-endian UTF-16 and gives the number of bytes.
pub(crate) fn push_utf16(out: &mut Vec<u8>, text: &str) -> usize {
    let before = out.len();
    out.reserve(text.len() * 2);
    if text.is_ascii() {
        out.extend(text.bytes().flat_map(|byte| [byte, 0]));
    } else {
        out.extend(text.encode_utf16().flat_map(u16::to_le_bytes));
    }
    out.len() - before
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_page_1252_has_the_euro_and_no_greek() {
        assert_eq!(&*encode("a€é"), &[b'a', 0x80, 0xE9]);
        assert_eq!(&*encode("αb"), b"?b");
        assert_eq!(&*encode("\u{1F600}!"), b"??!");
        assert_eq!(&*encode(&"Ω".repeat(1000)), "?".repeat(1000).as_bytes());
        assert_eq!(CodePage::Windows1252.decode(&[0x80, 0xE9]), "€é");
    }

    #[test]
    fn a_collation_with_the_utf8_flag_is_utf8() {
        // Latin1_General_100_CI_AS_SC_UTF8.
        let utf8 = CodePage::from_collation([0x09, 0x04, 0xD0, 0x26, 0x00]);
        assert_eq!(utf8, CodePage::Utf8);
        assert_eq!(utf8.decode("α".as_bytes()), "α");
        assert_eq!(
            CodePage::from_collation(super::super::COLLATION),
            CodePage::Windows1252
        );
    }
}
