//! Tokens to a tree, by recursive descent. Each file of this folder knows one kind of
//! construct; this one holds the cursor and the guard against deep nesting.

mod backup;
mod bulk;
mod cursor;
mod cursor_statement;
mod data_change;
mod database;
mod execute;
mod expression;
mod function;
mod index;
mod login;
mod maintenance;
mod names;
mod permission;
mod predicate;
mod primary;
mod procedure;
mod query;
mod schema;
mod select;
mod set_option;
mod statement;
mod table;
mod table_source;
mod transaction;
mod unsupported;
mod variable;

#[cfg(test)]
mod tests;

use crate::ast::{Batch, Expr};
use crate::errors;
use crate::lexer::{Token, TokenKind, tokenize};
use labdb_types::SqlResult;

/// How deep the rules may call each other. A level takes up to 4 KB of stack; rules on the way
/// are marked `inline(never)` because, inlined into each other, they would take half as much again.
const MAX_DEPTH: usize = 200;

/// The most levels a tree that comes out of the parser has: chains of operators (`1 + 1 + …`)
/// make a tree as high as they are long, without any nesting in the text.
pub const MAX_HEIGHT: usize = 600;

pub(crate) struct Parser<'a> {
    source: &'a str,
    tokens: Vec<Token>,
    position: usize,
    /// Stands for all that is behind the last token.
    end: Token,
    depth: usize,
    /// At least the height of the tallest tree that the rule being parsed holds so far.
    height: usize,
}

impl<'a> Parser<'a> {
    pub(crate) fn new(source: &'a str) -> SqlResult<Self> {
        let tokens = tokenize(source)?;
        let end = Token {
            kind: TokenKind::End,
            line: tokens.last().map_or(1, |token| token.line),
            start: source.len(),
            end: source.len(),
        };
        Ok(Self {
            source,
            tokens,
            position: 0,
            end,
            depth: 0,
            height: 0,
        })
    }

    pub(crate) fn batch(mut self) -> SqlResult<Batch> {
        let statements = self.batch_statements()?;
        Ok(Batch { statements })
    }

    pub(crate) fn lone_expression(mut self) -> SqlResult<Expr> {
        let expression = self.value_or_condition()?;
        if self.at_end() {
            Ok(expression)
        } else {
            Err(self.syntax_error())
        }
    }

    /// Runs a rule that may contain itself. Every way back to a rule leads through here, so the
    /// stack is bounded; the heights of what it made add up for [`Self::grow`].
    fn nest<T>(&mut self, rule: impl FnOnce(&mut Self) -> SqlResult<T>) -> SqlResult<T> {
        if self.depth >= MAX_DEPTH {
            return Err(errors::nested_too_deeply(self.line()));
        }
        self.depth += 1;
        let siblings = std::mem::take(&mut self.height);
        let result = rule(self);
        self.depth -= 1;
        self.grow()?;
        self.height = self.height.max(siblings);
        result
    }

    /// The tree of the rule being parsed gets a level on top of all it holds.
    fn grow(&mut self) -> SqlResult<()> {
        self.height += 1;
        if self.height > MAX_HEIGHT {
            return Err(errors::nested_too_deeply(self.line()));
        }
        Ok(())
    }
}
