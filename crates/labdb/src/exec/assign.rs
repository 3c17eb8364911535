//! Assignments: `=` and the compound operators, with the target's type.

use crate::bind::arithmetic;
use crate::plan::{Node, Typed};
use labdb_tsql::ast::{AssignOp, BinaryOp};
use labdb_types::{SqlResult, SqlType};

/// The operator of a compound assignment.
pub(crate) fn operator(op: AssignOp) -> Option<BinaryOp> {
    Some(match op {
        AssignOp::Set => return None,
        AssignOp::Add => BinaryOp::Add,
        AssignOp::Subtract => BinaryOp::Subtract,
        AssignOp::Multiply => BinaryOp::Multiply,
        AssignOp::Divide => BinaryOp::Divide,
        AssignOp::Modulo => BinaryOp::Modulo,
        AssignOp::BitAnd => BinaryOp::BitAnd,
        AssignOp::BitOr => BinaryOp::BitOr,
        AssignOp::BitXor => BinaryOp::BitXor,
    })
}

/// The new value of a variable, converted to its type.
pub(crate) fn combine(
    op: AssignOp,
    variable: &str,
    target: SqlType,
    value: Typed,
) -> SqlResult<Typed> {
    let value = match operator(op) {
        None => value,
        Some(op) => {
            let old = Typed {
                node: Node::Variable(crate::catalog::fold(variable).into()),
                sql_type: target,
                nullable: true,
            };
            arithmetic(op, old, value)?
        }
    };
    value.coerced(target)
}
