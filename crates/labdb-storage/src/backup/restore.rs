//! Reading backups back.

use std::path::Path;
use std::sync::Arc;

use crate::backup::media::{MediaReader, Tag};
use crate::backup::{BackupSet, MoveFiles};
use crate::database::Database;
use crate::error::{Result, StorageError};
use crate::file_layer::FileLayer;
use crate::settings::Options;

/// The facts of a backup file, after reading all of it and checking every section
/// (RESTORE HEADERONLY and VERIFYONLY).
///
/// # Errors
/// `Io`; `Corrupt` when it is no complete backup.
pub fn read_header(path: &Path) -> Result<BackupSet> {
    let mut media = MediaReader::open(path)?;
    media.header()?;
    loop {
        let (tag, bytes) = media.next()?;
        if tag == Tag::End {
            let set = serde_json::from_slice(bytes);
            return set.map_err(|_| media.damaged("its end section cannot be read"));
        }
    }
}

impl Database {
    /// Restores a full backup and the log backups after it into new files and opens the result.
    ///
    /// # Errors
    /// `NotBuilt`.
    pub fn restore(
        _backups: &[&Path],
        _moves: &MoveFiles,
        _options: &Options,
        _layer: Arc<dyn FileLayer>,
    ) -> Result<Arc<Self>> {
        Err(StorageError::NotBuilt("restore of a database from backups"))
    }
}
