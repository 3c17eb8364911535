//! Finding aggregates and window functions in expressions.

use crate::plan::{Aggregate, AggregateKind, Typed};
use labdb_tsql::ast::{Expr, FunctionCall, OrderItem};
use labdb_types::SqlType;

/// What the rows of a grouped query have.
#[derive(Clone, Debug, Default)]
pub(crate) struct Grouping {
    /// Whether there is a GROUP BY or an aggregate.
    pub(crate) grouped: bool,
    /// The keys, over the input's rows.
    pub(crate) keys: Vec<Typed>,
    /// The aggregates: as written and as bound.
    pub(crate) aggregates: Vec<(FunctionCall, Aggregate)>,
    /// The window functions: as written, and the result's type.
    pub(crate) windows: Vec<(FunctionCall, SqlType)>,
    /// Columns of a row before the window functions.
    pub(crate) width: usize,
}

/// Calls `visit` with every expression in it, outermost first; `visit` says whether to go in.
/// Queries inside are not entered.
pub(crate) fn walk<'e>(expression: &'e Expr, visit: &mut dyn FnMut(&'e Expr) -> bool) {
    if !visit(expression) {
        return;
    }
    match expression {
        Expr::Literal(_)
        | Expr::Variable(_)
        | Expr::GlobalVariable(_)
        | Expr::Column(_)
        | Expr::Default
        | Expr::Exists(_)
        | Expr::Subquery(_) => {}
        Expr::Unary(_, inner) | Expr::Collate(inner, _) => walk(inner, visit),
        Expr::Binary(_, left, right) => {
            walk(left, visit);
            walk(right, visit);
        }
        Expr::Function(call) => {
            for argument in &call.arguments {
                walk(argument, visit);
            }
            if let Some(over) = &call.over {
                for item in &over.partition_by {
                    walk(item, visit);
                }
                for item in &over.order_by {
                    walk(&item.key, visit);
                }
            }
        }
        Expr::Cast { value, style, .. } => {
            walk(value, visit);
            if let Some(style) = style {
                walk(style, visit);
            }
        }
        Expr::Case {
            operand,
            arms,
            otherwise,
        } => {
            for part in operand.iter().chain(otherwise.iter()) {
                walk(part, visit);
            }
            for arm in arms {
                walk(&arm.when, visit);
                walk(&arm.then, visit);
            }
        }
        Expr::IsNull { value, .. }
        | Expr::InQuery { value, .. }
        | Expr::Quantified { value, .. } => walk(value, visit),
        Expr::Between {
            value, low, high, ..
        } => {
            walk(value, visit);
            walk(low, visit);
            walk(high, visit);
        }
        Expr::InList { value, list, .. } => {
            walk(value, visit);
            for item in list {
                walk(item, visit);
            }
        }
        Expr::Like {
            value,
            pattern,
            escape,
            ..
        } => {
            walk(value, visit);
            walk(pattern, visit);
            if let Some(escape) = escape {
                walk(escape, visit);
            }
        }
    }
}

/// The aggregate that a call is, if it is one without a window.
pub(crate) fn aggregate_of(call: &FunctionCall) -> Option<AggregateKind> {
    if call.over.is_some() || call.name.parts.len() > 1 {
        return None;
    }
    AggregateKind::by_name(&call.name.object().to_ascii_uppercase())
}

/// Adds the aggregates in an expression to a list, each once.
pub(crate) fn collect_aggregates<'e>(expression: &'e Expr, out: &mut Vec<&'e FunctionCall>) {
    walk(expression, &mut |e| {
        if let Expr::Function(call) = e
            && aggregate_of(call).is_some()
        {
            if !out.contains(&call) {
                out.push(call);
            }
            return false;
        }
        true
    });
}

/// Adds the window functions in an expression to a list, each once.
pub(crate) fn collect_windows<'e>(expression: &'e Expr, out: &mut Vec<&'e FunctionCall>) {
    walk(expression, &mut |e| {
        if let Expr::Function(call) = e
            && call.over.is_some()
        {
            if !out.contains(&call) {
                out.push(call);
            }
            return false;
        }
        true
    });
}

/// The expressions of an ORDER BY.
pub(crate) fn order_expressions(items: &[OrderItem]) -> impl Iterator<Item = &Expr> {
    items.iter().map(|i| &i.key)
}
