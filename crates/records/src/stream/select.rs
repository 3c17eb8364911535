//! Reading the records of a few kinds out of a stream that is mostly others.

use super::lines::{LineError, Lines};
use super::pass::{Upstream, parse};
use crate::Record;
use std::collections::BTreeMap;
use std::io::{self, Read};

/// What was in a stream of which only some kinds were read.
#[derive(Debug, Default)]
pub struct Selection {
    /// As far as every program needs it. Records that were skipped are not looked into: trial and
    /// target are those of the records that were read.
    pub upstream: Upstream,
    /// How many records of each kind there were, skipped ones too.
    pub seen: BTreeMap<&'static str, u64>,
}

/// Reads the records of the `wanted` kinds and every `error`; the others are counted.
///
/// A line that begins as writelog's programs write it (`{"kind":"snapshot",`) and ends with a
/// brace is told by its beginning and not read; every other line is read in full.
///
/// # Errors
/// Only where reading `input` fails; what cannot be read as a record is counted in the result.
pub fn read_selected(
    input: impl Read,
    wanted: &[&str],
    mut visit: impl FnMut(Record),
) -> io::Result<Selection> {
    let mut selection = Selection::default();
    let is_wanted = |kind: &str| kind == "error" || wanted.contains(&kind);
    let mut lines = Lines::new(input);
    loop {
        let line = match lines.next_line() {
            Ok(None) => return Ok(selection),
            Ok(Some(line)) => line,
            Err(error) => {
                let ends = matches!(error, LineError::Broken { .. });
                selection.upstream.note_bad(error.into_failure()?);
                if ends {
                    return Ok(selection);
                }
                continue;
            }
        };
        if let Some(kind) = kind_at_a_glance(line.bytes)
            && !is_wanted(kind)
        {
            *selection.seen.entry(kind).or_default() += 1;
            continue;
        }
        match parse(&line) {
            Ok(None) => {}
            Ok(Some(record)) => {
                *selection.seen.entry(record.kind()).or_default() += 1;
                if is_wanted(record.kind()) {
                    selection.upstream.note(&record);
                    visit(record);
                }
            }
            Err(failure) => selection.upstream.note_bad(failure),
        }
    }
}

/// The kind of a line that begins and ends as writelog's programs write it.
fn kind_at_a_glance(line: &[u8]) -> Option<&'static str> {
    let rest = line.strip_prefix(b"{\"kind\":\"")?;
    if line.trim_ascii_end().last() != Some(&b'}') {
        return None;
    }
    Record::KINDS.into_iter().find(|kind| {
        rest.strip_prefix(kind.as_bytes())
            .is_some_and(|rest| rest.starts_with(b"\","))
    })
}

#[cfg(test)]
mod tests {
    use super::read_selected;

    const ERROR: &str = r#"{"kind":"error","schema":1,"at":"2025-03-01T09:00:00Z","program":"p 1","code":"failed","message":"no"}"#;

    #[test]
    fn other_kinds_are_counted_however_they_are_written() {
        let input = format!(
            "{{\"kind\":\"snapshot\",\"not\":\"looked into\"}}\n\n{ERROR}\n{{\"kind\":\"new\"}}\n"
        );
        let mut seen = 0;
        let selection = read_selected(input.as_bytes(), &["round"], |_| seen += 1).unwrap();
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
        let input = "{\"kind\":\"snapshot\",\"files\":[";
        let selection = read_selected(input.as_bytes(), &["round"], |_| {}).unwrap();
        assert_eq!(selection.upstream.bad_lines, 1);
        assert!(selection.upstream.bad.unwrap().message.contains("cut off"));
    }
}
