//! A labdb of one's own, for as long as a test needs it.

use crate::program;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How to start it.
#[derive(Clone, Debug, Default)]
pub struct LabdbOptions {
    /// More arguments.
    pub arguments: Vec<String>,
    /// More environment, for the passwords of further logins.
    pub environment: Vec<(String, String)>,
}

/// A running labdb; it ends and its files go when this is dropped.
pub struct Labdb {
    process: Child,
    folder: TempDir,
    environment: HashMap<String, String>,
    options: LabdbOptions,
}

impl Labdb {
    /// Starts one with its own folder, on a free port.
    ///
    /// # Panics
    /// Where it does not start within a minute.
    #[must_use]
    pub fn start() -> Self {
        Self::start_with(LabdbOptions::default())
    }

    /// The same with options.
    ///
    /// # Panics
    /// Where it does not start within a minute.
    #[must_use]
    pub fn start_with(options: LabdbOptions) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (process, environment) = launch(folder.path(), &options, 0);
        Self {
            process,
            folder,
            environment,
            options,
        }
    }

    /// Ends it at once (SIGKILL); [`Labdb::kill_and_restart`] starts it again.
    ///
    /// # Panics
    /// Where it cannot be ended.
    pub fn stop(&mut self) {
        self.process.kill().expect("labdb is killed");
        self.process.wait().expect("labdb is gone");
    }

    /// Ends it at once (SIGKILL) and starts it again on the same files and the same port.
    ///
    /// # Panics
    /// Where it does not start again.
    pub fn kill_and_restart(&mut self) {
        self.stop();
        let (_, port) = self
            .environment("SQLCMDSERVER")
            .split_once(',')
            .expect("host,port");
        let port = port.parse().expect("a port");
        (self.process, self.environment) = launch(self.folder.path(), &self.options, port);
    }

    /// A program of ours, with the environment pointing at this server.
    #[must_use]
    pub fn program(&self, name: &str) -> Command {
        let mut command = program(name);
        command.envs(&self.environment);
        command
    }

    /// A value of the environment that points at this server.
    ///
    /// # Panics
    /// Where it has no such value.
    #[must_use]
    pub fn environment(&self, key: &str) -> &str {
        self.environment
            .get(key)
            .unwrap_or_else(|| panic!("the environment has no {key}"))
    }

    /// All of the environment that points at this server.
    #[must_use]
    pub fn environment_all(&self) -> &HashMap<String, String> {
        &self.environment
    }

    /// Its process id.
    #[must_use]
    pub fn process_id(&self) -> u32 {
        self.process.id()
    }

    /// Where its files are.
    #[must_use]
    pub fn data_folder(&self) -> PathBuf {
        self.folder.path().join("data")
    }
}

impl Drop for Labdb {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn launch(folder: &Path, options: &LabdbOptions, listen: u16) -> (Child, HashMap<String, String>) {
    let (data, port) = (folder.join("data"), folder.join("port"));
    let _ = std::fs::remove_file(&port);
    let log = std::fs::File::create(folder.join("log")).expect("a log file");
    let mut process = program("labdb")
        .arg("--data")
        .arg(&data)
        .args(["--listen", &format!("127.0.0.1:{listen}"), "--port-file"])
        .arg(&port)
        .args(&options.arguments)
        .envs(options.environment.iter().cloned())
        .stdout(Stdio::null())
        .stderr(log)
        .spawn()
        .expect("labdb starts");
    let deadline = Instant::now() + Duration::from_mins(1);
    loop {
        if let Ok(text) = std::fs::read_to_string(&port) {
            return (process, environment(&data, text.trim()));
        }
        let ended = process.try_wait().expect("labdb's state");
        if ended.is_some() || Instant::now() > deadline {
            let said = std::fs::read_to_string(folder.join("log")).unwrap_or_default();
            let _ = process.kill();
            panic!("labdb did not start ({ended:?}): {said}");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The environment that points at a labdb with its files in `data`.
fn environment(data: &Path, port: &str) -> HashMap<String, String> {
    let password = std::fs::read_to_string(data.join("password")).expect("the password's file");
    let certificate = data.join("certificate.pem");
    [
        ("SQLCMDSERVER", format!("127.0.0.1,{port}")),
        ("SQLCMDUSER", "sa".to_owned()),
        ("SQLCMDPASSWORD", password.trim().to_owned()),
        ("WRITELOG_CA_FILE", certificate.display().to_string()),
    ]
    .map(|(key, value)| (key.to_owned(), value))
    .into()
}
