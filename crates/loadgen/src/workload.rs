//! What one transaction is.

use crate::texts;

/// The transactions that a run sends: every one is one batch and one round trip.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Workload {
    /// Rows of default values into one table.
    InsertDefaults {
        /// The table, as the user named it.
        table: String,
        /// Rows in one transaction, at least 1.
        rows_per_transaction: u32,
    },
}

impl Workload {
    /// The batch that one transaction sends. It ends in an error unless all its rows went in.
    #[must_use]
    pub fn statement(&self) -> String {
        match self {
            Self::InsertDefaults {
                table,
                rows_per_transaction,
            } => texts::insert_defaults(table, *rows_per_transaction),
        }
    }

    /// The rows that one acknowledged transaction inserted.
    #[must_use]
    pub fn rows_per_transaction(&self) -> u32 {
        match self {
            Self::InsertDefaults {
                rows_per_transaction,
                ..
            } => *rows_per_transaction,
        }
    }

    /// The table that the rows go to.
    #[must_use]
    pub fn table(&self) -> &str {
        match self {
            Self::InsertDefaults { table, .. } => table,
        }
    }
}

/// How long each worker goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// So many transactions.
    Transactions(u64),
    /// Until this long after the round's clock started; the transaction under way is finished.
    Duration(std::time::Duration),
}
