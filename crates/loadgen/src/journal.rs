//! The journal of acknowledgements, as the load writes it.

use records::{Acknowledgement, Failure, FailureCode, JournalHeader};
use std::fs::{File, OpenOptions};
use std::io::{self, Cursor, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Three numbers, two blanks and a newline.
const LONGEST_LINE: usize = 10 + 1 + 20 + 1 + 20 + 1;

/// An open journal, shared by all workers.
///
/// Each acknowledgement is handed to the operating system by one append before the worker sends
/// its next commit. So it survives the end of this program, however it ends; it does not survive a
/// crash of the machine that this program runs on, because nothing is flushed to the disk.
#[derive(Debug)]
pub(crate) struct Journal {
    path: PathBuf,
    file: File,
    begun: Instant,
    failure: Mutex<Option<io::Error>>,
}

impl Journal {
    /// Begins a journal in a new file.
    ///
    /// # Errors
    /// There is a file of that name already, or it cannot be written.
    pub(crate) fn begin(path: &Path, header: &JournalHeader) -> Result<Self, Failure> {
        let mut file = OpenOptions::new()
            .append(true)
            .create_new(true)
            .open(path)
            .map_err(|error| cannot_begin(path, &error))?;
        let mut line = serde_json::to_vec(header).map_err(|error| cannot(path, &error.into()))?;
        line.push(b'\n');
        file.write_all(&line)
            .map_err(|error| cannot(path, &error))?;
        Ok(Self {
            path: path.to_owned(),
            file,
            begun: Instant::now(),
            failure: Mutex::default(),
        })
    }

    /// Writes down an acknowledgement that came at `at`; false where it could not be written, and
    /// then nothing more may be sent.
    pub(crate) fn record(&self, worker: u32, commit: u64, at: Instant) -> bool {
        let since = at.saturating_duration_since(self.begun);
        let acknowledgement = Acknowledgement {
            worker,
            commit,
            at_ns: u64::try_from(since.as_nanos()).unwrap_or(u64::MAX),
        };
        match self.append(acknowledgement) {
            Ok(()) => true,
            Err(error) => {
                let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
                failure.get_or_insert(error);
                false
            }
        }
    }

    /// One write a line: appends of several threads do not mix (POSIX, `O_APPEND`).
    fn append(&self, acknowledgement: Acknowledgement) -> io::Result<()> {
        let mut line = Cursor::new([0_u8; LONGEST_LINE]);
        writeln!(line, "{acknowledgement}")?;
        let length = usize::try_from(line.position()).unwrap_or(LONGEST_LINE);
        let bytes = line.get_ref().get(..length).unwrap_or_default();
        (&self.file).write_all(bytes)
    }

    /// Fails where an acknowledgement could not be written down.
    ///
    /// # Errors
    /// The first failure to write.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        match failure.take() {
            None => Ok(()),
            Some(error) => Err(cannot(&self.path, &error)),
        }
    }
}

fn cannot_begin(path: &Path, error: &io::Error) -> Failure {
    if error.kind() == io::ErrorKind::AlreadyExists {
        return Failure::new(
            FailureCode::Failed,
            format!("{} is there already", path.display()),
        )
        .remedy("A journal is of one run. Name another file with --journal, or remove this one.");
    }
    cannot(path, error)
}

fn cannot(path: &Path, error: &io::Error) -> Failure {
    Failure::new(
        FailureCode::Failed,
        format!("the journal {} cannot be written: {error}", path.display()),
    )
    .remedy("Check its folder, its permissions and the room on its disk; --journal names it.")
}

#[cfg(test)]
mod tests {
    use super::{Journal, LONGEST_LINE};
    use records::{Acknowledgement, CommitDurability, JournalHeader};
    use std::time::{Duration, Instant};

    fn header() -> JournalHeader {
        JournalHeader {
            journal: 1,
            at: "2025-03-01T09:00:00Z".parse().unwrap(),
            trial: None,
            target: None,
            table: "dbo.commits".into(),
            workers: 2,
            durability: CommitDurability::Full,
        }
    }

    #[test]
    fn what_is_recorded_is_in_the_file_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let journal = Journal::begin(&path, &header()).unwrap();
        assert!(journal.record(2, 1, journal.begun + Duration::from_nanos(1_500)));
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text.lines().nth(1), Some("2 1 1500"));
        assert!(text.ends_with('\n'));
        assert!(journal.check().is_ok());
    }

    #[test]
    fn lines_of_many_threads_do_not_mix() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let journal = Journal::begin(&path, &header()).unwrap();
        std::thread::scope(|scope| {
            for worker in 1..=4 {
                let journal = &journal;
                scope.spawn(move || {
                    for commit in 1..=500 {
                        assert!(journal.record(worker, commit, Instant::now()));
                    }
                });
            }
        });
        let text = std::fs::read_to_string(&path).unwrap();
        let mut last = [0_u64; 4];
        for line in text.lines().skip(1) {
            let acknowledgement: Acknowledgement = line.parse().unwrap();
            let last = &mut last[usize::try_from(acknowledgement.worker).unwrap() - 1];
            *last += 1;
            assert_eq!(acknowledgement.commit, *last);
        }
        assert_eq!(last, [500; 4]);
    }

    #[test]
    fn the_longest_line_has_room() {
        let longest = Acknowledgement {
            worker: u32::MAX,
            commit: u64::MAX,
            at_ns: u64::MAX,
        };
        assert_eq!(longest.to_string().len() + 1, LONGEST_LINE);
    }

    #[test]
    fn a_journal_is_never_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        std::fs::write(&path, "precious").unwrap();
        let refused = Journal::begin(&path, &header()).unwrap_err();
        assert!(refused.message.contains("already"), "{refused}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "precious");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_told_and_not_passed_over() {
        use std::fs::OpenOptions;
        let journal = Journal {
            path: "/dev/full".into(),
            file: OpenOptions::new().append(true).open("/dev/full").unwrap(),
            begun: Instant::now(),
            failure: std::sync::Mutex::default(),
        };
        assert!(!journal.record(1, 1, Instant::now()));
        let failure = journal.check().unwrap_err();
        assert!(failure.message.contains("/dev/full"), "{failure}");
    }
}
