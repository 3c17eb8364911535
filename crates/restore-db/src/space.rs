//! Whether the disks have room for what is to be restored.

use crate::media::Placed;
use records::{Failure, FailureCode};
use sqlserver::texts::restore as texts;
use sqlserver::{Columns, Connection, SqlError};
use std::collections::BTreeMap;

/// The free space beside a database file of the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FreeSpace {
    /// The path of the database file.
    pub beside: String,
    /// The mount point of its volume.
    pub volume: String,
    /// In bytes.
    pub bytes: i64,
}

/// Fails where a volume lacks room; also where that cannot be told, unless told to go on.
pub(crate) async fn check(
    connection: &mut Connection,
    files: &[Placed],
    go_on_where_unknown: bool,
) -> Result<(), Failure> {
    let spaces = match read(connection).await {
        Ok(spaces) => spaces,
        Err(_) if go_on_where_unknown => return Ok(()),
        Err(error) => {
            let mut failure = error.failure("reading the free space of the server's disks");
            failure.remedy = Some(format!(
                "{} Or say --free-space-unknown to restore without knowing it.",
                failure.remedy.unwrap_or_default()
            ));
            return Err(failure);
        }
    };
    for (folder, room) in rooms(files, &spaces) {
        match room {
            Room::Enough => {}
            Room::Unknown if go_on_where_unknown => {}
            Room::Unknown => {
                return Err(Failure::new(
                    FailureCode::Failed,
                    format!(
                        "the free space of the disk of {folder} cannot be read: no file of a \
                         database is there"
                    ),
                )
                .remedy(
                    "Check it yourself and say --free-space-unknown, or name another folder with \
                     --data-dir and --log-dir.",
                ));
            }
            Room::Lacking { needed, free } => {
                return Err(Failure::new(
                    FailureCode::Failed,
                    format!(
                        "the disk of {folder} has {} MB free and the restored files take {} MB, so \
                         nothing was restored",
                        free >> 20,
                        needed.div_ceil(1 << 20)
                    ),
                )
                .remedy(
                    "Free space there, or name other folders with --data-dir and --log-dir. (A \
                     restore makes files of the size that they had, whatever they hold.)",
                ));
            }
        }
    }
    Ok(())
}

async fn read(connection: &mut Connection) -> Result<Vec<FreeSpace>, SqlError> {
    let results = connection.batch(&texts::free_space().sql).await?;
    results
        .iter()
        .flatten()
        .map(|row| {
            Ok(FreeSpace {
                beside: row.some_text("physical_name")?,
                volume: row.text("volume")?.unwrap_or_default(),
                bytes: row.some_big("available_bytes")?,
            })
        })
        .collect()
}

/// What a volume has for the files that go there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Room {
    Enough,
    Lacking { needed: u64, free: u64 },
    Unknown,
}

/// Each volume that files go to, by the first folder of theirs on it.
fn rooms(files: &[Placed], spaces: &[FreeSpace]) -> Vec<(String, Room)> {
    let mut needed: BTreeMap<String, (String, u64, u64)> = BTreeMap::new();
    let mut rooms = Vec::new();
    for placed in files {
        let bytes = u64::try_from(placed.file.bytes).unwrap_or_default();
        match volume_of(&placed.folder, spaces) {
            None => rooms.push((placed.folder.clone(), Room::Unknown)),
            Some(space) => {
                let free = u64::try_from(space.bytes).unwrap_or_default();
                let entry = needed.entry(space.volume.clone()).or_insert_with(|| {
                    // The least that any row says of the volume.
                    (placed.folder.clone(), 0, free)
                });
                entry.1 = entry.1.saturating_add(bytes);
                entry.2 = entry.2.min(free);
            }
        }
    }
    rooms.extend(needed.into_values().map(|(folder, needed, free)| {
        let room = if needed > free {
            Room::Lacking { needed, free }
        } else {
            Room::Enough
        };
        (folder, room)
    }));
    rooms
}

/// The volume of a folder: that of a database file in it, else the one whose mount point is the
/// longest beginning of it.
fn volume_of<'a>(folder: &str, spaces: &'a [FreeSpace]) -> Option<&'a FreeSpace> {
    let plain = |path: &str| path.replace('\\', "/").trim_end_matches('/').to_lowercase();
    let folder = plain(folder);
    let in_it = spaces.iter().find(|space| {
        plain(&space.beside)
            .rsplit_once('/')
            .is_some_and(|(parent, _)| parent == folder)
    });
    in_it.or_else(|| {
        let holds = |space: &&FreeSpace| {
            let mount = plain(&space.volume);
            !space.volume.is_empty()
                && (folder == mount || folder.starts_with(&format!("{mount}/")))
        };
        spaces
            .iter()
            .filter(holds)
            .max_by_key(|space| space.volume.len())
    })
}

#[cfg(test)]
mod tests {
    use super::{FreeSpace, Room, rooms};
    use crate::media::{MediaFile, Placed};

    fn placed(folder: &str, bytes: i64) -> Placed {
        Placed {
            file: MediaFile {
                id: 1,
                logical: "x".into(),
                kind: "D".into(),
                bytes,
            },
            folder: folder.into(),
            path: format!("{folder}/x.mdf"),
        }
    }

    fn space(beside: &str, volume: &str, bytes: i64) -> FreeSpace {
        FreeSpace {
            beside: beside.into(),
            volume: volume.into(),
            bytes,
        }
    }

    #[test]
    fn files_on_one_volume_are_added_up() {
        let spaces = [space(r"D:\DATA\master.mdf", r"D:\", 150)];
        let files = [placed(r"d:\data\", 100), placed(r"D:\log", 51)];
        let lacking = Room::Lacking {
            needed: 151,
            free: 150,
        };
        assert_eq!(rooms(&files, &spaces), [(r"d:\data\".to_owned(), lacking)]);
        assert_eq!(rooms(&files[..1], &spaces)[0].1, Room::Enough);
    }

    #[test]
    fn the_longest_mount_point_is_the_volume_and_a_file_in_the_folder_says_it_best() {
        let spaces = [
            space("/var/opt/mssql/data/master.mdf", "/", 1000),
            space("/mnt/big/data/a.mdf", "/mnt/big", 7),
        ];
        let room = |folder: &str| rooms(&[placed(folder, 100)], &spaces)[0].1;
        assert_eq!(
            room("/mnt/big/other"),
            Room::Lacking {
                needed: 100,
                free: 7
            }
        );
        assert_eq!(room("/mnt/bigger"), Room::Enough);
        // A mount point that says nothing: the file in the folder does.
        let odd = [space("/var/opt/mssql/data/master.mdf", "C:\\", 1000)];
        assert_eq!(
            rooms(&[placed("/var/opt/mssql/data", 100)], &odd)[0].1,
            Room::Enough
        );
        assert_eq!(rooms(&[placed("/srv", 100)], &odd)[0].1, Room::Unknown);
    }
}
