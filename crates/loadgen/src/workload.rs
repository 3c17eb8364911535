//! What one transaction is, and how many of them there are.

use sqlserver::{TableName, texts};
use std::time::Duration;

/// The transactions that a run sends: every one is one batch and one round trip.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Workload {
    /// Rows of default values, one INSERT each.
    InsertDefaults {
        /// Where to.
        table: TableName,
        /// Rows in one transaction, at least 1.
        rows_per_transaction: u32,
    },
    /// All rows of a worker in one statement. The table must be one that setup-db made.
    InsertAtOnce {
        /// Where to.
        table: TableName,
        /// Rows in the statement, at least 1.
        rows: u32,
    },
}

impl Workload {
    /// The batch that one transaction sends.
    #[must_use]
    pub fn statement(&self) -> String {
        match self {
            Self::InsertDefaults {
                table,
                rows_per_transaction: 1,
            } => texts::load::insert_row(table),
            Self::InsertDefaults {
                table,
                rows_per_transaction,
            } => texts::load::insert_rows(table, *rows_per_transaction),
            Self::InsertAtOnce { table, rows } => {
                texts::load::insert_in_one_statement(table, *rows)
            }
        }
        .sql
    }

    /// The rows that one acknowledged transaction inserted.
    #[must_use]
    pub fn rows_per_transaction(&self) -> u32 {
        match self {
            Self::InsertDefaults {
                rows_per_transaction,
                ..
            } => *rows_per_transaction,
            Self::InsertAtOnce { rows, .. } => *rows,
        }
    }

    /// The table that the rows go to.
    #[must_use]
    pub fn table(&self) -> &TableName {
        match self {
            Self::InsertDefaults { table, .. } | Self::InsertAtOnce { table, .. } => table,
        }
    }
}

/// How long each worker goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// So many transactions.
    Transactions(u64),
    /// Until this long after the gate opened; the transaction under way is finished.
    Duration(Duration),
}
