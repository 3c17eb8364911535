//! One session on the server. Every statement goes through here, so that every result is drained
//! and every wait has a deadline.

use crate::connect::{self, Settings};
use crate::error::SqlError;
use crate::parameterized::{self, ParameterizedText, RowCount, Value};
use records::Failure;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;
use tiberius::{Client, Row, ToSql};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_util::compat::Compat;

/// How long a server may take to acknowledge that it stopped a statement.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(5);

/// How long it may take to acknowledge that it stopped what it has to clean up after.
const LONG_CANCEL_TIMEOUT: Duration = Duration::from_secs(30);

/// The driver's client over TCP.
pub(crate) type TcpClient = Client<Compat<TcpStream>>;

/// All result sets of a batch, in order; a result set without rows is there, empty.
pub type Results = Vec<Vec<Row>>;

/// One session.
#[derive(Debug)]
pub struct Connection {
    settings: Arc<Settings>,
    database: Option<String>,
    deadline: Option<Duration>,
    client: Option<TcpClient>,
}

impl Connection {
    /// Logs in to the settings' database.
    ///
    /// # Errors
    /// No connection: unreachable, login refused, certificate not trusted, no such database.
    pub async fn open(settings: &Arc<Settings>) -> Result<Self, Failure> {
        Self::open_in(settings, settings.database.as_deref()).await
    }

    /// Logs in to a database; none is the login's default database.
    ///
    /// # Errors
    /// As [`Connection::open`].
    pub async fn open_in(
        settings: &Arc<Settings>,
        database: Option<&str>,
    ) -> Result<Self, Failure> {
        let client = connect::open(settings, database).await?;
        Ok(Self {
            settings: Arc::clone(settings),
            database: database.map(str::to_owned),
            deadline: settings.query_limit(None),
            client: Some(client),
        })
    }

    /// Sets how long one batch may take; none is without limit.
    pub fn set_deadline(&mut self, deadline: Option<Duration>) {
        self.deadline = deadline;
    }

    /// The settings that it was opened with.
    #[must_use]
    pub fn settings(&self) -> &Arc<Settings> {
        &self.settings
    }

    /// Whether statements can be sent: false after a deadline passed or the connection was lost.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.client.is_some()
    }

    /// Logs in anew where the connection is gone. What belonged to the session (settings,
    /// temporary tables, waits, an open transaction) is gone with it.
    ///
    /// # Errors
    /// As [`Connection::open`].
    pub async fn reopen(&mut self) -> Result<(), Failure> {
        self.client = None;
        self.client = Some(connect::open(&self.settings, self.database.as_deref()).await?);
        Ok(())
    }

    /// Sends a batch and drains all that comes back.
    ///
    /// A batch that passes the deadline is cancelled on the server, and the connection is closed:
    /// where in the answer it was cut off cannot be known.
    ///
    /// # Errors
    /// The first error of the server, the deadline, or a lost connection.
    pub async fn batch(&mut self, text: &str) -> Result<Results, SqlError> {
        self.answer(&Request::Batch(text)).await
    }

    /// Sends one batch with numbers for its `@P1`, `@P2` and so on (`sp_executesql`, every one a
    /// bigint) and drains it, for its effect. The text stays the same whatever the numbers are, so
    /// that the server compiles it once.
    ///
    /// # Errors
    /// As [`Connection::batch`].
    pub async fn run_with_numbers(&mut self, text: &str, numbers: &[i64]) -> Result<(), SqlError> {
        self.answer(&Request::WithNumbers(text, numbers))
            .await
            .map(drop)
    }

    async fn answer(&mut self, request: &Request<'_>) -> Result<Results, SqlError> {
        let Some(client) = self.client.as_mut() else {
            return Err(SqlError::Closed);
        };
        let answer = within(self.deadline, drained(client, request)).await;
        self.answered(answer).await
    }

    /// Sends a text with parameters (`sp_executesql`) and drains all that comes back; what it
    /// selects is thrown away. A deadline is kept as in [`Connection::batch`].
    ///
    /// # Errors
    /// As [`Connection::batch`].
    pub async fn execute(
        &mut self,
        text: &ParameterizedText,
        parameters: Vec<(&str, Value)>,
    ) -> Result<RowCount, SqlError> {
        let Some(client) = self.client.as_mut() else {
            return Err(SqlError::Closed);
        };
        let sent = parameterized::execute(client, text, parameters);
        let answer = within(self.deadline, sent).await;
        self.answered(answer).await
    }

    /// Gives the connection up where its answer says that it is of no more use.
    async fn answered<T>(
        &mut self,
        answer: Result<tiberius::Result<T>, Duration>,
    ) -> Result<T, SqlError> {
        match answer {
            Ok(result) => result.map_err(|error| {
                let error = SqlError::from(error);
                if error.ends_connection() {
                    self.client = None;
                }
                error
            }),
            Err(after) => {
                if let Some(mut client) = self.client.take() {
                    // Best effort: the server stops working, or it does not answer in time.
                    let _ = timeout(CANCEL_TIMEOUT, client.cancel_query()).await;
                }
                Err(SqlError::Deadline { after })
            }
        }
    }

    /// Sends a batch without a deadline and drains all that comes back, unless `stop` ends first:
    /// then the statement is cancelled on the server, the connection is closed, and there is none.
    /// For what takes long and can be broken off: a backup, a restore.
    ///
    /// # Errors
    /// The first error of the server, or a lost connection.
    pub async fn batch_until(
        &mut self,
        text: &str,
        stop: impl Future<Output = ()>,
    ) -> Result<Option<Results>, SqlError> {
        let Some(client) = self.client.as_mut() else {
            return Err(SqlError::Closed);
        };
        let request = Request::Batch(text);
        let result = tokio::select! {
            result = drained(client, &request) => result,
            () = stop => {
                // Best effort: what it undoes may take longer than it is waited for here.
                let _ = timeout(LONG_CANCEL_TIMEOUT, client.cancel_query()).await;
                self.client = None;
                return Ok(None);
            }
        };
        result.map(Some).map_err(|error| {
            let error = SqlError::from(error);
            if error.ends_connection() {
                self.client = None;
            }
            error
        })
    }

    /// Sends a batch and drains it, for its effect.
    ///
    /// # Errors
    /// As [`Connection::batch`].
    pub async fn run(&mut self, text: &str) -> Result<(), SqlError> {
        self.batch(text).await.map(drop)
    }

    /// Sends a batch and drains it, unless `stop` is ready first: then the batch is cancelled on the
    /// server and the connection is closed, as after a deadline.
    ///
    /// # Errors
    /// As [`Connection::batch`]; [`SqlError::Stopped`] where it was stopped.
    pub async fn run_until(
        &mut self,
        text: &str,
        stop: impl Future<Output = ()>,
    ) -> Result<(), SqlError> {
        let stopped = tokio::select! {
            biased;
            result = self.run(text) => return result,
            () = stop => SqlError::Stopped,
        };
        if let Some(mut client) = self.client.take() {
            // Best effort, as after a deadline.
            let _ = timeout(CANCEL_TIMEOUT, client.cancel_query()).await;
        }
        Err(stopped)
    }

    /// The first row of the first result set of a batch, if there is one.
    ///
    /// # Errors
    /// As [`Connection::batch`].
    pub async fn row(&mut self, text: &str) -> Result<Option<Row>, SqlError> {
        Ok(self
            .batch(text)
            .await?
            .into_iter()
            .next()
            .and_then(|set| set.into_iter().next()))
    }

    /// Logs out.
    pub async fn close(self) {
        if let Some(client) = self.client {
            let _ = timeout(CANCEL_TIMEOUT, client.close()).await;
        }
    }
}

/// Waits until the deadline at most; the deadline where it passed.
async fn within<T>(
    deadline: Option<Duration>,
    answer: impl Future<Output = T>,
) -> Result<T, Duration> {
    match deadline {
        None => Ok(answer.await),
        Some(limit) => timeout(limit, answer).await.map_err(|_| limit),
    }
}

/// What is sent.
enum Request<'a> {
    /// A batch.
    Batch(&'a str),
    /// A batch with parameters.
    WithNumbers(&'a str, &'a [i64]),
}

async fn drained(client: &mut TcpClient, request: &Request<'_>) -> tiberius::Result<Results> {
    match request {
        Request::Batch(text) => client.simple_query(*text).await?.into_results().await,
        Request::WithNumbers(text, numbers) => {
            let parameters: Vec<&dyn ToSql> =
                numbers.iter().map(|number| number as &dyn ToSql).collect();
            client.query(*text, &parameters).await?.into_results().await
        }
    }
}
