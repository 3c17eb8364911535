//! Which statement a word begins, lists of statements, and control of flow.

use super::Parser;
use crate::ast::{Statement, StatementKind};
use crate::errors;
use crate::lexer::Symbol;
use labdb_types::SqlResult;

impl Parser<'_> {
    /// All statements up to the end of the text. Only here may the first one be a bare
    /// procedure call or define a procedure.
    pub(super) fn batch_statements(&mut self) -> SqlResult<Vec<Statement>> {
        while self.eat_symbol(Symbol::Semicolon) {}
        let mut statements = Vec::new();
        let line = self.line();
        let first = if self.at_procedure_definition() {
            Some(self.procedure_definition()?)
        } else if self.at_name() && !self.at_label() && !self.at_statement_word() {
            Some(self.bare_call()?)
        } else {
            None
        };
        let mut separated = true;
        if let Some(kind) = first {
            statements.push(Statement { line, kind });
            separated = self.end_of_statement();
        }
        self.statements_into(&mut statements, separated)?;
        if self.at_end() {
            Ok(statements)
        } else {
            Err(self.syntax_error())
        }
    }

    /// Statements up to the end of the text or an END, which stays.
    pub(super) fn statements(&mut self) -> SqlResult<Vec<Statement>> {
        let mut statements = Vec::new();
        self.statements_into(&mut statements, true)?;
        Ok(statements)
    }

    /// `separated` says whether a semicolon or nothing stands before; WITH needs it.
    fn statements_into(
        &mut self,
        statements: &mut Vec<Statement>,
        mut separated: bool,
    ) -> SqlResult<()> {
        separated |= self.end_of_statement();
        while !self.at_end() && !self.at("END") {
            if self.at("WITH") && !separated {
                return Err(errors::with_needs_semicolon(self.line()));
            }
            statements.push(self.statement()?);
            separated = self.end_of_statement();
        }
        Ok(())
    }

    /// Takes the semicolons here and says whether there was one.
    fn end_of_statement(&mut self) -> bool {
        let mut found = false;
        while self.eat_symbol(Symbol::Semicolon) {
            found = true;
        }
        found
    }

    /// One statement, without the semicolon behind it.
    fn statement(&mut self) -> SqlResult<Statement> {
        self.nest(|parser| {
            let line = parser.line();
            let kind = parser.statement_kind()?;
            Ok(Statement { line, kind })
        })
    }

    fn at_label(&self) -> bool {
        self.at_word() && self.at_name() && self.at_symbol_ahead(1, Symbol::Colon)
    }

    /// Whether a word that is not reserved begins a statement here.
    fn at_statement_word(&self) -> bool {
        self.at("THROW") || self.other_statement().is_some()
    }

    fn statement_kind(&mut self) -> SqlResult<StatementKind> {
        if self.at_symbol(Symbol::LeftParenthesis) {
            return self.query_statement(Vec::new()).map(StatementKind::Select);
        }
        if self.at_label() {
            let label = self.name()?;
            self.advance();
            return Ok(StatementKind::Label(label));
        }
        let word = self.word(0).to_ascii_uppercase();
        match word.as_str() {
            "SELECT" => self.query_statement(Vec::new()).map(StatementKind::Select),
            "WITH" | "INSERT" | "UPDATE" | "DELETE" => self.data_statement(),
            "TRUNCATE" => self.truncate(),
            "DECLARE" => self.declare(),
            "SET" => self.set(),
            "IF" => self.if_else(),
            "WHILE" => self.while_loop(),
            "BEGIN" => self.begin(),
            "GOTO" => {
                self.advance();
                self.name().map(StatementKind::Goto)
            }
            "COMMIT" | "ROLLBACK" | "SAVE" => self.transaction_end(),
            "EXEC" | "EXECUTE" => self.execute_statement(),
            "CREATE" | "ALTER" | "DROP" => self.definition(),
            "BACKUP" => self.backup(),
            "RESTORE" => self.restore(),
            "GRANT" | "REVOKE" | "DENY" => self.permission(),
            _ => self.simple_statement(&word),
        }
    }

    fn simple_statement(&mut self, word: &str) -> SqlResult<StatementKind> {
        match word {
            "BREAK" => {
                self.advance();
                Ok(StatementKind::Break)
            }
            "CONTINUE" => {
                self.advance();
                Ok(StatementKind::Continue)
            }
            "RECONFIGURE" => self.reconfigure(),
            "CHECKPOINT" => self.checkpoint(),
            "RETURN" => self.return_value(),
            "PRINT" => {
                self.advance();
                self.value().map(StatementKind::Print)
            }
            "USE" => {
                self.advance();
                self.name().map(StatementKind::Use)
            }
            "THROW" => self.throw(),
            "RAISERROR" => self.raiserror(),
            "WAITFOR" => self.waitfor(),
            "DBCC" => self.dbcc(),
            "KILL" => self.kill(),
            "OPEN" | "FETCH" | "CLOSE" | "DEALLOCATE" => self.cursor_statement(word),
            _ => match self.other_statement() {
                Some(construct) => Err(self.unsupported(&construct)),
                None => Err(self.syntax_error()),
            },
        }
    }

    fn if_else(&mut self) -> SqlResult<StatementKind> {
        self.expect("IF")?;
        let condition = self.condition()?;
        let then = Box::new(self.statement()?);
        let mut semicolons = 0;
        while self.at_symbol_ahead(semicolons, Symbol::Semicolon) {
            semicolons += 1;
        }
        let otherwise = if self.at_ahead(semicolons, "ELSE") {
            self.skip(semicolons + 1);
            Some(Box::new(self.statement()?))
        } else {
            None
        };
        Ok(StatementKind::If {
            condition,
            then,
            otherwise,
        })
    }

    fn while_loop(&mut self) -> SqlResult<StatementKind> {
        self.expect("WHILE")?;
        let condition = self.condition()?;
        let body = Box::new(self.statement()?);
        Ok(StatementKind::While { condition, body })
    }

    /// BEGIN … END, BEGIN TRY, BEGIN TRANSACTION.
    fn begin(&mut self) -> SqlResult<StatementKind> {
        self.expect("BEGIN")?;
        if self.at_any(&["TRAN", "TRANSACTION"]) {
            return self.begin_transaction();
        }
        if self.eat("TRY") {
            return self.try_catch();
        }
        for other in ["DISTRIBUTED", "DIALOG", "CONVERSATION", "ATOMIC"] {
            if self.at(other) {
                return Err(self.unsupported(&format!("BEGIN {other}")));
            }
        }
        let body = self.statements()?;
        if body.is_empty() {
            return Err(self.syntax_error());
        }
        self.expect("END")?;
        Ok(StatementKind::Block(body))
    }

    fn try_catch(&mut self) -> SqlResult<StatementKind> {
        let body = self.statements()?;
        if body.is_empty() {
            return Err(self.syntax_error());
        }
        for word in ["END", "TRY", "BEGIN", "CATCH"] {
            self.expect(word)?;
        }
        let handler = self.statements()?;
        self.expect("END")?;
        self.expect("CATCH")?;
        Ok(StatementKind::TryCatch { body, handler })
    }
}
