//! Operators and their precedence. Microsoft's order, tightest first: `~`; `* / %`;
//! `+ - & ^ |` and the signs; comparisons; `NOT`; `AND`; `OR` and the predicates with words.
//! The signs stand below `*`, so `-100/-100*10` is `-100/(-(100*10))`, as it is in SQL Server.

use super::Parser;
use crate::ast::{BinaryOp, Expr, UnaryOp};
use crate::lexer::{Symbol, TokenKind};
use labdb_types::SqlResult;

/// How tight an operator binds, loosest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    Or,
    And,
    Not,
    Predicate,
    Sum,
    Product,
}

impl Parser<'_> {
    /// An expression that is a value.
    pub(super) fn value(&mut self) -> SqlResult<Expr> {
        self.operators(Level::Sum)
    }

    /// A search condition.
    pub(super) fn condition(&mut self) -> SqlResult<Expr> {
        let condition = self.operators(Level::Or)?;
        self.require_condition(&condition)?;
        Ok(condition)
    }

    /// Whichever stands there.
    pub(super) fn value_or_condition(&mut self) -> SqlResult<Expr> {
        self.operators(Level::Or)
    }

    /// A value, or DEFAULT.
    pub(super) fn value_or_default(&mut self) -> SqlResult<Expr> {
        if self.eat("DEFAULT") {
            Ok(Expr::Default)
        } else {
            self.value()
        }
    }

    /// Operands joined by operators that bind at least as tight as `loosest`.
    pub(super) fn operators(&mut self, loosest: Level) -> SqlResult<Expr> {
        self.nest(|parser| {
            let mut left = parser.operand(loosest)?;
            while let Some(level) = parser.level_here().filter(|level| *level >= loosest) {
                left = parser.operator(left, level)?;
                parser.grow()?;
            }
            Ok(left)
        })
    }

    fn level_here(&self) -> Option<Level> {
        let level = match self.kind() {
            TokenKind::Symbol(symbol) => match symbol {
                Symbol::Star | Symbol::Slash | Symbol::Percent => Level::Product,
                Symbol::Plus | Symbol::Minus | Symbol::Ampersand | Symbol::Caret | Symbol::Bar => {
                    Level::Sum
                }
                Symbol::Equal
                | Symbol::NotEqual
                | Symbol::Less
                | Symbol::LessOrEqual
                | Symbol::Greater
                | Symbol::GreaterOrEqual
                | Symbol::Exclamation => Level::Predicate,
                _ => return None,
            },
            TokenKind::Word if self.at("AND") => Level::And,
            TokenKind::Word if self.at("OR") => Level::Or,
            TokenKind::Word if self.at_word_predicate() => Level::Predicate,
            _ => return None,
        };
        Some(level)
    }

    /// Takes the operator under the cursor and its right side.
    #[inline(never)]
    fn operator(&mut self, left: Expr, level: Level) -> SqlResult<Expr> {
        let (op, right_level) = match level {
            Level::Or => (BinaryOp::Or, Level::And),
            Level::And => (BinaryOp::And, Level::Not),
            Level::Not | Level::Predicate => {
                self.require_value(&left)?;
                return self.predicate(left);
            }
            Level::Sum | Level::Product => {
                self.require_value(&left)?;
                return self.arithmetic(left);
            }
        };
        self.require_condition(&left)?;
        self.advance();
        let right = self.operators(right_level)?;
        self.require_condition(&right)?;
        Ok(Expr::Binary(op, Box::new(left), Box::new(right)))
    }

    #[inline(never)]
    fn arithmetic(&mut self, left: Expr) -> SqlResult<Expr> {
        let op = match self.kind() {
            TokenKind::Symbol(Symbol::Star) => BinaryOp::Multiply,
            TokenKind::Symbol(Symbol::Slash) => BinaryOp::Divide,
            TokenKind::Symbol(Symbol::Percent) => BinaryOp::Modulo,
            TokenKind::Symbol(Symbol::Plus) => BinaryOp::Add,
            TokenKind::Symbol(Symbol::Minus) => BinaryOp::Subtract,
            TokenKind::Symbol(Symbol::Ampersand) => BinaryOp::BitAnd,
            TokenKind::Symbol(Symbol::Caret) => BinaryOp::BitXor,
            TokenKind::Symbol(Symbol::Bar) => BinaryOp::BitOr,
            _ => return Err(self.syntax_error()),
        };
        self.advance();
        let right = match op {
            BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Modulo => {
                self.nest(|parser| parser.operand(Level::Product))?
            }
            _ => self.operators(Level::Product)?,
        };
        Ok(Expr::Binary(op, Box::new(left), Box::new(right)))
    }

    /// An operand with what stands before it.
    fn operand(&mut self, loosest: Level) -> SqlResult<Expr> {
        let (op, level) = match self.kind() {
            TokenKind::Symbol(Symbol::Minus) => (UnaryOp::Minus, Level::Product),
            TokenKind::Symbol(Symbol::Plus) => (UnaryOp::Plus, Level::Product),
            TokenKind::Symbol(Symbol::Tilde) => {
                self.advance();
                let operand = self.nest(|parser| parser.operand(Level::Product))?;
                return Ok(Expr::Unary(UnaryOp::BitNot, Box::new(operand)));
            }
            TokenKind::Word if loosest <= Level::Not && self.at("NOT") => {
                (UnaryOp::Not, Level::Not)
            }
            _ => return self.primary(loosest <= Level::Predicate),
        };
        self.advance();
        let operand = self.operators(level)?;
        if op == UnaryOp::Not {
            self.require_condition(&operand)?;
        }
        Ok(Expr::Unary(op, Box::new(operand)))
    }

    fn require_condition(&self, expression: &Expr) -> SqlResult<()> {
        if is_condition(expression) {
            Ok(())
        } else {
            Err(self.condition_error())
        }
    }

    /// A condition cannot be an operand of the operator under the cursor.
    fn require_value(&self, expression: &Expr) -> SqlResult<()> {
        if is_condition(expression) {
            Err(self.syntax_error())
        } else {
            Ok(())
        }
    }
}

/// Whether this is true, false or unknown rather than a value.
pub(super) fn is_condition(expression: &Expr) -> bool {
    match expression {
        Expr::Binary(op, ..) => !matches!(
            op,
            BinaryOp::Add
                | BinaryOp::Subtract
                | BinaryOp::Multiply
                | BinaryOp::Divide
                | BinaryOp::Modulo
                | BinaryOp::BitAnd
                | BinaryOp::BitOr
                | BinaryOp::BitXor
        ),
        Expr::Unary(op, _) => *op == UnaryOp::Not,
        Expr::IsNull { .. }
        | Expr::Between { .. }
        | Expr::InList { .. }
        | Expr::InQuery { .. }
        | Expr::Like { .. }
        | Expr::Exists(_)
        | Expr::Quantified { .. } => true,
        _ => false,
    }
}
