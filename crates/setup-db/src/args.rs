//! The declaration: what the database shall be.

use crate::durability::Durability;
use crate::size::Size;
use clap::{Parser, ValueEnum};
use records::{ExitStatus, TrialArgs};
use sqlserver::connect::ENVIRONMENT_HELP;
use sqlserver::texts::copy::{DEFAULT_HEAP, TEXT_LENGTH};
use sqlserver::texts::database::RecoveryModel;
use sqlserver::texts::journal::{COMMIT_COLUMN, WORKER_COLUMN};
use sqlserver::texts::table::{DEFAULT_TABLE, LINE_DEFAULT, LINE_LENGTH};
use sqlserver::{ConnectionArgs, TableName};
use std::path::PathBuf;

/// The database where none is named.
pub const DEFAULT_DATABASE: &str = "writelog";

/// The data file of a new database.
pub const DEFAULT_DATA_SIZE: Size = Size::mb(256);

/// The log file of a new database.
pub const DEFAULT_LOG_SIZE: Size = Size::mb(512);

const LONG_ABOUT: &str = "\
Brings a database to the state that the flags declare, and writes one record with every change it \
made and the settings as read back. What is as declared already is left alone, so running it twice \
changes nothing the second time.

A database that is not there is created and marked as writelog's own (an extended property). Any \
other database is refused, exit code 7, unless its name is repeated with --adopt, which marks it. \
The server's own databases are always refused.

Sizes only ever grow. Under FULL and BULK_LOGGED it takes a full backup to NUL where one is \
missing, because until then the log is reused as under SIMPLE, and checks that the server says so.

It is the first stage of a pipe and never reads standard input.";

const EXAMPLES: &str = "\
Examples:
  A database for the experiment, log kept, table empty, nothing dirty
    SQLCMDUSER=sa SQLCMDPASSWORD=... setup-db -S localhost -d lab --recovery full \\
        --empty-table --checkpoint

  One round of an experiment
    setup-db -d lab --recovery simple --empty-table --checkpoint \\
        --experiment recovery-model --variant SIMPLE --round 2 --block 1 --slot 2 |
        snapshot | loadgen | snapshot --checkpoint | diff

  A GB of rows to copy, and the empty heap that they go to
    setup-db -d lab --recovery simple --data-size 6GB --log-size 800MB \\
        --source-rows 1179620 --empty-table --checkpoint

  Your own tables and procedures, without the one of these experiments
    setup-db -d lab --no-table --apply schema.sql --checkpoint

  Away with it, and with its rows in the backup history
    setup-db -d lab --drop";

/// Brings a database to a declared state and says what it changed.
#[derive(Clone, Debug, Parser)]
#[command(
    name = "setup-db",
    version,
    long_about = LONG_ABOUT,
    after_help = ExitStatus::HELP,
    after_long_help = format!("{EXAMPLES}\n\n{ENVIRONMENT_HELP}\n\n{}", ExitStatus::HELP)
)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct Args {
    /// The recovery model [default: leave it]
    #[arg(long, value_enum, value_name = "MODEL")]
    pub recovery: Option<Recovery>,

    /// Whether a commit may answer before its log is on disk [default: leave it]
    #[arg(long, value_enum, value_name = "SETTING")]
    pub delayed_durability: Option<Durability>,

    /// List the server's databases whose delayed durability is not DISABLED
    #[arg(long)]
    pub list_delayed_durability: bool,

    /// The least size of the data file [default: 256MB for a new database]
    #[arg(long, value_name = "SIZE")]
    pub data_size: Option<Size>,

    /// The least size of the log file [default: 512MB for a new database]
    #[arg(long, value_name = "SIZE")]
    pub log_size: Option<Size>,

    /// Grow the log to --log-size in so many equal steps: many small ones make many virtual log files
    #[arg(long, value_name = "STEPS", requires = "log_size",
        value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub log_steps: Option<u32>,

    /// By how much the data file grows; 0 is not at all [default: leave it]
    #[arg(long, value_name = "SIZE")]
    pub data_growth: Option<Size>,

    /// By how much the log file grows; 0 is not at all [default: leave it]
    #[arg(long, value_name = "SIZE")]
    pub log_growth: Option<Size>,

    /// Where a new database's data file goes: a path on the server
    #[arg(long, value_name = "PATH", requires = "log_file")]
    pub data_file: Option<String>,

    /// Where a new database's log file goes: a path on the server
    #[arg(long, value_name = "PATH", requires = "data_file")]
    pub log_file: Option<String>,

    /// The table under load; created where it is missing
    #[arg(long, value_name = "NAME", default_value = DEFAULT_TABLE, long_help = table_help(),
        default_value_if("source_rows", clap::builder::ArgPredicate::IsPresent, DEFAULT_HEAP))]
    pub table: TableName,

    /// The longest line of a new table, in characters
    #[arg(long, value_name = "N", default_value_t = LINE_LENGTH,
        value_parser = clap::value_parser!(u16).range(28..=8000))]
    pub line_length: u16,

    /// Create the stored procedures that insert into the table in a loop on the server, for
    /// loadgen --loop
    #[arg(long)]
    pub loops: bool,

    /// What the table is made for
    #[arg(
        long,
        value_enum,
        value_name = "SHAPE",
        default_value_t,
        conflicts_with = "loops"
    )]
    pub table_shape: TableShape,

    /// No table
    #[arg(long, conflicts_with_all = ["table", "empty_table", "loops", "line_length"])]
    pub no_table: bool,

    /// Prepare so many rows to copy: the table is a heap, and `NAME_source` beside it holds the rows
    #[arg(long, value_name = "N", conflicts_with_all = ["no_table", "loops", "line_length"],
        long_help = source_help(),
        value_parser = clap::value_parser!(u32).range(1..=2_000_000_000))]
    pub source_rows: Option<u32>,

    /// Remove all rows of the table
    #[arg(long)]
    pub empty_table: bool,

    /// Run a file of your own T-SQL in the database: batches separated by lines of GO, errors with
    /// their lines; may be repeated
    #[arg(long, value_name = "FILE")]
    pub apply: Vec<PathBuf>,

    /// Run one batch of your own T-SQL in the database, after the files; may be repeated. It shows
    /// in the list of processes: no secrets
    #[arg(long, value_name = "TEXT")]
    pub sql: Vec<String>,

    /// Remove all rows of a table of your own, after --apply and --sql; may be repeated
    #[arg(long, value_name = "TABLE")]
    pub empty: Vec<TableName>,

    /// Issue a CHECKPOINT after all else
    #[arg(long)]
    pub checkpoint: bool,

    /// Take a log backup to NUL (after the CHECKPOINT), which frees the log
    #[arg(long)]
    pub backup_log: bool,

    /// Allow a database without writelog's mark, and mark it: repeat the database's name
    #[arg(long, value_name = "NAME")]
    pub adopt: Option<String>,

    /// Drop the database, whoever is in it, and its rows in the backup history
    #[arg(long, conflicts_with_all = [
        "recovery", "delayed_durability", "data_size", "log_size", "data_growth", "log_growth",
        "log_steps", "data_file", "log_file", "no_table", "empty_table", "checkpoint", "backup_log",
        "loops", "line_length", "list_delayed_durability",
        "source_rows", "apply", "sql", "empty",
    ])]
    pub drop: bool,

    #[command(flatten)]
    pub(crate) trial: TrialArgs,

    #[command(flatten)]
    pub(crate) connection: ConnectionArgs,
}

fn table_help() -> String {
    format!(
        "The table under load; created where it is missing.\n\nIts shape: `id`, an int identity \
         and clustered primary key, and `line`, a varchar(500) (--line-length) with the default \
         '{LINE_DEFAULT}'. With --table-shape journal, `{WORKER_COLUMN}` and `{COMMIT_COLUMN}`, the \
         clustered primary key, stand in place of `id`."
    )
}

fn source_help() -> String {
    format!(
        "Prepare so many rows to copy. The table under load is then a heap ({DEFAULT_HEAP} where \
         --table names none) of `id`, an int, and two nvarchar({TEXT_LENGTH}); beside it stands \
         NAME_source, of the same shape, with the rows: 1,152 to a MB. A source that has them is \
         left alone, one that has fewer gets the rest, one that has more is filled anew."
    )
}

/// What columns the table under load has, as a flag.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum TableShape {
    /// An identity and a line with a default
    #[default]
    Line,
    /// Worker and number of each commit and the same line: for loadgen --journal and audit
    Journal,
    /// A number and two texts without an index: for loadgen --copy (--source-rows means this)
    Copy,
}

/// A recovery model, as a flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Recovery {
    /// All is logged and kept until a log backup
    Full,
    /// The log is reused after a checkpoint
    Simple,
    /// As full, but bulk operations log less
    BulkLogged,
}

impl From<Recovery> for RecoveryModel {
    fn from(recovery: Recovery) -> Self {
        match recovery {
            Recovery::Full => Self::Full,
            Recovery::Simple => Self::Simple,
            Recovery::BulkLogged => Self::BulkLogged,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Args;
    use clap::{CommandFactory, Parser};

    fn parse(flags: &str) -> Result<Args, clap::Error> {
        Args::try_parse_from(std::iter::once("setup-db").chain(flags.split_whitespace()))
    }

    #[test]
    fn the_command_line_is_consistent() {
        Args::command().debug_assert();
        assert_eq!(parse("").unwrap().table.to_string(), "dbo.writes");
        assert_eq!(
            parse("--source-rows 9").unwrap().table.to_string(),
            "dbo.write_speed"
        );
        let named = parse("--source-rows 9 --table lab.heap").unwrap().table;
        assert_eq!(named.to_string(), "lab.heap");
        assert!(parse("--drop -d lab --adopt lab").is_ok());
    }

    #[test]
    fn a_trial_is_whole_or_not_there() {
        let whole = "--experiment e --variant FULL --round 3 --block 2 --slot 1";
        let trial = parse(whole).unwrap().trial.trial().unwrap();
        assert_eq!((trial.round, trial.block, trial.slot), (3, 2, 1));
        let again = parse(whole).unwrap().trial.trial().unwrap();
        assert_ne!(trial.id, again.id);
        assert!(parse("").unwrap().trial.trial().is_none());
        for part in [
            "--experiment e",
            "--round 1",
            "--experiment e --variant v --round 1 --block 1",
            "--experiment e --variant v --round 0 --block 1 --slot 1",
        ] {
            assert!(parse(part).is_err(), "{part}");
        }
    }

    #[test]
    fn what_contradicts_itself_is_refused() {
        for flags in [
            "--drop --recovery full",
            "--drop --sql CHECKPOINT",
            "--no-table --empty-table",
            "--no-table --source-rows 9",
            "--source-rows 0",
            "--drop --source-rows 9",
            "--data-file /x.mdf",
            "--recovery fast",
            "--log-size 512",
        ] {
            assert!(parse(flags).is_err(), "{flags}");
        }
    }
}
