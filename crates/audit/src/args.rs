//! The command line.

use clap::Parser;
use records::ExitStatus;
use records::stream::InputArgs;
use sqlserver::ConnectionArgs;
use sqlserver::connect::ENVIRONMENT_HELP;
use std::path::PathBuf;
use std::time::Duration;

const LONG_ABOUT: &str = "\
Holds loadgen's journal of acknowledged commits against the table, once the server is back after a \
crash, and writes one `round` record: how many commits were acknowledged, how many of them are \
there, how many are missing, and how many milliseconds of commits those are.

Where commits were promised to be durable, none may be missing. Where they were delayed, the last \
ones may be, and only the last ones: a missing commit that was acknowledged before one that is \
there was even sent is a hole in the log (`gaps`). Both end with exit code 10 and a loud message.

A commit that was sent and never acknowledged may be in the table or not. A row that nobody sent is \
an error: table and journal do not belong together.

It is a filter: it passes its input on and begins at its end. The journal is the one that the load \
record names. It only reads from the server.";

const EXAMPLES: &str = "\
Examples:
  Load until the server is killed (by somebody else) and started again, then the audit
    setup-db -d lab --table dbo.commits --table-shape journal --empty-table | snapshot |
        loadgen --journal acks --durability full --duration 1h --expect-crash | audit --wait 5m

  Of a journal that was left, where loadgen was lost too
    audit -n --journal acks

What a kill proves, and what not:
  A process that is killed leaves what it had handed to the operating system in the system's cache,
  and the disk's cache is not emptied either. So a kill shows which commits lived in the server's
  memory alone. Whether the disk keeps what it says it wrote, only a loss of power shows.
  With a snapshot between setup-db and loadgen, audit also proves by the server's start time that
  it was started again; without one it says that this is unproven.";

/// After a crash: which acknowledged commits are really there.
#[derive(Clone, Debug, Parser)]
#[command(
    name = "audit",
    version,
    long_about = LONG_ABOUT,
    after_help = ExitStatus::HELP,
    after_long_help = format!("{EXAMPLES}\n\n{ENVIRONMENT_HELP}\n\n{}", ExitStatus::HELP)
)]
pub struct Args {
    /// The journal [default: the one that the load record names]
    #[arg(long, value_name = "FILE")]
    pub journal: Option<PathBuf>,

    /// How long to wait for the server to be back
    #[arg(long, value_name = "TIME", default_value = "1m", value_parser = wait)]
    pub wait: Duration,

    #[command(flatten)]
    pub(crate) input: InputArgs,

    #[command(flatten)]
    pub(crate) connection: ConnectionArgs,
}

/// Reads `60s`, `5m`; `0s` is one attempt.
fn wait(text: &str) -> Result<Duration, String> {
    let signed: Option<jiff::SignedDuration> = text.parse().ok();
    signed
        .and_then(|signed| Duration::try_from(signed).ok())
        .ok_or_else(|| "a time is written with its unit: 500ms, 60s, 5m".to_owned())
}

#[cfg(test)]
mod tests {
    use super::{Args, wait};
    use clap::CommandFactory;
    use std::time::Duration;

    #[test]
    fn the_command_line_is_consistent() {
        Args::command().debug_assert();
    }

    #[test]
    fn a_wait_has_a_unit_and_may_be_nothing() {
        assert_eq!(wait("90s"), Ok(Duration::from_secs(90)));
        assert_eq!(wait("0s"), Ok(Duration::ZERO));
        for wrong in ["", "60", "-1s", "soon"] {
            assert!(wait(wrong).is_err(), "{wrong}");
        }
    }
}
