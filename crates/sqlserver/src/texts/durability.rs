//! Delayed durability: what a COMMIT asks for, what the databases are set to, flushing on demand,
//! and remembering what a database was set to before.

use super::Text;
use crate::names::quote_literal;

/// What a COMMIT asks for. The database's setting decides whether it gets it: under DISABLED every
/// commit is fully durable, under FORCED none is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommitDurability {
    /// The answer comes once the log is on disk.
    Full,
    /// The answer may come before.
    Delayed,
}

impl CommitDurability {
    /// The statement that ends the transaction.
    #[must_use]
    pub fn commit(self) -> &'static str {
        match self {
            Self::Full => "COMMIT TRANSACTION WITH (DELAYED_DURABILITY = OFF);",
            Self::Delayed => "COMMIT TRANSACTION WITH (DELAYED_DURABILITY = ON);",
        }
    }
}

/// Writes all of the current database's log to disk, delayed commits included; one row with the
/// procedure's return code. [`FLUSHED`] is success: the reverse of most procedures.
#[must_use]
pub fn flush_log() -> Text {
    Text::new(
        "durability::flush_log",
        "DECLARE @result int; EXEC @result = sys.sp_flush_log; \
         SELECT CAST(@result AS int) AS result;",
    )
}

/// What [`flush_log`] returns where the log was flushed.
pub const FLUSHED: i32 = 1;

/// The databases whose setting is not DISABLED, of those that the login may see, one row each.
#[must_use]
pub fn not_disabled() -> Text {
    Text::new(
        "durability::not_disabled",
        "SELECT CAST(name AS nvarchar(128)) AS name, \
         CAST(delayed_durability_desc AS nvarchar(60)) AS delayed_durability \
         FROM sys.databases WHERE delayed_durability <> 0 ORDER BY name;",
    )
}

/// The current database's setting: one row.
#[must_use]
pub fn setting() -> Text {
    Text::new(
        "durability::setting",
        "SELECT CAST(delayed_durability_desc AS nvarchar(60)) AS delayed_durability \
         FROM sys.databases WHERE name = DB_NAME();",
    )
}

/// The extended property that holds what a database's setting was before it was changed.
pub const BEFORE_PROPERTY: &str = "writelog delayed durability before";

/// What the current database's setting was before: one row, or none.
#[must_use]
pub fn remembered() -> Text {
    Text::new(
        "durability::remembered",
        format!(
            "SELECT CAST(value AS nvarchar(60)) AS durability_before FROM sys.extended_properties \
             WHERE class = 0 AND name = {};",
            quote_literal(BEFORE_PROPERTY)
        ),
    )
}

/// Remembers in the current database what its setting is before it is changed.
#[must_use]
pub fn remember(setting: &str) -> Text {
    Text::new(
        "durability::remember",
        format!(
            "EXEC sys.sp_addextendedproperty @name = {}, @value = {};",
            quote_literal(BEFORE_PROPERTY),
            quote_literal(setting)
        ),
    )
}

/// Forgets it, once the setting is back.
#[must_use]
pub fn forget() -> Text {
    Text::new(
        "durability::forget",
        format!(
            "EXEC sys.sp_dropextendedproperty @name = {};",
            quote_literal(BEFORE_PROPERTY)
        ),
    )
}

pub(super) fn samples() -> Vec<Text> {
    vec![
        flush_log(),
        not_disabled(),
        setting(),
        remembered(),
        remember("DISABLED"),
        forget(),
    ]
}
