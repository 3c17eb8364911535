//! Running the real programs.

use records::Record;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The folder of the programs that this build made.
///
/// # Panics
/// Where the running program is in no build folder.
#[must_use]
pub fn program_folder() -> PathBuf {
    let own = std::env::current_exe().expect("the path of the running test");
    let folder = own
        .ancestors()
        .find(|folder| folder.join("summarize").is_file() && folder.join("labdb").is_file());
    folder
        .unwrap_or_else(|| {
            panic!(
                "the programs are not built beside {}: run `make build`",
                own.display()
            )
        })
        .to_path_buf()
}

/// A command for one of the programs, without the environment's own SQL Server settings.
#[must_use]
pub fn program(name: &str) -> Command {
    let mut command = Command::new(program_folder().join(name));
    for (key, _) in std::env::vars_os() {
        let key = key.to_string_lossy().into_owned();
        if key.starts_with("SQLCMD") || key.starts_with("WRITELOG_") {
            command.env_remove(key);
        }
    }
    command.stdin(Stdio::null());
    command
}

/// What a program left.
#[derive(Debug)]
pub struct Outcome {
    /// Its exit code; none where a signal ended it.
    pub code: Option<i32>,
    /// Its standard output.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
}

impl Outcome {
    /// The records on its standard output.
    ///
    /// # Panics
    /// Where a line is no record.
    #[must_use]
    pub fn records(&self) -> Vec<Record> {
        self.stdout
            .lines()
            .map(|line| {
                serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))
            })
            .collect()
    }

    /// The same, where it ended well.
    ///
    /// # Panics
    /// Where it did not.
    #[allow(clippy::must_use_candidate, clippy::return_self_not_must_use)]
    pub fn success(self) -> Self {
        assert_eq!(self.code, Some(0), "{}", self.stderr);
        self
    }
}

/// Runs a command to its end.
///
/// # Panics
/// Where it cannot be started.
pub fn run(command: &mut Command) -> Outcome {
    let output = command.output().expect("the program starts");
    Outcome {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).expect("UTF-8 on standard output"),
        stderr: String::from_utf8(output.stderr).expect("UTF-8 on standard error"),
    }
}

/// Runs a command with `input` on its standard input.
///
/// # Panics
/// Where it cannot be started.
pub fn run_with_input(command: &mut Command, input: &(impl AsRef<[u8]> + ?Sized)) -> Outcome {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let input = input.as_ref().to_owned();
    let writer = std::thread::spawn(move || {
        // A program that fails early closes its input; that is its right.
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().expect("the program ends");
    writer.join().expect("the writer ends");
    Outcome {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).expect("UTF-8 on standard output"),
        stderr: String::from_utf8(output.stderr).expect("UTF-8 on standard error"),
    }
}

/// The folder of the checkout.
#[must_use]
pub fn checkout() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}
