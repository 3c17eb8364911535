//! INSERT BULK: what clients send before the rows of a bulk load.

use super::Parser;
use crate::ast::{BulkColumn, InsertBulk};
use crate::lexer::Symbol;
use labdb_types::SqlResult;

impl Parser<'_> {
    /// With the cursor at INSERT BULK.
    pub(super) fn insert_bulk(&mut self) -> SqlResult<InsertBulk> {
        self.expect("INSERT")?;
        self.expect("BULK")?;
        let table = self.object_name()?;
        let columns = if self.at_symbol(Symbol::LeftParenthesis) {
            self.parenthesized(Self::bulk_column)?
        } else {
            Vec::new()
        };
        let mut statement = InsertBulk {
            table,
            columns,
            keep_nulls: false,
        };
        if self.eat("WITH") {
            for keep_nulls in self.parenthesized(Self::bulk_option)? {
                statement.keep_nulls |= keep_nulls;
            }
        }
        Ok(statement)
    }

    fn bulk_column(&mut self) -> SqlResult<BulkColumn> {
        let name = self.name()?;
        let type_name = self.type_name()?;
        if self.eat("COLLATE") {
            self.name()?;
        }
        if !self.eat("NULL") {
            self.eat_words(&["NOT", "NULL"]);
        }
        Ok(BulkColumn { name, type_name })
    }

    /// Whether it is `KEEP_NULLS`. The others say how to load and not what: there are no triggers
    /// to fire, and constraints are always checked.
    fn bulk_option(&mut self) -> SqlResult<bool> {
        if self.eat_any(&["KEEP_NULLS", "KEEPNULLS"]).is_some() {
            return Ok(true);
        }
        if self
            .eat_any(&["CHECK_CONSTRAINTS", "FIRE_TRIGGERS", "TABLOCK"])
            .is_some()
        {
            return Ok(false);
        }
        if self
            .eat_any(&["KILOBYTES_PER_BATCH", "ROWS_PER_BATCH"])
            .is_some()
        {
            self.expect_symbol(Symbol::Equal)?;
            self.integer::<u64>()?;
            return Ok(false);
        }
        if self.eat("ORDER") {
            self.parenthesized(|parser| {
                parser.name()?;
                parser.eat_any(&["ASC", "DESC"]);
                Ok(())
            })?;
            return Ok(false);
        }
        Err(self.syntax_error())
    }
}
