//! BACKUP and RESTORE.

use super::Expr;

/// A backup device: `DISK = 'path'`, `DISK = @v`, a logical name, `URL`.
#[derive(Clone, Debug, PartialEq)]
pub struct Device {
    /// DISK, URL, TAPE, or empty for a logical name; upper case.
    pub kind: String,
    /// The path or name: a text literal or a variable.
    pub name: Expr,
}

/// `NAME`, `NAME = value`, `MOVE 'a' TO 'b'` (two values) in WITH lists.
#[derive(Clone, Debug, PartialEq)]
pub struct WithOption {
    /// Upper case.
    pub name: String,
    /// Its values, none for a bare word.
    pub values: Vec<Expr>,
}

/// What is backed up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum BackupKind {
    Database,
    Log,
}

/// BACKUP.
#[derive(Clone, Debug, PartialEq)]
pub struct Backup {
    /// DATABASE or LOG.
    pub kind: BackupKind,
    /// The database: a name (as a text literal) or a variable.
    pub database: Expr,
    /// TO.
    pub devices: Vec<Device>,
    /// WITH.
    pub options: Vec<WithOption>,
}

/// What RESTORE does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum RestoreKind {
    Database,
    Log,
    FileListOnly,
    HeaderOnly,
    LabelOnly,
    VerifyOnly,
}

/// RESTORE.
#[derive(Clone, Debug, PartialEq)]
pub struct Restore {
    /// Which form.
    pub kind: RestoreKind,
    /// The database, for DATABASE and LOG.
    pub database: Option<Expr>,
    /// FROM; empty for `RESTORE DATABASE x WITH RECOVERY`.
    pub devices: Vec<Device>,
    /// WITH.
    pub options: Vec<WithOption>,
}
