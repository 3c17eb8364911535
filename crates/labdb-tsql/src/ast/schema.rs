//! Databases, tables, keys and indexes as they are declared.

use super::{Expr, ObjectName, TypeName};

/// CREATE DATABASE.
#[derive(Clone, Debug, PartialEq)]
pub struct CreateDatabase {
    /// Its name.
    pub name: String,
    /// ON PRIMARY (…), …
    pub data_files: Vec<FileOptions>,
    /// LOG ON (…), …
    pub log_files: Vec<FileOptions>,
    /// COLLATE.
    pub collation: Option<String>,
    /// WITH …: name and words, upper case.
    pub options: Vec<DatabaseOption>,
}

/// One file: `(NAME = …, FILENAME = …, SIZE = …, MAXSIZE = …, FILEGROWTH = …)`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct FileOptions {
    /// NAME.
    pub name: Option<String>,
    /// NEWNAME.
    pub new_name: Option<String>,
    /// FILENAME.
    pub file_name: Option<String>,
    /// SIZE.
    pub size: Option<FileSize>,
    /// MAXSIZE.
    pub max_size: Option<FileSize>,
    /// FILEGROWTH.
    pub growth: Option<FileSize>,
}

/// A size as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileSize {
    /// A number with its unit; MB where none is written.
    Size(u64, SizeUnit),
    /// `n %`, for FILEGROWTH.
    Percent(u32),
    /// UNLIMITED.
    Unlimited,
}

/// A unit of file size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum SizeUnit {
    Kb,
    Mb,
    Gb,
    Tb,
}

/// ALTER DATABASE.
#[derive(Clone, Debug, PartialEq)]
pub enum AlterDatabase {
    /// SET option, … WITH termination.
    Set {
        /// The database; none for CURRENT.
        database: Option<String>,
        /// What is set.
        options: Vec<DatabaseOption>,
        /// WITH ROLLBACK IMMEDIATE and so on.
        termination: Option<Termination>,
    },
    /// MODIFY FILE.
    ModifyFile {
        /// The database; none for CURRENT.
        database: Option<String>,
        /// The file.
        file: FileOptions,
    },
    /// ADD FILE or ADD LOG FILE.
    AddFile {
        /// The database; none for CURRENT.
        database: Option<String>,
        /// LOG FILE.
        log: bool,
        /// The files.
        files: Vec<FileOptions>,
    },
    /// REMOVE FILE.
    RemoveFile {
        /// The database; none for CURRENT.
        database: Option<String>,
        /// Its logical name.
        name: String,
    },
    /// MODIFY NAME.
    ModifyName {
        /// The database; none for CURRENT.
        database: Option<String>,
        /// The new name.
        name: String,
    },
    /// COLLATE.
    Collate {
        /// The database; none for CURRENT.
        database: Option<String>,
        /// The collation.
        collation: String,
    },
}

/// One database option: `RECOVERY SIMPLE`, `DELAYED_DURABILITY = FORCED`, `SINGLE_USER`,
/// `TARGET_RECOVERY_TIME = 60 SECONDS`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatabaseOption {
    /// The option, upper case.
    pub name: String,
    /// Its words or number, upper case; empty for a bare word.
    pub words: Vec<String>,
}

/// How other sessions' work is ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Termination {
    /// ROLLBACK IMMEDIATE.
    RollbackImmediate,
    /// ROLLBACK AFTER n SECONDS.
    RollbackAfter(u32),
    /// `NO_WAIT`.
    NoWait,
}

/// CREATE TABLE.
#[derive(Clone, Debug, PartialEq)]
pub struct TableDefinition {
    /// Its name.
    pub name: ObjectName,
    /// Its columns.
    pub columns: Vec<ColumnDefinition>,
    /// Keys, defaults and so on that stand on their own.
    pub constraints: Vec<TableConstraint>,
    /// WITH (…).
    pub options: Vec<IndexOption>,
}

/// A column.
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnDefinition {
    /// Its name.
    pub name: String,
    /// Its type.
    pub type_name: TypeName,
    /// NULL (true), NOT NULL (false), or not said.
    pub nullable: Option<bool>,
    /// IDENTITY.
    pub identity: Option<IdentitySpec>,
    /// DEFAULT, with its constraint's name.
    pub default: Option<(Option<String>, Expr)>,
    /// PRIMARY KEY or UNIQUE on this column.
    pub key: Option<KeyConstraint>,
    /// CHECK.
    pub check: Option<Expr>,
    /// COLLATE.
    pub collation: Option<String>,
}

/// IDENTITY(seed, increment).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IdentitySpec {
    /// The first value.
    pub seed: i64,
    /// The step, not 0.
    pub increment: i64,
}

/// PRIMARY KEY or UNIQUE.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyConstraint {
    /// The constraint's name.
    pub name: Option<String>,
    /// PRIMARY KEY (true) or UNIQUE.
    pub primary: bool,
    /// CLUSTERED (true), NONCLUSTERED (false), or not said.
    pub clustered: Option<bool>,
    /// The key; empty when it stands on a column.
    pub columns: Vec<IndexColumn>,
    /// WITH (…).
    pub options: Vec<IndexOption>,
}

/// A constraint that stands on its own in a table.
#[derive(Clone, Debug, PartialEq)]
pub enum TableConstraint {
    /// PRIMARY KEY, UNIQUE.
    Key(KeyConstraint),
    /// CHECK.
    Check {
        /// Its name.
        name: Option<String>,
        /// The condition.
        condition: Expr,
    },
    /// DEFAULT e FOR c (ALTER TABLE).
    Default {
        /// Its name.
        name: Option<String>,
        /// The value.
        value: Expr,
        /// The column.
        column: String,
    },
    /// INDEX name (columns) inside CREATE TABLE.
    Index {
        /// Its name.
        name: String,
        /// UNIQUE.
        unique: bool,
        /// CLUSTERED.
        clustered: bool,
        /// The key.
        columns: Vec<IndexColumn>,
        /// WITH (…).
        options: Vec<IndexOption>,
    },
}

/// A key column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexColumn {
    /// Its name.
    pub name: String,
    /// DESC.
    pub descending: bool,
}

/// `NAME = ON|OFF|n|word` of an index or table: upper case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexOption {
    /// The option.
    pub name: String,
    /// Its value.
    pub value: String,
}

/// A procedure's parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct ProcedureParameter {
    /// With the `@`.
    pub name: String,
    /// Its type.
    pub type_name: TypeName,
    /// Its default.
    pub default: Option<Expr>,
    /// OUTPUT.
    pub output: bool,
}
