//! The frame that every program runs in: records out, failures as a record, a message and an
//! exit code, and a quiet end when the reader of standard output goes away.

pub use crate::interrupt::{Interrupts, defer_interrupts};
use crate::stream::{Upstream, pass_on};
use crate::{ErrorRecord, ExitStatus, Failure, FailureCode, Header, Record, Server, Target, Trial};
use std::io::{self, Read, StdoutLock, Write};
use std::process::ExitCode;

/// Why a stage ends early.
#[derive(Debug)]
pub enum Stop {
    /// It failed.
    Failure(Box<Failure>),
    /// The reader of standard output went away: no failure.
    OutputClosed,
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Failure(Box::new(failure))
    }
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self::OutputClosed;
        }
        Failure::new(
            FailureCode::Failed,
            format!("reading the input or writing the output failed: {error}"),
        )
        .into()
    }
}

/// The result of a stage's work.
pub type StageResult<T = ()> = Result<T, Stop>;

/// A running stage: its name, its standard output, and what it knows of where it is.
pub struct Stage {
    program: &'static str,
    output: StdoutLock<'static>,
    /// The round that its records belong to.
    pub trial: Option<Trial>,
    /// Where the database is.
    pub target: Option<Target>,
    /// What answered there.
    pub server: Option<Server>,
}

impl Stage {
    fn begin(program: &'static str) -> Self {
        Self {
            program,
            output: io::stdout().lock(),
            trial: None,
            target: None,
            server: None,
        }
    }

    /// The program's name.
    #[must_use]
    pub fn program(&self) -> &'static str {
        self.program
    }

    /// A header for a record of this stage, made now.
    #[must_use]
    pub fn header(&self) -> Header {
        Header::now(self.program)
            .in_trial(self.trial.clone())
            .on(self.target.clone(), self.server.clone())
    }

    /// Passes the input on, byte for byte, until it ends, and takes trial and target from it;
    /// then fails if a stage before failed or a line could not be read.
    ///
    /// # Errors
    /// [`Stop`] as said.
    pub fn pass_on(
        &mut self,
        input: impl Read,
        visit: impl FnMut(Record),
    ) -> StageResult<Upstream> {
        let upstream = pass_on(self.program, input, &mut self.output, visit)?;
        if self.trial.is_none() {
            self.trial.clone_from(&upstream.trial);
        }
        if self.target.is_none() {
            self.target.clone_from(&upstream.target);
        }
        upstream.check()?;
        Ok(upstream)
    }

    /// Writes one record as one line and flushes it.
    ///
    /// # Errors
    /// Writing failed; [`Stop::OutputClosed`] where the reader went away.
    pub fn emit(&mut self, record: &Record) -> StageResult {
        let mut line = serde_json::to_vec(record).map_err(io::Error::from)?;
        line.push(b'\n');
        self.output.write_all(&line)?;
        self.output.flush()?;
        Ok(())
    }

    /// The program's standard output, for what is no record (a table, a CSV).
    pub fn output(&mut self) -> &mut impl Write {
        &mut self.output
    }

    fn fail(&mut self, failure: &Failure) -> ExitStatus {
        say(self.program, &for_people(failure));
        let record = Record::Error(Box::new(ErrorRecord::new(self.header(), failure)));
        match self.emit(&record) {
            Ok(()) | Err(_) => failure.code.exit_status(),
        }
    }
}

/// What is said of a failure on standard error. The stage that failed first has said all of it and
/// what to do; each one behind it says in one line that it did nothing, or five stages would say
/// one thing five times.
fn for_people(failure: &Failure) -> Failure {
    /// Enough to tell which failure is meant.
    const SHOWN: usize = 100;
    if failure.code != FailureCode::Upstream {
        return failure.clone();
    }
    let message = failure.message.lines().next().unwrap_or_default();
    let short = match message.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", message.get(..end).unwrap_or(message)),
        None => message.to_owned(),
    };
    Failure::new(failure.code, format!("nothing done: {short}"))
}

/// Says a failure on standard error, for people.
pub fn say(program: &str, failure: &Failure) {
    // Nothing can be done where standard error is closed too.
    let _ = writeln!(io::stderr(), "{program}: {failure}");
}

/// Runs a stage whose standard output is a stream: a failure is also written as a record.
#[must_use]
pub fn run(
    program: &'static str,
    work: impl FnOnce(&mut Stage) -> StageResult<ExitStatus>,
) -> ExitCode {
    let mut stage = Stage::begin(program);
    match work(&mut stage) {
        Ok(status) => status.into(),
        Err(Stop::OutputClosed) => ExitStatus::Success.into(),
        Err(Stop::Failure(failure)) => stage.fail(&failure).into(),
    }
}

/// Runs a program whose standard output is no stream (a table, a CSV): a failure is said on
/// standard error only.
#[must_use]
pub fn run_for_people(
    program: &'static str,
    work: impl FnOnce(&mut Stage) -> StageResult<ExitStatus>,
) -> ExitCode {
    let mut stage = Stage::begin(program);
    match work(&mut stage) {
        Ok(status) => status.into(),
        Err(Stop::OutputClosed) => ExitStatus::Success.into(),
        Err(Stop::Failure(failure)) => {
            say(program, &failure);
            failure.code.exit_status().into()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::for_people;
    use crate::{Failure, FailureCode};

    #[test]
    fn a_failure_of_another_stage_is_said_in_one_line_and_our_own_in_full() {
        let long = format!("loadgen 0.1.0 failed before: {}\nmore", "é".repeat(200));
        let failure = |code| Failure::new(code, long.clone()).remedy("Mend it.");
        let said = for_people(&failure(FailureCode::Upstream)).to_string();
        assert_eq!(said.lines().count(), 1, "{said}");
        assert!(
            said.starts_with("nothing done: loadgen 0.1.0 failed before: éé"),
            "{said}"
        );
        assert!(said.ends_with('…') && said.chars().count() < 120, "{said}");
        let own = failure(FailureCode::Failed);
        assert_eq!(for_people(&own), own);
    }
}
