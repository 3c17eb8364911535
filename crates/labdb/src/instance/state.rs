//! What the instance itself must not forget: which databases exist, logins, backup history. One
//! JSON file, replaced as a whole.

use super::logins::{Login, PasswordHash};
use labdb_types::{SqlError, SqlResult};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// A database as the instance remembers it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DatabaseRecord {
    /// `database_id`.
    pub id: i32,
    /// Its name.
    pub name: String,
    /// Its primary data file.
    pub primary: PathBuf,
    /// `create_date`: days since 1900-01-01 and 1/300 s.
    pub created: (i32, u32),
    /// The `principal_id` of the login that owns it.
    #[serde(default = "first_login")]
    pub owner: i32,
    /// It is being restored.
    #[serde(default)]
    pub restoring: Option<super::Restoring>,
}

/// The `principal_id` of the first login, which owns what names no other.
pub(super) const fn first_login() -> i32 {
    1
}

/// A row of `msdb.dbo.backupfile`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BackupFileRow {
    /// `file_number`.
    pub id: u16,
    /// `file_type` L, otherwise D.
    pub log: bool,
    /// `logical_name`.
    pub name: String,
    /// `physical_name`.
    pub path: String,
    /// `file_size`, in bytes.
    pub size: u64,
    /// `backup_size`, in bytes.
    pub backed_up: u64,
}

/// A row of `msdb.dbo.backupset` with its one row of `backupmediafamily`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct BackupRow {
    /// `backup_set_id`, also `media_set_id`.
    pub id: i32,
    /// `database_name`.
    pub database: String,
    /// `type`: D or L.
    pub kind: String,
    /// `name`.
    pub name: Option<String>,
    /// `backup_start_date`.
    pub started: (i32, u32),
    /// `backup_finish_date`.
    pub finished: (i32, u32),
    /// `backup_size`, in bytes.
    pub size: u64,
    /// `is_copy_only`.
    pub copy_only: bool,
    /// `begins_log_chain`.
    pub begins_log_chain: bool,
    /// `recovery_model`.
    pub recovery_model: String,
    /// `first_lsn`, `last_lsn`, `checkpoint_lsn`, `database_backup_lsn` in their numeric form, as
    /// text because JSON numbers are too small.
    pub lsns: [Option<String>; 4],
    /// `physical_device_name`.
    pub device: String,
    /// `backup_set_uuid`.
    pub uuid: String,
    /// `database_guid`.
    pub database_guid: String,
    /// `recovery_fork_guid`.
    pub fork_guid: String,
    /// `user_name`.
    pub user: String,
    /// `compressed_backup_size`, in bytes; 0 in rows of earlier versions.
    #[serde(default)]
    pub stored: u64,
    /// `compression_algorithm`, where it is compressed.
    #[serde(default)]
    pub compression: Option<String>,
    /// `has_backup_checksums`.
    #[serde(default)]
    pub checksums: bool,
    /// `description`.
    #[serde(default)]
    pub description: Option<String>,
    /// `position`.
    #[serde(default)]
    pub position: u16,
    /// `media_uuid` of the media set.
    #[serde(default)]
    pub media: String,
    /// `family_guid`.
    #[serde(default)]
    pub family_guid: String,
    /// `differential_base_lsn` and `differential_base_guid`.
    #[serde(default)]
    pub base: Option<(String, String)>,
    /// `database_creation_date`.
    #[serde(default)]
    pub created: (i32, u32),
    /// `compatibility_level`.
    #[serde(default)]
    pub compatibility: u8,
    /// Rows of `backupfile`.
    #[serde(default)]
    pub files: Vec<BackupFileRow>,
}

/// A row of `msdb.dbo.restorehistory`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RestoreRow {
    /// `restore_history_id`.
    pub id: i32,
    /// `restore_date`.
    pub at: (i32, u32),
    /// `destination_database_name`.
    pub database: String,
    /// `backup_set_id`.
    pub backup_set_id: i32,
    /// `restore_type`.
    pub kind: String,
    /// `replace`.
    pub replace: bool,
    /// `user_name`.
    pub user: String,
    /// `recovery`.
    #[serde(default)]
    pub recovery: bool,
    /// `stop_at`.
    #[serde(default)]
    pub stop_at: Option<(i32, u32)>,
}

/// The state.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct State {
    /// User databases.
    pub databases: Vec<DatabaseRecord>,
    /// Logins.
    pub logins: Vec<Login>,
    /// The last `principal_id` of a login: none is used again, so that a user left behind is
    /// nobody's.
    #[serde(default)]
    pub last_login_id: i32,
    /// Backup history.
    pub backups: Vec<BackupRow>,
    /// The last `backup_set_id`.
    pub last_backup_id: i32,
    /// Restore history.
    pub restores: Vec<RestoreRow>,
    /// The files of each database that is being made or dropped.
    #[serde(default)]
    pub unsettled: Vec<Vec<PathBuf>>,
}

const FILE: &str = "instance.json";

impl State {
    /// A login by name.
    pub fn login(&self, name: &str) -> Option<&Login> {
        self.logins
            .iter()
            .find(|l| l.name.eq_ignore_ascii_case(name))
    }

    /// A login by name, to change it.
    pub fn login_mut(&mut self, name: &str) -> Option<&mut Login> {
        self.logins
            .iter_mut()
            .find(|l| l.name.eq_ignore_ascii_case(name))
    }

    /// A login without rights, with a number of its own; the first one is number 1.
    pub fn new_login(&mut self, name: &str, hash: PasswordHash) -> Login {
        let principal_id = if self.logins.is_empty() && self.last_login_id == 0 {
            1
        } else {
            let used = self.logins.iter().map(|l| l.principal_id).max();
            used.unwrap_or(0).max(self.last_login_id).max(256) + 1
        };
        self.last_login_id = principal_id;
        Login {
            name: name.to_owned(),
            hash,
            sysadmin: false,
            permissions: BTreeMap::new(),
            default_database: None,
            disabled: false,
            principal_id,
        }
    }

    /// Reads the state of a folder; an empty one where there is none yet.
    ///
    /// # Errors
    /// When the file is there and cannot be read.
    pub fn load(folder: &Path) -> SqlResult<Self> {
        let path = folder.join(FILE);
        match std::fs::read(&path) {
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(|e| failed(&path, &e)),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(Self::default()),
            Err(e) => Err(failed(&path, &e)),
        }
    }

    /// Writes the state so that a crash leaves either the old or the new one.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn save(&self, folder: &Path) -> SqlResult<()> {
        let path = folder.join(FILE);
        let fresh = folder.join("instance.json.new");
        let write = || -> std::io::Result<()> {
            let bytes = serde_json::to_vec_pretty(self)?;
            let mut options = std::fs::OpenOptions::new();
            options.write(true).create(true).truncate(true);
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
            let mut file = options.open(&fresh)?;
            file.write_all(&bytes)?;
            file.sync_all()?;
            std::fs::rename(&fresh, &path)?;
            std::fs::File::open(folder)?.sync_all()
        };
        write().map_err(|e| failed(&path, &e))
    }
}

fn failed(path: &Path, error: &dyn std::fmt::Display) -> SqlError {
    SqlError::new(
        5123,
        format!(
            "The instance's state '{}' cannot be read or written: {error}. Check free space and \
             permissions, or restore the file from a copy.",
            path.display()
        ),
    )
}
