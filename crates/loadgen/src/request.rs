//! What a worker sends: a batch that is the same each time, or a script with its next values.

use crate::control::Control;
use crate::script::{Script, Values};
use crate::workload::Workload;
use sqlserver::{Connection, SqlError};
use std::sync::Arc;

/// What every worker sends.
#[derive(Clone, Debug)]
pub(crate) enum Request {
    /// A batch.
    Batch(String),
    /// A batch that takes the worker's number and the commit's.
    Numbered(String),
    /// A script, and how many workers run it.
    Script(Arc<Script>, u32),
}

impl Request {
    /// What one transaction of a workload sends.
    pub(crate) fn of(workload: &Workload, workers: u32) -> Self {
        match workload {
            Workload::Script { script, .. } => Self::Script(Arc::clone(script), workers),
            Workload::InsertNumbered { .. } => Self::Numbered(workload.statement()),
            _ => Self::Batch(workload.statement()),
        }
    }

    /// The requests of one worker.
    pub(crate) fn of_worker(&self, worker: u32) -> Requests<'_> {
        match self {
            Self::Batch(batch) => Requests::Batch(batch),
            Self::Numbered(batch) => Requests::Numbered(batch, [worker.into(), 0]),
            Self::Script(script, workers) => {
                Requests::Script(script, Box::new(script.values(worker, *workers)))
            }
        }
    }

    /// The script, where it is one.
    pub(crate) fn script(&self) -> Option<&Script> {
        match self {
            Self::Batch(_) | Self::Numbered(_) => None,
            Self::Script(script, _) => Some(script),
        }
    }
}

/// The requests of one worker, one after the other.
pub(crate) enum Requests<'a> {
    Batch(&'a str),
    Numbered(&'a str, [i64; 2]),
    Script(&'a Script, Box<Values<'a>>),
}

impl Requests<'_> {
    /// Sends the next one and waits for its answer: the rows that it reported, 0 for a batch. A
    /// batch is cancelled where the control says stop, if there is one.
    pub(crate) async fn send(
        &mut self,
        connection: &mut Connection,
        cancel: Option<&Control>,
    ) -> Result<u64, SqlError> {
        match self {
            Self::Batch(batch) => match cancel {
                Some(control) => connection
                    .run_until(batch, control.stopped())
                    .await
                    .map(|()| 0),
                None => connection.run(batch).await.map(|()| 0),
            },
            Self::Numbered(batch, numbers) => {
                let [_, commit] = numbers;
                *commit = commit.saturating_add(1);
                connection
                    .run_with_numbers(batch, numbers)
                    .await
                    .map(|()| 0)
            }
            Self::Script(script, values) => {
                let answer = connection.execute(script.request(), values.next()).await?;
                Ok(answer.rows)
            }
        }
    }
}

/// What only a script leaves behind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Left {
    /// Rows that its statements reported.
    pub(crate) rows: u64,
    /// Where its error lies: `my.sql:4`.
    pub(crate) error_at: Option<String>,
    /// Transactions that the session had open at the end, above 0.
    pub(crate) open_transactions: Option<i32>,
}
