//! What operators join: literals, variables, columns, parentheses, CASE, CAST.

use super::Parser;
use super::expression::{Level, is_condition};
use crate::ast::{Expr, Literal, ObjectName, WhenThen};
use crate::errors;
use crate::lexer::{Symbol, TokenKind};
use labdb_types::SqlResult;

impl Parser<'_> {
    /// An operand and the COLLATE behind it. Parentheses hold conditions only where
    /// `conditions` says that one may stand.
    pub(super) fn primary(&mut self, conditions: bool) -> SqlResult<Expr> {
        let mut expression = self.bare_primary(conditions)?;
        if is_condition(&expression) {
            return Ok(expression);
        }
        while self.eat("COLLATE") {
            self.grow()?;
            expression = Expr::Collate(Box::new(expression), self.name()?);
        }
        if self.at_words(&["AT", "TIME", "ZONE"]) {
            return Err(self.unsupported("AT TIME ZONE"));
        }
        Ok(expression)
    }

    fn bare_primary(&mut self, conditions: bool) -> SqlResult<Expr> {
        match self.kind() {
            TokenKind::Word => self.word_primary(conditions),
            TokenKind::DelimitedName(_) => self.column_or_function(),
            TokenKind::Variable => {
                let name = self.variable()?;
                if self.at_symbol(Symbol::Dot) {
                    return Err(self.unsupported("method call"));
                }
                Ok(Expr::Variable(name))
            }
            TokenKind::GlobalVariable => {
                let name = self.written(0).to_uppercase();
                self.advance();
                Ok(Expr::GlobalVariable(name))
            }
            TokenKind::Symbol(Symbol::LeftParenthesis) => self.in_parentheses(conditions),
            TokenKind::Symbol(Symbol::LeftBrace) => Err(self.unsupported("{ ODBC escape }")),
            _ => self.literal().map(Expr::Literal),
        }
    }

    /// A literal without a sign.
    #[inline(never)]
    pub(super) fn literal(&mut self) -> SqlResult<Literal> {
        let literal = match self.kind() {
            TokenKind::Text(text) => Literal::Varchar(text.clone()),
            TokenKind::NationalText(text) => Literal::NVarchar(text.clone()),
            TokenKind::Integer => Literal::Integer(self.written(0).to_owned()),
            TokenKind::Decimal => Literal::Decimal(self.written(0).to_owned()),
            TokenKind::Float(value) => Literal::Float(*value),
            TokenKind::Binary(bytes) => Literal::Binary(bytes.clone()),
            TokenKind::Money => Literal::Money(amount(self.written(0))),
            TokenKind::Word if self.at("NULL") => Literal::Null,
            _ => return Err(self.syntax_error()),
        };
        self.advance();
        Ok(literal)
    }

    fn word_primary(&mut self, conditions: bool) -> SqlResult<Expr> {
        if self.at_symbol_ahead(1, Symbol::LeftParenthesis)
            && let Some(call) = self.special_call(conditions)?
        {
            return Ok(call);
        }
        if self.at("NULL") {
            return self.literal().map(Expr::Literal);
        }
        if self.eat("CASE") {
            return self.case();
        }
        if self.at_words(&["NEXT", "VALUE", "FOR"]) {
            return Err(self.unsupported("NEXT VALUE FOR"));
        }
        if self.at_any(&["IDENTITYCOL", "ROWGUIDCOL"]) || self.written(0).starts_with('$') {
            return Err(self.unsupported(&self.written(0).to_uppercase()));
        }
        if let Some(call) = self.call_without_parentheses() {
            return Ok(Expr::Function(call));
        }
        self.column_or_function()
    }

    #[inline(never)]
    fn column_or_function(&mut self) -> SqlResult<Expr> {
        let name = self.object_name()?;
        if self.at_symbol(Symbol::DoubleColon) {
            return Err(self.unsupported("method call"));
        }
        if self.at_symbol(Symbol::LeftParenthesis) {
            return Ok(Expr::Function(self.function(name)?));
        }
        Ok(Expr::Column(name))
    }

    /// `(query)`, `(value)` or `(condition)`. Only the first tokens are looked at; a query in
    /// parentheses of its own that goes on (`((SELECT …) UNION …)`) is taken over, not reread.
    #[inline(never)]
    fn in_parentheses(&mut self, conditions: bool) -> SqlResult<Expr> {
        self.expect_symbol(Symbol::LeftParenthesis)?;
        let inner = if self.at("SELECT") {
            Expr::Subquery(Box::new(self.query()?))
        } else if conditions {
            self.operators(Level::Or)?
        } else {
            self.operators(Level::Sum)?
        };
        let inner = match inner {
            Expr::Subquery(query) if self.at_query_continuation() => {
                Expr::Subquery(Box::new(self.continue_query(*query)?))
            }
            other => other,
        };
        self.expect_symbol(Symbol::RightParenthesis)?;
        Ok(inner)
    }

    #[inline(never)]
    fn case(&mut self) -> SqlResult<Expr> {
        let operand = if self.at("WHEN") {
            None
        } else {
            Some(Box::new(self.value()?))
        };
        let mut arms = Vec::new();
        while self.eat("WHEN") {
            let when = if operand.is_some() {
                self.value()?
            } else {
                self.condition()?
            };
            self.expect("THEN")?;
            let then = self.value()?;
            arms.push(WhenThen { when, then });
        }
        if arms.is_empty() {
            return Err(self.syntax_error());
        }
        let otherwise = if self.eat("ELSE") {
            Some(Box::new(self.value()?))
        } else {
            None
        };
        self.expect("END")?;
        Ok(Expr::Case {
            operand,
            arms,
            otherwise,
        })
    }

    /// `CAST ( e AS t )`, with the cursor on the parenthesis.
    #[inline(never)]
    pub(super) fn cast(&mut self, or_null: bool) -> SqlResult<Expr> {
        self.expect_symbol(Symbol::LeftParenthesis)?;
        let value = Box::new(self.value()?);
        self.expect("AS")?;
        let target = self.type_name()?;
        self.expect_symbol(Symbol::RightParenthesis)?;
        Ok(Expr::Cast {
            value,
            target,
            style: None,
            or_null,
        })
    }

    /// `CONVERT ( t, e, style )`, with the cursor on the parenthesis.
    #[inline(never)]
    pub(super) fn convert(&mut self, or_null: bool) -> SqlResult<Expr> {
        self.expect_symbol(Symbol::LeftParenthesis)?;
        let target = self.type_name()?;
        self.expect_symbol(Symbol::Comma)?;
        let value = Box::new(self.value()?);
        let style = if self.eat_symbol(Symbol::Comma) {
            Some(Box::new(self.value()?))
        } else {
            None
        };
        self.expect_symbol(Symbol::RightParenthesis)?;
        Ok(Expr::Cast {
            value,
            target,
            style,
            or_null,
        })
    }

    /// A literal with an optional sign, for the places that take constants and no expressions.
    pub(super) fn signed_literal(&mut self) -> SqlResult<Expr> {
        use crate::ast::UnaryOp;
        let sign = if self.eat_symbol(Symbol::Minus) {
            Some(UnaryOp::Minus)
        } else if self.eat_symbol(Symbol::Plus) {
            Some(UnaryOp::Plus)
        } else {
            None
        };
        if sign.is_some() && (self.at_text() || self.at("NULL")) {
            return Err(self.syntax_error());
        }
        let literal = Expr::Literal(self.literal()?);
        Ok(match sign {
            Some(sign) => Expr::Unary(sign, Box::new(literal)),
            None => literal,
        })
    }

    /// A constant, a variable, or a bare word that stands for its own text.
    pub(super) fn constant_or_word(&mut self) -> SqlResult<Expr> {
        match self.kind() {
            TokenKind::Variable => self.variable().map(Expr::Variable),
            TokenKind::GlobalVariable => {
                let name = self.written(0).to_uppercase();
                self.advance();
                Ok(Expr::GlobalVariable(name))
            }
            _ if self.at_name() => {
                let ObjectName { parts } = self.object_name()?;
                if parts.len() > 1 {
                    return Err(errors::incorrect_syntax(".", self.line()));
                }
                Ok(Expr::Literal(Literal::Varchar(parts.concat())))
            }
            _ => self.signed_literal(),
        }
    }
}

/// The number in a money literal: without its currency sign and commas.
fn amount(written: &str) -> String {
    let digits: String = written
        .chars()
        .filter(|c| c.is_ascii_digit() || *c == '.')
        .collect();
    if digits.is_empty() {
        "0".to_owned()
    } else {
        digits
    }
}
