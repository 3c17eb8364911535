//! BACKUP DATABASE and BACKUP LOG.

use super::Executor;
use super::media::{Options, ProgressTeller, creation, lsn_parts, media_error, rate};
use super::media_history::{backup_row, notes};
use crate::catalog::DatabaseRole;
use crate::instance::Database;
use labdb_storage::{BackupKind, BackupOptions, BackupSet, FileKind, RecoveryModel};
use labdb_tsql::ast::{Backup, BackupKind as Statement};
use labdb_types::{SqlError, SqlResult};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Options that are honoured, or that mean nothing for files on disk.
const KNOWN: &[&str] = &[
    "BLOCKSIZE",
    "BUFFERCOUNT",
    "CHECKSUM",
    "COMPRESSION",
    "CONTINUE_AFTER_ERROR",
    "COPY_ONLY",
    "DESCRIPTION",
    "DIFFERENTIAL",
    "EXPIREDATE",
    "FORMAT",
    "INIT",
    "MAXTRANSFERSIZE",
    "MEDIADESCRIPTION",
    "MEDIANAME",
    "NAME",
    "NOFORMAT",
    "NOINIT",
    "NOREWIND",
    "NOSKIP",
    "NOUNLOAD",
    "NO_CHECKSUM",
    "NO_COMPRESSION",
    "RETAINDAYS",
    "REWIND",
    "SKIP",
    "STATS",
    "STOP_ON_ERROR",
    "UNLOAD",
];

const CONFLICTS: &[(&str, &str)] = &[
    ("CHECKSUM", "NO_CHECKSUM"),
    ("COMPRESSION", "NO_COMPRESSION"),
    ("COPY_ONLY", "DIFFERENTIAL"),
    ("FORMAT", "NOFORMAT"),
    ("INIT", "NOINIT"),
    ("SKIP", "NOSKIP"),
];

impl Executor<'_> {
    pub(crate) fn backup(&mut self, backup: &Backup) -> SqlResult<()> {
        let log = backup.kind == Statement::Log;
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
        let options = Options(&backup.options);
        options.check(self.backup_verb, KNOWN, CONFLICTS)?;
        if log && options.has("DIFFERENTIAL") {
            return Err(SqlError::new(
                3032,
                "One or more of the options (differential) are not supported for this statement. \
                 Review the documentation for supported options.",
            ));
        }
        let (target, device) = self.one_device(&backup.devices)?;
        let label = options.text(self, "NAME")?;
        let description = options.text(self, "DESCRIPTION")?;
        let every = options.stats(self)?;
        if log && database.id == 1 {
            return Err(SqlError::new(
                4212,
                "Cannot back up the log of the master database. Use BACKUP DATABASE instead.",
            ));
        }
        if log && database.storage.recovery_model() == RecoveryModel::Simple {
            return Err(SqlError::new(
                4208,
                "The statement BACKUP LOG is not allowed while the recovery model is SIMPLE. Use \
                 BACKUP DATABASE or change the recovery model using ALTER DATABASE.",
            ));
        }
        let request = BackupOptions {
            copy_only: options.has("COPY_ONLY"),
            name: label,
            init: options.has("INIT") || options.has("FORMAT"),
            compress: options.has("COMPRESSION"),
            checksum: options.has("CHECKSUM"),
            notes: notes(self, &database, description),
        };
        let kind = match (log, options.has("DIFFERENTIAL")) {
            (true, _) => BackupKind::Log,
            (false, true) => BackupKind::Differential,
            (false, false) => BackupKind::Full,
        };
        let trace = &self.session.instance.backup_trace;
        trace.line(&format!("Backup({name}): {} started", self.backup_verb));
        let begun = Instant::now();
        let mut teller = ProgressTeller::new(&mut *self.client, self.session, self.line, every);
        let storage = &database.storage;
        let outcome = match kind {
            BackupKind::Log => storage.backup_log(&target, &request),
            _ => storage.backup_pages(kind, &target, &request, &mut |done, total| {
                teller.tell(done, total)
            }),
        };
        let set = outcome
            .and_then(|set| teller.end().map(|()| set))
            .map_err(|e| media_error(&e, &device, &name))?;
        let spent = begun.elapsed();
        let row = backup_row(&database, &set, &device);
        {
            let mut state = self.session.instance.state.lock();
            state.last_backup_id += 1;
            let id = state.last_backup_id;
            state.backups.push(crate::instance::BackupRow { id, ..row });
            state.save(&self.session.instance.options.data)?;
        }
        self.report(&database, &set, &device, spent)?;
        self.end_and_done()
    }

    /// Messages 4035 and 3014, and the line in the error log.
    fn report(
        &mut self,
        database: &Arc<Database>,
        set: &BackupSet,
        device: &str,
        spent: Duration,
    ) -> SqlResult<()> {
        let name = database.name();
        let position = set.position;
        let files = database.storage.files();
        let log_pages = set.log_bytes.div_ceil(8192);
        let mut processed: Vec<(String, u64)> = Vec::new();
        for file in &files {
            let of_file = set.file_pages.iter().find(|(id, _)| *id == file.file_id);
            if let Some((_, pages)) = of_file {
                processed.push((file.name.clone(), *pages));
            }
        }
        if let Some(file) = files.iter().find(|f| f.kind == FileKind::Log) {
            processed.push((file.name.clone(), log_pages));
        }
        for (file, pages) in processed {
            self.tell(
                4035,
                format!(
                    "Processed {pages} pages for database '{name}', file '{file}' on file \
                     {position}."
                ),
            )?;
        }
        let pages = set.data_pages + log_pages;
        self.tell(
            3014,
            format!(
                "{} successfully processed {pages} pages {}.",
                self.backup_verb,
                rate(pages, spent)
            ),
        )?;
        let what = match set.kind {
            BackupKind::Full => "Database backed up",
            BackupKind::Differential => "Database differential changes were backed up",
            BackupKind::Log => "Log was backed up",
        };
        let dumped = if set.kind == BackupKind::Log {
            String::new()
        } else {
            format!("pages dumped: {pages}, ")
        };
        let created = database.settings.read().created;
        self.session.instance.log_error(
            self.session.id(),
            &format!(
                "{what}. Database: {name}, creation date(time): {}, {dumped}first LSN: {}, last \
                 LSN: {}, number of dump devices: 1, device information: (FILE={position}, \
                 TYPE=DISK: {{'{device}'}}). This is an informational message only. No user action \
                 is required.",
                creation(created),
                lsn_parts(set.first_lsn),
                lsn_parts(set.last_lsn)
            ),
        );
        let trace = &self.session.instance.backup_trace;
        trace.line(&format!("Backup({name}): {} finished", self.backup_verb));
        Ok(())
    }
}
