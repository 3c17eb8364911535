//! GROUP BY and aggregates: what a grouped query has for columns.

use super::aggregates::{Grouping, aggregate_of, collect_aggregates, order_expressions};
use super::{Binder, Scope};
use crate::plan::{Aggregate, AggregateKind, Node, SortKey, Typed};
use labdb_tsql::ast::{Expr, FunctionCall, OrderItem, SelectItem, SelectQuery};
use labdb_types::{SqlError, SqlResult, SqlType};

impl Binder<'_> {
    pub(super) fn grouping(
        &self,
        select: &SelectQuery,
        order: &[OrderItem],
        scope: &Scope<'_>,
    ) -> SqlResult<Grouping> {
        let mut calls: Vec<&FunctionCall> = Vec::new();
        for item in &select.items {
            if let SelectItem::Expr { value, .. } | SelectItem::Assign { value, .. } = item {
                collect_aggregates(value, &mut calls);
            }
        }
        for key in order_expressions(order) {
            collect_aggregates(key, &mut calls);
        }
        if let Some(having) = &select.having {
            collect_aggregates(having, &mut calls);
        }
        let mut grouping = Grouping {
            grouped: !calls.is_empty() || !select.group_by.is_empty(),
            width: scope.columns.len(),
            ..Grouping::default()
        };
        if !grouping.grouped {
            return Ok(grouping);
        }
        for key in &select.group_by {
            if matches!(key, Expr::Literal(_)) {
                return Err(SqlError::new(
                    164,
                    "Each GROUP BY expression must contain at least one column that is not an \
                     outer reference.",
                )
                .severity(15));
            }
            grouping.keys.push(self.expression(key, scope)?);
        }
        for call in calls {
            let aggregate = self.aggregate(call, scope)?;
            grouping.aggregates.push((call.clone(), aggregate));
        }
        grouping.width = grouping.keys.len() + grouping.aggregates.len();
        Ok(grouping)
    }

    pub(super) fn aggregate(&self, call: &FunctionCall, scope: &Scope<'_>) -> SqlResult<Aggregate> {
        let name = call.name.object().to_ascii_uppercase();
        let kind = AggregateKind::by_name(&name).ok_or_else(|| {
            SqlError::new(
                195,
                format!("'{name}' is not a recognized built-in function name."),
            )
            .severity(15)
        })?;
        for argument in &call.arguments {
            let mut nested = Vec::new();
            collect_aggregates(argument, &mut nested);
            if !nested.is_empty() {
                return Err(SqlError::new(
                    130,
                    "Cannot perform an aggregate function on an expression containing an \
                     aggregate or a subquery.",
                ));
            }
        }
        let expected = if kind == AggregateKind::StringAgg {
            2
        } else {
            1
        };
        let argument = if call.star {
            None
        } else {
            if call.arguments.len() != expected {
                return Err(SqlError::new(
                    174,
                    format!("The {name} function requires {expected} argument(s)."),
                )
                .severity(15));
            }
            call.arguments
                .first()
                .map(|a| self.expression(a, scope))
                .transpose()?
        };
        let separator = match call.arguments.get(1) {
            Some(separator) => Some(self.expression(separator, scope)?),
            None => None,
        };
        let mut order = Vec::new();
        for item in &call.within_group {
            order.push(SortKey {
                value: self.expression(&item.key, scope)?,
                descending: item.descending,
            });
        }
        Aggregate::new(kind, &name, argument, separator, order, call.distinct)
    }

    /// An expression over the rows of a grouped or windowed query, if it is one of their columns.
    pub(crate) fn grouped(
        &self,
        expression: &Expr,
        scope: &Scope<'_>,
        grouping: &Grouping,
    ) -> SqlResult<Option<Typed>> {
        if let Expr::Function(call) = expression {
            if call.over.is_some() {
                if let Some(at) = grouping.windows.iter().position(|(c, _)| c == call) {
                    let sql_type = grouping.windows.get(at).map_or(SqlType::Int, |(_, t)| *t);
                    return Ok(Some(Typed::column(grouping.width + at, sql_type, true)));
                }
                return Ok(None);
            }
            if aggregate_of(call).is_some()
                && let Some((at, (_, aggregate))) = grouping
                    .aggregates
                    .iter()
                    .enumerate()
                    .find(|(_, (c, _))| c == call)
            {
                let nullable = !matches!(
                    aggregate.kind,
                    AggregateKind::Count | AggregateKind::CountRows
                );
                return Ok(Some(Typed::column(
                    grouping.keys.len() + at,
                    aggregate.sql_type,
                    nullable,
                )));
            }
        }
        if !grouping.grouped {
            return Ok(None);
        }
        let plain = Scope {
            grouping: None,
            ..scope.clone()
        };
        if matches!(
            expression,
            Expr::Literal(_) | Expr::Variable(_) | Expr::GlobalVariable(_)
        ) {
            return Ok(None);
        }
        if let Ok(bound) = self.expression(expression, &plain) {
            if let Some(at) = grouping.keys.iter().position(|k| *k == bound) {
                return Ok(Some(Typed::column(at, bound.sql_type, bound.nullable)));
            }
            if let (Expr::Column(_), Node::Column { depth: 0, index }) = (expression, &bound.node)
                && let Some(column) = scope.columns.get(*index)
            {
                return Err(super::scope::not_grouped(column));
            }
        }
        Ok(None)
    }
}
