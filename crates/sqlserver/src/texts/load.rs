//! What a worker of a load sends.

use super::durability::CommitDurability;
use super::table::{LINE_COLUMN, LINE_DEFAULT};
use super::{Text, sample};
use crate::names::TableName;

/// The settings of a worker's session: an error ends the transaction, and no row counts travel.
#[must_use]
pub fn session_settings() -> Text {
    Text::new(
        "load::session_settings",
        "SET NOCOUNT ON; SET XACT_ABORT ON; SET IMPLICIT_TRANSACTIONS OFF;",
    )
}

/// Row counts travel, as they do where a client says nothing: for a script of the user's.
#[must_use]
pub fn report_rows() -> Text {
    Text::new("load::report_rows", "SET NOCOUNT OFF;")
}

/// How many transactions this session has open.
#[must_use]
pub fn open_transactions() -> Text {
    Text::new(
        "load::open_transactions",
        "SELECT CAST(@@TRANCOUNT AS int) AS open_transactions;",
    )
}

/// One row of defaults: one transaction of its own.
#[must_use]
pub fn insert_row(table: &TableName) -> Text {
    Text::new(
        "load::insert_row",
        format!("INSERT INTO {} DEFAULT VALUES;", table.quoted()),
    )
}

/// One row of defaults in a transaction whose COMMIT says how durable it must be.
#[must_use]
pub fn insert_row_and_commit(table: &TableName, durability: CommitDurability) -> Text {
    Text::new(
        "load::insert_row_and_commit",
        format!(
            "BEGIN TRANSACTION; INSERT INTO {} DEFAULT VALUES; {}",
            table.quoted(),
            durability.commit()
        ),
    )
}

/// Several rows of defaults in one transaction, one INSERT each, in one batch. Where an INSERT does
/// not insert exactly one row, the transaction is rolled back and error 50001 says so. The COMMIT
/// says how durable it must be where that is given.
#[must_use]
pub fn insert_rows(table: &TableName, rows: u32, durability: Option<CommitDurability>) -> Text {
    Text::new(
        "load::insert_rows",
        format!(
            "DECLARE @rows int = 0; \
             BEGIN TRANSACTION; \
             WHILE @rows < {rows} \
             BEGIN \
             INSERT INTO {} DEFAULT VALUES; \
             IF @@ROWCOUNT <> 1 THROW 50001, N'an INSERT did not insert exactly one row', 1; \
             SET @rows = @rows + 1; \
             END; \
             {}",
            table.quoted(),
            durability.map_or("COMMIT TRANSACTION;", CommitDurability::commit)
        ),
    )
}

/// Many rows in one statement, and so in one transaction: the key is the table's, the line is the
/// one of [`super::table`]. The numbers come from the batch itself, so that nothing is read.
#[must_use]
pub fn insert_in_one_statement(table: &TableName, rows: u32) -> Text {
    const TEN: &str = "(VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9))";
    let digits = rows
        .saturating_sub(1)
        .checked_ilog10()
        .map_or(1, |log| log + 1);
    let numbers: Vec<String> = (0..digits)
        .map(|at| format!("{TEN} AS d{at} (n)"))
        .collect();
    Text::new(
        "load::insert_in_one_statement",
        format!(
            "INSERT INTO {} ({LINE_COLUMN}) SELECT TOP ({rows}) '{LINE_DEFAULT}' FROM {};",
            table.quoted(),
            numbers.join(" CROSS JOIN ")
        ),
    )
}

/// The waits of this session since its login, one row for each type that occurred.
#[must_use]
pub fn session_waits() -> Text {
    Text::new(
        "load::session_waits",
        "SELECT CAST(wait_type AS nvarchar(60)) AS wait_type, \
         CAST(waiting_tasks_count AS bigint) AS waiting_tasks, \
         CAST(wait_time_ms AS bigint) AS wait_ms, \
         CAST(signal_wait_time_ms AS bigint) AS signal_wait_ms \
         FROM sys.dm_exec_session_wait_stats WHERE session_id = @@SPID;",
    )
}

pub(super) fn samples() -> Vec<Text> {
    let mut texts = vec![
        session_settings(),
        report_rows(),
        open_transactions(),
        session_waits(),
    ];
    for table in sample::tables() {
        texts.push(insert_row(&table));
        texts.push(insert_rows(&table, 10, None));
        for durability in [CommitDurability::Full, CommitDurability::Delayed] {
            texts.push(insert_rows(&table, 10, Some(durability)));
            texts.push(insert_row_and_commit(&table, durability));
        }
        texts.push(insert_in_one_statement(&table, 100_000));
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::insert_in_one_statement;

    #[test]
    fn there_are_enough_numbers_for_the_rows() {
        let table = "writes".parse().unwrap();
        for (rows, tens) in [
            (1, 1),
            (10, 1),
            (11, 2),
            (100_000, 5),
            (100_001, 6),
            (u32::MAX, 10),
        ] {
            let sql = insert_in_one_statement(&table, rows).sql;
            assert_eq!(sql.matches("VALUES").count(), tens, "{rows}");
        }
    }
}
