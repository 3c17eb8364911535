//! The files of a database. Sizes in the catalogue are pages of 8 KB.

use super::{Text, sample};
use crate::names::{DatabaseName, quote_literal};

/// The files of the current database, one row each.
#[must_use]
pub fn list() -> Text {
    Text::new(
        "files::list",
        "SELECT CAST(file_id AS int) AS file_id, CAST(type AS int) AS file_type, \
         CAST(name AS nvarchar(128)) AS logical_name, \
         CAST(physical_name AS nvarchar(260)) AS physical_name, \
         CAST(size AS bigint) AS size_pages, CAST(max_size AS bigint) AS max_size_pages, \
         CAST(growth AS bigint) AS growth, CAST(is_percent_growth AS bit) AS is_percent_growth \
         FROM sys.database_files ORDER BY file_id;",
    )
}

/// Makes a file larger. The size must be strictly more than it is (else error 5039).
#[must_use]
pub fn set_size(database: &DatabaseName, logical_name: &str, size_kb: u64) -> Text {
    Text::new(
        "files::set_size",
        format!(
            "ALTER DATABASE {} MODIFY FILE (NAME = {}, SIZE = {size_kb}KB);",
            database.quoted(),
            quote_literal(logical_name)
        ),
    )
    .not_on_azure_sql_database()
}

/// Sets a file's growth step; 0 is no growth.
#[must_use]
pub fn set_growth(database: &DatabaseName, logical_name: &str, growth_kb: u64) -> Text {
    Text::new(
        "files::set_growth",
        format!(
            "ALTER DATABASE {} MODIFY FILE (NAME = {}, FILEGROWTH = {growth_kb}KB);",
            database.quoted(),
            quote_literal(logical_name)
        ),
    )
    .not_on_azure_sql_database()
}

pub(super) fn samples() -> Vec<Text> {
    let mut texts = vec![list()];
    for database in sample::databases() {
        texts.extend([
            set_size(&database, "it's data", 262_144),
            set_growth(&database, "log", 0),
        ]);
    }
    texts
}
