//! The command line.

use clap::{ArgGroup, Parser};
use records::{ExitStatus, TrialArgs};
use sqlserver::connect::ENVIRONMENT_HELP;
use sqlserver::{ConnectionArgs, TableName};

/// What setup-db makes.
const DEFAULT_TABLE: &str = "dbo.writes";

const LONG_ABOUT: &str = "\
Backs a database up into a file on the server, or restores one under another name and says how long \
that took, phase by phase: creating the files, zeroing the data files, copying the pages, zeroing \
the log, recovering. A restore is one record of kind `round`; a backup alone one of kind `setup`.

The backup is COPY_ONLY with CHECKSUM and, where the edition can, COMPRESSION. A file that holds \
backups of another database is not overwritten.

A restore never overwrites. What carries the name already is dropped first, where it carries \
writelog's mark; anything else is refused, exit code 7, unless its name is repeated with --adopt. \
So is a database that is RESTORING, because its mark cannot be read. Every file goes to a new place, \
and a restore for which a disk has no room is refused before it begins.

The phases come from the server's error log: trace flags 3004 and 3605 are turned on for the \
restore and put back, also where it fails and on Ctrl-C. That takes a sysadmin; without, the phases \
are null and the record says why. Times in the error log have steps of 10 ms.

It never reads standard input.";

const EXAMPLES: &str = "\
Examples:
  Back up, restore beside it, and drop the copy
    restore-db -d lab --backup lab.bak --restore lab.bak --as lab_copy --drop

  One round of an experiment
    restore-db --restore lab.bak --as lab_copy --drop \\
        --experiment restore-time --variant 512MB --round 1 --block 1 --slot 1

  What zeroing the data files costs, on a server that need not
    restore-db --restore lab.bak --as lab_copy --drop --no-instant-initialization

  A backup whose restore has something to redo and undo
    restore-db -d lab --backup busy.bak --open-transaction 50000

FILE is a path on the server; a name alone is in its backup folder.";

/// Backs a database up and restores it under another name, timed phase by phase
#[derive(Clone, Debug, Parser)]
#[command(
    name = "restore-db",
    version,
    long_about = LONG_ABOUT,
    group = ArgGroup::new("work").required(true).multiple(true).args(["backup", "restore"]),
    after_help = ExitStatus::HELP,
    after_long_help = format!("{EXAMPLES}\n\n{ENVIRONMENT_HELP}\n\n{}", ExitStatus::HELP)
)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct Args {
    /// Back the database (-d) up into this file, over what it holds of the same database
    #[arg(long, value_name = "FILE")]
    pub backup: Option<String>,

    /// Hold a transaction with so many inserted rows open during the backup, and roll it back: the
    /// restore then has to redo and undo them
    #[arg(long, value_name = "ROWS", requires = "backup",
        value_parser = clap::value_parser!(u32).range(1..))]
    pub open_transaction: Option<u32>,

    /// The table that gets those rows
    #[arg(long, value_name = "NAME", default_value = DEFAULT_TABLE, requires = "open_transaction")]
    pub table: TableName,

    /// Restore from this file (after the backup), timed
    #[arg(long, value_name = "FILE", requires = "name")]
    pub restore: Option<String>,

    /// The name of the restored database
    #[arg(long = "as", value_name = "NAME", requires = "restore")]
    pub name: Option<String>,

    /// Where its data files go: a folder on the server [default: the server's own]
    #[arg(long, value_name = "FOLDER", requires = "restore")]
    pub data_dir: Option<String>,

    /// Where its log files go: a folder on the server [default: the server's own]
    #[arg(long, value_name = "FOLDER", requires = "restore")]
    pub log_dir: Option<String>,

    /// Drop the restored database after it was measured
    #[arg(long, requires = "restore")]
    pub drop: bool,

    /// Zero data files although instant file initialization is on: trace flag 1806 for the restore
    #[arg(long, requires = "restore")]
    pub no_instant_initialization: bool,

    /// Touch no trace flag: the phases are null
    #[arg(
        long,
        requires = "restore",
        conflicts_with = "no_instant_initialization"
    )]
    pub no_phases: bool,

    /// Restore even where the free space of a disk cannot be read
    #[arg(long, requires = "restore")]
    pub free_space_unknown: bool,

    /// Do not compress the backup (Express cannot, and is not asked to)
    #[arg(long, requires = "backup")]
    pub no_compression: bool,

    /// Allow a database without writelog's mark to be backed up or replaced: repeat its name
    #[arg(long, value_name = "NAME")]
    pub adopt: Option<String>,

    #[command(flatten)]
    pub(crate) trial: TrialArgs,

    #[command(flatten)]
    pub(crate) connection: ConnectionArgs,
}

#[cfg(test)]
mod tests {
    use super::Args;
    use clap::{CommandFactory, Parser};

    fn parse(flags: &str) -> Result<Args, clap::Error> {
        Args::try_parse_from(std::iter::once("restore-db").chain(flags.split_whitespace()))
    }

    #[test]
    fn there_is_something_to_do_and_a_restore_has_a_name() {
        Args::command().debug_assert();
        for flags in [
            "--backup a",
            "--restore a --as b",
            "--backup a --restore a --as b",
            "--backup a --open-transaction 5 --table dbo.mine",
        ] {
            assert!(parse(flags).is_ok(), "{flags}");
        }
        for flags in [
            "",
            "--restore a",
            "--as b",
            "--backup a --drop",
            "--restore a --as b --no-compression",
            "--restore a --as b --open-transaction 5",
            "--backup a --open-transaction 0",
            "--restore a --as b --no-phases --no-instant-initialization",
        ] {
            assert!(parse(flags).is_err(), "{flags}");
        }
    }
}
