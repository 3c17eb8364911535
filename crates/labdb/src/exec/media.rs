//! What BACKUP and RESTORE share: devices, options, errors, progress, times and numbers.

use super::Executor;
use super::failure::storage_error;
use crate::eval::calendar;
use crate::session::{Client, Session};
use labdb_storage::{BackupKind, BackupTarget, Lsn, RestoreFault, StorageError};
use labdb_tsql::ast::{Device, WithOption};
use labdb_types::{SqlError, SqlResult, SqlType, Value};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

/// How often a client is asked whether it wants to stop.
const ASK_EVERY: Duration = Duration::from_millis(10);

/// A time as msdb keeps it: whole seconds.
pub(super) fn whole_seconds(time: SystemTime) -> (i32, u32) {
    match calendar::datetime_from_system(time) {
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

/// An LSN as the error log writes it.
pub(super) fn lsn_parts(lsn: Lsn) -> String {
    format!("{}:{}:{}", lsn.vlf_sequence(), lsn.block(), lsn.slot())
}

/// A creation date as the error log writes it.
pub(super) fn creation(parts: (i32, u32)) -> String {
    let value = Value::DateTime {
        days: parts.0,
        ticks: parts.1,
    };
    let Some(moment) = calendar::moment(&value) else {
        return String::new();
    };
    let (year, month, day) = calendar::date_from_days(moment.days);
    let seconds = moment.ticks / 10_000_000;
    format!(
        "{year:04}/{month:02}/{day:02}({:02}:{:02}:{:02})",
        seconds / 3600,
        seconds / 60 % 60,
        seconds % 60
    )
}

/// The system's time of a local one.
pub(super) fn system_time(value: &Value) -> Option<SystemTime> {
    let moment = calendar::moment(value)?;
    let (year, month, day) = calendar::date_from_days(moment.days);
    let seconds = moment.ticks / 10_000_000;
    let part = |n: i64| i8::try_from(n).ok();
    let civil = jiff::civil::DateTime::new(
        i16::try_from(year).ok()?,
        i8::try_from(month).ok()?,
        i8::try_from(day).ok()?,
        part(seconds / 3600)?,
        part(seconds / 60 % 60)?,
        part(seconds % 60)?,
        i32::try_from(moment.ticks % 10_000_000 * 100).ok()?,
    )
    .ok()?;
    let zoned = civil.to_zoned(jiff::tz::TimeZone::system()).ok()?;
    Some(zoned.timestamp().into())
}

/// `in 0.035 seconds (84.179 MB/sec)`.
pub(super) fn rate(pages: u64, spent: Duration) -> String {
    let seconds = spent.as_secs_f64();
    let megabytes = (pages * 8192) as f64 / 1_048_576.0;
    let rate = if seconds > 0.0 {
        megabytes / seconds
    } else {
        0.0
    };
    format!("in {seconds:.3} seconds ({rate:.3} MB/sec)")
}

/// Whether a device's name means the null device.
fn is_nul(name: &str) -> bool {
    let name = name.trim().trim_end_matches(':');
    name.eq_ignore_ascii_case("NUL") || name == "/dev/null"
}

/// An operating system's error as SQL Server shows it.
fn operating_system(error: &std::io::Error) -> String {
    match error.raw_os_error() {
        Some(code) => {
            let text = error.to_string();
            let text = text.split(" (os error").next().unwrap_or(&text);
            format!("{code}({text})")
        }
        None => format!("0({error})"),
    }
}

/// The error of a backup or restore. `device` is the backup device.
pub(super) fn media_error(error: &StorageError, device: &str, database: &str) -> SqlError {
    match error {
        StorageError::Restore(fault) => fault_error(fault, device, database),
        StorageError::Io {
            action,
            path,
            source,
        } if action.ends_with("backup file") => {
            let system = operating_system(source);
            let shown = path.display();
            if action.contains("open") || action.contains("create") {
                SqlError::new(
                    3201,
                    format!(
                        "Cannot open backup device '{shown}'. Operating system error {system}."
                    ),
                )
            } else if action.contains("write") {
                SqlError::new(3202, format!("Write on \"{shown}\" failed: {system}"))
            } else {
                SqlError::new(3203, format!("Read on \"{shown}\" failed: {system}"))
            }
        }
        other => storage_error(other, database),
    }
}

fn fault_error(fault: &RestoreFault, device: &str, database: &str) -> SqlError {
    let error = |number, text: String| SqlError::new(number, text);
    match fault {
        RestoreFault::NotABackup(path) => error(
            3241,
            format!(
                "The media family on device '{}' is incorrectly formed. SQL Server cannot process \
                 this media family.",
                path.display()
            ),
        )
        .state(0),
        RestoreFault::NoSuchSet { path, position } => error(
            4038,
            format!("Cannot find file ID {position} on device '{}'.", path.display()),
        ),
        RestoreFault::CutOff(path) => error(
            3203,
            format!(
                "Read on \"{}\" failed: 38(Reached the end of the file.)",
                path.display()
            ),
        ),
        RestoreFault::Damaged { .. } => error(3189, "Damage to the backup set was detected.".into()),
        RestoreFault::DamagedPage { file_id, page } => error(
            3183,
            format!(
                "RESTORE detected an error on page ({file_id}:{page}) in database \"{database}\" \
                 as read from the backup set."
            ),
        ),
        RestoreFault::NoChecksums => error(
            3187,
            "RESTORE WITH CHECKSUM cannot be specified because the backup set does not contain \
             checksum information."
                .into(),
        ),
        RestoreFault::NotRestoring => error(
            3117,
            "The log or differential backup cannot be restored because no files are ready to \
             rollforward."
                .into(),
        ),
        RestoreFault::WrongKind => wrong_kind(device, BackupKind::Full),
        RestoreFault::TooRecent { begins, wanted } => error(
            4305,
            format!(
                "The log in this backup set begins at LSN {}, which is too recent to apply to the \
                 database. An earlier log backup that includes LSN {} can be restored.",
                begins.to_numeric(),
                wanted.to_numeric()
            ),
        ),
        RestoreFault::TooEarly { ends, wanted } => error(
            4326,
            format!(
                "The log in this backup set terminates at LSN {}, which is too early to apply to \
                 the database. A more recent log backup that includes LSN {} can be restored.",
                ends.to_numeric(),
                wanted.to_numeric()
            ),
        ),
        RestoreFault::OtherDatabase => other_database(database),
        RestoreFault::OtherFork => error(
            4330,
            "This backup set cannot be applied because it is on a recovery path that is \
             inconsistent with the database. The recovery path is the sequence of data and log \
             backups that have brought the database to a particular recovery point. Find a \
             compatible backup to restore, or restore the rest of the database to match a recovery \
             point within this backup set, which will restore the database to a different point in \
             time. For more information about recovery paths, see SQL Server Books Online."
                .into(),
        ),
        RestoreFault::OtherBase => error(
            3136,
            "This differential backup cannot be restored because the database has not been \
             restored to the correct earlier state."
                .into(),
        ),
        RestoreFault::StopBeforeBackup => error(
            4338,
            "The STOPAT clause specifies a point too early to allow this backup set to be \
             restored. Choose a different stop point or use RESTORE DATABASE WITH RECOVERY to \
             recover at the current point."
                .into(),
        ),
        RestoreFault::StopTooEarly => error(
            4335,
            "The specified STOPAT time is too early. All or part of the database is already rolled \
             forward beyond that point."
                .into(),
        ),
        RestoreFault::Halted => error(
            4332,
            format!(
                "RESTORE LOG has been halted. To use the database in its current state, run \
                 RESTORE DATABASE {database} WITH RECOVERY."
            ),
        ),
        RestoreFault::Interrupted => error(
            4319,
            format!(
                "A previous restore operation was interrupted and did not complete processing on \
                 file '{database}'. Either restore the backup set that was interrupted or restart \
                 the restore sequence."
            ),
        ),
        RestoreFault::NoFile(name) => error(
            3234,
            format!(
                "Logical file '{name}' is not part of database '{database}'. Use RESTORE \
                 FILELISTONLY to list the logical file names."
            ),
        )
        .state(2),
        RestoreFault::NoBase => error(
            3035,
            format!(
                "Cannot perform a differential backup for database \"{database}\", because a \
                 current database backup does not exist. Perform a full database backup by \
                 reissuing BACKUP DATABASE, omitting the WITH DIFFERENTIAL option."
            ),
        ),
        other => error(5095, format!("Database '{database}': {other}")),
    }
}

/// 3154.
pub(super) fn other_database(name: &str) -> SqlError {
    SqlError::new(
        3154,
        format!(
            "The backup set holds a backup of a database other than the existing '{name}' database."
        ),
    )
    .state(4)
}

/// 3135.
pub(super) fn wrong_kind(device: &str, kind: BackupKind) -> SqlError {
    let verb = match kind {
        BackupKind::Full => "BACKUP DATABASE",
        BackupKind::Differential => "BACKUP DATABASE WITH DIFFERENTIAL",
        BackupKind::Log => "BACKUP LOG",
    };
    SqlError::new(
        3135,
        format!(
            "The backup set in file '{device}' was created by {verb} and cannot be used for this \
             restore operation."
        ),
    )
    .state(2)
}

/// What RESTORE says after an error of its files, before 3013.
pub(super) fn consequences(number: i32) -> Vec<SqlError> {
    if matches!(number, 1834 | 3142 | 3176 | 5123 | 5133 | 5170) {
        let planning = "Problems were identified while planning for the RESTORE statement. Previous \
                        messages provide details.";
        vec![SqlError::new(3119, planning)]
    } else {
        Vec::new()
    }
}

/// The WITH list of a statement.
pub(super) struct Options<'a>(pub(super) &'a [WithOption]);

impl Options<'_> {
    pub(super) fn has(&self, name: &str) -> bool {
        self.0.iter().any(|o| o.name == name)
    }

    /// Refuses what is not among these, and pairs that exclude one another.
    pub(super) fn check(
        &self,
        verb: &str,
        known: &[&str],
        conflicts: &[(&str, &str)],
    ) -> SqlResult<()> {
        if let Some(other) = self.0.iter().find(|o| !known.contains(&o.name.as_str())) {
            return Err(SqlError::new(
                40510,
                format!("{verb} WITH {} is outside labdb's subset.", other.name),
            ));
        }
        for (one, other) in conflicts {
            if self.has(one) && self.has(other) {
                return Err(SqlError::new(
                    3031,
                    format!(
                        "Option '{one}' conflicts with option(s) '{other}'. Remove the conflicting \
                         option and reissue the statement."
                    ),
                ));
            }
        }
        Ok(())
    }

    pub(super) fn text(&self, executor: &Executor<'_>, name: &str) -> SqlResult<Option<String>> {
        let option = self.0.iter().find(|o| o.name == name);
        match option.and_then(|o| o.values.first()) {
            Some(value) => executor.evaluate_text(value),
            None => Ok(None),
        }
    }

    pub(super) fn number(&self, executor: &Executor<'_>, name: &str) -> SqlResult<Option<i64>> {
        let option = self.0.iter().find(|o| o.name == name);
        match option.and_then(|o| o.values.first()) {
            Some(value) => executor.evaluate_int(value),
            None => Ok(None),
        }
    }

    /// STATS: every how many percent progress is told.
    pub(super) fn stats(&self, executor: &Executor<'_>) -> SqlResult<Option<u64>> {
        if !self.has("STATS") {
            return Ok(None);
        }
        let every = self.number(executor, "STATS")?.unwrap_or(10);
        Ok(Some(u64::try_from(every).unwrap_or(10).clamp(1, 100)))
    }

    /// FILE: the set's position in the file.
    pub(super) fn file(&self, executor: &Executor<'_>) -> SqlResult<Option<u16>> {
        Ok(self
            .number(executor, "FILE")?
            .map(|n| u16::try_from(n).unwrap_or(u16::MAX)))
    }
}

/// Tells a client how far its backup or restore is, and sees when it wants to stop.
pub(super) struct ProgressTeller<'a> {
    pub(super) client: &'a mut dyn Client,
    pub(super) session: &'a Session,
    line: u32,
    every: Option<u64>,
    told: u64,
    asked_at: Instant,
}

impl<'a> ProgressTeller<'a> {
    pub(super) fn new(
        client: &'a mut dyn Client,
        session: &'a Session,
        line: u32,
        every: Option<u64>,
    ) -> Self {
        Self {
            client,
            session,
            line,
            every,
            told: 0,
            asked_at: Instant::now(),
        }
    }

    /// `Cancelled` when the client is gone or wants to stop.
    pub(super) fn tell(&mut self, done: u64, total: u64) -> Result<(), StorageError> {
        if self.asked_at.elapsed() >= ASK_EVERY {
            self.asked_at = Instant::now();
            if self.client.cancel_requested() || self.session.check_cancelled().is_err() {
                return Err(StorageError::Cancelled);
            }
        }
        let Some(every) = self.every else {
            return Ok(());
        };
        let percent = (done * 100).checked_div(total).unwrap_or(100);
        while self.told + every <= percent {
            self.told += every;
            let message = SqlError::new(3211, format!("{} percent processed.", self.told))
                .severity(0)
                .at_line(self.line);
            self.client
                .info(&message)
                .map_err(|_| StorageError::Cancelled)?;
        }
        Ok(())
    }

    /// All is done: 100 percent, also where the steps do not end with it.
    pub(super) fn end(&mut self) -> Result<(), StorageError> {
        self.tell(1, 1)?;
        if self.every.is_some() && self.told < 100 {
            self.every = Some(100 - self.told);
            self.tell(1, 1)?;
        }
        Ok(())
    }
}

impl Executor<'_> {
    /// The one device of a statement and its name; relative paths are in the data folder.
    pub(super) fn one_device(&self, devices: &[Device]) -> SqlResult<(BackupTarget, String)> {
        let [device] = devices else {
            return Err(SqlError::new(
                40510,
                "Several backup devices at once are outside labdb's subset: name one.",
            ));
        };
        if device.kind != "DISK" {
            let kind = if device.kind.is_empty() {
                "name"
            } else {
                &device.kind
            };
            return Err(SqlError::new(
                40510,
                format!("Backup devices of kind {kind} are outside labdb's subset: use DISK."),
            ));
        }
        let name = self.evaluate_text(&device.name)?.unwrap_or_default();
        if is_nul(&name) {
            return Ok((BackupTarget::Nul, "NUL".to_owned()));
        }
        let path = self.in_data_folder(Path::new(&name));
        let shown = path.display().to_string();
        Ok((BackupTarget::File(path), shown))
    }

    pub(super) fn in_data_folder(&self, path: &Path) -> PathBuf {
        if path.is_absolute() {
            path.to_owned()
        } else {
            self.session.instance.options.data.join(path)
        }
    }

    /// An information message of the running statement.
    pub(super) fn tell(&mut self, number: i32, text: String) -> SqlResult<()> {
        let message = SqlError::new(number, text).severity(0).at_line(self.line);
        self.client.info(&message)
    }

    /// STOPAT.
    pub(super) fn stop_at(&self, options: &Options<'_>) -> SqlResult<Option<(SystemTime, Value)>> {
        let option = options.0.iter().find(|o| o.name == "STOPAT");
        let Some(expression) = option.and_then(|o| o.values.first()) else {
            return Ok(None);
        };
        let value = self.evaluate_as(expression, SqlType::DateTime2(7))?;
        let time = system_time(&value).ok_or_else(|| {
            SqlError::new(
                3149,
                "The STOPAT time is no time that exists in the server's time zone.",
            )
        })?;
        Ok(Some((time, value)))
    }
}
