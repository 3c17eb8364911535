//! CREATE, ALTER and DROP INDEX, and the options that indexes, keys and tables share.

use super::Parser;
use crate::ast::{IndexColumn, IndexOption, StatementKind, TableConstraint};
use crate::lexer::{Symbol, TokenKind};
use labdb_types::SqlResult;

/// Options that are ON or OFF.
const SWITCHES: [&str; 13] = [
    "ALLOW_PAGE_LOCKS",
    "ALLOW_ROW_LOCKS",
    "COMPRESS_ALL_ROW_GROUPS",
    "DROP_EXISTING",
    "IGNORE_DUP_KEY",
    "LOB_COMPACTION",
    "ONLINE",
    "OPTIMIZE_FOR_SEQUENTIAL_KEY",
    "PAD_INDEX",
    "RESUMABLE",
    "SORT_IN_TEMPDB",
    "STATISTICS_INCREMENTAL",
    "STATISTICS_NORECOMPUTE",
];

/// Options of tables and indexes with a meaning that nothing here could keep.
const OTHER_OPTIONS: [&str; 8] = [
    "COMPRESSION_DELAY",
    "DURABILITY",
    "FILETABLE_DIRECTORY",
    "LEDGER",
    "MEMORY_OPTIMIZED",
    "SYSTEM_VERSIONING",
    "WAIT_AT_LOW_PRIORITY",
    "XML_COMPRESSION",
];

impl Parser<'_> {
    /// `( column [ASC|DESC], … )`.
    pub(super) fn index_columns(&mut self) -> SqlResult<Vec<IndexColumn>> {
        self.parenthesized(|parser| {
            let name = parser.name()?;
            let descending = parser.eat_any(&["ASC", "DESC"]) == Some("DESC");
            Ok(IndexColumn { name, descending })
        })
    }

    /// `WITH ( option, … )` or the old `WITH option, …`, where it is written.
    pub(super) fn optional_index_options(&mut self) -> SqlResult<Vec<IndexOption>> {
        if !self.at("WITH") {
            return Ok(Vec::new());
        }
        if self.at_symbol_ahead(1, Symbol::LeftParenthesis) {
            self.advance();
            return self.parenthesized(Self::index_option);
        }
        if !self.at_any_ahead(1, &["FILLFACTOR", "PAD_INDEX"]) {
            return Ok(Vec::new());
        }
        self.advance();
        self.comma_separated(|parser| {
            if parser.eat("PAD_INDEX") {
                return Ok(IndexOption {
                    name: "PAD_INDEX".to_owned(),
                    value: "ON".to_owned(),
                });
            }
            parser.index_option()
        })
    }

    fn index_option(&mut self) -> SqlResult<IndexOption> {
        if self.at_any(&OTHER_OPTIONS) {
            return Err(self.unsupported(&self.word(0).to_uppercase()));
        }
        if let Some(name) = self.eat_any(&SWITCHES) {
            self.expect_symbol(Symbol::Equal)?;
            let value = self.expect_any(&["ON", "OFF"])?;
            if self.at_symbol(Symbol::LeftParenthesis) {
                return Err(self.unsupported(&format!("{name} = {value} (…)")));
            }
            return Ok(index_option(name, value));
        }
        if self.eat("DATA_COMPRESSION") {
            self.expect_symbol(Symbol::Equal)?;
            for other in ["COLUMNSTORE", "COLUMNSTORE_ARCHIVE"] {
                if self.at(other) {
                    return Err(self.unsupported(other));
                }
            }
            let value = self.expect_any(&["NONE", "ROW", "PAGE"])?;
            if self.at_words(&["ON", "PARTITIONS"]) {
                return Err(self.unsupported("ON PARTITIONS"));
            }
            return Ok(index_option("DATA_COMPRESSION", value));
        }
        let name = self.expect_any(&["FILLFACTOR", "MAXDOP", "MAX_DURATION"])?;
        self.expect_symbol(Symbol::Equal)?;
        if *self.kind() != TokenKind::Integer {
            return Err(self.syntax_error());
        }
        let option = index_option(name, self.written(0));
        self.advance();
        if name == "MAX_DURATION" {
            self.eat("MINUTES");
        }
        Ok(option)
    }

    /// `ON [PRIMARY]`, the only filegroup of the subset, where it is written.
    pub(super) fn optional_filegroup(&mut self) -> SqlResult<()> {
        if !self.at("ON") {
            return Ok(());
        }
        let line_of_on = self.unsupported("ON filegroup");
        self.advance();
        let name = self.name_or_text()?.to_lowercase();
        if name == "primary" || name == "default" {
            Ok(())
        } else {
            Err(line_of_on)
        }
    }

    /// With the cursor behind CREATE.
    pub(super) fn create_index(&mut self) -> SqlResult<StatementKind> {
        let unique = self.eat("UNIQUE");
        let clustered = self.eat_any(&["CLUSTERED", "NONCLUSTERED"]) == Some("CLUSTERED");
        self.expect("INDEX")?;
        let name = self.name()?;
        self.expect("ON")?;
        let table = self.object_name()?;
        let columns = self.index_columns()?;
        let include = if self.eat("INCLUDE") {
            self.parenthesized(Self::name)?
        } else {
            Vec::new()
        };
        let filter = if self.eat("WHERE") {
            Some(self.condition()?)
        } else {
            None
        };
        let options = self.optional_index_options()?;
        self.optional_filegroup()?;
        Ok(StatementKind::CreateIndex {
            name,
            unique,
            clustered,
            table,
            columns,
            include,
            filter,
            options,
        })
    }

    /// `INDEX name (columns)` inside a table.
    pub(super) fn inline_index(&mut self) -> SqlResult<TableConstraint> {
        self.expect("INDEX")?;
        let name = self.name()?;
        let unique = self.eat("UNIQUE");
        let clustered = self.eat_any(&["CLUSTERED", "NONCLUSTERED"]) == Some("CLUSTERED");
        for other in ["COLUMNSTORE", "HASH"] {
            if self.at(other) {
                return Err(self.unsupported(&format!("{other} index")));
            }
        }
        let columns = self.index_columns()?;
        for other in ["INCLUDE", "WHERE"] {
            if self.at(other) {
                return Err(self.unsupported(&format!("INDEX … {other} inside a table")));
            }
        }
        let options = self.optional_index_options()?;
        self.optional_filegroup()?;
        Ok(TableConstraint::Index {
            name,
            unique,
            clustered,
            columns,
            options,
        })
    }

    /// With the cursor behind ALTER INDEX.
    pub(super) fn alter_index(&mut self) -> SqlResult<StatementKind> {
        let name = if self.eat("ALL") {
            None
        } else {
            Some(self.name()?)
        };
        self.expect("ON")?;
        let table = self.object_name()?;
        for other in ["RESUME", "PAUSE", "ABORT"] {
            if self.at(other) {
                return Err(self.unsupported(&format!("ALTER INDEX … {other}")));
            }
        }
        let action = self.expect_any(&["REBUILD", "REORGANIZE", "DISABLE", "SET"])?;
        if self.at("PARTITION") {
            return Err(self.unsupported("ALTER INDEX … PARTITION"));
        }
        let options = match action {
            "SET" => self.parenthesized(Self::index_option)?,
            "DISABLE" => Vec::new(),
            _ => self.optional_index_options()?,
        };
        Ok(StatementKind::AlterIndex {
            name,
            table,
            action: action.to_owned(),
            options,
        })
    }

    /// `name ON table, …` or the old `table.name, …`, with the cursor on the first name.
    pub(super) fn drop_index(&mut self, if_exists: bool) -> SqlResult<StatementKind> {
        let indexes = self.comma_separated(|parser| {
            let mut name = parser.object_name()?;
            let Some(index) = name.parts.pop() else {
                return Err(parser.syntax_error());
            };
            if !name.parts.is_empty() {
                return Ok((index, name));
            }
            parser.expect("ON")?;
            let table = parser.object_name()?;
            parser.optional_index_options()?;
            Ok((index, table))
        })?;
        Ok(StatementKind::DropIndex { indexes, if_exists })
    }
}

fn index_option(name: &str, value: &str) -> IndexOption {
    IndexOption {
        name: name.to_owned(),
        value: value.to_owned(),
    }
}
