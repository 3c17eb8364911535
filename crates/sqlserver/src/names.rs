//! Names and literals in T-SQL: quoted here and nowhere else.

use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// The longest name (`sysname`), in UTF-16 units.
const MAX_NAME_UNITS: usize = 128;

/// The schema of a name that gives none.
const DEFAULT_SCHEMA: &str = "dbo";

/// A name that SQL Server would not take.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NameError {
    /// There is none.
    #[error("a name is empty")]
    Empty,
    /// It passes 128 characters.
    #[error("the name `{0}` is longer than 128 characters")]
    TooLong(String),
    /// It holds a control character.
    #[error("the name `{0:?}` holds a control character")]
    Control(String),
    /// It is not `table` or `schema.table`.
    #[error("`{0}` is not a table name: give `table`, `schema.table` or `[schema].[table]`")]
    NotATable(String),
}

/// A name in brackets, as `QUOTENAME` makes it; [`NameError`] where the name cannot be one.
///
/// # Errors
/// Empty, longer than 128 characters, or a control character in it.
pub fn quote_name(name: &str) -> Result<String, NameError> {
    check(name)?;
    Ok(bracketed(name))
}

/// A Unicode literal: `N'it''s'`.
#[must_use]
pub fn quote_literal(text: &str) -> String {
    format!("N'{}'", text.replace('\'', "''"))
}

fn bracketed(name: &str) -> String {
    format!("[{}]", name.replace(']', "]]"))
}

fn check(name: &str) -> Result<(), NameError> {
    if name.is_empty() {
        return Err(NameError::Empty);
    }
    if name.encode_utf16().count() > MAX_NAME_UNITS {
        return Err(NameError::TooLong(name.to_owned()));
    }
    if name.chars().any(char::is_control) {
        return Err(NameError::Control(name.to_owned()));
    }
    Ok(())
}

/// A database's name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DatabaseName(String);

impl DatabaseName {
    /// The name itself.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// In brackets.
    #[must_use]
    pub fn quoted(&self) -> String {
        bracketed(&self.0)
    }

    /// As a literal.
    #[must_use]
    pub fn literal(&self) -> String {
        quote_literal(&self.0)
    }

    /// Whether it is one of the server's own databases.
    #[must_use]
    pub fn is_system(&self) -> bool {
        [
            "master",
            "tempdb",
            "model",
            "msdb",
            "mssqlsystemresource",
            "distribution",
        ]
        .iter()
        .any(|name| name.eq_ignore_ascii_case(&self.0))
    }
}

impl FromStr for DatabaseName {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        check(text)?;
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Display for DatabaseName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A table's name with its schema.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TableName {
    schema: String,
    table: String,
}

impl TableName {
    /// The schema.
    #[must_use]
    pub fn schema(&self) -> &str {
        &self.schema
    }

    /// The table.
    #[must_use]
    pub fn table(&self) -> &str {
        &self.table
    }

    /// The name in the same schema that is this one with something after it.
    ///
    /// # Errors
    /// It would be longer than 128 characters.
    pub fn with_suffix(&self, suffix: &str) -> Result<Self, NameError> {
        let table = format!("{}{suffix}", self.table);
        check(&table)?;
        Ok(Self {
            schema: self.schema.clone(),
            table,
        })
    }

    /// Both in brackets: `[dbo].[writes]`.
    #[must_use]
    pub fn quoted(&self) -> String {
        format!("{}.{}", bracketed(&self.schema), bracketed(&self.table))
    }

    /// Both in brackets, as a literal, for `OBJECT_ID`.
    #[must_use]
    pub fn literal(&self) -> String {
        quote_literal(&self.quoted())
    }
}

impl FromStr for TableName {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        let not_a_table = || NameError::NotATable(text.to_owned());
        let (first, rest) = part(text).ok_or_else(not_a_table)?;
        let (schema, table) = match rest.strip_prefix('.') {
            None if rest.is_empty() => (DEFAULT_SCHEMA.to_owned(), first),
            None => return Err(not_a_table()),
            Some(rest) => match part(rest).ok_or_else(not_a_table)? {
                (table, "") => (first, table),
                _ => return Err(not_a_table()),
            },
        };
        check(&schema)?;
        check(&table)?;
        Ok(Self { schema, table })
    }
}

/// The first part of a dotted name, brackets taken off, and what follows it.
fn part(text: &str) -> Option<(String, &str)> {
    let Some(mut rest) = text.strip_prefix('[') else {
        let end = text.find('.').unwrap_or(text.len());
        let (name, rest) = text.split_at(end);
        let plain = !name.is_empty() && !name.contains(['[', ']', '"', '\'']);
        return plain.then(|| (name.to_owned(), rest));
    };
    let mut name = String::new();
    loop {
        let (before, after) = rest.split_once(']')?;
        name.push_str(before);
        match after.strip_prefix(']') {
            Some(more) => {
                name.push(']');
                rest = more;
            }
            None => return Some((name, after)),
        }
    }
}

/// As a person writes it: without brackets where none are needed.
impl fmt::Display for TableName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |name: &str| {
            if name.contains(['.', '[', ']', '"', '\'']) {
                bracketed(name)
            } else {
                name.to_owned()
            }
        };
        write!(f, "{}.{}", shown(&self.schema), shown(&self.table))
    }
}

#[cfg(test)]
mod tests {
    use super::{DatabaseName, NameError, TableName, quote_literal, quote_name};

    #[test]
    fn brackets_and_quotes_inside_are_doubled() {
        assert_eq!(quote_name("a]b[c").unwrap(), "[a]]b[c]");
        assert_eq!(
            quote_name("x]; DROP TABLE y--").unwrap(),
            "[x]]; DROP TABLE y--]"
        );
        assert_eq!(quote_literal("it's"), "N'it''s'");
        assert_eq!(quote_literal("größe"), "N'größe'");
    }

    #[test]
    fn a_name_has_1_to_128_utf16_units_and_no_control_character() {
        assert_eq!(quote_name(""), Err(NameError::Empty));
        assert!(quote_name(&"x".repeat(128)).is_ok());
        assert!(matches!(
            quote_name(&"x".repeat(129)),
            Err(NameError::TooLong(_))
        ));
        // An emoji is two units.
        assert!(quote_name(&"😀".repeat(64)).is_ok());
        assert!(matches!(
            quote_name(&"😀".repeat(65)),
            Err(NameError::TooLong(_))
        ));
        assert!(matches!(
            "a\0b".parse::<DatabaseName>(),
            Err(NameError::Control(_))
        ));
    }

    #[test]
    fn tables_are_read_with_and_without_schema_and_brackets_and_shown_so_that_they_read_back() {
        for (text, quoted, shown) in [
            ("writes", "[dbo].[writes]", "dbo.writes"),
            ("lab.writes", "[lab].[writes]", "lab.writes"),
            ("[lab].[my.table]", "[lab].[my.table]", "lab.[my.table]"),
            ("lab.[a]]b]", "[lab].[a]]b]", "lab.[a]]b]"),
            ("with space", "[dbo].[with space]", "dbo.with space"),
        ] {
            let name: TableName = text.parse().unwrap();
            assert_eq!(name.quoted(), quoted, "{text}");
            assert_eq!(name.to_string(), shown, "{text}");
            assert_eq!(shown.parse::<TableName>().unwrap(), name);
        }
        for text in ["", ".", "a.", ".a", "a.b.c", "[a", "a]b", "[a]b", "x'y"] {
            assert!(text.parse::<TableName>().is_err(), "{text}");
        }
    }

    #[test]
    fn the_servers_own_databases_are_known_in_any_case() {
        for (name, system) in [("Master", true), ("TEMPDB", true), ("lab", false)] {
            assert_eq!(name.parse::<DatabaseName>().unwrap().is_system(), system);
        }
    }
}
