//! A series that was broken off, at whatever moment, goes on: finished rounds stay, and the setting is
//! put back.

use crate::delayed_durability::rounds;
use integration_tests::{Labdb, Outcome, checkout, program_folder, query_text, run};
use records::Validity;
use std::os::unix::fs::symlink;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// An experiment that changes a setting of the server, small.
struct Experiment {
    name: &'static str,
    rounds: u32,
    results: PathBuf,
    scripts: PathBuf,
}

const PROGRAMS: [&str; 6] = [
    "setup-db",
    "snapshot",
    "loadgen",
    "diff",
    "summarize",
    "report",
];

impl Experiment {
    /// Its script and programs by links, so that a test can put something else in a program's place.
    fn new(name: &'static str, rounds: u32, folder: &TempDir) -> Self {
        let scripts = folder.path().join("scripts");
        std::fs::create_dir_all(&scripts).expect("a folder");
        for script in [name, "common.sh"] {
            symlink(
                checkout().join("scripts").join(script),
                scripts.join(script),
            )
            .expect("a link");
        }
        symlink(checkout().join("fixtures"), scripts.join("fixtures")).expect("a link");
        for program in PROGRAMS {
            symlink(program_folder().join(program), scripts.join(program)).expect("a link");
        }
        let results = folder.path().join("results");
        Self {
            name,
            rounds,
            results,
            scripts,
        }
    }

    /// Puts a shell script in a program's place, which has the program's own path as `$real`.
    fn replace(&self, program: &str, text: &str) {
        let path = self.scripts.join(program);
        let real = program_folder().join(program);
        std::fs::remove_file(&path).expect("the link");
        std::fs::write(
            &path,
            format!("#!/bin/sh\nreal='{}'\n{text}\n", real.display()),
        )
        .expect("written");
        run(Command::new("chmod").arg("+x").arg(&path)).success();
    }

    fn command(&self, server: &Labdb) -> Command {
        let mut command = Command::new(self.scripts.join(self.name));
        command
            .envs(server.environment_all())
            .env("RESULTS", &self.results)
            .envs([("NO_COLOR", "1"), ("COLUMNS", "80")])
            .stdin(Stdio::null());
        command
    }

    /// As a terminal starts it: Ctrl-C reaches the script and its programs.
    fn begin(&self, server: &Labdb) -> Child {
        self.command(server)
            .envs([("KEEP", "1"), ("DATA_SIZE", "16MB"), ("LOG_SIZE", "16MB")])
            .envs([
                ("BLOCKS", "2"),
                ("PAIRS", "2"),
                ("ROWS", "150"),
                ("SEED", "7"),
            ])
            .process_group(0)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the script starts")
    }

    fn resume(&self, server: &Labdb) -> Outcome {
        run(self.command(server).env("RESUME", "1"))
    }

    fn stream(&self) -> String {
        std::fs::read_to_string(self.results.join("stream.jsonl")).unwrap_or_default()
    }

    fn setting(&self, server: &Labdb) -> String {
        let database = format!("writelog_{}", self.name.replace('-', "_"));
        let text = format!(
            "SELECT CAST(delayed_durability_desc AS nvarchar(60)) FROM sys.databases \
             WHERE name = N'{database}'"
        );
        query_text(server, "master", &text)
    }

    /// The series is complete: a verdict, and each round once.
    fn assert_complete(&self, outcome: &Outcome) {
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        assert!(outcome.stdout.contains("Comparison"), "{}", outcome.stdout);
        let numbers: Vec<u32> = rounds(&self.results)
            .into_iter()
            .filter(|round| round.validity == Validity::Valid)
            .map(|round| round.header.trial.expect("a trial").round)
            .collect();
        let all: Vec<u32> = (1..=self.rounds).collect();
        assert_eq!(numbers, all, "{}", outcome.stderr);
    }
}

fn both(folders: &[TempDir; 2]) -> [Experiment; 2] {
    [
        Experiment::new("delayed-durability", 8, &folders[0]),
        Experiment::new("durability-procs", 4, &folders[1]),
    ]
}

fn folders() -> [TempDir; 2] {
    [(); 2].map(|()| tempfile::tempdir().expect("a folder"))
}

#[track_caller]
fn wait_for(what: &str, happened: impl Fn() -> bool) {
    let begun = Instant::now();
    while !happened() {
        assert!(
            begun.elapsed() < Duration::from_mins(2),
            "waited in vain for {what}"
        );
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn interrupt(child: &Child) {
    let group = format!("-{}", child.id());
    // It may have ended by itself.
    run(Command::new("kill").args(["-INT", "--", &group]));
}

/// Exit code and standard error.
fn ended(child: Child) -> (Option<i32>, String) {
    let output = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code(), said)
}

fn exists(folder: &Path, name: &str) -> bool {
    folder.join(name).exists()
}

#[test]
fn an_interrupted_series_keeps_its_rounds_puts_the_setting_back_and_goes_on() {
    let server = Labdb::start();
    for experiment in both(&folders()) {
        let script = experiment.begin(&server);
        wait_for("a round", || {
            experiment.stream().contains("\"kind\":\"round\"")
        });
        interrupt(&script);
        let (code, said) = ended(script);
        assert_eq!(code, Some(130), "{said}");
        assert_eq!(experiment.setting(&server), "DISABLED", "{said}");
        let kept = experiment.stream();
        let finished: String = kept
            .lines()
            .filter(|line| line.starts_with("{\"kind\":\"round\""))
            .filter(|line| line.contains("\"validity\":\"valid\""))
            .fold(String::new(), |text, line| text + line + "\n");
        assert!(!finished.is_empty());

        let outcome = experiment.resume(&server);
        experiment.assert_complete(&outcome);
        assert!(
            outcome.stderr.contains("is there already"),
            "{}",
            outcome.stderr
        );
        for line in finished.lines() {
            assert!(
                experiment.stream().contains(line),
                "a finished round is gone"
            );
        }
    }
}

#[test]
fn a_series_interrupted_at_many_moments_is_completed_all_the_same() {
    let server = Labdb::start();
    let folder = tempfile::tempdir().expect("a folder");
    let experiment = Experiment::new("durability-procs", 4, &folder);
    // From before the first program runs to well into a round, each a piece further.
    for step in 0..6_u32 {
        let script = if exists(&experiment.results, "settings") {
            let mut command = experiment.command(&server);
            command.env("RESUME", "1").process_group(0);
            command.stdout(Stdio::piped()).stderr(Stdio::piped());
            command.spawn().expect("the script starts")
        } else {
            experiment.begin(&server)
        };
        std::thread::sleep(Duration::from_millis(u64::from(step * step) * 12));
        interrupt(&script);
        let (code, said) = ended(script);
        // None: before the script had set its trap.
        assert!(matches!(code, Some(130 | 0) | None), "{code:?}: {said}");
    }
    if !exists(&experiment.results, "settings") {
        ended(experiment.begin(&server));
    }
    experiment.assert_complete(&experiment.resume(&server));
    // KEEP was said once, when the series was begun; who interrupted before that has no database.
    assert!(["DISABLED", ""].contains(&experiment.setting(&server).as_str()));
}

#[test]
fn a_second_interrupt_does_not_keep_the_setting_from_being_put_back() {
    let server = Labdb::start();
    for experiment in both(&folders()) {
        let marker = experiment.results.with_extension("putting");
        experiment.replace(
            "setup-db",
            &format!(
                "case \"$*\" in *'--delayed-durability before'*)\n\
                 ps -o pgid= -p $$ >'{0}.new'; mv '{0}.new' '{0}'; sleep 1 ;;\nesac\n\
                 exec \"$real\" \"$@\"",
                marker.display()
            ),
        );
        let script = experiment.begin(&server);
        wait_for("a round's setup", || {
            !["", "DISABLED"].contains(&experiment.setting(&server).as_str())
        });
        interrupt(&script);
        wait_for("the setting to be put back", || marker.exists());
        interrupt(&script);
        // A program takes notice of signals, though they are ignored around it: none must reach it.
        let group = std::fs::read_to_string(&marker).expect("its process group");
        assert_ne!(group.trim(), script.id().to_string());
        let (code, said) = ended(script);
        assert_eq!(code, Some(130), "{said}");
        assert_eq!(experiment.setting(&server), "DISABLED", "{said}");
        assert!(!said.contains("could not be put back"), "{said}");
    }
}

#[test]
fn a_series_whose_server_went_away_is_completed_when_it_is_back() {
    let mut server = Labdb::start();
    let folder = tempfile::tempdir().expect("a folder");
    let experiment = Experiment::new("delayed-durability", 8, &folder);
    let marker = folder.path().join("third round");
    let go_on = folder.path().join("go on");
    // The load of the third round waits until its server is gone.
    experiment.replace(
        "loadgen",
        &format!(
            "if [ ! -e '{go_on}' ] && [ \"$(grep -c '\"kind\":\"round\"' '{stream}')\" -eq 2 ]; then\n\
             : >'{marker}'; until [ -e '{go_on}' ]; do sleep 0.05; done\nfi\nexec \"$real\" \"$@\"",
            go_on = go_on.display(),
            marker = marker.display(),
            stream = experiment.results.join("stream.jsonl").display(),
        ),
    );
    let script = experiment.begin(&server);
    wait_for("the third round", || marker.exists());
    server.stop();
    std::fs::write(&go_on, "").expect("written");
    let (code, said) = ended(script);
    assert!(!matches!(code, Some(0 | 8) | None), "{code:?}: {said}");
    assert!(
        said.contains("could not be put back") && said.contains("RESUME=1"),
        "{said}"
    );
    assert!(experiment.stream().contains("\"kind\":\"error\""));

    server.kill_and_restart();
    assert_ne!(
        experiment.setting(&server),
        "DISABLED",
        "nobody could put it back"
    );
    experiment.assert_complete(&experiment.resume(&server));
    assert_eq!(experiment.setting(&server), "DISABLED");
    assert!(exists(&experiment.results, "errors.jsonl"));
}
