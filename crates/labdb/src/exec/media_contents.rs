//! RESTORE HEADERONLY, FILELISTONLY, LABELONLY and VERIFYONLY.

use super::Executor;
use super::media::{Options, media_error, whole_seconds};
use super::media_history::{Notes, backed_up};
use crate::session::Command;
use labdb_storage::{
    BackupContents, BackupKind, BackupTarget, FileKind, MediaLabel, RestoreFault, StorageError,
    read_header, read_headers, verify_backup,
};
use labdb_tsql::ast::{Restore, RestoreKind};
use labdb_types::{Column, Decimal, Length, SqlError, SqlResult, SqlType, Value};
use std::path::PathBuf;
use std::time::{Duration, UNIX_EPOCH};

const KNOWN: &[&str] = &[
    "CHECKSUM",
    "CONTINUE_AFTER_ERROR",
    "FILE",
    "LOADHISTORY",
    "MEDIANAME",
    "MOVE",
    "NOREWIND",
    "NOUNLOAD",
    "NO_CHECKSUM",
    "REWIND",
    "STATS",
    "STOP_ON_ERROR",
    "UNLOAD",
];

const fn nvarchar(length: u16) -> SqlType {
    SqlType::NVarChar(Length::Limited(length))
}

const fn numeric(precision: u8) -> SqlType {
    SqlType::Decimal {
        precision,
        scale: 0,
    }
}

const NAME: SqlType = nvarchar(128);
const LSN: SqlType = numeric(25);

/// The columns of RESTORE HEADERONLY in SQL Server 2022.
const HEADER: &[(&str, SqlType)] = &[
    ("BackupName", NAME),
    ("BackupDescription", nvarchar(255)),
    ("BackupType", SqlType::SmallInt),
    ("ExpirationDate", SqlType::DateTime),
    ("Compressed", SqlType::Bit),
    ("Position", SqlType::SmallInt),
    ("DeviceType", SqlType::TinyInt),
    ("UserName", NAME),
    ("ServerName", NAME),
    ("DatabaseName", NAME),
    ("DatabaseVersion", SqlType::Int),
    ("DatabaseCreationDate", SqlType::DateTime),
    ("BackupSize", numeric(20)),
    ("FirstLSN", LSN),
    ("LastLSN", LSN),
    ("CheckpointLSN", LSN),
    ("DatabaseBackupLSN", LSN),
    ("BackupStartDate", SqlType::DateTime),
    ("BackupFinishDate", SqlType::DateTime),
    ("SortOrder", SqlType::SmallInt),
    ("CodePage", SqlType::SmallInt),
    ("UnicodeLocaleId", SqlType::Int),
    ("UnicodeComparisonStyle", SqlType::Int),
    ("CompatibilityLevel", SqlType::TinyInt),
    ("SoftwareVendorId", SqlType::Int),
    ("SoftwareVersionMajor", SqlType::Int),
    ("SoftwareVersionMinor", SqlType::Int),
    ("SoftwareVersionBuild", SqlType::Int),
    ("MachineName", NAME),
    ("Flags", SqlType::Int),
    ("BindingID", SqlType::UniqueIdentifier),
    ("RecoveryForkID", SqlType::UniqueIdentifier),
    ("Collation", NAME),
    ("FamilyGUID", SqlType::UniqueIdentifier),
    ("HasBulkLoggedData", SqlType::Bit),
    ("IsSnapshot", SqlType::Bit),
    ("IsReadOnly", SqlType::Bit),
    ("IsSingleUser", SqlType::Bit),
    ("HasBackupChecksums", SqlType::Bit),
    ("IsDamaged", SqlType::Bit),
    ("BeginsLogChain", SqlType::Bit),
    ("HasIncompleteMetaData", SqlType::Bit),
    ("IsForceOffline", SqlType::Bit),
    ("IsCopyOnly", SqlType::Bit),
    ("FirstRecoveryForkID", SqlType::UniqueIdentifier),
    ("ForkPointLSN", LSN),
    ("RecoveryModel", nvarchar(60)),
    ("DifferentialBaseLSN", LSN),
    ("DifferentialBaseGUID", SqlType::UniqueIdentifier),
    ("BackupTypeDescription", nvarchar(60)),
    ("BackupSetGUID", SqlType::UniqueIdentifier),
    ("CompressedBackupSize", SqlType::BigInt),
    ("Containment", SqlType::TinyInt),
    ("KeyAlgorithm", nvarchar(32)),
    (
        "EncryptorThumbprint",
        SqlType::VarBinary(Length::Limited(20)),
    ),
    ("EncryptorType", nvarchar(32)),
    ("LastValidRestoreTime", SqlType::DateTime),
    ("TimeZone", nvarchar(32)),
    ("CompressionAlgorithm", nvarchar(32)),
];

/// The columns of RESTORE FILELISTONLY in SQL Server 2022.
const FILES: &[(&str, SqlType)] = &[
    ("LogicalName", NAME),
    ("PhysicalName", nvarchar(260)),
    ("Type", SqlType::Char(1)),
    ("FileGroupName", NAME),
    ("Size", numeric(20)),
    ("MaxSize", numeric(20)),
    ("FileId", SqlType::BigInt),
    ("CreateLSN", LSN),
    ("DropLSN", LSN),
    ("UniqueId", SqlType::UniqueIdentifier),
    ("ReadOnlyLSN", LSN),
    ("ReadWriteLSN", LSN),
    ("BackupSizeInBytes", SqlType::BigInt),
    ("SourceBlockSize", SqlType::Int),
    ("FileGroupId", SqlType::Int),
    ("LogGroupGUID", SqlType::UniqueIdentifier),
    ("DifferentialBaseLSN", LSN),
    ("DifferentialBaseGUID", SqlType::UniqueIdentifier),
    ("IsReadOnly", SqlType::Bit),
    ("IsPresent", SqlType::Bit),
    ("TDEThumbprint", SqlType::VarBinary(Length::Limited(32))),
    ("SnapshotUrl", nvarchar(360)),
];

/// The columns of RESTORE LABELONLY.
const LABEL: &[(&str, SqlType)] = &[
    ("MediaName", NAME),
    ("MediaSetId", SqlType::UniqueIdentifier),
    ("FamilyCount", SqlType::Int),
    ("FamilySequenceNumber", SqlType::Int),
    ("MediaFamilyId", SqlType::UniqueIdentifier),
    ("MediaSequenceNumber", SqlType::Int),
    ("MediaLabelPresent", SqlType::TinyInt),
    ("MediaDescription", nvarchar(255)),
    ("SoftwareName", NAME),
    ("SoftwareVendorId", SqlType::Int),
    ("MediaDate", SqlType::DateTime),
    ("Mirror_Count", SqlType::Int),
    ("IsCompressed", SqlType::Bit),
];

fn columns(list: &[(&str, SqlType)]) -> Vec<Column> {
    list.iter()
        .map(|(name, sql_type)| Column::new(*name, *sql_type))
        .collect()
}

fn uuid(bits: u128) -> Value {
    Value::Uuid(bits.to_be_bytes())
}

fn number(n: u128) -> Value {
    Value::Decimal(Decimal::new(i128::try_from(n).unwrap_or(i128::MAX), 0))
}

fn date((days, ticks): (i32, u32)) -> Value {
    Value::DateTime { days, ticks }
}

fn maybe(text: Option<String>) -> Value {
    text.map_or(Value::Null, Value::text)
}

fn integer(n: i32) -> Value {
    Value::Int(n)
}

/// A number of 64 bits; larger ones do not occur.
fn big(n: u64) -> Value {
    Value::BigInt(i64::try_from(n).unwrap_or(i64::MAX))
}

fn header_row(contents: &BackupContents) -> Vec<Value> {
    let set = &contents.set;
    let notes = Notes(set);
    let (kind, description) = match set.kind {
        BackupKind::Full => (1, "Database"),
        BackupKind::Log => (2, "Transaction Log"),
        BackupKind::Differential => (5, "Database Differential"),
    };
    // Bits that SQL Server documents: 16 checksums, 512 always in what it writes, 1024 copy-only.
    let mut flags = 512;
    flags |= if set.has_checksums { 16 } else { 0 };
    flags |= if set.copy_only { 1024 } else { 0 };
    let bit = Value::Bit;
    vec![
        maybe(set.name.clone()),
        maybe(notes.description()),
        Value::SmallInt(kind),
        Value::Null,
        bit(set.compressed),
        Value::SmallInt(i16::try_from(set.position).unwrap_or(i16::MAX)),
        Value::TinyInt(2),
        maybe(notes.user()),
        maybe(notes.server()),
        Value::text(notes.database()),
        integer(957),
        date(notes.created()),
        number(u128::from(set.backup_size)),
        number(set.first_lsn.to_numeric()),
        number(set.last_lsn.to_numeric()),
        number(set.checkpoint_lsn.to_numeric()),
        number(
            set.database_backup_lsn
                .map_or(0, labdb_storage::Lsn::to_numeric),
        ),
        date(whole_seconds(set.started)),
        date(whole_seconds(set.finished)),
        Value::SmallInt(52),
        Value::SmallInt(0),
        integer(1033),
        integer(196_609),
        Value::TinyInt(notes.compatibility()),
        integer(0),
        integer(16),
        integer(0),
        integer(1000),
        maybe(notes.server()),
        integer(flags),
        uuid(set.database_guid),
        uuid(set.recovery_fork_guid),
        maybe(notes.collation()),
        uuid(set.family_guid),
        bit(false),
        bit(false),
        bit(false),
        bit(false),
        bit(set.has_checksums),
        bit(false),
        bit(set.begins_log_chain),
        bit(false),
        bit(false),
        bit(set.copy_only),
        uuid(set.recovery_fork_guid),
        Value::Null,
        Value::text(notes.recovery_model()),
        set.differential_base
            .map_or(Value::Null, |(lsn, _)| number(lsn.to_numeric())),
        set.differential_base
            .map_or(Value::Null, |(_, guid)| uuid(guid)),
        Value::text(description),
        uuid(set.backup_set_guid),
        big(set.stored_size),
        Value::TinyInt(0),
        Value::Null,
        Value::Null,
        Value::Null,
        date(whole_seconds(set.finished)),
        Value::Null,
        maybe(set.compressed.then(|| "LZ4".to_owned())),
    ]
}

fn file_rows(contents: &BackupContents) -> Vec<Vec<Value>> {
    let set = &contents.set;
    let mut rows = Vec::new();
    for file in &contents.files {
        let log = file.kind == FileKind::Log;
        // A file without a limit may grow to what its page numbers allow.
        let most = if log { 1 << 41 } else { 35_184_372_080_640 };
        rows.push(vec![
            Value::text(&file.spec.name),
            Value::text(file.spec.path.display().to_string()),
            Value::text(if log { "L" } else { "D" }),
            if log {
                Value::Null
            } else {
                Value::text("PRIMARY")
            },
            number(u128::from(file.spec.size)),
            number(u128::from(file.spec.max_size.unwrap_or(most))),
            Value::BigInt(i64::from(file.file_id)),
            number(0),
            number(0),
            // Files have no number of their own: one that is the same in every backup.
            uuid(set.family_guid ^ u128::from(file.file_id)),
            number(0),
            number(0),
            big(backed_up(set, file.file_id, file.file_id == 2)),
            integer(512),
            integer(i32::from(!log)),
            Value::Null,
            match set.differential_base {
                Some((lsn, _)) if !log => number(lsn.to_numeric()),
                _ => number(0),
            },
            match set.differential_base {
                Some((_, guid)) if !log => uuid(guid),
                _ => uuid(0),
            },
            Value::Bit(false),
            Value::Bit(true),
            Value::Null,
            Value::Null,
        ]);
    }
    rows
}

fn label_row(label: &MediaLabel, compressed: bool) -> Vec<Value> {
    let written = UNIX_EPOCH + Duration::from_micros(label.created_us);
    vec![
        Value::Null,
        uuid(label.media_set_guid),
        integer(1),
        integer(1),
        uuid(label.media_set_guid),
        integer(1),
        Value::TinyInt(0),
        Value::Null,
        Value::text("labdb"),
        integer(0),
        date(whole_seconds(written)),
        integer(1),
        Value::Bit(compressed),
    ]
}

impl Executor<'_> {
    /// RESTORE of the kinds that only look.
    pub(super) fn inspect_backup(&mut self, restore: &Restore) -> SqlResult<()> {
        let options = Options(&restore.options);
        options.check(self.backup_verb, KNOWN, &[("CHECKSUM", "NO_CHECKSUM")])?;
        let (path, device) = self.backup_file(&restore.devices)?;
        let position = options.file(self)?;
        let failed = |e: StorageError| media_error(&e, &device, "");
        match restore.kind {
            RestoreKind::HeaderOnly => {
                let sets = match position {
                    Some(position) => read_header(&path, position).map(|set| vec![set]),
                    None => read_headers(&path),
                };
                let rows: Vec<_> = sets.map_err(failed)?.iter().map(header_row).collect();
                self.result_set(HEADER, &rows)
            }
            RestoreKind::FileListOnly => {
                let contents = read_header(&path, position.unwrap_or(1)).map_err(failed)?;
                self.result_set(FILES, &file_rows(&contents))
            }
            RestoreKind::LabelOnly => {
                let sets = read_headers(&path).map_err(failed)?;
                let compressed = sets.iter().any(|s| s.set.compressed);
                let rows: Vec<_> = sets
                    .first()
                    .map(|s| label_row(&s.label, compressed))
                    .into_iter()
                    .collect();
                self.result_set(LABEL, &rows)
            }
            _ => {
                let position = position.unwrap_or(1);
                let contents = verify_backup(&path, position).map_err(failed)?;
                if options.has("CHECKSUM") && !contents.set.has_checksums {
                    return Err(failed(RestoreFault::NoChecksums.into()));
                }
                self.tell(3262, format!("The backup set on file {position} is valid."))?;
                self.end_and_done()
            }
        }
    }

    /// The file of a RESTORE.
    pub(super) fn backup_file(
        &self,
        devices: &[labdb_tsql::ast::Device],
    ) -> SqlResult<(PathBuf, String)> {
        match self.one_device(devices)? {
            (BackupTarget::File(path), shown) => Ok((path, shown)),
            (BackupTarget::Nul, shown) => Err(SqlError::new(
                3241,
                format!(
                    "The media family on device '{shown}' is incorrectly formed. SQL Server cannot \
                     process this media family."
                ),
            )),
        }
    }

    fn result_set(&mut self, list: &[(&str, SqlType)], rows: &[Vec<Value>]) -> SqlResult<()> {
        self.client.columns(&columns(list))?;
        for row in rows {
            self.client.row(row)?;
        }
        self.finish(Command::Select, rows.len() as u64)
    }
}
