//! Every T-SQL text, written once, with what it needs.
//!
//! Each function gives a [`Text`]: names and literals are quoted in [`crate::names`], every
//! selected expression is cast to a type that [`crate::row`] reads, and no view is read with
//! `SELECT *`. [`all`] lists every text with sample values, so that a test can show each of them
//! to a T-SQL parser.

pub mod backup;
pub mod conditions;
pub mod copy;
pub mod database;
pub mod durability;
pub mod files;
pub mod journal;
pub mod load;
pub mod loops;
pub mod mark;
pub mod readings;
pub mod restore;
pub mod server;
pub mod table;

use records::Server;

/// SQL Server's major version and the year in its name.
const VERSIONS: [(u32, u16); 5] = [(13, 2016), (14, 2017), (15, 2019), (16, 2022), (17, 2025)];

/// The engine edition of Azure SQL Database.
pub const AZURE_SQL_DATABASE: i32 = 5;

/// The engine edition of Azure SQL Managed Instance.
pub const MANAGED_INSTANCE: i32 = 8;

/// A T-SQL text: one batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// Its name in this code: `readings::files`.
    pub name: &'static str,
    /// The oldest major version that takes it: 13 is SQL Server 2016.
    pub since: u32,
    /// Whether Azure SQL Database takes it.
    pub azure_sql_database: bool,
    /// The batch.
    pub sql: String,
}

impl Text {
    fn new(name: &'static str, sql: impl Into<String>) -> Self {
        Self {
            name,
            since: VERSIONS[0].0,
            azure_sql_database: true,
            sql: sql.into(),
        }
    }

    fn since(mut self, major: u32) -> Self {
        self.since = major;
        self
    }

    fn not_on_azure_sql_database(mut self) -> Self {
        self.azure_sql_database = false;
        self
    }

    /// Whether a server takes it. Azure reports an old version for ever, so there the engine
    /// edition decides.
    #[must_use]
    pub fn runs_on(&self, server: &Server) -> bool {
        match server.engine_edition {
            Some(AZURE_SQL_DATABASE) => self.azure_sql_database,
            Some(MANAGED_INSTANCE) => true,
            _ => server.major_version.is_none_or(|major| major >= self.since),
        }
    }

    /// The SQL Server years whose grammar must accept it.
    pub fn parser_years(&self) -> impl Iterator<Item = u16> {
        let since = self.since;
        VERSIONS
            .into_iter()
            .filter(move |(major, _)| *major >= since)
            .map(|(_, year)| year)
    }
}

/// Whether a server has what came with a major version.
#[must_use]
pub fn has(server: &Server, major: u32) -> bool {
    match server.engine_edition {
        Some(AZURE_SQL_DATABASE | MANAGED_INSTANCE) => true,
        _ => server.major_version.is_some_and(|version| version >= major),
    }
}

/// Every text, with sample values.
pub fn all() -> impl Iterator<Item = Text> {
    [
        server::samples(),
        database::samples(),
        files::samples(),
        backup::samples(),
        mark::samples(),
        table::samples(),
        readings::samples(),
        conditions::samples(),
        restore::samples(),
        load::samples(),
        loops::samples(),
        durability::samples(),
        journal::samples(),
        copy::samples(),
    ]
    .into_iter()
    .flatten()
}

/// Names with all that must be quoted, for samples.
mod sample {
    use crate::names::{DatabaseName, TableName};

    pub(super) fn databases() -> Vec<DatabaseName> {
        ["lab", "it's a ]lab[ ; --"]
            .iter()
            .filter_map(|name| name.parse().ok())
            .collect()
    }

    pub(super) fn tables() -> Vec<TableName> {
        ["dbo.writes", "[it's].[a ]]table[; --]"]
            .iter()
            .filter_map(|name| name.parse().ok())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{Text, all, has};
    use records::Server;
    use std::collections::HashSet;

    fn server(major: u32, engine_edition: i32) -> Server {
        Server {
            product: "Microsoft SQL Server".into(),
            version: format!("{major}.0.1.1"),
            major_version: Some(major),
            edition: "any".into(),
            engine_edition: Some(engine_edition),
            host_platform: None,
            injected_faults: None,
        }
    }

    #[test]
    fn azure_is_judged_by_its_engine_edition_not_by_its_version() {
        assert!(!has(&server(12, 3), 15) && has(&server(15, 3), 15));
        assert!(has(&server(12, 5), 15) && has(&server(12, 8), 15));
        let text = Text::new("x", "SELECT 1")
            .since(15)
            .not_on_azure_sql_database();
        assert!(!text.runs_on(&server(14, 2)) && text.runs_on(&server(15, 2)));
        assert!(!text.runs_on(&server(12, 5)) && text.runs_on(&server(12, 8)));
        assert_eq!(text.parser_years().collect::<Vec<_>>(), [2019, 2022, 2025]);
    }

    #[test]
    fn no_text_reads_all_columns_clears_counters_or_leaves_a_template_open() {
        let mut names = HashSet::new();
        for text in all() {
            names.insert(text.name);
            let upper = text.sql.to_uppercase();
            assert!(!upper.contains("SELECT *"), "{}", text.name);
            assert!(!upper.contains("CLEAR"), "{}", text.name);
            assert!(
                !text.sql.contains(['{', '}']),
                "{}: {}",
                text.name,
                text.sql
            );
        }
        assert!(names.len() > 25, "{}", names.len());
    }
}
