//! What answers, and who we are there.

use super::Text;

/// One row: banner, version, editions, the session and the database.
#[must_use]
pub fn identity() -> Text {
    Text::new(
        "server::identity",
        "SELECT CAST(@@VERSION AS nvarchar(4000)) AS banner, \
         CAST(SERVERPROPERTY('ProductVersion') AS nvarchar(128)) AS product_version, \
         CAST(SERVERPROPERTY('Edition') AS nvarchar(128)) AS edition, \
         CAST(SERVERPROPERTY('EngineEdition') AS int) AS engine_edition, \
         CAST(SERVERPROPERTY('LabdbFaults') AS nvarchar(4000)) AS injected_faults;",
    )
}

/// One row: this session's number and database.
#[must_use]
pub fn session() -> Text {
    Text::new(
        "server::session",
        "SELECT CAST(@@SPID AS int) AS session_id, CAST(DB_NAME() AS nvarchar(128)) AS database_name;",
    )
}

pub(super) fn samples() -> Vec<Text> {
    vec![identity(), session()]
}
