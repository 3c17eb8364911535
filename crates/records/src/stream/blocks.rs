//! Input in blocks of whole lines, so that several threads can look for records at the same time.

use super::compressed::Decompressor;
use super::lines::{MAX_LINE_BYTES, Transcoder};
use std::io::{self, Read};

/// How many bytes of lines a block has about.
const BLOCK_BYTES: usize = 1 << 20;

/// The blocks of an input, in order.
pub(super) struct Blocks<R: Read> {
    input: Transcoder<Decompressor<R>>,
    /// The beginning of a line whose end has not come.
    rest: Vec<u8>,
    ended: bool,
    /// What was met after the lines that were handed out.
    then: Option<io::Error>,
}

/// A part of an input.
pub(super) enum Block {
    /// Whole lines; only the last one of an input may lack its `\n`.
    Lines(Vec<u8>),
    /// In place of a line that passes [`MAX_LINE_BYTES`].
    TooLong,
}

impl<R: Read> Blocks<R> {
    pub(super) fn new(input: R) -> Self {
        Self {
            input: Transcoder::new(Decompressor::new(input)),
            rest: Vec::new(),
            ended: false,
            then: None,
        }
    }

    /// The next block, in `buffer`, whose contents are forgotten; none at the end.
    ///
    /// # Errors
    /// Reading failed, or the input is compressed and broken. What came before the error was handed
    /// out, and nothing comes after it.
    pub(super) fn next_block(&mut self, mut buffer: Vec<u8>) -> io::Result<Option<Block>> {
        if let Some(error) = self.then.take() {
            self.ended = true;
            return Err(error);
        }
        if self.ended {
            return Ok(None);
        }
        buffer.clear();
        buffer.append(&mut self.rest);
        // No line ends before this place.
        let mut searched = 0;
        loop {
            let wanted = BLOCK_BYTES
                .saturating_sub(buffer.len())
                .max(BLOCK_BYTES / 4);
            let read = self
                .input
                .by_ref()
                .take(wanted as u64)
                .read_to_end(&mut buffer);
            let end = buffer
                .get(searched..)
                .and_then(|new| memchr::memrchr(b'\n', new))
                .map(|place| searched + place + 1);
            match (read, end) {
                (Err(error), end) => {
                    // A line whose end has not come is lost with what was to follow.
                    buffer.truncate(end.unwrap_or_default());
                    self.then = Some(error);
                    return if buffer.is_empty() {
                        self.next_block(buffer)
                    } else {
                        Ok(Some(Block::Lines(buffer)))
                    };
                }
                (Ok(0), _) => {
                    self.ended = true;
                    return Ok(match buffer.len() {
                        0 => None,
                        1..=MAX_LINE_BYTES => Some(Block::Lines(buffer)),
                        _ => Some(Block::TooLong),
                    });
                }
                (Ok(_), Some(end)) => {
                    // Only the first line can have come with several readings.
                    let new = buffer.get(searched..).unwrap_or_default();
                    let first = memchr::memchr(b'\n', new).map_or(end, |at| searched + at + 1);
                    if first > MAX_LINE_BYTES + 1 {
                        self.rest.extend(buffer.drain(first..));
                        return Ok(Some(Block::TooLong));
                    }
                    self.rest.extend(buffer.drain(end..));
                    return Ok(Some(Block::Lines(buffer)));
                }
                (Ok(_), None) if buffer.len() > MAX_LINE_BYTES => {
                    buffer.clear();
                    if let Err(error) = self.skip_rest_of_line(buffer) {
                        self.then = Some(error);
                    }
                    return Ok(Some(Block::TooLong));
                }
                (Ok(_), None) => searched = buffer.len(),
            }
        }
    }

    fn skip_rest_of_line(&mut self, mut buffer: Vec<u8>) -> io::Result<()> {
        loop {
            buffer.clear();
            let part = self.input.by_ref().take(BLOCK_BYTES as u64);
            if { part }.read_to_end(&mut buffer)? == 0 {
                self.ended = true;
                return Ok(());
            }
            if let Some(end) = memchr::memchr(b'\n', &buffer) {
                self.rest.extend(buffer.drain(end + 1..));
                return Ok(());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{BLOCK_BYTES, Block, Blocks};
    use crate::stream::lines::MAX_LINE_BYTES;
    use std::io::Read;

    /// 400,000 lines.
    fn numbers() -> String {
        let lines: Vec<String> = (0..400_000_u32).map(|n| n.to_string()).collect();
        lines.join("\n") + "\n"
    }

    /// All blocks; a line that is too long as none.
    fn all(input: impl Read) -> Vec<Option<String>> {
        let mut blocks = Blocks::new(input);
        let mut parts = Vec::new();
        while let Some(block) = blocks.next_block(Vec::new()).unwrap() {
            parts.push(match block {
                Block::Lines(bytes) => Some(String::from_utf8(bytes).unwrap()),
                Block::TooLong => None,
            });
        }
        parts
    }

    #[test]
    fn blocks_end_with_lines_and_together_are_the_input() {
        let text = numbers();
        let text = text + "cut off";
        let parts = all(text.as_bytes());
        assert!(parts.len() > 2, "{}", parts.len());
        let parts: Vec<String> = parts.into_iter().map(Option::unwrap).collect();
        let (last, before) = parts.split_last().unwrap();
        assert!(before.iter().all(|part| part.ends_with('\n')));
        assert!(last.ends_with("cut off"));
        assert_eq!(parts.concat(), text);
    }

    #[test]
    fn a_line_longer_than_a_block_is_one_block_and_one_beyond_the_limit_is_left_out() {
        let long = "x".repeat(3 * BLOCK_BYTES) + "\n";
        assert_eq!(all(long.as_bytes()), [Some(long.clone())]);
        let endless = std::io::repeat(b'x').take(MAX_LINE_BYTES as u64 + 5);
        let parts = all(b"a\n".chain(endless).chain(&b"\n{}\nb"[..]));
        let text: Vec<_> = parts.iter().map(|part| part.as_deref()).collect();
        assert_eq!(text, [Some("a\n"), None, Some("{}\nb")]);
    }

    #[test]
    fn what_came_before_damaged_data_is_handed_out_first() {
        let text = numbers();
        let mut bytes = zstd::encode_all(text.as_bytes(), 1).unwrap();
        bytes.truncate(bytes.len() / 2);
        let mut blocks = Blocks::new(&bytes[..]);
        let mut lines = 0;
        let error = loop {
            match blocks.next_block(Vec::new()) {
                Ok(Some(Block::Lines(bytes))) => {
                    lines += String::from_utf8(bytes).unwrap().lines().count();
                }
                Ok(_) => panic!("it is damaged"),
                Err(error) => break error,
            }
        };
        assert!(lines > 100_000, "{lines}");
        assert_eq!(error.kind(), std::io::ErrorKind::InvalidData);
        assert!(blocks.next_block(Vec::new()).unwrap().is_none());
    }
}
