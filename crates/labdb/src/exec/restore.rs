//! RESTORE.

use super::Executor;
use super::permission::{denied_in, has_server};
use crate::instance::ServerPermission;
use labdb_tsql::ast::{Restore, RestoreKind};
use labdb_types::{SqlError, SqlResult};

impl Executor<'_> {
    pub(crate) fn restore(&mut self, restore: &Restore) -> SqlResult<()> {
        self.backup_verb = match restore.kind {
            RestoreKind::Log => "RESTORE LOG",
            _ => "RESTORE DATABASE",
        };
        if self.session.tran_count.get() > 0 {
            return Err(SqlError::new(
                3021,
                "Cannot perform a backup or restore operation within a transaction.",
            )
            .state(0));
        }
        if !has_server(self.session, ServerPermission::CreateAnyDatabase) {
            return Err(denied_in("CREATE DATABASE", "master"));
        }
        Err(SqlError::new(
            40510,
            format!(
                "{} is not part of labdb yet: back up with BACKUP, and keep the database's files.",
                self.backup_verb
            ),
        ))
    }
}
