//! Compressed input is told by its first bytes and decompressed: gzip (RFC 1952, several members
//! too) and Zstandard (RFC 8878).

use flate2::read::MultiGzDecoder;
use std::io::{self, BufReader, Chain, Cursor, Read};
use thiserror::Error;

/// What [`Decompressor`] fails with, inside an [`io::Error`], where compressed bytes are broken or
/// end too early.
#[derive(Debug, Error)]
#[error("{format}: {error}")]
pub(super) struct Broken {
    /// `gzip` or `Zstandard`.
    pub(super) format: &'static str,
    /// What the decoder says.
    pub(super) error: io::Error,
}

/// Bytes as they come, decompressed where they are compressed.
pub(super) struct Decompressor<R: Read>(Option<State<R>>);

/// The bytes that were looked at, and all after them.
type Whole<R> = Chain<Cursor<Vec<u8>>, R>;

enum State<R: Read> {
    Start(R),
    Plain(Whole<R>),
    Gzip(Box<MultiGzDecoder<Whole<R>>>),
    Zstandard(Box<zstd::Decoder<'static, BufReader<Whole<R>>>>),
}

impl<R: Read> Decompressor<R> {
    pub(super) fn new(input: R) -> Self {
        Self(Some(State::Start(input)))
    }

    /// Reads no more bytes than it takes to tell, so that a short first line is not waited for.
    fn detect(mut input: R) -> io::Result<State<R>> {
        let mut head = Vec::with_capacity(4);
        let mut byte = [0_u8; 1];
        while could_be_compressed(&head) && head.len() < 4 {
            match input.read(&mut byte) {
                Ok(0) => break,
                Ok(_) => head.extend(byte),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        let format = Format::of(&head);
        let whole = Cursor::new(head).chain(input);
        Ok(match format {
            None => State::Plain(whole),
            Some(Format::Gzip) => State::Gzip(Box::new(MultiGzDecoder::new(whole))),
            Some(Format::Zstandard) => State::Zstandard(Box::new(zstd::Decoder::new(whole)?)),
        })
    }
}

enum Format {
    Gzip,
    Zstandard,
}

impl Format {
    fn of(head: &[u8]) -> Option<Self> {
        match head {
            [0x1F, 0x8B, ..] => Some(Self::Gzip),
            // A frame, or a skippable one, which pzstd writes first.
            [0x28, 0xB5, 0x2F, 0xFD] | [0x50..=0x5F, 0x2A, 0x4D, 0x18] => Some(Self::Zstandard),
            _ => None,
        }
    }
}

/// Whether more bytes can still make `head` the beginning of a compressed stream.
fn could_be_compressed(head: &[u8]) -> bool {
    matches!(
        head,
        [] | [0x1F | 0x28 | 0x50..=0x5F]
            | [0x28, 0xB5]
            | [0x28, 0xB5, 0x2F]
            | [0x50..=0x5F, 0x2A]
            | [0x50..=0x5F, 0x2A, 0x4D]
    )
}

impl<R: Read> Read for Decompressor<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        if matches!(self.0, Some(State::Start(_)))
            && let Some(State::Start(input)) = self.0.take()
        {
            self.0 = Some(Self::detect(input)?);
        }
        let broken = |format, error: io::Error| match error.kind() {
            io::ErrorKind::Interrupted => error,
            _ => io::Error::new(io::ErrorKind::InvalidData, Broken { format, error }),
        };
        match &mut self.0 {
            Some(State::Plain(input)) => input.read(buffer),
            Some(State::Gzip(input)) => input.read(buffer).map_err(|e| broken("gzip", e)),
            Some(State::Zstandard(input)) => input.read(buffer).map_err(|e| broken("Zstandard", e)),
            // Finding out what it is failed before.
            Some(State::Start(_)) | None => Ok(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Decompressor;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::{self, Read, Write};

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    fn zstandard(text: &[u8]) -> Vec<u8> {
        zstd::encode_all(text, 3).unwrap()
    }

    fn read(bytes: &[u8]) -> (Vec<u8>, io::Result<usize>) {
        let mut text = Vec::new();
        let result = Decompressor::new(bytes).read_to_end(&mut text);
        (text, result)
    }

    #[test]
    fn what_is_compressed_is_told_by_its_bytes_and_read_as_if_it_were_not() {
        let text = b"{\"kind\":\"round\"}\n".repeat(10_000);
        let skippable = [
            &[0x50, 0x2A, 0x4D, 0x18, 2, 0, 0, 0, 9, 9][..],
            &zstandard(&text),
        ];
        for bytes in [
            text.clone(),
            gzip(&text),
            zstandard(&text),
            skippable.concat(),
        ] {
            let (got, result) = read(&bytes);
            result.unwrap();
            assert!(got == text, "{:?}", &bytes[..4]);
        }
    }

    #[test]
    fn several_members_after_each_other_are_one_stream() {
        for compress in [gzip, zstandard] {
            let both = [compress(b"one\n"), compress(b"two\n")].concat();
            let (got, result) = read(&both);
            result.unwrap();
            assert_eq!(got, b"one\ntwo\n");
        }
    }

    #[test]
    fn a_cut_off_stream_gives_what_came_and_then_an_error_wherever_it_is_cut() {
        let text: Vec<u8> = (0..2_000_u32)
            .flat_map(|n| format!("{n:x}\n").into_bytes())
            .collect();
        for compress in [gzip, zstandard] {
            let whole = compress(&text);
            for cut in 4..whole.len() {
                let (got, result) = read(&whole[..cut]);
                let error = result.unwrap_err();
                assert_eq!(error.kind(), io::ErrorKind::InvalidData, "{cut}: {error}");
                assert!(text.starts_with(&got));
            }
        }
    }

    #[test]
    fn a_changed_byte_is_noticed() {
        let text: Vec<u8> = (0..2_000_u32)
            .flat_map(|n| format!("{n:x}\n").into_bytes())
            .collect();
        let mut bytes = gzip(&text);
        let middle = bytes.len() / 2;
        bytes[middle] ^= 0x10;
        assert!(read(&bytes).1.is_err());
    }

    #[test]
    fn short_inputs_that_begin_like_compressed_ones_lose_no_byte() {
        for text in [
            &b""[..],
            b"(",
            b"(\xB5",
            b"(\xB5/\n",
            b"P*\n",
            b"P*M\x19",
            b"\x1Fx",
        ] {
            assert_eq!(read(text).0, text);
        }
    }
}
