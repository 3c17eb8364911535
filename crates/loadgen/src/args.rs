//! The command line.

use crate::progress::ProgressMode;
use crate::script::args::{HELP as SCRIPTS, ScriptArgs};
use crate::workload::{Extent, Workload};
use clap::builder::ArgPredicate;
use clap::{Parser, ValueEnum};
use records::{ExitStatus, Failure, FailureCode};
use sqlserver::texts::durability::CommitDurability;
use sqlserver::texts::loops::{LoopKind, LoopProcedure};
use sqlserver::{ConnectionArgs, NameError, TableName, texts};
use std::path::PathBuf;
use std::time::Duration;

/// Rows of each worker where nothing is said: those of the published experiment.
const DEFAULT_ROWS: u64 = 10_000;

const LONG_ABOUT: &str = "\
Puts load on a database and measures it from the client's side.

N connections are opened and prepared first. Then all start at once, and each inserts its rows, one
transaction after the other (closed loop: the next one is sent when the last one is answered). The
result is one `load` record: first start to last end, acknowledged transactions, errors by number,
the latency distribution, each session's own waits, and how much CPU this program itself used.

loadgen is a filter: it passes its input on, byte for byte, and starts at its end. Server, database,
trial and table are taken from the records that come (setup-db's, snapshot's) unless flags say
otherwise. Nothing is retried: a deadlock, a lost connection or a full log ends the round, and its
record says `invalid` and why. Ctrl-C ends the run after the statements under way; what was measured
is written, marked `partial`. A second Ctrl-C ends the program at once.

It writes only into a database that setup-db made (that carries writelog's mark), or into the one
that --adopt names.";

const EXAMPLES: &str = "\
Examples:
  One round: state, reading, load, reading, difference
    setup-db -d lab --recovery full --empty-table | snapshot | loadgen | snapshot | diff

  4 connections for ten seconds, ten rows a transaction, by itself
    loadgen -n -S localhost -U sa -C -d lab --workers 4 --duration 10s --rows-per-transaction 10

  50,000 commits in a loop on the server, delayed, and the flush after them
    setup-db -d lab --delayed-durability allowed --loops --empty-table | snapshot |
        loadgen --workers 1 --rows 50000 --loop delayed --flush-log | snapshot | diff

  How fast is the storage: a pass of 1 GB into a heap
    setup-db -d lab --source-rows 1179620 --checkpoint | snapshot | loadgen --copy | snapshot | diff

  Your own transaction, 500 times on each of 8 connections
    loadgen -n -d lab --script order.sql --workers 8 --transactions 500

  A table of your own in a database of your own
    loadgen -n -d Sales --adopt Sales --table dbo.Audit --workers 8 --rows 1000

  Until the server is killed, then what is left of it
    setup-db -d lab --table dbo.commits --table-shape journal --empty-table | snapshot |
        loadgen --journal acks --durability full --duration 1h --expect-crash | audit

What it measures, and what not:
  Latency is a transaction's round trip as this program saw it. In a closed loop a stall of the
  server holds the next transactions back, and their waiting is in no latency (coordinated
  omission): compare elapsed times, and do not read the percentiles as those of independent users.
  With client_cpu_share near the number of cores (reason `client_bound`), the client was measured
  and not the server: run it on another machine.";

/// Puts load on a database and measures it from the client's side.
#[derive(Clone, Debug, Parser)]
#[command(name = "loadgen", version, long_about = LONG_ABOUT,
    after_help = ExitStatus::HELP, after_long_help = format!("{EXAMPLES}\n\n{SCRIPTS}\n\n{}\n\n{}", sqlserver::connect::ENVIRONMENT_HELP, ExitStatus::HELP))]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct Args {
    /// Connections that insert at the same time
    #[arg(short = 'w', long, value_name = "N", default_value_t = 16,
        default_value_if("copy", ArgPredicate::IsPresent, "1"),
        value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub workers: u32,

    /// Rows that each connection inserts [default: 10000, where there is no --duration; with
    /// --script so many transactions]
    #[arg(short = 'r', long, value_name = "N", conflicts_with = "duration",
        value_parser = clap::value_parser!(u64).range(1..))]
    pub rows: Option<u64>,

    /// Insert for this long instead: 30s, 500ms, 5m
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub duration: Option<Duration>,

    /// Also one `interval` record for each so long a part of the run (1s, 100ms; at least 10ms), so
    /// that a stall inside it shows: transactions, errors, latencies
    ///
    /// The timed loop counts an answer as it does without; only the first answer after the end of an
    /// interval makes its worker set the counts aside (about 0.03 ms).
    #[arg(long, value_name = "TIME", value_parser = interval,
        conflicts_with_all = ["single_statement", "server_loop", "copy"])]
    pub interval: Option<Duration>,

    /// Rows in one transaction, all in one batch (--rows must be a multiple of it); with --script
    /// and --table, the rows that each transaction inserts into the table
    #[arg(long, value_name = "N", default_value_t = 1,
        value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub rows_per_transaction: u32,

    /// All rows of a connection in one statement and one transaction
    #[arg(long, conflicts_with_all = ["duration", "rows_per_transaction"])]
    pub single_statement: bool,

    /// Insert in a loop on the server, one request for all rows of a connection, in a stored
    /// procedure that setup-db --loops made
    #[arg(long = "loop", value_enum, value_name = "COMMITS",
        conflicts_with_all = ["duration", "rows_per_transaction", "single_statement", "durability"])]
    pub server_loop: Option<ServerLoop>,

    /// What each COMMIT asks for, a round trip each [default: nothing]. The database's setting
    /// decides: only ALLOWED does as asked
    #[arg(
        long,
        value_enum,
        value_name = "DURABILITY",
        conflicts_with = "single_statement"
    )]
    pub durability: Option<Durability>,

    /// Flush the log after the run (`sys.sp_flush_log`), at once and outside the clock, and report
    /// how long it took: before, delayed commits may not be on disk
    #[arg(long)]
    pub flush_log: bool,

    /// Write every acknowledgement down in this new file, as it comes
    ///
    /// Each transaction then inserts one row with the number of its worker and of its commit, into
    /// a table that setup-db --table-shape journal made, so that audit can tell after a crash which
    /// acknowledged commits are there. A line is handed to the operating system before the worker
    /// sends its next commit: it survives this program's own end, not a crash of this machine.
    /// Latencies do not hold the writing, the elapsed time does (microseconds a commit).
    /// Each commit asks for full durability where --durability does not say otherwise.
    #[arg(long, value_name = "FILE",
        conflicts_with_all = ["single_statement", "rows_per_transaction", "server_loop", "script"])]
    pub journal: Option<PathBuf>,

    /// The server is to crash under the load: exit with 0 where the connections were lost, and
    /// with 8 where they were not
    ///
    /// The load record is marked `partial`, with the reason `crashed`. The rows are not counted
    /// afterwards: audit does that, when the server is back.
    #[arg(long, requires = "journal", conflicts_with = "flush_log")]
    pub expect_crash: bool,

    /// One pass: copy every row of the source table into the table, on the server, in one statement
    /// and under a table lock, then a CHECKPOINT; the clock runs over both
    #[arg(long, conflicts_with_all = [
        "rows", "duration", "rows_per_transaction", "single_statement", "server_loop", "durability",
        "journal",
    ])]
    pub copy: bool,

    /// What --copy copies [default: the source that setup-db's record names]
    #[arg(long, value_name = "TABLE", requires = "copy")]
    pub source: Option<String>,

    /// The most processors that --copy may use for its statement (OPTION (MAXDOP N))
    #[arg(long, value_name = "N", requires = "copy",
        value_parser = clap::value_parser!(u32).range(1..=32_767))]
    pub maxdop: Option<u32>,

    /// The table [default: the one that setup-db's record names, else setup-db's own default];
    /// with --script the one whose rows are counted [default: none]
    #[arg(long, value_name = "TABLE")]
    pub table: Option<String>,

    /// Write into this database although setup-db did not make it
    #[arg(long, value_name = "DATABASE")]
    pub adopt: Option<String>,

    /// How long the whole run may take, connecting included; then the round is invalid
    #[arg(long, value_name = "TIME", default_value = "1h", value_parser = duration)]
    pub deadline: Duration,

    /// Do not count the table's rows before and after (outside the clock) to prove that all
    /// acknowledged rows, and no others, went in
    #[arg(long)]
    pub no_row_check: bool,

    /// A progress bar on standard error
    #[arg(long, value_enum, default_value_t, value_name = "WHEN")]
    pub progress: ProgressMode,

    #[command(flatten)]
    pub(crate) script: ScriptArgs,

    /// Where the input comes from.
    #[command(flatten)]
    pub input: records::stream::InputArgs,

    /// How to connect.
    #[command(flatten)]
    pub connection: ConnectionArgs,
}

impl Args {
    /// What one transaction is, and how long each worker goes on; the table is the one of
    /// upstream's setup record where no flag names another.
    ///
    /// # Errors
    /// Usage: the rows do not divide into transactions, the table's name cannot be one, or there is
    /// nothing to copy.
    pub fn workload(
        &self,
        upstream_table: Option<&str>,
        upstream_source: Option<&str>,
    ) -> Result<(Workload, Extent), Failure> {
        if self.copy {
            let copy = self.copy_of(upstream_table, upstream_source)?;
            return Ok((copy, Extent::Transactions(1)));
        }
        if let Some(workload) = self
            .script
            .workload(self.own_table()?, self.rows_per_transaction)?
        {
            let extent = match (self.duration, self.script.transactions) {
                (Some(duration), _) => Extent::Duration(duration),
                (None, transactions) => Extent::Transactions(transactions.unwrap_or(DEFAULT_ROWS)),
            };
            return Ok((workload, extent));
        }
        let table = self.table_name(upstream_table)?;
        if let Some(server_loop) = self.server_loop {
            let turns = self.rows_of_one_request("--loop", MOST_TURNS)?;
            let workload = server_loop.workload(table, turns)?;
            let transactions = u64::from(workload.transactions_per_request());
            return Ok((workload, Extent::Transactions(transactions)));
        }
        if self.single_statement {
            let rows = self.rows_of_one_request("--single-statement", u32::MAX)?;
            return Ok((
                Workload::InsertAtOnce { table, rows },
                Extent::Transactions(1),
            ));
        }
        let workload = if self.journal.is_some() {
            let durability = self.durability.unwrap_or(Durability::Full);
            Workload::InsertNumbered {
                table,
                durability: durability.into(),
            }
        } else {
            Workload::InsertDefaults {
                table,
                rows_per_transaction: self.rows_per_transaction,
                durability: self.durability.map(CommitDurability::from),
            }
        };
        if let Some(duration) = self.duration {
            return Ok((workload, Extent::Duration(duration)));
        }
        if let Some(transactions) = self.script.transactions {
            return Ok((workload, Extent::Transactions(transactions)));
        }
        let each = u64::from(self.rows_per_transaction);
        let rows = self
            .rows
            .unwrap_or_else(|| DEFAULT_ROWS.next_multiple_of(each));
        if !rows.is_multiple_of(each) {
            let more = rows.checked_next_multiple_of(each).unwrap_or(each);
            return Err(Failure::new(
                FailureCode::Usage,
                format!("--rows {rows} is no multiple of --rows-per-transaction {each}"),
            )
            .remedy(format!(
                "Use --rows {more}, so that all transactions are alike."
            )));
        }
        Ok((workload, Extent::Transactions(rows / each)))
    }

    /// All rows of a connection, where one request inserts them.
    fn rows_of_one_request(&self, flag: &str, most: u32) -> Result<u32, Failure> {
        let rows = self.rows.unwrap_or(DEFAULT_ROWS);
        u32::try_from(rows)
            .ok()
            .filter(|rows| *rows <= most)
            .ok_or_else(|| {
                Failure::new(
                    FailureCode::Usage,
                    format!("--rows {rows} is too many for {flag}"),
                )
                .remedy(format!("Use {most} at most."))
            })
    }

    fn copy_of(&self, table: Option<&str>, source: Option<&str>) -> Result<Workload, Failure> {
        if self.workers != 1 {
            return Err(Failure::new(
                FailureCode::Usage,
                format!(
                    "--copy with {} workers: under a table lock one writes and the others wait",
                    self.workers
                ),
            )
            .remedy("Leave --workers out."));
        }
        let Some(source) = self.source.as_deref().or(source) else {
            return Err(Failure::new(
                FailureCode::Usage,
                "--copy needs a table to copy, and no record before names one",
            )
            .remedy("Name it with --source, or prepare one with setup-db --source-rows."));
        };
        let source = source.parse().map_err(|error: sqlserver::NameError| {
            Failure::new(FailureCode::Usage, error.to_string())
                .remedy("Name the table to copy with --source.")
        })?;
        let default = Some(texts::copy::DEFAULT_HEAP);
        let table = self.table_name(table.or(default))?;
        if table == source {
            return Err(Failure::new(
                FailureCode::Usage,
                format!("--copy would copy {table} into itself"),
            )
            .remedy("Name two tables: --source and --table."));
        }
        Ok(Workload::Copy {
            table,
            source,
            rows: 0,
            maxdop: self.maxdop,
        })
    }

    fn table_name(&self, upstream: Option<&str>) -> Result<TableName, Failure> {
        table_of_name(
            self.table
                .as_deref()
                .or(upstream)
                .unwrap_or(texts::table::DEFAULT_TABLE),
        )
    }

    /// The table that the flag names.
    fn own_table(&self) -> Result<Option<TableName>, Failure> {
        self.table.as_deref().map(table_of_name).transpose()
    }
}

fn table_of_name(name: &str) -> Result<TableName, Failure> {
    name.parse().map_err(|error: sqlserver::NameError| {
        Failure::new(FailureCode::Usage, error.to_string()).remedy("Name the table with --table.")
    })
}

/// The most turns of a loop: its counter is an `int`.
const MOST_TURNS: u32 = 1_000_000_000;

/// How a loop on the server commits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ServerLoop {
    /// A transaction a row, each commit asks to be fully durable
    Full,
    /// A transaction a row, each commit asks to be delayed
    Delayed,
    /// One transaction around all rows, fully durable
    Batched,
}

impl ServerLoop {
    fn workload(self, table: TableName, turns: u32) -> Result<Workload, Failure> {
        let kind = match self {
            Self::Full => LoopKind::Full,
            Self::Delayed => LoopKind::Delayed,
            Self::Batched => LoopKind::Batched,
        };
        let procedure = LoopProcedure::new(&table, kind).map_err(|error: NameError| {
            Failure::new(FailureCode::Usage, error.to_string())
                .remedy("Name a table with a shorter name (--table).")
        })?;
        Ok(Workload::Loop {
            table,
            kind,
            procedure,
            turns,
        })
    }
}

/// What a COMMIT asks for, as a flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Durability {
    /// The answer comes once the log is on disk
    Full,
    /// The answer may come before
    Delayed,
}

impl From<Durability> for CommitDurability {
    fn from(durability: Durability) -> Self {
        match durability {
            Durability::Full => Self::Full,
            Durability::Delayed => Self::Delayed,
        }
    }
}

impl From<Durability> for records::CommitDurability {
    fn from(durability: Durability) -> Self {
        match durability {
            Durability::Full => Self::Full,
            Durability::Delayed => Self::Delayed,
        }
    }
}

/// Reads `30s`, `500ms`, `1h 30m`.
fn duration(text: &str) -> Result<Duration, String> {
    let bad = || "a time is written with its unit: 500ms, 30s, 5m, 1h".to_owned();
    let signed: jiff::SignedDuration = text.parse().map_err(|_| bad())?;
    let duration = Duration::try_from(signed).map_err(|_| bad())?;
    if duration.is_zero() {
        return Err("it must be longer than nothing".to_owned());
    }
    Ok(duration)
}

/// Reads the length of an interval.
fn interval(text: &str) -> Result<Duration, String> {
    let length = duration(text)?;
    if length < Duration::from_millis(10) {
        return Err("shorter than 10ms, setting the counts aside would itself show".to_owned());
    }
    Ok(length)
}

#[cfg(test)]
mod tests;
