//! Who is in a database: getting other sessions out of it.

use super::Executor;
use crate::instance::Database;
use labdb_tsql::ast::Termination;
use labdb_types::{SqlError, SqlResult};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

impl Executor<'_> {
    pub(super) fn others_in(&self, database: &Database) -> Vec<Arc<crate::session::SessionShared>> {
        self.session
            .instance
            .sessions()
            .into_iter()
            .filter(|s| {
                s.id != self.session.id() && s.database_id.load(Ordering::Relaxed) == database.id
            })
            .collect()
    }

    /// Gets other sessions out of a database, as the termination clause says.
    pub(super) fn clear_sessions(
        &mut self,
        database: &Database,
        termination: Option<Termination>,
    ) -> SqlResult<()> {
        let patience = match termination {
            Some(Termination::RollbackImmediate) => Some(Duration::ZERO),
            Some(Termination::RollbackAfter(seconds)) => {
                Some(Duration::from_secs(u64::from(seconds)))
            }
            Some(Termination::NoWait) => {
                return if self.others_in(database).is_empty() {
                    Ok(())
                } else {
                    Err(SqlError::new(
                        5070,
                        format!(
                            "Database state cannot be changed while other users are using the \
                             database '{}'",
                            database.name()
                        ),
                    )
                    .state(2))
                };
            }
            None => None,
        };
        let begun = Instant::now();
        let mut told = false;
        loop {
            let others = self.others_in(database);
            if others.is_empty() {
                return Ok(());
            }
            if patience.is_some_and(|p| begun.elapsed() >= p) {
                if !told {
                    told = true;
                    self.client.info(
                        &SqlError::new(
                            5060,
                            "Nonqualified transactions are being rolled back. Estimated rollback \
                             completion: 100%.",
                        )
                        .severity(10)
                        .at_line(self.line),
                    )?;
                }
                for other in &others {
                    self.session.instance.kill(other);
                }
            }
            std::thread::sleep(Duration::from_millis(2));
            self.poll_client()?;
        }
    }
}
