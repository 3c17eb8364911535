//! One statement's text in two dialects.

/// The same in T-SQL and in SQLite's SQL.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sql {
    pub(crate) tsql: String,
    pub(crate) sqlite: String,
}

impl Sql {
    pub(crate) fn same(text: impl Into<String>) -> Self {
        let text = text.into();
        Self {
            sqlite: text.clone(),
            tsql: text,
        }
    }

    pub(crate) fn two(tsql: impl Into<String>, sqlite: impl Into<String>) -> Self {
        Self {
            tsql: tsql.into(),
            sqlite: sqlite.into(),
        }
    }

    /// The pattern with its `{}` filled in order.
    pub(crate) fn fill(pattern: &str, parts: &[&Sql]) -> Self {
        Self::two(pattern, pattern).filled(parts)
    }

    /// The same for a pattern that differs.
    pub(crate) fn filled(&self, parts: &[&Sql]) -> Self {
        let fill = |pattern: &str, of: fn(&Sql) -> &str| {
            let mut pieces = pattern.split("{}");
            let mut text = pieces.next().unwrap_or_default().to_owned();
            for (piece, part) in pieces.zip(parts) {
                text += of(part);
                text += piece;
            }
            text
        };
        Self {
            tsql: fill(&self.tsql, |s| &s.tsql),
            sqlite: fill(&self.sqlite, |s| &s.sqlite),
        }
    }

    pub(crate) fn push(&mut self, other: &Sql) {
        self.tsql += &other.tsql;
        self.sqlite += &other.sqlite;
    }

    pub(crate) fn joined(parts: &[Sql], separator: &str) -> Self {
        let mut all = Self::default();
        for (at, part) in parts.iter().enumerate() {
            if at > 0 {
                all.push(&Self::same(separator));
            }
            all.push(part);
        }
        all
    }
}
