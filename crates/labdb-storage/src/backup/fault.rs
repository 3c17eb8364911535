//! What can be wrong with a backup, or with the order in which backups are restored.

use std::path::PathBuf;

use crate::log::lsn::Lsn;

/// Why a backup cannot be read or does not fit; SQL Server's number is beside each.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RestoreFault {
    /// The file is no backup (3241).
    #[error("{} is no backup of labdb", .0.display())]
    NotABackup(PathBuf),
    /// The file has no backup set at this position (4038).
    #[error("{} has no backup set at position {position}", path.display())]
    NoSuchSet {
        /// The file.
        path: PathBuf,
        /// From 1.
        position: u16,
    },
    /// The file ends before its backup set does (3203).
    #[error("{} is cut off: its backup set is longer than the file", .0.display())]
    CutOff(PathBuf),
    /// A checksum of the backup set does not match (3189).
    #[error("{} is damaged: {reason}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What did not match.
        reason: &'static str,
    },
    /// A page of the backup set is damaged (3183).
    #[error("page ({file_id}:{page}) in the backup set is damaged")]
    DamagedPage {
        /// The database file's id.
        file_id: u16,
        /// The page's number in it.
        page: u32,
    },
    /// The backup set was made without checksums and they were asked for (3187).
    #[error("the backup set has no checksums")]
    NoChecksums,
    /// There is no restored database that could be rolled forward (3117).
    #[error("the database was not restored WITH NORECOVERY, so nothing can be applied to it")]
    NotRestoring,
    /// Another kind of backup was expected (3118 and others).
    #[error("the backup set is of another kind")]
    WrongKind,
    /// The log begins too late (4305).
    #[error("the log begins at {begins}, and one that includes {wanted} is needed")]
    TooRecent {
        /// The first LSN of the backup set.
        begins: Lsn,
        /// Up to where the database was rolled forward.
        wanted: Lsn,
    },
    /// The log ends before what the database has already (4326).
    #[error("the log ends at {ends}, and one that includes {wanted} is needed")]
    TooEarly {
        /// The last LSN of the backup set.
        ends: Lsn,
        /// Up to where the database was rolled forward.
        wanted: Lsn,
    },
    /// The backup set is of another database (3154).
    #[error("the backup set is of another database")]
    OtherDatabase,
    /// The backup set is of another branch of the database's history (4330).
    #[error("the backup set is of another recovery fork")]
    OtherFork,
    /// The differential backup is not based on the full one that was restored (3136).
    #[error("the differential backup is based on another full backup")]
    OtherBase,
    /// The point in time lies before the end of the full backup (4338).
    #[error("the point in time lies before the end of the backup")]
    StopBeforeBackup,
    /// The database was rolled forward beyond the point in time already (4335).
    #[error("the database was rolled forward beyond the point in time")]
    StopTooEarly,
    /// A point in time was reached: only recovery can follow (4332).
    #[error("the point in time was reached: recover the database")]
    Halted,
    /// A step was interrupted (4319).
    #[error("a step was interrupted: repeat it, or restore the full backup again")]
    Interrupted,
    /// The backup has no file of this logical name (3234).
    #[error("the backup has no file named {0}")]
    NoFile(String),
    /// A differential backup needs a full one first (3035).
    #[error("there is no full backup that a differential one could be based on")]
    NoBase,
}
