//! T-SQL as labdb takes it: text to tokens to a tree. Nothing here runs anything.
//!
//! [`parse_batch`] reads one batch (what a client sends at once; `GO` belongs to clients),
//! [`parse_expression`] one expression or condition, such as a stored default or check, and
//! [`print_expression`] writes an expression the way SQL Server stores such definitions.
//!
//! Texts that are not T-SQL get SQL Server's own errors (102, 105, 113, 156, 191, …). Texts that
//! are T-SQL but outside the subset get error 40510, which names what is missing.
//!
//! The height of a tree is bounded ([`MAX_HEIGHT`]), so that code which walks it, and dropping
//! it, may recurse.

pub mod ast;
mod errors;
mod lexer;
mod parser;
mod print;
mod reserved;

pub use parser::MAX_HEIGHT;
pub use print::print_expression;
pub use reserved::is_reserved;

use labdb_types::SqlResult;

/// Parses a whole batch.
///
/// # Errors
/// The first syntax error, with the line it is on; 40510 for a construct outside the subset.
pub fn parse_batch(text: &str) -> SqlResult<ast::Batch> {
    parser::Parser::new(text)?.batch()
}

/// Parses a text that is one expression or one search condition and nothing else.
///
/// # Errors
/// As [`parse_batch`].
pub fn parse_expression(text: &str) -> SqlResult<ast::Expr> {
    parser::Parser::new(text)?.lone_expression()
}
