//! BEGIN, COMMIT, ROLLBACK and SAVE TRANSACTION.

use super::Parser;
use crate::ast::{StatementKind, TransactionName};
use crate::lexer::Symbol;
use labdb_types::SqlResult;

const TRANSACTION: [&str; 2] = ["TRAN", "TRANSACTION"];

impl Parser<'_> {
    /// With the cursor behind BEGIN.
    pub(super) fn begin_transaction(&mut self) -> SqlResult<StatementKind> {
        self.expect_any(&TRANSACTION)?;
        let name = self.optional_transaction_name()?;
        if name.is_some() && self.eat_words(&["WITH", "MARK"]) && self.at_text() {
            self.text()?;
        }
        Ok(StatementKind::BeginTransaction { name })
    }

    pub(super) fn transaction_end(&mut self) -> SqlResult<StatementKind> {
        match self.expect_any(&["COMMIT", "ROLLBACK", "SAVE"])? {
            "COMMIT" => {
                let name = self.transaction_or_work()?;
                let delayed_durability = self.delayed_durability()?;
                Ok(StatementKind::Commit {
                    name,
                    delayed_durability,
                })
            }
            "ROLLBACK" => {
                let name = self.transaction_or_work()?;
                Ok(StatementKind::Rollback { name })
            }
            _ => {
                self.expect_any(&TRANSACTION)?;
                match self.optional_transaction_name()? {
                    Some(name) => Ok(StatementKind::SaveTransaction(name)),
                    None => Err(self.syntax_error()),
                }
            }
        }
    }

    /// `[TRAN [name] | WORK]`.
    fn transaction_or_work(&mut self) -> SqlResult<Option<TransactionName>> {
        if self.eat_any(&TRANSACTION).is_some() {
            self.optional_transaction_name()
        } else {
            self.eat("WORK");
            Ok(None)
        }
    }

    fn optional_transaction_name(&mut self) -> SqlResult<Option<TransactionName>> {
        if self.at_variable() {
            return Ok(Some(TransactionName::Variable(self.variable()?)));
        }
        if self.at_name() && !self.at_symbol_ahead(1, Symbol::Colon) {
            return Ok(Some(TransactionName::Name(self.name()?)));
        }
        Ok(None)
    }

    /// `WITH (DELAYED_DURABILITY = ON|OFF)`.
    fn delayed_durability(&mut self) -> SqlResult<Option<bool>> {
        if !(self.at("WITH") && self.at_symbol_ahead(1, Symbol::LeftParenthesis)) {
            return Ok(None);
        }
        self.advance();
        self.advance();
        self.expect("DELAYED_DURABILITY")?;
        self.expect_symbol(Symbol::Equal)?;
        let delayed = self.switch()?;
        self.expect_symbol(Symbol::RightParenthesis)?;
        Ok(Some(delayed))
    }
}
