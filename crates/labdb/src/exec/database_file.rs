//! File sizes and growth as CREATE and ALTER DATABASE state them; MODIFY FILE.

use super::failure::storage_error;
use crate::catalog::fold;
use crate::instance::Database;
use labdb_storage::{FileKind, FileRow, FileSpec, Growth, StorageError};
use labdb_tsql::ast::{FileOptions, FileSize, SizeUnit};
use labdb_types::{SqlError, SqlResult};
use std::path::PathBuf;

/// Default sizes of new files, as SQL Server 2016 and later.
pub(super) const DEFAULT_SIZE: u64 = 8 << 20;

fn bytes(size: FileSize) -> Option<u64> {
    match size {
        FileSize::Size(n, unit) => n.checked_mul(match unit {
            SizeUnit::Kb => 1 << 10,
            SizeUnit::Mb => 1 << 20,
            SizeUnit::Gb => 1 << 30,
            SizeUnit::Tb => 1 << 40,
        }),
        FileSize::Percent(_) | FileSize::Unlimited => None,
    }
}

fn growth(size: FileSize) -> SqlResult<Growth> {
    match size {
        FileSize::Percent(n) => Ok(Growth::Percent(n)),
        FileSize::Unlimited => {
            Err(SqlError::new(102, "Incorrect syntax near 'UNLIMITED'.").severity(15))
        }
        // Rounded up to 64 KB, as SQL Server does.
        sized @ FileSize::Size(..) => Ok(Growth::Bytes(
            bytes(sized).unwrap_or(0).div_ceil(65_536) * 65_536,
        )),
    }
}

pub(super) fn file_spec(
    options: &FileOptions,
    default_name: &str,
    default_path: PathBuf,
) -> SqlResult<FileSpec> {
    let name = options
        .name
        .clone()
        .unwrap_or_else(|| default_name.to_owned());
    let path = options
        .file_name
        .as_ref()
        .map_or(default_path, PathBuf::from);
    let size = options
        .size
        .and_then(bytes)
        .unwrap_or(DEFAULT_SIZE)
        .div_ceil(8192)
        * 8192;
    let mut spec = FileSpec::new(name, path, size);
    if let Some(size) = options.growth {
        spec.growth = growth(size)?;
    }
    spec.max_size = options.max_size.and_then(bytes);
    Ok(spec)
}

pub(super) fn modify_file(database: &Database, options: &FileOptions) -> SqlResult<()> {
    let name = options.name.clone().unwrap_or_default();
    let file: FileRow = database
        .storage
        .files()
        .into_iter()
        .find(|f| fold(&f.name) == fold(&name))
        .ok_or_else(|| {
            SqlError::new(
                5041,
                format!("MODIFY FILE failed. File '{name}' does not exist."),
            )
        })?;
    if options.new_name.is_some() || options.file_name.is_some() {
        return Err(SqlError::new(
            40510,
            "MODIFY FILE with NEWNAME or FILENAME is outside labdb's subset.",
        ));
    }
    let size = match options.size {
        Some(size) => {
            let wanted = bytes(size)
                .ok_or_else(|| {
                    SqlError::new(102, "MODIFY FILE needs a SIZE in KB, MB, GB or TB.").severity(15)
                })?
                .div_ceil(8192)
                * 8192;
            if wanted <= file.size {
                return Err(SqlError::new(
                    5039,
                    "MODIFY FILE failed. Specified size is less than or equal to current size.",
                ));
            }
            if file.max_size.is_some_and(|max| wanted > max) && options.max_size.is_none() {
                return Err(SqlError::new(
                    5040,
                    "MODIFY FILE failed. Size is greater than MAXSIZE.",
                ));
            }
            Some(wanted)
        }
        None => None,
    };
    let new_growth = options.growth.map(growth).transpose()?;
    let max = match options.max_size {
        Some(FileSize::Unlimited) => Some(None),
        Some(size) => Some(bytes(size)),
        None => None,
    };
    let kind = if file.kind == FileKind::Log {
        "log"
    } else {
        "data"
    };
    database
        .storage
        .modify_file(&file.name, size, new_growth, max)
        .map_err(|e| match &e {
            StorageError::Io { source, .. } => SqlError::new(
                5149,
                format!(
                    "MODIFY FILE encountered operating system error {source} while attempting to \
                     expand the physical {kind} file '{}'.",
                    file.path.display()
                ),
            )
            .state(3),
            other => storage_error(other, &database.name()),
        })
}
