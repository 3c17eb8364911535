//! EXEC in its forms, and the procedure call without EXEC that may begin a batch.

use super::Parser;
use crate::ast::{Execute, ExecuteArgument, ExecuteTarget, Expr, StatementKind};
use crate::lexer::{Symbol, TokenKind};
use labdb_types::SqlResult;

impl Parser<'_> {
    pub(super) fn execute_statement(&mut self) -> SqlResult<StatementKind> {
        if self.at_ahead(1, "AS") {
            return Err(self.unsupported("EXECUTE AS"));
        }
        let execute = self.execute()?;
        Ok(StatementKind::Execute(Box::new(execute)))
    }

    /// With the cursor on EXEC.
    pub(super) fn execute(&mut self) -> SqlResult<Execute> {
        self.expect_any(&["EXEC", "EXECUTE"])?;
        if self.eat_symbol(Symbol::LeftParenthesis) {
            let text = self.value()?;
            if self.at_symbol(Symbol::Comma) {
                return Err(self.unsupported("EXEC (text, arguments)"));
            }
            self.expect_symbol(Symbol::RightParenthesis)?;
            for other in ["AS", "AT"] {
                if self.at(other) {
                    return Err(self.unsupported(&format!("EXEC (…) {other}")));
                }
            }
            return Ok(Execute {
                return_variable: None,
                target: ExecuteTarget::Text(text),
                arguments: Vec::new(),
            });
        }
        let mut return_variable = None;
        if self.at_variable() && self.at_symbol_ahead(1, Symbol::Equal) {
            return_variable = Some(self.variable()?);
            self.advance();
        }
        let target = if self.at_variable() {
            ExecuteTarget::Variable(self.variable()?)
        } else {
            ExecuteTarget::Procedure(self.object_name()?)
        };
        self.call(return_variable, target)
    }

    /// A procedure call without EXEC.
    pub(super) fn bare_call(&mut self) -> SqlResult<StatementKind> {
        let target = ExecuteTarget::Procedure(self.object_name()?);
        let execute = self.call(None, target)?;
        Ok(StatementKind::Execute(Box::new(execute)))
    }

    fn call(
        &mut self,
        return_variable: Option<String>,
        target: ExecuteTarget,
    ) -> SqlResult<Execute> {
        if self.at_symbol(Symbol::Semicolon) && self.token(1).kind == TokenKind::Integer {
            return Err(self.unsupported("procedure;number"));
        }
        let arguments = if self.at_argument() {
            self.comma_separated(Self::execute_argument)?
        } else {
            Vec::new()
        };
        if self.eat_words(&["WITH", "RECOMPILE"]) {
            // Every call is planned anew where that is needed.
        } else if self.at_words(&["WITH", "RESULT", "SETS"]) {
            return Err(self.unsupported("WITH RESULT SETS"));
        }
        Ok(Execute {
            return_variable,
            target,
            arguments,
        })
    }

    fn at_argument(&self) -> bool {
        match self.kind() {
            TokenKind::Word => {
                (self.at_name() && !self.at_symbol_ahead(1, Symbol::Colon))
                    || self.at_any(&["NULL", "DEFAULT"])
            }
            TokenKind::Symbol(symbol) => matches!(symbol, Symbol::Minus | Symbol::Plus),
            TokenKind::End => false,
            _ => true,
        }
    }

    fn execute_argument(&mut self) -> SqlResult<ExecuteArgument> {
        let mut name = None;
        if self.at_variable() && self.at_symbol_ahead(1, Symbol::Equal) {
            name = Some(self.variable()?);
            self.advance();
        }
        let value = if self.eat("DEFAULT") {
            Expr::Default
        } else {
            self.constant_or_word()?
        };
        let output =
            matches!(value, Expr::Variable(_)) && self.eat_any(&["OUT", "OUTPUT"]).is_some();
        Ok(ExecuteArgument {
            name,
            value,
            output,
        })
    }
}
