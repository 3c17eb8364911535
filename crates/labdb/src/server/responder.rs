//! The executor's client on the wire.

use crate::session::{CANCELLED, CLIENT_GONE, Client, Done, EnvChange, cancelled};
use labdb_tds::{Response, ReturnValue};
use labdb_types::{Column, Message, SqlError, SqlResult, SqlType, Value};

/// Writes to a connection.
pub(super) struct Responder<'a, 'c> {
    pub(super) response: &'a mut Response<'c>,
}

fn gone(error: &labdb_tds::Error) -> SqlError {
    match error {
        labdb_tds::Error::Value { .. } => {
            SqlError::new(8115, format!("A value cannot be sent: {error}."))
        }
        _ => SqlError::new(CLIENT_GONE, error.to_string()).severity(25),
    }
}

impl Client for Responder<'_, '_> {
    fn columns(&mut self, columns: &[Column]) -> SqlResult<()> {
        self.response.columns(columns).map_err(|e| gone(&e))
    }

    fn row(&mut self, row: &[Value]) -> SqlResult<()> {
        self.response.row(row).map_err(|e| gone(&e))
    }

    fn done(&mut self, done: &Done) -> SqlResult<()> {
        self.response
            .statement_done(&wire(done))
            .map_err(|e| gone(&e))
    }

    fn error(&mut self, error: &SqlError) -> SqlResult<()> {
        if matches!(error.number, CANCELLED | CLIENT_GONE) {
            return Err(cancelled());
        }
        self.response.error(error).map_err(|e| gone(&e))
    }

    fn info(&mut self, message: &Message) -> SqlResult<()> {
        self.response.info(message).map_err(|e| gone(&e))
    }

    fn env_change(&mut self, change: &EnvChange) -> SqlResult<()> {
        let change = match change.clone() {
            EnvChange::Database(old, new) => labdb_tds::EnvChange::Database { new, old },
            EnvChange::Language(old, new) => labdb_tds::EnvChange::Language { new, old },
            EnvChange::Begin(n) => labdb_tds::EnvChange::BeginTransaction(n),
            EnvChange::Commit(n) => labdb_tds::EnvChange::CommitTransaction(n),
            EnvChange::Rollback(n) => labdb_tds::EnvChange::RollbackTransaction(n),
        };
        self.response.env_change(&change).map_err(|e| gone(&e))
    }

    fn begin_procedure(&mut self) {
        self.response.begin_procedure();
    }

    fn end_procedure(&mut self, status: Option<i32>, done: &Done) -> SqlResult<()> {
        if let Some(status) = status {
            self.response.return_status(status).map_err(|e| gone(&e))?;
        }
        self.response
            .end_procedure(&wire(done))
            .map_err(|e| gone(&e))
    }

    fn return_value(
        &mut self,
        ordinal: u16,
        name: &str,
        sql_type: SqlType,
        value: &Value,
    ) -> SqlResult<()> {
        let value = ReturnValue {
            ordinal,
            name,
            function_result: false,
            sql_type,
            value,
        };
        self.response.return_value(&value).map_err(|e| gone(&e))
    }

    fn flush(&mut self) -> SqlResult<()> {
        self.response.flush().map_err(|e| gone(&e))
    }

    fn cancel_requested(&mut self) -> bool {
        self.response.attention_pending().unwrap_or(true)
    }
}

fn wire(done: &Done) -> labdb_tds::Done {
    labdb_tds::Done {
        rows: done.rows,
        error: done.error,
        in_transaction: done.in_transaction,
        command: done.command as u16,
    }
}
