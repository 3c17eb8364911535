//! DECLARE … CURSOR, OPEN, FETCH, CLOSE and DEALLOCATE.

use super::Parser;
use crate::ast::{CursorName, DeclareCursor, StatementKind};
use crate::lexer::Symbol;
use labdb_types::SqlResult;

impl Parser<'_> {
    /// With the cursor's name under the cursor.
    pub(super) fn declare_cursor(&mut self) -> SqlResult<StatementKind> {
        let name = self.name()?;
        let mut fixed = self.eat("INSENSITIVE");
        let mut local = false;
        if self.at("SCROLL") {
            return Err(self.unsupported("SCROLL CURSOR"));
        }
        self.expect("CURSOR")?;
        while !self.at("FOR") {
            for other in ["SCROLL", "KEYSET", "DYNAMIC", "SCROLL_LOCKS", "OPTIMISTIC"] {
                if self.at(other) {
                    return Err(self.unsupported(&format!("{other} CURSOR")));
                }
            }
            match self.expect_any(&[
                "LOCAL",
                "GLOBAL",
                "FORWARD_ONLY",
                "STATIC",
                "FAST_FORWARD",
                "READ_ONLY",
                "TYPE_WARNING",
            ])? {
                "LOCAL" => local = true,
                "STATIC" => fixed = true,
                _ => {}
            }
        }
        self.expect("FOR")?;
        let query = if self.at("WITH") {
            match self.data_statement()? {
                StatementKind::Select(query) => query,
                _ => return Err(self.syntax_error()),
            }
        } else {
            self.query_statement(Vec::new())?
        };
        if self.at_words(&["FOR", "UPDATE"]) {
            return Err(self.unsupported("CURSOR … FOR UPDATE"));
        }
        self.eat_words(&["FOR", "READ", "ONLY"]);
        Ok(StatementKind::DeclareCursor(Box::new(DeclareCursor {
            name,
            local,
            fixed,
            query,
        })))
    }

    /// OPEN, FETCH, CLOSE, DEALLOCATE.
    pub(super) fn cursor_statement(&mut self, word: &str) -> SqlResult<StatementKind> {
        for what in ["SYMMETRIC", "MASTER"] {
            if self.at_ahead(1, what) {
                return Err(self.unsupported(&format!("{word} {what} KEY")));
            }
        }
        self.advance();
        match word {
            "OPEN" => self.cursor_name().map(StatementKind::OpenCursor),
            "CLOSE" => self.cursor_name().map(StatementKind::CloseCursor),
            "FETCH" => self.fetch(),
            _ => {
                // `DEALLOCATE CURSOR c` is older than DEALLOCATE alone.
                self.eat("CURSOR");
                self.cursor_name().map(StatementKind::DeallocateCursor)
            }
        }
    }

    fn fetch(&mut self) -> SqlResult<StatementKind> {
        for other in ["PRIOR", "FIRST", "LAST", "ABSOLUTE", "RELATIVE"] {
            if self.at(other) && !self.at_ahead(1, "INTO") && !self.at_end_ahead(1) {
                return Err(self.unsupported(&format!("FETCH {other}")));
            }
        }
        if self.at_words(&["NEXT", "FROM"]) {
            self.advance();
        }
        self.eat("FROM");
        let cursor = self.cursor_name()?;
        let into = if self.eat("INTO") {
            self.comma_separated(Self::variable)?
        } else {
            Vec::new()
        };
        Ok(StatementKind::FetchCursor(cursor, into))
    }

    fn at_end_ahead(&self, ahead: usize) -> bool {
        self.word(ahead).is_empty() || self.at_symbol_ahead(ahead, Symbol::Semicolon)
    }

    fn cursor_name(&mut self) -> SqlResult<CursorName> {
        if self.at_variable() {
            return Err(self.unsupported("CURSOR variable"));
        }
        let global = self.at("GLOBAL") && self.at_name_ahead(1);
        if global {
            self.advance();
        }
        Ok(CursorName {
            global,
            name: self.name()?,
        })
    }
}
