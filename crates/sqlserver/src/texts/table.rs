//! The table under load: an ascending key and a line with a default.

use super::{Text, sample};
use crate::names::{TableName, quote_literal};

/// The table where none is named.
pub const DEFAULT_TABLE: &str = "dbo.writes";

/// The key column.
pub const KEY_COLUMN: &str = "id";

/// The payload column.
pub const LINE_COLUMN: &str = "line";

/// What each row says: 28 characters.
pub const LINE_DEFAULT: &str = "One row, one commit, on disk";

/// The longest line, in characters, where nothing is said.
pub const LINE_LENGTH: u16 = 500;

/// Creates the table; its lines have `line_length` characters at most.
#[must_use]
pub fn create(table: &TableName, line_length: u16) -> Text {
    Text::new(
        "table::create",
        format!(
            "CREATE TABLE {} ({KEY_COLUMN} int IDENTITY(1, 1) NOT NULL PRIMARY KEY CLUSTERED, \
             {LINE_COLUMN} varchar({line_length}) NOT NULL DEFAULT ({}));",
            table.quoted(),
            quote_literal(LINE_DEFAULT).trim_start_matches('N')
        ),
    )
}

/// One row: whether a user table of that name is there, and whether anything else is.
#[must_use]
pub fn exists(table: &TableName) -> Text {
    let name = table.literal();
    Text::new(
        "table::exists",
        format!(
            "SELECT CAST(OBJECT_ID({name}, N'U') AS int) AS table_id, \
             CAST(OBJECT_ID({name}) AS int) AS object_id;"
        ),
    )
}

/// The table's columns, in order, one row each.
#[must_use]
pub fn columns(table: &TableName) -> Text {
    Text::new(
        "table::columns",
        format!(
            "SELECT CAST(c.name AS nvarchar(128)) AS name, CAST(t.name AS nvarchar(128)) AS type_name, \
             CAST(c.max_length AS int) AS max_length, CAST(c.is_nullable AS bit) AS is_nullable, \
             CAST(c.is_identity AS bit) AS is_identity \
             FROM sys.columns AS c JOIN sys.types AS t ON t.user_type_id = c.user_type_id \
             WHERE c.object_id = OBJECT_ID({}, N'U') ORDER BY c.column_id;",
            table.literal()
        ),
    )
}

/// One row: how many rows the table has.
#[must_use]
pub fn count(table: &TableName) -> Text {
    Text::new(
        "table::count",
        format!(
            "SELECT CAST(COUNT_BIG(*) AS bigint) AS row_count FROM {};",
            table.quoted()
        ),
    )
}

/// Empties the table; its identity starts again.
#[must_use]
pub fn truncate(table: &TableName) -> Text {
    Text::new(
        "table::truncate",
        format!("TRUNCATE TABLE {};", table.quoted()),
    )
}

pub(super) fn samples() -> Vec<Text> {
    sample::tables()
        .iter()
        .flat_map(|table| {
            [
                create(table, LINE_LENGTH),
                exists(table),
                columns(table),
                count(table),
                truncate(table),
            ]
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{LINE_DEFAULT, create};

    #[test]
    fn the_line_has_the_28_characters_of_the_published_experiment() {
        assert_eq!(LINE_DEFAULT.chars().count(), 28);
        assert!(LINE_DEFAULT.is_ascii());
    }

    #[test]
    fn the_default_is_a_varchar_literal_so_that_no_row_is_converted() {
        let sql = create(&"dbo.writes".parse().unwrap(), 256).sql;
        assert!(sql.contains("DEFAULT ('One row"), "{sql}");
    }
}
