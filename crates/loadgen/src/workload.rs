//! What one transaction is, and how many of them there are.

use crate::script::Script;
use sqlserver::texts::durability::CommitDurability;
use sqlserver::texts::loops::{LoopKind, LoopProcedure};
use sqlserver::{TableName, texts};
use std::sync::Arc;
use std::time::Duration;

/// The transactions that a run sends: every one is one batch and one round trip, save where a loop
/// on the server commits many in one request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Workload {
    /// Rows of default values, one INSERT each.
    InsertDefaults {
        /// Where to.
        table: TableName,
        /// Rows in one transaction, at least 1.
        rows_per_transaction: u32,
        /// What its COMMIT asks for; none says nothing.
        durability: Option<CommitDurability>,
    },
    /// A stored procedure that inserts in a loop on the server. setup-db made it.
    Loop {
        /// Where to.
        table: TableName,
        /// How it commits.
        kind: LoopKind,
        /// The procedure.
        procedure: LoopProcedure,
        /// Rows that it inserts, at least 1.
        turns: u32,
    },
    /// All rows of a worker in one statement. The table must be one that setup-db made.
    InsertAtOnce {
        /// Where to.
        table: TableName,
        /// Rows in the statement, at least 1.
        rows: u32,
    },
    /// One row a transaction, with the numbers of the worker and of its commit. The table must be
    /// of the journal's shape.
    InsertNumbered {
        /// Where to.
        table: TableName,
        /// What each commit asks for.
        durability: CommitDurability,
    },
    /// All rows of a table that setup-db prepared, into a heap, on the server; then a CHECKPOINT.
    Copy {
        /// Where to.
        table: TableName,
        /// Where from.
        source: TableName,
        /// Rows of the source, once they were counted.
        rows: u32,
        /// The most processors for the statement.
        maxdop: Option<u32>,
    },
    /// A transaction of the user's own.
    Script {
        /// The transaction.
        script: Arc<Script>,
        /// The table that each transaction inserts so many rows into, where the user said so.
        check: Option<(TableName, u32)>,
    },
}

impl Workload {
    /// The batch that one transaction sends; of a script, its whole file.
    #[must_use]
    pub fn statement(&self) -> String {
        match self {
            Self::Script { script, .. } => return script.source().to_owned(),
            Self::InsertDefaults {
                table,
                rows_per_transaction: 1,
                durability,
            } => match durability {
                None => texts::load::insert_row(table),
                Some(durability) => texts::load::insert_row_and_commit(table, *durability),
            },
            Self::InsertDefaults {
                table,
                rows_per_transaction,
                durability,
            } => texts::load::insert_rows(table, *rows_per_transaction, *durability),
            Self::Loop {
                procedure, turns, ..
            } => procedure.run(*turns),
            Self::InsertAtOnce { table, rows } => {
                texts::load::insert_in_one_statement(table, *rows)
            }
            Self::InsertNumbered { table, durability } => {
                texts::journal::insert(table, *durability)
            }
            Self::Copy {
                table,
                source,
                rows,
                maxdop,
            } => texts::copy::pass(table, source, *rows, *maxdop),
        }
        .sql
    }

    /// The rows that one acknowledged transaction inserted into the table; none where a script
    /// decides it.
    #[must_use]
    pub fn rows_per_transaction(&self) -> Option<u32> {
        match self {
            Self::InsertDefaults {
                rows_per_transaction,
                ..
            } => Some(*rows_per_transaction),
            Self::InsertAtOnce { rows, .. } | Self::Copy { rows, .. } => Some(*rows),
            Self::Loop {
                kind: LoopKind::Batched,
                turns,
                ..
            } => Some(*turns),
            Self::Loop { .. } | Self::InsertNumbered { .. } => Some(1),
            Self::Script { check, .. } => check.as_ref().map(|(_, rows)| *rows),
        }
    }

    /// The transactions that one acknowledged request committed.
    #[must_use]
    pub fn transactions_per_request(&self) -> u32 {
        match self {
            Self::Loop {
                kind: LoopKind::Full | LoopKind::Delayed,
                turns,
                ..
            } => *turns,
            _ => 1,
        }
    }

    /// Whether a request may take as long as the whole run, so that an interrupt cancels it on the
    /// server instead of waiting for its answer.
    #[must_use]
    pub fn runs_on_the_server(&self) -> bool {
        matches!(self, Self::Loop { .. } | Self::Copy { .. })
    }

    /// What each commit asks for; none where none says.
    #[must_use]
    pub fn asks_for(&self) -> Option<CommitDurability> {
        match self {
            Self::InsertDefaults { durability, .. } => *durability,
            Self::Loop { kind, .. } => Some(match kind {
                LoopKind::Delayed => CommitDurability::Delayed,
                LoopKind::Full | LoopKind::Batched => CommitDurability::Full,
            }),
            Self::InsertNumbered { durability, .. } => Some(*durability),
            Self::InsertAtOnce { .. } | Self::Copy { .. } | Self::Script { .. } => None,
        }
    }

    /// The table that the rows go to; none where only a script knows.
    #[must_use]
    pub fn table(&self) -> Option<&TableName> {
        match self {
            Self::InsertDefaults { table, .. }
            | Self::InsertAtOnce { table, .. }
            | Self::Loop { table, .. }
            | Self::InsertNumbered { table, .. }
            | Self::Copy { table, .. } => Some(table),
            Self::Script { check, .. } => check.as_ref().map(|(table, _)| table),
        }
    }

    /// The script, where it is one.
    #[must_use]
    pub fn script(&self) -> Option<&Arc<Script>> {
        match self {
            Self::Script { script, .. } => Some(script),
            _ => None,
        }
    }

    /// A transaction in words: `transaction into dbo.writes`, `transaction of my.sql`.
    #[must_use]
    pub fn transaction(&self) -> String {
        match self {
            Self::InsertDefaults { table, .. }
            | Self::InsertAtOnce { table, .. }
            | Self::Loop { table, .. }
            | Self::InsertNumbered { table, .. }
            | Self::Copy { table, .. } => {
                format!("transaction into {table}")
            }
            Self::Script { script, .. } => format!("transaction of {}", script.name()),
        }
    }

    /// The table that is copied, where one is.
    #[must_use]
    pub fn source(&self) -> Option<&TableName> {
        match self {
            Self::Copy { source, .. } => Some(source),
            _ => None,
        }
    }

    /// A copy of so many rows; other loads as they are.
    #[must_use]
    pub fn of_source_rows(mut self, counted: u32) -> Self {
        if let Self::Copy { rows, .. } = &mut self {
            *rows = counted;
        }
        self
    }
}

/// How long each worker goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// So many transactions, a multiple of those of one request.
    Transactions(u64),
    /// Until this long after the gate opened; the transaction under way is finished.
    Duration(Duration),
}
