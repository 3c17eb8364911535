//! Every program explains itself.

use integration_tests::{program, run};
use records::ExitStatus;

const STREAM_PROGRAMS: [&str; 8] = [
    "setup-db",
    "snapshot",
    "loadgen",
    "audit",
    "diff",
    "summarize",
    "report",
    "restore-db",
];

#[test]
fn help_names_every_exit_code_and_takes_no_password() {
    for name in STREAM_PROGRAMS {
        let help = run(program(name).arg("--help")).success().stdout;
        for line in ExitStatus::HELP.lines() {
            assert!(help.contains(line.trim()), "{name} --help lacks: {line}");
        }
        assert!(
            !help.contains("--password"),
            "{name} takes a password in its arguments"
        );
        assert!(help.contains("xample"), "{name} --help has no example");
    }
}

#[test]
fn a_wrong_flag_is_a_usage_error_that_names_it() {
    for name in STREAM_PROGRAMS.into_iter().chain(["labdb"]) {
        let outcome = run(program(name).arg("--no-such-flag"));
        assert_eq!(outcome.code, Some(2), "{name}");
        assert!(
            outcome.stderr.contains("--no-such-flag"),
            "{name}: {}",
            outcome.stderr
        );
        assert!(outcome.stdout.is_empty(), "{name} wrote to standard output");
    }
}
