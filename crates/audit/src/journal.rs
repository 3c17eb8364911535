//! Reading the journal of acknowledgements.

use crate::ledger::Ledger;
use records::{Acknowledgement, Failure, FailureCode, JournalHeader};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

/// A journal that was read.
#[derive(Debug)]
pub struct Journal {
    /// What it says of itself.
    pub header: JournalHeader,
    /// Every acknowledgement.
    pub ledger: Ledger,
    /// Whether its last line was cut off: that acknowledgement does not count.
    pub torn: bool,
}

/// Reads a journal from its file.
///
/// # Errors
/// The file cannot be read or is no journal, see [`read`].
pub fn open(path: &Path) -> Result<Journal, Failure> {
    let name = path.display().to_string();
    let file = File::open(path).map_err(|error| {
        bad(format!("the journal {name} cannot be opened: {error}"))
            .remedy("loadgen --journal FILE writes one; name it with --journal.")
    })?;
    read(&name, BufReader::new(file))
}

/// Reads a journal.
///
/// # Errors
/// It has no header, a line is no acknowledgement, or a worker's commits do not follow each other.
/// A last line that was cut off is no error.
pub fn read(name: &str, mut input: impl BufRead) -> Result<Journal, Failure> {
    let mut lines = Lines {
        name,
        input: &mut input,
        line: Vec::new(),
        number: 0,
    };
    let header = match lines.next()? {
        Some(Line::Whole(line)) => header(name, line)?,
        Some(Line::Torn) | None => {
            return Err(bad(format!("the journal {name} has no head"))
                .remedy("loadgen was stopped before it began; nothing was sent."));
        }
    };
    let mut ledger = Ledger::new(header.workers);
    let mut torn = false;
    while let Some(line) = lines.next()? {
        let Line::Whole(line) = line else {
            torn = true;
            break;
        };
        let acknowledgement: Option<Acknowledgement> = std::str::from_utf8(line)
            .ok()
            .and_then(|line| line.parse().ok());
        let why = match acknowledgement {
            None => Some("is no acknowledgement".to_owned()),
            Some(acknowledgement) => ledger.acknowledge(acknowledgement).err(),
        };
        if let Some(why) = why {
            let number = lines.number;
            return Err(bad(format!("line {number} of the journal {name} {why}"))
                .input_line(number)
                .remedy("A journal is of one run of loadgen, and nobody else writes into it."));
        }
    }
    Ok(Journal {
        header,
        ledger,
        torn,
    })
}

fn header(name: &str, line: &[u8]) -> Result<JournalHeader, Failure> {
    let header: JournalHeader = serde_json::from_slice(line).map_err(|error| {
        bad(format!(
            "{name} is no journal: its first line is no head ({error})"
        ))
        .remedy("loadgen --journal FILE writes one.")
    })?;
    if !header.is_readable() {
        return Err(bad(format!(
            "the journal {name} is of version {}, newer than this program",
            header.journal
        ))
        .remedy("Read it with the writelog version that wrote it, or a newer one."));
    }
    Ok(header)
}

fn bad(message: String) -> Failure {
    Failure::new(FailureCode::BadInput, message)
}

struct Lines<'a, R> {
    name: &'a str,
    input: &'a mut R,
    line: Vec<u8>,
    number: u64,
}

enum Line<'a> {
    /// Without its newline.
    Whole(&'a [u8]),
    /// It has none.
    Torn,
}

impl<R: BufRead> Lines<'_, R> {
    fn next(&mut self) -> Result<Option<Line<'_>>, Failure> {
        self.line.clear();
        let read = self
            .input
            .read_until(b'\n', &mut self.line)
            .map_err(|error| bad(format!("reading the journal {} failed: {error}", self.name)))?;
        if read == 0 {
            return Ok(None);
        }
        self.number += 1;
        Ok(Some(match self.line.strip_suffix(b"\n") {
            Some(line) => Line::Whole(line),
            None => Line::Torn,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::{Journal, read};
    use records::Failure;

    const HEAD: &str = r#"{"journal":1,"at":"2025-03-01T09:00:00Z","trial":null,"target":null,"table":"dbo.commits","workers":2,"durability":"delayed"}"#;

    fn journal(lines: &str) -> Result<Journal, Failure> {
        read("acks", format!("{HEAD}\n{lines}").as_bytes())
    }

    #[test]
    fn every_whole_line_is_an_acknowledgement() {
        let journal = journal("1 1 10\n2 1 12\n1 2 15\n").unwrap();
        assert_eq!(journal.ledger.acknowledged(), 3);
        assert!(!journal.torn);
    }

    #[test]
    fn a_last_line_that_was_cut_off_does_not_count_wherever_the_cut_is() {
        let whole = "1 1 10\n2 1 12\n1 2 15\n";
        for cut in 1.."1 2 15".len() {
            let lines = &whole[..whole.len() - 1 - cut];
            let journal = journal(lines).unwrap();
            assert_eq!(journal.ledger.acknowledged(), 2, "{lines:?}");
            assert!(journal.torn, "{lines:?}");
        }
        // Cut between lines it cannot be told from a journal that ends there.
        assert!(!journal("1 1 10\n2 1 12\n").unwrap().torn);
        assert!(journal("1 1 10\n2 1 12\n1 2 15").unwrap().torn);
    }

    #[test]
    fn what_cannot_be_of_one_run_is_refused_by_its_line() {
        for (lines, line, says) in [
            ("1 1 10\nnonsense\n", 3, "no acknowledgement"),
            ("1 1 10\n\n1 2 11\n", 3, "no acknowledgement"),
            ("1 1 10\n1 3 11\n", 3, "commit 3"),
            ("1 1 10\n1 1 11\n", 3, "commit 1"),
            ("3 1 10\n", 2, "worker 3"),
            ("0 1 10\n", 2, "worker 0"),
            ("1 1 10\n1 2 9\n", 3, "earlier"),
        ] {
            let refused = journal(lines).unwrap_err();
            assert_eq!(refused.input_line, Some(line), "{lines:?}");
            assert!(refused.message.contains(says), "{lines:?}: {refused}");
        }
    }

    #[test]
    fn without_its_head_it_is_no_journal() {
        for (text, says) in [
            ("", "no head"),
            (&HEAD[..40], "no head"),
            ("1 1 10\n", "no journal"),
            ("{}\n", "no journal"),
        ] {
            let refused = read("acks", text.as_bytes()).unwrap_err();
            assert!(refused.message.contains(says), "{text:?}: {refused}");
        }
        let newer = HEAD.replace("\"journal\":1", "\"journal\":9") + "\n";
        assert!(
            read("acks", newer.as_bytes())
                .unwrap_err()
                .message
                .contains("version 9")
        );
    }
}
