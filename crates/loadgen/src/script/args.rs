//! The flags of a script.

use super::Script;
use crate::workload::Workload;
use records::{Failure, FailureCode};
use sqlserver::TableName;
use std::path::PathBuf;
use std::sync::Arc;

/// What `--help` says about scripts.
pub(crate) const HELP: &str = "\
Scripts (--script FILE.sql):
  The file is one transaction: one batch of T-SQL, sent as it stands with its
  variables as parameters (sp_executesql), so that its plan is reused. A single
  statement is a transaction by itself; several need BEGIN TRANSACTION and
  COMMIT. GO is refused: what is done once goes through setup-db --apply.

    -- loadgen: @amount decimal(9, 2) = random(0.01, 500)
    -- loadgen: @customer int = zipf(1, 100000, 1.1)
    -- loadgen: @note nvarchar(60) = random_text(20)
    INSERT INTO dbo.orders (worker, number, customer, amount, note)
    VALUES (@worker, @iteration, @customer, @amount, @note);

  @worker int counts connections from 1, @iteration bigint each connection's
  transactions from 1, @workers int is the number of connections. Others are
  declared in the comments at the top of the file, one a line:
    random(low, high)                   whole numbers, decimals, floats; each
                                        as likely, both ends included
    zipf(low, high, exponent)           low most often, then low + 1, …
    normal(low, high, mean, deviation)  drawn again until it lies within
    random_text(length), random_text(shortest, longest)   letters and digits
    random_guid()
    choice(one, another, …)             and a constant: = 5, = 'O''Brien'
  --seed draws the same values again: each connection has its own sequence.
  Only variables that the text uses are sent. The file is kept whole in the
  record: write no secret into it.

  A worker's session has XACT_ABORT ON. An error, a deadlock too, makes the
  round invalid, as does a transaction that the script leaves open. `rows` are
  those that the statements reported.";

/// A transaction of the user's own.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct ScriptArgs {
    /// The transaction: a file of T-SQL (see --help)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["rows", "single_statement"])]
    script: Option<PathBuf>,

    /// Transactions that each connection runs, instead of --rows
    #[arg(long, value_name = "N", conflicts_with_all = ["rows", "duration", "single_statement"],
        value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) transactions: Option<u64>,

    /// What a script's random values are drawn from [default: drawn, and recorded]
    #[arg(long, value_name = "N", requires = "script")]
    seed: Option<u32>,
}

impl ScriptArgs {
    /// The script as a workload, where there is one; each of its transactions inserts `rows` rows
    /// into `table`, where that is said.
    ///
    /// # Errors
    /// Usage: the script cannot be used, or rows were declared without a table.
    pub(crate) fn workload(
        &self,
        table: Option<TableName>,
        rows: u32,
    ) -> Result<Option<Workload>, Failure> {
        let Some(path) = &self.script else {
            return Ok(None);
        };
        if table.is_none() && rows != 1 {
            return Err(Failure::new(
                FailureCode::Usage,
                "--rows-per-transaction with --script says how many rows each transaction inserts \
                 into --table, and there is no --table",
            )
            .remedy("Name the table whose rows shall be counted, or leave the flag out."));
        }
        let script = Script::read(path, self.seed.unwrap_or_else(rand::random))?;
        Ok(Some(Workload::Script {
            script: Arc::new(script),
            check: table.map(|table| (table, rows)),
        }))
    }
}
