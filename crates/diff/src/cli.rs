//! The command line.

use clap::Parser;
use records::ExitStatus;
use records::stream::InputArgs;
use std::path::PathBuf;

/// Two snapshots, and the load between them, become one round
///
/// As a filter, `diff` passes every line on as it came. At the end of the input it adds one
/// `round` for each trial: the trial's last two snapshots and the load between them. Snapshots
/// without a trial are taken by their order: the last two count. A trial that already has its
/// round (an appended file) gets no second one.
///
/// With two files it compares the last snapshot of each and writes only the round; a load in the
/// second file is taken as the load between them.
///
/// Where the server's counters did not run through from one snapshot to the other (a restart, a
/// counter that went back, a file that was replaced, added or removed), what they would have said
/// is null in the round, and the round says why. It is never a guess.
#[derive(Debug, Parser)]
#[command(name = "diff", version, after_help = format!("{EXAMPLES}\n{}", ExitStatus::HELP))]
pub struct Args {
    /// The earlier of two files (- is standard input)
    #[arg(requires = "after")]
    pub before: Option<PathBuf>,
    /// The later of two files
    pub after: Option<PathBuf>,
    /// Where the input comes from.
    #[command(flatten)]
    pub input: InputArgs,
}

const EXAMPLES: &str = "\
Examples:
  setup-db --recovery full | snapshot | loadgen | snapshot | diff >> rounds.jsonl
  snapshot > before.jsonl; run-the-application; snapshot > after.jsonl
  diff before.jsonl after.jsonl
";
