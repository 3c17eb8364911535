//! A reader of payload bytes that checks every bound.

use crate::{Error, Result};

/// Reads little-endian numbers and UTF-16 texts off a slice.
#[derive(Debug)]
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    pub(crate) fn peek(&self) -> Option<u8> {
        self.rest.first().copied()
    }

    pub(crate) fn bytes(&mut self, length: usize) -> Result<&'a [u8]> {
        let (head, tail) = self.rest.split_at_checked(length).ok_or_else(|| {
            Error::protocol(format!(
                "a message ends {} bytes before the end of a field",
                length.saturating_sub(self.rest.len())
            ))
        })?;
        self.rest = tail;
        Ok(head)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let (head, tail) = self.rest.split_first_chunk::<N>().ok_or_else(|| {
            Error::protocol("a message ends in the middle of a field of fixed size")
        })?;
        self.rest = tail;
        Ok(*head)
    }

    pub(crate) fn u8(&mut self) -> Result<u8> {
        Ok(u8::from_le_bytes(self.array()?))
    }

    pub(crate) fn u16(&mut self) -> Result<u16> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    pub(crate) fn u32(&mut self) -> Result<u32> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    pub(crate) fn u64(&mut self) -> Result<u64> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    /// A length field of four bytes.
    pub(crate) fn length32(&mut self) -> Result<usize> {
        usize::try_from(self.u32()?).map_err(|_| Error::protocol("a length is out of range"))
    }

    /// A text of so many UTF-16 code units.
    pub(crate) fn utf16(&mut self, units: usize) -> Result<String> {
        let length = units
            .checked_mul(2)
            .ok_or_else(|| Error::protocol("a length is out of range"))?;
        Ok(utf16_to_string(self.bytes(length)?))
    }

    /// A text of so many bytes of UTF-16.
    pub(crate) fn utf16_bytes(&mut self, length: usize) -> Result<String> {
        let bytes = self.bytes(length)?;
        if !length.is_multiple_of(2) {
            return Err(Error::protocol("a UTF-16 text has an odd number of bytes"));
        }
        Ok(utf16_to_string(bytes))
    }

    /// All that is left.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// All that is left, as UTF-16.
    pub(crate) fn rest_as_utf16(&mut self) -> Result<String> {
        self.utf16_bytes(self.rest.len())
    }
}

/// Little-endian UTF-16 to a string; a lone surrogate becomes U+FFFD.
pub(crate) fn utf16_to_string(bytes: &[u8]) -> String {
    let (pairs, _) = bytes.as_chunks::<2>();
    // No way out of the loop, and bytes instead of characters: the compiler makes both wide.
    let beyond_ascii = pairs
        .iter()
        .fold(0, |seen, [low, high]| seen | high | low & 0x80);
    if beyond_ascii == 0 {
        let ascii = pairs.iter().map(|[low, _]| *low).collect();
        if let Ok(text) = String::from_utf8(ascii) {
            return text;
        }
    }
    char::decode_utf16(pairs.iter().map(|pair| u16::from_le_bytes(*pair)))
        .map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_little_endian_and_bounds_are_checked() {
        let mut reader = Reader::new(&[1, 2, 0, 3, 0, 0, 0, 9]);
        assert_eq!(reader.u8().unwrap(), 1);
        assert_eq!(reader.u16().unwrap(), 2);
        assert_eq!(reader.u32().unwrap(), 3);
        assert!(reader.u16().is_err());
        assert_eq!(reader.u8().unwrap(), 9);
        assert!(reader.is_empty());
    }

    #[test]
    fn a_length_beyond_the_message_is_an_error_and_allocates_nothing() {
        let mut reader = Reader::new(&[b'a', 0]);
        assert!(reader.utf16(usize::MAX).is_err());
        assert!(reader.utf16(1 << 40).is_err());
        assert_eq!(reader.utf16(1).unwrap(), "a");
    }

    #[test]
    fn utf16_keeps_supplementary_characters_and_replaces_lone_surrogates() {
        // U+1F600 is D83D DE00.
        assert_eq!(utf16_to_string(&[0x3D, 0xD8, 0x00, 0xDE]), "\u{1F600}");
        assert_eq!(utf16_to_string(&[0x3D, 0xD8, 0x41, 0x00]), "\u{FFFD}A");
    }
}
