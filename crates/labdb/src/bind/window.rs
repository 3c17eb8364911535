//! Window functions: OVER.

use super::aggregates::{Grouping, collect_windows, order_expressions};
use super::{Binder, Scope};
use crate::plan::window::{WindowCall, WindowFunction};
use crate::plan::{AggregateKind, SortKey, Typed};
use labdb_tsql::ast::{FunctionCall, OrderItem, SelectItem, SelectQuery};
use labdb_types::{SqlError, SqlResult, SqlType, Value};

impl Binder<'_> {
    pub(super) fn windows(
        &self,
        select: &SelectQuery,
        order: &[OrderItem],
        scope: &Scope<'_>,
        grouping: &mut Grouping,
    ) -> SqlResult<Vec<WindowCall>> {
        let mut calls: Vec<&FunctionCall> = Vec::new();
        for item in &select.items {
            if let SelectItem::Expr { value, .. } | SelectItem::Assign { value, .. } = item {
                collect_windows(value, &mut calls);
            }
        }
        for key in order_expressions(order) {
            collect_windows(key, &mut calls);
        }
        let before = grouping.clone();
        let inner = Scope {
            grouping: before.grouped.then_some(&before),
            ..scope.clone()
        };
        let mut out = Vec::with_capacity(calls.len());
        for call in calls {
            let bound = self.window(call, &inner)?;
            grouping.windows.push((call.clone(), bound.sql_type));
            out.push(bound);
        }
        Ok(out)
    }

    fn window(&self, call: &FunctionCall, scope: &Scope<'_>) -> SqlResult<WindowCall> {
        let name = call.name.object().to_ascii_uppercase();
        let over = call.over.clone().unwrap_or_default();
        let partition = self.expressions(&over.partition_by, scope)?;
        let mut order = Vec::new();
        for item in &over.order_by {
            order.push(SortKey {
                value: self.expression(&item.key, scope)?,
                descending: item.descending,
            });
        }
        let argument = |at: usize| -> SqlResult<Typed> {
            let argument = call.arguments.get(at).ok_or_else(|| {
                SqlError::new(
                    174,
                    format!("The {name} function requires {} argument(s).", at + 1),
                )
                .severity(15)
            })?;
            self.expression(argument, scope)
        };
        let (function, sql_type) = match name.as_str() {
            "ROW_NUMBER" => (WindowFunction::RowNumber, SqlType::BigInt),
            "RANK" => (WindowFunction::Rank, SqlType::BigInt),
            "DENSE_RANK" => (WindowFunction::DenseRank, SqlType::BigInt),
            "NTILE" => (
                WindowFunction::Ntile(argument(0)?.coerced(SqlType::BigInt)?),
                SqlType::BigInt,
            ),
            "LAG" | "LEAD" => {
                let value = argument(0)?;
                let sql_type = value.sql_type;
                let distance = if call.arguments.len() > 1 {
                    argument(1)?.coerced(SqlType::BigInt)?
                } else {
                    Typed::constant(Value::BigInt(1), SqlType::BigInt)
                };
                let default = if call.arguments.len() > 2 {
                    Some(argument(2)?.coerced(sql_type)?)
                } else {
                    None
                };
                (
                    WindowFunction::Shift {
                        value,
                        distance,
                        default,
                        back: name == "LAG",
                    },
                    sql_type,
                )
            }
            "FIRST_VALUE" | "LAST_VALUE" => {
                let value = argument(0)?;
                let sql_type = value.sql_type;
                (
                    if name == "FIRST_VALUE" {
                        WindowFunction::First(value)
                    } else {
                        WindowFunction::Last(value)
                    },
                    sql_type,
                )
            }
            _ if AggregateKind::by_name(&name).is_some() => {
                let aggregate = self.aggregate(call, scope)?;
                let sql_type = aggregate.sql_type;
                (WindowFunction::Aggregate(aggregate), sql_type)
            }
            _ => {
                return Err(SqlError::new(
                    195,
                    format!("'{name}' is not a recognized function that takes OVER in labdb."),
                )
                .severity(15));
            }
        };
        if order.is_empty() && !matches!(function, WindowFunction::Aggregate(_)) {
            return Err(SqlError::new(
                4112,
                format!("The function '{name}' must have an OVER clause with ORDER BY."),
            )
            .severity(15));
        }
        Ok(WindowCall {
            function,
            partition,
            order,
            frame: over.rows,
            sql_type,
        })
    }
}
