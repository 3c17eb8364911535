//! Expressions as text: as SQL Server stores and shows the definitions of defaults and checks.

use crate::ast::Expr;
use labdb_types::SqlResult;
/// placeholder
pub fn print_expression(_e: &Expr) -> SqlResult<String> {
    Ok(String::new())
}
