//! INSERT … EXECUTE: a procedure's rows as the source.

use super::Executor;
use super::insert::InsertPlan;
use crate::session::{Client, Done};
use labdb_tsql::ast::{Insert, InsertSource};
use labdb_types::{Column, Message, SqlError, SqlResult, SqlType, Value};
use std::sync::Arc;

impl Executor<'_> {
    pub(super) fn insert_execute(&mut self, insert: &Insert, plan: &InsertPlan) -> SqlResult<u64> {
        let InsertSource::Execute(execute) = &insert.source else {
            return Ok(0);
        };
        let mut capture = Capture::default();
        {
            self.session.atomic.set(self.session.atomic.get() + 1);
            let mut inner = Executor::new(
                self.session,
                self.frame,
                &mut capture,
                Arc::clone(&self.owner),
            );
            inner.line = self.line;
            let outcome = inner.execute(execute);
            self.session.atomic.set(self.session.atomic.get() - 1);
            outcome?;
        }
        for message in &capture.messages {
            self.client.info(message)?;
        }
        let mut count = 0;
        for (types, rows) in &capture.sets {
            if types.len() != plan.places.len() {
                return Err(SqlError::new(
                    213,
                    "Column name or number of supplied values does not match table definition.",
                )
                .state(7));
            }
            for row in rows {
                self.insert_row(&plan.table, &plan.rules, &plan.places, row, types)?;
                count += 1;
            }
        }
        Ok(count)
    }
}

/// Keeps result sets instead of sending them.
#[derive(Default)]
struct Capture {
    sets: Vec<(Vec<SqlType>, Vec<Vec<Value>>)>,
    messages: Vec<Message>,
}

impl Client for Capture {
    fn columns(&mut self, columns: &[Column]) -> SqlResult<()> {
        self.sets
            .push((columns.iter().map(|c| c.sql_type).collect(), Vec::new()));
        Ok(())
    }

    fn row(&mut self, row: &[Value]) -> SqlResult<()> {
        if let Some((_, rows)) = self.sets.last_mut() {
            rows.push(row.to_vec());
        }
        Ok(())
    }

    fn done(&mut self, _: &Done) -> SqlResult<()> {
        Ok(())
    }

    fn error(&mut self, error: &SqlError) -> SqlResult<()> {
        Err(error.clone())
    }

    fn info(&mut self, message: &Message) -> SqlResult<()> {
        self.messages.push(message.clone());
        Ok(())
    }
}
