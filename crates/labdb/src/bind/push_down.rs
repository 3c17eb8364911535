//! Conditions where they cost least: as seeks of an index, as equalities of a join.

use crate::catalog::Table;
use crate::plan::source::Access;
use crate::plan::{Condition, JoinType, Node, Plan, Typed};
use labdb_tsql::ast::BinaryOp;

/// Puts a condition over a plan: as a seek where it fixes the first columns of an index, as part
/// of a join where it compares its sides, as a filter otherwise.
pub(crate) fn filtered(plan: Plan, condition: Condition) -> Plan {
    let parts = match condition {
        Condition::Always => return plan,
        Condition::And(parts) => parts,
        other => vec![other],
    };
    push_down(plan, parts)
}

fn push_down(plan: Plan, parts: Vec<Condition>) -> Plan {
    match plan {
        Plan::Table {
            table,
            access: Access::Scan,
            mode,
            with_address,
        } => {
            let access = seek(&table, &parts).unwrap_or(Access::Scan);
            let plan = Plan::Table {
                table,
                access,
                mode,
                with_address,
            };
            Plan::Filter(Box::new(plan), joined(parts))
        }
        Plan::Join {
            kind: JoinType::Inner,
            left,
            right,
            mut equal,
            on,
            left_width,
            right_width,
        } => {
            let mut rest = Vec::new();
            for part in parts {
                match equality_of_sides(&part, left_width) {
                    Some(pair) => equal.push(pair),
                    None => rest.push(part),
                }
            }
            let plan = Plan::Join {
                kind: JoinType::Inner,
                left,
                right,
                equal,
                on,
                left_width,
                right_width,
            };
            if rest.is_empty() {
                plan
            } else {
                Plan::Filter(Box::new(plan), joined(rest))
            }
        }
        other => Plan::Filter(Box::new(other), joined(parts)),
    }
}

pub(super) fn joined(mut parts: Vec<Condition>) -> Condition {
    match parts.len() {
        0 => Condition::Always,
        1 => parts.pop().unwrap_or(Condition::Always),
        _ => Condition::And(parts),
    }
}

/// Whether an expression looks at the innermost row, and where.
fn columns_used(value: &Typed, visit: &mut dyn FnMut(usize)) -> bool {
    match &value.node {
        Node::Literal(_) | Node::Constant(_) | Node::Variable(_) => true,
        Node::Column { depth: 0, index } => {
            visit(*index);
            true
        }
        Node::Column { .. } => true,
        Node::Negate(inner) | Node::BitNot(inner) => columns_used(inner, visit),
        Node::Arithmetic(_, a, b) | Node::NullIf(a, b) => {
            columns_used(a, visit) && columns_used(b, visit)
        }
        Node::Convert { value, style, .. } => {
            columns_used(value, visit) && style.as_ref().is_none_or(|s| columns_used(s, visit))
        }
        Node::Coalesce(values) | Node::Call(_, values) => {
            values.iter().all(|v| columns_used(v, visit))
        }
        // Not looked into: treated as using everything.
        Node::Case { .. } | Node::Subquery(_) => false,
    }
}

fn uses_no_column(value: &Typed) -> bool {
    let mut any = false;
    columns_used(value, &mut |_| any = true) && !any
}

/// The index whose first columns the conditions fix, with the values.
fn seek(table: &Table, parts: &[Condition]) -> Option<Access> {
    for (place, index) in table.indexes.iter().enumerate() {
        let mut values = Vec::new();
        for part in &index.keys {
            let found = parts.iter().find_map(|condition| {
                let Condition::Compare(BinaryOp::Equal, a, b) = condition else {
                    return None;
                };
                let is_key = |side: &Typed| match side.node {
                    Node::Column { depth: 0, index } => index == part.column,
                    _ => false,
                };
                match (is_key(a), is_key(b)) {
                    (true, _) if uses_no_column(b) => Some(outside(b)),
                    (_, true) if uses_no_column(a) => Some(outside(a)),
                    _ => None,
                }
            });
            match found {
                Some(value) => values.push(value),
                None => break,
            }
        }
        if !values.is_empty() {
            return Some(Access::Seek {
                index: place,
                values,
            });
        }
    }
    None
}

/// The same expression with its columns replaced.
fn with_columns(value: &Typed, column: &dyn Fn(usize, usize) -> Node) -> Typed {
    let again = |inner: &Typed| with_columns(inner, column);
    let node = match &value.node {
        Node::Column { depth, index } => column(*depth, *index),
        Node::Negate(inner) => Node::Negate(Box::new(again(inner))),
        Node::BitNot(inner) => Node::BitNot(Box::new(again(inner))),
        Node::Arithmetic(op, a, b) => Node::Arithmetic(*op, Box::new(again(a)), Box::new(again(b))),
        Node::NullIf(a, b) => Node::NullIf(Box::new(again(a)), Box::new(again(b))),
        Node::Convert {
            value,
            style,
            or_null,
        } => Node::Convert {
            value: Box::new(again(value)),
            style: style.as_ref().map(|s| Box::new(again(s))),
            or_null: *or_null,
        },
        Node::Coalesce(values) => Node::Coalesce(values.iter().map(again).collect()),
        Node::Call(function, values) => Node::Call(function, values.iter().map(again).collect()),
        // `columns_used` does not look into these, so nothing that holds one is rewritten.
        Node::Literal(_)
        | Node::Constant(_)
        | Node::Variable(_)
        | Node::Case { .. }
        | Node::Subquery(_) => value.node.clone(),
    };
    Typed {
        node,
        sql_type: value.sql_type,
        nullable: value.nullable,
    }
}

/// The same expression as seen from the query around the table: one level less deep.
fn outside(value: &Typed) -> Typed {
    with_columns(value, &|depth, index| Node::Column {
        depth: depth.saturating_sub(1),
        index,
    })
}

/// `left side = right side` of a join, as expressions over each side's own row.
pub(super) fn equality_of_sides(
    condition: &Condition,
    left_width: usize,
) -> Option<(Typed, Typed)> {
    let Condition::Compare(BinaryOp::Equal, a, b) = condition else {
        return None;
    };
    let side = |value: &Typed| -> Option<bool> {
        let (mut left, mut right) = (false, false);
        let known = columns_used(value, &mut |index| {
            if index < left_width {
                left = true;
            } else {
                right = true;
            }
        });
        match (known, left, right) {
            (true, true, false) => Some(true),
            (true, false, true) => Some(false),
            _ => None,
        }
    };
    match (side(a)?, side(b)?) {
        (true, false) => Some((a.clone(), shifted(b, left_width))),
        (false, true) => Some((b.clone(), shifted(a, left_width))),
        _ => None,
    }
}

/// An expression over a joined row as one over the right side's row.
fn shifted(value: &Typed, by: usize) -> Typed {
    with_columns(value, &|depth, index| Node::Column {
        depth,
        index: if depth == 0 {
            index.saturating_sub(by)
        } else {
            index
        },
    })
}
