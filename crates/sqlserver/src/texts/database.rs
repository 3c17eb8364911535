//! Creating, altering and dropping a database. To be sent from `master`, outside a transaction.

use super::{Text, sample};
use crate::names::{DatabaseName, quote_literal};

/// Where a new database's files go, as the server sees them.
#[derive(Clone, Copy, Debug)]
pub struct FilePaths<'a> {
    /// The data file.
    pub data: &'a str,
    /// The log file.
    pub log: &'a str,
}

/// Creates a database, in the server's default folders or at given paths.
#[must_use]
pub fn create(database: &DatabaseName, paths: Option<FilePaths<'_>>) -> Text {
    let name = database.quoted();
    let sql = match paths {
        None => format!("CREATE DATABASE {name};"),
        Some(paths) => format!(
            "CREATE DATABASE {name} ON PRIMARY (NAME = N'data', FILENAME = {}) \
             LOG ON (NAME = N'log', FILENAME = {});",
            quote_literal(paths.data),
            quote_literal(paths.log)
        ),
    };
    Text::new("database::create", sql)
}

/// One row where the database is there: its state.
#[must_use]
pub fn state(database: &DatabaseName) -> Text {
    Text::new(
        "database::state",
        format!(
            "SELECT CAST(name AS nvarchar(128)) AS name, \
             CAST(state_desc AS nvarchar(60)) AS state, \
             CAST(database_id AS int) AS database_id \
             FROM sys.databases WHERE name = {};",
            database.literal()
        ),
    )
}

/// A recovery model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecoveryModel {
    /// All is logged and kept until a log backup.
    Full,
    /// As FULL, but bulk operations log less.
    BulkLogged,
    /// The log is reused after a checkpoint.
    Simple,
}

impl RecoveryModel {
    /// As `recovery_model_desc` and ALTER DATABASE have it.
    #[must_use]
    pub fn keyword(self) -> &'static str {
        match self {
            Self::Full => "FULL",
            Self::BulkLogged => "BULK_LOGGED",
            Self::Simple => "SIMPLE",
        }
    }
}

/// Sets the recovery model.
#[must_use]
pub fn set_recovery(database: &DatabaseName, model: RecoveryModel) -> Text {
    Text::new(
        "database::set_recovery",
        format!(
            "ALTER DATABASE {} SET RECOVERY {};",
            database.quoted(),
            model.keyword()
        ),
    )
    .not_on_azure_sql_database()
}

/// Whether a commit may answer before its log is on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DelayedDurability {
    /// Never.
    Disabled,
    /// Where the commit asks for it.
    Allowed,
    /// Always.
    Forced,
}

impl DelayedDurability {
    /// As `delayed_durability_desc` and ALTER DATABASE have it.
    #[must_use]
    pub fn keyword(self) -> &'static str {
        match self {
            Self::Disabled => "DISABLED",
            Self::Allowed => "ALLOWED",
            Self::Forced => "FORCED",
        }
    }
}

/// Sets delayed durability.
#[must_use]
pub fn set_delayed_durability(database: &DatabaseName, setting: DelayedDurability) -> Text {
    Text::new(
        "database::set_delayed_durability",
        format!(
            "ALTER DATABASE {} SET DELAYED_DURABILITY = {};",
            database.quoted(),
            setting.keyword()
        ),
    )
}

/// Throws everybody out and drops the database, in one batch, so that nobody takes the one seat.
#[must_use]
pub fn drop_exclusively(database: &DatabaseName) -> Text {
    let name = database.quoted();
    Text::new(
        "database::drop_exclusively",
        format!(
            "ALTER DATABASE {name} SET SINGLE_USER WITH ROLLBACK IMMEDIATE; DROP DATABASE {name};"
        ),
    )
    .not_on_azure_sql_database()
}

/// Drops the database, where `SINGLE_USER` cannot be had (Azure).
#[must_use]
pub fn drop_plainly(database: &DatabaseName) -> Text {
    Text::new(
        "database::drop_plainly",
        format!("DROP DATABASE {};", database.quoted()),
    )
}

/// Lets everybody in again, after a drop that failed half-way.
#[must_use]
pub fn set_multi_user(database: &DatabaseName) -> Text {
    Text::new(
        "database::set_multi_user",
        format!("ALTER DATABASE {} SET MULTI_USER;", database.quoted()),
    )
    .not_on_azure_sql_database()
}

/// The sessions of writelog's programs in a database, other than this one: one row each.
#[must_use]
pub fn our_sessions(database: &DatabaseName) -> Text {
    Text::new(
        "database::our_sessions",
        format!(
            "SELECT CAST(session_id AS int) AS session_id FROM sys.dm_exec_sessions \
             WHERE database_id = DB_ID({}) AND program_name LIKE N'writelog %' \
             AND session_id <> @@SPID;",
            database.literal()
        ),
    )
}

/// Ends a session.
#[must_use]
pub fn kill(session_id: i32) -> Text {
    Text::new("database::kill", format!("KILL {session_id};"))
}

/// Flushes all dirty pages of the current database.
#[must_use]
pub fn checkpoint() -> Text {
    Text::new("database::checkpoint", "CHECKPOINT;")
}

pub(super) fn samples() -> Vec<Text> {
    let mut texts = vec![kill(77), checkpoint()];
    for database in sample::databases() {
        let paths = FilePaths {
            data: "/var/opt/it's data.mdf",
            log: r"C:\logs\l.ldf",
        };
        texts.extend([
            create(&database, None),
            create(&database, Some(paths)),
            state(&database),
            drop_exclusively(&database),
            drop_plainly(&database),
            set_multi_user(&database),
            our_sessions(&database),
        ]);
        texts.extend(
            [
                RecoveryModel::Full,
                RecoveryModel::BulkLogged,
                RecoveryModel::Simple,
            ]
            .map(|model| set_recovery(&database, model)),
        );
        texts.extend(
            [
                DelayedDurability::Disabled,
                DelayedDurability::Allowed,
                DelayedDurability::Forced,
            ]
            .map(|setting| set_delayed_durability(&database, setting)),
        );
    }
    texts
}
