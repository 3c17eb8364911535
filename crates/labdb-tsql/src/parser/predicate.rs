//! Comparisons, IS NULL, BETWEEN, IN, LIKE: what makes a condition out of values.

use super::Parser;
use super::expression::Level;
use crate::ast::{BinaryOp, ComparisonQuantifier, Expr};
use crate::lexer::{Symbol, TokenKind};
use labdb_types::SqlResult;

impl Parser<'_> {
    /// Whether a predicate that begins with a word stands here, behind its first operand.
    pub(super) fn at_word_predicate(&self) -> bool {
        const WORDS: [&str; 3] = ["BETWEEN", "IN", "LIKE"];
        self.at("IS") || self.at_any(&WORDS) || (self.at("NOT") && self.at_any_ahead(1, &WORDS))
    }

    #[inline(never)]
    pub(super) fn predicate(&mut self, left: Expr) -> SqlResult<Expr> {
        if !self.at_word() {
            return self.comparison(left);
        }
        let value = Box::new(left);
        if self.eat("IS") {
            let negated = self.eat("NOT");
            if self.at("DISTINCT") {
                return Err(self.unsupported("IS DISTINCT FROM"));
            }
            self.expect("NULL")?;
            return Ok(Expr::IsNull { value, negated });
        }
        let negated = self.eat("NOT");
        match self.expect_any(&["BETWEEN", "IN", "LIKE"])? {
            "BETWEEN" => {
                let low = Box::new(self.value()?);
                self.expect("AND")?;
                let high = Box::new(self.value()?);
                Ok(Expr::Between {
                    value,
                    low,
                    high,
                    negated,
                })
            }
            "IN" => self.membership(value, negated),
            _ => {
                let pattern = Box::new(self.value()?);
                let escape = if self.eat("ESCAPE") {
                    Some(Box::new(self.value()?))
                } else {
                    None
                };
                Ok(Expr::Like {
                    value,
                    pattern,
                    escape,
                    negated,
                })
            }
        }
    }

    /// The operator, and a value or a quantified query.
    #[inline(never)]
    fn comparison(&mut self, left: Expr) -> SqlResult<Expr> {
        let op = self.comparison_operator()?;
        let Some(word) = self.eat_any(&["ANY", "SOME", "ALL"]) else {
            let right = self.operators(Level::Sum)?;
            return Ok(Expr::Binary(op, Box::new(left), Box::new(right)));
        };
        let quantifier = if word == "ALL" {
            ComparisonQuantifier::All
        } else {
            ComparisonQuantifier::Any
        };
        Ok(Expr::Quantified {
            value: Box::new(left),
            op,
            quantifier,
            query: Box::new(self.query_in_parentheses()?),
        })
    }

    /// The two characters of an operator may stand apart.
    fn comparison_operator(&mut self) -> SqlResult<BinaryOp> {
        let TokenKind::Symbol(first) = *self.kind() else {
            return Err(self.syntax_error());
        };
        self.advance();
        let second = match self.kind() {
            TokenKind::Symbol(symbol) => Some(*symbol),
            _ => None,
        };
        let (op, two) =
            match (first, second) {
                (Symbol::Less, Some(Symbol::Greater))
                | (Symbol::Exclamation, Some(Symbol::Equal)) => (BinaryOp::NotEqual, true),
                (Symbol::Less, Some(Symbol::Equal))
                | (Symbol::Exclamation, Some(Symbol::Greater)) => (BinaryOp::LessOrEqual, true),
                (Symbol::Greater, Some(Symbol::Equal))
                | (Symbol::Exclamation, Some(Symbol::Less)) => (BinaryOp::GreaterOrEqual, true),
                (Symbol::Equal, _) => (BinaryOp::Equal, false),
                (Symbol::NotEqual, _) => (BinaryOp::NotEqual, false),
                (Symbol::Less, _) => (BinaryOp::Less, false),
                (Symbol::LessOrEqual, _) => (BinaryOp::LessOrEqual, false),
                (Symbol::Greater, _) => (BinaryOp::Greater, false),
                (Symbol::GreaterOrEqual, _) => (BinaryOp::GreaterOrEqual, false),
                _ => return Err(self.syntax_error()),
            };
        if two {
            self.advance();
        }
        Ok(op)
    }

    #[inline(never)]
    fn membership(&mut self, value: Box<Expr>, negated: bool) -> SqlResult<Expr> {
        self.expect_symbol(Symbol::LeftParenthesis)?;
        let query = if self.at("SELECT") {
            self.query()?
        } else {
            let mut list = self.comma_separated(Self::value)?;
            match list.pop() {
                Some(Expr::Subquery(first)) if list.is_empty() => self.continue_query(*first)?,
                popped => {
                    list.extend(popped);
                    self.expect_symbol(Symbol::RightParenthesis)?;
                    return Ok(Expr::InList {
                        value,
                        list,
                        negated,
                    });
                }
            }
        };
        self.expect_symbol(Symbol::RightParenthesis)?;
        Ok(Expr::InQuery {
            value,
            query: Box::new(query),
            negated,
        })
    }
}
