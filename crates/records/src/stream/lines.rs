//! Input bytes become lines of UTF-8: what is compressed is decompressed, a BOM is taken off, UTF-16
//! is transcoded, CRLF is kept as it came (JSON allows the `\r`).

use super::compressed::{Broken, Decompressor};
use crate::{Failure, FailureCode};
use std::io::{self, BufRead, BufReader, Read};
use thiserror::Error;

/// The longest line that is read, in bytes of UTF-8. A snapshot of a server with a thousand files
/// is below one megabyte; what is longer is no record.
pub const MAX_LINE_BYTES: usize = 64 << 20;

/// Why a line could not be read.
#[derive(Debug, Error)]
pub enum LineError {
    /// Reading failed.
    #[error("reading the input failed: {0}")]
    Io(io::Error),
    /// Compressed input is broken or ends too early; there are no more lines.
    #[error("the {format} data cannot be read beyond line {line}: {error}")]
    Broken {
        /// `gzip` or `Zstandard`.
        format: &'static str,
        /// The last line that could be read, from 1; 0 where there is none.
        line: u64,
        /// What the decoder says.
        error: io::Error,
    },
    /// A line passes [`MAX_LINE_BYTES`].
    #[error("line {line} is longer than {} MiB", MAX_LINE_BYTES >> 20)]
    TooLong {
        /// Which, from 1.
        line: u64,
    },
}

impl LineError {
    /// Why the error says, as a failure of the input.
    ///
    /// # Errors
    /// It is not the input that is wrong: reading failed.
    pub fn into_failure(self) -> io::Result<Failure> {
        let failure = Failure::new(FailureCode::BadInput, self.to_string());
        Ok(match self {
            Self::Io(error) => return Err(error),
            Self::TooLong { line } => failure.input_line(line),
            Self::Broken { .. } => failure.remedy(
                "The records before it are good. The file is damaged or was not copied whole: \
                 compress or copy it again.",
            ),
        })
    }

    pub(super) fn of(error: io::Error, line: u64) -> Self {
        match error.downcast::<Broken>() {
            Ok(Broken { format, error }) => Self::Broken {
                format,
                line,
                error,
            },
            Err(error) => Self::Io(error),
        }
    }
}

/// The lines of an input, without their `\n`.
pub struct Lines<R: Read> {
    input: BufReader<Transcoder<Decompressor<R>>>,
    buffer: Vec<u8>,
    number: u64,
}

/// One line.
#[derive(Debug)]
pub struct Line<'a> {
    /// Its bytes, without the `\n`; valid UTF-8 is not promised.
    pub bytes: &'a [u8],
    /// Its number, from 1.
    pub number: u64,
    /// Whether its `\n` was there: false for a last line that may be cut off.
    pub complete: bool,
}

impl<R: Read> Lines<R> {
    /// Lines of `input`.
    pub fn new(input: R) -> Self {
        Self {
            input: BufReader::with_capacity(64 * 1024, Transcoder::new(Decompressor::new(input))),
            buffer: Vec::new(),
            number: 0,
        }
    }

    /// The next line, or none at the end.
    ///
    /// # Errors
    /// Reading failed, the input is compressed and broken, or the line is too long (the rest of it
    /// is then skipped).
    pub fn next_line(&mut self) -> Result<Option<Line<'_>>, LineError> {
        self.buffer.clear();
        let limit = u64::try_from(MAX_LINE_BYTES).unwrap_or(u64::MAX) + 1;
        let read = self
            .input
            .by_ref()
            .take(limit)
            .read_until(b'\n', &mut self.buffer)
            .map_err(|error| LineError::of(error, self.number))?;
        if read == 0 {
            return Ok(None);
        }
        self.number += 1;
        let complete = self.buffer.last() == Some(&b'\n');
        if complete {
            self.buffer.pop();
        } else if self.buffer.len() > MAX_LINE_BYTES {
            self.skip_rest_of_line()
                .map_err(|error| LineError::of(error, self.number))?;
            return Err(LineError::TooLong { line: self.number });
        }
        Ok(Some(Line {
            bytes: &self.buffer,
            number: self.number,
            complete,
        }))
    }

    /// Whether the next line would have to be waited for: all that has come was handed out.
    #[must_use]
    pub fn is_drained(&self) -> bool {
        self.input.buffer().is_empty()
    }

    fn skip_rest_of_line(&mut self) -> io::Result<()> {
        loop {
            let available = self.input.fill_buf()?;
            if available.is_empty() {
                return Ok(());
            }
            if let Some(end) = available.iter().position(|byte| *byte == b'\n') {
                self.input.consume(end + 1);
                return Ok(());
            }
            let all = available.len();
            self.input.consume(all);
        }
    }
}

/// Takes off a UTF-8 BOM and turns UTF-16 with a BOM (what Windows `PowerShell` writes) into UTF-8.
pub(super) struct Transcoder<R> {
    input: R,
    state: State,
    pending: Vec<u8>,
    given: usize,
}

enum State {
    Start,
    Plain,
    Utf16(Box<encoding_rs::Decoder>),
    Ended,
}

impl<R: Read> Transcoder<R> {
    pub(super) fn new(input: R) -> Self {
        Self {
            input,
            state: State::Start,
            pending: Vec::new(),
            given: 0,
        }
    }

    fn detect(&mut self) -> io::Result<()> {
        let mut head = Vec::with_capacity(3);
        let mut byte = [0_u8; 1];
        while head.len() < 3 && could_be_bom(&head) && self.read_retrying(&mut byte)? == 1 {
            head.push(byte[0]);
        }
        self.state = match head.as_slice() {
            [0xEF, 0xBB, 0xBF] => {
                head.clear();
                State::Plain
            }
            [0xFF, 0xFE, ..] => {
                head.drain(..2);
                State::Utf16(Box::new(
                    encoding_rs::UTF_16LE.new_decoder_without_bom_handling(),
                ))
            }
            [0xFE, 0xFF, ..] => {
                head.drain(..2);
                State::Utf16(Box::new(
                    encoding_rs::UTF_16BE.new_decoder_without_bom_handling(),
                ))
            }
            _ => State::Plain,
        };
        if matches!(self.state, State::Utf16(_)) {
            self.decode(&head, false);
        } else {
            self.pending = head;
        }
        Ok(())
    }

    fn read_retrying(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.input.read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => return other,
            }
        }
    }

    fn decode(&mut self, bytes: &[u8], last: bool) {
        let State::Utf16(decoder) = &mut self.state else {
            return;
        };
        let mut text = String::with_capacity(
            decoder
                .max_utf8_buffer_length(bytes.len())
                .unwrap_or(bytes.len() * 3 + 16),
        );
        let _ = decoder.decode_to_string(bytes, &mut text, last);
        self.pending = text.into_bytes();
        self.given = 0;
    }
}

/// Whether more bytes can still make `head` a byte-order mark.
fn could_be_bom(head: &[u8]) -> bool {
    matches!(head, [] | [0xEF | 0xFF | 0xFE] | [0xEF, 0xBB])
}

impl<R: Read> Read for Transcoder<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        if matches!(self.state, State::Start) {
            self.detect()?;
        }
        loop {
            if let Some(rest) = self
                .pending
                .get(self.given..)
                .filter(|rest| !rest.is_empty())
            {
                let count = rest.len().min(buffer.len());
                buffer[..count].copy_from_slice(&rest[..count]);
                self.given += count;
                return Ok(count);
            }
            match self.state {
                State::Ended => return Ok(0),
                State::Utf16(_) => {
                    let mut raw = [0_u8; 16 * 1024];
                    let read = self.read_retrying(&mut raw)?;
                    self.decode(&raw[..read], read == 0);
                    if read == 0 {
                        self.state = State::Ended;
                    }
                }
                State::Start | State::Plain => return self.read_retrying(buffer),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{LineError, Lines, MAX_LINE_BYTES};
    use std::io::Read;

    fn all(input: impl Read) -> Vec<(String, bool)> {
        let mut lines = Lines::new(input);
        let mut out = Vec::new();
        while let Some(line) = lines.next_line().unwrap() {
            out.push((
                String::from_utf8(line.bytes.to_vec()).unwrap(),
                line.complete,
            ));
        }
        out
    }

    fn utf16(text: &str, little: bool) -> Vec<u8> {
        let units = std::iter::once(0xFEFF).chain(text.encode_utf16());
        units
            .flat_map(|unit| {
                if little {
                    unit.to_le_bytes()
                } else {
                    unit.to_be_bytes()
                }
            })
            .collect()
    }

    #[test]
    fn a_utf8_bom_is_taken_off_and_crlf_stays() {
        let lines = all(&b"\xEF\xBB\xBF{\"a\":1}\r\n\n{}"[..]);
        assert_eq!(
            lines,
            [
                ("{\"a\":1}\r".to_owned(), true),
                (String::new(), true),
                ("{}".to_owned(), false)
            ]
        );
    }

    #[test]
    fn utf16_of_both_orders_reads_like_utf8_even_byte_by_byte() {
        struct OneByte<'a>(&'a [u8]);
        impl Read for OneByte<'_> {
            fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
                let count = self.0.len().min(1).min(buffer.len());
                buffer[..count].copy_from_slice(&self.0[..count]);
                self.0 = &self.0[count..];
                Ok(count)
            }
        }
        let text = "{\"name\":\"größe 😀\"}\r\n{}\n";
        for little in [true, false] {
            let bytes = utf16(text, little);
            let expected = [
                ("{\"name\":\"größe 😀\"}\r".to_owned(), true),
                ("{}".to_owned(), true),
            ];
            assert_eq!(all(&bytes[..]), expected);
            assert_eq!(all(OneByte(&bytes)), expected);
        }
    }

    #[test]
    fn short_inputs_that_begin_like_a_bom_lose_no_byte() {
        for input in [&b"\xEF"[..], b"\xEF\xBB", b"\xFFx\n", b""] {
            let mut lines = Lines::new(input);
            let mut got = Vec::new();
            while let Some(line) = lines.next_line().unwrap() {
                got.extend_from_slice(line.bytes);
                if line.complete {
                    got.push(b'\n');
                }
            }
            assert_eq!(got, input);
        }
    }

    #[test]
    fn a_line_without_end_is_refused_and_the_next_one_is_read() {
        let long = std::io::repeat(b'x').take(MAX_LINE_BYTES as u64 + 5);
        let mut lines = Lines::new(long.chain(&b"\n{}\n"[..]));
        assert!(matches!(
            lines.next_line(),
            Err(LineError::TooLong { line: 1 })
        ));
        assert_eq!(lines.next_line().unwrap().unwrap().bytes, b"{}");
    }
}
