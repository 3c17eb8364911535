//! The session that everything but the restore itself goes through.

use records::stage::Interrupts;
use records::{Failure, FailureCode, Server};
use sqlserver::texts::{AZURE_SQL_DATABASE, MANAGED_INSTANCE, Text, database as texts};
use sqlserver::{Columns, Connection, DatabaseName, Settings, probe};
use std::sync::Arc;
use std::time::Duration;

/// How long one statement may take, save a backup and a restore.
const STATEMENT_LIMIT: Duration = Duration::from_mins(30);

/// How often it is looked whether a signal came.
const POLL: Duration = Duration::from_millis(50);

/// The server at work.
pub(crate) struct Workplace {
    /// A session in `master`.
    pub master: Connection,
    /// What answered.
    pub server: Server,
    /// Whether a signal came.
    pub interrupts: Interrupts,
    settings: Arc<Settings>,
}

impl Workplace {
    /// Logs in to `master` and asks what is there.
    pub(crate) async fn open(
        settings: &Arc<Settings>,
        interrupts: &Interrupts,
    ) -> Result<Self, Failure> {
        let mut master = Connection::open_in(settings, Some("master")).await?;
        master.set_deadline(settings.query_limit(Some(STATEMENT_LIMIT)));
        let server = probe::server(&mut master)
            .await
            .map_err(|error| error.failure("reading the server's version"))?;
        Ok(Self {
            master,
            server,
            interrupts: interrupts.clone(),
            settings: Arc::clone(settings),
        })
    }

    /// Fails where there is no `BACKUP … TO DISK`.
    pub(crate) fn refuse_azure(&self) -> Result<(), Failure> {
        match self.server.engine_edition {
            Some(AZURE_SQL_DATABASE | MANAGED_INSTANCE) => Err(Failure::new(
                FailureCode::Failed,
                format!(
                    "{} ({}) has no backups to disk and none to restore from there",
                    self.server.product, self.server.edition
                ),
            )
            .remedy("Measure restores on SQL Server itself.")),
            _ => Ok(()),
        }
    }

    /// Another session: in `master`, or in a database.
    pub(crate) async fn session(&self, database: &str) -> Result<Connection, Failure> {
        let mut session = Connection::open_in(&self.settings, Some(database)).await?;
        session.set_deadline(self.settings.query_limit(Some(STATEMENT_LIMIT)));
        Ok(session)
    }

    /// The state of a database (`ONLINE`, `RESTORING`), or none where there is no such database.
    pub(crate) async fn state(
        &mut self,
        database: &DatabaseName,
    ) -> Result<Option<String>, Failure> {
        let doing = format!("looking for the database `{database}`");
        let failed = |error: sqlserver::SqlError| error.failure(&doing);
        match self.master.row(&texts::state(database).sql).await {
            Ok(Some(row)) => row.some_text("state").map(Some).map_err(failed),
            Ok(None) => Ok(None),
            Err(error) => Err(failed(error)),
        }
    }

    /// Sends a text for its effect.
    pub(crate) async fn run(&mut self, text: &Text, doing: &str) -> Result<(), Failure> {
        self.master
            .run(&text.sql)
            .await
            .map_err(|error| error.failure(doing))
    }

    /// Fails where a signal came.
    pub(crate) fn check_interrupt(&self, before: &str) -> Result<(), Failure> {
        if self.interrupts.requested() {
            return Err(interrupted(&format!("interrupted before {before}")));
        }
        Ok(())
    }
}

/// Ends when a signal came.
pub(crate) async fn signal(interrupts: &Interrupts) {
    while !interrupts.requested() {
        tokio::time::sleep(POLL).await;
    }
}

pub(crate) fn interrupted(what: &str) -> Failure {
    Failure::new(
        FailureCode::Interrupted,
        format!("{what}; nothing was measured"),
    )
}
