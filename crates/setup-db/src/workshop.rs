//! What the steps share: the connections, what answers there, and the changes so far.

use records::{Change, Failure, FailureCode, Server};
use sqlserver::texts::{AZURE_SQL_DATABASE, MANAGED_INSTANCE, Text};
use sqlserver::{Columns, Connection, DatabaseName, Settings};
use std::fmt::Display;
use std::sync::Arc;
use std::time::Duration;

/// How long one statement may take where the user says nothing: creating a log means zeroing it.
const STATEMENT_LIMIT: Duration = Duration::from_mins(30);

/// One database being set up.
pub(crate) struct Workshop {
    /// The session in `master`, for what is done to the database from outside.
    pub master: Connection,
    /// What answered.
    pub server: Server,
    /// The database.
    pub database: DatabaseName,
    /// Every change so far.
    pub changes: Vec<Change>,
    settings: Arc<Settings>,
}

impl Workshop {
    pub(crate) fn new(
        mut master: Connection,
        server: Server,
        database: DatabaseName,
        settings: &Arc<Settings>,
    ) -> Self {
        master.set_deadline(settings.query_limit(Some(STATEMENT_LIMIT)));
        Self {
            master,
            server,
            database,
            changes: Vec::new(),
            settings: Arc::clone(settings),
        }
    }

    /// A session inside the database.
    pub(crate) async fn enter(&self) -> Result<Connection, Failure> {
        let mut inside = Connection::open_in(&self.settings, Some(self.database.as_str())).await?;
        inside.set_deadline(self.settings.query_limit(Some(STATEMENT_LIMIT)));
        Ok(inside)
    }

    /// Sends a text from `master`, for its effect.
    pub(crate) async fn run(&mut self, text: &Text, doing: &str) -> Result<(), Failure> {
        refuse_where_it_cannot_run(text, &self.server, doing)?;
        self.master
            .run(&text.sql)
            .await
            .map_err(|error| error.failure(doing))
    }

    /// The state of the database (`ONLINE`), or none where there is no such database.
    pub(crate) async fn state(&mut self) -> Result<Option<String>, Failure> {
        let text = sqlserver::texts::database::state(&self.database);
        let doing = format!("looking for the database `{}`", self.database);
        match self.master.row(&text.sql).await {
            Ok(Some(row)) => row
                .some_text("state")
                .map(Some)
                .map_err(|error| error.failure(&doing)),
            Ok(None) => Ok(None),
            Err(error) => Err(error.failure(&doing)),
        }
    }

    /// Notes a change.
    pub(crate) fn note(
        &mut self,
        what: &str,
        from: Option<&dyn Display>,
        to: Option<&dyn Display>,
    ) {
        self.changes.push(Change {
            what: what.to_owned(),
            from: from.map(ToString::to_string),
            to: to.map(ToString::to_string),
        });
    }

    pub(crate) fn is_azure_sql_database(&self) -> bool {
        self.server.engine_edition == Some(AZURE_SQL_DATABASE)
    }

    pub(crate) fn is_managed_instance(&self) -> bool {
        self.server.engine_edition == Some(MANAGED_INSTANCE)
    }
}

/// Fails where a server does not take a text.
pub(crate) fn refuse_where_it_cannot_run(
    text: &Text,
    server: &Server,
    doing: &str,
) -> Result<(), Failure> {
    if text.runs_on(server) {
        return Ok(());
    }
    Err(Failure::new(
        FailureCode::Failed,
        format!(
            "{doing} cannot be done on {} ({})",
            server.product, server.edition
        ),
    )
    .remedy("Leave the flag out that asks for it, or use another server."))
}
