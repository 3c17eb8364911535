//! RESTORE DATABASE and RESTORE LOG.

use super::Executor;
use super::media::{Options, ProgressTeller, creation, lsn_parts, media_error, rate, wrong_kind};
use super::media_history::{Notes, RestoreFacts};
use super::permission::{denied_in, has_server};
use super::restore_plan::Plan;
use super::restore_trace::trace_step;
use crate::instance::{
    Database, DatabaseRecord, Restoring, RestoringFile, ServerPermission, in_restore,
};
use labdb_storage::{
    BackupContents, BackupFile, BackupKind, BackupSource, FileKind, RestoreFault, RestoreOptions,
    RestoreStep, Restored, StorageError, read_header,
};
use labdb_tsql::ast::{Restore, RestoreKind};
use labdb_types::{SqlError, SqlResult, SqlType, Value};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

const KNOWN: &[&str] = &[
    "BLOCKSIZE",
    "BUFFERCOUNT",
    "CHECKSUM",
    "FILE",
    "MAXTRANSFERSIZE",
    "MEDIANAME",
    "MOVE",
    "NORECOVERY",
    "NOREWIND",
    "NOUNLOAD",
    "NO_CHECKSUM",
    "RECOVERY",
    "REPLACE",
    "REWIND",
    "STATS",
    "STOPAT",
    "STOP_ON_ERROR",
    "UNLOAD",
];

const CONFLICTS: &[(&str, &str)] = &[("CHECKSUM", "NO_CHECKSUM"), ("NORECOVERY", "RECOVERY")];

/// The record of a database's files while it is being restored.
pub(super) fn restoring(files: &[BackupFile], recovery_model: u8) -> Restoring {
    Restoring {
        files: files
            .iter()
            .map(|file| RestoringFile {
                id: file.file_id,
                log: file.kind == FileKind::Log,
                name: file.spec.name.clone(),
                path: file.spec.path.clone(),
                size: file.spec.size,
            })
            .collect(),
        recovery_model,
    }
}

/// What a RESTORE statement says.
pub(super) struct Request<'a> {
    pub(super) name: String,
    pub(super) source: BackupSource,
    pub(super) device: String,
    pub(super) contents: BackupContents,
    pub(super) options: Options<'a>,
    pub(super) recovery: bool,
    pub(super) stop_at: Option<(std::time::SystemTime, Value)>,
}

fn step_error(error: &StorageError, request: &Request<'_>) -> SqlError {
    match error {
        // A file of the database, and not of the backup.
        StorageError::Io { action, .. } if !action.ends_with("backup file") => {
            super::database::creation_error(error, &request.name)
        }
        other => media_error(other, &request.device, &request.name),
    }
}

impl Executor<'_> {
    pub(crate) fn restore(&mut self, restore: &Restore) -> SqlResult<()> {
        self.backup_verb = match restore.kind {
            RestoreKind::Database => "RESTORE DATABASE",
            RestoreKind::Log => "RESTORE LOG",
            RestoreKind::FileListOnly => "RESTORE FILELIST",
            RestoreKind::HeaderOnly => "RESTORE HEADERONLY",
            RestoreKind::LabelOnly => "RESTORE LABELONLY",
            RestoreKind::VerifyOnly => "VERIFY DATABASE",
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
        if !matches!(restore.kind, RestoreKind::Database | RestoreKind::Log) {
            return self.inspect_backup(restore);
        }
        let options = Options(&restore.options);
        options.check(self.backup_verb, KNOWN, CONFLICTS)?;
        let name = match &restore.database {
            Some(name) => self.evaluate_text(name)?.unwrap_or_default(),
            None => String::new(),
        };
        let current = self.session.database();
        if crate::catalog::fold(&current.name()) == crate::catalog::fold(&name) {
            return Err(SqlError::new(
                3102,
                format!(
                    "RESTORE cannot process database '{}' because it is in use by this session. It \
                     is recommended that the master database be used when performing this \
                     operation.",
                    current.name()
                ),
            ));
        }
        let _alone = self.session.instance.restore_alone(&name)?;
        if restore.devices.is_empty() {
            return self.recover_only(&name, &options);
        }
        let (path, device) = self.backup_file(&restore.devices)?;
        let source = BackupSource {
            path,
            position: options.file(self)?.unwrap_or(1),
        };
        let contents = read_header(&source.path, source.position)
            .map_err(|e| media_error(&e, &device, &name))?;
        let stop_at = self.stop_at(&options)?;
        let recovery = !options.has("NORECOVERY");
        let kind = contents.set.kind;
        let log = restore.kind == RestoreKind::Log;
        if log != (kind == BackupKind::Log) {
            return Err(wrong_kind(&device, kind));
        }
        let request = Request {
            name,
            source,
            device,
            contents,
            options,
            recovery,
            stop_at,
        };
        if kind == BackupKind::Full {
            self.restore_full(&request)
        } else {
            self.restore_next(&request)
        }
    }

    fn storage_options(&self, request: &Request<'_>) -> SqlResult<RestoreOptions> {
        let mut moves = Vec::new();
        for option in request.options.0.iter().filter(|o| o.name == "MOVE") {
            let text = |at: usize| match option.values.get(at) {
                Some(value) => self.evaluate_text(value),
                None => Ok(None),
            };
            let (file, to) = (text(0)?.unwrap_or_default(), text(1)?.unwrap_or_default());
            let to = self.in_data_folder(std::path::Path::new(&to));
            // Logical names are compared as identifiers are.
            let known = request.contents.files.iter();
            let mut known = known.map(|f| f.spec.name.clone());
            let file = known
                .find(|n| crate::catalog::fold(n) == crate::catalog::fold(&file))
                .unwrap_or(file);
            moves.push((file, to));
        }
        Ok(RestoreOptions {
            moves,
            replace: false,
            stop_at: request.stop_at.as_ref().map(|(time, _)| *time),
            checksum: request.options.has("CHECKSUM"),
        })
    }

    fn restore_full(&mut self, request: &Request<'_>) -> SqlResult<()> {
        let mut storage = self.storage_options(request)?;
        let plan = Plan::make(self, request, &storage)?;
        // What is in the way belongs to the database, or REPLACE was said: the plan saw to it.
        storage.replace = true;
        let instance = Arc::clone(&self.session.instance);
        let existing = plan.existing.clone();
        let mut record = plan.record.clone();
        if let Some(database) = &existing {
            database.dropped.store(true, Ordering::Relaxed);
        }
        instance.begin_restore(record.clone())?;
        if let Some(database) = &existing {
            // From here on the old database is gone: its record says RESTORING.
            database
                .storage
                .drop_files()
                .map_err(|e| media_error(&e, &request.device, &request.name))?;
        }
        let begun = Instant::now();
        let started = super::database::datetime_now();
        let outcome = self.run_step(request, record.id, |step| {
            labdb_storage::Database::restore_full(
                &request.source,
                &storage,
                request.recovery,
                &instance.options.storage,
                &instance.options.files,
                step,
            )
        });
        let restored = match outcome {
            Ok(restored) => restored,
            Err(error) => {
                if plan.is_new {
                    instance.remove_database(record.id)?;
                }
                return Err(error);
            }
        };
        record.primary.clone_from(&plan.primary);
        self.finish_step(request, record, restored, begun, started, plan.replace)
    }

    /// A differential or log backup.
    fn restore_next(&mut self, request: &Request<'_>) -> SqlResult<()> {
        let storage = self.storage_options(request)?;
        let instance = Arc::clone(&self.session.instance);
        let Some(record) = instance.restoring(&request.name) else {
            if instance.database(&request.name).is_some() {
                let fault = StorageError::from(RestoreFault::NotRestoring);
                return Err(media_error(&fault, &request.device, &request.name));
            }
            return Err(SqlError::new(
                3118,
                format!(
                    "The database \"{}\" does not exist. RESTORE can only create a database when \
                     restoring either a full backup or a file backup of the primary file.",
                    request.name
                ),
            ));
        };
        let begun = Instant::now();
        let started = super::database::datetime_now();
        let primary = record.primary.clone();
        let restored = self.run_step(request, record.id, |step| {
            labdb_storage::Database::restore_next(
                &primary,
                &request.source,
                &storage,
                request.recovery,
                &instance.options.storage,
                &instance.options.files,
                step,
            )
        })?;
        self.finish_step(request, record, restored, begun, started, false)
    }

    /// RESTORE … WITH RECOVERY and no device.
    fn recover_only(&mut self, name: &str, options: &Options<'_>) -> SqlResult<()> {
        let instance = Arc::clone(&self.session.instance);
        if options.has("NORECOVERY") {
            return Err(SqlError::new(
                40510,
                "RESTORE … WITH NORECOVERY without FROM is outside labdb's subset.",
            ));
        }
        let Some(record) = instance.restoring(name) else {
            if instance.database(name).is_some() {
                return Err(SqlError::new(
                    3153,
                    "The database is already fully recovered.",
                ));
            }
            return Err(instance.not_usable(name));
        };
        let begun = Instant::now();
        let trace = instance.backup_trace.clone();
        let storage = labdb_storage::Database::restore_finish(
            &record.primary,
            &instance.options.storage,
            &instance.options.files,
            &mut |step| {
                trace_step(&trace, name, record.id, &step);
                Ok(())
            },
        )
        .map_err(|e| media_error(&e, name, name))?;
        self.bring_online(storage, record)?;
        self.tell(
            3014,
            format!(
                "{} successfully processed 0 pages {}.",
                self.backup_verb,
                rate(0, begun.elapsed())
            ),
        )?;
        self.end_and_done()
    }

    /// Runs a step with progress and trace.
    fn run_step(
        &mut self,
        request: &Request<'_>,
        id: i32,
        work: impl FnOnce(
            &mut dyn FnMut(RestoreStep) -> Result<(), StorageError>,
        ) -> Result<Restored, StorageError>,
    ) -> SqlResult<Restored> {
        let every = request.options.stats(self)?;
        let name = request.name.as_str();
        let trace = self.session.instance.backup_trace.clone();
        trace.line(&format!("Restore({name}): {} started", self.backup_verb));
        trace.line(&format!("Restore({name}): Opening the backup set"));
        let mut teller = ProgressTeller::new(&mut *self.client, self.session, self.line, every);
        let outcome = work(&mut |step| {
            trace_step(&trace, name, id, &step);
            match step {
                RestoreStep::Copying { done, total } => teller.tell(done, total),
                _ => Ok(()),
            }
        });
        let outcome = outcome.and_then(|restored| teller.end().map(|()| restored));
        outcome.map_err(|e| step_error(&e, request))
    }

    /// Writes down what a step came to, and tells the client.
    fn finish_step(
        &mut self,
        request: &Request<'_>,
        mut record: DatabaseRecord,
        restored: Restored,
        begun: Instant,
        started: (i32, u32),
        replace: bool,
    ) -> SqlResult<()> {
        let instance = Arc::clone(&self.session.instance);
        let spent = begun.elapsed();
        let online = restored.database.is_some();
        let model = request.contents.recovery_model.number();
        record.restoring = Some(restoring(&restored.files, model));
        if let Some(storage) = restored.database {
            self.bring_online(storage, record)?;
        } else {
            instance.begin_restore(record)?;
        }
        let trace = &instance.backup_trace;
        trace.line(&format!(
            "Restore({}): Writing history records",
            request.name
        ));
        let stop = request.stop_at.as_ref().map(|(_, value)| value);
        let stop = stop.and_then(|value| {
            let moment = crate::eval::calendar::moment(value)?;
            match crate::eval::calendar::value_from_moment(moment, SqlType::DateTime)? {
                Value::DateTime { days, ticks } => Some((days, ticks)),
                _ => None,
            }
        });
        self.remember_restore(&RestoreFacts {
            contents: &request.contents,
            device: &request.device,
            database: &request.name,
            started,
            replace,
            recovery: online,
            stop_at: stop,
        })?;
        trace.line(&format!(
            "Restore({}): {} finished",
            request.name, self.backup_verb
        ));
        let set = &restored.set;
        let log_pages = set.log_bytes.div_ceil(8192);
        for file in &restored.files {
            let pages = match file.kind {
                FileKind::Rows if set.kind != BackupKind::Log => {
                    let of_file = set.file_pages.iter().find(|(id, _)| *id == file.file_id);
                    of_file.map_or(0, |(_, pages)| *pages)
                }
                FileKind::Log if file.file_id == 2 => log_pages,
                FileKind::Rows => 0,
                FileKind::Log => continue,
            };
            self.tell(
                4035,
                format!(
                    "Processed {pages} pages for database '{}', file '{}' on file {}.",
                    request.name, file.spec.name, set.position
                ),
            )?;
        }
        if restored.ends_before_stop {
            self.tell(
                4322,
                "This backup set contains records that were logged before the designated point in \
                 time. The database is being left in the restoring state so that more roll forward \
                 can be performed."
                    .to_owned(),
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
            BackupKind::Full => "Database was restored",
            BackupKind::Differential => "Database changes were restored",
            BackupKind::Log => "Log was restored",
        };
        instance.log_error(
            self.session.id(),
            &format!(
                "{what}: Database: {}, creation date(time): {}, first LSN: {}, last LSN: {}, \
                 number of dump devices: 1, device information: (FILE={}, TYPE=DISK: {{'{}'}}). \
                 Informational message. No user action required.",
                request.name,
                creation(Notes(set).created()),
                lsn_parts(set.first_lsn),
                lsn_parts(set.last_lsn),
                set.position,
                request.device
            ),
        );
        self.end_and_done()
    }

    /// A recovered database joins the others.
    fn bring_online(
        &mut self,
        storage: Arc<labdb_storage::Database>,
        record: DatabaseRecord,
    ) -> SqlResult<()> {
        let instance = Arc::clone(&self.session.instance);
        let name = record.name.clone();
        instance.log_error(
            self.session.id(),
            &format!("Starting up database '{name}'."),
        );
        let database = Database::adopt(storage, &record)?;
        database.set_created(record.created)?;
        let database = instance.end_restore(database, record)?;
        instance.log_recovery(self.session.id(), &database);
        instance.log_error(
            self.session.id(),
            &format!("Restore is complete on database '{name}'. The database is now available."),
        );
        Ok(())
    }

    /// Deletes what a restore that did not end has made.
    pub(super) fn drop_restoring(&mut self, record: &DatabaseRecord) -> SqlResult<()> {
        let instance = Arc::clone(&self.session.instance);
        let _alone = instance.restore_alone(&record.name)?;
        if instance.restoring(&record.name).is_none() {
            return Err(in_restore(&record.name));
        }
        instance.remove_database(record.id)?;
        for file in record.restoring.iter().flat_map(|r| &r.files) {
            // A restore that was cut short may not have made all of them.
            let _ = instance.options.files.remove(&file.path);
        }
        let _ = std::fs::remove_file(labdb_storage::restore_state_path(&record.primary));
        instance.log_error(
            self.session.id(),
            &format!("Database '{}' was dropped.", record.name),
        );
        Ok(())
    }
}
