//! What a backup file holds, and where its database files go.

use records::{Failure, FailureCode};
use sqlserver::texts::restore as texts;
use sqlserver::{Columns, Connection, DatabaseName, Row, SqlError};

/// `BackupType` of a full backup of a database.
const FULL: i64 = 1;

/// A backup set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BackupSet {
    /// The database that was backed up.
    pub database: String,
    /// `BackupType`.
    pub kind: i64,
    /// `BackupSize`, in bytes.
    pub bytes: Option<i64>,
    /// `CompressedBackupSize`, in bytes.
    pub compressed_bytes: Option<i64>,
}

/// A database file in a backup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MediaFile {
    /// `FileId`.
    pub id: i64,
    /// The logical name.
    pub logical: String,
    /// `D` rows, `L` log, `S` `FILESTREAM` or memory-optimized, `F` full text.
    pub kind: String,
    /// The size that it will have, in bytes.
    pub bytes: i64,
}

impl MediaFile {
    /// Whether it is a log file.
    pub(crate) fn is_log(&self) -> bool {
        self.kind.trim() == "L"
    }
}

/// Where a database file goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Placed {
    /// The file.
    pub file: MediaFile,
    /// Its folder, on the server.
    pub folder: String,
    /// Its path, on the server.
    pub path: String,
}

/// The backup sets of a file.
pub(crate) async fn headers(
    connection: &mut Connection,
    file: &str,
) -> Result<Vec<BackupSet>, SqlError> {
    let results = connection.batch(&texts::headers(file).sql).await?;
    results.iter().flatten().map(set).collect()
}

fn set(row: &Row) -> Result<BackupSet, SqlError> {
    Ok(BackupSet {
        database: row.some_text("DatabaseName")?,
        kind: row.whole("BackupType")?.unwrap_or_default(),
        bytes: row.whole("BackupSize")?,
        compressed_bytes: row.whole("CompressedBackupSize")?,
    })
}

/// The first backup set of a file, which must be a full backup, and its database files.
pub(crate) async fn read(
    connection: &mut Connection,
    file: &str,
) -> Result<(BackupSet, Vec<MediaFile>), Failure> {
    let doing = format!("reading what the backup {file} holds");
    let failed = |error: SqlError| error.failure(&doing);
    let sets = headers(connection, file).await.map_err(failed)?;
    let Some(first) = sets.into_iter().next() else {
        return Err(failed(SqlError::Unreadable("no row came".to_owned())));
    };
    if first.kind != FULL {
        return Err(Failure::new(
            FailureCode::Failed,
            format!("{file} does not begin with a full backup of a database"),
        )
        .remedy("Make one with --backup FILE."));
    }
    let results = connection
        .batch(&texts::file_list(file).sql)
        .await
        .map_err(failed)?;
    let files = results.iter().flatten().map(|row| {
        Ok(MediaFile {
            id: row.whole("FileId")?.unwrap_or_default(),
            logical: row.some_text("LogicalName")?,
            kind: row.some_text("Type")?,
            bytes: row.whole("Size")?.unwrap_or_default(),
        })
    });
    let files: Vec<MediaFile> = files.collect::<Result<_, _>>().map_err(failed)?;
    Ok((first, files))
}

/// The folders for data and log: those that were named, else the server's own.
pub(crate) async fn folders(
    connection: &mut Connection,
    data: Option<&str>,
    log: Option<&str>,
) -> Result<(String, String), Failure> {
    if let (Some(data), Some(log)) = (data, log) {
        return Ok((data.to_owned(), log.to_owned()));
    }
    let doing = "reading the server's folders for new files";
    let failed = |error: SqlError| error.failure(doing);
    let row = connection
        .row(&texts::default_folders().sql)
        .await
        .map_err(failed)?;
    let own = |column: &str| match &row {
        Some(row) => row.text(column).map_err(failed),
        None => Ok(None),
    };
    let missing = || {
        Failure::new(
            FailureCode::Failed,
            "the server does not say where new files go",
        )
        .remedy("Say it with --data-dir FOLDER and --log-dir FOLDER: paths on the server.")
    };
    let data = match data {
        Some(folder) => folder.to_owned(),
        None => own("data_folder")?.ok_or_else(missing)?,
    };
    let log = match log {
        Some(folder) => folder.to_owned(),
        None => own("log_folder")?.ok_or_else(missing)?,
    };
    Ok((data, log))
}

/// Gives every file a place of its own, named after the new database.
pub(crate) fn place(
    files: Vec<MediaFile>,
    name: &DatabaseName,
    data_folder: &str,
    log_folder: &str,
) -> Vec<Placed> {
    let stem: String = name
        .as_str()
        .chars()
        .map(|c| {
            if c.is_alphanumeric() || "_-".contains(c) {
                c
            } else {
                '_'
            }
        })
        .collect();
    let mut logs = 0;
    let mut placed = Vec::with_capacity(files.len());
    for file in files {
        let (folder, end) = if file.is_log() {
            logs += 1;
            let number = if logs == 1 {
                String::new()
            } else {
                format!("_{}", file.id)
            };
            (log_folder, format!("_log{number}.ldf"))
        } else if file.id == 1 {
            (data_folder, ".mdf".to_owned())
        } else if file.kind.trim() == "D" {
            (data_folder, format!("_{}.ndf", file.id))
        } else {
            // A folder: FILESTREAM, memory-optimized data.
            (data_folder, format!("_{}", file.id))
        };
        placed.push(Placed {
            path: join(folder, &format!("{stem}{end}")),
            folder: folder.to_owned(),
            file,
        });
    }
    placed
}

/// A path in a folder of the server, which may be on Windows or not.
fn join(folder: &str, name: &str) -> String {
    if folder.ends_with(['/', '\\']) {
        format!("{folder}{name}")
    } else if folder.contains('\\') {
        format!("{folder}\\{name}")
    } else {
        format!("{folder}/{name}")
    }
}

#[cfg(test)]
mod tests {
    use super::{MediaFile, place};

    fn file(id: i64, kind: &str) -> MediaFile {
        MediaFile {
            id,
            logical: format!("file {id}"),
            kind: kind.to_owned(),
            bytes: 1 << 20,
        }
    }

    #[test]
    fn every_file_gets_a_path_of_its_own_in_the_folder_of_its_kind() {
        let files = vec![
            file(1, "D"),
            file(2, "L"),
            file(3, "D"),
            file(4, "L"),
            file(5, "S"),
        ];
        let name = "copy: of [x]".parse().unwrap();
        let placed = place(files, &name, r"D:\data\", r"L:\log");
        let paths: Vec<&str> = placed.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(
            paths,
            [
                r"D:\data\copy__of__x_.mdf",
                r"L:\log\copy__of__x__log.ldf",
                r"D:\data\copy__of__x__3.ndf",
                r"L:\log\copy__of__x__log_4.ldf",
                r"D:\data\copy__of__x__5",
            ]
        );
        let unix = place(vec![file(1, "D")], &name, "/var/opt", "/var/opt");
        assert_eq!(unix[0].path, "/var/opt/copy__of__x_.mdf");
    }
}
