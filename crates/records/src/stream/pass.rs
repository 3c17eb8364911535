//! A filter's first half: pass every line on and remember what the filter needs.

use super::lines::{Line, LineError, Lines};
use crate::{ErrorRecord, Failure, FailureCode, Header, Record, SCHEMA, Target, Trial};
use serde::Deserialize;
use std::fs::File;
use std::io::{self, IsTerminal, Read, Write};
use std::path::PathBuf;

/// The flag of every filter that can also begin a pipeline.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct InputArgs {
    /// Do not read standard input: be the first stage. (A terminal is never read.)
    #[arg(short = 'n', long)]
    pub no_input: bool,
}

impl InputArgs {
    /// The input to read: standard input, or nothing where it is a terminal or `--no-input` was
    /// given.
    #[must_use]
    pub fn open(&self) -> Box<dyn Read> {
        if self.no_input || io::stdin().is_terminal() {
            Box::new(io::empty())
        } else {
            Box::new(io::stdin().lock())
        }
    }
}

/// What came from upstream, as far as every stage needs it.
#[derive(Debug, Default)]
pub struct Upstream {
    /// The trial of the last record that had one.
    pub trial: Option<Trial>,
    /// The target of the last record that had one.
    pub target: Option<Target>,
    /// The first `error` record.
    pub error: Option<ErrorRecord>,
    /// The first line that could not be read.
    pub bad: Option<Failure>,
    /// How many lines could not be read.
    pub bad_lines: u64,
    /// How many records were read.
    pub records: u64,
}

impl Upstream {
    /// Fails where the stage must not act: an error record or an unreadable line came.
    ///
    /// # Errors
    /// The failure, with the code of the exit status.
    pub fn check(&self) -> Result<(), Failure> {
        if let Some(bad) = &self.bad {
            return Err(bad.clone());
        }
        if let Some(error) = &self.error {
            return Err(Failure::new(
                FailureCode::Upstream,
                format!("{} failed before: {}", error.header.program, error.message),
            )
            .remedy("Nothing was done here. Mend what failed first and run the pipeline again."));
        }
        Ok(())
    }

    pub(super) fn note(&mut self, record: &Record) {
        self.records += 1;
        let header = record.header();
        if header.trial.is_some() {
            self.trial.clone_from(&header.trial);
        }
        if header.target.is_some() {
            self.target.clone_from(&header.target);
        }
        if let Record::Error(error) = record
            && self.error.is_none()
        {
            self.error = Some((**error).clone());
        }
    }

    pub(super) fn note_bad(&mut self, failure: Failure) {
        self.bad_lines += 1;
        self.bad.get_or_insert(failure);
    }
}

/// Passes every line of `input` on to `output`, byte for byte and as it comes, and shows each
/// record to `visit`. Lines of kinds that this version does not know are passed on unseen.
///
/// A line that cannot be read is held back and an `error` record of `program` stands in its
/// place, so that what follows stays a stream; the first such failure is in [`Upstream::bad`].
///
/// # Errors
/// Only where writing to `output` or reading `input` fails.
pub fn pass_on(
    program: &str,
    input: impl Read,
    output: &mut impl Write,
    mut visit: impl FnMut(Record),
) -> io::Result<Upstream> {
    let mut upstream = Upstream::default();
    let mut lines = Lines::new(input);
    loop {
        match lines.next_line() {
            Ok(None) => break,
            Ok(Some(line)) => match parse(&line) {
                Ok(record) => {
                    output.write_all(line.bytes)?;
                    output.write_all(b"\n")?;
                    if let Some(record) = record {
                        upstream.note(&record);
                        visit(record);
                    }
                }
                Err(failure) => {
                    write_failure(program, output, &failure)?;
                    upstream.note_bad(failure);
                }
            },
            Err(error) => {
                let ends = matches!(error, LineError::Broken { .. });
                let failure = error.into_failure()?;
                write_failure(program, output, &failure)?;
                upstream.note_bad(failure);
                if ends {
                    break;
                }
            }
        }
        if lines.is_drained() {
            output.flush()?;
        }
    }
    output.flush()?;
    Ok(upstream)
}

/// Reads records without passing them on.
///
/// # Errors
/// Only where reading fails; what cannot be read as a record is counted in the result.
pub fn read_records(
    program: &str,
    input: impl Read,
    visit: impl FnMut(Record),
) -> io::Result<Upstream> {
    pass_on(program, input, &mut io::sink(), visit)
}

/// An open input and its name for messages.
pub type NamedInput = (String, Box<dyn Read>);

/// Opens the named files in order (`-` is standard input); with none, standard input. What is
/// compressed (gzip, Zstandard) is read like the rest: [`super::Lines`] tells it by its first bytes.
///
/// # Errors
/// A file cannot be opened, or standard input is a terminal.
pub fn open_files(files: &[PathBuf]) -> Result<Vec<NamedInput>, Failure> {
    let stdin = || -> Result<NamedInput, Failure> {
        if io::stdin().is_terminal() {
            return Err(Failure::new(
                FailureCode::Usage,
                "there is no input: standard input is a terminal",
            )
            .remedy("Pipe records in, redirect a file (< rounds.jsonl), or name files."));
        }
        Ok(("standard input".to_owned(), Box::new(io::stdin().lock())))
    };
    if files.is_empty() {
        return Ok(vec![stdin()?]);
    }
    files
        .iter()
        .map(|path| {
            if path.as_os_str() == "-" {
                return stdin();
            }
            let file = File::open(path).map_err(|error| {
                Failure::new(
                    FailureCode::BadInput,
                    format!("{} cannot be opened: {error}", path.display()),
                )
                .remedy("Check the path and its permissions.")
            })?;
            Ok((path.display().to_string(), Box::new(file) as Box<dyn Read>))
        })
        .collect()
}

#[derive(Deserialize)]
struct Kind {
    kind: Option<String>,
    schema: Option<u64>,
}

/// A line's record; none for a blank line or an unknown kind.
pub(super) fn parse(line: &Line<'_>) -> Result<Option<Record>, Failure> {
    if line.bytes.iter().all(u8::is_ascii_whitespace) {
        return Ok(None);
    }
    let bad = |what: String| {
        Failure::new(
            FailureCode::BadInput,
            format!(
                "line {} of the input {what}: {}",
                line.number,
                excerpt(line.bytes)
            ),
        )
        .input_line(line.number)
    };
    let kind: Kind = match serde_json::from_slice(line.bytes) {
        Ok(kind) => kind,
        Err(error) if !line.complete && error.is_eof() => {
            return Err(
                bad("is cut off (the stream ended in the middle of a record)".to_owned())
                    .remedy("The records before it are good. Run the stage that wrote it again."),
            );
        }
        Err(_) => {
            return Err(bad("is not a JSON object".to_owned()).remedy(
                "A stream is one record a line, as writelog's programs write it; messages belong \
                 on standard error.",
            ));
        }
    };
    let Some(name) = kind.kind else {
        return Err(bad("has no `kind`".to_owned())
            .remedy("A stream is one record a line, as writelog's programs write it."));
    };
    if !Record::KINDS.contains(&name.as_str()) {
        return Ok(None);
    }
    if kind.schema.is_some_and(|schema| schema > u64::from(SCHEMA)) {
        return Err(bad(format!(
            "is a `{name}` of schema {}, newer than {SCHEMA}, the newest this program reads",
            kind.schema.unwrap_or_default()
        ))
        .remedy("Read it with the writelog version that wrote it, or a newer one."));
    }
    serde_json::from_slice(line.bytes)
        .map(Some)
        .map_err(|error| {
            bad(format!("is no complete `{name}` record ({error})"))
                .remedy("Run the stage that wrote it again.")
        })
}

/// The beginning of a line, for a message.
fn excerpt(bytes: &[u8]) -> String {
    const SHOWN: usize = 60;
    let text = String::from_utf8_lossy(bytes);
    let mut shown: String = text
        .chars()
        .take(SHOWN)
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    if text.chars().count() > SHOWN {
        shown.push('…');
    }
    shown
}

fn write_failure(program: &str, output: &mut impl Write, failure: &Failure) -> io::Result<()> {
    let record = Record::Error(Box::new(ErrorRecord::new(Header::now(program), failure)));
    serde_json::to_writer(&mut *output, &record)?;
    output.write_all(b"\n")
}

#[cfg(test)]
mod tests {
    use super::{pass_on, read_records};
    use crate::{ErrorRecord, Failure, FailureCode, Header, Record, Target, Trial};

    fn error_line() -> String {
        let header = Header::now("loadgen")
            .in_trial(Some(Trial {
                experiment: "e".into(),
                variant: "FULL".into(),
                round: 3,
                block: 2,
                slot: 1,
                id: "x".into(),
            }))
            .on(
                Some(Target {
                    server: "h,1".into(),
                    database: "d".into(),
                }),
                None,
            );
        let failure = Failure::new(FailureCode::Failed, "no").sql_error(9002);
        serde_json::to_string(&Record::Error(Box::new(ErrorRecord::new(header, &failure)))).unwrap()
    }

    #[test]
    fn lines_pass_byte_for_byte_with_blank_lines_unknown_kinds_and_odd_spacing() {
        let input = format!(
            "{{ \"kind\" : \"weather\", \"n\": 1.50 }}\n\n{}\r\n{{\"kind\":\"future\",\"schema\":9}}\n",
            error_line()
        );
        let mut output = Vec::new();
        let mut seen = 0;
        let upstream = pass_on("test", input.as_bytes(), &mut output, |_| seen += 1).unwrap();
        assert_eq!(String::from_utf8(output).unwrap(), input);
        assert_eq!((seen, upstream.bad_lines), (1, 0));
        assert_eq!(upstream.trial.as_ref().unwrap().round, 3);
        assert_eq!(upstream.target.as_ref().unwrap().database, "d");
        assert_eq!(upstream.check().unwrap_err().code, FailureCode::Upstream);
    }

    #[test]
    fn a_bad_line_becomes_an_error_record_and_its_neighbours_stay() {
        let good = error_line();
        for (bad, says) in [
            ("Warning: something", "not a JSON object"),
            ("[1,2]", "not a JSON object"),
            ("{\"a\":1}", "has no `kind`"),
            ("{\"kind\":\"round\",\"schema\":1}", "no complete `round`"),
            ("{\"kind\":\"round\",\"schema\":2}", "newer than 1"),
        ] {
            let input = format!("{good}\n{bad}\n{good}\n");
            let mut output = Vec::new();
            let upstream = pass_on("test", input.as_bytes(), &mut output, |_| {}).unwrap();
            let output = String::from_utf8(output).unwrap();
            let lines: Vec<&str> = output.lines().collect();
            assert_eq!((lines[0], lines[2]), (good.as_str(), good.as_str()));
            let Record::Error(error) = serde_json::from_str(lines[1]).unwrap() else {
                panic!("{bad} was not replaced")
            };
            assert_eq!(error.input_line, Some(2));
            assert!(error.message.contains(says), "{}", error.message);
            assert_eq!(upstream.check().unwrap_err().code, FailureCode::BadInput);
            assert_eq!(upstream.records, 2);
        }
    }

    #[test]
    fn a_stream_cut_in_half_keeps_what_came_before_and_says_so() {
        let good = error_line();
        for cut in 1..good.len() {
            if !good.is_char_boundary(cut) {
                continue;
            }
            let input = format!("{good}\n{}", &good[..cut]);
            let mut seen = 0;
            let upstream = read_records("test", input.as_bytes(), |_| seen += 1).unwrap();
            assert_eq!((seen, upstream.bad_lines), (1, 1));
            let bad = upstream.bad.unwrap();
            assert!(bad.message.contains("cut off"), "{}", bad.message);
        }
    }

    #[test]
    fn a_last_line_without_newline_is_a_record_and_gets_one() {
        let good = error_line();
        let mut output = Vec::new();
        let upstream = pass_on("test", good.as_bytes(), &mut output, |_| {}).unwrap();
        assert_eq!(upstream.records, 1);
        assert_eq!(output, format!("{good}\n").into_bytes());
    }

    #[test]
    fn a_reader_that_went_away_is_a_broken_pipe_not_a_panic() {
        struct Gone;
        impl std::io::Write for Gone {
            fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
                Err(std::io::ErrorKind::BrokenPipe.into())
            }
            fn flush(&mut self) -> std::io::Result<()> {
                Ok(())
            }
        }
        let input = format!("{}\n", error_line());
        let error = pass_on("test", input.as_bytes(), &mut Gone, |_| {}).unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::BrokenPipe);
    }
}
