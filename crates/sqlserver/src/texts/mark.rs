//! The extended property that says: this database is writelog's to change.

use super::Text;
use crate::names::quote_literal;

/// The property's name.
pub const PROPERTY: &str = "writelog";

/// The mark's value in the current database: one row, or none.
#[must_use]
pub fn read() -> Text {
    Text::new(
        "mark::read",
        format!(
            "SELECT CAST(value AS nvarchar(4000)) AS mark FROM sys.extended_properties \
             WHERE class = 0 AND name = {};",
            quote_literal(PROPERTY)
        ),
    )
}

/// Marks the current database.
#[must_use]
pub fn set(value: &str) -> Text {
    Text::new(
        "mark::set",
        format!(
            "EXEC sys.sp_addextendedproperty @name = {}, @value = {};",
            quote_literal(PROPERTY),
            quote_literal(value)
        ),
    )
}

pub(super) fn samples() -> Vec<Text> {
    vec![read(), set("it's 0.1.0")]
}
