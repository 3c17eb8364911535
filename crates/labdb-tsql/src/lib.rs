//! T-SQL as labdb takes it: text to tokens to a tree. Nothing here runs anything.

pub mod ast;
