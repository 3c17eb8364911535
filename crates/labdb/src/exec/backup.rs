//! BACKUP DATABASE and BACKUP LOG.

use super::Executor;
use super::failure::storage_error;
use crate::catalog::DatabaseRole;
use crate::eval::calendar;
use crate::instance::BackupRow;
use labdb_storage::{BackupOptions, BackupTarget, RecoveryModel};
use labdb_tsql::ast::{Backup, BackupKind, Device, WithOption};
use labdb_types::{SqlError, SqlResult, Value};
use std::path::PathBuf;

fn parts(time: std::time::SystemTime) -> (i32, u32) {
    match calendar::datetime_from_system(time) {
        // msdb keeps whole seconds.
        Value::DateTime { days, ticks } => (days, ticks / 300 * 300),
        _ => (0, 0),
    }
}

/// A GUID's text from its 128 bits.
pub(crate) fn guid(bits: u128) -> String {
    uuid::Uuid::from_u128(bits)
        .hyphenated()
        .to_string()
        .to_uppercase()
}

/// Whether a device's name means the null device.
fn is_nul(name: &str) -> bool {
    let name = name.trim().trim_end_matches(':');
    name.eq_ignore_ascii_case("NUL") || name == "/dev/null"
}

impl Executor<'_> {
    /// The path of a device; relative ones are in the data folder.
    pub(crate) fn device(&self, device: &Device) -> SqlResult<(BackupTarget, String)> {
        if device.kind != "DISK" {
            return Err(SqlError::new(
                40510,
                format!(
                    "Backup devices of kind {} are outside labdb's subset: use DISK.",
                    if device.kind.is_empty() {
                        "name"
                    } else {
                        &device.kind
                    }
                ),
            ));
        }
        let name = self.evaluate_text(&device.name)?.unwrap_or_default();
        if is_nul(&name) {
            return Ok((BackupTarget::Nul, "NUL".to_owned()));
        }
        let path = PathBuf::from(&name);
        let path = if path.is_absolute() {
            path
        } else {
            self.session.instance.options.data.join(path)
        };
        let shown = path.display().to_string();
        Ok((BackupTarget::File(path), shown))
    }

    pub(crate) fn has_option(options: &[WithOption], name: &str) -> bool {
        options.iter().any(|o| o.name == name)
    }

    pub(crate) fn backup(&mut self, backup: &Backup) -> SqlResult<()> {
        let log = backup.kind == BackupKind::Log;
        self.backup_verb = if log { "BACKUP LOG" } else { "BACKUP DATABASE" };
        if self.session.tran_count.get() > 0 {
            return Err(SqlError::new(
                3021,
                "Cannot perform a backup or restore operation within a transaction.",
            )
            .state(0));
        }
        let name = self.evaluate_text(&backup.database)?.unwrap_or_default();
        let database = self.named_database(&name)?;
        super::permission::require_role(
            self.session,
            &database,
            DatabaseRole::BackupOperator,
            self.backup_verb,
        )?;
        let name = database.name();
        if database.id == 2 {
            return Err(SqlError::new(
                3147,
                "Backup and restore operations are not allowed on database tempdb.",
            ));
        }
        let [device] = backup.devices.as_slice() else {
            return Err(SqlError::new(
                40510,
                "Backups to several devices at once are outside labdb's subset: name one.",
            ));
        };
        for option in &backup.options {
            match option.name.as_str() {
                "COPY_ONLY"
                | "INIT"
                | "NOINIT"
                | "FORMAT"
                | "NOFORMAT"
                | "SKIP"
                | "NOSKIP"
                | "STATS"
                | "NAME"
                | "DESCRIPTION"
                | "CHECKSUM"
                | "NO_CHECKSUM"
                | "COMPRESSION"
                | "NO_COMPRESSION"
                | "MEDIANAME"
                | "MEDIADESCRIPTION"
                | "BLOCKSIZE"
                | "BUFFERCOUNT"
                | "MAXTRANSFERSIZE"
                | "REWIND"
                | "NOREWIND"
                | "UNLOAD"
                | "NOUNLOAD"
                | "STOP_ON_ERROR"
                | "CONTINUE_AFTER_ERROR"
                | "RETAINDAYS"
                | "EXPIREDATE" => {}
                other => {
                    return Err(SqlError::new(
                        40510,
                        format!(
                            "{} WITH {other} is outside labdb's subset.",
                            self.backup_verb
                        ),
                    ));
                }
            }
        }
        let (target, shown) = self.device(device)?;
        let label = match backup
            .options
            .iter()
            .find(|o| o.name == "NAME")
            .and_then(|o| o.values.first())
        {
            Some(value) => self.evaluate_text(value)?,
            None => None,
        };
        let options = BackupOptions {
            copy_only: Self::has_option(&backup.options, "COPY_ONLY"),
            name: label.clone(),
        };
        if log && database.storage.recovery_model() == RecoveryModel::Simple {
            return Err(SqlError::new(
                4208,
                "The statement BACKUP LOG is not allowed while the recovery model is SIMPLE. Use \
                 BACKUP DATABASE or change the recovery model using ALTER DATABASE.",
            ));
        }
        let begun = std::time::Instant::now();
        let outcome = if log {
            database.storage.backup_log(&target, &options)
        } else {
            database.storage.backup_full(&target, &options)
        };
        let set = outcome.map_err(|e| match &e {
            labdb_storage::StorageError::Io { source, .. } => SqlError::new(
                3201,
                format!("Cannot open backup device '{shown}'. Operating system error {source}."),
            ),
            other => storage_error(other, &name),
        })?;
        let chain = !log && !set.copy_only;
        let row = BackupRow {
            id: 0,
            database: name.clone(),
            kind: if log { "L" } else { "D" }.to_owned(),
            name: label,
            started: parts(set.started),
            finished: parts(set.finished),
            size: set.backup_size,
            copy_only: set.copy_only,
            begins_log_chain: chain && database.storage.recovery_model() != RecoveryModel::Simple,
            recovery_model: database.storage.recovery_model().description().to_owned(),
            lsns: [
                Some(set.first_lsn.to_numeric().to_string()),
                Some(set.last_lsn.to_numeric().to_string()),
                Some(set.checkpoint_lsn.to_numeric().to_string()),
                set.database_backup_lsn.map(|l| l.to_numeric().to_string()),
            ],
            device: shown,
            uuid: guid(set.backup_set_guid),
            database_guid: guid(set.database_guid),
            fork_guid: guid(set.recovery_fork_guid),
            user: self.session.shared.login_name.clone(),
        };
        {
            let mut state = self.session.instance.state.lock();
            state.last_backup_id += 1;
            let id = state.last_backup_id;
            state.backups.push(BackupRow { id, ..row });
            state.save(&self.session.instance.options.data)?;
        }
        let pages = if log {
            set.log_bytes.div_ceil(8192)
        } else {
            set.data_pages + set.log_bytes.div_ceil(8192)
        };
        let seconds = begun.elapsed().as_secs_f64();
        let rate = if seconds > 0.0 {
            (pages * 8192) as f64 / 1_048_576.0 / seconds
        } else {
            0.0
        };
        let file = database
            .storage
            .files()
            .into_iter()
            .find(|f| {
                if log {
                    f.kind == labdb_storage::FileKind::Log
                } else {
                    f.file_id == 1
                }
            })
            .map_or(String::new(), |f| f.name);
        self.client.info(
            &SqlError::new(
                4035,
                format!("Processed {pages} pages for database '{name}', file '{file}' on file 1."),
            )
            .severity(0)
            .at_line(self.line),
        )?;
        self.client.info(
            &SqlError::new(
                3014,
                format!(
                    "{} successfully processed {pages} pages in {seconds:.3} seconds ({rate:.3} \
                     MB/sec).",
                    self.backup_verb
                ),
            )
            .severity(0)
            .at_line(self.line),
        )?;
        self.session.instance.log_error(
            self.session.id(),
            &format!(
                "{}. Database: {name}, pages: {pages}, first LSN: {}, last LSN: {}.",
                if log {
                    "Log was backed up"
                } else {
                    "Database backed up"
                },
                set.first_lsn,
                set.last_lsn
            ),
        );
        self.end_and_done()
    }
}
