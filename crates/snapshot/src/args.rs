//! The command line.

use clap::Parser;
use records::ExitStatus;
use records::stream::InputArgs;
use sqlserver::ConnectionArgs;
use sqlserver::connect::ENVIRONMENT_HELP;

const LONG_ABOUT: &str = "\
Reads, as one record, what tells two moments apart: the I/O statistics of every file of the \
database (counts, bytes, and milliseconds of stall, which are sums over I/Os), all waits of the \
server (milliseconds), the log's performance counters, and the database's states: recovery model, \
armed or not, log reuse wait, delayed durability, log space, virtual log files.

It passes its input on and reads at the end of it, so that its place in the pipe is its place in \
time. At the beginning of a pipe (standard input is a terminal, or -n) it reads at once.

Counters are as the server has them since it started: nothing is ever reset, `diff` takes \
differences. What the login may not read is null, with the reason and the GRANT in `unavailable`.";

const EXAMPLES: &str = "\
Examples:
  What the counters say now
    SQLCMDUSER=sa SQLCMDPASSWORD=... snapshot -n -S localhost -d lab

  Around anything that you run yourself
    snapshot -n -d lab > before.jsonl;  ...;  snapshot -n -d lab > after.jsonl
    diff before.jsonl after.jsonl

  Around a load; server and database come with the records of setup-db
    setup-db -d lab --recovery full | snapshot | loadgen | snapshot --checkpoint | diff";

/// Reads the counters and states of a database as one record.
#[derive(Clone, Debug, Parser)]
#[command(
    name = "snapshot",
    version,
    long_about = LONG_ABOUT,
    after_help = ExitStatus::HELP,
    after_long_help = format!("{EXAMPLES}\n\n{ENVIRONMENT_HELP}\n\n{}", ExitStatus::HELP)
)]
pub struct Args {
    #[command(flatten)]
    pub(crate) input: InputArgs,

    /// Issue a CHECKPOINT after the counters and before the states, which are as of the last one
    ///
    /// `log_reuse_wait` is as of the last checkpoint; with this flag it is as of now. The
    /// checkpoint's own writes are in no counter of this record. It writes, so the database must
    /// carry writelog's mark, or be named with --adopt.
    #[arg(long)]
    pub checkpoint: bool,

    /// Allow --checkpoint in a database without writelog's mark: repeat the database's name
    #[arg(long, value_name = "NAME", requires = "checkpoint")]
    pub adopt: Option<String>,

    #[command(flatten)]
    pub(crate) connection: ConnectionArgs,
}

#[cfg(test)]
mod tests {
    use super::Args;
    use clap::{CommandFactory, Parser};

    #[test]
    fn the_command_line_is_consistent() {
        Args::command().debug_assert();
        assert!(Args::try_parse_from(["snapshot", "--adopt", "x"]).is_err());
        assert!(Args::try_parse_from(["snapshot", "-n", "--checkpoint", "--adopt", "x"]).is_ok());
    }

    #[test]
    fn help_is_short_or_long_and_both_tell_the_exit_codes() {
        let mut command = Args::command();
        let short = command.render_help().to_string();
        let long = command.render_long_help().to_string();
        assert!(short.lines().count() < long.lines().count());
        for help in [&short, &long] {
            assert!(help.contains("Exit codes"), "{help}");
        }
        assert!(long.contains("Examples:") && long.contains("SQLCMDPASSWORD"));
    }
}
