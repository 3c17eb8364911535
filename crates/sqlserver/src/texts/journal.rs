//! The table whose every row is one commit that can be told from all others: who sent it, and as
//! which of its commits.

use super::durability::CommitDurability;
use super::table::{LINE_COLUMN, LINE_DEFAULT, LINE_LENGTH};
use super::{Text, sample};
use crate::names::{TableName, quote_literal};

/// The worker that sent the commit, from 1.
pub const WORKER_COLUMN: &str = "worker";

/// Which of that worker's commits it is, from 1.
pub const COMMIT_COLUMN: &str = "commit_number";

/// Creates the table. The key is what identifies a commit; the line is that of
/// [`super::table::create`], so that a commit logs about as much.
#[must_use]
pub fn create(table: &TableName, line_length: u16) -> Text {
    Text::new(
        "journal::create",
        format!(
            "CREATE TABLE {} ({WORKER_COLUMN} int NOT NULL, {COMMIT_COLUMN} bigint NOT NULL, \
             {LINE_COLUMN} varchar({line_length}) NOT NULL DEFAULT ({}), \
             PRIMARY KEY CLUSTERED ({WORKER_COLUMN}, {COMMIT_COLUMN}));",
            table.quoted(),
            quote_literal(LINE_DEFAULT).trim_start_matches('N')
        ),
    )
}

/// One numbered row in a transaction of its own: `@P1` is the worker, `@P2` the number of the
/// commit. Delayed, the commit may be answered before its log is on disk, where the database
/// allows it; not delayed, it may not, unless the database is set to FORCED.
///
/// A text with parameters, so that the server compiles it once and not for each commit.
#[must_use]
pub fn insert(table: &TableName, durability: CommitDurability) -> Text {
    Text::new(
        "journal::insert",
        format!(
            "BEGIN TRANSACTION; \
             INSERT INTO {} ({WORKER_COLUMN}, {COMMIT_COLUMN}) VALUES (@P1, @P2); \
             {}",
            table.quoted(),
            durability.commit()
        ),
    )
}

/// The first `rows` commits that come after one, in the order of the key.
#[must_use]
pub fn commits_after(table: &TableName, worker: i32, commit: i64, rows: u32) -> Text {
    Text::new(
        "journal::commits_after",
        format!(
            "SELECT TOP ({rows}) CAST({WORKER_COLUMN} AS int) AS worker, \
             CAST({COMMIT_COLUMN} AS bigint) AS commit_number FROM {} \
             WHERE {WORKER_COLUMN} > {worker} \
             OR ({WORKER_COLUMN} = {worker} AND {COMMIT_COLUMN} > {commit}) \
             ORDER BY {WORKER_COLUMN}, {COMMIT_COLUMN};",
            table.quoted()
        ),
    )
}

pub(super) fn samples() -> Vec<Text> {
    sample::tables()
        .iter()
        .flat_map(|table| {
            [
                create(table, LINE_LENGTH),
                insert(table, CommitDurability::Delayed),
                insert(table, CommitDurability::Full),
                commits_after(table, 16, 400_000, 50_000),
            ]
        })
        .collect()
}
