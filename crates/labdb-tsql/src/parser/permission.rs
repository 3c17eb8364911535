//! GRANT, REVOKE and DENY: read to their end, kept as no more than their verb.

use super::Parser;
use crate::ast::StatementKind;
use crate::lexer::Symbol;
use labdb_types::SqlResult;

impl Parser<'_> {
    pub(super) fn permission(&mut self) -> SqlResult<StatementKind> {
        let verb = self.expect_any(&["GRANT", "REVOKE", "DENY"])?;
        self.eat_words(&["GRANT", "OPTION", "FOR"]);
        self.comma_separated(Self::permission_name)?;
        if self.eat("ON") {
            self.securable()?;
        }
        match verb {
            "REVOKE" => self.expect_any(&["TO", "FROM"])?,
            _ => self.expect_any(&["TO"])?,
        };
        self.comma_separated(Self::principal)?;
        self.eat("CASCADE");
        if self.eat("WITH") {
            self.expect("GRANT")?;
            self.expect("OPTION")?;
        }
        if self.eat("AS") {
            self.principal()?;
        }
        Ok(StatementKind::Permission {
            verb: verb.to_owned(),
        })
    }

    /// `VIEW SERVER STATE`, `SELECT (columns)`.
    fn permission_name(&mut self) -> SqlResult<()> {
        const OTHERS: [&str; 6] = ["ON", "TO", "FROM", "GRANT", "REVOKE", "DENY"];
        if !self.at_word() || self.at_any(&OTHERS) {
            return Err(self.syntax_error());
        }
        while self.at_word() && !self.at_any(&OTHERS) {
            self.advance();
        }
        self.optional_columns()?;
        Ok(())
    }

    /// `class::name (columns)`.
    fn securable(&mut self) -> SqlResult<()> {
        while self.at_word() && !self.at_any(&["TO", "FROM"]) {
            let class_ends = self.at_symbol_ahead(1, Symbol::DoubleColon);
            if !class_ends && self.token(1).kind != crate::lexer::TokenKind::Word {
                break;
            }
            if !class_ends && self.at_any_ahead(1, &["TO", "FROM"]) {
                break;
            }
            self.advance();
            if self.eat_symbol(Symbol::DoubleColon) {
                break;
            }
        }
        self.object_name()?;
        self.optional_columns()?;
        Ok(())
    }

    fn principal(&mut self) -> SqlResult<()> {
        if self.eat("PUBLIC") || self.eat("NULL") {
            return Ok(());
        }
        self.name().map(drop)
    }
}
