//! A transaction that is open while a backup is taken, so that a restore has something to undo.

use crate::server::{Workplace, interrupted, signal};
use records::Failure;
use sqlserver::texts::{load, restore as texts};
use sqlserver::{Connection, DatabaseName, TableName};

/// The transaction; it ends with its session at the latest.
pub(crate) struct OpenTransaction {
    session: Connection,
}

impl OpenTransaction {
    /// Begins one and inserts rows.
    ///
    /// # Errors
    /// There is no such table, the log is full, or a signal came.
    pub(crate) async fn begin(
        place: &Workplace,
        database: &DatabaseName,
        table: &TableName,
        rows: u32,
    ) -> Result<Self, Failure> {
        let doing = format!("inserting {rows} rows into {table} of `{database}` in a transaction");
        let mut session = place.session(database.as_str()).await?;
        let sql = [
            load::session_settings(),
            texts::begin_transaction(),
            load::insert_in_one_statement(table, rows),
        ]
        .map(|text| text.sql)
        .join(" ");
        let done = session
            .batch_until(&sql, signal(&place.interrupts))
            .await
            .map_err(|error| error.failure(&doing))?;
        match done {
            Some(_) => Ok(Self { session }),
            None => Err(interrupted(&format!("interrupted while {doing}"))),
        }
    }

    /// Rolls it back.
    ///
    /// # Errors
    /// It was not open any more: the backup does not hold what it should.
    pub(crate) async fn roll_back(mut self) -> Result<(), Failure> {
        self.session
            .run(&texts::roll_back().sql)
            .await
            .map_err(|error| error.failure("rolling the open transaction back after the backup"))?;
        self.session.close().await;
        Ok(())
    }
}
