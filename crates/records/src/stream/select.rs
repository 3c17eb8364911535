//! Reading the records of a few kinds out of a stream that is mostly others, on all processors.

use super::blocks::{Block, Blocks};
use super::lines::{Line, LineError};
use super::pass::{Upstream, parse};
use crate::{Failure, FailureCode, Record};
use memchr::memmem::Finder;
use std::collections::BTreeMap;
use std::io::{self, Read};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::{Scope, available_parallelism, scope};

/// Threads that look for records, at most: one thread reads for all of them.
const MOST_THREADS: usize = 8;

/// Blocks that one thread has before it or behind it, at most.
const BLOCKS_A_THREAD: usize = 4;

/// How a record begins as writelog's programs write it.
const BEGINNING: &[u8] = b"{\"kind\":\"";

/// What was in a stream of which only some kinds were read.
#[derive(Debug, Default)]
pub struct Selection {
    /// As far as every program needs it. Records that were skipped are not looked into: trial and
    /// target are those of the records that were read.
    pub upstream: Upstream,
    /// How many records of each kind there were, skipped ones too.
    pub seen: BTreeMap<&'static str, u64>,
}

/// A kind of which there are too many to keep: it is added up block by block.
pub struct Fold<'a, P> {
    /// The kind.
    pub kind: &'static str,
    /// Adds a line to the sum of its block; false where it cannot be read.
    pub add: &'a (dyn Fn(&mut P, &[u8]) -> bool + Sync),
}

/// What was found, block by block in the order of the stream: the sum of a block before its records.
pub enum Found<P> {
    /// A record of a wanted kind, or an `error`.
    Record(Record),
    /// The sum of a block.
    Sum(P),
}

/// Reads the records of the `wanted` kinds and every `error`, and adds one kind up; the others are
/// counted.
///
/// A line that begins as writelog's programs write it (`{"kind":"snapshot",`), has no second such
/// beginning and ends with a brace is told by its beginning and not read; every other line is read
/// in full. Memory is that of a few blocks, whatever the length of the stream.
///
/// # Errors
/// Only where reading `input` fails; what cannot be read as a record is counted in the result.
pub fn read_selected<P: Default + Send>(
    input: impl Read,
    wanted: &[&str],
    fold: Option<&Fold<P>>,
    visit: impl FnMut(Found<P>),
) -> io::Result<Selection> {
    let mut blocks = Blocks::new(input);
    let look = Look {
        wanted,
        fold,
        beginning: Finder::new(BEGINNING),
    };
    let mut merge = Merge {
        selection: Selection::default(),
        lines: 0,
        visit,
    };
    let threads = available_parallelism().map_or(1, usize::from);
    scope(|scope| {
        let looking: Vec<Looking<P>> = (0..threads.min(MOST_THREADS))
            .map(|_| Looking::begin(scope, &look))
            .collect();
        // Blocks go to the threads in turn, so that their sums come back in order.
        let mut turns = looking.iter().cycle();
        let mut returns = looking.iter().cycle();
        let mut under_way = 0;
        let mut buffer = Vec::new();
        loop {
            let block = blocks.next_block(std::mem::take(&mut buffer));
            if let Ok(Some(Block::Lines(bytes))) = block {
                if let Some(thread) = turns.next() {
                    thread.give(bytes)?;
                    under_way += 1;
                }
                if under_way == looking.len() * BLOCKS_A_THREAD
                    && let Some(thread) = returns.next()
                {
                    buffer = merge.add(thread.take()?);
                    under_way -= 1;
                }
                continue;
            }
            for thread in returns.by_ref().take(std::mem::take(&mut under_way)) {
                merge.add(thread.take()?);
            }
            match block {
                Ok(None) => return Ok(merge.selection),
                Ok(Some(_)) => {
                    merge.lines += 1;
                    merge.bad(LineError::TooLong { line: merge.lines })?;
                }
                Err(error) => merge.bad(LineError::of(error, merge.lines))?,
            }
        }
    })
}

/// One thread that looks through blocks.
struct Looking<P> {
    blocks: SyncSender<Vec<u8>>,
    parts: Receiver<Part<P>>,
}

impl<P: Default + Send> Looking<P> {
    fn begin<'scope, 'env>(scope: &'scope Scope<'scope, 'env>, look: &'scope Look<'env, P>) -> Self
    where
        P: 'scope,
    {
        let (blocks, given) = sync_channel::<Vec<u8>>(BLOCKS_A_THREAD);
        let (done, parts): (Sender<Part<P>>, _) = channel();
        scope.spawn(move || {
            for block in given {
                if done.send(look.through(block)).is_err() {
                    return;
                }
            }
        });
        Self { blocks, parts }
    }

    fn give(&self, block: Vec<u8>) -> io::Result<()> {
        self.blocks.send(block).map_err(|_| lost())
    }

    fn take(&self) -> io::Result<Part<P>> {
        self.parts.recv().map_err(|_| lost())
    }
}

/// A thread that panicked has said why on standard error.
fn lost() -> io::Error {
    io::Error::other("a thread that reads records ended early; this is a defect, please report it")
}

/// What is looked for.
struct Look<'a, P> {
    wanted: &'a [&'a str],
    fold: Option<&'a Fold<'a, P>>,
    beginning: Finder<'static>,
}

/// What was in one block.
struct Part<P> {
    bytes: Vec<u8>,
    lines: u64,
    records: Vec<Record>,
    sum: Option<P>,
    /// As [`Record::KINDS`].
    seen: [u64; Record::KINDS.len()],
    /// The first line that cannot be read.
    bad: Option<BadLine>,
    bad_lines: u64,
}

struct BadLine {
    /// In the block, from 1.
    number: u64,
    bytes: Vec<u8>,
    complete: bool,
}

impl<P: Default> Look<'_, P> {
    fn is_wanted(&self, kind: &str) -> bool {
        kind == "error" || self.wanted.contains(&kind)
    }

    fn through(&self, bytes: Vec<u8>) -> Part<P> {
        let mut part = Part {
            bytes: Vec::new(),
            lines: 0,
            records: Vec::new(),
            sum: None,
            seen: [0; Record::KINDS.len()],
            bad: None,
            bad_lines: 0,
        };
        let mut rest = bytes.as_slice();
        while !rest.is_empty() {
            let end = memchr::memchr(b'\n', rest);
            let (line, after) = rest.split_at(end.unwrap_or(rest.len()));
            rest = after.get(1..).unwrap_or_default();
            part.lines += 1;
            let line = Line {
                bytes: line,
                number: part.lines,
                complete: end.is_some(),
            };
            self.at(&line, &mut part);
        }
        part.bytes = bytes;
        part
    }

    fn at(&self, line: &Line, part: &mut Part<P>) {
        if let Some(kind) = kind_at_a_glance(line.bytes) {
            if let Some(fold) = self.fold.filter(|fold| fold.kind == kind) {
                if (fold.add)(part.sum.get_or_insert_default(), line.bytes) {
                    part.count(kind);
                } else {
                    part.bad(line);
                }
                return;
            }
            if !self.is_wanted(kind) && self.has_one_beginning(line.bytes) {
                part.count(kind);
                return;
            }
        }
        match parse(line) {
            Ok(None) => {}
            Ok(Some(record)) => {
                let kind = record.kind();
                if let Some(fold) = self.fold.filter(|fold| fold.kind == kind) {
                    // Written otherwise than we write it.
                    if !(fold.add)(part.sum.get_or_insert_default(), line.bytes) {
                        return part.bad(line);
                    }
                }
                part.count(kind);
                if self.is_wanted(kind) {
                    part.records.push(record);
                }
            }
            Err(_) => part.bad(line),
        }
    }

    /// Whether no second record begins in the line, as one does that was written after a record that
    /// was cut off.
    fn has_one_beginning(&self, line: &[u8]) -> bool {
        line.get(1..)
            .is_none_or(|rest| self.beginning.find(rest).is_none())
    }
}

impl<P> Part<P> {
    fn count(&mut self, kind: &str) {
        let place = Record::KINDS.iter().position(|known| *known == kind);
        if let Some(count) = place.and_then(|place| self.seen.get_mut(place)) {
            *count += 1;
        }
    }

    fn bad(&mut self, line: &Line) {
        self.bad_lines += 1;
        self.bad.get_or_insert_with(|| BadLine {
            number: line.number,
            bytes: line.bytes.to_vec(),
            complete: line.complete,
        });
    }
}

/// The kind of a line that begins and ends as writelog's programs write it.
fn kind_at_a_glance(line: &[u8]) -> Option<&str> {
    let rest = line.strip_prefix(BEGINNING)?;
    if line.trim_ascii_end().last() != Some(&b'}') {
        return None;
    }
    let end = rest
        .iter()
        .position(|byte| !byte.is_ascii_lowercase() && *byte != b'_')?;
    let (kind, after) = rest.split_at(end);
    if !after.starts_with(b"\",") {
        return None;
    }
    str::from_utf8(kind).ok()
}

/// Puts together what the threads found.
struct Merge<F> {
    selection: Selection,
    /// How many lines there were so far.
    lines: u64,
    visit: F,
}

impl<F> Merge<F> {
    /// Gives the block's memory back.
    fn add<P>(&mut self, part: Part<P>) -> Vec<u8>
    where
        F: FnMut(Found<P>),
    {
        for (kind, count) in Record::KINDS.into_iter().zip(part.seen) {
            if count > 0 {
                *self.selection.seen.entry(kind).or_default() += count;
            }
        }
        if let Some(sum) = part.sum {
            (self.visit)(Found::Sum(sum));
        }
        for record in part.records {
            self.selection.upstream.note(&record);
            (self.visit)(Found::Record(record));
        }
        if let Some(bad) = part.bad {
            let number = self.lines + bad.number;
            let line = Line {
                bytes: &bad.bytes,
                number,
                complete: bad.complete,
            };
            let failure = parse(&line).err().unwrap_or_else(|| {
                let message = format!("line {number} of the input cannot be read");
                Failure::new(FailureCode::BadInput, message).input_line(number)
            });
            self.selection.upstream.note_bad(failure);
            self.selection.upstream.bad_lines += part.bad_lines - 1;
        }
        self.lines += part.lines;
        part.bytes
    }

    fn bad(&mut self, error: LineError) -> io::Result<()> {
        let failure = error.into_failure()?;
        self.selection.upstream.note_bad(failure);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Fold, Found, Selection, read_selected};
    use crate::Record;
    use std::fmt::Write;

    const ERROR: &str = r#"{"kind":"error","schema":1,"at":"2025-03-01T09:00:00Z","program":"p 1","code":"failed","message":"no"}"#;

    fn read(input: &str, visit: impl FnMut(Found<u64>)) -> Selection {
        read_selected(input.as_bytes(), &["round"], None, visit).unwrap()
    }

    #[test]
    fn other_kinds_are_counted_however_they_are_written() {
        let input = format!(
            "{{\"kind\":\"snapshot\",\"not\":\"looked into\"}}\n\n{ERROR}\n{{\"kind\":\"new\"}}\n\
             {{\"kind\":\"sample\",\"n\":1}}\n"
        );
        let mut seen = 0;
        let selection = read(&input, |_| seen += 1);
        assert_eq!(seen, 1);
        assert_eq!(
            selection.seen.into_iter().collect::<Vec<_>>(),
            [("error", 1), ("snapshot", 1)]
        );
        assert!(selection.upstream.error.is_some());
        assert_eq!(selection.upstream.bad_lines, 0);
    }

    #[test]
    fn a_skipped_kind_that_is_cut_off_is_still_noticed() {
        let selection = read("{\"kind\":\"snapshot\",\"files\":[", |_| {});
        assert_eq!(selection.upstream.bad_lines, 1);
        assert!(selection.upstream.bad.unwrap().message.contains("cut off"));
    }

    #[test]
    fn a_record_behind_one_that_was_cut_off_is_not_skipped_with_it() {
        for kind in ["snapshot", "sample"] {
            let input = format!("{ERROR}\n{{\"kind\":\"{kind}\",\"files\":[{ERROR}\n");
            let bad = read(&input, |_| {}).upstream.bad.unwrap();
            assert_eq!(bad.input_line, Some(2), "{kind}");
        }
    }

    #[test]
    fn blocks_are_put_together_in_order_and_lines_counted_over_all_of_them() {
        let mut input = String::new();
        let lines = 60_000;
        for line in 1..=lines {
            if line % 1000 == 0 && line < lines {
                let _ = writeln!(input, "{}", ERROR.replace("no", &line.to_string()));
            } else if line == 43_210 || line > lines - 3 {
                input += "garbage\n";
            } else {
                let pad = "x".repeat(line % 90);
                let _ = writeln!(
                    input,
                    "{{\"kind\":\"interval\",\"n\":{line},\"pad\":\"{pad}\"}}"
                );
            }
        }
        assert!(input.len() > 4 << 20);
        let add = |sum: &mut u64, line: &[u8]| {
            *sum += 1;
            line.starts_with(b"{\"kind\":\"interval\"")
        };
        let fold = Fold {
            kind: "interval",
            add: &add,
        };
        let (mut sums, mut folded, mut errors) = (0, 0, Vec::new());
        let selection = read_selected(input.as_bytes(), &[], Some(&fold), |found| match found {
            Found::Sum(sum) => {
                sums += 1;
                folded += sum;
            }
            Found::Record(Record::Error(error)) => errors.push(error.message),
            Found::Record(other) => panic!("{other:?}"),
        })
        .unwrap();
        let expected: Vec<String> = (1..60).map(|n| (n * 1000).to_string()).collect();
        assert_eq!(errors, expected);
        assert!(sums > 3, "{sums}");
        // 59 errors and four lines of garbage.
        assert_eq!(folded, 60_000 - 59 - 4);
        assert_eq!(selection.seen["interval"], folded);
        let bad = selection.upstream.bad.unwrap();
        assert_eq!(
            (bad.input_line, selection.upstream.bad_lines),
            (Some(43_210), 4)
        );
    }
}
