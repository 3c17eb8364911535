//! WAITFOR, USE and KILL.

use super::Executor;
use super::permission::has_server;
use crate::instance::ServerPermission;
use crate::session::EnvChange;
use labdb_tsql::ast::{Expr, Waiting};
use labdb_types::{SqlError, SqlResult, Value};
use std::time::{Duration, Instant};

impl Executor<'_> {
    pub(super) fn wait_for(&mut self, waiting: &Waiting) -> SqlResult<()> {
        let (expression, delay) = match waiting {
            Waiting::Delay(e) => (e, true),
            Waiting::Time(e) => (e, false),
        };
        let bad = |text: &str| {
            SqlError::new(
                148,
                format!("Incorrect time syntax in time string '{text}' used with WAITFOR."),
            )
            .severity(15)
        };
        let (value, from) = self.evaluate(expression)?;
        let ticks = match &value {
            Value::Text(text) => match crate::eval::parse::moment(text, 0) {
                Ok(m) if text.contains(':') => m.ticks,
                _ => return Err(bad(text)),
            },
            other => crate::eval::calendar::moment(other)
                .map(|m| m.ticks)
                .ok_or_else(|| bad(crate::eval::types::type_name(from)))?,
        };
        let wait = if delay {
            ticks
        } else {
            (ticks - crate::eval::calendar::now_local().ticks)
                .rem_euclid(crate::eval::calendar::TICKS_PER_DAY)
        };
        let begun = Instant::now();
        let end = begun + Duration::from_nanos(wait as u64 * 100);
        self.client.flush()?;
        loop {
            let now = Instant::now();
            if now >= end {
                break;
            }
            std::thread::sleep((end - now).min(Duration::from_millis(20)));
            if self.client.cancel_requested() {
                return Err(crate::session::cancelled());
            }
            self.session.check_cancelled()?;
        }
        self.session.shared.waited_for("WAITFOR", begun.elapsed());
        Ok(())
    }

    pub(super) fn use_database(&mut self, name: &str) -> SqlResult<()> {
        let old = self.session.database().name();
        let database = self.session.use_database(name)?;
        let new = database.name();
        self.client
            .env_change(&EnvChange::Database(old, new.clone()))?;
        self.client.info(
            &SqlError::new(5701, format!("Changed database context to '{new}'."))
                .severity(0)
                .state(1)
                .at_line(self.line),
        )
    }

    pub(super) fn kill(&mut self, id: &Expr) -> SqlResult<()> {
        if !has_server(self.session, ServerPermission::AlterAnyConnection) {
            return Err(SqlError::new(
                6102,
                "User does not have permission to use the KILL statement.",
            )
            .severity(14));
        }
        let id = self.evaluate_int(id)?.unwrap_or(0);
        if i64::from(self.session.id()) == id {
            return Err(SqlError::new(
                6104,
                "Cannot use KILL to kill your own process.",
            ));
        }
        let session = i16::try_from(id)
            .ok()
            .and_then(|id| self.session.instance.session(id))
            .ok_or_else(|| {
                SqlError::new(
                    6106,
                    format!("Process ID {id} is not an active process ID."),
                )
            })?;
        self.session.instance.log_error(
            self.session.id(),
            &format!(
                "Process ID {id} was killed by session {}.",
                self.session.id()
            ),
        );
        self.session.instance.kill(&session);
        Ok(())
    }
}
